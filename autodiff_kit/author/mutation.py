"""Mutants of a worked answer: copies with one small fault each.

A mutant changes one operator, constant, bound, axis, branch or sign; where these are few, also one variable, statement
or order. :mod:`.mutation_testing` tries them on a check.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Mutant", "make_mutants"]

ENOUGH = 30
"""Of a source with fewer mutants the further faults are made as well: another variable, for example."""
OTHER_VARIABLES = 3  # as many are put in place of each variable
TINY = 1e-9  # a smaller constant is a tolerance
EXCHANGED: dict[type[ast.AST], tuple[type[Any], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,), ast.FloorDiv: (ast.Div,), ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.And: (ast.Or,), ast.Or: (ast.And,),
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
RENAMED = {
    "sin": "cos", "cos": "sin", "exp": "expm1", "log": "log1p", "floor": "ceil", "abs": "sign", "append": "extend",
    "max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum", "argmax": "argmin", "argmin": "argmax",
    "sum": "mean", "mean": "sum", "any": "all", "all": "any", "cumsum": "cumprod", "reversed": "list", "sorted": "list",
    "zeros": "ones", "ones": "zeros", "zeros_like": "ones_like", "ones_like": "zeros_like",
    "vjp": "jvp", "jvp": "vjp", "stack": "concatenate", "concatenate": "stack", "isinf": "isnan", "isfinite": "isnan",
    "sqrt": "square", "square": "sqrt", "dot": "multiply", "outer": "inner", "solve": "matmul", "inv": "transpose",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A worked answer with one fault: its source, the line of the fault, and what was put in place of what."""

    source: str
    line: int
    change: str


def make_mutants(source: str) -> list[Mutant]:
    """All mutants of a source, in the order of its lines; each text once.

    Parameters
    ----------
    source : str
        Python source. Docstrings and imports are left alone.

    Returns
    -------
    list of Mutant
        Those that compile.
    """
    tree = ast.parse(source)
    found: dict[str, Mutant] = {ast.unparse(tree): Mutant(source, 0, "")}
    for faults in (FAULTS, FURTHER_FAULTS):
        if len(found) - 1 < ENOUGH:
            for text, line, change in _changed_texts(tree, faults):
                if text not in found and _compiles(text):
                    found[text] = Mutant(text, line, change)
    return sorted(list(found.values())[1:], key=lambda mutant: mutant.line)


def _changed_texts(tree: ast.Module, faults: Faults) -> Iterator[tuple[str, int, str]]:
    """The source with one fault each, with its line and what was changed."""
    _note_variables(tree)
    for holder, field, node in list(_places(tree)):
        before = ast.unparse(node)
        for new in _replacements(node, faults):
            _put(holder, field, node, new)
            text = ast.unparse(ast.fix_missing_locations(tree))
            _put(holder, field, new, node)
            line = getattr(node, "lineno", getattr(holder, "lineno", 0))
            yield text, line, f"`{_first_line(before)}` -> `{_first_line(ast.unparse(new))}`"


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """Every node that may be replaced, with the node and the field that hold it."""
    for holder in ast.walk(tree):
        for field, value in ast.iter_fields(holder):
            nodes = value if isinstance(value, list) else [value]
            yield from (
                (holder, field, node) for node in nodes if isinstance(node, ast.AST) and not _is_left_alone(node)
            )


def _is_left_alone(node: ast.AST) -> bool:
    """Whether a node is a docstring, an import, or an operator, which is replaced together with what it joins."""
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    kinds = (ast.Import, ast.ImportFrom, ast.alias, ast.expr_context, *EXCHANGED)
    return docstring or isinstance(node, kinds)


def _put(holder: ast.AST, field: str, old: ast.AST, new: ast.AST) -> None:
    value = getattr(holder, field)
    if isinstance(value, list):
        value[next(k for k, node in enumerate(value) if node is old)] = new
    else:
        setattr(holder, field, new)


