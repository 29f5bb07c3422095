"""Prompts of lesson 19."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "19",
        "fit-sweeps",
        "choice",
        "20 residuals of 2 parameters, and a fit of 5 iterations, each of which needs the whole Jacobian. How many "
        "sweeps does it take at the least?",
        (
            Choice("rows", "100: a pull for each residual", (100,), "always-reverse"),
            Choice("columns", "10: a push for each parameter", (10,)),
            Choice("costs", "5: a pull of the cost for each iteration", (5,), "gradient-of-the-cost"),
        ),
        "J has 20 rows and 2 columns. One push gives a column, and a pull of the cost gives their sum only.",
    ),
    Prompt(
        "19",
        "damping-to-infinity",
        "choice",
        "The damping λ grows and grows. What does the step become?",
        (
            Choice("full", "the full step of the straight-line model", (), "damping-speeds-up"),
            Choice("best", "the step to the lowest cost", (), "more-damping-is-better"),
            Choice("short", "a short step downhill"),
        ),
        "λD outgrows JᵀJ, and h comes near −D⁻¹Jᵀr / λ: straight downhill, and as short as λ is large.",
    ),
    Prompt(
        "19",
        "seconds-for-minutes",
        "choice",
        "Time is written in seconds in place of minutes: all t are 60 times larger. With which damping is the curve "
        "after the first step the same as before?",
        (
            Choice("columns", "with λ·diag(JᵀJ)"),
            Choice("one", "with λ·1, which treats all parameters alike", (), "damps-by-the-identity"),
            Choice("both", "with both, since units are a matter of taste", (), "units-do-not-matter"),
        ),
        "The column of p₁ grows 60 times, its square 3600 times: diag(JᵀJ) grows with it, and 1 does not.",
    ),
)
