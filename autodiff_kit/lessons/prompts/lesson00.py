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
        f"{_SMALL}. A tape can be asked about y as well, which is neither an input nor the result. What is dz/dy?",
        (
            Choice("half", "6", (6,), "forgets-the-two"),
            Choice("middle", "12", (12,)),
            Choice("source", "36", (36,), "from-the-wrong-end"),
        ),
        "2y = 2ab. 36 is dz/da: a moves y by b = 3, and y moves z by 12.",
    ),
    Prompt(
        "00",
        "asked-twice",
        "choice",
        f"{_SMALL}. A tape that may be asked many times has said what dz/da is. Now it is asked the very same again. "
        "What does it answer?",
        (
            Choice("same", "36", (36,)),
            Choice("piled", "72", (72,), "second-pull-adds-to-the-first"),
            Choice("error", "it is an error", (), "one-answer-only"),
        ),
        "Each sweep begins with zeros. Libraries that keep the gradient in the node, and add to it, have 72 there.",
    ),
    Prompt(
        "00",
        "kept-by-a-sum",
        "choice",
        "a and b are arrays of 1000 numbers of 8 bytes. How many bytes does the record of a + b keep for the way back?",
        (
            Choice("both", "16 000", (16_000,), "keeps-everything"),
            Choice("answer", "8000", (8_000,), "keeps-the-answer"),
            Choice("none", "0", (0,)),
        ),
        "The slopes of a sum are 1 and 1, whatever a and b were.",
    ),
    Prompt(
        "00",
        "two-targets",
        "choice",
        "At x = 2 the slope of y₀ = x² is 4, and that of y₁ = e^(1/x) is −.4122. A tape is asked for the gradient of "
        "both together, tape.gradient([y₀, y₁], x). What does it give?",
        (
            Choice("mean", "1.7939", (1.7939,), "mean-not-sum"),
            Choice("sum", "3.5878", (3.5878,)),
            Choice("each", "[4, −.4122]", (4, -0.4122), "a-gradient-each"),
        ),
        "Every target begins with 1, and what comes back to x adds up: 4 − .4122.",
    ),
)
