"""Rows B39 to B46, as far as tests/optim, tests/core and tests/nn do not cover them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import StructureError, UnknownGradientError

SLOTS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "SGD": (lambda: ak.optim.SGD(0.1), ()),
    "momentum": (lambda: ak.optim.SGD(0.1, momentum=0.9), ("momentum",)),
    "Adagrad": (lambda: ak.optim.Adagrad(0.1), ("accumulator",)),
    "Adadelta": (lambda: ak.optim.Adadelta(), ("square_avg", "acc_delta")),
    "RMSProp": (lambda: ak.optim.RMSProp(0.1, momentum=0.5), ("rms", "momentum")),
    "Adam": (lambda: ak.optim.Adam(0.1), ("m", "v", "t")),
    "AdamW": (lambda: ak.optim.AdamW(0.1), ("m", "v", "t")),
}


@pytest.mark.parametrize("name", SLOTS)
def test_b39_every_slot_can_be_read_and_belongs_to_one_variable(name: str) -> None:
    """B39: names, values from step to step, separate slots for two variables, and a LookupError for an unknown slot."""
    make, names = SLOTS[name]
    optimizer, w, other = make(), ak.Variable([1.0, -2.0]), ak.Variable([1.0, -2.0])
    assert set(optimizer.slot_names()) == set(names)
    kept = []
    for g in ([1.0, 2.0], [0.0, 1.0]):
        optimizer.apply_gradients([(g, w)])
        kept.append({n: optimizer.get_slot(w, n) for n in names})
    for n in names:
        assert not np.array_equal(kept[0][n], kept[1][n])
        assert not np.any(optimizer.get_slot(other, n))
    with pytest.raises(UnknownGradientError, match="keeps no slot 'velocity'") as caught:
        optimizer.get_slot(w, "velocity")
    assert isinstance(caught.value, LookupError)


def test_b40_the_step_is_not_the_gradient() -> None:
    """B40, lesson 14: with momentum .9 and gradients of 1 the steps are -.1, -.19, -.271, in total -.561; with RMSProp
    they depend on the initial mean of squares, which is 0 by default.
    """
    w, opt = ak.Variable(0.0), ak.optim.SGD(0.1, momentum=0.9)
    steps = []
    for _ in range(3):
        opt.apply_gradients([(1.0, w)])
        steps.append(float(opt.last_update(w)))
    assert steps == pytest.approx([-0.1, -0.19, -0.271])
    assert float(w) == pytest.approx(-0.561)
    for start, expected in ((None, -0.316228), (0.0, -0.316228), (1.0, -0.1)):
        w = ak.Variable(0.0)
        opt = ak.optim.RMSProp(0.1, **({} if start is None else {"initial_accumulator": start}))
        opt.apply_gradients([(1.0, w)])
        assert float(opt.last_update(w)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["SGD", "momentum", "Adam"])
def test_b40_the_last_step_needs_no_second_copy_of_the_weights(name: str) -> None:
    """B40: after a step the optimizer holds its slots; the last step is computed from them, or was stored."""
    n = 200_000
    optimizer, w = SLOTS[name][0](), ak.Variable(np.zeros(n))
    g = np.ones(n)
    tracemalloc.start()
    try:
        for _ in range(3):
            before = w.numpy().copy()
            optimizer.apply_gradients([(g, w)])
        after = w.numpy()
        traces = tracemalloc.take_snapshot().traces
    finally:
        tracemalloc.stop()
    slots = sum(np.size(optimizer.get_slot(w, s)) > 1 for s in optimizer.slot_names())
    large = [t for t in traces if t.domain == np.lib.tracemalloc_domain and t.size >= 8 * n]  # arrays, not code
    assert slots + 2 <= len(large) <= slots + 2 + 1  # the slots, the value, `before`, and at most one step
    np.testing.assert_allclose(optimizer.last_update(w), after - before, atol=1e-15)


def test_b42_pairs_can_be_changed_before_they_are_applied() -> None:
    """B42: clipped by their common norm, scaled, masked; a None stays None and is skipped."""
    a, b, idle = ak.Variable([3.0, 0.0]), ak.Variable(4.0), ak.Variable(1.0)
    optimizer = ak.optim.SGD(1.0)
    pairs = optimizer.compute_gradients(lambda: 0.5 * ak.sum(a * a) + 0.5 * b * b, [a, b, idle])
    length = np.sqrt(sum(float(ak.sum(g * g)) for g, _ in pairs if g is not None))
    assert length == 5.0
    changed = [(None if g is None else g * (1.0 / length), v) for g, v in pairs]
    optimizer.apply_gradients(changed)
    np.testing.assert_allclose(a.numpy(), [2.4, 0.0])
    assert (float(b), float(idle)) == (pytest.approx(3.2), 1.0)
    with pytest.raises(StructureError, match="every gradient is None"):
        optimizer.apply_gradients([(None, idle)])


def test_b43_three_ways_to_stay_feasible() -> None:
    """B43: projection, penalty, reparametrization of min ½(w - 2)² with w ≤ 1: 1, then 1.5, 1.1, 1.01, and below 1;
    the closer a penalty comes to feasible, the smaller the step must be.
    """

    def end(loss: Any, w: Any, rate: float = 0.005, steps: int = 3000) -> float:
        opt = ak.optim.SGD(rate)
        for _ in range(steps):
            opt.minimize(lambda: loss(w), [w])
        return float(w)

    def penalty(strength: float) -> Any:
        return lambda w: 0.5 * (w - 2.0) ** 2 + 0.5 * strength * ak.maximum(w - 1.0, 0.0) ** 2

    projected = end(lambda w: 0.5 * (w - 2.0) ** 2, ak.Variable(0.0, constraint=lambda v: min(v, 1.0)), 0.1, 30)
    assert projected == 1.0
    for strength, expected in ((1.0, 1.5), (9.0, 1.1), (99.0, 1.01)):
        assert end(penalty(strength), ak.Variable(0.0)) == pytest.approx(expected, abs=1e-6)
    w, opt, path = ak.Variable(0.0), ak.optim.SGD(0.1), []
    for _ in range(2000):
        opt.minimize(lambda: penalty(99.0)(w), [w])
        path.append(float(w))
    assert min(path[1000:]) < 0.3
    assert max(path[1000:]) > 1.05  # a rate ten times too large does not converge
    u = ak.Variable(0.0)
    end(lambda u: 0.5 * (1.0 - ak.softplus(u) - 2.0) ** 2, u, rate=0.5, steps=2000)
    assert 0.99 < 1.0 - float(ak.softplus(u.numpy())) < 1.0


def test_b43_a_projection_runs_once_for_each_step() -> None:
    """B43: called once for each step, with the plain array; a benchmark measures its cost."""
    x, target, seen = np.random.default_rng(0).normal(size=(64, 40)), np.ones((64, 20)), []

    def positive(value: Any) -> Any:
        seen.append((type(value), value.shape))
        return np.maximum(value, 0.0)

    w, optimizer = ak.Variable(np.zeros((40, 20)), constraint=positive), ak.optim.Adam(0.01)
    for _ in range(5):
        optimizer.minimize(lambda: ak.mean((x @ w - target) ** 2), [w])
    assert seen == 5 * [(np.ndarray, (40, 20))]
    assert w.numpy().min() == 0.0


def test_b45_a_compiled_function_folds_constants_and_is_never_stale() -> None:
    """B45: values that do not depend on the arguments are computed once, equal sines are computed once, and a changed
    variable and a changed closure are noticed at the next call.
    """
    w, factor = ak.Variable(2.0), [3.0]

    @ak.compile
    def f(x: Any) -> Any:
        table = ak.sum(ak.exp(ak.constant(np.zeros(1000))))  # independent of x
        return ak.sin(x) * ak.sin(x) * w * table + factor[0]

    x = np.array([0.5, 1.0])

    def expected() -> Any:
        return np.sin(x) ** 2 * float(w) * 1000.0 + factor[0]

    for _ in range(4):
        np.testing.assert_allclose(f(x).numpy(), expected(), rtol=1e-13)
    w.assign(-5.0)
    np.testing.assert_allclose(f(x).numpy(), expected(), rtol=1e-13)
    assert f.trace_count == 1
    factor[0] = 4.0
    np.testing.assert_allclose(f(x).numpy(), expected(), rtol=1e-13)
    assert f.trace_count == 2
    text = str(f.plan)
    assert text.count("sin") <= 1
    assert "exp" not in text


def test_b46_names_shapes_and_a_file(tmp_path: Path) -> None:
    """B46: `dense/kernel` (3, 2) and `dense/bias` (2,), nested modules, saved and loaded bit for bit."""

    class Net(ak.Module):
        def __init__(self) -> None:
            self.dense = ak.layers.Dense(2, inputs=3, seed=0)
            self.heads = [ak.layers.Dense(1, inputs=2, seed=1), {"last": ak.layers.Dense(1, inputs=2, seed=2)}]
            self.counter = ak.Variable(0.0, trainable=False)

        def __call__(self, x: Any) -> Any:
            return self.heads[0](self.dense(x)) + self.heads[1]["last"](self.dense(x))

    net, twin = Net(), Net()
    named = net.named_variables()
    assert {name: v.shape for name, v in named.items() if name.startswith("dense")} == {
        "dense/kernel": (3, 2), "dense/bias": (2,),
    }  # fmt: skip
    assert len(net.trainable_variables) == 6
    assert all(v is not net.counter for v in net.trainable_variables)
    x = np.random.default_rng(0).normal(size=(5, 3))
    ak.optim.Adam(0.1).minimize(lambda: ak.sum(net(x) ** 2), net.trainable_variables)
    net.counter.assign(7.0)
    net.save(tmp_path / "net.npz")
    assert not np.array_equal(net(x).numpy(), twin(x).numpy())
    twin.load(tmp_path / "net.npz")
    assert net(x).numpy().tobytes() == twin(x).numpy().tobytes()
    assert float(twin.counter) == 7.0
