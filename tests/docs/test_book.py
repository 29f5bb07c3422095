"""The book's pages: course plans respect prerequisites, commands exist, links are valid."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from autodiff_kit.cli import main
from autodiff_kit.lab.server.catalog import lesson_catalog
from website import address

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs"
sys.path.insert(0, str(DOCS))
import book  # noqa: E402

sys.path.pop(0)

NEEDS = {
    no: re.findall(r"^lesson (\d\d)", "\n".join(lesson.needs), re.MULTILINE) for no, lesson in lesson_catalog().items()
}
GUIDE = "".join((DOCS / name).read_text("utf-8") for name in ("teaching.md", "hubs.md"))
COMMANDS = re.findall(r"autodiff-kit ([a-z-]+(?: (?:build|classroom|gradescope|validate))?)((?: [^\n`]+)?)", GUIDE)


@pytest.mark.parametrize("title", book.PLANS)
def test_a_plan_teaches_what_a_lesson_needs_before_it(title: str) -> None:
    order = " ".join(lessons for _, lessons in book.PLANS[title]).split()
    assert len(set(order)) == len(order)
    missing = [f"{no} needs {need}" for at, no in enumerate(order) for need in NEEDS[no] if need not in order[:at]]
    assert missing == []


def test_a_term_has_every_lesson() -> None:
    assert sorted(" ".join(lessons for _, lessons in book.PLANS["A term of twelve weeks"]).split()) == sorted(NEEDS)


def test_the_guide_has_commands() -> None:
    assert {command for command, _ in COMMANDS} >= {"grade", "author build", "author validate", "new-exercise"}


@pytest.mark.parametrize(("command", "rest"), COMMANDS)
def test_commands_in_the_guide_are_parsed(command: str, rest: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert all(option in told for option in re.findall(r"--[a-z-]+", rest))


def test_options_of_the_guides_table_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["grade", "--help"])
    told = capsys.readouterr().out
    listed = re.findall(r"^\|[^|]*\|(.*)\|$", GUIDE, re.MULTILINE)
    options = [option for row in listed for option in re.findall(r"--[a-z-]+", row) if option.strip("-")]
    assert len(options) >= 8
    assert [option for option in options if option not in told] == []


@pytest.mark.parametrize("lesson", sorted((TOP / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_lessons_page_can_be_run_and_needs_no_kernel(lesson: Path) -> None:
    page = book.page(lesson.name, json.loads(lesson.read_text("utf-8")))
    text = json.dumps(page, ensure_ascii=False)
    for place in (address.read().binder, address.read().colab):
        assert place(f"notebooks/{lesson.name}") in text
    assert "widget-view" not in text
    assert "](../" not in text
    links = re.findall(r"\]\((\d\d_[^)#]+\.ipynb)", text)
    assert [link for link in links if not (lesson.parent / link).is_file()] == []
    assert (TOP / "exercises" / lesson.name).is_file()


def test_every_truth_table_that_a_lesson_shows_is_among_the_differences() -> None:
    lessons = {path.name: json.loads(path.read_text("utf-8")) for path in sorted((TOP / "notebooks").glob("*.ipynb"))}
    page = book.differences(lessons)
    for name in lessons:
        assert f"({name})" in page, f"{name} shows no truth table"
    assert page.count("```{raw} html") == page.count("PyTorch 2.") >= len(lessons)


def test_every_word_of_the_glossary_stands_with_its_lesson() -> None:
    lessons = {path.name: json.loads(path.read_text("utf-8")) for path in sorted((TOP / "notebooks").glob("*.ipynb"))}
    glossary = (DOCS / "glossary.md").read_text("utf-8")
    page = book.words_by_lesson(lessons, glossary)
    terms = re.findall(r"^(\S.*)\n: ", glossary, re.MULTILINE)
    assert sorted(re.findall(r"^(\S.*)\n: ", page, re.MULTILINE)) == sorted(terms)
