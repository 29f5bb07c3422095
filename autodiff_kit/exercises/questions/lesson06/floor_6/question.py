"""floor-6: What straight-through is the gradient of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for w in (1.0, 0.25, 0.5, 2.0, 3.0):
        x = rng.uniform(-3, 6, 40)
        edges = np.stack([x + w / 2, x - w / 2])
        x = x[np.abs(edges - np.round(edges)).min(0) > 1e-3]
        reply = yield Call("box_floor", (x, w))
        if a.warned(reply):
            continue
        value, slope = unpack_tuple(reply, "box_floor", ("value", "slope"))
        mean, climb = solution.box_floor(x, w)
        got = require_real_array(value, "The value of box_floor")
        if not values_close(got, mean, 1e-10):
            middle = values_close(got, np.floor(x), 1e-9)
            names = {"not-averaged"} if middle else {"samples"} if values_close(got, mean, 0.1) else set()
            err = float(np.abs(got - mean).max()) if got.shape == mean.shape else float("nan")
            a.fail(names, f"The value of box_floor(x, {w:g}) is off by up to {format_value(err)}.", err=err)
        mistaken = {
            "slope-of-floor-inside": np.zeros_like(x),
            "one-everywhere": np.ones_like(x),
            "window-not-divided-out": climb * w,
        }
        facts = {"w": w, "a": int(np.floor(w)), "b": int(np.floor(w)) + 1}
        a.case(slope, climb, mistaken, tol=1e-10, of=f"The slope of box_floor(x, {w:g})", facts=facts)


QUESTION = Question(
    id="floor-6",
    points=3,
    title="What straight-through is the gradient of",
    text="""Blur floor with a window of width w: `box_floor(x, w)` gives the exact mean of floor over [x − w/2, x + w/2] and its exact
slope in x. No sampling: ten digits are compared.""",
    writes=("box_floor",),
    starter='''def box_floor(x, w):
    """(value, slope): the mean of floor over [x - w/2, x + w/2], and the slope of that mean."""
    ...
''',
    check=check,
    messages={
        "samples": "A good estimate (off by {err}). An exact one: how much of the window lies above each integer?",
        "slope-of-floor-inside": "Each sample is flat, and yet the mean climbs: the window's edges cross the jumps.",
        "one-everywhere": "True for w = 1. At w = {w} the window holds {a} or {b} jumps.",
        "window-not-divided-out": "That is the count of jumps, not yet divided by the window's width.",
        "not-averaged": "That is floor at the middle.",
    },
    hints=(
        "Let G be floor's antiderivative.",
        "G(z) = k(k−1)/2 + k(z−k), with k = floor z.",
        "The value is (G(x+w/2) − G(x−w/2))/w, the slope (floor(x+w/2) − floor(x−w/2))/w.",
    ),
    example=lambda rng: {
        "x": np.sort(rng.uniform(-1, 4, 4)).round(2),
        "w": float(rng.choice([0.25, 0.5, 1.0, 2.0])),
    },
    praise="Every case is right. At w = 1 the value is x − ½ and the slope is 1 everywhere: straight-through is the true gradient of *this* function.",
)
