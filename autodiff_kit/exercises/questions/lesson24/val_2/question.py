"""val-2: How many probes an error takes."""

from __future__ import annotations

import math

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import solution

__all__ = ["QUESTION"]


def drawn(rng: np.random.Generator, low: int, high: int) -> tuple[int, float]:
    """A number of inputs and an error whose quotients are no whole numbers, so that rounding matters.

    Of the two fixed cases the quotient of one is 1.23, which is not to be rounded to 1, and that of the other is 64
    without a rounding error, which is not to become 65.
    """
    return int(rng.integers(low, high)), float(rng.choice([0.31, 0.47, 0.59, 0.73]))


QUESTION = comparison_question(
    id="val-2",
    points=2,
    title="How many probes an error takes",
    text="""A gradient of `n` numbers is estimated as the mean of k probes of random signs. `error` is the root of the mean squared error, divided by the length of the gradient. Write `probes_needed(n, error)`: the smallest whole number k,
at least 1, for which the error is at most `error`.""",
    starter='def probes_needed(n, error):\n    """The smallest number of probes with at most this error."""\n    ...\n',
    solution=solution.probes_needed,
    inputs=lambda rng: [drawn(rng, 3, 6), drawn(rng, 20, 40), drawn(rng, 100, 200), (1, 0.47), (2, 0.9), (17, 0.5)],
    misconceptions=(
        Misconception(
            "error-not-squared",
            lambda n, error: max(math.ceil((n - 1) / error), 1),
            "For an error of {error} and n = {n} this is too few: the error falls like the root of the number of probes.",
        ),
        Misconception(
            "n-plays-no-part",
            lambda n, error: math.ceil(1 / error**2),
            "The answer does not depend on n. Here n = {n}: the squared error of one probe grows with n.",
        ),
        Misconception(
            "n-in-place-of-n-minus-1",
            lambda n, error: math.ceil(n / error**2),
            "The squared error of one probe was taken as n = {n} times the squared gradient. That is the squared length of the estimate; the squared gradient is to be subtracted.",
        ),
        Misconception(
            "a-pair-for-each",
            lambda n, error: n,
            "This is n = {n}, as for unit vectors. Random probes overlap, so n of them are not exact.",
        ),
        Misconception(
            "rounded-down",
            lambda n, error: max(math.floor((n - 1) / error**2), 1),
            "With one probe fewer than needed the error is still above {error}: round up.",
        ),
        Misconception(
            "calls-not-probes",
            lambda n, error: 2 * solution.probes_needed(n, error),
            "This is the number of calls. Each probe takes two, and the number of probes is asked for.",
        ),
        Misconception(
            "root-of-n",
            lambda n, error: max(math.ceil(math.sqrt(n - 1) / error), 1),
            "This is √(n − 1) divided by the error. The error of k probes falls like the root of k: square both sides, then solve for k.",
        ),
        Misconception(
            "multiplied-by-the-error",
            lambda n, error: max(math.ceil((n - 1) * error**2), 1),
            "Here a smaller error takes fewer probes. The squared error is (n − 1)/k: solve it for k.",
        ),
        Misconception(
            "no-probe",
            lambda n, error: 0 if n == 1 else solution.probes_needed(n, error),
            "For n = {n} the answer is 0, and at least 1 is asked for.",
        ),
    ),
    hints=(
        "How long is the estimate of one probe, compared with the gradient?",
        "Write the error as a function of n and k, and solve for k.",
        "√((n − 1)/k) ≤ error; `math.ceil` rounds up.",
    ),
)
