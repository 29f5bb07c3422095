"""Prompts of lesson 23."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_ADAM = "Adam with learning rate 0.1, β₁ = 0.9 and β₂ = 0.999"

PROMPTS = (
    Prompt(
        "23",
        "loss-times-1000",
        "choice",
        f"{_ADAM} gets three gradients of 1, and w moves from 0 to −0.3. The loss is then multiplied by 1000. "
        "Where do three such gradients lead, from w = 0?",
        (
            Choice("thousand", "−300.0000", (-300,), "the step is proportional to the gradient, as in SGD"),
            Choice("root", "−9.4868", (-9.486833,), "the step grows like the root of the gradient"),
            Choice("small", "−0.0003", (-0.0003,), "dividing by the root of v makes large gradients count less"),
            Choice("same", "−0.3000", (-0.3,)),
        ),
        "m is 1000 times as large, and so is the root of v. The factor cancels in the quotient.",
    ),
    Prompt(
        "23",
        "alternating-signs",
        "choice",
        f"{_ADAM} gets the gradients 1, −1, 1, −1 and so on. How long is step 1000?",
        (
            Choice("rate", "0.1000", (0.1,), "every step of Adam has the size of the learning rate"),
            Choice("small", "0.0053", (0.005263,)),
            Choice("tenth", "0.0100", (0.01,), "only the newest gradient counts, with weight 1 − β₁"),
            Choice("nothing", "0.0000", (0.0,), "gradients of both signs cancel completely"),
        ),
        "In m the newest gradient has the weight 0.1, the one before −0.09, then 0.081, and so on: "
        "0.1 / (1 + 0.9) = 0.0526 of the learning rate.",
    ),
    Prompt(
        "23",
        "late-gradient",
        "choice",
        f"{_ADAM} gets 1000 gradients of 0, then a gradient of 1. How long is that step?",
        (
            Choice("rate", "0.1000", (0.1,), "every step of Adam has the size of the learning rate"),
            Choice("tenth", "0.0100", (0.01,), "only a tenth of a gradient enters the step"),
            Choice("late", "0.2515", (0.251530,)),
            Choice("limit", "0.3162", (0.316228,), "after 1000 steps the correction of v has ended"),
        ),
        "0.1 · 0.1 / √(0.001 / 0.6327). The correction of m has ended, that of v has not.",
    ),
    Prompt(
        "23",
        "adamw-decay",
        "choice",
        "AdamW with learning rate 0.1 and weight decay 0.01 starts at w = 1 and gets 100 gradients of 0. Where is w?",
        (
            Choice("still", "1.0000", (1.0,), "no gradient, no change"),
            Choice("rate", "0.9048", (0.904792,)),
            Choice("bare", "0.3660", (0.366032,), "the decay is not multiplied by the learning rate"),
            Choice("linear", "0.9000", (0.9,), "each step subtracts the same amount"),
        ),
        "Each step multiplies w by 1 − 0.1 · 0.01 = 0.999, and 0.999 to the power 100 is 0.9048.",
    ),
    Prompt(
        "23",
        "penalty-step",
        "choice",
        "Adam with learning rate 0.1 starts at w = 1. The loss is only the penalty 0.01/2 · w². "
        "Where is w after one step?",
        (
            Choice("rate", "0.9000", (0.9,)),
            Choice("same", "0.9990", (0.999,), "a penalty does the same as weight decay"),
            Choice("bare", "0.9900", (0.99,), "the gradient 0.01 is subtracted as it is"),
        ),
        "The gradient is 0.01 · 1, and the first step has the size of the learning rate "
        "for any gradient much larger than ε.",
    ),
    Prompt(
        "23",
        "lazy-row",
        "choice",
        f"{_ADAM} is lazy. A row gets the gradient 1 at steps 1 and 51 and is in no other batch. "
        "Where is it after 100 steps?",
        (
            Choice("steps", "−0.2000", (-0.2,), "two gradients of 1 make two steps of the learning rate"),
            Choice("dense", "−1.1442", (-1.144207,), "a lazy row moves on between its batches"),
            Choice("clock", "−0.1952", (-0.195223,)),
        ),
        "Step 1 is −0.1. Step 51 is −0.1 · (0.19 / 0.9954) / √(0.001999 / 0.0497) = −0.0952.",
    ),
)
