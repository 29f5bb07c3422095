"""The learner's working folder: where it is, how notebooks are copied into it, and how a lesson is reset.

A learner works on copies of the kit's notebooks. The copies have no outputs, so that no result is seen before it
is predicted::

    work/
        notebooks/      exercises/      handin/
        .autodiff_kit/  learner.json · manifest.json · progress.db · backups/

The manifest stores hashes of the copied files. When the kit is updated, a copy that the learner did not change is
replaced with the new original; a changed copy is kept.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.atomic_files import rename_as_damaged, sha256, write_atomically
from autodiff_kit.lessons.notebook_file import fingerprint, is_notebook, read_notebook, strip_outputs
from autodiff_kit.lessons.timestamps import timestamp_for_file_name

__all__ = [
    "KIT_FOLDER",
    "NOTEBOOK_FOLDERS",
    "LessonBackup",
    "LessonNotebook",
    "PreparationReport",
    "WorkspaceError",
    "find_working_folder",
    "learner_id",
    "lesson_notebooks",
    "lesson_number",
    "originals_folder",
    "prepare_working_folder",
    "reset_lesson",
]

KIT_FOLDER = ".autodiff_kit"
NOTEBOOK_FOLDERS = ("notebooks", "exercises")


class WorkspaceError(AutodiffError, OSError):
    """The working folder cannot be used: the message says which path, why, and what to do."""


@dataclass(frozen=True)
class LessonNotebook:
    """The notebook of a lesson: the lesson's number, the file's name without suffix, and the title."""

    no: str
    slug: str
    title: str


@dataclass
class PreparationReport:
    """The changes by `prepare_working_folder`; each file is given by its path inside the working folder."""

    root: Path
    copied: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the messages for the learner, one sentence a line; empty if no file changed."""
        said = []
        if self.copied:
            said.append(f"New in {self.root}: {', '.join(self.copied)}.")
        if self.refreshed:
            said.append(f"Updated, because you had not changed them: {', '.join(self.refreshed)}.")
        for name in self.kept:
            number = Path(name).name[:2]
            said.append(
                f"{name} has a newer original; yours was kept because you changed it "
                f"(`autodiff-kit reset {number}` takes the new one and backs up yours)."
            )
        for name, aside in self.damaged:
            said.append(f"{name} could not be read as a notebook: it was kept as {aside}, and a new copy was made.")
        return said


@dataclass(frozen=True)
class LessonBackup:
    """The backup that `reset_lesson` made: its folder, and the files in it."""

    path: Path
    files: tuple[str, ...]


def find_working_folder() -> Path | None:
    """Return the working folder of the current process.

    Returns
    -------
    Path or None
        ``AUTODIFF_KIT_DIR`` if it is set, otherwise the nearest parent of the current folder that holds
        ``.autodiff_kit``, otherwise None.
    """
    named = os.environ.get("AUTODIFF_KIT_DIR", "").strip()
    if named:
        return Path(named).expanduser().resolve()
    here = Path.cwd().resolve()
    return next((folder for folder in (here, *here.parents) if (folder / KIT_FOLDER).is_dir()), None)


