"""step-3: The gradient from two steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import solution

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["QUESTION"]


def inputs(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    for _ in range(3):
        lr, b = float(rng.choice([0.05, 0.1])), float(rng.choice([0.8, 0.9]))
        d0, g = rng.normal(size=(2, 4))
        yield d0, b * d0 - lr * g, lr, b


QUESTION = comparison_question(
    id="step-3",
    points=2,
    title="The gradient from two steps",
    text="""A model is trained with momentum: u becomes b·u + g, and w moves by −lr·u. You see only the weights, so you know two
steps in a row, `d0` and then `d1`. Give the gradient g of the second step.""",
    starter='''def gradient_from_steps(d0, d1, lr, b):
    """The gradient of the step d1, which came right after the step d0."""
    ...
''',
    solution=solution.gradient_from_steps,
    inputs=inputs,
    misconceptions=(
        Misconception(
            "step-is-the-gradient",
            lambda d0, d1, lr, b: -d1 / lr,
            "−d1/lr is right for plain SGD. Here d1 also contains {b} of the step before.",
        ),
        Misconception(
            "difference-of-steps",
            lambda d0, d1, lr, b: (d0 - d1) / lr,
            "You subtracted d1 from the whole d0. Which part of d0 is in d1?",
        ),
        Misconception(
            "sign", lambda d0, d1, lr, b: (d1 - b * d0) / lr, "The sign is wrong: a step goes against its gradient."
        ),
        Misconception(
            "old-step-added",
            lambda d0, d1, lr, b: -(b * d0 + d1) / lr,
            "The sign of {b}·d0 is wrong: d1 = {b}·d0 − lr·g. Solve this for g.",
        ),
        Misconception(
            "divided-by-one-minus-b",
            lambda d0, d1, lr, b: (b * d0 - d1) / (lr * (1 - b)),
            "You divided by 1 − {b} as well. In this rule the slot adds up gradients: u takes the whole g, not (1 − {b})·g.",
        ),
        Misconception(
            "forgets-the-rate",
            lambda d0, d1, lr, b: b * d0 - d1,
            "This is lr·g, with lr = {lr}. The question asks for g.",
        ),
    ),
    hints=(
        "The slots before and after are −d0/lr and −d1/lr. How does the rule connect them?",
        "Write d1 with d0 and g, then solve for g.",
        "`(b * d0 - d1) / lr`",
    ),
    example=lambda rng: {"d0": rng.normal(size=2).round(2), "d1": rng.normal(size=2).round(2), "lr": 0.1, "b": 0.9},
)
