"""con-1: A projected step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

KNOWN = np.array([1.0, -2.0, 3.0]), np.array([2.0, 1.0, 1.0]), 1.0


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for case in range(3):
        w, g, lr = KNOWN if case == 0 else (*(rng.normal(size=(2, 6)) * 2), float(rng.choice([0.5, 0.7])))
        if case:  # one entry each: leaves, comes back by itself, is outside without a gradient, goes far inside
            w[:4], g[:4] = [0.5, -1.0, -0.5, 1.0], [3.0, -0.5, 0.0, -3.0]
        reply = yield Call("projected_step", (w, g, lr))
        if a.warned(reply):
            continue
        mistaken = {
            "projects-the-gradient": w - lr * np.maximum(g, 0),
            "projects-before": np.maximum(w, 0) - lr * g,
            "absolute-value": np.abs(w - lr * g),
            "not-projected": w - lr * g,
            "skips-the-step": np.where(w - lr * g < 0, w, w - lr * g),
        }
        outside = int(np.argmin(np.where(g == 0, w, 1.0))) if case else 1
        facts = {"w": float(w[outside]), "far": float((w - lr * g).min())}
        a.case(reply.value, solution.projected_step(w, g, lr), mistaken, tol=1e-10, facts=facts)


QUESTION = Question(
    id="con-1",
    points=2,
    title="A projected step",
    text="""Make one step of gradient descent with the constraint that no entry of w is negative: first the step with learning rate
`lr`, then the *nearest* allowed point. `w` and `g` are arrays, and `w` may have negative entries when it comes in. Return
a new array.""",
    writes=("projected_step",),
    starter='''def projected_step(w, g, lr):
    """One step against g with learning rate lr, then the nearest point with no negative entry."""
    ...
''',
    check=check,
    messages={
        "projects-the-gradient": "You projected g. Make the step with g as it is, then project w: an entry of {w} must become 0, whatever its gradient is.",
        "projects-before": "You projected before the step, so the step can lead outside again. Project after it.",
        "absolute-value": "You used the absolute value. The nearest allowed number to {far} is 0.",
        "not-projected": "The step is right, but {far} is still negative. Project after the step.",
        "skips-the-step": "Where the step leads outside, you kept the old entry. The nearest allowed number to {far} is 0.",
        "writes-into-w": "The array w that was passed in has changed. Return a new array.",
    },
    hints=(
        "Which of the two, step or projection, comes last?",
        "For each entry: which allowed number is nearest to a negative one? And to a positive one?",
        "`np.maximum(w - lr * g, 0)`",
    ),
    example=lambda rng: {"w": rng.normal(size=4).round(2), "g": rng.normal(size=4).round(2), "lr": 0.5},
    spoils={0: "writes-into-w"},
)
