"""Feedback pages and the teacher's report in Chromium: both themes, two widths, on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from autodiff_kit.grade.lms_export import Enrolment
from autodiff_kit.grade.reports import write_reports
from autodiff_kit.grade.results import QuestionGrade, SubmissionResult
from autodiff_kit.grade.similarity import SimilarGroup

from .conftest import ask, axe

LONG = "müllergrünewaldannakatharinaelisabeth_1012"
MARKS = (
    QuestionGrade("jvp-1", 3.0, 3, "passed", "Every case is right."),
    QuestionGrade(
        "jvp-2", 0.0, 2, "not yet", "`push(f, x, v)` has " + 30 * "x" + "\nYour code, line 3: `return v`", "loops"
    ),
    QuestionGrade("jvp-3", 0.0, 2, "not attempted", "There is no function `rows`."),
)
RESULTS = [
    SubmissionResult(
        LONG, "01_jacobian_vector_products", "timeout", "q2: a function of yours did not end within the time limit.",
        MARKS, "2026-11-30T22:10:00+00:00", late=True, penalty=0.5, remarks=("The cell `x = 1 / 0` stopped.",),
    ),
    SubmissionResult("bob", "", "invalid", "It is not JSON, so it is not a notebook. Save it from Jupyter again."),
]  # fmt: skip
FRAME = """() => [...document.querySelectorAll('td.bar > span')].every(frame => frame.offsetWidth > 100
    && frame.firstElementChild.offsetWidth <= frame.clientWidth)"""


@pytest.mark.slow
def test_pages_fit_and_are_accessible(chrome: Browser, tmp_path: Path) -> None:
    names = {LONG: "Müller-Grünewald, Anna-Katharina Elisabeth"}
    groups = [SimilarGroup("jvp-1", (LONG, "bob"), 1.0)]
    write_reports(tmp_path, RESULTS, groups, Enrolment({}, ["Opper, Ole"], ["bob"], names))
    pages = [tmp_path / "report.html", *sorted((tmp_path / "feedback").glob("*.html"))]
    assert len(pages) == 3
    for theme in ("light", "dark"):
        shown = chrome.new_page(color_scheme=theme)
        for width in (1280, 360):
            shown.set_viewport_size({"width": width, "height": 900})
            for path in pages:
                shown.goto(path.as_uri())
                assert axe(shown, "main") == [], f"{path.name}, {theme}, {width}"
                assert ask(shown, "document.documentElement.scrollWidth <= innerWidth"), f"{path.name}, {width}"
        shown.goto(pages[0].as_uri())
        assert ask(shown, FRAME)
        shown.get_by_role("link", name="Müller-Grünewald").first.click()
        assert shown.get_by_role("heading", level=1).inner_text() == f"Feedback for {names[LONG]}"
        shown.close()
