"""con-1: A projected step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import as_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

KNOWN = np.array([1.0, -2.0, 3.0]), np.array([2.0, 1.0, 1.0]), 1.0


def tiny_floor(got: object, stepped: np.ndarray) -> np.ndarray | None:
    """The projection to numbers of some tiny size or more, if that is what was computed."""
    array = as_real_array(got)
    if array is None or array.shape != stepped.shape:
        return None
    least = float(array.min())
    return np.maximum(stepped, least) if 0 < least < 1e-2 else None


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for case in range(3):
        w, g, lr = KNOWN if case == 0 else (*(rng.normal(size=(2, 8)) * 2), float(rng.choice([0.5, 0.7])))
        if case:  # one each: leaves, stays outside, is outside without a gradient, goes far inside, enters from outside
            # and from the bound
            w[:6], g[:6] = [0.5, -1.0, -0.5, 1.0, -0.2, 0.0], [3.0, -0.5, 0.0, -3.0, -2.0, -1.0]
        reply = yield Call("projected_step", (w, g, lr))
        if a.warned(reply):
            continue
        mistaken = {
            "projects-the-gradient": w - lr * np.maximum(g, 0),
            "projects-before": np.maximum(w, 0) - lr * g,
            "absolute-value": np.abs(w - lr * g),
            "not-projected": w - lr * g,
            "uphill": np.maximum(w + lr * g, 0),
            "no-step-from-the-bound": np.maximum(w - lr * np.where(w <= 0, 0, g), 0),
            "projects-twice": np.maximum(np.maximum(w, 0) - lr * g, 0),
            "shifts-all": w - lr * g - min(float((w - lr * g).min()), 0.0),
            "tiny-floor": partial(tiny_floor, reply.value, w - lr * g),
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
        "uphill": "You added lr·g. A step of descent goes against the gradient: it subtracts lr·g.",
        "no-step-from-the-bound": "Entries that were at 0 or below got no step. Minus the gradient may lead inside: make the step for every entry, then project.",
        "projects-twice": "You projected before the step as well. The step starts from w as it comes in, even where it is negative.",
        "shifts-all": "You moved all entries by the same number. The nearest allowed point changes only the negative entries.",
        "tiny-floor": "Your smallest entry is positive. 0 itself is allowed: the nearest allowed number to {far} is 0.",
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
