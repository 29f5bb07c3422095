"""A widget in a notebook 820 px wide stands on one screen, from its title to the line of its table, in each state."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit import widgets

MOST = 640  # px; JupyterLab in a window of 1280 × 800 with the syllabus open shows a little more
# Widgets, and the states in which they are tallest.
STATES: dict[str, list[dict[str, Any]]] = {
    "FirstTape": [{}, {"program": "(a+b)²·b", "asks": 5, "step": 6}],
    "JvpVjp": [{"sweep": "forward"}, {"sweep": "reverse"}, {"sweep": "double"}, {"sweep": "seam", "step": 2}],
    "UnconnectedPaths": [{}, *({"at": at, "said": [4] * 5} for at in range(5))],
    "WhereBranches": [{}, {"way": "absorb", "f": "log", "step": 4}, {"way": "cond", "step": 4}],
    "DoublingLoop": [{}, {"x": 3.125, "h": 0.001}, {"x": 2.0, "h": 0.4}],
    "CustomGradientRule": [
        {},
        {"f": "sign", "rule": "window", "hook": "clip", "step": 4},
        {"f": "log1pexp", "step": 4},
    ],
    "FloorDescent": [{}, {"anneal": True, "step": 200}],
    "FakeQuantGradients": [{}, {"x": [-4.0, -4.0, -3.5, 0.0, 5.0]}],
    "MessageRounds": [{}, {"graph": "triangles", "start": "ones", "rounds": 6}],
    "ProbeGradient": [{}, {"n": 16, "k": 64}],
}
HEIGHT = """document.querySelector(".ak-twin").getBoundingClientRect().bottom
  - document.querySelector(".ak-title").getBoundingClientRect().top"""
SMALLEST = 12  # px of type
SMALL = """smallest => [...document.querySelectorAll(".ak *")]
  .filter((node) => [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim()))
  .filter((node) => {
    const figure = node.ownerSVGElement;
    const drawn = figure?.viewBox.baseVal?.width; // a picture that is drawn smaller makes its words smaller too
    const scale = drawn ? figure.getBoundingClientRect().width / drawn : 1;
    return parseFloat(getComputedStyle(node).fontSize) * scale < smallest - 0.5;
  }).map((node) => node.textContent)"""


@pytest.mark.parametrize("name", STATES)
def test_title_controls_picture_and_sentence_stand_on_one_screen(stage: Any, name: str) -> None:
    on = stage(getattr(widgets, name)(), width=820)
    for traits in STATES[name]:
        on.widget = getattr(widgets, name)(**traits)
        on.draw()
        assert on.page.evaluate(HEIGHT) <= MOST, traits


@pytest.mark.parametrize("name", STATES)
def test_words_are_large_enough_on_a_telephone(stage: Any, name: str) -> None:
    on = stage(getattr(widgets, name)(**STATES[name][-1]), width=360)
    assert on.page.evaluate(SMALL, SMALLEST) == []
