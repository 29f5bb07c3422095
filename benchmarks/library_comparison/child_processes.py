"""Measurements in child processes: TensorFlow alone, and one thread compared with two."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.library_comparison.harness import Result
from benchmarks.library_comparison.systems import COMPILED, HAND, JAX, TENSORFLOW, TORCH

THREADED = ("b_mix_1e3", "b_mix_1e5", "b_mix_1e7", "c_small", "c_big", "d", "e_sum", "h", "j_big", "l")
"""Workloads of all sizes, to show where two threads are faster."""


def child(keys: list[str], options: list[str], notes: list[str]) -> list[Result]:
    """The results of a child process; workloads that it could not measure are added to the notes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        command = [sys.executable, "-m", "benchmarks.library_comparison", "--plain"]
        command += ["--only", ",".join(keys), "--json", str(path), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"a process that measured {', '.join(keys)} failed:\n{done.stderr[-2000:]}")
        data = json.loads(path.read_text(encoding="utf-8"))
        notes += [note for note in data["notes"] if note not in notes]
        return [Result(**result) for result in data["results"]]


def tensorflow(keys: list[str], options: list[str], notes: list[str]) -> dict[str, list[float]]:
    """TensorFlow's time in units of the compiled kit's, for each run, in a process without other libraries."""
    found = {}
    for result in child(keys, ["--peers", "tensorflow", *options], notes):
        if TENSORFLOW in result.times:
            pairs = zip(result.times[TENSORFLOW], result.times[COMPILED], strict=True)
            found[result.key] = [theirs / ours for theirs, ours in pairs]
    return found


def threads(keys: list[str], options: list[str], runs: int, notes: list[str]) -> list[dict[str, Any]]:
    """Times with one thread and with two; the two processes alternate, with one run each."""
    times: dict[tuple[str, str], dict[int, list[float]]] = {}
    for _ in range(runs):
        for count in (1, 2):
            asked = ["--peers", "torch,jax", "--threads", str(count), "--runs", "1", *options]
            for result in child(keys, asked, notes):
                for system in {COMPILED, TORCH, JAX, HAND} & set(result.times):
                    of = times.setdefault((result.key, system), {1: [], 2: []})
                    of[count] += result.times[system]
    return [{"key": key, "system": system, "one": of[1], "two": of[2]} for (key, system), of in times.items()]
