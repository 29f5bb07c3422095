"""lm-3: Keep it or not: a whole fit."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

SOLUTION = np.array([2.0, -1.0])
TOLERANCE = 1e-6
FIRST = 1e-3  # lam of the first step
ROUNDING = 1e-12  # of a cost: less is no rise


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    # From the second, both parameters fall in the first step.
    starts = (
        (1.0, 0.0),
        (rng.uniform(2.2, 2.6), -0.5),
        (0.05 * rng.uniform(0.9, 1.1), 1.0),
        (-1.0, rng.uniform(0.95, 1.05)),
    )
    for start in starts:
        curve = misconceptions.ObservedCurveFit(np.array(start))
        residual, jacobian = curve.callbacks()
        call = Call("fit", (residual, jacobian, curve.start), quiet=True, errors=("LinAlgError", "RangeError"))
        reply = yield call
        judge(a, reply, curve)


def judge(a: AttemptEvaluation, reply: CallResult, curve: misconceptions.ObservedCurveFit) -> None:
    """Say of one fit where it went wrong: by where it stood, by what it tried last, by what it gave back."""
    of = translate("The fit from ({p0:.4g}, {p1:.4g})", "lesson19").format(p0=curve.start[0], p1=curve.start[1])
    if not curve.stood:
        words = translate("{of} never asked for the Jacobian.", "lesson19").format(of=of)
        a.behave(False, text=words, half=False)
        return
    rises = [(p, q) for p, q in pairwise(curve.costs) if not q <= p * (1 + 1e-9) + ROUNDING]
    if rises:
        low, high = rises[0]
        words = translate(
            "{of} stood where the sum of squares is {low:.4g}, and then where it is {high:.4g}.", "lesson19"
        ).format(of=of, low=low, high=high)
        k = next(k for k, pair in enumerate(pairwise(curve.costs)) if pair == (low, high))
        back = curve.went_back(*curve.stood[k : k + 2])
        a.fail({"jacobian-before-the-decision" if back else "keeps-a-bad-step"}, words, a=low, b=high)
        return
    idea = idea_of_damping(curve)
    if idea is not None:
        words = translate(
            "{of} tried a first step that is not the solution of (JᵀJ + lam·D) h = −Jᵀr with lam = 0.001.", "lesson19"
        ).format(of=of)
        a.fail({idea} - {""}, words)
        return
    if not divides_by_ten(curve):
        words = translate("{of} kept its first step, and the second is not that of a tenth of lam.", "lesson19")
        a.behave(False, text=words.format(of=of), half=False)
    elif reply.error:
        a.fail(stuck(curve), translate("{of} did not end: {error}.", "lesson19").format(of=of, error=reply.error))
    elif not values_close(got := require_real_array(reply.value, "fit"), SOLUTION, TOLERANCE):
        a.fail(
            stuck(curve),
            translate("{of} gave back {got}; expected [2, -1].", "lesson19").format(
                of=of, got=np.array2string(got, precision=6)
            ),
        )
    else:
        a.case(got, SOLUTION, tol=TOLERANCE, of=of)


def idea_of_damping(curve: misconceptions.ObservedCurveFit) -> str | None:
    """The idea behind a wrong damping, from the first steps that were tried; empty if none fits, None if all is right."""
    here = curve.stood[0]
    to = curve.first_try(here)
    if to is None:
        return None
    first = curve.damping_of(here, to)
    if first is None or not np.isclose(first, FIRST):
        undamped = "no-damping" if first == 0 else ""
        return "damps-by-the-identity" if np.isclose(curve.damping_of(here, to, scaled=False) or 0, FIRST) else undamped
    if len(curve.stood) > 1 and (then := curve.first_try(curve.stood[1])) is not None:
        kept, next_one = curve.damping_of(here, curve.stood[1]), curve.damping_of(curve.stood[1], then)
        if kept and next_one and next_one > 1.5 * kept:
            return "damping-grows-after-success"
    return None


def divides_by_ten(curve: misconceptions.ObservedCurveFit) -> bool:
    """Whether the step after the first one that was kept is that of a tenth of lam, as far as there was one."""
    if len(curve.stood) < 2 or (then := curve.first_try(curve.stood[1])) is None:
        return True
    kept, next_one = curve.damping_of(*curve.stood[:2]), curve.damping_of(curve.stood[1], then)
    return kept is None or (next_one is not None and bool(np.isclose(next_one, kept / 10)))


def stuck(curve: misconceptions.ObservedCurveFit) -> set[str]:
    """What the tries tell that came after the last step that was kept, and were all refused."""
    far = curve.refused
    if len(far) == 1:
        return {"stops-on-rejection"}
    shrinks = any(q < 0.99 * p for p, q in pairwise(far))
    return {"damping-only-falls"} if len(far) > 1 and not shrinks else set()


QUESTION = Question(
    id="lm-3",
    points=3,
    title="Keep it or not: a whole fit",
    text="""Fit two parameters: `residual(p)` gives 20 residuals, `jacobian(p)` their (20, 2) Jacobian. From `p0`, take steps h that solve
(JᵀJ + lam·D) h = −Jᵀr, with D the diagonal of JᵀJ and lam = .001 at first. If the sum of squares falls, the step is kept and lam is
divided by 10; if not, you stay, lam grows tenfold, and you try again. Call `jacobian` only at parameters that you keep, since the check follows
your path by these calls. Return the parameters when the steps have become tiny (below 10⁻¹⁰, say); they are to be right to 10⁻⁶. Residuals may
overflow where a step goes too far, which is no failure here.""",
    writes=("fit",),
    without=("ak.optim.LevenbergMarquardt",),
    starter='''def fit(residual, jacobian, p0):
    """The parameters with the least sum of squared residuals, from p0."""
    ...
''',
    check=check,
    messages={
        "keeps-a-bad-step": "The cost rose from {a} to {b}, and the step was kept. Compare both costs before you move.",
        "jacobian-before-the-decision": "`jacobian` was called where the cost had risen from {a} to {b}, and the fit went back. Compare the costs first, and call `jacobian` only for a step that is kept.",
        "damps-by-the-identity": "lam itself was added to the diagonal of JᵀJ. Multiply lam by D, the diagonal of JᵀJ.",
        "no-damping": "The first step has no damping. Add lam·D to JᵀJ; lam is .001 at first.",
        "damping-grows-after-success": "lam grew after a step that was kept. Divide it by 10 there, and multiply it by 10 after a refused step.",
        "damping-only-falls": "After a refused step lam did not grow, so the next step is no shorter. Multiply lam by 10.",
        "stops-on-rejection": "The fit ended at a refused step. Stay, multiply lam by 10, and try again.",
    },
    hints=(
        "Compare the sum of squares at `p + step` with that at `p`, before you move.",
        "Better: move, and `lam / 10`. Not better: stay, and `lam * 10`; the Jacobian is still the same.",
        "`there = residual(p + step)`, `if there @ there < r @ r: p, r, J, lam = p + step, there, jacobian(p + step), lam / 10`, `else: lam = lam * 10`; end on `np.abs(step).max() < 1e-10`.",
    ),
    example=lambda rng: _example(np.array([rng.uniform(0.04, 0.06), 1.0]).round(4)),
)


def _example(p0: np.ndarray) -> dict[str, object]:
    curve = misconceptions.ObservedCurveFit(p0)
    return {"residual": curve.residual, "jacobian": curve.jacobian, "p0": p0}
