"""Every widget in both themes and three widths: it draws, complains of nothing, and nothing leaves its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from autodiff_kit import widgets
from autodiff_kit.widgets.lesson12 import HOLDS, WAYS
from autodiff_kit.widgets.lesson13 import PLACES

NAMES = sorted(set(widgets.__all__) - {"KernelWidget", "Predict"})
WIDTHS = (900, 420, 360)
CELL_OF_A_TELEPHONE = 264  # what JupyterLab leaves of 360 px
TWIN = ".ak-twin table tr"
# What a page shows, measured at once: asking one by one takes longer than drawing.
MEASURED = """([table, unscrolled]) => ({
  summary: document.querySelector(".ak-summary").textContent,
  overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  rows: document.querySelectorAll(table).length,
  scrolled: unscrolled
    ? [...document.querySelectorAll(unscrolled)].map((one) => one.scrollWidth > one.clientWidth) : [],
  cutOff: [...document.querySelectorAll(".ak-stage svg text")].map((text) => text.getBoundingClientRect())
    .filter((box) => box.left < 0 || box.right > innerWidth).length,
  sideways: [...document.querySelectorAll(".ak-stage *")]
    .filter((one) => !one.ownerSVGElement && one.clientWidth && one.scrollWidth > one.clientWidth + 1)
    .filter((one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX)).map((one) => one.className),
  colliding: (() => {
    const texts = [...document.querySelectorAll(".ak-stage svg text")];
    const words = texts.filter((text) => text.textContent.trim() && text.checkVisibility())
      .map((text) => [text.textContent, text.getBoundingClientRect()]);
    const overlap = (a, b, [low, high], air) => a[low] + air < b[high] && b[low] + air < a[high];
    // A line of text is higher than its letters.
    const meet = (a, b) => overlap(a, b, ["left", "right"], 1) && overlap(a, b, ["top", "bottom"], 4);
    return words.flatMap(([one, a], i) =>
      words.slice(i + 1).filter(([, b]) => meet(a, b)).map(([other]) => `${one} | ${other}`));
  })(),
})"""


@dataclass(frozen=True)
class Look:
    """A widget in one state: its traits, and what must hold of its page."""

    widget: str
    traits: dict[str, Any] = field(default_factory=dict)
    rows: int | None = None  # of the text twin, or of what `table` selects
    table: str = TWIN
    says: str = ""  # in the summary
    to_the_end: bool = False  # the stepper is taken to its last step before
    unscrolled: str = ""  # parts that need no scrolling
    pictures_whole: bool = False  # no text of a picture leaves the window


STATES = [
    Look("FirstTape", rows=5, to_the_end=True, unscrolled=".ak-tape"),
    *(Look("WhereBranches", {"way": way, "step": 4}, rows=4) for way in ("where", "inner", "cond")),
    Look("DoublingLoop", {"x": 3.0, "h": 0.25}, rows=8, says="crosses a jump and gives −144"),
    Look("CustomGradientRule", {"f": "floor", "rule": "five", "step": 4}, rows=5),
    Look("CustomGradientRule", {"f": "log1pexp", "rule": "own", "step": 4}, rows=5),
    Look("CustomGradientRule", {"f": "sign", "rule": "own", "step": 4}, rows=5),
    Look("FakeQuantGradients", {"x": [-6.0, -3.5, -0.25, 1.75, 5.25]}, rows=6, pictures_whole=True),
    Look("LogitBars", {"logits": [-4, 1.25, 4, -0.75, 0], "label": 0, "level": -1000.0}, rows=7, pictures_whole=True),
    Look("MaskedAttention", {"design": "minusinf", "keep": [False] * 4, "stage": 3}, says="each is 0/0"),
    Look("MaskedAttention", {"sentence": 4, "design": "additive", "stage": 2}, rows=7),
    Look("StopGradientPaths", {"shut": ["B", "C"]}, rows=9),
    Look("GraphReadout", {"ids": [1, 0, 1, 3, 1], "count": 4, "readout": "naive"}, rows=7),
    *(
        Look("VariableState", {"way": way, "hold": hold, "step": 5}, rows=4 if way == "assign" else 5)
        for way in WAYS
        for hold in HOLDS
    ),
    *(Look("TapeMemory", {"place": place, "at": 100}, says="After 100 steps") for place in PLACES),
    *(
        Look("TapeMemory", {"view": "layers", "k": k, "at": at}, rows=7, table=".ak-twin tbody tr")
        for k, at in ((10, 150), (1, 200), (100, 299))
    ),
    Look("MomentumSteps", {"grads": [1.0] * 3 + [0.0] * 3 + [-1.0] * 3 + [None] * 15, "at": 7}, rows=25),
    Look("MomentumSteps", {"at": 23}, rows=25, pictures_whole=True),
    Look("AdamSlots", {"at": 99}, says="of which ghost", pictures_whole=True),
    Look("AdamSlots", {"lesson": 23, "at": 60}, says="not seen, no step", pictures_whole=True),
    *(
        Look("ConstrainedDescent", {"region": region, "at": 8}, rows=10, unscrolled=".ak-stage .ak-scroll")
        for region in ("half", "disc")
    ),
    *(Look("GradientClipping", {"step": step}, rows=7, pictures_whole=True) for step in range(4)),
    *(
        Look("BackwardCost", {"program": program, "sizes": [32] * 4, "batch": 50}, rows=rows)
        for program, rows in (("products", 5), ("whole", 6))
    ),
    *(Look("LevenbergMarquardtSteps", {"curve": curve, "step": 2}) for curve in ("decay", "misra")),
    *(
        Look("HessianProbes", {"function": function, "way": "moving", "probes": [[]] * 24}, rows=26)
        for function in ("two", "twelve")
    ),
    *(Look("LearnedInverse", {"kind": kind, "y": -3.5}, rows=8) for kind in ("line", "polynomial", "network")),
]


# The cell of JupyterLab at 1280 × 800 with the syllabus open, and what is left of its height.
CELL, SCREEN = 820, 640
FITTED = {
    "AdamSlots", "ConstrainedDescent", "GradientClipping", "GraphReadout", "LogitBars", "MaskedAttention",
    "StopGradientPaths", "VariableState",
}  # fmt: skip


def _name(look: Look) -> str:
    return f"{look.widget}-{'-'.join(map(str, look.traits.values()))}"


def faults(page: dict[str, Any], look: Look) -> list[str]:
    """What does not hold of a measured page, in words; empty where all is well."""
    rows_hold = page["rows"] > 2 if look.rows is None else page["rows"] == look.rows
    unscrolled = page["scrolled"] == ([False] if look.unscrolled else [])
    held = {
        "it says nothing": bool(page["summary"]),
        f"it does not say {look.says!r}: {page['summary']!r}": look.says in page["summary"],
        "the page overflows": not page["overflows"],
        f"{page['rows']} rows": rows_hold,
        f"{look.unscrolled} scrolls: {page['scrolled']}": unscrolled,
        f"{page['cutOff']} texts leave the window": not page["cutOff"] or not look.pictures_whole,
        f"it scrolls sideways: {page['sideways']}": not page["sideways"],
        f"words collide: {page['colliding']}": not page["colliding"],
    }
    return [fault for fault, holds in held.items() if not holds]


def take_to_the_end(on: Any, look: Look) -> None:
    if look.to_the_end:
        on.page.locator('[aria-label="Last step"]').click()
    on.settle()


@pytest.mark.parametrize("look", [Look(name) for name in NAMES], ids=_name)
def test_it_draws_and_fits_in_both_themes_and_every_width(
    stage: Callable[..., Any], look: Look, every_case: bool
) -> None:
    on = stage(getattr(widgets, look.widget)(**look.traits), width=WIDTHS[0])
    for width in (*WIDTHS, CELL_OF_A_TELEPHONE) if every_case else (WIDTHS[0], WIDTHS[-1]):
        if width != WIDTHS[0]:  # a new widget in a window of this width
            on.widget = getattr(widgets, look.widget)(**look.traits)
            on.width(width)
            on.draw()
        take_to_the_end(on, look)
        for theme in ("light", "dark"):
            on.theme(theme)
            assert not faults(on.page.evaluate(MEASURED, [look.table, look.unscrolled]), look), (theme, width)
            on.shot(f"{_name(look)}-{theme}-{width}")


def test_a_grid_is_fainter_than_the_data_under_a_theme_of_strong_borders(stage: Callable[..., Any]) -> None:
    """In JupyterLab's high contrast all borders are white."""
    on = stage(widgets.FloorDescent(), theme="dark")
    on.page.add_style_tag(content="body { --jp-border-color1: white !important; --jp-border-color2: white !important }")
    light = "one => Math.max(...getComputedStyle(one).stroke.match(/\\d+/g).slice(0, 3))"
    assert on.page.locator(".ak-stroke-value").first.evaluate(light) > 200
    assert on.page.locator(".ak-grid").first.evaluate(light) < 100


# The theme moves nothing, and what fits the narrowest window fits the others, but for `make test-all`.
@pytest.mark.parametrize("width", [pytest.param(width, marks=pytest.mark.slow) for width in WIDTHS[:-1]] + [WIDTHS[-1]])
@pytest.mark.parametrize("look", STATES, ids=_name)
def test_other_states_fit(stage: Callable[..., Any], look: Look, width: int) -> None:
    on = stage(getattr(widgets, look.widget)(**look.traits), width=width)
    take_to_the_end(on, look)
    assert not faults(on.page.evaluate(MEASURED, [look.table, look.unscrolled]), look)
    on.shot(f"{_name(look)}-light-{width}")


@pytest.mark.parametrize(
    "look", [Look(name) for name in sorted(FITTED)] + [look for look in STATES if look.widget in FITTED], ids=_name
)
def test_controls_picture_and_sentence_stand_on_one_screen(stage: Callable[..., Any], look: Look) -> None:
    on = stage(getattr(widgets, look.widget)(**look.traits), width=CELL)
    on.settle()
    assert on.page.locator("section.ak").bounding_box()["height"] <= SCREEN


def test_every_state_is_of_a_widget_that_exists() -> None:
    assert {look.widget for look in STATES} <= set(NAMES)
