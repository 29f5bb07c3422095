"""msg-2: The pull of the mean over neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from .. import shared
from . import solution

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def mean_matrix(edges: Array, nodes: int) -> Array:
    """The Jacobian of the mean over incoming messages."""
    matrix = shared.adjacency(edges, nodes)
    return np.asarray(matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1))


def divided_by_sent(g: Array, edges: Array) -> Array:
    """The pull of a sum, divided by the number of messages that each node sends."""
    matrix = shared.adjacency(edges, len(g))
    return np.asarray((matrix.T @ g) / np.maximum(matrix.sum(axis=0), 1)[:, None])


def facts(g: Array, edges: Array) -> dict[str, object]:
    return {"n": int((edges[:, 1] == 1).sum()), "sent": int((edges[:, 0] == 0).sum())}


QUESTION = comparison_question(
    id="msg-2",
    points=3,
    title="The pull of the mean over neighbours",
    text="""In a round, each node receives the *mean* of the rows of the nodes that have an edge (from, to) to it, or 0 if there is no such edge. `g` has one row per node: the cotangent of what the node receives.
Write `pull_of_mean(g, edges)`: the cotangent of the rows that were sent, an array like `g`. No edge occurs twice. With NumPy; a floating-point warning counts as a failure.""",
    starter='def pull_of_mean(g, edges):\n    """What comes to each sender, for the cotangents g of the receivers\' means."""\n    ...\n',
    solution=solution.pull_of_mean,
    inputs=lambda rng: [
        (rng.normal(size=(n, k)), shared.drawn_edges(rng, n, count)) for n, k, count in ((4, 1, 5), (6, 3, 12))
    ],
    misconceptions=(
        Misconception(
            "forward-again",
            lambda g, edges: mean_matrix(edges, len(g)) @ g,
            "These are the means of g over incoming edges, a push. A pull moves g from the end of an edge to its start.",
        ),
        Misconception(
            "pull-of-a-sum",
            lambda g, edges: shared.adjacency(edges, len(g)).T @ g,
            "This is the pull of a sum. Node 1 takes the mean of {n} messages, so each moved it by 1/{n}.",
        ),
        Misconception(
            "divides-by-what-it-sends",
            divided_by_sent,
            "Node 0 sends {sent} messages, and its sum was divided by {sent}. The divisor belongs to each receiver, not to the sender.",
        ),
        Misconception(
            "divides-by-all-nodes",
            lambda g, edges: shared.adjacency(edges, len(g)).T @ g / len(g),
            "The sums were divided by the number of all nodes. Node 1 takes the mean of {n} messages.",
        ),
    ),
    hints=(
        "By how much does a message move the mean of the node that receives it?",
        "First divide each receiver's cotangent by the number of messages that it receives. Then every sender adds up.",
        "`np.add.at(out, edges[:, 0], (g / n)[edges[:, 1]])`, with n of shape (nodes, 1) and at least 1.",
    ),
    facts=facts,
)
