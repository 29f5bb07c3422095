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
        "y = where(x > 0, √x, 0) at x = (−1, 0, 4), where √x has the slopes (nan, inf, 0.25). "
        "What is the gradient of sum(y) with respect to x?",
        (
            Choice("zeros", "[0 0 0.25]", (0, 0, 0.25), "0 times anything is 0, so the unchosen side adds nothing"),
            Choice("nans", "[nan nan 0.25]", (math.nan, math.nan, 0.25)),
            Choice("slopes", "[nan inf 0.25]", (math.nan, math.inf, 0.25), "where passes on the slope of both sides"),
        ),
        "Where the root was not chosen it gets 0, and multiplies it by its slope: 0·nan and 0·inf are both nan. "
        "At x = 4 it was chosen: 1·0.25.",
    ),
    Prompt(
        "03",
        "where-log",
        "choice",
        "y = where(x > 0, log x, 0) at x = (−1, 0, 4). Values of log x: (nan, −inf, 1.39). Slopes: (−1, inf, 0.25). "
        "What is the gradient of sum(y) with respect to x?",
        (
            Choice("values", "[nan nan 0.25]", (math.nan, math.nan, 0.25), "a value that is no number makes a nan"),
            Choice("zeros", "[0 0 0.25]", (0, 0, 0.25), "only a nan slope spoils the 0, an infinite one does not"),
            Choice("slope", "[0 nan 0.25]", (0, math.nan, 0.25)),
            Choice("slopes", "[−1 inf 0.25]", (-1, math.inf, 0.25), "where passes on the slope of both sides"),
        ),
        "At −1 the value is nan, but the slope is −1, and 0·(−1) = 0. At 0 the slope is infinite, and 0·inf is nan.",
    ),
    Prompt(
        "03",
        "cond-not-run",
        "choice",
        "y = cond(p > 0, lambda: a**2, lambda: b**3) with variables p = 1, a = 3, b = 2. "
        "What is the gradient of y with respect to b?",
        (
            Choice("none", "None", ()),
            Choice("zero", "0", (0,), "a branch that was not taken has a gradient of 0"),
            Choice("slope", "12", (12,), "each branch contributes its own derivative"),
        ),
        "cond called the first function only, so b**3 was not recorded and no path leads from y to b.",
    ),
    Prompt(
        "03",
        "nan-weights",
        "choice",
        "The loss is a mean over all 60 × 60 pairs of pictures. A single where sets the 60 distances of a picture to "
        "itself to 0. How many of the 128 weights get a gradient of nan?",
        (
            Choice("no", "0 of 128", (0,), "entries that where sets to 0 have no part in the gradient"),
            Choice("few", "60 of 128", (60,), "each pair with nan spoils one weight"),
            Choice("all", "128 of 128", (128,)),
        ),
        "The gradient of each weight is a sum over all pairs. In 60 of them 0·inf gives nan, and one nan is enough.",
    ),
)
