"""Lesson 21's widget under mouse and keys: where the box is asked, and what M says elsewhere."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson21 import LearnedInverse


def drawn(on: Any) -> list[str]:
    """Paths of the curves: the right inverse, two edges, the model, the miss."""
    found: list[str] = on.page.locator(".ak-plot .ak-curve").evaluate_all("all => all.map((p) => p.getAttribute('d'))")
    return found


def test_outside_of_what_it_saw(stage: Any) -> None:
    on = stage(LearnedInverse())
    assert on.summary == ("y = 10 is outside of what M saw (−2 to 2): M says −98311, and the right x is 2.0000.")
    on.shot("21-start")
    on.choose("network")
    assert "M says 1.3905, and the right x is 2.0000." in on.summary
    on.choose("line")
    assert "M says 5.9680, and the right x is 2.0000." in on.summary


def test_asking_where_the_question_lies_brings_the_answer(stage: Any) -> None:
    on = stage(LearnedInverse(kind="network"))
    on.page.locator("input[type=range]").nth(2).focus()
    on.press("End")
    assert on.widget.hi == 2.0
    assert "y = 10 is inside of what M saw (−2 to 10)" in on.summary
    assert abs(on.widget.said - 2) < 0.1
    assert "41 for the pairs, once. A solver asks 40" in (on.page.text_content(".ak-side .ak-note") or "")


def test_the_question_is_dragged_and_stepped(stage: Any) -> None:
    on = stage(LearnedInverse())
    ball = on.page.get_by_role("slider", name="The question: y")
    ball.focus()
    on.press("Home")
    on.settle()
    assert on.widget.y == -12.0
    for _ in range(3):
        on.press("ArrowRight")
        on.settle()
    assert on.widget.y == -11.25
    box = on.page.locator(".ak-plot svg").bounding_box()
    at = ball.locator("circle").first.bounding_box()
    on.page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    on.page.mouse.down()
    on.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40, steps=4)
    on.page.mouse.up()
    assert "is inside of what M saw" in on.summary
    assert abs(on.widget.y) < 1.5


def test_it_is_learned_step_by_step(stage: Any) -> None:
    on = stage(LearnedInverse(kind="network", step=0))
    before = drawn(on)[3]
    on.page.locator("[aria-label='Step of the training'][type=range]").focus()
    worst = [on.widget.worst]
    for _ in range(3):
        on.press("ArrowRight")
        on.settle()
        worst.append(on.widget.worst)
    assert worst == sorted(worst, reverse=True)
    assert worst[0] > 2 * worst[-1]
    assert drawn(on)[3] != before
    on.shot("21-learning")
