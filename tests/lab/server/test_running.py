"""A server that is killed under load, whose disk is full, or whose file is damaged: the responses to pages."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

EXERCISE = "work/exercises/01_jacobian_vector_products.ipynb"


def hammer(running: Any, told: list[tuple[str, Any]], sha: str) -> None:
    """Send requests as a page does, until the server is gone; note what was confirmed."""
    step = 0
    try:
        while True:
            step += 1
            if running.ask("PATCH", "progress/01", {"rev": 0, "step": step}).status == 200:
                told.append(("step", step))
            handed = running.ask("POST", "handin", {"path": EXERCISE, "sha256": sha})
            if handed.status == 201:
                told.append(("handin", handed.json["receipt"]))
            made = running.ask("POST", "backups", {"what": "01"})
            if made.status == 201:
                told.append(("backup", made.json["id"]))
    except (OSError, ValueError, HTTPException):
        return  # it was killed during a response


@pytest.mark.slow
def test_killed_under_load_then_damaged(folder: Any, tmp_path: Path, start_server: Callable[..., Any]) -> None:
    running = start_server(folder.server_root, tmp_path)
    sha = hashlib.sha256((folder.server_root / EXERCISE).read_bytes()).hexdigest()
    told: list[tuple[str, Any]] = []
    assert running.ask("PATCH", "progress/06", {"rev": 0, "step": 3}).status == 200
    with ThreadPoolExecutor(4) as pages:
        asking = [pages.submit(hammer, running, told, sha) for _ in range(4)]
        end = time.monotonic() + 30
        while len(told) < 20 and time.monotonic() < end:
            time.sleep(0.02)
        running.process.kill()
        running.process.wait()
        for one in asking:
            one.result()
    assert {kind for kind, _ in told} == {"step", "handin", "backup"}

    with closing(sqlite3.connect(folder.root / ".autodiff_kit" / "progress.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    again = start_server(folder.server_root, tmp_path)
    try:
        known = {row["receipt"] for row in again.ask("GET", "handin").json["handed"]}
        assert {what for kind, what in told if kind == "handin"} <= known
        assert {what for kind, what in told if kind == "backup"} <= {
            row["id"] for row in again.ask("GET", "backups").json["backups"]
        }
        assert again.ask("GET", "progress").json["lessons"]["06"]["step"] == 3

        # The file is damaged while the server runs: the next page gets a notice, and can continue.
        file = folder.root / ".autodiff_kit" / "progress.db"
        for left in file.parent.glob("progress.db-*"):
            left.unlink()
        file.write_bytes(b"no database at all " * 500)
        told_of = again.ask("GET", "progress").json
        assert [notice["code"] for notice in told_of["notices"]] == ["damaged"]
        assert again.ask("PATCH", "progress/01", {"rev": 0, "step": 2}).status == 200
        assert again.ask("GET", "progress").json["lessons"]["01"]["step"] >= 2
    finally:
        again.process.terminate()
        again.process.wait(timeout=30)


@pytest.mark.slow
def test_a_disk_that_fills_under_a_server(small_disk: Path, tmp_path: Path, start_server: Callable[..., Any]) -> None:
    running = start_server(small_disk, tmp_path)
    try:
        assert running.ask("POST", "lessons/01/open", {"what": "exercise"}).status == 200
        assert running.ask("PATCH", "progress/01", {"rev": 0, "step": 1}).status == 200
        filler = small_disk / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as sink:
            while True:
                sink.write(b"x" * 4096)
        answers = [running.ask("POST", "backups", {"what": "all"}) for _ in range(2)]
        answers += [running.ask("PATCH", "progress/01", {"rev": 0, "step": n}) for n in range(150)]
        refused = {(one.status, one.code) for one in answers if one.status >= 300}
        assert refused == {(507, "disk_full")}
        assert running.ask("GET", "progress").json["lessons"]["01"]["step"] >= 1, "what stands there can be read"
        filler.unlink(missing_ok=True)
        (small_disk / "work" / "notebooks" / "15_adam_slots.ipynb").unlink()  # frees space, as a learner would
        assert running.ask("PATCH", "progress/01", {"rev": 0, "step": 3}).status == 200
        assert running.ask("POST", "backups", {"what": "all"}).status == 201
        assert len(running.ask("GET", "backups").json["backups"]) == 1, "no half of a backup is left"
    finally:
        running.process.terminate()
        running.process.wait(timeout=30)
