"""A learner's two days with lesson 09: from the front page to a solved exercise, and all of it there the next day."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.site.conftest import Visit, Visitor
from tests.site.test_lessons_in_browser import commit_first_choice, solve_at_second_try

TOP = Path(__file__).resolve().parents[2]
QUESTION = "Does masking after softmax leak?"
ANSWER = (TOP / "autodiff_kit/exercises/questions/lesson09/mask_1/solution.py").read_text(encoding="utf-8")
WRONG = """import numpy as np

def zero_after(scores, keep):
    return scores * keep

renormalised = masked_before = zero_after
"""
# The copy of the progress that is shown before Python runs.
KEPT = "JSON.parse(localStorage.getItem('autodiff-kit:last-progress')).totals.solved === 1"
PICTURE = "img[src^='data:image/svg+xml']"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def from_the_front_page(visitor: Visitor) -> Visit:
    """The lesson's notebook, by the links that a visitor follows."""
    visit = visitor.visit()
    visit.page.goto(f"{visitor.address}/")
    visit.page.get_by_role("link", name=QUESTION).click()
    visit.page.get_by_role("link", name="Run here").first.click()
    return visit


def test_a_lesson_is_learned_and_found_again_the_next_day(visitor: Visitor) -> None:
    visit = from_the_front_page(visitor)
    visit.started()
    asked, played = visit.index("predict("), visit.index("MaskedAttention(")
    visit.run(0, asked)
    commit_first_choice(visit.cell(asked).locator(".ak-predict"))
    visit.run(asked + 1, len(visit.cells()) - 1)
    verdict = visit.show(asked).locator(".ak-predict [role=status]").inner_text()
    assert verdict.startswith("You said")
    play = visit.show(played).locator(".ak").first
    before = play.locator(".ak-summary").inner_text()
    play.locator("[role=radio][aria-checked=false]:visible").first.click()
    expect(play.locator(".ak-summary")).not_to_have_text(before, use_inner_text=True)  # the kernel has answered
    said = play.locator(".ak-summary").inner_text()
    visit.save()

    panel = visit.syllabus()
    row = panel.locator('[data-no="09"]')
    expect(row).to_have_class(re.compile("is-read"))
    visit.page.goto(f"{visitor.address}/lessons/09_attention_masking.html")
    visit.page.get_by_role("link", name="Practise: its exercises").click()
    visit.started()
    answer = solve_at_second_try(visit, "mask-1", "def zero_after(", WRONG, ANSWER)
    visit.page.wait_for_function(KEPT)

    visitor.come_again()
    visit = from_the_front_page(visitor)
    visit.loaded()  # all that follows is there before Python is
    expect(visit.show(asked).locator(".akl-saved")).to_contain_text(verdict)
    shown = visit.show(played).locator(".akl-saved")
    expect(shown.locator(PICTURE).first).to_be_visible()
    expect(shown).to_contain_text(said)
    panel = visit.syllabus()
    expect(panel.locator('[data-no="09"]')).to_have_class(re.compile("is-read"))
    expect(panel).to_contain_text(re.compile(r"Solved\s*1 of \d+ questions"))

    visit.page.goto(f"{visitor.address}/lite/notebooks/index.html?path=exercises/09_attention_masking.ipynb")
    visit.started()
    assert "three places for a mask" in visit.cells()[answer]["text"].lower()
    visit.run(0, visit.index("q1, q2"))
    visit.command("open-exercises")
    card = visit.page.locator('.akl-exercises [data-id="mask-1"]')
    expect(card).to_have_class(re.compile("is-passed"))
    expect(card).to_contain_text("2 tries")
