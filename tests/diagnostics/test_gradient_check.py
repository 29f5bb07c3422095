"""Gradient checks: right gradients pass, wrong ones are found and located, singularities are named. Row B30."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError, DtypeError, GradientCheckError, StructureError


@ak.custom_gradient
def wrong(x: Any) -> Any:
    return x * x, lambda g: g * 2.5 * x


@ak.custom_gradient
def wrong_forward(x: Any) -> Any:
    return x * x, lambda g: g * 2.0 * x, lambda t: t * 2.0


@ak.custom_gradient
def wrong_second(x: Any) -> Any:
    return x**3, lambda g: g * 3.0 * ak.stop_gradient(x) ** 2


def test_right_gradients_agree() -> None:
    report = ak.check_gradients(lambda x, w: ak.tanh(x @ w), [np.ones((2, 3)) * 0.3, np.full((3, 2), 0.1)], order=2)
    assert report.ok
    assert report.worst < 1e-8
    assert str(report) == "gradients agree"
    assert report.method == "central differences in float64, Richardson-extrapolated"
    report.raise_if_failed()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_wrong_vjp_is_found_and_located(dtype: str) -> None:
    """The largest absolute error: 0.5 at the first entry, 1 at the second."""
    report = ak.check_gradients(wrong, [np.array([1.0, 2.0], dtype)])
    assert not report.ok
    assert report.where.endswith("x[1]")
    assert (report.worst, report.gradient, report.difference) == pytest.approx((1.0, 5.0, 4.0), rel=1e-6)
    with pytest.raises(GradientCheckError, match=r"differ by 1 at \w+, x\[1\] \(gradient 5, difference 4\)") as caught:
        report.raise_if_failed()
    assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1.0, 1e8])
def test_errors_are_relative_to_the_size_of_the_gradient(size: float) -> None:
    """A gradient of 1e-12 with a relative error of 1e-3 is wrong; one with rounding errors is right at any size."""

    @ak.custom_gradient
    def slightly(x: Any) -> Any:
        return size * ak.sin(x), lambda g: g * (1.001 * size) * ak.cos(x)

    assert ak.check_gradients(lambda x: size * ak.sin(x), [[0.3, 1e-3, 2.0]]).ok
    assert not ak.check_gradients(slightly, [0.3], modes="reverse").ok


def test_only_the_modes_that_were_asked_for() -> None:
    assert ak.check_gradients(wrong_forward, [[3.0]], modes=("reverse",)).ok
    report = ak.check_gradients(wrong_forward, [[3.0]])
    assert not report.ok
    assert report.where == "forward, x[0]"


def test_the_second_order() -> None:
    assert ak.check_gradients(wrong_second, [[1.0, 2.0]], modes=("reverse",)).ok
    report = ak.check_gradients(wrong_second, [[1.0, 2.0]], modes=("reverse",), order=2)
    assert not report.ok
    assert report.where.startswith("second order, reverse, x[")
    assert ak.check_gradients(ak.nn.relu, [0.0], order=2).kinks == ("a kink at x=0", "second order, a jump at x=0")


def test_the_argument_is_named() -> None:
    report = ak.check_gradients(lambda a, b: a * wrong(b), [[1.0], [2.0]])
    assert report.where.endswith("argument 1[0]")


def test_nested_arguments_and_several_outputs() -> None:
    """Arguments and results may be lists and dicts; integers among the results are ignored."""

    def f(p: Any, x: Any) -> Any:
        h = x @ p["w"] + p["b"][0]
        return {"h": h, "rest": [ak.sum(ak.sin(h)), ak.argmax(h), ak.constant([1.0, 2.0])]}

    p = {"w": np.array([[0.3, -0.2], [0.1, 0.5]]), "b": [np.array([0.1, 0.2])]}
    assert ak.check_gradients(f, [p, [[1.0, 2.0]]], order=2).ok
    report = ak.check_gradients(lambda p: wrong(p["b"][0]), [p])
    assert report.where.endswith("x['b'][0][1]")
    assert ak.check_gradients(lambda x: ak.constant([1.0, 2.0]), [[1.0]]).ok


def test_large_inputs_are_probed_along_random_directions() -> None:
    x = np.linspace(0.1, 1.0, 100)
    assert ak.check_gradients(lambda x: ak.sin(x) * x, [x]).ok
    report = ak.check_gradients(wrong, [x])
    assert not report.ok
    assert "random direction" in report.where
    x[3] = 0.0
    kinks = ak.check_gradients(lambda x: ak.abs(x) * 2.0, [x]).kinks
    assert kinks
    assert all(k.startswith("a kink at x, random direction") for k in kinks)


def test_one_wrong_output_among_many() -> None:
    """More than 32 outputs are compared in random combinations; a single wrong one is still found."""

    def f(x: Any) -> Any:
        return ak.concat([ak.sin(x), wrong(x[:1])], 0)

    assert ak.check_gradients(lambda x: ak.concat([ak.sin(x), x[:1] ** 2], 0), [np.linspace(0.5, 1.0, 50)]).ok
    report = ak.check_gradients(f, [np.linspace(0.5, 1.0, 50)])
    assert not report.ok
    assert report.where.endswith("x[0]")


# -------------------------------------------------------------------------------- jumps and kinks
def test_b30_floor_overridden_with_identity() -> None:
    """B30: off by 499 at step 1e-3, because the difference spans the jump; the report names it."""
    with ak.gradient_override_map({"Floor": "Identity"}):
        report = ak.check_gradients(ak.floor, [[[1.0, 2.0]]], step=1e-3)
    assert not report.ok
    assert report.worst == pytest.approx(499.0, rel=1e-9)
    assert (report.gradient, report.difference) == pytest.approx((1.0, 500.0), rel=1e-9)
    assert report.kinks == ("a jump at x[0,0]=1", "a jump at x[0,1]=2")
    with pytest.raises(GradientCheckError, match=r"differ by 499 .*; a jump at x\[0,0\]=1"):
        report.raise_if_failed()


def test_b30_the_gradient_of_x_minus_fraction() -> None:
    """B30: x - (x - floor(x)) has gradient 0, the slope on both sides of each jump: an error of 0."""
    report = ak.check_gradients(lambda x: x - (x - ak.floor(x)), [[[1.0, 2.0, 2.5]]], step=1e-3)
    assert report.ok
    assert report.worst == 0.0
    assert report.kinks == ("a jump at x[0,0]=1", "a jump at x[0,1]=2")
    assert ak.check_gradients(lambda x: x - (x - ak.floor(x)), [[1.5, 2.25]]).kinks == ()


ODD: dict[str, tuple[Any, float, str]] = {
    "abs": (ak.abs, 0.0, "a kink at x=0"),
    "relu": (ak.nn.relu, 0.0, "a kink at x=0"),
    "a weak kink": (lambda x: 1e-9 * ak.abs(x) + 1e-9 * ak.exp(x), 0.0, "a kink at x=0"),
    "a kink beside much else": (lambda x: 1e5 + ak.abs(x) + ak.exp(20.0 * x), 0.0, "a kink at x=0"),
    "a branch": (lambda x: ak.where(x > 2.0, x * x, 2.0 * x), 2.0, "a kink at x=2"),
    "a branch that jumps": (lambda x: ak.where(x > 2.0, x * x, x), 2.0, "a jump at x=2"),
    "floor": (ak.floor, -3.0, "a jump at x=-3"),
    "ceil": (lambda x: ak.ceil(x) + x, 5.0, "a jump at x=5"),
    "round": (ak.round, 0.5, "a jump at x=0.5"),
    "sign": (ak.sign, 0.0, "a jump at x=0"),
    "sqrt": (ak.sqrt, 0.0, "a vertical slope at x=0"),
    "acos": (ak.acos, 1.0, "a vertical slope at x=1"),
    "near a kink": (ak.nn.relu, 1e-4, "a kink at x=0, 0.0001 away"),
    "nearer": (ak.abs, -1e-8, "a kink at x=0, 1e-08 away"),
    "near a jump": (ak.floor, 2.0001, "a jump at x=2, 0.0001 away"),
    "near the edge": (ak.sqrt, 1e-4, "the edge of the domain where f is finite at x=0, 0.0001 away"),
    "a tie": (lambda x: ak.maximum(x, 1.0), 1.0, "a kink at x=1"),
    "log of nothing": (ak.log, 0.0, "no finite value at x=0"),
}


@pytest.mark.parametrize("name", ODD)
def test_singularities_are_named(name: str) -> None:
    """At each singularity the kit's gradient is the slope of one side, or between both: no error."""
    f, x, words = ODD[name]
    with np.errstate(all="ignore"):
        report = ak.check_gradients(f, [x])
    assert report.kinks == (words,)
    assert report.ok, report


