"""``autodiff-kit new-exercise`` and ``autodiff-kit author build | validate | classroom | master`` and others.

Adding the commands to the argument parser imports no exercise; each command imports its own modules when it runs.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from autodiff_kit.errors import ArgumentError, FileError, StructureError

if TYPE_CHECKING:
    from .master_notebook import MasterNotebook

__all__ = ["BUILD_PARTS", "MUTANT_DRAWS", "VALIDATION_SEEDS", "add_author_commands", "build_exercise"]

BUILD_PARTS = ("release", "grading", "course", "otter", "key", "preview")
RUN_BY_LEARNERS = ("course", "otter")
"""Parts for tools that run the checks in the learner's process: not for an exercise with private questions."""
VALIDATION_SEEDS = 100
MUTANT_DRAWS = 20  # a minute for an exercise, or less; a fault that passes on one of them gets 200


def add_author_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the author's commands to the argument parser."""
    new = commands.add_parser("new-exercise", help="start an exercise: a master notebook with one working question")
    new.add_argument("name", metavar="NAME", help="such as newton_steps")
    new.add_argument("--dir", type=Path, default=Path(), metavar="FOLDER", help="output folder (default: here)")
    new.add_argument(
        "--per-learner", action="store_true", help="a private question whose numbers are drawn for each learner"
    )
    new.set_defaults(run=_run_new)

    author = commands.add_parser("author", help="build and validate exercises from their master notebooks")
    what = author.add_subparsers(title="commands", required=True, metavar="COMMAND")
    master = argparse.ArgumentParser(add_help=False)
    master.add_argument(
        "master", metavar="MASTER", help="a master notebook, or the number of one of the kit's own exercises"
    )

    make = what.add_parser(
        "build",
        parents=[master],
        help="the learner's release, the checks for grading, nbgrader's course, otter's tests, key, preview",
    )
    make.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="output folder")
    make.add_argument("--only", choices=BUILD_PARTS, action="append", help="only this part; may be repeated")
    make.set_defaults(run=_run_build)

    test = what.add_parser(
        "validate",
        parents=[master],
        help="find leaks, missing points, starters that pass, answers that fail, small faults that pass",
    )
    test.add_argument(
        "--seeds",
        type=int,
        default=VALIDATION_SEEDS,
        metavar="N",
        help=f"draws for each answer (default: {VALIDATION_SEEDS})",
    )
    test.add_argument(
        "--mutant-draws",
        type=int,
        default=MUTANT_DRAWS,
        metavar="N",
        help=f"draws for each small fault that is put into a worked answer (default: {MUTANT_DRAWS}; 0: try no faults)",
    )
    test.set_defaults(run=_run_validate)

    sibling = what.add_parser("variant", help="start a private sibling of one of the kit's questions")
    sibling.add_argument("question", metavar="ID", help="such as jvp-2")
    sibling.add_argument("name", metavar="NAME", help="of the new exercise, such as my_rows")
    sibling.add_argument("--dir", type=Path, default=Path(), metavar="FOLDER", help="output folder (default: here)")
    sibling.set_defaults(run=_run_variant)

    scope = what.add_parser("gradescope", parents=[master], help="the autograder of a Gradescope assignment")
    scope.add_argument("--out", type=Path, default=Path("autograder.zip"), metavar="FILE", help="the archive to upload")
    scope.set_defaults(run=_run_gradescope)

    room = what.add_parser(
        "classroom", parents=[master], help="a starter repository for GitHub Classroom, with a workflow that checks it"
    )
    room.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the repository's folder")
    room.set_defaults(run=_run_classroom)

    show = what.add_parser("master", parents=[master], help="print the master of one of the kit's own exercises")
    show.set_defaults(run=_run_show)


def build_exercise(master: MasterNotebook, out: Path, parts: tuple[str, ...] = BUILD_PARTS) -> list[Path]:
    """Build the learner's release and the other parts of an exercise.

    Parameters
    ----------
    master : MasterNotebook
        The exercise.
    out : Path
        The output folder; each part gets a folder in it.
    parts : tuple of str, optional
        Some of release, grading, course, otter, key and preview.

    Returns
    -------
    list of Path
        The files written.
    """
    from .answer_key import write_answer_key, write_preview
    from .nbgrader_course import write_nbgrader_course
    from .otter_tests import write_otter_tests
    from .release import write_grading_checks, write_release

    writers = {
        "release": write_release,
        "grading": write_grading_checks,
        "course": write_nbgrader_course,
        "otter": lambda folder, exercise: write_otter_tests(folder / exercise.lesson.slug, exercise),
        "key": write_answer_key,
        "preview": write_preview,
    }
    if _has_private_questions(master):
        parts = tuple(part for part in parts if part not in RUN_BY_LEARNERS)
    return [path for part in parts for path in writers[part](out / part, master)]


