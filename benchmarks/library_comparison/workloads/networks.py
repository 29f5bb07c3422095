"""Training: a network with Adam, and Adam alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import (
    AUTOGRAD,
    COMPILED,
    DONATED,
    EAGER,
    HAND,
    JAX,
    MYGRAD,
    PRODUCTS,
    TENSORFLOW,
    TORCH,
    TORCH_COMPILE,
    System,
    Systems,
    limit,
)

FUSED, STREAM = "PyTorch fused", "limit: the stream"
RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-8


class Case:
    """Weights, inputs and labels of a network."""

    def __init__(self, s: Setting, sizes: tuple[int, ...], batch: int) -> None:
        rng = np.random.default_rng(0)
        self.start = []
        for a, b in pairwise(sizes):
            self.start += [s.normal(rng, a, b, scale=(2 / a) ** 0.5), np.zeros(b, s.dtype)]
        self.x = s.normal(rng, batch, sizes[0])
        self.labels = rng.integers(0, sizes[-1], batch)
        self.hot = np.eye(sizes[-1], dtype=s.dtype)[self.labels]
        self.layers = len(sizes) - 1


def forward(p: Any, x: Any, layers: int, relu: Callable[[Any], Any]) -> Any:
    """The network, for values of any library."""
    for k in range(layers):
        x = x @ p[2 * k] + p[2 * k + 1]
        x = relu(x) if k < layers - 1 else x
    return x


def training(sizes: tuple[int, ...], batch: int) -> Callable[[Setting], Systems]:
    """c: a step of training, forward, backward, Adam."""

    def build(s: Setting) -> Systems:
        c = Case(s, s.sized(sizes, (4, 5, 3)), s.sized(batch, 6))
        systems = {EAGER: _kit(c, False), COMPILED: _kit(c, True), HAND: _hand(c)}
        if s.torch is not None:
            systems |= {TORCH: _torch(s, c), FUSED: _torch(s, c, fused=True)}
            if "torch.compile" in s.extras:
                systems[TORCH_COMPILE] = _torch(s, c, compiled=True, fused=True)
        if s.jax is not None:
            systems |= {JAX: _jax(s, c, ()), DONATED: _jax(s, c, (0, 1, 2, 3))}
        if s.autograd is not None:
            systems[AUTOGRAD] = _autograd(s, c)
        if s.mygrad is not None:
            systems[MYGRAD] = _mygrad(s, c)
        if s.tensorflow is not None:
            systems[TENSORFLOW] = _tensorflow(s, c)
        return systems | {PRODUCTS: limit(_products(c))}

    return build


def _kit(c: Case, compiled: bool) -> System:
    ws, optimizer = [ak.Variable(p) for p in c.start], ak.optim.Adam(RATE)
    x, labels = ak.constant(c.x), ak.constant(c.labels)

    def step(x: Any) -> Any:
        def loss() -> Any:
            return ak.nn.sparse_softmax_cross_entropy(labels, forward(ws, x, c.layers, ak.nn.relu)).mean()

        return optimizer.minimize(loss, ws)

    def restart() -> None:
        for w, p in zip(ws, c.start, strict=True):
            w.assign(p)
            for name in ("m", "v", "t"):
                optimizer.set_slot(w, name, 0 * p if name != "t" else 0)

    run = ak.compile(step) if compiled else step
    return System(lambda: (run(x), ws), restart, run if compiled else None)


class Adam:
    """Adam on NumPy arrays, as one would write it."""

    def __init__(self, start: list[Any]) -> None:
        self.start, self.p = start, [p.copy() for p in start]
        self.restart()

    def restart(self) -> None:
        for p, first in zip(self.p, self.start, strict=True):
            p[...] = first
        self.m, self.v, self.t = [0 * p for p in self.p], [0 * p for p in self.p], 0

    def step(self, gradients: list[Any]) -> None:
        self.t += 1
        for p, g, m, v in zip(self.p, gradients, self.m, self.v, strict=True):
            m *= BETA1
            m += (1 - BETA1) * g
            v *= BETA2
            v += (1 - BETA2) * g * g
            p -= RATE * (m / (1 - BETA1**self.t)) / (np.sqrt(v / (1 - BETA2**self.t)) + EPSILON)


def _hand(c: Case) -> System:
    adam = Adam(c.start)

    def run() -> Any:
        hs = [c.x]
        for k in range(c.layers):
            z = hs[-1] @ adam.p[2 * k] + adam.p[2 * k + 1]
            hs.append(np.maximum(z, 0) if k < c.layers - 1 else z)
        scores = hs.pop()
        shifted = scores - scores.max(1, keepdims=True)
        exps = np.exp(shifted)
        sums = exps.sum(1, keepdims=True)
        loss = np.mean(np.log(sums)[:, 0] - shifted[np.arange(len(c.x)), c.labels])
        d, gradients = (exps / sums - c.hot) / np.asarray(len(c.x), c.x.dtype), []
        for k in reversed(range(c.layers)):
            gradients = [hs[k].T @ d, d.sum(0), *gradients]
            d = (d @ adam.p[2 * k].T) * (hs[k] > 0) if k else d
        adam.step(gradients)
        return loss, adam.p

    return System(run, adam.restart)


def _torch(s: Setting, c: Case, compiled: bool = False, **options: Any) -> System:
    torch = s.torch
    p = [torch.tensor(a, requires_grad=True) for a in c.start]
    optimizer, x, labels = torch.optim.Adam(p, lr=RATE, **options), torch.tensor(c.x), torch.tensor(c.labels)

    def loss() -> Any:
        h = x
        for k in range(c.layers):
            h = torch.addmm(p[2 * k + 1], h, p[2 * k])
            h = torch.relu(h) if k < c.layers - 1 else h
        return torch.nn.functional.cross_entropy(h, labels)

    fast = torch.compile(loss) if compiled else loss

    def run() -> Any:
        optimizer.zero_grad()
        value = fast()
        value.backward()
        optimizer.step()
        return value, p

    def restart() -> None:
        optimizer.state.clear()
        with torch.no_grad():
            for a, first in zip(p, c.start, strict=True):
                a.copy_(torch.tensor(first))

    return System(run, restart)


def adam_of(jnp: Any, p: Any, g: Any, m: Any, v: Any, t: Any) -> tuple[Any, Any, Any]:
    """One parameter's step in JAX; constants take the dtype of the other operand."""
    m, v = BETA1 * m + (1 - BETA1) * g, BETA2 * v + (1 - BETA2) * g * g
    m_scale, v_scale = (1 / (1 - BETA1**t)).astype(p.dtype), (1 / (1 - BETA2**t)).astype(p.dtype)
    return p - RATE * (m * m_scale) / (jnp.sqrt(v * v_scale) + EPSILON), m, v


