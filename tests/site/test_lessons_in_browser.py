"""Lessons and exercises in JupyterLite: a prediction, the widget, the reveal, checks, the inspector."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

TOP = Path(__file__).resolve().parents[2]
LESSONS = {path.name[:2]: path.name for path in sorted((TOP / "notebooks").glob("*.ipynb"))}
EXERCISE = "exercises/01_jacobian_vector_products.ipynb"
WRONG = """import numpy as np
def push(program, outputs, x, v):
    return np.zeros(len(outputs)), np.zeros(len(outputs))
def pull(program, outputs, x, u):
    return np.zeros(len(x))
"""
RIGHT = (TOP / "autodiff_kit/exercises/questions/lesson01/jvp_1/solution.py").read_text(encoding="utf-8")
# The cell of each that shows its widget.
PLAYED = {"01": "JvpVjp(", "06": "widget = FloorDescent(", "09": "MaskedAttention(", "15": "AdamSlots("}

# The inspector's views, and what each says of one tape of two operations.
VIEWS = {"graph": "multiply", "cost": "forward", "memory": "B", "diff": "Record a second tape", "why": "y"}

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def commit_first_choice(box: Any) -> None:
    """Answer a prompt, whatever it offers."""
    box.locator("input").first.wait_for()
    if box.locator("input[type=range]").count():
        box.locator("input[type=range]").press("ArrowRight")
    else:
        box.locator("label").first.click()
    box.locator("button:text-is('Commit my answer')").click()
    box.locator("[role=status]:has-text('Locked: ')").wait_for()


def solve_at_second_try(visit: Any, id: str, cell: str, wrong: str, right: str) -> int:
    """Check a wrong answer, ask for a hint, check the right answer, and save; which cell holds the answer."""
    visit.run(0, visit.index("q1, q2"))
    visit.command("open-exercises")
    card = visit.page.locator(f'.akl-exercises [data-id="{id}"]')
    answer = visit.index(cell)
    visit.write(answer, wrong)
    card.get_by_role("button", name="Check").click()
    expect(card).to_have_class(re.compile("is-not-yet|is-partial"))
    expect(card.locator(".akl-msg")).not_to_be_empty()
    card.get_by_role("button", name="Hint 1 of").click()
    expect(card.locator(".akl-hints li")).to_have_count(1)
    visit.write(answer, right)
    card.get_by_role("button", name="Check").click()
    expect(card).to_have_class(re.compile("is-passed"))
    visit.save()
    return int(answer)


@pytest.mark.parametrize("no", sorted(PLAYED))
def test_a_lesson_is_predicted_run_and_played_with(visitor: Any, no: str) -> None:
    visit = visitor.visit()
    visit.notebook(f"notebooks/{LESSONS[no]}")
    asked, revealed = visit.index("predict("), visit.index("reveal(")
    visit.run(0, asked)
    commit_first_choice(visit.cell(asked).locator(".ak-predict"))
    visit.run(asked + 1, len(visit.cells()) - 1)
    assert "Why" in str(visit.cells()[revealed]["outputs"])
    assert all(cell["ran"] for cell in visit.cells() if cell["type"] == "code" and cell["text"].strip())

    played = visit.index(PLAYED[no])
    widget = visit.show(played).locator(".ak").first
    expect(widget.locator("svg").first).to_be_visible()
    slider = widget.locator("[role=slider]:visible, input[type=range]:visible").first
    before = widget.inner_text()
    slider.focus()
    slider.press("ArrowRight")
    expect(widget).not_to_have_text(before, use_inner_text=True)


def test_an_exercise_is_wrong_hinted_right_and_handed_in(visitor: Any) -> None:
    visit = visitor.visit()
    visit.notebook(EXERCISE)
    solve_at_second_try(visit, "jvp-1", "def push(", WRONG, RIGHT)
    expect(visit.page.locator(".akl-exercises")).to_contain_text("Points that count come from the grader")
    with visit.page.expect_download() as loaded:
        visit.page.get_by_role("button", name="Hand in").click()
    assert re.fullmatch(r"01_\w+-[0-9a-f]{8}-\d+\.zip", loaded.value.suggested_filename)
    expect(visit.page.locator(".akl-handin")).to_contain_text("Receipt")


def test_the_inspector_shows_an_own_tape(visitor: Any) -> None:
    visit = visitor.visit()
    visit.notebook(f"notebooks/{LESSONS['01']}")
    visit.write(visit.index("import"), "import autodiff_kit as ak\nx = ak.Variable([2.0, 3.0])\n"
        "with ak.GradientTape(persistent=True) as tape:\n    y = ak.sum(x * x)\ng = tape.gradient(y, x)")  # fmt: skip
    visit.command("open-inspector")
    inspector = visit.page.locator(".akl-inspector")
    expect(inspector.locator(".akl-name", has_text=re.compile("^y$"))).to_have_count(1)
    expect(inspector).to_contain_text("[4 6]")
    for view, shown in VIEWS.items():
        inspector.locator(f".akl-tabs [data-v={view}]").click()
        expect(inspector.locator("#akl-view")).to_contain_text(shown)


def test_names_are_completed_and_nothing_can_be_installed(visitor: Any) -> None:
    visit = visitor.visit()
    visit.notebook(EXERCISE)
    first = visit.index("import numpy")
    visit.write(first, "import os")
    visit.write(first, "%pip install numpy")
    assert "asks no other host" in str(visit.cells()[first]["outputs"])
    found = visit.page.evaluate("""async () => {
        const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
        const reply = await kernel.requestComplete({ code: 'os.pat', cursor_pos: 6 });
        return reply.content.matches; }""")
    assert any("path" in name for name in found)
