"""The guide's first grading: its commands do what the text beside them says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autodiff_kit.grade.results import read_results

GUIDE = Path(__file__).parents[2] / "docs" / "teaching.md"


@pytest.mark.slow
def test_the_first_grading_of_the_guide(tmp_path, sandbox):
    section = re.search(r"## A first grading.*?(?=\n## )", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[0]
    blocks = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    commands = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    here = f"autodiff-kit() {{ '{sys.executable}' -m autodiff_kit \"$@\"; }}"
    environment = {**os.environ, "PYTHONPATH": str(GUIDE.parents[1])}
    subprocess.run(["bash", "-ec", "\n".join([here, *commands])], cwd=tmp_path, env=environment, check=True)
    found = {one.learner: one for one in read_results(tmp_path / "grades" / "results.jsonl")}
    assert {name: one.status for name, one in found.items()} == {"ada": "graded", "bob": "graded", "cyd": "invalid"}
    lines = (tmp_path / "grades" / "canvas.csv").read_text().splitlines()
    most = f"{found['ada'].max_score:g}"
    assert [line.split(",")[-1].strip('"') for line in lines[1:]] == [most, most, most, ""]
    report = (tmp_path / "grades" / "report.html").read_text()
    assert ">Lovelace, Ada</a>; <a" in report
    assert ": like the worked answer" in report
    assert "cyd" in report.partition("Not in the roster")[2].partition("To look at")[0]
    [slope] = read_results(tmp_path / "slope-grades" / "results.jsonl")
    assert (slope.status, slope.marks[0].outcome) == ("graded", "not attempted")
