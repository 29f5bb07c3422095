"""Jacobians, Jacobian-vector products, Hessian-vector products, and per-example gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import (
    AUTOGRAD,
    HAND,
    TENSORFLOW,
    TORCH,
    TORCH_COMPILE,
    System,
    Systems,
    jit,
    kit,
    limit,
)
from benchmarks.library_comparison.workloads.networks import Case, forward

DOUBLE, WRITES = "PyTorch double backward", "limit: writing them"


class Net:
    """tanh(tanh(x A + a) B + b), 100 wide, in float64; and a direction."""

    def __init__(self, s: Setting) -> None:
        rng, n, m = np.random.default_rng(0), s.sized(100, 4), s.sized(128, 5)
        shapes = ((n, m), (m,), (m, n), (n,), (n,), (n,))
        *self.weights, self.x, self.u = (rng.standard_normal(shape) * 0.1 for shape in shapes)

    def of(self, tanh: Callable[[Any], Any], make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The function in the notation of a library."""
        a, b, c, d = map(make, self.weights)
        return lambda x: tanh(tanh(x @ a + b) @ c + d)


def jacobian(s: Setting) -> Systems:
    """f: the complete matrix."""
    net = Net(s)
    systems = kit(ak.jacobian(net.of(ak.tanh, ak.constant)), ak.constant(net.x))
    systems[HAND] = System(lambda: _hand_jacobian(net))
    if s.torch is not None:
        matrix, x = s.torch.func.jacrev(net.of(s.torch.tanh, s.torch.tensor)), s.torch.tensor(net.x)
        systems[TORCH] = System(lambda: matrix(x))
    if s.jax is not None:
        systems |= jit(s, s.jax.jacrev(net.of(s.jax.numpy.tanh, s.jax.numpy.asarray)), net.x)
    if s.autograd is not None:
        full = s.autograd.jacobian(net.of(s.autograd.numpy.tanh, np.asarray))
        systems[AUTOGRAD] = System(lambda: full(net.x))
    return systems


def _hand_jacobian(net: Net) -> Any:
    a, b, c, d = net.weights
    h = np.tanh(net.x @ a + b)
    return (((1 - np.tanh(h @ c + d) ** 2) * c).T * (1 - h * h)) @ a.T


def direction(s: Setting) -> Systems:
    """f: the value and its Jacobian-vector product with a direction."""
    net = Net(s)
    f = net.of(ak.tanh, ak.constant)
    systems = kit(lambda x, u: ak.jvp(f, (x,), (u,)), ak.constant(net.x), ak.constant(net.u))
    systems[HAND] = System(lambda: _hand_direction(net))
    if s.torch is not None:
        g, x, u = net.of(s.torch.tanh, s.torch.tensor), s.torch.tensor(net.x), s.torch.tensor(net.u)
        systems[TORCH] = System(lambda: s.torch.func.jvp(g, (x,), (u,)))
    if s.jax is not None:
        j = net.of(s.jax.numpy.tanh, s.jax.numpy.asarray)
        systems |= jit(s, lambda x, u: s.jax.jvp(j, (x,), (u,)), net.x, net.u)
    if s.autograd is not None:
        along = s.autograd.make_jvp(net.of(s.autograd.numpy.tanh, np.asarray))
        systems[AUTOGRAD] = System(lambda: along(net.x)(net.u))
    if s.tensorflow is not None:
        systems[TENSORFLOW] = _tensorflow_direction(s, net)
    return systems


def _hand_direction(net: Net) -> Any:
    a, b, c, d = net.weights
    h = np.tanh(net.x @ a + b)
    y = np.tanh(h @ c + d)
    return y, (((net.u @ a) * (1 - h * h)) @ c) * (1 - y * y)


def _tensorflow_direction(s: Setting, net: Net) -> System:
    tf = s.tensorflow
    x, u, f = tf.constant(net.x)[None], tf.constant(net.u)[None], net.of(tf.tanh, tf.constant)

    @tf.function
    def run() -> Any:
        with tf.autodiff.ForwardAccumulator(x, u) as forwards:
            y = f(x)
        return y[0], forwards.jvp(y)[0]

    return System(run)


