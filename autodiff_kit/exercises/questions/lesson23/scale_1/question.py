"""scale-1: How long are Adam's steps?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import misconceptions, solution

__all__ = ["QUESTION"]


def inputs(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Gradients of one weight; the first is never 0, and the signs change."""
    for size, scale in ((3, 1.0), (8, 1.0), (12, 1000.0)):
        gradients = scale * rng.normal(size=size)
        gradients[0] = scale * (1 + rng.random())
        gradients[1] = -0.3 * gradients[0]
        yield gradients, float(rng.choice((0.8, 0.9))), float(rng.choice((0.99, 0.999)))


def always_one(gradients: Any, b1: float, b2: float) -> Any:
    """Every step has the size of the learning rate."""
    return np.ones(len(gradients))


def relative_to_the_first(gradients: Any, b1: float, b2: float) -> dict[str, object]:
    sizes = solution.relative_steps(gradients, b1, b2)
    return {"second": float(sizes[1]), "largest": float(np.abs(gradients).max())}


_MISTAKES = misconceptions.sizes_with_mistake

QUESTION = comparison_question(
    id="scale-1",
    points=2,
    title="How long are Adam's steps?",
    text="""One weight gets a list of gradients, the first of them not 0. For each step, give its size divided by the learning rate:
|step| / lr, an array with one number per gradient. The slots start at 0, and `eps` is 0.""",
    starter='def relative_steps(gradients, b1, b2):\n    """|step| / lr of Adam for each gradient of the list."""\n    ...\n',
    solution=solution.relative_steps,
    inputs=inputs,
    misconceptions=(
        Misconception(
            "always-the-learning-rate",
            always_one,
            "Only the first step must have the size of lr. Here the second gradient has the other sign: its step is {second} of lr.",
        ),
        Misconception(
            "v-is-not-corrected",
            partial(_MISTAKES, v_corrected=False),
            "m is corrected, v is not, so the first steps are too long. Which division is missing?",
        ),
        Misconception(
            "m-is-not-corrected",
            partial(_MISTAKES, m_corrected=False),
            "v is corrected, m is not, so the first steps are too short. Which division is missing?",
        ),
        Misconception(
            "no-bias-correction",
            partial(_MISTAKES, m_corrected=False, v_corrected=False),
            "Neither m nor v is corrected. With both corrections the first entry is 1.",
        ),
        Misconception(
            "mean-of-sizes",
            partial(_MISTAKES, of_sizes=True),
            "m is the mean of the gradients with their signs, not of their sizes. Gradients of different signs cancel in m.",
        ),
        Misconception(
            "not-divided-by-the-root",
            partial(_MISTAKES, divided=False),
            "Your sizes grow with the gradients (the largest is {largest}). Adam divides m by the root of v.",
        ),
    ),
    hints=(
        "What is left of the update rule when lr and eps are taken away?",
        "Keep m and v from step to step; correct copies of them in each step, with t = 1, 2, …",
        "`abs(m / (1 - b1**t)) / np.sqrt(v / (1 - b2**t))` after the updates of m and v.",
    ),
    facts=relative_to_the_first,
)
