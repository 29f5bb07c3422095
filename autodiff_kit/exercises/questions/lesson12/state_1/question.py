"""state-1: Six programs with an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.exercises.compare import format_value, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    import numpy as np

    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

WHAT = ("value", "gradient")
MISTAKEN = {"assign-is-a-path": misconceptions.AS_A_PATH, "stale-value": misconceptions.STALE}


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(2):
        x0, x1 = (float(rng.integers(2, 7)), float(rng.integers(2, 7)) + 0.5)
        reply = yield Call("six", (x0, x1))
        if a.warned(reply):
            return
        for k, (program, answer) in enumerate(zip(misconceptions.PROGRAMS, answers_1(reply), strict=True)):
            for i, (got, want) in enumerate(zip(answer, misconceptions.run_on_tape(program, x0, x1), strict=True)):
                names = {name for name, ways in MISTAKEN.items() if agrees_1(got, ways[k](x0, x1)[i])}
                judge_1(a, got, want, names, f"{k + 1}. {program}: the {WHAT[i]}")


def answers_1(reply: CallResult) -> list[list[object]]:
    """Six pairs; a LearnerCodeError if the result is anything else."""
    value = reply.value
    pairs = list(value) if type(value) in (list, tuple) else []  # type: ignore[call-overload]
    if len(pairs) != len(misconceptions.PROGRAMS) or not all(
        type(one) in (list, tuple) and len(one) == 2 for one in pairs
    ):
        raise LearnerCodeError(
            f"six is to give back a list of six pairs, (value, gradient); it gave back {format_value(value)}."
        )
    return pairs


def agrees_1(got: object, want: float | None) -> bool:
    """Whether an answer is this number, or None where None is meant."""
    return got is None if want is None else got is not None and values_close(got, want, 1e-10)


def judge_1(a: AttemptEvaluation, got: object, want: float | None, names: set[str], what: str) -> None:
    """Judge one number, or None."""
    if agrees_1(got, want):
        a.behave(True)
        return
    a.fail(
        names,
        f"{what} is {'None' if want is None else format_value(want)}, not {'None' if got is None else format_value(got)}.",
    )


QUESTION = Question(
    id="state-1",
    points=1,
    title="Six programs with an assignment",
    text="""`x0` and `x1` are variables that hold the numbers a and b. Each of the six programs runs inside `with ak.GradientTape() as tape:`, and afterwards `tape.gradient(y, x0)` is asked.

1. `x1.assign_add(x0); y = x1**2`
2. `s = x1 + x0; y = s**2; x1.assign(s)`
3. `x1.assign(x0); y = x0 * x1`
4. `y = x0 * x1; x1.assign(x0)`
5. `x0.assign(x1); y = x0**2`
6. `y = x0**2; x0.assign_add(1.0); y = y * x0`

Give a list of six pairs: the value of y, and the gradient as a number or `None`, as formulas in a and b. The gradient with respect to a variable is that of all its readings together.
The check runs the programs with numbers of its own.""",
    writes=("six",),
    starter='''def six(a, b):
    """For each of the six programs: (value of y, gradient with respect to x0)."""
    ...
''',
    check=check,
    messages={
        "assign-is-a-path": "What is assigned arrives as a number. The variable does not know where it came from, and no gradient goes back through it.",
        "stale-value": "The variable had changed before it was read: a reading gives what stands in the box now.",
    },
    hints=(
        "Read in order: what stands in each variable when y is computed?",
        "What was recorded? Only readings of x0 lead back to x0; what was put into x1 does not.",
        "Replace each reading of a variable by its number at that time, mark those that are readings of x0, and differentiate with respect to the marked ones.",
    ),
    example=lambda rng: {"a": float(rng.integers(2, 7)), "b": float(rng.integers(2, 7)) + 0.5},
)
