"""The data of the syllabus and exercises panels, and the changes that the panels send."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from autodiff_kit.exercises.exercise import COST_OF_HINT_3, TRIES_BEFORE_SOLUTION
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.lab.server import next_step, submissions
from autodiff_kit.lab.server.catalog import LessonEntry, lesson_catalog, lesson_plan
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.folder import WorkingFolder, read_file
from autodiff_kit.lab.server.progress import LearnerProgress, lessons_as_json, read_learner_progress, totals
from autodiff_kit.lab.server.progress_db import notices, read_progress_db, write_progress_db
from autodiff_kit.lab.server.repair import repair
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.lesson_header import needed_lesson
from autodiff_kit.lessons.notebook_file import read_notebook
from autodiff_kit.lessons.progress import Progress
from autodiff_kit.lessons.progress_rows import (
    QuestionState,
    append_event,
    ensure_lesson_row,
    ensure_question_row,
    increment_revision,
    read_revision,
)
from autodiff_kit.lessons.timestamps import utc_now
from autodiff_kit.lessons.translation import language

STATES: Final = ("begun", "read")


def syllabus(folder: WorkingFolder) -> dict[str, Any]:
    """Return every lesson, the learner's progress, and the next step."""
    from autodiff_kit import __version__

    lessons = [_lesson_json(folder, entry) for entry in lesson_catalog().values()]
    there = folder.server_path("") if folder.root.is_relative_to(folder.server_root) else None
    found = progress(folder)
    return {
        "v": 1,
        "kit": __version__,
        "folder": there,
        "parts": lesson_plan()["parts"],
        "lessons": lessons,
        "progress": found,
    }


def progress(folder: WorkingFolder, since: int | None = None) -> dict[str, Any] | None:
    """Return the learner's progress, or None if nothing changed since a revision."""
    learner, saved = _read_progress(folder)
    if since is not None and since == learner.rev and saved:
        return None
    entries = lesson_catalog()
    following = next_step.next_step(entries, learner)
    if following["path"] is not None:
        following["path"] = _server_path(folder, following["path"])
    return {
        "v": 1,
        "rev": learner.rev,
        "saved": saved,
        "lessons": lessons_as_json(entries, learner),
        "totals": totals(entries, learner),
        "next": following,
        "notices": notices(folder, saved=saved),
    }


