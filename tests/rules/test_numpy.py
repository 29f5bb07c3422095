"""Any shape, axis and dtype: values are NumPy's, the two rules agree, and errors are raised where NumPy raises them."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import autodiff_kit as ak

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, np.inf, -np.inf, np.nan)
DTYPES = ("float64", "float64", "float32", "float16", "int64", "uint8", "bool")
EPS = {2: 4e-3, 4: 4e-6, 8: 1e-12}
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
AXES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3)


def entries(draw: Any, shape: tuple[int, ...]) -> Any:
    """Distinct numbers, numbers with ties, or special ones, in different memory layouts."""
    dtype, kind = draw(st.sampled_from(DTYPES)), draw(st.sampled_from(("apart", "ties", "special")))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    if not dtype.startswith("float"):
        a = rng.integers(0, 2 if dtype == "bool" else 5, shape)
    else:
        a = {
            "apart": rng.normal(size=shape),
            "ties": rng.integers(-2, 3, shape),
            "special": rng.choice(SPECIAL, shape),
        }[kind]
    return np.asarray(a, dtype, order=draw(st.sampled_from("CF")))


def assert_as_numpy(ours: Any, numpys: Any, arrays: list[Any]) -> None:
    """Value, shape, dtype; gradients in the shape of their sources; JVP and VJP are adjoint."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            expected = np.asarray(numpys(*arrays))
        except (ValueError, TypeError, IndexError):
            with pytest.raises(ak.AutodiffError):
                ours(*map(ak.constant, arrays))
            return
        xs = [ak.constant(a) for a in arrays]
        with ak.GradientTape() as tape:
            tape.watch([x for x in xs if x.dtype.kind == "f"])
            y = ours(*xs)
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
        tolerance = EPS.get(expected.dtype.itemsize, 0.0)
        np.testing.assert_allclose(y.numpy(), expected, rtol=tolerance, atol=tolerance)
        floating = [x for x in xs if x.dtype.kind == "f"]
        if y.dtype.kind == "f" and floating:
            assert_adjoint(ours, tape, xs, floating, y)


def assert_adjoint(ours: Any, tape: Any, xs: list[Any], floating: list[Any], y: Any) -> None:
    rng = np.random.default_rng(3)
    seed = np.asarray(rng.uniform(0.5, 1.5, y.shape), y.dtype)
    gradients = tape.gradient(y, floating, seed, unconnected_gradients="zero")
    assert [(g.shape, g.dtype) for g in gradients] == [(x.shape, x.dtype) for x in floating]
    along = [np.asarray(rng.uniform(-1.0, 1.0, x.shape), x.dtype) for x in floating]
    with ak.ForwardAccumulator(floating, along) as acc:
        z = ours(*xs)
    left = float(np.sum(seed * acc.jvp(z, "zero").numpy()))
    right = sum(float(np.sum(g.numpy() * t)) for g, t in zip(gradients, along, strict=True))
    if np.isfinite(left) and np.isfinite(right) and all(x.dtype == np.float64 for x in floating):
        assert left == pytest.approx(right, rel=1e-9, abs=1e-9)


def axes(draw: Any, ndim: int) -> Any:
    one = st.integers(-ndim, ndim - 1) if ndim else st.nothing()
    some = st.lists(one, unique_by=lambda k: k % ndim, max_size=ndim).map(tuple) if ndim else st.just(())
    return draw(st.one_of(st.none(), one, some))


REDUCTIONS = [
    "sum", "mean", "prod", "max", "min", "any", "all", "count_nonzero", "var", "std",
]  # fmt: skip
ALONG = [
    "cumsum", "cumprod", "sort", "argmax", "argmin", "flip",
]  # fmt: skip
UNARY = [
    "exp", "exp2", "expm1", "log1p", "sqrt", "cbrt", "sin", "arctan", "tanh", "arcsinh", "square", "absolute", "fabs",
    "degrees", "sinc", "floor", "rint", "sign", "isnan", "nan_to_num",
]  # fmt: skip
BINARY = [
    "add", "multiply", "divide", "maximum", "fmax", "hypot", "arctan2", "logaddexp2", "mod", "copysign",
    "less",
]  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
@given(data=st.data())
def test_reductions(name: str, data: st.DataObject) -> None:
    a = entries(data.draw, data.draw(SHAPES))
    options = {"axis": axes(data.draw, a.ndim), "keepdims": data.draw(st.booleans())}
    assert_as_numpy(lambda x: getattr(ak, name)(x, **options), lambda x: getattr(np, name)(x, **options), [a])


@pytest.mark.parametrize("name", ALONG)
@given(data=st.data())
def test_along_an_axis(name: str, data: st.DataObject) -> None:
    a = entries(data.draw, data.draw(SHAPES))
    axis = data.draw(st.none() | st.integers(-a.ndim - 1, a.ndim))
    assert_as_numpy(lambda x: getattr(ak, name)(x, axis=axis), lambda x: getattr(np, name)(x, axis=axis), [a])


@pytest.mark.parametrize("name", UNARY)
@given(data=st.data())
def test_unary(name: str, data: st.DataObject) -> None:
    assert_as_numpy(getattr(ak, name), getattr(np, name), [entries(data.draw, data.draw(SHAPES))])


