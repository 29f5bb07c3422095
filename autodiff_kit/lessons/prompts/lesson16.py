"""Prompts of lesson 16."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "16",
        "penalty-nine",
        "choice",
        "½(w − 2)² is to be least, with w ≤ 1. In place of the bound, ½·9·max(0, w − 1)² is added to the loss. Where "
        "is its minimum?",
        (
            Choice("bound", "1.0", (1.0,), "a-penalty-enforces"),
            Choice("outside", "1.1", (1.1,)),
            Choice("free", "2.0", (2.0,), "never-constrained"),
        ),
        "Where both slopes cancel: (w − 2) + 9(w − 1) = 0, so w = (2 + 9)/(1 + 9).",
    ),
    Prompt(
        "16",
        "penalty-rate",
        "choice",
        "A penalty of 99 should stop at 1.01. Plain descent has the learning rate .1. Where is w after 2000 steps?",
        (
            Choice("wanders", "nowhere: it never settles", ()),
            Choice("bound", "at 1.0", (1.0,), "a-penalty-enforces"),
            Choice("settled", "at 1.01", (1.01,), "more-is-only-better"),
        ),
        "Beyond the bound the loss has the curvature 1 + 99, and descent is stable only below 2/(1 + 99) = .02.",
    ),
    Prompt(
        "16",
        "below-the-bound",
        "choice",
        "w = 1 − softplus(z) is below 1 for every z. Descent on z starts at z = 0, with the rate .1. How far below 1 "
        "is w after 1000 steps?",
        (
            Choice("there", "0", (0.0,), "allowed-means-arrived"),
            Choice("stuck", ".6931, where it began", (0.6931,), "no-slope-inside"),
            Choice("near", ".0099", (0.0099,)),
        ),
        "Near the bound a step in z moves w less and less: after n steps it is about 1/(.1·n) away.",
    ),
    Prompt(
        "16",
        "leaves-the-edge",
        "choice",
        "Momentum .9, rate .1, and w is projected to w ≤ 1 after each step. For 100 steps the loss pulls it to 2, and "
        "it stands on the edge. Then the loss pulls it to 0. At which step does it leave the edge?",
        (
            Choice("first", "at the 1st", (1,), "projection-stops-the-ball"),
            Choice("seventh", "at the 7th", (7,)),
            Choice("hundredth", "at the 100th", (100,), "as-long-as-it-was-pushed"),
        ),
        "The slot went on gathering pushes against the edge, up to 10; it turns round once .9ᵏ is below ½.",
    ),
)
