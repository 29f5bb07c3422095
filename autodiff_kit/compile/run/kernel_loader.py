"""Sources of kernels with the entries through which plans run them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.compile.passes.kernel_source import KernelSource
from autodiff_kit.kernels import native_calls, vector_math, window_loops
from autodiff_kit.kernels.code_cache import load_code

__all__ = ["kernel_module_source", "load_kernel", "module_source"]


def kernel_module_source(kernel: KernelSource) -> str:
    """The source of the module of a kernel: the kernel, and an entry that loads its arguments from a table."""
    scalars = 2 * len(kernel.arrays)  # where their entries begin
    scratch = scalars + len(kernel.scalar_inputs)
    totals = scratch + 2 * len(kernel.scratch)
    given = [f"load_array(table, {2 * k}, np.{n.dtype})" for k, n in enumerate(kernel.arrays)]
    given += [f"load_number(table, {place})" for place in range(scalars, scratch)]
    given += [f"load_array(table, {place}, real)" for place in range(scratch, totals, 2)]
    called = f"kernel({', '.join(given)})"
    if kernel.totals:
        called = f"{', '.join(f'total{k}' for k in range(len(kernel.totals)))} = {called}"
    puts = [f"store_number(table, {totals + k}, real(total{k}))" for k in range(len(kernel.totals))]
    return module_source(kernel.source, "\n    ".join([called, *puts]), kernel.dtype, kernel.interleave_count)


def module_source(kernel: str, entry: str, dtype: np.dtype[Any], interleave_count: int = 0) -> str:
    """The source of a module with a function ``kernel`` and an entry that calls it for a table of arguments."""
    return (
        "import math\n\nimport numpy as np\n\n"
        "from autodiff_kit.kernels.llvm_compiler import add_reassociable\n"
        "from autodiff_kit.kernels.native_calls import *\n"
        "from autodiff_kit.kernels.vector_math import *\n\n"
        f'FASTMATH_FLAGS = "nsz"\ninterleave_count = {interleave_count}\nreal = np.{dtype}\n\n\n'
        f"{kernel}\n\n\ndef entry(table):\n    {entry}\n"
    )


def load_kernel(text: str) -> int:
    """The address of the compiled entry of a module source."""
    names: dict[str, Any] = {}
    exec(text.partition("\n\n\n")[0], names)  # imports and assignments
    modules, count = (native_calls, vector_math, window_loops), names["interleave_count"]
    return load_code(text, names, modules, ["entry"], interleave_count=count)["entry"]
