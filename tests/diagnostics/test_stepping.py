"""Passes over a tape step by step, as in the widget of lesson 01, equal to the ordinary passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.diagnostics import stepping
from autodiff_kit.errors import TapeError


def watched(f: Any, *arrays: Any, names: tuple[str | None, ...] = ("x",)) -> tuple[Any, list[Any], Any]:
    xs = [ak.constant(a, name=n) for a, n in zip(arrays, names, strict=True)]
    with stepping.value_keeping_tape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape, xs, y


def lesson(x: Any) -> Any:
    return ak.stack([x[0] * x[1], x[1] * x[2], x[0] ** 2 + x[2]])


def test_the_rows_of_lesson_01() -> None:
    """Leaves first, then operations in order, each with its value and the rows that it reads."""
    tape, (x,), _ = watched(lesson, [2.0, 3.0, -1.0])
    rows = stepping.tape_values(tape)
    assert [row.op for row in rows] == [
        "input", "getitem", "getitem", "multiply", "getitem", "getitem", "multiply", "getitem", "power", "getitem",
        "add", "stack",
    ]  # fmt: skip
    assert (rows[0].name, rows[0].value.tolist(), rows[0].inputs) == ("x", [2.0, 3.0, -1.0], ())
    assert (rows[3].value.tolist(), rows[3].inputs) == (6.0, (1, 2))
    assert rows[11].value.tolist() == [6.0, -3.0, 3.0]
    assert rows[1].params["index"] == (0,)
    assert all(k < place for place, row in enumerate(rows) for k in row.inputs)
    assert x.name == "x"


def test_b15_a_push_step_by_step() -> None:
    """B15: the last event is the product J v; each event has its row, its inputs, and a description."""
    tape, (x,), _ = watched(lesson, [2.0, 3.0, -1.0])
    events = stepping.forward_steps(tape, [x], [[1.0, 2.0, -1.0]])
    assert [e.row for e in events] == list(range(12))
    assert events[-1].value.tolist() == [7.0, -5.0, 3.0]
    assert events[3].inputs == (1, 2)
    assert events[0].note == "seed: the tangent is [1, 2, −1]"
    assert events[3].note == "product: 1·3 + 2·2 = 7"
    assert all(e.note for e in events)


def test_b15_a_pull_step_by_step() -> None:
    """B15: one event for each contribution; the last total of the source is u J."""
    tape, (x,), y = watched(lesson, [2.0, 3.0, -1.0])
    events = stepping.reverse_steps(tape, y, [1.0, -1.0, 2.0])
    assert (events[0].row, events[0].to, events[0].total.tolist()) == (None, 11, [1.0, -1.0, 2.0])
    to_source = [e for e in events if e.to == 0]
    assert len(to_source) == 6
    assert to_source[-1].total.tolist() == [11.0, 3.0, -1.0]
    np.testing.assert_allclose(sum(e.part for e in to_source), to_source[-1].total)
    assert all(e.note for e in events)
    assert "adds" in to_source[-1].note
    assert "hands" in to_source[0].note
    assert tape.gradient(y, x, output_gradients=[1.0, -1.0, 2.0]).tolist() == [11.0, 3.0, -1.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_agree_with_the_sweeps(dtype: str) -> None:
    """Two sources, arrays, broadcasting, a value that is used twice, an operation without a derivative."""

    def f(a: Any, b: Any) -> Any:
        c = ak.tanh(a @ b)
        return (c * c + ak.floor(c) * a[0]).sum() * ak.nn.relu(b).mean()

    arrays = np.array([[0.5, -1.0], [2.0, 1.0]], dtype), np.array([0.25, 1.5], dtype)
    tape, xs, y = watched(f, *arrays, names=("a", None))
    rows = stepping.tape_values(tape)
    assert [row.name for row in rows[:2]] == ["a", "input 1"]
    along = [np.ones((2, 2), dtype), np.array([1.0, -1.0], dtype)]
    _, tangent = ak.jvp(f, arrays, along)
    assert stepping.forward_steps(tape, xs, along)[-1].value == pytest.approx(float(tangent), rel=1e-6)
    totals = {e.to: e.total for e in stepping.reverse_steps(tape, y)}
    for place, g in enumerate(tape.gradient(y, xs)):
        np.testing.assert_allclose(totals[place], g.numpy(), rtol=1e-6)
        assert totals[place].dtype == np.dtype(dtype)


def test_a_pull_from_the_middle_and_of_a_number() -> None:
    tape, (x,), y = watched(lambda x: (x * x).sum() ** 2, 3.0)
    assert stepping.reverse_steps(tape, y)[-1].total.tolist() == 4 * 27.0
    with stepping.value_keeping_tape() as tape:
        tape.watch(x)
        middle = x * 2.0
        ak.exp(middle)
    events = stepping.reverse_steps(tape, middle)
    assert [(e.to, e.total.tolist()) for e in events] == [(1, 1.0), (0, 2.0)]


def test_a_tensor_that_another_tape_computed_is_a_leaf() -> None:
    x, z = ak.Variable(3.0, name="x"), ak.Variable(4.0)
    with ak.GradientTape() as outer:
        middle = ak.sqrt(z)
        with stepping.value_keeping_tape() as inner:
            y = x * middle
    assert [(row.op, float(row.value)) for row in stepping.tape_values(inner)] == [
        ("input", 3.0), ("input", 2.0), ("multiply", 6.0),
    ]  # fmt: skip
    assert [(step.to, float(step.part)) for step in stepping.reverse_steps(inner, y)] == [(2, 1.0), (0, 2.0), (1, 3.0)]
    assert outer.nodes


def test_numbers_in_notes_are_short_and_have_a_true_minus() -> None:
    tape, (x,), _ = watched(lambda x: x * x - x, -1 / 3)
    notes = [e.note for e in stepping.forward_steps(tape, [x], [2.0])]
    assert notes[1] == "product: 2·(−0.3333) + 2·(−0.3333) = −1.333"
    assert notes[2].startswith("subtract: (−1.333) − 2 = ")


def test_values_that_cannot_be_shown() -> None:
    x = ak.constant([1.0, 2.0])
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = ak.sum(x + 1.0)
    with pytest.raises(TapeError, match="stepping.value_keeping_tape"):
        stepping.tape_values(tape)
    with pytest.raises(TapeError, match="not on the tape"):
        stepping.reverse_steps(tape, ak.constant(1.0))
    with pytest.raises(TapeError, match="not on the tape"):
        stepping.forward_steps(tape, [3.0], [1.0])
    assert float(tape.gradient(y, x)[0]) == 1.0


def test_the_index_of_everything() -> None:
    x = ak.constant([2.0, 3.0])
    with stepping.value_keeping_tape() as tape:
        tape.watch(x)
        y = x[()] * 1.0
    assert [step.note for step in stepping.reverse_steps(tape, y)][-1] == "entry () (row 1) hands [1, 1] to row 0"
