"""Generate the source of one kernel: outer loops over rows or tiles around vector loops.

Strides are constants in the source, so that slices, transposes and broadcasts cost nothing. Each array is passed as the
one-dimensional memory span that it covers. Values that cross from one vector loop to a later one are stored in a
scratch row, or in their output array. Variables are numbered by first use, so that equal kernels have equal source and
are compiled once.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import GraphNode, domain_role, is_scalar
from autodiff_kit.compile.passes.fusion import FusionGroup
from autodiff_kit.compile.passes.vector_loop_partition import (
    INTERLEAVE_COUNT,
    MAX_ROWS_IN_LONG_TILE,
    MIN_INTERLEAVED_LENGTH,
    SHORT_TILE_LENGTH,
    TILE_LENGTH,
    TRIGONOMETRIC_OPS,
    LoopAssignment,
)

__all__ = ["EXPRESSIONS", "KernelSource", "memory_span"]

EXPRESSIONS = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}", "divide": "{0} / {1}", "negative": "-{0}",
    "positive": "{0}", "square": "{0} * {0}", "reciprocal": "real(1) / {0}", "sqrt": "np.sqrt({0})",
    "absolute": "abs({0})",
    "maximum": "({0} if {0} >= {1} or {0} != {0} else {1})", "minimum": "({0} if {0} <= {1} or {0} != {0} else {1})",
    "sign": "({0} if {0} != {0} else real({0} > real(0)) - real({0} < real(0)))",
    "floor": "np.floor({0})", "ceil": "np.ceil({0})",
    "trunc": "np.trunc({0})", "rint": "np.rint({0})", "where": "({1} if {0} else {2})", "cast": "{0}",
    "greater": "{0} > {1}", "greater_equal": "{0} >= {1}", "less": "{0} < {1}", "less_equal": "{0} <= {1}",
    "equal": "{0} == {1}", "not_equal": "{0} != {1}", "isnan": "{0} != {0}", "isinf": "abs({0}) == real(np.inf)",
    "isfinite": "abs({0}) < real(np.inf)", "logical_and": "({0} != 0 and {1} != 0)",
    "logical_or": "({0} != 0 or {1} != 0)", "logical_not": "({0} == 0)",
    "exp": "exp{b}({0})", "tanh": "tanh{b}({0})", "log": "log{b}({0})", "log1p": "log1p{b}({0})",
    "logaddexp": "logaddexp{b}({0}, {1})",
    "expm1": "math.expm1({0})", "power": "{0} ** {1}", "sin": "real(math.sin({0}))", "cos": "real(math.cos({0}))",
}  # fmt: skip
"""Expression templates of the operations; sine and cosine of arrays use ``sincos`` instead."""


def memory_span(view: Any) -> tuple[int, int]:
    """Address and number of entries of the memory that a strided array spans."""
    span = 1 + sum((n - 1) * s // view.itemsize for n, s in zip(view.shape, view.strides, strict=True) if n > 1)
    return view.__array_interface__["data"][0], span


class KernelSource:
    """The source of a fused kernel and its parameters.

    Parameters
    ----------
    g : FusionGroup
    array_of : callable
        The array in the memory of a node; its strides are written into the source.
    any_size : bool
        Whether to write a kernel for contiguous arrays of any length, if possible.

    Attributes
    ----------
    source : str
    arrays : list of GraphNode
        Array parameters, each passed as its memory span; those in ``written`` are written to.
    scalar_inputs : list of GraphNode
        Scalar parameters.
    totals : list of GraphNode
        Return values.
    scratch : int
        Number of scratch entries, passed as the last parameter.
    """

    def __init__(self, g: FusionGroup, array_of: Callable[[GraphNode], Any], any_size: bool) -> None:
        self.g, self.any_size = g, any_size
        self.dtype = g.dtype
        self.bits = "32" if g.dtype == np.float32 else "64"
        self.array_inputs = [n for n in g.inputs if not is_scalar(n)]
        self.totals = [n for n in g.nodes if domain_role(n, g.domain) == "total"]
        self.array_outputs = [n for n in g.outputs if n not in self.totals]
        self.scalar_inputs = [n for n in g.inputs if is_scalar(n) and n.op != "const"]
        self.written = set(self.array_outputs)
        self.loops = LoopAssignment(g)
        self._compute_strides(array_of)
        self._assign_names()
        self._choose_loop_nest()
        self.lines: list[str] = []
        self.depth = 1
        self._emit_kernel()
        self.source = sys.intern(_renumber_variables("\n".join(self.lines)))
        # Long programs have thousands of kernels: keep the text, and what a call of it needs.
        del self.lines, self.loops, self.strides, self.inner_stride, self.names, self.scratch_rows, self.angles

    # -------------------------------------------------------------------------------------------- strides and the loops
    def _compute_strides(self, array_of: Callable[[GraphNode], Any]) -> None:
        """The strides of all operands over the domain, in entries."""
        self.strides: dict[GraphNode, list[int]] = {}
        domain = self.g.domain
        for n in (*self.array_inputs, *self.array_outputs):
            view = array_of(n)
            if domain_role(n, domain) == "column" and n in self.written:
                self.strides[n] = [0] * (len(domain) - 1) + [1]
            else:
                self.strides[n] = [s // view.itemsize for s in np.broadcast_to(view, domain).strides]
        for a, o in self.g.overwrites.items():
            self.strides[o] = self.strides[a]

    def _choose_loop_nest(self) -> None:
        """Collapse axes that are contiguous in memory, and choose the tile length."""
        g = self.g
        rows = any(domain_role(n, g.domain) in ("row", "column") or n.op == "max" for n in g.nodes)
        axes = [(d, [self.strides[n][k] for n in self.strides]) for k, d in enumerate(g.domain)]
        inner = axes.pop() if axes else (1, [0] * len(self.strides))
        outer: list[tuple[int, list[int]]] = []
        for d, s in axes:  # collapse axes that are contiguous in memory
            if d == 1:
                continue
            if outer and all(p == q * d for p, q in zip(outer[-1][1], s, strict=True)):
                outer[-1] = (outer[-1][0] * d, s)
            else:
                outer.append((d, s))
        while (
            not rows
            and outer
            and (inner[0] == 1 or all(p == q * inner[0] for p, q in zip(outer[-1][1], inner[1], strict=True)))
        ):
            d, s = outer.pop()
            inner = (d * inner[0], s if inner[0] == 1 else inner[1])
        self.outer, self.columns = outer, inner[0]
        self.inner_stride = dict(zip(self.strides, inner[1], strict=True))
        by_row = any(n.op == "max" or domain_role(n, g.domain) == "row" for n in g.nodes)
        plain = not rows and not outer and all(step == 1 for step in self.inner_stride.values())
        self.any_size = self.any_size and plain
        tile = SHORT_TILE_LENGTH if len(self.scratch_rows) > MAX_ROWS_IN_LONG_TILE else TILE_LENGTH
        self.tiled = self.any_size or (self.columns > tile and not by_row)
        self.tile_length = tile if self.tiled else self.columns
        self.length_text = "length" if self.tiled else str(self.columns)
        self.scratch = (len(self.scratch_rows) + len(self.angles)) * self.tile_length
        self.interleave_count = INTERLEAVE_COUNT if self.tile_length >= MIN_INTERLEAVED_LENGTH else 0

    def _assign_names(self) -> None:
        """Name the parameters, scratch rows and rows of reduced angles."""
        g, of = self.g, self.loops.loop_of
        self.names = {n: f"in{k}" for k, n in enumerate(self.array_inputs)}
        self.names |= {n: f"out{k}" for k, n in enumerate(self.array_outputs)}
        self.names |= {n: f"scalar{k}" for k, n in enumerate(self.scalar_inputs)}
        for a, o in g.overwrites.items():
            self.names[o] = self.names[a]
            self.written.add(a)
        self.arrays = [*self.array_inputs, *(n for n in self.array_outputs if n not in g.overwrites.values())]
        self.scratch_rows: dict[GraphNode, int] = {}
        for n in g.nodes:
            if domain_role(n, g.domain) == "full" and n not in self.names and self.loops.last_use(n) > of[n]:
                self.scratch_rows[n] = len(self.scratch_rows)
        full_turns = [n for n in g.nodes if n.op in TRIGONOMETRIC_OPS and domain_role(n, g.domain) == "full"]
        self.angles = {
            x: len(self.scratch_rows) + k for k, x in enumerate(dict.fromkeys(n.args[0] for n in full_turns))
        }

    # --------------------------------------------------------------------------------------------------------- the text
    def _emit(self, line: str, more: int = 0) -> None:
        """Add a line at the current indentation."""
        self.lines.append("    " * (self.depth + more) + line)

    def _element(self, n: GraphNode, j: str = "j") -> str:
        """An element of an array in the inner loop."""
        step = self.inner_stride[n]
        return f"{self.names[n]}_tile[{'0' if step == 0 else j if step == 1 or j == '0' else f'{j} * {step}'}]"

    def _value(self, a: GraphNode, loop: int | None, want: Any = None) -> str:
        """A node as an expression inside a loop, or between loops if ``loop`` is None."""
        if a.op == "const" and a.size == 1:
            return (
                _literal(a.value)
                if want is None or (want == a.dtype and a.dtype.kind == "b")
                else f"real({_literal(a.value)})"
            )
        if a in self.g.members:
            text = f"v{a.number}"
            if domain_role(a, self.g.domain) == "full" and self.loops.loop_of[a] != loop:
                text = self._element(a) if a in self.names else f"row{self.scratch_rows[a]}[j]"
                text = f"({text} != real(0))" if a.dtype.kind == "b" and a in self.scratch_rows else text
        else:
            text = self.names[a] if is_scalar(a) else self._element(a)
        kept = want is None or want == a.dtype
        return text if kept and not (is_scalar(a) and a not in self.g.members) else f"real({text})"

    def _expression(self, n: GraphNode, loop: int | None) -> str:
        """The expression that computes a node, with NumPy's dtypes and rounding."""
        want = n.dtype if n.dtype.kind == "f" else None
        wants: list[Any] = [want] * len(n.args)
        if n.op == "where":
            wants[0] = None
        elif want is None and any(a.dtype.kind == "f" for a in n.args):
            wants = [self.dtype] * len(n.args)
        operands_with_dtypes = list(zip(n.args, wants, strict=True))
        if n.op in ("add", "multiply"):
            # Scalars first, so that equal kernels have equal source.
            operands_with_dtypes.sort(key=lambda pair: not is_scalar(pair[0]) or pair[0] in self.g.members)
        args = [self._value(a, loop, w) for a, w in operands_with_dtypes]
        if n.op == "power" and n.args[1].op == "const" and n.args[1].shape == () and n.args[1].value == 2:
            return f"{args[0]} * {args[0]}"
        return EXPRESSIONS[n.op].format(*args, b=self.bits)

    def _emit_kernel(self) -> None:
        """Write the whole kernel."""
        arguments = [
            *(self.names[n] for n in self.arrays),
            *(self.names[n] for n in self.scalar_inputs),
            *(["scratch"] if self.scratch else []),
        ]
        self.lines.append(f"def kernel({', '.join(arguments)}):")
        for n in self.totals:
            self._emit(f"total{n.number} = 0.0")
        for n in self.array_outputs:
            if domain_role(n, self.g.domain) == "column":
                self._emit(f"{self.names[n]}[:{self.columns}] = real(0)")
        for k, (d, _) in enumerate(self.outer):
            self._emit(f"for i{k} in range({d}):")
            self.depth += 1
        if self.tiled:
            columns = str(self.columns)
            if self.any_size:
                columns = "size"
                self._emit(f"size = {self.names[self.arrays[0]]}.shape[0]")
            self._emit(f"for start in range(0, {columns}, {self.tile_length}):")
            self.depth += 1
            self._emit(f"length = min({self.tile_length}, {columns} - start)")
        for n in self.arrays:
            self._emit_operand_tile(n)
        for k in self.scratch_rows.values():
            self._emit(f"row{k} = scratch[{k * self.tile_length}:{k * self.tile_length} + {self.length_text}]")
        for loop in range(-1, self.loops.count):
            self._emit_vector_loop(loop)
            self._emit_row_values(loop)
        self.depth = 1
        if self.totals:
            self._emit(f"return {', '.join(f'total{n.number}' for n in self.totals)}")

    def _emit_operand_tile(self, n: GraphNode) -> None:
        """Slice an array to the entries that the inner loop accesses."""
        k = list(self.strides).index(n)
        terms = [f"i{i} * {s[k]}" if s[k] != 1 else f"i{i}" for i, (_, s) in enumerate(self.outer) if s[k]]
        step = self.inner_stride[n]
        if self.tiled and step:
            terms.append(f"start * {step}" if step != 1 else "start")
        start = " + ".join(terms)
        length = "1" if step == 0 else self.length_text if step == 1 else f"({self.length_text} - 1) * {step} + 1"
        self._emit(
            f"{self.names[n]}_tile = {self.names[n]}[{start}:{start} + {length}]"
            if start
            else f"{self.names[n]}_tile = {self.names[n]}[:{length}]"
        )

    def _emit_vector_loop(self, loop: int) -> None:
        """Write one vector loop, given its number."""
        g, of = self.g, self.loops.loop_of
        full = [
            n for n in g.nodes if of[n] == loop and domain_role(n, g.domain) == "full" and n.op not in ("sum", "max")
        ]
        sums = [n for n in g.nodes if of[n] == loop and n.op in ("sum", "max") and n.args[0].shape == g.domain]
        if not full and not sums:
            return
        self._emit_angle_reduction(full)
        for n in sums:
            if domain_role(n, g.domain) != "column":
                self._emit(f"max_key{n.number} = LOWEST_KEY{self.bits}" if n.op == "max" else f"v{n.number} = real(0)")
        self._emit(f"for j in range({self.length_text}):")
        met: dict[GraphNode, int] = {}
        for n in full:
            if n.op in TRIGONOMETRIC_OPS:
                x = n.args[0]
                if x not in met:
                    met[x] = n.number
                    self._emit(f"sin{n.number}, cos{n.number} = sincos{self.bits}({self._angle(x)})", 1)
                self._emit(f"v{n.number} = {n.op}{met[x]}", 1)
            else:
                self._emit(f"v{n.number} = {self._expression(n, loop)}", 1)
        for n in sums:
            self._emit_reduction(n, loop)
        for n in full:
            if n in self.names:
                tiny = f"real(0) if abs(v{n.number}) < SMALLEST_NORMAL{self.bits} else v{n.number}"
                self._emit(f"{self._element(n)} = {tiny if n in g.flush_to_zero else f'v{n.number}'}", 1)
            elif n in self.scratch_rows:
                self._emit(
                    f"row{self.scratch_rows[n]}[j] = {f'real(v{n.number})' if n.dtype.kind == 'b' else f'v{n.number}'}",
                    1,
                )

    def _angle(self, x: GraphNode) -> str:
        """The reduced angle in the inner loop."""
        return f"angle{self.angles[x]}[{'0' if self._angle_step(x) == 0 else 'j'}]"

    def _angle_step(self, x: GraphNode) -> int:
        return 1 if x in self.scratch_rows else self.inner_stride[x]

    def _emit_angle_reduction(self, full: list[GraphNode]) -> None:
        """Reduce angles that are too large for the vectorised sine, one by one."""
        for x in dict.fromkeys(n.args[0] for n in full if n.op in TRIGONOMETRIC_OPS):
            k, step = self.angles[x], self._angle_step(x)
            row = f"row{self.scratch_rows[x]}" if x in self.scratch_rows else f"{self.names[x]}_tile"
            count = "1" if step == 0 else self.length_text
            place = f"scratch[{k * self.tile_length}:{k * self.tile_length} + {self.length_text}]"
            test = f"has_large_angle{self.bits}({row}, {count}, {step})" if step in (0, 1) else "True"
            self._emit(f"angle{k} = reduce_angles({row}, {count}, {step}, {place}) if {test} else {row}")

    def _emit_reduction(self, n: GraphNode, loop: int) -> None:
        """Accumulate a reduction inside the loop."""
        term = self._value(n.args[0], loop, n.dtype)
        if n.op == "max":
            self._emit(f"key{n.number} = sort_key{self.bits}({term})", 1)
            self._emit(
                f"max_key{n.number} = key{n.number} if key{n.number} > max_key{n.number} else max_key{n.number}", 1
            )
        elif domain_role(n, self.g.domain) == "column":
            self._emit(f"{self._element(n)} += {term}", 1)
        else:
            self._emit(f"v{n.number} = add_reassociable(v{n.number}, {term})", 1)

    def _emit_row_values(self, loop: int) -> None:
        """Write the row values and totals that follow a loop."""
        g = self.g
        for n in g.nodes:
            if self.loops.loop_of[n] != loop:
                continue
            role = domain_role(n, g.domain)
            if role == "total":
                inner = n.args[0].shape == g.domain
                self._emit(f"total{n.number} += {f'v{n.number}' if inner else self._value(n.args[0], None)}")
            elif role == "row":
                if n.op == "max":
                    self._emit(f"v{n.number} = value_of_key{self.bits}(max_key{n.number})")
                elif n.op != "sum":
                    self._emit(f"v{n.number} = {self._expression(n, None)}")
                if n in self.names:
                    self._emit(f"{self._element(n, '0')} = v{n.number}")


def _literal(value: Any) -> str:
    """A constant as source text."""
    number = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if isinstance(number, float) and not math.isfinite(number):
        return "np.nan" if math.isnan(number) else "np.inf" if number > 0 else "(-np.inf)"
    return repr(number) if isinstance(number, bool) or number >= 0 else f"({number!r})"


def _renumber_variables(source: str) -> str:
    """Number the variables by first use."""
    seen: dict[str, int] = {}
    return re.sub(
        r"\b(v|sin|cos|total|max_key|key)(\d+)\b",
        lambda found: found[1] + str(seen.setdefault(found[2], len(seen))),
        source,
    )
