"""floor-6: What straight-through is the gradient of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import describe_relation, format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions, solution

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
        got = require_real_array(value, translate("The value of {call}", "lesson06").format(call="box_floor"))
        if not values_close(got, mean, 1e-10):
            ends = solution.box_floor(x, w)[1] * w / 2  # half of the difference of floor at both ends
            models = {
                "right-for-whole-widths": (x - 0.5,),
                "not-averaged": (np.floor(x),),
                "mean-of-the-ends": (np.floor(x - w / 2) + ends,),
                "sum-over-the-window": (mean * w,),
                "rounds-toward-zero": misconceptions.means_of_trunc(x, w),
                "twice-the-window": (solution.box_floor(x, 2 * w)[0],),
                "window-on-one-side": tuple(solution.box_floor(x + side * w / 2, w)[0] for side in (-1, 1)),
            }
            names = {name for name, found in models.items() if any(values_close(got, one, 1e-9) for one in found)}
            if not names and values_close(got, mean, 0.1):
                names = {"samples"}
            err = float(np.abs(got - mean).max()) if got.shape == mean.shape else float("nan")
            text = translate("The value of {call} is off by up to {err}.", "lesson06")
            relation = describe_relation(got, mean, 1e-10)
            a.fail(
                names,
                text.format(call=f"box_floor(x, {w:g})", err=format_value(err)) + (relation and f" {relation}"),
                err=err,
                w=w,
            )
        mistaken = {
            "slope-of-floor-inside": np.zeros_like(x),
            "one-everywhere": np.ones_like(x),
            "window-not-divided-out": climb * w,
            "window-on-one-side": solution.box_floor(x + w / 2, w)[1],
            "rounds-toward-zero": (np.trunc(x + w / 2) - np.trunc(x - w / 2)) / w,
            "divided-twice": climb / w,
            "twice-the-window": solution.box_floor(x, 2 * w)[1],
        }
        facts = {"w": w, "a": int(np.floor(w)), "b": int(np.floor(w)) + 1}
        what = translate("The slope of {call}", "lesson06").format(call=f"box_floor(x, {w:g})")
        a.case(slope, climb, mistaken, tol=1e-10, of=what, facts=facts)


QUESTION = Question(
    id="floor-6",
    points=3,
    title="What straight-through is the gradient of",
    text="""`box_floor(x, w)` returns two arrays: the exact mean of floor over the window [x − w/2, x + w/2], and the exact derivative of
this mean with respect to x. Ten digits are compared, so a mean of samples is not enough.""",
    writes=("box_floor",),
    without=("ak.relax.filtered_floor", "ak.relax.piecewise_linear_floor"),
    starter='''def box_floor(x, w):
    """(value, slope): the mean of floor over [x - w/2, x + w/2], and its derivative."""
    ...
''',
    check=check,
    messages={
        "samples": "Your value is an estimate, off by up to {err}. For the exact mean: which part of the window lies above each integer?",
        "right-for-whole-widths": "Your value is x − ½. It is the mean if the width is an integer. At w = {w} it is off by up to {err}: which part of the window lies above each integer?",
        "rounds-toward-zero": "For negative x this is not floor: int and trunc round towards 0, and floor(−0.5) is −1.",
        "twice-the-window": "Your window goes from x − w to x + w, twice as wide as asked: it reaches w/2 to each side.",
        "divided-twice": "The slope was divided twice by w. It is the difference of floor at both ends, divided by w.",
        "slope-of-floor-inside": "Your derivative is 0, as that of floor is. But when x moves, the ends of the window move across jumps, so the mean changes.",
        "one-everywhere": "A derivative of 1 is right for w = 1. A window of width {w} holds {a} or {b} jumps.",
        "window-not-divided-out": "Your derivative is the number of jumps in the window. A mean is divided by the width of the window.",
        "not-averaged": "Your value is floor(x), at the middle of the window. The mean over the whole window is asked for.",
        "mean-of-the-ends": "Your value is the mean of floor at the two ends of the window. The mean over the whole window counts each value of floor by its share of the window.",
        "sum-over-the-window": "Your value is the area under floor in the window. The mean is this area divided by the width, here {w}.",
        "window-on-one-side": "Your window begins or ends at x. It should have x in its middle.",
    },
    hints=(
        "A mean over a window is an integral divided by the width. Which function has floor as its derivative?",
        "Add up the areas of the rectangles under floor from 0 to z: first for an integer z, then for any z.",
        "The value is (G(x+w/2) − G(x−w/2))/w, the slope (floor(x+w/2) − floor(x−w/2))/w.",
    ),
    example=lambda rng: {
        "x": np.sort(rng.uniform(-1, 4, 4)).round(2),
        "w": float(rng.choice([0.25, 0.5, 1.0, 2.0])),
    },
    praise="Every case is right. At w = 1 the value is x − ½ and the derivative is 1: straight-through uses the true derivative of *this* function.",
)
