"""Settings for every test: no learner's folder, no user settings, and the path of the browser."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

# Set before any kernel or plotting library starts: paths and back ends must not depend on the machine.
os.environ["MPLBACKEND"] = "agg"
# No test, and no doctest of the package, reads or writes the working folder of the user.
for name in ("AUTODIFF_KIT_DIR", "AUTODIFF_KIT_LEARNER"):
    os.environ.pop(name, None)
os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
# Packages that the processes of the tests do without; pyproject.toml says the same for this one.
WITHOUT = str(Path(__file__).with_name("without"))
os.environ["PYTHONPATH"] = os.pathsep.join([WITHOUT, *filter(None, [os.environ.get("PYTHONPATH")])])
# Thousands of tests are collected first, and none of them is garbage: the collector is enabled again
# in `pytest_collection_finish`.
gc.disable()

# Scripts, not tests: doctest would import them, but they need their own environment, or import what nobody else does.
collect_ignore_glob = ["binder/replay.py", "compile/composed_in_jax.py", "notebooks/save_executed.py"]
# Programs of other libraries: broken and sound ones, which the tests beside them run.
collect_ignore_glob += ["recorders/broken/*", "recorders/sound/*", "recorders/jax_programs/*", "recorders/corpus.py"]

# Files whose tests share no fixture that is slow to start: workers get their tests one by one.
ONE_BY_ONE = (
    "tests/notebooks/test_nbval.py", "tests/author/test_validate.py", "tests/author/test_mutation.py",
    "tests/compile/test_random.py", "tests/compile/test_composed.py",
)  # fmt: skip
# Folders that share a fixture that takes seconds to start, such as a JupyterLab: one worker gets the whole folder.
AT_ONCE = ("tests/interop/", "tests/ui/panels/", "tests/ui/lab/")
# Long files come first, so that no worker is left with one when the others have ended.
FIRST = (
    "tests/author/test_mutation.py", "tests/interop/", "tests/ui/walk/", "tests/ui/panels/", "tests/ui/lab/",
    "tests/notebooks/test_nbval.py", "tests/grade/", "tests/wasm/", "tests/site/", "tests/ui/", "tests/lab/",
    "tests/compile/", "tests/core/test_long.py", "tests/nn/test_models.py", "tests/optim/", "tests/test_",
    "tests/behaviours/",
)  # fmt: skip

CHROMIUM = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FIREFOX = ("firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also run the tests marked slow, with every seed and case")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    no_browser = browser() is None
    if not config.getoption("--all"):  # not skipped, which would be reported thousands of times
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    for item in items:
        # In CI a missing browser is a failure: the tests run, and fail with the launcher's message.
        if "browser" in item.keywords and no_browser and not in_ci():
            item.add_marker(pytest.mark.skip(reason="no Chromium on PATH; install chromium, or set CHROMIUM"))


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Distribute whole files, whose server starts once, or whole folders to workers; slow lessons one by one.

    Test by test, the controller itself would be the slowest part, because it counts all tests of a worker each time.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        folder = next((one for one in AT_ONCE if file.startswith(one)), None)
        return folder or (nodeid if file in ONE_BY_ONE else file)

    def _assign_work_unit(self, node: Any) -> None:
        if self.workqueue and not any(self.assigned_work.values()):  # no work has been assigned yet
            self.workqueue = OrderedDict(sorted(self.workqueue.items(), key=self._rank))
        # A worker that crashed gives back what it had, also files that are done. A worker that gets one of these has
        # nothing to report, and would wait for ever.
        self.workqueue = OrderedDict(
            (scope, tests) for scope, tests in self.workqueue.items() if not all(tests.values())
        )
        if self.workqueue:
            super()._assign_work_unit(node)
        else:
            node.shutdown()

    @staticmethod
    def _rank(unit: tuple[str, dict[str, bool]]) -> tuple[int, int]:
        scope, tests = unit
        return next((k for k, one in enumerate(FIRST) if scope.startswith(one)), len(FIRST)), -len(tests)

    def mark_test_pending(self, item: str) -> None:
        """A test whose worker crashed is still the next of its file, which another worker takes over."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    return ByFile(config, log)


