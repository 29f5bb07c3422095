"""Lesson 22's widget under mouse and keys: graph, start values and rounds."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson22 import MessageRounds


def test_rounds_by_keys_and_the_graph_by_mouse(stage: Any) -> None:
    on = stage(MessageRounds())
    assert "After 0 rounds the values are [1, 0, 0, 0]" in on.summary
    on.page.locator("input[type=range]").focus()
    on.press("ArrowRight")
    on.settle()
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
