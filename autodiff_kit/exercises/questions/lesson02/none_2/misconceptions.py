"""Random graphs with broken paths, how they are made smaller, and the nodes that a search in the wrong direction reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff_kit.exercises.counterexample import renumbering

Graph = list[tuple[Any, ...]]


CUTS = ("floor", "cast", "greater", "convert")


def random_graph(rng: np.random.Generator) -> tuple[Graph, int, list[int]]:
    """Nodes, target and sources: with each cut, a difference of equals, an unused branch, and nodes after the target.

    Each operation of one input is on the only path to some of the sources.
    """
    nodes: Graph = [("input",)] * 4

    def node(*entry: Any) -> int:
        nodes.append(entry)
        return len(nodes) - 1

    one, two = ("sin", "square", "exp"), ("add", "mul")
    path = [0, 1, node(rng.choice(two), 0, 1)]
    unused = [node(rng.choice(one), 0)]
    for _ in range(int(rng.integers(1, 5))):
        path.append(node(rng.choice(two), path[-1], int(rng.choice(path))))
        unused.append(node(rng.choice(one), int(rng.choice(path + unused))))
    for op in rng.permutation(one):
        path.append(node(op, path[-1]))
    for op in rng.permutation(CUTS):
        cut = node(op, node(rng.choice(one), 2))
        path.append(node("mul", path[-1], cut))
    smooth = node(rng.choice(one), 3)
    level = node("sub", smooth, smooth)
    target = node("add", path[-1], level)
    node("mul", target, unused[-1])
    node(rng.choice(CUTS), target)
    node(rng.choice(one), 0)
    plain = [i for i, (op, *_) in enumerate(nodes) if op not in CUTS or op == "floor"]
    return [(str(op), *inputs) for op, *inputs in nodes], target, rng.permutation(plain).tolist()


def smaller_graphs(nodes: Graph, target: int, sources: list[int]) -> Iterator[tuple[Graph, int, list[int]]]:
    """A single source, then one node less: whatever read it reads one of its inputs, or node 0 in place of an input."""
    if len(sources) > 1:
        yield from ((nodes, target, [source]) for source in sources)
    used = {target, *sources, *(i for _, *inputs in nodes for i in inputs)}
    for k in reversed(range(len(nodes))):
        for stand_in in dict.fromkeys(nodes[k][1:] or [0] * (k > 0)) if k in used else [k]:
            number = renumbering(k, stand_in)
            kept = [(op, *map(number, inputs)) for op, *inputs in [*nodes[:k], *nodes[k + 1 :]]]
            yield kept, number(target), [number(source) for source in sources]


def connected_with_mistake(
    nodes: Graph, target: int, sources: list[int], *,
    through_cuts: bool = False, zero_cuts: bool = False, not_itself: bool = False,
) -> list[bool]:  # fmt: skip
    """Which sources a walk from the target meets; every switch is one misunderstanding."""
    found, waiting = set(), [target]
    while waiting:
        k = waiting.pop()
        op, *inputs = nodes[k]
        found.add(k)
        level = zero_cuts and op == "sub" and len(set(inputs)) == 1
        if (through_cuts or op not in CUTS) and not level:
            waiting += [i for i in inputs if i not in found]
    return [s in found and not (not_itself and s == target) for s in sources]


def direct_inputs(nodes: Graph, target: int, sources: list[int], got: object) -> list[bool]:
    """Which sources the target reads directly; the target itself counts or not, as in what was returned."""
    without = [s in nodes[target][1:] for s in sources]
    return without if got == without else [one or s == target for one, s in zip(without, sources, strict=True)]
