"""The graphs: their contents, correct labels, and that counting nodes cannot predict the label."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from autodiff_kit.data import GraphBatch, graphs
from autodiff_kit.errors import StructureError


def matrices(some: GraphBatch) -> list[tuple[np.ndarray, np.ndarray]]:
    """Kinds and dense adjacency of each graph."""
    rows, columns, shape = some.adjacency
    whole = np.zeros(shape, dtype=int)
    whole[rows, columns] += 1
    places = [np.flatnonzero(some.graph == g) for g in range(len(some))]
    return [(some.kinds[p], whole[np.ix_(p, p)]) for p in places]


def test_sizes_and_parts() -> None:
    whole, train, test = graphs(), graphs("train"), graphs("test")
    assert (len(whole), len(train), len(test)) == (300, 200, 100)
    assert [one.labels.mean() for one in (whole, train, test)] == [0.5] * 3
    assert np.array_equal(whole.kinds, np.concatenate([train.kinds, test.kinds]))
    assert np.array_equal(whole.labels, np.concatenate([train.labels, test.labels]))
    sizes = np.bincount(whole.graph)
    assert (sizes.min(), sizes.max()) == (6, 12)
    assert {array.dtype for array in vars(whole).values()} == {np.dtype(np.int64)}


def test_edges_stay_inside_their_graph_go_both_ways_and_join_it() -> None:
    whole = graphs()
    assert np.array_equal(whole.graph[whole.edges[:, 0]], whole.graph[whole.edges[:, 1]])
    for _, matrix in matrices(whole):
        assert np.array_equal(matrix, matrix.T)
        assert matrix.max() == 1
        assert np.trace(matrix) == 0
        assert np.linalg.matrix_power(matrix + np.eye(len(matrix)), len(matrix)).min() > 0  # connected


def test_labels_are_true() -> None:
    whole = graphs()
    for label, (kinds, matrix) in zip(whole.labels, matrices(whole), strict=True):
        assert label == matrix[np.ix_(kinds == 0, kinds == 1)].any()
        assert {0, 1} <= set(kinds)


def test_pairs_differ_only_in_the_positions_of_the_kinds() -> None:
    whole = graphs()
    every = matrices(whole)
    for (one, edges), (other, same) in zip(every[::2], every[1::2], strict=True):
        assert np.array_equal(edges, same)
        assert sorted(one) == sorted(other)
    assert np.all(whole.labels[::2] + whole.labels[1::2] == 1)
    assert 50 < whole.labels[::2].sum() < 100  # the first of a pair has both labels


def test_they_are_the_same_everywhere_and_fresh_each_time() -> None:
    whole = graphs()
    text = repr([array.tolist() for array in vars(whole).values()])
    assert sha256(text.encode()).hexdigest() == "3f119d6eff9c1e1511cf57a3b3f3863f2cc7b08f951a18f9fb08e383ea901fe5"
    whole.kinds[:] = 0
    assert graphs().kinds.max() == 2


def test_an_unknown_part_is_named() -> None:
    with pytest.raises(StructureError, match=r"no part 'dev'.*train"):
        graphs("dev")
