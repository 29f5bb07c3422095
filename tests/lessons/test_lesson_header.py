"""The header of a lesson comes from its notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit.lessons import lesson_header as module
from autodiff_kit.lessons.lesson_header import UnknownLessonError, read_lesson_header

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
HEAD = {
    "no": "07",
    "slug": "07_x",
    "title": "T <b>",
    "goal": "Goal.",
    "minutes": 5,
    "needs": ["lesson 01 (the pull)", "patience"],
    "rows": ["B01", "B02"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setattr(module, "originals_folder", lambda: tmp_path)
    return tmp_path / "notebooks"


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_has_a_head(path: Path) -> None:
    head = read_lesson_header(path.stem[:2])
    assert head.slug == path.stem
    assert 5 <= head.minutes <= 60
    assert head.goal.endswith(".")
    assert head.rows


def test_head_in_words(folder: Path) -> None:
    (folder / "07_x.ipynb").write_text(json.dumps({"metadata": {"autodiff_kit": HEAD}}))
    head = read_lesson_header("7")
    assert str(head).splitlines() == [
        "Lesson 07: T <b>",
        "Goal: Goal.",
        "Time: 5 minutes",
        "Needs: lesson 01 (the pull), patience",
    ]
    assert "T &lt;b&gt;" in head._repr_html_()


def test_unknown_lesson_lists_those_there_are(folder: Path) -> None:
    (folder / "07_x.ipynb").write_text("{}")
    with pytest.raises(UnknownLessonError, match=r"no lesson '99'.*07"):
        read_lesson_header("99")


@pytest.mark.parametrize("no", ["", "*", "0?", "/01", None, "[0-9]"])
def test_what_is_no_number_names_no_lesson(folder: Path, no: Any) -> None:
    for name in ("00_x", "01_x"):
        (folder / f"{name}.ipynb").write_text(json.dumps({"metadata": {"autodiff_kit": HEAD}}))
    with pytest.raises(UnknownLessonError, match="there is no lesson"):
        read_lesson_header(no)


@pytest.mark.parametrize("text", ["", "{}", '{"metadata": {"autodiff_kit": {"no": "07"}}}', "[]"])
def test_damaged_notebook_says_what_to_do(folder: Path, text: str) -> None:
    (folder / "07_x.ipynb").write_text(text)
    with pytest.raises(UnknownLessonError, match="install the kit again"):
        read_lesson_header("07")
