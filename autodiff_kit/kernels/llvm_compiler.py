"""Compile functions written in a subset of Python to LLVM code, without numba.

The subset is what generated kernels and the functions that they call need: numbers, one-dimensional arrays, arithmetic,
comparisons, conditional expressions, ``for`` over ``range``, ``if``, and calls, which are expanded where they stand.
What does not depend on run-time values is computed by Python. Numbers have NumPy's dtypes; floats of Python are
float64, and integers take the type of the other operand. A number that changes in a loop keeps its type; the name of an
array means the array that was last written above.
"""

from __future__ import annotations

import ast
import builtins
import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.kernels.llvm_writer import KINDS, Array, LLVMWriter, Value

__all__ = [
    "add_reassociable",
    "address_of",
    "array_at",
    "call_address",
    "llvm_module",
    "local_words",
    "parse_functions",
]


class _Builtin(NamedTuple):
    """A function that exists in compiled code only."""

    name: str


array_at: Any = _Builtin("array_at")
"""``array_at(address, dtype, length=None)``: the array at an address; one with a length overlaps no other."""

address_of: Any = _Builtin("address_of")
"""``address_of(array)``: the address of an array's first entry."""

call_address: Any = _Builtin("call_address")
"""``call_address(function, *words)``: call the function at an address with int64 values."""

local_words: Any = _Builtin("local_words")
"""``local_words(count)``: the address of so many int64 values that last as long as the call."""

add_reassociable: Any = _Builtin("add_reassociable")
"""``add_reassociable(a, b)``: the sum as a term of a sum that may be reordered; no other operation may be."""

_FUNCTIONS: dict[Any, str] = {
    np.sqrt: "llvm.sqrt", np.floor: "llvm.floor", np.ceil: "llvm.ceil", np.trunc: "llvm.trunc", np.rint: "llvm.rint",
    math.sin: "llvm.sin", math.cos: "llvm.cos", abs: "llvm.fabs", math.expm1: "expm1", math.atan2: "atan2",
}  # fmt: skip


class _Function:
    """A function as a syntax tree, with the global names that it sees."""

    def __init__(self, tree: ast.FunctionDef, namespace: dict[str, Any]) -> None:
        self.tree, self.namespace = tree, namespace
        self.parameters = [a.arg for a in tree.args.args]
        nodes = list(ast.walk(tree))
        stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)] + self.parameters
        branches = any(isinstance(n, (ast.For, ast.If)) for n in nodes)
        self.in_memory = {name for name in stored if branches and stored.count(name) > 1}  # assigned more than once


def parse_functions(source: str, namespace: dict[str, Any]) -> dict[str, Any]:
    """The functions of a source by name; they see the global names of ``namespace``."""
    body = ast.parse(source).body
    return {tree.name: _Function(tree, namespace) for tree in body if isinstance(tree, ast.FunctionDef)}


def llvm_module(functions: dict[str, Any], symbols: dict[str, str], python: bool, interleave_count: int) -> str:
    """The LLVM code of functions of int64 values that return nothing.

    Parameters
    ----------
    functions : dict
        By name, from :func:`parse_functions`: those to be compiled, and all that they call.
    symbols : dict
        The functions to be compiled: names and symbols.
    python : bool
        Whether Python calls them, with floats, by the convention ``METH_FASTCALL``; otherwise they are C functions.
    interleave_count : int
        How many vectors LLVM interleaves in each loop; 0 leaves it to LLVM.

    Raises
    ------
    NotImplementedError
        If a function is outside the subset.
    """
    module = _Compiler(functions, interleave_count)
    for name, symbol in symbols.items():
        module.define(symbol, functions[name].parameters, python, functools.partial(module.expand, functions[name]))
    return module.text()


