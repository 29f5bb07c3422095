"""Prompts of lesson 04."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "04",
        "loop-slopes",
        "choice",
        "while abs(x) < 100: x = x * 2. From 3.124 it gives 199.936, from 3.125 it gives 100. What is the tape's slope "
        "of what comes out, at 3.124 and at 3.125?",
        (
            Choice("both", "64 and 32", (64, 32)),
            Choice("same-low", "32 and 32", (32, 32), "smooth-in-x"),
            Choice("same-high", "64 and 64", (64, 64), "stops-one-too-late"),
        ),
        "3.125·2⁵ is 100 exactly, and < stops there: five turns. From 3.124 it takes six.",
    ),
    Prompt(
        "04",
        "difference-over-jump",
        "choice",
        "A central difference asks the same loop at 3.124 and at 3.126, and divides by .002. What does it give for the "
        "slope at 3.125?",
        (
            Choice("large", "−49952", (-49952,)),
            Choice("right", "32", (32,), "a-difference-is-the-slope"),
            Choice("middle", "48, the middle of both", (48,), "averages-the-sides"),
        ),
        "It steps across a fall of 99.9 and divides by .002.",
    ),
    Prompt(
        "04",
        "root-at-once",
        "choice",
        "x = 1.41421356; while abs(x·x − a) > .000001: x = (x + a/x)/2, at a = 2. The root comes out right to eight "
        "digits. What does the tape give for dx/da, which for √a is .3536?",
        (
            Choice("right", ".3536", (0.35355339,), "right-value-right-slope"),
            Choice("zero", "0", (0,), "zero-for-the-turn-not-taken"),
            Choice("none", "None", ()),
        ),
        "The start was good enough: no turn was taken, and no line that reads a was recorded.",
    ),
)
