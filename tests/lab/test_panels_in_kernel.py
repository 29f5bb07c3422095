"""The panels' requests answered without a server: the same functions, and two tabs that write at the same time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit.lab import panels
from autodiff_kit.lessons import progress_db, progress_listeners, workspace
from autodiff_kit.lessons.progress import Progress


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder on a file system without locks and links, as in a browser."""
    monkeypatch.setattr(progress_db, "HAS_FILE_LOCKS", False)
    monkeypatch.delattr(os, "link")
    monkeypatch.setattr(panels, "DRIVE", tmp_path)
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
    workspace.prepare_working_folder(tmp_path)
    return tmp_path


def ask(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    said = panels.answer(method, path, body)
    assert said["status"] == 200, said
    return said["body"]


def test_progress_is_read_reset_and_restored(drive: Path) -> None:
    Progress(drive).begin_lesson("01")
    assert ask("GET", "progress")["lessons"]["01"]["state"] == "begun"
    backup = ask("POST", "progress/reset", {"scope": "all"})["backup"]
    assert ask("GET", "progress")["lessons"] == {}
    assert ask("GET", "backups")["backups"][0]["id"] == backup["id"]
    ask("POST", f"backups/{backup['id']}/restore")
    assert ask("GET", "progress")["lessons"]["01"]["state"] == "begun"


def test_hints_and_hand_in(drive: Path) -> None:
    path = "exercises/01_jacobian_vector_products.ipynb"
    questions = ask("GET", f"exercises?path={path}")["questions"]
    seen = ask("PATCH", f"exercises/{questions[0]['id']}", {"hint_seen": 1})["question"]
    assert seen["hints_seen"] == 1
    handed = ask("POST", "handin", {"path": path})
    assert (drive / handed["path"]).is_file()
    assert ask("GET", f"exercises?path={path}")["handed"][0]["receipt"] == handed["receipt"]


def test_export_is_a_text(drive: Path) -> None:
    assert ask("GET", "export?format=csv")["text"].startswith("assignment,")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "nowhere", 404), ("PATCH", "exercises/none-9", 404), ("GET", "exercises?path=../x", 403)],
)
def test_what_cannot_be_answered_has_a_status(drive: Path, method: str, path: str, status: int) -> None:
    said = panels.answer(method, path, {})
    assert said["status"] == status
    assert said["body"]["error"]["text"]


def test_a_tab_that_writes_in_between_loses_nothing(drive: Path) -> None:
    other, runs = Progress(drive), []

    def work(db: Any) -> None:
        if not runs:
            other.begin_lesson("06")
        runs.append(db.execute("INSERT INTO event (at, kind, ref) VALUES ('now', 'test', 'mine')").rowcount)

    Progress(drive).store.run(work)
    assert runs == [1, 1]
    stored = Progress(drive)
    assert stored.lesson("06").state == "begun"
    assert stored.store.run(lambda db: db.execute("SELECT count(*) FROM event WHERE ref = 'mine'").fetchone()) == (1,)


def test_progress_is_saved_as_a_file_and_added_from_it(drive: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    Progress(drive).begin_lesson("01")
    saved = ask("GET", "progress/file")
    assert saved["name"].endswith(".db")
    ask("POST", "progress/reset", {"scope": "all"})
    Progress(drive).begin_lesson("06")
    added = ask("POST", "progress/file", {"data": saved["data"]})["lessons"]
    assert {no for no, one in added.items() if one["state"] == "begun"} == {"01", "06"}
    said = panels.answer("POST", "progress/file", {"data": "bm90IG9uZQ=="})
    assert (said["status"], said["body"]["error"]["code"]) == (400, "bad_file")


def test_who_listens_to_progress_may_read_it(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener asks for a turn of its own: the one of the transaction that it hears of must be over."""
    turns: list[str] = []

    @contextmanager
    def turn(_: Path) -> Iterator[None]:
        assert not turns
        turns.append("mine")
        yield
        turns.clear()

    heard: list[int] = []
    monkeypatch.setattr(progress_db, "exclusive_access", turn)
    monkeypatch.setattr(progress_listeners, "progress_listeners", [lambda: heard.append(Progress(drive).rev())])
    Progress(drive).begin_lesson("01")
    assert heard == [Progress(drive).rev()]
