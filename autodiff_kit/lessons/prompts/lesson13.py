"""Prompts of lesson 13."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "13",
        "record-of-steps",
        "choice",
        "100 steps of 5 operations each, total = total + loss, and one tape around the loop. How many nodes does the "
        "record hold after it?",
        (
            Choice("last", "5", (5,), "only-the-last"),
            Choice("losses", "100", (100,), "a-node-a-step"),
            Choice("all", "500", (500,)),
        ),
        "The record ends with the tape, not with the step.",
    ),
    Prompt(
        "13",
        "marks-every-ten",
        "choice",
        "A chain of 100 layers; only the input of every tenth is kept, and the rest is computed again when it is "
        "needed. How often is a layer called, and how many values are held at most?",
        (
            Choice("all", "100 and 100", (100, 100), "keeps-every-value"),
            Choice("marks", "190 and 19", (190, 19)),
            Choice("none", "4950 and 1", (4950, 1), "recomputes-from-the-start"),
        ),
        "100 on the way out, and 9 more in each of 10 blocks; 10 marks, and 9 values of the block at work.",
    ),
    Prompt(
        "13",
        "changed-variable",
        "choice",
        "f(x) = w·x was compiled when the variable w held 2, and f(3) gave 6. Now w.assign(5). What does f(3) give?",
        (
            Choice("new", "15", (15,)),
            Choice("old", "6: it was compiled with 2", (6,), "compiled-in"),
            Choice("error", "an error: compile it again", (), "caches-go-bad"),
        ),
        "A variable is an input of what was compiled. It is read at every call.",
    ),
)
