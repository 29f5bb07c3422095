"""The data after two simultaneous writers, a kill, a full disk, a damaged file, or a read-only folder."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit.lab.server import backups, panel_data, progress_db, submissions
from autodiff_kit.lab.server.errors import RequestError, as_request_error
from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.progress import Progress
from autodiff_kit.lessons.progress_db import ProgressDatabase, ProgressWarning

SLUG = "01_jacobian_vector_products"
EXERCISE = f"work/exercises/{SLUG}.ipynb"

# The work of a kernel until it is killed; each line that it prints was confirmed as saved.
KERNEL = """
import sys
from pathlib import Path
from autodiff_kit.lessons.progress import Progress
mine = Progress(Path(sys.argv[1]))
for n in range(int(sys.argv[2]), int(sys.argv[3])):
    mine.attempt(f"jvp-{n % 6 + 1}", notebook="01_jacobian_vector_products", points=3, outcome="not yet", score=0,
                 ms=1.0, message="m", cell_sha=str(n))
    print(n, flush=True)
"""

# The work of the server until it is killed.
SERVER = """
import hashlib, sys
from pathlib import Path
from autodiff_kit.lab.server import backups, panel_data, submissions
from autodiff_kit.lab.server.folder import WorkingFolder
root = Path(sys.argv[1])
folder, path = WorkingFolder(root, root.parent), "work/exercises/01_jacobian_vector_products.ipynb"
while True:
    sha = hashlib.sha256((folder.server_root / path).read_bytes()).hexdigest()
    print("handin", submissions.hand_in(folder, path, sha)["receipt"], flush=True)
    backup = backups.create_backup(folder, "01")
    print("backup", backup["id"], flush=True)
    print("reset", backups.reset_progress(folder, {"scope": "06", "notebooks": True})["backup"]["id"], flush=True)
    print("restore", backups.restore_backup(folder, backup["id"])["rev"], flush=True)
"""


def run(script: str, folder: WorkingFolder, *words: object, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(folder.root), *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


def integrity(folder: WorkingFolder) -> str:
    with closing(sqlite3.connect(folder.root / progress_db.PROGRESS_FILE)) as db:
        return str(db.execute("PRAGMA integrity_check").fetchone()[0])


def shas(folder: WorkingFolder) -> set[str]:
    with closing(sqlite3.connect(folder.root / progress_db.PROGRESS_FILE)) as db:
        return {row[0] for row in db.execute("SELECT cell_sha FROM attempt")}


def attempt(folder: WorkingFolder, id: str = "jvp-1", outcome: str = "passed", score: float = 3.0) -> None:
    Progress(folder.root).attempt(
        id, notebook=SLUG, points=3, outcome=outcome, score=score, ms=1.0, message=outcome, cell_sha="a"
    )


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_two_kernels_and_the_server_write_at_once(folder: WorkingFolder) -> None:
    kernels = [run(KERNEL, folder, 0, 60), run(KERNEL, folder, 1000, 1060)]
    steps = 0
    while any(kernel.poll() is None for kernel in kernels):
        steps += 1
        panel_data.patch_lesson(folder, "01", {"rev": 0, "step": steps})
    for kernel in kernels:
        kernel.communicate(timeout=60)
        assert kernel.returncode == 0
    assert steps > 1, "the server wrote while the kernels did"
    assert len(shas(folder)) == 120
    found = panel_data.progress(folder)
    assert found is not None
    assert found["rev"] == 120 + 1 + steps, "every change raised the revision by one, and a new row by one more"
    assert found["lessons"]["01"]["step"] == steps
    assert sum(question["tries"] for question in panel_data.exercises(folder, EXERCISE, None)["questions"]) == 120


def test_many_requests_at_once_through_one_server(server: Any) -> None:
    def ask(n: int) -> int:
        return int(server.ask("PATCH", f"progress/{(1, 6, 9, 15)[n % 4]:02d}", {"rev": 0, "step": n}).status)

    before = server.ask("GET", "progress").json["rev"]
    with ThreadPoolExecutor(12) as pool:
        assert set(pool.map(ask, range(48))) == {200}
    after = server.ask("GET", "progress").json
    assert after["rev"] >= before + 44
    assert {after["lessons"][no]["step"] % 4 for no in ("01", "06")} == {0, 1}


def test_the_event_loop_responds_while_a_change_waits(server: Any) -> None:
    """A change that waits for another process's lock blocks no other request, and its error names the lock."""
    with closing(sqlite3.connect(server.root / progress_db.PROGRESS_FILE, isolation_level=None, timeout=10)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(6) as pool:
            waiting = [pool.submit(server.ask, "PATCH", "progress/01", {"rev": 0, "step": 1}) for _ in range(6)]
            time.sleep(0.3)
            begun = time.monotonic()
            assert server.ask("GET", "search?q=tape").status == 200
            assert server.ask("GET", "backups").status == 200
            assert time.monotonic() - begun < 3
            assert not any(one.done() for one in waiting)
            reply = next(as_completed(waiting)).result()
            other.execute("ROLLBACK")
            assert {one.result().status for one in waiting} == {200, 423}
    assert (reply.status, reply.code) == (423, "locked")
    assert server.ask("PATCH", "progress/01", {"rev": 0, "step": 1}).status == 200


def test_two_pages_hand_in_at_once(server: Any) -> None:
    body = {"path": EXERCISE, "sha256": sha(server.shown / EXERCISE)}
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: server.ask("POST", "handin", body), range(12)))
    assert {reply.status for reply in replies} == {201}
    assert len({reply.json["receipt"] for reply in replies}) == 12


