"""Prompts of lesson 11."""

from __future__ import annotations

import math

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "11",
        "naive-means",
        "choice",
        "Five values h = (1, 2, 3, 4, 5) belong to the groups 0 0 1 1 1, and there are three groups. "
        "What are the sums of the groups over their counts?",
        (
            Choice("two", "[1.5 4]", (1.5, 4.0), "loses-the-last-empty-segment"),
            Choice("zero", "[1.5 4 0]", (1.5, 4.0, 0.0), "empty-is-harmless"),
            Choice("nan", "[1.5 4 nan]", (1.5, 4.0, math.nan)),
        ),
        "Group 2 has the sum 0 and the count 0, and 0/0 is not a number.",
    ),
    Prompt(
        "11",
        "pull-of-a-mean",
        "choice",
        "Five values belong to the groups 0 0 1 1 1, of three. The loss is the sum of the three means, where that of "
        "an empty group is 0. What is its gradient by the last value?",
        (
            Choice("fifth", ".2", (0.2,), "divides-by-all-rows"),
            Choice("third", ".3333", (1 / 3,)),
            Choice("one", "1", (1.0,), "pull-forgets-the-count"),
        ),
        "It is one of three in its group, and moves that group's mean by a third of its own way.",
    ),
    Prompt(
        "11",
        "an-id-of-minus-one",
        "choice",
        "The last id is −1 in place of 1: groups 0 0 1 1 −1, three groups. What sums does NumPy's "
        "np.add.at(out, ids, h) leave in three zeros?",
        (
            Choice("wraps", "[3 7 5]", (3.0, 7.0, 5.0)),
            Choice("dropped", "[3 7 0]: the 5 is left out", (3.0, 7.0, 0.0), "bad-ids-are-left-out"),
            Choice("error", "none: it raises an error", (), "an-error-will-tell"),
        ),
        "To NumPy −1 is the last place, so that the 5 lands in a group that it does not belong to.",
    ),
    Prompt(
        "11",
        "counts-alone",
        "choice",
        "In half of the graphs some cat stands beside a dog. Each of them has a partner with the same edges and "
        "equally many cats, dogs and plants, where none does. A model looks at every node, but at no neighbour. "
        "How many of 100 unseen graphs does it judge rightly?",
        (
            Choice("coin", "50", (50.0,)),
            Choice("some", "about 75", (75.0,), "counts-tell-something"),
            Choice("most", "95 or more", (95.0,), "nodes-tell-all"),
        ),
        "What the model sees of a graph and of its partner is the same, so it says the same of both, and one is wrong.",
    ),
)
