"""Lesson 00's widget: a record of the kernel, a sweep from any of its values, what is kept, the same question again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

import autodiff_kit as ak
from autodiff_kit.errors import StructureError
from autodiff_kit.widgets.lesson00 import PROGRAMS, FirstTape


def slopes(widget: FirstTape) -> dict[str, float | None]:
    return {row["name"]: g for row, g in zip(widget.nodes, widget.gradients, strict=True)}


def last(widget: FirstTape) -> dict[str, float]:
    """What stands in each row when the sweep has ended."""
    return {widget.nodes[event["row"]]["name"]: event["value"] for event in widget.reverse}


def test_the_lessons_numbers() -> None:
    widget = FirstTape()
    assert slopes(widget) == {"a": 36.0, "b": 24.0, "y": 12.0, "z": 1.0}
    assert last(widget) == slopes(widget)
    assert widget.again == {"name": "a", "fresh": [36.0, 36.0], "kept": [36.0, 72.0]}
    assert widget.kept == [["y", 16], ["z", 8]]
    assert [row["op"] for row in widget.nodes] == ["input", "input", "a·b", "y²"]


def test_a_sweep_from_the_middle_does_not_reach_what_comes_after() -> None:
    widget = FirstTape(target="y")
    assert slopes(widget) == {"a": 3.0, "b": 2.0, "y": 1.0, "z": None}
    assert widget.again["fresh"] == [3.0, 3.0]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("at", [[2.0, 3.0, 0.0], [-1.5, 0.5, 0.0], [0.0, -4.0, 0.0]])
def test_every_row_has_the_slope_that_moving_it_shows(program: str, at: list[float]) -> None:
    widget = FirstTape(program=program, at=at)
    z, inputs = ak.value_and_grad(PROGRAMS[program], argnums=(0, 1))(*map(ak.constant, at[:2]))
    assert widget.nodes[-1]["value"] == float(z)
    found = slopes(widget)
    assert [found["a"], found["b"]] == pytest.approx([float(g) for g in inputs])
    assert last(widget) == pytest.approx({k: v for k, v in found.items() if v is not None})


def test_notes_show_the_product_and_what_came_first() -> None:
    notes = [event["note"] for event in FirstTape(program="a·b·a").reverse]
    assert notes[-2] == "a moves y by 3, and y moves z by 2: 3·2 = 6; with the 6 that came first, 12"
    assert notes[1] == "y moves z by 2"
    negative = FirstTape(at=[-2.0, 3.0, 0.0])
    assert negative.reverse[-1]["note"] == "b moves y by −2, and y moves z by −12: (−2)·(−12) = 24"


def test_a_sum_keeps_nothing() -> None:
    assert FirstTape(program="a·b + a").kept == [["y", 16], ["z", 0]]
    assert FirstTape(program="(a+b)²·b").kept == [["y", 0], ["p", 8], ["z", 16]]


def test_a_function_of_the_learners() -> None:
    widget = FirstTape(lambda u, x, z: x * ak.sin(u) - z, at=[0.5, 2.0, 1.0])
    assert widget.programs[0] == widget.program == "yours"
    found = slopes(widget)
    assert list(found)[-1] == "out"
    assert [found[name] for name in "uxz"] == pytest.approx([2 * np.cos(0.5), np.sin(0.5), -1.0])
    assert {row["name"]: row["slot"] for row in widget.nodes if not row["inputs"]} == {"u": 0, "x": 1, "z": 2}


def test_inputs_stand_in_the_order_of_their_use_and_keep_their_numbers() -> None:
    widget = FirstTape(lambda a, b: b * b - a, at=[2.0, 3.0, 0.0])
    assert [(row["name"], row["value"], row["slot"]) for row in widget.nodes[:2]] == [("b", 3.0, 1), ("a", 2.0, 0)]
    assert slopes(widget) == {"b": 6.0, "a": -1.0, "y": 1.0, "z": 1.0}


def test_an_input_that_the_target_does_not_need_has_no_answer() -> None:
    widget = FirstTape(lambda a, b: 2 * a + b * b, target="p")
    assert slopes(widget)["a"] is None
    assert widget.again == {"name": "a", "fresh": [None, None], "kept": [None, None]}


def test_another_program_moves_the_target_to_what_it_has() -> None:
    widget = FirstTape(program="(a+b)²·b", target="p")
    assert slopes(widget)["p"] == 1.0
    widget.set_state({"program": "(a·b)²", "asked": 1})
    assert widget.target == "z"
    assert widget.answered == 1


def test_the_step_asks_nothing() -> None:
    widget = FirstTape()
    before = widget.nodes
    widget.set_state({"step": 3})
    assert widget.nodes is before


@pytest.mark.parametrize(
    ("function", "word"),
    [
        (lambda a: a, "one number that it computed"),
        (lambda a: 3.0, "one number that it computed"),
        (lambda a: ak.sum(ak.stack([a, a])), "made an array"),
        (lambda a, b: ak.where(a > 0, a, b), "greater made a value of dtype bool"),
        (lambda a: a * ak.Variable(2.0, name="w"), r"none of its arguments \(w\); make it an argument"),
        (lambda: 1.0, "takes 0 arguments"),
        (lambda a, b, c, d: a, "takes 4 arguments"),
        (lambda a: sum([a * k for k in range(1, 20)], a), "has room for 16"),
    ],
)
def test_what_does_not_fit_the_picture_is_said(function: Any, word: str) -> None:
    with pytest.raises(StructureError, match=word):
        FirstTape(function)


@pytest.mark.parametrize("bad", [{"program": "a"}, {"at": [1.0]}, {"asks": 0}, {"asks": 6}, {"step": -1}], ids=repr)
def test_values_outside_their_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(traitlets.TraitError):
        FirstTape(**bad)


def test_the_twin_says_it_in_text() -> None:
    text = str(FirstTape().as_table())
    assert text.startswith("One sweep from z")
    assert [line.split()[-2:] for line in text.splitlines()[2:]] == [
        ["36.0000", "0"],
        ["24.0000", "0"],
        ["12.0000", "16"],
        ["1.0000", "8"],
    ]
    assert FirstTape().static_figure() is not None
