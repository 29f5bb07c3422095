"""A learner's folder: filled, updated, and never overwritten."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.atomic_files import write_atomically

LESSON = "notebooks/01_first.ipynb"
EXERCISE = "exercises/01_first.ipynb"


def notebook(text: str, title: str = "Push and pull") -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# A lesson"]},
        {
            "cell_type": "code",
            "execution_count": 3,
            "metadata": {"execution": {"iopub.status.busy": "2026"}, "tags": ["kept"]},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": ["SPOILER\n"]}],
            "source": [text],
        },
    ]
    about = {"autodiff_kit": {"v": 1, "title": title}, "widgets": {"state": "SPOILER"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.fixture
def originals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small content tree instead of the kit's own."""
    top = tmp_path / "originals"
    for kind in workspace.NOTEBOOK_FOLDERS:
        (top / kind).mkdir(parents=True)
        (top / kind / "01_first.ipynb").write_bytes(notebook("print(1)"))
        (top / kind / "README.md").write_text("for authors")
    (top / "exercises" / "data").mkdir()
    (top / "exercises" / "data" / "points.csv").write_bytes(b"1,2\n")
    (top / "notebooks" / ".ipynb_checkpoints").mkdir()
    (top / "notebooks" / ".ipynb_checkpoints" / "01_first.ipynb").write_bytes(b"{}")
    monkeypatch.setattr(workspace, "originals_folder", lambda: top)
    return top


@pytest.fixture
def work(tmp_path: Path, originals: Path) -> Path:
    root = tmp_path / "work"
    workspace.prepare_working_folder(root)
    return root


def edit(path: Path) -> bytes:
    changed = json.loads(path.read_bytes())
    changed["cells"][1]["source"] = ["print('mine')"]
    path.write_text(json.dumps(changed))
    return path.read_bytes()


def everything(root: Path) -> str:
    return "".join(p.read_text() for p in root.rglob("*") if p.is_file())


def test_prepare_fills_an_empty_folder(tmp_path: Path, originals: Path) -> None:
    done = workspace.prepare_working_folder(tmp_path / "new" / "work")
    assert sorted(done.copied) == [EXERCISE, "exercises/data/points.csv", LESSON]
    assert (done.root / "handin").is_dir()
    assert not list(done.root.rglob("README.md"))
    assert not list(done.root.rglob(".ipynb_checkpoints"))


def test_copies_show_no_result(work: Path) -> None:
    assert "SPOILER" not in everything(work)
    code = json.loads((work / LESSON).read_text())["cells"][1]
    assert code["outputs"] == []
    assert code["execution_count"] is None
    assert code["metadata"] == {"tags": ["kept"]}


def test_originals_keep_their_outputs(work: Path, originals: Path) -> None:
    assert "SPOILER" in (originals / LESSON).read_text()


def test_copies_carry_the_learners_id(work: Path) -> None:
    known = json.loads((work / ".autodiff_kit" / "learner.json").read_text())["learner"]
    assert json.loads((work / EXERCISE).read_text())["metadata"]["autodiff_kit"]["learner"] == known
    assert workspace.learner_id(work) == known


