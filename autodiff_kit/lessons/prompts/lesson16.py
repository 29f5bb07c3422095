"""Prompts of lesson 16."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "16",
        "penalty-nine",
        "choice",
        "The sum ½(w − 2)² + ½ · 9 · max(0, w − 1)² has one minimum. Where is it?",
        (
            Choice("bound", "1.0", (1.0,), "a penalty keeps the weight at the bound"),
            Choice("free", "2.0", (2.0,), "a penalty does not move the minimum"),
            Choice("middle", "1.5", (1.5,), "the minimum is halfway, whatever the strength"),
            Choice("outside", "1.1", (1.1,)),
        ),
        "Beyond the bound the slope is (w − 2) + 9(w − 1). It is 0 at w = (2 + 9)/(1 + 9).",
    ),
    Prompt(
        "16",
        "penalty-rate",
        "choice",
        "With λ = 99 the minimum is at 1.01. Plain gradient descent has the learning rate 0.1. "
        "Where is w after 2000 steps?",
        (
            Choice("wanders", "at no fixed value", ()),
            Choice("bound", "at 1.00", (1.0,), "a penalty keeps the weight at the bound"),
            Choice("settled", "at 1.01", (1.01,), "descent settles at the minimum whatever the learning rate"),
        ),
        "Beyond the bound the curvature is h = 1 + 99 = 100, and descent settles only for rates below 2/h = 0.02. "
        "After one jump or a few, w is inside again; from there it comes back to the bound and jumps again.",
    ),
    Prompt(
        "16",
        "below-the-bound",
        "choice",
        "w = 1 − softplus(z), and the loss ½(w − 2)² pulls w towards 2. Descent on z starts at z = 0 with learning "
        "rate 0.1. How far below 1 is w after 1000 steps?",
        (
            Choice("there", "0.0000", (0.0,), "the weight reaches the bound, as with a projection"),
            Choice("near", "0.0099", (0.0099,)),
            Choice("stuck", "0.6931", (0.6931,), "the slope is 0 inside, so the weight stays where it began"),
            Choice("tiny", "0.000001", (0.000001,), "the distance shrinks by a constant factor at each step"),
        ),
        "Near the bound a step lowers the distance d by about 0.1 · d², so 1/d grows by about 0.1. "
        "After 1000 steps 1/d is about 100.",
    ),
    Prompt(
        "16",
        "clip-in-the-loss",
        "choice",
        "The loss is ½(clip(w) − 0.5)², where clip(w) is the smaller of w and 1. Descent starts at w = 1.5, with "
        "learning rate 0.1. Where is w after 100 steps?",
        (
            Choice("minimum", "0.5", (0.5,), "the loss pulls w to its minimum from everywhere"),
            Choice("bound", "1.0", (1.0,), "a clip in the loss moves the weight to the bound"),
            Choice("stays", "1.5", (1.5,)),
        ),
        "At 1.5 the clip's slope is 0, so the gradient is 0 and w never moves.",
    ),
    Prompt(
        "16",
        "leaves-the-edge",
        "choice",
        "Momentum 0.9, learning rate 0.1, w is projected to w ≤ 1. After 100 steps with g = −1 on the bound, "
        "g is 1. At which of the following steps does w leave the bound?",
        (
            Choice("first", "at the 1st", (1,), "the projection stops the motion and empties the slot"),
            Choice("seventh", "at the 7th", (7,)),
            Choice("hundredth", "at the 100th", (100,), "the slot needs as many steps as it was filled with"),
        ),
        "After k steps u = −10 · 0.9ᵏ + 10 · (1 − 0.9ᵏ). This is positive once 0.9ᵏ is below ½, at k = 7.",
    ),
)
