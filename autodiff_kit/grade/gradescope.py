"""An autograder for Gradescope: one submission in its container, and ``results.json``.

``autodiff-kit author gradescope`` makes the archive that a teacher uploads. Gradescope's container runs
``run_autograder``, which calls this module. Where the container allows namespaces the submission runs in the sandbox;
elsewhere it runs as another user, who can read neither the archive nor the results (see
:class:`~.sandbox.OtherUserRunner`).
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from autodiff_kit.errors import FileError
from autodiff_kit.lessons.atomic_files import write_atomically

from .batch import collect_submissions
from .exercise_lookup import checks_folder, find_exercise, question_names, use_checks
from .grader_jobs import GradeJob
from .graders import GRADERS
from .outside_text import clean_name
from .results import SubmissionResult
from .submission import CELL_WORDS, Submission

__all__ = ["grade_on_gradescope", "results_json"]

FOLDER = Path("/autograder")


def grade_on_gradescope(folder: Path = FOLDER) -> SubmissionResult:
    """Grade the submission in Gradescope's folder and write ``results/results.json``.

    Parameters
    ----------
    folder : Path
        With ``submission/``, ``submission_metadata.json``, ``source/`` (the uploaded archive) and ``results/``.

    Returns
    -------
    SubmissionResult
    """
    source = folder / "source"
    facts = json.loads((source / "autograder.json").read_text(encoding="utf-8"))
    use_checks(source / "checks" if (source / "checks").is_dir() else None)
    lesson = find_exercise(facts["exercise"])
    for private in (source, folder / "results"):
        private.chmod(0o700)
    submission = _only_submission(folder, lesson.slug)
    result: SubmissionResult = GRADERS.run(
        GradeJob(submission, facts["secret"], checks=checks_folder(), other_user=True)
    )
    write_atomically(folder / "results" / "results.json", json.dumps(results_json(result), indent=1).encode())
    return result


def results_json(result: SubmissionResult) -> dict[str, Any]:
    """Gradescope's object for a result: a score, a text, and a test for each question.

    Parameters
    ----------
    result : SubmissionResult
        A graded submission.

    Returns
    -------
    dict
        To be written as ``results.json``.
    """
    names = question_names(result.exercise)
    titles = {question.id: question.title for question in find_exercise(result.exercise).questions}
    tests = [
        {
            "name": f"{names.get(mark.question, mark.question)} · {titles.get(mark.question, '')}",
            "score": mark.points,
            "max_score": mark.max_points,
            "status": "passed" if mark.points == mark.max_points else "failed",
            "output": mark.message,
            "visibility": "visible",
        }
        for mark in result.marks
    ]
    said = [result.reason, *(remark for remark in result.remarks if remark.startswith(CELL_WORDS))]
    words = "\n".join(filter(None, said)) or "Your notebook ran to its end."
    return {"score": result.score, "output": words, "output_format": "text", "visibility": "visible", "tests": tests}


def _only_submission(folder: Path, slug: str) -> Submission:
    """The last notebook of the folder that can be read and answers, under the name of the learner who handed it in."""
    found = collect_submissions([folder / "submission"], slug, one_learner=True)
    if not found:
        raise FileError(f"{folder / 'submission'} has no notebook. Hand in {slug}.ipynb.")
    best = max(found, key=lambda one: one.precedence)
    return replace(best, learner=_learner(folder / "submission_metadata.json"))


def _learner(path: Path) -> str:
    """The learner whose draws are used: a group has those of its first member."""
    try:
        users = json.loads(path.read_text(encoding="utf-8"))["users"]
        return clean_name(str(users[0].get("email") or users[0]["id"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return "learner"


def main() -> int:
    """Grade; a reason instead of a grade is written where Gradescope shows it."""
    folder = Path(os.environ.get("AUTODIFF_KIT_GRADESCOPE", FOLDER))
    try:
        grade_on_gradescope(folder)
    except Exception as error:  # noqa: BLE001 - without results.json Gradescope shows nothing at all
        words = f"The submission could not be graded. {type(error).__name__}: {error}"
        write_atomically(folder / "results" / "results.json", json.dumps({"score": 0, "output": words}).encode())
    finally:
        GRADERS.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
