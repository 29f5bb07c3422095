"""The data of the syllabus and exercises panels, and the actions of their buttons."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import re
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autodiff_kit.lab.server import backups, catalog, panel_data, submissions
from autodiff_kit.lab.server.errors import RequestError
from autodiff_kit.lab.server.export import COLUMNS, export
from autodiff_kit.lab.server.folder import WorkingFolder, find_working_folder
from autodiff_kit.lab.server.search import search
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.progress import Progress

SLUG = "01_jacobian_vector_products"
EXERCISE = f"work/exercises/{SLUG}.ipynb"


def attempt(folder: WorkingFolder, id: str, outcome: str, score: float, notebook: str = SLUG) -> None:
    Progress(folder.root).attempt(
        id,
        notebook=notebook,
        points=3,
        outcome=outcome,
        score=score,
        ms=1.0,
        message=f"It was {outcome}.",
        cell_sha="a",
        tests=[("shape", 1, 1), ("value", 0, 3)],
    )


def walk(folder: WorkingFolder, no: str, upto: int | None = None) -> None:
    """Predict and reveal the first prompts of a lesson."""
    mine = Progress(folder.root)
    mine.begin_lesson(no)
    for item in catalog.lesson_catalog()[no].prompts[:upto]:
        mine.commit_prediction(no, item, 1)
        mine.reveal_prediction(no, item, 1, right=True)


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_reading_creates_no_files(fresh: WorkingFolder) -> None:
    panel_data.syllabus(fresh)
    panel_data.progress(fresh)
    panel_data.exercises(fresh, None, "01")
    search(fresh, "tape")
    assert submissions.list_submissions(fresh) == backups.list_backups(fresh) == []
    export(fresh, "json")
    export(fresh, "csv")
    assert list(fresh.server_root.iterdir()) == []


def test_the_syllabus_has_every_lesson(fresh: WorkingFolder) -> None:
    found = panel_data.syllabus(fresh)
    lessons = {lesson["no"]: lesson for lesson in found["lessons"]}
    assert list(lessons) == [f"{n:02d}" for n in range(len(lessons))]
    assert len(lessons) >= 22
    assert {part["no"] for part in found["parts"]} <= set(lessons)
    assert all({need["lesson"] for need in lesson["needs"]} <= {None, *lessons} for lesson in lessons.values())
    named = {no for no, lesson in lessons.items() if any(need["lesson"] for need in lesson["needs"])}
    assert named == set(lessons) - {"00"}, "every lesson but the first builds on another"
    assert all(lesson["title"] and lesson["goal"] and lesson["minutes"] for lesson in lessons.values())
    assert found["folder"] == "work"


def test_lesson_texts_come_from_the_notebook(fresh: WorkingFolder) -> None:
    lessons = {lesson["no"]: lesson for lesson in panel_data.syllabus(fresh)["lessons"]}
    there = sorted((workspace.originals_folder() / "notebooks").glob("*.ipynb"))
    assert {no for no, lesson in lessons.items() if not lesson["coming"]} == {path.name[:2] for path in there}
    for path in there:
        about = json.loads(path.read_text())["metadata"]["autodiff_kit"]
        lesson = lessons[about["no"]]
        for name in ("title", "goal", "minutes", "slug", "summary", "keywords"):
            assert lesson[name] == about[name]
        assert [need["text"] for need in lesson["needs"]] == about["needs"]
        assert lesson["notebook"] == f"work/notebooks/{path.name}"
        exercise = json.loads((workspace.originals_folder() / "exercises" / path.name).read_text())
        worth = [cell["metadata"].get("autodiff_kit", {}).get("points", 0) for cell in exercise["cells"]]
        assert lesson["points"] == sum(worth) > 0


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> str:
    """The number of a planned lesson."""
    planned, no = catalog.lesson_plan(), "88"
    row = {"no": no, "title": "To come", "goal": "Wait.", "minutes": 30, "needs": ["lesson 01"], "points": 6}
    monkeypatch.setattr(catalog, "lesson_plan", lambda: {**planned, "lessons": [*planned["lessons"], row]})
    return no


def test_a_planned_lesson_has_no_notebook(fresh: WorkingFolder, ahead: str) -> None:
    coming = [lesson for lesson in panel_data.syllabus(fresh)["lessons"] if lesson["coming"]]
    assert ahead in {lesson["no"] for lesson in coming}
    assert all(lesson["notebook"] is lesson["exercise"] is None for lesson in coming)


def finish(folder: WorkingFolder, no: str) -> None:
    """Predict every result of a lesson, read it to its end, and solve its exercise."""
    entry, mine = catalog.lesson_catalog()[no], Progress(folder.root)
    for item in entry.prompts:
        mine.commit_prediction(no, item, 1)
        mine.reveal_prediction(no, item, 1, right=True)
    mine.mark_read(no)
    for cell in entry.exercise.cells if entry.exercise else ():
        if cell.points:
            attempt(folder, cell.question, "passed", cell.points, entry.slug)


def done_before(folder: WorkingFolder, no: str) -> None:
    """Finish every lesson before this one."""
    for other, entry in catalog.lesson_catalog().items():
        if other < no and not entry.coming:
            finish(folder, other)


def test_next_goes_through_a_lesson_cell_by_cell(folder: WorkingFolder) -> None:
    done_before(folder, "01")
    entry = catalog.lesson_catalog()["01"]
    cells = {cell.id: cell for cell in entry.notebook.cells} if entry.notebook else {}

    def following() -> dict[str, Any]:
        found: dict[str, Any] = panel_data.progress(folder)["next"]  # type: ignore[index]
        assert found["lesson"] == "01"
        assert found["minutes"] >= 1
        assert found["heading"]
        return found

    assert following()["kind"] == "start"
    mine = Progress(folder.root)
    mine.begin_lesson("01")
    minutes = [following()["minutes"]]
    for item in entry.prompts:
        ask = following()
        assert (ask["kind"], ask["item"]) == ("predict", item)
        assert f'predict("{item}")' in cells[ask["cell"]].text
        mine.commit_prediction("01", item, 1)
        run = following()
        assert (run["kind"], run["item"]) == ("run", item)
        assert f'reveal("{item}"' in cells[run["cell"]].text
        minutes.append(run["minutes"])
        mine.reveal_prediction("01", item, 1, right=True)
    assert minutes == sorted(minutes, reverse=True)
    assert minutes[-1] < minutes[0] <= entry.minutes
    assert following()["kind"] == "exercise"
    assert following()["path"] == EXERCISE


def test_next_counts_a_lesson_that_was_run_without_predicting(folder: WorkingFolder) -> None:
    Progress(folder.root).set_step("01", 2)
    found = panel_data.progress(folder)
    assert found is not None
    assert found["next"]["item"] == catalog.lesson_catalog()["01"].prompts[2]


def test_next_after_a_lesson(folder: WorkingFolder) -> None:
    def following() -> tuple[Any, ...]:
        found: dict[str, Any] = panel_data.progress(folder)["next"]  # type: ignore[index]
        return found["lesson"], found["kind"], found["question"]

    done_before(folder, "01")
    walk(folder, "01")
    assert following() == ("01", "exercise", "jvp-1")
    attempt(folder, "jvp-1", "passed", 3)
    assert following() == ("01", "exercise", "jvp-2")
    for n in range(2, 7):
        attempt(folder, f"jvp-{n}", "passed", 3)
    after = next(no for no, entry in catalog.lesson_catalog().items() if no > "01" and not entry.coming)
    assert following() == (after, "start", None)
    Progress(folder.root).begin_lesson("09")
    assert following() == ("09", "predict", None)
    Progress(folder.root).begin_lesson("15")
    assert following() == ("15", "predict", None)
    Progress(folder.root).set_step("09", 1)
    assert following() == ("09", "predict", None)


def test_next_when_all_is_done(folder: WorkingFolder) -> None:
    for no, entry in catalog.lesson_catalog().items():
        if not entry.coming:
            finish(folder, no)
    found = panel_data.progress(folder)
    assert found is not None
    assert (found["next"]["kind"], found["next"]["path"]) == ("finished", None)
    assert found["totals"]["score"] == found["totals"]["max"]


def test_states_follow_the_kernel(folder: WorkingFolder) -> None:
    def of_01(*names: str) -> tuple[Any, ...]:
        found = panel_data.progress(folder)
        assert found is not None
        return tuple(found["lessons"].get("01", {}).get(name) for name in names)

    entry, mine = catalog.lesson_catalog()["01"], Progress(folder.root)
    assert of_01("state") == (None,)
    mine.begin_lesson("01")
    assert of_01("state", "read", "predicted", "solved") == ("begun", 0, 0, 0)
    mine.commit_prediction("01", "jv", "a")
    assert of_01("state", "read", "predicted", "solved") == ("begun", 0, 1, 0)
    assert of_01("judged", "right") == (0, 0), "before its result is shown a prediction is neither right nor wrong"
    mine.reveal_prediction("01", "jv", "b", right=False)
    assert of_01("judged", "right") == (1, 0)
    mine.mark_read("01")
    assert of_01("state", "read", "predicted", "solved") == ("read", len(entry.prompts), 1, 0)
    finish(folder, "06")
    for item in entry.prompts[1:]:
        mine.commit_prediction("01", item, "a")
    assert of_01("state", "predicted") == ("read", len(entry.prompts))
    for question in entry.questions:
        attempt(folder, question, "passed", 1)
    assert of_01("state", "solved") == ("done", len(entry.questions))


def test_running_all_cells_reads_a_lesson_and_no_more(folder: WorkingFolder) -> None:
    """Nothing was predicted or solved, and the first prompt is what comes next."""
    mine = Progress(folder.root)
    mine.begin_lesson("01")
    mine.mark_read("01")
    found = panel_data.progress(folder)
    assert found is not None
    assert found["lessons"]["01"]["state"] == "read"
    assert [found["totals"][name] for name in ("read", "done", "predicted", "solved")] == [1, 0, 0, 0]
    first = catalog.lesson_catalog()["01"].prompts[0]
    assert (found["next"]["kind"], found["next"]["lesson"], found["next"]["item"]) == ("predict", "01", first)


def test_scores_are_the_best_attempts(folder: WorkingFolder) -> None:
    attempt(folder, "jvp-1", "passed", 3)
    attempt(folder, "jvp-1", "not yet", 0)
    attempt(folder, "jvp-3", "partial", 1.5)
    found = panel_data.progress(folder)
    assert found is not None
    assert found["lessons"]["01"]["score"] == found["totals"]["score"] == 4.5
    assert panel_data.exercises(folder, None, "01")["score"] == 4.5


def test_progress_since_a_revision(folder: WorkingFolder) -> None:
    rev = panel_data.progress(folder)["rev"]  # type: ignore[index]
    assert panel_data.progress(folder, since=rev) is None
    Progress(folder.root).begin_lesson("01")
    later = panel_data.progress(folder, since=rev)
    assert later is not None
    assert later["rev"] > rev
    assert panel_data.progress(folder, since=later["rev"] + 5) == later


def test_the_newest_value_of_each_field_wins(folder: WorkingFolder) -> None:
    first = panel_data.patch_lesson(folder, "01", {"rev": 0, "state": "begun", "step": 2})
    assert (first["behind"], first["others"]) == (False, [])
    other = panel_data.patch_lesson(folder, "01", {"rev": 0, "step": 5})
    assert (other["behind"], other["others"]) == (True, ["step"])
    assert other["progress"]["lessons"]["01"]["step"] == 5
    same = panel_data.patch_lesson(folder, "01", {"rev": 0, "step": 5, "state": "begun"})
    assert (same["behind"], same["others"], same["rev"]) == (True, [], other["rev"])
    done = panel_data.patch_lesson(folder, "01", {"rev": same["rev"], "state": "read"})
    back = panel_data.patch_lesson(folder, "01", {"rev": done["rev"], "state": "begun"})
    assert back["progress"]["lessons"]["01"]["state"] == "read"


def test_an_unknown_revision(folder: WorkingFolder) -> None:
    with pytest.raises(RequestError, match="does not exist") as told:
        panel_data.patch_lesson(folder, "01", {"rev": 7, "step": 1})
    assert (told.value.status, told.value.code, told.value.more) == (409, "newer_rev", {"rev": 0})
    assert Progress(folder.root).lesson("01").state == "new"


def test_open_makes_the_copy_and_never_writes_over_it(fresh: WorkingFolder) -> None:
    first = panel_data.open_notebook(fresh, "01", {})
    path = fresh.server_root / first["path"]
    assert (first["made"], first["cell"]) == (True, "01-000")
    assert all(not cell.get("outputs") for cell in json.loads(path.read_text())["cells"])
    path.write_text(path.read_text().replace("push and pull", "mine"))
    kept = path.read_bytes()
    second = panel_data.open_notebook(fresh, "01", {"what": "lesson"})
    assert (second["made"], second["path"]) == (False, first["path"])
    assert path.read_bytes() == kept
    exercise = panel_data.open_notebook(fresh, "01", {"what": "exercise"})
    assert (exercise["path"], exercise["cell"]) == (EXERCISE, "jvp-1")


def test_open_renames_a_damaged_notebook(folder: WorkingFolder) -> None:
    path = folder.root / "notebooks" / f"{SLUG}.ipynb"
    path.write_text("{ half of it")
    found = panel_data.open_notebook(folder, "01", {})
    assert json.loads(path.read_text())["cells"]
    aside = [one for one in path.parent.iterdir() if "damaged" in one.name]
    assert [one.read_text() for one in aside] == ["{ half of it"]
    assert aside[0].name in found["notices"][0]["text"]


@pytest.mark.usefixtures("ahead")
@pytest.mark.parametrize(("no", "code"), [("88", "coming"), ("77", "no_lesson"), ("1", "no_lesson")])
def test_open_names_missing_lessons_and_exercises(fresh: WorkingFolder, no: str, code: str) -> None:
    with pytest.raises(RequestError) as told:
        panel_data.open_notebook(fresh, no, {})
    assert (told.value.status, told.value.code) == (404, code)
    assert not fresh.root.exists()


def test_a_folder_that_the_server_does_not_show(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    apart = WorkingFolder(tmp_path / "work", tmp_path / "shown")
    assert panel_data.syllabus(apart)["folder"] is None
    with pytest.raises(RequestError, match="not inside") as told:
        panel_data.open_notebook(apart, "01", {})
    assert told.value.code == "outside"
    assert not (tmp_path / "work").exists()


def test_where_the_working_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path.resolve()
    assert find_working_folder(here).root == here / "work"
    (here / ".autodiff_kit").mkdir()
    assert find_working_folder(here).root == here
    (here / "notebooks").mkdir()
    assert find_working_folder(here / "notebooks").root == here
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(here / "other"))
    assert find_working_folder(here).root == here / "other"


def test_the_questions_of_a_notebook(folder: WorkingFolder) -> None:
    attempt(folder, "jvp-2", "not yet", 0)
    found = panel_data.exercises(folder, EXERCISE, None)
    assert (found["no"], found["exercise"], found["path"], found["max"]) == ("01", SLUG, EXERCISE, 16)
    cells = {cell["id"] for cell in json.loads((folder.server_root / EXERCISE).read_text())["cells"]}
    assert {question["cell"] for question in found["questions"]} <= cells
    assert [question["label"] for question in found["questions"]] == [f"q{n}" for n in range(1, 7)]
    second = found["questions"][1]
    assert (second["state"], second["tries"], second["message"]) == ("not yet", 1, "It was not yet.")
    assert second["tests"] == [{"name": "shape", "right": 1, "of": 1}, {"name": "value", "right": 0, "of": 3}]
    assert [question["state"] for question in found["questions"]].count("not tried") == 5


def test_hints_and_solutions_are_sent_only_on_request(folder: WorkingFolder) -> None:
    for question in panel_data.exercises(folder, EXERCISE, None)["questions"]:
        assert (question["hint_texts"], question["solution"]) == ([], None)


def test_a_renamed_exercise_is_recognized_by_its_contents(folder: WorkingFolder) -> None:
    copy = folder.root / "my own copy.ipynb"
    (folder.server_root / EXERCISE).rename(copy)
    found = panel_data.exercises(folder, "work/my own copy.ipynb", None)
    assert (found["exercise"], found["path"]) == (SLUG, "work/my own copy.ipynb")
    assert submissions.hand_in(folder, found["path"], sha(copy))["exercise"] == SLUG


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system lists no open files")
def test_a_folder_in_place_of_a_notebook_leaves_no_file_open(folder: WorkingFolder) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(RequestError) as told:
            panel_data.exercises(folder, "work/exercises", None)
    assert (told.value.status, told.value.code) == (404, "no_file")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_damaged_exercise_still_has_its_questions(folder: WorkingFolder) -> None:
    (folder.server_root / EXERCISE).write_text("[]")
    found = panel_data.exercises(folder, EXERCISE, None)
    assert (len(found["questions"]), found["language"]) == (6, "en")


@pytest.mark.usefixtures("ahead")
@pytest.mark.parametrize(
    "text",
    ['{"cells": []}', '{"cells": [], "metadata": []}', '{"cells": [], "metadata": {"autodiff_kit": 3}}',
     '{"cells": [], "metadata": {"autodiff_kit": {"no": ["01"], "kind": "exercise"}}}',
     '{"cells": [], "metadata": {"autodiff_kit": {"no": "88", "kind": "exercise"}}}'],
)  # fmt: skip
def test_a_notebook_that_is_not_an_exercise(folder: WorkingFolder, text: str) -> None:
    (folder.root / "own.ipynb").write_text(text)
    assert panel_data.exercises(folder, "work/own.ipynb", None)["questions"] == []
    with pytest.raises(RequestError) as told:
        submissions.hand_in(folder, "work/own.ipynb", sha(folder.root / "own.ipynb"))
    assert told.value.code == "no_exercise"


def test_a_lesson_leads_to_its_exercise(folder: WorkingFolder) -> None:
    found = panel_data.exercises(folder, f"work/notebooks/{SLUG}.ipynb", None)
    assert (found["questions"], found["path"]) == ([], EXERCISE)


def test_hints_come_one_by_one_and_stay(folder: WorkingFolder) -> None:
    found = [panel_data.patch_question(folder, "jvp-1", {"hint_seen": n})["question"] for n in (1, 2, 1)]
    assert [one["hints_seen"] for one in found] == [len(one["hint_texts"]) for one in found] == [1, 2, 2]
    stored = Progress(folder.root).question("jvp-1")
    assert (stored.hints_seen, stored.points, stored.state) == (2, 3, "not tried")


def test_the_solution_waits_for_two_tries_or_a_pass(folder: WorkingFolder) -> None:
    attempt(folder, "jvp-1", "error", 0)
    attempt(folder, "jvp-1", "not yet", 0)
    with pytest.raises(RequestError, match="after two tries") as told:
        panel_data.patch_question(folder, "jvp-1", {"solution_seen": True})
    assert (told.value.status, told.value.code) == (403, "not_yet")
    assert not Progress(folder.root).question("jvp-1").solution_seen
    attempt(folder, "jvp-1", "not yet", 0)
    assert "def push" in panel_data.patch_question(folder, "jvp-1", {"solution_seen": True})["question"]["solution"]
    attempt(folder, "jvp-2", "passed", 3)
    assert panel_data.patch_question(folder, "jvp-2", {"solution_seen": True})["question"]["solution"]


def test_a_question_that_is_not(folder: WorkingFolder) -> None:
    with pytest.raises(RequestError) as told:
        panel_data.patch_question(folder, "jvp-77", {"hint_seen": 1})
    assert told.value.code == "no_question"


def test_hand_in_writes_the_saved_file_and_a_receipt(folder: WorkingFolder) -> None:
    attempt(folder, "jvp-1", "passed", 3)
    notebook = folder.server_root / EXERCISE
    found = submissions.hand_in(folder, EXERCISE, sha(notebook))
    assert re.fullmatch(rf"work/handin/{SLUG}-[0-9a-f]{{8}}-01\.zip", found["path"])
    with zipfile.ZipFile(folder.server_root / found["path"]) as bundle:
        assert sorted(bundle.namelist()) == ["notebook.ipynb", "receipt.json"]
        assert bundle.read("notebook.ipynb") == notebook.read_bytes()
        receipt = json.loads(bundle.read("receipt.json"))
    assert set(receipt) == {"v", "learner", "exercise", "sha256", "at", "score_so_far", "kit"}
    stamped = json.loads(notebook.read_text())["metadata"]["autodiff_kit"]["learner"]
    assert receipt["learner"] == stamped == workspace.learner_id(folder.root)
    assert (receipt["exercise"], receipt["sha256"], receipt["score_so_far"]) == (SLUG, sha(notebook), 3)
    assert submissions.list_submissions(folder) == submissions.list_submissions(folder, SLUG) == [found]
    assert submissions.list_submissions(folder, "06_relaxing_floor") == []
    assert panel_data.exercises(folder, EXERCISE, None)["handed"] == [found]


def test_receipts_never_overwrite(folder: WorkingFolder) -> None:
    first = [submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE)) for _ in range(3)]
    assert len({one["path"] for one in first}) == 3
    kept = {one["path"]: (folder.server_root / one["path"]).read_bytes() for one in first}
    attempt(folder, "jvp-1", "passed", 3)
    submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))
    assert all((folder.server_root / path).read_bytes() == data for path, data in kept.items())
    assert len(submissions.list_submissions(folder)) == 4


def test_hand_in_where_the_disk_has_no_links(folder: WorkingFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(submissions.os, "link", no_links)
    both = [submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))["receipt"][-2:] for _ in range(2)]
    assert both == ["01", "02"]
    assert len(submissions.list_submissions(folder)) == 2


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a course collects a learner's hand-ins, as a hub names it."""
    there = tmp_path / "hand-ins" / "ada"
    there.mkdir(parents=True)
    monkeypatch.setenv("AUTODIFF_KIT_HANDIN", str(there))
    return there


