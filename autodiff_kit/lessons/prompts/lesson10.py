"""Prompts of lesson 10."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "10",
        "stop-the-mean",
        "choice",
        "The variance of x = (1, 2, 3, 4) is the mean of (x − μ)². Its gradient by x is [−.75 −.25 .25 .75]. "
        "What is it with a stop_gradient on the mean μ?",
        (
            Choice("same", "the same", (-0.75, -0.25, 0.25, 0.75)),
            Choice(
                "half", "half of it: one of two uses of x is cut", (-0.375, -0.125, 0.125, 0.375), "paths-share-alike"
            ),
            Choice("less", "[.5 1 1.5 2]: the mean's part is lost", (0.5, 1.0, 1.5, 2.0), "all-stops-matter"),
        ),
        "The mean moves the variance by −2 times the mean of the deviations, and deviations sum to 0.",
    ),
    Prompt(
        "10",
        "stop-the-hessian",
        "choice",
        "The first row of the variance's Hessian, how its slope by the first x changes with each x, is "
        "[.375 −.125 −.125 −.125]. And with a stop_gradient on the mean?",
        (
            Choice("same", "the same", (0.375, -0.125, -0.125, -0.125), "free-once-free-for-ever"),
            Choice("spread", "[.5 0 0 0]", (0.5, 0.0, 0.0, 0.0)),
            Choice("nothing", "[0 0 0 0]", (0.0, 0.0, 0.0, 0.0), "all-stops-matter"),
        ),
        "The slope is 2(x₀ − μ)/4. With μ stopped it no longer knows that μ moves with every x.",
    ),
    Prompt(
        "10",
        "stop-both",
        "choice",
        "y is the first of the four numbers (x − μ)/σ, at x = (1, 2, 3, 4). μ in the numerator and the variance are "
        "both stopped. What is the sum of the gradient by x?",
        (
            Choice("zero", "0, as without a stop", (0.0,), "none-matter"),
            Choice("less", ".6708", (0.6708203932499369,), "the-mean-is-still-there"),
            Choice("rate", ".8944", (0.8944271909999159,)),
        ),
        "Only 1/σ at the first x is left. Nothing takes it back from the others, as the mean had done.",
    ),
    Prompt(
        "10",
        "cut-bias",
        "choice",
        "A bias b is added to all inputs, and the mean, which holds b as well, is taken away again. The mean stands "
        "behind a stop_gradient. What do 300 steps of descent do?",
        (
            Choice("learn", "b settles, and the loss is lower", (), "a-gradient-means-a-descent"),
            Choice("runs", "b goes on and on, and the loss does not move", ()),
            Choice("still", "b stays at 0, and so does the loss where it is", (), "the-gradient-knows-what-is-cut"),
        ),
        "The stop says that b moves the output. It does not: the mean takes every step back at once.",
    ),
)
