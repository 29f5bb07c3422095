"""Prompts of lesson 00."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_SMALL = "y = a·b and z = y² at a = 2, b = 3"

PROMPTS = (
    Prompt(
        "00",
        "slope-on-the-way",
        "choice",
        f"{_SMALL}. What is dz/dy, the derivative with respect to the intermediate value y?",
        (
            Choice("half", "6", (6,), "the derivative of y² is y, without the factor 2"),
            Choice("middle", "12", (12,)),
            Choice("source", "36", (36,), "dz/dy includes the derivative b of y, as dz/da does"),
        ),
        "dz/dy = 2y = 12. For a the chain rule multiplies this by b = 3, so dz/da = 36.",
    ),
    Prompt(
        "00",
        "asked-twice",
        "choice",
        f"{_SMALL}, on a persistent tape. tape.gradient(z, a) gave 36. What does the same call give the second time?",
        (
            Choice("same", "36", (36,)),
            Choice("piled", "72", (72,), "a second answer is added to the first"),
            Choice("nothing", "0", (0,), "the first answer has used up the record"),
        ),
        "Each call starts with cotangents of 0. A library that adds each result to a stored gradient has 72 there.",
    ),
    Prompt(
        "00",
        "kept-by-a-sum",
        "choice",
        "u and v are arrays of 1000 numbers of 8 bytes. How many bytes does the record of u + v keep for the sweep?",
        (
            Choice("both", "16 000", (16_000,), "every operation keeps its inputs"),
            Choice("answer", "8000", (8_000,), "every operation keeps its result"),
            Choice("none", "0", (0,)),
        ),
        "The derivatives of u + v are 1 and 1, whatever u and v are, so nothing has to be kept.",
    ),
    Prompt(
        "00",
        "two-targets",
        "choice",
        "At x = 2, dy0/dx is 4 and dy1/dx is −0.4122. What does tape.gradient([y0, y1], x) give?",
        (
            Choice("mean", "1.7939", (1.7939,), "several targets count as their mean"),
            Choice("sum", "3.5878", (3.5878,)),
            Choice("product", "−1.6487", (-1.6487,), "the derivatives of several targets are multiplied"),
            Choice("each", "[4, −0.4122]", (4, -0.4122), "each target gets a gradient of its own"),
        ),
        "Every target starts with 1, and the contributions that reach x add: 4 − 0.4122 = 3.5878.",
    ),
)
