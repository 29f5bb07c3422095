"""Functions without a gradient: inspection, comparison, searching, creation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, DtypeError, RangeError, ShapeError, StructureError

A = np.array([[3, 0, 2], [0, 5, 2]])
M = A > 1

SAME: list[tuple[str, Any, Any]] = [
    ("any axis", lambda x: ak.any(x, 0), lambda x: np.any(x, 0)),
    ("all keepdims", lambda x: ak.all(x, 1, True), lambda x: np.all(x, 1, keepdims=True)),
    ("count", lambda x: ak.count_nonzero(x, (0, 1)), np.count_nonzero),
    ("argmax keepdims", lambda x: ak.argmax(x, 0, True), lambda x: np.argmax(x, 0, keepdims=True)),
    ("argsort of all", lambda x: ak.argsort(x, None), lambda x: np.argsort(x, None, kind="stable")),
    ("and", lambda x: x & 1, lambda x: x & 1),
    ("or", lambda x: x | 4, lambda x: x | 4),
    ("xor", lambda x: x ^ 3, lambda x: x ^ 3),
    ("not", lambda x: ~x, lambda x: ~x),
    ("divmod", lambda x: divmod(x, 2)[1], lambda x: np.divmod(x, 2)[1]),
    ("searchsorted", lambda x: ak.searchsorted([1, 3], x, side="right"), lambda x: np.searchsorted([1, 3], x, "right")),
    ("isclose", lambda x: ak.isclose(x, x + 1e-9), lambda x: np.isclose(x, x + 1e-9)),
    ("zeros_like", np.zeros_like, np.zeros_like),
    ("full_like", lambda x: ak.full_like(x, 2), lambda x: np.full_like(x, 2)),
    ("ones_like dtype", lambda x: ak.ones_like(x, "float32"), lambda x: np.ones_like(x, "float32")),
    ("power of integers", lambda x: x**2, lambda x: x**2),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "numpys"), [s[1:] for s in SAME], ids=[s[0] for s in SAME])
def test_as_numpy(ours: Any, numpys: Any) -> None:
    expected = numpys(A)
    found = ours(ak.constant(A))
    assert isinstance(found, ak.Tensor)
    assert found.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found.numpy(), expected)


def test_positions() -> None:
    for found, expected in zip(ak.nonzero(ak.constant(A)), np.nonzero(A), strict=True):
        np.testing.assert_array_equal(found.numpy(), expected)
    np.testing.assert_array_equal(ak.where(M)[1].numpy(), np.where(M)[1])
    assert ak.argsort([1.0, 2.0, 1.0, 2.0], descending=True).tolist() == [1, 3, 0, 2]
    values, positions = ak.topk([[1.0, 3.0, 3.0]], 2)
    assert (values.tolist(), positions.tolist()) == ([[3.0, 3.0]], [[1, 2]])
    with pytest.raises(ShapeError, match="no axis"):
        ak.nonzero(3.0)
    with pytest.raises(ArgumentError, match="both values"):
        ak.where(M, 1.0)


def test_scalar_results() -> None:
    assert ak.array_equal([1.0, 2.0], [1.0, 2.0])
    assert not ak.array_equal([1.0], [1.0, 2.0])
    assert ak.allclose([1.0], [1.0 + 1e-9])
    assert not ak.allclose([1.0], [1.1])


def test_creation_of_tensors() -> None:
    assert ak.zeros(3).tolist() == [0.0, 0.0, 0.0]
    assert ak.ones((1, 2), "float32").dtype == np.float32
    assert ak.eye(2, 3, 1).tolist() == np.eye(2, 3, 1).tolist()
    assert ak.arange(2, 8, 3).tolist() == [2, 5]
    assert ak.arange(3).dtype == np.int64
    assert ak.linspace(0.0, 1.0, 3, endpoint=False).tolist() == np.linspace(0.0, 1.0, 3, endpoint=False).tolist()
    assert ak.asarray([1.0], "float32").dtype == np.float32
    for call, error in (
        (lambda: ak.zeros(-1), RangeError), (lambda: ak.ones(2, "colour"), DtypeError),
        (lambda: ak.arange("a"), ArgumentError), (lambda: ak.linspace(0, 1, -2), RangeError),
        (lambda: ak.meshgrid([1.0], indexing="yx"), StructureError), (lambda: ak.zeros("two"), ArgumentError),
    ):  # fmt: skip
        with pytest.raises(error):
            call()


def test_a_variance_without_degrees_of_freedom_warns() -> None:
    with pytest.warns(RuntimeWarning, match="degrees of freedom"), np.errstate(all="ignore"):
        assert float(ak.var([1.0, 2.0], ddof=2)) == np.inf  # as NumPy's


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ak.pad([1.0], 1, mode="mirror"), StructureError, "reflect"),
        (lambda: ak.pad([1.0], -1), RangeError, "0 or more"),
        (lambda: ak.pad([1.0], (1, 2, 3)), ShapeError, "a pair"),
        (lambda: ak.pad(np.zeros(0), 1, mode="edge"), ShapeError, "empty"),
        (lambda: ak.tile([1.0], -1), RangeError, "0 or more"),
        (lambda: ak.repeat([1.0, 2.0], [1, 2, 3]), ShapeError, "number of repeats, or 2"),
        (lambda: ak.topk([1.0], 2), RangeError, "1 entries"),
        (lambda: ak.partition([1.0], 3), RangeError, "out of range"),
        (lambda: ak.moveaxis(np.ones((2, 2)), (0, 0), (0, 1)), ShapeError, "equally many different axes"),
        (lambda: ak.rot90(np.ones((2, 2)), axes=(1, 1)), ShapeError, "two different"),
        (lambda: ak.diff([1.0], n=-1), RangeError, "0 or more"),
        (lambda: ak.broadcast_to(np.ones((2, 3)), (3,)), ShapeError, "more axes"),
        (lambda: ak.broadcast_arrays(np.ones(2), np.ones(3)), ShapeError, "no common shape"),
        (lambda: ak.split(np.ones(4), 0), StructureError, "1 or more"),
        (lambda: ak.sum(np.ones((2, 2)), (0, -2)), ShapeError, "twice"),
        (lambda: ak.take_along_axis(np.ones((2, 2)), [0]), ShapeError, "numbers of axes"),
        (lambda: ak.concat([np.ones((2, 2)), np.ones((3, 3))]), ShapeError, r"\(2, 2\)"),
        (lambda: np.sum(ak.constant([1.0]), where=[True]), ArgumentError, "where"),
    ],
)
def test_errors_name_valid_arguments(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_numpys_arguments_are_understood() -> None:
    """NumPy's names of arguments, dtypes of sums, and options that concern memory only."""
    t = ak.constant(np.array([[1.5, -2.0], [0.5, 4.0]]))
    a = t.numpy()
    for f in (
        lambda x: np.sum(a=x, axis=0), lambda x: np.sum(x, dtype=np.float32),
        lambda x: np.clip(x, a_min=0.0, a_max=None),
        lambda x: np.reshape(x, shape=(4,), order="C"), lambda x: np.sort(x, kind="stable"),
        lambda x: np.concatenate((x, x), axis=1), lambda x: np.tile(x, reps=2), lambda x: np.split(x, 2)[0],
        lambda x: np.linalg.norm(x, 1), lambda x: np.where(x > 0)[0], lambda x: np.select([a > 0], [x]),
        lambda x: np.cumsum(x), lambda x: np.roll(x, 1), lambda x: np.round(x, 1), lambda x: np.fmax(x, 0.0),
        lambda x: np.var(x, ddof=1), lambda x: np.array_split(x, 3)[2], lambda x: np.moveaxis(x, 0, 1),
        lambda x: np.amax(x, axis=1), lambda x: np.deg2rad(x), lambda x: np.around(x, 1), lambda x: np.fix(x),
        lambda x: np.atleast_2d(x), lambda x: np.broadcast_arrays(x, a)[0],
    ):  # fmt: skip
        found, expected = f(t), f(a)
        assert isinstance(found, ak.Tensor)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.numpy(), expected)
