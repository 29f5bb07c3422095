"""A damaged progress file: which rows are recovered, from where, once, and without trusting damaged data."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit.lab.server import backups, panel_data, progress_db, repair, submissions
from autodiff_kit.lab.server.catalog import lesson_catalog
from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lessons.progress import Prediction, Progress

pytestmark = pytest.mark.filterwarnings("ignore:.*was damaged:autodiff_kit.lessons.progress_db.ProgressWarning")

SLUG = "01_jacobian_vector_products"
EXERCISE = f"exercises/{SLUG}.ipynb"
NONSENSE = b"no database at all " * 500


def attempt(folder: WorkingFolder, id: str, outcome: str, score: float) -> None:
    Progress(folder.root).attempt(
        id, notebook=SLUG, points=3, outcome=outcome, score=score, ms=1.0, message=outcome, cell_sha=outcome
    )


def learn(folder: WorkingFolder) -> None:
    """Make progress of every kind."""
    mine = Progress(folder.root)
    for item in lesson_catalog()["01"].prompts[:3]:
        mine.commit_prediction("01", item, 1)
        mine.reveal_prediction("01", item, 2, right=False)
    mine.mark_read("06")
    mine.see_hint("jvp-2", 2)
    for n in range(12):
        attempt(folder, f"jvp-{n % 6 + 1}", "not yet", 0)
    attempt(folder, "jvp-1", "passed", 3)
    attempt(folder, "jvp-3", "partial", 1.5)


def file(folder: WorkingFolder) -> Path:
    return folder.root / progress_db.PROGRESS_FILE


def lessons(folder: WorkingFolder) -> dict[str, Any]:
    found = panel_data.progress(folder)
    assert found is not None
    assert found["saved"]
    return dict(found["lessons"])


def ran(folder: WorkingFolder, path: str, outputs: dict[str, str]) -> None:
    """Give the cells of a learner's notebook an output, by their ids."""
    notebook = json.loads((folder.root / path).read_text())
    for n, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "code" and cell["id"] in outputs:
            cell["execution_count"] = n
            said = {"output_type": "display_data", "metadata": {}, "data": {"text/plain": [outputs[cell["id"]]]}}
            cell["outputs"] = [said]
    (folder.root / path).write_text(json.dumps(notebook))


def test_readable_rows_are_recovered(folder: WorkingFolder) -> None:
    """The file's schema is broken, its rows are not."""
    learn(folder)
    before = lessons(folder)
    questions = panel_data.exercises(folder, None, "01")["questions"]
    with closing(sqlite3.connect(file(folder))) as db:
        db.execute("DROP TABLE meta")
        db.commit()
    assert lessons(folder) == before
    assert panel_data.exercises(folder, None, "01")["questions"] == questions
    assert Progress(folder.root).prediction("01", "jv") == Prediction(1, 2, False)
    with closing(sqlite3.connect(file(folder))) as db:
        assert db.execute("SELECT count(*) FROM attempt").fetchone() == (14,)


def test_repair_happens_once(folder: WorkingFolder) -> None:
    learn(folder)
    with closing(sqlite3.connect(file(folder))) as db:
        db.execute("DROP TABLE meta")
        db.commit()
    panel_data.progress(folder)
    rev = Progress(folder.root).rev()
    assert panel_data.progress(folder, since=rev) is None
    backups.reset_progress(folder, {"scope": "all"})
    assert lessons(folder) == {}, "what was reset since does not come back"


