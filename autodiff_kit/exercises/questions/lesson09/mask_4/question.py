"""mask-4: The gradient with respect to padded scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question
from autodiff_kit.exercises.withheld import DERIVATIVES

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
    title="The gradient with respect to padded scores",
    text="""In the design *zero after*, the output y is the sum of p·v over the kept positions, where p is the softmax of all scores. Write `leak`: an
array with the gradient of y with respect to each *padded* score, and 0 at the kept positions. (In section 2 of the lesson, it is −5.6 at the padding.)""",
    without=DERIVATIVES,
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
            "All entries are 0. The padded weight is 0, but the padded score is still part of Z, which divides every kept weight.",
        ),
        Misconception(
            "forgets-the-mask",
            misconceptions.slope_without_mask,
            "That is the gradient of a layer without a mask. Here the padded value is not part of y.",
        ),
        Misconception(
            "formula-of-a-kept-position",
            misconceptions.slope_of_a_kept_position,
            "That is p·(v − y), the gradient at a kept position. At a padded one, v = {v} has the weight 0 and is not part of y.",
        ),
        Misconception(
            "y-over-all-positions",
            misconceptions.output_over_all,
            "The y in your result is a sum over all positions. In this design the padded weights are 0: which positions does y contain?",
        ),
        Misconception(
            "own-value",
            misconceptions.slope_of_own_value,
            "The padded value {v} is in your result, but it is multiplied by 0 in y. Which factors of y contain the padded score?",
        ),
        Misconception(
            "sign",
            lambda *given: -solution.leak(*given),
            "The sign is reversed. A higher padded score makes Z larger; what happens to the kept weights?",
        ),
        Misconception(
            "divides-by-the-kept-sum",
            misconceptions.divided_by_kept_sum,
            "The result is divided by the sum of the kept weights. Nothing is renormalised in this design.",
        ),
    ),
    hints=(
        "Which factors of y contain the padded score?",
        "Only Z. How does 1/Z change with the padded score?",
        "−p_pad · Σ kept p v.",
    ),
    example=lambda rng: {
        "scores": rng.normal(size=4).round(2),
        "keep": np.array([True, True, True, False]),
        "values": (rng.normal(size=4) * 10).round(0),
    },
)
