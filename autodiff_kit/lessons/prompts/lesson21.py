"""Prompts of lesson 21."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "21",
        "slope-of-the-inverse",
        "choice",
        "F(x) = x³ + x, with the slope 3x² + 1. How steep is the inverse, x as a function of y, at y = 10?",
        (
            Choice("over", "1/13", (1 / 13,)),
            Choice("forward", "13", (13,), "slope-not-inverted"),
            Choice("at-y", "301", (301,), "slope-not-inverted-at-y"),
        ),
        "F(2) = 10, so that x is 2, where F climbs by F′(2) = 13; the inverse climbs by one over that.",
    ),
    Prompt(
        "21",
        "through-halving",
        "choice",
        "60 times a bracket around x is halved on a tape: a where keeps the half in which F crosses y. x comes out "
        "right to all digits. What does the tape give for dx/dy?",
        (
            Choice("slope", "1/13, as it must", (1 / 13,), "right-value-right-slope"),
            Choice("zero", "0", (0,), "zero-for-a-missing-path"),
            Choice("none", "None", ()),
        ),
        "y only takes part in comparisons. They decide, and a truth value has no slope: no path leads from x to y.",
    ),
    Prompt(
        "21",
        "far-outside",
        "choice",
        "A polynomial M of degree 7 learns x from pairs (F(x), x) with x from −1 to 1. There it is off by 0.012 at "
        "most. What is M(10)?",
        (
            Choice("far", "−98311", (-98311,)),
            Choice("two", "2.0", (2,), "M-knows-everywhere"),
            Choice("near", "about 2.1", (2.1,), "M-knows-everywhere"),
        ),
        "It saw y from −2 to 2 and nothing else; at 10 the seventh power has the word.",
    ),
)
