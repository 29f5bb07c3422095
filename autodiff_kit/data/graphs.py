"""Graph classification data: small random graphs whose label depends on which nodes are neighbours.

The graphs are generated here, not read from a file, and are under the kit's licence. Only ``random.Random.random`` is
used, whose sequence Python guarantees, so they are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autodiff_kit.errors import StructureError

__all__ = ["GraphBatch", "graphs"]

CATS, DOGS, PLANTS = range(3)
PAIRS, TRAIN_PAIRS = 150, 100
SEED = 2024

Edges = list[tuple[int, int]]


@dataclass(frozen=True)
class GraphBatch:
    """A batch of graphs as one large graph, in which the nodes of all graphs are numbered one after the other.

    Parameters
    ----------
    kinds : ndarray of int64, shape (n,)
        What each node is: 0 a cat, 1 a dog, 2 a plant.
    graph : ndarray of int64, shape (n,)
        The graph that each node belongs to.
    edges : ndarray of int64, shape (e, 2)
        Pairs of neighbours ``(from, to)``, each edge in both directions.
    labels : ndarray of int64, shape (g,)
        1 where some cat is a neighbour of a dog, else 0.
    """

    kinds: NDArray[np.int64]
    graph: NDArray[np.int64]
    edges: NDArray[np.int64]
    labels: NDArray[np.int64]

    @property
    def adjacency(self) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[int, int]]:
        """Rows, columns and shape of the sparse adjacency matrix of all graphs together, which are not connected."""
        return self.edges[:, 1], self.edges[:, 0], (len(self.kinds), len(self.kinds))

    def __len__(self) -> int:
        return len(self.labels)


def graphs(part: Literal["all", "train", "test"] = "all") -> GraphBatch:
    """Graphs of 6 to 12 cats, dogs and plants; the label says whether a cat is a neighbour of a dog.

    Parameters
    ----------
    part : {"all", "train", "test"}, optional
        All 300, the first 200 or the last 100.

    Returns
    -------
    GraphBatch
        Half of them with the label 1.

    Raises
    ------
    StructureError
        If there is no such part.

    Notes
    -----
    They come in pairs: two graphs with the same edges and the same numbers of cats, dogs and plants at other nodes, one
    with the label 1, one with 0. A classifier that only counts nodes, or only uses the edges, is right in exactly half
    of all cases.

    Examples
    --------
    >>> few = graphs("test")
    >>> len(few), int(few.labels.sum()), few.kinds[few.graph == 0].tolist()
    (100, 50, [2, 2, 0, 1, 2, 2, 2, 2, 2, 0, 2, 2])
    """
    parts = {"all": slice(None), "train": slice(2 * TRAIN_PAIRS), "test": slice(2 * TRAIN_PAIRS, None)}
    if part not in parts:
        raise StructureError(f"there is no part {part!r} of the graphs; choose one of {', '.join(parts)}")
    chosen = _all_graphs()[parts[part]]
    sizes = [len(kinds) for kinds, _ in chosen]
    starts = np.cumsum([0, *sizes])
    edges = [(a + start, b + start) for (_, lines), start in zip(chosen, starts[:-1], strict=True) for a, b in lines]
    return GraphBatch(
        kinds=np.array([kind for kinds, _ in chosen for kind in kinds], dtype=np.int64),
        graph=np.repeat(np.arange(len(chosen)), sizes),
        edges=np.array([*edges, *((b, a) for a, b in edges)], dtype=np.int64),
        labels=np.array([_has_cat_next_to_dog(kinds, lines) for kinds, lines in chosen], dtype=np.int64),
    )


@cache
def _all_graphs() -> list[tuple[list[int], Edges]]:
    draw = Random(SEED)
    return [graph for _ in range(PAIRS) for graph in _draw_graph_pair(draw)]


def _draw_graph_pair(draw: Random) -> list[tuple[list[int], Edges]]:
    """Two graphs with the same edges and the same node kinds, permuted: label 0 in one, label 1 in the other."""
    edges = _draw_edges(draw)
    size = 1 + max(b for _, b in edges)
    apart = [_random_below(draw, 3) for _ in range(size)]
    while _has_cat_next_to_dog(apart, edges) or not {CATS, DOGS} <= set(apart):
        apart = [_random_below(draw, 3) for _ in range(size)]
    beside = _shuffle(draw, apart)
    while not _has_cat_next_to_dog(beside, edges):
        beside = _shuffle(draw, beside)
    pair = [(apart, edges), (beside, edges)]
    return pair if _random_below(draw, 2) else pair[::-1]


def _draw_edges(draw: Random) -> Edges:
    """The edges of a random tree with 6 to 12 nodes, and up to three more."""
    size = 6 + _random_below(draw, 7)
    edges = {(_random_below(draw, b), b) for b in range(1, size)}
    for _ in range(3):
        a, b = _random_below(draw, size), _random_below(draw, size)
        if a < b:
            edges.add((a, b))
    return sorted(edges)


def _has_cat_next_to_dog(kinds: list[int], edges: Edges) -> bool:
    return any({kinds[a], kinds[b]} == {CATS, DOGS} for a, b in edges)


def _shuffle(draw: Random, values: list[int]) -> list[int]:
    return [value for _, value in sorted((draw.random(), value) for value in values)]


def _random_below(draw: Random, end: int) -> int:
    return int(draw.random() * end)