def test_ties_among_entries() -> None:
    report = ak.check_gradients(ak.max, [[1.0, 1.0, 0.0]])
    assert report.ok
    assert report.kinks == ("a kink at x[0]=1", "a kink at x[1]=1")


@pytest.mark.parametrize("slope", [-0.9, 0.3, 1.0, 1.1, -2.0])
def test_at_a_kink_every_slope_between_is_right(slope: float) -> None:
    @ak.custom_gradient
    def size(x: Any) -> Any:
        return ak.abs(x), lambda g: g * slope

    assert ak.check_gradients(size, [0.0], modes="reverse").ok == (abs(slope) <= 1)


@pytest.mark.parametrize("x", [0.0, 0.3, -1.7, 1e-5, 2.0, 31.4])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: ak.exp(20.0 * x),
        lambda x: x**7,
        lambda x: ak.sin(100.0 * x),
        lambda x: 1e8 * x,
        lambda x: 1e-8 * x,
        lambda x: 1e8 + ak.sin(x),
        lambda x: ak.tanh(1e4 * x),
        lambda x: ak.exp(-((1e3 * x) ** 2)),
        lambda x: ak.abs(x) ** 1.5,
        lambda x: ak.nn.relu(x) ** 2,
        ak.sinc,
        ak.nn.elu,
    ],
)
def test_smooth_functions_have_no_singularity(f: Any, x: float) -> None:
    report = ak.check_gradients(f, [x])
    assert report.kinks == ()
    assert report.ok, report


