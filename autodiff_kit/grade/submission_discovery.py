"""Finding submissions: notebooks, bundles and folders of them, one submission for each learner and exercise."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from autodiff_kit.errors import FileError

from .exercise_lookup import find_exercise, find_known_exercise
from .outside_text import clean_name
from .roster import canvas_facts, is_platform_name, platform_learner
from .submission import CALLED_LATE, Submission
from .submission_files import has_suffix, is_ignored_file, is_ignored_folder
from .submission_reader import SUFFIXES, file_time, read_submission

__all__ = ["collect_submissions"]

MAX_FILES: Final = 1000
"""Files of one learner's folder that are looked at, those nearest to its top first."""
MAX_NOTEBOOKS: Final = 200
"""Notebooks and bundles of one learner that are read: on a hub, each exercise of a course several times."""
CLONES: Final = "-submissions"
# What browsers, JupyterLab and systems add to the name of a second copy: "x (1)", "x-Copy1", "x copy 2", "x - Copy".
COPY_MARK: Final = re.compile(r"(?: ?\(\d+\)| ?- ?[Cc]opy\d*| [Cc]opy(?: \d+)?)+$")
# A bundle's name ends with the receipt of handing in: the beginning of a hash, and a number.
RECEIPT: Final = re.compile(r"-[0-9a-f]{6,64}(?:-[0-9]{2,6})?$")


def collect_submissions(
    places: Sequence[Path],
    exercise: str = "",
    *,
    noted_times: bool = False,
    platform_names: bool = False,
    out: Path | None = None,
    one_learner: bool = False,
) -> list[Submission]:
    """Read all submissions in some files and folders.

    Parameters
    ----------
    places : sequence of Path
        Notebooks, bundles, folders of them, folders with a folder or a cloned repository for each learner.
    exercise : str, optional
        Slug or number of the exercise; by default as each notebook's metadata says.
    noted_times : bool, optional
        Take times from ``timestamp.txt`` (see :func:`read_submission`).
    platform_names : bool, optional
        Read the names as those of a download from Canvas or Moodle (see :func:`platform_learner`).
    out : Path, optional
        The folder for grades; where it lies among the submissions it is no learner's.
    one_learner : bool, optional
        Whether all of it is one learner's.

    Returns
    -------
    list of Submission
        Sorted by learner and exercise; of several submissions for the same exercise the last one that can be read
        and has to do with it.

    Raises
    ------
    StructureError
        If the exercise is not known.
    FileError
        If a path does not exist.
    """
    if exercise:
        find_exercise(exercise)
    files = list(_files_with_learners(places, exercise, out, others=platform_names))
    # Who names a file could give it the name of another's download: one among many that are none is not read as one.
    downloads = sum(is_platform_name(learner) for learner, _, _ in files)
    read = _read_from_platform if platform_names and 2 * downloads >= len(files) else read_submission
    found = [
        read(path, learner, exercise, noted_times=noted_times, own_folder=own_folder or one_learner)
        for learner, path, own_folder in files
    ]
    found = _with_doubtful_logins_remarked(found, places)
    return _last_of_each_learner(_with_copied_ids_remarked(_with_distinct_learners(found)))


def _read_from_platform(path: Path, learner: str, exercise: str, **options: bool) -> Submission:
    """Read a file of a platform's download: its name tells the learner, and on Canvas more."""
    name, platform_id = platform_learner(learner)
    found = read_submission(path, name, exercise, **options)
    late, order = canvas_facts(learner)
    remarks = (*found.remarks, *([CALLED_LATE] if late else []))
    return replace(found, remarks=remarks, order=order, platform_id=platform_id)


def _with_distinct_learners(found: list[Submission]) -> list[Submission]:
    """Rename those whose file has, as it is, the name that another learner's download was shortened to."""
    taken = {one.learner for one in found if one.platform_id}
    return [
        replace(one, learner=f"{one.learner}⟨file⟩") if one.learner in taken and not one.platform_id else one
        for one in found
    ]


def _files_with_learners(
    places: Iterable[Path], exercise: str, out: Path | None, *, others: bool
) -> Iterator[tuple[str, Path, bool]]:
    """Each file that may be a submission: its learner, its path, and whether it lies in a folder of the learner's own.

    ``others`` adds a platform's files of other kinds.
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
                for learner, path in _files_in_entry(entry, exercise, others=others):
                    yield learner.removeprefix(prefix), path, path != entry
        else:
            yield _learner_of(place, exercise), place, False


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


def _with_doubtful_logins_remarked(found: Sequence[Submission], places: Iterable[Path]) -> list[Submission]:
    """Add a remark to notebooks in clones whose names begin alike, and from which nothing was taken away."""
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
    return [replace(one, remarks=(*one.remarks, *filter(None, [doubtful.get(one.learner)]))) for one in found]


def _files_in_entry(entry: Path, exercise: str, *, others: bool) -> Iterator[tuple[str, Path]]:
    if entry.is_symlink() or not entry.is_dir():
        if has_suffix(entry.name, *SUFFIXES) or (others and is_platform_name(entry.stem)):
            yield _learner_of(entry, exercise), entry
        return
    if not os.access(entry, os.R_OK | os.X_OK):  # it is rejected with that reason, and nobody else is
        yield entry.name, entry
        return
    files = list(islice(_files_below(entry), MAX_FILES))
    notebooks = [path for path in files if has_suffix(path.name, *SUFFIXES)]
    if _clones([entry]):  # of what else a learner keeps in a repository nothing is a submission
        notebooks = [path for path in notebooks if _is_exercise(COPY_MARK.sub("", path.stem), exercise)] or notebooks
    # A file that is no notebook is rejected with the reason.
    for path in sorted(_likeliest(notebooks, exercise)) or files[:1]:
        yield entry.name, path


def _likeliest(notebooks: Sequence[Path], exercise: str) -> Sequence[Path]:
    """The notebooks of a learner that are read; of too many those named after the exercise, and the newest."""
    if len(notebooks) <= MAX_NOTEBOOKS:
        return notebooks
    slug = find_exercise(exercise).slug if exercise else ""
    ordered = sorted(notebooks, key=lambda path: (path.stem.startswith(slug), file_time(path)), reverse=True)
    return ordered[:MAX_NOTEBOOKS]


def _files_below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_ignored_folder(name))
        yield from (Path(root, name) for name in sorted(files) if not is_ignored_file(name))


def _learner_of(path: Path, exercise: str) -> str:
    """The learner of a file: the file's name, or its folder's if the file is named after the exercise."""
    stem = RECEIPT.sub("", path.stem) if has_suffix(path.name, ".zip") else path.stem
    return path.absolute().parent.name if _is_exercise(stem, exercise) else path.stem


def _is_exercise(stem: str, exercise: str) -> bool:
    """Whether a file is named after an exercise, and not by a number alone."""
    return not stem.isdigit() and (stem == exercise or find_known_exercise(stem) is not None)


def _with_copied_ids_remarked(found: list[Submission]) -> list[Submission]:
    """Add a remark to notebooks of different learners with the same random id."""
    owners: dict[str, set[str]] = {}
    for one in found:
        if one.stamp:
            owners.setdefault(one.stamp, set()).add(one.learner)

    def marked(one: Submission) -> Submission:
        others = sorted(owners.get(one.stamp, set()) - {one.learner})
        if not others:
            return one
        words = (
            f"This notebook and that of {', '.join(others[:5])} have the same random id: one may be a copy of the "
            "other, or both began from one download."
        )
        return replace(one, remarks=(*one.remarks, words))

    return [marked(one) for one in found]


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
