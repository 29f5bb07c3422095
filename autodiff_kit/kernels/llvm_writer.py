"""Write LLVM code: instructions on numbers and arrays, conversions, loops and branches."""

from __future__ import annotations

import ast
import operator
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

__all__ = ["KINDS", "Array", "LLVMWriter", "Value"]


class Value(NamedTuple):
    """A number at run time: its LLVM type, and its name or the address of the variable that holds it."""

    kind: str
    text: str


class Array(NamedTuple):
    """An array at run time: the type of its entries, its address and its length.

    It is a part of one of its ``origins``. Different origins do not overlap; an array without any may overlap all.
    """

    kind: str
    text: str
    length: Value | None = None
    origins: frozenset[int] = frozenset()


KINDS: dict[Any, str] = {
    np.float32: "float", np.float64: "double", np.int32: "i32", np.int64: "i64", np.bool_: "i1", np.uint8: "i8",
    float: "double", int: "i64", bool: "i1",
}  # fmt: skip
"""LLVM's types."""

_RANKS = ("i1", "i8", "i32", "i64", "float", "double")
_OPERATIONS: dict[type, tuple[Callable[[Any, Any], Any], str, str]] = {  # of constants, integers, floats
    ast.Add: (operator.add, "add", "fadd {}"),
    ast.Sub: (operator.sub, "sub", "fsub {}"),
    ast.Mult: (operator.mul, "mul", "fmul {}"),
    ast.Div: (operator.truediv, "", "fdiv {}"),
    ast.Pow: (operator.pow, "", "llvm.pow"),
    ast.LShift: (operator.lshift, "shl", ""),
    ast.RShift: (operator.rshift, "ashr", ""),
    ast.BitAnd: (operator.and_, "and", ""),
    ast.BitOr: (operator.or_, "or", ""),
    ast.BitXor: (operator.xor, "xor", ""),
    ast.Lt: (operator.lt, "icmp slt", "fcmp {} olt"),
    ast.LtE: (operator.le, "icmp sle", "fcmp {} ole"),
    ast.Gt: (operator.gt, "icmp sgt", "fcmp {} ogt"),
    ast.GtE: (operator.ge, "icmp sge", "fcmp {} oge"),
    ast.Eq: (operator.eq, "icmp eq", "fcmp {} oeq"),
    ast.NotEq: (operator.ne, "icmp ne", "fcmp {} une"),
}


