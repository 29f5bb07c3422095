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


def test_a_node_for_every_input_and_operation() -> None:
    nodes = JvpVjp().nodes
    assert [node["name"] for node in nodes] == ["x0", "x1", "x2", "s", "y0", "y1", "y2"]
    assert [node["op"] for node in nodes[3:]] == ["x0²", "x0·x1", "x1·x2", "s + x2"]
    assert [node["value"] for node in nodes[4:]] == [6.0, -3.0, 3.0]


def test_the_wires_carry_the_slopes_of_the_tape() -> None:
    widget = JvpVjp()
    names = [node["name"] for node in widget.nodes]
    slopes = {
        (names[wire["from"]], names[wire["to"]]): wire["slope"]
        for wire in widget.wires
        if wire["from"] is not None and wire["to"] is not None
    }
    assert slopes == {
        ("x0", "s"): 4.0, ("x0", "y0"): 3.0, ("x1", "y0"): 2.0, ("x1", "y1"): -1.0, ("x2", "y1"): 3.0, ("s", "y2"): 1.0,
        ("x2", "y2"): 1.0,
    }  # fmt: skip


def test_what_wires_bring_adds_up_to_what_nodes_have() -> None:
    widget = JvpVjp(v=[0.5, -2.0, 4.0], u=[3.0, 0.0, -1.0])
    for k, node in enumerate(widget.nodes):
        ahead = [wire["pushed"][1] for wire in widget.wires if wire["to"] == k]
        back = [wire["pulled"][1] for wire in widget.wires if wire["from"] == k]
        assert sum(ahead) == pytest.approx(node["tangent"])
        assert sum(back) == pytest.approx(node["cotangent"])


def test_cotangents_arrive_operation_by_operation() -> None:
    reverse = JvpVjp().reverse
    assert reverse[0] == [None, None, None, None, 1.0, -1.0, 2.0]
    assert [state[2] for state in reverse] == [None, 2.0, -1.0, -1.0, -1.0]  # a join
    assert reverse[-1][:3] == [11.0, 3.0, -1.0]


def test_two_pulls_give_every_tangent() -> None:
    """Reverse mode alone pushes: uJ is linear in u, and pulling v through it gives Jv."""
    nodes = JvpVjp(v=[0.5, -2.0, 4.0]).nodes
    assert [node["double"] for node in nodes] == pytest.approx([node["tangent"] for node in nodes])


@pytest.mark.parametrize("v", [[1.0, 2.0, -1.0], [0.0, 0.0, 0.0], [-3.0, 0.25, 2.0]])
def test_every_cut_has_the_same_sum(v: list[float]) -> None:
    widget = JvpVjp(v=v)
    assert [len(cut) for cut in widget.cuts] == [3, 6, 6, 5, 4, 3]
    assert widget.sums == pytest.approx([widget.inner[0]] * 6)


@pytest.mark.parametrize(("v", "u"), [([0.5, -2.0, 4.0], [1.0, 1.0, 1.0]), ([0.0, 0.0, 1.0], [-3.0, 0.25, 2.0])])
def test_both_vectors_are_the_learners(v: list[float], u: list[float]) -> None:
    widget = JvpVjp()
    widget.set_state({"v": v, "u": u, "asked": 1})
    assert plain(widget.jv) == pytest.approx((J @ v).tolist())
    assert plain(widget.uj) == pytest.approx((u @ J).tolist())
    assert widget.inner == pytest.approx([u @ J @ v] * 2)
    assert [node["double"] for node in widget.nodes[4:]] == pytest.approx((J @ v).tolist())


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
    assert text.startswith("A push of v and a pull of u; u·(Jv) and (uJ)·v are 18 and 18")
    assert re.search(r"^y1 +x1·x2 +-3 +-5 +-1$", text, re.MULTILINE)
    assert re.search(r"^x0 +input +2 +1 +11$", text, re.MULTILINE)


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    push, pull = JvpVjp().static_figure().axes
    assert {text.get_text() for text in push.texts} >= {"y0: 7", "y1: -5", "y2: 3"}
    assert {text.get_text() for text in pull.texts} >= {"x0: 11", "x1: 3", "x2: -1"}
