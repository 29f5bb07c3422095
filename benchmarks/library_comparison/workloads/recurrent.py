"""k: a long short-term memory over many steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import PRODUCTS, System, Systems, gradients, limit

NATIVE = "PyTorch native LSTM"


def lstm(steps: int, batch: int, inputs: int, width: int) -> Any:
    """k: the sum of squares of the last state, and the gradients of three weights."""

    def build(s: Setting) -> Systems:
        t, b, d, h = s.sized((steps, batch, inputs, width), (3, 2, 4, 5))
        rng = np.random.default_rng(0)
        zero = np.zeros((b, h), s.dtype)
        shapes = ((d, 4 * h), (h, 4 * h), (4 * h,))
        args = [s.normal(rng, t, b, d), zero, zero.copy(), *(s.normal(rng, *shape, scale=0.1) for shape in shapes)]
        losses = {"kit": _kit}
        if s.torch is not None:
            losses["torch"] = lambda *a: _torch(s.torch, *a)
        if s.jax is not None:
            losses["jax"] = lambda *a: _jax(s.jax, *a)
        systems = gradients(s, args, (3, 4, 5), **losses)
        if s.torch is not None:
            systems[NATIVE] = _native(s, args)
        return systems | {PRODUCTS: limit(_products(args))}

    return build


def _kit(x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> Any:
    z = x @ w + b
    for t in range(x.shape[0]):
        i, f, g, o = ak.split(z[t] + h @ u, 4, 1)
        c = ak.sigmoid(f) * c + ak.sigmoid(i) * ak.tanh(g)
        h = ak.sigmoid(o) * ak.tanh(c)
    return (h * h).sum()


def _torch(torch: Any, x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> Any:
    z = x @ w + b
    for t in range(x.shape[0]):
        i, f, g, o = (z[t] + h @ u).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return (h * h).sum()


def _jax(jax: Any, x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> Any:
    def cell(state: Any, z: Any) -> Any:
        h, c = state
        i, f, g, o = jax.numpy.split(z + h @ u, 4, 1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jax.numpy.tanh(g)
        h = jax.nn.sigmoid(o) * jax.numpy.tanh(c)
        return (h, c), None

    (h, _), _ = jax.lax.scan(cell, (h, c), x @ w + b)
    return (h * h).sum()


def _native(s: Setting, args: list[Any]) -> System:
    """PyTorch's own LSTM, with the same weights; it has a second bias, of 0."""
    torch = s.torch
    x, _, _, w, u, b = map(torch.tensor, args)
    layer = torch.nn.LSTM(x.shape[2], u.shape[0], dtype=x.dtype)
    with torch.no_grad():
        layer.weight_ih_l0.copy_(w.T)
        layer.weight_hh_l0.copy_(u.T)
        layer.bias_ih_l0.copy_(b)
        layer.bias_hh_l0.zero_()

    def run() -> Any:
        layer.zero_grad()
        h = layer(x)[1][0]
        value = (h * h).sum()
        value.backward()
        return value, [layer.weight_ih_l0.grad.T, layer.weight_hh_l0.grad.T, layer.bias_ih_l0.grad]

    return System(run)


def _products(args: list[Any]) -> Any:
    """The matrix products: those of a step one after the other, those of all steps in one."""
    x, h, _, w, u, _ = args
    rows, states = x.reshape(-1, x.shape[2]), np.tile(h, (len(x), 1))
    z, out = np.empty((len(rows), w.shape[1]), x.dtype), np.empty((len(h), u.shape[1]), x.dtype)
    back, dw, du = np.empty_like(h), np.empty_like(w), np.empty_like(u)

    def run() -> None:
        np.dot(rows, w, out=z)
        for _ in range(len(x)):
            np.dot(h, u, out=out)
        for _ in range(len(x) - 1):
            np.dot(out, u.T, out=back)
        np.dot(rows.T, z, out=dw)
        np.dot(states.T, z, out=du)

    return run