def _has_private_questions(master: MasterNotebook) -> bool:
    return any(question.private for question in master.lesson.questions)


def _read_named_master(name: str) -> MasterNotebook:
    """The master notebook at a path, or that of one of the kit's own exercises by its number."""
    from autodiff_kit.exercises.questions import LESSONS

    from .builtin_exercises import builtin_master
    from .master_notebook import parse_master, read_master

    lesson = LESSONS.find(name)
    if lesson is None:
        return read_master(Path(name))
    return parse_master(builtin_master(lesson), f"the master of {name}")


def _writing(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """A command that says so where its output cannot be written."""

    @functools.wraps(run)
    def told(options: argparse.Namespace) -> int:
        try:
            return run(options)
        except (FileError, BrokenPipeError):  # the second: of what prints the names
            raise
        except OSError as error:
            option = "out" if "out" in options else "dir"
            raise FileError(
                f"{getattr(options, option)} cannot be written ({error.strerror}). Make room, or choose another place "
                f"with --{option}."
            ) from error

    return told


@_writing
def _run_new(options: argparse.Namespace) -> int:
    from .exercise_template import new_exercise

    path = new_exercise(options.name, options.dir, per_learner=options.per_learner)
    print(f"{path} holds one question. Change it, then run: autodiff-kit author validate {path}")
    return 0


@_writing
def _run_build(options: argparse.Namespace) -> int:
    master = _read_named_master(options.master)
    held_back = [part for part in options.only or () if part in RUN_BY_LEARNERS]
    if held_back and _has_private_questions(master):
        raise StructureError(
            f"{' and '.join(held_back)} would give learners the checks of private questions, so nothing was written. "
            "Build the other parts, and grade with `autodiff-kit grade --checks`."
        )
    for path in build_exercise(master, options.out, tuple(options.only or BUILD_PARTS)):
        print(path)
    for path in _older_copies(master, options.out):
        print(
            f"{path} is from an earlier build and may contain the check of a question that is private now. Delete it, "
            "and everything made from it.",
            file=sys.stderr,
        )
    return 0


def _older_copies(master: MasterNotebook, out: Path) -> list[Path]:
    """Folders of this exercise that a build does not write, because it has private questions, and once wrote."""
    if not _has_private_questions(master):
        return []
    homes = (out / "course" / "source" / master.lesson.slug, out / "otter" / master.lesson.slug)
    return [home for home in homes if home.exists()]


def _run_validate(options: argparse.Namespace) -> int:
    from .validate import validate_exercise

    if options.seeds < 1 or options.mutant_draws < 0:
        raise ArgumentError(
            f"--seeds must be 1 or more and --mutant-draws 0 or more, got {options.seeds} and {options.mutant_draws}."
        )
    master = _read_named_master(options.master)
    problems = validate_exercise(master, options.seeds, options.mutant_draws)
    for problem in problems:
        print(problem)
    asked, points = len(master.lesson.questions), master.lesson.points
    print(f"Questions {asked}, points {points}, draws {options.seeds}, problems {len(problems)}.")
    return 1 if problems else 0


@_writing
def _run_variant(options: argparse.Namespace) -> int:
    from .variant import write_variant

    path = write_variant(options.question, options.name, options.dir)
    print(
        f"{path} holds {options.question}, private. Change what it asks, then run: autodiff-kit author validate {path}"
    )
    return 0


@_writing
def _run_gradescope(options: argparse.Namespace) -> int:
    from .gradescope_archive import write_gradescope_archive

    for path in write_gradescope_archive(options.out, _read_named_master(options.master)):
        print(f"{path}: upload it as the autograder of a programming assignment.")
    return 0


@_writing
def _run_classroom(options: argparse.Namespace) -> int:
    from .classroom_repository import write_classroom_repository

    for path in write_classroom_repository(options.out, _read_named_master(options.master)):
        print(path)
    return 0


def _run_show(options: argparse.Namespace) -> int:
    from .release import notebook_json

    print(notebook_json(_read_named_master(options.master).notebook), end="")
    return 0
