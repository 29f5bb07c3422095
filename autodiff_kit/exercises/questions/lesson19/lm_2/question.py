"""lm-2: One damped step that does not depend on units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
UNITS = np.array([1.0, 100.0, 0.01])
"""What each column is multiplied by; a step in its own units is then of size 1."""


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for lam in (0.0, 1e-3, 10.0):
        J, r = rng.normal(size=(9, 3)) * UNITS, rng.normal(size=9)
        reply = yield Call("lm_step", (J, r, lam))
        if a.warned(reply):
            continue
        got = require_real_array(reply.value, "lm_step")
        want = solution.lm_step(J, r, lam)
        own = got * UNITS if got.shape == want.shape else got
        mistaken = {name: step * UNITS for name, step in wrong_steps(J, r, lam, want).items()}
        a.case(
            own,
            want * UNITS,
            mistaken,
            tol=1e-7,
            of=translate("The step for lam = {lam:g}, each entry in its own unit", "lesson19").format(lam=lam),
            facts={"lam": lam},
        )


def wrong_steps(J: Array, r: Array, lam: float, want: Array) -> dict[str, Array]:
    """What each misconception gives; without damping some of them are right."""
    found = {"uphill": -want, "gradient-step": -J.T @ r, "twice": 2 * want, "half": want / 2}
    if lam:
        found["damps-by-the-identity"] = misconceptions.damped_step(J, r, lam, np.ones(3))
        A = J.T @ J
        found["damps-every-entry"] = np.linalg.solve((1 + lam) * A, -J.T @ r)
        found["diagonal-as-a-vector"] = np.linalg.solve(A + lam * np.diag(A), -J.T @ r)
        found["forgets-the-damping"] = misconceptions.marquardt_step(J, r, 0.0)
    return found


QUESTION = Question(
    id="lm-2",
    points=3,
    title="One damped step that does not depend on units",
    text="""Residuals `r` (m of them) have the Jacobian `J` (m × p). Return the Levenberg-Marquardt step h, which solves
(JᵀJ + lam·D) h = −Jᵀr, where D is the diagonal of JᵀJ, written as a diagonal matrix. The columns of J may be as
different in size as a metre and a millimetre make them; `lam` may be 0.""",
    writes=("lm_step",),
    starter='''def lm_step(J, r, lam):
    """The step of a fit, damped by lam times the diagonal of JᵀJ."""
    ...
''',
    check=check,
    messages={
        "uphill": "This is −h, a step that raises the cost. Look at the sign of the right side.",
        "damps-by-the-identity": "lam was added to each diagonal entry of JᵀJ, so the step depends on the units of the parameters. Multiply lam by the diagonal.",
        "forgets-the-damping": "This is the undamped step, and lam = {lam}.",
        "damps-every-entry": "Every entry of JᵀJ was multiplied by 1 + lam. Only the diagonal is damped.",
        "diagonal-as-a-vector": "The diagonal was added as a vector, and so to every row of JᵀJ. D is a matrix, 0 outside of its diagonal.",
        "twice": "The step is twice as long as expected. A factor 2 stands on one side of the equations only, or on the wrong side.",
        "half": "The step is half as long as expected. A factor 2 stands on one side of the equations only, or on the wrong side.",
        "gradient-step": "This is −Jᵀr, a step along the gradient. Solve the system with JᵀJ + lam·D on the left.",
    },
    hints=(
        "What would the step be without damping? Write its equations first.",
        "The damping changes the diagonal of JᵀJ only. By which entries?",
        "`np.linalg.solve(A + lam * np.diag(np.diag(A)), -J.T @ r)`",
    ),
    example=lambda rng: {
        "J": (rng.normal(size=(4, 2)) * [1.0, 100.0]).round(2),
        "r": rng.normal(size=4).round(2),
        "lam": 0.1,
    },
)
