"""Programs of thousands of operations: results, memory, and the work of building their kernels."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.graph import flatten_concatenations
from autodiff_kit.compile.passes.fusion import fuse_nodes
from autodiff_kit.compile.run.kernel_loader import kernel_module_source, load_kernel
from autodiff_kit.compile.topological_order import view_base
from autodiff_kit.compile.trace.tracer import trace_function
from autodiff_kit.kernels import code_cache

from .python_kernels import build

OPERATIONS = 2000


def long(x: Any) -> Any:
    for _ in range(OPERATIONS // 4):
        x = ak.sin(x) * 0.5 + x * 0.9
    return x.sum()


def test_a_long_program_runs_as_numpy_calls_and_in_kernels() -> None:
    x = np.linspace(-1.0, 1.0, 5)
    gradient = ak.grad(long)
    compiled, expected = ak.compile(gradient), gradient(x).numpy()
    for _ in range(2):
        np.testing.assert_allclose(compiled(x).numpy(), expected, rtol=1e-12)
    build(compiled)
    np.testing.assert_allclose(compiled(x).numpy(), expected, rtol=1e-9)


def test_tracing_takes_a_few_kilobytes_for_each_operation() -> None:
    x, peaks = ak.constant(np.ones(5)), []
    ak.compile(ak.grad(ak.sin))(x[0])  # imports
    for _ in range(3):  # other threads of the process may allocate meanwhile
        compiled = ak.compile(ak.grad(long))
        tracemalloc.start()
        try:
            compiled(x)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        if peaks[-1] < 3500 * OPERATIONS:
            break
    assert min(peaks) < 3500 * OPERATIONS


def test_a_kernel_is_compiled_to_machine_code_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiled = ak.compile(ak.grad(lambda x: ak.sum(ak.tanh(x) * ak.exp(x))))
    compiled(np.ones(321))
    (plan,) = build(compiled)
    ((_, kernel),) = plan.kernel_plan.generator.kernels
    modules: list[Any] = []
    optimized = code_cache._Machine.optimized
    monkeypatch.setattr(code_cache._Machine, "optimized", lambda *a: (modules.append(optimized(*a)), modules[-1])[1])
    monkeypatch.setenv("AUTODIFF_KIT_CACHE", str(tmp_path))
    for _ in range(2):
        load_kernel("# another\n" + kernel_module_source(kernel))
    (module,) = modules
    (function,) = (f for f in module.functions if not f.is_declaration)
    assert function.name.endswith("_entry")


def test_a_comparison_keeps_the_dtype_of_its_operands() -> None:
    """A mask of float64 numbers and a choice between float32 numbers are not one kernel."""
    tiny, choices = np.full(9, 1e-50), np.arange(9, dtype=np.float32)
    compiled = ak.compile(lambda x, a: ak.where(x > 0.0, a, -a))
    for _ in range(3):
        np.testing.assert_array_equal(compiled(tiny, choices).numpy(), choices)
        build(compiled)


def test_positions_of_fused_units_are_a_topological_order() -> None:
    w = ak.constant(np.random.default_rng(0).standard_normal((4, 4)))

    def loss(y: Any) -> Any:
        for _ in range(3):
            first = 2 * y + 1
            reader, source = w @ first, w.T @ y
            y = ak.tanh(first + source) * reader  # joins the first kernel, which moves behind the source
        return (y * y).sum()

    trace = trace_function(ak.value_and_grad(loss), (ak.constant(np.ones(4)),), {})
    nodes = flatten_concatenations(trace.outputs)
    units, unit_of = fuse_nodes(nodes, trace.outputs)
    arcs = [(unit_of.get(view_base(a)), u) for u in units for n in u.nodes for a in n.args]
    assert any(len(u.nodes) > 2 for u in units)
    assert all(source is None or source is u or source.position < u.position for source, u in arcs)