@pytest.mark.parametrize("distance", [1e-2, 1e-3, 1e-5, 1e-7])
def test_near_a_pole(distance: float) -> None:
    """tan is strongly curved there, but has no kink."""
    report = ak.check_gradients(ak.tan, [np.pi / 2 - distance])
    assert report.ok, report
    assert not any("kink" in k or "jump" in k or "vertical" in k for k in report.kinks)


def test_random_points_near_a_kink_and_far_from_it() -> None:
    """A kink within the first step is named; a kink further away is not."""
    rng = np.random.default_rng(3)
    for x in 10 ** rng.uniform(-9, -3.5, 20) * rng.choice([-1.0, 1.0], 20):
        assert len(ak.check_gradients(lambda x: ak.abs(x) + ak.exp(3.0 * x), [x]).kinks) == 1
        assert ak.check_gradients(lambda x: ak.abs(x - 0.5) + ak.exp(3.0 * x), [x]).kinks == ()


# -------------------------------------------------------------------------------- dtypes, nan, chance
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_small_dtypes_are_differenced_in_float64(dtype: str) -> None:
    x = np.array([[0.5, -1.25], [2.0, 0.125]], dtype)
    report = ak.check_gradients(lambda x: ak.sin(x @ x) * ak.exp(x), [x], order=2)
    assert report.ok, report
    assert "in float64" in report.method
    assert ak.check_gradients(ak.nn.relu, [np.zeros(1, dtype)]).kinks == ("a kink at x[0]=0",)


def test_a_function_that_differs_in_float64() -> None:
    """Then differences are computed in the small dtype, with large steps."""

    def f(x: Any) -> Any:
        return ak.sin(x) * (2.0 if x.dtype == np.float32 else 5.0)

    report = ak.check_gradients(f, [np.array([0.5, 1.0], np.float32)])
    assert report.ok, report
    assert "in float32" in report.method


def test_nan_and_infinities() -> None:
    with np.errstate(all="ignore"):
        both = ak.check_gradients(lambda x: x * ak.constant(np.nan), [[1.0]])
        assert both.ok
        assert both.kinks == ("no finite value at x[0]=1",)
        trap = ak.check_gradients(lambda x: ak.where(x > 0, ak.sqrt(x), 0.0), [[-1.0]])
        assert not trap.ok
        assert trap.worst == np.inf
        assert "gradient nan, difference 0" in str(trap)
        unequal = ak.check_gradients(lambda x: ak.where(x > 0, x, np.nan), [-1.0])
        assert not unequal.ok
        assert unequal.kinks == ("no finite value at x=-1",)


