"""Progress: what is stored, what never changes, and what happens if the file cannot be written."""

from __future__ import annotations

import base64
import gc
import json
import re
import sqlite3
import subprocess
import sys
import warnings
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from autodiff_kit.errors import FileError
from autodiff_kit.lessons import progress as module
from autodiff_kit.lessons import progress_db, progress_rows
from autodiff_kit.lessons.progress import Prediction, PredictionError, Progress, QuestionState
from autodiff_kit.lessons.progress_db import ProgressWarning


@pytest.fixture
def mine(tmp_path: Path) -> Progress:
    return Progress(tmp_path)


def file_of(progress: Progress) -> Path:
    assert progress.store.path is not None
    return progress.store.path


def rows(progress: Progress, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file_of(progress))) as db:
        return db.execute(query).fetchall()


def attempt(progress: Progress, outcome: str, score: float, id: str = "jvp-1") -> QuestionState:
    return progress.attempt(
        id,
        notebook="01_first",
        points=2,
        outcome=outcome,
        score=score,
        ms=1.5,
        message=outcome,
        cell_sha="ab",
    )


def test_nothing_is_known_at_first(mine: Progress) -> None:
    assert mine.prediction("01", "a") is None
    assert mine.question("jvp-1") == QuestionState(0, 0, 0, 0, False, "not tried", "")
    assert mine.lesson("01").state == "new"
    assert mine.summary().lessons == {}


def test_a_lesson_is_begun_stepped_and_read_once(mine: Progress) -> None:
    mine.begin_lesson("01")
    begun = mine.lesson("01")
    mine.begin_lesson("01")
    mine.set_step("01", 4)
    mine.mark_read("01")
    done = mine.lesson("01")
    mine.mark_read("01")
    mine.begin_lesson("01")
    assert (begun.state, done.state, done.step) == ("begun", "read", 4)
    assert mine.lesson("01") == done
    assert [kind for (kind,) in rows(mine, "SELECT kind FROM event")] == ["begin", "read"]


def test_progress_outlives_the_kernel(mine: Progress, tmp_path: Path) -> None:
    mine.commit_prediction("01", "a", "seven")
    assert Progress(tmp_path).prediction("01", "a") == Prediction("seven")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (3, 3),
        (2.5, 2.5),
        ("b", "b"),
        (["a", "c"], ["a", "c"]),
        ((1, 2), [1, 2]),
        (np.float64(0.5), 0.5),
        (np.array([1, 2]), [1, 2]),
        (float("inf"), "inf"),
        (np.array([np.nan, -np.inf]), ["nan", "-inf"]),
        ({"s": 2}, {"s": 2}),
        (None, None),
    ],
)
def test_answers_of_every_kind(mine: Progress, given: object, kept: object) -> None:
    assert mine.commit_prediction("01", "a", given).answer == kept
    assert mine.prediction("01", "a") == Prediction(kept)


def test_a_prediction_is_never_changed(mine: Progress) -> None:
    mine.commit_prediction("01", "a", 3)
    assert mine.commit_prediction("01", "a", 3).answer == 3
    with pytest.raises(PredictionError, match=r"You predicted 3 for 'a'.*4 was not kept.*reset 01"):
        mine.commit_prediction("01", "a", 4)
    assert mine.prediction("01", "a") == Prediction(3)


def test_a_reveal_happens_once(mine: Progress) -> None:
    mine.commit_prediction("01", "a", 3)
    assert mine.reveal_prediction("01", "a", 7, right=False) == Prediction(3, 7, False)
    assert mine.reveal_prediction("01", "a", 3, right=True) == Prediction(3, 7, False)
    with pytest.raises(PredictionError):
        mine.commit_prediction("01", "a", 7)


def test_a_reveal_without_an_answer_leaves_the_question_open(mine: Progress) -> None:
    assert mine.reveal_prediction("01", "a", 7, right=None) is None
    assert mine.commit_prediction("01", "a", 7) == Prediction(7)


