"""Every widget in both themes and in a narrow window: it draws, complains of nothing, and does not overflow."""

from __future__ import annotations

from typing import Any

import pytest

from autodiff_kit import widgets

NAMES = sorted(set(widgets.__all__) - {"KernelWidget", "Predict"})


@pytest.mark.parametrize(
    ("theme", "width"),
    [
        ("light", 900),
        ("dark", 360),
        pytest.param("light", 360, marks=pytest.mark.slow),
        pytest.param("dark", 900, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_it_draws_and_fits(stage: Any, name: str, theme: str, width: int) -> None:
    on = stage(getattr(widgets, name)(), theme=theme, width=width)
    on.shot(f"{name}-{theme}-{width}")
    assert on.summary
    assert not on.overflows()
    assert on.page.locator(".ak-twin table tr").count() > 2
