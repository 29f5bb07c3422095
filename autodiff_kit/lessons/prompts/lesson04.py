"""Prompts of lesson 04."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "04",
        "loop-slopes",
        "choice",
        "while abs(x) < 100: x = x * 2. From 3.124 the result is 199.936, from 3.125 it is 100. "
        "Which slopes dy/dx does the tape give at 3.124 and at 3.125?",
        (
            Choice("both", "64 and 32", (64, 32)),
            Choice("same-low", "32 and 32", (32, 32), "two points so close together have the same slope"),
            Choice("same-high", "64 and 64", (64, 64), "the loop also takes a turn when x is exactly 100"),
        ),
        "3.125 times 2 to the power of 5 is exactly 100, so the loop stops after five turns. From 3.124 it takes six.",
    ),
    Prompt(
        "04",
        "difference-over-jump",
        "choice",
        "The same loop at x = 3.125, with the step h = 0.001. The two runs start at 3.124 and 3.126. "
        "What does the central difference give?",
        (
            Choice("fall", "about −100", (-100,), "a difference measures the height of the jump"),
            Choice("right", "32", (32,), "a small step gives the slope that the tape gives"),
            Choice("large", "about −50 000", (-49952,)),
            Choice("middle", "48", (48,), "a central difference is the mean of the slopes of both sides"),
        ),
        "The result falls from 199.936 to 100.032 between the two runs, and −99.904 is divided by 0.002.",
    ),
    Prompt(
        "04",
        "root-at-once",
        "choice",
        "Newton's loop for a = 2 starts at x = 1.41421356, which already passes the test |x² − a| ≤ 0.000001. "
        "The derivative of √a is 0.3536. What does the tape give for dx/da?",
        (
            Choice("right", "0.3536", (0.35355339,), "a right value comes with a right gradient"),
            Choice("zero", "0", (0,), "a loop that takes no turn has the slope 0"),
            Choice("none", "None", ()),
        ),
        "No turn was taken, so x is the constant it started from. Nothing on the tape leads from x to a.",
    ),
)
