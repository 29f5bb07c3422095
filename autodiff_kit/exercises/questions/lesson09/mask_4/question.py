"""mask-4: How much leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import Attempt
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import Script

__all__ = ["QUESTION"]


def check(a: Attempt, rng: np.random.Generator) -> Script:
    for _ in range(4):
        n = int(rng.integers(3, 9))
        keep, scores, values = shared.masks(rng, (n,)), rng.normal(size=n), rng.normal(size=n) * 10
        reply = yield Call("leak", (scores, keep, values))
        if a.warned(reply):
            continue
        p, pad = shared.softmax(scores), ~keep
        want = solution.leak(scores, keep, values)
        mistaken = {
            "zeroed-so-nothing-flows": np.zeros(n),
            "forgets-the-mask": pad * p * (values - p @ values),
            "sign": -want,
            "divides-by-the-kept-sum": want / (p * keep).sum(),
            "own-value": pad * p * (1 - p) * values,
        }
        a.case(reply.value, want, mistaken, tol=1e-10, facts={"v": float(values[np.argmax(pad)])})


QUESTION = Question(
    id="mask-4",
    points=2,
    title="How much leaks",
    text="""With zeroing after the softmax, the output is Σ kept p·v. Write its gradient with respect to each *padded* score, and 0 at the kept
ones. (In the lesson's case the padded score gets −5.6.)""",
    writes=("leak",),
    starter='''def leak(scores, keep, values):
    """The gradient of the zero-after output with respect to the padded scores; 0 at the kept ones."""
    ...
''',
    check=check,
    messages={
        "zeroed-so-nothing-flows": "The padded weight is gone, but its score still stands in the sum that divides all the others.",
        "forgets-the-mask": "That is the slope if the padding were kept. Its value never reaches the output.",
        "own-value": "Its own value {v} plays no part: it was multiplied by 0.",
        "sign": "More score for the padding means less for the rest.",
        "divides-by-the-kept-sum": "You renormalised first; then the leak is exactly 0.",
    },
    hints=(
        "Which factors of the output contain s_pad?",
        "Only the denominator.",
        "−p_pad · Σ kept p v.",
    ),
    example=lambda rng: {
        "scores": rng.normal(size=4).round(2),
        "keep": np.array([True, True, True, False]),
        "values": (rng.normal(size=4) * 10).round(0),
    },
)
