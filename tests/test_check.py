"""The gradient checker: what it finds, what it says, and that it names jumps and kinks. Row B30."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import GradientCheckError, StructureError


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
    assert report.worst < 1e-6
    assert str(report) == "gradients agree"
    report.raise_if_failed()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_wrong_pull_is_found_and_placed(dtype: str) -> None:
    report = ak.check_gradients(wrong, [np.array([1.0, 2.0], dtype)])
    assert not report.ok
    assert report.where.endswith("x[1]")
    assert str(report).startswith("gradients differ by ")
    with pytest.raises(GradientCheckError, match=r"differ by 0\.\d+ at \w+, x\[1\]") as caught:
        report.raise_if_failed()
    assert isinstance(caught.value, AssertionError)


def test_only_the_modes_that_were_asked_for() -> None:
    assert ak.check_gradients(wrong_forward, [[3.0]], modes=("reverse",)).ok
    report = ak.check_gradients(wrong_forward, [[3.0]])
    assert not report.ok
    assert report.where == "forward, x[0]"


def test_the_second_order() -> None:
    assert ak.check_gradients(wrong_second, [[1.0, 2.0]], modes=("reverse",)).ok
    report = ak.check_gradients(wrong_second, [[1.0, 2.0]], modes=("reverse",), order=2)
    assert not report.ok
    assert report.where.startswith("second order")
    with pytest.raises(StructureError, match="order is 1 or 2"):
        ak.check_gradients(ak.sin, [1.0], order=3)


def test_the_argument_is_named() -> None:
    report = ak.check_gradients(lambda a, b: a * wrong(b), [[1.0], [2.0]])
    assert report.where.endswith("argument 1[0]")


def test_large_inputs_are_probed_along_random_directions() -> None:
    x = np.linspace(0.1, 1.0, 100)
    assert ak.check_gradients(lambda x: ak.sin(x) * x, [x]).ok
    report = ak.check_gradients(wrong, [x])
    assert not report.ok
    assert "random direction" in report.where


def test_a_jump_is_called_a_jump() -> None:
    """B30: floor overridden with identity is off by 499 at step 1e-3; the checker says why."""
    with ak.gradient_override_map({"Floor": "Identity"}):
        report = ak.check_gradients(ak.floor, [[[1.0, 2.5]]], step=1e-3)
    assert not report.ok
    assert report.kinks == ("a jump at x[0,0]=1",)
    with pytest.raises(GradientCheckError, match=r"a jump at x\[0,0\]=1"):
        report.raise_if_failed()


def test_the_detour_passes() -> None:
    """B30: x - (x - floor(x)) has gradient 0, and so have the differences away from the jumps."""
    report = ak.check_gradients(lambda x: x - (x - ak.floor(x)), [[1.5, 2.25]])
    assert report.ok
    assert report.kinks == ()


@pytest.mark.parametrize("f", [ak.abs, ak.nn.relu], ids=["abs", "relu"])
def test_a_kink_is_called_a_kink(f: Any) -> None:
    report = ak.check_gradients(f, [[0.0, 1.0]])
    assert report.kinks == ("a kink at x[0]=0",)


@pytest.mark.parametrize(
    "f",
    [ak.exp, ak.sin, lambda x: x**3, lambda x: 1.0 / x, lambda x: ak.exp(5.0 * x), lambda x: 100.0 * x * x],
)
def test_a_smooth_function_has_neither(f: Any) -> None:
    assert ak.check_gradients(f, [[0.5, 1.0, 2.0]]).kinks == ()


def test_nan_on_both_sides_is_no_disagreement() -> None:
    with np.errstate(all="ignore"):
        assert ak.check_gradients(lambda x: x * ak.constant(np.nan), [[1.0]]).ok
        assert not ak.check_gradients(lambda x: ak.where(x > 0, ak.sqrt(x), 0.0), [[-1.0]]).ok
