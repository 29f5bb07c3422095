"""Every lesson and exercise on the site as it is built: run, left by its links, and opened again the next day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Playwright

from tests.site.conftest import Visit, Visitor

TOP = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((TOP / "notebooks").glob("*.ipynb"))
EXERCISES = sorted((TOP / "exercises").glob("*.ipynb"))
QUESTIONS = TOP / "autodiff_kit" / "exercises" / "questions"
LONG = 300_000  # ms
RUN_ALL = """() => {
    window.ran = false;
    void jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.ran = true; });
}"""
SETTLED = """() => window.ran
    && jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"""
# Links of the notebook's texts that lead to another page of this site.
LINKS = """() => [...document.querySelectorAll('.jp-MarkdownOutput a')].filter(one =>
    new URL(one.href, location.href).origin === location.origin && !one.getAttribute('href').startsWith('#'))"""
SHOWN = "() => window.jupyterapp?.shell.currentWidget?.context?.path"
BARS = "() => [...document.querySelectorAll('.akl-saved-bar')].map(one => one.innerText).filter(text => text)"
ALL_CAN_RUN = f"""() => {{
    const bars = ({BARS})();
    return bars.length && bars.every(text => text.includes('Run to bring it back'));
}}"""
WITHOUT_MATPLOTLIB = "This site was built without matplotlib"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def regular(playwright: Playwright, chromium: str, address: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Somebody who reads one lesson after the other: their browser has what all lessons load."""
    here = Visitor(playwright, chromium, tmp_path_factory.mktemp("profile"), address)
    yield here
    here.context.close()
    assert here.elsewhere == []


def run_all(visit: Visit) -> list[dict[str, Any]]:
    """Run all cells; what they have put out."""
    visit.page.evaluate(RUN_ALL)
    visit.page.wait_for_function(SETTLED, timeout=LONG)
    return visit.cells()


def printed(outputs: list[dict[str, Any]]) -> str:
    return "".join("".join(out["text"]) for out in outputs if out.get("name") == "stdout")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem[:2])
def test_a_lesson_runs_leads_on_and_is_there_the_next_day(regular: Visitor, path: Path) -> None:
    visit = regular.visit()
    visit.notebook(f"notebooks/{path.name}")
    here, there = run_all(visit), json.loads(path.read_bytes())["cells"]
    errors = [out for cell in here for out in cell["outputs"] if out["output_type"] == "error"]
    assert [out["evalue"] for out in errors if WITHOUT_MATPLOTLIB not in out["evalue"]] == []
    idle = [cell["text"] for cell in here if cell["type"] == "code" and cell["text"].strip() and not cell["ran"]]
    assert errors or idle == []  # JupyterLab runs nothing after an error
    compared = 0
    for cell, stored in zip(here, there, strict=False):
        wanted = printed(stored.get("outputs", []))
        if wanted and cell["ran"] and "nbval-ignore-output" not in stored["metadata"].get("tags", ()):
            assert printed(cell["outputs"]) == wanted, stored["id"]
            compared += 1
    assert compared >= 4
    follow_links(visit)
    come_again(visit)
    visit.page.close()


def follow_links(visit: Visit) -> None:
    """Each link of the texts that stays on this site opens what it names."""
    count = visit.page.evaluate(f"({LINKS})().length")
    assert count  # that to the exercises, at least
    for at in range(count):
        with visit.page.context.expect_page() as opened:
            visit.page.evaluate(f"at => ({LINKS})()[at].click()", at)
        opened.value.wait_for_function(SHOWN, timeout=LONG)
        assert opened.value.evaluate(SHOWN) in unquote(opened.value.url)
        opened.value.close()


def come_again(visit: Visit) -> None:
    """A page that is opened anew has another Python: what was saved says so, and offers to be brought back."""
    visit.page.bring_to_front()
    visit.save()
    visit.page.reload()
    visit.started()
    visit.page.wait_for_function(ALL_CAN_RUN, timeout=LONG)


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem[:2])
def test_the_worked_answers_of_an_exercise_pass(regular: Visitor, path: Path) -> None:
    visit = regular.visit()
    visit.notebook(f"exercises/{path.name}")
    cells = json.loads(path.read_bytes())["cells"]
    asked = {at: about["question"] for at, cell in enumerate(cells) if (about := part(cell)).get("part") == "answer"}
    assert len(asked) >= 3
    for at, id in asked.items():
        folder = QUESTIONS / f"lesson{path.name[:2]}" / id.replace("-", "_")
        visit.set_text(at, (folder / "solution.py").read_text(encoding="utf-8"))
    run_all(visit)
    labels = ", ".join(f"q{k + 1}" for k in range(len(asked)))
    outcomes = visit.printed(f"print(*(q.check().outcome for q in ({labels},)))").split()
    assert outcomes == ["passed"] * len(asked)
    visit.page.close()


def part(cell: dict[str, Any]) -> dict[str, str]:
    """Which part of which question a cell is."""
    about: dict[str, str] = cell["metadata"].get("autodiff_kit", {})
    return about
