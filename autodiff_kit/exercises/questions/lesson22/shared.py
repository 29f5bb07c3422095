"""Random directed graphs as lists of edges, and how they are made smaller."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff_kit.exercises.counterexample import shorter

Array = np.ndarray[Any, Any]


def drawn_edges(rng: np.random.Generator, nodes: int, count: int) -> Array:
    """Distinct edges (from, to) without loops; node 0 has two receivers, node 1 two senders, the last node none.

    Between the nodes 1 and 2 there is an edge in each direction.
    """
    fixed = [(0, 1), (0, 2), (2, 1), (1, 2)]
    others = [(i, j) for i in range(nodes) for j in range(nodes - 1) if i != j and (i, j) not in fixed]
    chosen = rng.choice(len(others), size=count - len(fixed), replace=False)
    return rng.permutation(np.array(fixed + [others[k] for k in chosen]))


def smaller_graphs(x: Array, edges: Array) -> Iterator[tuple[Array, Array]]:
    """One column, fewer edges, no node without an edge, and last with rounded numbers."""
    if x.shape[1] > 1:
        yield x[:, :1], edges
    yield from ((x, edges[rows]) for rows in shorter(range(len(edges))) if rows)
    used, ends = np.unique(edges, return_inverse=True)
    if len(used) < len(x):
        yield x[used], ends.reshape(edges.shape)
    if (x.round(1) != x).any():
        yield x.round(1), edges


def adjacency(edges: Array, nodes: int) -> Array:
    """The matrix with a 1 in row ``to`` and column ``from`` of each edge."""
    matrix = np.zeros((nodes, nodes))
    matrix[edges[:, 1], edges[:, 0]] = 1
    return matrix
