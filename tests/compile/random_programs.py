"""Random functions of a few arrays, whose operations and gradients are drawn from a seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff_kit as ak

SHAPES = [(5,), (4, 5), (3, 4, 5), (4, 1), (1, 5), (3, 1, 5), (5, 4), (5, 5), (), (1,)]
UNARY: list[Callable[[Any], Any]] = [
    ak.sin, ak.cos, ak.tanh, ak.sigmoid, ak.nn.relu, lambda v: ak.exp(ak.sin(v)), lambda v: ak.log(v * v + 1.0),
    lambda v: ak.sqrt(v * v + 0.5), lambda v: -v, ak.nn.gelu, ak.abs, ak.square, ak.nn.softplus,
    lambda v: ak.where(v > 0.1, v, 0.3 * v), lambda v: ak.clip(v, -0.7, 0.9), lambda v: ak.maximum(v, 0.2), ak.floor,
    lambda v: v ** 3 * 0.1, lambda v: ak.minimum(v, 1.0) * ak.sign(v), lambda v: ak.nn.elu(v),
]  # fmt: skip


class Program:
    """A function of arrays; the same choices at every call."""

    def __init__(self, seed: int) -> None:
        r = np.random.default_rng(seed)
        self.dtype = np.dtype("f8" if r.random() < 0.7 else "f4")
        self.script = [(r.random(), r.integers(0, 10**6, 4)) for _ in range(int(r.integers(4, 30)))]
        self.inputs = [self._draw(r, SHAPES[i]) for i in r.integers(0, len(SHAPES), r.integers(2, 5))]
        self.pick = r.integers(0, 10**6, 8)
        self.outputs = int(r.integers(1, 4))
        self.mode = ["value", "gradient", "gradient", "tangent", "training", "hvp"][int(r.integers(0, 6))]
        self.constant = ak.constant(np.asarray(r.standard_normal((4, 5)), self.dtype))
        self.ids, self.labels = r.integers(0, 4, 6), r.integers(0, 5, 4)
        self.mask = r.random((4, 5)) < 0.7
        self.steps = ["Adam", "SGD", "RMSProp", "Adagrad", "Adadelta"][int(r.integers(0, 5))]

    def _draw(self, r: np.random.Generator, shape: tuple[int, ...]) -> Any:
        return np.asarray(r.standard_normal(shape), self.dtype)

    def moved(self, r: np.random.Generator, wild: bool) -> list[Any]:
        """Other inputs of the same kind; wild ones contain nan, infinities and numbers of all magnitudes."""
        found = []
        for x in self.inputs:
            y = np.asarray(x + 0.3 * r.standard_normal(x.shape), self.dtype)
            if wild:
                odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e-30, 3e5], self.dtype)
                y = np.where(r.random(x.shape) < 0.2, r.choice(odd, x.shape), y).astype(self.dtype)
            found.append(y)
        return found

    # ----------------------------------------------------------------------------------------------------- what it does
    def body(self, *given: Any) -> list[Any]:
        """Every intermediate value."""
        values = list(given)
        for p, q in self.script:
            a, b = values[q[0] % len(values)], values[q[1] % len(values)]
            y = self._step(p, int(q[2]), a, b)
            if y is not None and y.ndim <= 4 and y.size < 4000:
                values.append(y)
        return values

    def _step(self, p: float, k: int, a: Any, b: Any) -> Any:
        s, square = a.shape, a.ndim > 1
        if p < 0.28:
            try:
                np.broadcast_shapes(s, b.shape)
            except ValueError:
                return None
            return [lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / (b * b + 1.5), lambda: ak.maximum(a, b)][
                k % 5
            ]()
        if p < 0.58:
            return UNARY[k % len(UNARY)](a)
        if p < 0.66:
            return a @ b * 0.3 if square and b.ndim == 2 and s[-1] == b.shape[0] else a * 0.5 + 1.0
        if p < 0.71 and square:
            return a.swapaxes(-1, -2)
        if p < 0.80 and a.ndim:
            return [lambda: a.sum(-1, True), a.sum, lambda: a.mean(-1, True), lambda: a.sum(0), lambda: a.max(-1)][
                k % 5
            ]()
        if p < 0.87 and square and s[-1] > 1:
            return [
                lambda: ak.nn.softmax(a),
                lambda: ak.logsumexp(a, -1),
                lambda: a - a.mean(-1, True),
                lambda: ak.var(a, -1),
            ][k % 4]()
        if p < 0.91 and s[-2:] == (4, 5):
            return [lambda: ak.nn.masked_softmax(a, self.mask), lambda: a * self.constant, lambda: a + self.constant,
                    lambda: ak.nn.sparse_softmax_cross_entropy(np.broadcast_to(self.labels, s[:-1]), a),
                    ][k % 4]()  # fmt: skip
        if p < 0.95 and a.ndim and s[-1] >= 4:
            return [lambda: a[..., 1:3], lambda: a[..., 0:2] * a[..., 2:4], lambda: a[..., ::-1], lambda: a[..., 2]][
                k % 4
            ]()
        if p < 0.98 and a.ndim:
            return [lambda: a.reshape((-1,)), lambda: ak.concat([a, a * 2.0], -1), lambda: ak.stack([a, -a])][k % 3]()
        return a[self.ids] if a.ndim and s[0] >= 4 else None

    def loss(self, *given: Any) -> Any:
        """One number that depends on several of the values."""
        values = self.body(*given)
        total = 0.0
        for k in range(3):
            v = values[-1 - self.pick[k] % min(6, len(values))]
            total = total + ak.sum(ak.tanh(v) * 0.7)
        return total

    def function(self, weights: list[Any] | None = None, optimizer: Any = None) -> Callable[..., Any]:
        """The function to compile."""
        every = tuple(range(len(self.inputs)))
        if self.mode == "value":
            return lambda *xs: [
                self.body(*xs)[self.pick[4 + k] % (len(self.script) // 3 + 1)] for k in range(self.outputs)
            ]
        if self.mode == "gradient":
            return ak.value_and_grad(self.loss, every)
        if self.mode == "tangent":
            return lambda *xs: ak.jvp(self.loss, xs, [x * 0.5 for x in xs])
        if self.mode == "hvp":
            return lambda *xs: ak.hvp(self.loss, xs, [x * 0.5 for x in xs])
        return lambda *xs: (optimizer.minimize(lambda: self.loss(weights[0], *xs[1:]), weights), weights[0] * 1.0)  # type: ignore[index,union-attr]

    def made(self) -> tuple[Callable[..., Any], Callable[[], list[Any]]]:
        """The function, and one that returns its state: weights and slots."""
        if self.mode != "training":
            return self.function(), list
        w = ak.Variable(self.inputs[0])
        optimizer = getattr(ak.optim, self.steps)(0.01)

        def state() -> list[Any]:
            return [np.array(w._value), *(optimizer.get_slot(w, n) for n in optimizer.slot_names())]

        return self.function([w], optimizer), state


def flat(nest: Any) -> list[Any]:
    """Leaves as arrays."""
    if isinstance(nest, (list, tuple)):
        return [x for part in nest for x in flat(part)]
    return [np.asarray(nest)]


def close(a: Any, b: Any, dtype: Any, scale: float = 1.0) -> bool:
    """Equal up to rounding errors that a few dozen operations may have magnified."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    tolerance = 1e-9 if dtype == np.float64 else 3e-3
    size = np.max(np.abs(b[np.isfinite(b)]), initial=1.0) if b.dtype.kind == "f" else 1.0
    if not math.isfinite(float(size)):
        return True
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * min(float(size), 1e3) * scale, equal_nan=True))
