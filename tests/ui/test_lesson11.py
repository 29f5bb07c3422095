"""Lesson 11's widget under mouse and keys: nodes in graphs, an empty one, and ids that name none."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson11 import GraphReadout


def node(on: Any, i: int) -> Any:
    return on.page.locator(f'[role=spinbutton][aria-label="Graph of node {i}"]')


def test_the_lessons_numbers(stage: Any) -> None:
    on = stage(GraphReadout())
    assert on.summary == (
        "The means are [1.5, 4, 0]. Graph 2 has no nodes. "
        "The gradients of the nodes are [0.5, 0.5, 0.3333, 0.3333, 0.3333], and that of v is 5.5."
    )
    on.shot("11-mean")
    on.choose("sum ÷ count")
    assert "The sums over counts are [1.5, 4, NaN]. Graph 2 has no nodes: 0 ÷ 0." in on.summary
    assert on.summary.endswith("and that of v is NaN.")
    on.shot("11-naive")
    on.choose("sum")
    assert "The sums are [3, 12, 0]" in on.summary
    on.choose("max")
    assert "The gradients of the nodes are [0, 1, 0, 0, 1], and that of v is 7." in on.summary
    on.shot("11-max")


def test_a_node_moves_by_a_click(stage: Any) -> None:
    on = stage(GraphReadout())
    node(on, 4).click()
    on.settle()
    assert on.widget.ids == [0, 0, 1, 1, 2]
    assert "The means are [1.5, 3.5, 5]" in on.summary


def test_a_node_moves_by_keys(stage: Any) -> None:
    on = stage(GraphReadout(), theme="dark")
    node(on, 0).focus()
    on.press("ArrowRight", "2")
    on.settle()
    assert on.widget.ids == [0, 2, 1, 1, 1]
    on.press("ArrowDown")
    on.settle()
    assert on.widget.ids == [0, 1, 1, 1, 1]
    assert on.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Graph of node 1"
    on.press("End", "ArrowUp")
    on.settle()
    assert on.widget.ids == [0, 1, 1, 1, 2]
    on.shot("11-focus-dark")


def test_an_id_that_names_no_graph_is_refused_in_the_kits_own_words(stage: Any) -> None:
    on = stage(GraphReadout())
    on.choose("1")
    assert on.summary == "The kit refuses: segment_mean: id 1 at place 2 is out of range; it goes from 0 to 0."
    assert on.page.locator(".ak-gather .ak-none-box").count() == 3
    on.shot("11-refused")
    on.choose("4")
    assert "The means are [1.5, 4, 0, 0]. Graph 2 and 3 have no nodes." in on.summary


def test_a_value_of_the_learners_own(stage: Any) -> None:
    on = stage(GraphReadout())
    box = on.page.locator("input[type=number]").first
    box.fill("-4")
    box.press("Enter")
    assert "The means are [−1, 4, 0]" in on.summary


@pytest.mark.parametrize("width", [900, 420, 360])
def test_no_words_leave_their_graphs_box(stage: Any, width: int) -> None:
    on = stage(GraphReadout(h=[-8.5, 8.5, 8.5, 8.5, 8.5], ids=[0, 1, 1, 1, 1], count=4, readout="naive"), width=width)
    wider = """boxes => boxes.map((box) => {
      const frame = box.getBoundingClientRect();
      const inside = [...box.parentNode.children].filter((one) => {
        const it = one.getBoundingClientRect();
        return one.tagName === "text" && it.top > frame.top && it.bottom < frame.bottom &&
          it.right > frame.left && it.left < frame.right;
      });
      return [inside.length, inside.filter((one) => {
        const it = one.getBoundingClientRect();
        return it.left < frame.left || it.right > frame.right;
      }).length];
    })"""
    found = on.page.locator(".ak-gather rect[height='78']").evaluate_all(wider)
    assert found == [[3, 0]] * 4


def test_a_box_that_is_left_empty_shows_its_number_again(stage: Any) -> None:
    on = stage(GraphReadout())
    box = on.page.locator("input[type=number]").first
    before = box.input_value()
    box.fill("")
    box.press("Tab")
    on.settle()
    assert box.input_value() == before
    assert on.widget.h[0] == float(before)
