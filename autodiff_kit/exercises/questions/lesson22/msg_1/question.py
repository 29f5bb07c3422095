"""msg-1: One round of message passing."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from .. import shared
from . import solution

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def last_message(x: Array, edges: Array) -> Array:
    """One message per receiver: an assignment keeps the last of those with the same id."""
    out = np.zeros_like(x)
    out[edges[:, 1]] = x[edges[:, 0]]
    return out


def into_the_rows_sent(x: Array, edges: Array) -> Array:
    """Every message is added to a row that may still be sent."""
    out = x.copy()
    for start, end in edges:
        out[end] += out[start]
    return out


def facts(x: Array, edges: Array) -> dict[str, object]:
    start, end = edges[0].tolist()
    return {"start": start, "end": end, "n": int((edges[:, 1] == 1).sum())}


QUESTION = comparison_question(
    id="msg-1",
    points=2,
    title="One round of message passing",
    text="""`x` has one row per node. Each row of `edges` is a directed edge (from, to), and no edge occurs twice. Write `receive(x, edges)`: for each node the sum of the rows of the nodes that have an edge to it,
an array like `x`. A node to which no edge leads gets 0. With NumPy.""",
    without=("ak.segment.segment_sum", "ak.segment.sparse_matmul"),
    starter='def receive(x, edges):\n    """For each node the sum of what its edges bring."""\n    ...\n',
    solution=solution.receive,
    smaller=shared.smaller_graphs,
    inputs=lambda rng: [
        (rng.normal(size=(n + alone, k)), shared.drawn_edges(rng, n, count))
        for n, k, count, alone in ((4, 1, 5, 0), (6, 3, 12, 1))  # the last node of the second graph has no edge at all
    ],
    misconceptions=(
        Misconception(
            "one-message-per-node",
            last_message,
            "Node 1 has {n} incoming edges, and only one of their messages was added. `out[ids] += rows` adds once for each id.",
        ),
        Misconception(
            "edges-reversed",
            lambda x, edges: solution.receive(x, edges[:, ::-1]),
            "The messages went from end to start. The edge ({start}, {end}) brings the row of node {start} to node {end}.",
        ),
        Misconception(
            "both-directions",
            lambda x, edges: solution.receive(x, np.unique(np.vstack([edges, edges[:, ::-1]]), axis=0)),
            "Messages went both ways. The edge ({start}, {end}) sends nothing from node {end} to node {start}.",
        ),
        Misconception(
            "both-directions-added",
            lambda x, edges: solution.receive(x, np.vstack([edges, edges[:, ::-1]])),
            "Each edge was used twice, once in each direction. The edge ({start}, {end}) sends nothing from node {end} to node {start}.",
        ),
        Misconception(
            "keeps-the-own-row",
            lambda x, edges: x + solution.receive(x, edges),
            "Each node's own row was added. The sum is over incoming edges only.",
        ),
        Misconception("changes-x", None, "x itself was changed. Add the messages to a new array of zeros."),
        Misconception(
            "adds-to-the-rows-sent",
            into_the_rows_sent,
            "The messages were added to the rows that are sent. Every node sends its row of x as it came in.",
        ),
        Misconception(
            "mean-in-place-of-sum",
            lambda x, edges: (
                solution.receive(x, edges) / np.maximum(np.bincount(edges[:, 1], minlength=len(x)), 1)[:, None]
            ),
            "The sums were divided by the number of messages, {n} for node 1. The text asks for the sum.",
        ),
    ),
    hints=(
        "Which rows of `x` are sent, and which node does each of them arrive at?",
        "The ids of the segments are the ends of the edges. Which NumPy function adds rows with equal ids?",
        "`np.add.at(out, edges[:, 1], x[edges[:, 0]])`",
    ),
    facts=facts,
    spoils={0: "changes-x"},
)
