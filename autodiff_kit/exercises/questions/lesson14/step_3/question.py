"""step-3: The gradient, read back from two steps."""

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
    title="Read the gradient back",
    text="""Somebody trains with momentum: v becomes b·v − lr·g, and w moves by v. You see only the weights, so that you know two steps that followed each
other, `d0` and then `d1`. Give the gradient that made the second one.""",
    starter='''def gradient_from_steps(d0, d1, lr, b):
    """The gradient behind the step d1, which followed the step d0."""
    ...
''',
    solution=solution.gradient_from_steps,
    inputs=inputs,
    misconceptions=(
        Misconception(
            "step-is-the-gradient", lambda d0, d1, lr, b: -d1 / lr, "The step still carries {b} of the one before."
        ),
        Misconception(
            "difference-of-steps", lambda d0, d1, lr, b: (d0 - d1) / lr, "The old step counts b times, not once."
        ),
        Misconception("sign", lambda d0, d1, lr, b: (d1 - b * d0) / lr, "A step goes against its gradient."),
        Misconception("forgets-the-rate", lambda d0, d1, lr, b: b * d0 - d1, "Still lr times too small."),
    ),
    hints=(
        "Write the update down: what is d1 made of?",
        "d1 = b·d0 − lr·g. Solve for g.",
        "`(b * d0 - d1) / lr`",
    ),
    example=lambda rng: {"d0": rng.normal(size=2).round(2), "d1": rng.normal(size=2).round(2), "lr": 0.1, "b": 0.9},
)
