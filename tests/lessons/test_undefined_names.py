"""A name that a cell further up would have made: the NameError says which cell that is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import autodiff_kit.lab
from autodiff_kit.lessons.notebook_file import read_notebook
from autodiff_kit.lessons.undefined_names import making_cell_hint
from autodiff_kit.lessons.workspace import originals_folder

LESSON_01 = next((originals_folder() / "notebooks").glob("01_*.ipynb"))


def notebook(folder: Path, *cells: tuple[str, str]) -> Path:
    path = folder / "made.ipynb"
    entries = [
        {"id": f"c{k}", "cell_type": kind, "source": source.splitlines(keepends=True)}
        for k, (kind, source) in enumerate(cells)
    ]
    path.write_text(json.dumps({"cells": entries}))
    return path


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return notebook(
        tmp_path,
        ("markdown", "# Title"),
        ("code", "import numpy as np"),
        ("markdown", "## 1 · First"),
        ("code", "with open('x') as tape:\n    y = [z for z in tape]"),
        ("markdown", "text, and no heading"),
        ("code", "def f(inner): local = 1\n(a, b), *rest = f(1)"),
        ("markdown", "## 2 · Second"),
        ("code", "y = 2\nif y:\n    late = 1"),
        ("code", "%time other = 3"),
        ("code", "y + 1"),
    )


@pytest.mark.parametrize(
    ("name", "heading", "line"),
    [("np", "Title", "import numpy as np"), ("tape", "1 · First", "with open('x') as tape:"),
     ("f", "1 · First", "def f(inner): local = 1"), ("rest", "1 · First", "def f(inner): local = 1"),
     ("late", "2 · Second", "y = 2")],
)  # fmt: skip
def test_a_name_is_found_in_the_cell_that_makes_it(made: Path, name: str, heading: str, line: str) -> None:
    told = making_cell_hint(made, name)
    assert told == f"`{name}` is made in the cell under “{heading}” that begins with `{line}`. Run that cell first."


@pytest.mark.parametrize("name", ["z", "inner", "local", "other", "never"])
def test_a_name_that_no_cell_makes_for_the_others_is_told_nothing(made: Path, name: str) -> None:
    assert making_cell_hint(made, name) == ""


def test_of_several_cells_the_last_one_before_the_failing_cell_is_told(made: Path) -> None:
    assert "`y = 2`" in making_cell_hint(made, "y", id="c9")
    assert "`y = 2`" in making_cell_hint(made, "y", source="y + 1\n")
    assert "`with open" in making_cell_hint(made, "y", id="c5")
    assert "`with open" in making_cell_hint(made, "y", id="c7"), "not the failing cell itself"
    assert making_cell_hint(made, "tape", id="c3") == ""


def test_a_notebook_that_is_not_there_is_told_nothing(tmp_path: Path) -> None:
    assert making_cell_hint(tmp_path / "own.ipynb", "x") == ""


SHELL = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="nocolor")
for code in sys.argv[1:]:
    print("#", repr(shell.run_cell(code).error_in_exec))
"""
BEGIN = "from autodiff_kit.learn import exercise, lesson; lesson('01');"


def run_cells(folder: Path, *codes: str) -> list[str]:
    """What each cell prints, ending in a line with its error, in one shell."""
    run = subprocess.run(
        [sys.executable, "-c", SHELL, *codes], cwd=folder, capture_output=True, text=True, check=True
    )  # fmt: skip
    return [part.rstrip() for part in run.stdout.split("# ")]


def test_a_cell_of_a_lesson_that_is_run_too_early_says_which_comes_first(tmp_path: Path) -> None:
    cells = [c for c in read_notebook(LESSON_01.read_bytes())["cells"] if c["cell_type"] == "code"]
    early = "".join(cells[-1]["source"])
    out = run_cells(tmp_path, BEGIN, early, "%tb", "1/0", "undefined_here", "int('x')", "exercise('01'); q1")
    text = "\n".join(out)
    assert "Traceback (most recent call last)" in text
    assert text.count("Run that cell first.") == 3, "the cell, the same by %tb, and the exercise's q1"
    assert "ZeroDivisionError: division by zero" in text
    assert "ValueError: invalid literal" in text
    assert "NameError: name 'undefined_here' is not defined" in text
    assert "`q1` is made in the cell under" in text


def test_a_handler_of_the_learner_stays(tmp_path: Path) -> None:
    own = "get_ipython().set_custom_exc((NameError,), lambda shell, *given, **more: print('mine'))"
    assert "mine" in "".join(run_cells(tmp_path, own, BEGIN, "missing"))


STARTUP = Path(autodiff_kit.lab.__file__).with_name("kernel_startup.py").read_text(encoding="utf-8")


def begun_without_the_first_cell(folder: Path, notebook: str, *codes: str) -> str:
    """What cells print in a shell that began with the start-up file of kernels, for a notebook of this path."""
    run = subprocess.run(
        [sys.executable, "-c", SHELL, STARTUP, *codes], cwd=folder, capture_output=True, text=True, check=True,
        env={**os.environ, "JPY_SESSION_NAME": notebook},
    )  # fmt: skip
    return run.stdout


def test_without_the_first_cell_an_error_says_that_it_comes_first(tmp_path: Path) -> None:
    out = begun_without_the_first_cell(
        tmp_path, f"work/notebooks/{LESSON_01.name}", "predict('jv')", "nowhere", BEGIN, "q1"
    )
    assert out.count("Run that cell first.") == 1
    assert "`predict` is made in the cell under" in out
    assert "NameError: name 'nowhere' is not defined" in out
    names = begun_without_the_first_cell(
        tmp_path, f"notebooks/{LESSON_01.name}", "print([n for n in dir() if 'expl' in n])"
    )
    assert "[]" in names


def test_other_notebooks_and_a_plain_python_are_left_alone(tmp_path: Path) -> None:
    for notebook in (f"work/{LESSON_01.name}", "notebooks/my_own.ipynb"):
        out = begun_without_the_first_cell(
            tmp_path, notebook, "predict('jv')", "'autodiff_kit' in __import__('sys').modules"
        )
        assert "NameError: name 'predict' is not defined" in out
        assert "Run that cell first." not in out
    exec(compile(STARTUP, "startup", "exec"), {})
