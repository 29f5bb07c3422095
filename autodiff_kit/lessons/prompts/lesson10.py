"""Prompts of lesson 10."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "10",
        "stop-the-mean",
        "choice",
        "The variance of x = (1, 2, 3, 4) is the mean of (x − μ)². Its gradient with respect to x is "
        "[−0.75 −0.25 0.25 0.75]. What is it with a stop_gradient on the mean μ?",
        (
            Choice("same", "[−0.75 −0.25 0.25 0.75]", (-0.75, -0.25, 0.25, 0.75)),
            Choice("half", "[−0.375 −0.125 0.125 0.375]", (-0.375, -0.125, 0.125, 0.375), "each path carries half"),
            Choice("less", "[0.5 1 1.5 2]", (0.5, 1.0, 1.5, 2.0), "without its path the mean is no longer subtracted"),
            Choice("none", "[0 0 0 0]", (0.0, 0.0, 0.0, 0.0), "a stop anywhere stops the whole gradient"),
        ),
        "∂v/∂μ is −2 times the mean of the deviations x − μ. Deviations sum to 0, so the path through μ carries 0.",
    ),
    Prompt(
        "10",
        "stop-the-hessian",
        "choice",
        "Entry 0 of the variance's gradient is (2/4)·(x₀ − μ), with or without a stop on μ. Row 0 of the Hessian is "
        "[0.375 −0.125 −0.125 −0.125] without the stop. What is it with the stop?",
        (
            Choice(
                "same",
                "[0.375 −0.125 −0.125 −0.125]",
                (0.375, -0.125, -0.125, -0.125),
                "a stop that is free for the gradient is free for all derivatives",
            ),
            Choice("nothing", "[0 0 0 0]", (0.0, 0.0, 0.0, 0.0), "a stop removes all second derivatives"),
            Choice("spread", "[0.5 0 0 0]", (0.5, 0.0, 0.0, 0.0)),
        ),
        "With μ stopped, μ counts as a constant in (2/4)·(x₀ − μ): the derivative is 2/4 for x₀ and 0 for the others.",
    ),
    Prompt(
        "10",
        "stop-both",
        "choice",
        "y₀ is the first of the numbers (x − μ)/σ at x = (1, 2, 3, 4), where 1/σ = 0.8944. The μ in the numerator and "
        "the variance are stopped. What is the sum of the gradient of y₀ with respect to x?",
        (
            Choice("zero", "0", (0.0,), "the sum is 0, as it is without a stop"),
            Choice("less", "0.6708", (0.6708203932499369,), "the mean in the numerator still gets a gradient"),
            Choice("rate", "0.8944", (0.8944271909999159,)),
            Choice("one", "1", (1.0,), "the derivative of x₀ is 1, and σ plays no role"),
        ),
        "Only the direct path is left: (x₀ − constant)/constant has the derivative 1/σ for x₀, and 0 for the others.",
    ),
    Prompt(
        "10",
        "cut-bias",
        "choice",
        "A bias b is added to all inputs, and the mean, which contains b, is subtracted again. The mean has a "
        "stop_gradient. What do b and the loss do in 300 steps of gradient descent?",
        (
            Choice("learn", "b reaches 1.5, and the loss becomes 0", (1.5,), "a gradient makes the loss fall"),
            Choice("still", "b stays 0, and the loss stays the same", (0.0,), "the tape knows that b has no effect"),
            Choice("runs", "b grows at every step, and the loss stays the same", (90.0,)),
        ),
        "Each step adds 0.1·2·1.5 = 0.3 to b. The mean grows by the same amount, so y and the loss do not change.",
    ),
)
