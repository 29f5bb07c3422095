"""flop-3: The five most expensive lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.counterexample import counterexample_by
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, format_call
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Ranking = list[tuple[int, int]]


def drawn(rng: np.random.Generator) -> list[misconceptions.ProgramLine]:
    """A program of which every mistake shows, and whose lines all cost different amounts."""
    while True:
        lines = misconceptions.random_program(rng)
        entries = misconceptions.executed_products(lines)
        rankings = [
            misconceptions.most_expensive_lines(entries),
            misconceptions.most_expensive_lines(entries, count=len(lines)),
            misconceptions.most_expensive_lines(entries, backward=False),
            misconceptions.most_expensive_lines(entries, forward=False, count=len(lines)),
            list({line: (line, price) for line, price in _runs(entries)}.values()),
        ]
        once = misconceptions.most_expensive_lines(entries, once=True)
        mistaken = [once, _as_if_two(entries), _runs(entries)[:5]]
        apart = once != mistaken[2] and all(
            len({price for _, price in ranking}) == len(ranking) for ranking in rankings
        )
        if apart and rankings[0] not in mistaken:
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
            "backward-only": misconceptions.most_expensive_lines(entries, forward=False),
            "cheapest-first": want[::-1],
            "the-five-cheapest": misconceptions.most_expensive_lines(entries, count=len(lines))[-5:][::-1],
            "not-cut-to-five": misconceptions.most_expensive_lines(entries, count=len(lines)),
            "lines-not-merged": _runs(entries)[:5],
            "multiplications-only": [(line, price / 2) for line, price in want],
            "every-product-twice": _as_if_two(entries),
        }
        arrays = {name: np.array(ranking, float) for name, ranking in mistaken.items()}
        facts = {"i": line, "n": runs[line]}
        a.case(as_ranking(reply.value, format_call(a.last)), np.array(want, float), arrays, tol=0.0, facts=facts)


def _runs(entries: list[tuple[int, int, int, int, int]]) -> Ranking:
    return misconceptions.most_expensive_runs(entries, count=len(entries))


def _as_if_two(entries: list[tuple[int, int, int, int, int]]) -> Ranking:
    return misconceptions.most_expensive_lines([(line, m, k, n, 2) for line, m, k, n, _ in entries])


def as_ranking(value: Any, call: str) -> np.ndarray:
    """A list of pairs as an array; a LearnerCodeError that says what was returned if it is none."""
    rows = value.tolist() if type(value) is np.ndarray and value.ndim == 2 else value
    if type(rows) not in (list, tuple) or not all(type(row) in (list, tuple) and len(row) == 2 for row in rows):
        raise LearnerCodeError(
            translate(
                "{call} is to give back a list of pairs (line, operations), such as [(3, 640), (7, 128)].", "lesson18"
            ).format(call=call)
        )
    return np.array([[float(one) for one in row] for row in rows])


QUESTION = Question(
    id="flop-3",
    points=2,
    title="The five most expensive lines",
    text="""A program of matrix products has run under a tape. `record` lists what ran, in order: `(line, m, k, n, followed)` says that the line with this number
multiplied matrices of the shapes (m, k) and (k, n), and that the gradient of `followed` of its two factors is wanted (1 or 2). A line in a loop appears as
often as it ran. Write `dearest`: a list of pairs `(line, operations)` for the five lines that cost most, forward and backward together, the most expensive
first. A product takes 2mkn operations, and the gradient of one of its factors takes as many.""",
    writes=("dearest",),
    starter='''def dearest(record):
    """[(line, operations)] of the five most expensive lines, the most expensive first."""
    ...
''',
    check=check,
    counterexample=counterexample_by(misconceptions.smaller_records, solution.dearest, 0.0),
    messages={
        "counts-lines-once": "Line {i} ran {n} times, and your count includes it once. Add all its runs.",
        "forward-only": "Those are the operations of the forward pass only. Add those of the backward pass.",
        "backward-only": "Those are the operations of the backward pass only. Add those of the forward pass.",
        "the-five-cheapest": "These are the five cheapest lines, the cheapest first. Sort the other way before you take five.",
        "not-cut-to-five": "All lines are in the list, in the right order. Give the first five only.",
        "lines-not-merged": "Line {i} ran {n} times, and each of its runs is an entry of its own. Add the runs of a line before you sort.",
        "multiplications-only": "The lines are right, and each count is half of what is expected: the additions are missing. A product takes 2mkn operations.",
        "cheapest-first": "The five lines are right, in reversed order. The most expensive comes first.",
        "every-product-twice": "Two products backward were counted for every line. `followed` says for how many factors a gradient is wanted.",
    },
    hints=(
        "Which entries of the record belong to the same line?",
        "Collect a sum for each line in a dictionary, and sort by the sums.",
        "`sums[line] += 2 * m * k * n * (1 + followed)`, then `sorted(sums.items(), key=lambda pair: -pair[1])[:5]`.",
    ),
    example=lambda rng: {"record": misconceptions.executed_products(drawn(rng))},
)
