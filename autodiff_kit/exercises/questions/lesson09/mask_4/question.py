"""mask-4: How much leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["QUESTION"]


def inputs(rng: np.random.Generator) -> Iterator[tuple[np.ndarray, ...]]:
    for _ in range(4):
        n = int(rng.integers(3, 9))
        keep = shared.random_masks(rng, (n,))
        yield rng.normal(size=n), keep, rng.normal(size=n) * 10


QUESTION = comparison_question(
    id="mask-4",
    points=2,
    title="How much leaks",
    text="""With zeroing after the softmax, the output is Σ kept p·v. Write its gradient with respect to each *padded* score, and 0 at the kept
ones. (In the lesson's case the padded score gets −5.6.)""",
    starter='''def leak(scores, keep, values):
    """The gradient of the zero-after output with respect to the padded scores; 0 at the kept ones."""
    ...
''',
    solution=solution.leak,
    inputs=inputs,
    facts=lambda scores, keep, values: {"v": float(values[np.argmax(~keep)])},
    misconceptions=(
        Misconception(
            "zeroed-so-nothing-flows",
            lambda scores, keep, values: np.zeros(len(scores)),
            "The padded weight is gone, but its score still stands in the sum that divides all the others.",
        ),
        Misconception(
            "forgets-the-mask",
            misconceptions.slope_without_mask,
            "That is the slope if the padding were kept. Its value never reaches the output.",
        ),
        Misconception(
            "own-value", misconceptions.slope_of_own_value, "Its own value {v} plays no part: it was multiplied by 0."
        ),
        Misconception(
            "sign", lambda *given: -solution.leak(*given), "More score for the padding means less for the rest."
        ),
        Misconception(
            "divides-by-the-kept-sum",
            misconceptions.divided_by_kept_sum,
            "You renormalised first; then the leak is exactly 0.",
        ),
    ),
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
