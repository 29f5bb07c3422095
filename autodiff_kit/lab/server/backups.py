"""Create, list and restore backups of progress and notebooks; reset progress after a backup.

A backup is written under a draft's name and renamed when it is complete, so that every listed backup is complete.
Restoring makes a backup of the replaced files first.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from autodiff_kit.lab.server.catalog import OriginalNotebook, lesson_catalog
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.folder import WorkingFolder, read_file
from autodiff_kit.lab.server.panel_data import available_lesson, progress
from autodiff_kit.lab.server.progress_db import write_progress_db
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.atomic_files import write_atomically
from autodiff_kit.lessons.progress import Progress
from autodiff_kit.lessons.progress_db import DamagedError, NewerProgressError, migrate
from autodiff_kit.lessons.progress_rows import append_event, increment_revision, read_revision
from autodiff_kit.lessons.timestamps import timestamp_for_file_name, utc_now

BACKUP_ID: Final = re.compile(r"(?P<at>[0-9]{8}-[0-9]{6})-(?P<scope>all|[0-9]{2})(-(?P<n>[0-9]{1,6}))?", re.ASCII)
BACKUP_FOLDER: Final = f"{workspace.KIT_FOLDER}/backups"
TABLES: Final = ("lesson", "prediction", "question", "attempt")


def create_backup(folder: WorkingFolder, what: object) -> dict[str, Any]:
    """Write a backup of everything, or of one lesson, and return it as BACKUP."""
    scope = _valid_scope(what)
    return _write_backup(folder, scope, [original.path for original in _notebooks_in(scope)])


def _write_backup(folder: WorkingFolder, scope: str, notebooks: Iterable[str]) -> dict[str, Any]:
    """Write a backup of the progress of a scope and of some notebooks, and return it as BACKUP."""
    where = folder.own_path(BACKUP_FOLDER)
    where.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=where, prefix=".draft-"))
    try:
        write_progress_db(folder, lambda mine: _copy_progress(mine, draft / "progress.db"))
        for path in notebooks:
            _copy_notebook(folder, path, draft)
        found = _publish(draft, where, scope)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return _backup_json(found)


def list_backups(folder: WorkingFolder) -> list[dict[str, Any]]:
    """Return the backups, newest first."""
    where = folder.own_path(BACKUP_FOLDER)
    found = [path for path in where.iterdir() if _is_backup(path)] if where.is_dir() else []
    return [_backup_json(path) for path in sorted(found, key=_age, reverse=True)]


def reset_progress(folder: WorkingFolder, body: Mapping[str, Any]) -> dict[str, Any]:
    """Delete the progress of a lesson, or of all, after a backup; restore the original notebooks only on request."""
    scope, notebooks = _valid_scope(body.get("scope")), body.get("notebooks", False)
    if not isinstance(notebooks, bool):
        raise RequestError(400, "bad_value", "`notebooks` must be true or false.", "Send the request again.")
    backup = create_backup(folder, scope)

    def work(db: sqlite3.Connection) -> int:
        _delete_progress(db, scope)
        row = "INSERT INTO backup (path, scope, bytes, at) VALUES (?, ?, ?, ?)"
        db.execute(row, (backup["id"], scope, backup["bytes"], utc_now()))
        append_event(db, "reset", scope)
        return increment_revision(db)

    rev = write_progress_db(folder, lambda mine: mine.store.run(work))
    replaced = _restore_originals(folder, scope) if notebooks else []
    return {"backup": backup, "rev": rev, "replaced": replaced, "progress": progress(folder)}


def restore_backup(folder: WorkingFolder, id: str) -> dict[str, Any]:
    """Restore a backup: its progress, and the notebooks that it holds."""
    found = folder.own_path(f"{BACKUP_FOLDER}/{id}") if BACKUP_ID.fullmatch(id) else None
    if found is None or not _is_backup(found):
        raise RequestError(404, "no_backup", f"There is no backup {id[:40]!r}.", "Choose one of the list.")
    scope = _valid_scope(_match_id(found.name)["scope"])
    rows = _rows(found / "progress.db", scope)
    files = {path: read_file(found / path) for path in _notebooks_of(found)}
    # An older kit's lesson may have had another name: its notebook is replaced too, and so belongs to the backup.
    replaced = dict.fromkeys([*(original.path for original in _notebooks_in(scope)), *files])
    present = _write_backup(folder, scope, replaced)

    def work(db: sqlite3.Connection) -> int:
        rev = increment_revision(db)
        if rows is not None:
            _delete_progress(db, scope)
            for table, entries in rows.items():
                _insert(db, table, entries, rev)
        append_event(db, "restore", id)
        return rev

    rev = write_progress_db(folder, lambda mine: mine.store.run(work))
    for path, data in files.items():
        write_atomically(folder.own_path(path), data)
    shown = [folder.server_path(path) if folder.root.is_relative_to(folder.server_root) else path for path in files]
    return {"rev": rev, "backup": present, "restored": shown, "progress": progress(folder)}


def _valid_scope(what: object) -> str:
    if what == "all":
        return "all"
    if not isinstance(what, str):
        raise RequestError(
            400, "bad_value", '`what` must be "all" or the number of a lesson.', "Send the request again."
        )
    return available_lesson(what).no


def _notebooks_in(scope: str) -> list[OriginalNotebook]:
    entries = [entry for entry in lesson_catalog().values() if scope in ("all", entry.no)]
    return [original for entry in entries for original in (entry.notebook, entry.exercise) if original]


def _copy_progress(mine: Progress, target: Path) -> None:
    # Reading the revision makes the file if there is none, and renames a damaged one.
    mine.store.run(read_revision)
    mine.store.backup(target)


def _copy_notebook(folder: WorkingFolder, relative: str, draft: Path) -> None:
    source = folder.own_path(relative)
    if source.is_file():
        (draft / relative).parent.mkdir(parents=True, exist_ok=True)
        (draft / relative).write_bytes(source.read_bytes())


def _publish(draft: Path, where: Path, scope: str) -> Path:
    """Rename a complete draft to the first backup name that is free."""
    for path in draft.rglob("*"):
        _sync_to_disk(path)
    base = f"{timestamp_for_file_name()}-{scope}"
    for n in range(1, 1_000_000):
        target = where / (base if n == 1 else f"{base}-{n}")
        if not target.exists():
            draft.chmod(0o755)
            return draft.rename(target)
    raise RequestError(507, "disk_full", "No free name is left for a backup.", "Delete some backups.")


def _sync_to_disk(path: Path) -> None:
    if path.is_file():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _is_backup(path: Path) -> bool:
    """Whether a path is a backup's folder; a name that was typed may hold no time."""
    if not BACKUP_ID.fullmatch(path.name) or not path.is_dir() or path.is_symlink():
        return False
    try:
        _time_of(path)
    except ValueError:
        return False
    return True


