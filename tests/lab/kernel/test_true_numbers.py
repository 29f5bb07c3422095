"""What the inspector says of odd arrays and odd gradients: every number is the true one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak


def summary(page: Any, array: Any) -> Any:
    """The summary of a variable's value, and the letter of its kind."""
    x = ak.Variable(array)
    with ak.GradientTape(persistent=True) as page.names["tape"]:
        x * 0.5
    tape = page.last()
    row = page.ask("tape.values", tape=tape, a=0, b=1, what=["value"])["rows"][0][0]
    return row, page.ask("tape.kinds", tape=tape, a=0, b=1)["value"][0]


def test_an_array_without_entries_is_not_zero(seen: Any) -> None:
    assert summary(seen, np.zeros((0, 3)))[1] == "v"
    assert summary(seen, np.zeros(3))[1] == "0"


@pytest.mark.parametrize("size", [3, 100])
@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e308])
def test_mean_and_length_of_far_numbers(seen: Any, size: int, scale: float) -> None:
    array = np.full(size, scale)
    array[0] = 0.0
    (_, _, mean, length, *_), _ = summary(seen, array)
    assert float(mean) == pytest.approx(scale * ((size - 1) / size), rel=1e-5)
    assert float(length) == pytest.approx(scale * (size - 1) ** 0.5, rel=1e-5)


def test_infinities_do_not_count_as_nan(seen: Any) -> None:
    (*_, bad, _, first, nans), kind = summary(seen, np.array([np.nan, np.inf, -np.inf, 1.0]))
    assert (bad, first, nans, kind) == (3, ["nan", "inf", "-inf", 1], 1, "N")
    assert summary(seen, np.array([np.inf] * 30))[0][-1] == 0
    assert summary(seen, np.array([np.nan] * 30))[0][-1] == 30


def test_the_first_nan_of_a_power_shows_its_exponent(seen: Any) -> None:
    x = ak.Variable(-2.0)
    with ak.GradientTape(persistent=True) as seen.names["tape"], np.errstate(all="ignore"):
        x**0.5
    assert seen.ask("tape.kinds", tape=seen.last(), a=0, b=2)["bad"]["text"] == "(−2)^0.5"


@pytest.mark.parametrize("make", [lambda y: ak.stop_gradient(y), lambda y: ak.Variable(5.0)])
def test_the_gradient_of_a_target_off_the_tape_is_none(seen: Any, make: Any) -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape(persistent=True) as tape:
        y = x * x
        target = make(y)
    name = seen.last()
    assert seen.ask("tape.kinds", tape=name, a=0, b=2)["cotangent"] == "vv"  # as yet that of the last row
    assert tape.gradient(target, x) is None
    assert seen.ask("tape.asked", tape=name)["target"] is None
    assert seen.ask("tape.kinds", tape=name, a=0, b=2)["cotangent"] == "nn"
    assert seen.ask("tape.values", tape=name, a=0, b=2, what=["cotangent"])["rows"] == [[None], [None]]
    assert seen.ask("tape.costs", tape=name, a=0, b=2)["totals"]["flops_back"] == 0
    assert seen.ask("tape.cost", tape=name)["type"] == "cost"
    tape.gradient(y, x)
    assert seen.ask("tape.asked", tape=name)["target"] == 1
    assert seen.ask("tape.kinds", tape=name, a=0, b=2)["cotangent"] == "vv"


def test_small_values_that_differ_are_told_and_rounding_of_large_ones_is_not(seen: Any) -> None:
    for name, size, noise in (("a", 1e-12, 1.0), ("b", 3e-12, 1.0 + 2e-16 * 2)):
        x, w = ak.Variable(size, name="x"), ak.Variable(1e12 * noise, name="w")
        with ak.GradientTape(persistent=True) as seen.names[name]:
            x * w
    first, second = (tape["tape"] for tape in seen.ask("tape.list")["tapes"][-2:])
    diff = seen.ask("tape.diff", a=first, b=second)
    assert diff["pairs"] == [[0, 0], [1, 1], [2, 2]]
    assert diff["changed"] == [0, 2]


def test_an_interrupted_request_has_an_answer(seen: Any) -> None:
    def stop(_g: Any) -> None:
        raise KeyboardInterrupt

    x = ak.Variable(2.0)
    with ak.GradientTape(persistent=True) as seen.names["tape"]:
        y = x * x
        y.register_hook(stop)
        z = y * 3.0
    assert float(z) == 12.0
    assert seen.refused("tape.values", tape=seen.last(), a=0, b=2, what=["cotangent"]) == "failed"
