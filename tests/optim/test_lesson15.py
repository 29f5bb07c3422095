"""The numbers of lesson 15: steps of Adam at zero gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

MAKERS: dict[str, Any] = {
    "SGD": lambda: ak.optim.SGD(0.1),
    "momentum": lambda: ak.optim.SGD(0.1, momentum=0.9),
    "RMSProp": lambda: ak.optim.RMSProp(0.1),
    "Adam": lambda: ak.optim.Adam(0.1),
}


def after(make: Any, gradients: Any, start: Any = 0.0) -> float:
    w = ak.Variable(start)
    opt = make() if callable(make) else make
    for g in gradients:
        if g is not None:
            opt.apply_gradients([(g, w)])
        else:
            opt.apply_gradients([(None, w), (0.0, ak.Variable(0.0))])
    return float(w)


ONE_THEN_NOTHING = [1.0] + 99 * [0.0]


@pytest.mark.parametrize(
    ("make", "expected"),
    [("SGD", -0.1), ("momentum", -0.999973), ("RMSProp", -0.316228), ("Adam", -0.600522)],
)
def test_b41_lesson_15_steps_at_zero_gradients(make: str, expected: float) -> None:
    """B41: one gradient of 1, then 99 of 0; with None instead, -0.1 and no further step."""
    assert after(MAKERS[make], ONE_THEN_NOTHING) == pytest.approx(expected, abs=5e-7)
    if make == "Adam":
        assert after(MAKERS[make], [1.0] + 99 * [None]) == pytest.approx(-0.1, abs=1e-8)


def test_lesson_15_the_loss_times_1000() -> None:
    for scale in (1.0, 1000.0):
        assert after(lambda: ak.optim.Adam(0.1), 3 * [scale]) == pytest.approx(-0.3, abs=1e-7)


def test_lesson_15_freezing_by_zeros_and_by_none() -> None:
    w, opt = ak.Variable(0.0), ak.optim.Adam(0.1)
    for _ in range(50):
        opt.apply_gradients([(1.0, w)])
    there = float(w)
    for _ in range(50):
        opt.apply_gradients([(0.0, w)])
    assert float(w) - there == pytest.approx(-0.9761, abs=5e-5)
    assert after(lambda: ak.optim.Adam(0.1), [1.0] * 50 + [None] * 50) == there


def test_lesson_15_weight_decay() -> None:
    """AdamW decays where the gradient is 0, but not where it is None."""
    assert after(lambda: ak.optim.AdamW(0.1), 100 * [0.0], 1.0) == pytest.approx(0.904792, abs=5e-7)
    assert after(lambda: ak.optim.AdamW(0.1), 100 * [None], 1.0) == 1.0


@pytest.mark.parametrize(("lazy", "expected"), [(False, -1.144207), (True, -0.195223)])
def test_lesson_15_a_row_seen_at_steps_1_and_51(lazy: bool, expected: float) -> None:
    w, opt = ak.Variable(np.zeros((2, 1))), ak.optim.Adam(0.1, lazy=lazy)
    for step in range(1, 101):
        ids = [0, 1] if step in (1, 51) else [1]
        opt.apply_gradients([(ak.RowGradient(ids, np.ones((len(ids), 1)), (2, 1)), w)])
    assert w.numpy()[0, 0] == pytest.approx(expected, abs=5e-7)
