"""What the text of the user's code does with the result of one instruction: is it only shown, compared or counted?

The instruction is looked up in the syntax tree of its file by its position, and the expressions around it are followed
outwards; a result that gets a name is followed to every place that reads the name.
"""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from typing import Any, NamedTuple

from autodiff_kit.core.source_location import location_of

__all__ = ["expression_at", "is_only_looked_at", "name_of_call"]

_SHOWING = frozenset(["ascii", "display", "format", "pprint", "print", "repr", "str", "write"])
_COMPARING = frozenset(["allclose", "array_equal", "isclose", "isfinite", "isinf", "isnan"])
_CHOOSING = frozenset(["argmax", "argmin", "argsort", "bool", "isinstance", "len", "range", "type"])
_LOGGING = frozenset(["critical", "debug", "error", "exception", "info", "log", "warning"])
_DESCRIBING = frozenset(["dtype", "ndim", "shape", "size"])
_PASSING_ON = (
    ast.Attribute, ast.BinOp, ast.BoolOp, ast.Call, ast.Dict, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.List,
    ast.ListComp, ast.Set, ast.SetComp, ast.Starred, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.keyword,
)  # fmt: skip
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class _Text(NamedTuple):
    """The syntax tree of a file, as what is asked of it: expressions by position, and what each node is a part of."""

    expressions: dict[tuple[Any, ...], ast.expr]
    parents: dict[ast.AST, ast.AST]


def is_only_looked_at(code: Any, lasti: int) -> bool:
    """Whether the result of an instruction is only shown, compared or used as a position. False if nobody can tell."""
    return _only_looked_at(code.co_filename, code, lasti)  # equal code of two files is not the same code


@lru_cache(maxsize=1024)
def _only_looked_at(filename: str, code: Any, lasti: int) -> bool:
    text, node = _parsed(filename), expression_at(code, lasti)
    if text is None or not text.expressions:
        return _line_only_looks(code, lasti)
    return node is not None and (_is_look(node) or _ends_in_a_look(node, text.parents, frozenset()))


def _line_only_looks(code: Any, lasti: int) -> bool:
    """:func:`is_only_looked_at` where there is no text, as of a program that is piped into Python."""
    import dis  # takes milliseconds, and is hardly ever needed

    line = location_of(code, lasti).line
    own = [i for i in dis.get_instructions(code) if location_of(code, i.offset).line == line]
    names = {str(i.argval) for i in own if i.opcode in dis.hasname}
    kept = any(i.opname.startswith(("STORE_", "RETURN_", "YIELD_")) for i in own)
    shown = not names.isdisjoint(_SHOWING) or any(name.startswith("assert") for name in names)
    decides = any(i.opname.startswith("POP_JUMP") for i in own)
    return not kept and (shown or decides)


def expression_at(code: Any, lasti: int) -> ast.expr | None:
    """The expression of the user's code that an instruction belongs to, or None if the text cannot be found."""
    text = _parsed(code.co_filename)
    position = next(iter(list(code.co_positions())[lasti // 2 : lasti // 2 + 1]), None)
    return None if text is None or position is None else text.expressions.get(position)


def name_of_call(node: ast.AST | None) -> str:
    """The last name of what an expression calls or indexes: ``sum`` of ``np.sum(x)``, ``r_`` of ``np.r_[x]``."""
    return _last_name(getattr(node, "func", node.value if isinstance(node, ast.Subscript) else None))


def _last_name(node: ast.AST | None) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _parsed(filename: str) -> _Text | None:
    return _parsed_text("".join(linecache.getlines(filename)))


@lru_cache(maxsize=64)
def _parsed_text(text: str) -> _Text | None:
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:  # a cell with a magic command
        return None
    expressions = {
        (n.lineno, n.end_lineno, n.col_offset, n.end_col_offset): n for n in nodes if isinstance(n, ast.expr)
    }
    return _Text(expressions, {inner: n for n in nodes for inner in ast.iter_child_nodes(n)})


def _ends_in_a_look(node: ast.AST, parents: dict[ast.AST, ast.AST], known: frozenset[str]) -> bool:
    """Follow the value of an expression outwards; ``known`` are names that are being followed already."""
    while (outer := parents.get(node)) is not None:
        if _looks(outer, node):
            return True
        holders = _holders(outer, node)
        if holders is not None and not all(_is_only_looked_at(held, parents, known) for held in holders):
            return False
        if isinstance(outer, ast.stmt) or not isinstance(outer, (*_PASSING_ON, ast.NamedExpr)):
            return holders is not None
        node = outer
    return False


def _holders(outer: ast.AST, node: ast.AST) -> list[ast.AST] | None:
    """Names, attributes and containers that a statement puts a value into; None if it is no such statement."""
    match outer:
        case ast.Assign(targets=targets):
            found: list[Any] = list(targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target) | ast.NamedExpr(target=target):
            found = [target]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=container, attr="append" | "add"))):
            found = [container]
        case _:
            return None
    while any(isinstance(x, (ast.Tuple, ast.List)) for x in found):
        found = [y for x in found for y in (x.elts if isinstance(x, (ast.Tuple, ast.List)) else [x])]
    return [x.value if isinstance(x, ast.Subscript) else x for x in found]


def _is_only_looked_at(held: Any, parents: dict[ast.AST, ast.AST], known: frozenset[str]) -> bool:
    """Whether every expression that reads a name, or an attribute of that name, only looks at it."""
    if not isinstance(held, (ast.Name, ast.Attribute)):
        return False
    name = _last_name(held)
    if name in known:
        return True
    inside = _scope(held, parents) if isinstance(held, ast.Name) else list(parents)
    reads = [n for n in inside if type(n) is type(held) and _last_name(n) == name and isinstance(n.ctx, ast.Load)]
    return all(_ends_in_a_look(n, parents, known | {name}) for n in reads)


def _scope(name: ast.Name, parents: dict[ast.AST, ast.AST]) -> list[ast.AST]:
    """All nodes of the function in which a name stands; of the whole text where the name is one of the module's."""
    scope: ast.AST | None = name
    while scope is not None and not isinstance(scope, _SCOPES):
        scope = parents.get(scope)
    inside = list(parents) if scope is None else list(ast.walk(scope))
    shared = any(isinstance(n, (ast.Global, ast.Nonlocal)) and name.id in n.names for n in inside)
    return list(parents) if shared else inside


def _looks(outer: ast.AST, node: ast.AST) -> bool:
    """Whether an expression or statement only shows, compares or counts by a part of it."""
    match outer:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test is node
        case ast.Subscript(slice=index):
            return index is node
        case ast.Attribute(attr=name):
            return name in _DESCRIBING
        case ast.Call(func=function):
            return function is not node and _is_look(outer)
    return _is_look(outer)


def _is_look(node: ast.AST) -> bool:
    """Whether nothing but a text, a truth or a position comes of an expression."""
    match node:
        case ast.Compare() | ast.Assert() | ast.FormattedValue() | ast.JoinedStr() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return True
        case ast.Call(func=function):
            name, owner = name_of_call(node), getattr(function, "value", None)
            logs = "log" in (name_of_call(owner) or _last_name(owner)).lower() and name in _LOGGING
            return logs or name.startswith("assert") or name in _SHOWING | _COMPARING | _CHOOSING
    return False
