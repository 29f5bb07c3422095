"""The JupyterLab versions that the built extension accepts: from the oldest supported one to the newest."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

LAB = Path(__file__).parents[2] / "autodiff_kit" / "lab"
# Of the packages whose numbers are not JupyterLab's own, what came with JupyterLab 4.4.
WITH_LAB_4_4 = {"@jupyterlab/apputils": (4, 5), "@jupyterlab/coreutils": (6, 4), "@jupyterlab/services": (7, 4)}
SOURCE: dict[str, Any] = json.loads((LAB / "package.json").read_text(encoding="utf-8"))
RANGES = {name: text for name, text in SOURCE["dependencies"].items() if name.startswith("@jupyterlab/")}


@pytest.mark.parametrize("name", RANGES)
def test_a_range_admits_jupyterlab_4_4_and_what_follows_it(name: str) -> None:
    """An exact number, or a range from a later version, makes `jupyter labextension list` say "not compatible"."""
    caret = re.fullmatch(r"\^(\d+)\.(\d+)\.0", RANGES[name])
    assert caret, f"{name} {RANGES[name]}: a range of one major version, ^4.4.0"
    oldest = WITH_LAB_4_4.get(name, (4, 4))
    assert int(caret[1]) == oldest[0]
    assert int(caret[2]) <= oldest[1]
    locked = json.loads((LAB / "package-lock.json").read_text())["packages"][f"node_modules/{name}"]["version"]
    major, minor, _ = map(int, locked.split("."))
    assert (major, minor) >= oldest, "built against what is admitted"
    assert major == oldest[0]


def test_nothing_of_jupyterlab_is_exact() -> None:
    texts = {**SOURCE["devDependencies"], **SOURCE["overrides"]}
    exact = {name: text for name, text in texts.items() if name.startswith("@jupyter") and text[0] not in "^~"}
    assert exact == {}


def test_the_page_is_asked_for_the_same_ranges() -> None:
    """Where they are not named the builder asks for its own version, and an older JupyterLab warns in the console."""
    shared = SOURCE["jupyterlab"]["sharedPackages"]
    assert {name: about["requiredVersion"] for name, about in shared.items()} == RANGES
    [entry] = (LAB / "labextension" / "static").glob("remoteEntry.*.js")
    asked = re.findall(r'shareKey:"(@jupyterlab/[^"]+)",[^}]*?requiredVersion:"([^"]+)"', entry.read_text("utf-8"))
    assert asked
    assert [(name, text) for name, text in asked if RANGES[name] != text] == []


@pytest.mark.parametrize("part", ["dependencies", "overrides"])
def test_what_was_built_names_the_same_versions(part: str) -> None:
    built = json.loads((LAB / "labextension" / "package.json").read_text(encoding="utf-8"))
    assert built[part] == SOURCE[part], "build the extension again: make extension"


def test_what_was_built_shares_the_same_versions() -> None:
    built = json.loads((LAB / "labextension" / "package.json").read_text(encoding="utf-8"))
    assert built["jupyterlab"]["sharedPackages"] == SOURCE["jupyterlab"]["sharedPackages"]