def test_hand_in_reaches_the_folder_of_the_course(folder: WorkingFolder, course: Path) -> None:
    digest = sha(folder.server_root / EXERCISE)
    first = submissions.hand_in(folder, EXERCISE, digest)
    own, sent = folder.server_root / first["path"], course / Path(first["path"]).name
    assert sent.read_bytes() == own.read_bytes()
    if os.name == "posix":
        assert stat.S_IMODE(sent.stat().st_mode) == 0o640
    for lost in (own, sent):  # a number that either folder has seen is not given again
        lost.rename(lost.with_suffix(".away"))
        again = submissions.hand_in(folder, EXERCISE, digest)["receipt"]
        lost.with_suffix(".away").replace(lost)
        assert again.endswith(("-02", "-03"))
    assert sorted(path.name for path in course.iterdir()) == sorted(path.name for path in own.parent.glob("*.zip"))


def test_what_does_not_reach_the_course_is_not_handed_in(folder: WorkingFolder, course: Path) -> None:
    course.rmdir()
    with pytest.raises(RequestError) as told:
        submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))
    assert (told.value.status, told.value.code) == (403, "undelivered")
    assert (list((folder.root / "handin").iterdir()), submissions.list_submissions(folder)) == ([], [])


def test_a_hand_in_without_the_learners_copy_is_taken_back(
    folder: WorkingFolder, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_in_the_course(draft: str, target: Path) -> None:
        if target.parent != course:
            raise OSError(errno.ENOSPC, "No space left on device")
        Path(draft).replace(target)

    monkeypatch.setattr(submissions, "_take_name", only_in_the_course)
    with pytest.raises(OSError, match="No space"):
        submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))
    assert [*course.iterdir(), *(folder.root / "handin").iterdir()] == []