def _compiles(text: str) -> bool:
    try:
        compile(text, "<mutant>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]


def _note_variables(tree: ast.Module) -> None:
    """Give every name that is read the other variables of the functions around it."""
    for function in ast.walk(tree):  # outer functions first
        if isinstance(function, ast.FunctionDef | ast.Lambda):
            arguments = [one.arg for one in function.args.args]
            inside = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
            stored = [one.id for one in inside if isinstance(one.ctx, ast.Store)]
            for name in inside:
                known = [*dict.fromkeys([*getattr(name, "variables", ()), *arguments, *stored])]
                vars(name)["variables"] = known


def _replacements(node: Any, faults: Faults) -> Iterator[ast.AST]:
    """What may stand in place of a node: one small fault each."""
    for kind, of_kind in faults.items():
        if isinstance(node, kind):
            yield from of_kind(node)


def _of_matrix_product(node: ast.BinOp) -> Iterator[ast.AST]:
    """One of the matrices transposed."""
    if isinstance(node.op, ast.MatMult):
        yield ast.BinOp(ast.Attribute(node.left, "T", ast.Load()), node.op, node.right)
        yield ast.BinOp(node.left, node.op, ast.Attribute(node.right, "T", ast.Load()))


def _of_reduction(node: ast.Call) -> Iterator[ast.AST]:
    """An axis where there was none, or the axis kept."""
    if getattr(node.func, "attr", "") not in REDUCTIONS:
        return
    named = {keyword.arg for keyword in node.keywords}
    if "axis" not in named and len(node.args) < 2:
        yield ast.Call(node.func, node.args, [*node.keywords, ast.keyword("axis", ast.Constant(0))])
    elif "keepdims" not in named:
        yield ast.Call(node.func, node.args, [*node.keywords, ast.keyword("keepdims", ast.Constant(value=True))])


def _of_range(node: ast.Call) -> Iterator[ast.AST]:
    """A range that begins or ends one too early or too late."""
    if getattr(node.func, "id", "") == "range" and node.args:
        *first, last = node.args[:2]
        for op in (ast.Add(), ast.Sub()):
            yield ast.Call(node.func, [*first, ast.BinOp(last, op, ast.Constant(1)), *node.args[2:]], [])
        if not first:
            yield ast.Call(node.func, [ast.Constant(1), last], [])


def _of_loop(node: ast.For) -> Iterator[ast.AST]:
    """A loop without its first or last turn, backward, or none."""
    every = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
    one, backward = ast.Constant(1), ast.UnaryOp(ast.USub(), ast.Constant(1))
    for part in (ast.Slice(one), ast.Slice(upper=backward), ast.Slice(step=backward)):
        turns = ast.Subscript(every, part, ast.Load())
        yield ast.For(node.target, turns, node.body, node.orelse, lineno=node.lineno)
    yield ast.Pass()


def _of_result(node: ast.Return) -> Iterator[ast.AST]:
    """The result with the other sign, or nothing."""
    if node.value is not None:
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for k, part in enumerate(parts):
            if not isinstance(part, ast.Lambda | ast.Constant | ast.UnaryOp):
                turned = [*parts[:k], ast.UnaryOp(ast.USub(), part), *parts[k + 1 :]]
                yield ast.Return(ast.Tuple(turned, ast.Load()) if len(parts) > 1 else turned[0])
        yield ast.Return(ast.Constant(None))


def _of_function(node: ast.Lambda) -> Iterator[ast.AST]:
    """A function without a name that gives the other sign, or its first argument back."""
    yield ast.Lambda(node.args, ast.UnaryOp(ast.USub(), node.body))
    if node.args.args:
        yield ast.Lambda(node.args, ast.Name(node.args.args[0].arg, ast.Load()))


def _of_order(node: ast.Tuple) -> Iterator[ast.AST]:
    """Two neighbours exchanged: results, indices or lengths."""
    for k in range(len(node.elts) - 1):
        swapped = [*node.elts[:k], node.elts[k + 1], node.elts[k], *node.elts[k + 2 :]]
        yield ast.Tuple(swapped, node.ctx)


def _of_variable(node: ast.Name) -> Iterator[ast.AST]:
    """Another variable of the function, or this one with the other sign or one more."""
    variables: list[str] = getattr(node, "variables", [])
    if isinstance(node.ctx, ast.Load) and node.id in variables:
        place = variables.index(node.id)
        following = [*variables[place + 1 :], *variables[:place]]
        yield from (ast.Name(other, node.ctx) for other in following[:OTHER_VARIABLES])
        yield ast.UnaryOp(ast.USub(), node)
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))


def _of_subscripts(node: ast.Constant) -> Iterator[ast.AST]:
    """The subscripts of an einsum with the result's turned round, or with one letter less."""
    if isinstance(node.value, str) and "->" in node.value:
        given, _, result = node.value.partition("->")
        yield ast.Constant(f"{given}->{result[::-1]}")
        yield from (ast.Constant(f"{given}->{result[:k]}{result[k + 1 :]}") for k in range(len(result)))


def _of_arithmetic(node: ast.BinOp) -> Iterator[ast.AST]:
    """Another operator, one side alone, or the sides exchanged."""
    yield from (ast.BinOp(node.left, op(), node.right) for op in EXCHANGED.get(type(node.op), ()))
    yield from (node.left, node.right)
    if isinstance(node.op, ast.Sub | ast.Div | ast.Pow | ast.MatMult):
        yield ast.BinOp(node.right, node.op, node.left)


