"""Lesson 13's widget under mouse and keys: a record that grows, and marks in a chain."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson13 import PLACES, TapeMemory

STEPS = "[aria-label='How far it has run'][type=range]"


def curve(on: Any) -> str:
    """The path of the run that is being drawn."""
    return str(on.page.locator(".ak-plot path.ak-stroke-value").first.get_attribute("d"))


def test_one_tape_around_all_steps(stage: Any) -> None:
    on = stage(TapeMemory())
    assert on.summary == "The tape: around all steps. GrowthRun the steps."
    assert (on.page.text_content(".ak-twin tbody") or "").count("?") == 8
    on.page.locator(STEPS).focus()
    on.press("ArrowRight", "ArrowRight")
    assert on.summary == "After 2 of 100 steps 10 nodes live; one step records 5."
    short = curve(on)
    on.press("End")
    assert on.summary == "After 100 steps 500 nodes live, and the records hold 1600 bytes."
    assert len(curve(on)) > 10 * len(short)
    on.shot("13-around")


def test_the_other_places(stage: Any) -> None:
    on = stage(TapeMemory(), theme="dark")
    for label, nodes in (
        ("around all steps", 500),
        ("around all, + float(loss)", 400),
        ("one a step, kept in a list", 500),
        ("one a step", 5),
    ):
        on.choose(label)
        on.page.locator(STEPS).focus()
        on.press("End")
        assert f"After 100 steps {nodes} nodes live" in on.summary
    assert "?" not in (on.page.text_content(".ak-twin tbody") or "")
    assert on.page.locator(".ak-plot path.ak-stroke-held").count() == 3  # the runs before stay, thin
    on.shot("13-places")


def test_marks_every_k_layers(stage: Any) -> None:
    on = stage(TapeMemory())
    on.choose("layers of one step")
    assert on.summary == "100 layers, a mark every 10. GrowthRun them."
    on.page.locator(STEPS).focus()
    on.press("End")
    assert "190 calls of a layer, and 19 values held at most" in on.summary
    slider = on.page.locator("[role=slider][aria-label='distance of the marks']")
    slider.focus()
    on.press("ArrowRight")
    on.settle()
    assert on.widget.k == 11
    assert on.summary == "100 layers, a mark every 11. GrowthRun them."
    on.page.locator("input[type=range]").nth(1).focus()
    on.press("Home")
    on.settle()
    on.page.locator(STEPS).focus()
    on.press("End")
    assert "a mark every 1: 100 calls of a layer, and 100 values held" in on.summary
    on.press("ArrowLeft")
    assert "asked for its slope, and its input dropped" in on.summary


def test_it_plays(stage: Any) -> None:
    on = stage(TapeMemory(n=20))
    on.page.locator("button[aria-label='Play']").click()
    on.page.wait_for_timeout(2500)
    assert on.summary.startswith("After 20 steps 100 nodes live")


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "width"), [("light", 900), ("dark", 420), ("light", 360)])
@pytest.mark.parametrize("place", PLACES)
def test_steps_fit(stage: Any, place: str, theme: str, width: int) -> None:
    on = stage(TapeMemory(place=place, at=100), theme=theme, width=width)
    assert "After 100 steps" in on.summary
    assert not on.overflows()
    on.shot(f"13-{place}-{theme}-{width}")


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "width"), [("light", 900), ("dark", 420), ("light", 360)])
@pytest.mark.parametrize(("k", "at"), [(10, 150), (1, 200), (100, 299)])
def test_layers_fit(stage: Any, k: int, at: int, theme: str, width: int) -> None:
    on = stage(TapeMemory(view="layers", k=k, at=at), theme=theme, width=width)
    assert on.summary
    assert not on.overflows()
    assert on.page.locator(".ak-twin tbody tr").count() == 7
    on.shot(f"13-layers-{k}-{theme}-{width}")
