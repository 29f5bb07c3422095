"""Relaxations of floor, ceil, round, sign and step. Rows B29 to B32 of behaviours.md and the numbers of lesson 06."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import StructureError
from autodiff_kit.nn import relax

X = np.array([-1.9, -1.0, -0.3, 0.0, 0.4, 0.999, 1.5, 2.0, 2.75])
BETWEEN = np.array([-1.6, -0.4, 0.3, 1.5, 2.7])


def pulled(f: Callable[..., Any], *xs: Any) -> tuple[Any, list[Any]]:
    sources = [ak.constant(x) for x in xs]
    with ak.GradientTape() as tape:
        tape.watch(sources)
        y = f(*sources)
    return y.numpy(), [None if g is None else g.numpy() for g in tape.gradient(y, sources)]


@pytest.mark.parametrize(("s", "value"), [(1, "1.6666"), (4, "1.5003"), (50, "1.5000")])
def test_lesson_06_at_an_integer_the_limit_is_not_floor(s: float, value: str) -> None:
    assert f"{float(relax.soft_floor(2.0, 1 / s, steps=(1, 5))):.4f}" == value


@pytest.mark.parametrize(("s", "area"), [(4, "0.9975"), (10, "1.0000")])
def test_lesson_06_the_area_under_one_slope(s: float, area: str) -> None:
    """Over [1.5, 2.5]: the integral of the gradient is the difference of the values, and tends to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    _, (slope,) = pulled(lambda x: relax.soft_floor(x, 1 / s, steps=(1, 5)), 2.0 + 0.5 * nodes)
    integral = float(np.sum(0.5 * weights * slope))
    ends = relax.soft_floor([1.5, 2.5], 1 / s, steps=(1, 5)).numpy()
    assert integral == pytest.approx(ends[1] - ends[0], rel=1e-9)
    assert f"{integral:.4f}" == area


def descend(f: Callable[[Any, int], Any]) -> tuple[str, int | None]:
    """(f - 3)² from 0.3, rate 0.1, 200 steps: the final point, and the first step after which floor(x) is 3."""
    x, arrived = ak.Variable(0.3), None
    opt = ak.optim.SGD(0.1)
    for t in range(1, 201):
        with ak.GradientTape() as tape:
            loss = (f(x, t) - 3.0) ** 2
        g = tape.gradient(loss, x)
        if g is not None:
            opt.apply_gradients([(g, x)])
        if arrived is None and np.floor(float(x)) == 3:
            arrived = t
    return f"{float(x):.4f}", arrived


def soft(s: Callable[[int], float]) -> Callable[[Any, int], Any]:
    return lambda x, t: relax.soft_floor(x, 1 / s(t), steps=(1, 5))


@pytest.mark.parametrize(
    ("f", "end", "steps"),
    [
        (lambda x, _t: ak.floor(x), "0.3000", None),
        (lambda x, _t: relax.straight_through(ak.floor(x), x), "3.1000", 8),
        (soft(lambda _t: 4.0), "3.5001", 11),
        (soft(lambda _t: 15.0), "0.3900", None),
        (soft(lambda t: 20.0 ** ((t - 1) / 199)), "3.5000", 13),
    ],
    ids=["hard", "straight through", "s=4", "s=15", "annealed"],
)
def test_b31_lesson_06_descents(f: Any, end: str, steps: int | None) -> None:
    """B31: with floor the target is never reached; with approximations it is, unless they are too sharp."""
    assert descend(f) == (end, steps)


@pytest.mark.parametrize(
    "f",
    [lambda x, _t: relax.piecewise_linear_floor(x, 1.0), lambda x, _t: relax.filtered_floor(x, 2.0)],
    ids=["piecewise", "filtered"],
)
def test_b31_the_other_approximations_reach_the_target(f: Any) -> None:
    """B31: training through each approximation reaches an integer target, which hard floor never does."""
    assert descend(f)[1] is not None


def test_b29_rounding_has_no_gradient_and_x_minus_fraction_has_zero() -> None:
    """B29 and B30: None for floor itself; x - (x - floor(x)) has gradient 0."""
    for f in (ak.floor, ak.ceil, ak.round, ak.sign, lambda x: ak.cast(x, "int64")):
        assert pulled(f, X)[1] == [None]
    value, (g,) = pulled(lambda x: x - (x - ak.floor(x)), X)
    np.testing.assert_allclose(value, np.floor(X), atol=1e-15)
    assert not g.any()


STAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[float, ...]]] = {
    "soft_floor": (relax.soft_floor, np.floor, (0.5, 0.1, 0.02)),
    "soft_ceil": (relax.soft_ceil, np.ceil, (0.5, 0.1, 0.02)),
    "soft_round": (relax.soft_round, np.round, (0.5, 0.1, 0.01)),
    "soft_sign": (relax.soft_sign, np.sign, (0.5, 0.1, 0.02)),
    "piecewise_linear_floor": (relax.piecewise_linear_floor, np.floor, (1.0, 0.9, 0.3)),
    "piecewise_linear_ceil": (relax.piecewise_linear_ceil, np.ceil, (1.0, 0.9, 0.3)),
    "piecewise_linear_round": (relax.piecewise_linear_round, np.round, (1.0, 0.9, 0.1)),
    "piecewise_linear_sign": (relax.piecewise_linear_sign, np.sign, (2.0, 1.0, 0.3)),
    "filtered_floor": (relax.filtered_floor, np.floor, (1.0, 0.9, 0.3)),
    "filtered_ceil": (relax.filtered_ceil, np.ceil, (1.0, 0.9, 0.3)),
    "filtered_round": (relax.filtered_round, np.round, (1.0, 0.9, 0.1)),
    "filtered_sign": (relax.filtered_sign, np.sign, (2.0, 1.0, 0.3)),
}
each_stair = pytest.mark.parametrize(("f", "hard", "widths"), STAIRS.values(), ids=STAIRS.keys())


@each_stair
def test_b31_the_error_falls_with_the_temperature(f: Any, hard: Any, widths: Any) -> None:
    """B31: between the jumps the approximation converges to the hard function."""
    x = np.array([-1.7, -0.8, 0.2, 1.3, 2.9]) if hard is np.round else BETWEEN
    errors = [float(np.max(np.abs(f(x, w).numpy() - hard(x)))) for w in widths]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-4


@each_stair
def test_gradients_of_approximations(f: Any, hard: Any, widths: Any) -> None:
    """Both modes compared with differences, between the corners."""
    ak.check_gradients(lambda x: f(x, widths[1]), [BETWEEN + 0.037], tolerance=1e-5).raise_if_failed()


ONE = [
    *[(f"{name} {w}", lambda x, f=f, w=w: f(x, w)) for name, (f, _, widths) in STAIRS.items() for w in widths],
    *[(f"{kernel} filter", lambda x, k=kernel: relax.filtered_floor(x, 1.7, kernel=k)) for kernel in ("box", "cosine")],
    ("soft_floor 1 to 5", lambda x: relax.soft_floor(x, 0.25, steps=(1, 5))),
    ("piecewise_linear_floor 1 to 5", lambda x: relax.piecewise_linear_floor(x, 3.0, steps=(1, 5))),
    ("filtered_floor 1 to 5", lambda x: relax.filtered_floor(x, 4.0, steps=(1, 5))),
]  # fmt: skip


@pytest.mark.parametrize("f", [f for _, f in ONE], ids=[name for name, _ in ONE])
def test_one_number_agrees_with_an_array(f: Any, every_case: bool) -> None:
    """A single number records only its active steps; value, derivative and second derivative are those of an array."""
    edges = [-50.0, 0.45, 0.5, 0.55, 1.85, 2.15, 3.5, 50.0, np.inf, -np.inf, np.nan]
    places = np.concatenate([np.concatenate([X, BETWEEN])[:: 1 if every_case else 2], edges])
    slope = ak.grad(lambda x: f(x).sum())
    curve = ak.grad(lambda x: slope(x).sum())
    for x in places.tolist():
        for g in (f, slope, curve):
            assert float(g(x)) == pytest.approx(float(g(np.array([x])).numpy()[0]), rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("f", "most"),
    [
        (lambda x: relax.soft_floor(x, 0.25, steps=(1, 5)), 16),
        (lambda x: relax.piecewise_linear_floor(x, 0.4), 4),
        (lambda x: relax.filtered_floor(x, 0.8), 7),
    ],
    ids=["soft", "piecewise", "filtered"],
)
def test_one_number_has_a_short_record(f: Any, most: int) -> None:
    for place in np.linspace(0.3, 5.7, 28).tolist():
        x = ak.Variable(place)
        with ak.GradientTape() as tape:
            f(x)
        assert 0 < len(tape.nodes) <= most


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_approximations_keep_the_dtype(dtype: str) -> None:
    for f, _, widths in STAIRS.values():
        value, (g,) = pulled(lambda x, f=f, w=widths[1]: f(x, w), X.astype(dtype))
        assert (value.dtype, g.dtype, g.shape) == (np.dtype(dtype), np.dtype(dtype), X.shape)


