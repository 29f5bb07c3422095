"""Compile every kernel now and keep it in the cache: run while Binder builds its image."""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np


def _example_functions() -> list[Any]:
    """Compiled functions of the kinds that lessons use, with their arguments: the lessons then find their kernels."""
    import autodiff_kit as ak

    rng = np.random.default_rng(0)
    found: list[Any] = []
    for sizes, rows in (((2, 16, 1), 32), ((2, 64, 64, 3), 32)):
        shapes = list(pairwise(sizes))
        weights = [ak.Variable(rng.standard_normal(s).astype(np.float32)) for s in shapes]
        biases = [ak.Variable(np.zeros(n, np.float32)) for n in sizes[1:]]
        x = ak.constant(rng.standard_normal((rows, sizes[0])).astype(np.float32))
        optimizer = ak.optim.Adam(1e-3)

        def loss(weights: Any = weights, biases: Any = biases, x: Any = x) -> Any:
            h = x
            for w, b in zip(weights, biases, strict=True):
                h = ak.tanh(h @ w + b)
            return (h * h).mean()

        step = ak.compile(
            lambda loss=loss, optimizer=optimizer, every=(*weights, *biases): optimizer.minimize(loss, every)
        )
        found.append((step, ()))
    chain = ak.compile(ak.value_and_grad(lambda x: ak.sin(x) * x + ak.exp(-x) * ak.tanh(x) - ak.cos(x) / (x * x + 1.0)))
    return [*found, (chain, (0.5,))]


def main() -> int:
    """Compile the kernels, print the time that it took, and return the exit code."""
    from autodiff_kit import kernels

    begun = time.perf_counter()
    names = kernels.compile_all_loops()
    if names:
        from autodiff_kit.compile.run.execution_plan import build_kernels_now
        from autodiff_kit.kernels import native_calls  # compiles on import

        for function, arguments in _example_functions():
            function(*arguments)
            build_kernels_now(function)
        names.append(native_calls.__name__)
    print(f"Kernels compiled in {time.perf_counter() - begun:.1f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
