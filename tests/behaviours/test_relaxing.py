"""Rows B29 to B38, as far as tests/test_relax.py and tests/nn do not cover them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.nn import relax


@pytest.mark.parametrize(
    "hard", [ak.floor, ak.ceil, ak.round, ak.sign, lambda x: ak.cast(ak.cast(x, "int64"), "float64")],
    ids=["floor", "ceil", "round", "sign", "cast"],
)  # fmt: skip
def test_b29_none_with_an_explanation_and_zeros_only_on_request(hard: Callable[[Any], Any]) -> None:
    """B29: None, never a silent zero; the explanation names the operation's line and an alternative."""
    x = ak.Variable([1.7, -2.3])
    with ak.GradientTape(persistent=True) as tape:
        y = ak.sum(hard(x) * 2.0)
    assert tape.gradient(y, x) is None
    assert tape.gradient(y, x, unconnected_gradients="zero").tolist() == [0.0, 0.0]
    why = tape.explain(y, x)
    assert (why.cause, why.kind, why.node) == (3, "no_slope", 0)
    assert "ak.relax" in why.fix


def test_b30_the_checker_names_the_jump_that_it_steps_across() -> None:
    """B30: floor with the identity's gradient at an integer: off by 499 at step 1e-3, and the report names the jump;
    the function x - (x - floor(x)) has gradient 0 and an error of 0.
    """
    x = np.array([[1.0, 1.5]])
    with ak.gradient_override_map({"Floor": "Identity"}):
        report = ak.check_gradients(ak.floor, [x], step=1e-3, modes=("reverse",))
    assert report.worst == pytest.approx(499.0)
    assert "a jump at x[0,0]=1" in str(report)
    detour = ak.check_gradients(lambda x: x - (x - ak.floor(x)), [x], step=1e-3, modes=("reverse",))
    assert detour.worst == pytest.approx(0.0, abs=1e-9)


RELAXED: dict[str, Callable[[Any, float], Any]] = {
    "sum of sigmoids": lambda x, sharp: relax.soft_floor(x, 1.0 / sharp),
    "piecewise linear": lambda x, sharp: relax.piecewise_linear_floor(x, 1.0 / sharp),
    "filter": lambda x, sharp: relax.filtered_floor(x, 2.0 / sharp),
    "straight through": lambda x, sharp: relax.straight_through(ak.floor(x), relax.soft_floor(x, 1.0 / sharp)),
}


def _trained(floor: Callable[[Any, float], Any]) -> float:
    """(floor(x) - 3)² from 0.3 by gradient descent, sharper at each step."""
    x, optimizer = ak.Variable(0.3), ak.optim.SGD(0.1)
    for k in range(200):
        with ak.GradientTape() as tape:
            loss = (floor(x, 6.0 ** (k / 199)) - 3.0) ** 2
        g = tape.gradient(loss, x)
        if g is None:
            break
        optimizer.apply_gradients([(g, x)])
    return float(x)


