"""Submissions: the saved notebook and a receipt in one zip, written atomically.

The zips are the record. The row in the progress file repeats it, so that a lost file loses no receipt. Where
``AUTODIFF_KIT_HANDIN`` names a folder, as on a hub, each zip is written there too, for the teacher: the folder's group
can read it, other learners cannot.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import tempfile
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from autodiff_kit.lab.server.catalog import LessonEntry, lesson_catalog
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.folder import WorkingFolder, read_file
from autodiff_kit.lab.server.progress import read_learner_progress
from autodiff_kit.lab.server.progress_db import read_progress_db, write_progress_db
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.atomic_files import sha256
from autodiff_kit.lessons.notebook_file import read_notebook
from autodiff_kit.lessons.progress_rows import append_event, increment_revision
from autodiff_kit.lessons.timestamps import utc_now

BUNDLE_NAME: Final = re.compile(r"(?P<exercise>[0-9]{2}_\w{1,80})-(?P<receipt>[0-9a-f]{8}-[0-9]{2,6})\.zip", re.ASCII)
MAX_RECEIPT_BYTES: Final = 65_536
COURSE_FOLDER_VARIABLE: Final = "AUTODIFF_KIT_HANDIN"


def hand_in(folder: WorkingFolder, path: object, expected: object) -> dict[str, Any]:
    """Submit the saved notebook: write it and a receipt to a zip.

    Raises
    ------
    RequestError
        If the file is not an exercise, differs from the page's contents, or cannot be read or written.
    """
    file = folder.requested_file(path)
    data = read_file(file)
    digest = sha256(data)
    if not isinstance(expected, str) or not re.fullmatch("[0-9a-f]{64}", expected):
        raise RequestError(400, "bad_value", "`sha256` must be the hash of the saved file.", "Save, then hand in.")
    if digest != expected:
        text = f"{file.name} on disk differs from the open notebook."
        raise RequestError(409, "save_first", text, "Save first, then hand in.", sha256=digest)
    entry = _exercise_of(file, data)
    assert entry.exercise is not None
    learner, _ = read_progress_db(folder, read_learner_progress)
    score = learner.score(entry.exercise)
    receipt = _make_receipt(folder, entry.exercise.slug, digest, score)
    target = _write_bundle(folder, entry.exercise.slug, data, receipt)
    found = _match_name(target)
    assert found is not None
    # A submission counts as soon as the bundle exists; the row is for the summary.
    with suppress(RequestError):
        _record_submission(folder, found["receipt"], entry.exercise.slug, digest, score, receipt["at"])
    return _submission_json(folder, target, found["receipt"], receipt)


def list_submissions(folder: WorkingFolder, exercise: str | None = None) -> list[dict[str, Any]]:
    """Return the submissions, newest first; other files are skipped."""
    where = folder.own_path("handin")
    found = []
    for path in sorted(where.glob("*.zip")) if where.is_dir() else []:
        name, receipt = _match_name(path), _read_receipt(path)
        if name and receipt and exercise in (None, name["exercise"]):
            found.append(_submission_json(folder, path, name["receipt"], receipt))
    return sorted(found, key=lambda row: (row["at"], row["receipt"]), reverse=True)


def _exercise_of(file: Path, data: bytes) -> LessonEntry:
    try:
        metadata = read_notebook(data).get("metadata")
    except ValueError:
        text = f"{file.name} cannot be read as a notebook."
        raise RequestError(409, "damaged_notebook", text, "Open it, repair it, save it.") from None
    about = metadata.get("autodiff_kit") if isinstance(metadata, dict) else None
    about = about if isinstance(about, dict) else {}
    entry = lesson_catalog().get(str(about.get("no")))
    if about.get("kind") != "exercise" or entry is None or entry.exercise is None:
        raise RequestError(404, "no_exercise", f"{file.name} is not an exercise of this kit.", "Open an exercise.")
    return entry


def _make_receipt(folder: WorkingFolder, exercise: str, digest: str, score: float) -> dict[str, Any]:
    from autodiff_kit import __version__

    return {
        "v": 1,
        "learner": workspace.learner_id(folder.root),
        "exercise": exercise,
        "sha256": digest,
        "at": utc_now(),
        "score_so_far": score,
        "kit": __version__,
    }


def _write_bundle(folder: WorkingFolder, exercise: str, data: bytes, receipt: dict[str, Any]) -> Path:
    """Write the zip under the first free receipt number; an existing one is never replaced."""
    own = folder.own_path("handin")
    own.mkdir(parents=True, exist_ok=True)
    course, bundle = _course_folder(), _zip_bundle(data, receipt)
    for n in range(1, 1_000_000):
        name = f"{exercise}-{receipt['sha256'][:8]}-{n:02d}.zip"
        with suppress(FileExistsError):
            if course is not None:
                _deliver(course / name, own / name, bundle)
            else:
                _write_new(own / name, bundle, 0o644)
            return own / name
    raise RequestError(
        507, "disk_full", "No free receipt number is left for this notebook.", "Clear the folder handin."
    )


def _course_folder() -> Path | None:
    named = os.environ.get(COURSE_FOLDER_VARIABLE, "").strip()
    return Path(named).expanduser() if named else None


def _deliver(target: Path, copy: Path, bundle: bytes) -> None:
    """Write the zip into the course's folder and a copy into the learner's: both, or neither."""
    if copy.exists():
        raise FileExistsError(copy)
    try:
        _write_new(target, bundle, 0o640)
    except FileExistsError:
        raise
    except OSError as error:
        text = f"Nothing was handed in: the folder of your course cannot be written ({error.strerror})."
        raise RequestError(403, "undelivered", text, "Tell your teacher, and hand in again later.") from error
    try:
        _write_new(copy, bundle, 0o644)
    except OSError:
        target.unlink(missing_ok=True)
        raise


def _write_new(target: Path, data: bytes, mode: int) -> None:
    """Write a new file completely; FileExistsError if there is one of that name."""
    if target.exists():
        raise FileExistsError(target)
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=".handin.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(mode)
        _take_name(draft, target)
    finally:
        Path(draft).unlink(missing_ok=True)


def _take_name(draft: str, target: Path) -> None:
    """Rename a finished draft; FileExistsError if another process has taken that name."""
    try:
        os.link(draft, target)
    except (AttributeError, OSError):
        # The name is taken, and this raises again; or disk or Python (a browser's) have no links, and an empty file
        # reserves the name.
        target.open("xb").close()
        Path(draft).replace(target)


def _zip_bundle(data: bytes, receipt: dict[str, Any]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("notebook.ipynb", data)
        bundle.writestr("receipt.json", json.dumps(receipt, indent=1) + "\n")
    return packed.getvalue()


def _record_submission(folder: WorkingFolder, receipt: str, exercise: str, digest: str, score: float, at: str) -> None:
    def work(db: Any) -> None:
        row = "INSERT OR IGNORE INTO handin (receipt, notebook, sha256, score, at) VALUES (?, ?, ?, ?, ?)"
        db.execute(row, (receipt, exercise, digest, score, at))
        increment_revision(db)
        append_event(db, "handin", receipt)

    write_progress_db(folder, lambda mine: mine.store.run(work))


def _match_name(path: Path) -> re.Match[str] | None:
    return BUNDLE_NAME.fullmatch(path.name)


def _read_receipt(path: Path) -> dict[str, Any] | None:
    try:
        with zipfile.ZipFile(io.BytesIO(read_file(path))) as bundle:
            if bundle.getinfo("receipt.json").file_size > MAX_RECEIPT_BYTES:
                return None
            found = json.loads(bundle.read("receipt.json"))
    except (OSError, KeyError, ValueError, RuntimeError, EOFError, zlib.error, zipfile.BadZipFile):
        return None
    return found if isinstance(found, dict) and _is_receipt(found) else None


def _is_receipt(found: dict[str, Any]) -> bool:
    """Whether a receipt has what one has, each of its type: the learner's file may have been edited."""
    score = found.get("score_so_far")
    texts = all(isinstance(found.get(name), str) for name in ("at", "exercise", "sha256"))
    return texts and isinstance(score, (int, float)) and math.isfinite(score)


def _submission_json(folder: WorkingFolder, path: Path, receipt: str, about: dict[str, Any]) -> dict[str, Any]:
    entry = lesson_catalog().get(str(about.get("exercise"))[:2])
    relative = f"handin/{path.name}"
    return {
        "receipt": receipt,
        "exercise": about.get("exercise"),
        "score": about.get("score_so_far"),
        "max": entry.points if entry else None,
        "sha256": about.get("sha256"),
        "at": about["at"],
        "path": folder.server_path(relative) if folder.root.is_relative_to(folder.server_root) else relative,
        "bytes": path.stat().st_size,
    }
