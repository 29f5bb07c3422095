"""Two learners on one JupyterHub: each works and hands in, and neither sees anything of the other's."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, expect

from autodiff_kit.exercises.questions import LESSONS

from ...docs.test_collecting import collecting
from ..panels.conftest import Bench
from .conftest import LEARNERS, TEACHER, TOP, WAIT, Hub, as_account, logged_in

ADA, BEN = LEARNERS
LESSON = LESSONS["01"]
ANSWER = LESSON.questions[0].solution
ROUTES = ("syllabus", "progress", "handin", "backups", "export", "exercises?no=01")
FETCH = """async ([path, method]) => (await fetch(path, {method, body: method === 'POST' ? '{}' : undefined,
    headers: {'X-XSRFToken': document.cookie.match(/_xsrf=([^;]*)/)[1]}})).status"""


def test_two_learners_on_one_hub(hub: Hub, chrome: Browser, tmp_path: Path) -> None:
    with logged_in(chrome, hub, ADA) as ada, logged_in(chrome, hub, BEN) as ben:
        for learner in (ada, ben):
            opens_the_lesson(learner)
        receipt = hands_in(ada, ANSWER)
        hands_in(ben, "y = 1")
        pages_are_apart(ben)
        servers_are_apart(hub)
        files_are_apart(hub, receipt)
    assert grades_of_the_teacher(hub, tmp_path) == {ADA: LESSON.questions[0].points, BEN: 0}


def opens_the_lesson(learner: Bench) -> None:
    """The lesson of the learner's own folder runs, with its figure and its widget."""
    learner.command("autodiff-kit:open-lesson", no="01", what="lesson")
    learner.page.wait_for_function(
        f"jupyterapp.shell.currentWidget?.context?.path === 'autodiff/notebooks/{LESSON.slug}.ipynb'"
    )
    learner.idle()
    learner.command("notebook:run-all-cells")
    learner.idle()
    expect(learner.page.locator(".jp-Notebook .ak").first).to_be_visible(timeout=WAIT)
    learner.shot(f"hub-{learner.server.url.split('/')[-2]}-lesson")


def hands_in(learner: Bench, answer: str) -> str:
    """Answer the first question, check it, hand in; the receipt."""
    learner.command("autodiff-kit:open-lesson", no="01", what="exercise")
    learner.page.wait_for_function("jupyterapp.shell.currentWidget?.context?.path?.startsWith('autodiff/exercises/01')")
    learner.idle()
    learner.command("autodiff-kit:open-exercises")
    learner.command("notebook:run-all-cells")
    learner.run(answer)
    panel = learner.page.locator(".akl-exercises")
    first = panel.locator(".akl-q").first
    first.get_by_role("button", name="Check").click()
    expect(first.locator(".akl-q-state")).to_contain_text("passed" if answer == ANSWER else "not tried", timeout=WAIT)
    panel.get_by_role("button", name=re.compile("^Hand in")).click()
    save, told = panel.get_by_role("button", name="Save and hand in"), panel.get_by_text(re.compile("Receipt"))
    expect(save.or_(told).first).to_be_visible(timeout=WAIT)
    if save.is_visible():
        save.click()
    expect(told).to_be_visible(timeout=WAIT)
    learner.shot(f"hub-{learner.server.url.split('/')[-2]}-exercise")
    found = re.search(r"Receipt ([0-9a-f]{8}-\d\d)", told.inner_text())
    assert found is not None
    return found[1]


def pages_are_apart(ben: Bench) -> None:
    """With the cookies of his login Ben reaches his own server alone, and changes nothing without the XSRF token."""
    for route in ROUTES:
        assert ben.js(FETCH, [f"/user/{BEN}/autodiff-kit/{route}", "GET"]) == 200
        assert ben.js(FETCH, [f"/user/{ADA}/autodiff-kit/{route}", "GET"]) == 403
    assert ben.js(FETCH, [f"/user/{ADA}/autodiff-kit/backups", "POST"]) == 403
    assert ben.js(FETCH, [f"/user/{ADA}/api/contents/autodiff", "GET"]) == 403
    assert ben.js(f"fetch('/user/{BEN}/autodiff-kit/backups', {{method: 'POST'}}).then(it => it.status)") == 403
    answer = ben.page.goto(f"{ben.server.url.replace(BEN, ADA)}lab")
    assert answer is not None
    assert answer.status == 403


def servers_are_apart(hub: Hub) -> None:
    """Without a login nothing answers; Ben's token, which his code can read, opens his own server alone."""
    [mine], [hers] = (hub.servers(name) for name in (BEN, ADA))
    token = mine.environ()["JUPYTERHUB_API_TOKEN"]
    port = next(one.laddr.port for one in hers.net_connections() if one.status == psutil.CONN_LISTEN)
    for route in ROUTES:
        behind = f"user/{ADA}/autodiff-kit/{route}"
        assert [status(hub.url + behind), status(hub.url + behind, token)] == [403, 403]
        assert [status(f"http://127.0.0.1:{port}/{behind}", given) for given in ("", token)] == [403, 403]
        assert status(f"{hub.url}user/{BEN}/autodiff-kit/{route}", token) == 200
    assert status(f"{hub.url}hub/api/users/{ADA}", token) in (403, 404)


def status(url: str, token: str = "") -> int:
    request = urllib.request.Request(url, headers={"Authorization": f"token {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def files_are_apart(hub: Hub, receipt: str) -> None:
    """By the file system too: Ben's account reads nothing of Ada's, and writes nothing in her name."""
    bundle = hub.hand_ins / ADA / f"{LESSON.slug}-{receipt}.zip"
    work = hub.of(ADA) / "autodiff"
    hers = (f"handin/{bundle.name}", ".autodiff_kit/progress.db", f"exercises/{LESSON.slug}.ipynb")
    for path in (bundle, *(work / name for name in hers)):
        assert path.is_file(), path
        assert as_account(ADA, "wc", path).returncode == 0
        assert "Permission denied" in as_account(BEN, "wc", path).stderr
    for folder in (hub.hand_ins, bundle.parent, work):
        assert "Permission denied" in as_account(BEN, "ls", folder).stderr
    for path in (bundle.parent / "forged.zip", hub.hand_ins / "forged"):
        assert "Permission denied" in as_account(BEN, "cp", "/etc/hostname", path).stderr
    assert "Permission denied" in as_account(TEACHER, "touch", hub.hand_ins / "forged").stderr


def grades_of_the_teacher(hub: Hub, tmp_path: Path) -> dict[str, float]:
    """A member of the teachers' group collects all hand-ins by the guide's command, and grades them."""
    if shutil.which("rsync") is None:
        pytest.skip(
            "all else holds; the teacher collects with rsync, which is not installed (Debian: apt install rsync)"
        )
    collected = hub.of(TEACHER) / "collected"
    copied = as_account(TEACHER, *collecting(hub.hand_ins, collected))
    assert copied.returncode == 0, copied.stderr
    out = tmp_path / "grades"
    command = [sys.executable, "-m", "autodiff_kit", "grade", str(collected), "--out", str(out), "--workers", "1"]
    subprocess.run(command, cwd=TOP, check=True, timeout=300)
    with (out / "grades.csv").open(newline="") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
