"""The kit in Python on WebAssembly, in Node: lessons print a desktop's digits, and answers get its verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from . import engine as engines
from . import in_answers, in_dtypes, in_failures
from .engine import TOP, Engine

# Every run starts an engine, and some take a minute.
pytestmark = [pytest.mark.node, pytest.mark.skipif(bool(engines.missing()), reason=engines.missing() or "there is one")]

LESSONS = sorted((TOP / "notebooks").glob("*.ipynb"))
FIRST = LESSONS[1]
IN_NO_BROWSER = ("ImportError", "ModuleNotFoundError", "AttributeError('Tried to lookup unknown symbol")
QUESTIONS = TOP / "autodiff_kit" / "exercises" / "questions"
SEEDS = [0, 1]
# What a message says of rounding errors, or of memory: both are the platform's own.
OF_THE_PLATFORM = ("jvp-3", "jvp-5", "xent-2", "per-3", "mask-3: by the Jacobian")
# Booleans beside a Python number, which NumPy takes for its default integer; the kit's integers are not concerned.
BOOLEANS_AND_NUMBERS = ("Relu: bool",)


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, every_case: bool) -> Engine:
    """In `make test-all` that of the site as it is built, otherwise one of its parts: a build takes minutes."""
    if every_case:
        return engines.of_site(request.getfixturevalue("site"))
    return engines.of_parts(engines.build_kit(tmp_path_factory.mktemp("wheel")))


def run_lessons(engine: Engine, folder: Path, lessons: list[Path]) -> dict[str, Any]:
    files = {f"/home/pyodide/notebooks/{path.name}": path for path in lessons}
    found: dict[str, Any] = engine.run("in_lesson", folder, files, notebooks=list(files))
    return found


def assert_as_on_a_desktop(found: dict[str, Any], path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert found["failed"] == []
    assert found["differ"] == []
    assert found["ran"] + len(found["plots"]) == len(cells)
    assert found["compared"] >= 4
    assert found["widgets"] >= 3


def test_a_lesson_prints_the_digits_of_a_desktop(engine: Engine, tmp_path: Path) -> None:
    assert_as_on_a_desktop(run_lessons(engine, tmp_path, [FIRST])[FIRST.stem], FIRST)


@pytest.mark.slow
def test_every_module_of_the_site_can_be_imported(engine: Engine, tmp_path: Path) -> None:
    """Also those that no lesson imports: a module whose docstrings were taken away may assert what they say."""
    lock = json.loads((engine.pyodide / "pyodide-lock.json").read_bytes())["packages"]
    names = sorted({name for package in engine.packages for name in lock[package]["imports"]} | {"autodiff_kit"})
    found = engine.run("in_modules", tmp_path, packages=names)
    assert len(found["imported"]) > 500
    assert {"numpy.ma", "numpy.matlib", "numpy.testing", "autodiff_kit.learn"} <= set(found["imported"])
    # What a browser lacks is missing; anything else is a fault of how the packages were made smaller.
    assert {name: said for name, said in found["failed"].items() if not said.startswith(IN_NO_BROWSER)} == {}
    # A part that was left out, and that its package names; no learner's cell asks for all of another.
    assert {"autodiff_kit", "numpy"}.isdisjoint(found["not exported"]), found["not exported"]


@pytest.mark.slow
def test_every_answer_gets_the_verdict_of_a_desktop(engine: Engine, tmp_path: Path) -> None:
    files = {
        f"/home/pyodide/{path.relative_to(TOP)}": path
        for name in ("wrong", "other")  # which the wheel does not have
        for path in QUESTIONS.glob(f"lesson*/*/{name}.py")
    }
    here = in_answers.main(SEEDS)
    there = engine.run("in_answers", tmp_path, files, seeds=SEEDS)
    assert set(here) - set(there) <= {"xent-1: another right answer"}  # by SciPy
    for answer, verdicts in there.items():
        got, expected = verdicts, [list(one) for one in here[answer]]
        if answer.startswith(OF_THE_PLATFORM):
            got, expected = ([one[:3] for one in both] for both in (got, expected))
        assert got == expected, answer


@pytest.mark.slow
def test_every_operation_gives_the_dtypes_of_a_desktop(engine: Engine, tmp_path: Path) -> None:
    rules = TOP / "tests" / "rules"
    files = {f"/home/pyodide/rules/{path.name}": path for path in [*rules.glob("case*.py"), rules / "generated.py"]}
    here = in_dtypes.main("tests.rules")
    there = engine.run("in_dtypes", tmp_path, files, rules="rules")
    assert len(there) == len(here) > 5000
    other = {call: (got, here[call]) for call, got in there.items() if got != here[call]}
    assert {call: both for call, both in other.items() if not call.endswith(BOOLEANS_AND_NUMBERS)} == {}


@pytest.mark.slow
def test_failures_say_what_they_say_on_a_desktop(engine: Engine, tmp_path: Path) -> None:
    here = in_failures.main()
    assert engine.run("in_failures", tmp_path) == here
    assert sum(text.startswith(("AnomalyError", "StructureError")) for text in here.values()) >= 8


@pytest.mark.slow
def test_progress_is_kept_in_a_file_without_locks(engine: Engine, tmp_path: Path) -> None:
    found = engine.run("in_progress", tmp_path, environment={"AUTODIFF_KIT_DIR": "/home/pyodide/work"})
    assert found["files"] == ["progress.db"]
    assert found["tries"] == 2
    assert found["in memory"] is False
    assert found["exported"] == found["imported"] == 2


def test_a_missing_engine_is_a_reason_to_skip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engines, "LITE", tmp_path)
    assert "AUTODIFF_KIT_LITE" in engines.missing()
