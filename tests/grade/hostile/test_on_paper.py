"""Files that are broken, disguised or changed: each gets a status and a reason, if possible without being run."""

from __future__ import annotations

import io
import json
import os
import stat
import time
import zipfile

import pytest

from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.submission_files import MAX_FILE_BYTES
from autodiff_kit.grade.submission_reader import read_submission

from ..notebooks import LESSON, LESSONS, answer_cell, answered, code, notebook

FULL = float(LESSON.points)


def reason(path, status="invalid", exercise=""):
    found = read_submission(path, "eve", exercise)
    assert found.status == status, found
    return found.reason


def put(folder, data, name="eve.ipynb"):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def bundle(folder, entries, name="eve.zip"):
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as file:
        for info, data in entries:
            file.writestr(info, data)
    return folder / name


def link(name):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (b"import numpy", "not JSON"),
        (b"{", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b'{"cells": ' + b"9" * 10_000 + b"}", "not JSON"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b'{"cells": "\xff"}', "not UTF-8"),
        (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
        (b"[]", "no list of cells"),
        (b'{"cells": 3, "nbformat": 4}', "no list of cells"),
    ],
)
def test_not_a_notebook(tmp_path, data, said):
    assert said in reason(put(tmp_path, data))


def test_a_notebook_with_a_byte_order_mark_is_read(tmp_path):
    path = put(tmp_path, b"\xef\xbb\xbf" + json.dumps(answered()).encode())
    assert read_submission(path, "eve").status == ""


@pytest.mark.parametrize("format", [2, 3, 5, "4", None, [4]])
def test_a_wrong_nbformat(tmp_path, format):
    found = answered()
    found["nbformat"] = format
    assert "nbformat" in reason(put(tmp_path, json.dumps(found)), "unsupported")


def test_nbformat_3_with_worksheets(tmp_path):
    old = {"nbformat": 3, "worksheets": [{"cells": []}]}
    assert "nbformat is 3" in reason(put(tmp_path, json.dumps(old)), "unsupported")


def test_a_notebook_that_names_nothing_is_of_no_exercise_and_no_other_language(tmp_path):
    found = answered()
    found["metadata"]["autodiff_kit"].update(exercise="", slug="")
    found["metadata"]["language_info"] = {"name": None}
    read = read_submission(put(tmp_path, json.dumps(found).encode()), "eve")
    assert (read.status, read.exercise) == ("unsupported", "")
    assert read.reason.startswith("Its exercise is unknown")


@pytest.mark.parametrize(
    "source",
    [
        "result = q1.check()",
        "print(q1.check())",
        "ex.q1.check()",
        "display(q1.hint(2))",
        "%time q1.check()",
        "%%time\nq1.check()",
    ],
)
def test_who_keeps_or_prints_the_result_of_a_check_has_not_replaced_it(tmp_path, source):
    found = answered()
    next(cell for cell in found["cells"] if cell["id"] == "adam-1-check")["source"] = source
    read = read_submission(put(tmp_path, json.dumps(found)), "eve")
    assert (read.status, read.remarks) == ("", ())


def test_another_language(tmp_path):
    found = answered()
    found["metadata"]["language_info"] = {"name": "R"}
    found["cells"] = [cell for cell in found["cells"] if not cell.get("id", "").startswith("adam")]
    assert "written in R, but must be in Python. Choose a Python kernel" in reason(
        put(tmp_path, json.dumps(found)), "unsupported"
    )
    found["metadata"]["language_info"] = {"name": "Python"}
    assert read_submission(put(tmp_path, json.dumps(found)), "eve").can_be_run


def test_a_bundle_with_a_long_list_of_files_is_rejected_before_the_list_is_read(tmp_path, monkeypatch):
    line = b"PK\1\2" + bytes(42) + b"a"
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "holds 600000 files" in reason(put(tmp_path, line * 600_000, "eve.zip"))


def test_a_notebook_of_100_mb(tmp_path):
    path = tmp_path / "eve.ipynb"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    began = time.perf_counter()
    assert "larger than" in reason(path)
    assert time.perf_counter() - began < 5


def test_another_exercises_file(tmp_path):
    path = put(tmp_path, json.dumps(notebook(LESSONS["01"])))
    assert "another exercise" in reason(path, exercise="15")


def test_an_unknown_exercise(tmp_path):
    found = notebook()
    found["metadata"]["autodiff_kit"] = {"exercise": "../../etc/passwd", "slug": 3}
    assert "There is no exercise" in reason(put(tmp_path, json.dumps(found)), "unsupported")
    del found["metadata"]["autodiff_kit"]
    assert "--exercise" in reason(put(tmp_path, json.dumps(found)), "unsupported")


