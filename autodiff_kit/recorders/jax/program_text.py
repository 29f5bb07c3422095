"""What only the text of a program of JAX tells: dropped results, captured constants, returns, where a leaf was made."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.recorders.source_search import binding_lines, statement_lines, tree_of
from autodiff_kit.recorders.user_lines import is_users_file

__all__ = [
    "captured_place",
    "has_aux_in_text",
    "is_dropped_at",
    "place_of_argument",
    "return_place",
    "returned_early",
    "rule_place",
    "users_function",
]

_MAX_DEPTH = 4
_UPDATES = ("set", "add", "multiply", "mul", "divide", "power", "min", "max", "apply")


def users_function(function: Any) -> Any:
    """The function that the user wrote, below partial, jit, bound methods and other wrappers; None without one."""
    for _ in range(10):
        if inspect.isfunction(function) and not hasattr(function, "__wrapped__"):
            return function
        inner = (
            getattr(function, "__wrapped__", None)
            or getattr(function, "func", None)
            or getattr(function, "__func__", None)
        )
        if inner is None:
            call = inspect.getattr_static(type(function), "__call__", None)
            return call if inspect.isfunction(call) else None
        function = inner
    return None


def _node_of(code: Any) -> Any:
    """The tree of a function or of a lambda."""
    tree = tree_of(code.co_filename)
    if tree is None:
        return None
    node: Any
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
            return node
        named = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name
        if named and min([node.lineno, *(d.lineno for d in node.decorator_list)]) == code.co_firstlineno:
            return node
    return None


def _own_nodes(node: Any) -> Iterator[Any]:
    """The nodes of a function without those of the functions in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from _own_nodes(child)


def return_place(function: Any, with_none: bool = False) -> SourceLocation:
    """The line of a function's last ``return``, or the last that gives a None."""
    code = function.__code__
    node = _node_of(code)
    returns = [n for n in _own_nodes(node) if isinstance(n, ast.Return)] if node is not None else []
    nones = [n for n in returns if n.value is not None and any(_is_nothing(v) for v in ast.walk(n.value))]
    lines = [n.lineno for n in (nones if with_none and nones else returns)]
    return SourceLocation(code.co_filename, max(lines, default=code.co_firstlineno), code.co_name)


def _is_nothing(node: ast.AST) -> bool:
    """Whether an expression is None or zeros."""
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Attribute) and node.attr in ("zeros_like", "zeros", "stop_gradient")


def returned_early(function: Any, words: tuple[str, ...]) -> SourceLocation | None:
    """The ``return`` before the first use of an argument's words in its function, which leaves the use out."""
    code = function.__code__
    node = _node_of(code)
    if node is None or isinstance(node, ast.Lambda) or not words:
        return None
    uses = [getattr(n, "lineno", 0) for one in node.body for n in ast.walk(one) if _word(n) == words[-1]]
    returns = [n.lineno for n in _own_nodes(node) if isinstance(n, ast.Return)]
    earlier = [line for line in returns if uses and line < min(uses)]
    return SourceLocation(code.co_filename, max(earlier), code.co_name) if earlier else None


def _word(node: ast.AST) -> Any:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.value if isinstance(node, ast.Constant) else None


def is_dropped_at(place: SourceLocation) -> bool:
    """Whether a line is a statement that only computes an ``x.at[...].set(...)`` and drops it."""
    return any(first <= place.line <= last for first, last in _dropped_lines(place.cell))


def _dropped_lines(file: str) -> Iterator[tuple[int, int]]:
    tree = tree_of(file)
    if tree is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_update(node.value):
            yield node.lineno, node.end_lineno or node.lineno


def _is_update(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _UPDATES):
        return False
    entry = node.func.value
    return isinstance(entry, ast.Subscript) and isinstance(entry.value, ast.Attribute) and entry.value.attr == "at"