def _of_logic(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield from (ast.BoolOp(op(), node.values) for op in EXCHANGED[type(node.op)])
    yield from node.values


def _of_comparison(node: ast.Compare) -> Iterator[ast.AST]:
    """Another relation, a shorter chain, or a text that nothing equals."""
    left, ops, others = node.left, node.ops, node.comparators
    for k, (old, other) in enumerate(zip(ops, others, strict=True)):
        yield from (ast.Compare(left, [*ops[:k], op(), *ops[k + 1 :]], others) for op in EXCHANGED[type(old)])
        if k:
            yield ast.Compare(left, ops[:k], others[:k])
        if isinstance(other, ast.Constant) and isinstance(other.value, str):
            yield ast.Compare(left, ops, [*others[:k], ast.Constant("no such text"), *others[k + 1 :]])


def _of_constant(node: ast.Constant) -> Iterator[ast.AST]:
    value: Any = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (ast.Constant(value + 1), ast.Constant(value - 1))
    elif isinstance(value, float):
        yield ast.Constant(2 * value or 1.0)
        if abs(value) > TINY:  # a tolerance of the other sign is no slip that anybody makes
            yield ast.Constant(-value)


def _of_call(node: ast.Call) -> Iterator[ast.AST]:
    """One argument less, the first two exchanged, or the first argument itself."""
    given, named = node.args, node.keywords
    yield from (ast.Call(node.func, given, named[:k] + named[k + 1 :]) for k in range(len(named)))
    yield from given[:1]
    if len(given) > 1:
        yield ast.Call(node.func, given[:-1], named)
        yield ast.Call(node.func, [given[1], given[0], *given[2:]], named)


def _of_slice(node: ast.Slice) -> Iterator[ast.AST]:
    parts = (node.lower, node.upper, node.step)
    yield from (ast.Slice(*(None if k == j else part for j, part in enumerate(parts))) for k in range(3) if parts[k])


def _of_branch(node: ast.If) -> Iterator[ast.AST]:
    tests = (ast.UnaryOp(ast.Not(), node.test), ast.Constant(value=True), ast.Constant(value=False))
    yield from (ast.If(test, node.body, node.orelse) for test in tests)


def _of_update(node: ast.AugAssign) -> Iterator[ast.AST]:
    yield from (ast.AugAssign(node.target, op(), node.value) for op in EXCHANGED.get(type(node.op), ()))
    yield from (ast.Pass(), ast.Assign([node.target], node.value, lineno=node.lineno))


Faults: TypeAlias = dict[type[ast.AST], Callable[[Any], Iterable[ast.AST]]]

REDUCTIONS = frozenset(("sum", "mean", "max", "min", "any", "all", "argmax", "argmin", "cumsum", "prod"))

FAULTS: Faults = {
    ast.BinOp: _of_arithmetic,
    ast.BoolOp: _of_logic,
    ast.Compare: _of_comparison,
    ast.UnaryOp: lambda node: [node.operand],
    ast.IfExp: lambda node: [node.body, node.orelse, ast.IfExp(node.test, node.orelse, node.body)],
    ast.Constant: _of_constant,
    ast.Name: lambda node: [ast.Name(RENAMED[node.id], node.ctx)] if node.id in RENAMED else [],
    ast.Attribute: lambda node: (
        [ast.Attribute(node.value, RENAMED[node.attr], node.ctx)] if node.attr in RENAMED else []
    ),
    ast.Call: _of_call,
    ast.Subscript: lambda node: [node.value] if isinstance(node.ctx, ast.Load) else [],
    ast.Slice: _of_slice,
    ast.Set: lambda node: [ast.Set(node.elts[:k] + node.elts[k + 1 :]) for k in range(len(node.elts))],
    ast.comprehension: lambda node: [ast.comprehension(node.target, node.iter, [], 0)] if node.ifs else [],
    ast.AugAssign: _of_update,
    ast.Expr: lambda _: [ast.Pass()],
    ast.Assign: lambda node: [ast.Pass()] if isinstance(node.targets[0], ast.Subscript | ast.Attribute) else [],
    ast.If: _of_branch,
    ast.Continue: lambda _: [ast.Break()],
    ast.Break: lambda _: [ast.Pass()],
}
"""The kinds of faults, by the kind of node that they replace."""

FURTHER_FAULTS: Faults = {
    ast.BinOp: _of_matrix_product,
    ast.Call: lambda node: [*_of_reduction(node), *_of_range(node)],
    ast.Constant: _of_subscripts,
    ast.Return: _of_result,
    ast.Lambda: _of_function,
    ast.Tuple: _of_order,
    ast.Name: _of_variable,
    ast.For: _of_loop,
    ast.Attribute: lambda node: [node.value] if node.attr == "T" else [],
    ast.Raise: lambda _: [ast.Pass()],
}
"""The kinds that are made where those are few."""
