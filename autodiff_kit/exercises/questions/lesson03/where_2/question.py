"""where-2: One branch recorded, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.exercises.compare import format_value
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

if TYPE_CHECKING:
    import numpy as np

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

SOURCES = ("a", "b", "p")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for p in (float(rng.uniform(0.5, 3)), -float(rng.uniform(0.5, 3)), 0.0):
        x, y = (float(one) for one in rng.uniform(0.5, 2, size=2) * rng.choice([-1.0, 1.0], size=2))
        reply = yield Call("branches", (p, x, y))
        if a.warned(reply):
            continue
        taken, slope = ("a", 2 * x) if p > 0 else ("b", 3 * y * y)
        answers = unpack_tuple(reply, "branches", ("by cond", "by where"))
        for way, answer in zip(("cond", "where"), answers, strict=True):
            judge_2(a, way, answer, taken, slope)


def judge_2(a: AttemptEvaluation, way: str, answer: object, taken: str, slope: float) -> None:
    """Judge the three gradients of one way of choosing."""
    if type(answer) not in (tuple, list) or len(answer) != 3:  # type: ignore[arg-type]
        a.fail(set(), f"By {way}, three gradients are asked for, (da, db, dp); {format_value(answer)} came.")
        return
    for source, got in zip(SOURCES, answer, strict=True):  # type: ignore[call-overload]
        want = slope if source == taken else None if source == "p" or way == "cond" else 0.0
        name = f"The gradient of {source} by {way}"
        if want is None:
            idea = "gradient-of-the-condition" if source == "p" else "zero-for-the-branch-not-run"
            if got is not None:
                a.fail({idea}, f"{name} is {format_value(got)}, expected None.")
        elif got is None:
            a.fail(
                {"where-gives-None"} if source != taken else set(), f"{name} is None, expected {format_value(want)}."
            )
        else:
            a.case(got, want, tol=1e-10, of=name)


QUESTION = Question(
    id="where-2",
    points=2,
    title="One branch recorded, or both",
    text="""y is a² if p > 0, else b³. Choose with `ak.cond`, and once more with `ak.where`, and give what a tape says: the gradients of
y with respect to `a`, `b` and `p`, each of them a number, 0 or `None`. All three come in as numbers; make variables of them, `p` as well, and record.""",
    writes=("branches",),
    starter='''def branches(p, a, b):
    """The gradients of y: give back ((da, db, dp) by cond, (da, db, dp) by where)."""
    ...
''',
    check=check,
    messages={
        "zero-for-the-branch-not-run": "It was never recorded: None. cond ran one branch only.",
        "where-gives-None": "where ran both sides: the one that was not chosen gets 0, since a path leads there.",
        "gradient-of-the-condition": "A choice has no slope: p only decides, and no path leads through a truth value.",
    },
    hints=(
        "What was recorded?",
        "cond runs one side.",
        "Print both: `tape.gradient(ak.cond(p > 0, lambda: a**2, lambda: b**3), [a, b, p])`, then `ak.where(p > 0, a**2, b**3)`.",
    ),
    example=lambda rng: {
        "p": round(float(rng.normal()), 2),
        "a": round(float(rng.uniform(0.5, 2)), 2),
        "b": round(float(rng.uniform(0.5, 2)), 2),
    },
)