def curvature(s: Setting) -> Systems:
    """f: the Hessian of the sum of squares, times a direction."""
    net = Net(s)

    def total(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: (f(x) ** 2).sum()

    f = total(net.of(ak.tanh, ak.constant))
    systems = kit(lambda x, u: ak.hvp(f, (x,), (u,)), ak.constant(net.x), ak.constant(net.u))
    systems[HAND] = System(lambda: _hand_curvature(net))
    if s.torch is not None:
        g, x, u = total(net.of(s.torch.tanh, s.torch.tensor)), s.torch.tensor(net.x), s.torch.tensor(net.u)
        systems[TORCH] = System(lambda: s.torch.func.jvp(s.torch.func.grad(g), (x,), (u,))[1])
        systems[DOUBLE] = System(lambda: s.torch.autograd.functional.hvp(g, x, u)[1])
    if s.jax is not None:
        slope = s.jax.grad(total(net.of(s.jax.numpy.tanh, s.jax.numpy.asarray)))
        systems |= jit(s, lambda x, u: s.jax.jvp(slope, (x,), (u,))[1], net.x, net.u)
    if s.autograd is not None:
        product = s.autograd.make_hvp(total(net.of(s.autograd.numpy.tanh, np.asarray)))
        systems[AUTOGRAD] = System(lambda: product(net.x)[0](net.u))
    return systems


def _hand_curvature(net: Net) -> Any:
    """The gradient by hand, and its derivative along u by the product rule."""
    a, b, c, d = net.weights
    h = np.tanh(net.x @ a + b)
    y = np.tanh(h @ c + d)
    dh, s = (net.u @ a) * (1 - h * h), 1 - h * h
    dy, t = (dh @ c) * (1 - y * y), 1 - y * y
    back, dback = (2 * y * t) @ c.T, (2 * dy * t - 4 * y * y * dy) @ c.T
    return (dback * s - 2 * back * h * dh) @ a.T


def per_example(sizes: tuple[int, ...], batch: int) -> Any:
    """g: a gradient for each example of a batch."""

    def build(s: Setting) -> Systems:
        c = Case(s, s.sized(sizes, (4, 5, 3)), s.sized(batch, 6))
        ws, labels = [ak.Variable(p) for p in c.start], ak.constant(c.labels)

        def losses(x: Any) -> Any:
            return ak.nn.sparse_softmax_cross_entropy(labels, forward(ws, x, c.layers, ak.nn.relu))

        systems = kit(lambda x: ak.per_example_gradients(losses, ws, x), ak.constant(c.x))
        systems[HAND] = System(lambda: _hand_examples(c))
        if s.torch is not None:
            systems |= _torch_examples(s, c)
        if s.jax is not None:
            systems |= _jax_examples(s, c)
        rooms = [np.empty((len(c.x), *p.shape), p.dtype) for p in c.start]
        return systems | {WRITES: limit(lambda: [room.fill(1) for room in rooms])}

    return build


def _hand_examples(c: Case) -> Any:
    hs = [c.x]
    for k in range(c.layers):
        z = hs[-1] @ c.start[2 * k] + c.start[2 * k + 1]
        hs.append(np.maximum(z, 0) if k < c.layers - 1 else z)
    scores = hs.pop()
    exps = np.exp(scores - scores.max(1, keepdims=True))
    d, found = exps / exps.sum(1, keepdims=True) - c.hot, []
    for k in reversed(range(c.layers)):
        found = [hs[k][:, :, None] * d[:, None, :], d, *found]
        d = (d @ c.start[2 * k].T) * (hs[k] > 0)
    return found


def _torch_examples(s: Setting, c: Case) -> Systems:
    torch = s.torch
    p, x, labels = [torch.tensor(a) for a in c.start], torch.tensor(c.x), torch.tensor(c.labels)

    def loss(p: Any, x: Any, label: Any) -> Any:
        return torch.nn.functional.cross_entropy(forward(p, x, c.layers, torch.relu), label)

    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))
    systems = {TORCH: System(lambda: each(p, x, labels))}
    if "torch.compile" in s.extras:
        fast = torch.compile(each)
        systems[TORCH_COMPILE] = System(lambda: fast(p, x, labels))
    return systems


def _jax_examples(s: Setting, c: Case) -> Systems:
    jax = s.jax

    def loss(p: Any, x: Any, hot: Any) -> Any:
        return -jax.numpy.sum(hot * jax.nn.log_softmax(forward(p, x, c.layers, jax.nn.relu)))

    each = jax.vmap(jax.grad(loss), (None, 0, 0))
    return jit(s, lambda x, hot, *p: each(list(p), x, hot), c.x, c.hot, *c.start)
