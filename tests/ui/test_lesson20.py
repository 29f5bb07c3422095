"""Lesson 20's widget under mouse and keys: probes are drawn, and their means settle."""

from __future__ import annotations

from typing import Any

from autodiff_kit.widgets.lesson20 import HessianProbes


def press(on: Any, label: str) -> None:
    on.page.get_by_role("button", name=label).click()
    on.settle()


def test_all_four_signs_give_the_lessons_number(stage: Any) -> None:
    on = stage(HessianProbes())
    assert "No probe yet. The whole Hessian of 2 × 2 has trace 5 and norm 3.873" in on.summary
    press(on, "Add this probe")
    assert "One probe, which has no error bar (1 product): trace 7.0000, norm 5.0000" in on.summary
    switches = on.page.locator("[role=switch]")
    for entry in (1, 0, 1):  # (1, −1), (−1, −1), (−1, 1)
        switches.nth(entry).click()
        on.settle()
        press(on, "Add this probe")
    assert "4 probes (4 products): trace 5.0000 ± 1.1547, norm 3.8730 ± 0.7454" in on.summary
    on.shot("20-four")


def test_the_next_probe_is_turned_with_the_keys(stage: Any) -> None:
    on = stage(HessianProbes())
    assert "Hv = (3, 4), v·Hv = 7, |Hv|² = 25" in (on.page.text_content(".ak-stage") or "")
    on.page.locator("[role=switch]").first.focus()
    on.press("ArrowRight", "Space")
    on.settle()
    assert on.widget.next_signs == [1.0, -1.0]
    assert "Hv = (1, −2), v·Hv = 3, |Hv|² = 5" in (on.page.text_content(".ak-stage") or "")
    assert on.page.evaluate("document.activeElement.getAttribute('aria-label')") == "entry 1: minus 1"


def test_probes_by_chance_up_to_the_most(stage: Any) -> None:
    on = stage(HessianProbes(function="twelve"), theme="dark")
    for _ in range(6):
        press(on, "Ten by chance")
    assert "60 probes (60 products)" in on.summary
    assert on.page.get_by_role("button", name="One by chance").is_disabled()
    on.shot("20-sixty")
    press(on, "Begin again")
    assert "No probe yet" in on.summary
    assert on.widget.seed == 1


def test_a_diagonal_needs_one(stage: Any) -> None:
    on = stage(HessianProbes())
    on.choose("diagonal")
    press(on, "One by chance")
    press(on, "One by chance")
    assert "trace 21.0000 ± 0.0000" in on.summary
    on.choose("normal numbers")
    press(on, "Ten by chance")
    assert "trace 21.0000 ±" not in on.summary


def test_moving_too_little_and_too_far(stage: Any) -> None:
    on = stage(HessianProbes(function="waves", probes=[[]] * 10))
    assert on.page.locator("[aria-label='h, how far it moves, as a number']").is_hidden()
    exact = on.summary
    on.choose("two moved gradients")
    assert "10 probes (20 gradients)" in on.summary
    box = on.page.locator("[aria-label='h, how far it moves, as a number']")
    box.fill("1e-5")
    box.press("Enter")
    assert on.summary.partition(":")[2] == exact.partition(":")[2]
    box.fill("0.3")
    box.press("Enter")
    assert on.summary.partition(":")[2] != exact.partition(":")[2]
    on.shot("20-moving")