@pytest.mark.parametrize("kernel", ["triangle", "box", "cosine"])
def test_b31_a_filter_is_a_convolution(kernel: str) -> None:
    """B31 (c): floor convolved with the kernel, by numerical integration, and the gradient is the kernel itself."""
    width = 0.8
    t = (np.arange(4000) + 0.5) / 4000 * width - width / 2
    weights = {
        "triangle": 1 - np.abs(t) / (width / 2),
        "box": np.ones_like(t),
        "cosine": 1 + np.cos(2 * np.pi * t / width),
    }
    shape = weights[kernel] / weights[kernel].sum()
    expected = [float(np.sum(np.floor(x - t) * shape)) for x in X]
    np.testing.assert_allclose(relax.filtered_floor(X, width, kernel=kernel).numpy(), expected, atol=1e-3)


def test_steps_without_a_range_cover_the_values() -> None:
    """Far from 0 and for negative values; a range too wide to sum is an error; nan and infinities pass."""
    for offset in (-1e6, -3.0, 1e6):
        found = relax.soft_floor(BETWEEN + offset, 0.01).numpy()
        np.testing.assert_allclose(found, np.floor(BETWEEN + offset), atol=1e-4)
    with pytest.raises(StructureError, match="steps=\\(first, last\\)"):
        relax.soft_floor([0.0, 1e6], 0.1)
    assert np.isnan(relax.soft_floor([np.nan, 1.5], 0.1).numpy()).tolist() == [True, False]
    assert relax.soft_floor(np.zeros(0), 0.1).shape == (0,)


@pytest.mark.parametrize("f", [
    lambda x: relax.soft_floor(x, 0.5), lambda x: relax.soft_round(x, 0.5), lambda x: relax.soft_ceil(x, 0.5),
    lambda x: relax.piecewise_linear_floor(x, 0.5), lambda x: relax.filtered_floor(x, 0.5),
])  # fmt: skip
def test_infinity_has_all_steps_below_it(f: Any) -> None:
    x = np.array([np.inf, -np.inf, 1.25])
    np.testing.assert_allclose(f(x).numpy(), [np.inf, -np.inf, float(f(1.25))])
    np.testing.assert_allclose(ak.vjp(f, x)[1](np.ones(3)).numpy()[:2], [0.0, 0.0])
    assert float(f(np.inf)) == np.inf
    assert float(ak.grad(f)(-np.inf)) == 0.0


def test_infinity_has_the_given_steps_below_it() -> None:
    assert relax.soft_floor([np.inf, -np.inf], 0.1, steps=(1, 5)).tolist() == [5.0, 0.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: relax.soft_floor(1.0, 0.0), "temperature must be above 0, got 0"),
        (lambda: relax.soft_floor(1.0, float("nan")), "temperature must be above 0, got nan"),
        (lambda: relax.piecewise_linear_floor(1.0, -1.0), "width must be above 0"),
        (lambda: relax.soft_floor(1.0, 0.1, steps=(5, 1)), "first <= last"),
        (lambda: relax.filtered_floor(1.0, 0.5, kernel="round"), "'round'"),
        (lambda: relax.straight_through([1.0], [1.0, 2.0]), r"\(1,\) and soft has \(2,\)"),
        (lambda: relax.fake_quant([1.0], 2.0, 1.0), "min must be below max, got 2.0 and 1.0"),
        (lambda: relax.fake_quant([1.0], 1.0, float("nan")), "min must be below max"),
    ],
)
def test_arguments_outside_their_range(call: Any, words: str) -> None:
    with pytest.raises(StructureError, match=words) as caught:
        call()
    assert isinstance(caught.value, ValueError)


