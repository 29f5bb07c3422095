"""Broadcasting, empty axes, and errors about shapes: properties of all operations of one kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS
from autodiff_kit.errors import DtypeError, RangeError, ShapeError, StructureError

from .case import draw_inputs
from .generated import arity, elementwise_operations
from .harness import recorded

BINARY = [key for key in elementwise_operations() if arity(OPS[key]) == 2]
UNARY = [key for key in elementwise_operations() if arity(OPS[key]) == 1]
SHAPES = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3)


def _unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """The sum over all repetitions by broadcasting, computed in another way than in the engine."""
    out = np.zeros(shape)
    for place in np.ndindex(g.shape):
        own = place[g.ndim - len(shape) :]
        out[tuple(0 if n == 1 else k for k, n in zip(own, shape, strict=True))] += g[place]
    return out


@pytest.mark.parametrize("key", BINARY)
@given(shapes=SHAPES, seed=st.integers(0, 99))
def test_broadcasting_is_undone(key: str, shapes: Any, seed: int) -> None:
    """The gradient of broadcast inputs is the summed gradient of the repeated inputs."""
    op = OPS[key]
    rng = np.random.default_rng(seed)
    a, b = draw_inputs(rng, "positive" if op.domain == "real" else op.domain, *shapes.input_shapes)
    tape, xs, y = recorded(op.function, (a, b))  # type: ignore[arg-type]
    assert y.shape == shapes.result_shape
    seeds = rng.uniform(0.5, 1.5, y.shape)
    full = [np.broadcast_to(x, y.shape).copy() for x in (a, b)]
    wide_tape, wide, wide_y = recorded(op.function, full)  # type: ignore[arg-type]
    for x, g, w in zip(xs, tape.gradient(y, xs, seeds), wide_tape.gradient(wide_y, wide, seeds), strict=True):
        np.testing.assert_allclose(g.numpy(), _unbroadcast(w.numpy(), x.shape), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("key", UNARY)
@given(shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3), seed=st.integers(0, 99))
def test_entries_are_independent(key: str, shape: tuple[int, ...], seed: int) -> None:
    """For any shape, each entry's value and gradient are those of the entry alone."""
    op = OPS[key]
    (a,) = draw_inputs(np.random.default_rng(seed), op.domain, shape)
    tape, (x,), y = recorded(op.function, (a,))  # type: ignore[arg-type]
    g = tape.gradient(y, x)
    assert y.shape == g.shape == shape
    for place in np.ndindex(shape):
        alone, (z,), w = recorded(op.function, (float(a[place]),))  # type: ignore[arg-type]
        assert y.numpy()[place] == pytest.approx(float(w), rel=1e-14)
        assert g.numpy()[place] == pytest.approx(float(alone.gradient(w, z)), rel=1e-14)


@given(shapes=SHAPES)
def test_where_broadcasts_three_ways(shapes: Any) -> None:
    (left, right), full = shapes.input_shapes, shapes.result_shape
    condition = np.arange(int(np.prod(full))).reshape(full) % 2 == 0
    tape, (a, b), y = recorded(lambda a, b: ak.where(condition, a, b), (np.ones(left), np.zeros(right)))
    ga, gb = tape.gradient(y, [a, b])
    np.testing.assert_array_equal(ga.numpy(), _unbroadcast(condition * 1.0, left))
    np.testing.assert_array_equal(gb.numpy(), _unbroadcast(~condition * 1.0, right))


@given(shape=hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3), data=st.data())
def test_reductions_over_any_axes(shape: tuple[int, ...], data: st.DataObject) -> None:
    axes = data.draw(st.sets(st.integers(-len(shape), -1)).map(lambda s: tuple(sorted(s))))
    keep = data.draw(st.booleans())
    (a,) = draw_inputs(np.random.default_rng(1), "real", shape)
    for ours, numpys in (
        (ak.sum, np.sum),
        (ak.mean, np.mean),
        (ak.prod, np.prod),
        (ak.max, np.max),
        (ak.min, np.min),
    ):
        tape, (x,), y = recorded(lambda x, f=ours: f(x, axis=axes, keepdims=keep), (a,))
        np.testing.assert_allclose(y.numpy(), numpys(a, axis=axes, keepdims=keep), rtol=1e-14)
        g = tape.gradient(y, x).numpy()
        assert g.shape == shape
        if ours in (ak.sum, ak.mean):
            np.testing.assert_allclose(g, (1.0 if ours is ak.sum else y.size / a.size) * np.ones(shape))


