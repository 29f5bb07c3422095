"""Lesson 13's widget under mouse and keys: a record that grows, and marks in a chain."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson13 import TapeMemory

STEPS = "[aria-label='How far it has run'][type=range]"


def curve(on: Any) -> str:
    """The path of the run that is being drawn."""
    return str(on.page.locator(".ak-plot path.ak-stroke-value").first.get_attribute("d"))


def test_one_tape_around_all_steps(stage: Any) -> None:
    on = stage(TapeMemory())
    assert on.summary == "The tape: around all steps. Run the steps."
    assert (on.page.text_content(".ak-twin tbody") or "").count("?") == 8
    on.page.locator(STEPS).focus()
    on.press("ArrowRight", "ArrowRight")
    assert on.summary == "After 2 of 100 steps 10 nodes are alive; one step records 5."
    short = curve(on)
    on.press("End")
    assert on.summary == "After 100 steps 500 nodes are alive, and the records hold 1600 bytes."
    assert len(curve(on)) > 10 * len(short)
    on.shot("13-around")


def test_the_other_places(stage: Any) -> None:
    on = stage(TapeMemory(), theme="dark")
    for label, nodes in (
        ("around all steps", 500),
        ("around all, + float(loss)", 400),
        ("one per step, kept in a list", 500),
        ("one per step", 5),
    ):
        on.choose(label)
        on.page.locator(STEPS).focus()
        on.press("End")
        assert f"After 100 steps {nodes} nodes are alive" in on.summary
    assert "?" not in (on.page.text_content(".ak-twin tbody") or "")
    assert on.page.locator(".ak-plot path.ak-stroke-held").count() == 3  # the runs before stay, thin
    on.shot("13-places")


def test_marks_every_k_layers(stage: Any) -> None:
    on = stage(TapeMemory())
    on.choose("layers of one step")
    assert on.summary == "100 layers, a checkpoint every 10. Run them."
    on.page.locator(STEPS).focus()
    on.press("End")
    assert "190 calls of a layer, and 19 values held at most" in on.summary
    slider = on.page.locator("[role=slider][aria-label='layers between checkpoints']")
    slider.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.k == 11
    assert on.summary == "100 layers, a checkpoint every 11. Run them."
    on.page.locator("input[type=range]").nth(1).focus()
    on.press("Home")
    on.settle()
    on.page.locator(STEPS).focus()
    on.press("End")
    assert "a checkpoint every 1: 100 calls of a layer, and 100 values held" in on.summary
    on.press("ArrowLeft")
    assert "differentiated, and its input dropped" in on.summary


def test_it_plays(stage: Any) -> None:
    on = stage(TapeMemory(n=20))
    on.page.locator("button[aria-label='Play']").click()
    ended = "document.querySelector('.ak-summary').textContent.startsWith('After 20 steps')"
    on.page.wait_for_function(ended, timeout=10_000)
    assert on.summary.startswith("After 20 steps 100 nodes are alive")
