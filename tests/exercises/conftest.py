from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest

from autodiff_kit.exercises.questions import LESSONS

IDS = [id for no in LESSONS for id in LESSONS.question_ids(no)]
QUESTIONS = {id: LESSONS.load_question(id) for id in IDS}


def beside(id, module):
    """A module that stands beside a question: solution, wrong or other."""
    folder = id.replace("-", "_")
    return import_module(f"autodiff_kit.exercises.questions.lesson{LESSONS.lesson_number(id)}.{folder}.{module}")


# {question: {label: (functions, misconception)}}, and {question: functions}.
WRONG = {id: beside(id, "wrong").WRONG for id in IDS}
OTHER = {id: beside(id, "other").OTHER for id in IDS}
CASES = [(id, label) for id, cases in WRONG.items() for label in cases]


def solved(question):
    """The functions of a question's worked answer, by name."""
    solution = beside(question.id, "solution")
    return {name: getattr(solution, name) for name in question.writes}


def pytest_generate_tests(metafunc):
    if "question" in metafunc.fixturenames:
        metafunc.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
    if "wrong" in metafunc.fixturenames:
        metafunc.parametrize("wrong", CASES, ids=[f"{id}: {label}" for id, label in CASES], indirect=True)


@pytest.fixture
def wrong(request):
    """One wrong solution: the question, the functions by name, and the misconception that it shows."""
    id, label = request.param
    functions, name = WRONG[id][label]
    question = QUESTIONS[id]
    return SimpleNamespace(question=question, functions=dict(zip(question.writes, functions, strict=True)), name=name)


@pytest.fixture
def other(question):
    """Another right answer to a question: its functions, in the order in which they are asked for."""
    return OTHER[question.id]


@pytest.fixture
def wrong_ones():
    return WRONG


@pytest.fixture
def solutions():
    return solved


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A learner's folder of its own, with its progress file."""
    (tmp_path / ".autodiff_kit").mkdir()
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
    monkeypatch.setenv("AUTODIFF_KIT_LEARNER", "ada")
    monkeypatch.chdir(tmp_path)
    return tmp_path
