from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

from autodiff_kit.exercises.question import worked
from autodiff_kit.exercises.questions import LESSONS

HERE = Path(__file__).parent


def answers(kind, no):
    """The module of a lesson's ``wrong`` or ``other`` answers."""
    spec = importlib.util.spec_from_file_location(f"{kind}_{no}", HERE / kind / f"lesson{no}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


QUESTIONS = {question.id: question for lesson in LESSONS.values() for question in lesson.questions}
# {question: {label: (functions, misconception)}}, and {question: functions}.
WRONG = {id: cases for no in LESSONS for id, cases in answers("wrong", no).WRONG.items()}
OTHER = {id: functions for no in LESSONS for id, functions in answers("other", no).OTHER.items()}
CASES = [(id, label) for id, cases in WRONG.items() for label in cases]


def solved(question):
    """The functions of a question's worked answer, by name."""
    return {name: getattr(worked(question.id), name) for name in question.writes}


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
