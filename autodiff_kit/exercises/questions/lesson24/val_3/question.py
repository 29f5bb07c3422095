"""val-3: Three methods, and how many values each asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, Callback, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from ...lesson21 import shared

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
METHODS = {"solver": 1e-9, "model": 0.05, "values": 1e-6}  # how far x may be off
QUERIES = (1, 10, 100, 10_000)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for method in METHODS:
        box = shared.IncreasingCubic.draw(rng)
        for count in (1, 8):  # one in each eighth of the range: y itself is near some x, but not near all of them
            x = 0.9 * (2 * (np.arange(count) + rng.random(count)) / count - 1)
            if not (yield from solved(a, method, box, x)):
                return
    yield from cheapest_4(a, *tables_4(rng))


def thorough(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    """Each method on many boxes, the steepest and the flattest among them, up to the ends; many tables."""
    corners = [shared.IncreasingCubic(p, q) for p in (0.5, 2.0) for q in (0.5, 2.0)]
    for box in (*corners, *(shared.IncreasingCubic.draw(rng) for _ in range(12))):
        for method in METHODS:
            for x in (rng.uniform(-0.9, 0.9, size=1), np.linspace(-0.9, 0.9, 11)):
                yield from solved(a, method, box, x)
    for _ in range(20):
        yield from cheapest_4(a, *tables_4(rng))


def solved(
    a: AttemptEvaluation, method: str, box: shared.IncreasingCubic, x: Array
) -> Generator[Call, CallResult, bool]:
    """Whether one call of ``solve_by`` keeps to what was asked."""
    places: list[Any] = [0.0]

    def F(at: Any) -> Any:
        value = box(at)
        places.append(at)
        return value

    dF = Callback(box.slope, "dF")
    y, box.asked = box(x), 0
    reply = yield Call("solve_by", (method, Callback(F, "F"), dF, y))
    if a.warned(reply) or not judged(a, reply, method, x, box.asked, METHODS[method]):
        return False
    words = translate('The method "{method}" called dF, which only the solver may use.', "lesson24")
    if not a.behave(method == "solver" or not dF.calls, "", words.format(method=method), half=False):
        return False
    furthest = max((float(one) for at in places for one in np.ravel(at)), key=abs)
    words = translate('The method "model" asked F for x = {x:.3g}; its pairs lie between −1 and 1.', "lesson24")
    within = method != "model" or abs(furthest) < 1 + 1e-9
    return a.behave(within, "", words.format(x=furthest), half=False)


def judged(a: AttemptEvaluation, reply: CallResult, method: str, x: Array, asked: int, allowed: float) -> bool:
    """Whether the answers are near enough, and the questions to F were counted."""
    xs, *counts = unpack_tuple(reply, "solve_by", ("xs", "once", "later"))
    found, once, later = (require_real_array(part, "solve_by") for part in (as_numbers(xs), *counts))
    if found.shape != x.shape or once.size != 1 or later.size != 1:
        raise LearnerCodeError(
            translate("solve_by is to return ({n} numbers, a count, a count) for {n} y.", "lesson24").format(n=len(x))
        )
    off = float(np.abs(found - x).max())
    words = translate(
        'The method "{method}": the largest error of x is {off:.3g}, and {allowed:g} is allowed.', "lesson24"
    ).format(method=method, off=off, allowed=allowed)
    if not a.behave(off <= allowed, "", words, half=False):
        return False
    before, after = (int(part.ravel()[0]) for part in (once, later))
    count = before + after
    words = translate(
        'The method "{method}" asked F for {asked} numbers in this call; your two counts add up to {count}.', "lesson24"
    ).format(method=method, asked=asked, count=count)
    if not a.behave(count == asked, "", words, half=False):
        return False
    # A model asks before it sees a query, and the other methods ask for the sake of one.
    misplaced = after if method == "model" else before
    words = translate(
        'The method "{method}": which calls are made once, and which again for each y? Your counts are {before} and {after}.',
        "lesson24",
    ).format(method=method, before=before, after=after)
    return a.behave(misplaced == 0, "", words, half=False)


def as_numbers(xs: object) -> object:
    """A list or tuple of single numbers as one array; anything else as it is."""
    if type(xs) not in (list, tuple):
        return xs
    single = [require_real_array(one, "solve_by") for one in xs]  # type: ignore[attr-defined]
    return np.array([one.item() for one in single]) if all(one.size == 1 for one in single) else xs


def tables_4(rng: np.random.Generator) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[int, int]]]:
    """Two tables in which no constant choice and none of CHOICES name the same methods."""
    while True:
        first, second = table_4(rng), table_4(rng)
        if all(choice(first) != choice(second) for choice in CHOICES.values()):
            return first, second


def table_4(rng: np.random.Generator) -> dict[str, tuple[int, int]]:
    """Costs at which one method is cheapest for one query and another for many; no two cost the same."""
    while True:
        once = np.r_[0, rng.integers(5, 60), rng.integers(200, 900)]
        later = np.r_[rng.integers(60, 200), rng.integers(10, 50), rng.integers(0, 5)]
        names = rng.permutation(list(METHODS))
        table = {str(names[k]): (int(once[k]), int(later[k])) for k in range(len(names))}
        costs = [sorted(cost(table, n).values()) for n in QUERIES]
        if all(one[0] < one[1] for one in costs) and len({choice(table) for choice in CHOICES.values()}) == len(
            CHOICES
        ):
            return {method: table[method] for method in METHODS}


def cost(table: dict[str, tuple[int, int]], n: int) -> dict[str, int]:
    """What n queries cost by each method."""
    return {method: once + n * later for method, (once, later) in table.items()}


def best(table: dict[str, tuple[int, int]], n: int) -> str:
    """The method that asks least for n queries."""
    costs = cost(table, n)
    return min(costs, key=lambda method: costs[method])


CHOICES: dict[str, Callable[[dict[str, tuple[int, int]]], str]] = {
    "only-the-later-calls": lambda table: min(table, key=lambda method: table[method][1]),
    "only-the-calls-once": lambda table: min(table, key=lambda method: table[method][0]),
    "n-changes-nothing": lambda table: min(table, key=lambda method: sum(table[method])),
}
"""Choices that do not depend on n, by their misconception."""


def cheapest_4(a: AttemptEvaluation, *tables: dict[str, tuple[int, int]]) -> CheckScript:
    """Judge the answers to some tables, for few queries and many."""
    answers: list[list[object]] = []
    for table in tables:
        answers.append([])
        for n in QUERIES:
            reply = yield Call("cheapest", (table, n))
            answers[-1].append(reply.value)
            if not (isinstance(reply.value, str) and reply.value in METHODS):
                raise LearnerCodeError(
                    translate("cheapest is to return the name of a method, one of {names}.", "lesson24").format(
                        names=", ".join(METHODS)
                    )
                )
    ideas = {
        idea
        for idea, choice in CHOICES.items()
        if all(set(given) == {choice(table)} for table, given in zip(tables, answers, strict=True))
    }
    if len({str(answer) for given in answers for answer in given}) == 1:
        ideas = {"one-method-for-all"}
    for table, given in zip(tables, answers, strict=True):
        wrong = [(n, str(said)) for n, said in zip(QUERIES, given, strict=True) if said != best(table, n)]
        if wrong:
            n, said = wrong[0]
            k = cost(table, n)[said]
            words = translate("For n = {n}, {method} takes {k} calls, and {better} takes fewer.", "lesson24").format(
                n=n, method=said, k=k, better=best(table, n)
            )
            a.fail(ideas, words, n=n, method=said, k=k)


QUESTION = Question(
    id="val-3",
    points=3,
    title="Three methods, and their calls",
    text="""F increases, and `solve_by(method, F, dF, ys)` finds an x with F(x) = y, −0.9 < x < 0.9, for each of several `ys`. The method is one of three:

