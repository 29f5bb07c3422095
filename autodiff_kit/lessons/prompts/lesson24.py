"""Prompts of lesson 24."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "24",
        "estimate-of-one-probe",
        "choice",
        "A function of two numbers has the gradient (3, 1). What is the estimate d·e of the probe e = (1, −1)?",
        (
            Choice("right", "(3, 1)", (3, 1), "every probe gives the gradient, up to rounding"),
            Choice("signs", "(3, −1)", (3, -1), "each entry of the gradient is multiplied by the probe's entry"),
            Choice("along", "(2, −2)", (2, -2)),
            Choice("projected", "(1, −1)", (1, -1), "the estimate is the projection of the gradient on the probe"),
        ),
        "d = e · ∇F = 3 − 1 = 2, and 2·(1, −1) = (2, −2). The estimate always lies along the probe.",
    ),
    Prompt(
        "24",
        "error-with-n",
        "choice",
        "With 4 random probes and n = 2, the error is half the length of the gradient. How large is it for n = 128, "
        "also with 4 probes, as a multiple of the gradient's length?",
        (
            Choice("grows", "about 5.6", (5.6,)),
            Choice("same", "about 0.5", (0.5,), "the error depends on the number of probes alone"),
            Choice("shrinks", "about 0.06", (0.06,), "the errors of many entries average out"),
            Choice("linear", "about 32", (32,), "the error grows in proportion to n"),
        ),
        "The squared error is (n − 1)/k times the squared length: 127/4 is about 31.8, whose root is 5.6.",
    ),
    Prompt(
        "24",
        "calls-of-a-descent",
        "choice",
        "n = 32. Steps with a mirrored pair for each number take 64 calls, steps with one random probe take 2. Both "
        "descend to 1 % of the start. How do their calls of F compare in all?",
        (
            Choice(
                "less", "one probe takes about 1/32", (), "noise averages out, so both need the same number of steps"
            ),
            Choice("same", "the same, up to a factor 5", ()),
            Choice("more", "one probe takes about 32 times", (), "a step along a random direction is mostly lost"),
        ),
        "The gain of a step is the same on average. Its loss is much larger, because the mean squared length of the "
        "estimate is 32 times as large. So the best learning rate is much smaller, and it takes 40 to 60 times as many "
        "steps, each with 1/32 of the calls.",
    ),
    Prompt(
        "24",
        "learned-from-results",
        "choice",
        "The box is x². M learns from its results: its loss is the mean of (F(M(y)) − y)². What is the square of "
        "M(0.25) after training?",
        (
            Choice("mean", "about 0.00", (0.0,), "M still learns the mean of the two roots"),
            Choice("quartic", "about 0.06", (0.06,), "M learns the box itself, so its square is y to the power 2"),
            Choice("positive", "about 0.50", (0.5,), "M gives the root, and its square is the root again"),
            Choice("root", "about 0.25", (0.25,)),
        ),
        "The loss is 0 where the square of M(y) is y. Both roots do that, 0.5 and −0.5, and their mean does not.",
    ),
)