# --------------------------------------------------------------------------------------------- what a function captures
def captured_place(function: Any, leaf: Any, words: tuple[str, ...]) -> tuple[SourceLocation, str] | None:
    """The line at which a function, or one that it calls, reads a captured array in an argument's place, and its name.

    Captured is the argument's own array, one with equal entries, or one of equal shape under the argument's name.
    """
    best: tuple[int, SourceLocation, str] | None = None
    for user in _called(function, 0, set()):
        for name, value in _captured(user).items():
            sure = _likeness(value, leaf, name, words)
            place = _place_of_name(user, name, words) if sure and (best is None or sure > best[0]) else None
            if place is not None:
                best = (sure, place, name)
    return best and best[1:]


def _likeness(value: Any, leaf: Any, name: str, words: tuple[str, ...]) -> int:
    try:
        found = jax.tree_util.tree_flatten_with_path(value)[0]
    except (TypeError, ValueError):
        return 0
    best = 0
    for keys, one in found:
        if one is leaf:
            return 3
        if not isinstance(one, (jax.Array, np.ndarray, np.generic, float)) or np.shape(one) != np.shape(leaf):
            continue
        names = {name.lower(), *(str(getattr(k, "key", getattr(k, "name", ""))).lower() for k in keys)}
        alike = any(str(w).lower() in n.split("_") or n.startswith(str(w).lower()) for w in words for n in names if n)
        if alike:
            best = max(best, 2)
        elif np.ndim(leaf) and not isinstance(one, float) and np.size(leaf) > 1 and np.array_equal(one, leaf):
            best = max(best, 1)
    return best


def _captured(function: Any) -> dict[str, Any]:
    code = function.__code__
    found = {}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    names = set(code.co_names)
    for inner in code.co_consts:
        names.update(inner.co_names if inspect.iscode(inner) else ())
    found.update({name: function.__globals__[name] for name in names if name in function.__globals__})
    return found


def _called(function: Any, depth: int, seen: set[int]) -> Iterator[Any]:
    """A user's function and those that it captures."""
    user = users_function(function) if callable(function) else None
    if user is None or id(user) in seen or depth > _MAX_DEPTH or not is_users_file(user.__code__.co_filename):
        return
    seen.add(id(user))
    yield user
    for value in _captured(user).values():
        if callable(value) and not isinstance(value, type):
            yield from _called(value, depth + 1, seen)


def _place_of_name(function: Any, name: str, words: tuple[str, ...]) -> SourceLocation | None:
    code, node = function.__code__, _node_of(function.__code__)
    if node is None:
        return SourceLocation(code.co_filename, code.co_firstlineno, code.co_name)
    reads = [
        n.lineno for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    texts = [line for line in reads if any(repr(w)[1:-1] in linecache.getline(code.co_filename, line) for w in words)]
    lines = texts or reads
    return SourceLocation(code.co_filename, min(lines), code.co_name) if lines else None


# --------------------------------------------------------------------------------------------- where arguments are made
def place_of_argument(frame: Any, call: SourceLocation, value: Any, path: tuple[Any, ...]) -> SourceLocation:
    """The line that made an argument's leaf: of its key in a dict, of its name, or else the line of the call."""
    scope = {**frame.f_globals, **frame.f_locals}
    keys = [entry for entry in path[1:] if isinstance(entry, str)]
    if keys:
        line = _line_of_key(call, keys[-1])
        if line:
            return SourceLocation(call.cell, line, call.code)
    for name, one in scope.items():
        if one is value and value is not None and not isinstance(value, (int, bool)):
            lines = [found for found in binding_lines(call.cell, call.line, name) if found[1] <= call.line]
            if lines:
                return SourceLocation(lines[-1][0], lines[-1][1], call.code)
    return _plain_argument(frame, call, value, path) or call


def _plain_argument(frame: Any, call: SourceLocation, value: Any, path: tuple[Any, ...]) -> SourceLocation | None:
    """The line that bound the name in the argument's place, for a number: equal numbers are one object."""
    given = _arguments_of_call(call)
    name = given[path[0]] if given and isinstance(path[0], int) and path[0] < len(given) else None
    if not isinstance(name, ast.Name):
        return None
    lines = [found for found in binding_lines(call.cell, call.line, name.id) if found[1] <= call.line]
    return SourceLocation(lines[-1][0], lines[-1][1], call.code) if lines else None


def _arguments_of_call(call: SourceLocation) -> list[ast.expr]:
    tree = tree_of(call.cell)
    if tree is None:
        return []
    first, last = statement_lines(call.cell, call.line)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and first <= n.lineno <= last]
    named = [c for c in calls if getattr(c.func, "attr", getattr(c.func, "id", "")) in ("record_jax", "record")]
    return list((named or calls)[0].args[1:]) if calls else []