def test_b31_straight_through() -> None:
    """B31 (d): hard forward, soft backward, in both modes and to second order; hard itself gets no gradient."""
    value, (g,) = pulled(lambda x: relax.straight_through(ak.floor(x), ak.sin(x)), X)
    assert value.tolist() == np.floor(X).tolist()
    np.testing.assert_allclose(g, np.cos(X))
    tangent = ak.jvp(lambda x: relax.straight_through(ak.floor(x), x), (X,), (np.ones(9),))[1]
    assert tangent.tolist() == [1.0] * 9
    second = ak.grad(ak.grad(lambda x: relax.straight_through(ak.floor(x), x * x)))(1.5)
    assert float(second) == 2.0
    _, (hard, smooth) = pulled(relax.straight_through, X, X)
    assert hard is None
    assert smooth.tolist() == [1.0] * 9


# -------------------------------------------------------------------------------------------------- fake quantisation
ROW = [-1.5, -0.4, 0.1, 0.63, 2.0]


def test_b32_fake_quant_in_single_precision() -> None:
    """B32: TensorFlow's numbers."""
    value, (x, low, high) = pulled(lambda *a: relax.fake_quant(*a, num_bits=3), *map(np.float32, (ROW, -1.0, 1.0)))
    np.testing.assert_allclose(value, [-0.857143, -0.285714, 0.0, 0.571429, 1.142857], atol=1e-6)
    assert (x.tolist(), float(low), float(high)) == ([0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0)
    assert value.dtype == x.dtype == low.dtype == np.float32


def test_b32_fake_quant_in_double_precision() -> None:
    """B32: the zero point is exactly 3.5 there, so the range is nudged the other way and the values differ."""
    value, (x, _, _) = pulled(lambda *a: relax.fake_quant(*a, num_bits=3), ROW, -1.0, 1.0)
    assert (value[0], value[-1]) == (pytest.approx(-8 / 7), pytest.approx(6 / 7))
    assert x.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_edge_of_the_nudged_range(dtype: str) -> None:
    """(-6, 6) at 8 bits reaches from -6.0235 to 5.9765: 5.97 is inside, 5.98 is not, -6.02 is; 0 is a level."""
    x = np.array([5.97, 5.98, 6.0, -6.02, -6.03, 0.0], dtype)
    value, (g, low, high) = pulled(lambda *a: relax.fake_quant(*a), x, np.array(-6.0, dtype), np.array(6.0, dtype))
    assert g.tolist() == [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]
    assert (float(low), float(high), value[-1]) == (1.0, 2.0, 0.0)
    np.testing.assert_allclose(value[[1, 4]], [5.976471, -6.023529], atol=1e-6)


def test_a_half_is_rounded_up_where_the_range_is_nudged() -> None:
    """(-2.5, 4.5) at 3 bits: the zero point is 2.5, and becomes 3, not the even 2."""
    value = relax.fake_quant([-9.0, 9.0], -2.5, 4.5, num_bits=3).numpy()
    assert value.tolist() == [-3.0, 4.0]


def test_b32_a_range_computed_from_the_values() -> None:
    """B32: clamped entries pass their 1 to min or max, which are elements of x: [2 0 1 1 1]."""

    def f(x: Any) -> Any:
        return relax.fake_quant(x, ak.min(x), ak.max(x), num_bits=2)

    value, (g,) = pulled(f, [-4.0, -3.5, 0.0, 1.0, 5.0])
    assert value.tolist() == [-3.0, -3.0, 0.0, 0.0, 6.0]
    assert g.tolist() == [2.0, 0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_levels_of_fake_quant(bits: int, narrow: bool) -> None:
    """As many levels as the bits allow, equally spaced, 0 among them; a value on a level does not change."""
    x = np.linspace(-3.0, 4.0, 5000)
    y = relax.fake_quant(x, -2.1, 3.3, num_bits=bits, narrow_range=narrow).numpy()
    levels = np.unique(y.round(12))
    assert len(levels) == 2**bits - narrow
    assert 0.0 in levels
    np.testing.assert_allclose(np.diff(levels), (3.3 + 2.1) / (2**bits - 1 - narrow), rtol=1e-9)
    again = relax.fake_quant(y, -2.1, 3.3, num_bits=bits, narrow_range=narrow).numpy()
    np.testing.assert_allclose(again, y, atol=1e-12)


def test_fake_quant_forwards() -> None:
    """The JVP of a rule that defines only its VJP."""
    x, low, high = np.array(ROW), -1.0, 1.0
    tangent = ak.jvp(lambda *a: relax.fake_quant(*a, num_bits=3), (x, low, high), (np.full(5, 2.0), 10.0, 100.0))[1]
    assert tangent.tolist() == [10.0, 2.0, 2.0, 2.0, 100.0]
