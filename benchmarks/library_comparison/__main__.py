"""``python -m benchmarks.library_comparison``: measure, print the tables, write JSON, charts and a page."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.library_comparison import machine

PARTS = """cold (cold start), m (growth with the length of the tape), n (memory of plans), o (two threads), p (float64),
and s (many sizes)"""


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.library_comparison", description=__doc__)
    parser.add_argument("--only", metavar="C,D", help=f"workloads by letter or key (c, c_big), and {PARTS}")
    parser.add_argument("--quick", action="store_true", help="short runs that only test the benchmark itself")
    parser.add_argument("--peers", metavar="NAMES", help="only these libraries")
    parser.add_argument("--without", metavar="NAMES", default="", help="libraries to omit: torch, jax, tensorflow, ...")
    parser.add_argument("--with", dest="extras", metavar="NAMES", default="", help="slow to start: torch.compile")
    parser.add_argument("--runs", type=int, help="default: 5, or fewer with --quick")
    parser.add_argument("--seconds", type=float, help="time for each system in each run")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="output file for the numbers")
    parser.add_argument("--charts", type=Path, metavar="FOLDER", help="output folder for speeds.svg and lengths.svg")
    parser.add_argument("--page", type=Path, metavar="FILE", help="output file for the tables in Markdown")
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE", help="show a JSON file without measuring")
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)  # for child processes
    options = parser.parse_args()
    options.runs = options.runs or (2 if options.quick else 5)
    options.seconds = options.seconds or (0.05 if options.quick else 0.3)
    return options


def main() -> int:
    """Measure and print the results."""
    options = arguments()
    machine.hold(options.threads)  # before NumPy is imported
    from benchmarks.library_comparison import report
    from benchmarks.library_comparison.session import Session

    data = Session(options).measured() if options.source is None else json.loads(options.source.read_text("utf-8"))
    if options.plain:
        return 0
    print(report.text(data))
    if options.page is not None:
        options.page.write_text(report.page(data), encoding="utf-8")
    if options.charts is not None:
        _draw(data, options.charts)
    return 0


def _draw(data: dict[str, Any], folder: Path) -> None:
    from benchmarks.library_comparison import chart

    folder.mkdir(parents=True, exist_ok=True)
    if data["results"]:
        chart.speeds(data, folder / "speeds.svg")
    if data["growth"]:
        chart.lengths(data, folder / "lengths.svg")


if __name__ == "__main__":
    start = time.perf_counter()
    code = main()
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    sys.exit(code)
