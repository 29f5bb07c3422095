"""Tables of a run as text and Markdown, from its JSON."""

from __future__ import annotations

import statistics
from typing import Any

from benchmarks.library_comparison.size_sweep import crossovers
from benchmarks.library_comparison.systems import COMPILED, DONATED, EAGER, JAX, TORCH

BESIDE = (EAGER, TORCH, JAX, DONATED)
HEAD = ("workload", "system", "against", "measured", "from .. to", "floor", "met")


def _number(x: float) -> str:
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}" if x >= 0.1 else f"{x:.2g}"


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    bound = "" if row["bound"] is None else f"{'≤' if row['most'] else '≥'} {row['bound']:g}{row['unit']}"
    met = {None: "", True: "met", False: "NOT MET"}[row["met"]]
    spread = "" if row["least"] == row["largest"] else f"{_number(row['least'])} .. {_number(row['largest'])}"
    measured = "" if row["measured"] is None else f"{_number(row['measured'])}{row['unit']}"
    return (row["workload"], row["system"], row["against"], measured, spread, bound, met)


def table(lines: list[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """Columns as aligned text."""
    widths = [max(len(line[k]) for line in [head, *lines]) for k in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
                     for line in [head, tuple("-" * w for w in widths), *lines])  # fmt: skip


def markdown(lines: list[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """The same as a Markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ("---",) * len(head), *lines])


def _micro(times: list[float]) -> str:
    return f"{1e6 * statistics.median(times):,.1f}"


def _times(r: dict[str, Any]) -> list[tuple[str, ...]]:
    """The time of each system, fastest first, also in units of the compiled kit's time in the same run."""
    kit = r["times"].get(COMPILED)
    lines = []
    for system, spent in sorted(r["times"].items(), key=lambda item: statistics.median(item[1])):
        ratios = [a / b for a, b in zip(spent, kit, strict=True)] if kit and system != COMPILED else []
        middle = f"{_number(statistics.median(ratios))}×" if ratios else ""
        spread = f"{_number(min(ratios))} .. {_number(max(ratios))}" if ratios else ""
        away = f"{r['differs'][system]:.0e}" if system in r["differs"] else ""
        lines.append((r["key"], r["dtype"], system, _micro(spent), middle, spread, away))
    return lines


def _size(r: dict[str, Any]) -> tuple[str, ...]:
    kit = min(r["times"][COMPILED])
    others = [f"{_number(min(r['times'][name]) / kit)}×" if name in r["times"] else "" for name in BESIDE]
    return (r["key"], _micro(r["times"][COMPILED]), *others)


def sections(data: dict[str, Any]) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Title, head and lines of each table."""
    found = [("Measured results and targets", HEAD, [_cells(row) for row in data["rows"]])]
    head = ("workload", "dtype", "system", "µs", "÷ kit compiled", "from .. to", "differs by")
    found.append(("Microseconds per call, median of runs", head, [line for r in data["results"] for line in _times(r)]))
    head = ("workload", "time in units of the compiled kit")
    apart = [(key, f"{_number(statistics.median(r))}×") for key, r in data["tensorflow"].items()]
    found.append(("TensorFlow, in a process with the kit alone", head, apart))
    if data["growth"]:
        lines = [
            (program, stage, *(f"{1e6 * t:,.0f}" if (t := spent.get(str(n))) else "" for n in data["lengths"]))
            for program, stages in data["growth"].items()
            for stage, spent in stages.items()
        ]
        head = ("program", "stage", *(f"{n} nodes" for n in data["lengths"]))
        found.append(("m Microseconds by length of the tape", head, lines))
    if data["threads"]:
        lines = [
            (t["key"], t["system"], _micro(t["one"]), _micro(t["two"]), f"{min(t['one']) / min(t['two']):.2f}×")
            for t in data["threads"]
        ]
        head = ("workload", "system", "one thread, µs", "two threads, µs", "gain")
        found.append(("o Two threads", head, lines))
    if data["sizes"]:
        head = ("workload", "kit compiled, µs", *(f"{name} ÷ kit" for name in BESIDE))
        found.append(("s Many sizes", head, [_size(r) for r in data["sizes"]]))
    return [section for section in found if section[2]]


def notes(data: dict[str, Any]) -> list[str]:
    """Notes on failed systems, omitted parts, and the form that ran."""
    found = [f"{r['key']}: {name} did not run: {said}" for r in data["results"] for name, said in r["errors"].items()]
    found += [*crossovers(data["sizes"]), *data["notes"]]
    slow = [r["key"] for r in data["results"] if r["form"] and r["form"] != "kernels"]
    if slow:
        found.append(f"compiled, but running as NumPy calls: {', '.join(dict.fromkeys(slow))}")
    return found


def _heading(data: dict[str, Any]) -> str:
    facts = data["facts"]
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    quick = "QUICK: few and short runs, not a result.\n" if data["quick"] else ""
    return (
        f"{quick}{facts['processor']}, {facts['cores']} cores, {facts['threads']} thread(s); {facts['system']}; "
        f"load at the start {facts['load at the start']}\nPython {facts['python']}, {versions}, BLAS {facts['blas']}\n"
        f"Systems alternated in one process; minimum of each round, median of {data['runs']} runs, with the spread."
    )


def text(data: dict[str, Any]) -> str:
    """The whole report for a terminal."""
    parts = [_heading(data)]
    parts += [f"{title}\n{table(lines, head)}" for title, head, lines in sections(data)]
    counted = [row["met"] for row in data["rows"] if row["met"] is not None]
    parts += [f"{sum(counted)} of {len(counted)} targets are met."] if counted else []
    return "\n\n".join([*parts, "\n".join(notes(data))])


def page(data: dict[str, Any]) -> str:
    """The whole report as a page."""
    parts = ["# Benchmarks", "Made by `make bench`; nothing here is typed by hand.", _heading(data)]
    parts += [f"## {title}\n\n{markdown(lines, head)}" for title, head, lines in sections(data)]
    return "\n\n".join([*parts, *(f"- {note}" for note in notes(data))]) + "\n"
