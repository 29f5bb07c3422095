"""A batch on the workers of a dask scheduler: the same results, also if a worker dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from autodiff_kit import cli

from .test_batch import by_name, contents, grade, subs  # noqa: F401 - a fixture

pytest.importorskip("distributed", reason="dask.distributed is not installed (extra cluster)")
pytestmark = pytest.mark.slow


def started(*words, cwd):
    """A program of dask, in a separate process without the settings of the tests."""
    command = [sys.executable, "-W", "ignore", "-m", "distributed.cli." + words[0], *words[1:]]
    with (cwd / f"{words[0]}.log").open("ab") as log:
        return subprocess.Popen(command, cwd=cwd, stdout=log, stderr=log, start_new_session=True)


@pytest.fixture
def cluster(tmp_path):
    """A scheduler with two workers: its address, and the workers' processes."""
    home = tmp_path / "dask"
    home.mkdir()
    options = ("--port", "0", "--no-dashboard", "--scheduler-file", str(home / "at.json"))
    running = [started("dask_scheduler", *options, cwd=home)]
    while not (home / "at.json").exists():
        assert running[0].poll() is None, (home / "dask_scheduler.log").read_text()
        time.sleep(0.1)
    address = json.loads((home / "at.json").read_text())["address"]
    words = ("dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard")
    running += [started(*words, cwd=home), started(*words, cwd=home)]
    yield address, running[1:]
    for process in running:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_the_same_results_on_a_cluster(subs, tmp_path, cluster):  # noqa: F811
    address, _ = cluster
    words = ["grade", str(subs), "--out", str(tmp_path / "far"), "--seed", "7", "--scheduler", address]
    assert cli.main(words) == 0
    assert grade(subs, tmp_path / "near", "--seed", "7") == 0
    assert contents(tmp_path / "far") == contents(tmp_path / "near")


def test_a_worker_that_dies_loses_nothing(subs, tmp_path, cluster):  # noqa: F811
    address, workers = cluster
    command = [
        sys.executable,
        "-m",
        "autodiff_kit",
        "grade",
        str(subs),
        "--out",
        str(tmp_path / "far"),
        "--scheduler",
        address,
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        kept = tmp_path / "far" / ".grading" / "results"
        while not (kept.exists() and len(list(kept.glob("*.json"))) >= 1):
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(workers[0].pid, signal.SIGKILL)
        said = process.communicate()[1]
    assert process.returncode == 0, said
    assert len(by_name(tmp_path / "far")) == 6
    assert by_name(tmp_path / "far")["ada"].score == 16.0
