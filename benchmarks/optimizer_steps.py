"""Cost of optimizer steps: projections, sparse rows of large tables, Adam compared with PyTorch.

python -m benchmarks.optimizer_steps [--seconds 1]

Compare ratios within one run only, because machines are shared. PyTorch's columns are missing if it is not installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from benchmarks import eager_tape as eager  # isort: skip  # first, because it limits the threads of NumPy

import numpy as np

import autodiff_kit as ak
from autodiff_kit import kernels

System = Callable[[], Any]
torch = eager.torch
SIZES, BATCH = (784, 256, 128, 10), 128
SMALL = [(2, 64), (64,), (64, 64), (64,), (64, 3), (3,)]


def constrained() -> dict[str, System]:
    """A training step whose weights must stay at 0 or above: three ways, and the unconstrained step."""
    rng = np.random.default_rng(0)
    x = ak.constant(rng.standard_normal((BATCH, SIZES[0])), "float32")
    labels = rng.integers(0, SIZES[-1], BATCH)

    def system(make: Any = lambda w: w, penalty: float = 0.0, constraint: Any = None) -> System:
        ws = [
            ak.Variable(np.abs(rng.standard_normal(s)) * 0.05, dtype="float32", constraint=constraint)
            for s in pairwise(SIZES)
        ]
        opt = ak.optim.Adam(1e-9)  # so small that all steps work on the same numbers

        def loss() -> Any:
            h, extra = x, 0.0
            for k, w in enumerate(ws):
                weight = make(w)
                if penalty:
                    extra = extra + (ak.minimum(weight, 0.0) ** 2).sum()
                h = h @ weight
                h = ak.tanh(h) if k < len(ws) - 1 else h
            return ak.nn.sparse_softmax_cross_entropy(labels, h).mean() + penalty * extra

        return lambda: opt.minimize(loss, ws)

    return {
        "free": system(),
        "projection": system(constraint=lambda w: np.maximum(w, 0.0)),
        "penalty": system(penalty=10.0),
        "other variables": system(make=lambda w: w * w),
    }


def rows(number: int) -> dict[str, System]:
    """32 rows of a table of 16 columns, from the gather to the step."""
    ids = np.random.default_rng(0).integers(0, number, 32)

    def system(opt: Any) -> System:
        table = ak.Variable(np.ones((number, 16), np.float32))
        return lambda: opt.minimize(lambda: (ak.take(table, ids, axis=0) ** 2).sum(), [table])

    return {
        "lazy Adam": system(ak.optim.Adam(lazy=True)),
        "SGD": system(ak.optim.SGD(0.1)),
        "Adam": system(ak.optim.Adam()),
    }


def adam(shapes: list[tuple[int, ...]]) -> dict[str, System]:
    """Steps alone, for given gradients."""
    rng = np.random.default_rng(0)
    start = [rng.standard_normal(s).astype(np.float32) for s in shapes]
    pairs = [(ak.constant(g), ak.Variable(g)) for g in start]
    kit = ak.optim.Adam()
    systems: dict[str, System] = {"kit": lambda: kit.apply_gradients(pairs)}
    if torch is not None:
        for name, options in {"torch": {}, "torch, fused": {"fused": True}}.items():
            parameters = [torch.tensor(g, requires_grad=True) for g in start]
            for p in parameters:
                p.grad = p.detach().clone()
            systems[name] = torch.optim.Adam(parameters, 1e-3, **options).step
    return systems


WORKLOADS: dict[str, Callable[[], dict[str, System]]] = {
    "weights at 0 or above": constrained,
    "rows of a table of 10,000": lambda: rows(10_000),
    "rows of a table of 1,000,000": lambda: rows(1_000_000),
    "Adam, six variables of 2-64-64-3": lambda: adam(SMALL),
    "Adam, 1,000,000 parameters": lambda: adam([(1_000_000,)]),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    kernels.compile_all_loops()
    for name, build in WORKLOADS.items():
        found = eager.measure(build(), options.seconds)
        first = next(iter(found.values()))
        for system, seconds in found.items():
            print(f"{name:34} {system:18} {1e6 * seconds:10.1f} µs   {seconds / first:7.2f} of the first")


if __name__ == "__main__":
    main()
