"""What the text of the user's code tells about a name: where it was bound, and whether a result was used."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from typing import Any

from autodiff_kit.core.source_location import SourceLocation, cells_in_order

__all__ = ["rebinding_line"]

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


def _parsed(cell: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(cell)))
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
