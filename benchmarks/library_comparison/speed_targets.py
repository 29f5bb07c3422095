"""Speed targets: agreed ratios to other libraries and machine limits, and whether they are met."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from benchmarks.library_comparison.harness import Result
from benchmarks.library_comparison.systems import (
    COMPILED,
    DONATED,
    EAGER,
    HAND,
    HELD,
    JAX,
    PRODUCTS,
    TORCH,
    TORCH_COMPILE,
    TRACED,
)
from benchmarks.library_comparison.workloads import TITLES
from benchmarks.library_comparison.workloads.attention import SDPA
from benchmarks.library_comparison.workloads.chains import COPY
from benchmarks.library_comparison.workloads.derivatives import WRITES
from benchmarks.library_comparison.workloads.linear_algebra import FORWARD_MODE
from benchmarks.library_comparison.workloads.logistic import READS
from benchmarks.library_comparison.workloads.loops import NATIVE_GRU
from benchmarks.library_comparison.workloads.models import CHANNELS_LAST
from benchmarks.library_comparison.workloads.networks import FUSED, STREAM
from benchmarks.library_comparison.workloads.normalization import NATIVE_NORM
from benchmarks.library_comparison.workloads.recurrent import NATIVE
from benchmarks.library_comparison.workloads.tables import SPARSE

COLD = "cold"


@dataclass(frozen=True)
class Floor:
    """One target: how many times as fast as another library, or at most how many times as long as a limit."""

    key: str
    system: str
    against: str
    bound: float
    most: bool = False  # True: at most this ratio to a limit; False: at least this ratio to another library


def _peer(key: str, *pairs: tuple[str, float], system: str = COMPILED) -> list[Floor]:
    return [Floor(key, system, against, bound) for against, bound in pairs]


def _limit(key: str, against: str, bound: float, system: str = COMPILED) -> list[Floor]:
    return [Floor(key, system, against, bound, most=True)]


def _ahead(*keys: str, also: tuple[str, ...] = ()) -> list[Floor]:
    """Steps of training that are to be ahead of PyTorch in each of its ways, and of JAX with donated parameters."""
    peers = [(name, 1.0) for name in (TORCH, FUSED, TRACED, TORCH_COMPILE, *also, DONATED)]
    return [floor for key in keys for floor in _peer(key, *peers)]


def _variants(*keys: str) -> list[Floor]:
    """Gradients that are to be ahead of PyTorch without Python between its operations too."""
    return [floor for key in keys for floor in _peer(key, (TRACED, 1.0), (TORCH_COMPILE, 1.0))]


FLOORS = [
    *_peer("a", (TORCH, 10), system=EAGER),
    *_peer("a", (TORCH, 450), (JAX, 5)),
    *_peer("b_mix_1e3", (TORCH, 40), (JAX, 13)),
    *_peer("b_mix_1e5", (TORCH, 6), (JAX, 11)),
    *_peer("b_mix_1e7", (TORCH, 22), (JAX, 13)),
    *_limit("b_mix_1e7", COPY, 8.5),
    *_peer("b_cheap_1e3", (TORCH, 190), (JAX, 22)),
    *_peer("b_cheap_1e5", (TORCH, 50), (JAX, 5.5)),
    *_peer("b_cheap_1e7", (TORCH, 120), (JAX, 11)),
    *_limit("b_cheap_1e7", COPY, 1.6),
    *_peer("c_small", (TORCH, 7), system=EAGER),
    *_peer("c_small", (TORCH, 20.5), (FUSED, 11), (DONATED, 3.7)),
    *_limit("c_small", PRODUCTS, 1.4),
    *_peer("c_big", (TORCH, 1.7), (FUSED, 1.3), (DONATED, 1.13)),
    *_limit("c_big", PRODUCTS, 1.2),
    *_peer("d", (TORCH, 2.3), (SDPA, 1.5), (JAX, 1.36)),
    *_limit("d", PRODUCTS, 1.45),
    *_peer("e_sum", (TORCH, 5), (JAX, 2.1)),
    *_limit("e_sum", COPY, 1.9),
    *_peer("e_sum", (TORCH, 3.5), (JAX, 1.5), system=HELD),
    *_limit("e_sum", COPY, 2.7, system=HELD),
    *_peer("f_jacobian", (TORCH, 8), (JAX, 1.6)),
    *_limit("f_jacobian", HAND, 1.0),
    *_peer("f_jvp", (TORCH, 58), (JAX, 2.6)),
    *_peer("f_hvp", (TORCH, 30), system=EAGER),
    *_peer("f_hvp", (TORCH, 92), (JAX, 1.6)),
    *_peer("g", (TORCH, 6.7), (JAX, 3.5)),
    *_limit("g", WRITES, 1.6),
    *_peer("h", (TORCH, 3.8), (FUSED, 1.15), (DONATED, 1.9)),
    *_limit("h", STREAM, 1.45),
    *_peer("j_small", (TORCH, 2.0), (JAX, 1.5)),
    *_peer("j_big", (TORCH, 1.1), (JAX, 1.2)),
    *_limit("j_big", PRODUCTS, 1.3),
    *_peer("k_small", (TORCH, 6.5), (NATIVE, 1.0), (JAX, 1.35)),
    *_peer("k_big", (TORCH, 3.6), (JAX, 1.06)),
    *_peer("l", (TORCH, 1.5), (JAX, 1.2)),
    *_limit("l", READS, 1.3),
    *_variants("a", *(f"b_{kind}_{n}" for kind in ("mix", "cheap") for n in ("1e3", "1e5", "1e7")), "d", "e_sum"),
    *_variants("e_mean_sorted", "j_small", "j_big", "k_small", "k_big", "l"),
    *_peer("c_small", (TORCH_COMPILE, 1.0)),
    *_peer("c_big", (TORCH_COMPILE, 1.0)),
    *_peer("g", (TORCH_COMPILE, 1.0)),
    *_ahead("einsum_4", "einsum_5", "cholesky_50", "cholesky_500", "solve_50", "solve_500", "head"),
    *_ahead("scan_max", "scan_logsumexp", "scan_ode", "gpt"),
    *_ahead("norm", also=(NATIVE_NORM,)),
    *_ahead("rows", also=(SPARSE,)),
    *_ahead("scan_gru", also=(NATIVE_GRU,)),
    *_ahead("cnn", also=(CHANNELS_LAST,)),
    *_peer("newton", (TORCH, 1), (FORWARD_MODE, 1), (DONATED, 1)),
    *_peer("fit", (TORCH, 1), (FORWARD_MODE, 1), (JAX, 1)),
    *_peer(COLD, (TORCH, 8), (JAX, 4), system=EAGER),
]
COLD_SECONDS = 0.15
STRAIGHT = 1.1
"""The largest slope of a straight line on a log-log scale."""
MEMORY, MEMORY_FROM = 1.05, 4096
THREADS = 1.05
"""The largest slowdown of a workload by two threads."""


@dataclass
class Row:
    """One measured line of the table; without numbers if a library is missing."""

    workload: str
    system: str
    against: str
    measured: float | None = None
    least: float | None = None
    largest: float | None = None
    bound: float | None = None
    most: bool = False
    unit: str = "×"

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target or without a measurement."""
        if self.bound is None or self.measured is None:
            return None
        return self.measured <= self.bound if self.most else self.measured >= self.bound


