"""Prompts of lesson 15."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_ADAM = "Adam with learning rate 0.1, β₁ = 0.9 and β₂ = 0.999"

PROMPTS = (
    Prompt(
        "15",
        "adam-hundred",
        "choice",
        f"{_ADAM} starts at w = 0. It gets one gradient of 1 and then 99 gradients of 0. Where is w after 100 steps?",
        (
            Choice("still", "−0.1000", (-0.1,), "a gradient of 0 means no step"),
            Choice("drift", "−0.6005", (-0.600522,)),
            Choice("momentum", "−1.0000", (-1.0,), "Adam moves as far as momentum: 0.1 · (1 + 0.9 + 0.9² + …)"),
            Choice("rate", "−10.0000", (-10.0,), "every step of Adam has the size of the learning rate"),
        ),
        "Each 0 multiplies m by 0.9, so w moves on: by −0.1000 in step 1, by −0.0670 in step 2, and less in each later "
        "one. Momentum would reach −1, since its slot is a sum of gradients; Adam's corrected m is a mean.",
    ),
    Prompt(
        "15",
        "who-drifts",
        "choice",
        "SGD, SGD with momentum, RMSProp and Adam each get one gradient of 1 and then 99 zeros. "
        "Which of them move w in the steps whose gradient is 0?",
        (
            Choice("slots", "all except SGD", (), "every optimizer that has a slot moves on"),
            Choice("adaptive", "RMSProp and Adam", (), "adaptive step sizes keep a weight moving"),
            Choice("moments", "momentum and Adam", (0.0, -0.899973, 0.0, -0.500522)),
            Choice("adam", "only Adam", (0.0, 0.0, 0.0, -0.500522), "momentum stops when the gradients stop"),
        ),
        "Their move is a multiple of a slot of past gradients, a sum or a mean. "
        "The moves of SGD and RMSProp have g as a factor, and g is 0.",
    ),
    Prompt(
        "15",
        "none-then-zero",
        "choice",
        f"{_ADAM} starts at w = 0. It gets one gradient of 1, then 50 times None, then one gradient of 0. Where is w?",
        (
            Choice("forgets", "−0.1000", (-0.1,), "the slots are empty after so many Nones"),
            Choice("zeros", "−0.5972", (-0.597215,), "None is taken for a gradient of 0"),
            Choice("paused", "−0.1670", (-0.167006,)),
        ),
        "The Nones change neither m, v nor t. So the zero is step 2, as in the table: −0.1 − 0.0670.",
    ),
    Prompt(
        "15",
        "freeze-by-zeros",
        "choice",
        f"{_ADAM} gets 50 gradients of 1, then 50 gradients of 0 to freeze w. How far do the 50 zeros move w?",
        (
            Choice("frozen", "0.0000", (0.0,), "a gradient of 0 means no step"),
            Choice("single", "−0.5005", (-0.500522,), "the past has no influence: as after one gradient"),
            Choice("rate", "−5.0000", (-5.0,), "every step of Adam has the size of the learning rate"),
            Choice("full", "−0.9761", (-0.976110,)),
        ),
        "m starts near 1 and is multiplied by 0.9 at each zero, so the moves are about −0.1 · (0.9 + 0.9² + …) = −0.9. "
        "They are a little larger, because the corrected v falls.",
    ),
    Prompt(
        "15",
        "stop-for-good",
        "number",
        f"{_ADAM} gets a first gradient of 1. Which second gradient stops w for good, if only zeros follow?",
        (
            Choice("zero", "0", (0,), "a gradient of 0 means no step"),
            Choice("opposite", "−1", (-1,), "the opposite of the last gradient cancels it"),
            Choice("factor", "−0.09", (-0.09,), "the gradient enters m without the factor 1 − β₁"),
            Choice("cancels", "−0.9", (-0.9,)),
        ),
        "m₂ = 0.9 · 0.1 + 0.1 · g must be 0, so g = −0.9. Then m is 0, and zeros keep it at 0.",
    ),
)