def originals_folder() -> Path:
    """Return the folder with the original ``notebooks/`` and ``exercises/``.

    Returns
    -------
    Path
        ``autodiff_kit/_content`` of an installed wheel, or the top of the source tree.

    Raises
    ------
    WorkspaceError
        If the installation has neither.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_content", package.parent):
        if (folder / "notebooks").is_dir():
            return folder
    raise WorkspaceError(
        f"The lessons were not found next to {package}. The installation is incomplete: "
        "install it again with `pip install --force-reinstall autodiff-kit`."
    )


def lesson_notebooks() -> list[LessonNotebook]:
    """Return the lessons that exist, in order of their numbers."""
    found = []
    for path in sorted((originals_folder() / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        metadata = _as_dict(read_notebook(path.read_bytes()).get("metadata"))
        about = _as_dict(metadata.get("autodiff_kit"))
        found.append(LessonNotebook(path.name[:2], path.stem, str(about.get("title", path.stem))))
    return found


def learner_id(root: Path) -> str:
    """Return the learner's id, a random id that is made once for each working folder.

    Parameters
    ----------
    root : Path
        The working folder; its ``.autodiff_kit/learner.json`` keeps the id.

    Returns
    -------
    str
        ``AUTODIFF_KIT_LEARNER`` if it is set, otherwise the id of the file. A damaged file is renamed and a new id is
        made.
    """
    named = os.environ.get("AUTODIFF_KIT_LEARNER", "").strip()
    if named:
        return named
    path = root / KIT_FOLDER / "learner.json"
    known = _read_json(path).get("learner")
    if isinstance(known, str) and known:
        return known
    fresh = secrets.token_hex(8)
    write_atomically(path, json.dumps({"v": 1, "learner": fresh}).encode() + b"\n")
    return fresh


def prepare_working_folder(root: Path | str) -> PreparationReport:
    """Copy missing and updated notebooks into a working folder; files that the learner changed are kept.

    Parameters
    ----------
    root : Path or str
        The working folder; created if it does not exist.

    Returns
    -------
    Prepared
        The files that were copied, refreshed, kept, or found damaged and renamed.

    Raises
    ------
    WorkspaceError
        If the folder cannot be written, or a link in it points outside.
    """
    root = Path(root).expanduser().resolve()
    try:
        return _fill_working_folder(root)
    except WorkspaceError:
        raise
    except OSError as error:
        raise WorkspaceError(
            f"The working folder {root} cannot be written ({error.strerror or error}). "
            "Free some space, or choose another folder: autodiff-kit lab --dir FOLDER."
        ) from error


def reset_lesson(root: Path | str, what: str) -> LessonBackup:
    """Reset the notebooks of a lesson: move the learner's copies into a backup and make fresh ones.

    Parameters
    ----------
    root : Path or str
        The working folder.
    what : str
        The lesson's number, such as ``"01"`` or ``"1"``.

    Returns
    -------
    Backup
        The folder under ``.autodiff_kit/backups/`` and its contents.

    Raises
    ------
    WorkspaceError
        If there is no such lesson, or the folder cannot be written.
    """
    root = Path(root).expanduser().resolve()
    number = lesson_number(what)
    names = [name for name in _original_files() if Path(name).name.startswith(f"{number}_")]
    folder = _backup_folder(root, number)
    try:
        kept = [name for name in names if _move_to_backup(_path_inside(root, name), folder / name)]
    except WorkspaceError:
        raise
    except OSError as error:
        raise WorkspaceError(
            f"Lesson {number} was not reset: no backup could be made in {folder} ({error.strerror or error})."
        ) from error
    prepare_working_folder(root)
    return LessonBackup(folder, tuple(kept))


def lesson_number(what: str) -> str:
    """Return the two-digit number of an existing lesson, from a number as a person may type it.

    Raises
    ------
    WorkspaceError
        If there is no such lesson in this kit; the message lists those that exist.
    """
    known = [lesson.no for lesson in lesson_notebooks()]
    number = what.strip().partition("_")[0]
    number = number.zfill(2) if number else ""
    if number not in known:
        raise WorkspaceError(f"There is no lesson {what!r}. The lessons are {', '.join(known) or 'none yet'}.")
    return number


def _fill_working_folder(root: Path) -> PreparationReport:
    done = PreparationReport(root)
    for folder in (KIT_FOLDER, *NOTEBOOK_FOLDERS, "handin"):
        _path_inside(root, folder).mkdir(parents=True, exist_ok=True)
    path = root / KIT_FOLDER / "manifest.json"
    manifest = _read_json(path)
    name = learner_id(root)
    for relative, original in _original_files().items():
        source = original.read_bytes()
        fresh = _learner_copy(name, source) if original.suffix == ".ipynb" else source
        _update_file(root, relative, source, fresh, manifest, done)
    write_atomically(path, json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n")
    return done


def _update_file(
    root: Path, relative: str, source: bytes, fresh: bytes, manifest: dict[str, Any], done: PreparationReport
) -> None:
    """Bring one file of the folder up to date. A file that was changed is kept; a damaged one is renamed."""
    target = _path_inside(root, relative)
    entry = {"copy": fingerprint(fresh), "original": sha256(source)}
    if not target.exists():
        done.copied.append(relative)
    else:
        present = target.read_bytes()
        known = _as_dict(manifest.get(relative))
        if fingerprint(present) == entry["copy"]:
            manifest[relative] = entry
            return
        if fingerprint(present) == known.get("copy"):
            done.refreshed.append(relative)
        elif target.suffix == ".ipynb" and not is_notebook(present):
            done.damaged.append((relative, rename_as_damaged(target).name))
        else:
            if known.get("original", entry["original"]) != entry["original"]:
                done.kept.append(relative)
            return
    write_atomically(target, fresh)
    manifest[relative] = entry


def _path_inside(root: Path, relative: str) -> Path:
    """Return the path of a file of the folder; raise for a path that a symbolic link leads out of the folder."""
    path = root / relative
    if not path.resolve().is_relative_to(root):
        raise WorkspaceError(
            f"{path} leads outside the working folder, to {path.resolve()}. "
            "Nothing was written there: remove the link, or choose another folder with --dir."
        )
    return path


def _original_files() -> dict[str, Path]:
    """Return the files that are copied for a learner, by their path inside the working folder."""
    top = originals_folder()
    found = {}
    for kind in NOTEBOOK_FOLDERS:
        for path in sorted((top / kind).rglob("*")):
            relative = path.relative_to(top)
            hidden = any(part.startswith((".", "__")) for part in relative.parts)
            if path.is_file() and not hidden and path.name != "README.md":
                found[relative.as_posix()] = path
    return found


def _learner_copy(name: str, source: bytes) -> bytes:
    notebook = strip_outputs(read_notebook(source))
    notebook.setdefault("metadata", {}).setdefault("autodiff_kit", {})["learner"] = name
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"


def _read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file of the kit; empty if the file is missing, or damaged (it is renamed then)."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    rename_as_damaged(path)
    return {}


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _backup_folder(root: Path, number: str) -> Path:
    base = _path_inside(root, KIT_FOLDER) / "backups" / f"{timestamp_for_file_name()}-{number}"
    folder, count = base, 1
    while folder.exists():
        count += 1
        folder = base.with_name(f"{base.name}-{count}")
    return folder


def _move_to_backup(path: Path, into: Path) -> bool:
    """Move a file into a backup; return whether there was a file."""
    if not path.exists():
        return False
    into.parent.mkdir(parents=True, exist_ok=True)
    path.replace(into)
    return True
