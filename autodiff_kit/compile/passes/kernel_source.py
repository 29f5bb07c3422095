"""The source of one kernel: outer loops over rows or tiles, in them one vector loop after the other.

Strides are written into the source, so that slices, transposes and broadcasts cost nothing. Operands are passed as
windows, one-dimensional pieces of memory. Values that cross from one vector loop to a later one wait in a scratch row,
or in the place where they are stored anyway. Names of variables are numbered by their first use, so that equal kernels
have equal text and are compiled once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import Node, kind, scalar
from autodiff_kit.compile.passes.fusion import Group
from autodiff_kit.compile.passes.vector_loops import ABREAST, FEW, LONG, THIN, TILE, TURNING, Loops

__all__ = ["Kernel", "generate", "window"]

_TEXT = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} * {1}", "divide": "{0} / {1}", "negative": "-{0}",
    "positive": "{0}", "square": "{0} * {0}", "reciprocal": "R(1) / {0}", "sqrt": "np.sqrt({0})",
    "absolute": "abs({0})",
    "maximum": "({0} if {0} >= {1} or {0} != {0} else {1})", "minimum": "({0} if {0} <= {1} or {0} != {0} else {1})",
    "sign": "({0} if {0} != {0} else R({0} > R(0)) - R({0} < R(0)))", "floor": "np.floor({0})", "ceil": "np.ceil({0})",
    "trunc": "np.trunc({0})", "rint": "np.rint({0})", "where": "({1} if {0} else {2})", "cast": "{0}",
    "greater": "{0} > {1}", "greater_equal": "{0} >= {1}", "less": "{0} < {1}", "less_equal": "{0} <= {1}",
    "equal": "{0} == {1}", "not_equal": "{0} != {1}", "isnan": "{0} != {0}", "isinf": "abs({0}) == R(np.inf)",
    "isfinite": "abs({0}) < R(np.inf)", "logical_and": "({0} != 0 and {1} != 0)",
    "logical_or": "({0} != 0 or {1} != 0)", "logical_not": "({0} == 0)",
    "exp": "exp{b}({0})", "tanh": "tanh{b}({0})", "log": "log{b}({0})", "log1p": "log1p{b}({0})",
    "logaddexp": "logaddexp{b}({0}, {1})",
    "expm1": "math.expm1({0})", "power": "{0} ** {1}", "sin": "R(math.sin({0}))", "cos": "R(math.cos({0}))",
}  # fmt: skip
"""What a node is in the source; sine and cosine of whole rows are written apart."""


def window(view: Any) -> tuple[int, int]:
    """Address and number of entries of the memory that a view spans."""
    span = 1 + sum((n - 1) * s // view.itemsize for n, s in zip(view.shape, view.strides, strict=True) if n > 1)
    return view.__array_interface__["data"][0], span


class Kernel:
    """The source of a group and what it is called with.

    Attributes
    ----------
    source : str
    arrays : list of Node
        Each passed as its window; those among ``written`` are written to.
    numbers : list of Node
        Passed as numbers.
    totals : list of Node
        What it returns.
    scratch : int
        Entries of scratch that it wants as its last argument.
    halves : dict of Node to int, or None
        Where the second half of each array begins, in entries, if it is to run twice, once for each half.
    """

    def __init__(self, g: Group, at: Callable[[Node], Any], any_size: bool, halve: bool) -> None:
        self.g, self.any_size, self.halve = g, any_size, halve
        self.dtype = g.dtype
        self.bits = "32" if g.dtype == np.float32 else "64"
        self.read = [n for n in g.ext if not scalar(n)]
        self.totals = [n for n in g.nodes if kind(n, g.domain) == "total"]
        self.stored = [n for n in g.outs if n not in self.totals]
        self.numbers = [n for n in g.ext if scalar(n) and n.op != "const"]
        self.written = set(self.stored)
        self.loops = Loops(g)
        self._strides(at)
        self._names()
        self._shape_loops()
        self.lines: list[str] = []
        self.depth = 1
        self._write()
        self.source = _renamed("\n".join(self.lines))

    # -------------------------------------------------------------------------------------------- strides and the loops
    def _strides(self, at: Callable[[Node], Any]) -> None:
        self.strides: dict[Node, list[int]] = {}
        domain = self.g.domain
        for n in (*self.read, *self.stored):
            view = at(n)
            if kind(n, domain) == "column" and n in self.written:
                self.strides[n] = [0] * (len(domain) - 1) + [1]
            else:
                self.strides[n] = [s // view.itemsize for s in np.broadcast_to(view, domain).strides]
        for a, o in self.g.pairs.items():
            self.strides[o] = self.strides[a]

    def _shape_loops(self) -> None:
        g = self.g
        rows = any(kind(n, g.domain) in ("row", "column") or n.op == "max" for n in g.nodes)
        axes = [(d, [self.strides[n][k] for n in self.strides]) for k, d in enumerate(g.domain)]
        inner = axes.pop() if axes else (1, [0] * len(self.strides))
        outer: list[tuple[int, list[int]]] = []
        for d, s in axes:  # axes that lie behind each other in memory are one
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
        self.step = dict(zip(self.strides, inner[1], strict=True))
        by_row = any(n.op == "max" or kind(n, g.domain) == "row" for n in g.nodes)
        plain = not rows and not outer and all(step == 1 for step in self.step.values())
        self._halve(plain)
        self.any_size = (self.any_size or self.halves is not None) and plain
        tile = THIN if len(self.slots) > FEW else TILE
        self.tiled = self.any_size or (self.columns > tile and not by_row)
        self.length = tile if self.tiled else self.columns
        self.m = "m" if self.tiled else str(self.columns)
        self.scratch = (len(self.slots) + len(self.angles)) * self.length
        self.abreast = ABREAST if self.length >= LONG else 0

    def _halve(self, plain: bool) -> None:
        """Let the source be that of half the entries: of a long row, or of half the turns of the outermost loop."""
        self.halves: dict[Node, int] | None = None
        if not self.halve or any(kind(n, self.g.domain) == "column" for n in self.stored):
            return
        if plain:
            half = self.columns // 2 // TILE * TILE
            self.halves = dict.fromkeys(self.strides, half) if half else None
        elif self.outer and self.outer[0][0] % 2 == 0:
            half, steps = self.outer[0][0] // 2, self.outer[0][1]
            self.outer[0] = half, steps
            self.halves = {n: half * step for n, step in zip(self.strides, steps, strict=True)}

    def _names(self) -> None:
        g, of = self.g, self.loops.of
        self.name = {n: f"a{k}" for k, n in enumerate(self.read)}
        self.name |= {n: f"o{k}" for k, n in enumerate(self.stored)}
        self.name |= {n: f"s{k}" for k, n in enumerate(self.numbers)}
        for a, o in g.pairs.items():
            self.name[o] = self.name[a]
            self.written.add(a)
        self.arrays = [*self.read, *(n for n in self.stored if n not in g.pairs.values())]
        self.slots: dict[Node, int] = {}
        for n in g.nodes:
            if kind(n, g.domain) == "full" and n not in self.name and self.loops.last_use(n) > of[n]:
                self.slots[n] = len(self.slots)
        full_turns = [n for n in g.nodes if n.op in TURNING and kind(n, g.domain) == "full"]
        self.angles = {x: len(self.slots) + k for k, x in enumerate(dict.fromkeys(n.args[0] for n in full_turns))}

    # --------------------------------------------------------------------------------------------------------- the text
    def _put(self, line: str, more: int = 0) -> None:
        self.lines.append("    " * (self.depth + more) + line)

    def _at(self, n: Node, j: str = "j") -> str:
        """An entry of an array in the inner loop."""
        step = self.step[n]
        return f"{self.name[n]}_[{'0' if step == 0 else j if step == 1 or j == '0' else f'{j} * {step}'}]"

    def _ref(self, a: Node, loop: int | None, want: Any = None) -> str:
        """A value inside a loop; between loops with ``loop`` None."""
        if a.op == "const" and a.size == 1:
            return (
                _literal(a.value)
                if want is None or (want == a.dtype and a.dtype.kind == "b")
                else f"R({_literal(a.value)})"
            )
        if a in self.g.inside:
            text = f"v{a.number}"
            if kind(a, self.g.domain) == "full" and self.loops.of[a] != loop:
                text = self._at(a) if a in self.name else f"t{self.slots[a]}[j]"
                text = f"({text} != R(0))" if a.dtype.kind == "b" and a in self.slots else text
        else:
            text = self.name[a] if scalar(a) else self._at(a)
        kept = want is None or want == a.dtype
        return text if kept and not (scalar(a) and a not in self.g.inside) else f"R({text})"

    def _text(self, n: Node, loop: int | None) -> str:
        """A node as an expression, rounded as NumPy rounds."""
        want = n.dtype if n.dtype.kind == "f" else None
        wants: list[Any] = [want] * len(n.args)
        if n.op == "where":
            wants[0] = None
        elif want is None and any(a.dtype.kind == "f" for a in n.args):
            wants = [self.dtype] * len(n.args)
        given = list(zip(n.args, wants, strict=True))
        if n.op in ("add", "multiply"):
            given.sort(key=lambda pair: not scalar(pair[0]) or pair[0] in self.g.inside)  # equal kernels, equal text
        args = [self._ref(a, loop, w) for a, w in given]
        if n.op == "power" and n.args[1].op == "const" and n.args[1].shape == () and n.args[1].value == 2:
            return f"{args[0]} * {args[0]}"
        return _TEXT[n.op].format(*args, b=self.bits)

    def _write(self) -> None:
        arguments = [
            *(self.name[n] for n in self.arrays),
            *(self.name[n] for n in self.numbers),
            *(["S"] if self.scratch else []),
        ]
        self.lines.append(f"def kernel({', '.join(arguments)}):")
        for n in self.totals:
            self._put(f"z{n.number} = 0.0")
        for n in self.stored:
            if kind(n, self.g.domain) == "column":
                self._put(f"{self.name[n]}[:{self.columns}] = R(0)")
        for k, (d, _) in enumerate(self.outer):
            self._put(f"for i{k} in range({d}):")
            self.depth += 1
        if self.tiled:
            columns = str(self.columns)
            if self.any_size:
                columns = "n"
                self._put(f"n = {self.name[self.arrays[0]]}.shape[0]")
            self._put(f"for q in range(0, {columns}, {self.length}):")
            self.depth += 1
            self._put(f"m = min({self.length}, {columns} - q)")
        for n in self.arrays:
            self._cut(n)
        for k in self.slots.values():
            self._put(f"t{k} = S[{k * self.length}:{k * self.length} + {self.m}]")
        for loop in range(-1, self.loops.number):
            self._write_loop(loop)
            self._write_between(loop)
        self.depth = 1
        if self.totals:
            self._put(f"return {', '.join(f'z{n.number}' for n in self.totals)}")

    def _cut(self, n: Node) -> None:
        """The part of an array that the inner loop runs over."""
        k = list(self.strides).index(n)
        terms = [f"i{i} * {s[k]}" if s[k] != 1 else f"i{i}" for i, (_, s) in enumerate(self.outer) if s[k]]
        step = self.step[n]
        if self.tiled and step:
            terms.append(f"q * {step}" if step != 1 else "q")
        start = " + ".join(terms)
        length = "1" if step == 0 else self.m if step == 1 else f"({self.m} - 1) * {step} + 1"
        self._put(
            f"{self.name[n]}_ = {self.name[n]}[{start}:{start} + {length}]"
            if start
            else f"{self.name[n]}_ = {self.name[n]}[:{length}]"
        )

    def _write_loop(self, loop: int) -> None:
        g, of = self.g, self.loops.of
        full = [n for n in g.nodes if of[n] == loop and kind(n, g.domain) == "full" and n.op not in ("sum", "max")]
        sums = [n for n in g.nodes if of[n] == loop and n.op in ("sum", "max") and n.args[0].shape == g.domain]
        if not full and not sums:
            return
        turned = [n for n in full if n in self.angles]
        self._turn(full)
        self._begin(sums, turned)
        self._put(f"for j in range({self.m}):")
        met: dict[Node, str] = {}
        for n in full:
            if n.op in TURNING:
                x = n.args[0]
                if x not in met:
                    met[x] = f"y{n.number}"
                    self._put(f"y{n.number}s, y{n.number}c = sincos{self.bits}({self._angle(x)})", 1)
                self._put(f"v{n.number} = {met[x]}{n.op[0]}", 1)
            else:
                self._put(f"v{n.number} = {self._text(n, loop)}", 1)
        for n in turned:
            self._put(f"f{n.number} = further{self.bits}(f{n.number}, v{n.number})", 1)
        for n in sums:
            self._reduce(n, loop)
        for n in full:
            if n in self.name:
                tiny = f"R(0) if abs(v{n.number}) < TINY{self.bits} else v{n.number}"
                self._put(f"{self._at(n)} = {tiny if n in g.flush else f'v{n.number}'}", 1)
            elif n in self.slots:
                self._put(f"t{self.slots[n]}[j] = {f'R(v{n.number})' if n.dtype.kind == 'b' else f'v{n.number}'}", 1)

    def _begin(self, sums: list[Node], turned: list[Node]) -> None:
        """Where reductions start, and the look-out for angles that are too large."""
        for n in sums:
            if kind(n, self.g.domain) != "column":
                self._put(f"m{n.number} = LOW{self.bits}" if n.op == "max" else f"v{n.number} = R(0)")
        for n in turned:
            self._put(f"f{n.number} = LOW{self.bits}")

    def _angle(self, x: Node) -> str:
        return f"u{self.angles[x]}[{'0' if self._angle_step(x) == 0 else 'j'}]"

    def _angle_step(self, x: Node) -> int:
        return 1 if x in self.slots else self.step[x]

    def _turn(self, full: list[Node]) -> None:
        """Angles that the fast sine cannot take are brought near 0 first, one by one."""
        for x in dict.fromkeys(n.args[0] for n in full if n.op in TURNING):
            k, step = self.angles[x], self._angle_step(x)
            row = f"t{self.slots[x]}" if x in self.slots else f"{self.name[x]}_"
            count = "1" if step == 0 else self.m
            place = f"S[{k * self.length}:{k * self.length} + {self.m}]"
            test = f"far{self.bits}({row}, {count}, {step})" if step in (0, 1) else "True"
            if kind(x, self.g.domain) == "full" and x in self.g.inside:
                test = f"f{x.number} > key{self.bits}(FAR{self.bits})"  # the loop that made it has looked
            self._put(f"u{k} = turned({row}, {count}, {step}, {place}) if {test} else {row}")

    def _reduce(self, n: Node, loop: int) -> None:
        term = self._ref(n.args[0], loop, n.dtype)
        if n.op == "max":
            self._put(f"w{n.number} = key{self.bits}({term})", 1)
            self._put(f"m{n.number} = w{n.number} if w{n.number} > m{n.number} else m{n.number}", 1)
        elif kind(n, self.g.domain) == "column":
            self._put(f"{self._at(n)} += {term}", 1)
        else:
            self._put(f"v{n.number} = plus(v{n.number}, {term})", 1)

    def _write_between(self, loop: int) -> None:
        """Values of a row, once its loop has run."""
        g = self.g
        for n in g.nodes:
            if self.loops.of[n] != loop:
                continue
            role = kind(n, g.domain)
            if role == "total":
                inner = n.args[0].shape == g.domain
                self._put(f"z{n.number} += {f'v{n.number}' if inner else self._ref(n.args[0], None)}")
            elif role == "row":
                if n.op == "max":
                    self._put(f"v{n.number} = unkey{self.bits}(m{n.number})")
                elif n.op != "sum":
                    self._put(f"v{n.number} = {self._text(n, None)}")
                if n in self.name:
                    self._put(f"{self._at(n, '0')} = v{n.number}")


def generate(g: Group, at: Callable[[Node], Any], any_size: bool = False, halve: bool = False) -> Kernel:
    """The kernel of a group, given arrays in the memory of its operands; if wanted one for arrays of any length, or
    one for each half of them.
    """
    return Kernel(g, at, any_size, halve)


def _literal(value: Any) -> str:
    number = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if isinstance(number, float) and not math.isfinite(number):
        return "np.nan" if math.isnan(number) else "np.inf" if number > 0 else "(-np.inf)"
    return repr(number) if isinstance(number, bool) or number >= 0 else f"({number!r})"


def _renamed(source: str) -> str:
    """Numbers of nodes in the order of their first use."""
    seen: dict[str, int] = {}
    return re.sub(
        r"\b([vyzwmf])(\d+)(?=[sc]?\b)", lambda found: found[1] + str(seen.setdefault(found[2], len(seen))), source
    )
