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
        "y = log(1 + exp(x)), written just so, at x = 1000. The true slope is 1 to every digit. What does the tape "
        "give?",
        (
            Choice("one", "1", (1,), "right-value-right-slope"),
            Choice("inf", "inf", (math.inf,), "the-overflow-comes-through"),
            Choice("nan", "nan", (math.nan,)),
        ),
        "exp(1000) is inf. The logarithm hands back 1/inf = 0, and the exponential multiplies it by its slope, inf.",
    ),
    Prompt(
        "05",
        "floor-overridden",
        "choice",
        'The map {"Floor": "Identity"} of ak.gradient_override_map is in force. y = floor(x) at x = 1.7: what is its '
        "value, and what the gradient of x?",
        (
            Choice("both", "1 and 1", (1, 1)),
            Choice("untouched", "1 and None", (1,), "backward-untouched"),
            Choice("edited", "1.7 and 1", (1.7, 1), "edits-the-forward"),
        ),
        "The map swaps only the rule for the way back.",
    ),
    Prompt(
        "05",
        "hook-on-one-path",
        "choice",
        "z = y + 3x with y = x², at x = 3: dz/dx is 9. A hook on y doubles every gradient that passes it. And now?",
        (
            Choice("none", "9: a hook only looks", (9,), "hooks-only-look"),
            Choice("one", "15", (15,)),
            Choice("all", "18", (18,), "a-hook-works-on-everything"),
        ),
        "What passes y is doubled, 2·6; the 3 comes by another way.",
    ),
)