def _time_of(backup: Path) -> datetime:
    return datetime.strptime(_match_id(backup.name)["at"], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)


def _age(backup: Path) -> tuple[str, str, int]:
    """What backups are sorted by: those of one second and scope are numbered, from the second on."""
    parts = _match_id(backup.name)
    return parts["at"], parts["scope"], int(parts["n"] or 1)


def _match_id(name: str) -> re.Match[str]:
    parts = BACKUP_ID.fullmatch(name)
    assert parts is not None
    return parts


def _notebooks_of(backup: Path) -> list[str]:
    """Return the notebooks that a backup holds, by their path in the working folder; no link is followed."""
    found = [path for kind in workspace.NOTEBOOK_FOLDERS for path in sorted((backup / kind).glob("*.ipynb"))]
    return [path.relative_to(backup).as_posix() for path in found if path.is_file() and not path.is_symlink()]


def _backup_json(backup: Path) -> dict[str, Any]:
    parts = _match_id(backup.name)
    try:
        rows = _rows(backup / "progress.db", parts["scope"])
    except RequestError:
        rows = None
    return {
        "id": backup.name,
        "scope": parts["scope"],
        "at": _time_of(backup).isoformat(timespec="seconds"),
        "lessons": len(rows["lesson"]) if rows else 0,
        "notebooks": _notebooks_of(backup),
        "bytes": sum(path.stat().st_size for path in backup.rglob("*") if path.is_file()),
    }


def _rows(path: Path, scope: str) -> dict[str, list[dict[str, Any]]] | None:
    """Read the rows of a scope from a backup of progress, in the current schema; None if it has no progress."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as disk:
                disk.backup(db)
            migrate(db)
            db.row_factory = sqlite3.Row
            return {table: [dict(row) for row in db.execute(*_select(table, scope))] for table in TABLES}
    except (sqlite3.DatabaseError, DamagedError) as error:
        text = f"The backup cannot be read ({error})."
        raise RequestError(409, "damaged_backup", text, "Choose another one.") from error
    except NewerProgressError as error:
        raise RequestError(409, "newer_kit", f"The backup cannot be read: {error}.", "Update autodiff-kit.") from error


def _select(table: str, scope: str) -> tuple[str, tuple[str, ...]]:
    where, values = _where(table, scope)
    return f"SELECT * FROM {table} WHERE {where}", values


def _delete_progress(db: sqlite3.Connection, scope: str) -> None:
    # Attempts first, because they are found through the lesson's questions.
    for table in reversed(TABLES):
        where, values = _where(table, scope)
        db.execute(f"DELETE FROM {table} WHERE {where}", values)


def _where(table: str, scope: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition for the rows of a scope; its column names are fixed, the values are bound."""
    if scope == "all":
        return "1", ()
    if table == "lesson":
        return "no = ?", (scope,)
    if table == "prediction":
        return "lesson = ?", (scope,)
    column = "id" if table == "question" else "question"
    entry = lesson_catalog().get(scope)  # a newer kit's backup may be of a lesson that this one does not have
    cells = entry.exercise.cells if entry and entry.exercise else ()
    ids = sorted({cell.question for cell in cells if cell.question})
    return f"{column} IN ({', '.join('?' * len(ids))})", tuple(ids)


def _insert(db: sqlite3.Connection, table: str, entries: list[dict[str, Any]], rev: int) -> None:
    for entry in entries:
        # Row numbers are assigned again; every page must read the restored rows.
        row = {name: value for name, value in entry.items() if name != "id" or table == "question"}
        row = {**row, "rev": rev} if "rev" in row else row
        names = ", ".join(row)
        db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


def _restore_originals(folder: WorkingFolder, scope: str) -> list[str]:
    """Replace the learner's notebooks of a scope with fresh copies; the backup holds the former ones."""
    paths = [original.path for original in _notebooks_in(scope)]
    for path in paths:
        folder.own_path(path).unlink(missing_ok=True)
    workspace.prepare_working_folder(folder.root)
    return [folder.server_path(path) if folder.root.is_relative_to(folder.server_root) else path for path in paths]
