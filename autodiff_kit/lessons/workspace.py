"""The learner's working folder: where it is, what is copied into it, how a lesson is begun anew.

Originals are never worked on. A learner has a folder of copies, without outputs, so that no number is seen
before it is predicted::

    work/
        notebooks/      exercises/      handin/
        .autodiff_kit/  learner.json · manifest.json · progress.db · backups/

The manifest remembers what was copied. An untouched copy follows its original when the kit is updated; one
that the learner changed is theirs, and stays.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autodiff_kit.errors import AutodiffError
from autodiff_kit.lessons.atomic_files import put_aside, sha256, stamp, write_atomically
from autodiff_kit.lessons.notebook_file import fingerprint, is_notebook, read_notebook, strip_outputs

MARK = ".autodiff_kit"
KINDS = ("notebooks", "exercises")


class WorkspaceError(AutodiffError, OSError):
    """The working folder cannot be used as it is: the text says which path, why, and what to do."""


@dataclass(frozen=True)
class Lesson:
    """One lesson that can be opened: its number, the notebook's name without suffix, and its title."""

    no: str
    slug: str
    title: str


@dataclass
class Prepared:
    """What `prepare` did, each file as its path inside the working folder."""

    root: Path
    copied: list[str] = field(default_factory=list)
    refreshed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return what a learner should know, one sentence a line; nothing when there is nothing to say."""
        said = []
        if self.copied:
            said.append(f"New in {self.root}: {', '.join(self.copied)}.")
        if self.refreshed:
            said.append(f"Updated, as you had not changed them: {', '.join(self.refreshed)}.")
        for name in self.kept:
            number = Path(name).name[:2]
            said.append(
                f"{name} has a newer original; yours was kept because you changed it "
                f"(`autodiff-kit reset {number}` takes the new one and backs up yours)."
            )
        for name, aside in self.damaged:
            said.append(f"{name} could not be read as a notebook: kept as {aside}, and a fresh copy given.")
        return said


@dataclass(frozen=True)
class Backup:
    """Where the files that `reset` replaced are kept, and which files those are."""

    path: Path
    files: tuple[str, ...]


def find_root() -> Path | None:
    """Return the working folder that the present process is in.

    Returns
    -------
    Path or None
        ``AUTODIFF_KIT_DIR`` if it is set, else the nearest parent of the current folder that holds
        ``.autodiff_kit``, else None.
    """
    named = os.environ.get("AUTODIFF_KIT_DIR", "").strip()
    if named:
        return Path(named).expanduser().resolve()
    here = Path.cwd().resolve()
    return next((folder for folder in (here, *here.parents) if (folder / MARK).is_dir()), None)


def content() -> Path:
    """Return the folder that holds the originals, ``notebooks/`` and ``exercises/``.

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
        f"The lessons were not found beside {package}. The installation is not complete: "
        "install it again with `pip install --force-reinstall autodiff-kit`."
    )


