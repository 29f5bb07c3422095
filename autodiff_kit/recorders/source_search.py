"""What the text of the user's program tells: decorators, with statements, bindings of names, what froze a parameter."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from autodiff_kit.core.source_location import SourceLocation, cells_in_order

__all__ = [
    "attribute_assignment",
    "binding_lines",
    "decorator_line",
    "early_return_line",
    "freezing_line",
    "line_mentions",
    "returns_none_line",
    "statement_lines",
    "tree_of",
    "with_line",
]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def tree_of(file: str) -> ast.Module | None:
    """The syntax tree of a file or cell; None where its text is not Python, such as a cell with a magic command."""
    return _parse("".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:  # a cell with a magic command
        return None


def _nodes(file: str, *kinds: type[ast.AST]) -> Iterator[Any]:
    tree = tree_of(file)
    if tree is not None:
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                yield node


def _mentions(node: ast.AST, words: tuple[str, ...]) -> bool:
    names = {
        n.attr if isinstance(n, ast.Attribute) else n.id
        for n in ast.walk(node)
        if isinstance(n, (ast.Attribute, ast.Name))
    }
    return not names.isdisjoint(words)


def line_mentions(place: SourceLocation, *words: str) -> bool:
    """Whether a line of code has one of these words in its text."""
    return any(word in place.text for word in words)


def decorator_line(file: str, line: int, words: tuple[str, ...]) -> int:
    """The line of a decorator that mentions one of the words, on the innermost function around a line; 0 without one."""
    found = 0
    for function in _nodes(file, *_FUNCTIONS, ast.ClassDef):
        if function.lineno <= line <= (function.end_lineno or 0) or function.lineno == line:
            found = next((d.lineno for d in function.decorator_list if _mentions(d, words)), found)
    return found


def with_line(file: str, line: int, words: tuple[str, ...]) -> int:
    """The line of the innermost ``with`` around a line that mentions one of the words; 0 without one."""
    around = [n.lineno for n in _nodes(file, ast.With, ast.AsyncWith)
              if n.lineno <= line <= (n.end_lineno or 0) and any(_mentions(item.context_expr, words) for item in n.items)]  # fmt: skip
    return max(around, default=0)


def statement_lines(file: str, line: int) -> tuple[int, int]:
    """First and last line of the innermost simple statement that holds a line."""
    around = [(n.lineno, n.end_lineno or n.lineno) for n in _nodes(file, ast.stmt)
              if n.lineno <= line <= (n.end_lineno or n.lineno) and not hasattr(n, "body")]  # fmt: skip
    return max(around, default=(line, line))


def _function_around(file: str, line: int) -> Any:
    around = [f for f in _nodes(file, *_FUNCTIONS) if f.lineno <= line <= (f.end_lineno or 0)]
    return max(around, key=lambda f: f.lineno, default=None)


def binding_lines(file: str, line: int, name: str) -> list[tuple[str, int, bool]]:
    """The lines that bind a name in the scope of a line: file, line, and whether the name itself is read there.

    In a notebook, all cells that ran are one scope.
    """
    scope = _function_around(file, line)
    if scope is not None and any(a.arg == name for a in ast.walk(scope.args) if isinstance(a, ast.arg)):
        return []
    found = []
    for cell in [file] if scope is not None else cells_in_order(file):
        tree = scope or tree_of(cell)
        for node in _walk(tree):
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr))
                else []
            )
            if any(isinstance(n, ast.Name) and n.id == name for target in targets for n in ast.walk(target)):
                value = getattr(node, "value", None)
                reads = isinstance(node, ast.AugAssign) or (value is not None and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(value)))  # fmt: skip
                found.append((cell, node.lineno, reads))
    if not found and scope is not None:
        outer = tree_of(file)
        for node in outer.body if outer is not None else ():
            bound = node.targets if isinstance(node, ast.Assign) else []
            found += [(file, node.lineno, False) for t in bound if isinstance(t, ast.Name) and t.id == name]
    return sorted(found, key=lambda entry: entry[1]) if scope is not None else found


def freezing_line(file: str, parts: list[str], near: int) -> int:
    """The statement that sets requires_grad to False for what is named by these parts, such as model, backbone, weight.

    Of several statements the one that mentions most of the parts, in its own text or in the loop around it; of equal ones
    one in the function around the line ``near``.
    """
    best = (0, False, 0)
    loops, scope = list(_nodes(file, ast.For)), _function_around(file, near)
    for node in _nodes(file, ast.Assign, ast.Call):
        if _freezes(node):
            around = [loop.iter for loop in loops if loop.lineno <= node.lineno <= (loop.end_lineno or 0)]
            words = {word for tree in (node, *around) for word in _words(tree)}
            inside = scope is None or scope.lineno <= node.lineno <= (scope.end_lineno or 0)
            best = max(best, (sum(part in words for part in parts), inside, node.lineno))
    return best[2]


def _words(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant):
            yield str(node.value)


def _freezes(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        off = isinstance(node.value, ast.Constant) and node.value.value is False
        return off and isinstance(target, ast.Attribute) and target.attr == "requires_grad"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_":
        given = [*node.args, *(k.value for k in node.keywords)]
        return any(isinstance(a, ast.Constant) and a.value is False for a in given)
    if isinstance(node, ast.Call):
        return any(k.arg in ("requires_grad", "freeze") and isinstance(k.value, ast.Constant)
                   and k.value.value is (k.arg == "freeze") for k in node.keywords) or (
            isinstance(node.func, ast.Attribute) and node.func.attr in ("register_buffer", "Buffer"))  # fmt: skip
    return False


def attribute_assignment(file: str, parts: list[str], after: int = 0) -> int:
    """The last line after a line that assigns to an attribute path such as ``model.fc`` from outside of its class."""
    found = 0
    for node in _nodes(file, ast.Assign):
        for target in node.targets:
            path = _path(target)
            if path and len(path) > 1 and path[0] != "self" and path == parts[: len(path)] and node.lineno > after:
                found = max(found, node.lineno)
    return found


def _path(node: ast.AST) -> list[str]:
    names: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
        elif isinstance(node.slice, ast.Constant):
            names.append(str(node.slice.value))
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def early_return_line(file: str, attribute: str) -> int:
    """The return before the first use of ``self.attribute`` in its function, which leaves the use out; 0 without one."""
    for function in _nodes(file, *_FUNCTIONS):
        if function.name == "__init__":
            continue
        uses = [n.lineno for n in ast.walk(function) if isinstance(n, ast.Attribute) and n.attr == attribute]
        returns = [n.lineno for n in ast.walk(function) if isinstance(n, ast.Return)]
        earlier = [line for line in returns if uses and line < min(uses)]
        if earlier:
            return max(earlier)
    return 0


def returns_none_line(code: Any) -> int:
    """The last ``return`` with a None in a function, else its last return, else its first line."""
    inside = [n for n in _nodes(code.co_filename, ast.Return) if _is_inside(n, code)]
    nones = [
        n.lineno
        for n in inside
        if n.value is None or any(isinstance(v, ast.Constant) and v.value is None for v in ast.walk(n.value))
    ]
    return int(max(nones or [n.lineno for n in inside] or [code.co_firstlineno]))


def _is_inside(node: ast.AST, code: Any) -> bool:
    for function in _nodes(code.co_filename, *_FUNCTIONS):
        start = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        if function.name == code.co_name and start == code.co_firstlineno:
            return bool(function.lineno <= node.lineno <= (function.end_lineno or 0))  # type: ignore[attr-defined]
    return False


def guarded_lines(file: str, words: tuple[str, ...]) -> list[int]:
    """The lines of all decorators and ``with`` statements of a file that mention one of the words."""
    found = [d.lineno for f in _nodes(file, *_FUNCTIONS) for d in f.decorator_list if _mentions(d, words)]
    found += [
        n.lineno
        for n in _nodes(file, ast.With, ast.AsyncWith)
        if any(_mentions(i.context_expr, words) for i in n.items)
    ]
    return sorted(set(found))


def _walk(tree: Any) -> Iterator[Any]:
    if tree is not None:
        yield from ast.walk(tree)


def first_binding(file: str, line: int, name: str) -> int:
    """The first line that binds a name; 0 without one."""
    found = binding_lines(file, line, name)
    return found[0][1] if found else 0


def bound_path(file: str, line: int, name: str) -> list[str]:
    """The attribute path that a name was bound to, such as model, fc, weight for ``w = model.fc.weight``."""
    scope = _function_around(file, line) or tree_of(file)
    for node in ast.walk(scope) if scope is not None else ():
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            path = _path(node.value)
            if path:
                return path
    return []


def definition_line(file: str, attribute: str) -> int:
    """The line that makes ``self.attribute``; 0 without one."""
    for node in _nodes(file, ast.Assign):
        if any(isinstance(t, ast.Attribute) and t.attr == attribute for t in node.targets):
            return int(node.lineno)
    return 0
