"""Lessons and questions are found by their folders, and imported only when they are asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises import questions
from autodiff_kit.exercises.questions import LESSONS

FOLDER = Path(questions.__file__).parent
IMPORTED = (
    "print(sorted(name for name in __import__('sys').modules if name.startswith('autodiff_kit.exercises.questions.')))"
)


def imported_after(code):
    """Modules of questions that a fresh interpreter has imported after some code."""
    done = subprocess.run([sys.executable, "-c", f"{code}\n{IMPORTED}"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_help_imports_no_question():
    code = "import autodiff_kit.cli as cli\ntry:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass"
    assert imported_after(code) == "[]"


def test_listing_lessons_and_ids_imports_no_question():
    code = "from autodiff_kit.exercises.questions import LESSONS\n[LESSONS.question_ids(no) for no in LESSONS]"
    assert imported_after(f"{code}\n'01' in LESSONS") == "[]"


def test_a_question_is_imported_alone():
    found = imported_after("from autodiff_kit.exercises.questions import load_question\nload_question('jvp_1')")
    assert "lesson01.jvp_1.question" in found
    assert "jvp_2" not in found
    assert "lesson02" not in found


def test_every_question_folder_is_a_package_and_has_all_of_its_files():
    for folder in FOLDER.glob("lesson*/*/"):
        if folder.name != "__pycache__":
            missing = {"__init__.py", "question.py", "solution.py", "wrong.py", "other.py"} - {
                f.name for f in folder.iterdir()
            }
            assert not missing, f"{folder}: {missing}"


def test_questions_come_in_the_order_of_their_numbers():
    for no, lesson in LESSONS.items():
        numbers = [int(question.id.rpartition("-")[2]) for question in lesson.questions]
        assert numbers == sorted(numbers)
        assert lesson.no == no
        assert lesson.slug.startswith(f"{no}_")


def test_a_question_is_found_by_its_id_and_by_its_folder():
    assert LESSONS.load_question("jvp-1") is LESSONS.load_question("jvp_1") is LESSONS["01"].questions[0]
    assert LESSONS.lesson_number("jvp-1") == "01"


def test_what_is_not_there_is_said():
    assert LESSONS.get("77") is None
    assert LESSONS.lesson_number("jvp-77") is None
    with pytest.raises(StructureError, match=r"no question 'jvp-77'.*jvp_77/"):
        LESSONS.load_question("jvp-77")
