"""loop-3: Newton's method and its derivative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

PARTS = ("x_n", "dx_n/da")
EXACT, NEAR = 1e-13, 1e-5  # a finite difference is near the derivative, and not exact


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n in (1, 2, 3, 8):
        start = float(rng.uniform(2, 9))
        reply = yield Call("newton_root", (start, n))
        if a.warned(reply):
            continue
        value, slope = (
            require_real_array(part, translate("newton_root, as {name},", "lesson04").format(name=name))
            for part, name in zip(unpack_tuple(reply, "newton_root", PARTS), PARTS, strict=True)
        )
        root, right = solution.newton_root(start, n)
        facts = {"n": n, "d": right, "e": float(slope - right) if slope.shape == () else ""}
        limit = {"answers-with-the-limit": np.sqrt(start)}
        if not a.case(
            value, root, limit, tol=EXACT, of=translate("x_n after n = {n}", "lesson04").format(n=n), facts=facts
        ):
            continue
        mistaken = {
            "answers-with-the-limit": next(
                (s for s in (0.5 / np.sqrt(start), 0.5 / root) if values_close(slope, s, EXACT)), None
            ),
            "finite-difference": slope if values_close(slope, right, NEAR) else None,
            "uses-the-new-x": misconceptions.newton_with_slope(
                start, n, lambda a, _, new, d: 0.5 * (d + 1 / new - a * d / new**2)
            )[1],
            "only-the-last-line": misconceptions.newton_with_slope(start, n, lambda _a, x, _new, _d: 0.5 / x)[1],
            "start-moves-with-a": misconceptions.newton_with_slope(
                start, n, lambda a, x, _, d: 0.5 * (d + 1 / x - a * d / x**2), first=1.0
            )[1],
            "a-is-all-that-moves": misconceptions.newton_with_slope(start, n, lambda _a, x, _new, d: 0.5 * (d + 1 / x))[
                1
            ],
        }
        a.case(
            slope,
            right,
            mistaken,
            tol=EXACT,
            of=translate("dx_n/da after n = {n}", "lesson04").format(n=n),
            facts=facts,
        )


QUESTION = Question(
    id="loop-3",
    points=3,
    title="Newton's method and its derivative",
    text="""Newton's method for the square root of a repeats x ← ½(x + a/x), here from x = 1. Write `newton_root(a, n)`: it returns x after n turns, and the exact derivative of this x with
respect to a, to 12 digits. That is the derivative of the *loop* after n turns; the derivative of √a is another number. Compute it turn by turn together with x, or with a tape; a finite
difference is not exact enough.""",
    writes=("newton_root",),
    starter='''def newton_root(a, n):
    """n turns of x <- (x + a/x)/2 from x = 1: return (x_n, dx_n/da)."""
    ...
''',
    check=check,
    messages={
        "answers-with-the-limit": "You used √a or its derivative 1/(2√a), which the loop only approaches. After n = {n} turns the derivative of x is {d}.",
        "finite-difference": "After n = {n} turns your derivative is off by {e}, as a finite difference is. Differentiate each turn instead.",
        "uses-the-new-x": "The derivative of a turn uses the x before the turn; yours uses the x after it.",
        "only-the-last-line": "Your derivative is that of the last turn alone. The x before the last turn depends on a, too.",
        "start-moves-with-a": "Your derivative starts from dx/da = 1. The start x = 1 is a constant. What is its derivative with respect to a?",
        "a-is-all-that-moves": "In a/x, both a and x depend on a. Your derivative of the quotient leaves out the one of x.",
    },
    hints=(
        "Keep two numbers in the loop: x, and d = dx/da. What are they before the first turn?",
        "Differentiate the line x ← ½(x + a/x) with respect to a. Every x on its right side depends on a.",
        "Update both together: `x, d = (x + a/x) / 2, (d + 1/x - a*d/x**2) / 2`.",
    ),
    example=lambda rng: {"a": float(rng.integers(2, 9)), "n": int(rng.integers(2, 5))},
)
