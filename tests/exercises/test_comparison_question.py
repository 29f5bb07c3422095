"""The smallest kind of question, added as one folder of a lesson: found, checked, hinted at and answered wrongly."""

from __future__ import annotations

import sys
import textwrap
from importlib import import_module
from pathlib import Path

import pytest

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.release import learner_notebook, notebook_json
from autodiff_kit.errors import StructureError
from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.exercise import Exercise
from autodiff_kit.exercises.questions import LessonCatalog

LESSON = """
from autodiff_kit.exercises.question import Lesson

LESSON = Lesson(no="30", slug="30_slopes", title="Slopes: exercises", goal="Find slopes.", minutes=5, reminders=())
"""
# The page on adding an exercise shows this question as the example.
QUESTION = '''"""slope-1: The slope of a logarithm."""

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import solution

QUESTION = comparison_question(
    id="slope-1",
    points=2,
    title="The slope of a logarithm",
    text="Write `slope(x, a)`, the derivative of log(a·x + 1) with respect to x, for an array x.",
    starter='def slope(x, a):\\n    """The derivative of log(a * x + 1)."""\\n    ...\\n',
    solution=solution.slope,
    inputs=lambda rng: [(rng.uniform(0.5, 3, size), float(rng.integers(2, 5))) for size in (1, 4)],
    misconceptions=(
        Misconception("forgets-the-factor", lambda x, a: 1 / (a * x + 1), "The inner slope {a} is missing."),
        Misconception("outer-slope-at-x", lambda x, a: a / x, "The outer slope belongs to a·x + 1, not to x."),
    ),
    hints=("Which function is inside?", "Multiply the two slopes.", "`a / (a * x + 1)`"),
)
'''
SOLUTION = '"""The chain rule."""\n\n\ndef slope(x, a):\n    return a / (a * x + 1)\n'
WRONG = """
import numpy as np

WRONG = {
    "no inner slope": ((lambda x, a: np.exp(-np.log(a * x + 1)),), "forgets-the-factor"),
    "at x": ((lambda x, a: a * x**-1.0,), "outer-slope-at-x"),
    "a sign": ((lambda x, a: -a / (a * x + 1),), ""),
}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package of lessons with one question, importable as ``own_questions``."""
    question = tmp_path / "own_questions" / "lesson30" / "slope_1"
    question.mkdir(parents=True)
    for path, text in {
        question.parents[1] / "__init__.py": "",
        question.parent / "__init__.py": LESSON,
        question / "__init__.py": "",
        question / "question.py": QUESTION,
        question / "solution.py": SOLUTION,
        question / "wrong.py": WRONG,
    }.items():
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield question
    for name in [name for name in sys.modules if name.partition(".")[0] == "own_questions"]:
        del sys.modules[name]


@pytest.fixture
def lessons(folder):
    return LessonCatalog("own_questions")


@pytest.fixture
def small(lessons):
    return lessons.load_question("slope-1")


def right(x, a):
    return a / (a * x + 1)


def test_it_takes_about_fifteen_lines():
    body = QUESTION.split("comparison_question(\n")[1]
    assert len(body.splitlines()) <= 16


def test_the_page_on_exercises_shows_it():
    text = (Path(__file__).parents[2] / "docs" / "contributing" / "exercise.md").read_text(encoding="utf-8")
    (shown,) = [block for block in text.split("   ```python\n") if block.lstrip().startswith('"""slope-1')]
    shown = shown.split("   ```")[0]
    assert textwrap.dedent(shown) == QUESTION


def test_it_is_found_by_its_folder(lessons):
    assert list(lessons) == ["30"]
    assert lessons.question_ids("30") == ("slope-1",)
    (question,) = lessons["30"].questions
    assert question.writes == ("slope",)
    assert question.solution == SOLUTION
    assert question.messages["forgets-the-factor"] == "The inner slope {a} is missing."


def test_the_worked_answer_passes(small):
    for seed in range(20):
        verdict = grade_attempt(small, {"slope": right}, seed)
        assert (verdict.outcome, verdict.share) == ("passed", 1.0)
        assert [(part.name, part.right, part.of) for part in verdict.parts] == [("slope", 2, 2)]


def test_a_wrong_answer_is_told_its_misconception(small, folder):
    for functions, name in import_module("own_questions.lesson30.slope_1.wrong").WRONG.values():
        for seed in range(20):
            verdict = grade_attempt(small, {"slope": functions[0]}, seed)
            assert (verdict.outcome, verdict.misconception) == ("not yet", name)


def test_braces_hold_the_arguments_of_the_case(small):
    verdict = grade_attempt(small, {"slope": lambda x, a: 1 / (a * x + 1)}, 3)
    assert verdict.message in [f"The inner slope {a} is missing." for a in (2, 3, 4)]


def test_a_starter_and_a_warning_are_told(small):
    names = {}
    exec(small.starter, names)
    assert grade_attempt(small, {"slope": names["slope"]}, 1).outcome == "not attempted"
    import numpy as np

    verdict = grade_attempt(small, {"slope": lambda x, a: np.log(-x)}, 1)
    assert "invalid value encountered in log" in verdict.message


def test_a_learner_checks_it_and_takes_a_hint(lessons, kept, capsys):
    (q1,) = Exercise(lessons["30"])
    assert set(vars(q1.example)) == {"x", "a"}
    assert q1.check(lambda x, a: a / x).misconception == "outer-slope-at-x"
    assert q1.hint().text.startswith("Which function is inside?")
    assert q1.check(right).score == 2
    assert "def slope(x, a):" in q1.solution().text
    assert "Passed: 2 of 2 points." in capsys.readouterr().out


def test_its_notebook_is_made_from_the_folder(lessons):
    text = notebook_json(learner_notebook(builtin_master(lessons["30"])))
    assert "q1 · The slope of a logarithm (2 points)" in text
    assert "a / (a * x + 1)" not in text


def test_a_folder_of_another_name_is_refused(folder):
    folder.rename(folder.parent / "slope_2")
    with pytest.raises(StructureError, match=r"slope_2/ has the id 'slope-1'"):
        LessonCatalog("own_questions").load_question("slope-2")
