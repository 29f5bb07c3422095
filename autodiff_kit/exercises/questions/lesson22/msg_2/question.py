"""msg-2: The pull of the mean over neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.counterexample import counterexample_by
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
# Nodes, columns of g, edges.
SIZES = ((4, 1, 5), (6, 3, 12))


def drawn(rng: np.random.Generator, nodes: int, columns: int, count: int) -> tuple[Array, Array]:
    return rng.normal(size=(nodes, columns)), shared.drawn_edges(rng, nodes, count)


def mean_matrix(edges: Array, nodes: int) -> Array:
    """The Jacobian of the mean over incoming messages."""
    matrix = shared.adjacency(edges, nodes)
    return np.asarray(matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1))


def divided_by_sent(g: Array, edges: Array) -> Array:
    """The pull of a sum, divided by the number of messages that each node sends."""
    matrix = shared.adjacency(edges, len(g))
    return np.asarray((matrix.T @ g) / np.maximum(matrix.sum(axis=0), 1)[:, None])


def last_message(g: Array, edges: Array) -> Array:
    """One cotangent per sender: an addition by an array of ids keeps the last of those with the same id."""
    out = np.zeros_like(g)
    out[edges[:, 0]] = (g / received_counts(edges, len(g)))[edges[:, 1]]
    return out


def received_counts(edges: Array, nodes: int) -> Array:
    """The number of messages that each node receives, at least 1, as a column."""
    return np.asarray(np.maximum(np.bincount(edges[:, 1], minlength=nodes), 1)[:, None])


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for sizes in SIZES:
        g, edges = drawn(rng, *sizes)
        reply = yield Call("pull_of_mean", (g, edges))
        nodes, of_sum = len(g), shared.adjacency(edges, len(g)).T @ g
        # The last node receives nothing.
        facts = {"n": int((edges[:, 1] == 1).sum()), "sent": int((edges[:, 0] == 0).sum()), "k": nodes - 1}
        if a.warned(reply, "divides-by-no-messages", **facts):
            continue
        mistaken = {
            "forward-again": mean_matrix(edges, nodes) @ g,
            "pull-of-a-sum": of_sum,
            "divides-by-what-it-sends": divided_by_sent(g, edges),
            "divides-by-what-the-sender-receives": of_sum / received_counts(edges, nodes),
            "divides-by-all-nodes": of_sum / nodes,
            "one-message-per-sender": last_message(g, edges),
            "divides-by-no-messages": np.full(g.shape, np.nan),
        }
        a.case(reply.value, solution.pull_of_mean(g, edges), mistaken, tol=1e-10, facts=facts)


def example(rng: np.random.Generator) -> dict[str, object]:
    g, edges = drawn(rng, *SIZES[0])
    return {"g": g.round(2), "edges": edges}


QUESTION = Question(
    id="msg-2",
    points=3,
    title="The pull of the mean over neighbours",
    text="""In a round, each node receives the *mean* of the rows of the nodes that have an edge (from, to) to it, or 0 if there is no such edge. `g` has one row per node: the cotangent of what the node receives.
Write `pull_of_mean(g, edges)`: the cotangent of the rows that were sent, an array like `g`. No edge occurs twice. With NumPy; a floating-point warning counts as a failure.""",
    writes=("pull_of_mean",),
    without=("ak.segment.segment_mean", "ak.segment.segment_sum", "ak.segment.sparse_matmul"),
    starter='''def pull_of_mean(g, edges):
    """What comes to each sender, for the cotangents g of the receivers' means."""
    ...
''',
    check=check,
    counterexample=counterexample_by(shared.smaller_graphs, solution.pull_of_mean, 1e-10),
    messages={
        "forward-again": "These are the means of g over incoming edges: the forward step, with g in place of the rows. A pull moves g from the end of an edge to its start.",
        "pull-of-a-sum": "This is the pull of a sum. Node 1 takes the mean of {n} messages, so each moved it by 1/{n}.",
        "divides-by-what-it-sends": "Node 0 sends {sent} messages, and its sum was divided by {sent}. The divisor belongs to each receiver, not to the sender.",
        "divides-by-what-the-sender-receives": "Each sender's sum was divided by the number of messages that this sender receives itself. The divisor belongs to the receiver of each message: divide before you add.",
        "divides-by-all-nodes": "The sums were divided by the number of all nodes. Node 1 takes the mean of {n} messages.",
        "one-message-per-sender": "Node 0 sends {sent} messages, and only one of their cotangents was added. `out[ids] += rows` adds once for each id.",
        "divides-by-no-messages": "Node {k} receives no message, and something was divided by its count 0. Change the count before you divide.",
    },
    hints=(
        "By how much does a message move the mean of the node that receives it?",
        "First divide each receiver's cotangent by the number of messages that it receives. Then every sender adds up.",
        "`np.add.at(out, edges[:, 0], (g / n)[edges[:, 1]])`, with n of shape (nodes, 1) and at least 1.",
    ),
    example=example,
)
