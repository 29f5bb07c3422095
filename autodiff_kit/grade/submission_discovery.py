"""Finding submissions: notebooks, bundles and folders of them, one submission for each learner and exercise.

The batch's process lists the folders that a teacher gives and looks at names (:func:`find_hand_ins`). What lies in a
learner's own folder, and what is in the files, is looked at in the grader's process (:func:`read_hand_in`).
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from autodiff_kit.errors import FileError

from .exercise_lookup import find_exercise, find_known_exercise
from .outside_text import clean_name
from .roster import canvas_facts, is_platform_name, platform_learner
from .similarity import answer_fingerprints
from .submission import CALLED_LATE, Submission
from .submission_files import has_suffix, is_ignored_file, is_ignored_folder
from .submission_reader import SUFFIXES, file_time, read_submission

__all__ = ["Entry", "HandIn", "find_hand_ins", "read_hand_in"]

MAX_FILES: Final = 1000
"""Files of one learner's folder that are looked at, those nearest to its top first."""
MAX_FOLDERS: Final = 10_000
"""Folders of one learner that are looked at, those nearest to its top first."""
MAX_NOTEBOOKS: Final = 200
"""Notebooks and bundles of one learner that are read: on a hub, each exercise of a course several times."""
CLONES: Final = "-submissions"
# What browsers, JupyterLab and systems add to the name of a second copy: "x (1)", "x-Copy1", "x copy 2", "x - Copy".
COPY_MARK: Final = re.compile(r"(?: ?\(\d+\)| ?- ?[Cc]opy\d*| [Cc]opy(?: \d+)?)+$")
# A bundle's name ends with the receipt of handing in: the beginning of a hash, and a number.
RECEIPT: Final = re.compile(r"-[0-9a-f]{6,64}(?:-[0-9]{2,6})?$")


@dataclass(frozen=True)
class Entry:
    """A file or folder that belongs to a learner, with what its name tells.

    Attributes
    ----------
    path : str
        The file or folder.
    name : str
        The learner's name as a platform wrote it, with number and time.
    own_folder : bool
        Whether all of the file's folder is the learner's.
    """

    path: str
    name: str
    own_folder: bool = False


@dataclass(frozen=True)
class HandIn:
    """Everything that one learner handed in, known by names only.

    Attributes
    ----------
    learner : str
        The learner's name as it is shown.
    platform_id : str
        The number of Canvas or Moodle in the names of a download; empty for other names.
    entries : tuple of Entry
        Files and folders.
    remarks : tuple of str
        What the names leave in doubt.
    """

    learner: str
    platform_id: str
    entries: tuple[Entry, ...]
    remarks: tuple[str, ...] = ()


def find_hand_ins(
    places: Sequence[Path],
    exercise: str = "",
    *,
    platform_names: bool = False,
    out: Path | None = None,
    one_learner: bool = False,
) -> list[HandIn]:
    """Find what each learner handed in, without a look into any file or any learner's folder.

    Parameters
    ----------
    places : sequence of Path
        Notebooks, bundles, folders of them, folders with a folder or a cloned repository for each learner.
    exercise : str, optional
        Slug or number of the exercise; by default as each notebook's metadata says.
    platform_names : bool, optional
        Read the names as those of a download from Canvas or Moodle (see :func:`platform_learner`).
    out : Path, optional
        The folder for grades; where it lies among the submissions it is no learner's.
    one_learner : bool, optional
        Whether all of it is one learner's.

    Returns
    -------
    list of HandIn
        Sorted by learner.

    Raises
    ------
    StructureError
        If the exercise is not known.
    FileError
        If a path does not exist.
    """
    if exercise:
        find_exercise(exercise)
    found = [
        Entry(str(path.absolute()), name, _is_folder(path) or one_learner)
        for name, path in _entries_with_learners(places, exercise, out, others=platform_names)
    ]
    # Who names a file could give it the name of another's download: one among many that are none is not read as one.
    is_download = platform_names and 2 * sum(is_platform_name(one.name) for one in found) >= len(found)
    entries: dict[tuple[str, str], list[Entry]] = {}
    for one in found:
        learner, platform_id = platform_learner(one.name) if is_download else (one.name, "")
        entries.setdefault((clean_name(learner), platform_id), []).append(one)
    doubts = _doubtful_logins(places)
    hand_ins = [
        HandIn(learner, platform_id, tuple(own), tuple(filter(None, [doubts.get(learner)])))
        for (learner, platform_id), own in sorted(entries.items())
    ]
    return _with_distinct_learners(hand_ins)