- `"solver"`: error below 1e-9, by any way of solving, such as Newton's method inside a bracket (lesson 21); it alone may use the derivative `dF`;
- `"model"`: error below 0.05, from pairs (x, F(x)) that you ask for yourself, with x between −1 and 1; `np.interp` is model enough;
- `"values"`: error below 1e-6, Newton's method with differences of F in place of `dF`.

Return `(xs, once, later)`: the answers, how many values of F were asked for before the first y was used, and how many for the ys. F works entry by entry here, so
an array of 200 numbers asks for 200 values. `cheapest(table, n)` gets `{method: (once, later for each y)}` and returns the method with the fewest calls of F for n values of y.""",
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
        "one-method-for-all": "The same method was chosen for every n. For n = {n}, {method} takes {k} calls, and another takes fewer.",
        "only-the-later-calls": "The method with the fewest later calls was chosen for every n. For n = {n}, {method} takes {k} calls, because the calls made once count too.",
        "only-the-calls-once": "The method with the fewest calls made once was chosen for every n. For n = {n}, {method} takes {k} calls: the later calls are made again for each y.",
        "n-changes-nothing": "The smallest once + later was chosen for every n. For n = {n}, {method} takes {k} calls. Only the later calls are made n times.",
    },
    hints=(
        "Run all three on one box first, and look at how often they call F.",
        "Count where F is called: a small function around it adds np.size(x) to a total. What does a trained model ask for one more y?",
        "n values of y take once + n · later calls: `min(table, key=lambda m: table[m][0] + n * table[m][1])`",
    ),
    example=lambda rng: _example_4(shared.IncreasingCubic.example(rng)),
    thorough=thorough,
)


def _example_4(box: shared.IncreasingCubic) -> dict[str, object]:
    return {
        **box.functions(),
        "ys": box(np.array([-0.5, 0.25])).round(3),
        "table": {"solver": (0, 40), "model": (200, 0), "values": (0, 12)},
    }
