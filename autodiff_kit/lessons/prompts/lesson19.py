"""Prompts of lesson 19."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "19",
        "fit-sweeps",
        "choice",
        "A fit of 20 residuals with 2 parameters takes 5 iterations. Each computes the whole Jacobian once. How many "
        "sweeps does the cheaper direction take in all?",
        (
            Choice("rows", "100", (100,), "a Jacobian is always built by pulls, one per residual"),
            Choice("costs", "5", (5,), "one pull of the cost contains the Jacobian"),
            Choice("columns", "10", (10,)),
            Choice("entries", "200", (200,), "each entry of the Jacobian takes a sweep"),
        ),
        "J has 20 rows and 2 columns. A push gives a whole column, so 2 pushes build J, and 5 iterations take 10.",
    ),
    Prompt(
        "19",
        "damping-to-infinity",
        "choice",
        "In the damped equations (JᵀJ + λD) h = −Jᵀr, the number λ grows without bound. What becomes of the step h?",
        (
            Choice("downhill", "a short step downhill"),
            Choice("full", "the full Gauss-Newton step", (), "damping leads a fit back to the undamped step"),
            Choice("best", "the step to the lowest cost", (), "more damping is always better"),
            Choice("long", "a long step downhill", (), "damping plays the part of a learning rate"),
        ),
        "λD outgrows JᵀJ, so h is about −D⁻¹Jᵀr/λ: minus the gradient, scaled by D, and as short as λ is large.",
    ),
    Prompt(
        "19",
        "seconds-for-minutes",
        "choice",
        "All times are written in seconds in place of minutes. With which damping is the fitted curve after the first "
        "step the same as before?",
        (
            Choice("one", "with λ, but not with λD", (), "a damping that treats all parameters alike is neutral"),
            Choice("both", "with λ and with λD", (), "units cannot change the result of a computation"),
            Choice("none", "with neither of them", (), "every damping depends on units"),
            Choice("columns", "with λD, but not with λ"),
        ),
        "The column of p1 becomes 60 times as large and its entry of JᵀJ 3600 times. D grows with it, and the number λ "
        "does not.",
    ),
)
