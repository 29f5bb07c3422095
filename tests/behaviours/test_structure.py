"""The sections "Structure" and "Behaviour of the tape" of the edge cases, as far as no other test covers them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import OpenTapeError, ShapeError, StructureError


def pulled(f: Any, *arrays: Any) -> tuple[Any, list[Any]]:
    xs = [ak.constant(a) for a in arrays]
    with ak.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return y, [g.numpy() for g in tape.gradient(y, xs, unconnected_gradients="zero")]


# ------------------------------------------------------------------------------------------------- structure
@pytest.mark.parametrize(
    ("f", "numpys", "shape"),
    [
        (lambda x: ak.transpose(x, (-1, 0, -2)), lambda x: np.transpose(x, (-1, 0, -2)), (2, 3, 4)),
        (lambda x: ak.diff(x, n=3), lambda x: np.diff(x, n=3), (3,)),
        (lambda x: ak.diff(x, n=5), lambda x: np.diff(x, n=5), (3,)),
        (lambda x: ak.diff(x, n=2, axis=0), lambda x: np.diff(x, n=2, axis=0), (4, 2)),
        (lambda x: ak.prod(x * (x > 1.5), axis=1), lambda x: np.prod(x * (x > 1.5), axis=1), (2, 3)),
        (lambda x: ak.tile(x, 0), lambda x: np.tile(x, 0), (3,)),
        (lambda x: ak.tile(x, (2, 0, 1)), lambda x: np.tile(x, (2, 0, 1)), (2, 3)),
        (lambda x: ak.tile(x, (2, 3)), lambda x: np.tile(x, (2, 3)), (3,)),
        (lambda x: ak.roll(x, (1, -2), (0, 1)), lambda x: np.roll(x, (1, -2), (0, 1)), (3, 4)),
        (lambda x: ak.roll(x, (1, 1), (0, 0)), lambda x: np.roll(x, (1, 1), (0, 0)), (3, 2)),
        (lambda x: ak.cumsum(x), np.cumsum, ()),
        *[(lambda x, f=f: f(x), getattr(np, f.__name__), ()) for f in (ak.sum, ak.mean, ak.prod, ak.max, ak.min)],
        *[
            (lambda x, f=f: f(x, axis=()), lambda x, f=f: getattr(np, f.__name__)(x, axis=()), (2, 3))
            for f in (ak.sum, ak.mean, ak.prod, ak.max, ak.min)
        ],
    ],
)
def test_unusual_arguments_of_shape_functions_and_reductions(f: Any, numpys: Any, shape: tuple[int, ...]) -> None:
    """NumPy's value and shape, and a gradient that agrees with differences along random directions in both modes."""
    x = 1.0 + np.arange(float(np.prod(shape))).reshape(shape)
    y, (g,) = pulled(f, x)
    np.testing.assert_array_equal(y.numpy(), numpys(x))
    assert (y.shape, g.shape) == (np.shape(numpys(x)), shape)
    if y.size:
        ak.check_gradients(f, [x]).raise_if_failed()
    else:
        assert not g.any()


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 1), (1, 4)), ((), (2, 3)), ((2, 3), ()), ((0,), (2, 1)), ((1,), (0,)), ((2, 1, 3), (4, 1)), ((1, 1), (5,))],
)
@pytest.mark.parametrize("op", [ak.add, ak.multiply, ak.maximum, ak.power, ak.atan2])
def test_broadcasting_is_reversed_by_sums(op: Any, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """Over prepended axes, and over axes of length 1 with keepdims; in both modes, and for axes of length 0."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.5, 2.0, left), rng.uniform(0.5, 2.0, right)
    y, (ga, gb) = pulled(op, a, b)
    assert (y.shape, ga.shape, gb.shape) == (np.broadcast_shapes(left, right), left, right)
    wide, (wa, wb) = pulled(op, *(np.broadcast_to(x, y.shape) for x in (a, b)))
    np.testing.assert_allclose(y.numpy(), wide.numpy(), rtol=1e-15)
    for narrow, full, shape in ((ga, wa, left), (gb, wb, right)):
        axes = tuple(range(y.ndim - len(shape)))
        summed = full.sum(axis=axes)
        ones = tuple(k for k, n in enumerate(shape) if n == 1 and summed.shape[k] != 1)
        np.testing.assert_allclose(narrow, summed.sum(axis=ones, keepdims=True), rtol=1e-13)


@pytest.mark.parametrize(
    "index",
    [
        np.array([True, False, True]),
        np.array([[True, False], [False, False], [True, True]]),
        (None, Ellipsis, 0),
        (Ellipsis, None, slice(None, None, -1)),
        (np.array([0, 0, 2]), Ellipsis),
        (np.array([0, 2, 0]), np.array([1, 1, 1])),
        (slice(None, None, -2), np.array([1, 1])),
        (np.array([[0, 0], [2, 0]]),),
        ([2, -1, 2],),
        (),
        np.array(False),
    ],
    ids=str,
)
def test_fancy_indices_are_added_up(index: Any) -> None:
    """Masks, repeated positions, with None and Ellipsis, negative steps: gradients are scattered as by np.add.at."""
    x, rng = np.arange(6.0).reshape(3, 2), np.random.default_rng(0)
    weights = rng.normal(size=x[index].shape)
    y, (g,) = pulled(lambda x: x[index] * weights, x)
    np.testing.assert_array_equal(y.numpy(), x[index] * weights)
    expected = np.zeros_like(x)
    np.add.at(expected, index, weights)
    np.testing.assert_allclose(g, expected, rtol=1e-14)
    _, tangent = ak.jvp(lambda x: x[index], (x,), (expected,))
    np.testing.assert_array_equal(tangent.numpy(), expected[index])


def test_views_of_one_array_are_independent_values() -> None:
    """Two views of one array, one transposed and one read-only; later writes to the base change nothing."""
    base = np.arange(6.0).reshape(2, 3)
    locked = base[:, ::2]
    locked.flags.writeable = False
    w = ak.Variable(np.ones((2, 2)))
    with ak.GradientTape() as tape:
        y = ak.sum(w * locked) + ak.sum(w @ base[:, 1:].T[::-1])
    base[...] = -7.0
    np.testing.assert_allclose(tape.gradient(y, w).numpy(), [[0 + 7.0, 2 + 5.0], [3 + 7.0, 5 + 5.0]])


# ---------------------------------------------------------------------------------------- behaviour of the tape
def test_entering_a_tape_that_is_recording_is_a_value_error() -> None:
    """Both ValueError and RuntimeError; afterwards the tape is unchanged, and can be left and entered again."""
    w, tape, acc = ak.Variable(2.0), ak.GradientTape(persistent=True), ak.ForwardAccumulator(ak.constant(1.0), 1.0)
    with tape:
        with pytest.raises(OpenTapeError) as caught, tape:
            pass
        y = w * w
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, RuntimeError)
    with tape:
        z = y * w
    assert float(tape.gradient(z, w)) == 12.0
    with acc, pytest.raises(OpenTapeError), acc:
        pass


def test_sources_that_occur_twice_and_targets_that_are_sources() -> None:
    """A repeated source gets the full gradient each time; a target that is also a source contributes the identity."""
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape(persistent=True) as tape:
        y = x * x
    first, second, own = tape.gradient([y, x], [x, x, y])
    assert first.tolist() == second.tolist() == [3.0, 5.0]
    assert own.tolist() == [1.0, 1.0]
    assert tape.gradient(y, []) == []
    assert tape.gradient([y, y], x).tolist() == [4.0, 8.0]


@pytest.mark.parametrize(
    ("tangent", "error"),
    [(np.ones(3), ShapeError), (ak.constant([1.0, 1.0], "float32"), StructureError)],
)
def test_tangents_that_do_not_fit_are_value_errors(tangent: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="primal") as caught:
        ak.ForwardAccumulator(ak.constant([1.0, 2.0]), tangent)
    assert isinstance(caught.value, ValueError)


def test_hessians_go_through_a_custom_gradient_with_one_rule() -> None:
    """Missing rules are derived: the JVP from the VJP, and second order from the operations in the rules."""

    @ak.custom_gradient
    def cube(x: Any) -> Any:
        return x**3, lambda g: g * 3.0 * x**2

    x = np.array([1.0, -2.0])
    np.testing.assert_allclose(ak.hessian(lambda x: ak.sum(cube(x)))(x).numpy(), np.diag(6 * x))
    np.testing.assert_allclose(ak.hvp(lambda x: ak.sum(cube(x)), x, np.ones(2)).numpy(), 6 * x)
    np.testing.assert_allclose(ak.jvp(cube, (x,), (np.ones(2),))[1].numpy(), 3 * x**2)
