"""Charts: all systems relative to the compiled kit, and time over the length of the tape."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt

from benchmarks.library_comparison.systems import AUTOGRAD, COMPILED, EAGER, HAND, JAX, MYGRAD, TENSORFLOW, TORCH

KIT, LIMIT = "kit compiled", "the limit"
STYLES = {
    EAGER: ("s", "#7aa6d6"),
    TORCH: ("o", "#d1495b"),
    JAX: ("D", "#2e8b57"),
    AUTOGRAD: ("v", "#8d6cab"),
    MYGRAD: ("^", "#b98b2f"),
    TENSORFLOW: ("P", "#e08214"),
    HAND: ("x", "#555555"),
    LIMIT: ("|", "#000000"),
}
VARIANTS = {"PyTorch": "PyTorch, other ways", "JAX": "JAX donated"}


def speeds(data: dict[str, Any], path: Path) -> None:
    """The time of each system, in units of the compiled kit's time."""
    results = [r for r in data["results"] if COMPILED in r["times"] and r["main"]]
    fig, ax = plt.subplots(figsize=(9.5, 1.6 + 0.34 * len(results)), layout="constrained")
    seen: dict[str, Any] = {}
    for row, r in enumerate(results):
        ours = statistics.median(r["times"][COMPILED])
        for system, times in r["times"].items():
            if (name := _name(system)) is not None:
                seen[name] = _mark(ax, name, statistics.median(times) / ours, row)
        if ratios := data["tensorflow"].get(r["key"]):
            seen[TENSORFLOW] = _mark(ax, TENSORFLOW, statistics.median(ratios), row)
    seen[KIT] = ax.axvline(1, color="#1f4e9c", linewidth=2.5, zorder=2)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda ratio, _: f"{ratio:g}")
    ax.set_ylim(-0.6, len(results) - 0.4)
    ax.set_yticks(range(len(results)), [_label(r["key"]) for r in results])
    ax.invert_yaxis()
    quick = "; quick run, not a result" if data["quick"] else ""
    ax.set_xlabel(f"time of one call, compiled kit = 1 (further right: slower than the kit{quick})")
    ax.grid(axis="x", color="#dddddd")
    ax.spines[["top", "right"]].set_visible(False)
    order = [name for name in (KIT, *STYLES, *VARIANTS.values()) if name in seen]
    fig.legend([seen[name] for name in order], order, loc="outside upper center", ncols=4, frameon=False)
    fig.savefig(path, dpi=120)
    plt.close(fig)


def _mark(ax: Any, name: str, ratio: float, row: int) -> Any:
    shape, colour, filled = _style(name)
    if shape in "x|":
        return ax.scatter(ratio, row, marker=shape, s=110 if shape == "|" else 38, c=colour, linewidths=2, zorder=3)
    inside = colour if filled else "none"
    return ax.scatter(ratio, row, marker=shape, s=38, facecolors=inside, edgecolors=colour, linewidths=1.2, zorder=3)


def _name(system: str) -> str | None:
    if system.startswith("limit"):
        return LIMIT
    if system.startswith(COMPILED):
        return None
    return system if system in STYLES else next((v for k, v in VARIANTS.items() if system.startswith(k)), None)


def _style(name: str) -> tuple[str, str, bool]:
    """Marker, colour, and whether it is filled; a second way of the same library is not filled."""
    if name in STYLES:
        return *STYLES[name], True
    library = next(k for k, v in VARIANTS.items() if v == name)
    return *STYLES[library], False


def _label(key: str) -> str:
    return key.replace("_", " ")


def lengths(data: dict[str, Any], path: Path) -> None:
    """Time of each stage by length of the tape, with a straight line of slope 1."""
    programs = data["growth"]
    size = (1 + 3.6 * len(programs), 4.2)
    fig, axes = plt.subplots(1, len(programs), figsize=size, layout="constrained", sharey=True)
    for ax, (name, stages) in zip(axes, programs.items(), strict=True):
        for stage, times in stages.items():
            if times:
                ax.plot([int(n) for n in times], list(times.values()), marker="o", markersize=4, label=stage)
        low, high = min(data["lengths"]), max(data["lengths"])
        ax.plot([low, high], [1e-5 * low / 100, 1e-5 * high / 100], color="#aaaaaa", linestyle=":", label="slope 1")
        ax.set(xscale="log", yscale="log", xlabel="nodes", title=name)
        ax.grid(color="#eeeeee")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("seconds")
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside right center", frameon=False)
    fig.savefig(path, dpi=120)
    plt.close(fig)
