"""Prompts of lesson 09."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_ROW = "Scores log 1, log 2, log 3, log 4, values 10, 20, 30, 100, and the fourth position is padding"

PROMPTS = (
    Prompt(
        "09",
        "kept-sum",
        "slider",
        f"{_ROW}. Zero after: the fourth weight is set to 0 after the softmax. What is the sum of the other three?",
        (
            Choice("one", "1", (1,), "softmax weights always sum to 1"),
            Choice("shares", ".75", (0.75,), "all four positions have the same weight"),
            Choice("rest", ".6", (0.6,)),
        ),
        "The weights were .1, .2, .3 and .4. The first three stay as they are: .1 + .2 + .3 = .6.",
        low=0.0,
        high=1.0,
        step=0.05,
    ),
    Prompt(
        "09",
        "outputs",
        "choice",
        f"{_ROW}. What are the outputs of the three designs: zero after, renormalised, −∞ before?",
        (
            Choice(
                "alike",
                "23.33, 23.33, 23.33",
                (70 / 3, 70 / 3, 70 / 3),
                "a weight of zero has the same effect as a mask",
            ),
            Choice("whole", "54, 23.33, 23.33", (54, 70 / 3, 70 / 3), "the padded value still counts after zeroing"),
            Choice("two", "14, 14, 23.33", (14, 14, 70 / 3), "renormalising does not change a weighted mean"),
            Choice("first", "14, 23.33, 23.33", (14, 70 / 3, 70 / 3)),
        ),
        "Zero after: .1·10 + .2·20 + .3·30 = 14. Renormalised: 14/.6 = 23.33. "
        "With −∞ before, Z is 1 + 2 + 3 = 6, and (10 + 40 + 90)/6 = 23.33.",
    ),
    Prompt(
        "09",
        "gradient-into-padding",
        "choice",
        "Zero after: the weights are .1, .2, .3 and 0 (the softmax gave .4), the values 10, 20, 30, 100, and y = 14. "
        "What is the gradient of y with respect to the padded score?",
        (
            Choice("leak", "−5.6", (-5.6,)),
            Choice("zero", "0", (0,), "where the weight is zero, no gradient flows"),
            Choice("unmasked", "18.4", (18.4,), "the gradient is that of the layer without a mask"),
            Choice("own", "24", (24,), "a score changes only its own weight"),
        ),
        "The padded score changes the kept weights, because it is part of Z: each falls by .4 times itself, "
        "so y changes at the rate −.4·14 = −5.6.",
    ),
    Prompt(
        "09",
        "all-masked",
        "choice",
        "The scores are log 1, log 2, log 3, log 4. All four positions are masked by adding −1e9. "
        "Which weights does the softmax give in float32 and in float64?",
        (
            Choice("zeros", "zeros in both", (0,) * 8, "a masked position has weight 0, so all four have"),
            Choice("nan", "nan in both", (math.nan,) * 8, "−1e9 acts like −∞, which gives 0/0"),
            Choice("flat", "four times .25 in both", (0.25,) * 8, "next to 1e9 the scores are lost in every dtype"),
            Choice(
                "differ",
                "four times .25; then .1 .2 .3 .4",
                (0.25, 0.25, 0.25, 0.25, 0.1, 0.2, 0.3, 0.4),
            ),
        ),
        "In float32 all four sums round to −1e9, so the weights are equal. In float64 the differences survive, "
        "and adding one number to all scores changes nothing.",
    ),
    Prompt(
        "09",
        "nan-row",
        "choice",
        "The second of three sentences is empty, so its weights and its output are nan. The loss leaves its output "
        "out with where. What are the loss and the gradient of the shared 2×2 matrix W?",
        (
            Choice(
                "none",
                "a finite loss, and 0 of 4 entries nan",
                (1, 0),
                "what the loss leaves out cannot reach the gradient",
            ),
            Choice("all", "a finite loss, and 4 of 4 entries nan", (1, 4)),
            Choice("both", "loss nan, and 4 of 4 entries nan", (0, 4), "where cannot keep a nan out of a sum"),
        ),
        "The loss takes 0 in place of the nan, so it is finite. In the pull the empty sentence gets the gradient 0, "
        "its weights multiply it, 0·nan is nan, and the sum over all words carries it into every entry of W.",
    ),
    Prompt(
        "09",
        "longer-padding",
        "choice",
        "Three designs, each trained at 12 positions and tested with its own mask: no mask, zero after, "
        "masked_softmax. Padding to 96 changes the probabilities, by more than a rounding error, of which designs?",
        (
            Choice("none", "of none of them", (0, 0, 0), "training teaches a model to ignore its padding"),
            Choice("first", "only of no mask", (1, 0, 0), "weights of zero keep the padding out"),
            Choice("two", "of no mask and zero after", (1, 1, 0)),
            Choice("every", "of all three", (1, 1, 1), "every mask lets some padding through"),
        ),
        "Without a mask and with zero after, every padded position adds to Z, so more padding makes the words' "
        "weights smaller. masked_softmax has only kept scores in its sum.",
    ),
)
