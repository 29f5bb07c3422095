"""What every test may rely on: no learner's folder, no forced settings, and where the browser is."""

from __future__ import annotations

import os
import shutil

import pytest

# Set before any kernel or plotting library starts: paths and back ends must not depend on the machine.
os.environ["MPLBACKEND"] = "agg"
# No test, and no doctest of the package, sees or writes into the folder of whoever runs it.
for name in ("AUTODIFF_KIT_DIR", "AUTODIFF_KIT_LEARNER"):
    os.environ.pop(name, None)
os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")

# Scripts, not tests: doctest would import them, and they need what only their own environment has.
collect_ignore_glob = ["bench/*.py", "binder/replay.py"]

CHROMIUM = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also run the tests marked slow, with every seed and case")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    no_browser = browser() is None
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    for item in items:
        if "slow" in item.keywords and not config.getoption("--all"):
            item.add_marker(pytest.mark.skip(reason="slow; `make test-all` runs it"))
        # In CI a missing browser is a failure: the tests run, and fail with the launcher's message.
        if "browser" in item.keywords and no_browser and not in_ci:
            item.add_marker(pytest.mark.skip(reason="no Chromium on PATH; install chromium, or set CHROMIUM"))


def browser() -> str | None:
    """Return the path of a Chromium: ``CHROMIUM``, else the first found in the usual places."""
    named = os.environ.get("CHROMIUM", "")
    return named or next((path for name in CHROMIUM if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser; a test that asks for it is marked ``browser``."""
    path = browser()
    assert path, "CI needs Chromium: .ci/run installs Debian's package; elsewhere set CHROMIUM to its path"
    return path


@pytest.fixture(scope="session")
def every_case(request: pytest.FixtureRequest) -> bool:
    """Whether this is `make test-all`: then a test draws every seed instead of a sample."""
    return bool(request.config.getoption("--all"))
