"""A recording made ready to run: as NumPy calls at once, in kernels as soon as these are compiled."""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.compile.passes.simplify import summed
from autodiff_kit.compile.run.program import numpy_program
from autodiff_kit.compile.trace.tracer import Recording
from autodiff_kit.core.tensor import make, normal

__all__ = ["Plan", "build_now"]

PATIENCE = 3
"""Calls before kernels are compiled: what runs once or twice shall not pay for it."""


class Plan:
    """One recording, ready to run.

    Attributes
    ----------
    ready : bool
        Whether it runs in kernels.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        outputs = recording.outputs
        self.nodes = summed(recording.graph, outputs)
        self._numpy, self._source = numpy_program([node for _, node in recording.inputs], outputs)
        self._calls = 0
        self.fast: Any = None
        self.short: Callable[[Any], Any] | None = None  # the short way into it
        self.run: Callable[[list[Any]], Any] = self._patient

    @property
    def ready(self) -> bool:
        """Whether kernels run."""
        return self.fast is not None

    def __call__(self, given: list[Any]) -> Any:
        """What the function returns for the numbers and arrays that the caller gave."""
        return self.run(given)

    def _patient(self, given: list[Any]) -> Any:
        self._calls += 1
        if self._calls == PATIENCE and kernels.enabled():
            _worker.add(self)
        return self._slow(given)

    def build(self, compiler: Any = None) -> None:
        """Compile the kernels, and run in them from now on."""
        from autodiff_kit.compile.run.kernel_loader import load
        from autodiff_kit.compile.run.kernel_plan import Fast, worth
        from autodiff_kit.compile.run.scalar import all_numbers

        numbers = all_numbers(self.nodes)
        if numbers or worth(self.nodes):
            self.fast = Fast(self.recording, compiler or load, numbers)
        self.run = self.fast.run if self.fast else self._slow

    # -------------------------------------------------------------------------------------------------- as NumPy calls
    def _slow(self, given: list[Any]) -> Any:
        answers = iter(self._numpy(*[source.read(given) for source, _ in self.recording.inputs]))
        leaves = self.recording.leaves
        parts = [leaf.fixed if leaf.node is None else _finished(leaf.kind, next(answers)) for leaf in leaves]
        for source, node in self.recording.assigned:
            source.write(next(answers), node)
        for optimizer, variable, _ in self.recording.updates:
            optimizer._last[id(variable)] = normal(next(answers))
        return self.recording.pack(parts)

    def __str__(self) -> str:
        return str(self.fast) if self.fast is not None else self._source


def _finished(kind: str, value: Any) -> Any:
    if kind == "tensor":
        return make(normal(value))
    if kind == "number":
        return value
    return np.asarray(value) if not isinstance(value, np.generic) else value


# --------------------------------------------------------------------------------------------------- in the background
class _Worker:
    """One thread that compiles, one plan after the other; the process does not end in the middle of a kernel."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Plan | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.stopped = False

    def add(self, plan: Plan) -> None:
        """Compile a plan's kernels some time soon."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="autodiff_kit compile", daemon=True)
                self._thread.start()
                atexit.register(self._stop)
        self._waiting.put(plan)

    def _work(self) -> None:
        while (plan := self._waiting.get()) is not None and not self.stopped:
            try:
                plan.build()
            except Exception:  # noqa: BLE001
                plan.run = plan._slow
            del plan

    def _stop(self) -> None:
        self.stopped = True
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(5.0)


_worker = _Worker()


def build_now(compiled: Any) -> None:
    """Compile the kernels of all plans of a compiled function, here and now."""
    for plans in compiled._plans.values():
        for _, plan in plans:
            if not plan.ready:
                plan.build()