@pytest.mark.parametrize("cell", [3, None, [], "cell"])
def test_a_cell_that_is_not_a_cell(tmp_path, cell):
    found = notebook()
    found["cells"].append(cell)
    assert "one of its cells" in reason(put(tmp_path, json.dumps(found)))


@pytest.mark.parametrize(
    "odd",
    [
        {"cell_type": "code", "source": 3, "metadata": 4},
        {"cell_type": ["code"], "source": [1, None, "x = 1"]},
        {"cell_type": "code", "source": "x", "metadata": {"autodiff_kit": {"question": ["a"], "points": {}}}},
        {"cell_type": "code", "source": "'\\ud800'", "metadata": {"autodiff_kit": []}},
        {},
    ],
)
def test_cells_of_odd_types_are_harmless(hand_in, odd):
    found = answered()
    found["cells"].append(odd)
    assert hand_in(found).score == FULL


def test_a_symbolic_link_is_not_followed(tmp_path):
    secret = put(tmp_path, json.dumps(answered()), "secret.ipynb")
    (tmp_path / "eve.ipynb").symlink_to(secret)
    assert "symbolic link" in reason(tmp_path / "eve.ipynb")
    (tmp_path / "subs").mkdir()
    (tmp_path / "subs" / "mal").symlink_to(tmp_path)
    (tmp_path / "subs" / "eve.ipynb").symlink_to(secret)
    assert [(one.learner, one.status) for one in collect_submissions([tmp_path / "subs"])] == [("eve", "invalid")]
    (tmp_path / "monday").symlink_to(tmp_path / "subs")  # the teacher's own; the words say what to give
    (one,) = collect_submissions([tmp_path / "monday"])
    assert (one.status, "Give the folder" in one.reason) == ("invalid", True)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "eve.ipynb")
    assert "not a regular file" in reason(tmp_path / "eve.ipynb")


def test_a_folder_with_a_notebooks_name(tmp_path):
    (tmp_path / "eve.ipynb").mkdir()
    assert "not a regular file" in reason(tmp_path / "eve.ipynb") or collect_submissions([tmp_path]) == []


def test_a_bundle_is_read(tmp_path):
    path = bundle(tmp_path, [("notebook.ipynb", json.dumps(answered())), ("receipt.json", "{}")])
    assert read_submission(path, "eve").status == ""


def test_a_zip_bomb(tmp_path):
    path = bundle(tmp_path, [("notebook.ipynb", bytes(MAX_FILE_BYTES * 8))])
    assert path.stat().st_size < 1 << 20
    assert "when unpacked" in reason(path)


def test_a_bundle_of_very_many_files(tmp_path):
    assert "2000 files" in reason(bundle(tmp_path, [(f"{i}", "") for i in range(2000)]))


@pytest.mark.parametrize(
    "name", ["../../evil.ipynb", "/etc/evil.ipynb", "a/../../evil.ipynb", "..\\evil.ipynb", "C:\\x.ipynb"]
)
def test_traversal_in_a_bundle(tmp_path, name):
    path = bundle(tmp_path, [("notebook.ipynb", json.dumps(answered())), (name, "evil")])
    found = read_submission(path, "eve")
    assert found.status == ""
    assert "point outside of it" in found.remarks[0]
    assert [entry.name for entry in tmp_path.iterdir()] == ["eve.zip"]


def test_links_in_a_bundle(tmp_path):
    assert "symbolic link" in reason(bundle(tmp_path, [(link("notebook.ipynb"), "/etc/passwd")]))
    path = bundle(tmp_path, [("notebook.ipynb", json.dumps(answered())), (link("x"), "/etc")], "b.zip")
    assert "point outside of it" in read_submission(path, "eve").remarks[0]


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"no zip", b"PK\x05\x06" + bytes(18)])
def test_a_damaged_bundle(tmp_path, data):
    assert reason(put(tmp_path, data, "eve.zip"))


def test_a_bundle_cut_anywhere_or_with_any_byte_changed_is_only_damaged(tmp_path):
    whole = bundle(tmp_path, [("notebook.ipynb", json.dumps({"cells": [], "nbformat": 4}))]).read_bytes()
    for place in range(0, len(whole), 3):
        changed = whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]
        for data in (whole[:place] or b"x", changed):
            assert read_submission(put(tmp_path, data, "m.zip"), "eve").status in ("invalid", "unsupported")


