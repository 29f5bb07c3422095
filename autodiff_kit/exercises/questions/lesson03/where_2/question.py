"""where-2: What cond and where record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.exercises.compare import format_value, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

SOURCES, WAYS = ("a", "b", "p"), ("cond", "where")
Gradients = list[float | None]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for p in (float(rng.uniform(1, 3)), -float(rng.uniform(0.1, 3)), 0.0, float(rng.uniform(0.1, 0.9))):
        x, y = (float(one) for one in rng.uniform(0.5, 2, size=2) * rng.choice([-1.0, 1.0], size=2))
        reply = yield Call("branches", (p, x, y))
        if a.warned(reply):
            continue
        answers = unpack_tuple(reply, "branches", (translate("by cond", "lesson03"), translate("by where", "lesson03")))
        bad = [(way, one) for way, one in zip(WAYS, answers, strict=True) if not is_triple(one)]
        if bad:
            way, answer = bad[0]
            text = translate("For {way}, a tuple (da, db, dp) is expected; got {got}.", "lesson03")
            a.fail(set(), text.format(way=way, got=format_value(answer)))
            continue
        by_taken = {"a": gradients("a", 2 * x), "b": gradients("b", 3 * y * y)}
        judge_2(a, p, answers, by_taken)  # type: ignore[arg-type]


def gradients(taken: str, slope: float) -> list[Gradients]:
    """The gradients by cond and by where, if the side ``taken`` was chosen."""
    return [[slope if s == taken else None if s == "p" or way == "cond" else 0.0 for s in SOURCES] for way in WAYS]


def is_triple(answer: object) -> bool:
    return type(answer) in (tuple, list) and len(answer) == 3  # type: ignore[arg-type]


def same(got: object, want: float | None) -> bool:
    return got is None if want is None else values_close(got, want, 1e-10)


def agree(answers: Sequence[Sequence[object]], want: list[Gradients]) -> bool:
    return all(same(g, w) for got, wanted in zip(answers, want, strict=True) for g, w in zip(got, wanted, strict=True))


def judge_2(
    a: AttemptEvaluation, p: float, answers: Sequence[Sequence[object]], by_taken: dict[str, list[Gradients]]
) -> None:
    """Judge all six gradients together, so that an idea that shows in several of them has one name."""
    taken, other = ("a", "b") if p > 0 else ("b", "a")
    want = by_taken[taken]
    if agree(answers, want):
        return
    if agree(answers, by_taken[other]):
        a.fail({"other-branch"}, p=p, taken=taken)
    elif agree(answers[::-1], want):
        a.fail({"ways-swapped"})
    else:
        faults = [fault for fault in map(fault_of, *flat(answers, want)) if fault]
        found = set(faults)
        if {"gradient-of-the-condition", "zero-for-the-branch-not-run"} == found:
            found = {"zero-for-None"}
        text = difference(answers, want)
        if len(found) > 1 and "" not in found:
            text += " " + " ".join(translate(MESSAGES[name], "lesson03") for name in sorted(found))
        a.fail(found - {""} if len(found) == 1 else set(), text)


def flat(answers: Sequence[Sequence[object]], want: list[Gradients]) -> tuple[list[object], ...]:
    """Source, way, gradient found and gradient wanted of all six places, as four lists."""
    places = [(s, way) for way in WAYS for s in SOURCES]
    found, wanted = [g for one in answers for g in one], [w for one in want for w in one]
    return [s for s, _ in places], [way for _, way in places], found, list(wanted)


def fault_of(source: object, way: object, got: object, want: object) -> str | None:
    """The misconception that one gradient shows; None where it is right, an empty name where none explains it."""
    if same(got, want):  # type: ignore[arg-type]
        return None
    if source == "p":
        return "gradient-of-the-condition"
    if want is None:
        return "zero-for-the-branch-not-run" if values_close(got, 0.0, 0.0) else "both-sides-run"
    return "where-gives-None" if got is None and way == "where" and values_close(want, 0.0, 0.0) else ""


def difference(answers: Sequence[Sequence[object]], want: list[Gradients]) -> str:
    """The first gradient that is wrong, in words."""
    rows = zip(*flat(answers, want), strict=True)
    source, way, got, wanted = next(row for row in rows if not same(row[2], row[3]))
    text = translate("With {way}, the gradient of y with respect to {source} is {wanted}; you gave {got}.", "lesson03")
    return text.format(way=way, source=source, wanted=format_value(wanted), got=format_value(got))


MESSAGES = {
    "zero-for-None": "You gave 0 where the tape gives None. cond did not run the other branch, and p only decides: in both cases no path leads to the variable.",
    "zero-for-the-branch-not-run": "With cond, you gave 0 for the branch that was not run. Nothing of that branch was recorded, so no path leads to its variable.",
    "where-gives-None": "With where, you gave None for the side that was not chosen. where computed that side too, so a path leads to its variable.",
    "gradient-of-the-condition": "You gave a gradient with respect to p. The condition p > 0 is true or false, so no path leads through it.",
    "both-sides-run": "With cond, you gave a slope for the branch that was not run. cond calls only one of the two functions.",
    "other-branch": "For p = {p} you gave the gradients of the other branch. The condition is p > 0, and here the branch of {taken} is chosen.",
    "ways-swapped": "Your two triples stand in the wrong order: cond first, then where.",
}

QUESTION = Question(
    id="where-2",
    points=2,
    title="What cond and where record",
    text="""Let y = a² if p > 0, and y = b³ otherwise. Write `branches(p, a, b)`: make variables of the three numbers, compute y with `ak.cond` and once more
with `ak.where`, and return what a tape gives for the gradients of y with respect to `a`, `b` and `p`, first for cond and then for where. Each gradient is a number (0 is one) or `None`.""",
    writes=("branches",),
    starter='''def branches(p, a, b):
    """Gradients of y: return ((da, db, dp) for cond, (da, db, dp) for where)."""
    ...
''',
    check=check,
    messages=MESSAGES,
    hints=(
        "Which operations does a tape record when `cond` runs, and which when `where` runs?",
        "Ask the tape instead of working it out: one y for each, and `tape.gradient` with a list of the three variables.",
        "`y = ak.cond(p > 0, lambda: a**2, lambda: b**3)` or `y = ak.where(p > 0, a**2, b**3)`, then `tape.gradient(y, [a, b, p])`.",
    ),
    example=lambda rng: {
        "p": round(float(rng.normal()), 2),
        "a": round(float(rng.uniform(0.5, 2)), 2),
        "b": round(float(rng.uniform(0.5, 2)), 2),
    },
)
