"""Random graphs, how they are made smaller, and the reverse sweep with the mistakes of tape-2."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autodiff_kit.exercises.counterexample import renumbering

Graph = list[list[tuple[int, float]]]


def random_graph(rng: np.random.Generator) -> Graph:
    """Thirteen nodes with fan-out; node 11 reads 10 and 9, node 10 reads 9 twice, and nothing leads on from 12."""
    inner = [[(int(j), float(rng.normal())) for j in rng.integers(0, i, 2)] for i in range(2, 10)]
    tail: Graph = [[(9, 2.0), (9, 1.0), (8, 1.0)], [(10, 1.0), (9, 0.5)], [(0, 1.0)]]
    scale = float(rng.uniform(0.5, 2))
    return [[], [], *inner, *([(j, s * scale) for j, s in node] for node in tail)]


def smaller_graphs(nodes: Graph, target: int) -> Iterator[tuple[Graph, int]]:
    """The target half way down, no nodes after it, one node or one pair less, and last with rounded slopes."""
    if target:
        yield nodes[: target // 2 + 1], target // 2
    if target + 1 < len(nodes):
        yield nodes[: target + 1], target
    for k in reversed(range(len(nodes))):
        inputs = [j for j, _ in nodes[k]] or [0] * (k > 0)
        yield from (without_node(nodes, target, k, j) for j in dict.fromkeys(inputs))
        if k != target and all(j != k for pairs in nodes for j, _ in pairs):
            yield without_node(nodes, target, k, k)
    for k, pairs in enumerate(nodes):
        yield from (([*nodes[:k], pairs[:i] + pairs[i + 1 :], *nodes[k + 1 :]], target) for i in range(len(pairs)))
    rounded = [[(j, round(slope, 1)) for j, slope in pairs] for pairs in nodes]
    if rounded != nodes:
        yield rounded, target


def without_node(nodes: Graph, target: int, gone: int, stand_in: int) -> tuple[Graph, int]:
    """Node ``gone`` left out; whoever read it reads ``stand_in`` in its place."""
    number = renumbering(gone, stand_in)
    kept = [*nodes[:gone], *nodes[gone + 1 :]]
    return [[(number(j), slope) for j, slope in pairs] for pairs in kept], number(target)


def reverse_sweep(
    nodes: Graph, target: int, *, overwrite: bool = False, downwards: bool = False, ones: bool = False
) -> np.ndarray:
    """A reverse sweep; each keyword turns on one mistake."""
    bar = np.full(len(nodes), float(ones))
    bar[target] = 1.0
    order = range(target + 1)
    for i in order if downwards else reversed(order):
        for j, slope in nodes[i]:
            bar[j] = bar[i] * slope + (0 if overwrite else bar[j])
    return bar
