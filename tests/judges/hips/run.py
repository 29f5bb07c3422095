"""Run HIPS autograd's own tests, version 1.9.1, against the kit through the shim next to this file.

python tests/judges/hips/run.py [--json FILE] [pytest arguments]

The tests come from the package index, in the source distribution; they are not part of this project. They run in a
separate process, in which a package named ``autograd`` is the shim.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "1.9.1"
SHA256 = "7818c5c69ddf9efb7da74097bd741a4c7920133f41966f68537223a15ef798bc"


def fetch(folder: Path) -> Path:
    """The folder of tests from the source distribution, which must be the pinned one."""
    call = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", folder]
    subprocess.run([*map(str, call), f"autograd=={VERSION}"], check=True, timeout=300)
    archive = folder / f"autograd-{VERSION}.tar.gz"
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{archive.name} is not the file that this judge was written for")
    with tarfile.open(archive) as tar:
        members = [m for m in tar.getmembers() if m.name.startswith(f"autograd-{VERSION}/tests/")]
        tar.extractall(folder, members, filter="data")
    return folder / f"autograd-{VERSION}" / "tests"


def judge(arguments: list[str]) -> dict[str, list[str]]:
    """Names of the tests by their outcome."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tests, report = fetch(folder), folder / "report.xml"
        path = os.pathsep.join([str(HERE / "shim"), str(HERE.parents[2]), str(tests)])
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--continue-on-collection-errors", "-n", "2"]
        command = [sys.executable, "-m", "pytest", str(tests), "-c", os.devnull, "--rootdir", str(tests), *options]
        command += [f"--junitxml={report}", *arguments]
        subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, check=False, timeout=1800, cwd=folder)
        return sorted_by_outcome(ET.parse(report).getroot())


def sorted_by_outcome(root: ET.Element) -> dict[str, list[str]]:
    """The outcomes in pytest's report, as lists of names."""
    found: dict[str, list[str]] = {"passed": [], "failed": [], "skipped": []}
    for case in root.iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        name = case.get("name", "")
        found[outcome].append(f"{case.get('classname', '').split('.')[-1]}::{name}" if case.get("classname") else name)
    return {outcome: sorted(names) for outcome, names in found.items()}


def expected() -> set[str]:
    """Tests that cannot pass, grouped by the reason."""
    lines = (HERE / "skips.txt").read_text().splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def main() -> None:
    """Print the counts and the unexpected failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options, rest = parser.parse_known_args()
    found = judge(rest)
    surprises = sorted(set(found["failed"]) - expected())
    if options.json:
        options.json.write_text(json.dumps(found | {"surprises": surprises}, indent=1))
    print({outcome: len(names) for outcome, names in found.items()}, "unexpected:", surprises)


if __name__ == "__main__":
    main()
