"""One benchmark run: measures everything that the options request."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from autodiff_kit import kernels
from benchmarks.library_comparison import child_processes, machine, speed_targets
from benchmarks.library_comparison.cold_start import cold
from benchmarks.library_comparison.harness import Result, Timing, measured
from benchmarks.library_comparison.setting import EXTRAS, PEERS, Setting, found
from benchmarks.library_comparison.size_sweep import sizes
from benchmarks.library_comparison.systems import COMPILED, EAGER, TENSORFLOW
from benchmarks.library_comparison.tape_length import collected, growth, slopes
from benchmarks.library_comparison.workloads import ALWAYS_DOUBLE, WORKLOADS, chosen

PARTS = ("cold", "m", "n", "o", "p", "s")
"""Parts besides the workloads."""


FEW = 3
"""Number of runs of the parts that repeat workloads: with two threads, in float64, in many sizes."""


class Session:
    """The options, the libraries, and the results."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        for word in (options.only or "").split(","):
            if word and word not in PARTS and not chosen(word):
                raise SystemExit(
                    f"--only {word}: unknown; choose from {', '.join([*WORKLOADS, *PARTS])}, and their letters"
                )
        self.notes: list[str] = []
        self.data: dict[str, Any] = {}
        self.names = _names(options.peers, options.without)
        apart = "tensorflow" in self.names and not options.plain
        peers = {name: module for name in self.names if not (apart and name == "tensorflow")
                 if (module := found(name, options.threads)) is not None}  # fmt: skip
        extras = frozenset(options.extras.split(",")) & frozenset(EXTRAS)
        self.settings = {dtype: Setting(peers, dtype, extras=extras) for dtype in ("float32", "float64")}
        self.timing = Timing(options.runs, options.seconds, 1 if options.quick else 3)
        self.apart = apart and _installed("tensorflow")

    def asked(self, part: str) -> bool:
        """Whether a part besides the workloads is requested."""
        only = self.options.only
        return not self.options.plain and (only is None or part in only.split(","))

    def measured(self) -> dict[str, Any]:
        """All results, as in the JSON file; the file is written after each part, so that little can be lost."""
        warnings.simplefilter("ignore")  # deprecation warnings of other libraries
        quick = self.options.quick
        lengths = [100, 1000, 10_000] if quick else [100, 1000, 10_000, 100_000]
        data = self.data
        data |= {"facts": machine.facts(self.options.threads), "begun": time.strftime("%Y-%m-%dT%H:%M:%S")}
        data |= {"quick": quick, "runs": self.options.runs, "lengths": lengths, "notes": self.notes, "results": []}
        data |= {"rows": [], "sizes": [], "growth": {}, "threads": [], "tensorflow": {}}
        kernels.compile_all_loops()
        results = self._workloads(chosen(self.options.only))
        if self.asked("cold"):
            self._part("cold start", self._cold)
        if self.asked("m"):
            self._part("growth", lambda: self._growth(lengths))
        if self.asked("n"):
            self._part("memory", lambda: self._memory(results))
        if self.asked("o"):
            self._part("two threads", self._threads)
        if self.apart:
            self._part(TENSORFLOW, lambda: self._tensorflow([r.key for r in results]))
        if self.asked("p"):
            self._double()
        if self.asked("s"):
            self._part("sizes", self._sizes)
        self.keep()
        return data

    def keep(self) -> None:
        """Write the results so far."""
        if self.options.json is not None:
            self.options.json.write_text(json.dumps(self.data, indent=1), encoding="utf-8")

    def _add(self, rows: list[speed_targets.Row]) -> None:
        self.data["rows"] += [speed_targets.as_dict(row) for row in rows]

    def _part(self, what: str, measure: Callable[[], None]) -> None:
        """Run a part that may fail independently of the others; a note then gives the reason."""
        _say(what)
        try:
            measure()
        except Exception as error:  # noqa: BLE001 - a peer may raise anything
            self.notes.append(f"{what} was not measured: {type(error).__name__}: {error}")
        self.keep()

    def _keys(self) -> list[str]:
        """Workloads of the parts that repeat workloads."""
        keys = chosen(self.options.only)
        return keys or list(WORKLOADS)

    def _workloads(self, keys: list[str], main: bool = True) -> list[Result]:
        results: list[Result] = []
        for key in keys:
            dtype = "float64" if key in ALWAYS_DOUBLE or not main else "float32"
            self._part(f"{key} {dtype}", lambda key=key, dtype=dtype: self._workload(key, dtype, main, results))
        return results

    def _workload(self, key: str, dtype: str, main: bool, results: list[Result]) -> None:
        result = measured(key, self.settings[dtype], self.timing, main)
        results.append(result)
        self.data["results"].append(asdict(result))
        self._add(speed_targets.rows([result]))

    # ------------------------------------------------------------------------------------------------- the other parts
    def _cold(self) -> None:
        result = cold(set(self.names), self.options.runs)
        self.data["results"].append(asdict(result))
        spent = result.times[EAGER]
        clock = (statistics.median(spent), min(spent), max(spent), speed_targets.COLD_SECONDS, True, " s")
        self._add(
            [
                *speed_targets.rows([result]),
                speed_targets.Row(speed_targets.name_of(result), EAGER, "the clock", *clock),
            ]
        )

    def _growth(self, lengths: list[int]) -> None:
        grown = growth(lengths, 1.0 if self.options.quick else 20.0)
        for program, stages in grown.items():
            for stage, times in stages.items():
                slope = slopes(times)
                if not math.isnan(slope):
                    name = f"m growth of {stage}, {program}"
                    self._add(
                        [
                            speed_targets.Row(
                                name, "the kit", "a line", slope, slope, slope, speed_targets.STRAIGHT, True, ""
                            )
                        ]
                    )
        for what, times in collected([*lengths, 10 * lengths[-1]]).items():
            each = ", ".join(f"{spent / n * 1e9:.0f} ns at {n:,}" for n, spent in times.items())
            slope = f"{slopes(times):.2f}"
            self.notes.append(f"m with Python's collector at work: {what}, {each} an operation; a slope of {slope}")
        self.data["growth"] = {
            program: {stage: {str(n): spent for n, spent in times.items()} for stage, times in stages.items()}
            for program, stages in grown.items()
        }

    def _double(self) -> None:
        """The workloads again in float64, with PyTorch and JAX only, because NumPy tapes take minutes at 1e7."""
        few = {name: module for name, module in self.settings["float64"].peers.items() if name in ("torch", "jax")}
        self.settings["float64"] = replace(self.settings["float64"], peers=few)
        self.timing = replace(self.timing, runs=min(self.timing.runs, FEW))
        self._workloads([key for key in self._keys() if key not in ALWAYS_DOUBLE], main=False)

    def _memory(self, results: list[Result]) -> None:
        rows = speed_targets.memory(results)
        if not rows:
            self.notes.append(f"n: no plan reported more than {speed_targets.MEMORY_FROM:,} bytes")
        self._add(rows)

    def _threads(self) -> None:
        some = child_processes.THREADED[-1:] if self.options.quick else child_processes.THREADED
        keys = [key for key in some if key in self._keys()]
        beside = (
            child_processes.threads(keys, self._passed_on(), min(self.options.runs, FEW), self.notes) if keys else []
        )
        for one in beside:
            if one["system"] == COMPILED:
                values = speed_targets.ratios(one["two"], one["one"])
                name = f"o {speed_targets.title(one['key'])}"
                self._add([speed_targets.Row(name, "two threads", "one thread", *values, speed_targets.THREADS, True)])
        self.data["threads"] = beside

    def _tensorflow(self, keys: list[str]) -> None:
        """TensorFlow and the compiled kit, in a separate process."""
        if keys:
            options = [*self._passed_on(), "--runs", str(self.options.runs)]
            self.data["tensorflow"] = child_processes.tensorflow(keys, options, self.notes)

    def _sizes(self) -> None:
        timing = Timing(min(self.options.runs, FEW), self.options.seconds / 3, self.timing.rounds)
        self.data["sizes"] = [asdict(r) for r in sizes(self.settings["float32"], timing, self.notes)]

    def _passed_on(self) -> list[str]:
        options = self.options
        return ["--seconds", str(options.seconds), *(["--quick"] if options.quick else [])]


def _names(peers: str | None, without: str) -> list[str]:
    wanted = peers.split(",") if peers is not None else PEERS
    left_out = without.split(",")
    return [name for name in PEERS if name in wanted and name not in left_out]


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _say(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="\r", file=sys.stderr, flush=True)
    else:
        print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)
