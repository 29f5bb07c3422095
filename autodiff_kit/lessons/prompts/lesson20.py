"""Prompts of lesson 20."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "20",
        "asked-again",
        "choice",
        "f is recorded at x. You ask the tape for the gradient, move x by h·v, and ask the same tape again. What is "
        "the difference of the two, divided by h?",
        (
            Choice("zero", "(0, 0)", (0, 0)),
            Choice("product", "H·v = (3, 4)", (3, 4), "never-moves"),
        ),
        "The record belongs to the place where it was made. A gradient elsewhere needs f to be evaluated there.",
    ),
    Prompt(
        "20",
        "one-probe",
        "choice",
        "H = [[2, 1], [1, 3]], its trace is 5. A probe v has entries of 1 and −1 by chance. What is v·Hv?",
        (
            Choice("always", "5, always", (5,), "one-is-enough"),
            Choice("entries", "2 or 3", (2, 3), "reads-the-diagonal"),
            Choice("either", "7 or 3", (3, 7)),
        ),
        "v·Hv is 5 ± 2·H₀₁. The signs of v₀ and v₁ decide, and over all four sign vectors the mean is 5.",
    ),
    Prompt(
        "20",
        "how-far",
        "choice",
        "Gradients in float64, at numbers near 1. With which h is (∇f(x + hv) − ∇f(x − hv)) / 2h nearest to H·v?",
        (
            Choice("far", "0.1: far enough that rounding does not count", (0.1,), "far-apart-is-safe"),
            Choice("between", "0.00001", (1e-5,)),
            Choice("near", "0.000000000001: the smaller, the better", (1e-12,), "smaller-is-better"),
        ),
        "What bends costs h², what is rounded costs 10⁻¹⁶ / h. The two meet near h = 10⁻⁵.",
    ),
)
