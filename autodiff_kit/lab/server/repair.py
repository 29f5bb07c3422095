"""Recover progress from a damaged progress file, backups, notebooks and receipts.

The store renames a damaged file and starts a new one. This module looks for the old contents in four places: the rows
that are still readable in the damaged file, the newest backup, the learner's notebooks (results of checks, cells that
were run), and the receipts of submissions. All rows found are added to the new file in one transaction, once for each
damaged file; if two places differ, the more advanced state counts.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, TypeGuard

from autodiff_kit.lab.server import submissions
from autodiff_kit.lab.server.catalog import REVEAL_CALL, OriginalNotebook, lesson_catalog
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.folder import WorkingFolder, read_file
from autodiff_kit.lab.server.progress_db import damaged_files, read_progress_db, write_progress_db
from autodiff_kit.lessons.notebook_file import cell_source, read_notebook
from autodiff_kit.lessons.progress import OUTCOMES
from autodiff_kit.lessons.progress_rows import append_event, increment_revision
from autodiff_kit.lessons.timestamps import utc_now
from autodiff_kit.lessons.workspace import KIT_FOLDER

Row = dict[str, Any]
TableRows = list[tuple[str, Row]]
COLUMNS: Final = {
    "lesson": ("no", "state", "step", "begun_at", "predicted_at", "read_at"),
    "prediction": ("lesson", "item", "answer_json", "truth_json", "right", "at"),
    "question": ("id", "notebook", "points", "best", "tries", "hints_seen", "solution_seen", "state", "message"),
    "attempt": ("question", "outcome", "score", "ms", "cell_sha", "at"),
    "handin": ("receipt", "notebook", "sha256", "score", "at"),
}
# What a column was called in the files of an older kit; a lesson's state there is "done" for "read".
FORMER_NAMES: Final = {"read_at": "done_at"}
TEXTS: Final = ("lesson", "item", "answer_json", "at", "id", "notebook", "state", "message", "question", "outcome",
                "cell_sha", "receipt", "sha256")  # fmt: skip
NUMBERS: Final = ("points", "best", "tries", "hints_seen", "solution_seen", "score", "ms")
SCORE: Final = re.compile(r"^(Passed|Nearly|Not yet): ([0-9]+(?:\.[0-9]+)?) of [0-9.]+ points")
STATES: Final = ("not tried", "error", "not yet", "partial", "passed")
OUTCOME: Final = {"Passed": "passed", "Nearly": "partial", "Not yet": "not yet"}


def repair(folder: WorkingFolder) -> bool:
    """Recover rows from damaged files that were not processed yet; return whether there were any."""
    aside = damaged_files(folder)
    if not aside:
        return False
    looked, saved = read_progress_db(folder, _repaired_files)
    fresh = [path for path in aside if path.name not in looked]
    if not fresh or not saved:
        return False
    found = [row for path in reversed(fresh) for row in _readable_rows(path)]
    found += [*_rows_from_newest_backup(folder), *_rows_from_notebooks(folder), *_rows_from_receipts(folder)]

    def work(db: sqlite3.Connection) -> None:
        known = _repaired_files(db)
        if not {path.name for path in fresh} <= known:
            rev = increment_revision(db)
            for table, row in found:
                _MERGE_BY_TABLE[table](db, row, rev)
            names = json.dumps(sorted(known | {path.name for path in fresh}))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('looked_through', ?)", (names,))
            append_event(db, "repair", fresh[-1].name)

    write_progress_db(folder, lambda mine: mine.store.run(work))
    return True


def _repaired_files(db: sqlite3.Connection) -> set[str]:
    row = db.execute("SELECT value FROM meta WHERE key = 'looked_through'").fetchone()
    return set(json.loads(row[0])) if row else set()


def _readable_rows(path: Path) -> TableRows:
    """Return the valid rows of a database that can still be read; the file itself is not changed."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy.db"
        for tail in ("", "-wal"):
            with suppress(OSError):
                shutil.copyfile(path.with_name(path.name + tail), copy.with_name(copy.name + tail))
        with suppress(sqlite3.Error), closing(sqlite3.connect(copy)) as db:
            return [(table, row) for table in COLUMNS for row in _rows(db, table) if _is_valid_row(table, row)]
    return []