def test_a_prompt_without_right_and_wrong(mine: Progress) -> None:
    mine.commit_prediction("01", "a", 3)
    assert mine.reveal_prediction("01", "a", None, right=None) == Prediction(3, None, None)


def test_attempts_keep_the_best(mine: Progress) -> None:
    assert attempt(mine, "not yet", 0).state == "not yet"
    assert attempt(mine, "partial", 1.0).state == "partial"
    assert attempt(mine, "error", 0).state == "partial"
    assert attempt(mine, "passed", 2.0).state == "passed"
    last = attempt(mine, "not yet", 0)
    assert last == QuestionState(2, 2, 4, 0, False, "passed", "not yet")
    assert rows(mine, "SELECT outcome FROM attempt") == [
        ("not yet",), ("partial",), ("error",), ("passed",), ("not yet",)
    ]  # fmt: skip


def test_an_error_does_not_count_as_a_try(mine: Progress) -> None:
    assert attempt(mine, "error", 0).tries == 0


def test_an_unknown_outcome_is_refused(mine: Progress) -> None:
    with pytest.raises(ValueError, match="one of passed, partial, not yet, error; got 'failed'"):
        attempt(mine, "failed", 0)


def test_hints_are_never_unseen(mine: Progress) -> None:
    assert mine.see_hint("jvp-1", 2).hints_seen == 2
    assert mine.see_hint("jvp-1", 1).hints_seen == 2
    assert mine.see_solution("jvp-1").solution_seen
    assert attempt(mine, "partial", 1).hints_seen == 2


def test_summary_adds_points(mine: Progress) -> None:
    mine.commit_prediction("01", "a", 3)
    mine.commit_prediction("01", "b", 3)
    mine.reveal_prediction("01", "b", 3, right=True)
    attempt(mine, "passed", 2)
    attempt(mine, "partial", 0.5, id="jvp-2")
    found = mine.summary()
    assert (found.points, found.best) == (4, 2.5)
    assert (found.lessons["01"].predicted, found.lessons["01"].right) == (2, 1)
    assert list(found.questions) == ["jvp-1", "jvp-2"]


def test_the_revision_grows_with_every_change(mine: Progress) -> None:
    seen = [mine.rev()]
    for change in (
        lambda: mine.begin_lesson("01"),
        lambda: mine.set_step("01", 2),
        lambda: mine.commit_prediction("01", "a", 1),
        lambda: mine.reveal_prediction("01", "a", 1, right=True),
        lambda: attempt(mine, "not yet", 0),
        lambda: mine.see_hint("jvp-1", 1),
        lambda: mine.mark_read("01"),
    ):
        change()
        seen.append(mine.rev())
    assert seen == sorted(set(seen))


def test_reset_forgets_one_lesson_and_backs_up_all(mine: Progress, tmp_path: Path) -> None:
    for no in ("01", "06"):
        mine.commit_prediction(no, "a", 1)
        mine.attempt(
            f"q-{no}", notebook=f"exercises/{no}_x.ipynb", points=1, outcome="passed", score=1, ms=1,
            message="", cell_sha="",
        )  # fmt: skip
    mine.reset("01", tmp_path / "kept")
    assert mine.prediction("01", "a") is None
    assert mine.prediction("06", "a") == Prediction(1)
    assert list(mine.summary().questions) == ["q-06"]
    with closing(sqlite3.connect(tmp_path / "kept" / "progress.db")) as copy:
        assert copy.execute("SELECT count(*) FROM prediction").fetchone() == (2,)
    size = (tmp_path / "kept" / "progress.db").stat().st_size
    assert rows(mine, "SELECT path, scope, bytes FROM backup") == [("kept", "01", size)]


def test_events_are_capped(mine: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_rows, "EVENTS_KEPT", 5)
    for n in range(1, 9):
        mine.see_hint("jvp-1", n)
    assert [ref for (ref,) in rows(mine, "SELECT ref FROM event")] == [f"jvp-1/{n}" for n in range(4, 9)]


# --- the file


