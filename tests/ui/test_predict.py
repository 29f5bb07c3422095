"""Predictions: committed by mouse or keys, locked afterwards, shown beside what the kernel found."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from autodiff_kit.widgets import Predict

CHOICES = [{"value": "a", "label": "the matrix"}, {"value": "b", "label": "three numbers"}]


class Asked(Predict):
    """With the two traits that tell the page when an answer has come; a prediction itself asks for none."""

    def get_state(self, *args: Any, **kwargs: Any) -> Any:
        return {**super().get_state(*args, **kwargs), "asked": 0, "answered": 0}


def test_a_choice_is_committed_and_locked(stage: Any) -> None:
    widget = Asked(question="What comes?", kind="choice", choices=CHOICES)
    on = stage(widget)
    assert on.page.locator(".ak-primary").is_disabled()
    on.page.locator("input[type=radio]").first.focus()
    on.press(" ", "Tab", "Enter")
    on.page.wait_for_function("document.activeElement.matches('.ak-predict [role=status]')")  # Shift+Enter goes on
    on.until(lambda: widget.answer == "a")
    assert on.page.locator("input[type=radio]").first.is_disabled()
    assert "Locked: the matrix. Run on to the result below" in on.page.text_content("[role=status]")
    on.shot("predict-choice")


def test_a_choice_may_be_named_nan_or_inf(stage: Any) -> None:
    choices = [{"value": "nan", "label": "not a number"}, {"value": "inf", "label": "no bound"}]
    on = stage(Asked(question="What comes?", kind="choice", choices=choices, answer="nan", truth="inf"))
    assert on.page.text_content("[role=status]") == "You said not a number; the kernel found no bound."
    assert on.page.locator(".ak-tag").all_inner_texts() == ["◇ your answer", "◆ what the kernel found"]


def test_several_are_committed_together(stage: Any) -> None:
    widget = Asked(question="Which of them?", kind="several", choices=[*CHOICES, {"value": "c", "label": "neither"}])
    on = stage(widget, theme="dark")
    boxes = on.page.locator("input[type=checkbox]")
    boxes.nth(0).click()
    boxes.nth(2).click()
    on.page.locator(".ak-primary").click()
    on.until(lambda: widget.answer == ["a", "c"])
    on.shot("predict-several-dark")


def test_numbers_that_are_shown_alike_are_called_the_same(stage: Any) -> None:
    on = stage(Asked(question="How much?", kind="number", answer=0.3, truth=0.1 + 0.2))
    assert on.page.text_content("[role=status]") == "You said 0.3, and so does the kernel."


def test_a_number_is_committed_by_enter(stage: Any) -> None:
    widget = Asked(question="How much?", kind="number")
    on = stage(widget, width=360)
    on.page.locator("input[type=number]").fill("-0.6")
    on.press("Enter")
    on.until(lambda: widget.answer == -0.6)


def test_going_on_without_is_kept(stage: Any) -> None:
    widget = Asked(question="How much?", kind="slider", low=0.0, high=2.0)
    on = stage(widget)
    on.page.locator("button:text-is('Go on without')").click()
    on.until(lambda: widget.skipped)
    assert widget.answer is None


def test_what_was_found_before_any_answer_can_be_predicted_again(stage: Any) -> None:
    widget = Asked(question="What comes?", kind="choice", choices=CHOICES, skipped=True, truth="b")
    on = stage(widget)
    on.page.locator("button:text-is('Predict again')").click()
    on.until(lambda: (widget.skipped, widget.truth) == (False, None))
    expect(on.page.locator(".ak-predict")).not_to_contain_text("kernel")
    on.page.wait_for_function("document.activeElement.matches('input[type=radio]')")
    on.press(" ")
    on.page.locator("button:text-is('Commit my answer')").click()
    on.until(lambda: widget.answer == "a")
    expect(on.page.locator("button:visible")).to_have_count(0)


def test_what_the_kernel_found_fits_beside_no_choice_on_a_telephone(stage: Any) -> None:
    """The sides of JupyterLab leave a cell 240 of 360 pixels."""
    choices = [*CHOICES, {"value": "c", "label": "floating-point"}]
    question = "What does gradient_override_map give?"
    on = stage(Asked(question=question, choices=choices, answer="a", truth="c"), width=240)
    box = on.page.locator(".ak-predict")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    on.shot("predict-240")


def test_the_mark_stays_where_the_thumb_was(stage: Any) -> None:
    on = stage(Asked(question="How much?", kind="slider", low=0.0, high=1.0, step=0.1))
    track = on.page.locator("input[type=range]")
    track.focus()
    on.press("End", "ArrowLeft", "ArrowLeft")
    thumb = track.evaluate("t => { const r = t.getBoundingClientRect(); return r.left + 8 + 0.8 * (r.width - 16); }")
    on.page.locator(".ak-primary").click()
    on.page.wait_for_timeout(100)
    mark = on.page.locator(".ak-hollow").evaluate(
        "m => { const r = m.getBoundingClientRect(); return r.left + r.width / 2; }"
    )
    assert abs(thumb - mark) < 2
    assert on.page.locator(".ak-predict svg text").all_text_contents()[:2] == ["0", "1"]  # the ends of the line


def test_what_a_changed_cell_found_is_said_to_be_no_answer(stage: Any) -> None:
    on = stage(Asked(question="What comes?", kind="choice", choices=CHOICES, answer="a", otherwise="[8 1 4]"))
    said = "A cell above was changed, and the kernel found [8 1 4]. The question is about the lesson's own numbers."
    assert on.page.text_content("[role=status]") == said
    assert on.page.locator(".ak-tag").all_inner_texts() == ["◇ your answer", ""]
    assert on.page.locator(".ak").get_attribute("lang") == "en"
