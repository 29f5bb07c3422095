"""Anomaly detection, and the block ``zero_absorbs``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import AnomalyError

quiet = pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")


@quiet
def test_the_first_nan_forward_is_named() -> None:
    x = ak.Variable([[1.0, 4.0], [-1.0, 9.0]])
    with ak.GradientTape() as tape:
        fine = ak.sqrt(x)  # not checked outside the block
        with ak.detect_anomalies(), pytest.raises(AnomalyError) as caught:
            y = x * 2.0
            ak.sqrt(y)
    text = str(caught.value)
    assert text.startswith("sqrt, node 2 on the tape, gave nan at index (1, 0): sqrt(-2.0). test_anomalies.py, line ")
    assert "ak.sqrt(y)" in text
    assert np.isnan(fine.numpy()).any()
    assert len(tape.nodes) == 3


@quiet
@pytest.mark.parametrize("value", [0.0, [0.0, 1.0]])
def test_a_nan_in_the_input_is_named_as_such(value: Any) -> None:
    x = ak.constant(np.log(value))
    with (
        ak.detect_anomalies(),
        ak.GradientTape() as tape,
        pytest.raises(AnomalyError, match="which its input 0 already contained"),
    ):
        tape.watch(x)
        ak.sum(ak.constant(1.0) * x[None])


@quiet
def test_the_first_nan_in_the_backward_pass_is_named() -> None:
    x = ak.Variable([4.0, 0.0])
    with ak.GradientTape(persistent=True) as tape:
        y = ak.sum(ak.where(x > 0, ak.sqrt(x), 0.0))
    assert np.isnan(tape.gradient(y, x).numpy()[1])
    with (
        ak.detect_anomalies(),
        pytest.raises(AnomalyError, match=r"on the way back, sqrt, node 1 .* nan at index \(1,\)"),
    ):
        tape.gradient(y, x)
    assert np.isnan(tape.gradient(y, x).numpy()[1])  # not checked afterwards, and no cotangent was left behind


@quiet
@pytest.mark.parametrize("value", [2.0, [2.0, 3.0]])
def test_finite_computations_are_unchanged(value: Any) -> None:
    x = ak.Variable(value)

    def slope() -> Any:
        with ak.GradientTape() as tape:
            y = ak.sum(ak.log(x) * ak.exp(x) / 3.0)
        return tape.gradient(y, x).numpy()

    plain = slope()
    with ak.detect_anomalies():
        np.testing.assert_array_equal(slope(), plain)
        with ak.GradientTape() as outer:
            inner = ak.grad(lambda z: ak.sum(ak.log(z)))(x)
        assert np.isfinite(outer.gradient(inner, x).numpy()).all()


@quiet
@pytest.mark.parametrize(
    ("f", "point", "without", "within"),
    [
        (lambda x: ak.where(x > 0, ak.sqrt(x), 0.0), [-1.0, 0.0, 4.0], [np.nan, np.nan, 0.25], [0.0, 0.0, 0.25]),
        (lambda x: ak.where(x > 0, ak.log(x), 0.0), [0.0, 2.0], [np.nan, 0.5], [0.0, 0.5]),
        (lambda x: ak.where(x > 0, x / x, 1.0), [0.0, 2.0], [np.nan, 0.0], [0.0, 0.0]),
    ],
)
def test_b22_zero_absorbs(f: Any, point: Any, without: Any, within: Any) -> None:
    """B22: the gradient of where, with and without ``zero_absorbs``, in both modes of differentiation."""
    x = ak.Variable(point)
    with ak.GradientTape(persistent=True) as tape:
        y = f(x)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), without)
    with ak.zero_absorbs():
        np.testing.assert_array_equal(tape.gradient(y, x).numpy(), within)
        one = np.ones(np.shape(point))
        np.testing.assert_array_equal(ak.jvp(f, (ak.constant(point),), (one,))[1].numpy(), within)
        jacobian = tape.jacobian(y, x).numpy()
        np.testing.assert_array_equal(jacobian, np.diag(np.atleast_1d(within)).reshape(jacobian.shape))
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), without)


@quiet
def test_zero_absorbs_incoming_gradients() -> None:
    """Backward, an incoming 0 stays 0; forward, 0 times an incoming infinite tangent is nan as usual."""
    f = lambda x: 0.0 * ak.sqrt(x)  # noqa: E731
    assert np.isnan(float(ak.grad(f)(0.0)))
    with ak.zero_absorbs():
        assert float(ak.grad(f)(0.0)) == 0.0
        assert np.isnan(float(ak.jvp(f, (0.0,), (1.0,))[1]))


@quiet
def test_zero_absorbs_to_second_order() -> None:
    f = lambda x: ak.where(x > 0, ak.sqrt(x), 0.0)  # noqa: E731
    with ak.zero_absorbs():
        assert float(ak.grad(ak.grad(f))(0.0)) == 0.0
        assert float(ak.grad(ak.grad(f))(4.0)) == pytest.approx(-0.25 * 4.0**-1.5)


@pytest.mark.parametrize("f", [
    ak.vmap(ak.grad(lambda x: x**3)), ak.grad(lambda x: ak.sum(ak.vmap(ak.grad(lambda z: z**3))(x))),
    lambda x: ak.vmap(ak.vmap(ak.grad(lambda z: z**3)))(x[:, None]), ak.vmap(ak.hessian(lambda z: z**3)),
    ak.compile(ak.vmap(ak.grad(lambda x: x**3))),
])  # fmt: skip
def test_gradients_inside_a_vmap_are_checked(f: Any) -> None:
    x = np.array([1.0, 2.0, 3.0])
    expected = f(x).numpy()
    with ak.detect_anomalies():
        np.testing.assert_array_equal(f(x).numpy(), expected)


def test_an_anomaly_inside_a_vmap_names_the_example() -> None:
    x = np.array([[2.0, 3.0], [1.0, 0.0]])
    with np.errstate(all="ignore"), ak.detect_anomalies():
        with pytest.raises(AnomalyError, match=r"^log, node 0.* gave -inf at index \(1,\) of example 1: log\(0.0\)\."):
            ak.vmap(ak.grad(lambda row: ak.sum(ak.log(row))))(x)
        with pytest.raises(AnomalyError, match=r"sqrt, node 0 on the tape, handed inf at index \(1,\) of example 1 to"):
            ak.vmap(ak.grad(lambda row: ak.sum(ak.sqrt(row))))(x)
        with pytest.raises(AnomalyError, match="handed inf at example 1, example 1 to"):
            ak.vmap(ak.vmap(ak.grad(ak.sqrt)))(x)
