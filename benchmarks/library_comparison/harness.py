"""Build the systems of a workload, check that their results agree, and time them alternately."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.compile.run.execution_plan import build_kernels_now
from benchmarks.library_comparison.eager_calls import calls_alone
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import EAGER, HAND, System, Systems, arrays
from benchmarks.library_comparison.workloads import WORKLOADS

TOLERANCE = {"float32": 2e-4, "float64": 1e-9}
LOOSE = {"c": 2e-3, "h": 2e-3, "gpt": 2e-3, "cnn": 2e-3}
"""Adam divides a gradient by its own magnitude: if both are rounding errors, the step may have either sign."""


Build = Callable[[Setting], Systems]


class DisagreeError(AssertionError):
    """Two systems computed different numbers, so this workload is not timed."""


@dataclass
class Timing:
    """Duration and repetitions of a measurement."""

    runs: int = 5
    seconds: float = 0.3  # of each system in each run
    rounds: int = 3  # at least


@dataclass
class Result:
    """One workload, measured.

    Attributes
    ----------
    main : bool
        Whether the result is compared with the speed targets; otherwise it is the same workload in float64.
    times : dict of str to list of float
        Seconds per call, the minimum of each run.
    errors : dict
        The error messages of systems that could not run.
    differs : dict
        The largest difference of each system from the reference, relative to the largest number.
    """

    key: str
    dtype: str
    main: bool = True
    times: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    differs: dict[str, float] = field(default_factory=dict)
    form: str = ""  # the form that ran as "kit compiled"
    memory: dict[str, int] | None = None  # of the compiled plan


def measured(key: str, s: Setting, timing: Timing, main: bool = True, build: Build | None = None) -> Result:
    """Build a workload, check it, and time it."""
    systems = (build or WORKLOADS[key])(s)
    result = Result(key, s.dtype, main)
    result.errors = started(systems)
    result.form = "; ".join(sorted({warm(system) for system in systems.values() if system.compiled is not None}))
    result.differs = agreed(key, s.dtype, systems)
    systems |= calls_alone(systems[EAGER]) if EAGER in systems else {}
    result.memory = memory(systems)
    result.times = timed(systems, timing)
    return result


def started(systems: Systems) -> dict[str, str]:
    """Call each system, so that it is compiled; systems that cannot run are removed."""
    errors = {}
    for name, system in list(systems.items()):
        try:
            system.run()
        except Exception as error:  # noqa: BLE001 - a peer may raise anything; the table says what
            errors[name] = f"{type(error).__name__}: {str(error)[:200]}"
            del systems[name]
    return errors


# ---------------------------------------------------------------------------------- readiness
def warm(system: System) -> str:
    """Compile the kernels of a compiled function in this thread, and return the form that will run."""
    try:
        build_kernels_now(system.compiled)
    except Exception as error:  # noqa: BLE001 - numba raises what it likes; the kit itself would go on in NumPy
        return f"NumPy calls, as kernels failed: {type(error).__name__}: {str(error)[:200]}"
    system.run()
    return "kernels" if system.compiled.plan.ready else "NumPy calls"


def memory(systems: Systems) -> dict[str, int] | None:
    """Bytes of a plan's memory and the peak of its live bytes, if it reports them."""
    for system in systems.values():
        if system.compiled is not None:
            plan: Any = system.compiled.plan
            for holder in (plan, getattr(plan, "store", None), getattr(getattr(plan, "fast", None), "store", None)):
                if hasattr(holder, "peak") and hasattr(holder, "need"):
                    return {"peak": int(holder.peak), "need": int(holder.need)}
    return None


# ---------------------------------------------------------------------------------- agreement
def agreed(key: str, dtype: str, systems: Systems) -> dict[str, float]:
    """The distance of each system from the reference: NumPy by hand if it exists, otherwise the first system.

    Raises
    ------
    DisagreeError
        If the distance of a system is larger than rounding explains.
    """
    compared = {name: system for name, system in systems.items() if system.numbers}
    if not compared:
        return {}
    first = HAND if HAND in compared else next(iter(compared))
    expected = _calls(compared[first])
    found = {}
    family = re.split("[_ ]", key, maxsplit=1)[0]  # of a workload, or of a line of the size sweep
    tolerance = max(TOLERANCE[dtype], LOOSE.get(family, 0.0) if dtype == "float32" else 0.0)
    for name, system in compared.items():
        found[name] = _distance(_calls(system), expected, f"{key}: {name} and {first}")
        if not found[name] <= tolerance:
            raise DisagreeError(
                f"{key}: {name} is {found[name]:.1e} away from {first}; rounding explains at most {tolerance:.0e}"
            )
    return found


def _calls(system: System) -> list[Any]:
    """The numbers of two calls from the initial state."""
    if system.restart is not None:
        system.restart()
    return [arrays(system.run()) for _ in range(2)]


def _distance(found: list[Any], expected: list[Any], who: str) -> float:
    worst = 0.0
    for call, wanted in zip(found, expected, strict=True):
        if [np.shape(a) for a in call] != [np.shape(a) for a in wanted]:
            raise DisagreeError(f"{who} differ in shapes: {[a.shape for a in call]} and {[a.shape for a in wanted]}")
        for a, b in zip(call, wanted, strict=True):
            scale = float(np.max(np.abs(b), initial=0.0)) or 1.0
            away = np.max(np.abs(a.astype(float) - b.astype(float)), initial=0.0)
            worst = float(np.maximum(worst, away / scale))  # nan stays nan
    return worst


# ---------------------------------------------------------------------------------- timing
def timed(systems: Systems, timing: Timing) -> dict[str, list[float]]:
    """Seconds per call in each run: the minimum of rounds in which all systems alternate."""
    times: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(timing.runs):
        for system in systems.values():
            if system.restart is not None:
                system.restart()
        counts = {name: _count(system) for name, system in systems.items()}
        gc.collect()
        for name, best in _run(systems, counts, timing).items():
            times[name].append(best)
    return times


def _count(system: System) -> int:
    """The number of calls that take about 5 ms, measured after the first call, which is slower."""
    for _ in range(2):
        start = time.perf_counter()
        system.run()
        spent = time.perf_counter() - start
        if spent > 0.005:
            return 1
    return max(1, int(0.005 / max(spent, 1e-7)))


def _run(systems: Systems, counts: dict[str, int], timing: Timing) -> dict[str, float]:
    best = dict.fromkeys(systems, float("inf"))
    end, rounds = time.perf_counter() + timing.seconds * len(systems), 0
    while rounds < timing.rounds or time.perf_counter() < end:
        for name, system in systems.items():
            run, count = system.run, counts[name]
            start = time.perf_counter()
            for _ in range(count):
                run()
            best[name] = min(best[name], (time.perf_counter() - start) / count)
        rounds += 1
    return best