def test_learners_id_can_be_given(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_LEARNER", "a-7")
    assert workspace.learner_id(work) == "a-7"


def test_damaged_learner_file_is_put_aside(work: Path) -> None:
    path = work / ".autodiff_kit" / "learner.json"
    path.write_text('{"learner": "abc')
    fresh = workspace.learner_id(work)
    assert workspace.learner_id(work) == fresh
    assert [p.read_text() for p in path.parent.glob("learner.damaged-*.json")] == ['{"learner": "abc']


def test_prepare_again_changes_nothing(work: Path) -> None:
    before = {p: p.read_bytes() for p in work.rglob("*") if p.is_file()}
    done = workspace.prepare_working_folder(work)
    assert done.lines() == []
    assert {p: p.read_bytes() for p in work.rglob("*") if p.is_file()} == before


def test_changed_notebook_is_never_written_over(work: Path) -> None:
    mine = edit(work / LESSON)
    done = workspace.prepare_working_folder(work)
    assert (work / LESSON).read_bytes() == mine
    assert done.kept == []


def test_untouched_copy_follows_its_original(work: Path, originals: Path) -> None:
    (originals / LESSON).write_bytes(notebook("print(2)"))
    done = workspace.prepare_working_folder(work)
    assert done.refreshed == [LESSON]
    assert "print(2)" in (work / LESSON).read_text()


def test_a_notebook_that_was_only_looked_at_follows_too(work: Path, originals: Path) -> None:
    # JupyterLab's changes on opening: a kernel's name, one string per line, other blanks.
    looked = json.loads((work / LESSON).read_text())
    looked["metadata"]["language_info"] = {"name": "python"}
    looked["cells"][1]["source"] = "".join(looked["cells"][1]["source"])
    (work / LESSON).write_text(json.dumps(looked, indent=2))
    (originals / LESSON).write_bytes(notebook("print(2)"))
    assert workspace.prepare_working_folder(work).refreshed == [LESSON]


@pytest.mark.parametrize("odd", [None, 5, ["a", 5], {"b": 1}])
def test_an_odd_source_counts_as_a_change(work: Path, odd: object) -> None:
    strange = json.loads((work / LESSON).read_text())
    strange["cells"][1]["source"] = odd
    (work / LESSON).write_text(json.dumps(strange))
    assert workspace.prepare_working_folder(work).lines() == []
    assert json.loads((work / LESSON).read_text()) == strange


def test_a_notebook_with_results_is_the_learners(work: Path, originals: Path) -> None:
    ran = json.loads((work / LESSON).read_text())
    ran["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "1"}]
    (work / LESSON).write_text(json.dumps(ran))
    (originals / LESSON).write_bytes(notebook("print(2)"))
    assert workspace.prepare_working_folder(work).kept == [LESSON]


def test_changed_copy_stays_and_the_newer_one_is_mentioned(work: Path, originals: Path) -> None:
    mine = edit(work / LESSON)
    (originals / LESSON).write_bytes(notebook("print(2)"))
    done = workspace.prepare_working_folder(work)
    assert (work / LESSON).read_bytes() == mine
    assert done.kept == [LESSON]
    assert "autodiff-kit reset 01" in done.lines()[0]


def test_a_lost_manifest_loses_no_work(work: Path) -> None:
    mine = edit(work / LESSON)
    (work / ".autodiff_kit" / "manifest.json").write_text("[1, 2")
    workspace.prepare_working_folder(work)
    assert (work / LESSON).read_bytes() == mine
    assert json.loads((work / ".autodiff_kit" / "manifest.json").read_text())[EXERCISE]["copy"]


@pytest.mark.parametrize(
    "bad", [b"", b"{", b"\xff\xfe\x00", b"[1, 2]", b'{"cells": 3}', b'{"cells": {}}', b'{"cells": [1]}']
)
def test_damaged_notebook_is_kept_and_replaced(work: Path, bad: bytes) -> None:
    (work / LESSON).write_bytes(bad)
    done = workspace.prepare_working_folder(work)
    [(name, aside)] = done.damaged
    assert name == LESSON
    assert (work / "notebooks" / aside).read_bytes() == bad
    assert aside.startswith("01_first.damaged-")
    assert aside.endswith(".ipynb")
    assert json.loads((work / LESSON).read_text())["cells"]
    assert aside in done.lines()[0]


def test_two_damages_in_one_second_are_both_kept(work: Path) -> None:
    for bad in (b"one", b"two"):
        (work / LESSON).write_bytes(bad)
        workspace.prepare_working_folder(work)
    kept = sorted(p.read_bytes() for p in (work / "notebooks").glob("*.damaged-*.ipynb"))
    assert kept == [b"one", b"two"]


def test_link_that_leads_outside_is_refused(work: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.ipynb"
    (work / LESSON).unlink()
    (work / LESSON).symlink_to(outside)
    with pytest.raises(workspace.WorkspaceError, match="outside the working folder"):
        workspace.prepare_working_folder(work)
    assert not outside.exists()


def test_folder_that_leads_outside_is_refused(tmp_path: Path, originals: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "exercises").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(workspace.WorkspaceError, match="remove the link"):
        workspace.prepare_working_folder(tmp_path / "work")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_folder_that_cannot_be_created_is_named(tmp_path: Path, originals: Path) -> None:
    (tmp_path / "work").write_text("a file, not a folder")
    with pytest.raises(workspace.WorkspaceError, match=r"cannot be written.*--dir"):
        workspace.prepare_working_folder(tmp_path / "work")


def test_reset_keeps_a_backup(work: Path) -> None:
    mine = edit(work / LESSON)
    backup = workspace.reset_lesson(work, "1")
    assert set(backup.files) == {LESSON, EXERCISE}
    assert (backup.path / LESSON).read_bytes() == mine
    assert backup.path.parent == work / ".autodiff_kit" / "backups"
    assert "print(1)" in (work / LESSON).read_text()


def test_two_resets_make_two_backups(work: Path) -> None:
    assert workspace.reset_lesson(work, "01").path != workspace.reset_lesson(work, "01").path


def test_reset_of_a_missing_notebook_gives_it_back(work: Path) -> None:
    (work / LESSON).unlink()
    assert workspace.reset_lesson(work, "01").files == (EXERCISE,)
    assert (work / LESSON).exists()


@pytest.mark.parametrize("what", ["99", "", "x", "../01"])
def test_reset_of_an_unknown_lesson_lists_those_that_are(work: Path, what: str) -> None:
    with pytest.raises(workspace.WorkspaceError, match=r"There is no lesson .* The lessons are 01"):
        workspace.reset_lesson(work, what)


@pytest.mark.parametrize("what", ["1", "01", "01_first", " 01 "])
def test_a_lesson_may_be_named_as_people_do(originals: Path, what: str) -> None:
    assert workspace.lesson_number(what) == "01"


@pytest.mark.parametrize("what", ["", " ", "123", "012", "1x"])
def test_what_is_no_number_of_a_lesson_names_none(originals: Path, what: str) -> None:
    for no in ("00", "12"):
        (originals / "notebooks" / f"{no}_another.ipynb").write_text('{"cells": []}')
    with pytest.raises(workspace.WorkspaceError, match="There is no lesson"):
        workspace.lesson_number(what)


def test_lessons_have_titles(originals: Path) -> None:
    assert workspace.lesson_notebooks() == [workspace.LessonNotebook("01", "01_first", "Push and pull")]


def test_find_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "work" / "notebooks" / "deeper"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert workspace.find_working_folder() is None
    (tmp_path / "work" / ".autodiff_kit").mkdir()
    assert workspace.find_working_folder() == (tmp_path / "work").resolve()
    monkeypatch.setenv("AUTODIFF_KIT_DIR", str(tmp_path / "other"))
    assert workspace.find_working_folder() == (tmp_path / "other").resolve()


def test_the_kits_own_content_is_found() -> None:
    top = workspace.originals_folder()
    assert (top / "notebooks").is_dir()
    assert (top / "exercises").is_dir()


def test_copies_have_ordinary_rights(work: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    assert (work / LESSON).stat().st_mode & 0o777 == 0o666 & ~mask


def test_writing_leaves_the_process_its_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that each set it for a moment could leave 0: every later file would be everybody's."""
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail(f"the umask was set to {mask:o}"))
    write_atomically(tmp_path / "a.ipynb", b"1")
    write_atomically(tmp_path / "a.ipynb", b"2")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"2"]
