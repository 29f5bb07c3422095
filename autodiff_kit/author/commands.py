"""``autodiff-kit author build | validate | master`` and ``autodiff-kit new-exercise``."""

from __future__ import annotations

import argparse
from pathlib import Path

from autodiff_kit.exercises.questions import LESSONS

from .answer_key import write_key, write_preview
from .builtin_exercises import master_of
from .exercise_template import new_exercise
from .master_notebook import Master, of, read
from .nbgrader_course import write_course
from .otter_tests import write_otter
from .release import as_text, released, write_checks, write_notebook
from .validate import SEEDS, validate

__all__ = ["add", "build"]

PARTS = ("release", "course", "otter", "key", "preview")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the author's commands to the program's."""
    new = commands.add_parser("new-exercise", help="begin an exercise: a master notebook with one question that works")
    new.add_argument("name", metavar="NAME", help="such as newton_steps")
    new.add_argument("--dir", type=Path, default=Path(), metavar="FOLDER", help="where to (default: here)")
    new.set_defaults(run=_new)

    author = commands.add_parser("author", help="make and check what an exercise's master notebook stands for")
    what = author.add_subparsers(title="commands", required=True, metavar="COMMAND")
    master = argparse.ArgumentParser(add_help=False)
    master.add_argument(
        "master", metavar="MASTER", help="a master notebook, or the number of one of the kit's own exercises"
    )

    make = what.add_parser(
        "build", parents=[master], help="the learner's release, nbgrader's course, otter's tests, key, preview"
    )
    make.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to")
    make.add_argument("--only", choices=PARTS, action="append", help="only this part; may be repeated")
    make.set_defaults(run=_build)

    test = what.add_parser(
        "validate", parents=[master], help="find leaks, missing points, starters that pass, answers that fail"
    )
    test.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help=f"draws for each answer (default: {SEEDS})")
    test.set_defaults(run=_validate)

    show = what.add_parser("master", parents=[master], help="print the master of one of the kit's own exercises")
    show.set_defaults(run=_show)


def build(master: Master, out: Path, parts: tuple[str, ...] = PARTS) -> list[Path]:
    """Make everything that a master stands for.

    Parameters
    ----------
    master : Master
        The exercise.
    out : Path
        Where to; a folder for each part.
    parts : tuple of str, optional
        Some of release, course, otter, key and preview.

    Returns
    -------
    list of Path
        The files written.
    """
    slug = master.lesson.slug
    makers = {
        "release": lambda to: [
            write_notebook(to / f"{slug}.ipynb", released(master.notebook)),
            *write_checks(to, master),
        ],
        "course": lambda to: write_course(to, master),
        "otter": lambda to: write_otter(to / slug, master),
        "key": lambda to: write_key(to, master),
        "preview": lambda to: write_preview(to, master),
    }
    return [path for part in parts for path in makers[part](out / part)]


def _given(name: str) -> Master:
    lesson = LESSONS.get(f"{name:0>2}")
    return read(Path(name)) if lesson is None else of(master_of(lesson), f"the master of {name}")


def _new(options: argparse.Namespace) -> int:
    path = new_exercise(options.name, options.dir)
    print(f"{path} holds one question. Change it, then: autodiff-kit author validate {path}")
    return 0


def _build(options: argparse.Namespace) -> int:
    for path in build(_given(options.master), options.out, tuple(options.only or PARTS)):
        print(path)
    return 0


def _validate(options: argparse.Namespace) -> int:
    master = _given(options.master)
    problems = validate(master, options.seeds)
    for problem in problems:
        print(problem)
    asked, points = len(master.lesson.questions), master.lesson.points
    print(f"Questions {asked}, points {points}, draws {options.seeds}, problems {len(problems)}.")
    return 1 if problems else 0


def _show(options: argparse.Namespace) -> int:
    print(as_text(_given(options.master).notebook), end="")
    return 0
