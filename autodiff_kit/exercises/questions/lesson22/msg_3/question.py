"""msg-3: A batch of graphs as one graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import solution

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
Graphs = tuple[list[int], list[Array]]


def drawn(rng: np.random.Generator, sizes: tuple[int, ...]) -> Graphs:
    """Graphs with one or two edges fewer than nodes; the last node of each has no edge, and some graphs have none."""
    lists = []
    for size in sizes:
        nodes = rng.permutation(max(size - 1, 1))
        lists.append(np.stack([nodes[:-1], nodes[1:]], axis=1))
    return list(sizes), lists


def smaller(sizes: list[int], edge_lists: list[Array]) -> Iterator[Graphs]:
    """One graph less, then one edge less."""
    if len(sizes) > 1:
        yield from ((sizes[:k] + sizes[k + 1 :], edge_lists[:k] + edge_lists[k + 1 :]) for k in range(len(sizes)))
    for k, edges in enumerate(edge_lists):
        for e in range(len(edges)):
            yield sizes, [*edge_lists[:k], np.delete(edges, e, axis=0), *edge_lists[k + 1 :]]


def shifted(edge_lists: list[Array], before: list[int], columns: tuple[int, ...] = (0, 1)) -> Array:
    """All edges, with the given shift of each graph in these columns."""
    by = np.isin([0, 1], columns).astype(int)
    return np.concatenate([edges + shift * by for edges, shift in zip(edge_lists, before, strict=True)])


def before(counts: list[int]) -> list[int]:
    """The sum of all counts before each."""
    return [sum(counts[:k]) for k in range(len(counts))]


def highest(edges: Array) -> int:
    return 1 + int(edges.max()) if edges.size else 0


QUESTION = comparison_question(
    id="msg-3",
    points=2,
    title="A batch of graphs as one graph",
    text="""Graph k has `sizes[k]` nodes, numbered from 0, and `edge_lists[k]` holds its edges (from, to), an array of shape (e, 2); some graphs have no edge. A batch is one large graph: the nodes of graph 0 come first, then those of
graph 1, and so on. Write `batch(sizes, edge_lists)`: the edges of all graphs with the nodes' new numbers, in the same order, one array of shape (all e, 2).""",
    starter='def batch(sizes, edge_lists):\n    """The edges of the batch, graph after graph."""\n    ...\n',
    solution=solution.batch,
    smaller=smaller,
    inputs=lambda rng: [drawn(rng, (4, 5)), drawn(rng, (5, 1, 6, 4)), drawn(rng, (3, 2, 7, 3))],
    misconceptions=(
        Misconception(
            "numbers-unchanged",
            lambda sizes, edge_lists: np.concatenate(edge_lists),
            "The node numbers are unchanged, so the edges of all graphs lie among the first nodes. Node 0 of graph 1 has the number {first}.",
        ),
        Misconception(
            "shifted-by-edges",
            lambda sizes, edge_lists: shifted(edge_lists, before([len(edges) for edges in edge_lists])),
            "The numbers were raised by a count of edges. Graph 0 has {edges} edges and {first} nodes.",
        ),
        Misconception(
            "size-from-the-edges",
            lambda sizes, edge_lists: shifted(edge_lists, before([highest(edges) for edges in edge_lists])),
            "The number of nodes was taken from the largest node number in the edges. Graph 0 has {first} nodes, and the last one has no edge.",
        ),
        Misconception(
            "one-column",
            lambda sizes, edge_lists: shifted(edge_lists, before(sizes), (0,)),
            "Only the first column was raised, so edges lead from one graph to another.",
        ),
        Misconception(
            "shifted-by-the-graph-before-only",
            lambda sizes, edge_lists: shifted(edge_lists, [0, *sizes[:-1]]),
            "Each graph was raised by the size of the graph before it. Count the nodes of all graphs before it.",
        ),
        Misconception(
            "shifted-by-its-own-nodes-too",
            lambda sizes, edge_lists: shifted(edge_lists, [sum(sizes[: k + 1]) for k in range(len(sizes))]),
            "Graph 0 was raised by {first}, its own number of nodes, and every other graph also by its own. Count only the nodes of the graphs before it.",
        ),
        Misconception(
            "shifted-by-the-graphs-number",
            lambda sizes, edge_lists: shifted(edge_lists, list(range(len(sizes)))),
            "Graph k was raised by k, one for each graph before it. Graph 0 has {first} nodes, so node 0 of graph 1 has the number {first}.",
        ),
    ),
    hints=(
        "Which number does node 0 of graph 1 have in the batch?",
        "Add to both columns of graph k the number of nodes in all graphs before it.",
        "`np.cumsum([0, *sizes[:-1]])` gives what to add for each graph; `np.concatenate` joins the edges.",
    ),
    facts=lambda sizes, edge_lists: {"first": sizes[0], "edges": len(edge_lists[0])},
    example=lambda rng: dict(zip(("sizes", "edge_lists"), drawn(rng, (4, 3)), strict=True)),
)
