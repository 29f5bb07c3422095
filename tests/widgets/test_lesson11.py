"""Lesson 11's widget: what graphs read out of their nodes on real tapes, an empty graph, and one that is not there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import traitlets

from autodiff_kit.widgets.lesson11 import READOUTS, GraphReadout

NAN = float("nan")
THIRD = 1 / 3


@pytest.mark.parametrize(
    ("readout", "readouts", "into_h", "into_v"),
    [
        ("sum", [3, 12, 0], [1, 1, 1, 1, 1], 15),
        ("mean", [1.5, 4, 0], [0.5, 0.5, THIRD, THIRD, THIRD], 5.5),
        ("naive", [1.5, 4, NAN], [0.5, 0.5, THIRD, THIRD, THIRD], NAN),
        ("max", [2, 5, 0], [0, 1, 0, 0, 1], 7),
    ],
)
def test_the_lessons_numbers(readout: str, readouts: list[float], into_h: list[float], into_v: float) -> None:
    widget = GraphReadout(readout=readout)
    np.testing.assert_allclose(widget.readouts, readouts)
    np.testing.assert_allclose(widget.into_h, into_h)
    np.testing.assert_allclose(widget.into_v, into_v)
    assert widget.rows == [2, 3, 0]
    assert widget.error == widget.refused == ""


@pytest.mark.parametrize("readout", READOUTS)
def test_order_does_not_matter_to_a_graph(readout: str) -> None:
    order = [3, 0, 4, 2, 1]
    widget, other = GraphReadout(readout=readout), GraphReadout(readout=readout)
    h, ids = widget.h, widget.ids
    other.h, other.ids = [h[i] for i in order], [ids[i] for i in order]
    np.testing.assert_allclose(other.readouts, widget.readouts)
    np.testing.assert_allclose(other.into_h, [widget.into_h[i] for i in order])


def test_a_mean_moved_by_each_of_its_nodes() -> None:
    """Against plain differences, for ids in no order."""
    h, ids = np.array([0.5, -2.0, 4.0, 8.0, -1.5]), [2, 0, 2, 3, 2]
    widget = GraphReadout(h=h.tolist(), ids=ids, count=4)
    for i in range(5):
        moved = h.copy()
        moved[i] += 1.0
        apart = np.array(GraphReadout(h=moved.tolist(), ids=ids, count=4).readouts) - widget.readouts
        np.testing.assert_allclose(apart.sum(), widget.into_h[i])
        assert (apart != 0).nonzero()[0].tolist() == [ids[i]]


def test_an_id_that_names_no_graph_is_refused_and_the_widget_goes_on() -> None:
    widget = GraphReadout(count=1)
    assert widget.refused == "segment_mean: id 1 at place 2 is out of range; it goes from 0 to 0"
    assert widget.readouts is widget.into_v is None
    assert widget.error == ""
    widget.count = 2
    assert widget.readouts == [1.5, 4.0]
    assert widget.refused == ""


@pytest.mark.parametrize(
    ("name", "bad", "says"),
    [
        ("h", [1.0] * 4, "h holds 5 numbers from -9 to 9; got"),
        ("h", [1.0, 2.0, 3.0, 4.0, NAN], "h holds 5 numbers"),
        ("ids", [0, 0, 1, 1, 4], "ids holds 5 integers from 0 to 3; got"),
        ("ids", [0, 0, 1, 1, -1], "ids holds 5 integers"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(name: str, bad: Any, says: str) -> None:
    widget = GraphReadout()
    before = widget.readouts
    with pytest.raises(traitlets.TraitError, match=says):
        setattr(widget, name, bad)
    assert widget.readouts == before


def test_the_twin_says_it_in_text() -> None:
    table = GraphReadout().as_table()
    assert table.caption == "mean of each graph; gradient of v: 5.5000"
    assert table.rows[1] == ("graph 1", "3", 12.0, 4.0, "0.3333, 0.3333, 0.3333")
    assert table.rows[2][-1] == "no node"
    assert "place 2" in GraphReadout(count=1).as_table().caption


def test_a_still_figure_for_pages_without_a_front_end() -> None:
    labels = [text.get_text() for text in GraphReadout(readout="naive").static_figure().axes[0].texts]
    assert labels == ["1.5000", "4.0000", "nan"]
    assert [text.get_text() for text in GraphReadout(count=1).static_figure().axes[0].texts] == ["refused"]
