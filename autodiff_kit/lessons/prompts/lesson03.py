"""Prompts of lesson 03."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "03",
        "where-naive",
        "choice",
        "y = where(x > 0, √x, 0) at x = (−1, 0, 4). The values are (0, 0, 2). What is the gradient of their sum?",
        (
            Choice("zeros", "[0 0 .25]", (0, 0, 0.25), "unchosen-does-not-matter"),
            Choice("nans", "[nan nan .25]", (math.nan, math.nan, 0.25)),
            Choice("steep", "[0 inf .25]", (0, math.inf, 0.25), "the-slope-comes-through"),
        ),
        "The side that was not chosen gets 0, and multiplies it by its own slope: 0·nan and 0·inf are nan.",
    ),
    Prompt(
        "03",
        "cond-not-run",
        "choice",
        "y = cond(p > 0, a², b³) at p = 1, a = 3, b = 2, each a variable. What does the tape give for b?",
        (
            Choice("none", "None", ()),
            Choice("zero", "0", (0,), "zero-for-the-branch-not-run"),
            Choice("slope", "12", (12,), "both-sides-run"),
        ),
        "cond ran a² only: b³ was never recorded, so that no path leads from y to b.",
    ),
    Prompt(
        "03",
        "nan-weights",
        "choice",
        "60 pictures are laid out on a map by 128 weights. The loss looks at the distances of all pairs, and a where "
        "puts 0 for the distance of a picture to itself. How many of the 128 weights get nan as their gradient?",
        (
            Choice("no", "none: the 60 pairs are 0 by the where", (0,), "unchosen-does-not-matter"),
            Choice("few", "2, since 60 of 3600 pairs are 1.7 %", (2,), "nan-stays-in-its-place"),
            Choice("all", "all 128", (128,)),
        ),
        "Each weight sums what comes from all pairs, and one nan among the summands is enough.",
    ),
)
