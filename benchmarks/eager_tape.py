"""Speed of the eager tape compared with PyTorch, and the cost of its parts.

python -m benchmarks.eager_tape [--seconds 2] [--json FILE]

Compare ratios within one run only, because machines are shared. PyTorch's column is missing if it is not installed.
"""

from __future__ import annotations

import argparse
import compileall
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np

import autodiff_kit as ak
from autodiff_kit.core import fast_dispatch, tensor

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

System = Callable[[], Any]


def chain(sin: Any, exp: Any, y: Any, times: int = 40) -> Any:
    """200 operations on one number."""
    for _ in range(times):
        y = sin(y) * y + exp(-y)
    return y


def scalar_chain() -> dict[str, System]:
    x = ak.Variable(0.7)

    def kit() -> Any:
        with ak.GradientTape() as tape:
            y = chain(ak.sin, ak.exp, x)
        return tape.gradient(y, x)

    def record_only() -> None:
        with ak.GradientTape():
            chain(ak.sin, ak.exp, x)

    def without_place() -> Any:
        """The same with the location of a node looked up only once: the difference is the cost of the user's line."""
        here = SimpleNamespace(f_code=chain.__code__, f_lasti=0, f_back=None)
        real, fast_dispatch._getframe = fast_dispatch._getframe, {1: here, 2: here}.__getitem__
        try:
            return kit()
        finally:
            fast_dispatch._getframe = real

    systems: dict[str, System] = {"kit": kit, "kit, recording only": record_only, "kit, no place": without_place}
    if torch is not None:
        t = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)

        def peer() -> None:
            t.grad = None
            chain(torch.sin, torch.exp, t).backward()

        systems["torch"] = peer
    return systems


def decisions() -> dict[str, System]:
    """The same with a branch in each turn: the cost of the marks that ``explain`` reads."""
    x = ak.Variable(0.7)

    def decided() -> Any:
        with ak.GradientTape() as tape:
            y = x
            for _ in range(40):
                y = ak.sin(y) * y + ak.exp(-y) if y > 0 else -y
        return tape.gradient(y, x)

    def without_marks() -> Any:
        real, tensor.mark_path_break = tensor.mark_path_break, lambda *_: None
        try:
            return decided()
        finally:
            tensor.mark_path_break = real

    return {"kit": decided, "kit, no marks": without_marks}


def network(sizes: tuple[int, ...], batch: int) -> dict[str, System]:
    """A step of training: forward, backward, Adam."""
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal(s).astype(np.float32) * 0.1 for s in pairwise(sizes)]
    biases = [np.zeros(n, np.float32) for n in sizes[1:]]
    x, labels = rng.standard_normal((batch, sizes[0])).astype(np.float32), rng.integers(0, sizes[-1], batch)
    ws, bs = [ak.Variable(w) for w in weights], [ak.Variable(b) for b in biases]
    data, optimizer = ak.constant(x), ak.optim.Adam(1e-3)

    def loss() -> Any:
        h = data
        for k, (w, b) in enumerate(zip(ws, bs, strict=True)):
            h = h @ w + b
            h = ak.nn.relu(h) if k < len(ws) - 1 else h
        return ak.nn.sparse_softmax_cross_entropy(labels, h).mean()

    systems: dict[str, System] = {"kit": lambda: optimizer.minimize(loss, [*ws, *bs])}
    if torch is not None:
        parameters = [torch.tensor(p, requires_grad=True) for p in (*weights, *biases)]
        adam, inputs, targets = torch.optim.Adam(parameters, 1e-3), torch.tensor(x), torch.tensor(labels)

        def peer() -> None:
            adam.zero_grad()
            h = inputs
            for k in range(len(weights)):
                h = torch.addmm(parameters[len(weights) + k], h, parameters[k])
                h = torch.relu(h) if k < len(weights) - 1 else h
            torch.nn.functional.cross_entropy(h, targets).backward()
            adam.step()

        systems["torch"] = peer
    return systems


WORKLOADS: dict[str, Callable[[], dict[str, System]]] = {
    "200 scalar operations": scalar_chain,
    "200 with 40 decisions": decisions,
    "step of 2-64-64-3, batch 32": lambda: network((2, 64, 64, 3), 32),
    "step of 784-256-128-10, batch 128": lambda: network((784, 256, 128, 10), 128),
}


def measure(systems: dict[str, System], seconds: float) -> dict[str, float]:
    """Seconds per call: the minimum of interleaved rounds."""
    times: dict[str, int] = {}
    for name, run in systems.items():
        run()
        start = time.perf_counter()
        run()
        times[name] = max(1, int(0.01 / max(time.perf_counter() - start, 1e-7)))
    best = dict.fromkeys(systems, float("inf"))
    gc.collect()
    end = time.perf_counter() + seconds * len(systems)
    while time.perf_counter() < end:
        for name, run in systems.items():
            start = time.perf_counter()
            for _ in range(times[name]):
                run()
            best[name] = min(best[name], (time.perf_counter() - start) / times[name])
    return best


COLD = """import autodiff_kit as ak
x = ak.Variable(3.0)
with ak.GradientTape() as t: y = x * x
t.gradient(y, x)"""
COLD_TORCH = "import torch; x = torch.tensor(3.0, requires_grad=True); (x * x).backward()"


def cold(code: str, rounds: int = 5) -> float:
    """Seconds of a fresh process: the minimum of several runs."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json")
    options = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    for name, build in WORKLOADS.items():
        found[name] = measure(build(), options.seconds)
    compileall.compile_dir(str(Path(ak.__file__).parent), quiet=2)  # as in an installed package
    found["fresh process: import, first gradient"] = {"kit": cold(COLD)}
    found["fresh process: nothing"] = {"kit": cold("pass")}
    if torch is not None:
        found["fresh process: import, first gradient"]["torch"] = cold(COLD_TORCH)
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, torch {getattr(torch, '__version__', 'absent')}"
    )
    for name, row in found.items():
        peer = row.get("torch")
        for system, seconds in row.items():
            ratio = f"   {peer / seconds:6.2f} times torch's speed" if peer and system != "torch" else ""
            print(f"{name:38} {system:20} {1e6 * seconds:12.1f} µs{ratio}")
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
