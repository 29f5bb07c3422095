"""Random programs, compared with an engine that is too simple to be wrong in the same way.

The naive engine stores every value as an array with its full Jacobian with respect to each source: no record, no
sweep, no cotangents. The state machine builds tensors step by step with both engines, and compares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, precondition, rule

import autodiff_kit as ak

SHAPES = ((), (2,), (1, 2), (2, 2))


class Naive:
    """A value, and its Jacobian ``value.shape + (total size of all sources,)``."""

    def __init__(self, value: Any, jac: Any) -> None:
        self.value = np.asarray(value, float)
        self.jac = np.broadcast_to(jac, (*self.value.shape, np.shape(jac)[-1]))

    @staticmethod
    def stretch(a: Naive, shape: tuple[int, ...]) -> Any:
        missing = len(shape) - a.value.ndim
        jac = a.jac.reshape((1,) * missing + a.jac.shape)
        return np.broadcast_to(jac, (*shape, a.jac.shape[-1]))

    def binary(self, other: Naive, value: Any, left: Any, right: Any) -> Naive:
        shape = np.shape(value)
        return Naive(value, left[..., None] * self.stretch(self, shape) + right[..., None] * self.stretch(other, shape))

    def unary(self, value: Any, slope: Any) -> Naive:
        return Naive(value, np.asarray(slope)[..., None] * self.jac)


UNARY = {
    "sin": (ak.sin, lambda x: (np.sin(x), np.cos(x))),
    "tanh": (ak.tanh, lambda x: (np.tanh(x), 1 - np.tanh(x) ** 2)),
    "square": (lambda x: x**2, lambda x: (x * x, 2 * x)),
    "scale": (lambda x: 3.0 - x * 0.5, lambda x: (3.0 - x * 0.5, np.full(np.shape(x), -0.5))),
    "sigmoid": (ak.sigmoid, lambda x: (1 / (1 + np.exp(-x)), np.exp(-x) / (1 + np.exp(-x)) ** 2)),
}
BINARY = {
    "add": (lambda a, b: a + b, lambda a, b: (a + b, 1 + 0 * (a + b), 1 + 0 * (a + b))),
    "multiply": (lambda a, b: a * b, lambda a, b: (a * b, b + 0 * a, a + 0 * b)),
    "divide": (
        lambda a, b: a / (b * b + 1.0),
        lambda a, b: (a / (b * b + 1), 1 / (b * b + 1) + 0 * a, -2 * a * b / (b * b + 1) ** 2),
    ),
}


class Programs(RuleBasedStateMachine):
    """Every rule adds a value to both engines."""

    values = Bundle("values")

    @initialize(target=values, seed=st.integers(0, 999), variable=st.booleans())
    def start(self, seed: int, variable: bool) -> Any:
        rng = np.random.default_rng(seed)
        points = [rng.uniform(-1.5, 1.5, shape) for shape in SHAPES]
        self.total = sum(p.size for p in points)
        self.sources = [ak.Variable(p) if variable else ak.constant(p) for p in points]
        self.persistent = ak.GradientTape(persistent=True)
        self.persistent.__enter__()
        self.persistent.watch(self.sources)
        self.pairs: list[Any] = []
        eye, offset, made = np.eye(self.total), 0, []
        for p, source in zip(points, self.sources, strict=True):
            jac = eye[offset : offset + p.size].reshape(*p.shape, self.total)
            offset += p.size
            made.append((source, Naive(p, jac)))
        self.asked = None
        return multiple(*made)

    @rule(target=values, a=values, op=st.sampled_from(sorted(UNARY)))
    def unary(self, a: Any, op: str) -> Any:
        ours, naive = UNARY[op]
        return self.note(ours(a[0]), a[1].unary(*naive(a[1].value)))

    @rule(target=values, a=values, b=values, op=st.sampled_from(sorted(BINARY)))
    def binary(self, a: Any, b: Any, op: str) -> Any:
        ours, naive = BINARY[op]
        return self.note(ours(a[0], b[0]), a[1].binary(b[1], *naive(a[1].value, b[1].value)))

    @rule(target=values, a=values)
    def total_of(self, a: Any) -> Any:
        n = a[1]
        return self.note(ak.sum(a[0]), Naive(n.value.sum(), n.jac.reshape(-1, self.total).sum(0)))

    @rule(target=values, a=values)
    def first(self, a: Any) -> Any:
        return self.note(a[0][..., None][..., 0], a[1])

    @rule(target=values, a=values)
    def paused(self, a: Any) -> Any:
        with self.persistent.stop_recording():
            stopped = a[0] * 2.0
        return self.note(stopped + 0.0, Naive(a[1].value * 2.0, np.zeros(self.total)))

    def note(self, ours: Any, naive: Naive) -> Any:
        np.testing.assert_allclose(ours.numpy(), naive.value, rtol=1e-10, atol=1e-12)
        self.asked = (ours, naive)
        return ours, naive

    @precondition(lambda self: getattr(self, "asked", None) is not None)
    @invariant()
    def gradients_agree(self) -> None:
        ours, naive = self.asked
        with self.persistent.stop_recording():
            rows = self.persistent.jacobian(ours, self.sources, unconnected_gradients="zero", mode="reverse")
            columns = self.persistent.jacobian(ours, self.sources, unconnected_gradients="zero", mode="forward")
            grads = self.persistent.gradient(ours, self.sources, unconnected_gradients="zero")
        expected = naive.jac.reshape(-1, self.total)
        for found in (rows, columns):
            flat = np.concatenate([j.numpy().reshape(naive.value.size, -1) for j in found], axis=1)
            np.testing.assert_allclose(flat, expected, rtol=1e-9, atol=1e-9)
        whole = np.concatenate([g.numpy().ravel() for g in grads])
        np.testing.assert_allclose(whole, expected.sum(0), rtol=1e-9, atol=1e-9)
        self.asked = None

    def teardown(self) -> None:
        if hasattr(self, "persistent"):
            self.persistent.__exit__(None, None, None)


TestPrograms = Programs.TestCase
TestPrograms.settings = settings(stateful_step_count=25)