def test_file_has_the_schema_and_its_version(mine: Progress) -> None:
    mine.begin_lesson("01")
    assert rows(mine, "PRAGMA user_version") == [(len(progress_db.MIGRATIONS),)]
    assert rows(mine, "PRAGMA journal_mode") == [("wal",)]
    tables = {name for (name,) in rows(mine, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == {"meta", "lesson", "prediction", "question", "attempt", "handin", "backup", "event"}


def test_an_older_file_is_migrated(mine: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.begin_lesson("01")
    monkeypatch.setattr(progress_db, "MIGRATIONS", (*progress_db.MIGRATIONS, "ALTER TABLE lesson ADD COLUMN note TEXT"))
    mine.begin_lesson("06")
    assert rows(mine, "SELECT no, note FROM lesson") == [("01", None), ("06", None)]
    assert rows(mine, "PRAGMA user_version") == [(len(progress_db.MIGRATIONS),)]


def test_a_migration_is_atomic(mine: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.begin_lesson("01")
    broken = "ALTER TABLE lesson ADD COLUMN note TEXT; CREATE TABLE lesson (no TEXT)"
    monkeypatch.setattr(progress_db, "MIGRATIONS", (*progress_db.MIGRATIONS, broken))
    with closing(sqlite3.connect(file_of(mine), isolation_level=None)) as db:
        with pytest.raises(progress_db.DamagedError, match="already exists"):
            progress_db.migrate(db)
        assert db.execute("PRAGMA user_version").fetchone() == (len(progress_db.MIGRATIONS) - 1,)
        assert "note" not in str(db.execute("SELECT sql FROM sqlite_master WHERE name = 'lesson'").fetchone())


@pytest.mark.parametrize("version", [0, 1])
def test_a_database_of_something_else_is_put_aside(mine: Progress, version: int) -> None:
    file_of(mine).parent.mkdir()
    with closing(sqlite3.connect(file_of(mine))) as db:
        db.execute("CREATE TABLE lesson (what TEXT)")
        db.execute(f"PRAGMA user_version = {version}")
    with pytest.warns(ProgressWarning, match="was damaged"):
        mine.begin_lesson("01")
    assert len(list(file_of(mine).parent.glob("*.damaged-*.db"))) == 1
    assert mine.lesson("01").state == "begun"


def test_a_file_of_a_newer_kit_is_left_alone(mine: Progress) -> None:
    mine.begin_lesson("01")
    with closing(sqlite3.connect(file_of(mine))) as db:
        db.execute("PRAGMA user_version = 99")
    before = file_of(mine).read_bytes()
    with pytest.warns(ProgressWarning, match="version 99.*update autodiff-kit.*in memory"):
        mine.begin_lesson("06")
    assert mine.lesson("06").state == "begun"
    assert file_of(mine).read_bytes() == before


@pytest.mark.parametrize("bad", [b"not a database at all, but long enough to be looked at" * 40, b"SQLite"])
def test_a_damaged_file_is_put_aside(mine: Progress, bad: bytes) -> None:
    file_of(mine).parent.mkdir()
    file_of(mine).write_bytes(bad)
    with pytest.warns(ProgressWarning, match=r"was damaged \(file is .*\). It is kept as progress.damaged-\d+-\d+.db"):
        mine.commit_prediction("01", "a", 3)
    assert [p.read_bytes() for p in file_of(mine).parent.glob("*.damaged-*.db")] == [bad]
    assert Progress(mine.root).prediction("01", "a") == Prediction(3)


def test_a_file_torn_in_the_middle_is_put_aside(mine: Progress) -> None:
    for n in range(40):
        attempt(mine, "not yet", 0, id=f"jvp-{n}")
    with closing(sqlite3.connect(file_of(mine))) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    torn = bytearray(file_of(mine).read_bytes())
    assert len(torn) > 4 * 4096
    torn[4096:] = b"\x55" * (len(torn) - 4096)
    file_of(mine).write_bytes(torn)
    with pytest.warns(ProgressWarning, match="was damaged"):
        mine.begin_lesson("01")
    assert [p.read_bytes() for p in file_of(mine).parent.glob("*.damaged-*.db")] == [bytes(torn)]
    assert not mine.store.in_memory


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE question SET message = CAST(x'6dff' AS TEXT)",
        "UPDATE meta SET value = CAST(x'ff' AS TEXT)",
        "UPDATE meta SET key = 'ref'",
        "UPDATE meta SET value = ''",
    ],
)
def test_a_file_with_damaged_texts_is_put_aside(mine: Progress, change: str) -> None:
    attempt(mine, "partial", 1)
    with closing(sqlite3.connect(file_of(mine))) as db, db:
        db.execute(change)
    with pytest.warns(ProgressWarning, match="was damaged"):
        assert attempt(mine, "not yet", 0).tries == 1
    assert list(file_of(mine).parent.glob("*.damaged-*.db"))
    assert not mine.store.in_memory


def test_a_file_whose_damaged_tables_sqlite_cannot_name_is_put_aside(mine: Progress) -> None:
    """SQLite quotes the damaged name in its message, which Python's module then cannot decode."""
    attempt(mine, "partial", 1)
    damaged = mine.store.image().replace(b"tablelessonlesson", b"table\xffessonlesson")
    file_of(mine).write_bytes(damaged)
    with pytest.warns(ProgressWarning, match="was damaged"):
        mine.begin_lesson("01")
    with pytest.raises(progress_db.DamagedError, match="not a progress file"):
        mine.merge(damaged)
    assert mine.lesson("01").state == "begun"


@pytest.mark.parametrize("locks", [True, False])
@pytest.mark.parametrize(
    ("name", "found"),
    [
        (b"begun_at", "no column named begun_at"),
        (b"predicted_at", "no such column: predicted_at"),
        (b"message", "no such column: message"),
        (b"cell_sha", "no column named cell_sha"),
        (b"kind", "no column named kind"),
    ],
)
def test_a_file_with_a_damaged_name_of_a_column_is_put_aside(
    mine: Progress, monkeypatch: pytest.MonkeyPatch, locks: bool, name: bytes, found: str
) -> None:
    monkeypatch.setattr(progress_db, "HAS_FILE_LOCKS", locks)
    image = Progress().store.image()
    image = image.replace(name, bytes([name[0] ^ 1]) + name[1:])
    file_of(mine).parent.mkdir(exist_ok=True)
    file_of(mine).write_bytes(image)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mine.commit_prediction("01", "a", 3)
        attempt(mine, "partial", 1)
    assert re.search(rf"was damaged \(.*{found}\). It is kept as progress.damaged-", str(told[0].message))
    assert len(list(file_of(mine).parent.glob("*.damaged-*.db"))) == 1
    assert attempt(mine, "passed", 2).tries == 2
    mine.begin_lesson("02")
    assert mine.lesson("02").state == "begun"
    assert not mine.store.in_memory


def test_a_query_that_is_wrong_puts_no_file_aside(mine: Progress) -> None:
    mine.begin_lesson("01")
    with pytest.raises(sqlite3.OperationalError, match="no such column: stat"):
        mine.store.run(lambda db: db.execute("SELECT stat FROM lesson"))
    assert mine.lesson("01").state == "begun"


def test_an_empty_file_is_simply_begun(mine: Progress) -> None:
    file_of(mine).parent.mkdir()
    file_of(mine).touch()
    mine.begin_lesson("01")
    assert rows(mine, "SELECT no FROM lesson") == [("01",)]


def test_a_folder_that_cannot_be_written_warns_once(tmp_path: Path) -> None:
    (tmp_path / ".autodiff_kit").write_text("a file where the folder should be")
    mine = Progress(tmp_path)
    with pytest.warns(ProgressWarning, match="cannot be written.*in memory") as said:
        mine.commit_prediction("01", "a", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mine.prediction("01", "a") == Prediction(3)
    assert len(said) == 1
    assert mine.store.in_memory


def test_a_read_only_file_is_read_and_left(mine: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.commit_prediction("01", "a", 3)
    path = file_of(mine)
    before = path.read_bytes()
    real = sqlite3.connect

    def read_only(where: object, **options: object) -> sqlite3.Connection:
        if where == path:
            return real(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
        return real(where, **options)

    monkeypatch.setattr(progress_db.sqlite3, "connect", read_only)
    with pytest.warns(ProgressWarning, match="readonly.*in memory"):
        mine.begin_lesson("06")
    assert mine.prediction("01", "a") == Prediction(3)
    assert path.read_bytes() == before


def fill(progress: Progress) -> None:
    for n in range(400):
        attempt(progress, "not yet", 0, id=f"jvp-{n:03d}-{'x' * 200}")


def test_a_full_disk_loses_nothing(mine: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    mine.commit_prediction("01", "a", 3)
    real = progress_db.ProgressDatabase._connect

    def small(self: progress_db.ProgressDatabase) -> sqlite3.Connection:
        connection = real(self)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(progress_db.ProgressDatabase, "_connect", small)
    with pytest.warns(ProgressWarning, match="full.*in memory"):
        fill(mine)
    assert len(mine.summary().questions) == 400
    assert mine.prediction("01", "a") == Prediction(3)


def test_a_lock_that_never_opens_does_not_stop_the_lesson(mine: Progress) -> None:
    mine.commit_prediction("01", "a", 3)
    mine.store.busy_seconds = 0.05
    with closing(sqlite3.connect(file_of(mine), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.warns(ProgressWarning, match="locked.*in memory"):
            mine.commit_prediction("01", "b", 4)
        other.execute("ROLLBACK")
    assert mine.prediction("01", "a") == Prediction(3)
    assert mine.prediction("01", "b") == Prediction(4)


def test_an_error_of_the_caller_is_passed_on(mine: Progress) -> None:
    def wrong(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO meta VALUES ('rev', 'twice')")

    mine.begin_lesson("01")
    with pytest.raises(sqlite3.IntegrityError):
        mine.store.run(wrong)
    assert not mine.store.in_memory
    assert not list(file_of(mine).parent.glob("*.damaged-*"))


WRITER = """
import sys
from pathlib import Path
from autodiff_kit.lessons.progress import Progress
mine = Progress(Path(sys.argv[1]))
for n in range(40):
    mine.attempt("jvp-1", notebook="01", points=2, outcome="not yet", score=0, ms=1, message="", cell_sha="")
"""


def test_two_kernels_write_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", WRITER, str(tmp_path)]
    kernels = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    ends = [(kernel.communicate(timeout=120)[1], kernel.returncode) for kernel in kernels]
    assert ends == [(b"", 0)] * 3
    mine = Progress(tmp_path)
    assert mine.question("jvp-1").tries == 120
    assert rows(mine, "SELECT count(*) FROM attempt") == [(120,)]


# --- the progress of this process


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mine = module.progress()
    mine.begin_lesson("01")
    assert mine is module.progress()
    assert mine.store.in_memory
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
    module.progress().begin_lesson("01")
    assert (tmp_path / ".autodiff_kit" / "progress.db").exists()
    assert module.progress().root == tmp_path.resolve()


def test_memory_is_closed_with_its_owner() -> None:
    mine = Progress()
    mine.begin_lesson("01")
    memory = mine.store._memory
    assert memory is not None
    del mine
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        memory.execute("SELECT 1")


def test_what_is_stored_is_json(mine: Progress) -> None:
    mine.commit_prediction("01", "a", [float("nan"), 1.0])
    [(text,)] = rows(mine, "SELECT answer_json FROM prediction")
    assert json.loads(str(text), parse_constant=pytest.fail) == ["nan", 1.0]


# ------------------------------------------------------------------------------------- export, import, no file locks
def learner(folder: Path) -> Progress:
    """Another kernel's progress of the same folder."""
    return Progress(folder)


def test_exported_progress_is_added_to_another(mine: Progress, tmp_path: Path) -> None:
    mine.commit_prediction("01", "a", 1)
    mine.reveal_prediction("01", "a", 2, right=False)
    attempt(mine, "passed", 2)
    mine.mark_read("01")
    other = Progress(tmp_path / "other")
    other.commit_prediction("01", "a", 1)
    other.commit_prediction("01", "b", 7)
    attempt(other, "not yet", 0)
    attempt(other, "partial", 1, id="jvp-2")
    other.see_hint("jvp-1", 2)

    other.merge(mine.store.image())
    assert other.lesson("01").state == "read"
    assert other.prediction("01", "a") == Prediction(1, 2, right=False)
    assert other.prediction("01", "b") == Prediction(7)
    assert other.question("jvp-1") == QuestionState(2, 2, 2, 2, False, "passed", "passed")
    assert other.question("jvp-2").state == "partial"
    assert len(rows(other, "SELECT * FROM attempt")) == 3

    before = other.summary()
    other.merge(mine.store.image())
    assert other.summary() == before, "the same file a second time adds nothing"
    assert len(rows(other, "SELECT * FROM attempt")) == 3


def test_a_first_answer_stays_when_progress_is_added(mine: Progress, tmp_path: Path) -> None:
    other = Progress(tmp_path / "other")
    mine.commit_prediction("01", "a", 1)
    other.commit_prediction("01", "a", 2)
    other.reveal_prediction("01", "a", 2, right=True)
    mine.merge(other.store.image())
    assert mine.prediction("01", "a") == Prediction(1)


def merged(first: bytes, second: bytes, folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """The learner's rows after two files were added, in this order."""
    found = Progress(folder)
    for image in (first, second):
        found.merge(image)
    queries = {
        "prediction": "lesson, item, answer_json, truth_json, right, at",
        "question": "id, best, tries, hints_seen, state, message, tests",
        "attempt": "question, outcome, score, ms, cell_sha, at",
        "event": "at, kind, ref",
        "lesson": "no, state, step, begun_at, predicted_at, read_at",
    }
    tables = {name: sorted(rows(found, f"SELECT {columns} FROM {name}"), key=repr) for name, columns in queries.items()}
    tables["event"] = [row for row in tables["event"] if row[1] != "import"]
    return tables


@pytest.mark.parametrize(("first", "second", "kept"), [("09", "10", 7), ("10", "09", 3), ("10", "10", 3)])
def test_two_files_merge_to_the_same_in_either_order(
    mine: Progress, tmp_path: Path, first: str, second: str, kept: int
) -> None:
    """The earlier of two answers to a prompt is kept; of two in the same second, the one whose text is smaller."""
    other = Progress(tmp_path / "other")
    for one, answer, hour in ((mine, 7, first), (other, 3, second)):
        one.commit_prediction("01", "a", answer)
        one.reveal_prediction("01", "a", answer + 1, right=answer == 7)
        one.commit_prediction("01", "b", 5)
        one.reveal_prediction("01", "b", 5 + answer, right=False)
        attempt(one, "partial", 1)
        attempt(one, "partial", 1 + (answer == 3))
        one.store.run(
            lambda db, hour=hour, answer=answer: [
                db.execute(f"UPDATE prediction SET at = '2026-11-28T{hour}:00:00+00:00'"),
                db.execute("UPDATE event SET at = '2026-11-28T11:00:00+00:00'"),
                db.execute("UPDATE question SET message = ?", (f"message {answer}",)),
            ]
        )
    one.store.run(lambda db: db.execute("INSERT INTO event (at, kind, ref) SELECT at, kind, ref FROM event"))
    images = mine.store.image(), other.store.image()
    found = merged(*images, tmp_path / "one")
    assert found == merged(*reversed(images), tmp_path / "two")
    assert {row[1]: (row[2], row[3]) for row in found["prediction"]}["a"] == (str(kept), str(kept + 1))
    assert found["question"][0][5] == "message 3", "of two partial answers that with more points"


@pytest.mark.parametrize("saved", [b"", b"nothing of the kind", b"SQLite format 3\0" + bytes(500)])
def test_a_file_that_is_no_progress_is_refused(mine: Progress, saved: bytes) -> None:
    mine.begin_lesson("01")
    with pytest.raises(progress_db.DamagedError, match="not a progress file"):
        mine.merge(saved)
    assert mine.lesson("01").state == "begun"


def test_a_file_may_be_named_from_home(mine: Progress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setattr(module, "progress", lambda: mine)
    mine.begin_lesson("01")
    assert module.export_progress().save("~/mine.db") == tmp_path / "mine.db"
    assert set(module.import_progress("~/mine.db").lessons) == {"01"}


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("question", "tests = 'oops'"),
        ("question", "tests = '5'"),
        ("question", "best = 'abc'"),
        ("question", "best = 9e999"),
        ("question", "tries = 'many'"),
        ("question", "message = x'ff'"),
        ("lesson", "state = 'x'"),
        ("question", f"tests = '{'[' * 100_000}'"),
        ("prediction", "answer_json = '{'"),
        ("prediction", "answer_json = '[Infinity]'"),
        ("prediction", "truth_json = '1e999'"),
        ("attempt", "outcome = 'x'"),
    ],
)
def test_a_file_that_was_edited_is_refused(mine: Progress, tmp_path: Path, table: str, change: str) -> None:
    other = Progress(tmp_path / "other")
    other.commit_prediction("01", "a", 1)
    attempt(other, "partial", 1)
    other.store.run(lambda db: db.execute(f"UPDATE {table} SET {change}"))
    mine.begin_lesson("02")
    with pytest.raises(progress_db.DamagedError, match=f"its table {table} has .*, which the kit never writes"):
        mine.merge(other.store.image())
    assert set(mine.summary().lessons) == {"02"}


def test_a_damaged_file_is_put_aside_by_an_export_too(mine: Progress) -> None:
    file_of(mine).parent.mkdir(parents=True, exist_ok=True)
    file_of(mine).write_bytes(b"nonsense" * 1000)
    with pytest.warns(ProgressWarning, match="was damaged"):
        image = mine.store.image()
    mine.merge(image)
    assert list(file_of(mine).parent.glob("*.damaged-*.db"))


def test_the_link_saves_the_whole_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".autodiff_kit").mkdir()
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path))
    module.progress().commit_prediction("01", "a", 1)
    saved = module.export_progress()
    [link] = re.findall(
        r'<a download="progress-[\d-]+\.db" href="data:[\w./+-]+;base64,([\w+/=]+)">', saved._repr_html_()
    )
    assert base64.b64decode(link) == saved.data
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere" / ".autodiff_kit").mkdir(parents=True)
    assert module.import_progress(saved.save(tmp_path / "mine.db")).lessons["01"].predicted == 1
    assert file_of(module.progress()).parent.parent.name == "elsewhere"
    with pytest.raises(FileError, match="nowhere"):
        module.import_progress(tmp_path / "nowhere.db")


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_db, "HAS_FILE_LOCKS", False)


def test_without_locks_progress_outlives_the_kernel(no_locks: None, tmp_path: Path) -> None:
    attempt(learner(tmp_path), "passed", 2)
    assert learner(tmp_path).question("jvp-1").best == 2
    [file] = (tmp_path / ".autodiff_kit").iterdir()
    assert file.name == "progress.db"


def test_without_locks_a_file_with_locks_is_read_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt(learner(tmp_path), "not yet", 0)
    monkeypatch.setattr(progress_db, "HAS_FILE_LOCKS", False)
    assert attempt(learner(tmp_path), "partial", 1).tries == 2
    monkeypatch.setattr(progress_db, "HAS_FILE_LOCKS", True)
    assert attempt(learner(tmp_path), "passed", 2).tries == 3


def test_without_locks_two_tabs_keep_each_others_attempts(no_locks: None, tmp_path: Path) -> None:
    one, two = learner(tmp_path), learner(tmp_path)
    for _ in range(3):
        attempt(one, "not yet", 0)
        attempt(two, "not yet", 0)
    assert one.question("jvp-1").tries == two.question("jvp-1").tries == 6


def test_without_locks_a_transaction_runs_again_where_another_tab_was_faster(
    no_locks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = learner(tmp_path), learner(tmp_path)
    runs = []
    ours = progress_db._run_on_image

    def slowly(image, work):
        found = ours(image, work)
        runs.append(len(runs))
        if len(runs) == 1:
            attempt(two, "partial", 1, id="jvp-2")  # after this tab has read the file, before it writes
        return found

    monkeypatch.setattr(progress_db, "_run_on_image", slowly)
    attempt(one, "passed", 2)
    assert len(runs) == 3, "this tab, the other one, this tab again"
    assert {one.question("jvp-1").state, one.question("jvp-2").state} == {"passed", "partial"}


def test_without_locks_a_site_can_bring_its_own(
    no_locks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    @contextmanager
    def lock(path):
        held.append(path)
        yield

    monkeypatch.setattr(progress_db, "exclusive_access", lock)
    mine = learner(tmp_path)
    attempt(mine, "passed", 2)
    assert held == [mine.store.path]


def test_a_cleared_store_is_written_again_and_said(no_locks: None, tmp_path: Path) -> None:
    mine = learner(tmp_path)
    attempt(mine, "passed", 2)
    file_of(mine).unlink()
    with pytest.warns(ProgressWarning, match="written again from the copy of this kernel.*export_progress"):
        assert mine.question("jvp-1").best == 2
    assert learner(tmp_path).question("jvp-1").best == 2


def test_a_store_that_cannot_be_read_is_said_and_progress_goes_on_in_memory(
    no_locks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = learner(tmp_path)
    attempt(mine, "partial", 1)
    known = Path.stat

    def stat(path: Path, **options: bool) -> object:
        if path == mine.store.path:
            raise OSError(28, "Invalid argument")  # as a browser's drive after its files were deleted
        return known(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.warns(ProgressWarning, match="cannot be written.*export_progress"):
        attempt(mine, "passed", 2)
    assert mine.question("jvp-1").tries == 2


@pytest.mark.parametrize("way", ["raises", "forgets"])
def test_a_full_store_is_said_and_progress_goes_on_in_memory(
    no_locks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    mine = learner(tmp_path)
    attempt(mine, "partial", 1)

    def full(path: Path, data: bytes) -> None:
        if way == "raises":
            raise OSError(28, "No space left on device")
        path.write_bytes(data[:100])  # as a store that fails halfway

    monkeypatch.setattr(progress_db, "write_atomically", full)
    with pytest.warns(ProgressWarning, match="cannot be written.*export_progress"):
        attempt(mine, "passed", 2)
    assert mine.store.in_memory
    assert mine.question("jvp-1").tries == 2
    assert mine.question("jvp-1").best == 2
    again = Progress()
    again.merge(mine.store.image())
    assert again.question("jvp-1").best == 2


def test_without_locks_a_damaged_file_is_put_aside(no_locks: None, tmp_path: Path) -> None:
    mine = learner(tmp_path)
    attempt(mine, "partial", 1)
    file_of(mine).write_bytes(b"no database at all" * 100)
    with pytest.warns(ProgressWarning, match="was damaged"):
        attempt(mine, "passed", 2)
    assert learner(tmp_path).question("jvp-1").best == 2
    assert list(file_of(mine).parent.glob("progress.damaged-*.db"))


def test_without_locks_reset_backs_up_all(no_locks: None, tmp_path: Path) -> None:
    mine = learner(tmp_path)
    attempt(mine, "passed", 2)
    mine.reset("01", tmp_path / "backup")
    assert mine.question("jvp-1").state == "not tried"
    restored = Progress()
    restored.merge((tmp_path / "backup" / "progress.db").read_bytes())
    assert restored.question("jvp-1").state == "passed"
