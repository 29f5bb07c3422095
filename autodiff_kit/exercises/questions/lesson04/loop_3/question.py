"""loop-3: Newton's root, with its slope carried along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

PARTS = ("x_n", "dx_n/da")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n in (1, 2, 3, 8):
        start = float(rng.uniform(2, 9))
        reply = yield Call("newton_root", (start, n))
        if a.warned(reply):
            continue
        value, slope = (
            require_real_array(part, f"newton_root, as {name},")
            for part, name in zip(unpack_tuple(reply, "newton_root", PARTS), PARTS, strict=True)
        )
        root, right = solution.newton_root(start, n)
        if not a.case(value, root, tol=1e-10, of=f"x_n after n = {n}"):
            continue
        mistaken = {
            "answers-with-the-limit": 0.5 / np.sqrt(start),
            "uses-the-new-x": misconceptions.newton_with_slope(
                start, n, lambda a, _, new, d: 0.5 * (d + 1 / new - a * d / new**2)
            )[1],
            "only-the-last-line": misconceptions.newton_with_slope(start, n, lambda _a, x, _new, _d: 0.5 / x)[1],
            "a-is-all-that-moves": misconceptions.newton_with_slope(start, n, lambda _a, x, _new, d: 0.5 * (d + 1 / x))[
                1
            ],
        }
        a.case(slope, right, mistaken, tol=1e-10, of=f"dx_n/da after n = {n}", facts={"n": n, "d": right})


QUESTION = Question(
    id="loop-3",
    points=3,
    title="Newton's root, with its slope carried along",
    text="""Newton finds the root of a by x ← ½(x + a/x), from x = 1. Take n such steps, and give what x is after them and its exact
slope with respect to a: that of the *loop*, after n steps, and not that of √a. Carry the slope along with x, in plain arithmetic.""",
    writes=("newton_root",),
    starter='''def newton_root(a, n):
    """n steps of x <- (x + a/x)/2 from x = 1: give back (x_n, dx_n/da)."""
    ...
''',
    check=check,
    messages={
        "answers-with-the-limit": "1/(2√a) is the slope after endless steps; after {n} it is {d}.",
        "uses-the-new-x": "The slope of this line needs the old x: the one that the line read.",
        "only-the-last-line": "x depends on a through every earlier line as well: its slope so far comes in.",
        "a-is-all-that-moves": "In a/x both move: x, too, depends on a, and stands below the line.",
    },
    hints=(
        "Two numbers in the loop: x, and its slope d. What are they before the first step?",
        "d ← ½(d + 1/x − a·d/x²), by the rule for a quotient.",
        "Update both together: `x, d = (x + a/x) / 2, (d + 1/x - a*d/x**2) / 2`.",
    ),
    example=lambda rng: {"a": float(rng.integers(2, 9)), "n": int(rng.integers(2, 5))},
)
