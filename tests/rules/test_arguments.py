"""Arguments of operations besides arrays: wrong names, numbers and types, each of which is an error of the kit."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, AutodiffError, DtypeError, ShapeError

X = np.ones((2, 3))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ak.sum(X, 0, True, 1), r"sum: got 4 arguments. It takes \(x, axis=None, keepdims=False\)"),
        (lambda: ak.sum(X, axes=0), "sum: it has no argument 'axes'"),
        (lambda: ak.sum(X, 0, axis=0), "'axis' was given twice"),
        (lambda: ak.sum(), "'x' is missing"),
        (lambda: ak.reshape(X), r"reshape: 'shape' is missing. It takes \(x, shape"),
        (lambda: ak.reshape(X, "wide"), "reshape"),
        (lambda: ak.sum(X, axis="rows"), "expected an integer, got 'rows'"),
        (lambda: ak.stack([X, X], axes=0), "stack: it has no argument 'axes'"),
        (lambda: ak.sum(X, axis=(0, 1.5)), "expected an integer, got 1.5"),
        (lambda: ak.sum(X, axis=object()), "integer"),
        (lambda: ak.concat(3.0), "expected a list of arrays, got float"),
        (lambda: ak.stack(), "missing"),
        (lambda: X.view() @ ak.constant(X).T.sum(over=1), "no argument 'over'"),
    ],
)
def test_arguments_that_an_operation_does_not_have(call: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words) as caught:
        call()
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, AutodiffError)


def test_arrays_may_be_named() -> None:
    assert ak.sum(x=X).numpy() == 6.0
    assert ak.sum(axis=0, x=X).tolist() == [2.0, 2.0, 2.0]
    assert ak.concat(arrays=[X, X]).shape == (4, 3)


def test_values_that_are_not_numbers_are_errors_of_the_kit() -> None:
    for call in (lambda: ak.sin("three"), lambda: ak.sin([[1.0], [2.0, 3.0]]), lambda: ak.sum(np.array(["a", "b"])),
                 lambda: ak.constant([True]) - np.array([True])):  # fmt: skip
        with pytest.raises(DtypeError):
            call()
    with pytest.raises(ShapeError, match="at least one"):
        ak.concat([])


STRANGE: list[Any] = [
    None, "abc", 1.5, -1, 7, (0, 0), [1.5], {}, object(), np.ones((2, 3)), np.zeros((0, 2)), [[1, 2], [3]],
    np.array(["a"]), 1j, (-5,), float("nan"), [True, False], ak.constant([1.0, 2.0]), ak.Variable(2.0), slice(1, 2),
    b"x",
]  # fmt: skip
"""Unusual arguments."""


NAMES = [
    "sum", "argmax", "var", "norm", "vector_norm", "take", "take_along_axis",
    "sort", "topk", "partition", "rot90", "flip", "moveaxis", "expand_dims", "squeeze", "broadcast_to",
    "reshape", "roll", "meshgrid", "concat", "stack", "split", "tile", "repeat", "pad", "append", "unstack", "diff",
    "cumsum", "clip", "where", "round", "isclose", "searchsorted", "full", "zeros", "eye",
    "linspace", "copysign", "nan_to_num",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_unusual_arguments_raise_only_errors_of_the_kit(name: str, data: st.DataObject) -> None:
    function = getattr(ak, name)
    taken = list(inspect.signature(function).parameters.values())
    first = data.draw(st.sampled_from([np.ones((2, 3)), ak.constant([1.0, 2.0, 3.0]), np.arange(4), 2.0, *STRANGE]))
    rest = [data.draw(st.sampled_from(STRANGE)) for p in taken[1:] if p.default is p.empty or data.draw(st.booleans())]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            found = function(first, *(rest if name != "meshgrid" else []))
        except AutodiffError:
            return
    parts = found if isinstance(found, tuple | list) else [found]
    assert all(isinstance(part, ak.Tensor) for part in parts)
