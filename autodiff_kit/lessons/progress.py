"""What a learner predicted, tried and finished.

The file `progress.db` of the working folder holds lessons, predictions, questions and attempts; no source
code, no values, no names of people. Without a working folder everything is kept in memory, so that a notebook
that is run as a test leaves nothing behind.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from autodiff_kit.lessons.atomic_files import now
from autodiff_kit.lessons.progress_db import Store
from autodiff_kit.lessons.progress_rows import (
    LessonState,
    Prediction,
    PredictionError,
    QuestionState,
    Summary,
    better_state,
    encode,
    log_event,
    next_revision,
    prediction_row,
    question_row,
    revision,
    touch_lesson,
    touch_question,
)
from autodiff_kit.lessons.workspace import MARK, find_root

__all__ = [
    "LessonState",
    "Prediction",
    "PredictionError",
    "Progress",
    "QuestionState",
    "Summary",
    "progress",
]

OUTCOMES: Final = ("passed", "partial", "not yet", "error")


class Progress:
    """The progress of one learner.

    Parameters
    ----------
    root : Path or None
        The working folder; None keeps everything in memory.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root
        self.store = Store(None if root is None else root / MARK / "progress.db")

    def begin_lesson(self, no: str) -> None:
        """Record that a lesson was begun; a lesson that is begun or done stays as it is."""

        def work(db: sqlite3.Connection) -> None:
            if touch_lesson(db, no):
                log_event(db, "begin", no)

        self.store.run(work)

    def set_step(self, no: str, step: int | str) -> None:
        """Record the step that a learner has come to."""

        def work(db: sqlite3.Connection) -> None:
            touch_lesson(db, no)
            db.execute("UPDATE lesson SET step = ?, rev = ? WHERE no = ?", (step, next_revision(db), no))

        self.store.run(work)

    def finish_lesson(self, no: str) -> None:
        """Record that a lesson is done; the first time counts."""

        def work(db: sqlite3.Connection) -> None:
            touch_lesson(db, no)
            found = db.execute("SELECT state FROM lesson WHERE no = ?", (no,)).fetchone()
            if found[0] != "done":
                change = "UPDATE lesson SET state = 'done', done_at = ?, rev = ? WHERE no = ?"
                db.execute(change, (now(), next_revision(db), no))
                log_event(db, "done", no)

        self.store.run(work)

    def lesson(self, no: str) -> LessonState:
        """Return where a lesson stands."""
        return self.summary().lessons.get(no, LessonState(no))

    def prediction(self, lesson: str, item: str) -> Prediction | None:
        """Return what was predicted, or None if nothing was."""
        return self.store.run(lambda db: prediction_row(db, lesson, item))

    def commit_prediction(self, lesson: str, item: str, answer: Any) -> Prediction:
        """Keep an answer for good.

        Parameters
        ----------
        lesson, item : str
            Which prompt, such as ``"01"`` and ``"vector-target"``.
        answer : object
            Numbers, words, lists of them, or NumPy values.

        Returns
        -------
        Prediction
            The answer as it was kept.

        Raises
        ------
        PredictionError
            If another answer was given before. The same answer again is no error.
        """
        text = encode(answer)

        def work(db: sqlite3.Connection) -> Prediction:
            known = prediction_row(db, lesson, item)
            if known is None:
                touch_lesson(db, lesson)
                db.execute(
                    "INSERT INTO prediction (lesson, item, answer_json, at) VALUES (?, ?, ?, ?)",
                    (lesson, item, text, now()),
                )
                change = "UPDATE lesson SET predicted_at = ?, rev = ? WHERE no = ?"
                db.execute(change, (now(), next_revision(db), lesson))
                log_event(db, "predict", f"{lesson}/{item}")
                return Prediction(json.loads(text))
            if encode(known.answer) != text:
                raise PredictionError(
                    f"You predicted {known.answer!r} for {item!r}, and a prediction stays as it was made; "
                    f"{json.loads(text)!r} was not kept. To begin the lesson anew: "
                    f"autodiff-kit reset {lesson}."
                )
            return known

        return self.store.run(work)

    def reveal_prediction(self, lesson: str, item: str, truth: Any, right: bool | None) -> Prediction | None:
        """Put the truth beside an answer, once.

        Parameters
        ----------
        lesson, item : str
            Which prompt.
        truth : object
            What the notebook computed.
        right : bool or None
            Whether the answer holds; None where a prompt has no right and wrong.

        Returns
        -------
        Prediction or None
            The row as it now stands; None when nothing was predicted, and then nothing is stored, so that a
            learner who ran ahead may still answer.
        """
        text = encode(truth)

        def work(db: sqlite3.Connection) -> Prediction | None:
            change = (
                "UPDATE prediction SET truth_json = ?, right = ? WHERE lesson = ? AND item = ? AND truth_json IS NULL"
            )
            value = None if right is None else int(right)
            if db.execute(change, (text, value, lesson, item)).rowcount:
                db.execute("UPDATE lesson SET rev = ? WHERE no = ?", (next_revision(db), lesson))
                log_event(db, "reveal", f"{lesson}/{item}")
            return prediction_row(db, lesson, item)

        return self.store.run(work)

    def question(self, id: str) -> QuestionState:
        """Return where a question stands; one that was never touched is ``not tried``."""
        return self.store.run(lambda db: question_row(db, id))

    def attempt(
        self,
        id: str,
        *,
        notebook: str,
        points: float,
        outcome: str,
        score: float,
        ms: float,
        message: str,
        cell_sha: str,
        tests: Sequence[tuple[str, int, int]] = (),
    ) -> QuestionState:
        """Record one check of a question.

        Parameters
        ----------
        id : str
            The question's stored id, such as ``jvp-1``.
        notebook : str
            The exercise it belongs to, such as ``01_jacobian_vector_products``.
        points, score : float
            What the question is worth, and what this attempt earned.
        outcome : str
            ``passed``, ``partial``, ``not yet`` or ``error``. An error costs no try.
        ms : float
            How long the check took.
        message : str
            What the learner was told.
        cell_sha : str
            Hash of the cell's source, so that the same attempt can be recognised without keeping the code.
        tests : sequence of (str, int, int)
            What was looked at, by name: how many times it was right, and of how many.

        Returns
        -------
        QuestionState
            With the best score so far; a question that was passed once stays passed.

        Raises
        ------
        ValueError
            If the outcome is none of the four.
        """
        if outcome not in OUTCOMES:
            raise ValueError(f"The outcome of an attempt is one of {', '.join(OUTCOMES)}; got {outcome!r}.")

        def work(db: sqlite3.Connection) -> QuestionState:
            touch_question(db, id, notebook=notebook, points=points)
            known = question_row(db, id)
            db.execute(
                "UPDATE question SET points = ?, best = ?, tries = ?, state = ?, message = ?, tests = ?, notebook = ?,"
                " rev = ? WHERE id = ?",
                (
                    points,
                    max(known.best, score),
                    known.tries + (outcome != "error"),
                    better_state(known.state, outcome),
                    message,
                    encode(tests),
                    notebook,
                    next_revision(db),
                    id,
                ),
            )
            db.execute(
                "INSERT INTO attempt (question, outcome, score, ms, cell_sha, at) VALUES (?, ?, ?, ?, ?, ?)",
                (id, outcome, score, ms, cell_sha, now()),
            )
            log_event(db, "attempt", id)
            return question_row(db, id)

        return self.store.run(work)

    def see_hint(self, id: str, n: int, notebook: str = "", points: float = 0.0) -> QuestionState:
        """Record that hint ``n`` (counted from 1) was shown; hints are never unseen.

        Exercise and points are those of a question that no attempt has told of yet.
        """

        def work(db: sqlite3.Connection) -> QuestionState:
            touch_question(db, id, notebook=notebook, points=points)
            change = "UPDATE question SET hints_seen = max(hints_seen, ?), rev = ? WHERE id = ?"
            db.execute(change, (n, next_revision(db), id))
            log_event(db, "hint", f"{id}/{n}")
            return question_row(db, id)

        return self.store.run(work)

    def see_solution(self, id: str, notebook: str = "", points: float = 0.0) -> QuestionState:
        """Record that the solution was shown."""

        def work(db: sqlite3.Connection) -> QuestionState:
            touch_question(db, id, notebook=notebook, points=points)
            change = "UPDATE question SET solution_seen = 1, rev = ? WHERE id = ?"
            db.execute(change, (next_revision(db), id))
            log_event(db, "solution", id)
            return question_row(db, id)

        return self.store.run(work)

    def rev(self) -> int:
        """Return the revision: a number that grows with every change."""
        return self.store.run(revision)

    def summary(self) -> Summary:
        """Return all lessons and questions that were touched, and the points of those questions."""

        def work(db: sqlite3.Connection) -> Summary:
            rows = db.execute(
                "SELECT no, state, step, begun_at, done_at,"
                " (SELECT count(*) FROM prediction WHERE lesson = no),"
                " (SELECT count(*) FROM prediction WHERE lesson = no AND right = 1)"
                " FROM lesson ORDER BY no"
            )
            lessons = {row[0]: LessonState(*row) for row in rows.fetchall()}
            ids = [row[0] for row in db.execute("SELECT id FROM question ORDER BY notebook, id").fetchall()]
            questions = {id: question_row(db, id) for id in ids}
            points = math.fsum(question.points for question in questions.values())
            best = math.fsum(question.best for question in questions.values())
            return Summary(lessons, questions, points, best)

        return self.store.run(work)

    def reset(self, no: str, folder: Path) -> None:
        """Forget a lesson, its predictions and its questions, after a copy of everything was made.

        Parameters
        ----------
        no : str
            The lesson's number.
        folder : Path
            Where the copy goes, as ``progress.db``.
        """
        size = self.store.backup(folder / "progress.db")
        prefix = f"{no}_"

        def work(db: sqlite3.Connection) -> None:
            ids = db.execute("SELECT id, notebook FROM question").fetchall()
            for id, notebook in ids:
                if Path(notebook).name.startswith(prefix):
                    db.execute("DELETE FROM attempt WHERE question = ?", (id,))
                    db.execute("DELETE FROM question WHERE id = ?", (id,))
            db.execute("DELETE FROM prediction WHERE lesson = ?", (no,))
            db.execute("DELETE FROM lesson WHERE no = ?", (no,))
            db.execute(
                "INSERT INTO backup (path, scope, bytes, at) VALUES (?, ?, ?, ?)",
                (folder.name, no, size, now()),
            )
            next_revision(db)
            log_event(db, "reset", no)

        self.store.run(work)


_opened: dict[Path | None, Progress] = {}


def progress() -> Progress:
    """Return the progress of the working folder that the process is in.

    Returns
    -------
    Progress
        The same object for the same folder; one kept in memory where there is no working folder.

    Examples
    --------
    >>> from autodiff_kit.lessons.progress import Progress
    >>> mine = Progress()
    >>> mine.commit_prediction("01", "vector-target", 3).answer
    3
    >>> mine.reveal_prediction("01", "vector-target", 4, right=False)
    Prediction(answer=3, truth=4, right=False)
    """
    root = find_root()
    if root not in _opened:
        _opened[root] = Progress(root)
    return _opened[root]
