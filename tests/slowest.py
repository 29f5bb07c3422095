"""The slowest fifty tests as a table: ``python tests/slowest.py build/tests.xml tests/slowest.md``.

The report is the one that `make test` writes; a test's time is the sum of its set-up, its call and its teardown.
"""

from __future__ import annotations

import os
import platform
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

MOST = 50


def table(report: Path) -> str:
    """The slowest tests and files of a report, as Markdown."""
    suite = next(ET.parse(report).getroot().iter("testsuite"))
    tests: list[tuple[float, str, str]] = []
    files: Counter[str] = Counter()
    for case in suite.iter("testcase"):
        if case.find("skipped") is None:
            seconds, file = float(case.get("time", 0)), case.get("classname", "")
            tests.append((seconds, file, case.get("name", "")))
            files[file] += seconds
    tests.sort(reverse=True)
    about = (
        f"Written by `make slowest` from the report of a `make test` on {suite.get('timestamp', '')[:10]}: "
        f"{len(tests)} tests, {sum(files.values()):.0f} seconds in tests, {float(suite.get('time', 0)):.0f} seconds of "
        f"the clock; {platform.system()} on {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}."
    )
    slowest = [(f"{seconds:.1f}", f"{file}::{_shown(name)}") for seconds, file, name in tests[:MOST]]
    longest = [(f"{seconds:.1f}", file) for file, seconds in files.most_common(20)]
    parts = ["# The slowest fifty tests", about, _rows("test", slowest), "## The slowest files", _rows("file", longest)]
    return "\n\n".join(parts) + "\n"


def _rows(what: str, found: list[tuple[str, str]]) -> str:
    """A table of seconds and names."""
    return "\n".join([f"| seconds | {what} |", "|---:|---|", *(f"| {seconds} | `{name}` |" for seconds, name in found)])


def _shown(name: str) -> str:
    """A name shortened to a line of a table."""
    plain = name.replace("|", "/").replace("`", "'").replace("\n", " ")
    return plain if len(plain) <= 100 else plain[:99] + "…"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(table(Path(sys.argv[1])), encoding="utf-8")