def test_nothing_to_check() -> None:
    assert ak.check_gradients(lambda x: ak.sum(x), [np.zeros(0)]).ok
    assert ak.check_gradients(lambda x: x, [np.zeros((0, 2))]).ok
    assert ak.check_gradients(lambda: ak.constant(1.0), []).where == "nowhere"


def test_a_step_may_be_numpys_number() -> None:
    for step in (np.float32(0.01), np.int64(1)):
        assert ak.check_gradients(ak.sin, [0.5], step=step, tolerance=np.float32(1e-6)).ok


def test_a_random_function_is_noticed() -> None:
    rng = np.random.default_rng(0)
    report = ak.check_gradients(lambda x: x * float(rng.random()), [1.0])
    assert not report.ok
    assert report.kinks == ("f is not deterministic: two calls at the same point gave different values",)
    with pytest.raises(GradientCheckError, match="not deterministic"):
        report.raise_if_failed()


@pytest.mark.parametrize(
    ("f", "args", "options", "error", "words"),
    [
        (ak.sin, [1], {}, DtypeError, r"int64; write 5\.0"),
        (ak.sin, [np.array([1j])], {}, DtypeError, "complex"),
        (ak.sin, ["abc"], {}, AutodiffError, "str"),
        (ak.sin, [[[1.0], [1.0, 2.0]]], {}, AutodiffError, "cannot be converted to an array|a list"),
        (ak.sin, 1.0, {}, StructureError, "one entry for each argument"),
        (ak.sin, [ak.Variable(1.0)], {}, StructureError, r"w\.numpy\(\)"),
        (None, [1.0], {}, DtypeError, "needs a function"),
        (lambda x: None, [1.0], {}, DtypeError, "NoneType"),
        (lambda x: x.numpy(), [1.0], {}, DtypeError, "ndarray"),
        (lambda x: ak.argmax(x), [[1.0]], {}, DtypeError, "no floating value"),
        (ak.sin, [1.0], {"order": 3}, StructureError, "order must be 1 or 2"),
        (ak.sin, [1.0], {"modes": ("backward",)}, StructureError, "modes must be"),
        (ak.sin, [1.0], {"modes": ()}, StructureError, "modes must be"),
        (ak.sin, [1.0], {"modes": 3}, StructureError, "modes must be"),
        (ak.sin, [1.0], {"step": 0.0}, StructureError, "step must be a number above 0"),
        (ak.sin, [1.0], {"tolerance": "small"}, StructureError, "tolerance must be a number above 0"),
        (ak.sin, [1.0], {"seed": "x"}, StructureError, "seed must be an integer"),
    ],
)
def test_invalid_arguments_of_gradient_checks(f: Any, args: Any, options: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ak.check_gradients(f, args, **options)


def test_check_gradients_of_long_doubles():
    assert ak.check_gradients(lambda x: x * x, [np.array([1.0, 2.0], np.longdouble)]).ok


# ------------------------------------------------------------------------------------- right gradients that look wrong
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (ak.nn.softmax, np.float32([0.0, -120.0])),
        (ak.sigmoid, np.float16([-20.0])),
        (ak.tanh, np.float32([12.0])),
        (lambda x: 1.0 / (x * x + 1.0), np.float16([150.0])),
    ],
)
def test_a_gradient_below_the_precision_of_its_dtype(f: Any, x: Any) -> None:
    report = ak.check_gradients(f, [x])
    assert report.ok, report


@pytest.mark.parametrize("large", [1e4, 1e6])
@pytest.mark.parametrize("f", [lambda v: v, ak.logsumexp, lambda v: v * v])
def test_values_whose_large_terms_cancel(f: Any, large: float) -> None:
    report = ak.check_gradients(lambda v: f(v + large) - large, [[1.0, 2.0]])
    assert report.ok, report
    assert report.kinks == ()


def test_a_wrong_gradient_of_cancelling_terms_is_still_found() -> None:
    @ak.custom_gradient
    def wrong(v: Any) -> Any:
        return (v + 1e4) - 1e4, lambda g: g * 1.01

    assert not ak.check_gradients(wrong, [[1.0, 2.0]], modes="reverse").ok


def test_only_the_entry_without_a_finite_value_is_named() -> None:
    report = ak.check_gradients(lambda v: 1.0 / v, [[0.0, 1.0]])
    assert report.kinks == ("no finite value at x[0]=0",)
    report = ak.check_gradients(ak.log, [[-1.0, 2.0]])
    assert report.kinks == ("no finite value at x[0]=-1",)
