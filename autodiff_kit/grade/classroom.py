"""Feedback in a learner's repository, where a workflow of GitHub runs the checks on each push.

``autodiff-kit author classroom`` writes that workflow. The repository and the machine that runs the workflow are the
learner's, so that what is said here is no grade: grades come from ``autodiff-kit grade`` on the teacher's clones.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from autodiff_kit.errors import AutodiffError, FileError

from .exercise_lookup import find_exercise, find_known_exercise, use_checks
from .grading import grade_submission
from .inside.limits import ResourceLimits
from .results import QuestionGrade, SubmissionResult
from .sandbox import make_runner
from .submission import CELL_WORDS
from .submission_reader import read_submission

__all__ = ["check_repository", "main", "summary"]

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
MARKS = {"passed": "✅", "partial": "🟡", "graded later": "🕓", "not attempted": "⬜"}


def check_repository(folder: Path, exercise: str, limits: ResourceLimits | None = None) -> SubmissionResult:
    """Run the notebook in a learner's repository, and check it; there is no sandbox, for the machine is the learner's.

    Parameters
    ----------
    folder : Path
        The repository, with the notebook ``<exercise>.ipynb`` at its top.
    exercise : str
        Slug of the exercise.
    limits : ResourceLimits, optional
        By default those of ``autodiff-kit grade``.

    Returns
    -------
    SubmissionResult
        Private questions, whose check is not in the repository, have the outcome ``graded later``.

    Raises
    ------
    FileError
        If the notebook is not there, or the checks of a teacher's own exercise.
    """
    notebook = folder / f"{exercise}.ipynb"
    if not notebook.is_file():
        raise FileError(f"There is no {notebook.name} at the top of this repository. Put your notebook back there.")
    use_checks(folder)
    if find_known_exercise(exercise) is None:
        raise FileError(f"There is no folder {exercise}_checks at the top of this repository. Put it back there.")
    runner = make_runner(limits or ResourceLimits(), sandbox=False)
    try:
        return grade_submission(
            read_submission(notebook, "you", exercise, own_folder=True), runner, secrets.token_hex(32)
        )
    finally:
        runner.close()


def summary(result: SubmissionResult) -> str:
    """The result as Markdown, for the page of a workflow's run.

    Parameters
    ----------
    result : SubmissionResult
        Of :func:`check_repository`.

    Returns
    -------
    str
    """
    lesson = find_exercise(result.exercise)
    later = {question.id for question in lesson.questions if question.private}
    titles = {question.id: question.title for question in lesson.questions}
    now = [mark for mark in result.marks if mark.question not in later]
    points, most = sum(mark.points for mark in now), sum(mark.max_points for mark in now)
    said = [result.reason, *(remark for remark in result.remarks if remark.startswith(CELL_WORDS))]
    lines = [f"## {lesson.title}: {points:g} of {most:g} points in the checks of this repository", ""]
    lines += [line for text in filter(None, said) for line in (*_quoted(text, ""), "")]
    for mark in result.marks:
        lines += _question_lines(mark, titles[mark.question], later=mark.question in later)
    return "\n".join([*lines, "", "This is feedback. Your teacher grades your last push with checks of their own.", ""])


def _question_lines(mark: QuestionGrade, title: str, *, later: bool) -> list[str]:
    if later:
        return [f"- {MARKS['graded later']} **{mark.question}** {title}: graded later"]
    head = f"- {MARKS.get(mark.outcome, '❌')} **{mark.question}** {title}: {mark.points:g} of {mark.max_points:g}"
    return [head, "", *_quoted(mark.message, "  "), ""] if mark.message else [head]


def _quoted(text: str, indent: str) -> list[str]:
    """A message as a block of code, in which nothing is Markdown."""
    return [f"{indent}    {line}" for line in text.splitlines()]


def main(words: Sequence[str] | None = None) -> int:
    """``python -m autodiff_kit.grade.classroom EXERCISE``: check the current folder; 0 where every question passes."""
    [exercise] = sys.argv[1:] if words is None else words
    try:
        result = check_repository(Path.cwd(), exercise)
    except AutodiffError as error:
        print(error, file=sys.stderr)
        return 1
    text = summary(result)
    print(text)
    if os.environ.get(SUMMARY_VARIABLE):
        with Path(os.environ[SUMMARY_VARIABLE]).open("a", encoding="utf-8") as page:
            page.write(text)
    later = {question.id for question in find_exercise(exercise).questions if question.private}
    passed = all(mark.points == mark.max_points for mark in result.marks if mark.question not in later)
    return 0 if passed and result.status == "graded" else 1


if __name__ == "__main__":
    sys.exit(main())