def _line_of_key(call: SourceLocation, key: str) -> int:
    """The last line before a call that gives a key or a field of this name a value."""
    tree = tree_of(call.cell)
    if tree is None:
        return 0
    around = [
        f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.lineno <= call.line <= (f.end_lineno or 0)
    ]
    last = statement_lines(call.cell, call.line)[1]
    for scope in [*sorted(around, key=lambda f: -f.lineno), tree]:
        lines = [line for line in _lines_of_key(scope, key) if line <= last]
        if lines:
            return max(lines)
    return 0


def _lines_of_key(scope: Any, key: str) -> Iterator[int]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Dict):
            yield from (k.lineno for k in node.keys if isinstance(k, ast.Constant) and k.value == key)
        elif isinstance(node, ast.Call):
            yield from (k.value.lineno for k in node.keywords if k.arg == key)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if (
                    isinstance(target, ast.Subscript)
                    and isinstance(target.slice, ast.Constant)
                    and target.slice.value == key
                ):
                    yield node.lineno


def has_aux_in_text(call: SourceLocation, name: str) -> bool:
    """Whether a call around, such as ``jax.grad(f, has_aux=True)``, says that a function gives more than its loss."""
    tree = tree_of(call.cell)
    if tree is None:
        return False
    around = [
        f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.lineno <= call.line <= (f.end_lineno or 0)
    ]
    scope = max(around, key=lambda f: f.lineno, default=None)
    for node in ast.walk(scope) if scope is not None else _own_nodes(tree):
        if isinstance(node, ast.Call) and any(map(_says_aux, node.keywords)):
            first = node.args[0] if node.args else node
            if name in {n.id for n in ast.walk(first) if isinstance(n, ast.Name)}:
                return True
    return False


def _says_aux(keyword: ast.keyword) -> bool:
    return keyword.arg == "has_aux" and isinstance(keyword.value, ast.Constant) and bool(keyword.value.value)


# ------------------------------------------------------------------------------------------------------- rules of users
def rule_place(equation: Any) -> SourceLocation | None:
    """The line at which an equation's rule of the user's gives a None or zeros, or else returns; None without one."""
    params = equation.eqn.params
    rule = params.get("bwd") or params.get("jvp_jaxpr_fun") or params.get("jvp_jaxpr_thunk")
    found = _functions_in(rule, 0, set())
    user = next((f for f in found if is_users_file(f.__code__.co_filename)), None)
    return return_place(user, with_none=True) if user is not None else None


def _functions_in(thing: Any, depth: int, seen: set[int]) -> Iterator[Any]:
    """The functions that a wrapped rule holds, from the outside inwards."""
    if depth > 8 or id(thing) in seen:
        return
    seen.add(id(thing))
    if inspect.isfunction(thing):
        yield thing
        for cell in thing.__closure__ or ():
            try:
                yield from _functions_in(cell.cell_contents, depth + 1, seen)
            except ValueError:
                continue
    elif isinstance(thing, (list, tuple)):
        for one in thing:
            yield from _functions_in(one, depth + 1, seen)
    if isinstance(thing, (str, int, float, type, jax.Array, np.ndarray)):
        return
    for attribute in (
        "f",
        "f_transformed",
        "transforms",
        "func",
        "args",
        "__wrapped__",
        "__func__",
        "fun",
        "jvp",
        "call",
    ):
        inner = inspect.getattr_static(thing, attribute, None)
        if inner is not None and not isinstance(inner, property):
            try:
                inner = getattr(thing, attribute)
            except Exception:  # noqa: BLE001 - a slot that is empty
                continue
            yield from _functions_in(inner, depth + 1, seen)
