"""Functional updates: who gets the gradient where positions are repeated or tie, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import DtypeError, RangeError, ShapeError

X = np.array([1.0, 2.0, 3.0])
MASK = np.array([True, False, True])


def gradients(method: str, index: Any, values: Any, x: Any = X, weights: Any = 1.0) -> list[list[float]]:
    """Gradients with respect to the value and to the updates."""

    def loss(x: Any, values: Any) -> Any:
        return ak.sum(getattr(x.at[index], method)(values) * weights)

    return [g.tolist() for g in ak.grad(loss, (0, 1))(np.array(x), np.array(values, float))]


def test_of_repeated_positions_set_takes_the_last_which_alone_gets_a_gradient() -> None:
    assert ak.constant(X).at[[1, 1, 0, 1]].set([7.0, 8.0, 5.0, 9.0]).tolist() == [5.0, 9.0, 3.0]
    assert gradients("set", [1, 1, 0, 1], [7, 8, 5, 9], weights=[2.0, 3.0, 4.0]) == [[0, 0, 4], [0, 0, 2, 3]]


def test_add_and_multiply_count_every_repetition() -> None:
    assert gradients("add", [1, 1], [7, 8]) == [[1, 1, 1], [1, 1]]
    assert gradients("multiply", [1, 1], [7, 0]) == [[1, 0, 1], [0, 14]]


@pytest.mark.parametrize("method", ["min", "max"])
def test_a_tie_is_shared_as_by_the_operation_of_two_values(method: str) -> None:
    assert gradients(method, 1, 2) == [[1, 0.5, 1], 0.5]
    assert gradients(method, [1, 1], [2, 2]) == [[1, 0.5, 1], [0.25, 0.25]]
    assert gradients(method, MASK, 3.0, [3.0, 2.0, 3.0]) == [[0.5, 1, 0.5], 1]


@pytest.mark.parametrize("index", [[0, 2], MASK, slice(0, 3, 2)], ids=["rows", "mask", "slice"])
@pytest.mark.parametrize("method", ["set", "add", "multiply", "min", "max"])
def test_what_the_index_leaves_out_takes_no_part(method: str, index: Any) -> None:
    assert str(getattr(ak.constant([1.0, -0.0, 3.0]).at[index], method)(2.0).numpy()[1]) == "-0.0"

    def loss(x: Any, value: Any) -> Any:
        return ak.sum(getattr(x.at[index], method)(value)[::2])

    slope, slope_of_value = ak.grad(loss, (0, 1))(np.array([1.0, np.inf, 3.0]), 2.0)
    assert slope.tolist()[1] == 0.0
    assert np.isfinite(slope_of_value)


@pytest.mark.parametrize("method", ["set", "add", "multiply", "min", "max"])
@pytest.mark.parametrize("index", [np.array([1, 1]), np.array([2, 0])], ids=["repeated", "distinct"])
def test_a_compiled_update_takes_its_index_as_an_argument(method: str, index: Any) -> None:
    def loss(x: Any, values: Any, index: Any) -> Any:
        return ak.sum(getattr(x.at[index], method)(values) ** 2)

    both = ak.value_and_grad(loss, (0, 1))
    compiled = ak.compile(both)
    for numbers in (np.array([0, 1]), index):
        value, slopes = compiled(X, np.array([2.0, 3.0]), numbers)
        expected, wanted = both(X, np.array([2.0, 3.0]), numbers)
        assert float(value) == float(expected)
        assert [g.tolist() for g in slopes] == [g.tolist() for g in wanted]
    assert compiled.trace_count == 1


def test_a_compiled_update_takes_its_mask_as_an_argument() -> None:
    compiled = ak.compile(lambda x, mask: x.at[mask].multiply(2.0))
    assert compiled(ak.constant(X), MASK).tolist() == [2.0, 2.0, 6.0]
    assert compiled(ak.constant(X), ~MASK).tolist() == [1.0, 4.0, 3.0]


def test_per_example_gradients_go_through_an_update() -> None:
    w = ak.Variable(X)
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    (found,) = ak.per_example_gradients(lambda row: ak.sum(ak.sum(w.at[0].set(0.0)) * row, axis=-1), [w], rows)
    assert found.tolist() == [[0, 3, 3], [0, 7, 7]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64", "uint8", "bool"])
def test_an_update_keeps_the_dtype(dtype: str) -> None:
    x = ak.constant(np.ones(3, dtype))
    value = dtype == "bool" or (2 if dtype in ("int64", "uint8") else 2.0)
    for index in (0, [0, 0], MASK):
        assert x.at[index].set(value).dtype == x.at[index].add(value).dtype == dtype


def test_a_variable_is_updated_in_a_copy() -> None:
    w = ak.Variable(X)
    with ak.GradientTape() as tape:
        y = w.at[0].multiply(5.0)
    assert tape.gradient(y, w).tolist() == [5.0, 1.0, 1.0]
    assert w.numpy().tolist() == X.tolist()
    assert w.at[1].get().item() == X[1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: x.at[3].set(0.0), RangeError, "out of bounds"),
        (lambda x: x.at[[3]].set(0.0), RangeError, "out of bounds"),
        (lambda x: x.at[0, 0].add(0.0), RangeError, "too many indices"),
        (lambda x: x.at[:2].set([1.0, 2.0, 3.0]), ShapeError, r"\(2,\).*\(3,\)"),
        (lambda x: x.at[0.5].set(1.0), DtypeError, "integer, a slice or a mask"),
        (lambda x: ak.cast(x, int).at[0].set(0.5), DtypeError, "int64.*cannot hold float64.*give integers"),
        (lambda x: (x > 0.0).at[0].set(1), DtypeError, "bool.*cannot hold int64.*give booleans"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call(ak.constant(X))
