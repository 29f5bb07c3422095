"""con-2: Where a penalty really stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    right = solution.penalised
    for lam in (1.0, 9.0, 99.0):
        slope, bound = float(rng.uniform(0.5, 3)), float(rng.uniform(-0.5, 1))
        for inside, c in ((False, bound + float(rng.uniform(0.5, 3))), (True, bound - float(rng.uniform(0.1, 1)))):
            reply = yield Call("penalised", (slope, c, bound, lam))
            if a.warned(reply):
                continue
            want = right(slope, c, bound, lam)
            heavier, lighter = (right(slope, c, bound, weight * lam) for weight in (2, 0.5))
            mistaken = {"pulls-inside-too": (slope * c + lam * bound) / (slope + lam)}
            if not inside:
                got = require_real_array(reply.value, "penalised")
                mistaken = {
                    "a-penalty-enforces": bound,
                    "never-constrained": c,
                    "halves-mixed-up": misconceptions.closest_value(got, heavier, lighter),
                }
            facts = {"w": want, "b": bound}
            a.case(reply.value, want, mistaken, tol=1e-10, facts=facts)


QUESTION = Question(
    id="con-2",
    points=2,
    title="Where a penalty really stops",
    text="""A weight is wanted at c, and should not be larger than b. Give the minimum of

$$\\tfrac12 a\\,(w - c)^2 + \\tfrac12\\lambda \\max(0, w - b)^2$$

for numbers a > 0 and λ > 0, exactly and without a loop; c may lie above b or below it. `lam` is λ.""",
    writes=("penalised",),
    starter='''def penalised(a, c, b, lam):
    """The w at which a(w - c)²/2 + lam·max(0, w - b)²/2 is least."""
    ...
''',
    check=check,
    messages={
        "a-penalty-enforces": "It stops at {w}, never at the bound {b}: there the penalty has no slope yet to hold it.",
        "pulls-inside-too": "Inside there is no penalty: with c below the bound nothing pulls.",
        "never-constrained": "That is the minimum without any penalty.",
        "halves-mixed-up": "Both terms carry a half; yours weighs one of them twice.",
    },
    hints=(
        "At the minimum the slope of the sum is 0. What is the slope of each term?",
        "Two cases: c within the bound, and c beyond it.",
        "`(a*c + lam*b) / (a + lam)` if c > b, else `c`.",
    ),
    example=lambda rng: {"a": 1.0, "c": round(float(rng.uniform(1.5, 3)), 2), "b": 1.0, "lam": 9.0},
)
