"""Generate the source of one kernel: outer loops over rows or tiles around vector loops.

The domain's axes are collapsed where neighbours are contiguous and alike. Axes along which no row value changes are
looped over within each vector loop, all others but the last around all vector loops. If the last axis is one of the
former, row values are single numbers; otherwise vectors, with loops of their own between the vector loops.

Strides are constants in the source, so that slices, transposes and broadcasts cost nothing. Each array is passed as the
one-dimensional memory span that it covers. Values that cross from one vector loop to a later one are stored in a
scratch row, or in their output array. Variables are numbered by first use, so that equal kernels have equal source and
are compiled once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import REDUCTIONS, GraphNode, is_scalar
from autodiff_kit.compile.passes.fusion import FusionGroup
from autodiff_kit.compile.passes.vector_loop_partition import TRIGONOMETRIC_OPS, assign_loops

__all__ = ["EXPRESSIONS", "KernelSource", "kernel_key", "memory_span"]

TILE_LENGTH, SHORT_TILE_LENGTH, MAX_ROWS_IN_LONG_TILE = 2048, 512, 2
"""Tile lengths that fit into the L1 cache: the short one for kernels with many scratch rows."""

MAX_TILES_IN_BLOCK, MIN_TILE_LENGTH = 16, 128
"""A tile is shorter if values of more than so many tiles are kept between vector loops, so that these fit into L2."""

INTERLEAVE_COUNT, MIN_INTERLEAVED_LENGTH = 4, 512
"""Vectors that LLVM interleaves in a long loop, to hide latencies."""

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
    "isfinite": "abs({0}) < real(np.inf)", "logical_and": "(({0} != 0) & ({1} != 0))",
    "logical_or": "(({0} != 0) | ({1} != 0))", "logical_not": "({0} == 0)",
    "exp": "exp{b}({0})", "tanh": "tanh{b}({0})", "log": "log{b}({0})", "log1p": "log1p{b}({0})",
    "logaddexp": "logaddexp{b}({0}, {1})",
    "expm1": "math.expm1({0})", "power": "{0} ** {1}", "sin": "real(math.sin({0}))", "cos": "real(math.cos({0}))",
}  # fmt: skip
"""Expression templates of the operations; sine and cosine of arrays use ``sincos`` instead."""

IDENTITIES = {"sum": "real(0)", "max": "real(-np.inf)", "min": "real(np.inf)"}
"""Where a reduction begins."""

BETWEEN = 0.5
"""Added to the number of a vector loop: the place after it, where row values are computed."""


def memory_span(view: Any) -> tuple[int, int]:
    """Address and number of entries of the memory that a strided array spans."""
    span = 1 + sum((n - 1) * s // view.itemsize for n, s in zip(view.shape, view.strides, strict=True) if n > 1)
    return view.__array_interface__["data"][0], span


def kernel_key(g: FusionGroup, nodes: list[GraphNode], array_of: Callable[[GraphNode], Any], any_size: bool) -> Any:
    """What the source of a kernel depends on, where ``nodes`` are the inputs and members of its group, in order.

    Two kernels with equal keys have the same source, and their parameters are at the same places of ``nodes``.
    """
    place = {n: k for k, n in enumerate(nodes)}

    def described(k: int, n: GraphNode) -> Any:
        known = (n.op, n.shape, n.dtype.char, n.weak)
        if k >= len(g.inputs):
            return (*known, *(place[a] for a in n.args), array_of(n).strides if n in outputs else None)
        if n.op == "const" and n.size == 1:
            return (*known, _literal(n.value))
        return (is_scalar(n), *known[1:], None if is_scalar(n) else array_of(n).strides)

    outputs = {n for n in g.outputs if n.size > 1 or n.op not in REDUCTIONS}
    return (
        g.domain, g.row_axes, g.dtype.char, any_size, *map(described, range(len(nodes)), nodes),
        *(tuple(place[n] for n in part) for part in (g.outputs, g.reductions, g.overwrites, g.overwrites.values())),
    )  # fmt: skip


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
        Array parameters, each passed as its memory span.
    scalar_inputs : list of GraphNode
        Scalar parameters.
    totals : list of GraphNode
        Return values.
    scratch : list of int
        Lengths of the scratch arrays, which are the last parameters.
    """

    def __init__(self, g: FusionGroup, array_of: Callable[[GraphNode], Any], any_size: bool) -> None:
        self.g, self.any_size = g, any_size
        self.dtype = g.dtype
        self.bits = "32" if g.dtype == np.float32 else "64"
        self.array_inputs = [n for n in g.inputs if not is_scalar(n)]
        self.totals = [n for n in g.reductions if n.size == 1]
        self.array_outputs = [n for n in g.outputs if n not in self.totals]
        self.scalar_inputs = [n for n in g.inputs if is_scalar(n) and n.op != "const"]
        self.loop_of = of = assign_loops(g)
        self.stored = {a for n in g.nodes for a in n.args if a in g.members and of[n] > of[a]}  # read by a later loop
        self._compute_strides(array_of)
        self._choose_loop_nest()
        self._assign_names()
        self._choose_tile()
        self.lines: list[str] = []
        self.depth = 1
        self._emit_kernel()
        self.source = _renumber_variables("\n".join(self.lines))

    # -------------------------------------------------------------------------------------------- strides and the loops
    def _compute_strides(self, array_of: Callable[[GraphNode], Any]) -> None:
        """The strides of all operands over the domain, in entries."""
        self.strides: dict[GraphNode, list[int]] = {}
        for n in (*self.array_inputs, *self.array_outputs):
            view = array_of(n)
            self.strides[n] = [s // view.itemsize for s in np.broadcast_to(view, self.g.domain).strides]

    def _choose_loop_nest(self) -> None:
        """Collapse axes that are contiguous in memory, and order them: outside, within a vector loop, innermost."""
        g = self.g
        axes: list[tuple[int, list[int], bool]] = []
        for k, d in enumerate(g.domain):
            steps, reduced = [s[k] for s in self.strides.values()], k in g.row_axes
            if d == 1:
                continue
            if axes and axes[-1][2] == reduced and all(p == q * d for p, q in zip(axes[-1][1], steps, strict=True)):
                axes[-1] = (axes[-1][0] * d, steps, reduced)
            else:
                axes.append((d, steps, reduced))
        self.columns, steps, inner_reduced = axes.pop()
        self.inner_stride = dict(zip(self.strides, steps, strict=True))
        self.outer = [(d, s) for d, s, reduced in axes if not reduced]
        self.middle = [(d, s) for d, s, reduced in axes if reduced]
        self.row_vectors = bool(g.row_axes) and not inner_reduced
        self.varies = {n for k, n in enumerate(self.strides) if any(s[k] for _, s in self.middle)}
        self.any_size &= not axes and len(self.totals) == len(g.reductions) and all(s == 1 for s in steps)

    def _choose_tile(self) -> None:
        """Choose the tile length, and the places of scratch rows."""
        count = math.prod(d for d, _ in self.middle)
        tile = SHORT_TILE_LENGTH if len(self.scratch_rows) > MAX_ROWS_IN_LONG_TILE else TILE_LENGTH
        tile = max(tile * MAX_TILES_IN_BLOCK // max(count, MAX_TILES_IN_BLOCK), MIN_TILE_LENGTH)
        self.tiled = self.any_size or (self.columns > tile and (self.row_vectors or not self.g.row_axes))
        self.tile_length = tile if self.tiled else self.columns
        self.length_text = "length" if self.tiled else str(self.columns)
        self.scratch = [self.tile_length * (count if n in self.blocks else 1) for n in self.scratch_rows]
        self.scratch += [self.tile_length] * len(self.angles)
        self.interleave_count = INTERLEAVE_COUNT if self.tile_length >= MIN_INTERLEAVED_LENGTH else 0

    def _assign_names(self) -> None:
        """Name the parameters, scratch rows and rows of reduced angles."""
        g = self.g
        self.names = {n: f"in{k}" for k, n in enumerate(self.array_inputs)}
        self.names |= {n: f"out{k}" for k, n in enumerate(self.array_outputs)}
        self.names |= {n: f"scalar{k}" for k, n in enumerate(self.scalar_inputs)}
        for a, o in g.overwrites.items():
            self.names[o] = self.names[a]
        self.arrays = [*self.array_inputs, *(n for n in self.array_outputs if n not in g.overwrites.values())]
        full = [n for n in g.nodes if g.role(n) == "full"]
        stored = [n for n in full if n in self.stored]
        self.blocks = set(stored)  # stored for all of the middle axes
        if self.row_vectors:
            rows = [n for n in g.nodes if g.role(n) == "row"]
            stored += [n for n in rows if n.op in REDUCTIONS or n in self.stored]
        self.scratch_rows = {n: k for k, n in enumerate(n for n in stored if n not in self.names)}
        turns = dict.fromkeys(n.args[0] for n in full if n.op in TRIGONOMETRIC_OPS)
        self.angles = {x: len(self.scratch_rows) + k for k, x in enumerate(turns)}

    # --------------------------------------------------------------------------------------------------------- the text
    def _emit(self, line: str, more: int = 0) -> None:
        """Add a line at the current indentation."""
        self.lines.append("    " * (self.depth + more) + line)

    def _element(self, n: GraphNode) -> str:
        """An element of an array in the inner loop."""
        step = self.inner_stride[n]
        return f"{self.names[n]}_tile[{'0' if step == 0 else 'j' if step == 1 else f'j * {step}'}]"

    def _place(self, n: GraphNode) -> str:
        """A stored value in the inner loop, in its output array or in a scratch row."""
        if n in self.names:
            return self._element(n)
        return f"row{self.scratch_rows[n]}{'_tile' if self.middle and n in self.blocks else ''}[j]"

    def _is_local(self, a: GraphNode, loop: float) -> bool:
        """Whether a member is a local variable in a vector loop, or between loops for a half number."""
        if self.g.role(a) == "full":
            return loop == self.loop_of[a]
        return not self.row_vectors or (a.op not in REDUCTIONS and loop == self.loop_of[a] + BETWEEN)

    def _value(self, a: GraphNode, loop: float, want: Any = None) -> str:
        """A node as an expression inside a vector loop, or between loops for a half number."""
        if a.op == "const" and a.size == 1:
            return _literal(a.value) if want is None else f"real({_literal(a.value)})"
        if a in self.g.members:
            text = f"v{a.number}"
            if not self._is_local(a, loop):
                text = self._place(a)
                text = f"({text} != real(0))" if a.dtype.kind == "b" and a in self.scratch_rows else text
        else:
            text = self.names[a] if is_scalar(a) else self._element(a)
        kept = want is None or want == a.dtype
        return text if kept and not (is_scalar(a) and a not in self.g.members) else f"real({text})"

    def _expression(self, n: GraphNode, loop: float) -> str:
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
        if n.op == "power" and n.args[1].op == "const" and n.args[1].shape == () and n.args[1].value in (0.5, 2):
            # As NumPy does; the root differs from the power at -inf.
            return EXPRESSIONS["square" if n.args[1].value == 2 else "sqrt"].format(args[0])
        return EXPRESSIONS[n.op].format(*args, b=self.bits)

    def _emit_kernel(self) -> None:
        """Write the whole kernel."""
        arguments = [
            *(self.names[n] for n in self.arrays),
            *(self.names[n] for n in self.scalar_inputs),
            *(f"row{k}" for k in range(len(self.scratch))),
        ]
        self.lines.append(f"def kernel({', '.join(arguments)}):")
        for n in self.totals:
            self._emit(f"{self._target(n)} = {'0.0' if n.op == 'sum' else IDENTITIES[n.op]}")
        for n in self.array_outputs:
            if self.g.role(n) == "final":
                self._emit(f"{self.names[n]}[:{n.size}] = {IDENTITIES[n.op]}")
        self._emit_outer_loops()
        for n in self.arrays:
            if n not in self.varies:
                self._emit_operand_tile(n)
        for loop in range(-1, max(self.loop_of.values()) + 1):
            self._emit_vector_loop(loop)
            self._emit_row_values(loop)
        self.depth = 1
        if self.totals:
            self._emit(f"return {', '.join(map(self._target, self.totals))}")

    def _emit_outer_loops(self) -> None:
        """Write the heads of the loops around all vector loops."""
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

    def _emit_operand_tile(self, n: GraphNode) -> None:
        """Slice an array to the entries that the inner loop accesses."""
        k, step = list(self.strides).index(n), self.inner_stride[n]
        loops = [(f"i{i}", s[k]) for i, (_, s) in enumerate(self.outer)]
        loops += [(f"m{i}", s[k]) for i, (_, s) in enumerate(self.middle)] if n in self.varies else []
        loops += [("start", step)] if self.tiled else []
        start = " + ".join(i if s == 1 else f"{i} * {s}" for i, s in loops if s)
        length = "1" if step == 0 else self.length_text if step == 1 else f"({self.length_text} - 1) * {step} + 1"
        self._emit(
            f"{self.names[n]}_tile = {self.names[n]}[{f'{start}:{start} + {length}' if start else f':{length}'}]"
        )

    def _emit_vector_loop(self, loop: int) -> None:
        """Write one vector loop, given its number, with the loops over the middle axes around it."""
        g, of, depth = self.g, self.loop_of, self.depth
        full = [n for n in g.nodes if of[n] == loop and g.role(n) == "full"]
        reductions = [n for n in g.reductions if of[n] == loop and n.args[0].shape == g.domain]
        if not full and not reductions:
            return
        for n in reductions:
            if g.role(n) == "row":
                self._emit_start(n)
        for k, (d, _) in enumerate(self.middle):
            self._emit(f"for m{k} in range({d}):")
            self.depth += 1
        begin = len(self.lines)
        self._emit_angle_reduction(full)
        self._emit_inner_loop(full, reductions, loop)
        self._bind_middle_tiles(begin)
        self.depth = depth

    def _bind_middle_tiles(self, begin: int) -> None:
        """Slice the arrays and scratch rows that the lines from ``begin`` on access at a place of the middle axes."""
        if self.middle:
            body, self.lines = self.lines[begin:], self.lines[:begin]
            used = set(re.findall(r"\w+", " ".join(body)))
            for n in self.arrays:
                if n in self.varies and f"{self.names[n]}_tile" in used:
                    self._emit_operand_tile(n)
            place = "m0"
            for k, (d, _) in enumerate(self.middle[1:], 1):
                place = f"({place} * {d} + m{k})"
            place += f" * {self.tile_length}"
            for k in self.scratch_rows.values():
                if f"row{k}_tile" in used:
                    self._emit(f"row{k}_tile = row{k}[{place}:{place} + {self.length_text}]")
            self.lines += body

    def _emit_inner_loop(self, values: list[GraphNode], reductions: list[GraphNode], loop: float) -> None:
        """Write a loop over entries: values, terms of reductions, stores; final reductions end behind it."""
        parts = [n for n in reductions if self.g.role(n) == "final" and self._is_accumulated(n)]
        for n in parts:
            self._emit_start(n)
        self._emit(f"for j in range({self.length_text}):")
        met: dict[GraphNode, int] = {}
        for n in values:
            if n.op in TRIGONOMETRIC_OPS and self.g.role(n) == "full":
                x = n.args[0]
                if x not in met:
                    met[x] = n.number
                    self._emit(f"sin{n.number}, cos{n.number} = sincos{self.bits}({self._angle(x)})", 1)
                self._emit(f"v{n.number} = {n.op}{met[x]}", 1)
            else:
                self._emit(f"v{n.number} = {self._expression(n, loop)}", 1)
        for n in reductions:
            self._emit_term(n, self._value(n.args[0], loop, n.dtype))
        for n in values:
            if n in self.names or n in self.scratch_rows:
                real = n.dtype.kind == "b" and n in self.scratch_rows
                self._emit(f"{self._place(n)} = {f'real(v{n.number})' if real else f'v{n.number}'}", 1)
        for n in parts:
            self._emit_fold(n, self._accumulated(n))

    def _angle(self, x: GraphNode) -> str:
        """The reduced angle in the inner loop."""
        return f"angle{self.angles[x]}[{'0' if self._angle_step(x) == 0 else 'j'}]"

    def _angle_step(self, x: GraphNode) -> int:
        return 1 if x in self.scratch_rows else self.inner_stride[x]

    def _emit_angle_reduction(self, full: list[GraphNode]) -> None:
        """Reduce angles that are too large for the vectorised sine, one by one."""
        for x in dict.fromkeys(n.args[0] for n in full if n.op in TRIGONOMETRIC_OPS):
            k, step = self.angles[x], self._angle_step(x)
            row = f"{self.names[x]}_tile" if x in self.names else self._place(x).removesuffix("[j]")
            count = "1" if step == 0 else self.length_text
            place = f"row{k}[:{self.length_text}]"
            test = f"has_large_angle{self.bits}({row}, {count}, {step})" if step in (0, 1) else "True"
            self._emit(f"angle{k} = reduce_angles({row}, {count}, {step}, {place}) if {test} else {row}")

    # ------------------------------------------------------------------------------------------------------- reductions
    def _is_accumulated(self, n: GraphNode) -> bool:
        """Whether the terms of a reduction in an inner loop go to one number; otherwise each goes to an entry."""
        if self.g.role(n) == "row":
            return not self.row_vectors
        return n in self.totals or self.inner_stride[n] == 0

    def _target(self, n: GraphNode) -> str:
        """Where a reduction is gathered."""
        return f"total{n.number}" if n in self.totals else self._place(n)

    def _accumulated(self, n: GraphNode) -> str:
        """The value of a reduction whose terms went to one number."""
        if n.op == "sum":
            return f"part{n.number}"
        return f"{'-' if n.op == 'min' else ''}value_of_key{self.bits}(part{n.number})"

    def _emit_start(self, n: GraphNode) -> None:
        """Write what stands before the terms of a reduction."""
        if self._is_accumulated(n):
            self._emit(f"part{n.number} = {'real(0)' if n.op == 'sum' else f'LOWEST_KEY{self.bits}'}")
        else:
            self._emit(f"for j in range({self.length_text}):")
            self._emit(f"{self._place(n)} = {IDENTITIES[n.op]}", 1)

    def _emit_term(self, n: GraphNode, term: str) -> None:
        """Write the accumulation of a term in an inner loop."""
        k = n.number
        if not self._is_accumulated(n):
            self._emit_fold(n, term, 1)
        elif n.op == "sum":
            self._emit(f"part{k} = add_reassociable(part{k}, {term})", 1)
        else:  # a maximum of keys vectorises
            self._emit(f"key{k} = sort_key{self.bits}({'-' if n.op == 'min' else ''}{term})", 1)
            self._emit(f"part{k} = key{k} if key{k} > part{k} else part{k}", 1)

    def _emit_fold(self, n: GraphNode, value: str, more: int = 0) -> None:
        """Add a value to a sum, or compare it with an extreme."""
        target = self._target(n)
        if n.op == "sum":
            self._emit(f"{target} += {value}", more)
        else:
            self._emit(f"term{n.number} = {value}", more)
            both = EXPRESSIONS[f"{n.op}imum"].format(target, f"term{n.number}")
            self._emit(f"{target} = {both}", more)

    def _emit_row_values(self, loop: int) -> None:
        """Write the row values, and the final reductions of such, that follow a vector loop."""
        g = self.g
        found = [n for n in g.nodes if self.loop_of[n] == loop]
        rows = [n for n in found if g.role(n) == "row"]
        reductions = [n for n in found if g.role(n) == "final" and n.args[0].shape != g.domain]
        if self.row_vectors:
            values = [n for n in rows if n.op not in REDUCTIONS]
            if values or reductions:
                self._emit_inner_loop(values, reductions, loop + BETWEEN)
            return
        for n in rows:
            value = self._accumulated(n) if n.op in REDUCTIONS else self._expression(n, loop + BETWEEN)
            self._emit(f"v{n.number} = {value}")
            if n in self.names:
                self._emit(f"{self._element(n)} = v{n.number}")
        for n in reductions:
            self._emit_fold(n, self._value(n.args[0], loop + BETWEEN))


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
        r"\b(v|sin|cos|total|part|key|term)(\d+)\b",
        lambda found: found[1] + str(seen.setdefault(found[2], len(seen))),
        source,
    )