def test_an_encrypted_bundle(tmp_path):
    data = bytearray(bundle(tmp_path, [("notebook.ipynb", "{}")]).read_bytes())
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        data[data.find(mark) + (6 if mark[2] == 3 else 8)] |= 1
    assert "damaged" in reason(put(tmp_path, bytes(data), "eve.zip"))


def test_a_bundle_with_two_notebooks(tmp_path):
    assert "2 notebooks" in reason(bundle(tmp_path, [("a.ipynb", "{}"), ("b.ipynb", "{}")]))


def test_a_folder_that_was_packed_as_it_lay_is_a_bundle(tmp_path):
    """With what macOS and Jupyter put beside a notebook, and with a suffix in capitals."""
    entries = [
        (".", ""),
        ("./hw/HW.IPYNB", json.dumps(answered())),
        ("./hw/.ipynb_checkpoints/HW-checkpoint.ipynb", "{}"),
        ("__MACOSX/hw/._HW.IPYNB", b"\0\5\x16\7"),
        ("./hw/._HW.ipynb", b"\0\5\x16\7"),
    ]
    found = read_submission(bundle(tmp_path, entries, "EVE.ZIP"), "eve")
    assert (found.status, found.remarks) == ("", ())


def test_a_deleted_cell(hand_in):
    found = answered()
    found["cells"].remove(answer_cell(found, "adam-2"))
    result = hand_in(found)
    assert result.status == "graded"
    assert result.points["adam-2"] == 0
    assert result.score == FULL - result.max_points["adam-2"]


def test_a_duplicated_cell(hand_in):
    found = answered()
    found["cells"].append(answer_cell(found, "adam-5"))
    result = hand_in(found)
    assert (result.status, result.score, result.remarks) == ("graded", FULL, ())


@pytest.mark.parametrize("checked", [True, False])
def test_of_a_copied_cell_with_a_wrong_answer_what_was_checked_counts(hand_in, checked):
    found = answered()
    found["cells"] = [cell for cell in found["cells"] if checked or cell.get("id") != "adam-5-check"]
    found["cells"].append({**answer_cell(found, "adam-5"), "source": "def brake(*args):\n    return 1.0"})
    result = hand_in(found)
    assert result.score == FULL - (not checked) * result.max_points["adam-5"]


def test_reordered_cells(hand_in):
    found = answered()
    found["cells"][2:] = found["cells"][:1:-1]
    result = hand_in(found)
    assert (result.status, result.score, result.remarks) == ("graded", FULL, ())


def test_cells_of_another_exercise(hand_in):
    found = answered()
    found["cells"].append(code("x = 1", autodiff_kit={"question": "jvp-1"}))
    assert "other exercises: jvp-1" in hand_in(found).remarks[0]


def test_a_changed_check_forges_nothing(hand_in):
    found = answered(leave=("adam-5",))
    check = next(cell for cell in found["cells"] if cell.get("id") == "adam-5-check")
    check["source"] = "class q5: check = graded = lambda *a: 100\nprint('all passed')"
    result = hand_in(found)
    assert (result.status, result.score) == ("graded", FULL - result.max_points["adam-5"])


def test_a_check_with_a_seed_or_omitted_is_allowed(hand_in):
    found = answered()
    for cell in found["cells"]:
        if cell.get("id") == "adam-5-check":
            cell["source"] = "q5.check(seed=123456)\n# q5.hint()"
        if cell.get("id") == "adam-4-check":
            cell["source"] = ""
    assert hand_in(found).status == "graded"


def test_changed_points(hand_in):
    found = answered()
    for cell in found["cells"]:
        about = cell["metadata"].get("autodiff_kit", {})
        if "points" in about:
            about["points"] = 1000
    result = hand_in(found)
    assert (result.status, result.score, result.max_score) == ("graded", FULL, FULL)


def test_a_forged_receipt_changes_nothing(tmp_path):
    receipt = {"v": 1, "learner": "ada", "score_so_far": 1e9, "at": "1999-01-01T00:00:00Z", "exercise": "01_x"}
    found = read_submission(
        bundle(tmp_path, [("notebook.ipynb", json.dumps(answered())), ("receipt.json", json.dumps(receipt))]), "eve"
    )
    assert (found.learner, found.exercise) == ("eve", LESSON.slug)
    assert not found.submitted.startswith("1999")


def test_a_bundle_in_memory_of_the_largest_size_is_read_once(tmp_path):
    """A wrong size in the directory of the archive does not help an attacker."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("notebook.ipynb", bytes(MAX_FILE_BYTES + 10))
    forged = data.getvalue().replace((MAX_FILE_BYTES + 10).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert reason(put(tmp_path, forged, "eve.zip"))
