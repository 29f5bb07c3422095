"""The learner's next step: the lesson, the cell, and about how many minutes are left.

A lesson that was begun comes first, the latest one before others, and after a lesson its exercise; a lesson that was
run to its end without one prediction is offered for predicting first. Then comes the first new lesson, then any open
question, then any prompt without a prediction. Nothing is locked; the next step is advice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from autodiff_kit.lab.server.catalog import PREDICT_CALL, REVEAL_CALL, LessonEntry, NotebookCell, OriginalNotebook
from autodiff_kit.lab.server.progress import LearnerProgress, LessonProgress

FINISHED: Mapping[str, Any] = {
    "lesson": None, "kind": "finished", "step": 0, "cell": None, "item": None, "question": None, "path": None,
    "heading": "", "minutes": 0,
}  # fmt: skip


def next_step(entries: Mapping[str, LessonEntry], learner: LearnerProgress) -> dict[str, Any]:
    """Return the next thing to do, in the shape NEXT; its path is relative to the working folder."""
    return next(_possible_steps(entries, learner), dict(FINISHED))


def _possible_steps(entries: Mapping[str, LessonEntry], learner: LearnerProgress) -> Iterator[dict[str, Any]]:
    there = [entry for entry in entries.values() if not entry.coming]
    recent = sorted(there, key=lambda entry: -learner.lesson(entry.no).rev)
    state = {entry.no: learner.state(entry) for entry in there}
    for entry in recent:
        if state[entry.no] == "begun":
            yield _lesson_step(entry, learner.lesson(entry.no))
    for entry in [entry for entry in recent if state[entry.no] in ("read", "done")][:1]:
        # Who skipped one question meant to; who answered none ran all cells at once.
        if not learner.lesson(entry.no).predictions:
            yield from _missed_prediction(entry, learner.lesson(entry.no))
        yield from _question_steps(entry, learner)
    for entry in there:
        if state[entry.no] == "none":
            yield _lesson_step(entry, learner.lesson(entry.no))
    for entry in there:
        yield from _question_steps(entry, learner)
    for entry in there:
        yield from _missed_prediction(entry, learner.lesson(entry.no))


def _lesson_step(entry: LessonEntry, lesson: LessonProgress) -> dict[str, Any]:
    assert entry.notebook is not None
    behind = lesson.read_count(entry.prompts)
    if lesson.state == "new" and not behind:
        kind, item, cell = "start", None, _first_cell(entry.notebook)
    elif behind < len(entry.prompts):
        item = entry.prompts[behind]
        kind = "run" if item in (lesson.predictions or {}) else "predict"
        cell = _cell_naming(entry.notebook, item, shown=kind == "run")
    else:
        kind, item, cell = "finish", None, _cell_after_last_reveal(entry.notebook)
    return _step_json(entry, kind, entry.notebook, cell, _minutes_left(entry, cell), item=item)


def _missed_prediction(entry: LessonEntry, lesson: LessonProgress) -> Iterator[dict[str, Any]]:
    """Yield the first prompt of a lesson that was read without predicting it."""
    assert entry.notebook is not None
    for item in lesson.unpredicted(entry.prompts)[:1]:
        cell = _cell_naming(entry.notebook, item, shown=False)
        yield _step_json(entry, "predict", entry.notebook, cell, _minutes_left(entry, cell), item=item)


def _minutes_left(entry: LessonEntry, cell: NotebookCell) -> int:
    steps = entry.notebook.steps if entry.notebook else 0
    share = 1 - (cell.step - 1) / steps if steps else 1.0
    return max(1, math.ceil(entry.minutes * min(1.0, share)))


def _question_steps(entry: LessonEntry, learner: LearnerProgress) -> Iterator[dict[str, Any]]:
    if entry.exercise is None:
        return
    graded = [cell for cell in entry.exercise.cells if cell.points]
    left = [cell for cell in graded if learner.question(cell.question).state != "passed"]
    worth = math.fsum(cell.points for cell in left) / (entry.exercise.points or 1)
    minutes = max(1, math.ceil(int(entry.exercise.about.get("minutes", 0)) * worth))
    for cell in left:
        yield _step_json(entry, "exercise", entry.exercise, cell, minutes, question=cell.question)


def _step_json(
    entry: LessonEntry,
    kind: str,
    notebook: OriginalNotebook,
    cell: NotebookCell,
    minutes: int,
    item: str | None = None,
    question: str | None = None,
) -> dict[str, Any]:
    heading = entry.goal if kind == "start" else cell.heading
    return {
        "lesson": entry.no, "kind": kind, "step": cell.step, "cell": cell.id, "item": item, "question": question,
        "path": notebook.path, "heading": heading, "minutes": minutes,
    }  # fmt: skip


def _first_cell(notebook: OriginalNotebook) -> NotebookCell:
    return notebook.cells[0] if notebook.cells else NotebookCell("", "", "", 1, "", 0.0, "", "")


def _cell_naming(notebook: OriginalNotebook, item: str, *, shown: bool) -> NotebookCell:
    """Return the cell that calls predict for an item, or the one that reveals it."""
    pattern = REVEAL_CALL if shown else PREDICT_CALL
    return next((cell for cell in notebook.cells if item in pattern.findall(cell.text)), _first_cell(notebook))


def _cell_after_last_reveal(notebook: OriginalNotebook) -> NotebookCell:
    last = max((i for i, cell in enumerate(notebook.cells) if REVEAL_CALL.search(cell.text)), default=-1)
    return notebook.cells[min(last + 1, len(notebook.cells) - 1)] if notebook.cells else _first_cell(notebook)


def resume_cell(entry: LessonEntry, learner: LearnerProgress, what: str) -> str | None:
    """Return the id of the cell at which a lesson or its exercise continues; None if nothing is open."""
    if what == "lesson":
        return str(_lesson_step(entry, learner.lesson(entry.no))["cell"])
    return next((found["cell"] for found in _question_steps(entry, learner)), None)
