"""Random programs with loops, how their records are made smaller, and the multiplications that a tape counts in each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autodiff_kit.exercises.counterexample import shorter

LISTED_LINES = 5


ExecutedProduct = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class ProgramLine:
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
        """How many of the two factors need a gradient."""
        return 1 if self.kind == "data" else 2


def random_program(rng: np.random.Generator) -> list[ProgramLine]:
    """Draw seven to nine lines, some of them in loops."""
    lines: list[ProgramLine] = []
    while len(lines) < 7:
        runs = int(rng.choice((1, 1, 3, 5, 8)))
        m, k, n, wide = (int(size) for size in rng.integers(2, 12, size=4))
        lines.append(ProgramLine(m, k, n, str(rng.choice(("data", "two"))), runs))
        if rng.random() < 0.6:
            lines.append(ProgramLine(m, n, wide, "next", runs))
    return lines


def program_source(lines: Sequence[ProgramLine]) -> str:
    """The program as text: factors are a[i][turn] and b[i][turn], so that none is used twice."""
    text = ["def program(a, b):"]
    for i, line in enumerate(lines):
        if line.kind != "next":
            text.append(f"    for turn in range({line.runs}):")
        left = "y" if line.kind == "next" else f"a[{i}][turn]"
        text.append(f"        y = {left} @ b[{i}][turn]")
    return "\n".join(text) + "\n"


def line_numbers(lines: Sequence[ProgramLine]) -> list[int]:
    """The number that each line has in the program's text."""
    text = program_source(lines).splitlines()
    return [k for k, words in enumerate(text, start=1) if "@" in words]


def executed_products(lines: Sequence[ProgramLine]) -> list[ExecutedProduct]:
    """What ran, in order: (line, m, k, n, followed) for each product."""
    found: list[ExecutedProduct] = []
    numbers = line_numbers(lines)
    starts = [i for i, line in enumerate(lines) if line.kind != "next"]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        for _ in range(lines[start].runs):
            found += [(numbers[i], lines[i].m, lines[i].k, lines[i].n, lines[i].followed) for i in range(start, stop)]
    return found


def smaller_records(record: list[ExecutedProduct]) -> Iterator[tuple[list[ExecutedProduct]]]:
    """Fewer entries, then the sizes of a line halved; never two lines that cost the same, whose order is open."""
    halved = (
        [_halved(entry) if entry[0] == line else entry for entry in record] for line in {one[0] for one in record}
    )
    for smaller in (*shorter(record), *halved):
        prices = [price for _, price in most_expensive_lines(smaller, count=len(smaller))]
        if smaller != record and len(set(prices)) == len(prices):
            yield (smaller,)


def _halved(entry: ExecutedProduct) -> ExecutedProduct:
    line, m, k, n, followed = entry
    return line, max(1, m // 2), max(1, k // 2), max(1, n // 2), followed


def cost_on_tape(lines: Sequence[ProgramLine]) -> list[tuple[int, int]]:
    """Record the program on a tape; the five most expensive lines by the kit's cost, each with its operations."""
    from autodiff_kit.core.tape import GradientTape
    from autodiff_kit.core.variable import Variable
    from autodiff_kit.diagnostics.tape_cost import cost

    left = [[_factor(line) for _ in range(line.runs)] for line in lines]
    right = [[Variable(np.ones((line.k, line.n))) for _ in range(line.runs)] for line in lines]
    names: dict[str, object] = {}
    exec(compile(program_source(lines), "<a program>", "exec"), names)
    with GradientTape() as tape:
        names["program"](left, right)  # type: ignore[operator]
    return [(row.line, row.flops + row.flops_back) for row in cost(tape, top=LISTED_LINES).rows]


def _factor(line: ProgramLine) -> object:
    """The left factor of a product: data, or a variable."""
    from autodiff_kit.core.variable import Variable

    ones = np.ones((line.m, line.k))
    return ones if line.kind == "data" else Variable(ones)


def most_expensive_runs(entries: Sequence[ExecutedProduct], count: int = LISTED_LINES) -> list[tuple[int, int]]:
    """The five dearest entries of a record, the runs of a line one by one."""
    runs = [(line, 2 * m * k * n * (1 + followed)) for line, m, k, n, followed in entries]
    return sorted(runs, key=lambda pair: -pair[1])[:count]


def most_expensive_lines(
    entries: Sequence[ExecutedProduct],
    *,
    once: bool = False,
    forward: bool = True,
    backward: bool = True,
    count: int = LISTED_LINES,
) -> list[tuple[int, int]]:
    """The five dearest lines of a record; the flags make the mistakes."""
    sums: dict[int, int] = {}
    for line, m, k, n, followed in entries:
        price = 2 * m * k * n * (forward + followed * backward)
        sums[line] = price if once else sums.get(line, 0) + price
    return sorted(sums.items(), key=lambda pair: -pair[1])[:count]