@pytest.mark.parametrize("name", BINARY)
@given(data=st.data(), shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3))
def test_binary(name: str, data: st.DataObject, shapes: Any) -> None:
    assert_as_numpy(getattr(ak, name), getattr(np, name), [entries(data.draw, shape) for shape in shapes.input_shapes])


@pytest.mark.parametrize("index", [slice(None, None, 2**60), slice(-(10**30), 10**30), slice(2**48, None, -1)], ids=str)
def test_slices_may_reach_beyond_any_array(index):
    assert_as_numpy(lambda x: x[index], lambda x: x[index], [np.arange(5.0)])


@given(data=st.data())
def test_indices_of_all_kinds_together(data: st.DataObject) -> None:
    a = entries(data.draw, data.draw(AXES))
    parts: list[Any] = []
    for n in a.shape:
        choices: list[Any] = [st.slices(n), st.just(slice(None)), st.just(np.arange(n) % 2 == 0)]
        if n:
            choices += [st.integers(-n, n - 1), st.lists(st.integers(-n, n - 1), min_size=2, max_size=2).map(np.array)]
        parts += [None] * data.draw(st.integers(0, 1)) + [data.draw(st.one_of(choices))]
    index = tuple(parts[: data.draw(st.integers(0, len(parts)))])
    assert_as_numpy(lambda x: x[index], lambda x: x[index], [a])


@given(data=st.data())
def test_joining_and_repeating(data: st.DataObject) -> None:
    a = entries(data.draw, data.draw(AXES))
    axis, count = data.draw(st.none() | st.integers(-a.ndim, a.ndim - 1)), data.draw(st.integers(0, 3))
    times = data.draw(st.lists(st.integers(0, 2), max_size=4).map(tuple))
    shift = data.draw(st.lists(st.integers(-4, 4), min_size=1, max_size=2).map(tuple))
    assert_as_numpy(lambda x: ak.repeat(x, count, axis), lambda x: np.repeat(x, count, axis), [a])
    assert_as_numpy(lambda x: ak.tile(x, times), lambda x: np.tile(x, times), [a])
    assert_as_numpy(lambda x: ak.concat([x, x], axis), lambda x: np.concatenate([x, x], axis), [a])
    assert_as_numpy(lambda x: ak.roll(x, shift, (0,) * len(shift)), lambda x: np.roll(x, shift, (0,) * len(shift)), [a])
    if a.dtype != np.bool_:
        assert_as_numpy(lambda x: ak.diff(x, count), lambda x: np.diff(x, count), [a])


@given(data=st.data(), mode=st.sampled_from(["constant", "edge", "reflect", "symmetric", "wrap"]))
def test_padding_margins(data: st.DataObject, mode: Any) -> None:
    a = entries(data.draw, data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3)))
    width = [data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4))) for _ in a.shape]
    assert_as_numpy(lambda x: ak.pad(x, width, mode), lambda x: np.pad(x, width, mode), [a])


@given(data=st.data(), ord=st.sampled_from([None, 1, 2, 3, 0.5, np.inf, -np.inf, 0]))
def test_lengths(data: st.DataObject, ord: Any) -> None:
    a = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=data.draw(AXES))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    assert_as_numpy(lambda x: ak.norm(x, ord, axis), lambda x: np.linalg.norm(x, ord, axis), [a])


REAL_DTYPES = ("float16", "float32", "float64", "int8", "int64", "uint8", "bool")


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "cumprod", "mean", "var", "std"])
def test_the_dtype_of_a_reduction(name: str) -> None:
    reduce = getattr(np, name)
    numbers = np.array([[1.7, 2.3, 0.0], [3.2, 100.0, 77.0]])
    for own, asked in itertools.product(REAL_DTYPES, REAL_DTYPES):
        x = numbers.astype(own)
        if name in ("mean", "var", "std") and not asked.startswith("f"):
            with pytest.raises(ak.errors.DtypeError, match="cut off the fraction"):
                reduce(ak.constant(x), dtype=asked)
            continue
        for ours, numpys in (
            (reduce(ak.constant(x), axis=0, dtype=asked), reduce(x, axis=0, dtype=asked)),
            (reduce(ak.constant(x), 1, asked), reduce(x, 1, asked)),
        ):
            assert ours.dtype == numpys.dtype, (own, asked)
            np.testing.assert_allclose(ours.numpy(), numpys, rtol=2e-3, err_msg=f"{own} {asked}")
        if own.startswith("f") and asked.startswith("f"):
            assert ak.grad(lambda t: ak.sum(reduce(t, axis=0, dtype=asked)))(ak.constant(x)).dtype == own  # noqa: B023


def test_a_variance_in_a_narrow_dtype_does_not_round_the_deviations() -> None:
    x = 1e6 + np.arange(4.0) / 64
    np.testing.assert_allclose(np.var(ak.constant(x), dtype=np.float32).numpy(), np.var(x), rtol=1e-6)


def test_keepdims_and_ddof_by_position() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert np.sum(ak.constant(x), 0, None, None, True).shape == (1, 3)
    np.testing.assert_array_equal(np.var(ak.constant(x), 0, None, None, 1).numpy(), np.var(x, 0, None, None, 1))
