"""Normalization, dropout and losses, beyond the cases of tests/rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import DtypeError, ShapeError, StructureError


def gradient(f: Any, x: Any) -> Any:
    x = ak.constant(x)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


# -------------------------------------------------------------------------------- B26
def _moments(x: Any, axis: Any, stop: bool) -> tuple[Any, Any]:
    """Mean and variance, with the mean inside the variance recorded or stopped."""
    mean = ak.mean(x, axis, True)
    away = x - (ak.stop_gradient(mean) if stop else mean)
    return mean, ak.mean(away * away, axis, True)


def _instance_norm(x: Any, stop: bool) -> Any:
    mean, variance = _moments(x, (1, 2), stop)
    return (x - mean) / ak.sqrt(variance + 1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_b26_the_mean_inside_the_variance_may_be_stopped(dtype: Any) -> None:
    """B26: this path carries the sum of deviations, which is 0: moments have equal gradients with and without it."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(6, 5)).astype(dtype), rng.normal(size=(1, 5)).astype(dtype)
    ours = gradient(lambda t: w * ak.nn.moments(t, 0, keepdims=True)[1], x)
    with_stop, without = (gradient(lambda t, s=stop: w * _moments(t, 0, s)[1], x) for stop in (True, False))
    eps = 10 * np.finfo(dtype).eps
    np.testing.assert_allclose(with_stop, without, rtol=eps, atol=eps)
    np.testing.assert_allclose(ours, without, rtol=eps, atol=eps)
    path = gradient(lambda t: w * ak.mean((x - ak.mean(t, 0, True)) ** 2, 0, True), x)  # only this path
    np.testing.assert_allclose(path, 0.0, atol=eps)


def test_b26_instance_norm_with_and_without_it() -> None:
    """B26: equal to first order. A second derivative needs the path: there the results differ."""
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(2, 3, 4, 2)), rng.normal(size=(2, 3, 4, 2))
    ours = gradient(lambda t: w * ak.nn.instance_norm(t), x)
    for stop in (True, False):
        np.testing.assert_allclose(gradient(lambda t, s=stop: w * _instance_norm(t, s), x), ours, rtol=1e-9, atol=1e-12)
    v = rng.normal(size=x.shape)

    def product(f: Any) -> Any:
        return ak.hvp(lambda t: ak.sum(w * f(t)), x, v).numpy()

    np.testing.assert_allclose(product(ak.nn.instance_norm), product(lambda t: _instance_norm(t, False)), atol=1e-9)
    assert np.abs(product(lambda t: _instance_norm(t, True)) - product(ak.nn.instance_norm)).max() > 1e-3


