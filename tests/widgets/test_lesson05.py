"""Lesson 05's widget: a rule for the way back that is swapped, and what hooks see of a gradient that passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.widgets.lesson05 import FUNCTIONS, HOOKS, RULES, CustomGradientRule, curve

EVERY = [(f, rule) for f in FUNCTIONS for rule in ("own", *RULES)]


def same(got: Any, want: Any) -> bool:
    """Equal, nan to nan and None to None, and a zero without a sign."""
    return repr(got) == repr(want)


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_the_composition_gives_nan_and_a_rule_of_ones_own_one() -> None:
    widget = CustomGradientRule(f="log1pexp", x=1000.0, g=1.0)
    assert same((widget.value, widget.into_x), (float("inf"), float("nan")))
    widget.rule = "sigmoid"
    assert (widget.value, widget.into_x) == (1000.0, 1.0)
    widget.rule, widget.x = "own", 709.0
    assert round(widget.into_x, 4) == 1


def test_floor_with_its_own_rule_with_identity_and_five_times() -> None:
    widget = CustomGradientRule(g=1.0)
    assert (widget.value, widget.into_x) == (1.0, None)
    assert widget.seen == {"comes": 1.0, "leaves": 1.0, "arrives": None}
    found = []
    for widget.rule in ("through", "five"):
        found.append((widget.value, widget.into_x))
    assert found == [(1.0, 1.0), (1.0, 5.0)]


@pytest.mark.parametrize(("hook", "handed"), [("look", 2), ("halve", 1), ("clip", 1), ("turn", -2), ("stop", 0)])
def test_what_a_hook_hands_on_is_what_the_rule_gets(hook: str, handed: float) -> None:
    widget = CustomGradientRule(rule="five", hook=hook)
    assert widget.seen == {"comes": 2.0, "leaves": handed, "arrives": 5.0 * handed}
    assert widget.into_x == 5.0 * handed


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize(("f", "rule"), EVERY)
def test_the_code_that_is_shown_does_what_the_picture_shows(f: str, rule: str) -> None:
    for hook in HOOKS:
        widget = CustomGradientRule(f=f, rule=rule, hook=hook, x=FUNCTIONS[f].start)
        names: dict[str, Any] = {"ak": ak, "x": ak.constant(widget.x)}
        with np.errstate(all="ignore"), ak.GradientTape() as tape:
            tape.watch(names["x"])
            exec(f"{widget.code}\n{widget.hook_code}", names)
            gradient = tape.gradient(names["y"], names["x"], output_gradients=ak.constant(2.0))
        assert same(widget.value, float(names["y"]))
        assert same(widget.into_x, None if gradient is None else float(gradient) + 0.0)


@pytest.mark.parametrize(("f", "rule"), EVERY)
def test_the_curves_are_what_the_widget_gives_at_a_point(f: str, rule: str) -> None:
    for piece in curve(f, rule)["pieces"]:
        for i in (0, len(piece["x"]) // 2):
            widget = CustomGradientRule(f=f, rule=rule, x=piece["x"][i], g=1.0)
            assert same(widget.value, piece["value"][i])
            slope = None if piece["slope"] is None else piece["slope"][i]
            assert widget.slope == pytest.approx(slope, nan_ok=True)
            assert same(widget.slope, widget.into_x)


def test_a_jump_has_an_end_that_is_there_and_one_that_is_not() -> None:
    assert curve("floor", "own")["ends"][:2] == [(-1.0, -2.0, True), (-1.0, -1.0, False)]
    assert curve("sign", "own")["ends"] == [(0.0, -1.0, True), (0.0, 0.0, False), (0.0, 1.0, True)]
    assert curve("log1pexp", "own")["ends"] == []


def test_another_function_brings_x_back_into_its_picture() -> None:
    widget = CustomGradientRule()
    widget.f = "log1pexp"
    assert (widget.x, widget.error) == (1000.0, "")
    widget.x = 700.0
    widget.f = "sign"
    assert widget.x == 0.4


@pytest.mark.parametrize(("name", "bad"), [("x", float("nan")), ("x", float("inf")), ("g", 3.5), ("g", float("nan"))])
def test_bad_numbers_are_refused(name: str, bad: float) -> None:
    widget = CustomGradientRule()
    with pytest.raises(traitlets.TraitError, match=f"{name} is a number.*; got"):
        setattr(widget, name, bad)
    assert (widget.x, widget.g) == (1.7, 2.0)


def test_where_the_stage_stands_asks_nothing() -> None:
    widget = CustomGradientRule()
    seen = widget.seen
    widget.step = 3
    assert widget.seen is seen


def test_the_twin_says_it_in_text() -> None:
    table = CustomGradientRule(rule="five", hook="halve").as_table()
    assert table.caption == "floor at 1.7 is 1.0000; its rule (five) claims the slope 5.0000"
    assert [line.split()[-1] for line in str(table).splitlines()[-3:]] == ["2.0000", "1.0000", "5.0000"]


@pytest.mark.parametrize("rule", ["own", "five"])
def test_a_still_figure_for_pages_without_a_front_end(rule: str) -> None:
    upper, lower = CustomGradientRule(rule=rule).static_figure().axes
    assert len(upper.lines) == 6
    assert len(lower.lines) == (0 if rule == "own" else 6)
