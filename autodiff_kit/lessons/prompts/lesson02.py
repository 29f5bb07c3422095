"""Prompts of lesson 02."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "02",
        "unused-source",
        "choice",
        "y = x0² at x0 = 3, and x1 takes no part. What does the tape give for [x0, x1]?",
        (
            Choice("none", "[6, None]", (6, math.nan)),
            Choice("zero", "[6, 0]", (6, 0), "None-taken-for-zero"),
            Choice("error", "an error", (), "None-is-an-error"),
        ),
        "There is no path from y to x1. A zero comes only when it is asked for.",
    ),
    Prompt(
        "02",
        "difference-of-equals",
        "choice",
        "What is d(x − x)/dx?",
        (
            Choice("none", "None", (math.nan,), "zero-taken-for-None"),
            Choice("zero", "0", (0,)),
        ),
        "x and the difference are connected by two paths, and these cancel: 1 − 1.",
    ),
    Prompt(
        "02",
        "zero-or-none",
        "choice",
        "Momentum .9, learning rate .1, from w = 0: gradients 1 then 0, and gradients 1 then None. Where is w?",
        (
            Choice("same", "−.1 and −.1", (-0.1, -0.1), "same-thing"),
            Choice("both", "−.19 and −.19", (-0.19, -0.19), "None-taken-for-zero"),
            Choice("apart", "−.19 and −.1", (-0.19, -0.1)),
        ),
        "A zero is a step with news 0, and the memory moves w on; None is no step.",
    ),
    Prompt(
        "02",
        "really-zero",
        "several",
        "Of the five functions (a shift, a detour by NumPy, a floor, a running total, one that is not used): "
        "where is the true slope 0?",
        (
            Choice("replaced", "1: the variable was replaced by x + 1", (), "None-taken-for-zero"),
            Choice("left", "2: the value left through NumPy", (), "None-taken-for-zero"),
            Choice("rough", "3: floor, away from its jumps"),
            Choice("state", "4: the value was added to a variable", (), "None-taken-for-zero"),
            Choice("apart", "5: the target does not use it"),
        ),
        "The tape's list has gaps in 1, 2 and 4, and the functions have none. Floor is flat between its jumps; "
        "what is not used moves nothing.",
    ),
)