def _jax(s: Setting, c: Case, donated: tuple[int, ...]) -> System:
    jax, jnp = s.jax, s.jax.numpy

    def loss(p: Any, x: Any, hot: Any) -> Any:
        return -jnp.mean(jnp.sum(hot * jax.nn.log_softmax(forward(p, x, c.layers, jax.nn.relu)), 1))

    def step(p: Any, m: Any, v: Any, t: Any, x: Any, hot: Any) -> Any:
        value, g = jax.value_and_grad(loss)(p, x, hot)
        moved = [adam_of(jnp, *one, t + 1) for one in zip(p, g, m, v, strict=True)]
        return value, [a[0] for a in moved], [a[1] for a in moved], [a[2] for a in moved], t + 1

    fast, x, hot = jax.jit(step, donate_argnums=donated), jnp.asarray(c.x), jnp.asarray(c.hot)
    state: list[Any] = []

    def restart() -> None:
        state[:] = [0, [jnp.array(a) for a in c.start], [jnp.zeros_like(a) for a in c.start],
                    [jnp.zeros_like(a) for a in c.start], jnp.asarray(0.0)]  # fmt: skip

    def run() -> Any:
        state[:] = jax.block_until_ready(fast(*state[1:], x, hot))
        return state[0], state[1]

    restart()
    return System(run, restart)


def _autograd(s: Setting, c: Case) -> System:
    anp, adam = s.autograd.numpy, Adam(c.start)

    def loss(p: Any) -> Any:
        h = forward(p, c.x, c.layers, lambda z: anp.maximum(z, 0))
        return -anp.mean(anp.sum(c.hot * (h - s.autograd.scipy.special.logsumexp(h, axis=1, keepdims=True)), axis=1))

    both = s.autograd.value_and_grad(loss)

    def run() -> Any:
        value, g = both(adam.p)
        adam.step(g)
        return value, adam.p

    return System(run, adam.restart)


def _mygrad(s: Setting, c: Case) -> System:
    mg, adam = s.mygrad, Adam(c.start)
    nnet = mg.nnet

    def run() -> Any:
        p = [mg.tensor(a) for a in adam.p]
        value = nnet.losses.softmax_crossentropy(forward(p, c.x, c.layers, nnet.activations.relu), c.labels)
        value.backward()
        adam.step([a.grad for a in p])
        return value, adam.p

    return System(run, adam.restart)


def _tensorflow(s: Setting, c: Case) -> System:
    tf = s.tensorflow
    p, m, v = ([tf.Variable(a * k) for a in c.start] for k in (1, 0, 0))
    t, x, labels = tf.Variable(0.0, dtype=c.x.dtype), tf.constant(c.x), tf.constant(c.labels)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            scores = forward(p, x, c.layers, tf.nn.relu)
            value = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores))
        t.assign_add(1.0)
        for a, g, am, av in zip(p, tape.gradient(value, p), m, v, strict=True):
            tf.raw_ops.ResourceApplyAdam(
                var=a.handle, m=am.handle, v=av.handle, beta1_power=BETA1**t, beta2_power=BETA2**t,
                lr=tf.cast(RATE, a.dtype), beta1=tf.cast(BETA1, a.dtype), beta2=tf.cast(BETA2, a.dtype),
                epsilon=EPSILON * tf.sqrt(1 - BETA2**t), grad=g,  # next to a root without bias correction
            )  # fmt: skip
        return value

    def restart() -> None:
        t.assign(0.0)
        for a, am, av, first in zip(p, m, v, c.start, strict=True):
            a.assign(first)
            am.assign(0 * first)
            av.assign(0 * first)

    return System(lambda: (step(), p), restart)


def _products(c: Case) -> Callable[[], None]:
    """The matrix products of a step, into preallocated memory."""
    rng = np.random.default_rng(1)
    weights = c.start[::2]
    hs = [c.x, *(rng.random((len(c.x), w.shape[1])).astype(c.x.dtype) for w in weights)]
    outs, gs = [np.empty_like(h) for h in hs], [np.empty_like(w) for w in weights]

    def run() -> None:
        for k, w in enumerate(weights):
            np.dot(hs[k], w, out=outs[k + 1])
        for k in reversed(range(len(weights))):
            np.dot(hs[k].T, hs[k + 1], out=gs[k])
            if k:
                np.dot(hs[k + 1], weights[k].T, out=outs[k])

    return run
