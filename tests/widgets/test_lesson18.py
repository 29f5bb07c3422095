"""Lesson 18's widget: the bill of a tape, line by line, for what is asked for."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import traitlets

from autodiff_kit.widgets.lesson18 import PROGRAMS, BackwardCost

SWITCHES = list(itertools.product([False, True], repeat=4))


def column(widget: BackwardCost, name: str) -> list[Any]:
    return [line[name] for line in widget.lines]


# ----------------------------------------------------------------------------------------------------- lesson's numbers
def test_the_lessons_numbers() -> None:
    widget = BackwardCost()
    assert (widget.forward, widget.backward) == (2240, 3840)
    assert widget.ratio == pytest.approx(1.7142857)
    assert column(widget, "code") == ["h = x @ W1", "h = h @ W2", "y = h @ W3"]
    assert column(widget, "forward") == [640, 1280, 320]
    assert column(widget, "backward") == [640, 2560, 640]
    assert column(widget, "to") == [["W1"], ["h", "W2"], ["h", "W3"]]


def test_with_the_inputs_gradient_it_is_twice() -> None:
    widget = BackwardCost(wanted=[True] * 4)
    assert (widget.forward, widget.backward) == (2240, 4480)


def test_biases_activations_and_a_loss_cost_little_forward_and_more_than_twice_backward() -> None:
    alone, all_of_it = BackwardCost(), BackwardCost(program="whole")
    assert (all_of_it.forward, all_of_it.backward) == (2620, 4603)
    assert all_of_it.forward - alone.forward == 180 + 160 + 20 + 20  # biases, tanh, squares, mean


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("wanted", SWITCHES)
@pytest.mark.parametrize("sizes", [[4, 8, 8, 2], [1, 1, 1, 1], [32, 3, 7, 11]])
def test_a_product_costs_one_more_for_each_gradient_that_it_hands_on(
    wanted: tuple[bool, ...], sizes: list[int]
) -> None:
    widget = BackwardCost(sizes=sizes, batch=6, wanted=list(wanted))
    for k, line in enumerate(widget.lines):
        product = 2 * 6 * sizes[k] * sizes[k + 1]
        left = any(wanted[: k + 1])
        assert line["forward"] == product
        assert line["backward"] == product * (left + wanted[k + 1])
        assert len(line["to"]) == left + wanted[k + 1]
    assert widget.error == ""


@pytest.mark.parametrize("program", PROGRAMS)
def test_where_nothing_is_asked_for_nothing_comes_back(program: str) -> None:
    widget = BackwardCost(program=program, wanted=[False] * 4)
    assert widget.backward == widget.ratio == 0
    assert not any(column(widget, "to"))
    assert widget.forward == BackwardCost(program=program).forward  # although nothing is recorded then


@pytest.mark.parametrize("wanted", SWITCHES)
def test_no_line_hands_back_what_nobody_asked_for(wanted: tuple[bool, ...]) -> None:
    for line in BackwardCost(program="whole", wanted=list(wanted)).lines:
        assert bool(line["to"]) == (line["backward"] > 0)


@pytest.mark.parametrize("bad", [{"sizes": [4, 8, 8]}, {"sizes": [4, 8, 8, 0]}, {"sizes": [4, 8, 8, 33]}])
def test_bad_widths_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(traitlets.TraitError, match="sizes holds 4 integers from 1 to 32; got"):
        BackwardCost(**bad)


def test_bad_switches_are_refused() -> None:
    with pytest.raises(traitlets.TraitError, match="wanted holds 4 truth values"):
        BackwardCost(wanted=[True])


def test_the_twin_says_it_in_text() -> None:
    table = BackwardCost(program="whole").as_table()
    assert table.caption == "Layers 4-8-8-2, batch 10"
    assert table.rows[1] == ("h = ak.tanh(h @ W2 + b2)", 1440, 2872, "h, W2 and b2")
    assert table.rows[-1] == ("in all", 2620, 4603, "1.757 times")


@pytest.mark.parametrize("wanted", SWITCHES)
def test_what_comes_back_is_for_the_input_or_for_the_weights(wanted: tuple[bool, ...]) -> None:
    widget = BackwardCost(wanted=list(wanted))
    for k, line in enumerate(widget.lines):
        assert line["input"] == line["forward"] * any(wanted[: k + 1])
        assert line["weights"] == line["forward"] * wanted[k + 1]


@pytest.mark.parametrize("wanted", SWITCHES)
def test_no_part_of_a_line_is_negative_and_the_sums_end_at_the_whole(wanted: tuple[bool, ...]) -> None:
    widget = BackwardCost(program="whole", wanted=list(wanted))
    for line in widget.lines:
        assert min(line["input"], line["weights"]) >= 0
        assert line["input"] + line["weights"] == line["backward"]
    assert widget.lines[-1]["forward_so_far"] == widget.forward
    assert widget.lines[0]["backward_so_far"] == widget.backward


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    axes = BackwardCost().static_figure().axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["forward →", "← to inputs", "↓ to weights"]
    assert {text.get_text() for text in axes.texts} >= {"h = x @ W1", "1280", "640"}
    assert axes.get_xlabel() == "operations: 2240 forward, 3840 backward"