def test_save_first(folder: WorkingFolder) -> None:
    notebook = folder.server_root / EXERCISE
    before = sha(notebook)
    notebook.write_text(notebook.read_text() + "\n")
    with pytest.raises(RequestError) as told:
        submissions.hand_in(folder, EXERCISE, before)
    assert (told.value.status, told.value.code, told.value.do) == (409, "save_first", "Save first, then hand in.")
    assert told.value.more == {"sha256": sha(notebook)}
    assert submissions.list_submissions(folder) == []


@pytest.mark.parametrize("given", [None, "", 3, "x" * 64, "A" * 64, ["0" * 64], "0" * 63])
def test_an_invalid_hash(folder: WorkingFolder, given: object) -> None:
    with pytest.raises(RequestError) as told:
        submissions.hand_in(folder, EXERCISE, given)
    assert told.value.code == "bad_value"


def test_a_damaged_notebook_is_not_handed_in(folder: WorkingFolder) -> None:
    notebook = folder.server_root / EXERCISE
    notebook.write_text("{")
    with pytest.raises(RequestError) as told:
        submissions.hand_in(folder, EXERCISE, sha(notebook))
    assert (told.value.status, told.value.code) == (409, "damaged_notebook")
    assert notebook.read_text() == "{"


def test_a_notebook_over_the_limit(folder: WorkingFolder) -> None:
    notebook = folder.server_root / EXERCISE
    notebook.write_bytes(notebook.read_bytes() + b" " * 10_000_000)
    with pytest.raises(RequestError) as told:
        submissions.hand_in(folder, EXERCISE, sha(notebook))
    assert (told.value.status, told.value.code) == (413, "too_large")


