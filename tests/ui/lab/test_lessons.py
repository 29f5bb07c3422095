"""Each lesson as a learner takes it: commit an answer, run on, read the reveal, then play with mouse and keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"
LESSONS = {path.name[:2]: f"notebooks/{path.name}" for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


def play_of(path: Path) -> str:
    """The first line of the cell that shows the lesson's widget."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    shown = [c for c in cells if c["cell_type"] == "code" and c["metadata"]["autodiff_kit"]["role"] == "play"]
    widget = next((c for c in shown if "tags" in c["metadata"]), shown[0])
    return "".join(widget["source"]).partition("\n")[0]


PLAY = {path.name[:2]: play_of(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
# Some of the numbers that a cell prints, and the prompt whose reveal shows the same.
PRINTED = {
    "01": {'reveal("vector-target"': "[7 1 4]", 'reveal("jv"': "[7 -5 3]", 'reveal("inner-products"': "18"},
    "06": {'reveal("soft-floor-at-two"': "1.5", 'reveal("end-s4"': "3.5", 'reveal("end-straight-through"': "3.1"},
    "09": {'reveal("kept-sum"': "0.6", 'reveal("gradient-into-padding"': "-5.6", 'reveal("nan-row"': "4"},
    "15": {
        'reveal("adam-hundred"': "-0.6005",
        'reveal("none-then-zero"': "-0.1670",
        'reveal("freeze-by-zeros"': "-0.9761",
    },
}


def run_all(book: Any, no: str, item: str, committed: Any) -> Any:
    """Run up to a prompt, answer it, run on; the answer is locked before, and stands beside the truth after."""
    prompt = f'predict("{item}")'
    book.run_before(prompt)
    box = book.cell(prompt).locator(".ak-predict")
    committed(box)
    box.locator("[role=status]:has-text('Locked: ')").wait_for()
    assert all(answer.is_disabled() for answer in box.locator("input:visible").all())
    assert box.locator("button:visible").count() == 0
    book.run_after(prompt)
    assert book.errors() == []
    assert book.not_run() == 0
    for cell, number in PRINTED[no].items():
        assert number in book.printed(cell)
        asked = book.cell(cell.replace("reveal(", "predict("))
        asked.locator(".ak-predict[data-locked=true]").wait_for()
        assert "ernel found" in asked.inner_text() or "so does the kernel" in asked.inner_text()
        assert "Why:" in book.cell(cell).inner_text()  # the reason stands under the result
    return box


def commit(box: Any) -> None:
    box.locator("button:text-is('Commit my answer')").click()


@pytest.mark.slow
def test_lesson_01(notebook: Any) -> None:
    def answer(box: Any) -> None:
        assert box.locator("button:text-is('Commit my answer')").is_disabled()
        box.locator("label:has-text('the 3 × 3 matrix')").click()
        commit(box)

    book = notebook(LESSONS["01"])
    box = run_all(book, "01", "vector-target", answer)
    assert "You said the 3 × 3 matrix J; the kernel found [7 1 4]." in box.inner_text()
    book.shot("01")

    play = book.play(PLAY["01"])
    before = play.picture()
    end = '[aria-label="Last step"]:visible'
    play.find(end).click()
    play.says("Jv = (7, −5, 3)")
    assert play.picture() != before
    play.choose("← pull u")
    play.find(end).click()
    play.says("Both inner products are 18")

    play.choose("push v →")
    play.find(end).click()
    play.says("Jv = (7, −5, 3)")
    first, second = ("[role=slider][aria-label^='v0,']", "[role=slider][aria-label^='v1,']")
    play.keys(first, "0")
    # Keys while the kernel still owes an answer for the first one: none may be lost.
    play.keys(second, "0", "ArrowUp", "ArrowUp", "ArrowDown")
    play.says("Jv = (2, −4, −1)")


@pytest.mark.slow
def test_lesson_06(notebook: Any) -> None:
    def answer(box: Any) -> None:
        for label in ("straight-through", "sigmoid, s = 15"):
            box.locator(f"label:has-text('{label}')").click()
        commit(box)

    book = notebook(LESSONS["06"])
    box = run_all(book, "06", "which-reach-three", answer)
    assert "You said straight-through, sigmoid, s = 15; the kernel found straight-through" in box.inner_text()
    book.shot("06")

    play = book.play(PLAY["06"])
    before = play.picture()
    play.choose("straight-through")
    play.find('[aria-label="Last step"]').click()
    play.says("3.1000; floor(x) was 3 after 8")
    assert play.picture() != before
    play.choose("sigmoid")
    play.keys(".ak-side input[type=number]", "Control+A", "1", "5", "Enter")
    play.find('[aria-label="Last step"]').click()
    play.says("0.3900")
    old = play.find(".ak-handle[role=slider]").first.get_attribute("aria-valuenow")
    play.drag(".ak-handle[role=slider]", 120, -20)
    play.keys(".ak-handle[role=slider]", "ArrowRight")
    assert play.find(".ak-handle[role=slider]").first.get_attribute("aria-valuenow") != old


@pytest.mark.slow
def test_lesson_09(notebook: Any) -> None:
    def answer(box: Any) -> None:
        box.locator("input[type=range]").focus()
        for _ in range(3):
            box.page.keyboard.press("ArrowRight")
        commit(box)

    book = notebook(LESSONS["09"])
    box = run_all(book, "09", "kept-sum", answer)
    assert "kernel 0.6" in box.inner_text()
    book.shot("09")

    play = book.play(PLAY["09"])
    play.says("−5.6 still reaches the padding; the kept weights sum to 0.6")
    before = play.picture()
    play.choose("renormalise")
    play.says("No gradient reaches the padding; the output is 23.3333")
    assert play.picture() != before
    play.keys("[role=switch]", "End", " ")
    play.says("Nothing is masked")
    play.find("[role=switch]").last.click()
    play.says("the output is 23.3333")
    play.choose("−inf before")
    play.find("button:text-is('Mask all')").click()
    play.says("All masked: all weights are NaN")
    play.find("select").select_option(label="rain again")
    play.find("[role=switch] >> nth=5").wait_for()


@pytest.mark.slow
def test_lesson_15(notebook: Any) -> None:
    def answer(box: Any) -> None:
        box.locator("input[type=radio]").first.focus()
        box.page.keyboard.press(" ")
        box.page.keyboard.press("ArrowDown")
        commit(box)

    book = notebook(LESSONS["15"])
    box = run_all(book, "15", "adam-hundred", answer)
    assert "You said −0.6005, and so does the kernel." in box.inner_text()
    book.shot("15")

    play = book.play(PLAY["15"])
    play.says("a is at −0.378785, of which ghost −0.278785")
    before = play.picture()
    play.keys("[role=slider][aria-valuetext^='step']", "End")
    play.says("a is at −0.600522, of which ghost −0.500522")
    assert play.picture() != before
    play.choose("SGD")
    play.says("a is at −0.100000")


def touched(play: Any) -> bool:
    """Whether some control of a widget changes its picture when keys are pressed on it."""
    before = play.picture()
    for control in play.find("[role=slider], input[type=range], [role=radio], [role=switch], [tabindex='0']").all():
        if control.is_visible() and control.is_enabled():
            control.focus()
            for key in ("ArrowRight", "ArrowLeft", " "):  # looked at after each: the second may undo the first
                play.page.keyboard.press(key)
                play.page.wait_for_timeout(400)
                if play.picture() != before:
                    return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("no", LESSONS)
def test_every_lesson_is_run_and_its_widget_touched(notebook: Any, no: str) -> None:
    book = notebook(LESSONS[no])
    book.command("notebook:run-all-cells")
    assert book.errors() == []
    assert book.not_run() == 0
    play = book.play(PLAY[no])
    assert play.find(".ak-summary").inner_text()
    assert touched(play)
    expect(play.root).to_have_attribute("data-state", "ready")


@pytest.mark.slow
def test_a_reload_brings_everything_back(notebook: Any) -> None:
    """The page is loaded anew beside the same kernel: the answer is still locked, and the widget still answers."""
    book = notebook(LESSONS["09"])
    book.command("notebook:run-all-cells")
    book.play(PLAY["09"]).choose("renormalise")
    book.play(PLAY["09"]).says("the output is 23.3333")
    book.command("docmanager:save")
    book.page.reload()
    book.ready()
    play = book.play(PLAY["09"])
    play.says("the output is 23.3333")
    play.choose("zero after")
    play.says("−5.6 still reaches the padding")
