"""Prompts of lesson 14."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "14",
        "third-step",
        "choice",
        "SGD with momentum .9 and learning rate .1 gets three gradients of 1. How large is the third step?",
        (
            Choice("gradient", "−.1", (-0.1,), "step-is-the-gradient"),
            Choice("fading", "−.271", (-0.271,)),
            Choice("adding", "−.3", (-0.3,), "adds-without-fading"),
        ),
        "Nine tenths of the step before, and .1 more: .9·(−.19) − .1.",
    ),
    Prompt(
        "14",
        "after-the-last",
        "choice",
        "Then the gradients stop for good: only zeros follow. How far does w still go?",
        (
            Choice("still", "0", (0,), "zero-gradient-means-still"),
            Choice("once", "−.271", (-0.271,), "one-step-more"),
            Choice("series", "−2.439", (-2.439,)),
        ),
        "Each step is nine tenths of the one before: −.271·(.9 + .81 + …) = −.271·9.",
    ),
    Prompt(
        "14",
        "rate-falls",
        "choice",
        "After three gradients of 1 the learning rate is set from .1 to .01, and a gradient of 0 comes. The kit's slot "
        "adds gradients, u ← .9u + g, and the step is −rate·u. What is the fourth step?",
        (
            Choice("new", "−.02439", (-0.02439,)),
            Choice("old", "−.2439", (-0.2439,), "slot-holds-steps"),
            Choice("still", "0", (0,), "zero-gradient-means-still"),
        ),
        "u is .9·2.71 = 2.439, and then comes the rate: −.01·2.439. A slot that holds steps would still give −.2439.",
    ),
    Prompt(
        "14",
        "clipped-steps",
        "choice",
        "Every gradient is clipped to length 1 before it is applied (momentum .9, learning rate .1). It always points "
        "the same way. How long do the steps become?",
        (
            Choice("rate", ".1", (0.1,), "clipping-bounds-the-step"),
            Choice("sum", "1", (1,)),
            Choice("free", "longer and longer", (), "adds-without-fading"),
        ),
        "The steps grow towards .1·(1 + .9 + .81 + …) = .1/(1 − .9).",
    ),
)
