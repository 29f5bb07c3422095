"""nbgrader and otter, in the environment that ``make test-all`` creates for them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.commands import build_exercise
from autodiff_kit.author.master_notebook import parse_master
from autodiff_kit.exercises.questions import LESSONS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HOME = Path(os.environ.get("AUTODIFF_KIT_INTEROP", ROOT / ".venv-interop"))
NO = "01"
HALF = "import numpy as np\n\n\ndef jacobian(n, m, push, pull):\n    return np.stack([pull(e) for e in np.eye(m)])\n"


def pytest_collection_modifyitems(items):
    missing = pytest.mark.skip(reason="nbgrader and otter are not installed: make test-all installs them")
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.slow)
            if not (HOME / "bin" / "nbgrader").exists():
                item.add_marker(missing)


@pytest.fixture(scope="session")
def tool():
    """Run a program of that environment, and return its output."""

    def run(*words, cwd, env=None):
        path = os.pathsep.join([str(HOME / "bin"), os.environ["PATH"]])
        settings = {**os.environ, "PATH": path, "VIRTUAL_ENV": str(HOME), "JUPYTER_PREFER_ENV_PATH": "1", **(env or {})}
        for name in ("PYTHONPATH", "JUPYTER_PATH"):
            settings.pop(name, None)
        done = subprocess.run(
            [str(HOME / "bin" / words[0]), *words[1:]], cwd=cwd, env=settings, capture_output=True, text=True,
            timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout + done.stderr

    return run


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """All files that are built from the master of lesson 01's exercise."""
    out = tmp_path_factory.mktemp("course")
    build_exercise(parse_master(builtin_master(LESSONS[NO])), out, ("release", "course", "otter"))
    return out


@pytest.fixture(scope="session")
def submissions(built):
    """The submissions of three honest learners: all right; three right and one half right; nothing."""
    lesson = LESSONS[NO]
    release = (built / "release" / f"{lesson.slug}.ipynb").read_text(encoding="utf-8")
    right = {question.id: question.solution for question in lesson.questions}
    some = {**dict(list(right.items())[:3]), "jvp-4": HALF}

    def notebook(answers):
        made = json.loads(release)
        for cell in made["cells"]:
            if cell["id"] in answers:
                cell["source"] = answers[cell["id"]].splitlines(keepends=True)
        return json.dumps(made)

    return {"ada": notebook(right), "bob": notebook(some), "cyd": notebook({})}


SCORES = {
    "ada": {"jvp-1": 3, "jvp-2": 2, "jvp-3": 3, "jvp-4": 2, "jvp-5": 3, "jvp-6": 3},
    "bob": {"jvp-1": 3, "jvp-2": 2, "jvp-3": 3, "jvp-4": 1, "jvp-5": 0, "jvp-6": 0},
    "cyd": {"jvp-1": 0, "jvp-2": 0, "jvp-3": 0, "jvp-4": 0, "jvp-5": 0, "jvp-6": 0},
}


@pytest.fixture
def scores():
    return SCORES
