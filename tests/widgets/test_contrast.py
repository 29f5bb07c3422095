"""WCAG 2.2 contrast of every role of kit.css against every surface that it may stand on, light and dark.

Colours are read from the sheet. Text needs 4.5 : 1, lines and marks 3 : 1 (criteria 1.4.3 and 1.4.11).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autodiff_kit.widgets import bundle

SHEET = (Path(bundle.__file__).parent / "js" / "kit" / "kit.css").read_text(encoding="utf-8")
TEXT, MARK = 4.5, 3.0
FLOORS = {
    "ink": TEXT, "ink2": TEXT, "control": MARK, "fwd": MARK, "fwd-text": TEXT, "rev": MARK, "rev-text": TEXT,
    "nan": TEXT, "focus": MARK, "held": MARK,
}  # fmt: skip
SURFACES = ("paper", "sunk", "fwd-tint", "rev-tint")
# What stands behind a widget where the page sets its own: JupyterLab's dark cell, and its darkest theme.
PAPERS = {"light": ["#ffffff"], "dark": ["#212121", "#111111"]}

Rgb = tuple[float, float, float]


def block(selector: str) -> dict[str, str]:
    """The roles that one rule of the sheet sets."""
    found = re.search(rf"{re.escape(selector)}[^{{}}]*\{{([^}}]*)\}}", SHEET)
    assert found, selector
    return dict(re.findall(r"--ak-([\w-]+):\s*([^;]+);", found[1]))


LIGHT = block(".ak ")
THEMES = {"light": LIGHT, "dark": LIGHT | block('[data-jp-theme-light="false"] .ak')}


def colour(text: str) -> tuple[Rgb, float]:
    """Red, green, blue and opacity of ``#rgb``, ``#rrggbb``, ``rgba(...)`` or the fallback of ``var(...)``."""
    text = re.sub(r"^var\([^,]+,\s*(.+)\)$", r"\1", text.strip())
    if text.startswith("rgba"):
        *rgb, alpha = map(float, re.findall(r"[\d.]+", text))
        return (rgb[0], rgb[1], rgb[2]), alpha
    digits = text[1:] if len(text) == 7 else "".join(2 * d for d in text[1:])
    red, green, blue = (int(digits[i : i + 2], 16) for i in (0, 2, 4))
    return (red, green, blue), 1.0


def over(front: tuple[Rgb, float], ground: Rgb) -> Rgb:
    rgb, alpha = front
    red, green, blue = (c * alpha + g * (1 - alpha) for c, g in zip(rgb, ground, strict=True))
    return red, green, blue


def luminance(rgb: Rgb) -> float:
    parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(a: Rgb, b: Rgb) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def grounds(theme: str) -> dict[str, Rgb]:
    roles = THEMES[theme]
    papers = {f"paper {text}": colour(text)[0] for text in PAPERS[theme]}
    return papers | {name: colour(roles[name])[0] for name in SURFACES if name != "paper"}


def test_the_measure_itself() -> None:
    """Black on white is 21 : 1, and #767676 is the lightest grey that passes for text on white."""
    black, white = colour("#000")[0], colour("#ffffff")[0]
    assert contrast(black, white) == pytest.approx(21.0)
    assert contrast(colour("#767676")[0], white) >= TEXT > contrast(colour("#777777")[0], white)
    assert over(colour("rgba(0, 0, 0, 0.5)"), white) == pytest.approx((127.5, 127.5, 127.5))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", FLOORS)
def test_every_role_on_every_surface(role: str, theme: str) -> None:
    front = colour(THEMES[theme][role])
    found = {name: contrast(over(front, ground), ground) for name, ground in grounds(theme).items()}
    assert {name: round(ratio, 2) for name, ratio in found.items() if ratio < FLOORS[role]} == {}


def test_every_colour_of_the_sheet_is_a_role() -> None:
    """Outside of the two themes no rule names a colour of its own: then none escapes this test."""
    rules = re.sub(r"/\*.*?\*/", "", SHEET, flags=re.DOTALL)
    others = [part for part in re.findall(r"([^{}]*)\{([^{}]*)\}", rules) if "--ak-ink:" not in part[1]]
    named = [(selector.strip(), hit) for selector, body in others for hit in re.findall(r"#[0-9a-fA-F]{3,8}\b", body)]
    assert named == []
