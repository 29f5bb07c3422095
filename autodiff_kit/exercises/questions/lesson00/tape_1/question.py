"""tape-1: Three derivatives by the chain rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.withheld import DERIVATIVES
from autodiff_kit.lessons.translation import translate

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

PARTS = ("dz/dy", "dz/da", "dz/db")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    whole = rng.integers(2, 5, 2).tolist()  # with 1 and 2, (a·b)² could be 2·a·b
    # Not only the lesson's 2; with an odd power a·b may have any sign, with an even one it may not.
    powers = (3, 2 * int(rng.integers(1, 3)), *rng.integers(2, 5, 2).tolist())
    for first, p in zip((float(whole[0]), float(-whole[1]), 0.0, float(rng.uniform(1, 3))), powers, strict=True):
        b = float(rng.choice([b for b in (2, 3, 4, 5) if b != p]))
        reply = yield Call("slopes", (first, b, p))
        if a.warned(reply):
            continue
        got = [
            require_real_array(part, translate("slopes, as {name},", "lesson00").format(name=name))
            for part, name in zip(unpack_tuple(reply, "slopes", PARTS), PARTS, strict=True)
        ]
        right = np.array(solution.slopes(first, b, p))
        outer = right[0]
        mistaken = {
            "stops-at-the-middle": np.array([outer, outer, outer]),
            "forgets-the-outer-slope": np.array([outer, b, first]),
            "p-taken-for-2": right * 2 * (first * b) / outer if outer else None,
            "forgets-the-factor-p": right / p,
            "swaps-a-and-b": np.array([outer, outer * first, outer * b]),
            "from-the-wrong-end": np.array([outer * b, outer * b, outer * first]),
        }
        shapes = {part.shape for part in got}
        joined = np.array(got) if len(shapes) == 1 else np.array([np.nan] * 3)
        a.case(joined, right, mistaken, tol=1e-10, of="(dz/dy, dz/da, dz/db)")


QUESTION = Question(
    id="tape-1",
    points=1,
    title="Three derivatives by the chain rule",
    text="""For y = a·b and z = yᵖ with an integer p ≥ 2, return the three derivatives (dz/dy, dz/da, dz/db). Use plain arithmetic and no tape: this is the arithmetic that a
tape does. a may be negative or 0.""",
    writes=("slopes",),
    without=DERIVATIVES,
    starter='''def slopes(a, b, p):
    """The derivatives (dz/dy, dz/da, dz/db) of z = y**p with y = a*b."""
    ...
''',
    check=check,
    messages={
        "stops-at-the-middle": "dz/da and dz/db have the value of dz/dy. The chain rule multiplies dz/dy by the derivative of y, which is dy/da or dy/db.",
        "forgets-the-outer-slope": "dz/da has the value of dy/da, and dz/db that of dy/db. These are derivatives of y: how does z depend on y?",
        "p-taken-for-2": "The values are those of p = 2, as in the lesson. Here p is an argument: what is the derivative of y to the power p?",
        "forgets-the-factor-p": "All three values are too small by the factor p. The derivative of a power has its exponent as a factor.",
        "swaps-a-and-b": "dz/da and dz/db are exchanged. The derivative of a·b with respect to a is the other factor.",
        "from-the-wrong-end": "dz/dy has the value of dz/da. For dz/dy the number y itself changes, so the factor b = dy/da does not belong to it.",
    },
    hints=(
        "Begin with dz/dy, where z is a function of y alone.",
        "Which derivative does the chain rule multiply it by to reach a, and which to reach b?",
        "`d = p * (a*b)**(p - 1)`; then `d`, `d*b`, `d*a`.",
    ),
    example=lambda rng: {"a": float(rng.integers(1, 5)), "b": float(rng.integers(2, 6)), "p": int(rng.integers(2, 5))},
)
