"""Prompts of lesson 12."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "12",
        "assigned-sum",
        "choice",
        "x0 = 3 and x1 = 0 are variables. On the tape: x1.assign_add(x0), then y = x1². What are y and dy/dx0?",
        (
            Choice("stale", "0 and None", (0, math.nan), "stale-value"),
            Choice("none", "9 and None", (9, math.nan)),
            Choice("path", "9 and 6", (9, 6), "assign-is-a-path"),
        ),
        "The variable received a number, not a history.",
    ),
    Prompt(
        "12",
        "level-in-a-box",
        "choice",
        "A level is carried from year to year in a variable, by assign. The gradient of the mean error with respect to "
        "the weight alpha is what, compared with that of the same program without the variable?",
        (
            Choice("none", "None: the path is broken", (math.nan,), "a-cut-is-always-None"),
            Choice("same", "the same number, since all values are the same", (0.6194,), "assign-is-a-path"),
            Choice("other", "another number", (0.2497,)),
        ),
        "Each year's error still reaches alpha by the last update, and by that one only. The years before are cut off.",
    ),
    Prompt(
        "12",
        "overwritten-input",
        "choice",
        "y = x² is recorded at x = 3. Then 10 is written where x stood. What is the slope if the record holds a copy "
        "of x, and what if it holds a reference to it?",
        (
            Choice("free", "6 and 6", (6, 6), "tape-has-the-values-for-free"),
            Choice("apart", "6 and 20", (6, 20)),
        ),
        "A reference is read when the gradient is asked, and finds what stands there now.",
    ),
)
