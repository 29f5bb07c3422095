"""What each part of the compiler is worth: compiled rows of the benchmark without it, in turns with the whole compiler.

``python -m benchmarks.compiler_parts [--parts "sums joined; native loops"] [--only KEYS] [--turns 3] [--json FILE]``

A part is switched off in a process of its own, which then runs rows of the table; another process runs them with
everything, and the two take turns. What counts is the processor's time of a call, the least of many, since other
processes on the machine add nothing to it. Each part is tried on the rows on which it could matter; ``--only`` names
others.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
SECONDS = 0.4  # of each row in each turn
TOP = Path(__file__).resolve().parents[1]

CHEAP = ("a", "b_mix_1e5", "b_cheap_1e3", "b_cheap_1e5", "c_small", "c_big", "d", "f_jacobian", "f_jvp", "f_hvp", "g")
STEPS = ("h", "j_small", "k_small", "l", "gpt", "cnn")
NEW = ("einsum_4", "cholesky_50", "cholesky_500", "solve_50", "newton", "fit", "norm", "head", "rows")
LOOPS = ("scan_max", "scan_logsumexp", "scan_gru", "scan_ode")


def _replace(module: str, name: str, value: Any) -> Callable[[], None]:
    """What sets a name of a module, or of a class in it."""

    def switch_off() -> None:
        import importlib

        where, _, inside = module.partition(":")
        owner: Any = importlib.import_module(f"autodiff_kit.compile.{where}")
        owner = getattr(owner, inside) if inside else owner
        getattr(owner, name)  # a part that was renamed is an error
        setattr(owner, name, value)

    return switch_off


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _both(one: Callable[[], None], other: Callable[[], None]) -> Callable[[], None]:
    def switch_off() -> None:
        one()
        other()

    return switch_off


def _no_equal_nodes() -> None:
    """Each node that is asked for is a new one, but for constants, which the passes tell apart by identity."""
    from autodiff_kit.compile.graph import ComputationGraph

    add = ComputationGraph.add
    ComputationGraph.add = lambda self, node, key=None: add(self, node, key if node.op == "const" else None)  # type: ignore[method-assign,misc]


def _no_row_axes() -> None:
    from autodiff_kit.compile.passes import fusion

    merged = fusion._merged_row_axes
    fusion._merged_row_axes = lambda a, b: None if merged(a, b) else merged(a, b)


def _no_sharing_of_memory() -> None:
    from autodiff_kit.compile.passes import memory_plan

    def one_after_the_other(sizes: list[int], _: Any) -> list[int]:
        return [sum(sizes[:k]) for k in range(len(sizes))]

    memory_plan.pack_offsets = one_after_the_other


def _no_in_place_updates() -> None:
    from autodiff_kit.compile.run.kernel_plan import KernelPlan

    KernelPlan._find_in_place_updates = lambda *_: {}  # type: ignore[method-assign]


PARTS: dict[str, tuple[Callable[[], None], tuple[str, ...]]] = {
    "nothing": (lambda: None, (*CHEAP, *STEPS, *NEW, *LOOPS)),
    "equal nodes met": (_no_equal_nodes, (*CHEAP, *STEPS, *NEW, *LOOPS)),
    "groups of several nodes": (
        _replace("passes.fusion:_FusionBuilder", "_try_to_merge", lambda _, a, b, node: b),
        (*CHEAP, *STEPS, "norm", "head", *LOOPS),
    ),
    "rows inside kernels": (
        _no_row_axes,
        ("d", "c_small", "j_small", "norm", "head", "scan_max", "scan_logsumexp", "gpt"),
    ),
    "memory used again": (_no_sharing_of_memory, (*CHEAP, *STEPS, "norm", "head", "cholesky_500")),
    "results over operands": (
        _replace("passes.memory_plan:MemoryPlan", "_reuse_dying_inputs", _always(None)),
        (*CHEAP, *STEPS, "norm", "head"),
    ),
    "variables updated in place": (_no_in_place_updates, ("c_small", "c_big", "h", "rows", "gpt")),
    "updates computed on demand": (
        _replace("run.kernel_plan", "_lazy_update", _always(None)),
        ("c_small", "c_big", "h", "gpt"),
    ),
    "sums joined": (
        _replace("graph:ComputationGraph", "_joined_pads", lambda *_: None),
        ("k_small", "einsum_4", "fit", "g", "newton", "gpt"),
    ),
    "products turned round": (
        _replace("graph", "last_axes_swapped", _always(())),
        ("g", "head", "cholesky_500", "scan_max", "scan_logsumexp", "gpt"),
    ),
    "programs of single numbers": (
        _replace("run.scalar_program", "is_scalar_graph", _always(False)),
        ("a", "fit", "newton"),
    ),
    "native loops": (_replace("run.native_loop", "native_loop", _always(None)), LOOPS),
    "LAPACK in the plan": (
        _replace("run.plan_codegen", "emit_lapack_units", _always(False)),
        ("cholesky_50", "cholesky_500", "solve_50", "solve_500", "newton"),
    ),
    "loops over rows": (
        _both(
            _replace("run.plan_codegen", "emit_rows", _always(False)),
            _replace("run.plan_codegen", "emit_sums", _always(False)),
        ),
        ("e_sum", "e_mean_sorted", "gpt", "rows"),
    ),
    "outputs in memory that was dropped": (
        _replace("run.buffer_binding", "LARGE_BYTES", math.inf),
        ("e_sum", "norm", "head", "cholesky_500", "cnn"),
    ),
    "derivatives over far values": (
        _replace("passes.fusion:_FusionBuilder", "_replaces_an_operand", _always(False)),
        ("k_small", "cnn", "f_hvp", "gpt", "einsum_4"),
    ),
    "vectors interleaved": (
        _replace("passes.kernel_source", "INTERLEAVE_COUNT", 0),
        ("b_mix_1e5", "b_cheap_1e3", "b_cheap_1e5", "h", "norm"),
    ),
    "products called from the plan": (
        _replace("run.plan_codegen", "emit_product", _always(False)),
        ("c_small", "c_big", "d", "j_small", "k_small", "gpt", "scan_gru", "scan_ode"),
    ),
}


def run_rows(part: str, keys: list[str]) -> dict[str, float]:
    """Processor's seconds of a call of each compiled row without a part, and of nothing else."""
    import autodiff_kit.compile.run.execution_plan  # noqa: F401 - what is switched off has to be imported
    from benchmarks.library_comparison.harness import warm
    from benchmarks.library_comparison.setting import Setting
    from benchmarks.library_comparison.systems import COMPILED
    from benchmarks.library_comparison.workloads import ALWAYS_DOUBLE, WORKLOADS

    PARTS[part][0]()
    found = {}
    for key in keys:
        system = WORKLOADS[key](Setting({}, "float64" if key in ALWAYS_DOUBLE else "float32"))[COMPILED]
        try:
            system.run()
            form = warm(system)
        except Exception as error:  # noqa: BLE001 - a row that needs the part
            print(f"{key} without {part}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        if form != "kernels":
            print(f"{key} without {part}: {form}", file=sys.stderr)
        found[key] = least(system.run)
    return found


def least(run: Callable[[], Any]) -> float:
    """The least processor's seconds of a call, of blocks that take some milliseconds."""
    began = time.process_time()
    run()
    count = max(1, int(0.004 / max(time.process_time() - began, 1e-6)))
    best, end = math.inf, time.process_time() + SECONDS
    while time.process_time() < end:
        began = time.process_time()
        for _ in range(count):
            run()
        best = min(best, (time.process_time() - began) / count)
    return best


def compare(part: str, keys: list[str], turns: int) -> dict[str, float]:
    """How many times as long each row takes without a part: the least of all turns against the least."""
    times: dict[bool, dict[str, float]] = {True: {}, False: {}}
    for _ in range(turns):
        for whole in (True, False):
            command = [sys.executable, "-m", "benchmarks.compiler_parts", "--run", "nothing" if whole else part]
            done = subprocess.run(
                [*command, "--only", ",".join(keys)], cwd=TOP, stdout=subprocess.PIPE, text=True, check=False
            )
            if done.returncode == 0:
                for key, seconds in json.loads(done.stdout.splitlines()[-1]).items():
                    times[whole][key] = min(seconds, times[whole].get(key, math.inf))
    return {key: times[False][key] / times[True][key] for key in keys if key in times[False] and key in times[True]}


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default="; ".join(PARTS), help="separated by semicolons")
    parser.add_argument("--only", default="", help="keys of rows, separated by commas, in place of each part's own")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run is not None:
        print(json.dumps(run_rows(asked.run, [key for key in asked.only.split(",") if key])))
        return
    found: dict[str, dict[str, float]] = {}
    for part in asked.parts.split("; "):
        keys = [key for key in asked.only.split(",") if key] or list(dict.fromkeys(PARTS[part][1]))
        found[part] = compare(part, keys, asked.turns)
        ratios = sorted(found[part].items(), key=lambda item: -item[1])
        mean = statistics.geometric_mean(found[part].values()) if found[part] else math.nan
        print(f"{part:38} mean {mean:.2f}  " + ", ".join(f"{key} {ratio:.2f}" for key, ratio in ratios[:4])
              + (f" ... {ratios[-1][0]} {ratios[-1][1]:.2f}" if ratios else ""), flush=True)  # fmt: skip
        if asked.json is not None:
            asked.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


for _name in THREADS:
    os.environ.setdefault(_name, "1")
warnings.simplefilter("ignore")

if __name__ == "__main__":
    main()