@pytest.mark.parametrize("pause", [0.05, *(pytest.param(one, marks=pytest.mark.slow) for one in (0.3, 0.7))])
def test_a_kernel_killed_in_the_middle_of_a_write(folder: WorkingFolder, pause: float) -> None:
    kernel = run(KERNEL, folder, 0, 100_000)
    assert kernel.stdout is not None
    kernel.stdout.readline()
    time.sleep(pause)
    kernel.send_signal(signal.SIGKILL)
    told = {"0", *kernel.communicate()[0].split()}
    assert integrity(folder) == "ok"
    assert told <= shas(folder), "what was told to be kept is kept"
    assert panel_data.patch_lesson(folder, "01", {"rev": 0, "step": 3})["progress"]["saved"]


@pytest.mark.parametrize("pause", [0.25, *(pytest.param(one, marks=pytest.mark.slow) for one in (0.1, 0.45, 0.6, 0.8))])
def test_a_server_killed_in_the_middle_of_its_work(folder: WorkingFolder, pause: float) -> None:
    attempt(folder)
    notebook = sha(folder.server_root / EXERCISE)
    server = run(SERVER, folder)
    assert server.stdout is not None
    first = server.stdout.readline()
    time.sleep(pause)
    server.send_signal(signal.SIGKILL)
    told = [line.split() for line in (first + server.communicate()[0]).splitlines() if len(line.split()) == 2]
    assert integrity(folder) == "ok"
    handed = {row["receipt"]: row for row in submissions.list_submissions(folder)}
    assert {name for kind, name in told if kind == "handin"} <= set(handed)
    for row in handed.values():
        with zipfile.ZipFile(folder.server_root / row["path"]) as bundle:
            assert bundle.testzip() is None
            assert hashlib.sha256(bundle.read("notebook.ipynb")).hexdigest() == row["sha256"] == notebook
    kept = {row["id"]: row for row in backups.list_backups(folder)}
    assert {name for kind, name in told if kind in ("backup", "reset")} <= set(kept)
    assert all(len(row["notebooks"]) == 2 for row in kept.values())
    # At any moment, the score is stored or in a backup, and opening repairs the rest.
    newest = next(row for row in kept.values() if row["scope"] == "01") if kept else None
    if Progress(folder.root).question("jvp-1").best != 3:
        assert newest is not None
        backups.restore_backup(folder, newest["id"])
    assert Progress(folder.root).question("jvp-1").best == 3
    panel_data.open_notebook(folder, "06", {})
    assert json.loads((folder.root / "notebooks" / "06_relaxing_floor.ipynb").read_text())["cells"]
    assert sha(folder.server_root / EXERCISE) == notebook


