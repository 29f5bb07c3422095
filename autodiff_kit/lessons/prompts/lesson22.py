"""Prompts of lesson 22."""

from __future__ import annotations

from autodiff_kit.lessons.prompt import Choice, Prompt

__all__ = ["PROMPTS"]

PROMPTS = (
    Prompt(
        "22",
        "two-rounds",
        "choice",
        "A graph has the undirected edges 0–1, 0–2, 1–2 and 2–3. Node 0 has the value 1, all others 0. In a round, "
        "each node's value becomes the sum of its neighbours' values. What are the values after two rounds?",
        (
            Choice("once", "[1 1 1 1]", (1, 1, 1, 1), "a node that was reached has the value 1"),
            Choice("onward", "[0 1 1 1]", (0, 1, 1, 1), "messages move on and do not return to their sender"),
            Choice("walks", "[2 1 1 1]", (2, 1, 1, 1)),
            Choice("kept", "[3 3 3 1]", (3, 3, 3, 1), "a node adds what it receives to its own value"),
        ),
        "After one round nodes 1 and 2 have the value 1. Node 0 receives both, 1 + 1; nodes 1, 2 and 3 receive one.",
    ),
    Prompt(
        "22",
        "against-the-edges",
        "choice",
        "The edges are 0→1, 0→2, 1→2 and 2→3, and y = Bx sends each node's value along them. The loss is the sum of "
        "all y. What is its gradient with respect to x?",
        (
            Choice("in", "[0 1 2 1]", (0, 1, 2, 1), "a gradient is passed along the edges, from start to end"),
            Choice("out", "[2 1 1 0]", (2, 1, 1, 0)),
            Choice("ones", "[1 1 1 1]", (1, 1, 1, 1), "each node counts once, however many edges it has"),
            Choice("both", "[2 2 3 1]", (2, 2, 3, 1), "an edge passes the gradient in both directions"),
        ),
        "The gradient is the column sums of B: column j counts the edges that start at j, which are 2, 1, 1 and 0.",
    ),
    Prompt(
        "22",
        "counts-alone",
        "choice",
        "Graphs come in pairs, a yes and a no, with the same edges and the same counts of cats, dogs and plants. A "
        "model looks at each node, but at no neighbour. How many of 100 unseen graphs does it judge correctly?",
        (
            Choice("most", "95 or more", (95.0,), "training finds every pattern if the model is large enough"),
            Choice("some", "about 75", (75.0,), "the counts tell at least something about the neighbours"),
            Choice("coin", "50", (50.0,)),
        ),
        "Both graphs of a pair give the model the same counts, so it gives both the same answer, and one is wrong.",
    ),
    Prompt(
        "22",
        "ring-or-triangles",
        "choice",
        "A ring of six nodes and two triangles: every node has two neighbours, and all nodes start equal. After which "
        "round of messages do the sums over all nodes first differ?",
        (
            Choice("never", "never: they stay equal", ()),
            Choice("1", "after round 1", (), "different graphs give different sums at once"),
            Choice("2", "after round 2", (), "a node of a triangle hears itself through its neighbours earlier"),
            Choice("3", "after round 3", (), "it takes three rounds to go around the ring"),
        ),
        "If all six values are equal, each node receives twice the same value. So all are equal again after the round, "
        "in both graphs.",
    ),
)