def pytest_collection_finish() -> None:
    """Tests that count live objects, or wait for the garbage collector, need not walk over all collected tests."""
    gc.collect()
    gc.freeze()
    gc.enable()


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def browser(variable: str = "CHROMIUM", usual: tuple[str, ...] = CHROMIUM) -> str | None:
    """Return the path of a browser: an environment variable, otherwise the first found in the usual places."""
    named = os.environ.get(variable, "")
    return named or next((path for name in usual if (path := shutil.which(name))), None)


@pytest.fixture(autouse=True)
def _nothing_in_the_background(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compilers change warning filters in a thread, and the filters belong to the whole process."""
    from autodiff_kit import kernels
    from autodiff_kit.compile.run import execution_plan

    if "background" not in request.node.name:
        monkeypatch.setattr(kernels, "COMPILE_AFTER_REQUESTS", 1_000_000_000)
        monkeypatch.setattr(execution_plan, "COMPILE_AFTER_CALLS", 1_000_000_000)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser; a test that uses this fixture is marked ``browser``."""
    path = browser()
    assert path, "CI needs Chromium: .ci/run installs Debian's package; elsewhere set CHROMIUM to its path"
    return path


@pytest.fixture(scope="session")
def firefox() -> str:
    """Path of a Firefox; some stories are tried in it as well."""
    path = browser("FIREFOX", FIREFOX)
    if not path and not in_ci():
        pytest.skip("no Firefox on PATH; install firefox-esr, or set FIREFOX")
    assert path, "in CI `make test-all` needs Firefox: install firefox-esr, or set FIREFOX to its path"
    return path


@pytest.fixture(scope="session")
def every_case(request: pytest.FixtureRequest) -> bool:
    """Whether this is `make test-all`, in which a test draws every seed instead of a sample."""
    return bool(request.config.getoption("--all"))


@pytest.fixture(scope="session")
def _kept_graders() -> Iterator[Any]:
    from autodiff_kit.grade.graders import GraderPool

    class Kept(GraderPool):
        def close(self) -> None:
            """Nothing is ended before the worker ends."""

    pool = Kept()
    yield pool
    GraderPool.close(pool)


@pytest.fixture
def lent_graders(_kept_graders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of this process take the worker's grader's processes: new ones take seconds to import NumPy."""
    from autodiff_kit.grade import batch, graders, gradescope

    for module in (batch, graders, gradescope):
        monkeypatch.setattr(module, "GRADERS", _kept_graders)


@dataclass(frozen=True)
class Kernels:
    """How Jupyter starts a Python kernel: the command, and the environment variables that a process needs to use it."""

    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="session")
def warm_kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernels]:
    """Kernels that are forked from one process of this worker, see `warm_kernels.py`; on macOS ordinary kernels."""
    if sys.platform != "linux":  # system libraries of macOS do not support a fork
        yield Kernels([sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"])
        return
    script, home = str(Path(__file__).with_name("warm_kernels.py")), tmp_path_factory.mktemp("warm")
    command = [sys.executable, "-I", "-S", script, "run", str(home / "socket"), "{connection_file}"]
    specification = home / "kernels" / "python3" / "kernel.json"
    specification.parent.mkdir(parents=True)
    about = {"argv": command, "display_name": "Python 3 (ipykernel)", "language": "python"}
    specification.write_text(json.dumps({**about, "metadata": {"debugger": True}}), encoding="utf-8")
    serve = [sys.executable, script, "serve", str(home / "socket")]
    with subprocess.Popen(serve, stdin=subprocess.PIPE) as server:
        until = time.monotonic() + 120
        while not (home / "socket").exists():
            assert server.poll() is None, "the process that kernels are forked from has ended"
            assert time.monotonic() < until, "the process that kernels are forked from did not begin"
            time.sleep(0.02)
        yield Kernels(command, {"JUPYTER_PATH": str(home)})
        server.communicate()  # closes its input, which ends it and its kernels
