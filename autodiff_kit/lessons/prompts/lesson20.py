"""Prompts of lesson 20."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "20",
        "asked-again",
        "choice",
        "f is recorded at x. You ask the tape for the gradient, change x to x + h·v, and ask the same tape again. "
        "What is the difference of the two gradients, divided by h?",
        (
            Choice("zero", "(0, 0)", (0, 0)),
            Choice("product", "H·v = (3, 4)", (3, 4), "a tape computes the gradient at the present value of x"),
            Choice("error", "an error", (), "a tape notices that x was changed after the record"),
        ),
        "The record holds the values at the place where f was computed, so the second gradient equals the first.",
    ),
    Prompt(
        "20",
        "one-probe",
        "choice",
        "H has the rows (2, 1) and (1, 3), and its trace is 5. The entries of v are 1 or −1 at random. What is v·Hv?",
        (
            Choice("always", "5 for every v", (5,), "one probe gives the trace exactly"),
            Choice("entries", "2 or 3", (2, 3), "a probe selects one entry of the diagonal"),
            Choice("either", "7 or 3", (3, 7)),
        ),
        "v·Hv = 2 + 3 + 2·v0·v1, which is 5 + 2 if the signs are equal and 5 − 2 if not.",
    ),
    Prompt(
        "20",
        "how-far",
        "choice",
        "In float64, with x near 1 and a function that is not quadratic: with which h is "
        "(∇f(x + hv) − ∇f(x − hv)) / 2h nearest to H·v?",
        (
            Choice("far", "h = 0.1", (0.1,), "a large step keeps rounding small, and nothing else counts"),
            Choice("between", "h = 1e-5", (1e-5,)),
            Choice("root", "h = 1e-8", (1e-8,), "the root of the precision is best, as for one-sided differences"),
            Choice("near", "h = 1e-12", (1e-12,), "the smaller h is, the better"),
        ),
        "The error of the formula is proportional to h², that of rounding to 1e-16 / h. They are equal near h = 1e-5.",
    ),
)
