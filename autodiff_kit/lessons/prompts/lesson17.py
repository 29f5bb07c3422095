"""Prompts of lesson 17."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

_IN_THE_BATCH = (14 / 9, 28 / 3, 32 / 9, 0, 110 / 9, 44 / 3)

PROMPTS = (
    Prompt(
        "17",
        "clip-order",
        "choice",
        "Three examples have the gradients [−2 0], [0 −4] and [−6 −8], and C = 1. Compare the mean of the clipped "
        "gradients with the clipped mean. In what do the two vectors differ?",
        (
            Choice("same", "in nothing", (0,), "a mean and a clipping can be exchanged"),
            Choice("length", "in length only", (1,), "clipping keeps every direction, so it keeps the mean's too"),
            Choice("both", "in length and direction", (2,)),
            Choice("direction", "in direction only", (3,), "the mean of vectors of length C has length C"),
        ),
        "Clipped first, each example counts with length 1, so the mean depends on the directions only. "
        "Clipped afterwards, the mean keeps the direction that the long third gradient gave it.",
    ),
    Prompt(
        "17",
        "replaced-example",
        "choice",
        "Each of three gradients is clipped to the length C = 1, and the clipped gradients are added. One example is "
        "replaced by another, whose gradient may be any vector. How far can the sum move?",
        (
            Choice("share", "by at most 1/3", (1 / 3,), "one of three examples moves the sum by a third of C"),
            Choice("once", "by at most 1", (1,), "only the new gradient counts, and it is at most C long"),
            Choice("twice", "by at most 2", (2,)),
            Choice("any", "by any distance", (1000,), "a longer gradient still moves the sum farther"),
        ),
        "One vector of length at most 1 leaves the sum, and another one enters. They move it farthest, by 1 + 1, if "
        "they have the length 1 and opposite directions.",
    ),
    Prompt(
        "17",
        "passes",
        "choice",
        "A batch has 100 examples, and the gradient of each example's loss is wanted. A tape gives the gradient of a "
        "single number. How many times must the loss function run?",
        (
            Choice("hundred", "100 times: once for each example", (100,), "a tape gives one gradient per run"),
            Choice(
                "hundred-one", "101 times: once for the batch too", (101,), "the batch is needed before the examples"
            ),
            Choice("one", "once: for the whole batch", (1,)),
        ),
        "The forward pass on the batch computes all rows. The backward pass keeps the rows apart until it reaches the "
        "weights, and there it leaves out the sum over the rows.",
    ),
    Prompt(
        "17",
        "mixed-rows",
        "choice",
        "The loss of an example is the squared distance of its output to the mean output of the batch. Each of the "
        "three examples is now computed alone, as a batch of one. What are the three gradients?",
        (
            Choice("same", "the same as in the batch", _IN_THE_BATCH, "a loss per row depends on its row only"),
            Choice("zero", "[0 0] for each", (0,) * 6),
            Choice("longer", "longer than in the batch", (), "in a batch, each example gets a share of its gradient"),
        ),
        "Alone, an example is its own mean. Its distance to the mean is 0 for all weights, and so is the gradient.",
    ),
)
