"""The syllabus: all lessons have their parts, in order, and print the number that they are there for."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit import widgets
from autodiff_kit.exercises.questions import LESSONS as ASKED
from autodiff_kit.lessons.lesson_header import needed_lesson
from autodiff_kit.lessons.prompts import lesson_numbers, prompts_of

TOP = Path(__file__).resolve().parents[2]
PARTS = ["goal", "predict", "run", "reveal", "play", "why", "try", "summary"]
COLUMNS = ("TensorFlow", "PyTorch", "JAX", "this kit")


class Lesson:
    """A lesson's notebook as it is stored, with the results of its cells."""

    def __init__(self, path: Path) -> None:
        book = json.loads(path.read_text(encoding="utf-8"))
        self.path, self.cells = path, book["cells"]
        self.about: dict[str, Any] = book["metadata"]["autodiff_kit"]
        self.no: str = self.about["no"]
        self.roles = [cell["metadata"]["autodiff_kit"]["role"] for cell in self.cells]

    def sources(self, role: str, kind: str = "code") -> list[str]:
        """What the cells of a part say."""
        cells = [cell for cell, own in zip(self.cells, self.roles, strict=True) if own == role]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]

    def printed(self) -> Iterator[str]:
        """What each cell printed or showed as text, but for the questions before it."""
        for cell, role in zip(self.cells, self.roles, strict=True):
            for output in cell.get("outputs", []) if role != "predict" else []:
                text = output.get("text") or output.get("data", {}).get("text/plain", [])
                yield "".join(text)


LESSONS = [Lesson(path) for path in sorted((TOP / "notebooks").glob("*.ipynb"))]


def test_lessons_are_numbered_and_each_has_prompts_and_an_exercise() -> None:
    numbers = [lesson.no for lesson in LESSONS]
    assert numbers == [f"{no:02d}" for no in range(len(LESSONS))] == list(lesson_numbers()) == sorted(ASKED)
    assert len(numbers) >= 22


@pytest.fixture(params=LESSONS, ids=lambda lesson: lesson.path.stem)
def lesson(request: pytest.FixtureRequest) -> Lesson:
    found: Lesson = request.param
    return found


def test_metadata(lesson: Lesson) -> None:
    about = lesson.about
    assert about["kind"] == "lesson"
    assert about["slug"] == lesson.path.stem
    assert lesson.path.stem.startswith(lesson.no)
    for key in ("title", "goal", "summary"):
        assert about[key].strip()
    assert 20 <= about["minutes"] <= 45
    assert len(about["keywords"]) >= 5
    assert about["rows"]
    assert all(re.fullmatch(r"B(?:0[1-9]|[1-3]\d|4[0-6])", row) for row in about["rows"])
    assert f"# {lesson.no} · {about['title']}" in lesson.sources("goal", "markdown")[0]


def test_parts_are_all_there_and_in_order(lesson: Lesson) -> None:
    firsts = [
        lesson.roles.index(part) for part in PARTS if part in ("goal", "predict", "reveal", "play", "try", "summary")
    ]
    assert set(PARTS) <= set(lesson.roles)
    assert firsts == sorted(firsts)
    assert lesson.roles[-1] == "summary"
    steps = [cell["metadata"]["autodiff_kit"]["step"] for cell in lesson.cells]
    assert steps == sorted(steps)


def test_what_it_needs_comes_before(lesson: Lesson) -> None:
    needs = lesson.about["needs"]
    assert needs
    assert all(no < lesson.no for no in map(needed_lesson, needs) if no)
    named = [no for need in needs for no in re.findall(r"\blessons? \d\d|^\d\d", need)]
    assert len(named) == sum(needed_lesson(need) is not None for need in needs), "one entry for each lesson"


def test_the_text_states_what_the_metadata_state(lesson: Lesson) -> None:
    assert f"**You need:** {', '.join(lesson.about['needs'])}." in lesson.sources("goal", "markdown")[0]


def test_a_prompt_is_answered_before_its_reveal(lesson: Lesson) -> None:
    asked = {prompt.item for prompt in prompts_of(lesson.no)}
    shown: set[str] = set()
    for role, cell in zip(lesson.roles, lesson.cells, strict=True):
        source = "".join(cell["source"])
        shown |= set(re.findall(r"predict\(\s*\"([^\"]+)\"", source)) if role == "predict" else set()
        assert set(re.findall(r"reveal\(\s*\"([^\"]+)\"", source)) <= shown
    assert shown == asked
    assert len(shown) >= 2


def test_a_widget_is_played_with_and_has_a_text_twin(lesson: Lesson) -> None:
    played = [name for name in widgets.__all__ if any(f"{name}(" in source for source in lesson.sources("play"))]
    assert played
    shown = [
        text
        for cell, role in zip(lesson.cells, lesson.roles, strict=True)
        if role == "play"
        for output in cell.get("outputs", [])
        for text in ["".join(output.get("data", {}).get("text/plain", []))]
    ]
    assert any(text.startswith(name) and len(text.splitlines()) > 2 for text in shown for name in played)


def test_graded_questions_wait(lesson: Lesson) -> None:
    assert 3 <= len(ASKED[lesson.no].questions) <= 6
    slug = lesson.about["exercise"]
    assert (TOP / "exercises" / f"{slug}.ipynb").is_file()
    assert any(f"../exercises/{slug}.ipynb" in text for text in lesson.sources("try", "markdown"))


def test_a_truth_table_names_the_others(lesson: Lesson) -> None:
    assert any("truth_table(" in source for source in lesson.sources("why"))
    assert any(all(name in text for name in COLUMNS) for text in lesson.printed())


def test_references_are_at_the_end(lesson: Lesson) -> None:
    last = "\n".join(lesson.sources("summary", "markdown"))
    assert "## Summary" in last
    assert len(re.findall(r"https://\S+", last)) >= 2


def test_the_printed_number_is_the_tables(lesson: Lesson) -> None:
    lines = [line for text in lesson.printed() for line in text.splitlines()]
    printed = importlib.import_module(f"tests.lessons.facts.lesson{lesson.no}").PRINTED
    assert printed
    for number in printed:
        assert any(number in line for line in lines), number


def test_together_they_cover_every_row() -> None:
    rows = {row for lesson in LESSONS for row in lesson.about["rows"]}
    assert rows == {f"B{no:02d}" for no in range(1, 47)}
