"""Size sweep: the same workloads in many sizes, and where another library becomes faster."""

from __future__ import annotations

from typing import Any, cast

from benchmarks.library_comparison.harness import Build, Result, Timing, measured
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import COMPILED, DONATED, JAX, TORCH
from benchmarks.library_comparison.workloads import adam, attention, chains, logistic, networks, recurrent, segments

FAMILIES: dict[str, tuple[str, tuple[int, ...], Any]] = {
    "b mix": ("entries", (10, 100, 1000, 10_000, 100_000, 1_000_000), chains.mix),
    "b cheap": ("entries", (10, 100, 1000, 10_000, 100_000, 1_000_000), chains.cheap),
    "c": ("wide, batch 32, Adam", (8, 16, 32, 64, 128, 256, 512), lambda w: networks.training((w, w, w, 10), 32)),
    "d": ("positions", (8, 16, 32, 64, 128, 256), lambda t: attention.attention(2, 4, t, 32)),
    "e": ("rows", (1000, 10_000, 100_000, 1_000_000), lambda n: segments.segments(n, 16, max(n // 100, 1))),
    "h": ("parameters", (100, 10_000, 100_000, 1_000_000, 4_000_000), adam.adam),
    "j": ("wide, 4 x 32 positions", (16, 32, 64, 128, 256), lambda d: attention.block(4, 32, d, 4)),
    "k": ("wide, 32 steps, batch 16", (16, 32, 64, 128), lambda h: recurrent.lstm(32, 16, h, h)),
    "l": ("rows of 100", (100, 1000, 10_000, 100_000), lambda n: logistic.logistic(n, 100)),
}


def sizes(s: Setting, timing: Timing, notes: list[str]) -> list[Result]:
    """Every family at every size; a size that cannot be timed is noted, and the others continue."""
    found = []
    for family, (unit, many, build) in FAMILIES.items():
        for size in many:
            key, made = f"{family} | {size:,} {unit}", cast("Build", build(size))
            try:
                found.append(measured(key, s, timing, main=False, build=made))
            except Exception as error:  # noqa: BLE001 - one size of many
                notes.append(f"{key} was not timed: {type(error).__name__}: {error}")
    return found


def crossovers(results: list[dict[str, Any]]) -> list[str]:
    """For each family and peer, the sizes at which the peer is ahead of the compiled kit."""
    behind: dict[tuple[str, str], list[str]] = {}
    for r in results:
        family, size = r["key"].split(" | ")
        for peer in (TORCH, JAX, DONATED):
            if peer in r["times"] and COMPILED in r["times"]:
                slower = min(r["times"][peer]) < min(r["times"][COMPILED])
                behind.setdefault((family, peer), []).extend([size] if slower else [])
    lines = []
    for (family, peer), at in behind.items():
        where = f"ahead at {'; '.join(at)}" if at else "behind at every size"
        lines.append(f"{family}: {peer} is {where}")
    return lines