def test_another_process_may_be_first(folder: WorkingFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one process reads notebooks, another finishes the same repair: it is done once."""
    learn(folder)
    with closing(sqlite3.connect(file(folder))) as db:
        db.execute("DROP TABLE meta")
        db.commit()
    real = repair._rows_from_notebooks

    def slow(where: WorkingFolder) -> repair.TableRows:
        monkeypatch.setattr(repair, "_rows_from_notebooks", real)
        assert repair.repair(where)
        return real(where)

    monkeypatch.setattr(repair, "_rows_from_notebooks", slow)
    assert set(lessons(folder)) == {"01", "06"}
    with closing(sqlite3.connect(file(folder))) as db:
        assert db.execute("SELECT count(*) FROM event WHERE kind = 'repair'").fetchone() == (1,)


@pytest.mark.parametrize("seed", range(6))
def test_a_file_with_holes(folder: WorkingFolder, seed: int) -> None:
    """Pages overwritten at random: no request fails, no row is invented, and the broken file is kept unchanged."""
    learn(folder)
    draw = random.Random(seed)
    data = bytearray(file(folder).read_bytes())
    pages = len(data) // 4096
    for page in draw.sample(range(pages), k=max(1, pages // 4)):
        data[page * 4096 : (page + 1) * 4096] = draw.randbytes(4096)
    file(folder).write_bytes(data)
    for path in file(folder).parent.glob("progress.db-*"):
        path.unlink()
    broken = bytes(data)
    found = lessons(folder)
    assert set(found) <= {"01", "06"}
    assert found.get("01", {}).get("score", 0) <= 4.5
    kept = [path.read_bytes() for path in file(folder).parent.glob("progress.damaged-*.db")]
    assert kept in ([], [broken])
    Progress(folder.root).commit_prediction("09", "outputs", 1)
    assert lessons(folder)["09"]["predicted"] == 1


def test_scores_come_back_from_the_notebook(folder: WorkingFolder) -> None:
    file(folder).write_bytes(NONSENSE)
    said = {
        "jvp-1-check": "Passed: 3 of 3 points. All right.",
        "jvp-3-check": "Nearly: 1.5 of 3 points. One count is off.",
        "jvp-4-check": "Not yet: 0 of 2 points. Row 2.",
        "jvp-5-check": "Passed: 300 of 3 points.",
        "jvp-6-check": "Not begun. There is no function.",
    }
    ran(folder, EXERCISE, said)
    states = {q["id"]: (q["state"], q["score"]) for q in panel_data.exercises(folder, None, "01")["questions"]}
    assert states["jvp-1"] == ("passed", 3)
    assert states["jvp-3"] == ("partial", 1.5)
    assert states["jvp-4"] == ("not yet", 0)
    assert states["jvp-5"] == ("passed", 3), "never more than a question is worth"
    assert states["jvp-2"] == states["jvp-6"] == ("not tried", 0)


ODD_OUTPUTS = [5, "text", [1], [{"data": "x"}], [{"text": 5}], [{"data": {"text/plain": [1]}}]]


# Each odd source and each odd output beside one of the other kind; all pairs by `make test-all`.
@pytest.mark.parametrize(
    ("source", "outputs"),
    [
        pytest.param(source, outputs, marks=[pytest.mark.slow] if k and source != 5 else [])
        for source in (5, None, [1, 2])
        for k, outputs in enumerate(ODD_OUTPUTS)
    ],
)
def test_a_notebook_of_odd_cells_stops_no_repair(folder: WorkingFolder, source: object, outputs: object) -> None:
    learn(folder)
    backups.create_backup(folder, "all")
    for path in (EXERCISE, f"notebooks/{SLUG}.ipynb"):
        notebook = json.loads((folder.root / path).read_text())
        for cell in notebook["cells"]:
            cell |= {"outputs": outputs, "source": source, "execution_count": 1}
        (folder.root / path).write_text(json.dumps(notebook))
    file(folder).write_bytes(NONSENSE)
    assert lessons(folder)["01"]["score"] == 4.5


def test_how_far_a_lesson_was_walked_comes_back_from_the_notebook(folder: WorkingFolder) -> None:
    file(folder).write_bytes(NONSENSE)
    entry = lesson_catalog()["01"]
    shown = [cell.id for cell in (entry.notebook.cells if entry.notebook else ()) if "reveal(" in cell.text]
    ran(folder, f"notebooks/{SLUG}.ipynb", dict.fromkeys(shown[1:3], "3"))
    assert lessons(folder)["01"]["state"] == "begun"
    assert lessons(folder)["01"]["step"] == 2
    assert "06" not in lessons(folder)


def test_a_lesson_that_was_walked_to_its_end_is_read(folder: WorkingFolder) -> None:
    file(folder).write_bytes(NONSENSE)
    entry = lesson_catalog()["01"]
    ran(folder, f"notebooks/{SLUG}.ipynb", {cell.id: "" for cell in (entry.notebook.cells if entry.notebook else ())})
    assert lessons(folder)["01"]["state"] == "read"


def test_predictions_come_back_from_the_newest_backup(folder: WorkingFolder) -> None:
    backups.create_backup(folder, "all")
    learn(folder)
    backups.create_backup(folder, "all")
    before = lessons(folder)
    file(folder).write_bytes(NONSENSE)
    assert lessons(folder) == before
    assert Progress(folder.root).prediction("01", "jv") == Prediction(1, 2, False)


def test_receipts_come_back_from_the_bundles(folder: WorkingFolder) -> None:
    learn(folder)
    digest = hashlib.sha256((folder.root / EXERCISE).read_bytes()).hexdigest()
    handed = submissions.hand_in(folder, f"work/{EXERCISE}", digest)
    file(folder).write_bytes(NONSENSE)
    panel_data.progress(folder)
    with closing(sqlite3.connect(file(folder))) as db:
        rows = db.execute("SELECT receipt, notebook, sha256, score FROM handin").fetchall()
    assert rows == [(handed["receipt"], SLUG, digest, 4.5)]


def test_the_more_advanced_of_two_states_counts(folder: WorkingFolder) -> None:
    learn(folder)
    backups.create_backup(folder, "all")
    file(folder).write_bytes(NONSENSE)
    ran(folder, EXERCISE, {"jvp-1-check": "Not yet: 0 of 3 points.", "jvp-2-check": "Passed: 2 of 2 points."})
    questions = {q["id"]: q for q in panel_data.exercises(folder, None, "01")["questions"]}
    assert (questions["jvp-1"]["state"], questions["jvp-1"]["score"]) == ("passed", 3)
    assert (questions["jvp-2"]["state"], questions["jvp-2"]["score"], questions["jvp-2"]["hints_seen"]) == (
        "passed", 2, 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("lesson", "no = '../..'"),
        ("lesson", "state = 'x'"),
        ("lesson", "step = x'ff'"),
        ("prediction", "answer_json = '{'"),
        ("prediction", "truth_json = x'ff'"),
        ("prediction", "right = 9"),
        ("question", "state = 'excellent'"),
        ("question", "best = 'many'"),
        ("question", "points = -3"),
        ("question", "message = x'fffe'"),
        ("attempt", "outcome = 'x'"),
    ],
)
def test_invalid_rows_are_skipped(folder: WorkingFolder, table: str, change: str) -> None:
    learn(folder)
    with closing(sqlite3.connect(file(folder))) as db:
        db.execute(f"UPDATE {table} SET {change} WHERE rowid = 1")
        db.execute("DROP TABLE meta")
        db.commit()
    assert set(lessons(folder)) == {"01", "06"}
    mine = Progress(folder.root)
    for item in lesson_catalog()["01"].prompts[:3]:
        mine.prediction("01", item)
    assert mine.summary().best <= 4.5
    json.dumps(panel_data.exercises(folder, None, "01"))


def test_a_kernel_that_found_the_damage_first(folder: WorkingFolder) -> None:
    learn(folder)
    before = lessons(folder)
    with closing(sqlite3.connect(file(folder))) as db:
        db.execute("DROP TABLE meta")
        db.commit()
    Progress(folder.root).begin_lesson("15")
    assert lessons(folder) == {**before, "15": lessons(folder)["15"]}