def lessons() -> list[Lesson]:
    """Return the lessons that exist, in order of their numbers."""
    found = []
    for path in sorted((content() / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        metadata = _as_object(read_notebook(path.read_bytes()).get("metadata"))
        about = _as_object(metadata.get("autodiff_kit"))
        found.append(Lesson(path.name[:2], path.stem, str(about.get("title", path.stem))))
    return found


def learner(root: Path) -> str:
    """Return the learner's id: random, made once, and no one's name.

    Parameters
    ----------
    root : Path
        The working folder; its ``.autodiff_kit/learner.json`` keeps the id.

    Returns
    -------
    str
        ``AUTODIFF_KIT_LEARNER`` if it is set, else the id of the file. A damaged file is put aside.
    """
    named = os.environ.get("AUTODIFF_KIT_LEARNER", "").strip()
    if named:
        return named
    path = root / MARK / "learner.json"
    known = _read_json(path).get("learner")
    if isinstance(known, str) and known:
        return known
    fresh = secrets.token_hex(8)
    write_atomically(path, json.dumps({"v": 1, "learner": fresh}).encode() + b"\n")
    return fresh


def prepare(root: Path | str) -> Prepared:
    """Fill a working folder with what is missing in it, and change nothing that a learner changed.

    Parameters
    ----------
    root : Path or str
        The working folder; made if it does not exist.

    Returns
    -------
    Prepared
        What was copied, refreshed, kept, or found damaged and put aside.

    Raises
    ------
    WorkspaceError
        If the folder cannot be written, or a link in it leads outside.
    """
    root = Path(root).expanduser().resolve()
    try:
        return _prepare(root)
    except WorkspaceError:
        raise
    except OSError as error:
        raise WorkspaceError(
            f"The working folder {root} cannot be written ({error.strerror or error}). "
            "Free some space, or choose another folder: autodiff-kit lab --dir FOLDER."
        ) from error


def reset(root: Path | str, what: str) -> Backup:
    """Begin a lesson anew: back up the learner's notebooks of it and put fresh copies in their place.

    Parameters
    ----------
    root : Path or str
        The working folder.
    what : str
        The lesson's number, such as ``"01"`` or ``"1"``.

    Returns
    -------
    Backup
        The folder under ``.autodiff_kit/backups/`` and what it holds.

    Raises
    ------
    WorkspaceError
        If there is no such lesson, or the folder cannot be written.
    """
    root = Path(root).expanduser().resolve()
    number = lesson_number(what)
    names = [name for name in _originals() if Path(name).name.startswith(f"{number}_")]
    folder = _backup_folder(root, number)
    try:
        kept = [name for name in names if _move(_inside(root, name), folder / name)]
    except WorkspaceError:
        raise
    except OSError as error:
        raise WorkspaceError(
            f"Lesson {number} was not reset: no backup could be made in {folder} ({error.strerror or error})."
        ) from error
    prepare(root)
    return Backup(folder, tuple(kept))


def lesson_number(what: str) -> str:
    """Return the two digits of a lesson that exists, from what a person may type for it.

    Raises
    ------
    WorkspaceError
        If it names no lesson of this kit; the text lists those that there are.
    """
    known = [lesson.no for lesson in lessons()]
    number = what.strip()[:2].rstrip("_").zfill(2)
    if number not in known:
        raise WorkspaceError(f"There is no lesson {what!r}. The lessons are {', '.join(known) or 'none yet'}.")
    return number


def _prepare(root: Path) -> Prepared:
    done = Prepared(root)
    for folder in (MARK, *KINDS, "handin"):
        _inside(root, folder).mkdir(parents=True, exist_ok=True)
    path = root / MARK / "manifest.json"
    manifest = _read_json(path)
    name = learner(root)
    for relative, original in _originals().items():
        source = original.read_bytes()
        fresh = _copy_for(name, source) if original.suffix == ".ipynb" else source
        _place(root, relative, source, fresh, manifest, done)
    write_atomically(path, json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n")
    return done


def _place(root: Path, relative: str, source: bytes, fresh: bytes, manifest: dict[str, Any], done: Prepared) -> None:
    """Bring one file of the folder up to date; every way leaves a changed file where it is, or aside."""
    target = _inside(root, relative)
    entry = {"copy": fingerprint(fresh), "original": sha256(source)}
    if not target.exists():
        done.copied.append(relative)
    else:
        present = target.read_bytes()
        known = _as_object(manifest.get(relative))
        if fingerprint(present) == entry["copy"]:
            manifest[relative] = entry
            return
        if fingerprint(present) == known.get("copy"):
            done.refreshed.append(relative)
        elif target.suffix == ".ipynb" and not is_notebook(present):
            done.damaged.append((relative, put_aside(target).name))
        else:
            if known.get("original", entry["original"]) != entry["original"]:
                done.kept.append(relative)
            return
    write_atomically(target, fresh)
    manifest[relative] = entry


def _inside(root: Path, relative: str) -> Path:
    """Return the path of a file of the folder; refuse one that a link leads out of it."""
    path = root / relative
    if not path.resolve().is_relative_to(root):
        raise WorkspaceError(
            f"{path} leads outside the working folder, to {path.resolve()}. "
            "Nothing was written there: remove the link, or choose another folder with --dir."
        )
    return path


def _originals() -> dict[str, Path]:
    """Return the files that a learner gets, by their path inside the working folder."""
    top = content()
    found = {}
    for kind in KINDS:
        for path in sorted((top / kind).rglob("*")):
            relative = path.relative_to(top)
            hidden = any(part.startswith((".", "__")) for part in relative.parts)
            if path.is_file() and not hidden and path.name != "README.md":
                found[relative.as_posix()] = path
    return found


def _copy_for(name: str, source: bytes) -> bytes:
    notebook = strip_outputs(read_notebook(source))
    notebook.setdefault("metadata", {}).setdefault("autodiff_kit", {})["learner"] = name
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"


def _read_json(path: Path) -> dict[str, Any]:
    """Return the object in a small file of ours; a missing one is empty, a damaged one is put aside."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    put_aside(path)
    return {}


def _as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _backup_folder(root: Path, number: str) -> Path:
    base = _inside(root, MARK) / "backups" / f"{stamp()}-{number}"
    folder, count = base, 1
    while folder.exists():
        count += 1
        folder = base.with_name(f"{base.name}-{count}")
    return folder


def _move(path: Path, into: Path) -> bool:
    """Move a file into a backup; say whether there was one."""
    if not path.exists():
        return False
    into.parent.mkdir(parents=True, exist_ok=True)
    path.replace(into)
    return True