class LLVMWriter:
    """Writes the instructions of a module.

    Attributes
    ----------
    flags : str
        LLVM's fast-math flags of the instructions that follow.
    vector_bits : int
        The width of vectors that the function in hand asks for, where the processor has it; 0 leaves it to LLVM.
    """

    def __init__(self, interleave_count: int) -> None:
        self.interleave_count, self.flags, self.vector_bits = interleave_count, "", 0
        self._definitions: list[str] = []
        self._declarations: dict[str, None] = {}
        self._metadata = ["!0 = distinct !{!0}"]
        self._origins: list[int] = []
        self._origin_lists: dict[frozenset[int], tuple[int, int]] = {}  # numbers of their list and of all others'
        self._count = 0
        self.lines: list[str] = []
        self._variables: list[str] = []
        self._label = ""

    def define(self, symbol: str, names: list[str], python: bool, write: Callable[[list[Value]], Any]) -> None:
        """Add a function of int64 values; ``write`` writes its body."""
        self.lines, self._variables, self._label, self.vector_bits = [], [], "begin", 0
        parameters = [f"%{name}" for name in names]
        head, result = f"void @{symbol}({', '.join(f'i64 {name}' for name in parameters)})", "ret void"
        given = [Value("i64", name) for name in parameters]
        if python:
            head, given = f"ptr @{symbol}(ptr %self, ptr %objects, i64 %count)", []
            for k in range(len(names)):
                boxed = self.emit("ptr", f"load ptr, ptr {self._address(Array('ptr', '%objects'), k)}").text
                given.append(self.convert(self.emit("double", f"call double @PyFloat_AsDouble(ptr {boxed})"), "i64"))
            self._declarations["declare double @PyFloat_AsDouble(ptr)\ndeclare ptr @PyLong_FromLong(i64)"] = None
            result = "%zero = call ptr @PyLong_FromLong(i64 0)\nret ptr %zero"
        write(given)
        head += f' nounwind "prefer-vector-width"="{self.vector_bits}"' if self.vector_bits else " nounwind"
        parts = [f"define {head} {{", *self._variables, "br label %begin", "begin:", *self.lines, result, "}"]
        self._definitions.append("\n".join(parts))

    def text(self) -> str:
        """All of the code."""
        for origins, numbers in self._origin_lists.items():
            for number, inside in zip(numbers, (True, False), strict=True):
                listed = (f"!{k}" for k in self._origins if (k in origins) == inside)
                self._metadata.append(f"!{number} = !{{{', '.join(listed)}}}")
        return "\n".join([*self._declarations, *self._definitions, *self._metadata])

    # --------------------------------------------------------------------------------------------------------- numbers
    def _new_name(self, prefix: str = "v") -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def emit(self, kind: str, instruction: str) -> Value:
        """Add an instruction; its result."""
        name = f"%{self._new_name()}"
        self.lines.append(f"{name} = {instruction}")
        return Value(kind, name)

    def variable(self, kind: str) -> str:
        """The address of a new variable, which lasts as long as the call."""
        name = f"%{self._new_name()}"
        self._variables.append(f"{name} = alloca {kind}")
        return name

    def convert(self, given: Any, kind: str) -> Value:
        """A number in another type."""
        if not isinstance(given, Value):
            if kind not in ("float", "double"):
                return Value(kind, str(int(given)))
            rounded = float(np.float32(given)) if kind == "float" else float(given)
            return Value(kind, f"0x{struct.pack('>d', rounded).hex()}")
        old, text = given
        if old == kind:
            return given
        integers = old[0] == "i", kind[0] == "i"
        if kind == "i1":
            return self.emit("i1", f"icmp ne {old} {text}, 0" if integers[0] else f"fcmp une {old} {text}, 0.0")
        wider = _RANKS.index(kind) > _RANKS.index(old)
        unsigned = old in ("i1", "i8")
        if all(integers):
            how = "trunc" if not wider else "zext" if unsigned else "sext"
        elif any(integers):
            how = "fptosi" if integers[1] else "uitofp" if unsigned else "sitofp"
        else:
            how = "fpext" if wider else "fptrunc"
        return self.emit(kind, f"{how} {old} {text} to {kind}")

    def common(self, *given: Any, floats: bool = False) -> tuple[str, list[Value]]:
        """Numbers in their common type, which may have to be one of floats; integers of Python take that of others."""
        kinds = [v.kind if isinstance(v, Value) else KINDS[type(v)] for v in given]
        strong = [k for k, v in zip(kinds, given, strict=True) if type(v) is not int] or kinds
        kind = max(strong, key=_RANKS.index)
        if (kind == "float" and not {"i32", "i64"}.isdisjoint(strong)) or (floats and kind[0] == "i"):
            kind = "double"
        if kind == "i1" and "i64" in kinds:
            kind = "i64"
        return kind, [self.convert(v, kind) for v in given]

    def call(self, name: str, kind: str, values: list[Value]) -> Value:
        """The result of a function without effects, of the C library or of LLVM."""
        if name.startswith("llvm."):
            name += ".f32" if kind == "float" else ".f64"
        elif kind == "float":
            name += "f"
        self._declarations[f"declare {kind} @{name}({', '.join(v.kind for v in values)}) memory(none) nounwind"] = None
        return self.emit(kind, f"call {self.flags} {kind} @{name}({', '.join(f'{v.kind} {v.text}' for v in values)})")

    def binary(self, op: type, a: Any, b: Any) -> Any:
        """The result of an operator or a comparison, given by the type of its syntax tree."""
        of_constants, of_integers, of_floats = _OPERATIONS[op]
        if not isinstance(a, Value) and not isinstance(b, Value):
            return of_constants(a, b)
        kind, values = self.common(a, b, floats=op in (ast.Div, ast.Pow))
        if op is ast.Pow:
            return self.call(of_floats, kind, values)
        how = of_integers if kind[0] == "i" else of_floats.format(self.flags)
        how = how.replace("icmp s", "icmp u") if kind in ("i1", "i8") else how  # True is -1 with a sign
        return self.emit("i1" if "cmp" in how else kind, f"{how} {kind} {values[0].text}, {values[1].text}")

    # ---------------------------------------------------------------------------------------------------------- arrays
    def array_at(self, address: Any, dtype: Any, length: Any = None) -> Array:
        """The array at an address; one with a length overlaps no other."""
        place = self.emit("ptr", f"inttoptr i64 {self.convert(address, 'i64').text} to ptr")
        if length is not None:
            self._origins.append(self._distinct("!0"))
        return Array(KINDS[dtype], place.text, length, frozenset(self._origins[-1:] if length is not None else ()))

    def part(self, array: Array, start: Any) -> Array:
        """The array from an entry on."""
        return array._replace(text=self._address(array, start), length=None)

    def load(self, array: Array, index: Any) -> Value:
        """An entry."""
        kind = _stored(array.kind)
        found = self.emit(kind, f"load {kind}, ptr {self._address(array, index)}{self._scopes(array)}")
        return self.convert(found, array.kind)

    def store(self, array: Array, index: Any, value: Any) -> None:
        """Write an entry."""
        kind = _stored(array.kind)
        given = self.convert(self.convert(value, array.kind), kind)
        self.lines.append(f"store {kind} {given.text}, ptr {self._address(array, index)}{self._scopes(array)}")

    def _address(self, array: Array, index: Any) -> str:
        if not isinstance(index, Value) and index == 0:
            return array.text
        place = f"{_stored(array.kind)}, ptr {array.text}, i64 {self.convert(index, 'i64').text}"
        return self.emit("ptr", f"getelementptr inbounds {place}").text

    def _scopes(self, array: Array) -> str:
        """What tells LLVM which arrays do not overlap: with all array parameters ``noalias``, it could tell as well."""
        if not array.origins:
            return ""
        if array.origins not in self._origin_lists:
            self._count += 2
            self._origin_lists[array.origins] = self._count - 1, self._count
        own, others = self._origin_lists[array.origins]
        return f", !alias.scope !{own}, !noalias !{others}"

    def _distinct(self, content: str) -> int:
        """The number of new metadata that is equal to no other."""
        self._count += 1
        self._metadata.append(f"!{self._count} = distinct !{{!{self._count}, {content}}}")
        return self._count

    # --------------------------------------------------------------------------------------------- loops and branches
    def _begin_block(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self._label = label

    @contextmanager
    def loop(self, *bounds: Any) -> Iterator[Value]:
        """A loop over a range around what is written inside."""
        start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        first, last, by = (self.convert(v, "i64").text for v in (start, stop, step))
        head, body, after, index = (self._new_name(prefix) for prefix in ("head", "body", "after", "j"))
        before = self._label
        self.lines.append(f"br label %{head}")
        self._begin_block(head)
        place = len(self.lines)  # of the instruction that follows when the last block of the loop is known
        test = self.emit("i1", f"icmp slt i64 %{index}, {last}").text
        self.lines.append(f"br i1 {test}, label %{body}, label %{after}")
        self._begin_block(body)
        yield Value("i64", f"%{index}")
        following = self.emit("i64", f"add nsw i64 %{index}, {by}").text
        self.lines.insert(place, f"%{index} = phi i64 [{first}, %{before}], [{following}, %{self._label}]")
        hint = f'!{{!"llvm.loop.interleave.count", i32 {self.interleave_count}}}'
        hints = f", !llvm.loop !{self._distinct(hint)}" if self.interleave_count else ""
        self.lines.append(f"br label %{head}{hints}")
        self._begin_block(after)

    def branches(self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> list[tuple[Any, str]]:
        """Two branches; what their writers return, and the labels of their last blocks."""
        labels = [self._new_name(prefix) for prefix in ("then", "else", "after")]
        condition = self.convert(test, "i1").text
        self.lines.append(f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
        found = []
        for label, write in zip(labels, (then, otherwise), strict=False):
            self._begin_block(label)
            found.append((write(), self._label))
            self.lines.append(f"br label %{labels[2]}")
        self._begin_block(labels[2])
        return found


def _stored(kind: str) -> str:
    """The type of an entry in memory."""
    return "i8" if kind == "i1" else kind
