"""What the text of the user's code tells about a name: where it was bound, and whether a result was used."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeGuard

from autodiff_kit.core.source_location import SourceLocation, cells_in_order

__all__ = ["is_discarded", "rebinding_line"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda, ast.ClassDef)
Place = tuple[int, int]  # the number of a cell among those that ran, and a line in it


def rebinding_line(frame: Any, name: str) -> SourceLocation | None:
    """The line that bound the name of a variable to something else, found by parsing the caller's code, or None.

    Of several lines it is the last one before the line that the frame has reached; in a loop, the last one of all.
    """
    code = frame.f_code
    cells = [code.co_filename] if _is_local(code, name) else cells_in_order(code.co_filename)
    bound = sorted(
        ((k, node.lineno), _creates_variable(node))
        for k, cell in enumerate(cells)
        for node in _bindings_in_cell(cell, code, name)
    )
    created = [place for place, creates in bound if creates]
    others = [place for place, creates in bound if not creates]
    if not (created and others):
        return None
    elsewhere = name in getattr(code, "co_freevars", ()) or not (_is_local(code, name) or code.co_name.startswith("<"))
    here = (cells.index(code.co_filename), float("inf") if elsewhere else getattr(frame, "f_lineno", float("inf")))
    later = [place for place in others if place > created[0]]  # if there is none, a function bound a global name
    found = [*others, *later, *(place for place in later if place <= here)][-1]
    return SourceLocation(cells[found[0]], found[1], code.co_name)


def _is_local(code: Any, name: str) -> bool:
    """Whether a name of a code object belongs to its function or to one around it, and not to the module."""
    if not hasattr(code, "co_varnames"):  # a cell of the lab, which has no frame any more
        return bool(code.co_name) and not code.co_name.startswith("<")
    return name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)


def is_discarded(place: SourceLocation) -> bool:
    """Whether the statements of a line only print, check, or bind names that are not used: nothing else has the result.

    False where the text of the code cannot be found.
    """
    tree = _parsed(place.cell)
    found = [] if tree is None else _innermost_statements(tree, place.line)
    return bool(found) and all(_discards(statement, place.cell) for statement in found)


def _innermost_statements(tree: ast.Module, line: int) -> list[ast.stmt]:
    around = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or 0)]
    return [n for n in around if not any(inner in around for inner in ast.walk(n) if inner is not n)]


def _discards(statement: ast.stmt, cell: str) -> bool:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return getattr(statement.value.func, "id", "") in ("print", "display")
    if isinstance(statement, ast.If):
        return all(_discards(inner, cell) for inner in (*statement.body, *statement.orelse))
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        return isinstance(statement, (ast.Assert, ast.Raise, ast.Pass))
    bound = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    names = [n for target in bound for n in ast.walk(target) if not isinstance(n, (ast.expr_context, ast.Tuple))]
    if not all(isinstance(n, ast.Name) for n in names):
        return False  # an entry or an attribute of an object that others may hold
    own = set(ast.walk(statement))
    trees = (tree for other in cells_in_order(cell) if (tree := _parsed(other)) is not None)
    used = {n.id for tree in trees for n in ast.walk(tree) if _is_read(n) and n not in own}
    return used.isdisjoint(n.id for n in names if isinstance(n, ast.Name))


def _is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _parsed(cell: str) -> ast.Module | None:
    return _parsed_text("".join(linecache.getlines(cell)))


@lru_cache(maxsize=64)
def _parsed_text(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:  # a cell with a magic command
        return None


def _bindings_in_cell(cell: str, code: Any, name: str) -> list[Any]:
    tree = _parsed(cell)
    return [] if tree is None else list(_bindings(_scope_of_name(tree, code, name), name))


def _scope_of_name(tree: ast.Module, code: Any, name: str) -> ast.AST:
    """The function in which a name of a code object is bound: its own, one around it, or else the module."""
    if not _is_local(code, name):
        return tree
    if name not in getattr(code, "co_freevars", ()):
        return _functions_around(tree, code, own=True)[-1]
    around = _functions_around(tree, code, own=False)
    return next((f for f in reversed(around) if next(_bindings(f, name), None) is not None), around[-1])


def _functions_around(tree: ast.Module, code: Any, own: bool) -> list[ast.AST]:
    """The module and the functions around a code object, outermost first, and with ``own`` its own function."""
    first = getattr(code, "co_firstlineno", None)
    found: list[ast.AST] = [tree]
    for node in ast.walk(tree):  # a function comes after those around it
        if not isinstance(node, _FUNCTIONS):
            continue
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        is_own = node.name == code.co_name and first in (None, start)
        if (is_own and own) or (not is_own and first is not None and start <= first <= (node.end_lineno or 0)):
            found.append(node)
    return found


def _bindings(scope: ast.AST, name: str, inside: bool = True) -> Iterator[Any]:
    """The nodes that bind a name in a scope, those of inner functions that declare it global or nonlocal included."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, _SCOPES):
            declared = any(isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in ast.walk(node))
            yield from _bindings(node, name, inside=inside and declared)
            continue
        if inside and name in _bound_names(node):
            yield node
        yield from _bindings(node, name, inside)


def _bound_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor)):
        targets = [node.target]
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target] if node.value is not None else []
    else:
        return []
    names = [n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    return [n.id for n in names if isinstance(n.ctx, ast.Store)]


def _creates_variable(node: Any) -> bool:
    calls = [n for n in ast.walk(getattr(node, "iter", None) or node.value) if isinstance(n, ast.Call)]
    return any(getattr(call.func, "attr", getattr(call.func, "id", "")) == "Variable" for call in calls)
