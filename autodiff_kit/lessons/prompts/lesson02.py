"""Prompts of lesson 02."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_NONE_IS_ZERO = "None means that the derivative is 0"

PROMPTS = (
    Prompt(
        "02",
        "difference-of-equals",
        "choice",
        "y = x − x at x = 3. What does tape.gradient(y, x) give?",
        (
            Choice("none", "None", (math.nan,), "paths that cancel count as no path"),
            Choice("zero", "0", (0,)),
            Choice("first", "1", (1,), "only the first path from x to y counts"),
        ),
        "Two paths lead from x to y, with the derivatives 1 and −1. Their sum is 0, and that is a number.",
    ),
    Prompt(
        "02",
        "zero-or-none",
        "choice",
        "From w = 0 and m = 0, with m ← 0.9·m + g and w ← w − 0.1·m: the gradients are 1 and then 0, or 1 and then "
        "None. Where is w after each pair?",
        (
            Choice("same", "−0.10 and −0.10", (-0.1, -0.1), "a gradient of 0 leaves w where it is"),
            Choice("both", "−0.19 and −0.19", (-0.19, -0.19), "an optimizer takes None as a gradient of 0"),
            Choice("apart", "−0.19 and −0.10", (-0.19, -0.1)),
        ),
        "With g = 0 the momentum is 0.9·1, so w moves by −0.09 more. With None the optimizer skips w: neither m nor w "
        "changes.",
    ),
    Prompt(
        "02",
        "really-zero",
        "several",
        "For which of the five functions is the derivative at the given point really 0?",
        (
            Choice("replaced", "1: (x + 1)² at 3, where a tensor replaced the variable", (), _NONE_IS_ZERO),
            Choice("left", "2: 2·(x² + 1) at 3, where the value left the record", (), _NONE_IS_ZERO),
            Choice("rough", "3: 10·floor(x) at 2.5, where no derivative passes"),
            Choice("state", "4: x² at 3, where the value went through state", (), _NONE_IS_ZERO),
            Choice("apart", "5: 3² at 3.5, where y does not use the source"),
        ),
        "In 1, 2 and 4 only the record has a gap, and the derivatives are 8, 12 and 6. Floor is constant between its "
        "jumps, and a function that does not use x does not change with x.",
    ),
    Prompt(
        "02",
        "silent-layer",
        "choice",
        "A network has two layers, and the gradient of the first is None in every step. What do ten epochs of training "
        "show?",
        (
            Choice("falls", "a loss that falls", (1,)),
            Choice("stays", "a loss that stays the same", (0,), "nothing is learned if one layer has no gradient"),
            Choice("error", "an error in the first step", (), "an optimizer refuses a gradient of None"),
        ),
        "The optimizer skips the first layer without a message, and the second layer learns from the random features "
        "that the first one gives.",
    ),
)