def _rows(db: sqlite3.Connection, table: str) -> list[Row]:
    """Read a table from both ends, each until a damaged page."""
    found: dict[int, tuple[Any, ...]] = {}
    for direction in ("ASC", "DESC"):
        # A broken page may contain anything, also text that cannot be decoded.
        with suppress(sqlite3.Error, UnicodeDecodeError):
            there = {column[1] for column in db.execute(f"PRAGMA table_info({table})")}
            names = [name if name in there else FORMER_NAMES.get(name, name) for name in COLUMNS[table]]
            query = f"SELECT rowid, {', '.join(names)} FROM {table} ORDER BY rowid {direction}"
            for id, *row in db.execute(query):
                found[id] = tuple(row)
    # Two attempts of the same second may be equal; they are distinguished by their position among equal rows.
    seen: Counter[tuple[Any, ...]] = Counter()
    rows = []
    for _, row in sorted(found.items()):
        rows.append(dict(zip(COLUMNS[table], row, strict=True)) | {"nth": seen[row]})
        seen[row] += 1
    return rows


def _is_valid_row(table: str, row: Row) -> bool:
    texts = all(isinstance(row[name], str) for name in TEXTS if name in row)
    numbers = all(isinstance(row[name], (int, float)) and row[name] >= 0 for name in NUMBERS if name in row)
    if not texts or not numbers:
        return False
    if table == "lesson":
        return row["no"] in lesson_catalog() and row["state"] in ("begun", "read", "done")
    if table == "prediction":
        return row["right"] in (None, 0, 1) and _is_json(row["answer_json"]) and _is_json(row["truth_json"] or "0")
    if table == "question":
        return row["state"] in STATES
    return table == "handin" or row["outcome"] in OUTCOMES


def _is_json(text: object) -> bool:
    try:
        json.loads(str(text))
    except ValueError:
        return False
    return True


def _rows_from_newest_backup(folder: WorkingFolder) -> TableRows:
    where = folder.own_path(f"{KIT_FOLDER}/backups")
    for path in sorted(where.glob("[0-9]*/progress.db"), reverse=True) if where.is_dir() else []:
        found = _readable_rows(path)
        if found:
            return found
    return []


def _rows_from_receipts(folder: WorkingFolder) -> TableRows:
    rows = [{**row, "notebook": row["exercise"]} for row in submissions.list_submissions(folder)]
    picked = [{name: row[name] for name in COLUMNS["handin"]} for row in rows]
    return [("handin", row) for row in picked if _is_valid_row("handin", row)]


def _rows_from_notebooks(folder: WorkingFolder) -> TableRows:
    """Return rows from the learner's notebooks: copies begin without outputs, so a cell with output was run."""
    found: TableRows = []
    for no, entry in lesson_catalog().items():
        if entry.notebook is not None:
            found += _walked(no, _cells(folder, entry.notebook))
        if entry.exercise is not None:
            found += _checked(entry.exercise, _cells(folder, entry.exercise))
    return found


def _cells(folder: WorkingFolder, original: OriginalNotebook) -> list[Row]:
    try:
        cells = read_notebook(read_file(folder.own_path(original.path)))["cells"]
    except (OSError, ValueError, RequestError):
        return []
    return [cell for cell in cells if cell.get("cell_type") == "code"]


def _walked(no: str, cells: list[Row]) -> Iterator[tuple[str, Row]]:
    ran = [cell for cell in cells if cell.get("execution_count")]
    shown = [cell for cell in cells if REVEAL_CALL.search(_source(cell))]
    if ran:
        seen = sum(len(REVEAL_CALL.findall(_source(cell))) for cell in shown if cell in ran)
        state = "read" if shown and all(cell in ran for cell in shown) else "begun"
        yield "lesson", {**dict.fromkeys(COLUMNS["lesson"]), "no": no, "state": state, "step": seen}


