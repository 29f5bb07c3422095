"""floor-1: A sigmoid that never overflows, and a staircase of K steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

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
    tails = np.abs(require_real_array(reply.value, "sigmoid")[:3] / right[:3] - 1)
    return a.behave(
        bool(np.all(tails < 1e-3)),
        "tail-cut-off",
        "sigmoid is not small enough at -30, -60, -80.",
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
                "falls-instead-of-rises": shared.soft_floor(x, -s, K),
            }
            want = shared.soft_floor(x, s, K)
            a.case(reply.value, want, mistaken, tol=tol, dtype=dtype, leaves="leaves-float32")


QUESTION = Question(
    id="floor-1",
    points=2,
    title="A sigmoid that never overflows, and a staircase of K steps",
    text="""Write the sigmoid σ(z) = 1/(1 + e⁻ᶻ) for arrays, with no warning at any z and with its tails kept: σ(−60) is about
8.8e-27, not 0. Build the staircase `soft_floor(x, s, K)` = Σ σ(s(x − k)) over k = 1 … K from it. What comes in as float32 goes out as float32.""",
    writes=("sigmoid", "soft_floor"),
    starter='''def sigmoid(z):
    """1 / (1 + exp(-z)) of an array, without overflow."""
    ...


def soft_floor(x, s, K):
    """The sum of sigmoid(s * (x - k)) over k = 1 ... K."""
    ...
''',
    check=check,
    messages={
        "overflows": "exp({z}) overflowed. Only ever raise e to a power that is not positive.",
        "tail-cut-off": "Clipping z stops the overflow and also flattens the tail: σ(−60) is 8.8e-27, and its slope is what a lost ball needs.",
        "divides-by-s": "Your stairs get softer as s grows. Here s multiplies: it is a sharpness.",
        "counts-from-zero": "Your first step is at 0; floor of 0.5 would be 1.",
        "falls-instead-of-rises": "σ(−z) goes down. Yours is 1 minus the right one.",
        "leaves-float32": "float32 went in, float64 came out.",
    },
    hints=(
        "Two formulas for σ are equal; each is safe on one side.",
        "e = exp(−|z|).",
        "`where(z >= 0, 1/(1+e), e/(1+e))`",
    ),
    example=lambda rng: {
        "x": np.sort(rng.uniform(0, 6, 5)).round(2),
        "s": float(rng.integers(2, 9)),
        "K": int(rng.integers(3, 8)),
    },
)
