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
        "The logits (0, 1, 2) have the softmax (0.0900, 0.2447, 0.6652). The label is 1. What is the cross-entropy?",
        (
            Choice("likeliest", "0.4076", (0.4076,), "the loss is taken at the likeliest class"),
            Choice("complement", "0.7553", (0.7553,), "the loss is 1 minus the probability"),
            Choice("one", "1.4076", (1.4076,)),
            Choice("from-one", "2.4076", (2.4076,), "classes are counted from 1"),
        ),
        "The label 1 is the second class. Its probability is 0.2447, and −log 0.2447 = 1.4076.",
    ),
    Prompt(
        "08",
        "gradient-sum",
        "choice",
        "The loss is lse(z) − z_y, for the logits (0, 1, 2) and the label 1. "
        "What is the sum of the three entries of its gradient with respect to z?",
        (
            Choice("true-only", "−0.7553", (-0.7553,), "only the logit of the true class gets a gradient"),
            Choice("zero", "0", (0,)),
            Choice("one", "1", (1,), "the gradient is the vector of probabilities"),
            Choice("loss", "1.4076", (1.4076,), "the gradient splits the loss among the classes"),
        ),
        "The derivatives of lse are the probabilities, with the sum 1; −z_y adds −1.",
    ),
    Prompt(
        "08",
        "raised-logits",
        "choice",
        "The cross-entropy of the logits (0, 1, 2) with label 1 is 1.4076. All three logits rise by 100. "
        "What is it now?",
        (
            Choice("same", "1.4076", (1.4076,)),
            Choice("more", "101.4076", (101.4076,), "larger logits give a larger loss"),
            Choice("less", "0", (0.0,), "larger logits mean more certainty"),
            Choice("infinite", "infinity", (math.inf,), "the exponentials overflow"),
        ),
        "Every exponential is multiplied by the same factor, which cancels in the softmax.",
    ),
    Prompt(
        "08",
        "least-loss",
        "choice",
        "Ten probabilities are taken for logits. The best output is p = (1, 0, …, 0), with the 1 at the true class. "
        "What is its cross-entropy?",
        (
            Choice("zero", "0 = log 1", (0.0,), "a perfect output has the loss 0"),
            Choice("guess", "2.3026 = log 10", (2.302585,), "a softmax of probabilities makes them equal"),
            Choice("between", "1.4612 = log(e + 9) − 1", (1.461150,)),
        ),
        "The exponentials are e at the true class and 1 at the nine others. So its softmax is e/(e + 9) = 0.23, "
        "and −log of this is log(e + 9) − 1.",
    ),
)
