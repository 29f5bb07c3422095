"""floor-1: A sigmoid that never overflows, and a staircase of K steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

WIDTHS: tuple[tuple[type, float], ...] = ((np.float64, 1e-12), (np.float32, 1e-5))


def sigmoid_case(a: AttemptEvaluation, dtype: type) -> CheckScript:
    """The sigmoid at its special points; whether the staircase is worth a look."""
    z: np.ndarray = np.array([-80.0, -60.0, -30.0, -1.0, 0.0, 3.0, 40.0, 1000.0, -1000.0], dtype)
    right = shared.sigmoid(z)
    reply = yield Call("sigmoid", (z,))
    if a.warned(reply, "overflows", z="1000"):
        return False
    if not a.case(
        reply.value,
        right,
        {"falls-instead-of-rises": 1 - right},
        tol=1e-5,
        dtype=dtype,
        leaves="leaves-float32",
    ):
        return False
    got = require_real_array(reply.value, "sigmoid")
    tails = np.abs(got[:3] / right[:3] - 1)
    return a.behave(
        bool(np.all(tails < 1e-3)),
        "tail-cancelled" if got[0] == got[1] == 0 else "tail-cut-off",
        translate("sigmoid is not small enough at −30, −60 or −80.", "lesson06"),
        half=False,
    )


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for dtype, tol in WIDTHS:
        if not (yield from sigmoid_case(a, dtype)):
            continue
        for s in (0.5, 4.0, 50.0, 1000.0):
            K = int(rng.integers(3, 8))
            # Sixty-fourths are exact in float32, and so are their products with s: no rounding is judged here.
            x = np.r_[rng.integers(-50 * 64, 60 * 64, 20) / 64, np.arange(K + 2), 2.0].astype(dtype)
            reply = yield Call("soft_floor", (x, s, K))
            if a.warned(reply, "overflows", z=format_value(float(s * np.abs(x).max()))):
                continue
            mistaken = {
                "divides-by-s": shared.soft_floor(x, 1 / s, K),
                "counts-from-zero": shared.soft_floor(x + 1, s, K),
                "one-step-short": shared.soft_floor(x, s, K - 1),
                "s-multiplies-x-only": sum(shared.sigmoid(s * x - k) for k in range(1, K + 1)),
                "falls-instead-of-rises": shared.soft_floor(x, -s, K),
            }
            want = shared.soft_floor(x, s, K)
            a.case(reply.value, want, mistaken, tol=tol, dtype=dtype, leaves="leaves-float32")


QUESTION = Question(
    id="floor-1",
    points=2,
    title="A sigmoid that never overflows, and a staircase of K steps",
    text="""Write the sigmoid σ(z) = 1/(1 + e⁻ᶻ) for arrays. It must give no warning at any z, and small values must stay
accurate: σ(−60) is about 8.8e-27, not 0. Then use it to write `soft_floor(x, s, K)`, the sum of σ(s(x − k)) over k = 1 … K.
For a float32 array both return float32.""",
    writes=("sigmoid", "soft_floor"),
    without=("ak.sigmoid", "ak.relax.soft_floor"),
    starter='''def sigmoid(z):
    """1 / (1 + exp(-z)) of an array, without overflow."""
    ...


def soft_floor(x, s, K):
    """The sum of sigmoid(s * (x - k)) over k = 1 ... K."""
    ...
''',
    check=check,
    messages={
        "overflows": "exp({z}) overflowed. Write the sigmoid so that no power of e has a positive exponent.",
        "tail-cut-off": "σ(−60) should be about 8.8e-27. Clipping z, or adding a small number, stops the overflow but makes the tail constant, so its derivative is lost.",
        "tail-cancelled": "σ(−60) should be about 8.8e-27, and yours is 0. A difference such as 1 + tanh(z/2) or 1 − σ(−z) keeps sixteen digits of 1, and nothing below 1e-16. Find a form without a difference of numbers near 1.",
        "divides-by-s": "Your steps get softer as s grows. Here s is a sharpness: it multiplies x − k.",
        "counts-from-zero": "Your first step is at x = 0, so soft_floor(0.5) tends to 1. The first step belongs at x = 1.",
        "falls-instead-of-rises": "Your function falls from 1 to 0: it is σ(−z). The sigmoid rises.",
        "one-step-short": "The last step, at x = K, is missing: above K your value tends to K − 1.",
        "s-multiplies-x-only": "Your steps are at x = k/s. The sharpness multiplies the whole bracket x − k.",
        "leaves-float32": "The argument is float32 and the result is float64. Does a constant or a dtype in your code change it?",
    },
    hints=(
        "1/(1 + e⁻ᶻ) and eᶻ/(1 + eᶻ) are equal. For which z is each of them safe?",
        "Which power of e is at most 1 for every z? Both formulas can be written with it.",
        "`where(z >= 0, 1/(1+e), e/(1+e))`",
    ),
    example=lambda rng: {
        "x": np.sort(rng.uniform(0, 6, 5)).round(2),
        "s": float(rng.integers(2, 9)),
        "K": int(rng.integers(3, 8)),
    },
)
