"""Lesson 01's widget: a push, a pull and a pull of the pull, each from a tape of the kernel."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets import JvpVjp
from autodiff_kit.widgets.lesson01 import count_sweeps

J = np.array([[3.0, 2.0, 0.0], [0.0, -1.0, 3.0], [4.0, 0.0, 1.0]])  # of (x0·x1, x1·x2, x0² + x2) at (2, 3, -1)


def plain(value: Any) -> list[float]:
    return np.asarray(value).tolist()


def test_the_lessons_numbers() -> None:
    widget = JvpVjp()
    assert plain(widget.jv) == [7.0, -5.0, 3.0]
    assert plain(widget.uj) == [11.0, 3.0, -1.0]
    assert widget.inner == [18.0, 18.0]
    assert widget.sweeps == [64, 2]


def test_the_tape_has_a_row_for_every_operation() -> None:
    rows = JvpVjp().nodes
    assert len(rows) == 12
    assert [row["name"] for row in rows if row["op"] == "input"] == ["x"]
    assert rows[-1]["op"] == "[y0, y1, y2]"
    assert rows[-1]["value"] == [6.0, -3.0, 3.0]
    assert {row["op"] for row in rows} >= {"x[0]·x[1]", "x[1]·x[2]", "x[0]²", "s + x[2]"}
    assert all(k < i for i, row in enumerate(rows) for k in row["inputs"])


def test_tangents_go_down_and_cotangents_up() -> None:
    widget = JvpVjp()
    down, up = [e["row"] for e in widget.forward], [e["row"] for e in widget.reverse]
    assert down == sorted(down)
    assert down[0] == 0
    assert down[-1] == len(widget.nodes) - 1
    assert up[0] == len(widget.nodes) - 1
    assert up[-1] == 0
    assert widget.forward[-1]["value"] == [7.0, -5.0, 3.0]
    assert widget.reverse[-1]["value"] == [11.0, 3.0, -1.0]


def test_the_second_tape_pulls_the_pull_and_gives_jv() -> None:
    """Reverse mode alone pushes: uJ is linear in u, and pulling v through it gives Jv."""
    widget = JvpVjp()
    assert widget.second[0]["op"] == "input"
    assert widget.second[0]["value"] == widget.u
    assert plain(widget.second[-1]["value"]) == [11.0, 3.0, -1.0]
    assert widget.double[-1]["row"] == 0
    assert widget.double[-1]["value"] == [7.0, -5.0, 3.0]
    assert len(widget.double) > len(widget.reverse)


@pytest.mark.parametrize("column", ["forward", "reverse", "double"])
def test_notes_name_rows_as_the_picture_does(column: str) -> None:
    notes = [event["note"] for event in getattr(JvpVjp(), column)]
    assert not any(re.search(r"\brow \d", note) for note in notes)


@pytest.mark.parametrize(("v", "u"), [([0.5, -2.0, 4.0], [1.0, 1.0, 1.0]), ([0.0, 0.0, 1.0], [-3.0, 0.25, 2.0])])
def test_both_vectors_are_the_learners(v: list[float], u: list[float]) -> None:
    widget = JvpVjp()
    widget.set_state({"v": v, "u": u, "asked": 1})
    assert plain(widget.jv) == pytest.approx((J @ v).tolist())
    assert plain(widget.uj) == pytest.approx((u @ J).tolist())
    assert widget.inner == pytest.approx([u @ J @ v] * 2)
    assert widget.double[-1]["value"] == pytest.approx((J @ v).tolist())


@pytest.mark.parametrize(("n", "m"), [(1, 1), (5, 3), (3, 5), (128, 1), (2, 128)])
def test_a_whole_jacobian_takes_a_push_a_column_or_a_pull_a_row(n: int, m: int) -> None:
    widget = JvpVjp()
    widget.set_state({"n": n, "m": m, "asked": 1})
    assert widget.sweeps == [n, m]


def test_sweeps_are_counted_while_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    import autodiff_kit as ak

    count_sweeps.cache_clear()
    calls: list[str] = []
    jvp = ak.jvp
    monkeypatch.setattr(ak, "jvp", lambda *args: calls.append("push") or jvp(*args))
    assert count_sweeps(7, 3) == (7, 3)
    assert len(calls) == 7
    count_sweeps.cache_clear()


def test_which_sweep_is_shown_and_how_far_asks_nothing() -> None:
    widget = JvpVjp()
    before = widget.nodes
    widget.set_state({"sweep": "double", "step": 5})
    assert widget.nodes is before


@pytest.mark.parametrize(
    "bad", [{"v": [1.0, 2.0]}, {"u": [1.0] * 4}, {"n": 0}, {"m": 129}, {"sweep": "sideways"}, {"step": -1}], ids=repr
)
def test_values_outside_their_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(traitlets.TraitError):
        JvpVjp(**bad)


def test_the_twin_says_it_in_text() -> None:
    text = str(JvpVjp().as_table())
    assert text.startswith("A push and a pull; u·(Jv) and (uJ)·v are 18 and 18")
    assert re.search(r"^Jv +7 +-5 +3$", text, re.MULTILINE)
    assert re.search(r"^uJ +11 +3 +-1$", text, re.MULTILINE)


def test_notes_bracket_factors_and_not_results() -> None:
    notes = {e["row"]: e["note"] for e in JvpVjp().forward}
    assert notes[6] == "product: 2·(−1) + (−1)·3 = −5"
    assert notes[5] == "entry 2: the tangent is −1"
    assert "multiply (y1) hands −3 to x[2]" in [e["note"] for e in JvpVjp().reverse]
