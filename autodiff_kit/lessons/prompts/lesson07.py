"""Prompts of lesson 07."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "07",
        "own-range",
        "choice",
        "x = (−4, −3.5, 0, 1, 5) is fake-quantised with 2 bits; min and max are x's own. The nudged range is (−3, 6). "
        "What is the gradient by x of the sum of the values?",
        (
            Choice("ones", "[1 1 1 1 1]", (1, 1, 1, 1, 1), "one-everywhere"),
            Choice("inside", "[0 0 1 1 1]", (0, 0, 1, 1, 1), "range-taken-for-constant"),
            Choice("home", "[2 0 1 1 1]", (2, 0, 1, 1, 1)),
        ),
        "The two small ones are clamped and pass their 1 to min; and min is the first x.",
    ),
    Prompt(
        "07",
        "nudged-end",
        "choice",
        "Numbers are fake-quantised in the range (−6, 6), with 8 bits. What is the gradient at 5.98?",
        (
            Choice("zero", "0", (0,)),
            Choice("half", "½: it is close to the end", (0.5,), "soft-at-the-end"),
            Choice("one", "1: it is inside the range", (1,), "mask-of-the-raw-range"),
        ),
        "So that 0 is a level the range moves to (−6.0235, 5.9765), and 5.98 is outside.",
    ),
    Prompt(
        "07",
        "tie",
        "choice",
        "In the range (−1, 1) with 3 bits, 0 falls half-way between two levels. Where is the nudged lower end in "
        "float32, and where in float64?",
        (
            Choice("same-up", "−.857143 in both", (-0.857143, -0.857143), "digits-do-not-decide"),
            Choice("differ", "−.857143 in float32, −1.142857 in float64", (-0.857143, -1.142857)),
            Choice("same-down", "−1.142857 in both", (-1.142857, -1.142857), "digits-do-not-decide"),
        ),
        "1 divided by 2/7 is 3.5 in float64 and 3.4999998 in float32: one is rounded up, the other down.",
    ),
)
