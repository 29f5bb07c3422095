"""The command line as a learner uses it: its output, the files that it keeps, its exit codes."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from autodiff_kit import cli
from autodiff_kit.lab.server import panel_data
from autodiff_kit.lab.server.catalog import lesson_catalog
from autodiff_kit.lab.server.folder import WorkingFolder
from autodiff_kit.lessons import workspace
from autodiff_kit.lessons.progress import Prediction, Progress


@pytest.fixture
def originals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two small lessons instead of the kit's own."""
    top = tmp_path / "originals"
    for slug, title in (("01_first", "Push and pull"), ("06_second", "The value that never converges")):
        for kind in workspace.NOTEBOOK_FOLDERS:
            (top / kind).mkdir(parents=True, exist_ok=True)
            about = {"autodiff_kit": {"v": 1, "title": title}}
            (top / kind / f"{slug}.ipynb").write_text(json.dumps({"cells": [], "metadata": about}))
    monkeypatch.setattr(workspace, "originals_folder", lambda: top)
    monkeypatch.chdir(tmp_path)
    return top


@pytest.fixture
def work(tmp_path: Path, originals: Path) -> Path:
    assert cli.main(["lab", "--prepare-only"]) == 0
    return tmp_path / "work"


def answer(monkeypatch: pytest.MonkeyPatch, word: str) -> list[str]:
    asked: list[str] = []

    def reply(question: str) -> str:
        asked.append(question)
        return word

    monkeypatch.setattr("builtins.input", reply)
    return asked


def test_prepare_only_fills_the_folder_and_starts_nothing(work: Path) -> None:
    assert sorted(p.name for p in (work / "notebooks").iterdir()) == ["01_first.ipynb", "06_second.ipynb"]


def test_inside_a_working_folder_it_is_the_default(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work / "notebooks")
    assert cli.main(["lab", "--prepare-only"]) == 0
    assert not (work / "notebooks" / "work").exists()


def test_the_result_of_prepare_is_printed(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / "notebooks" / "01_first.ipynb").write_text("{")
    assert cli.main(["lab", "--prepare-only"]) == 0
    out, err = capsys.readouterr()
    assert "01_first.damaged-" in err
    assert out == ""


def test_status_counts_what_was_read_predicted_and_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace.prepare_working_folder(tmp_path)
    mine, entry = Progress(tmp_path), lesson_catalog()["01"]
    mine.commit_prediction("01", "jv", "b")
    mine.reveal_prediction("01", "jv", "b", right=True)
    mine.mark_read("01")
    record = {"notebook": entry.slug, "score": 1.0, "ms": 1.0, "message": "", "cell_sha": ""}
    mine.attempt("jvp-1", points=2, outcome="passed", **record)
    mine.attempt("jvp-2", points=2, outcome="partial", **record)
    assert cli.main(["status", "--dir", str(tmp_path)]) == 0
    first, *table, last = capsys.readouterr().out.splitlines()
    assert first.split() == ["lesson", "read", "predicted", "right", "solved", "points"]
    prompts, questions = len(entry.prompts), len(entry.questions)
    row = next(line for line in table if line.startswith("01"))
    assert row.split()[-5:] == [f"{prompts}/{prompts}", f"1/{prompts}", "1", f"1/{questions}", f"2/{entry.points:g}"]
    assert last.startswith(f"Read: 1 of {len(table)} lessons. Predicted: 1 of ")
    assert "Solved: 1 of " in last


