"""Prompts of lesson 01."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_F01 = "f(x) = (x0·x1, x1·x2, x0² + x2) at x = (2, 3, −1)"

PROMPTS = (
    Prompt(
        "01",
        "vector-target",
        "choice",
        f"{_F01}. The tape gets the whole vector as one target. What does tape.gradient(f(x), x) give?",
        (
            Choice(
                "matrix",
                "the 3×3 matrix of all derivatives",
                (3, 2, 0, 0, -1, 3, 4, 0, 1),
                "gives-the-jacobian",
            ),
            Choice("diagonal", "[3 −1 1]", (3, -1, 1), "diagonal-only"),
            Choice("rows", "[5 2 5]", (5, 2, 5), "sums-the-rows"),
            Choice("columns", "[7 1 4]", (7, 1, 4)),
        ),
        "Every output is seeded with 1, so the rows of J are added: (3+0+4, 2−1+0, 0+3+1).",
    ),
    Prompt(
        "01",
        "jv",
        "choice",
        f"{_F01}, and x moves along v = (1, 2, −1). How do the three outputs move: which is Jv?",
        (
            Choice("pulled", "[−1 0 5]", (-1, 0, 5), "pulled-not-pushed"),
            Choice("pushed", "[7 −5 3]", (7, -5, 3)),
            Choice("cotangent", "[1 7 6]", (1, 7, 6), "pushed-the-cotangent"),
        ),
        "Each output moves by its row times v: 3+4, −2−3, 4−1.",
    ),
    Prompt(
        "01",
        "inner-products",
        "choice",
        "With the same x, v and u = (1, −1, 2): how does u·(Jv) compare with (uJ)·v?",
        (
            Choice("equal", "both are 18", (18, 18)),
            Choice("symmetric", "they are equal only where J is symmetric", (), "needs-symmetry"),
            Choice("different", "they are different numbers", (), "two-different-products"),
        ),
        "u·J·v is one number; the brackets only say from which side it is worked out: 7+5+6 = 11+6+1.",
    ),
    Prompt(
        "01",
        "sweeps",
        "number",
        "A function has n = 64 inputs and m = 2 outputs, and its whole Jacobian is wanted. "
        "How many sweeps over the tape does the cheaper direction take?",
        (
            Choice("forward", "64", (64,), "always-forward"),
            Choice("entries", "128", (128,), "an-entry-a-sweep"),
            Choice("rows", "2", (2,)),
            Choice("once", "1", (1,), "gradient-is-the-jacobian"),
        ),
        "A pull gives a row of J, and there are 2 rows; a push gives a column, and there are 64.",
    ),
    Prompt(
        "01",
        "double-pull",
        "choice",
        "Can pulls (reverse sweeps) alone give Jv, with no forward mode at all?",
        (
            Choice("two", "yes, with two pulls", (2,)),
            Choice("rows", "yes, with m pulls, one for each row of J", (3,), "jacobian-first"),
            Choice("no", "no, Jv needs a push", (), "modes-are-separate"),
        ),
        "u ↦ uJ is a linear function of u, and its own pull at v is Jv: [7 −5 3].",
    ),
    Prompt(
        "01",
        "record",
        "choice",
        "The tape records y = sin(x)·sum(x) for n = 1000 inputs, ready for one pull. "
        "How many numbers does the record hold for it?",
        (
            Choice("million", "a million", (1_000_000,), "jacobian-first"),
            Choice("few", "2001", (2001,)),
            Choice("none", "0", (0,), "tape-is-free"),
        ),
        "sin keeps x, and the product keeps sin(x) and the sum: 1000 + 1000 + 1. "
        "J, with its 1000 × 1000 entries, is never written down.",
    ),
)