def _checked(exercise: OriginalNotebook, cells: list[Row]) -> Iterator[tuple[str, Row]]:
    worth = {cell.question: cell.points for cell in exercise.cells if cell.points}
    for cell in cells:
        question = str(cell.get("id", "")).removesuffix("-check")
        said = SCORE.match(_output(cell))
        if question in worth and said:
            best, outcome = min(float(said[2]), worth[question]), OUTCOME[said[1]]
            yield "question", {
                "id": question, "notebook": exercise.slug, "points": worth[question], "best": best, "tries": 1,
                "hints_seen": 0, "solution_seen": 0, "state": outcome, "message": "",
            }  # fmt: skip


def _source(cell: Row) -> str:
    return cell_source(cell.get("source", ""))


def _output(cell: Row) -> str:
    """Return the text of a cell's first output; of outputs that are none, as in a file that was edited, nothing."""
    outputs = cell.get("outputs")
    for output in filter(_is_object, outputs if isinstance(outputs, list) else []):
        data = output.get("data")
        text = (data if _is_object(data) else output).get("text/plain", output.get("text", ""))
        if text:
            return cell_source(text)
    return ""


def _is_object(value: object) -> TypeGuard[Row]:
    return isinstance(value, dict)


def _merge_lesson(db: sqlite3.Connection, row: Row, rev: int) -> None:
    row = {
        **row,
        "state": "read" if row["state"] == "done" else row["state"],
        "begun_at": row["begun_at"] or utc_now(),
        "step": row["step"] if isinstance(row["step"], int) else None,
    }
    db.execute(
        "INSERT INTO lesson (no, state, step, begun_at, predicted_at, read_at, rev)"
        " VALUES (:no, :state, :step, :begun_at, :predicted_at, :read_at, :rev) ON CONFLICT (no) DO UPDATE SET"
        " state = CASE WHEN 'read' IN (state, excluded.state) THEN 'read' ELSE state END,"
        " step = max(coalesce(step, 0), coalesce(excluded.step, 0)),"
        " predicted_at = coalesce(predicted_at, excluded.predicted_at),"
        " read_at = coalesce(read_at, excluded.read_at), rev = excluded.rev",
        {**row, "rev": rev},
    )


def _merge_question(db: sqlite3.Connection, row: Row, rev: int) -> None:
    known = db.execute("SELECT state FROM question WHERE id = ?", (row["id"],)).fetchone()
    state = max(row["state"], known[0] if known else "not tried", key=STATES.index)
    db.execute(
        "INSERT INTO question"
        " (id, notebook, points, best, tries, hints_seen, solution_seen, state, message, rev) VALUES"
        " (:id, :notebook, :points, :best, :tries, :hints_seen, :solution_seen, :state, :message, :rev)"
        " ON CONFLICT (id) DO UPDATE SET best = max(best, excluded.best), tries = max(tries, excluded.tries),"
        " hints_seen = max(hints_seen, excluded.hints_seen), state = excluded.state, rev = excluded.rev,"
        " solution_seen = max(solution_seen, excluded.solution_seen), points = max(points, excluded.points)",
        {**row, "state": state, "rev": rev},
    )


def _insert_missing(table: str, *same: str) -> Any:
    """Return a function that inserts a row unless as many rows with equal columns exist."""
    names = COLUMNS[table]
    condition = " AND ".join(f"{name} = :{name}" for name in same)
    statement = (
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(f':{name}' for name in names)}"
        f" WHERE (SELECT count(*) FROM {table} WHERE {condition}) <= :nth"
    )
    return lambda db, row, rev: db.execute(statement, {"nth": 0} | row)


_MERGE_BY_TABLE: Final = {
    "lesson": _merge_lesson,
    "prediction": _insert_missing("prediction", "lesson", "item"),
    "question": _merge_question,
    "attempt": _insert_missing("attempt", *COLUMNS["attempt"]),
    "handin": _insert_missing("handin", "receipt"),
}