# -------------------------------------------------------------------------------- normalisation
def test_rows_have_mean_0_and_variance_1_and_gradients_sum_to_0() -> None:
    rng = np.random.default_rng(2)
    x, w = rng.normal(size=(3, 4, 5)) * 7 + 3, rng.normal(size=(3, 4, 5))
    y = ak.nn.layer_norm(x, epsilon=0.0).numpy()
    np.testing.assert_allclose(y.mean(-1), 0.0, atol=1e-14)
    np.testing.assert_allclose(y.var(-1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(gradient(lambda t: w * ak.nn.layer_norm(t), x).sum(-1), 0.0, atol=1e-13)
    z = ak.nn.instance_norm(x, epsilon=0.0).numpy()
    np.testing.assert_allclose(z.mean(1), 0.0, atol=1e-14)
    np.testing.assert_allclose(z.var(1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("axis", [-1, (1, 2), (-1, 0)])
def test_scale_and_offset_give_what_two_more_operations_give(axis: Any) -> None:
    """One operation, by a loop where it fits; values, gradients, second derivatives and tangents of large arrays."""
    rng = np.random.default_rng(3)
    x, w, direction = (rng.normal(size=(8, 5, 9)) for _ in range(3))
    own = tuple(x.shape[a] for a in sorted(a % 3 for a in np.atleast_1d(axis)))
    place = [n if a in {k % 3 for k in np.atleast_1d(axis)} else 1 for a, n in enumerate(x.shape)]
    scale, offset = rng.normal(size=own), rng.normal(size=own)

    def apart(x: Any, scale: Any, offset: Any) -> Any:
        return ak.nn.layer_norm(x, axis=axis) * ak.reshape(scale, place) + ak.reshape(offset, place)

    def together(x: Any, scale: Any, offset: Any) -> Any:
        return ak.nn.layer_norm(x, scale, offset, axis)

    found, expected = (
        (
            f(x, scale, offset),
            *ak.grad(lambda *p, f=f: ak.sum(w * f(*p)), (0, 1, 2))(x, scale, offset),
            ak.grad(lambda s, f=f: ak.sum(w * f(x, s, offset)))(scale),
            ak.hvp(lambda t, f=f: ak.sum(ak.sin(w * f(t, scale, offset))), x, direction),
            ak.jvp(f, (x, scale, offset), (direction, scale, offset))[1],
        )
        for f in (together, apart)
    )
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("f", [ak.nn.layer_norm, ak.nn.instance_norm])
@pytest.mark.parametrize("rows", [3, 60])
def test_the_jacobian_of_scale_and_offset_alone(f: Any, rows: int) -> None:
    """A record that follows one of them does not hold the input for it."""
    x, scale = np.random.default_rng(4).normal(size=(2, rows, 5)), np.arange(5.0)
    standard = f(x).numpy()
    to_offset = ak.jacobian(lambda offset: f(x, scale, offset))(np.zeros(5)).numpy()
    np.testing.assert_allclose(to_offset, np.broadcast_to(np.eye(5), (2, rows, 5, 5)))
    to_scale = ak.jacobian(lambda scale: f(x, scale, np.zeros(5)))(scale).numpy()
    np.testing.assert_allclose(to_scale, standard[..., None] * np.eye(5), atol=1e-12)


def test_layer_norm_with_scale_and_offset_is_one_operation() -> None:
    x = ak.constant(np.arange(6.0).reshape(2, 3))
    with ak.GradientTape() as tape:
        tape.watch(x)
        ak.nn.layer_norm(x, np.ones(3), np.zeros(3))
    assert [node.op for node in tape.nodes if node.op] == ["layer_norm"]


def test_equal_features_give_0_and_a_finite_gradient() -> None:
    x = np.full((2, 3), 4.0)
    assert not ak.nn.layer_norm(x).numpy().any()
    g = gradient(lambda t: [1.0, 0.0, -1.0] * ak.nn.layer_norm(t), x)
    np.testing.assert_allclose(g, [[1 / np.sqrt(1e-5), 0.0, -1 / np.sqrt(1e-5)]] * 2)


def test_scale_and_offset_have_gradients_of_their_shape() -> None:
    rng = np.random.default_rng(3)
    x, scale, offset = rng.normal(size=(4, 3)), ak.Variable(np.ones(3)), ak.Variable(np.zeros(3))
    with ak.GradientTape() as tape:
        y = ak.nn.layer_norm(x, scale, offset)
    gs, go = tape.gradient(y, [scale, offset])
    np.testing.assert_allclose(gs, y.numpy().sum(0))
    assert go.tolist() == [4.0] * 3


def test_float16_is_squared_in_float32() -> None:
    """A deviation above 256 has a square beyond the range of float16."""
    x = np.array([[-1000.0, 1000.0] * 50], np.float16)
    y = ak.nn.layer_norm(x)
    assert y.dtype == np.float16
    np.testing.assert_allclose(y.numpy(), x / np.float16(1000), rtol=1e-3)
    g = gradient(lambda t: ak.nn.layer_norm(t) * np.arange(100, dtype=np.float16), x)
    assert g.dtype == np.float16
    assert np.all(np.isfinite(g))


# -------------------------------------------------------------------------------- dropout
def test_dropout_keeps_the_mean_and_its_gradient_has_the_same_mask() -> None:
    x = ak.constant(np.ones(20_000))
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = ak.nn.dropout(x, 0.2, seed=1)
    assert set(y.numpy().tolist()) == {0.0, 1.25}
    assert abs(float(ak.mean(y)) - 1.0) < 0.01  # three standard errors are 0.0106
    np.testing.assert_array_equal(tape.gradient(y, x), y)


def test_dropout_is_reproducible_with_a_seed() -> None:
    x = np.ones(50)
    first, again, other = (ak.nn.dropout(x, 0.5, seed=s).tolist() for s in (7, 7, 8))
    assert first == again != other
    generator = np.random.default_rng(7)
    drawn = [ak.nn.dropout(x, 0.5, seed=generator).tolist() for _ in range(2)]
    assert drawn[0] == first != drawn[1]
    assert ak.nn.dropout(x, 0.5).tolist() != ak.nn.dropout(x, 0.5).tolist()


def test_a_compiled_dropout_draws_a_new_mask_at_each_call() -> None:
    """An integer seed drops the same entries each time, compiled or not; without a seed each call draws anew."""
    x = np.ones(50)
    fixed, free = (ak.compile(lambda t, s=seed: ak.nn.dropout(t, 0.5, seed=s)) for seed in (7, None))
    assert fixed(x).tolist() == fixed(x).tolist() == ak.nn.dropout(x, 0.5, seed=7).tolist()
    assert free(x).tolist() != free(x).tolist()
    assert free.trace_count == 1


def test_dropout_with_rates_0_and_1() -> None:
    x = np.array([1.0, np.nan, np.inf])
    for y in (ak.nn.dropout(x, 0.0), ak.nn.dropout(x, 1.0, training=False), ak.nn.dropout(x, 0.5, training=False)):
        np.testing.assert_array_equal(y, x)
    assert ak.nn.dropout(x, 1.0).tolist() == [0.0] * 3
    assert gradient(lambda t: ak.nn.dropout(t, 1.0), x).tolist() == [0.0] * 3
    assert ak.nn.dropout(np.ones(3, np.float32), 0.5, seed=0).dtype == np.float32


# -------------------------------------------------------------------------------- losses
def test_b37_cross_entropy_is_minus_log_softmax() -> None:
    """B37: -log softmax, for integer labels and for probabilities; neither binary terms nor softmax twice."""
    logits, share = ak.constant([0.0, 1.0, 2.0]), ak.constant([0.0, 1.0, 0.0])
    assert float(ak.nn.sparse_softmax_cross_entropy(1, logits)) == pytest.approx(1.4076059, abs=1e-7)
    assert float(ak.nn.softmax_cross_entropy(share, logits)) == pytest.approx(1.4076059, abs=1e-7)
    p = ak.nn.softmax(logits)
    binary = -ak.sum(share * ak.log(p) + (1.0 - share) * ak.log(1.0 - p))
    assert float(binary) == pytest.approx(2.5963, abs=5e-5)
    assert float(ak.nn.softmax_cross_entropy(share, p)) == pytest.approx(1.2177, abs=5e-5)
    g = gradient(lambda x: ak.nn.softmax_cross_entropy(share, x), logits)
    np.testing.assert_allclose(g, p.numpy() - share.numpy(), rtol=1e-14)
    assert abs(g.sum()) < 1e-15


def test_large_logits_overflow_nowhere() -> None:
    x = np.array([-1000.0, 50.0, 1000.0])
    np.testing.assert_allclose(ak.nn.sigmoid_cross_entropy([0.0, 1.0, 1.0], x), [0.0, np.exp(-50.0), 0.0], rtol=1e-13)
    np.testing.assert_allclose(ak.nn.sigmoid_cross_entropy([1.0, 0.0, 0.0], x), [1000.0, 50.0, 1000.0])
    assert gradient(lambda t: ak.nn.sigmoid_cross_entropy([1.0, 0.0, 0.5], t), x).tolist() == [-1.0, 1.0, 0.5]
    assert float(ak.nn.softmax_cross_entropy([1.0, 0.0], [-1000.0, 1000.0])) == 2000.0


def test_huber_is_linear_outside_and_quadratic_inside() -> None:
    errors = [-3.0, -2.0, -0.5, 0.0, 2.0, 4.0]
    y = ak.nn.huber(np.zeros(6), errors, delta=2.0)
    assert y.tolist() == [4.0, 2.0, 0.125, 0.0, 2.0, 6.0]
    assert gradient(lambda e: ak.nn.huber(np.zeros(6), e, 2.0), errors).tolist() == [-2.0, -2.0, -0.5, 0.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: ak.nn.layer_norm(np.ones(3), np.ones(2)),
            ShapeError,
            r"scale must be one number or have shape \(3,\), got shape \(2,\)",
        ),
        (lambda: ak.nn.layer_norm(np.ones((2, 3)), offset=np.ones(3), axis=(0, 1)), ShapeError, r"offset.*\(2, 3\)"),
        (lambda: ak.nn.layer_norm(np.ones(3), axis=1), ShapeError, "axis 1 is out of range"),
        (lambda: ak.nn.layer_norm(np.ones(3), axis="last"), DtypeError, "axis must be an integer or a tuple"),
        (lambda: ak.nn.embedding(np.ones((2, 1)), [[0], [0, 1]]), ShapeError, "equal lengths"),
        (lambda: ak.nn.embedding(np.ones((2, 1)), [[0], [2]]), IndexError, r"id 2 at place \(1, 0\) .* 0 to 1"),
        (lambda: ak.nn.layer_norm(1.0), ShapeError, "axis -1 is out of range"),
        (lambda: ak.nn.layer_norm(np.ones(3), epsilon=-1.0), StructureError, "epsilon must be 0 or more"),
        (lambda: ak.nn.layer_norm(np.ones(3), epsilon="small"), DtypeError, "epsilon must be a number"),
        (lambda: ak.nn.layer_norm("x"), DtypeError, "number"),
        (lambda: ak.nn.instance_norm(np.ones((3, 4))), ShapeError, r"\(b, ..., c\), got shape \(3, 4\)"),
        (lambda: ak.nn.instance_norm(np.ones((2, 3, 4)), np.ones(3)), ShapeError, r"\(4,\)"),
        (lambda: ak.nn.dropout([1.0], 1.5), StructureError, "rate must be from 0 to 1, got 1.5"),
        (lambda: ak.nn.dropout([1.0], float("nan")), StructureError, "from 0 to 1, got nan"),
        (lambda: ak.nn.dropout([1.0], None), DtypeError, "rate must be a number"),
        (lambda: ak.nn.dropout([1.0], [0.5, 0.5]), DtypeError, "rate must be a number"),
        (lambda: ak.nn.dropout([1.0], 0.5, seed=-1), DtypeError, "integer of 0 or more"),
        (lambda: ak.nn.dropout([1.0], 0.5, seed="a"), DtypeError, "seed"),
        (
            lambda: ak.nn.sparse_softmax_cross_entropy([[0], [1, 2]], np.ones((2, 3))),
            DtypeError,
            "cannot be converted to an array",
        ),
        (lambda: ak.nn.softmax_cross_entropy([1.0], [[1.0]]), ShapeError, r"\(1,\) and \(1, 1\)"),
        (lambda: ak.nn.softmax_cross_entropy(1.0, 1.0), ShapeError, "needs an axis of classes"),
        (lambda: ak.nn.sigmoid_cross_entropy([1.0], [1.0, 2.0]), ShapeError, "must have the same shape"),
        (lambda: ak.nn.huber([1.0], [1.0], delta=0.0), StructureError, "above 0"),
        (lambda: ak.nn.huber([1.0], [1.0], delta="a"), DtypeError, "delta"),
    ],
)
def test_errors_name_what_was_given(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, ak.AutodiffError)