def full_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every write to a SQLite file fail, as on a full disk."""
    real = ProgressDatabase._connect

    def small(self: ProgressDatabase) -> sqlite3.Connection:
        connection = real(self)
        connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
        return connection

    monkeypatch.setattr(ProgressDatabase, "_connect", small)


def test_a_full_disk_is_an_error_and_loses_nothing(folder: WorkingFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt(folder)
    with monkeypatch.context() as patch:
        full_database(patch)
        with pytest.raises(RequestError) as told:
            for n in range(1000):
                progress_db.write_progress_db(
                    folder, lambda mine, n=n: mine.commit_prediction("01", f"item-{n}-{'x' * 3000}", "y" * 3000)
                )
        assert (told.value.status, told.value.code) == (507, "disk_full")
        assert "Free some space" in told.value.do
        found = panel_data.progress(folder)
        assert found is not None
        assert found["lessons"]["01"]["score"] == 3
    assert integrity(folder) == "ok"
    assert panel_data.patch_lesson(folder, "01", {"rev": 0, "step": 2})["progress"]["saved"]


def no_space(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("what", [submissions.os, "write"])
def test_a_hand_in_on_a_full_disk_leaves_no_partial_file(
    folder: WorkingFolder, monkeypatch: pytest.MonkeyPatch, what: Any
) -> None:
    before = sorted((folder.root / "handin").iterdir())
    with monkeypatch.context() as patch:
        if what == "write":
            patch.setattr(submissions.tempfile, "mkstemp", no_space)
        else:
            patch.setattr(submissions.os, "fsync", no_space)
        with pytest.raises(OSError, match="No space"):
            submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))
    assert sorted((folder.root / "handin").iterdir()) == before
    assert submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))["receipt"].endswith("-01")


def test_a_reset_on_a_full_disk_deletes_nothing(folder: WorkingFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt(folder)
    mine = folder.root / "notebooks" / f"{SLUG}.ipynb"
    mine.write_text(mine.read_text().replace("push and pull", "mine"))
    kept = mine.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(backups.os, "fsync", no_space)
        with pytest.raises(OSError, match="No space"):
            backups.reset_progress(folder, {"scope": "all", "notebooks": True})
    assert (mine.read_bytes(), Progress(folder.root).question("jvp-1").best) == (kept, 3)
    assert backups.list_backups(folder) == []
    assert list((folder.root / backups.BACKUP_FOLDER).iterdir()) == [], "no half of a backup is left"


def test_a_disk_that_really_fills(small_disk: Path) -> None:
    folder = WorkingFolder(small_disk / "work", small_disk)
    workspace.prepare_working_folder(folder.root)
    attempt(folder)
    receipt = submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))["receipt"]
    with (small_disk / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError, match="No space"):
        while True:
            filler.write(b"x" * 65536)
    for work in (
        lambda: submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE)),
        lambda: backups.reset_progress(folder, {"scope": "all", "notebooks": True}),
        lambda: [panel_data.patch_lesson(folder, "01", {"rev": 0, "step": n}) for n in range(2000)],
    ):
        with pytest.raises((OSError, RequestError, sqlite3.Error)) as told:
            work()
        known = as_request_error(told.value)
        assert known is not None
        assert known.status in (403, 507)
    (small_disk / "filler").unlink()
    assert integrity(folder) == "ok"
    assert [row["receipt"] for row in submissions.list_submissions(folder)] == [receipt]
    assert Progress(folder.root).question("jvp-1").best == 3


def test_a_database_of_nonsense_is_kept_aside(folder: WorkingFolder) -> None:
    attempt(folder)
    file = folder.root / progress_db.PROGRESS_FILE
    file.write_bytes(b"no database at all " * 100)
    with pytest.warns(ProgressWarning, match="was damaged"):
        found = panel_data.progress(folder)
    assert found is not None
    assert found["saved"]
    assert [notice["code"] for notice in found["notices"]] == ["damaged"]
    aside = list(file.parent.glob("progress.damaged-*.db"))
    assert [path.read_bytes() for path in aside] == [b"no database at all " * 100]
    assert aside[0].name in found["notices"][0]["text"]
    assert panel_data.patch_lesson(folder, "01", {"rev": 0, "step": 1})["progress"]["lessons"]["01"]["step"] == 1


def test_a_file_of_a_newer_kit_is_not_changed(folder: WorkingFolder) -> None:
    attempt(folder)
    file = folder.root / progress_db.PROGRESS_FILE
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 99")
    before = sha(file)
    for work in (
        lambda: panel_data.progress(folder),
        lambda: panel_data.patch_lesson(folder, "01", {"rev": 0, "step": 1}),
    ):
        with pytest.raises(RequestError, match="update autodiff-kit") as told:
            work()
        assert (told.value.status, told.value.code) == (409, "newer_kit")
    assert sha(file) == before


def test_a_damaged_backup_is_an_error_and_changes_nothing(folder: WorkingFolder) -> None:
    attempt(folder)
    made = backups.create_backup(folder, "all")
    file = folder.root / backups.BACKUP_FOLDER / made["id"] / "progress.db"
    file.write_bytes(file.read_bytes()[:3000])
    with pytest.raises(RequestError) as told:
        backups.restore_backup(folder, made["id"])
    assert (told.value.status, told.value.code) == (409, "damaged_backup")
    assert Progress(folder.root).question("jvp-1").best == 3
    assert [row["id"] for row in backups.list_backups(folder)] == [made["id"]]


def test_reset_and_undo(folder: WorkingFolder) -> None:
    attempt(folder)
    Progress(folder.root).commit_prediction("01", "jv", "a")
    Progress(folder.root).commit_prediction("06", "area", 1)
    mine = folder.root / "notebooks" / f"{SLUG}.ipynb"
    original = mine.read_bytes()
    mine.write_text(mine.read_text().replace("push and pull", "mine"))
    kept = mine.read_bytes()
    before = panel_data.progress(folder)
    gone = backups.reset_progress(folder, {"scope": "01", "notebooks": True})
    assert set(gone["progress"]["lessons"]) == {"06"}
    assert (mine.read_bytes(), len(gone["replaced"])) == (original, 2)
    assert Progress(folder.root).prediction("01", "jv") is None
    back = backups.restore_backup(folder, gone["backup"]["id"])
    assert mine.read_bytes() == kept
    assert before is not None
    assert back["progress"]["lessons"] == before["lessons"]
    assert back["rev"] > gone["rev"] > before["rev"]
    assert Progress(folder.root).question("jvp-1").tries == 1
    undone = backups.restore_backup(folder, back["backup"]["id"])
    assert set(undone["progress"]["lessons"]) == {"06"}


def test_reset_of_all_keeps_notebooks_and_what_was_handed_in(folder: WorkingFolder) -> None:
    attempt(folder)
    submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))
    files = {path: path.read_bytes() for path in folder.root.glob("*/*.ipynb")}
    gone = backups.reset_progress(folder, {"scope": "all"})
    assert (gone["replaced"], gone["progress"]["lessons"]) == ([], {})
    assert {path: path.read_bytes() for path in files} == files
    assert len(submissions.list_submissions(folder)) == 1
    assert backups.restore_backup(folder, gone["backup"]["id"])["progress"]["lessons"]["01"]["score"] == 3


def test_the_command_lines_backups_can_be_restored(folder: WorkingFolder) -> None:
    attempt(folder)
    Progress(folder.root).begin_lesson("01")
    made = workspace.reset_lesson(folder.root, "01")
    Progress(folder.root).reset("01", made.path)
    assert Progress(folder.root).question("jvp-1").best == 0
    listed = backups.list_backups(folder)
    assert [row["scope"] for row in listed] == ["01"]
    assert backups.restore_backup(folder, listed[0]["id"])["progress"]["lessons"]["01"]["score"] == 3


def test_backups_of_one_second_are_listed_newest_first(folder: WorkingFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backups, "timestamp_for_file_name", lambda: "20260203-040506")
    made = [backups.create_backup(folder, "01")["id"] for _ in range(11)]
    assert [one["id"] for one in backups.list_backups(folder)] == made[::-1]


def test_the_list_shows_a_newer_kits_backups_and_skips_names_without_a_time(folder: WorkingFolder) -> None:
    attempt(folder)
    made = backups.create_backup(folder, "all")
    where = folder.root / backups.BACKUP_FOLDER
    shutil.copytree(where / made["id"], where / "20260101-000000-98")
    (where / "99999999-999999-all").mkdir()
    listed = [(row["scope"], row["lessons"]) for row in backups.list_backups(folder)]
    assert listed == [("all", made["lessons"]), ("98", 0)]
    for id, code in (("20260101-000000-98", "no_lesson"), ("99999999-999999-all", "no_backup")):
        with pytest.raises(RequestError) as told:
            backups.restore_backup(folder, id)
        assert (told.value.status, told.value.code) == (404, code)


def test_restore_backs_up_every_notebook_that_it_replaces(folder: WorkingFolder) -> None:
    """An older kit's backup holds a notebook under a name that this kit's lessons do not have."""
    made = backups.create_backup(folder, "all")
    former = "notebooks/01_former_name.ipynb"
    (folder.root / backups.BACKUP_FOLDER / made["id"] / former).write_text("{}")
    (folder.root / former).write_text("mine")
    back = backups.restore_backup(folder, made["id"])
    assert (folder.root / former).read_text() == "{}"
    assert (folder.root / backups.BACKUP_FOLDER / back["backup"]["id"] / former).read_text() == "mine"


# A folder that this user may read and not write. Root may write anywhere, so root switches to another user.
LOOK_AND_WRITE = """
import hashlib, json, os, sys, warnings
from pathlib import Path
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.lab.server import backups, catalog, panel_data, submissions
from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lab.server.errors import as_request_error
catalog.lesson_catalog()
LESSONS["01"]  # imported while Python's own files can still be read
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
warnings.simplefilter("error")
root = Path(sys.argv[1])
folder, path = WorkingFolder(root, root.parent), "work/exercises/01_jacobian_vector_products.ipynb"
found = panel_data.progress(folder)
print(json.dumps([found["saved"], found["lessons"]["01"]["score"], [one["code"] for one in found["notices"]]]))
sha = hashlib.sha256((folder.server_root / path).read_bytes()).hexdigest()
for work in (lambda: panel_data.patch_lesson(folder, "01", {"rev": 0, "step": 1}),
             lambda: backups.create_backup(folder, "all"),
             lambda: panel_data.patch_question(folder, "jvp-1", {"hint_seen": 1}),
             lambda: submissions.hand_in(folder, path, sha),
             lambda: backups.reset_progress(folder, {"scope": "all", "notebooks": True})):
    try:
        work()
        print("done")
    except Exception as error:
        print(as_request_error(error).code)
