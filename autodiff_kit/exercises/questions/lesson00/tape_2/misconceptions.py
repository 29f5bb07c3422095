"""Random graphs, and the reverse sweep with the mistakes of tape-2."""

from __future__ import annotations

import numpy as np

Graph = list[list[tuple[int, float]]]


def random_graph(rng: np.random.Generator) -> Graph:
    """Thirteen nodes with fan-out; node 11 reads 10 and 9, node 10 reads 9 twice, and nothing leads on from 12."""
    inner = [[(int(j), float(rng.normal())) for j in rng.integers(0, i, 2)] for i in range(2, 10)]
    tail: Graph = [[(9, 2.0), (9, 1.0), (8, 1.0)], [(10, 1.0), (9, 0.5)], [(0, 1.0)]]
    scale = float(rng.uniform(0.5, 2))
    return [[], [], *inner, *([(j, s * scale) for j, s in node] for node in tail)]


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
