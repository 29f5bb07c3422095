"""Lesson 18: what products cost, in every order that one may think of, and programs whose lines run in loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

__all__ = ["Line", "by_greed", "forward_sweep", "program", "record", "reverse_sweep", "run", "source", "totals"]

FIVE = 5
Entry = tuple[int, int, int, int, int]


def forward_sweep(dims: Sequence[int]) -> int:
    """Multiplications of pushing all of the first size's tangents through the chain."""
    return sum(dims[0] * a * b for a, b in pairwise(dims[1:]))


def reverse_sweep(dims: Sequence[int]) -> int:
    """Multiplications of pulling all of the last size's cotangents through it."""
    return sum(dims[-1] * a * b for a, b in pairwise(dims[:-1]))


def by_greed(dims: Sequence[int]) -> int:
    """Always the cheapest product of two neighbours first."""
    left, total = list(dims), 0
    while len(left) > 2:
        prices = [left[i - 1] * left[i] * left[i + 1] for i in range(1, len(left) - 1)]
        i = int(np.argmin(prices))
        total += prices[i]
        del left[i + 1]
    return total


@dataclass(frozen=True)
class Line:
    """One line of a program: a product of (m, k) and (k, n), that ran so many times.

    ``kind`` is "data" (the left factor is data), "two" (both are followed) or "next" (the left one is the line before).
    """

    m: int
    k: int
    n: int
    kind: str
    runs: int

    @property
    def followed(self) -> int:
        """How many of the two factors want a gradient."""
        return 1 if self.kind == "data" else 2


def program(rng: np.random.Generator) -> list[Line]:
    """Draw seven to nine lines, some of them in loops."""
    lines: list[Line] = []
    while len(lines) < 7:
        runs = int(rng.choice((1, 1, 3, 5, 8)))
        m, k, n, wide = (int(size) for size in rng.integers(2, 12, size=4))
        lines.append(Line(m, k, n, str(rng.choice(("data", "two"))), runs))
        if rng.random() < 0.6:
            lines.append(Line(m, n, wide, "next", runs))
    return lines


def source(lines: Sequence[Line]) -> str:
    """The program as text: factors are a[i][turn] and b[i][turn], so that none is used twice."""
    text = ["def program(a, b):"]
    for i, line in enumerate(lines):
        if line.kind != "next":
            text.append(f"    for turn in range({line.runs}):")
        left = "y" if line.kind == "next" else f"a[{i}][turn]"
        text.append(f"        y = {left} @ b[{i}][turn]")
    return "\n".join(text) + "\n"


def places(lines: Sequence[Line]) -> list[int]:
    """The number that each line has in the program's text."""
    text = source(lines).splitlines()
    return [k for k, words in enumerate(text, start=1) if "@" in words]


def record(lines: Sequence[Line]) -> list[Entry]:
    """What ran, in order: (line, m, k, n, followed) for each product."""
    found: list[Entry] = []
    numbers = places(lines)
    starts = [i for i, line in enumerate(lines) if line.kind != "next"]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        for _ in range(lines[start].runs):
            found += [(numbers[i], lines[i].m, lines[i].k, lines[i].n, lines[i].followed) for i in range(start, stop)]
    return found


def run(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Record the program on a tape, and give the kit's bill: the five dearest lines, each with its operations."""
    from autodiff_kit.core.tape import GradientTape
    from autodiff_kit.core.tensor import Variable
    from autodiff_kit.diagnostics.tape_cost import cost

    left = [[_factor(line) for _ in range(line.runs)] for line in lines]
    right = [[Variable(np.ones((line.k, line.n))) for _ in range(line.runs)] for line in lines]
    names: dict[str, object] = {}
    exec(compile(source(lines), "<a program>", "exec"), names)
    with GradientTape() as tape:
        names["program"](left, right)  # type: ignore[operator]
    return [(row.line, row.flops + row.flops_back) for row in cost(tape, top=FIVE).rows]


def _factor(line: Line) -> object:
    """The left factor of a product: data, or a variable."""
    from autodiff_kit.core.tensor import Variable

    ones = np.ones((line.m, line.k))
    return ones if line.kind == "data" else Variable(ones)


def totals(
    entries: Sequence[Entry], *, once: bool = False, backward: bool = True, count: int = FIVE
) -> list[tuple[int, int]]:
    """The five dearest lines of a record; the flags make the mistakes."""
    sums: dict[int, int] = {}
    for line, m, k, n, followed in entries:
        price = 2 * m * k * n * (1 + followed * backward)
        sums[line] = price if once else sums.get(line, 0) + price
    return sorted(sums.items(), key=lambda pair: -pair[1])[:count]