def patch_lesson(folder: WorkingFolder, no: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Record the step or the state that a page reports."""
    entry = available_lesson(no)
    rev, asked = _whole_number(body, "rev"), _lesson_fields(body)

    def merge(db: sqlite3.Connection) -> dict[str, Any]:
        present = read_revision(db)
        if rev > present:
            text = f"Revision {rev} does not exist; the progress file has revision {present}."
            raise RequestError(409, "newer_rev", text, "Read the progress again.", rev=present)
        query = "SELECT state, step, rev FROM lesson WHERE no = ?"
        state, step, changed = db.execute(query, (entry.no,)).fetchone() or ("new", None, 0)
        stood = {"state": state, "step": step}
        others = [name for name, value in asked.items() if changed > rev and stood[name] != value]
        ensure_lesson_row(db, entry.no)
        if "step" in asked and asked["step"] != step:
            change_step = "UPDATE lesson SET step = ?, rev = ? WHERE no = ?"
            db.execute(change_step, (asked["step"], increment_revision(db), entry.no))
        if asked.get("state") == "read" and state != "read":
            end = "UPDATE lesson SET state = 'read', read_at = ?, rev = ? WHERE no = ?"
            db.execute(end, (utc_now(), increment_revision(db), entry.no))
            append_event(db, "read", entry.no)
        return {"rev": read_revision(db), "behind": rev < present, "others": others}

    merged = write_progress_db(folder, lambda mine: mine.store.run(merge))
    return {**merged, "progress": progress(folder)}


def open_notebook(folder: WorkingFolder, no: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Create the learner's copy if it is missing, and return its path and the next cell."""
    entry = available_lesson(no)
    what = body.get("what", "lesson")
    if what not in ("lesson", "exercise"):
        raise RequestError(400, "bad_value", "`what` must be lesson or exercise.", "Send the request again.")
    original = entry.notebook if what == "lesson" else entry.exercise
    if original is None:
        raise RequestError(404, "no_exercise", f"Lesson {entry.no} has no exercises yet.", "Open the lesson.")
    path = folder.server_path(original.path)
    made = not folder.own_path(original.path).exists()
    done = workspace.prepare_working_folder(folder.root)
    learner, _ = _read_progress(folder)
    said = [{"code": "folder", "text": line, "do": ""} for line in done.lines() if done.kept or done.damaged]
    return {"path": path, "cell": next_step.resume_cell(entry, learner, what), "made": made, "notices": said}


def exercises(folder: WorkingFolder, path: str | None, no: str | None) -> dict[str, Any]:
    """Return the questions of a notebook with the learner's attempts."""
    entry, has_questions = _lesson_of_file(folder, path) if path is not None else (available_lesson(no or ""), True)
    if entry is None or entry.exercise is None:
        return {
            "path": None, "language": language(), "no": entry.no if entry else None, "title": "",
            "exercise": None, "score": 0, "max": 0, "questions": [], "handed": [],
        }  # fmt: skip
    learner, _ = _read_progress(folder)
    questions = LESSONS[entry.no].questions if has_questions and entry.no in LESSONS else ()
    return {
        "path": path if has_questions and path is not None else _server_path(folder, entry.exercise.path),
        "language": language(),
        "no": entry.no,
        "title": str(entry.exercise.about.get("title", entry.title)),
        "exercise": entry.exercise.slug,
        "score": learner.score(entry.exercise),
        "max": entry.points,
        "questions": [_question_json(q, f"q{i}", learner.question(q.id)) for i, q in enumerate(questions, 1)],
        "handed": submissions.list_submissions(folder, entry.exercise.slug),
    }


def patch_question(folder: WorkingFolder, id: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Record that a hint or the solution was shown, and return it."""
    question, label, slug = _find_question(id)
    if set(body) == {"hint_seen"} and body["hint_seen"] in (1, 2, 3) and body["hint_seen"] is not True:
        note = _hint_change(question, int(body["hint_seen"]))
    elif body == {"solution_seen": True}:
        note = _solution_change(question)
    else:
        raise RequestError(
            400, "bad_value", "Send hint_seen as 1, 2 or 3, or solution_seen as true.", "Change the request."
        )

    def work(mine: Progress) -> tuple[QuestionState, int]:
        mine.store.run(lambda db: ensure_question_row(db, question.id, notebook=slug, points=question.points))
        return note(mine), mine.rev()

    state, rev = write_progress_db(folder, work)
    return {"rev": rev, "question": _question_json(question, label, state)}


def available_lesson(no: str) -> LessonEntry:
    """Return a lesson that can be opened.

    Raises
    ------
    RequestError
        If it is only planned, or if there is no lesson of that number.
    """
    entry = lesson_catalog().get(no)
    if entry is None:
        raise RequestError(404, "no_lesson", f"There is no lesson {no[:20]!r}.", "Choose a lesson of the syllabus.")
    if entry.coming:
        raise RequestError(
            404, "coming", f"Lesson {no}, {entry.title}, is planned, but not written yet.", "Choose another one."
        )
    return entry


def _read_progress(folder: WorkingFolder) -> tuple[LearnerProgress, bool]:
    """Read the learner's progress; a damaged file is repaired first."""
    found = read_progress_db(folder, read_learner_progress)
    # Rows that cannot be recovered now may be recovered later; the page is shown in any case.
    with suppress(RequestError, OSError, ValueError, sqlite3.Error):
        if repair(folder):
            return read_progress_db(folder, read_learner_progress)
    return found


def _lesson_json(folder: WorkingFolder, entry: LessonEntry) -> dict[str, Any]:
    return {
        "no": entry.no,
        "slug": entry.slug,
        "title": entry.title,
        "goal": entry.goal,
        "minutes": entry.minutes,
        "needs": [{"lesson": needed_lesson(need), "text": need} for need in entry.needs],
        "summary": entry.summary,
        "keywords": list(entry.keywords),
        "points": entry.points,
        "notebook": _server_path(folder, entry.notebook.path) if entry.notebook else None,
        "exercise": _server_path(folder, entry.exercise.path) if entry.exercise else None,
        "coming": entry.coming,
    }


def _server_path(folder: WorkingFolder, relative: str) -> str:
    """Return a path for JupyterLab; the plain path if the server does not show the working folder."""
    return folder.server_path(relative) if folder.root.is_relative_to(folder.server_root) else relative


def _question_json(question: Question, label: str, state: QuestionState) -> dict[str, Any]:
    solved = state.tries >= TRIES_BEFORE_SOLUTION or state.state == "passed"
    return {
        "id": question.id,
        "label": label,
        "title": question.title,
        "points": question.points,
        "state": state.state,
        "score": state.best,
        "tries": state.tries,
        "hints": len(question.hints),
        "hints_seen": state.hints_seen,
        "hint_texts": list(question.hints[: state.hints_seen]),
        "hint_cost": question.points * COST_OF_HINT_3,
        "solution_seen": state.solution_seen,
        "solution_open": solved,
        "solution": question.solution if state.solution_seen else None,
        "message": state.message,
        "tests": [{"name": name, "right": right, "of": of} for name, right, of in state.tests],
        "cell": question.id,
    }


def _lesson_of_file(folder: WorkingFolder, path: str) -> tuple[LessonEntry | None, bool]:
    """Return the lesson to which a learner's notebook belongs, and whether the notebook has the questions."""
    file = folder.requested_file(path)
    about: Mapping[str, Any] = {}
    data = read_file(file)
    try:
        metadata = read_notebook(data).get("metadata")
        about = metadata.get("autodiff_kit") or {} if isinstance(metadata, dict) else {}
    except ValueError:
        # A damaged notebook still has its name, and its questions still have their scores.
        about = {"no": file.name[:2], "kind": file.relative_to(folder.root).parts[0].rstrip("s")}
    if not isinstance(about, dict):
        return None, False
    entry = lesson_catalog().get(str(about.get("no")))
    return (None if entry is None or entry.coming else entry), about.get("kind") == "exercise"


def _find_question(id: str) -> tuple[Question, str, str]:
    for no in LESSONS:
        if id in (ids := LESSONS.question_ids(no)):
            return LESSONS.load_question(id), f"q{ids.index(id) + 1}", LESSONS[no].slug
    raise RequestError(404, "no_question", f"There is no question {id[:40]!r}.", "Open the exercise again.")


def _hint_change(question: Question, n: int) -> Any:
    return lambda mine: mine.see_hint(question.id, n)


def _solution_change(question: Question) -> Any:
    def note(mine: Progress) -> QuestionState:
        state = mine.question(question.id)
        if state.tries < TRIES_BEFORE_SOLUTION and state.state != "passed":
            text = "The solution opens after two tries, or when the question passes."
            raise RequestError(403, "not_yet", text, "Try once more, or take a hint.")
        return mine.see_solution(question.id)

    return note


def _whole_number(body: Mapping[str, Any], name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise RequestError(400, "bad_value", f"`{name}` must be an integer of 0 or more.", "Read the progress again.")
    return value


def _lesson_fields(body: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if "step" in body:
        fields["step"] = _whole_number(body, "step")
    if "state" in body:
        if body["state"] not in STATES:
            raise RequestError(400, "bad_value", "`state` must be begun or read.", "To start a lesson again, reset it.")
        fields["state"] = body["state"]
    unknown = sorted(set(body) - {"rev", "step", "state"})
    if unknown:
        raise RequestError(400, "bad_value", f"There is no field {unknown[0][:40]!r}.", "Send rev, step, state.")
    return fields
