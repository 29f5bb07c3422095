"""Small graphs, in which what decides is who stands beside whom.

The graphs are drawn by the few lines below, not read from a file, and belong to the kit under its licence. Only
``random.Random.random`` is asked, whose sequence Python promises to keep, so they are the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autodiff_kit.errors import StructureError

__all__ = ["Graphs", "graphs"]

CATS, DOGS, PLANTS = range(3)
PAIRS, TRAIN_PAIRS = 150, 100
SEED = 2024

Edges = list[tuple[int, int]]


@dataclass(frozen=True)
class Graphs:
    """Some graphs, their nodes numbered one after the other, as parts of one large graph.

    Parameters
    ----------
    kinds : ndarray of int64, shape (n,)
        What each node is: 0 a cat, 1 a dog, 2 a plant.
    graph : ndarray of int64, shape (n,)
        The graph that each node belongs to.
    edges : ndarray of int64, shape (e, 2)
        Pairs of neighbours ``(from, to)``, each edge in both directions.
    labels : ndarray of int64, shape (g,)
        1 where some cat has a dog beside it, 0 where none has.
    """

    kinds: NDArray[np.int64]
    graph: NDArray[np.int64]
    edges: NDArray[np.int64]
    labels: NDArray[np.int64]

    @property
    def adjacency(self) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[int, int]]:
        """Rows, columns and shape of the sparse matrix that adds up neighbours: all graphs at once, none touching."""
        return self.edges[:, 1], self.edges[:, 0], (len(self.kinds), len(self.kinds))

    def __len__(self) -> int:
        return len(self.labels)


def graphs(part: Literal["all", "train", "test"] = "all") -> Graphs:
    """Graphs of 6 to 12 cats, dogs and plants: does a cat have a dog beside it?

    Parameters
    ----------
    part : {"all", "train", "test"}, optional
        All 300, the first 200 or the last 100.

    Returns
    -------
    Graphs
        Half of them with the label 1.

    Raises
    ------
    StructureError
        If there is no such part.

    Notes
    -----
    They come in pairs: two graphs with the same edges and equally many cats, dogs and plants in other places, one with
    the label 1, one with 0. Whoever only counts nodes, or only looks at edges, is right in exactly half of all cases.

    Examples
    --------
    >>> few = graphs("test")
    >>> len(few), int(few.labels.sum()), few.kinds[few.graph == 0].tolist()
    (100, 50, [2, 2, 0, 1, 2, 2, 2, 2, 2, 0, 2, 2])
    """
    parts = {"all": slice(None), "train": slice(2 * TRAIN_PAIRS), "test": slice(2 * TRAIN_PAIRS, None)}
    if part not in parts:
        raise StructureError(f"there is no part {part!r} of the graphs; ask for one of {', '.join(parts)}")
    chosen = _everything()[parts[part]]
    sizes = [len(kinds) for kinds, _ in chosen]
    starts = np.cumsum([0, *sizes])
    edges = [(a + start, b + start) for (_, lines), start in zip(chosen, starts[:-1], strict=True) for a, b in lines]
    return Graphs(
        kinds=np.array([kind for kinds, _ in chosen for kind in kinds], dtype=np.int64),
        graph=np.repeat(np.arange(len(chosen)), sizes),
        edges=np.array([*edges, *((b, a) for a, b in edges)], dtype=np.int64),
        labels=np.array([_meet(kinds, lines) for kinds, lines in chosen], dtype=np.int64),
    )


@cache
def _everything() -> list[tuple[list[int], Edges]]:
    draw = Random(SEED)
    return [graph for _ in range(PAIRS) for graph in _pair(draw)]


def _pair(draw: Random) -> list[tuple[list[int], Edges]]:
    """The same edges twice, and the same kinds in other places: apart in one, side by side in the other."""
    edges = _edges(draw)
    size = 1 + max(b for _, b in edges)
    apart = [_below(draw, 3) for _ in range(size)]
    while _meet(apart, edges) or not {CATS, DOGS} <= set(apart):
        apart = [_below(draw, 3) for _ in range(size)]
    beside = _shuffled(draw, apart)
    while not _meet(beside, edges):
        beside = _shuffled(draw, beside)
    pair = [(apart, edges), (beside, edges)]
    return pair if _below(draw, 2) else pair[::-1]


def _edges(draw: Random) -> Edges:
    """A tree, and up to three more edges."""
    size = 6 + _below(draw, 7)
    edges = {(_below(draw, b), b) for b in range(1, size)}
    for _ in range(3):
        a, b = _below(draw, size), _below(draw, size)
        if a < b:
            edges.add((a, b))
    return sorted(edges)


def _meet(kinds: list[int], edges: Edges) -> bool:
    return any({kinds[a], kinds[b]} == {CATS, DOGS} for a, b in edges)


def _shuffled(draw: Random, values: list[int]) -> list[int]:
    return [value for _, value in sorted((draw.random(), value) for value in values)]


def _below(draw: Random, end: int) -> int:
    return int(draw.random() * end)
