"""inv-3: The pull of an inverse with several numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import solution

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def drawn(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """A matrix far from singular and far from symmetric, with no small entry, and a cotangent."""
    J = rng.uniform(0.3, 1.0, size=(n, n)) * rng.choice([-1.0, 1.0], size=(n, n))
    return J + 3.0 * n * np.diag(rng.uniform(0.5, 1.0, n)) + np.triu(rng.uniform(0.5, 1.5, (n, n)), 1), rng.normal(
        size=n
    )


QUESTION = comparison_question(
    id="inv-3",
    points=2,
    title="The pull of an inverse with several numbers",
    text="""F takes n numbers and gives n numbers, and x(y) is its inverse: F(x(y)) = y. `J` is the Jacobian of F at the solution, with one row per output of F, and `g` is a cotangent of x.
Write `pull_of_inverse(J, g)`: the cotangent of y that the pull of the inverse gives, an array of n numbers. With NumPy.""",
    starter='def pull_of_inverse(J, g):\n    """The cotangent of y, for the cotangent g of x."""\n    ...\n',
    solution=solution.pull_of_inverse,
    inputs=lambda rng: [drawn(rng, n) for n in (2, 3, 5)],
    misconceptions=(
        Misconception(
            "pull-of-the-function",
            lambda J, g: g @ J,
            "This is gJ, the pull of F. The inverse has another Jacobian: differentiate F(x(y)) = y.",
        ),
        Misconception(
            "push-of-the-inverse",
            np.linalg.solve,
            "This solves J u = g, a push of the inverse. A pull has the row vector on the left: u J = g.",
        ),
        Misconception(
            "push-of-the-function",
            lambda J, g: J @ g,
            "This is the product J g, a push of F. The pull of the inverse is asked for.",
        ),
        Misconception(
            "one-over-each-entry",
            lambda J, g: g @ (1 / J),
            "Each entry of J was inverted. The Jacobian of the inverse is the inverse matrix of J.",
        ),
        Misconception(
            "one-over-the-diagonal",
            lambda J, g: g / np.diag(J),
            "Only the diagonal of J was used. Here each x depends on every y.",
        ),
    ),
    hints=(
        "What is the Jacobian of x(y), if the product of two Jacobians is the identity?",
        "A pull multiplies g from the left. Which linear system does the result satisfy?",
        "u J = g is the same as Jᵀ u = g: `np.linalg.solve(J.T, g)`.",
    ),
    facts=lambda J, g: {},
)