"""


def read_only(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_a_folder_that_cannot_be_written_can_be_read(tmp_path: Path) -> None:
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    folder = WorkingFolder(place.resolve() / "work", place.resolve())
    try:
        workspace.prepare_working_folder(folder.root)
        attempt(folder)
        before = {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}
        read_only(folder.root)
        said, _ = run(LOOK_AND_WRITE, folder, cwd="/").communicate(timeout=120)
        lines = said.splitlines()
        assert json.loads(lines[0]) == [False, 3.0, ["not_saved"]]
        assert lines[1:] == ["unwritable"] * 5
        assert {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()} == before
    finally:
        for path in (folder.root, *folder.root.rglob("*")):
            path.chmod(0o755)
        shutil.rmtree(place)


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_a_folder_whose_path_is_taken_by_a_file(fresh: WorkingFolder, make: Callable[[Path], None]) -> None:
    """Another file is where the kit keeps its files: an error says so, and nothing is overwritten."""
    fresh.root.mkdir()
    own = fresh.root / ".autodiff_kit"
    if make is Path.touch:
        own.touch()
    else:
        (own / "progress.db").mkdir(parents=True)
    with pytest.raises((RequestError, OSError)) as told:
        panel_data.patch_lesson(fresh, "01", {"rev": 0, "step": 1})
    known = as_request_error(told.value)
    assert known is not None
    assert known.status < 500
    assert own.exists()
