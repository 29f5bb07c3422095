"""A learner's progress: lessons begun and read, predictions, exercise attempts, hints and points.

The file `progress.db` of the working folder stores no source code and no names of people. Without a working
folder progress is kept in memory, so that a notebook that is run as a test leaves no file.
"""

from __future__ import annotations

import base64
import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from autodiff_kit.errors import FileError
from autodiff_kit.lessons.atomic_files import write_atomically
from autodiff_kit.lessons.progress_db import DamagedError, ProgressDatabase, open_image
from autodiff_kit.lessons.progress_rows import (
    LessonState,
    Prediction,
    PredictionError,
    ProgressSummary,
    QuestionState,
    append_event,
    check_rows,
    ensure_lesson_row,
    ensure_question_row,
    increment_revision,
    insert_attempt,
    merge_rows,
    read_prediction,
    read_question_state,
    read_revision,
    to_json,
    update_question_after_attempt,
)
from autodiff_kit.lessons.timestamps import timestamp_for_file_name, utc_now
from autodiff_kit.lessons.translation import translate
from autodiff_kit.lessons.workspace import KIT_FOLDER, find_working_folder

__all__ = [
    "LessonState",
    "Prediction",
    "PredictionError",
    "Progress",
    "ProgressSummary",
    "QuestionState",
    "SavedProgress",
    "export_progress",
    "import_progress",
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
        self.store = ProgressDatabase(None if root is None else root / KIT_FOLDER / "progress.db")

    def begin_lesson(self, no: str) -> None:
        """Record that a lesson was begun; a lesson that is begun or read is not changed."""

        def work(db: sqlite3.Connection) -> None:
            if ensure_lesson_row(db, no):
                append_event(db, "begin", no)

        self.store.run(work)

    def set_step(self, no: str, step: int | str) -> None:
        """Record the step of a lesson that the learner has reached."""

        def work(db: sqlite3.Connection) -> None:
            ensure_lesson_row(db, no)
            db.execute("UPDATE lesson SET step = ?, rev = ? WHERE no = ?", (step, increment_revision(db), no))

        self.store.run(work)

    def mark_read(self, no: str) -> None:
        """Record that a lesson was run to its last result; the time of the first call is kept."""

        def work(db: sqlite3.Connection) -> None:
            ensure_lesson_row(db, no)
            found = db.execute("SELECT state FROM lesson WHERE no = ?", (no,)).fetchone()
            if found[0] != "read":
                change = "UPDATE lesson SET state = 'read', read_at = ?, rev = ? WHERE no = ?"
                db.execute(change, (utc_now(), increment_revision(db), no))
                append_event(db, "read", no)

        self.store.run(work)

    def lesson(self, no: str) -> LessonState:
        """Return the state of a lesson."""
        return self.summary().lessons.get(no, LessonState(no))

    def prediction(self, lesson: str, item: str) -> Prediction | None:
        """Return the answer to a prompt, or None if there is none."""
        return self.store.run(lambda db: read_prediction(db, lesson, item))

    def commit_prediction(self, lesson: str, item: str, answer: Any) -> Prediction:
        """Store an answer to a prompt; it cannot be changed afterwards.

        Parameters
        ----------
        lesson, item : str
            Which prompt, such as ``"01"`` and ``"vector-target"``.
        answer : object
            Numbers, words, lists of them, or NumPy values.

        Returns
        -------
        Prediction
            The answer as it was stored.

        Raises
        ------
        PredictionError
            If another answer was given before. The same answer again is no error.
        """
        text = to_json(answer)

        def work(db: sqlite3.Connection) -> Prediction:
            known = read_prediction(db, lesson, item)
            if known is None:
                ensure_lesson_row(db, lesson)
                db.execute(
                    "INSERT INTO prediction (lesson, item, answer_json, at) VALUES (?, ?, ?, ?)",
                    (lesson, item, text, utc_now()),
                )
                change = "UPDATE lesson SET predicted_at = ?, rev = ? WHERE no = ?"
                db.execute(change, (utc_now(), increment_revision(db), lesson))
                append_event(db, "predict", f"{lesson}/{item}")
                return Prediction(json.loads(text))
            if to_json(known.answer) != text:
                raise PredictionError(
                    f"You predicted {known.answer!r} for {item!r}, and a prediction cannot be changed; "
                    f"{json.loads(text)!r} was not kept. To start the lesson again: "
                    f"autodiff-kit reset {lesson}."
                )
            return known

        return self.store.run(work)

    def reveal_prediction(self, lesson: str, item: str, truth: Any, right: bool | None) -> Prediction | None:
        """Store the computed result with an answer, once.

        Parameters
        ----------
        lesson, item : str
            Which prompt.
        truth : object
            The result that the notebook computed.
        right : bool or None
            Whether the answer is right; None for a prompt without a right answer.

        Returns
        -------
        Prediction or None
            The stored row. None if nothing was predicted; then nothing is stored, so that a learner who ran
            the cell too early can still answer.
        """
        text = to_json(truth)

        def work(db: sqlite3.Connection) -> Prediction | None:
            change = (
                "UPDATE prediction SET truth_json = ?, right = ? WHERE lesson = ? AND item = ? AND truth_json IS NULL"
            )
            value = None if right is None else int(right)
            if db.execute(change, (text, value, lesson, item)).rowcount:
                db.execute("UPDATE lesson SET rev = ? WHERE no = ?", (increment_revision(db), lesson))
                append_event(db, "reveal", f"{lesson}/{item}")
            return read_prediction(db, lesson, item)

        return self.store.run(work)

    def question(self, id: str) -> QuestionState:
        """Return the state of a question; ``not tried`` if it has no attempt."""
        return self.store.run(lambda db: read_question_state(db, id))

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
        """Record one attempt at a question.

        Parameters
        ----------
        id : str
            The question's stored id, such as ``jvp-1``.
        notebook : str
            The exercise to which it belongs, such as ``01_jacobian_vector_products``.
        points, score : float
            The points of the question, and the points that this attempt earned.
        outcome : str
            ``passed``, ``partial``, ``not yet`` or ``error``. An error does not count as a try.
        ms : float
            The duration of the check.
        message : str
            The message that the learner got.
        cell_sha : str
            Hash of the cell's source, so that equal attempts can be recognised without storing the code.
        tests : sequence of (str, int, int)
            Results of the check: name, number of right cases, number of cases.

        Returns
        -------
        QuestionState
            With the best score so far; a passed question stays passed.

        Raises
        ------
        ValueError
            If the outcome is not one of the four.
        """
        if outcome not in OUTCOMES:
            raise ValueError(f"The outcome of an attempt must be one of {', '.join(OUTCOMES)}; got {outcome!r}.")

        def work(db: sqlite3.Connection) -> QuestionState:
            ensure_question_row(db, id, notebook=notebook, points=points)
            update_question_after_attempt(db, id, outcome=outcome, score=score, message=message, tests=tests)
            insert_attempt(db, id, outcome=outcome, score=score, ms=ms, cell_sha=cell_sha)
            db.execute("UPDATE question SET points = ?, notebook = ? WHERE id = ?", (points, notebook, id))
            append_event(db, "attempt", id)
            return read_question_state(db, id)

        return self.store.run(work)

    def see_hint(self, id: str, n: int, notebook: str = "", points: float = 0.0) -> QuestionState:
        """Record that hint ``n`` (counted from 1) was shown; the largest ``n`` is kept.

        Exercise and points are stored if the question has no row yet.
        """

        def work(db: sqlite3.Connection) -> QuestionState:
            ensure_question_row(db, id, notebook=notebook, points=points)
            change = "UPDATE question SET hints_seen = max(hints_seen, ?), rev = ? WHERE id = ?"
            db.execute(change, (n, increment_revision(db), id))
            append_event(db, "hint", f"{id}/{n}")
            return read_question_state(db, id)

        return self.store.run(work)

    def see_solution(self, id: str, notebook: str = "", points: float = 0.0) -> QuestionState:
        """Record that the solution was shown."""

        def work(db: sqlite3.Connection) -> QuestionState:
            ensure_question_row(db, id, notebook=notebook, points=points)
            change = "UPDATE question SET solution_seen = 1, rev = ? WHERE id = ?"
            db.execute(change, (increment_revision(db), id))
            append_event(db, "solution", id)
            return read_question_state(db, id)

        return self.store.run(work)

    def rev(self) -> int:
        """Return the revision: a number that grows with every change."""
        return self.store.run(read_revision)

    def summary(self) -> ProgressSummary:
        """Return all lessons and questions that have a record, and the points of those questions."""

        def work(db: sqlite3.Connection) -> ProgressSummary:
            rows = db.execute(
                "SELECT no, state, step, begun_at, read_at,"
                " (SELECT count(*) FROM prediction WHERE lesson = no),"
                " (SELECT count(*) FROM prediction WHERE lesson = no AND right = 1)"
                " FROM lesson ORDER BY no"
            )
            lessons = {row[0]: LessonState(*row) for row in rows.fetchall()}
            ids = [row[0] for row in db.execute("SELECT id FROM question ORDER BY notebook, id").fetchall()]
            questions = {id: read_question_state(db, id) for id in ids}
            points = math.fsum(question.points for question in questions.values())
            best = math.fsum(question.best for question in questions.values())
            return ProgressSummary(lessons, questions, points, best)

        return self.store.run(work)

    def reset(self, no: str, folder: Path) -> None:
        """Delete a lesson with its predictions and questions, after a backup of the whole database.

        Parameters
        ----------
        no : str
            The lesson's number.
        folder : Path
            Where the backup is written, as ``progress.db``.
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
                (folder.name, no, size, utc_now()),
            )
            increment_revision(db)
            append_event(db, "reset", no)

        self.store.run(work)

    def merge(self, saved: bytes) -> None:
        """Add the work in a progress file that was saved elsewhere; nothing that is here is lost.

        Raises
        ------
        DamagedError
            If these are not the contents of a progress file.
        NewerProgressError
            If a newer kit wrote them.
        """
        with open_image(saved) as other:
            try:
                check_rows(other)
            except ValueError as error:
                raise DamagedError(f"{error}, which the kit never writes") from error
            self.store.run(lambda db: merge_rows(db, other))


@dataclass(frozen=True)
class SavedProgress:
    """The progress as a file: a notebook shows a link by which the browser saves it.

    Attributes
    ----------
    data : bytes
        The contents: an SQLite database.
    name : str
        A name for the file, with the time.
    """

    data: bytes = field(repr=False)
    name: str

    def save(self, path: str | Path) -> Path:
        """Write the file and return its path."""
        target = Path(path).expanduser()
        write_atomically(target, self.data)
        return target

    def _repr_html_(self) -> str:
        address = "data:application/vnd.sqlite3;base64," + base64.b64encode(self.data).decode()
        words = translate("Save {name}").format(name=self.name)
        return f'<a download="{self.name}" href="{address}">{words}</a>'


def export_progress() -> SavedProgress:
    """The whole progress as a file to keep elsewhere, or to carry to another browser or computer.

    Returns
    -------
    SavedProgress
        A notebook shows it as a link; ``export_progress().save("progress.db")`` writes it.

    Examples
    --------
    >>> export_progress().data[:6]
    b'SQLite'
    """
    return SavedProgress(progress().store.image(), f"progress-{timestamp_for_file_name()}.db")


def import_progress(path: str | Path) -> ProgressSummary:
    """Add the work in a file that :func:`export_progress` made; nothing that is here is lost.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    ProgressSummary
        All that is known afterwards.

    Raises
    ------
    FileError
        If it cannot be read.
    DamagedError
        If it is not a progress file.
    NewerProgressError
        If a newer kit wrote it.
    """
    try:
        data = Path(path).expanduser().read_bytes()
    except OSError as error:
        raise FileError(f"the progress could not be read: {error}. Give the path of a saved progress file.") from error
    progress().merge(data)
    return progress().summary()


_opened: dict[Path | None, Progress] = {}


def progress() -> Progress:
    """Return the progress of the current process's working folder.

    Returns
    -------
    Progress
        The same object for the same folder; an object in memory if there is no working folder.

    Examples
    --------
    >>> from autodiff_kit.lessons.progress import Progress
    >>> mine = Progress()
    >>> mine.commit_prediction("01", "vector-target", 3).answer
    3
    >>> mine.reveal_prediction("01", "vector-target", 4, right=False)
    Prediction(answer=3, truth=4, right=False)
    """
    root = find_working_folder()
    if root not in _opened:
        _opened[root] = Progress(root)
    return _opened[root]
