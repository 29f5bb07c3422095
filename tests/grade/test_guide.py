"""The guide's first grading: its commands do what the text beside them says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autodiff_kit.grade.results import read_results

GUIDE = Path(__file__).parents[2] / "docs" / "teaching.md"


@pytest.mark.slow
def test_the_first_grading_of_the_guide(tmp_path, sandbox):
    section = re.search(r"## A first grading.*?(?=\n## )", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[0]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    commands = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    here = f"autodiff-kit() {{ '{sys.executable}' -m autodiff_kit \"$@\"; }}"
    environment = {**os.environ, "PYTHONPATH": str(GUIDE.parents[1])}
    before, after = commands[: commands.index("mkdir slopes")], commands[commands.index("mkdir slopes") :]

    def run(lines):
        subprocess.run(["bash", "-ec", "\n".join([here, *lines])], cwd=tmp_path, env=environment, check=True)

    run(before)
    answer_as_ada(tmp_path / "course" / "release" / "my_slope.ipynb")
    run(after)
    found = {one.learner: one for one in read_results(tmp_path / "grades" / "results.jsonl")}
    assert {name: one.status for name, one in found.items()} == {"ada": "graded", "bob": "graded", "cyd": "invalid"}
    lines = (tmp_path / "grades" / "canvas.csv").read_text().splitlines()
    most = f"{found['ada'].max_score:g}"
    assert [line.split(",")[-1].strip('"') for line in lines[1:]] == [most, most, most, ""]
    report = (tmp_path / "grades" / "report.html").read_text()
    assert ">Lovelace, Ada</a>; <a" in report
    assert ": like the worked answer" in report
    assert "cyd" in report.partition("Not in the roster")[2].partition("To look at")[0]
    ada, bob = read_results(tmp_path / "slope-grades" / "results.jsonl")
    assert (ada.score, bob.score) == (2.0, 0.0)
    assert "Your numbers, by the login `bob`" in bob.marks[0].message
    assert "which is that of ada" in bob.remarks[-1]


def answer_as_ada(path):
    """What the guide asks the teacher to do in JupyterLab; the numbers are read from the first cell's output."""
    notebook = nbformat.read(path, 4)
    cells = {cell["id"]: cell for cell in notebook.cells}
    cells["begin"].source = cells["begin"].source.replace('login=""', 'login="ada"')
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    said = "".join(output.get("data", output).get("text/plain", "") for output in cells["begin"].outputs)
    k, phase = re.search(r"q1: `k = (\d)`, `phase = ([\d.]+)`", said).groups()
    cells["my-slope-1"].source = f"def slope(x):\n    return {k} * np.cos({k} * x + {phase})"
    nbformat.write(notebook, path)
