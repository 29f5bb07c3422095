"""Time by length of the tape, for each stage: record, sweep, trace, plan, replay (part "m").

Python's garbage collector is disabled meanwhile, as in ``timeit``: its work grows faster than the number of objects, so
that even the creation of bare objects is not linear. :func:`collected` measures this effect.
"""

from __future__ import annotations

import gc
import math
import operator
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import ExecutionPlan, build_kernels_now
from autodiff_kit.compile.trace.tracer import trace_function

Times = dict[str, dict[int, float]]
LEAST_TAPE = "the least tape in Python"
STAGES = ("record", "sweep", "trace", "plan", "replay")


def _numbers(n: int) -> tuple[Callable[[Any], Any], Any]:
    """A chain on one number: 5 operations a turn."""

    def f(x: Any) -> Any:
        for _ in range(n // 5):
            x = ak.sin(x) * x + ak.exp(-x)
        return x

    return f, 0.7


def _entries(n: int) -> tuple[Callable[[Any], Any], Any]:
    """A chain on 64 entries, computed by shared kernels: 4 operations a turn."""

    def f(x: Any) -> Any:
        for _ in range(n // 4):
            x = ak.sin(x) * 0.5 + x * 0.5
        return x.sum()

    return f, ak.constant(np.linspace(0.1, 1, 64, dtype=np.float32))


def _layers(n: int) -> tuple[Callable[[Any], Any], Any]:
    """Small layers one after the other, each with a matrix product: 4 operations a turn."""
    w = ak.constant(np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32) * np.float32(0.3))

    def f(x: Any) -> Any:
        for _ in range(n // 4):
            x = x + 0.1 * ak.tanh(x @ w)
        return x.sum()

    return f, ak.constant(np.linspace(0, 1, 32, dtype=np.float32).reshape(4, 8))


def _equation(n: int) -> tuple[Callable[[Any], Any], Any]:
    """A differential equation by classical Runge-Kutta steps, unrolled: 21 operations a step."""
    w = ak.constant(np.random.default_rng(0).standard_normal((4, 4)))
    dt = 21 / n

    def slope(y: Any) -> Any:
        return ak.tanh(w @ y)

    def f(y: Any) -> Any:
        for _ in range(n // 21):
            k1 = slope(y)
            k2 = slope(y + dt / 2 * k1)
            k3 = slope(y + dt / 2 * k2)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + dt * k3))
        return y.sum()

    return f, ak.constant(np.linspace(0, 1, 4))


PROGRAMS = {"one number": _numbers, "64 entries": _entries, "layers": _layers, "equation": _equation}


def growth(lengths: list[int], seconds: float) -> dict[str, Times]:
    """Seconds of each stage at each length; a stage that takes longer than ``seconds`` is not run at larger lengths."""
    gc.disable()
    try:
        return _grown(lengths, seconds)
    finally:
        gc.enable()


def collected(lengths: list[int]) -> Times:
    """The same with the collector enabled: recording numbers and dropping the record; and the least tape in Python."""
    times: Times = {what: {} for what in ("record", "drop", LEAST_TAPE)}
    for n in lengths:
        times["record"][n], times["drop"][n] = _made_and_dropped(_taped(*_numbers(n)))
        times[LEAST_TAPE][n] = _made_and_dropped(partial(_least_tape, n), _page.clear)[0]
    return times


_page: list[_Value] = []


def _unary(function: Callable[[float], float]) -> Callable[[_Value], _Value]:
    def call(a: _Value) -> _Value:
        one = _Value()
        one.value = y = function(a.value)
        frame = sys._getframe(1)
        one.op, one.record, one.cotangent = function, _page, None
        one.parts, one.code, one.lasti = (a, y, a.value), frame.f_code, frame.f_lasti
        _page.append(one)
        return one

    return call


def _binary(function: Callable[[float, float], float]) -> Callable[[_Value, _Value], _Value]:
    def call(a: _Value, b: _Value) -> _Value:
        one = _Value()
        one.value = y = function(a.value, b.value)
        frame = sys._getframe(1)
        one.op, one.record, one.cotangent = function, _page, None
        one.parts, one.code, one.lasti = (a, b, y, a.value, b.value), frame.f_code, frame.f_lasti
        _page.append(one)
        return one

    return call


class _Value:
    """A number on a tape that notes what the kit's does, without a check: one tape, no constants, arrays or errors."""

    __slots__ = ("code", "cotangent", "lasti", "op", "parts", "record", "value")
    value: float
    __add__, __mul__, __neg__ = _binary(operator.add), _binary(operator.mul), _unary(operator.neg)


_sin, _exp = _unary(math.sin), _unary(math.exp)


def _least_tape(n: int) -> None:
    x = _Value()
    x.value = 0.7
    gc.disable()
    for _ in range(n // 5):
        x = _sin(x) * x + _exp(-x)
    gc.enable()


def _grown(lengths: list[int], seconds: float) -> dict[str, Times]:
    found: dict[str, Times] = {}
    for name, program in PROGRAMS.items():
        times: Times = {stage: {} for stage in STAGES}
        stopped: set[str] = set()
        for n in lengths:
            for stage, needed in _stages(program, n).items():
                if stage not in stopped:
                    times[stage][n] = spent = needed()
                    if spent > seconds:
                        stopped |= {stage, "replay"} if stage in ("trace", "plan") else {stage}
        found[name] = times
    return found


def _taped(f: Callable[[Any], Any], x: Any) -> Callable[[], tuple[Any, Any, Any]]:
    """Run a program under a tape: returns the tape, the source and the result."""
    source = ak.constant(x)

    def taped() -> tuple[Any, Any, Any]:
        tape = ak.GradientTape(persistent=True)
        with tape:
            tape.watch(source)
            y = f(source)
        return tape, source, y

    return taped


def _stages(program: Any, n: int) -> dict[str, Callable[[], float]]:
    f, x = program(n)
    gradient, taped = ak.value_and_grad(f), _taped(f, x)

    def sweep() -> float:
        tape, source, y = taped()
        return _least(lambda: tape.gradient(y, source))

    def plan() -> float:
        recording = trace_function(gradient, (x,), {})
        return _least(lambda: _plan(recording))

    def replay() -> float:
        compiled = ak.compile(gradient)
        compiled(x)
        build_kernels_now(compiled)
        return _least(lambda: compiled(x))

    return {
        "record": lambda: _least(taped),
        "sweep": sweep,
        "trace": lambda: _least(lambda: trace_function(gradient, (x,), {})),
        "plan": plan,
        "replay": replay,
    }


def _plan(recording: Any) -> None:
    """Run all passes and generate the kernel sources; nothing is compiled to machine code."""
    ExecutionPlan(recording).build(compiler=lambda _text: 1)  # an address; nothing is run


def _least(run: Callable[[], Any]) -> float:
    return _made_and_dropped(run)[0]


def _made_and_dropped(
    run: Callable[[], Any], drop: Callable[[], None] = lambda: None, times: int = 3, seconds: float = 0.2
) -> tuple[float, float]:
    """The least of some runs, of many if they are short: other processes take turns on the machine.

    Then the least that dropping the result takes.
    """
    best = dropped = math.inf
    end = time.perf_counter() + seconds
    gc.collect()
    for k in range(100):
        start = time.perf_counter()
        made = run()
        middle = time.perf_counter()
        del made
        drop()
        best, dropped = min(best, middle - start), min(dropped, time.perf_counter() - middle)
        # The first run may import and compile.
        if (k and best > 1.0) or (k >= times - 1 and time.perf_counter() > end):
            break
    return best, dropped


def slopes(times: dict[int, float], first: int = 1000) -> float:
    """The slope of a straight line through the points on a log-log scale, from ``first`` on."""
    points = [(math.log(n), math.log(t)) for n, t in times.items() if n >= first]
    if len(points) < 2:
        return math.nan
    return float(np.polyfit(*zip(*points, strict=True), 1)[0])
