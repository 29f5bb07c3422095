"""val-3: Three methods, and how many values each asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question

from ...lesson21 import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
ROADS = {"solver": 1e-9, "model": 0.05, "values": 1e-6}  # how far x may be off
QUERIES = (1, 10, 100, 10_000)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for road, allowed in ROADS.items():
        box = shared.IncreasingCubic.draw(rng)
        for count in (1, 4):
            x = rng.uniform(-0.9, 0.9, size=count)
            F, dF = box.callbacks()
            y, box.asked = box(x), 0
            reply = yield Call("solve_by", (road, F, dF, y))
            if a.warned(reply) or not judged(a, reply, road, x, box.asked, allowed):
                return
            if road != "solver" and dF.calls:
                a.fail(set(), f'The method "{road}" called dF, which only the solver may use.')
                return
    for _ in range(2):
        yield from cheapest_4(a, table_4(rng))


def judged(a: AttemptEvaluation, reply: CallResult, road: str, x: Array, asked: int, allowed: float) -> bool:
    """Whether the answers are near enough, and the questions to F were counted."""
    found, once, later = (
        require_real_array(part, "solve_by") for part in unpack_tuple(reply, "solve_by", ("xs", "once", "later"))
    )
    if found.shape != x.shape or once.size != 1 or later.size != 1:
        raise LearnerCodeError(f"solve_by is to return ({len(x)} numbers, a count, a count) for {len(x)} y.")
    off = float(np.abs(found - x).max())
    words = f'The method "{road}": the largest error of x is {off:.3g}, and {allowed:g} is allowed.'
    if not a.behave(off <= allowed, "", words, half=False):
        return False
    before, after = (int(part.ravel()[0]) for part in (once, later))
    count = before + after
    words = f'The method "{road}" asked F for {asked} numbers in this call; your two counts add up to {count}.'
    if not a.behave(count == asked, "", words, half=False):
        return False
    # A model asks before it sees a query, and the other roads ask for the sake of one.
    misplaced = after if road == "model" else before
    words = f'The method "{road}": which calls are made once, and which again for each y? Your counts are {before} and {after}.'
    return a.behave(misplaced == 0, "", words, half=False)


def table_4(rng: np.random.Generator) -> dict[str, tuple[int, int]]:
    """Costs at which one road is cheapest for one query and another for many; no two cost the same."""
    while True:
        once = np.r_[0, rng.integers(5, 60), rng.integers(200, 900)]
        later = np.r_[rng.integers(60, 200), rng.integers(10, 50), rng.integers(0, 5)]
        names = rng.permutation(list(ROADS))
        table = {str(names[k]): (int(once[k]), int(later[k])) for k in range(len(names))}
        bills = [sorted(cost(table, n).values()) for n in QUERIES]
        if all(bill[0] < bill[1] for bill in bills) and best(table, 1) != best(table, QUERIES[-1]):
            return {road: table[road] for road in ROADS}


def cost(table: dict[str, tuple[int, int]], n: int) -> dict[str, int]:
    """What n queries cost on each road."""
    return {road: once + n * later for road, (once, later) in table.items()}


def best(table: dict[str, tuple[int, int]], n: int) -> str:
    """The road that asks least for n queries."""
    bill = cost(table, n)
    return min(bill, key=lambda road: bill[road])


def cheapest_4(a: AttemptEvaluation, table: dict[str, tuple[int, int]]) -> CheckScript:
    """Judge the answers to one table, for few queries and many."""
    answers: list[object] = []
    for n in QUERIES:
        reply = yield Call("cheapest", (table, n))
        answers.append(reply.value)
    if any(answer not in ROADS for answer in answers if isinstance(answer, str)) or not all(
        isinstance(answer, str) for answer in answers
    ):
        raise LearnerCodeError(f"cheapest is to return the name of a method, one of {', '.join(ROADS)}.")
    wrong = [n for n, answer in zip(QUERIES, answers, strict=True) if answer != best(table, n)]
    if wrong:
        n, said = wrong[0], str(answers[QUERIES.index(wrong[0])])
        names = {"one-road-for-all"} if len(set(answers)) == 1 else set()
        k = cost(table, n)[said]
        a.fail(names, f"For n = {n}, {said} takes {k} calls, and {best(table, n)} takes fewer.", n=n, road=said, k=k)


QUESTION = Question(
    id="val-3",
    points=3,
    title="Three methods, and their calls",
    text="""F increases, and `solve_by(method, F, dF, ys)` finds an x with F(x) = y, −0.9 < x < 0.9, for each of several `ys`. The method is `"solver"` (error below 1e-9; may use the derivative `dF`), `"model"` (error below 0.05; learned from pairs
that you ask for yourself, with x between −1 and 1) or `"values"` (error below 1e-6; Newton's method with differences of F in place of `dF`). Only the solver may use `dF`. Return `(xs, once, later)`: the answers, how many numbers F was asked for before
the first y was used, and how many for the ys. An array of 200 counts as 200. `cheapest(table, n)` gets `{method: (once, later for each y)}` and returns the method with the fewest calls of F for n values of y.""",
    writes=("solve_by", "cheapest"),
    starter='''def solve_by(method, F, dF, ys):
    """Return (xs, once, later): the answers, and the calls of F before the ys and for them."""
    ...


def cheapest(table, n):
    """The method with the fewest calls for n values of y; table is {method: (once, later for each y)}."""
    ...
''',
    check=check,
    messages={
        "one-road-for-all": "The same method was chosen for every n. For n = {n}, {road} takes {k} calls, and another takes fewer."
    },
    hints=(
        "Run all three on one box first, and look at how often they call F.",
        "Count where F is called: a small function around it adds np.size(x) to a total. What does a trained model ask for one more y?",
        "n values of y take once + n · later calls: `min(table, key=lambda m: table[m][0] + n * table[m][1])`",
    ),
    example=lambda rng: _example_4(shared.IncreasingCubic(*rng.uniform(0.5, 2.0, 2).round(1).tolist())),
)


def _example_4(box: shared.IncreasingCubic) -> dict[str, object]:
    return {
        **box.functions(),
        "ys": box(np.array([-0.5, 0.25])).round(3),
        "table": {"solver": (0, 40), "model": (200, 0), "values": (0, 12)},
    }
