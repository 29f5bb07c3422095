"""Each panel is a plugin of its own: with one of them disabled, the others start and work."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from .cells import PUSH
from .conftest import opened


def syllabus(bench: Any) -> None:
    bench.command("autodiff-kit:open-syllabus")
    expect(bench.page.locator(".akl-syllabus .akl-lesson").first).to_be_visible()


def inspector(bench: Any) -> None:
    bench.notebook()
    bench.run("import autodiff_kit as ak\n" + PUSH)
    bench.tape(12)


def exercises(bench: Any) -> None:
    bench.open_lesson("01", "exercise")
    bench.command("autodiff-kit:open-exercises")
    expect(bench.page.locator(".akl-exercises .akl-q").first).to_be_visible()


WORKS: dict[str, Callable[[Any], None]] = {"syllabus": syllabus, "inspector": inspector, "exercises": exercises}


@pytest.mark.parametrize(
    "disabled", [pytest.param(panel, marks=pytest.mark.slow) for panel in ("inspector", "syllabus", "exercises")]
)
def test_a_panel_can_be_disabled_alone(chrome: Browser, server: Any, disabled: str) -> None:
    # What `jupyter labextension disable autodiff-kit:NAME` writes; the server reads it for each page.
    config = server.home / "JUPYTER_CONFIG_DIR" / "labconfig" / "page_config.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({"disabledExtensions": {f"autodiff-kit:{disabled}": True}}))
    page = chrome.new_page(viewport={"width": 1440, "height": 900})
    try:
        with opened(page, server) as bench:
            for panel, works in WORKS.items():
                present = panel != disabled
                expect(bench.page.locator(f".akl-{panel}")).to_have_count(int(present))
                assert bench.js(f"jupyterapp.commands.hasCommand('autodiff-kit:open-{panel}')") is present
                if present:
                    works(bench)
    finally:
        page.close()
        config.unlink()
