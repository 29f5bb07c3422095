"""Prompts of lesson 17."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "17",
        "clip-order",
        "choice",
        "Three examples have the gradients [−2 0], [0 −4] and [−6 −8]. What is longer than 1 is shortened to 1, and a "
        "mean is taken. Does it matter whether each is clipped and then the mean is taken, or the mean is clipped?",
        (
            Choice("same", "no: the same vector", (0,), "clipping-commutes"),
            Choice(
                "length", "it does, but only the length differs: the direction is the same", (1,), "only-the-length"
            ),
            Choice("both", "it does: length and direction differ", (2,)),
        ),
        "Clipping is not linear. The mean of arrows of length 1 counts directions; the other follows the longest.",
    ),
    Prompt(
        "17",
        "wild-example",
        "choice",
        "The third gradient becomes 1000 times as long. By how much does the mean of the clipped gradients move?",
        (
            Choice("blows", "it becomes about 1000 times as long", (800,), "clips-the-mean"),
            Choice("half", "by about half its length", (0.4,), "averages-the-damage"),
            Choice("none", "not at all", (0,)),
        ),
        "After clipping the third was 1 long already. Its direction counts, and its length never did.",
    ),
    Prompt(
        "17",
        "passes",
        "choice",
        "A hundred examples, and a gradient is wanted for each. How many times must the loss function run?",
        (
            Choice("one", "1", (1,)),
            Choice("hundred", "100", (100,), "a-pass-an-example"),
            Choice("hundred-one", "101: once for the batch, once for each", (101,), "a-pass-an-example"),
        ),
        "The batch is computed once, row by row. The way back keeps the rows apart where it would have added them up.",
    ),
)