@given(data=st.data())
def test_any_basic_index(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    index = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    a = np.arange(float(np.prod(shape))).reshape(shape)
    tape, (x,), y = recorded(lambda x: x[index], (a,))
    np.testing.assert_array_equal(y.numpy(), a[index])
    expected = np.zeros(shape)
    expected[index] = 1.0
    np.testing.assert_array_equal(tape.gradient(y, x, unconnected_gradients="zero").numpy(), expected)


@given(data=st.data())
def test_any_list_of_positions_adds_up(data: st.DataObject) -> None:
    """Repeated positions get the sum of their gradients, and the Jacobian agrees in both modes."""
    rows = data.draw(st.integers(1, 4))
    ids = data.draw(st.lists(st.integers(-rows, rows - 1), max_size=6))
    tape, (x,), y = recorded(lambda x: ak.take(x, np.array(ids, dtype=int), axis=0), (np.ones((rows, 2)),))
    expected = np.zeros((rows, 2))
    np.add.at(expected, np.array(ids, dtype=int), 1.0)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)
    both = [tape.jacobian(y, x, mode=mode).numpy() for mode in ("forward", "reverse")]
    np.testing.assert_array_equal(*both)


@pytest.mark.parametrize(
    "f",
    [ak.sum, ak.prod, ak.norm, ak.logsumexp, ak.cumsum, ak.ravel, ak.sort, ak.flip, ak.diff, ak.cumprod,
     lambda x: ak.concat([x, x]), lambda x: ak.stack([x, x]), lambda x: ak.roll(x, 1), lambda x: ak.squeeze(x[None]),
     lambda x: ak.take(x, np.array([], int)), lambda x: x @ ak.constant(np.zeros((0, 3)))],
)  # fmt: skip
def test_an_axis_of_length_0(f: Any) -> None:
    with np.errstate(divide="ignore"):
        tape, (x,), y = recorded(f, (np.zeros(0),))
        assert tape.gradient(y, x, unconnected_gradients="zero").shape == (0,)


def test_extremes_of_no_entries_are_an_error_and_the_mean_is_nan() -> None:
    for f in (ak.max, ak.min):
        with pytest.raises(ShapeError, match=r"\(0,\)"):
            f(ak.constant(np.zeros(0)))
    with pytest.warns(RuntimeWarning):
        assert np.isnan(float(ak.mean(ak.constant(np.zeros(0)))))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: ak.constant(np.ones((2, 3))) + ak.constant(np.ones(2)),
            ShapeError,
            r"add of shapes \(2, 3\) and \(2,\)",
        ),
        (
            lambda: ak.matmul(np.ones((2, 3)), np.ones((2, 3))),
            ShapeError,
            r"\(2, 3\) and \(2, 3\).*3 entries.*2",
        ),
        (lambda: ak.matmul(2.0, np.ones(2)), ShapeError, "use \\*"),
        (lambda: ak.reshape(np.ones(6), (4, -1)), ShapeError, r"6 entries of shape \(6,\).*\(4, -1\)"),
        (lambda: ak.sum(np.ones(3), axis=1), ShapeError, "axis 1 is out of range for a value with 1 axes"),
        (lambda: ak.transpose(np.ones((2, 2)), (0, 0)), ShapeError, "not a permutation of 2 axes"),
        (lambda: ak.constant([1.0])[2], RangeError, "index"),
        (lambda: ak.constant([1.0])[1.5], DtypeError, "integer"),
        (lambda: ak.take([1.0, 2.0], [0.5]), DtypeError, "integers"),
        (lambda: ak.take([1.0, 2.0], [2]), RangeError, "2"),
        (lambda: ak.split(np.ones(5), 2), ShapeError, "5 entries cannot be split into 2"),
        (lambda: ak.norm(np.ones((1, 1)), ord=3), StructureError, "ord must be"),
        (lambda: ak.norm(np.ones((1, 1, 1)), ord=1), ShapeError, "one axis or two"),
        (lambda: ak.nn.softmax(1.0), ShapeError, "needs at least one axis"),
        (lambda: ak.cast(1.0, "complex128"), DtypeError, "complex128"),
        (lambda: ak.tensordot(np.ones((2, 3)), np.ones((2, 3)), 1), ShapeError, r"\(2, 3\) and \(2, 3\)"),
        (lambda: ak.constant([[1.0], [2.0, 3.0]]), DtypeError, "cannot be converted to an array"),
        (lambda: ak.constant("three"), DtypeError, "numbers"),
        (lambda: ak.sin(object()), DtypeError, "not a number"),
    ],
)
def test_errors_name_what_was_given(call: Any, error: type[Exception], words: str) -> None:
    """Each is the kit's error and the built-in's; its message has both shapes, or the index, or the dtype."""
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, ak.AutodiffError)
    assert isinstance(caught.value, (ValueError, TypeError, IndexError))
