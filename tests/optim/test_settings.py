"""Settings of optimizers that are set after the optimizer was made: they act from the next step on, or are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, ConcretizationError, StructureError

MAKERS: dict[str, Callable[..., Any]] = {
    "SGD": lambda **own: ak.optim.SGD(**({"learning_rate": 0.1} | own)),
    "momentum": lambda **own: ak.optim.SGD(**({"learning_rate": 0.1, "momentum": 0.9} | own)),
    "Adagrad": ak.optim.Adagrad,
    "Adadelta": ak.optim.Adadelta,
    "RMSProp": lambda **own: ak.optim.RMSProp(**({"learning_rate": 0.1} | own)),
    "Adam": ak.optim.Adam,
    "AdamW": ak.optim.AdamW,
}
NEW = {
    "learning_rate": 0.03, "momentum": 0.5, "nesterov": True, "beta1": 0.5, "beta2": 0.7, "epsilon": 0.1, "lazy": True,
    "weight_decay": 0.3, "decay": 0.5, "initial_accumulator": 0.5
}  # fmt: skip
X = np.linspace(1.0, 2.0, 3)
each_setting = pytest.mark.parametrize(
    ("make", "setting"),
    [pytest.param(make, name, id=f"{key}-{name}") for key, make in MAKERS.items() for name in make()._settings],
)
each_way = pytest.mark.parametrize("around", [lambda f: f, ak.compile], ids=["eager", "compiled"])


def steps(opt: Any, w: Any, count: int, around: Any = lambda f: f) -> None:
    step = around(lambda: opt.minimize(lambda: ak.sum(ak.sin(w * X)), [w]))
    for _ in range(count):
        step()


@each_way
@each_setting
def test_a_new_setting_is_that_of_an_optimizer_made_with_it(make: Any, setting: str, around: Any) -> None:
    w, u, opt = ak.Variable(np.ones(3)), ak.Variable(np.ones(3)), make()
    setattr(opt, setting, NEW[setting])
    steps(opt, w, 4, around)
    steps(make(**{setting: NEW[setting]}), u, 4)
    np.testing.assert_allclose(w.numpy(), u.numpy(), rtol=1e-12)


@each_way
def test_momentum_begins_and_ends_between_steps(around: Any) -> None:
    w, opt = ak.Variable(np.zeros(3)), ak.optim.SGD(0.1)
    step = around(lambda: opt.minimize(lambda: ak.sum(w), [w]))
    seen = []
    for momentum in (0.0, 0.5, 0.5, 0.0, 0.5):
        opt.momentum = momentum
        before = w.numpy().copy()
        step()
        seen.append(float(w.numpy()[0] - before[0]))
    np.testing.assert_allclose(seen, [-0.1, -0.1, -0.15, -0.1, -0.1])
    assert opt.slot_names() == ("momentum",)


def test_momentum_set_after_a_state_was_loaded() -> None:
    w, opt, resumed = ak.Variable(np.zeros(3)), ak.optim.SGD(0.1), ak.optim.SGD(0.1)
    steps(opt, w, 1)
    resumed.load_state_dict(opt.state_dict())
    resumed.momentum = 0.5
    steps(resumed, w, 2)
    assert resumed.get_slot(w, "momentum").shape == (3,)


@each_setting
@pytest.mark.parametrize("value", [-1.0, np.nan, "much", None, ak.constant(0.5), np.ones(2)], ids=str)
def test_a_value_that_the_setting_cannot_have(make: Any, setting: str, value: Any) -> None:
    opt = make()
    with pytest.raises((StructureError, ArgumentError), match=setting):
        setattr(opt, setting, value)


@pytest.mark.parametrize(
    ("opt", "name"), [(ak.optim.SGD(0.1), "lr"), (ak.optim.Adam(), "weight_decay"), (ak.optim.Adam(), "betas")]
)
def test_a_setting_of_another_optimizer(opt: Any, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"has no setting '{name}'; it has learning_rate"):
        setattr(opt, name, 0.1)


def test_a_setting_is_not_set_by_a_compiled_function() -> None:
    w, opt = ak.Variable(1.0), ak.optim.SGD(0.1)

    @ak.compile
    def step(rate: Any) -> Any:
        opt.learning_rate = rate
        return opt.minimize(lambda: w * w, [w])

    with pytest.raises(ConcretizationError, match="Set it before the call"):
        step(0.2)


def test_the_damping_of_levenberg_marquardt_is_that_of_the_next_step() -> None:
    def after_a_step(fit: Any) -> float:
        b = ak.Variable([1.0, 0.1])
        fit.step(lambda: b[0] * ak.exp(-b[1] * X) - 1.0, [b])
        return float(b[0])

    fit = ak.optim.LevenbergMarquardt()
    fit.damping = 100.0
    assert after_a_step(fit) == after_a_step(ak.optim.LevenbergMarquardt(damping=100.0))
    with pytest.raises(StructureError, match="damping"):
        fit.damping = -1.0
    fit.cost_limit = -1.0
    with pytest.raises(StructureError, match="cost_limit"):
        after_a_step(fit)
