"""Lesson 13's widget: where the tape stands, what lives then, and what marks in a chain cost."""

from __future__ import annotations

from typing import Any

import pytest
import traitlets

from autodiff_kit.widgets.lesson13 import AGAIN, LAYERS, MARK, PLACES, SLOPE, TapeMemory


def grown(**how: Any) -> dict[str, Any]:
    widget = TapeMemory(**how)
    assert widget.error == ""
    growth: dict[str, Any] = widget.growth
    return growth


# ----------------------------------------------------------------------------------------------------- lesson's numbers
@pytest.mark.parametrize(("place", "nodes"), [("around", 500), ("float", 400), ("list", 500), ("step", 5)])
def test_nodes_after_a_hundred_steps(place: str, nodes: int) -> None:
    growth = grown(place=place)
    assert growth["nodes"][-1] == nodes
    assert len(growth["nodes"]) == 101
    assert growth["nodes"][0] == 0


def test_the_place_of_the_tape_changes_no_loss() -> None:
    totals = {grown(place=place)["total"] for place in PLACES}
    assert totals == {sum((i - 2.0) ** 2 for i in range(100))}


def test_a_sum_holds_nothing_for_the_way_back() -> None:
    assert grown(place="around")["bytes"] == grown(place="float")["bytes"] == 100 * grown(place="step")["bytes"]


def test_a_mark_every_ten_layers() -> None:
    marks = TapeMemory().marks
    assert (marks["calls"], marks["peak"]) == (190, 19)
    assert max(marks["held"]) == 19
    assert marks["held"][-1] == 1  # asked for its slope, and about to be dropped


# -------------------------------------------------------------------------------------------------------- every setting
@pytest.mark.parametrize("k", [1, 2, 3, 7, 10, 33, 99, 100])
def test_marks_cost_what_they_must(k: int) -> None:
    marks = TapeMemory(k=k).marks
    blocks = -(-LAYERS // k)
    assert marks["calls"] == 2 * LAYERS - blocks  # of each block all layers but the last run again
    assert marks["peak"] == max(b + min(k, LAYERS - b * k) for b in range(blocks))  # marks before it, and the block
    assert marks["slope"] == pytest.approx(marks["whole"], rel=1e-13)
    assert TapeMemory(k=k).by_k[k - 1] == [marks["calls"], marks["peak"]]


@pytest.mark.parametrize("k", [1, 10, 30, 100])
def test_events_tell_what_is_held(k: int) -> None:
    marks = TapeMemory(k=k).marks
    held: set[int] = set()
    for (event, layer), count in zip(marks["events"], marks["held"][1:], strict=True):
        if event in (MARK, AGAIN):
            held.add(layer + (event == AGAIN))
        if event == SLOPE:
            assert layer in held
        assert len(held) == count
        held.discard(layer if event == SLOPE else -1)
    assert held == set()


@pytest.mark.parametrize("n", [10, 50, 200])
@pytest.mark.parametrize("place", PLACES)
def test_records_grow_by_the_step_or_not_at_all(place: str, n: int) -> None:
    nodes = grown(place=place, n=n)["nodes"]
    each = {"around": 5, "float": 4, "list": 5}.get(place, 0)
    assert nodes[1:] == [each * i if each else 5 for i in range(1, n + 1)]


@pytest.mark.parametrize(
    ("name", "bad"), [("n", 0), ("n", 201), ("k", 0), ("k", 101), ("at", -1), ("place", "nowhere")]
)
def test_what_is_out_of_reach_is_refused(name: str, bad: Any) -> None:
    with pytest.raises(traitlets.TraitError):
        setattr(TapeMemory(), name, bad)


def test_where_the_run_stands_asks_nothing() -> None:
    widget = TapeMemory()
    growth = widget.growth
    widget.at, widget.view = 7, "layers"
    assert widget.growth is growth


def test_the_twin_says_it_in_text() -> None:
    table = TapeMemory().as_table()
    assert [row[1] for row in table.rows] == [500, 400, 500, 5]
    table = TapeMemory(view="layers", k=3).as_table()
    assert ("3", 166, 35) in table.rows
    assert ("10", 190, 19) in table.rows


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    assert TapeMemory().static_figure().axes[0].lines[0].get_ydata()[-1] == 500
    assert max(TapeMemory(view="layers").static_figure().axes[0].lines[0].get_ydata()) == 19