def read_hand_in(hand_in: HandIn, exercise: str = "", *, noted_times: bool = False) -> list[Submission]:
    """Read what one learner handed in: a submission for each exercise, with cells.

    Parameters
    ----------
    hand_in : HandIn
        As it was found.
    exercise : str, optional
        Slug or number of the exercise; by default as each notebook's metadata says.
    noted_times : bool, optional
        Take times from ``timestamp.txt`` (see :func:`read_submission`).

    Returns
    -------
    list of Submission
        Of several for one exercise the last one that can be read and has to do with it.
    """
    found = []
    for entry in hand_in.entries:
        late, order = canvas_facts(entry.name) if hand_in.platform_id else (False, ())
        for path in _files_of_entry(Path(entry.path), exercise):
            one = read_submission(path, hand_in.learner, exercise, noted_times=noted_times, own_folder=entry.own_folder)
            remarks = (*one.remarks, *([CALLED_LATE] if late else []), *hand_in.remarks)
            one = replace(one, path=str(path), remarks=remarks, order=order, platform_id=hand_in.platform_id)
            found.append(replace(one, fingerprints=answer_fingerprints(one), cells=(), questions=(), checks=()))
    return _last_of_each_learner(found)


def _with_distinct_learners(found: list[HandIn]) -> list[HandIn]:
    """Rename those whose file has, as it is, the name that another learner's download was shortened to."""
    taken = {one.learner for one in found if one.platform_id}
    return [
        replace(one, learner=f"{one.learner}⟨file⟩") if one.learner in taken and not one.platform_id else one
        for one in found
    ]


def _entries_with_learners(
    places: Iterable[Path], exercise: str, out: Path | None, *, others: bool
) -> Iterator[tuple[str, Path]]:
    """Each file or folder that may be a submission, with its learner; ``others`` adds a platform's files of other
    kinds.
    """
    written = [out.resolve(), out.resolve() / "feedback"] if out else []
    for place in places:
        if not os.path.lexists(place):
            raise FileError(f"{place} does not exist. Give notebooks, bundles or folders of them.")
        if place.is_dir() and not place.is_symlink():
            here = place.resolve()
            entries = [
                entry
                for entry in _entries_of(place)
                if not is_ignored_folder(entry.name) and here / entry.name not in written
            ]
            prefix = _classroom_prefix(place, entries)
            for entry in entries:
                if _is_folder(entry):
                    yield entry.name.removeprefix(prefix), entry
                elif has_suffix(entry.name, *SUFFIXES) or (others and is_platform_name(entry.stem)):
                    yield _learner_of(entry, exercise).removeprefix(prefix), entry
        else:
            yield _learner_of(place, exercise), place


def _is_folder(path: Path) -> bool:
    return not path.is_symlink() and path.is_dir()


