"""Latency of the kernel for one change in a widget, for every widget and every kind of change.

``python -m benchmarks.widget_latency [--runs 40] [--only NAME] [--json FILE]`` prints median and 95th percentile in
milliseconds, of the wall clock and of the process, and what the process would need on a core that nobody else uses:
a fixed piece of work is timed beside every answer, and the median is scaled by how slow that ran.

A change travels as it does in Jupyter: a message of the front end with the new values, answered with every output
encoded. The aim is a median of 10 ms on a quiet core.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from autodiff_kit.widgets import (
    AdamSlots,
    BackwardCost,
    ConstrainedDescent,
    CustomGradientRule,
    DoublingLoop,
    FakeQuantGradients,
    FloorDescent,
    GradientClipping,
    GraphReadout,
    HessianProbes,
    JvpVjp,
    LearnedInverse,
    LevenbergMarquardtSteps,
    LogitBars,
    MaskedAttention,
    MomentumSteps,
    StopGradientPaths,
    TapeMemory,
    VariableState,
)
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.lesson15 import PRESETS

AIM = 10.0
CURVED = ("sigmoid", "linear", "filter")
DESIGNS = ("zero", "renorm", "minusinf", "additive")
STRIP = [1.0, *[0.0] * 99]
OPTIMIZERS = ("sgd", "momentum", "rmsprop", "adam", "adamw")

# A change: the k-th message of the front end, always with other values than in the message before.
Change = Callable[[int], dict[str, Any]]
Case = tuple[str, Callable[[], KernelWidget], Change]


def sharpness(k: int) -> float:
    """The positions of a slider from 1 to 50."""
    return float(1.07 ** (k % 57) + k * 1e-9)


def painted(step: int) -> Change:
    """One cell of the first strip, with another value each time."""
    return lambda k: {"grads": [[*STRIP[:step], 0.5 + k / 100, *STRIP[step + 1 :]], STRIP]}


def cases() -> Iterator[Case]:
    """Every widget with every kind of change."""
    yield "01 v", JvpVjp, lambda k: {"v": [1.0 + k / 8, 2.0, -1.0]}
    yield "01 u", JvpVjp, lambda k: {"u": [1.0 + k / 8, -1.0, 2.0]}
    yield "01 n, new", JvpVjp, lambda k: {"n": 1 + k % 128, "m": 1 + k // 128}
    yield "01 m, new", JvpVjp, lambda k: {"m": 1 + k % 128, "n": 64 - k // 128}
    yield "01 n, seen", JvpVjp, lambda k: {"n": 64 + k % 2}
    yield "04 x", DoublingLoop, lambda k: {"x": 2.0 + (k % 240) / 40}
    yield "04 h", DoublingLoop, lambda k: {"h": 0.001 + (k % 399) / 1000}
    for rule in ("own", "through", "sigmoid"):
        yield f"05 x, {rule}", partial(CustomGradientRule, rule=rule), lambda k: {"x": (k % 60) / 10 - 2}
    yield "05 f", CustomGradientRule, lambda k: {"f": ("floor", "sign", "log1pexp")[k % 3]}
    for rule in CURVED:
        yield f"06 s, {rule}", partial(FloorDescent, rule=rule), lambda k: {"s": sharpness(k)}
    for rule in ("none", "straight", *CURVED):
        yield f"06 start, {rule}", partial(FloorDescent, rule=rule), lambda k: {"start": (k % 60) / 10}
    for rule in CURVED:
        grown = partial(FloorDescent, rule=rule, anneal=True)
        yield f"06 step, annealed {rule}", grown, lambda k: {"step": k % 200}
        yield f"06 start, annealed {rule}", grown, lambda k: {"start": (k % 60) / 10}
    yield "06 step", FloorDescent, lambda k: {"step": k % 200}
    yield "06 rule", FloorDescent, lambda k: {"rule": CURVED[k % 3]}
    for bits in (2, 4):
        yield (
            f"07 x, {bits} bits",
            partial(FakeQuantGradients, bits=bits),
            lambda k: {"x": [-4.0 + k / 64, -3.5, 0.0, 1.0, 5.0]},
        )
    for way in ("exact", "steps"):
        yield f"08 logit, {way}", partial(LogitBars, way=way), lambda k: {"logits": [k / 64 - 1, 1.0, 2.0, 0.0, -1.0]}
    yield "08 level", LogitBars, lambda k: {"level": 10.0 + k}
    yield "07 end", FakeQuantGradients, lambda k: {"min_home": bool(k % 2)}
    for design in DESIGNS:
        made = partial(MaskedAttention, design=design)
        yield f"09 keep, {design}", made, lambda k: {"keep": [True, True, bool(k % 2), False]}
    yield "09 design", MaskedAttention, lambda k: {"design": DESIGNS[k % 4]}
    yield "09 c", partial(MaskedAttention, design="additive"), lambda k: {"c": -10.0 - k / 4}
    yield "09 sentence", MaskedAttention, lambda k: {"sentence": k % 5}
    yield "09 dtype", MaskedAttention, lambda k: {"dtype": ("float64", "float32")[k % 2]}
    yield (
        "10 x, order 2",
        partial(StopGradientPaths, order=2, shut=["D"]),
        lambda k: {"x": [(k % 99) / 11, 2.0, 3.0, 4.0]},
    )
    yield "10 shut", partial(StopGradientPaths, order=2), lambda k: {"shut": [["B"], ["B", "E"], [], ["D"]][k % 4]}
    for name in ("sgd", "momentum", "nesterov", "rmsprop", "adam"):
        made = partial(MomentumSteps, optimizer=name, b=0.95)
        yield f"14 paint step 1, {name}", made, lambda k: {"grads": [0.5 + k / 100, *[1.0] * 23]}
    yield "14 memory", MomentumSteps, lambda k: {"b": (k % 20) / 20}
    yield "14 cursor", MomentumSteps, lambda k: {"at": k % 24}
    yield "11 h, max", partial(GraphReadout, readout="max"), lambda k: {"h": [k / 8 % 9, 2.0, 3.0, 4.0, 5.0]}
    yield "11 ids", GraphReadout, lambda k: {"ids": [k % 3, 0, 1, 1, k // 3 % 3]}
    for name in OPTIMIZERS:
        yield f"15 paint step 1, {name}", partial(AdamSlots, optimizer=name, grads=[STRIP, STRIP]), painted(0)
    yield "12 x0", VariableState, lambda k: {"x0": (k % 40) / 2 - 10}
    yield "12 way", VariableState, lambda k: {"way": ("update", "assign")[k % 2]}
    yield "12 hold", VariableState, lambda k: {"hold": ("reference", "version", "copy")[k % 3]}
    yield "13 n", TapeMemory, lambda k: {"n": 101 + k % 99}
    yield "13 k", TapeMemory, lambda k: {"k": 1 + k % 100}
    yield "15 paint step 51", AdamSlots, painted(50)
    yield "15 paint step 100", AdamSlots, painted(99)
    yield "15 paint step 1, lazy", partial(AdamSlots, preset="row seen at 1 and 51: dense | lazy"), painted(0)
    yield "15 optimizer", AdamSlots, lambda k: {"optimizer": OPTIMIZERS[k % 5]}
    yield "15 start", AdamSlots, lambda k: {"start": k / 10}
    yield "15 action", AdamSlots, lambda k: {"actions": [{"which": 0, "step": 1 + k % 9, "act": "zero"}]}
    yield "15 preset", AdamSlots, lambda k: {"preset": list(PRESETS)[k % 5]}

    yield "17 arrow", GradientClipping, lambda k: {"X": [[1.0, 0.0], [0.0, 2.0], [(k % 9) / 2, (k // 9 % 9) / 2 + 0.5]]}
    yield "17 C", GradientClipping, lambda k: {"C": 1.25 + k % 30 / 4}
    billed = partial(BackwardCost, program="whole")
    yield "18 sizes", billed, lambda k: {"sizes": [1 + k % 32, 8, 16, 2]}
    yield "18 wanted", billed, lambda k: {"wanted": [bool(k % 2), True, bool(k % 3), True]}
    yield "19 start", LevenbergMarquardtSteps, lambda k: {"start": [0.05 + k / 1000, 1.0]}
    yield (
        "19 start, misra",
        partial(LevenbergMarquardtSteps, curve="misra"),
        lambda k: {"start": [500.0 + k / 10, 0.0001]},
    )
    yield "19 damping", LevenbergMarquardtSteps, lambda k: {"dampings": [0.01 * k]}
    yield "19 step", LevenbergMarquardtSteps, lambda k: {"step": k % 6}
    yield "19 curve", LevenbergMarquardtSteps, lambda k: {"curve": ("decay", "misra")[k % 2]}
    for kind in ("line", "polynomial", "network"):
        made = partial(LearnedInverse, kind=kind)
        yield f"21 hi, {kind}", made, lambda k: {"hi": 0.5 + (k % 100) / 100}
        yield f"21 y, {kind}", made, lambda k: {"y": (k % 97) / 4 - 12}
    yield "21 step", partial(LearnedInverse, kind="network"), lambda k: {"step": k % 21}
    for region in ("half", "disc"):
        yield f"16 rate, {region}", partial(ConstrainedDescent, region=region), lambda k: {"rate": 0.05 + k / 1000}
    yield "16 target", ConstrainedDescent, lambda k: {"target": [1.5 + k / 100, 0.5]}
    most = partial(HessianProbes, function="twelve", probes=[[]] * 60)
    yield "20 seed, 60 probes", most, lambda k: {"seed": k}
    yield "20 h, 60 probes", partial(most, function="waves", way="moving"), lambda k: {"h": 0.001 * k}
    yield "20 probe", HessianProbes, lambda k: {"probes": [[]] * (k % 60 + 1)}
    yield "20 function", HessianProbes, lambda k: {"function": ("two", "twelve", "waves")[k % 3]}


def reference() -> float:
    """Milliseconds that this process needs now for a fixed amount of work, as a measure of the load."""
    began = time.process_time()
    total = 0.0
    for k in range(20_000):
        total += k * 0.5
    return 1000 * (time.process_time() - began)


def measure(make: Callable[[], KernelWidget], change: Change, runs: int) -> dict[str, float]:
    """Answer ``runs`` changes; the first few are not counted."""
    widget, asked = make(), count(1)
    wall, own, quiet = [], [], []
    for k in range(1, runs + 4):
        message = {**change(k), "asked": next(asked)}
        quiet.append(reference())
        began = time.perf_counter(), time.process_time()
        widget.set_state(message)  # the outputs are encoded as for a front end, but not sent
        wall.append(1000 * (time.perf_counter() - began[0]))
        own.append(1000 * (time.process_time() - began[1]))
        if widget.error or widget.answered != message["asked"]:
            raise RuntimeError(f"no answer to {message}: {widget.error}")
    times = {"wall": wall[3:], "process": own[3:]}
    sums = {f"{name}_{what}": how(ms) for name, ms in times.items() for what, how in SUMS.items()}
    return {**sums, "reference": statistics.median(quiet)}


def p95(ms: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(ms, n=20)[-1]


SUMS: dict[str, Callable[[list[float]], float]] = {"median": statistics.median, "p95": p95}


def line(name: str, ms: dict[str, float], fastest: float) -> str:
    """One row; the last column estimates the time on an unloaded core."""
    shown = [ms[key] for key in ("wall_median", "wall_p95", "process_median", "process_p95")]
    return f"{name:28}" + "".join(f"{value:9.2f}" for value in [*shown, quietly(ms, fastest)])


def quietly(ms: dict[str, float], fastest: float) -> float:
    """The median of the process, scaled by the slowdown of the reference relative to its best time."""
    return ms["process_median"] * fastest / ms["reference"]


def main() -> int:
    """Print the table and optionally write JSON; return 1 if a median misses the target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--only", default="", help="only the changes whose name holds this")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    fastest = min(reference() for _ in range(200))
    found: dict[str, dict[str, float]] = {}
    print(f"{'change':28}{'wall':>9}{'p95':>9}{'process':>9}{'p95':>9}{'quiet':>9}   (ms, {args.runs} answers)")
    for name, make, change in cases():
        if args.only in name:
            found[name] = measure(make, change, args.runs)
            print(line(name, found[name], fastest), flush=True)
    for ms in found.values():
        ms["quiet_median"] = quietly(ms, fastest)
    slowest = max(found, key=lambda name: found[name]["quiet_median"])
    print(f"slowest: {slowest}, {found[slowest]['quiet_median']:.2f} ms on a quiet core; the aim is {AIM:g} ms")
    if args.json:
        about = {"python": platform.python_version(), "machine": platform.machine(), "runs": args.runs}
        args.json.write_text(json.dumps({**about, "changes": found}, indent=1) + "\n", encoding="utf-8")
    return int(found[slowest]["quiet_median"] > AIM)


if __name__ == "__main__":
    sys.exit(main())
