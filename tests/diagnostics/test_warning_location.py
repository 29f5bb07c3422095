"""NumPy's warnings from inside the kit name the line of the user's code, in a process of its own without filters."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
import warnings
import numpy as np
import autodiff_kit as ak
x = ak.constant([0.0, 4.0])
def f(x):
    return ak.log(x)  # eager
f(x)
for _ in range(3):
    f(x)
    y = ak.log(x)  # another line
with ak.GradientTape() as tape:
    tape.watch(x)
    y = ak.sqrt(x)
g = tape.gradient(y, x)  # a rule
root = ak.compile(lambda x: ak.sum(ak.log(x)))
root(x)  # a plan warns no more than its kernels
np.log(x)  # NumPy's function on a tensor
own = np.log(np.array([0.0]))  # the user's call of NumPy
with warnings.catch_warnings():
    warnings.simplefilter("always")
    for _ in range(2):
        f(x * 1.0)
    warnings.simplefilter("error")
    try:
        f(x)
    except RuntimeWarning:
        print("raised")
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str]:
    """The lines that the program's warnings name, with their text, and what it printed."""
    path = tmp_path_factory.mktemp("warnings") / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    found = re.findall(r"^(.*):(\d+): RuntimeWarning: (\w+)", run.stderr, flags=re.MULTILINE)
    assert {Path(file).name for file, _, _ in found} == {"program.py"}, run.stderr
    return [PROGRAM.splitlines()[int(line) - 1] for _, line, _ in found], run.stdout


def test_each_warning_names_the_users_line_once(shown: tuple[list[str], str]) -> None:
    comments = [line.partition("# ")[2] for line in shown[0]]
    assert comments == [
        "eager", "another line", "a rule", "NumPy's function on a tensor", "the user's call of NumPy",
        "eager", "eager",  # where the filter shows every one
    ]  # fmt: skip


def test_filters_decide_as_before(shown: tuple[list[str], str]) -> None:
    assert shown[1] == "raised\n"


def test_what_showed_warnings_before_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    from autodiff_kit.diagnostics.warning_location import point_warnings_at_user_code

    got: list[tuple[str, str]] = []
    monkeypatch.setattr(warnings, "showwarning", lambda m, c, file, *_: got.append((str(m), file)))
    point_warnings_at_user_code()
    point_warnings_at_user_code()  # a second time changes nothing
    warnings.showwarning("not of the kit", UserWarning, "elsewhere.py", 1)
    warnings.showwarning("of NumPy alone", RuntimeWarning, "elsewhere.py", 1)
    assert got == [("not of the kit", "elsewhere.py"), ("of NumPy alone", "elsewhere.py")]
