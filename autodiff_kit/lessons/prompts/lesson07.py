"""Prompts of lesson 07."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "07",
        "own-range",
        "choice",
        "x = (−4, −3.5, 0, 1, 5) is fake-quantised with 2 bits; min and max are computed from x. "
        "The nudged range is (−3, 6). What is the gradient of the sum of y with respect to x?",
        (
            Choice("ones", "[1 1 1 1 1]", (1, 1, 1, 1, 1), "straight-through passes the gradient everywhere"),
            Choice("inside", "[0 0 1 1 1]", (0, 0, 1, 1, 1), "min and max are constants"),
            Choice("swapped", "[1 1 0 0 0]", (1, 1, 0, 0, 0), "only clamped entries get a gradient"),
            Choice("home", "[2 0 1 1 1]", (2, 0, 1, 1, 1)),
        ),
        "−4 and −3.5 are clamped, so each passes its 1 to min. And min is the first entry: it gets 1 + 1 = 2.",
    ),
    Prompt(
        "07",
        "nudged-end",
        "choice",
        "Numbers are fake-quantised in the range (−6, 6) with 8 bits. "
        "What is the gradient of the sum of y with respect to the entry 5.98?",
        (
            Choice("zero", "0", (0,)),
            Choice("half", "0.5", (0.5,), "near an end of the range the gradient falls off gradually"),
            Choice("one", "1", (1,), "the range that was asked for decides what is inside"),
        ),
        "Here −min/s = 127.5, so z = 128 and the nudged range is (−6.0235, 5.9765). 5.98 is outside, and clamped.",
    ),
    Prompt(
        "07",
        "tie",
        "choice",
        "In the range (−1, 1) with 3 bits, −min/s is computed as 3.4999998 in float32 and as 3.5 in float64. "
        "What is the lower end α of the nudged range in each?",
        (
            Choice("same-up", "−0.857 in both", (-0.857143, -0.857143), "a tie is always rounded down"),
            Choice("differ", "−0.857 in float32, −1.143 in float64", (-0.857143, -1.142857)),
            Choice("same-down", "−1.143 in both", (-1.142857, -1.142857), "the dtype changes only the last decimals"),
        ),
        "Plus a half, rounded down: 3.9999998 gives z = 3 in float32, and 4 gives z = 4 in float64.",
    ),
    Prompt(
        "07",
        "trained-through",
        "choice",
        "With float weights 91.8 % of the test images are classified correctly, with 2-bit weights 76.5 %. "
        "And with 2-bit weights after 100 steps of training through the rounding?",
        (
            Choice("same", "76.5 %, as before", (76.5,), "rounding stops the gradient, so nothing is learned"),
            Choice("worse", "about 60 %", (60.0,), "a wrong derivative makes the training diverge"),
            Choice("most", "about 89 %", (88.6,)),
            Choice("all", "91.8 %, as with floats", (91.8,), "training makes up for any rounding"),
        ),
        "The loss uses the 2-bit weights. Straight-through moves the float weights, and some reach another level.",
    ),
)
