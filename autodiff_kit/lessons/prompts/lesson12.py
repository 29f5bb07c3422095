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
            Choice("stale", "0 and None", (0, math.nan), "the tape uses the value that x1 had when the tape began"),
            Choice("none", "9 and None", (9, math.nan)),
            Choice("path", "9 and 6", (9, 6), "a variable remembers what was assigned to it and how it was computed"),
        ),
        "x1 got the number 3. The path of y begins at the reading of x1, and x0 is not on it.",
    ),
    Prompt(
        "12",
        "level-in-a-box",
        "choice",
        "One program stores the level s in a variable, by assign; the other computes a new value each year. Their "
        "values are equal. What is the gradient of the error with respect to alpha in the first program?",
        (
            Choice("none", "None", (math.nan,), "an assignment anywhere makes the gradient None"),
            Choice("same", "the same number as in the second", (0.6194,), "equal values have equal gradients"),
            Choice("other", "another number", (0.2497,)),
        ),
        "Each year's error reaches alpha by that year's update. The path through the level of the year before is cut.",
    ),
    Prompt(
        "12",
        "overwritten-input",
        "choice",
        "y = x² is recorded at x = 3. Then 10 is written to the place of x, and the gradient is computed. "
        "What is it if the tape kept a copy, and what if it kept a reference?",
        (
            Choice("free", "6 and 6", (6, 6), "a tape always has the values as they were"),
            Choice("now", "20 and 20", (20, 20), "a gradient is computed from the values of the present"),
            Choice("apart", "6 and 20", (6, 20)),
            Choice("swapped", "20 and 6", (20, 6), "a reference protects the value and a copy does not"),
        ),
        "The copy still holds 3: 2·3 = 6. The reference is read in the backward pass and finds 10: 2·10 = 20.",
    ),
)