def test_files_that_are_not_bundles_are_skipped(folder: WorkingFolder) -> None:
    where = folder.root / "handin"
    (where / "notes.zip").write_bytes(b"PK")
    (where / f"{SLUG}-00000000-01.zip").write_bytes(b"not a zip")
    (where / f"{SLUG}-00000000-02.zip").mkdir()
    receipt = {"at": "2026-11-26T12:00:00+00:00", "exercise": SLUG, "sha256": "0" * 64, "score_so_far": 1.0}
    edited = [receipt | change for change in ({"exercise": [SLUG]}, {"score_so_far": float("nan")}, {"sha256": 5})]
    texts = ["[]", "{}", "{", '{"at": 3}', " " * 100_000, *map(json.dumps, edited)]
    for n, text in enumerate(texts, start=3):
        with zipfile.ZipFile(where / f"{SLUG}-00000000-{n:02}.zip", "w") as bundle:
            bundle.writestr("receipt.json", text)
    (where / f"{SLUG}-00000000-98.zip").symlink_to("/etc/passwd")
    assert submissions.list_submissions(folder) == []
    with zipfile.ZipFile(where / f"{SLUG}-00000000-99.zip", "w") as bundle:
        bundle.writestr("receipt.json", json.dumps(receipt))
    assert [row["receipt"] for row in submissions.list_submissions(folder)] == ["00000000-99"]


