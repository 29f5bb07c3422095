"""Prompts of lesson 08."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "08",
        "sparse-loss",
        "choice",
        "Three classes have the logits (0, 1, 2), and class 1 is the true one. What is the cross-entropy?",
        (
            Choice("twice", "1.2177", (1.2177,), "softmax-twice"),
            Choice("one", "1.4076", (1.4076,)),
            Choice("binary", "3.1333", (3.1333,), "sum-of-binary-terms"),
        ),
        "One class of three: −log softmax = log(1 + e + e²) − 1.",
    ),
    Prompt(
        "08",
        "gradient-sum",
        "choice",
        "The cross-entropy of the logits (0, 1, 2), class 1 the true one, has a gradient by the logits. What do its "
        "three entries sum to?",
        (
            Choice("zero", "0", (0,)),
            Choice("one", "1, as the probabilities do", (1,), "forgets-to-subtract-one"),
            Choice("loss", "1.4076, the loss", (1.4076,), "gradient-taken-for-the-loss"),
        ),
        "The gradient is the probabilities, which sum to 1, less a 1 at the true class.",
    ),
    Prompt(
        "08",
        "raised-logits",
        "choice",
        "The cross-entropy of the logits (0, 1, 2), class 1 the true one, is 1.4076. All three logits rise by 100. "
        "What is it now?",
        (
            Choice("same", "1.4076", (1.4076,)),
            Choice("more", "101.4076", (101.4076,), "level-matters"),
            Choice("infinite", "∞", (math.inf,), "large-is-infinite"),
        ),
        "Only differences count: logsumexp and the true logit both rise by 100.",
    ),
)