def ratios(above: list[float], below: list[float]) -> tuple[float, float, float]:
    """Median, smallest and largest of the ratios of runs."""
    found = [a / b for a, b in zip(above, below, strict=True)]
    return statistics.median(found), min(found), max(found)


def rows(results: list[Result]) -> list[Row]:
    """The lines of all targets that were measured; repeated workloads in float64 have lines without a target."""
    found = []
    for result in results:
        for floor in [floor for floor in FLOORS if floor.key == result.key]:
            kit, other = result.times.get(floor.system), result.times.get(floor.against)
            row = Row(name_of(result), floor.system, floor.against, most=floor.most)
            row.bound = floor.bound if result.main else None
            if kit and other:
                row.measured, row.least, row.largest = ratios(kit, other) if floor.most else ratios(other, kit)
            found.append(row)
    return found


def memory(results: list[Result]) -> list[Row]:
    """The memory of each plan in units of the memory that it needs."""
    found = []
    for result in results:
        plan = result.memory
        if plan and plan["need"] > MEMORY_FROM:
            ratio = plan["peak"] / plan["need"]
            found.append(
                Row(f"n {name_of(result)}", COMPILED, f"need of {plan['need']:,} B", *3 * (ratio,), MEMORY, True)
            )
    return found


def name_of(result: Result) -> str:
    """A workload's letter and title."""
    if result.key not in TITLES:
        return "cold start: import and first gradient"
    name = title(result.key)
    return name if result.main else f"p {name}, float64"


def title(key: str) -> str:
    """The same by its key alone."""
    return f"{key.split('_', maxsplit=1)[0]} {TITLES[key]}"


def as_dict(row: Row) -> dict[str, Any]:
    """A row for JSON."""
    return {**vars(row), "met": row.met}