@pytest.mark.parametrize("command", [["status"], ["reset", "01", "--yes"]])
def test_no_folder_yet(tmp_path: Path, originals: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(command) == 1
    assert "is not a working folder yet" in capsys.readouterr().err
    assert not (tmp_path / "work").exists()


def test_reset_asks_first(work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    path = work / "notebooks" / "01_first.ipynb"
    path.write_text('{"cells": [], "mine": 1}')
    asked = answer(monkeypatch, "n")
    assert cli.main(["reset", "01"]) == 1
    assert "Start lesson 01 again?" in asked[0]
    assert "Nothing was changed." in capsys.readouterr().err
    assert "mine" in path.read_text()


def test_reset_without_anyone_to_ask_changes_nothing(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(question: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    assert cli.main(["reset", "01"]) == 1
    assert not (work / ".autodiff_kit" / "backups").exists()


def test_reset_backs_up_notebooks_and_progress(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = work / "notebooks" / "01_first.ipynb"
    path.write_text('{"cells": [], "mine": 1}')
    Progress(work).commit_prediction("01", "a", 3)
    answer(monkeypatch, "Y")
    assert cli.main(["reset", "1"]) == 0
    [kept] = (work / ".autodiff_kit" / "backups").iterdir()
    assert "mine" in (kept / "notebooks" / "01_first.ipynb").read_text()
    assert "mine" not in path.read_text()
    assert Progress(work).prediction("01", "a") is None
    assert (kept / "progress.db").exists()


def test_progress_is_exported_and_imported(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Progress(work).commit_prediction("01", "a", 3)
    saved, other = tmp_path / "mine.db", tmp_path / "other"
    (other / ".autodiff_kit").mkdir(parents=True)
    assert cli.main(["export-progress", str(saved)]) == 0
    assert f"in {saved} (" in capsys.readouterr().out
    assert cli.main(["import-progress", str(saved), "--dir", str(other)]) == 0
    assert "autodiff-kit status" in capsys.readouterr().out
    assert Progress(other).prediction("01", "a") == Prediction(3)


def test_files_that_cannot_be_exported_or_imported_are_told(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import-progress", str(work / "nowhere.db")]) == 1
    assert "could not be read" in capsys.readouterr().err
    assert cli.main(["import-progress", str(work / "notebooks" / "01_first.ipynb")]) == 1
    assert "not a progress file" in capsys.readouterr().err
    (work / "file").write_text("")
    assert cli.main(["export-progress", str(work / "file" / "mine.db")]) == 1
    assert "could not be saved" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:Progress cannot be written")
def test_a_file_of_a_newer_kit_is_neither_reset_nor_added_to(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Progress(work).commit_prediction("01", "a", 3)
    saved = work / "mine.db"
    assert cli.main(["export-progress", str(saved)]) == 0
    with sqlite3.connect(work / ".autodiff_kit" / "progress.db") as db:
        db.execute("PRAGMA user_version = 99")
    (work / "notebooks" / "01_first.ipynb").write_text('{"cells": [], "mine": 1}')
    for words in (["reset", "01", "--yes"], ["import-progress", str(saved)]):
        assert cli.main(words) == 1
        said = capsys.readouterr()
        assert "the progress file cannot be written" in said.err
        assert said.out.count("starts again") + said.out.count("added") == 0
    assert "mine" in (work / "notebooks" / "01_first.ipynb").read_text()


@pytest.mark.parametrize("words", [["--dir", "~nobody-of-that-name/x"], []])
def test_a_folder_that_cannot_be_found_is_told(
    originals: Path,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def gone() -> Path:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "cwd", gone)
    assert cli.main(["status", *words]) == 1
    assert "No working folder was found (" in capsys.readouterr().err


def test_reset_may_keep_progress(work: Path) -> None:
    Progress(work).commit_prediction("01", "a", 3)
    assert cli.main(["reset", "01", "--yes", "--keep-progress"]) == 0
    assert Progress(work).prediction("01", "a") == Prediction(3)


def test_reset_of_an_unknown_lesson(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reset", "77", "--yes"]) == 1
    assert "The lessons are 01, 06" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["fly"], ["reset"], ["lab", "--port", "x"]])
def test_a_command_not_understood_ends_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    assert end.value.code == 2
    assert "usage: autodiff-kit" in capsys.readouterr().err


def test_it_opens_what_the_syllabus_calls_next(work: Path) -> None:
    def address() -> str:
        command = cli.jupyterlab_command(work, None, no_browser=False, more=[])
        return next((word for word in command if "default_url" in word), "")

    Progress(work).begin_lesson("06")
    assert address().endswith("/lab/tree/notebooks/06_second.ipynb"), "a lesson that was begun goes on"
    assert cli.next_notebook(work) == panel_data.progress(WorkingFolder(work, work))["next"]["path"]
    Progress(work).mark_read("06")
    assert address().endswith("/lab/tree/notebooks/01_first.ipynb")
    Progress(work).mark_read("01")
    assert address() == "", "when everything is done the syllabus says so"


def test_the_first_start_shows_the_syllabus_and_opens_no_lesson(work: Path) -> None:
    command = cli.jupyterlab_command(work, None, no_browser=False, more=[])
    assert not [word for word in command if "default_url" in word]


def test_the_servers_options(work: Path) -> None:
    command = cli.jupyterlab_command(work, 9001, no_browser=True, more=["--debug"])
    assert f"--ServerApp.root_dir={work}" in command
    assert "--ServerApp.port=9001" in command
    assert "--no-browser" in command
    assert command[-1] == "--debug"
    assert not any("token" in word.lower() for word in command)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def fetch(address: str, patience: int = 100) -> tuple[int, str]:
    """Send a request as a browser does: a server that has just printed its address may not listen yet."""
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, ""
    except urllib.error.URLError as error:
        if not patience or not isinstance(error.reason, ConnectionRefusedError):
            raise
        time.sleep(0.1)
        return fetch(address, patience - 1)


def wait_for(log: Path, pattern: str, server: subprocess.Popen[bytes]) -> str:
    for _ in range(600):
        found = re.search(pattern, log.read_text())
        if found:
            return found.group()
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def test_a_real_server_is_guarded_and_shows_the_folder(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ["lab", "--dir", str(tmp_path / "work"), "--no-browser", "--port", str(free_port())]
    with log.open("wb") as sink:
        command = [sys.executable, "-m", "autodiff_kit", *words]
        server = subprocess.Popen(command, cwd=tmp_path, stdout=sink, stderr=sink)
    try:
        address = wait_for(log, r"http://127\.0\.0\.1:\d+/lab\S*\?token=[0-9a-f]+", server)
        base, token = address.split("/lab")[0], address.split("?token=")[1]
        assert fetch(f"{base}/api/contents")[0] == 403
        code, text = fetch(f"{base}/api/contents?token={token}")
        assert code == 200
        names = {entry["name"] for entry in json.loads(text)["content"]}
        assert names == {"exercises", "handin", "notebooks"}
    except http.client.HTTPException as error:
        raise AssertionError(log.read_text()) from error
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
    # The server replaced the command, so the signal that stops the command stops the server.
    assert server.returncode in (0, -signal.SIGTERM), log.read_text()


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "autodiff_kit", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert "usage: autodiff-kit" in done.stdout


HELP = [[], ["lab"], ["status"], ["reset"], ["new-exercise"], ["author"], ["grade"], ["explain"], ["warm"]]
HELP += [["export-progress"], ["import-progress"]]
HELP += [["author", what] for what in ("build", "validate", "variant", "gradescope", "classroom", "master")]
ONLY_WHEN_A_COMMAND_RUNS = (
    "autodiff_kit.exercises", "autodiff_kit.lessons.prompts", "autodiff_kit.learn", "autodiff_kit.lab",
    "autodiff_kit.widgets", "numba", "llvmlite", "jupyterlab", "jupyter_server", "IPython", "ipywidgets", "anywidget",
    "nbformat", "matplotlib", "sqlite3",
)  # fmt: skip


def test_help_of_every_command_imports_none_of_what_commands_need() -> None:
    code = f"""
import contextlib, io, sys
from autodiff_kit import cli
for words in {HELP!r}:
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as text:
        cli.main([*words, "--help"])
    assert text.getvalue().startswith("usage: autodiff-kit"), words
    loaded = [name for name in {ONLY_WHEN_A_COMMAND_RUNS!r} if name in sys.modules]
    assert not loaded, (words, loaded)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_command_is_missing_from_the_test_of_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["author"]):
        with pytest.raises(SystemExit):
            cli.main([*words, "--help"])
        shown = set(re.findall(r"^    (\S+)", capsys.readouterr().out, re.MULTILINE))
        assert shown == {one[-1] for one in HELP if one[:-1] == words and one}