@pytest.mark.parametrize("name", RELAXED)
def test_b31_training_through_each_relaxation_reaches_the_integer(name: str) -> None:
    """B31: from 0.3 to where floor is 3; with hard floor x does not move. Values, gradients, and decreasing errors."""
    assert _trained(lambda x, _: ak.floor(x)) == 0.3
    end = _trained(RELAXED[name])
    assert abs(end - 3.0) < 0.6
    assert abs(float(RELAXED[name](end, 6.0)) - 3.0) < 0.55
    between = np.array([-1.6, 0.4, 1.3, 2.7])
    errors = [float(np.abs(RELAXED[name](between, s).numpy() - np.floor(between)).max()) for s in (1.0, 4.0, 40.0)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-3
    assert np.isfinite(ak.grad(lambda x: ak.sum(RELAXED[name](x, 2.0)))(between).numpy()).all()


def test_b32_float32_and_float64_differ_by_half_a_level() -> None:
    """B32: the same call in float32 and float64: the range is nudged in the input's dtype, and 0 is exact in both."""
    row = np.array([-1.5, -0.4, 0.1, 0.63, 2.0])
    ends = {}
    for dtype in ("float32", "float64"):
        x, low, high = (ak.constant(np.array(v, dtype)) for v in (row, -1.0, 1.0))
        with ak.GradientTape() as tape:
            tape.watch([x, low, high])
            y = relax.fake_quant(x, low, high, num_bits=3)
        gx, gl, gh = tape.gradient(y, [x, low, high])
        assert (gx.tolist(), float(gl), float(gh)) == ([0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0)
        assert float(relax.fake_quant(np.zeros((), dtype), np.array(-1.0, dtype), np.array(1.0, dtype), 3)) == 0.0
        ends[dtype] = [y.numpy()[0], y.numpy()[-1]]
    np.testing.assert_allclose(ends["float32"], [-0.857143, 1.142857], atol=1e-6)
    np.testing.assert_allclose(ends["float64"], [-1.142857, 0.857143], atol=1e-6)
    assert "dtype of ``x``" in str(relax.fake_quant.__doc__)


@pytest.mark.parametrize(
    ("x", "expected"),
    [([-4.0, -3.5, 0.0, 1.0, 5.0], [2, 0, 1, 1, 1]), ([-4.0, -3.5, -3.25, 0.0, 5.0], [3, 0, 0, 1, 1])],
)
def test_b32_clamped_entries_pass_their_gradient_to_the_ends(x: Any, expected: Any) -> None:
    """B32: with min and max of x itself: the gradient 1 of every clamped entry goes to the entry at that end."""
    w = ak.Variable(x)
    with ak.GradientTape(persistent=True) as tape:
        low, high = ak.min(w), ak.max(w)
        y = relax.fake_quant(w, low, high, num_bits=2)
    assert tape.gradient(y, w).tolist() == expected
    assert float(tape.gradient(y, low)) == expected[0]
    assert float(tape.gradient(y, high)) == 0.0


# ---------------------------------------------------------------------------------------------------- B33
class BlackBox:
    """F(x) = x³ + x, elementwise, in a form that no tape can follow; counts the points at which it is evaluated."""

    def __init__(self) -> None:
        self.evaluations = 0

    def __call__(self, x: Any) -> np.ndarray[Any, Any]:
        x = np.atleast_2d(np.asarray(x))
        self.evaluations += x.shape[0]
        return x**3 + x


def test_b33_a_model_is_trained_to_invert_a_black_box() -> None:
    """B33: from pairs (F(x), x) alone, M learns M(F(x)) = x; F is evaluated once for each pair."""
    rng, box = np.random.default_rng(0), BlackBox()
    x = rng.uniform(-1.5, 1.5, (256, 1))
    answers = box(x)
    model = ak.layers.Sequential(ak.layers.Dense(24, "tanh", seed=1), ak.layers.Dense(1, seed=2))
    model(answers)
    optimizer = ak.optim.Adam(0.02)
    for _ in range(600):
        optimizer.minimize(lambda: ak.mean((model(answers) - x) ** 2), model.trainable_variables)
    assert box.evaluations == 256
    fresh = np.linspace(-1.4, 1.4, 57)[:, None]
    error = np.abs(model(box(fresh)).numpy() - fresh)
    assert error.mean() < 0.03
    assert np.abs(fresh - fresh.mean()).mean() > 0.5


def test_b33_a_tape_does_not_follow_a_black_box() -> None:
    """B33: None, with the line at which the value left the record."""
    box, x = BlackBox(), ak.Variable([[0.5, -1.0]])
    with ak.GradientTape() as tape:
        y = ak.sum(ak.constant(box(x)) ** 2)
    assert tape.gradient(y, x) is None
    why = tape.explain(y, x)
    assert (why.cause, why.kind) == (2, "left")
    assert "np.asarray(x)" in why.code


@pytest.mark.parametrize("n", [2, 6])
def test_b33_estimates_through_a_black_box_and_their_cost(n: int) -> None:
    """B33: the gradient of Σ F(x)² by central differences (2 n evaluations) and by an evolution strategy with mirrored
    probes (2 for each), compared with the exact one.
    """
    box, x = BlackBox(), np.linspace(-0.8, 1.0, n)
    exact = ak.grad(lambda x: ak.sum((x**3 + x) ** 2))(x).numpy()

    def loss(points: Any) -> np.ndarray[Any, Any]:
        return np.asarray((box(points) ** 2).sum(-1))

    step = 1e-5 * np.eye(n)
    differences = (loss(x + step) - loss(x - step)) / 2e-5
    assert box.evaluations == 2 * n
    np.testing.assert_allclose(differences, exact, rtol=1e-7, atol=1e-9)

    rng, box.evaluations = np.random.default_rng(0), 0
    errors = []
    for probes in (50, 5000):
        eps = rng.standard_normal((probes, n))
        weights = (loss(x + 1e-3 * eps) - loss(x - 1e-3 * eps)) / 2e-3
        errors.append(float(np.linalg.norm(weights @ eps / probes - exact) / np.linalg.norm(exact)))
    assert box.evaluations == 2 * (50 + 5000)
    assert errors[1] < 0.1
    assert errors[1] < errors[0]  # the noise falls with the root of the number of probes


@pytest.mark.parametrize("estimate", ["differences", "evolution"])
def test_b33_descent_through_a_black_box_by_an_estimate(estimate: str) -> None:
    """B33: ``custom_gradient`` records the estimate, so that parameters before F are trained through it."""
    box, rng = BlackBox(), np.random.default_rng(1)

    @ak.custom_gradient
    def through(x: Any) -> Any:
        here = np.asarray(x)

        def pull(g: Any) -> Any:
            if estimate == "differences":
                return np.asarray(g) * (box(here + 1e-5) - box(here - 1e-5))[0] / 2e-5
            eps = rng.choice([-1.0, 1.0], (8, here.size))
            change = (box(here + 1e-3 * eps) - box(here - 1e-3 * eps)) / 2e-3
            return np.asarray(g) * np.mean(change * eps, axis=0)

        return box(here)[0], pull

    w, optimizer = ak.Variable([0.1, 0.2]), ak.optim.SGD(0.01)
    target = np.array([2.0, 0.625])  # F(1) and F(0.5)
    for _ in range(400):
        optimizer.minimize(lambda: ak.sum((through(w) - target) ** 2), [w])
    np.testing.assert_allclose(w.numpy(), [1.0, 0.5], atol=1e-3)


# ---------------------------------------------------------------------------------------------------- B37, B38
def test_b37_cross_entropy_is_neither_binary_terms_nor_a_softmax_twice() -> None:
    """B37: 1.4076, which is -log softmax; the two mistakes give 2.5963 and 1.2177."""
    logits, label = np.array([0.0, 1.0, 2.0]), 1
    p = ak.nn.softmax(logits).numpy()
    right = float(ak.nn.sparse_softmax_cross_entropy(label, logits))
    assert right == pytest.approx(1.4076059, abs=1e-7)
    assert right == pytest.approx(-np.log(p[label]), rel=1e-14)
    binary = -sum(np.log(q) if k == label else np.log(1 - q) for k, q in enumerate(p))
    assert float(binary) == pytest.approx(2.5963, abs=5e-5)
    assert float(ak.nn.sparse_softmax_cross_entropy(label, p)) == pytest.approx(1.2177, abs=5e-5)


SCORES, REAL = np.array([0.1, 0.2, 0.0, 0.0, 0.0]), np.array([True, True, False, False, False])
MASKED: dict[str, dict[str, Any]] = {
    "renormalize": {}, "BERT": {"mode": "additive", "additive": -10000.0}, "minus infinity": {"mode": "where"},
}  # fmt: skip


def test_b38_three_designs_agree_on_two_real_positions() -> None:
    """B38: [.475021 .524979 0 0 0] in all designs; the plain softmax gives the padding more than half."""
    plain = ak.nn.softmax(SCORES).numpy()
    np.testing.assert_allclose(plain, [0.2075, 0.2293, 0.1877, 0.1877, 0.1877], atol=5e-5)
    for options in MASKED.values():
        found = ak.nn.masked_softmax(SCORES, REAL, **options).numpy()
        np.testing.assert_allclose(found, [0.475021, 0.524979, 0, 0, 0], atol=5e-7)


def test_b38_where_all_positions_are_masked() -> None:
    """B38: 0/0 by hand; then 0 or nan as requested, nan from minus infinity, and the scores themselves with -10000."""
    nothing = np.zeros(5, bool)
    with np.errstate(invalid="ignore"):
        by_hand = ak.nn.softmax(SCORES) * nothing
        assert np.isnan((by_hand / ak.sum(by_hand)).numpy()).all()
        assert np.isnan(ak.nn.masked_softmax(SCORES, nothing, **MASKED["minus infinity"]).numpy()).all()
    assert ak.nn.masked_softmax(SCORES, nothing).tolist() == [0.0] * 5
    assert np.isnan(ak.nn.masked_softmax(SCORES, nothing, empty="nan").numpy()).all()
    bert = ak.nn.masked_softmax(SCORES, nothing, **MASKED["BERT"]).numpy()
    np.testing.assert_allclose(bert, ak.nn.softmax(SCORES).numpy(), atol=1e-10)


def test_b38_in_half_precision() -> None:
    """B38: at -10000 neighbouring floats are 8 apart, so an empty row loses its scores; by hand, padding takes all."""
    half = SCORES.astype(np.float16)
    for options in MASKED.values():
        found = ak.nn.masked_softmax(half, REAL, **options)
        assert found.dtype == np.float16
        np.testing.assert_allclose(found.numpy(), [0.475, 0.525, 0, 0, 0], atol=1e-3)
    bert = ak.nn.masked_softmax(half, np.zeros(5, bool), **MASKED["BERT"]).numpy()
    np.testing.assert_array_equal(bert, np.full(5, 0.2, np.float16))
    loud = np.array([0.1, 0.2, 20.0, 20.0, 20.0], np.float16)
    by_hand = (ak.nn.softmax(loud) * REAL.astype(np.float16)).numpy()
    assert by_hand.sum() == 0.0
    np.testing.assert_allclose(ak.nn.masked_softmax(loud, REAL).numpy()[:2], [0.475, 0.525], atol=1e-3)


def test_b38_gradients_that_leak_to_the_padding() -> None:
    """B38: a softmax over all positions, masked afterwards, has a gradient to the padding; the designs have not."""

    def leak(f: Callable[[Any], Any]) -> Any:
        return ak.grad(lambda s: ak.sum(f(s) * np.array([1.0, 2.0, 5.0, 6.0, 7.0])))(SCORES).numpy()[2:]

    assert np.abs(leak(lambda s: ak.nn.softmax(s) * REAL)).min() > 0.05
    for options in MASKED.values():
        assert leak(lambda s, o=options: ak.nn.masked_softmax(s, REAL, **o)).tolist() == [0.0, 0.0, 0.0]
    assert np.abs(leak(lambda s: ak.nn.masked_softmax(s, REAL, mode="additive", additive=-10.0))).min() > 1e-6


def test_b38_the_ratio_between_real_positions() -> None:
    """B38: e^-0.1 in every design; if scores are multiplied by the mask before the softmax, the total is wrong,
    and if rounding removes the real positions, the ratio is lost.
    """
    for options in MASKED.values():
        weights = ak.nn.masked_softmax(SCORES, REAL, **options).numpy()
        assert weights[0] / weights[1] == pytest.approx(np.exp(-0.1), rel=1e-12)
    loud = np.array([0.1, 0.2, 800.0, 800.0, 800.0])
    by_hand = ak.nn.softmax(loud).numpy() * REAL
    assert by_hand.tolist() == [0.0] * 5
    weights = ak.nn.masked_softmax(loud, REAL).numpy()
    assert weights[0] / weights[1] == pytest.approx(np.exp(-0.1), rel=1e-12)
    before = ak.nn.softmax(SCORES * REAL).numpy()
    assert before[:2].sum() < 0.5


def test_b38_a_trained_model_on_sequences_of_varying_length() -> None:
    """B38: the same sentences with longer padding: a masked model predicts as before; a model that masks after the
    softmax has learned the padding of its training, and predicts otherwise.
    """
    rng = np.random.default_rng(0)
    lengths = rng.integers(2, 7, 40)
    words = [rng.normal(size=n) for n in lengths]
    target = np.array([w.max() for w in words])

    def padded(to: int) -> tuple[Any, Any]:
        x = np.zeros((40, to))
        for row, w in zip(x, words, strict=True):
            row[: w.size] = w
        return x, np.arange(to) < lengths[:, None]

    def answers(design: str, scale: Any, to: int) -> Any:
        x, mask = padded(to)
        scores = scale * x
        weights = ak.nn.softmax(scores) * mask if design == "after" else ak.nn.masked_softmax(scores, mask)
        return ak.sum(weights * x, axis=1)

    drift = {}
    for design in ("renormalize", "after"):
        scale, optimizer = ak.Variable(0.1), ak.optim.Adam(0.1)
        for _ in range(150):
            optimizer.minimize(lambda d=design, s=scale: ak.mean((answers(d, s, 6) - target) ** 2), [scale])
        short, long = answers(design, scale, 6).numpy(), answers(design, scale, 60).numpy()
        drift[design] = float(np.abs(long - short).max())
        assert np.mean((short - target) ** 2) < np.mean(target**2)
    assert drift["renormalize"] < 1e-12
    assert drift["after"] > 0.05
