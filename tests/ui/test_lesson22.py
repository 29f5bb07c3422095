"""Lesson 22's widget under mouse and keys: graph, start values and rounds."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson22 import GRAPHS, MessageRounds

# Numbers beside nodes that an edge runs through: those in a node lie on paper that covers the edges.
ON_AN_EDGE = """() => {
  const all = (tag) => [...document.querySelectorAll(`.ak-stage svg ${tag}`)];
  const along = (edge) => (_, k) => edge.getPointAtLength((k / 199) * edge.getTotalLength());
  const spots = all("line").flatMap((edge) => Array.from({ length: 200 }, along(edge)));
  const beside = all("text.ak-halo").map((text) => [text.textContent, text.getBBox()]);
  const within = (b) => ({ x, y }) => x > b.x && x < b.x + b.width && y > b.y + 2 && y < b.y + b.height - 2;
  return { numbers: beside.length, covered: beside.filter(([, box]) => spots.some(within(box))).map(([text]) => text) };
}"""


def test_rounds_by_keys_and_the_graph_by_mouse(stage: Any) -> None:
    on = stage(MessageRounds())
    assert "After 1 round the values are [0, 1, 1, 0], and their sum is 2." in on.summary
    on.page.locator("input[type=range]").focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.rounds == 2
    assert "After 2 rounds the values are [2, 1, 1, 1], and their sum is 5." in on.summary
    on.shot("22-tail")
    on.choose("two triangles")
    assert on.widget.graph == "triangles"
    assert "[2, 1, 1, 0, 0, 0]" in on.summary
    on.choose("1 at every node")
    assert "[4, 4, 4, 4, 4, 4], and their sum is 24." in on.summary
    on.shot("22-triangles")


@pytest.mark.parametrize("graph", GRAPHS)
def test_no_number_stands_on_an_edge(stage: Any, graph: str) -> None:
    on = stage(MessageRounds(graph=graph, rounds=6), width=820)
    nodes = len(on.widget.values)
    for width in (820, 360):
        on.width(width)
        assert on.page.evaluate(ON_AN_EDGE) == {"numbers": 2 * nodes, "covered": []}, width


def test_a_graph_with_fewer_nodes_is_drawn_once_its_numbers_are_there(stage: Any) -> None:
    on = stage(MessageRounds(graph="ring"), delay=0.2)
    on.choose("triangle with a tail")
    assert on.page.locator(".ak-stage svg circle").count() == len(on.widget.values) == 4
