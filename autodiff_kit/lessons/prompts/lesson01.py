"""Prompts of lesson 01."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_J = "J has the rows (3, 2, 0), (0, −1, 3) and (4, 0, 1)"

PROMPTS = (
    Prompt(
        "01",
        "jv",
        "choice",
        f"{_J}, and v = (1, 2, −1). What is Jv?",
        (
            Choice("pulled", "[−1 0 5]", (-1, 0, 5), "each column of J times v, which is the pull vJ"),
            Choice("pushed", "[7 −5 3]", (7, -5, 3)),
            Choice("step", "[9 −7 4]", (9, -7, 4), "f(x + v) − f(x), a whole step instead of a rate"),
            Choice("entries", "[7 2 −4]", (7, 2, -4), "column sums of J, multiplied by v entry by entry"),
        ),
        "Each output moves by its own row times v: 3·1 + 2·2 = 7, −1·2 + 3·(−1) = −5, 4·1 + 1·(−1) = 3.",
    ),
    Prompt(
        "01",
        "vector-target",
        "choice",
        f"y = f(x) has three entries, and {_J}. What does tape.gradient(y, x) give?",
        (
            Choice(
                "matrix",
                "the 3 × 3 matrix J",
                (3, 2, 0, 0, -1, 3, 4, 0, 1),
                "the gradient of a vector is its Jacobian",
            ),
            Choice("diagonal", "[3 −1 1]", (3, -1, 1), "entry i of y is differentiated with respect to entry i of x"),
            Choice("rows", "[5 2 5]", (5, 2, 5), "the sum of each row of J, which is a push of (1, 1, 1)"),
            Choice("columns", "[7 1 4]", (7, 1, 4)),
        ),
        "The default is u = (1, 1, 1), so this is the gradient of y0 + y1 + y2: 3 + 0 + 4, 2 − 1 + 0, 0 + 3 + 1.",
    ),
    Prompt(
        "01",
        "inner-products",
        "choice",
        "u·(Jv) is 18. What can you say of (uJ)·v?",
        (
            Choice("equal", "18, for J of any shape", (18, 18)),
            Choice("square", "18, because J is square", (), "the two sides can be exchanged only if n = m"),
            Choice("symmetric", "not 18, as J is not symmetric", (), "uJ and Jv agree only if J equals its transpose"),
            Choice("different", "not 18, as uJ is not Jv", (), "different vectors give different inner products"),
        ),
        "Matrix multiplication is associative, so u(Jv) = (uJ)v for every m × n matrix J: 7 + 5 + 6 = 11 + 6 + 1.",
    ),
    Prompt(
        "01",
        "sweeps",
        "number",
        "A function has n = 64 inputs and m = 2 outputs, so J is 2 × 64. "
        "How many sweeps does the cheaper direction take for all of J?",
        (
            Choice("forward", "64", (64,), "derivatives are taken input by input, a push for each"),
            Choice("entries", "128", (128,), "each entry needs a sweep of its own"),
            Choice("rows", "2", (2,)),
            Choice("once", "1", (1,), "one sweep of the tape gives the whole matrix"),
        ),
        "A pull gives a row, and this wide J has only 2 rows. A tall J has few columns, so there pushes are fewer.",
    ),
    Prompt(
        "01",
        "record",
        "choice",
        "y = sin(x)·s with s = sum(x), for n = 1000 inputs. How many numbers does the record hold, ready for a pull "
        "from y to x? An array that is held twice counts once.",
        (
            Choice("million", "1 000 000", (1_000_000,), "the record holds the Jacobian"),
            Choice("inputs", "1000", (1000,), "only the inputs are kept, and the rest is computed again"),
            Choice("few", "2001", (2001,)),
            Choice("everything", "3001", (3001,), "each operation keeps its inputs and its output"),
        ),
        "The sine keeps x (1000). The product keeps both factors, sin(x) and s (1000 + 1). The sum keeps no number.",
    ),
    Prompt(
        "01",
        "pulls-only",
        "choice",
        "J is m × n. How few pulls are enough for Jv, without forward mode?",
        (
            Choice("two", "two pulls, for every m", (2,)),
            Choice("rows", "m pulls, one for each row", (3,), "all rows of J are needed, and then J times v"),
            Choice("no", "no number of pulls", (), "Jv exists only in forward mode"),
        ),
        "The pull uJ is a linear function of u, and its Jacobian is the transpose of J at every u. "
        "So pulling v through this function gives v times that transpose, which is Jv.",
    ),
)