def _entries_of(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise FileError(f"{folder} cannot be read ({error.strerror}). Give folders that you may read.") from error


def _classroom_prefix(place: Path, entries: Sequence[Path]) -> str:
    """What GitHub Classroom puts before each login: its clones are ``15-slots-submissions/15-slots-ada``."""
    assignment = place.absolute().name.removesuffix(CLONES)
    prefix = f"{assignment}-"
    names = [entry.name for entry in _clones(entries) or filter(Path.is_dir, entries)]
    known = assignment != place.absolute().name and names
    return prefix if known and all(len(name) > len(prefix) and name.startswith(prefix) for name in names) else ""


def _clones(entries: Iterable[Path]) -> list[Path]:
    return [entry for entry in entries if os.path.lexists(entry / ".git")]


def _doubtful_logins(places: Iterable[Path]) -> dict[str, str]:
    """A remark for each clone whose name begins as all others do, and from which nothing was taken away."""
    doubtful: dict[str, str] = {}
    for place in filter(Path.is_dir, places):
        entries = _entries_of(place)
        names = [entry.name for entry in _clones(entries)]
        prefix = os.path.commonprefix(names).rpartition("-")[0]  # noqa: RUF071 - names, no paths
        if len(names) > 1 and prefix and not _classroom_prefix(place, entries):
            words = (
                "Its login is taken to be the whole name of its clone. If GitHub Classroom named it, call the folder "
                f"of the clones {prefix}{CLONES}: then the login is what follows {prefix}-."
            )
            doubtful |= dict.fromkeys(map(clean_name, names), words)
    return doubtful


def _files_of_entry(entry: Path, exercise: str) -> Sequence[Path]:
    """The files of a learner that are read: the one that was handed in, or those of a folder that may be the answer."""
    if not _is_folder(entry) or not os.access(entry, os.R_OK | os.X_OK):  # the latter is rejected with that reason
        return [entry]
    files = list(islice(_files_below(entry), MAX_FILES))
    notebooks = [path for path in files if has_suffix(path.name, *SUFFIXES)]
    if _clones([entry]):  # of what else a learner keeps in a repository nothing is a submission
        notebooks = [path for path in notebooks if _is_exercise(COPY_MARK.sub("", path.stem), exercise)] or notebooks
    # A file that is no notebook is rejected with the reason.
    return sorted(_likeliest(notebooks, exercise)) or files[:1]


def _likeliest(notebooks: Sequence[Path], exercise: str) -> Sequence[Path]:
    """The notebooks of a learner that are read; of too many those named after the exercise, and the newest."""
    if len(notebooks) <= MAX_NOTEBOOKS:
        return notebooks
    slug = find_exercise(exercise).slug if exercise else ""
    ordered = sorted(notebooks, key=lambda path: (path.stem.startswith(slug), file_time(path)), reverse=True)
    return ordered[:MAX_NOTEBOOKS]


def _files_below(folder: Path) -> Iterator[Path]:
    """Files in a folder and in those below it, level by level; links are not followed."""
    folders = deque([folder])
    for _ in range(MAX_FOLDERS):
        if not folders:
            return
        try:
            with os.scandir(folders.popleft()) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for one in ordered:
            if not one.is_dir(follow_symlinks=False):
                if not is_ignored_file(one.name):
                    yield Path(one.path)
            elif not is_ignored_folder(one.name):
                folders.append(Path(one.path))


def _learner_of(path: Path, exercise: str) -> str:
    """The learner of a file: the file's name, or its folder's if the file is named after the exercise."""
    stem = RECEIPT.sub("", path.stem) if has_suffix(path.name, ".zip") else path.stem
    return path.absolute().parent.name if _is_exercise(stem, exercise) else path.stem


def _is_exercise(stem: str, exercise: str) -> bool:
    """Whether a file is named after an exercise, and not by a number alone."""
    return not stem.isdigit() and (stem == exercise or find_known_exercise(stem) is not None)


def _last_of_each_learner(found: list[Submission]) -> list[Submission]:
    groups: dict[tuple[str, str], list[Submission]] = {}
    for one in found:
        groups.setdefault((one.learner, one.exercise), []).append(one)
    chosen = []
    for group in groups.values():
        last = max(group, key=lambda one: one.precedence)
        if len(group) > 1:
            last = replace(last, remarks=(*last.remarks, _words_on_choice(last, group)))
        chosen.append(last)
    return sorted(chosen, key=lambda one: (one.learner, one.exercise))


def _words_on_choice(chosen: Submission, group: Sequence[Submission]) -> str:
    why = "the last one with answers in it" if chosen.begun else "the last one that can be read"
    rivals = [one for one in group if one.begun and one is not chosen and one.submitted == chosen.submitted]
    equal = f" {rivals[0].file} has the same time; look which of them is meant." if rivals and chosen.begun else ""
    return f"{len(group)} notebooks were handed in; {chosen.file} counts, {why}.{equal}"