def test_search_finds_titles_before_text(fresh: WorkingFolder) -> None:
    hits = search(fresh, "Attention")["hits"]
    assert (hits[0]["no"], hits[0]["where"]) == ("09", "title")
    where = [("title", "keywords", "goal", "summary", "text").index(hit["where"]) for hit in hits]
    assert where == sorted(where)


@pytest.mark.parametrize(("query", "no"), [("18", "18"), ("levenberg", "19"), ("FORWARD mode", "01"), ("masked", "09")])
def test_search_by_number_word_and_keyword(fresh: WorkingFolder, query: str, no: str) -> None:
    assert no in {hit["no"] for hit in search(fresh, query)["hits"]}


def test_search_in_the_text_names_the_cell(fresh: WorkingFolder) -> None:
    entry = catalog.lesson_catalog()["01"]
    hits = [hit for hit in search(fresh, 'predict("jv")')["hits"] if hit["where"] == "text"]
    assert [hit["cell"] for hit in hits] == [cell.id for cell in entry.notebook.cells if 'predict("jv")' in cell.text]  # type: ignore[union-attr]
    assert 'predict("jv")' in hits[0]["text"]


def test_search_shows_no_result_and_no_summary(fresh: WorkingFolder) -> None:
    """A cell that tells a result is found, and only its heading is shown."""
    entries = catalog.lesson_catalog()
    cells = {cell.id: cell for entry in entries.values() if entry.notebook for cell in entry.notebook.cells}
    told = [hit for word in ("reveal", "summary", "the", "why") for hit in search(fresh, word)["hits"]]
    telling = [hit for hit in told if hit["cell"] and cells[hit["cell"]].role in ("reveal", "why", "summary")]
    assert len(telling) > 5
    assert all(hit["text"] == cells[hit["cell"]].heading for hit in telling)
    summaries = {entry.summary for entry in entries.values() if entry.summary}
    assert summaries.isdisjoint(hit["text"] for hit in told)
    words = next(iter(summaries)).split()
    assert search(fresh, " ".join(words[:8]))["hits"][0]["where"] in ("summary", "goal", "keywords")


