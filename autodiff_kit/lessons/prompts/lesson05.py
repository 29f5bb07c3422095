"""Prompts of lesson 05."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "05",
        "log1pexp-slope",
        "choice",
        "y = log(1 + exp(x)) at x = 1000, where exp(x) is inf. The true slope is 1. What does the tape give?",
        (
            Choice("one", "1", (1,), "the tape knows the derivative of the whole formula"),
            Choice("inf", "inf", (math.inf,), "an overflow in the value gives an overflow in the slope"),
            Choice("zero", "0", (0,), "a slope of 1/inf = 0 in one operation makes the product 0"),
            Choice("nan", "nan", (math.nan,)),
        ),
        "The rule of log gives 1/inf = 0, and the rule of exp multiplies it by exp(1000) = inf: 0·inf is nan.",
    ),
    Prompt(
        "05",
        "floor-overridden",
        "choice",
        'Inside ak.gradient_override_map({"Floor": "Identity"}), y = floor(x) is recorded at x = 1.7. '
        "What are the value of y and the gradient of x?",
        (
            Choice("both", "1 and 1", (1, 1)),
            Choice("untouched", "1 and None", (1,), "an operation without a derivative cannot get a gradient"),
            Choice("edited", "1.7 and 1", (1.7, 1), "the map replaces the operation itself by identity"),
        ),
        "The map replaces only the rule of the backward pass. floor still computes the value.",
    ),
    Prompt(
        "05",
        "hook-on-one-path",
        "choice",
        "z = y + 3x with y = x², at x = 3, where dz/dx = 6 + 3. A hook on y returns 2·g. "
        "What does the tape give for dz/dx?",
        (
            Choice("none", "9", (9,), "a hook only looks at a gradient"),
            Choice("one", "15", (15,)),
            Choice("all", "18", (18,), "a hook acts on everything that reaches x"),
        ),
        "The gradient through y is doubled, 2·6 = 12. The 3 from the other term does not pass y.",
    ),
)
