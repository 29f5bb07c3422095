"""Prompts of lesson 11."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "11",
        "nan-reaches",
        "choice",
        "Five rows h belong to the groups 0 0 1 1 1, of three. The loss is the sum of v times each group's mean, with "
        "v = 1, and the mean of the empty group 2 is 0/0. Which gradients are nan?",
        (
            Choice("neither", "none of them", (0, 0), "an empty group has no rows, so it cannot affect a gradient"),
            Choice("both", "those of h and of v", (5, 1), "one nan in the loss makes every gradient nan"),
            Choice("weight", "only that of v", (0, 1)),
        ),
        "The gradient of v is the sum of all means, 1.5 + 4 + nan. A row of h meets only its own group's count, 2 or "
        "3, and no row belongs to the empty group.",
    ),
    Prompt(
        "11",
        "pull-of-a-mean",
        "choice",
        "Five rows belong to the groups 0 0 1 1 1, of three. The means of the groups get the cotangents g = (6, 6, 0). "
        "What does the pull of the means give the five rows?",
        (
            Choice("all", "[1.2 1.2 1.2 1.2 1.2]", (1.2,) * 5, "a mean divides by the number of all rows"),
            Choice("own", "[3 3 2 2 2]", (3, 3, 2, 2, 2)),
            Choice("whole", "[6 6 6 6 6]", (6,) * 5, "each row gets the whole cotangent of its group, as for a sum"),
            Choice("values", "[2 4 1.5 2 2.5]", (2, 4, 1.5, 2, 2.5), "larger rows get a larger share of the gradient"),
        ),
        "A row is one of n in its group and moves the mean by 1/n: 6/2 = 3 in group 0 and 6/3 = 2 in group 1.",
    ),
    Prompt(
        "11",
        "an-id-of-minus-one",
        "choice",
        "The values 1 2 3 4 5 have the ids 0 0 1 1 −1. What does np.add.at(out, ids, h) leave in out, three zeros "
        "before?",
        (
            Choice("wraps", "[3 7 5]", (3.0, 7.0, 5.0)),
            Choice("dropped", "[3 7 0]", (3.0, 7.0, 0.0), "rows with an invalid id are left out"),
            Choice("error", "an IndexError", (), "NumPy reports every invalid id"),
        ),
        "For NumPy the index −1 is the last place, so the 5 is added to group 2, to which it does not belong.",
    ),
    Prompt(
        "11",
        "row-in-a-running-mean",
        "choice",
        "Batch 1 had three rows of class 0. Batch 2 has one row of class 0. The mean runs over all rows so far. What "
        "is the derivative of the mean with respect to the new row?",
        (
            Choice("one", "1", (1,), "the mean of a batch with one row is that row"),
            Choice("third", "1/3", (1 / 3,), "the mean is taken over the rows before the new one"),
            Choice("half", "1/2", (1 / 2,), "each batch counts once, however many rows it has"),
            Choice("quarter", "1/4", (1 / 4,)),
        ),
        "The new mean is (3 m + h)/4, so a row of this batch moves it by 1/(3 + 1).",
    ),
)
