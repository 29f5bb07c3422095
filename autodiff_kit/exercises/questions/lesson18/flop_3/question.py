"""flop-3: The five dearest lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, format_call
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Bill = list[tuple[int, int]]


def drawn(rng: np.random.Generator) -> list[misconceptions.ProgramLine]:
    """A program of which every mistake shows, and whose lines all cost different amounts."""
    while True:
        lines = misconceptions.random_program(rng)
        entries = misconceptions.executed_products(lines)
        bills = [
            misconceptions.most_expensive_lines(entries),
            misconceptions.most_expensive_lines(entries, count=len(lines)),
            misconceptions.most_expensive_lines(entries, backward=False),
        ]
        mistaken = [misconceptions.most_expensive_lines(entries, once=True), _as_if_two(entries)]
        apart = all(len({price for _, price in bill}) == len(bill) for bill in bills)
        if apart and bills[0] not in mistaken:
            return lines


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        lines = drawn(rng)
        entries = misconceptions.executed_products(lines)
        reply = yield Call("dearest", (entries,))
        if a.warned(reply):
            continue
        want = misconceptions.cost_on_tape(lines)
        runs = {line: sum(one[0] == line for one in entries) for line, _ in want}
        line = max(runs, key=lambda one: runs[one])
        mistaken = {
            "counts-lines-once": misconceptions.most_expensive_lines(entries, once=True),
            "forward-only": misconceptions.most_expensive_lines(entries, backward=False),
            "cheapest-first": want[::-1],
            "every-product-twice": _as_if_two(entries),
        }
        arrays = {name: np.array(bill, float) for name, bill in mistaken.items()}
        facts = {"i": line, "n": runs[line]}
        a.case(bill_of(reply.value, format_call(a.last)), np.array(want, float), arrays, tol=0.0, facts=facts)


def _as_if_two(entries: list[tuple[int, int, int, int, int]]) -> Bill:
    return misconceptions.most_expensive_lines([(line, m, k, n, 2) for line, m, k, n, _ in entries])


def bill_of(value: Any, call: str) -> np.ndarray:
    """A list of pairs as an array; a LearnerCodeError that says what was returned if it is none."""
    rows = value.tolist() if type(value) is np.ndarray and value.ndim == 2 else value
    if type(rows) not in (list, tuple) or not all(type(row) in (list, tuple) and len(row) == 2 for row in rows):
        raise LearnerCodeError(
            f"{call} is to give back a list of pairs (line, operations), such as [(3, 640), (7, 128)]."
        )
    return np.array([[float(one) for one in row] for row in rows])


QUESTION = Question(
    id="flop-3",
    points=2,
    title="The five dearest lines",
    text="""A program of products has run under a tape. `record` holds what ran, in order: `(line, m, k, n, followed)` says that the line with this number multiplied (m, k) by (k, n), and that a gradient is wanted for
`followed` of the two factors, one or two. A line in a loop stands there as often as it ran. Give the five lines that cost most, forward and backward together: a list of pairs `(line, operations)`, dearest first. A product takes 2mkn operations, and a gradient to one of its factors takes as many.""",
    writes=("dearest",),
    starter='''def dearest(record):
    """[(line, operations)] of the five dearest lines, dearest first."""
    ...
''',
    check=check,
    messages={
        "counts-lines-once": "Line {i} ran {n} times, and was paid for {n} times.",
        "forward-only": "That is the way forward alone: the gradients cost something too.",
        "cheapest-first": "The five are right, the other way round: dearest first.",
        "every-product-twice": "Not both factors want a gradient everywhere: data do not.",
    },
    hints=(
        "Everything that you need stands in the record; no line is to be looked at alone.",
        "Add up by line, in a dictionary; sort by the sums.",
        "`sums[line] += 2 * m * k * n * (1 + followed)`, then `sorted(sums.items(), key=lambda pair: -pair[1])[:5]`.",
    ),
    example=lambda rng: {"record": misconceptions.executed_products(drawn(rng))},
)
