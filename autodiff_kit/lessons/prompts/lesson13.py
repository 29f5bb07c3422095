"""Prompts of lesson 13."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "13",
        "record-of-steps",
        "choice",
        "One tape is open around a loop of 100 steps. A step computes a loss with 4 operations and then "
        "total = total + loss. How many nodes does the record hold after the loop?",
        (
            Choice("last", "5", (5,), "the record keeps the last step only"),
            Choice("losses", "100", (100,), "a step is one node"),
            Choice("loss", "400", (400,), "adding to a total is not recorded"),
            Choice("all", "500", (500,)),
        ),
        "Each step records 4 operations and the addition, and nothing is removed while the tape is open: 100·5 = 500.",
    ),
    Prompt(
        "13",
        "marks-every-ten",
        "choice",
        "A chain of 100 layers with a checkpoint before every tenth. How often is a layer called in all, and how many "
        "values are held at most at one time?",
        (
            Choice("all", "100 calls, 100 values", (100, 100), "the values of all layers must be held"),
            Choice("marks", "190 calls, 19 values", (190, 19)),
            Choice("twice", "200 calls, 10 values", (200, 10), "only the checkpoints need memory"),
            Choice("none", "4950 calls, 1 value", (4950, 1), "each value is computed again from the start"),
        ),
        "Calls: 100 on the forward pass, and 9 more in each of the 10 blocks. "
        "Values: 10 checkpoints, and 9 more while the last block is differentiated.",
    ),
    Prompt(
        "13",
        "changed-variable",
        "choice",
        "A compiled function returns scale·x. The variable scale held 2 when it was compiled, and the call with x = 3 "
        "gave 6. Then scale.assign(5). What does the next call with x = 3 give?",
        (
            Choice("new", "15", (15,)),
            Choice("old", "6", (6,), "compiling stores the value of a variable as a constant"),
            Choice("error", "an error", (), "a compiled function is invalid after a variable changes"),
        ),
        "A variable is an object of the kit whose value may change. So the record refers to it, and its value is "
        "read at each call: 5·3 = 15.",
    ),
    Prompt(
        "13",
        "compiled-draw",
        "choice",
        "A compiled function returns x + generator.normal(). It is called four times with the same x. "
        "What do the four calls give?",
        (
            Choice("four", "four different results", (4,), "every line of the function runs at each call"),
            Choice("one", "four times the same result", (1,), "the kit repeats a draw without a word"),
            Choice("error", "an error at the first call", ()),
        ),
        "The generator is called by Python, and Python runs only while the function is recorded. The number drawn then "
        "would be a constant of the record. The kit sees that the generator has moved, and refuses.",
    ),
)