class _Compiler(LLVMWriter):
    """Writes statements and expressions of Python as LLVM code."""

    def __init__(self, functions: dict[str, Any], interleave_count: int) -> None:
        super().__init__(interleave_count)
        self.functions = functions
        self.function: Any = None
        self.names: dict[str, Any] = {}  # values of local names
        self.places: dict[str, Value] = {}  # types and addresses of those in memory

    def expand(self, function: _Function, given: list[Any]) -> Any:
        """Write a function's body here; its return value."""
        outside = self.function, self.names, self.places, self.flags
        self.function, self.names, self.places = function, dict(zip(function.parameters, given, strict=True)), {}
        self.flags = function.namespace.get("FASTMATH_FLAGS", "")
        self.vector_bits = max(self.vector_bits, function.namespace.get("VECTOR_BITS", 0))
        returned = self._statements(function.tree.body)
        self.function, self.names, self.places, self.flags = outside
        return returned

    # ------------------------------------------------------------------------------------------------------- statements
    def _statements(self, body: list[Any]) -> Any:
        """Write statements; the value of the return statement among them."""
        for statement in body:
            match statement:
                case ast.For() | ast.If() if any(isinstance(part, ast.Return) for part in ast.walk(statement)):
                    raise NotImplementedError(ast.unparse(statement))
                case ast.Return(value=value):
                    return value and self._expression(value)
                case ast.Assign(targets=[target], value=value):
                    self._assign(target, self._expression(value))
                case ast.AugAssign(target=target, op=op, value=value):
                    self._assign(target, self.binary(type(op), self._expression(target), self._expression(value)))
                case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=bounds)):
                    with self.loop(*map(self._expression, bounds)) as index:
                        self.names[name] = index
                        self._statements(statement.body)
                case ast.If(test=test, body=then, orelse=otherwise):
                    parts = (functools.partial(self._statements, part) for part in (then, otherwise))
                    self.branches(self._expression(test), *parts)
                case ast.Expr(value=value):
                    self._expression(value)
                case _:
                    raise NotImplementedError(ast.unparse(statement))
        return None

    def _assign(self, target: Any, value: Any) -> None:
        match target:
            case ast.Name(id=name) if name in self.function.in_memory and not isinstance(value, Array):
                if name not in self.places:
                    kind = value.kind if isinstance(value, Value) else KINDS[type(value)]
                    self.places[name] = Value(kind, self.variable(kind))
                kind, place = self.places[name]
                self.lines.append(f"store {kind} {self.convert(value, kind).text}, ptr {place}")
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=parts):
                for part, one in zip(parts, value, strict=True):
                    self._assign(part, one)
            case ast.Subscript(value=array, slice=ast.Slice(lower=None, upper=end, step=None)):
                with self.loop(self._expression(end)) as index:
                    self.store(self._expression(array), index, value)
            case ast.Subscript(value=array, slice=index):
                self.store(self._expression(array), self._expression(index), value)
            case _:
                raise NotImplementedError(ast.unparse(target))

    # ------------------------------------------------------------------------------------------------------ expressions
    def _expression(self, node: Any) -> Any:
        """Write an expression; its value."""
        write: Callable[[Any], Any] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if write is None:
            raise NotImplementedError(ast.unparse(node))
        try:
            return write(node)
        except (KeyError, ValueError, TypeError, AttributeError) as error:  # no table has it, or it has other parts
            raise NotImplementedError(f"{ast.unparse(node)}: {error}") from error

    def _constant(self, node: Any) -> Any:
        return node.value

    def _name(self, node: Any) -> Any:
        if node.id in self.places:
            kind, place = self.places[node.id]
            return self.emit(kind, f"load {kind}, ptr {place}")
        for known in (self.names, self.functions, self.function.namespace, vars(builtins)):
            if node.id in known:
                return known[node.id]
        raise NameError(node.id)

    def _attribute(self, node: Any) -> Any:
        base = self._expression(node.value)
        return (base.length,) if isinstance(base, Array) and node.attr == "shape" else getattr(base, node.attr)

    def _tuple(self, node: Any) -> Any:
        return tuple(map(self._expression, node.elts))

    def _binop(self, node: Any) -> Any:
        return self.binary(type(node.op), self._expression(node.left), self._expression(node.right))

    def _compare(self, node: Any) -> Any:
        (op,), (right,) = node.ops, node.comparators
        return self.binary(type(op), self._expression(node.left), self._expression(right))

    def _boolop(self, node: Any) -> Any:
        op = ast.BitAnd if isinstance(node.op, ast.And) else ast.BitOr
        operands = (self.convert(self._expression(v), "i1") for v in node.values)
        return functools.reduce(lambda a, b: self.binary(op, a, b), operands)

    def _unaryop(self, node: Any) -> Any:
        x = self._expression(node.operand)
        if not isinstance(node.op, ast.USub):
            raise NotImplementedError(ast.unparse(node))
        if not isinstance(x, Value):
            return -x
        return self.emit(x.kind, f"sub {x.kind} 0, {x.text}" if x.kind[0] == "i" else f"fneg {x.kind} {x.text}")

    def _subscript(self, node: Any) -> Any:
        base = self._expression(node.value)
        if not isinstance(base, Array):
            return base[self._expression(node.slice)]
        if isinstance(node.slice, ast.Slice):
            return self.part(base, 0 if node.slice.lower is None else self._expression(node.slice.lower))
        return self.load(base, self._expression(node.slice))

    def _ifexp(self, node: Any) -> Any:
        test = self._expression(node.test)
        if not isinstance(test, Value):
            return self._expression(node.body if test else node.orelse)
        parts = [functools.partial(self._expression, part) for part in (node.body, node.orelse)]
        costly = any(self._is_costly(n) for part in (node.body, node.orelse) for n in ast.walk(part))
        (a, last), (b, other_last) = self.branches(test, *parts) if costly else [(part(), "") for part in parts]
        if costly and isinstance(a, Value) and isinstance(b, Value) and a.kind != b.kind:  # too late to convert one
            raise NotImplementedError(ast.unparse(node))
        kind, (x, y) = ("ptr", [a, b]) if isinstance(a, Array) else self.common(a, b)
        if costly:
            chosen = self.emit(kind, f"phi {kind} [{x.text}, %{last}], [{y.text}, %{other_last}]")
        else:
            condition = self.convert(test, "i1").text
            chosen = self.emit(kind, f"select i1 {condition}, {kind} {x.text}, {kind} {y.text}")
        return Array(a.kind, chosen.text, None, a.origins | b.origins) if isinstance(a, Array) else chosen

    def _is_costly(self, node: Any) -> bool:
        """Whether only one branch should compute an expression: it calls a function."""
        return isinstance(node, ast.Call) and self.function.namespace.get(getattr(node.func, "id", "")) not in KINDS

    def _call(self, node: Any) -> Any:
        if node.keywords:
            raise NotImplementedError(ast.unparse(node))
        if isinstance(node.func, ast.Attribute) and node.func.attr == "view":
            x, kind = self._expression(node.func.value), KINDS[self._expression(node.args[0])]
            x = x if isinstance(x, Value) else self.convert(x, KINDS[type(x)])  # a constant
            return self.emit(kind, f"bitcast {x.kind} {x.text} to {kind}")
        function, given = self._expression(node.func), [self._expression(a) for a in node.args]
        if isinstance(function, _Function):
            return self.expand(function, given)
        if isinstance(function, _Builtin):
            return self._builtin(function.name, given)
        if not any(isinstance(x, (Value, Array)) for x in given):
            return function(*given)
        if function in KINDS:
            return self.convert(given[0], KINDS[function])
        kind, values = self.common(*given, floats=function in _FUNCTIONS)
        if function in (min, max):
            a, b = values
            wins = self.binary(ast.Gt if function is max else ast.Lt, b, a)
            return self.emit(kind, f"select i1 {wins.text}, {kind} {b.text}, {kind} {a.text}")
        return self.call(_FUNCTIONS[function], kind, values)

    def _builtin(self, name: str, given: list[Any]) -> Any:
        if name == "array_at":
            return self.array_at(*given)
        if name == "address_of":
            return self.emit("i64", f"ptrtoint ptr {given[0].text} to i64")
        if name == "local_words":
            return self.emit("i64", f"ptrtoint ptr {self.variable(f'[{given[0]} x i64]')} to i64")
        if name == "call_address":
            function = self.array_at(given[0], np.int64).text
            words = ", ".join(f"i64 {self.convert(word, 'i64').text}" for word in given[1:])
            self.lines.append(f"call void {function}({words})")
            return None
        outside, self.flags = self.flags, "reassoc contract nsz"
        found = self.binary(ast.Add, *given)
        self.flags = outside
        return found
