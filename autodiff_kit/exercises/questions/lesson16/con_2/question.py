"""con-2: The minimum with a penalty."""

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
    for lam, farthest in ((1.0, 0.2), (9.0, 3.0), (99.0, 0.2)):  # c close to b, too: b decides, and nothing near it
        slope, bound = float(rng.uniform(0.5, 3)), float(rng.choice((-1, 1)) * rng.uniform(0.25, 1))
        beyond, within = rng.uniform(farthest / 4, farthest), rng.uniform(farthest / 4, farthest)
        for inside, c in ((False, bound + float(beyond)), (True, bound - float(within))):
            reply = yield Call("penalised", (slope, c, bound, lam))
            if a.warned(reply):
                continue
            want = right(slope, c, bound, lam)
            heavier, lighter = (right(slope, c, bound, weight * lam) for weight in (2, 0.5))
            mistaken = {
                "pulls-inside-too": (slope * c + lam * bound) / (slope + lam),
                "bound-in-both-cases": bound,
            }
            if not inside:
                got = require_real_array(reply.value, "penalised")
                mistaken = {
                    "a-penalty-enforces": bound,
                    "never-constrained": c,
                    "a-is-missing": (c + lam * bound) / (1 + lam),
                    "formula-of-the-example": bound + 1 / (1 + lam),
                    "weights-swapped": (slope * bound + lam * c) / (slope + lam),
                    "halves-mixed-up": misconceptions.closest_value(got, heavier, lighter),
                }
            facts = {"w": want, "b": bound}
            a.case(reply.value, want, mistaken, tol=1e-10, facts=facts)


QUESTION = Question(
    id="con-2",
    points=2,
    title="The minimum with a penalty",
    text="""The loss is least at c, and the weight should not be larger than b. Give the w at which the sum

$$\\tfrac12 a\\,(w - c)^2 + \\tfrac12\\lambda \\max(0, w - b)^2$$

is least, for numbers a > 0 and λ > 0, exactly and without a loop. c may be larger than b or smaller. `lam` is λ.""",
    writes=("penalised",),
    starter='''def penalised(a, c, b, lam):
    """The w at which a(w - c)²/2 + lam·max(0, w - b)²/2 is least."""
    ...
''',
    check=check,
    messages={
        "a-penalty-enforces": "You gave the bound {b}, and {w} is expected. At the bound the slope of the penalty is still 0.",
        "pulls-inside-too": "For c < b the penalty is 0 near c, so it does not move the minimum.",
        "never-constrained": "You gave c, the minimum without the penalty. For c > b the penalty moves it.",
        "bound-in-both-cases": "For c < b you gave b. There c is allowed already, and both terms are least at c.",
        "a-is-missing": "The factor a is missing: the slope of the loss is a·(w − c).",
        "formula-of-the-example": "b + 1/(1 + λ) holds only for a = 1 and c = b + 1. Set the slope of this sum to 0.",
        "halves-mixed-up": "Both terms have the factor ½; one of yours counts twice as much.",
        "weights-swapped": "The two factors are exchanged: a belongs to c, λ to b.",
    },
    hints=(
        "At the minimum the slope of the sum is 0. What is the slope of each term?",
        "There are two cases: c ≤ b and c > b.",
        "`(a*c + lam*b) / (a + lam)` if c > b, else `c`.",
    ),
    example=lambda rng: {"a": 1.0, "c": round(float(rng.uniform(1.5, 3)), 2), "b": 1.0, "lam": 9.0},
)