def test_export_as_nbgraders_columns(folder: WorkingFolder) -> None:
    attempt(folder, "jvp-1", "passed", 3)
    handed = submissions.hand_in(folder, EXERCISE, sha(folder.server_root / EXERCISE))
    name, media, text = export(folder, "csv")
    assert (name, media.split(";")[0]) == ("autodiff_kit-progress.csv", "text/csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == COLUMNS
    first = next(row for row in rows if row["assignment"] == SLUG)
    assert (first["assignment"], first["score"], first["max_score"], first["timestamp"]) == (
        SLUG,
        "3",
        "16",
        handed["at"],
    )
    assert first["student_id"] == workspace.learner_id(folder.root)
    assert len(rows) == sum(entry.exercise is not None for entry in catalog.lesson_catalog().values())


def test_a_spreadsheet_sees_no_formula(folder: WorkingFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_LEARNER", '=HYPERLINK("x")')
    row = next(csv.DictReader(io.StringIO(export(folder, "csv")[2])))
    assert row["student_id"] == '\'=HYPERLINK("x")'


def test_export_as_json_holds_all_and_no_code(folder: WorkingFolder) -> None:
    walk(folder, "01", 2)
    attempt(folder, "jvp-1", "passed", 3)
    found = json.loads(export(folder, "json")[2])
    assert len(found["prediction"]) == 2
    assert found["question"][0]["best"] == 3
    assert found["attempt"][0]["outcome"] == "passed"
    assert found["rev"] == Progress(folder.root).rev()


def test_an_invalid_export_format(folder: WorkingFolder) -> None:
    with pytest.raises(RequestError, match="json or csv"):
        export(folder, "xlsx")


def test_routes_respond_as_documented(server: Any) -> None:
    """Over HTTP: keys, statuses, an ETag that stays the same without changes, and a file that is saved."""
    syllabus = server.ask("GET", "syllabus")
    assert set(syllabus.json) == {"v", "kit", "folder", "parts", "lessons", "progress"}
    again = {"Authorization": "token a-token-for-tests", "If-None-Match": syllabus.headers["etag"]}
    assert server.ask("GET", "syllabus", headers=again).status == 304
    changed = server.ask("PATCH", "progress/01", {"rev": syllabus.json["progress"]["rev"], "step": 1})
    assert set(changed.json) == {"rev", "behind", "others", "progress"}
    assert server.ask("GET", "syllabus", headers=again).status == 200
    assert server.ask("GET", f"progress?since={changed.json['rev']}").status == 304
    assert set(server.ask("GET", "progress").json["next"]) == {
        "lesson", "kind", "step", "cell", "item", "question", "path", "heading", "minutes",
    }  # fmt: skip
    never = server.ask("PATCH", "progress/01", {"rev": 10_000, "step": 1})
    assert (never.status, never.code, never.json["rev"]) == (409, "newer_rev", changed.json["rev"])
    saved = server.ask("GET", "export?format=csv")
    assert saved.headers["content-type"].startswith("text/csv")
    assert "attachment" in saved.headers["content-disposition"]
    handed = server.ask("POST", "handin", {"path": EXERCISE, "sha256": sha(server.shown / EXERCISE)})
    assert handed.status == 201
    assert server.ask("GET", "handin").json["handed"] == [handed.json]
    backup = server.ask("POST", "backups", {"what": "01"})
    assert backup.status == 201
    restored = server.ask("POST", f"backups/{backup.json['id']}/restore", {})
    assert set(restored.json) == {"rev", "backup", "restored", "progress"}
    reset = server.ask("POST", "progress/reset", {"scope": "01", "notebooks": True})
    assert set(reset.json) == {"backup", "rev", "replaced", "progress"}
    contents = server.ask("GET", f"/api/contents/{EXERCISE}?content=0&hash=1").json
    assert contents["hash"] == sha(server.shown / EXERCISE), "what JupyterLab calls the hash is what hand-in asks for"
