"""Execution plans: a trace runs as NumPy calls at first, and as compiled kernels once these are ready."""

from __future__ import annotations

import atexit
import queue
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.compile.graph import flatten_concatenations
from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.row_steps import dense_update
from autodiff_kit.compile.run.numpy_codegen import generate_numpy_function
from autodiff_kit.compile.trace.input_sources import ArgumentSource
from autodiff_kit.compile.trace.loop_call import LoopCall
from autodiff_kit.compile.trace.trace import OutputLeaf, Trace
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.tensor import wrap
from autodiff_kit.kernels import shutdown

__all__ = ["ExecutionPlan", "build_kernels_now"]

COMPILE_AFTER_CALLS = 3
"""Calls before kernels are compiled, so that functions that run once or twice are not compiled."""


class ExecutionPlan:
    """The executable form of one trace.

    Attributes
    ----------
    ready : bool
        Whether it runs in compiled kernels.
    build_error : Exception or None
        Why its kernels could not be built, where that failed.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        outputs = trace.outputs
        self.nodes = flatten_concatenations(outputs)
        trace.graph.close()
        self.loops = [
            _plan_of_steps(loop) for loop in dict.fromkeys(n.params.function for n in self.nodes if _is_loop(n))
        ]
        self._numpy, self._source = generate_numpy_function([node for _, node in trace.inputs], outputs)
        self._calls = 0
        self.loop: LoopCall | None = None  # the loop whose step this is
        self.build_error: Exception | None = None
        self.kernel_plan: Any = None
        self.run: Callable[[list[Any]], Any] = self._run_and_count

    @property
    def ready(self) -> bool:
        """Whether it runs in compiled kernels."""
        return self.kernel_plan is not None

    def _run_and_count(self, given: list[Any]) -> Any:
        """Run as NumPy calls, and request compilation after some calls."""
        self._calls += 1
        if self._calls == COMPILE_AFTER_CALLS and kernels.enabled():
            _background_compiler.add(self)
        return self.run_numpy(given)

    def build_or_explain(self) -> None:
        """Compile the kernels. After a failure the next call says why, and they are tried once more later."""
        first = self.build_error is None
        try:
            self.build()
            self.build_error = None
        except Exception as error:  # noqa: BLE001 - of the compiler or LLVM; the function itself still runs
            self.build_error = error
            self.run = self._explain_and_retry if first else self.run_numpy

    def _explain_and_retry(self, given: list[Any]) -> Any:
        error = self.build_error
        warnings.warn(
            f"ak.compile could not build the kernels of a function ({type(error).__name__}: {error}). It runs as NumPy "
            "calls with the same results, and the kernels are tried once more; the plan's build_error has the reason.",
            RuntimeWarning,
            stacklevel=4,
        )
        self._calls, self.run = 0, self._run_and_count
        return self.run_numpy(given)

    def build(self, compiler: Any = None) -> None:
        """Compile the kernels and switch to them."""
        for steps in self.loops:
            if not steps.ready:
                steps.build(compiler)
        # Imported here, because they import llvmlite and compile the units that all plans share.
        from autodiff_kit.compile.run.kernel_loader import load_kernel
        from autodiff_kit.compile.run.kernel_plan import KernelPlan, can_use_kernels
        from autodiff_kit.compile.run.scalar_program import is_scalar_graph

        numbers = is_scalar_graph(self.nodes, self.loop is not None)
        if numbers or can_use_kernels(self.nodes):
            self.kernel_plan = KernelPlan(self.trace, compiler or load_kernel, numbers, self.loop is not None)
        self.run = self.kernel_plan.run if self.kernel_plan else self.run_numpy
        if self.kernel_plan and self.loop:
            from autodiff_kit.compile.run.native_loop import native_loop

            self.loop.run_native = native_loop(self.loop, self.kernel_plan.generator)

    # -------------------------------------------------------------------------------------------------- as NumPy calls
    def run_numpy(self, given: list[Any]) -> Any:
        """Run as NumPy calls, which warn of no division by zero or overflow, as kernels do not."""
        inputs = [source.read(given) for source, _ in self.trace.inputs]
        with np.errstate(all="ignore"):
            results = _with_own_memory(self._numpy(*inputs), inputs)
        leaves = self.trace.leaves
        parts = [leaf.fixed if leaf.node is None else _wrap_output(leaf.kind, next(results)) for leaf in leaves]
        for source, node in self.trace.assignments:
            source.write(next(results), node)
        for step in self.trace.updates:
            update = canonical(next(results))
            if step.ids is not None:
                update = partial(dense_update, step.variable.shape, next(results), update)
            step.optimizer._last[id(step.variable)] = update
        return self.trace.pack(parts)

    def __str__(self) -> str:
        return str(self.kernel_plan) if self.kernel_plan is not None else self._source


def _is_loop(node: GraphNode) -> bool:
    return node.op == "call" and isinstance(node.params.function, LoopCall)


def _plan_of_steps(loop: LoopCall) -> ExecutionPlan:
    """The plan of one step, which the loop runs in every plan that it is part of."""
    if isinstance(loop.plan, ExecutionPlan):
        return loop.plan
    inputs: list[Any] = [(ArgumentSource(k), node) for k, node in enumerate(loop.inputs)]
    outputs = [OutputLeaf("array", node) for node in loop.outputs]
    plan = ExecutionPlan(Trace(loop.graph, inputs, outputs, [None] * len(outputs), [], []))
    loop.plan, plan.loop = plan, loop
    return plan


def _with_own_memory(results: Iterable[Any], inputs: list[Any]) -> Iterator[Any]:
    """The results; a copy of each array that is a view, an input or a former result, as functions of NumPy return."""
    taken = set(map(id, inputs))
    for x in results:
        found = x.copy() if type(x) is np.ndarray and (x.base is not None or id(x) in taken) else x
        taken.add(id(found))
        yield found


def _wrap_output(kind: str, value: Any) -> Any:
    if kind == "tensor":
        return wrap(canonical(value))
    if kind == "number":
        return value
    return np.asarray(value) if not isinstance(value, np.generic) else value


# --------------------------------------------------------------------------------------------------- in the background
class _BackgroundCompiler:
    """A daemon thread that compiles queued plans one by one, and is joined when the process exits."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[ExecutionPlan | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def add(self, plan: ExecutionPlan) -> None:
        """Queue a plan for compilation."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():  # a forked process has no threads
                self._thread = threading.Thread(target=self._compile_queued, name="autodiff_kit compile", daemon=True)
                self._thread.start()
                atexit.register(self._stop)
        self._waiting.put(plan)

    def _compile_queued(self) -> None:
        while (plan := self._waiting.get()) is not None and not shutdown.ends():
            plan.build_or_explain()
            del plan

    def _stop(self) -> None:
        self._waiting.put(None)
        if self._thread is not None:
            shutdown.wait_for(self._thread)


_background_compiler = _BackgroundCompiler()


def build_kernels_now(compiled: Any) -> None:
    """Compile the kernels of all plans of a compiled function in the calling thread."""
    for plans in compiled._plans.values():
        for _, plan in plans:
            if not plan.ready:
                plan.build()
