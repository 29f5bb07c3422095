"""Prompts of lesson 09."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_ROW = "Scores log(1, 2, 3, 4), values (10, 20, 30, 100), and the fourth position is padding"

PROMPTS = (
    Prompt(
        "09",
        "kept-sum",
        "slider",
        f"{_ROW}. After the softmax the fourth weight is set to 0. What do the three kept weights add up to?",
        (
            Choice("one", "1", (1,), "softmax-renormalises-itself"),
            Choice("shares", ".75", (0.75,), "equal-shares"),
            Choice("rest", ".6", (0.6,)),
        ),
        "The weights were .1 .2 .3 .4, and .4 is gone.",
        low=0.0,
        high=1.0,
        step=0.05,
    ),
    Prompt(
        "09",
        "outputs",
        "choice",
        f"{_ROW}. Three designs: zero the weight after the softmax; zero it and renormalise; "
        "put −inf in the score before. What are the three outputs?",
        (
            Choice("alike", "23.3333 in all three", (70 / 3, 70 / 3, 70 / 3), "zeroing-is-masking"),
            Choice("whole", "54 in each", (54, 54, 54), "forgets-the-mask"),
            Choice("two", "14, 14, 23.3333", (14, 14, 70 / 3), "not-renormalised"),
            Choice("first", "14, 23.3333, 23.3333", (14, 70 / 3, 70 / 3)),
        ),
        "1+4+9 = 14, and 14/.6 = 23.3333; −inf before the softmax does the division by itself.",
    ),
    Prompt(
        "09",
        "gradient-into-padding",
        "choice",
        "Zero after the softmax, the first design: what gradient does the output send to the padded score?",
        (
            Choice("leak", "−5.6", (-5.6,)),
            Choice("zero", "0", (0,), "zeroed-so-nothing-flows"),
            Choice("unmasked", "18.4", (18.4,), "forgets-the-mask"),
            Choice("own", "24", (24,), "own-value"),
        ),
        "The padded score stands in every denominator: −.4·14. In the other two designs the gradient is 0.",
    ),
    Prompt(
        "09",
        "all-masked",
        "choice",
        "All four positions are masked by adding −1e9 to their scores. What weights does softmax give?",
        (
            Choice("zeros", "zeros", (0,) * 8, "minus-1e9-is-not-minus-infinity"),
            Choice("nan", "nan in float32 and in float64", (math.nan,) * 8, "takes-it-for-infinity"),
            Choice(
                "differ",
                "float32: [.25 .25 .25 .25], float64: [.1 .2 .3 .4]",
                (0.25, 0.25, 0.25, 0.25, 0.1, 0.2, 0.3, 0.4),
            ),
            Choice("flat", "[.25 .25 .25 .25] in both", (0.25,) * 8, "dtype-blind"),
        ),
        "Near 1e9 neighbouring float32 numbers are 64 apart, so the scores become equal; "
        "in float64 they are 1e-7 apart and keep their differences.",
    ),
    Prompt(
        "09",
        "minus-ten",
        "choice",
        "A gentler mask adds only −10 to the padded score. What weight is left on the padding?",
        (
            Choice("none", "0", (0,), "ten-is-plenty"),
            Choice("leak", "3.03e-05", (3.03e-05,)),
            Choice("factor", "4.54e-05", (4.54e-05,), "forgets-the-other-weights"),
        ),
        "4e⁻¹⁰ / (6 + 4e⁻¹⁰).",
    ),
    Prompt(
        "09",
        "nan-row",
        "choice",
        "Of three rows one has all its scores at −inf, so its weights are nan. The loss leaves it out with "
        "where. How many of the 4 entries of the shared weight's gradient are nan?",
        (
            Choice("none", "none", (0,), "left-out-is-safe"),
            Choice("third", "only its own third of each sum", (), "nan-stays-in-its-row"),
            Choice("all", "all 4", (4,)),
        ),
        "The loss is finite, but on the way back 0·nan is nan, and the shared weight sums over the rows. "
        "Indexing the row away does not help either.",
    ),
)
