"""Prompts of lesson 21."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "21",
        "slope-of-the-inverse",
        "choice",
        "F(x) = x³ + x has the derivative 3x² + 1, and F(2) = 10. What is dx/dy of the inverse at y = 10?",
        (
            Choice("forward", "13", (13,), "the inverse has the same derivative as the function"),
            Choice("over", "1/13", (1 / 13,)),
            Choice("at-y", "1/301", (1 / 301,), "F' is taken at y, because the inverse is a function of y"),
            Choice("reversed", "−13", (-13,), "going back changes the sign of a derivative"),
        ),
        "F'(x) · dx/dy = 1 at the solution x = 2, where F' is 3·4 + 1 = 13. So dx/dy is 1/13.",
    ),
    Prompt(
        "21",
        "through-halving",
        "choice",
        "A bracket around x is halved 60 times on a tape. The comparison of F(middle) with y decides which half "
        "ak.where keeps, and x is right to all digits. What does the tape give for dx/dy?",
        (
            Choice("slope", "1/13", (1 / 13,), "a right value on a tape has a right derivative"),
            Choice("sum", "1/60", (1 / 60,), "each of the 60 decisions passes on a part of the derivative"),
            Choice("none", "None", ()),
        ),
        "y takes part only in comparisons. A comparison gives a truth value, which has no derivative, so no path leads "
        "from x to y.",
    ),
    Prompt(
        "21",
        "far-outside",
        "choice",
        "A polynomial of degree 7 is fitted to pairs (y, x) with y = x³ + x and x from −1 to 1, so y goes from −2 to "
        "2. Its largest error there is 0.012. What is its value at y = 10, where x = 2 is right?",
        (
            Choice("two", "close to 2, the right x", (2,), "a model that fits its data well has found the function"),
            Choice("far", "far off, beyond ±1000", ()),
            Choice("one", "close to 1, its last x", (1,), "a model stays within the values that it was trained on"),
            Choice("line", "close to 5, as on a line", (5,), "outside its data a model continues as a straight line"),
        ),
        "No pair lies beyond y = 2. At y = 10 the term with the seventh power is multiplied by ten million.",
    ),
)
