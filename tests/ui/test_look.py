"""Every widget in both themes and in a narrow window: it draws, complains of nothing, and does not overflow."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit import widgets

NAMES = ("PushPull", "FloorDescent", "MaskedAttention", "AdamSlots")


@pytest.mark.parametrize("width", [900, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_it_draws_and_fits(stage: Any, name: str, theme: str, width: int) -> None:
    on = stage(getattr(widgets, name)(), theme=theme, width=width)
    on.shot(f"{name}-{theme}-{width}")
    assert on.summary
    assert not on.overflows()
    assert on.page.locator(".ak-twin table tr").count() > 2
