"""Lesson 13's widget: where the tape stands, what lives then, and what marks in a chain cost."""

from __future__ import annotations

from typing import Any

import pytest
import traitlets

from autodiff_kit.widgets.lesson13 import AGAIN, LAYERS, MARK, PLACES, SLOPE, TapeMemory


def grown(place: str, n: int = 100) -> dict[str, Any]:
    widget = TapeMemory(n=n)
    assert widget.error == ""
    growth: dict[str, Any] = widget.growth[place]
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
    growth = grown(place, n)
    each = {"around": 5, "float": 4, "list": 5}.get(place, 0)
    assert growth["nodes"][1:] == [each * i if each else 5 for i in range(1, n + 1)]
    assert growth["made"] == [each or 5] * n


@pytest.mark.parametrize("place", PLACES)
def test_the_nodes_alive_are_those_of_the_oldest_step_and_all_after_it(place: str) -> None:
    growth = grown(place, 30)
    for now in range(1, 31):
        assert sum(growth["made"][growth["oldest"][now] - 1 : now]) == growth["nodes"][now]
    assert growth["oldest"][30] == (30 if place == "step" else 1)


@pytest.mark.parametrize("k", [1, 7, 10, 100])
def test_a_bar_is_held_from_where_it_is_stored_to_where_it_is_dropped(k: int) -> None:
    marks = TapeMemory(k=k).marks
    assert sorted(layer for layer, _, _ in marks["kept"]) == list(range(LAYERS))
    for now, count in enumerate(marks["held"]):
        assert sum(start < now <= end for _, start, end in marks["kept"]) == count


@pytest.mark.parametrize(
    ("name", "bad"), [("n", 0), ("n", 201), ("k", 0), ("k", 101), ("at", -1), ("place", "nowhere")]
)
def test_what_is_out_of_reach_is_refused(name: str, bad: Any) -> None:
    with pytest.raises(traitlets.TraitError):
        setattr(TapeMemory(), name, bad)


def test_what_is_looked_at_asks_nothing() -> None:
    widget = TapeMemory()
    growth = widget.growth
    widget.at, widget.view, widget.place = 7, "layers", "list"
    assert widget.growth is growth


def test_the_twin_says_it_in_text() -> None:
    table = TapeMemory(at=12).as_table()
    assert [row[1:3] for row in table.rows] == [(60, 500), (48, 400), (60, 500), (5, 5)]
    table = TapeMemory(view="layers", k=3).as_table()
    assert ("3", 166, 35) in table.rows
    assert ("10", 190, 19) in table.rows


def test_a_still_figure_shows_the_moment_at_the_cursor() -> None:
    lanes = TapeMemory(at=12).static_figure().axes
    filled = [sum(bar.get_height() for bar in lane.patches[12:]) for lane in lanes]
    assert filled == [60, 48, 60, 5]
    upper, lower = TapeMemory(view="layers", at=130).static_figure().axes
    held = [line for line in upper.lines[:LAYERS] if line.get_color() == "black"]
    assert len(held) == lower.lines[0].get_ydata()[130] == 17
