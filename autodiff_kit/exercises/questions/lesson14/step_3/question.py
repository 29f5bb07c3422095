"""step-3: The gradient, read back from two steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import Attempt
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import Script

__all__ = ["QUESTION"]


def check(a: Attempt, rng: np.random.Generator) -> Script:
    for _ in range(3):
        lr, b = float(rng.choice([0.05, 0.1])), float(rng.choice([0.8, 0.9]))
        d0, g = rng.normal(size=(2, 4))
        d1 = b * d0 - lr * g
        reply = yield Call("gradient_from_steps", (d0, d1, lr, b))
        if a.warned(reply):
            continue
        mistaken = {
            "step-is-the-gradient": -d1 / lr,
            "difference-of-steps": (d0 - d1) / lr,
            "sign": -g,
            "forgets-the-rate": lr * g,
        }
        want = solution.gradient_from_steps(d0, d1, lr, b)
        a.case(reply.value, want, mistaken, tol=1e-10, facts={"b": b})


QUESTION = Question(
    id="step-3",
    points=2,
    title="Read the gradient back",
    text="""Somebody trains with momentum: v becomes b·v − lr·g, and w moves by v. You see only the weights, so that you know two steps that followed each
other, `d0` and then `d1`. Give the gradient that made the second one.""",
    writes=("gradient_from_steps",),
    starter='''def gradient_from_steps(d0, d1, lr, b):
    """The gradient behind the step d1, which followed the step d0."""
    ...
''',
    check=check,
    messages={
        "step-is-the-gradient": "The step still carries {b} of the one before.",
        "difference-of-steps": "The old step counts b times, not once.",
        "sign": "A step goes against its gradient.",
        "forgets-the-rate": "Still lr times too small.",
    },
    hints=(
        "Write the update down: what is d1 made of?",
        "d1 = b·d0 − lr·g. Solve for g.",
        "`(b * d0 - d1) / lr`",
    ),
    example=lambda rng: {"d0": rng.normal(size=2).round(2), "d1": rng.normal(size=2).round(2), "lr": 0.1, "b": 0.9},
)
