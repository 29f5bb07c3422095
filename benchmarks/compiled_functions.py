"""Speed of compiled functions compared with the eager kit, eager PyTorch, and the limits of the machine.

python -m benchmarks.compiled_functions [--rows "jvp; hvp"] [--seconds 1] [--json FILE]

The process uses one thread, and the systems take turns; each result is the median of five minima. Compare ratios within
one run only, because machines are shared. PyTorch's column is missing if it is not installed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

System = Callable[[], Any]
Systems = dict[str, System]


def compiled(f: Callable[..., Any], *args: Any) -> Systems:
    """A function, compiled and eager."""
    fast = ak.compile(f)
    fast(*args)
    build_kernels_now(fast)
    return {"kit, compiled": lambda: fast(*args), "kit, eager": lambda: f(*args)}


def backward(loss: Callable[..., Any], *parameters: Any) -> System:
    def run() -> None:
        for p in parameters:
            p.grad = None
        loss(*parameters).backward()

    return run


def mixed(m: Any, y: Any, times: int = 4) -> Any:
    for _ in range(times):
        y = m.sin(y) * y + m.exp(-y)
    return y


def cheap(_: Any, y: Any) -> Any:
    for _ in range(4):
        y = (y * 1.01 + 0.5) * y - y * y
    return y


def chain() -> Systems:
    systems = compiled(ak.value_and_grad(lambda x: mixed(ak, x, 40)), 0.7)
    if torch is not None:
        systems["torch"] = backward(
            lambda x: mixed(torch, x, 40), torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
        )
    return systems


def elementwise(body: Callable[[Any, Any], Any], size: int) -> Systems:
    x = np.random.default_rng(0).uniform(0.1, 1, size).astype(np.float32)
    systems = compiled(ak.value_and_grad(lambda y: ak.sum(body(ak, y))), ak.constant(x))
    out = np.empty_like(x)
    systems["limit: a copy"] = lambda: np.copyto(out, x)
    if torch is not None:
        systems["torch"] = backward(lambda y: body(torch, y).sum(), torch.tensor(x, requires_grad=True))
    return systems


def network(sizes: tuple[int, ...], batch: int) -> Systems:
    """A step of training: forward, backward, Adam."""
    r = np.random.default_rng(0)
    shapes = list(pairwise(sizes))
    start = [(r.standard_normal(s) * (2 / s[0]) ** 0.5).astype(np.float32) for s in shapes]
    data, labels = r.standard_normal((batch, sizes[0])).astype(np.float32), r.integers(0, sizes[-1], batch)
    ws, bs = [ak.Variable(w) for w in start], [ak.Variable(np.zeros(n, np.float32)) for n in sizes[1:]]
    x, y, optimizer = ak.constant(data), ak.constant(labels), ak.optim.Adam(1e-3)

    def loss() -> Any:
        h = x
        for k, (w, b) in enumerate(zip(ws, bs, strict=True)):
            h = ak.nn.relu(h @ w + b) if k < len(ws) - 1 else h @ w + b
        return ak.nn.sparse_softmax_cross_entropy(y, h).mean()

    systems = compiled(lambda: optimizer.minimize(loss, [*ws, *bs]))
    systems["limit: its products"] = _products(sizes, batch)
    if torch is not None:
        for name, how in (("torch", {}), ("torch, fused Adam", {"fused": True})):
            systems[name] = _torch_network(start, data, labels, how)
    return systems


def _products(sizes: tuple[int, ...], batch: int) -> System:
    hs = [np.ones((batch, n), np.float32) for n in sizes]
    ws = [np.ones(s, np.float32) for s in pairwise(sizes)]
    gs = [np.empty_like(w) for w in ws]

    def run() -> None:
        for k, w in enumerate(ws):
            np.dot(hs[k], w, out=hs[k + 1])
        for k in reversed(range(len(ws))):
            np.dot(hs[k].T, hs[k + 1], out=gs[k])
            if k:
                np.dot(hs[k + 1], ws[k].T, out=hs[k])
        for h in hs:
            h.fill(1.0)

    return run


def _torch_network(start: list[Any], data: Any, labels: Any, how: dict[str, Any]) -> System:
    ws = [torch.tensor(w, requires_grad=True) for w in start]
    bs = [torch.zeros(w.shape[1], requires_grad=True) for w in start]
    optimizer, x, y = torch.optim.Adam([*ws, *bs], 1e-3, **how), torch.tensor(data), torch.tensor(labels)

    def run() -> None:
        optimizer.zero_grad()
        h = x
        for k, (w, b) in enumerate(zip(ws, bs, strict=True)):
            h = torch.addmm(b, h, w)
            h = torch.relu(h) if k < len(ws) - 1 else h
        torch.nn.functional.cross_entropy(h, y).backward()
        optimizer.step()

    return run


def attention() -> Systems:
    r = np.random.default_rng(0)
    arrays = [r.standard_normal((8, 4, 64, 32)).astype(np.float32) for _ in range(4)]
    mask = np.tril(np.ones((64, 64), bool))
    q, k, v, w = map(ak.constant, arrays)
    keep = ak.constant(mask)

    def loss(q: Any, k: Any, v: Any) -> Any:
        return (ak.nn.masked_softmax(q @ k.swapaxes(-1, -2) * 32**-0.5, keep) @ v * w).sum()

    systems = compiled(ak.value_and_grad(loss, (0, 1, 2)), q, k, v)
    if torch is not None:
        *three, last = (torch.tensor(a) for a in arrays)
        hidden = ~torch.tensor(mask)

        def peer(q: Any, k: Any, v: Any) -> Any:
            scores = (q @ k.transpose(-1, -2) * 32**-0.5).masked_fill(hidden, -1e9)
            return (torch.softmax(scores, -1) @ v * last).sum()

        systems["torch"] = backward(peer, *(t.requires_grad_() for t in three))
    return systems


def segments() -> Systems:
    r = np.random.default_rng(0)
    data, ids = r.standard_normal((1_000_000, 16)).astype(np.float32), r.integers(0, 10_000, 1_000_000)
    x, numbers = ak.constant(data), ak.constant(ids)

    def loss(x: Any) -> Any:
        y = ak.segment.segment_sum(x, numbers, 10_000)
        return (y * y).sum()

    fast = ak.compile(ak.value_and_grad(loss))
    fast(x)
    build_kernels_now(fast)
    held: list[Any] = [None]
    out = np.empty_like(data)
    systems: Systems = {
        "kit, compiled": lambda: fast(x),
        "kit, compiled, answer held": lambda: held.__setitem__(0, fast(x)),
        "limit: a copy": lambda: np.copyto(out, data),
    }
    if torch is not None:
        t = torch.tensor(ids)
        total = lambda x: torch.zeros(10_000, 16).index_add(0, t, x)  # noqa: E731
        systems["torch"] = backward(lambda x: (total(x) ** 2).sum(), torch.tensor(data, requires_grad=True))
    return systems


def derivatives(kind: str) -> Systems:
    """Derivatives of a network with two layers of width 100."""
    r = np.random.default_rng(0)
    arrays = [r.standard_normal(s) * 0.1 for s in ((100, 128), (128,), (128, 100), (100,), (100,), (100,))]

    def of(m: Any, given: list[Any]) -> tuple[Callable[[Any], Any], Callable[[Any], Any], Any, Any]:
        w1, b1, w2, b2, x, u = given
        f = lambda x: m.tanh(m.tanh(x @ w1 + b1) @ w2 + b2)  # noqa: E731
        return f, lambda x: (f(x) ** 2).sum(), x, u

    f, total, x, u = of(ak, [ak.constant(a) for a in arrays])
    systems = {
        "Jacobian": lambda: compiled(ak.jacobian(f), x),
        "jvp": lambda: compiled(lambda x, u: ak.jvp(f, x, u), x, u),
        "hvp": lambda: compiled(lambda x, u: ak.hvp(total, x, u), x, u),
    }[kind]()
    if torch is not None:
        g, summed, y, t = of(torch, [torch.tensor(a) for a in arrays])
        systems["torch"] = {
            "Jacobian": lambda: torch.func.jacrev(g)(y),
            "jvp": lambda: torch.func.jvp(g, (y,), (t,)),
            "hvp": lambda: torch.func.jvp(torch.func.grad(summed), (y,), (t,)),
        }[kind]
    return systems


def adam(size: int = 1_000_000) -> Systems:
    r = np.random.default_rng(0)
    p, g = (r.standard_normal(size).astype(np.float32) for _ in range(2))
    w, optimizer = ak.Variable(p), ak.optim.Adam(1e-3)
    systems = compiled(lambda g: optimizer.apply_gradients([(g, w)]), ak.constant(g))
    if torch is not None:
        for name, how in (("torch", {}), ("torch, fused", {"fused": True})):
            t = torch.tensor(p, requires_grad=True)
            t.grad = torch.tensor(g)
            systems[name] = torch.optim.Adam([t], 1e-3, **how).step
    return systems


ROWS: dict[str, Callable[[], Systems]] = {
    "200 scalar operations": chain,
    **{f"sin and exp {n:.0e}".replace("+0", ""): lambda n=n: elementwise(mixed, n) for n in (1000, 10**5, 10**7)},
    **{f"multiply and add {n:.0e}".replace("+0", ""): lambda n=n: elementwise(cheap, n) for n in (1000, 10**5, 10**7)},
    "step of 2-64-64-3, batch 32": lambda: network((2, 64, 64, 3), 32),
    "step of 784-256-128-10, batch 128": lambda: network((784, 256, 128, 10), 128),
    "masked attention": attention,
    "sums of a million rows": segments,
    "Jacobian": lambda: derivatives("Jacobian"),
    "jvp": lambda: derivatives("jvp"),
    "hvp": lambda: derivatives("hvp"),
    "Adam on a million": adam,
}


def measure(systems: Systems, seconds: float) -> dict[str, float]:
    """Seconds per call: the median of five rounds, each the minimum of interleaved runs."""
    times: dict[str, int] = {}
    for name, run in systems.items():
        run()
        start = time.perf_counter()
        run()
        times[name] = max(1, int(0.005 / max(time.perf_counter() - start, 1e-7)))
    found: dict[str, list[float]] = {name: [] for name in systems}
    gc.collect()
    for _ in range(5):
        best = dict.fromkeys(systems, float("inf"))
        end = time.perf_counter() + seconds * len(systems) / 5
        while time.perf_counter() < end or max(best.values()) == float("inf"):
            for name, run in systems.items():
                start = time.perf_counter()
                for _ in range(times[name]):
                    run()
                best[name] = min(best[name], (time.perf_counter() - start) / times[name])
        for name, value in best.items():
            found[name].append(value)
    return {name: statistics.median(values) for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="all", help="names, separated by semicolons")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json")
    options = parser.parse_args()
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, torch {getattr(torch, '__version__', 'absent')}"
    )
    found: dict[str, dict[str, float]] = {}
    for name in ROWS if options.rows == "all" else map(str.strip, options.rows.split(";")):
        found[name] = row = measure(ROWS[name](), options.seconds)
        peer = row.get("torch")
        for system, seconds in row.items():
            ratio = f"   {peer / seconds:8.2f} times torch's speed" if peer and system != "torch" else ""
            print(f"{name:36} {system:28} {1e6 * seconds:12.1f} µs{ratio}", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
