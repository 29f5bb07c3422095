"""Lesson 20's widget under mouse and keys: signs cancel off the diagonal, and the mean settles."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit.widgets.lesson20 import HessianProbes

PICTURE = ".ak-stage > div > svg"


def words(on: Any) -> str:
    """What stands in the picture once it is at rest."""
    on.settle()
    on.page.wait_for_function("!document.querySelector('[data-moving]')")
    return " | ".join(on.page.locator(f"{PICTURE} text").all_text_contents())


def sides(on: Any, part: str) -> list[float]:
    """Widths of a matrix's squares that are drawn in ink."""
    found: list[float] = on.page.locator(f"[data-part={part}] rect:is(.ak-ink-fill, .ak-hollow)").evaluate_all(
        "all => all.map((one) => Number(one.getAttribute('width')))"
    )
    return found


def to(on: Any, key: str) -> None:
    on.page.locator("[aria-label='Number of probes'][type=range]").focus()
    on.press(key)
    on.settle()


def test_it_opens_with_a_probe_that_is_drawn(stage: Any) -> None:
    on = stage(HessianProbes())
    assert "One probe, which has no error bar (1 product): trace 7, norm 5." in on.summary
    assert "The whole Hessian has trace 5 and norm 3.873" in on.summary
    assert len(sides(on, "probe")) == len(sides(on, "mean")) == 4
    assert "sum = 7, which is v·Hv" in words(on)
    on.shot("20-open")


def test_a_second_probe_cancels_what_is_off_the_diagonal(stage: Any) -> None:
    on = stage(HessianProbes())
    on.page.locator("[aria-label=Step]").click()
    assert "2 probes (2 products): trace 5.0 ± 2.0, norm 3.9 ± 1.3" in on.summary
    shown = words(on)
    assert "sum = 3, which is v·Hv" in shown
    assert "mean of 2 probes" in shown
    assert len(sides(on, "probe")) == 4
    assert len(sides(on, "mean")) == 2
    on.shot("20-two")


def test_a_new_probe_moves_over_to_the_mean(stage: Any) -> None:
    on = stage(HessianProbes(function="twelve", probes=[[]] * 4), own=True)
    on.frame_by_frame()
    on.page.evaluate("""() => {
      window.seen = new Set();
      const look = () => {
        const ghost = document.querySelector('[data-part=ghost]');
        if (ghost) seen.add(Math.round(ghost.getBoundingClientRect().left));
        requestAnimationFrame(look);
      };
      look();
    }""")
    on.page.locator("[aria-label=Step]").click()
    words(on)
    on.page.wait_for_function("seen.size > 2")


def test_with_less_motion_a_probe_is_there_at_once(stage: Any) -> None:
    on = stage(HessianProbes(), own=True)
    on.page.emulate_media(reduced_motion="reduce")
    on.page.locator("[aria-label=Step]").click()
    on.settle()
    assert len(sides(on, "mean")) == 2
    assert on.page.locator("[data-part=ghost]").count() == 0


def test_the_probes_signs_are_turned_with_the_keys(stage: Any) -> None:
    on = stage(HessianProbes())
    on.page.locator("[role=switch]").first.focus()
    on.press("ArrowRight", "Space")
    on.settle()
    assert on.widget.probes == [[1.0, -1.0]]
    assert "trace 3, norm 2.236" in on.summary
    assert on.page.evaluate("document.activeElement.getAttribute('aria-label')") == "entry 1: minus 1"
    assert "sum = 3, which is v·Hv" in words(on)


def test_a_normal_probe_keeps_its_sizes_when_a_sign_is_turned(stage: Any) -> None:
    on = stage(HessianProbes(function="diagonal", kind="normal"))
    before = list(on.widget.rows[0]["v"])
    on.page.locator("[role=switch]").nth(2).click()
    on.settle()
    assert on.widget.probes[0] == pytest.approx([-x if k == 2 else x for k, x in enumerate(before)])


def test_up_to_sixty_probes_and_others(stage: Any) -> None:
    on = stage(HessianProbes(function="twelve"), theme="dark")
    to(on, "End")
    assert "60 probes (60 products)" in on.summary
    assert "60 of 60" in (on.page.text_content(".ak-stepper") or "")
    words(on)
    on.shot("20-sixty")
    first = on.summary
    on.page.get_by_role("button", name="Draw others").click()
    assert on.summary != first
    assert on.widget.seed == 1
    to(on, "Home")
    assert "One probe" in on.summary


def test_a_diagonal_needs_one_probe_of_signs(stage: Any) -> None:
    on = stage(HessianProbes(probes=[[]] * 12))
    on.choose("diagonal")
    assert "trace 21 ± 0" in on.summary
    on.choose("normal")
    assert "trace 21 ± 0" not in on.summary


def test_the_norm_is_the_root_of_another_trace(stage: Any) -> None:
    on = stage(HessianProbes(probes=[[1.0, 1.0], [1.0, -1.0]]))
    on.choose("norm")
    assert on.widget.estimate == "norm"
    assert "sum = 15 | whose root is 3.873" in words(on)
    on.shot("20-norm")


def test_moving_too_far_is_shown_beside_the_squares(stage: Any) -> None:
    on = stage(HessianProbes(function="waves", probes=[[]] * 10))
    assert on.page.locator("[aria-label='h, how far it moves, as a number']").is_hidden()
    exact = on.summary
    on.choose("two gradients")
    assert "10 probes (20 gradients)" in on.summary
    box = on.page.locator("[aria-label='h, how far it moves, as a number']")
    box.fill("1e-5")
    box.press("Enter")
    assert on.summary.partition(":")[2] == exact.partition(":")[2]
    box.fill("1")
    box.press("Enter")
    assert on.summary.partition(":")[2] != exact.partition(":")[2]
    given = on.widget.cells["given"]["mean"]
    assert f"gradients give {given:.2f}".rstrip("0") in words(on)
    on.shot("20-moving")


@pytest.mark.parametrize("state", [{}, {"function": "twelve", "way": "moving", "estimate": "norm"}])
def test_controls_picture_and_sentence_stand_on_one_screen(stage: Any, state: dict[str, Any]) -> None:
    on = stage(HessianProbes(probes=[[]] * 5, **state), width=820)
    assert on.page.locator("section.ak").bounding_box()["height"] <= 640
