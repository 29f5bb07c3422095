"""One-hot encoding: its values, dtypes and axes, and labels that are no class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError, DtypeError, ShapeError, StructureError

LABELS = np.array([[0, 3, 1], [2, 2, 0]])


@pytest.mark.parametrize("dtype", [np.float64, "float32", np.int64, bool])
def test_each_label_is_a_row_of_the_identity(dtype: Any) -> None:
    y = ak.nn.one_hot(LABELS, 4, dtype)
    assert y.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(y.numpy(), np.eye(4, dtype=dtype)[LABELS])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_the_new_axis_stands_where_it_is_asked_for(axis: int) -> None:
    expected = np.moveaxis(np.eye(4)[LABELS], -1, axis)
    np.testing.assert_array_equal(ak.nn.one_hot(LABELS, 4, axis=axis).numpy(), expected)


def test_labels_outside_the_classes_give_zeros() -> None:
    assert ak.nn.one_hot([-1, 3, 300], np.int64(3)).tolist() == [[0.0] * 3] * 3
    assert ak.nn.one_hot(np.array([255], np.uint8), 3).tolist() == [[0.0] * 3]


def test_numbers_and_empty_arrays() -> None:
    assert ak.nn.one_hot(ak.constant(1), 2).tolist() == [0.0, 1.0]
    assert ak.nn.one_hot([], 3).shape == (0, 3)
    assert ak.nn.one_hot(LABELS, 0).shape == (2, 3, 0)


def test_the_dense_and_the_sparse_cross_entropy_agree() -> None:
    logits = np.random.default_rng(1).normal(size=(2, 3, 4))
    dense = ak.nn.softmax_cross_entropy(ak.nn.one_hot(LABELS, 4), logits)
    np.testing.assert_allclose(dense.numpy(), ak.nn.sparse_softmax_cross_entropy(LABELS, logits).numpy(), rtol=1e-14)


def test_labels_of_a_compiled_function_may_change() -> None:
    compiled = ak.compile(lambda labels: ak.nn.one_hot(labels, 4))
    for labels in (LABELS, LABELS[::-1].copy(), np.full((2, 3), 7)):
        np.testing.assert_array_equal(compiled(labels).numpy(), ak.nn.one_hot(labels, 4).numpy())
    assert compiled.trace_count == 1


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ak.nn.one_hot([0.5], 3), DtypeError, "labels must be integers, got float64"),
        (lambda: ak.nn.one_hot([0], 2.5), DtypeError, "depth must be an integer"),
        (lambda: ak.nn.one_hot([0], -1), StructureError, "depth must be 0 or more"),
        (lambda: ak.nn.one_hot([0], 2, axis=2), ShapeError, "axis 2 is out of range"),
        (lambda: ak.nn.one_hot([0], 2, "number"), DtypeError, "not a dtype"),
    ],
)
def test_errors(call: Any, error: type[AutodiffError], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
