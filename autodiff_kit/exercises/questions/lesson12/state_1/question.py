"""state-1: Six programs with an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.exercises.compare import format_value, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    import numpy as np

    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(2):
        x0, x1 = (float(rng.integers(2, 7)), float(rng.integers(2, 7)) + 0.5)
        reply = yield Call("six", (x0, x1))
        if a.warned(reply):
            return
        judge_1(a, answers_1(reply), x0, x1)


def answers_1(reply: CallResult) -> list[list[object]]:
    """Six pairs; a LearnerCodeError if the result is anything else."""
    value = reply.value
    pairs = list(value) if type(value) in (list, tuple) else []  # type: ignore[call-overload]
    if len(pairs) != len(misconceptions.PROGRAMS) or not all(
        type(one) in (list, tuple) and len(one) == 2 for one in pairs
    ):
        text = translate("six must return a list of six pairs, (value, gradient); got {got}.", "lesson12")
        raise LearnerCodeError(text.format(got=format_value(value)))
    return pairs


def agrees_1(got: object, want: float | None) -> bool:
    """Whether an answer is this number, or None where None is meant."""
    return got is None if want is None else got is not None and values_close(got, want, 1e-10)


def judge_1(a: AttemptEvaluation, answers: list[list[object]], x0: float, x1: float) -> None:
    """Judge all twelve answers together; each wrong one is explained by itself, and all of them by one idea or none."""
    wanted = [misconceptions.run_on_tape(program, x0, x1) for program in misconceptions.PROGRAMS]
    wrong = [(k, i) for k in range(len(wanted)) for i in (0, 1) if not agrees_1(answers[k][i], wanted[k][i])]
    if not wrong:
        a.behave(True)
        return
    names = [names_of(answers[k][i], k, i, x0, x1) for k, i in wrong]
    common = set.intersection(*names)
    if "assigned-has-no-gradient" in common:  # others give None for programs 5 and 6 as well
        common = {"assigned-has-no-gradient"}
    programs = sorted({k + 1 for k, _ in wrong})
    lines = []
    for (k, i), found in zip(wrong, names, strict=True):
        told = translate(
            "Program {k}, `{program}`: your gradient is {got}, expected {wanted}."
            if i
            else "Program {k}, `{program}`: your value of y is {got}, expected {wanted}.",
            "lesson12",
        ).format(k=k + 1, program=misconceptions.PROGRAMS[k], got=shown_1(answers[k][i]), wanted=shown_1(wanted[k][i]))
        reason = translate(MESSAGES[min(found)], "lesson12").partition(": ")[2] if found and not common else ""
        lines.append(f"{told} {reason}".strip())
    a.fail(common, "\n".join(lines), k=translate(" and ", "lesson12").join(map(str, programs)))


def names_of(got: object, k: int, i: int, x0: float, x1: float) -> set[str]:
    """The misconceptions that give this answer."""
    return {
        name
        for name, alternatives in misconceptions.MISTAKEN.items()
        if any(agrees_1(got, programs[k](x0, x1)[i]) for programs in alternatives)
    }


def shown_1(value: object) -> str:
    return "None" if value is None else format_value(value)


MESSAGES = {
    "assign-is-a-path": "Program {k}: an assignment stores a number. x1 does not know that the number came from x0, so no gradient goes back through x1.",
    "assigned-has-no-gradient": "Program {k}: an assignment to x0 does not remove its gradient. y is computed from readings of x0, and each of them counts.",
    "assignment-removes-all": "Program {k}: you gave None. An assignment removes nothing from the tape, and x0 is read there to compute y.",
    "stale-value": "Program {k}: the assignment comes before a reading. A reading gives the number that is stored at that moment.",
    "read-too-late": "Program {k}: the assignment comes after the reading. The tape keeps the number that was read.",
    "zero-for-None": "Program {k}: you gave 0 where no path leads from y to x0. The tape gives None.",
    "counts-one-reading": "Program {k}: x0 is read twice, before and after the assignment. The gradient is the sum over both readings.",
}

QUESTION = Question(
    id="state-1",
    points=1,
    title="Six programs with an assignment",
    text="""`x0` and `x1` are variables that hold the numbers a and b. Each of the six programs runs inside `with ak.GradientTape() as tape:`; then `tape.gradient(y, x0)` is called.

1. `x1.assign_add(x0); y = x1**2`
2. `s = x1 + x0; y = s**2; x1.assign(s)`
3. `x1.assign(x0); y = x0 * x1`
4. `y = x0 * x1; x1.assign(x0)`
5. `x0.assign(x1); y = x0**2`
6. `y = x0**2; x0.assign_add(1.0); y = y * x0`

Write `six(a, b)`: it returns a list of six pairs, the value of y and the gradient (a number or `None`), as formulas in a and b. The gradient of a variable is the sum over all its readings
on the tape. The check runs the programs with numbers of its own.""",
    writes=("six",),
    without=("ak.GradientTape",),
    starter='''def six(a, b):
    """For each of the six programs: (value of y, gradient with respect to x0)."""
    ...
''',
    check=check,
    messages=MESSAGES,
    hints=(
        "Read in order: what stands in each variable when y is computed?",
        "Which operations were recorded, and which variable was read for each of them?",
        "Replace each reading of a variable by its number at that time, mark those that are readings of x0, and differentiate with respect to the marked ones.",
    ),
    example=lambda rng: {"a": float(rng.integers(2, 7)), "b": float(rng.integers(2, 7)) + 0.5},
)
