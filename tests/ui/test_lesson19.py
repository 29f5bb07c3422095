"""Lesson 19's widget under mouse and keys: a fit walked through step by step, with the damping in hand."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson19 import LevenbergMarquardtSteps

FAR = [0.05, 1.0]


def test_steps_lead_to_the_lessons_number(stage: Any) -> None:
    on = stage(LevenbergMarquardtSteps())
    assert "Try 1, damping 0.001: from a cost of 5.599" in on.summary
    assert "the step finds 0.2616: it is kept" in on.summary
    on.shot("19-first")
    on.page.locator("[aria-label='Tries of the fit'][type=range]").focus()
    on.press("ArrowRight")
    assert "Try 2, damping 1×10⁻⁴" in on.summary
    on.press("End")
    assert "After 5 tries the fit is at (2, −1), and the cost is below 10⁻²⁰" in on.summary
    assert "5 Jacobians: 10 pushes, where pulls are 100" in on.summary
    on.shot("19-end")


def test_a_damping_of_the_learners_own(stage: Any) -> None:
    on = stage(LevenbergMarquardtSteps(start=FAR, step=1), theme="dark")
    assert "it is refused, and the damping grows" in on.summary
    box = on.page.locator("[aria-label='Damping λ of the next step, as a number']")
    box.fill("10")
    box.press("Enter")
    assert "Try 2, damping 10" in on.summary
    assert "it is kept" in on.summary
    assert on.widget.dampings == [None, 10.0]
    on.shot("19-by-hand")
    on.page.get_by_role("button", name="Leave it to the rule").click()
    assert "Try 2, damping 1×10⁻⁴" in on.summary
    assert on.widget.dampings == [None]


def test_the_start_moves_with_the_keys_and_the_mouse(stage: Any) -> None:
    on = stage(LevenbergMarquardtSteps())
    handle = on.page.locator("[aria-roledescription='start of the fit']")
    handle.focus()
    on.press("ArrowRight", "ArrowUp")
    on.settle()
    assert on.widget.start == [1.05, 0.05]
    assert handle.get_attribute("aria-valuetext") == "p₀ = 1.05, p₁ = 0.05"
    box = on.page.locator("[aria-roledescription='start of the fit'] circle").first.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    on.page.mouse.move(*middle)
    on.page.mouse.down()
    on.page.mouse.move(middle[0] + 60, middle[1] - 40, steps=4)
    on.page.mouse.up()
    on.settle()
    assert on.widget.start[0] > 1.2
    assert on.widget.start[1] > 0.3
    assert on.widget.step == 0


def test_a_measured_curve(stage: Any) -> None:
    on = stage(LevenbergMarquardtSteps())
    on.choose("NIST Misra1a")
    assert "Try 1, damping 0.001: from a cost of" in on.summary
    assert on.page.locator(".ak-twin table tr").count() == 31
    on.choose("λ")
    assert on.widget.metric == "one"
    on.page.locator("[aria-label='Tries of the fit'][type=range]").focus()
    on.press("End")
    assert "(238.942129, 0.00055)" in on.summary
    assert "less than a billionth" in on.summary
    on.shot("19-misra-one")


def test_a_step_out_of_view_is_told(stage: Any) -> None:
    on = stage(LevenbergMarquardtSteps(start=FAR, step=0))
    assert "step to (0.84, −7.8), out of view" in (on.page.text_content(".ak-stage") or "")
    on.shot("19-out")


def test_controls_valley_and_sentence_stand_on_one_screen(stage: Any) -> None:
    on = stage(LevenbergMarquardtSteps(), width=820)
    for state in ({}, {"start": FAR, "step": 1}, {"curve": "misra", "step": 30}):
        on.widget = LevenbergMarquardtSteps(**state)
        on.draw()
        assert on.page.locator("section.ak").bounding_box()["height"] <= 640


def test_no_arrow_head_is_longer_than_its_step(stage: Any) -> None:
    on = stage(LevenbergMarquardtSteps())
    head = on.page.locator(".ak-plot path[transform]")
    lengths = []
    for _ in range(3):
        lengths.append(head.evaluate("node => node.getBoundingClientRect().width"))
        on.page.locator("[aria-label=Step]").click()
        on.settle()
    assert lengths[0] > 8
    assert lengths[2] < 3
