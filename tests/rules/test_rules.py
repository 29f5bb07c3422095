"""Every operation: its value, its two rules compared with differences and with each other, and its second order."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS

from .case import Case, spaced
from .cases import CASES, WITHOUT_GRADIENT
from .generated import INTEGER_INPUTS, arity
from .harness import difference, directions, drawn, gradients, recorded, rng_of, total, weights

EPS = {np.float16: 4e-3, np.float32: 2e-6, np.float64: 1e-13}
DTYPES = tuple(EPS)
PROPERTIES: list[Callable[[Case], None]] = []


def each(property: Callable[[Case], None]) -> Callable[[Case], None]:
    """A property that the rules of every case have; ``test_every_property`` asks for all of them."""
    PROPERTIES.append(property)
    return property


def test_every_operation_has_a_case() -> None:
    """An operation with parameters but without a case fails here."""
    covered = {case.key for case in CASES} | set(WITHOUT_GRADIENT) | INTEGER_INPUTS
    missing = sorted(set(OPS) - covered)
    assert not missing, f"operations that take parameters need a line in tests/rules/cases.py: {missing}"


@each
def value(case: Case) -> None:
    for dtype in DTYPES:
        value_in(dtype, case)


def value_in(dtype: Any, case: Case) -> None:
    arrays = drawn(case, dtype)
    y = case.call(*map(ak.constant, arrays))
    expected = np.asarray(case.reference(*(a.astype(np.float64) for a in arrays)))
    assert y.shape == expected.shape
    assert y.dtype == dtype
    np.testing.assert_allclose(y.numpy().astype(np.float64), expected, rtol=EPS[dtype], atol=EPS[dtype])


@each
def gradient_has_the_shape_and_dtype_of_its_source(case: Case) -> None:
    for dtype in DTYPES:
        gradient_in(dtype, case)


def gradient_in(dtype: Any, case: Case) -> None:
    arrays = drawn(case, dtype)
    exact_tape, exact_xs, exact_y = recorded(case.call, [a.astype(np.float64) for a in arrays])
    tape, xs, y = recorded(case.call, arrays)
    seed = weights(case, y.shape, dtype)
    exact = exact_tape.gradient(exact_y, exact_xs, seed.astype(np.float64), unconnected_gradients="zero")
    for x, g, e in zip(xs, tape.gradient(y, xs, seed, unconnected_gradients="zero"), exact, strict=True):
        assert (g.shape, g.dtype) == (x.shape, x.dtype)
        np.testing.assert_allclose(g.numpy().astype(float), e.numpy(), rtol=20 * EPS[dtype], atol=20 * EPS[dtype])


@each
def vjp_against_differences(case: Case) -> None:
    arrays = drawn(case)
    along = directions(case, arrays)
    tape, xs, y = recorded(case.call, arrays)
    seed = weights(case, y.shape)
    gs = tape.gradient(y, xs, seed, unconnected_gradients="zero")
    slope = sum(float(np.sum(g.numpy() * t)) for g, t in zip(gs, along, strict=True))
    measured = float(np.sum(difference(case.reference, arrays, along) * seed))
    assert slope == pytest.approx(measured, rel=2e-7, abs=2e-7)


@each
def jvp_against_differences(case: Case) -> None:
    arrays = drawn(case)
    along = directions(case, arrays)
    xs = [ak.constant(a) for a in arrays]
    with ak.ForwardAccumulator(xs, along) as acc:
        y = case.call(*xs)
    tangent = acc.jvp(y, unconnected_gradients="zero")
    assert (tangent.shape, tangent.dtype) == (y.shape, y.dtype)
    np.testing.assert_allclose(tangent.numpy(), difference(case.reference, arrays, along), rtol=2e-7, atol=2e-7)


@each
def jvp_along_one_input_only(case: Case) -> None:
    """A missing tangent is None inside a rule, and means 0."""
    arrays = drawn(case)
    for k, a in enumerate(arrays):
        along = [np.ones_like(b) if j == k else np.zeros_like(b) for j, b in enumerate(arrays)]
        xs = [ak.constant(b) for b in arrays]
        with ak.ForwardAccumulator(xs[k], np.ones_like(a)) as acc:
            y = case.call(*xs)
        expected = difference(case.reference, arrays, along)
        np.testing.assert_allclose(acc.jvp(y, "zero").numpy(), expected, rtol=2e-7, atol=2e-7)


@each
def the_two_rules_are_adjoint(case: Case) -> None:
    """<v, J u> = <Jᵀ v, u>, and a push through the record equals a push along with the computation."""
    arrays = drawn(case)
    along = directions(case, arrays)
    tape, xs, y = recorded(case.call, arrays)
    seed = weights(case, y.shape)
    gs = tape.gradient(y, xs, seed, unconnected_gradients="zero")
    _, tangent = ak.jvp(case.call, tuple(arrays), tuple(along))
    left = float(np.sum(seed * tangent.numpy()))
    right = sum(float(np.sum(g.numpy() * t)) for g, t in zip(gs, along, strict=True))
    assert left == pytest.approx(right, rel=1e-11, abs=1e-11)


@each
def whole_jacobian_by_three_ways(case: Case) -> None:
    """Leading axes: all rows in one pass, all columns in one pass, and row by row."""
    arrays = drawn(case)
    tape, xs, y = recorded(case.call, arrays)
    reverse = tape.jacobian(y, xs, unconnected_gradients="zero", mode="reverse")
    forward = tape.jacobian(y, xs, unconnected_gradients="zero", mode="forward")
    for x, r, f in zip(xs, reverse, forward, strict=True):
        assert r.shape == f.shape == y.shape + x.shape
        np.testing.assert_allclose(r.numpy(), f.numpy(), rtol=1e-11, atol=1e-11)
    for place in np.ndindex(y.shape):
        row = np.zeros(y.shape)
        row[place] = 1.0
        for r, g in zip(reverse, tape.gradient(y, xs, row, unconnected_gradients="zero"), strict=True):
            np.testing.assert_allclose(r.numpy()[place], g.numpy(), rtol=1e-11, atol=1e-11)


@each
def jacobians_where_all_inputs_move_together(case: Case) -> None:
    """Leading axes on every input at once, and on records that have leading axes: both modes over both modes."""
    arrays = drawn(case)
    along = [np.stack([d, 0.5 * d[::-1] if d.ndim else 2.0 * d]) for d in directions(case, arrays)]

    def f(s: Any) -> Any:
        moved = [a + ak.tensordot(ak.sin(s), d, 1) for a, d in zip(arrays, along, strict=True)]
        return ak.ravel(case.call(*moved))

    # One record for all four: with six records this property took twice as long.
    s = ak.constant(np.zeros(2))
    with ak.GradientTape(persistent=True) as outer:
        outer.watch(s)
        with ak.GradientTape(persistent=True) as inner:
            inner.watch(s)
            y = f(s)
        first = [inner.jacobian(y, s, "zero", mode=mode) for mode in ("reverse", "forward")]
    np.testing.assert_allclose(first[0].numpy(), first[1].numpy(), rtol=1e-11, atol=1e-11)
    second = [outer.jacobian(j, s, "zero", mode=mode).numpy() for j in first for mode in ("reverse", "forward")]
    for other in second[1:]:
        np.testing.assert_allclose(second[0], other, rtol=1e-9, atol=1e-9)


def _hessian(f: Any, arrays: tuple[Any, ...]) -> Any:
    """All second derivatives as one matrix, by a tape over a tape."""
    outer = ak.GradientTape(persistent=True)
    xs = [ak.constant(a) for a in arrays]
    with outer:
        outer.watch(xs)
        slopes = gradients(f, xs)
    blocks = [
        [
            h.numpy().reshape(g.size, x.size)
            for x, h in zip(xs, outer.jacobian(g, xs, "zero", mode="reverse"), strict=True)
        ]
        for g in slopes
    ]
    return np.block(blocks)


@each
def second_order(case: Case) -> None:
    """The Hessian is symmetric and equals differences of the gradient; three ways of its products agree."""
    arrays = drawn(case)
    along = directions(case, arrays)
    y = case.call(*map(ak.constant, arrays))
    f = total(case, weights(case, y.shape))
    hessian = _hessian(f, arrays)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-9, atol=1e-9)
    product = hessian @ np.concatenate([t.ravel() for t in along])

    def slopes(*moved: Any) -> Any:
        return np.concatenate([g.numpy().ravel() for g in gradients(f, [ak.constant(a) for a in moved])])

    np.testing.assert_allclose(product, difference(slopes, arrays, along), rtol=1e-6, atol=1e-6)
    pushed = ak.hvp(f, tuple(arrays), tuple(along)) if len(arrays) > 1 else (ak.hvp(f, arrays[0], along[0]),)
    np.testing.assert_allclose(np.concatenate([p.numpy().ravel() for p in pushed]), product, rtol=1e-9, atol=1e-9)
    xs = [ak.constant(a) for a in arrays]
    with ak.GradientTape() as tape:
        tape.watch(xs)
        with ak.ForwardAccumulator(xs, along) as acc:
            value = f(*xs)
        slope = acc.jvp(value, unconnected_gradients="zero")
    pulled = tape.gradient(slope, xs, unconnected_gradients="zero")
    np.testing.assert_allclose(np.concatenate([p.numpy().ravel() for p in pulled]), product, rtol=1e-9, atol=1e-9)


def _strided(a: Any) -> Any:
    """The same numbers with strides of two and reversed, and read-only."""
    if not a.ndim:
        return a
    wide = np.full((*a.shape[:-1], 2 * a.shape[-1]), np.nan, a.dtype)
    wide[..., ::-2] = a
    view = wide[..., ::-2]
    view.flags.writeable = False
    return view


@each
def strided_and_read_only_inputs(case: Case) -> None:
    arrays = drawn(case)
    found = []
    for kind in (list(arrays), [_strided(a) for a in arrays], [np.array(a, order="F") for a in arrays]):
        tape, xs, y = recorded(case.call, kind)
        found.append([y, *tape.gradient(y, xs, weights(case, y.shape), unconnected_gradients="zero")])
    for plain, strided, turned in zip(*found, strict=True):
        np.testing.assert_allclose(strided.numpy(), plain.numpy(), rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(turned.numpy(), plain.numpy(), rtol=1e-14, atol=1e-15)


def failures(case: Case) -> dict[str, str]:
    """The properties that a case does not have, with the way to what was found instead."""
    found: dict[str, str] = {}
    for property in PROPERTIES:
        try:
            property(case)
        except Exception:  # noqa: BLE001 - all that fail are told together
            found[property.__name__] = traceback.format_exc()
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_property(case: Case) -> None:
    """One test for all properties of a case: they take 2 ms each, and pytest as long again for a test of its own."""
    assert failures(case) == {}


SCALARS = [c for c in CASES if c.key not in WITHOUT_GRADIENT and all(a.shape == () for a in c.inputs(rng_of(c)))]


@pytest.mark.parametrize("case", SCALARS, ids=lambda case: case.name)
def test_python_floats_take_the_same_values_as_arrays(case: Case) -> None:
    """The fast path for scalars and the path for arrays: value, gradient and tangent agree to the last digits."""
    arrays = drawn(case)
    answers = []
    for values in ([float(a) for a in arrays], [a.reshape(1) for a in arrays]):
        tape, xs, y = recorded(case.call, values)
        gs = tape.gradient(y, xs, unconnected_gradients="zero")
        tangents = [np.ones(x.shape) for x in xs]
        with ak.ForwardAccumulator(xs, tangents) as acc:
            z = case.call(*xs)
        answers.append([float(np.sum(v.numpy())) for v in (y, *gs, acc.jvp(z, "zero"))])
    np.testing.assert_allclose(answers[0], answers[1], rtol=4e-15)


@pytest.mark.parametrize("key", WITHOUT_GRADIENT)
def test_b29_operations_without_a_derivative(key: str) -> None:
    """B29: the value is NumPy's and the gradient is None, in both modes; as a float and as an array."""
    function, expected = WITHOUT_GRADIENT[key]
    inputs = 1 if key in _CALLED_WITH_ONE else arity(OPS[key])
    for shape in ((), (4,)):
        arrays = spaced(np.random.default_rng(3), *[shape] * inputs)
        tape, xs, y = recorded(function, arrays)
        assert np.array_equal(y.numpy(), expected(*arrays))
        assert tape.gradient(y, xs) == [None] * len(xs)
        with ak.ForwardAccumulator(xs, [np.ones(shape)] * len(xs)) as acc:
            assert acc.jvp(function(*xs)) is None


_CALLED_WITH_ONE = {"RoundTo", "ToInt", "IsClose", "Searchsorted"}  # their calls are in cases.py


@pytest.mark.parametrize("key", [k for k, op in OPS.items() if op.points])
def test_special_points(key: str) -> None:
    """Points where formulas break: the values in the operation's block, as a number, a small array, and with others."""
    op = OPS[key]
    for inputs, expected, *rest in op.points:
        params = rest[0] if rest else {}
        for values in (inputs, [np.array([x]) for x in inputs], [np.array([x, x]) for x in inputs]):
            with np.errstate(all="ignore"):
                tape, xs, y = recorded(lambda *a, p=params: op.function(*a, **p), values)
                gs = tape.gradient(y, xs)
            for x, g, e in zip(xs, gs, expected, strict=True):
                np.testing.assert_array_equal(g.numpy(), np.full(x.shape, e), err_msg=f"{key} at {inputs}")
