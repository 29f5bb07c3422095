"""Wrong answers to msg-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def raised(edge_lists, counts):
    out, shift = [], 0
    for edges, count in zip(edge_lists, counts):
        out.append(edges + shift)
        shift += count
    return np.concatenate(out)


def by_largest(sizes, edge_lists):
    return raised(edge_lists, [edges.max() + 1 if len(edges) else 0 for edges in edge_lists])


def first_column(sizes, edge_lists):
    out = raised(edge_lists, sizes)
    out[:, 1] = np.concatenate(edge_lists)[:, 1]
    return out


def one_before(sizes, edge_lists):
    return np.concatenate([edges + size for edges, size in zip(edge_lists, [0, *sizes])])


def own_too(sizes, edge_lists):
    return np.concatenate([edges + shift for edges, shift in zip(edge_lists, np.cumsum(sizes))])


def by_number(sizes, edge_lists):
    return np.concatenate([edges + k for k, edges in enumerate(edge_lists)])


WRONG = {
    "joined": ((lambda sizes, edge_lists: np.concatenate(edge_lists),), "numbers-unchanged"),
    "by edges": ((lambda sizes, edge_lists: raised(edge_lists, map(len, edge_lists)),), "shifted-by-edges"),
    "by the largest number": ((by_largest,), "size-from-the-edges"),
    "first column": ((first_column,), "one-column"),
    "by the graph before": ((one_before,), "shifted-by-the-graph-before-only"),
    "cumsum without 0": ((own_too,), "shifted-by-its-own-nodes-too"),
    "raised by k": ((by_number,), "shifted-by-the-graphs-number"),
    "from 1": ((lambda sizes, edge_lists: raised(edge_lists, sizes) + 1,), ""),
}
