"""Random programs of loops, batches, branches, updates and decompositions, in the names of any library.

A program is drawn from a seed, and runs with the names of a library: those of the kit, or the same names of another
library. Every step takes values of any shape: it brings their entries into the shape that it needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff_kit as ak

__all__ = ["KIT", "Library", "Program"]

SHAPES = [(3,), (2, 3), (3, 3), (4, 3), (), (2, 3, 3), (6,)]
Values = list[Any]


class Library:
    """The names of a library: those given, and else those of a module."""

    def __init__(self, module: Any, **names: Any) -> None:
        self._module = module
        vars(self).update(names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


KIT = Library(
    ak,
    updated=lambda x, index, name, new: getattr(x.at[index], name)(new),
    softmax=ak.nn.softmax,
    conv1d=ak.nn.conv1d,
    conv2d=ak.nn.conv2d,
    segment_sum=ak.segment.segment_sum,
    segment_mean=ak.segment.segment_mean,
    segment_max=ak.segment.segment_max,
    segment_min=ak.segment.segment_min,
    segment_prod=ak.segment.segment_prod,
)


@dataclass
class Step:
    """One step: its kind, which values it takes, its choices, its own numbers, and the steps inside it."""

    kind: Callable[[Library, Step, Any, Any], Any]
    operands: tuple[int, int]
    choice: int
    numbers: np.ndarray[Any, Any]
    inner: list[Step]

    def pick(self, options: Any) -> Any:
        """One of several, by the choice of this step."""
        return options[self.choice % len(options)]

    def __call__(self, lib: Library, values: Values) -> Any:
        """The result, about as large as 1."""
        a, b = (values[k % len(values)] for k in self.operands)
        y = self.kind(lib, self, a, b)
        return lib.tanh(y) if self.choice % 3 else 0.5 * y

    def run(self, lib: Library, *values: Any) -> Any:
        """The last result of the steps inside."""
        found = list(values)
        for step in self.inner:
            found.append(step(lib, found))
        return found[-1]


def fit(a: Any, shape: tuple[int, ...]) -> Any:
    """The entries of a value in another shape, some of them repeated or left out."""
    if a.shape == shape:
        return a
    size = math.prod(a.shape)
    return a.reshape((-1,))[np.arange(math.prod(shape)) % size].reshape(shape)


def numbers(step: Step, shape: tuple[int, ...]) -> Any:
    """Constants of a step."""
    return np.resize(step.numbers, shape)


# ----------------------------------------------------------------------------------------------- entries and reductions
ELEMENTWISE: list[Callable[[Library, Any], Any]] = [
    lambda lib, v: lib.sin(v), lambda lib, v: lib.exp(lib.sin(v)), lambda lib, v: lib.log(v * v + 1.0),
    lambda lib, v: lib.sqrt(v * v + 0.5), lambda lib, v: lib.erf(v), lambda lib, v: lib.erfc(v),
    lambda lib, v: lib.lgamma(v * v + 0.5), lambda lib, v: lib.digamma(v * v + 0.7), lambda lib, v: lib.softplus(v),
    lambda lib, v: lib.atan(v), lambda lib, v: lib.where(v > 0.1, v, 0.3 * v), lambda lib, v: lib.clip(v, -0.7, 0.9),
    lambda lib, v: lib.abs(v), lambda lib, v: v**3, lambda lib, v: lib.sinh(v), lambda lib, v: lib.expm1(v),
]  # fmt: skip
BINARY: list[Callable[[Library, Any, Any], Any]] = [
    lambda lib, a, b: a + b, lambda lib, a, b: a * b, lambda lib, a, b: a / (b * b + 1.5),
    lambda lib, a, b: lib.maximum(a, b), lambda lib, a, b: lib.minimum(a, 2.0 * b),
    lambda lib, a, b: lib.hypot(a, b + 3.0),
    lambda lib, a, b: lib.atan2(a, b * b + 1.0), lambda lib, a, b: lib.logaddexp(a, b),
    lambda lib, a, b: lib.where(a > b, a * b, a - b), lambda lib, a, b: (a * a + 0.5) ** b,
]  # fmt: skip
REDUCTIONS: list[Callable[[Library, Any], Any]] = [
    lambda lib, v: lib.sum(v, axis=0), lambda lib, v: lib.mean(v, axis=1), lambda lib, v: lib.max(v, axis=0),
    lambda lib, v: lib.min(v, axis=1), lambda lib, v: lib.var(v, axis=0), lambda lib, v: lib.logsumexp(v, axis=1),
    lambda lib, v: lib.logsumexp(v), lambda lib, v: lib.softmax(v, axis=-1), lambda lib, v: lib.cumsum(v, axis=0),
    lambda lib, v: lib.cumprod(v, axis=1), lambda lib, v: lib.sort(v, axis=0), lambda lib, v: lib.prod(v, axis=0),
    lambda lib, v: lib.median(v, axis=0), lambda lib, v: lib.std(v),
]  # fmt: skip
EINSUMS = [
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)), ("i,ij,j->", (3,), (3, 2), (2,)),
    ("bij,bjk,k->bi", (2, 3, 3), (2, 3, 2), (2,)),
    ("ij,ik,il->jkl", (3, 2), (3, 2), (3, 2)), ("ij,ij,kj->ki", (2, 3), (2, 3), (2, 3)),
]  # fmt: skip


def elementwise(lib: Library, step: Step, a: Any, _: Any) -> Any:
    return step.pick(ELEMENTWISE)(lib, a)


def binary(lib: Library, step: Step, a: Any, b: Any) -> Any:
    other = fit(b, a.shape[-1:]) if step.choice % 2 else fit(b, a.shape)
    return step.pick(BINARY)(lib, a, other)


def reduction(lib: Library, step: Step, a: Any, b: Any) -> Any:
    noise = numbers(step, (4, 3))  # no two entries are equal, also where values are repeated
    return step.pick(REDUCTIONS)(lib, fit(a, (4, 3)) + 0.3 * fit(b, (4, 3)) + noise)


def product(lib: Library, step: Step, a: Any, b: Any) -> Any:
    left, right = step.pick(
        [((2, 3), (3, 4)), ((3,), (3, 2)), ((2, 2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2)), ((4,), (4,))]
    )
    return lib.matmul(fit(a, left), fit(b, right))


def einsum(lib: Library, step: Step, a: Any, b: Any) -> Any:
    text, *shapes = step.pick(EINSUMS)
    return lib.einsum(text, *(fit(x, shape) for x, shape in zip((a, b, lib.sin(a)), shapes, strict=True)))


def convolution(lib: Library, step: Step, a: Any, b: Any) -> Any:
    if step.choice % 2:
        stride, padding, dilation = step.pick([(1, "valid", 1), (2, "same", 1), (1, "same", 2), (2, "valid", 1)])
        return lib.conv1d(fit(a, (2, 6, 2)), fit(b, (3, 2, 3)), stride=stride, padding=padding, dilation=dilation)
    return lib.conv2d(
        fit(a, (1, 5, 4, 2)), fit(b, (2, 3, 2, 2)), stride=step.pick([1, 2]), padding=step.pick(["same", "valid"])
    )


def segments(lib: Library, step: Step, a: Any, _: Any) -> Any:
    data = fit(a, (6, 2)) + numbers(step, (6, 2))
    kind = step.pick(["sum", "mean", "max", "min", "prod"])
    return getattr(lib, f"segment_{kind}")(data, np.array([0, 2, 1, 0, 2, 2]), 3)


# -------------------------------------------------------------------------------------------------- indices and updates
# An index of (4, 3), the shape of what it selects, and whether it repeats places.
INDICES: list[tuple[Any, tuple[int, ...], bool]] = [
    (1, (3,), False), (np.s_[1:3], (2, 3), False), (np.s_[::-2, 1], (2,), False), (np.s_[..., -1], (4,), False),
    (np.array([2, 0]), (2, 3), False), ((np.array([0, 3, 1]), np.array([1, 1, 2])), (3,), False),
    (np.array([1, 3, 1]), (3, 3), True), ((np.array([0, 2, 0]), np.array([1, 0, 1])), (3,), True),
]  # fmt: skip


def update(lib: Library, step: Step, a: Any, b: Any) -> Any:
    index, shape, repeated = step.pick(INDICES)
    name = ["add", "multiply", "min", "max", "set"][step.choice // 8 % (4 if repeated else 5)]
    x, new = fit(a, (4, 3)) + numbers(step, (4, 3)), fit(b, shape) + 0.37 * numbers(step, shape)
    return lib.updated(x, index, name, new)


def masked_update(lib: Library, step: Step, a: Any, b: Any) -> Any:
    mask = numbers(step, (4, 3)) > 0.0
    return fit(a, (4, 3)).at[mask].set(lib.sum(b))


def rearranged(lib: Library, step: Step, a: Any, b: Any) -> Any:
    x, y = fit(a, (4, 3)), fit(b, (4, 3))
    return step.pick([
        lambda: lib.concat([x, y], axis=1), lambda: lib.stack([x, -y]), lambda: lib.roll(x, 2, axis=0),
        lambda: x[:, None, ::-1], lambda: x[np.array([3, 0, 3])], lambda: lib.triu(x),
        lambda: lib.take_along_axis(x, np.array([[2, 0], [1, 1], [0, 2], [1, 0]]), axis=1),
        lambda: lib.pad(x, ((1, 0), (0, 2))), lambda: lib.swapaxes(x, 0, 1), lambda: lib.diagonal(x),
    ])()  # fmt: skip


# ------------------------------------------------------------------------------------------------------- decompositions
def symmetric(lib: Library, a: Any) -> Any:
    """A positive definite matrix whose eigenvalues are apart."""
    m = lib.tanh(fit(a, (3, 3)))
    return 0.15 * (m + lib.swapaxes(m, 0, 1)) + np.diag([1.5, 2.5, 4.0])


def tall(lib: Library, a: Any) -> Any:
    """A matrix of four rows and three columns whose singular values are apart."""
    return 0.2 * lib.tanh(fit(a, (4, 3))) + np.eye(4, 3) * np.array([1.0, 2.0, 3.5])


def systems(lib: Library, step: Step, a: Any, b: Any) -> Any:
    s = symmetric(lib, a)
    right = fit(b, step.pick([(3,), (3, 2)]))
    low = lib.cholesky(s)
    return step.pick([
        lambda: lib.solve(s + 0.2 * fit(b, (3, 3)), right), lambda: lib.solve_triangular(low, right, lower=True),
        lambda: lib.solve_triangular(low, right, lower=True, transpose=True), lambda: lib.cholesky_solve(low, right),
        lambda: low, lambda: lib.inv(s), lambda: lib.slogdet(s)[1], lambda: lib.stack([lib.det(s), lib.trace(s)]),
    ])()  # fmt: skip


def many_systems(lib: Library, step: Step, a: Any, b: Any) -> Any:
    s = lib.stack([symmetric(lib, a), symmetric(lib, b)])
    right = fit(b, (2, 3, 2))
    return step.pick([
        lambda: lib.solve(s, right), lambda: lib.cholesky_solve(lib.cholesky(s), right), lambda: lib.eigh(s)[0],
        lambda: lib.solve_triangular(lib.cholesky(s), right, lower=True), lambda: lib.expm(0.3 * s), lambda: lib.inv(s),
    ])()  # fmt: skip


def decomposition(lib: Library, step: Step, a: Any, b: Any) -> Any:
    """Of eigenvectors and singular vectors only what does not depend on their signs."""

    def eigen() -> Any:
        w, v = lib.eigh(symmetric(lib, a))
        return (v * lib.sin(w)) @ lib.swapaxes(v, 0, 1)

    def singular() -> Any:
        u, s, vt = lib.svd(tall(lib, a))
        return (u * lib.sin(s)) @ vt

    def orthogonal() -> Any:
        q, r = lib.qr(tall(lib, a))
        return lib.concat([q, r])

    return step.pick([eigen, singular, orthogonal, lambda: lib.eigh(symmetric(lib, a))[0],
                      lambda: lib.svd(tall(lib, a))[1], lambda: lib.lstsq(tall(lib, a), fit(b, (4,)))[0],
                      lambda: lib.lstsq(tall(lib, a), fit(b, (4, 2)))[0], lambda: lib.expm(0.4 * fit(a, (3, 3))),
                      ])()  # fmt: skip


# ------------------------------------------------------------------------------------------ loops, batches and branches
def scan(lib: Library, step: Step, a: Any, b: Any) -> Any:
    def body(carry: Any, x: Any) -> Any:
        y = step.run(lib, carry, x, a)
        return lib.tanh(fit(y, (3,)) + carry), y

    last, ys = lib.scan(body, fit(a, (3,)), fit(b, (4, 3)), reverse=bool(step.choice % 2))
    return step.pick([lambda: ys, lambda: last, lambda: fit(ys, (3,)) * last])()


def vmap(lib: Library, step: Step, a: Any, b: Any) -> Any:
    axes, first, second = step.pick([
        (0, (2, 3), (2, 3)), (1, (3, 2), (4, 2)), ((0, None), (2, 3), (3,)), ((None, 1), (4,), (3, 2)),
        ((1, 0), (3, 2), (2,)),
    ])  # fmt: skip
    mapped = lib.vmap(lambda v, w: fit(step.run(lib, v, w), (3,)), in_axes=axes, out_axes=step.choice // 7 % 2)
    return mapped(fit(a, first), fit(b, second))


def nested_vmap(lib: Library, step: Step, a: Any, b: Any) -> Any:
    pairs = lib.vmap(lib.vmap(lambda v, w: step.run(lib, v, w), in_axes=(None, 0)), in_axes=(0, None))
    return pairs(fit(a, (2, 3)), fit(b, (3, 2)))


def _slope(lib: Library, step: Step) -> Any:
    return lib.grad(lambda v, w: lib.sum(lib.sin(step.run(lib, v, w))))


def gradient(lib: Library, step: Step, a: Any, b: Any) -> Any:
    return _slope(lib, step)(a, b)


def vmap_of_gradient(lib: Library, step: Step, a: Any, b: Any) -> Any:
    axes, first = step.pick([((0, None), (2, 3)), ((1, None), (3, 2))])
    return lib.vmap(_slope(lib, step), in_axes=axes)(fit(a, first), fit(b, (3,)))


def gradient_of_vmap(lib: Library, step: Step, a: Any, b: Any) -> Any:
    many = lib.vmap(lambda v, w: step.run(lib, v, w), in_axes=(0, None))
    return lib.grad(lambda v, w: lib.sum(lib.sin(many(v, w))), argnums=step.choice % 2)(fit(a, (2, 3)), fit(b, (3,)))


def tangent(lib: Library, step: Step, a: Any, b: Any) -> Any:
    value, slope = lib.jvp(lambda v: step.run(lib, v, b), (a,), (fit(b, a.shape),))
    return value + slope


def cond(lib: Library, step: Step, a: Any, b: Any) -> Any:
    def first(v: Any, w: Any) -> Any:
        return fit(step.run(lib, v, w), (3,))

    return lib.cond(lib.sum(a) > 0.1, first, lambda v, w: fit(v, (3,)) * lib.mean(w), a, b)


PLAIN = [elementwise, elementwise, binary, binary, reduction, product, einsum, convolution, segments, update, update,
         masked_update, rearranged, systems, systems, many_systems, decomposition, decomposition]  # fmt: skip
LOOPS = [scan, scan, vmap, vmap, nested_vmap, cond]
SLOPES = [gradient, vmap_of_gradient, gradient_of_vmap, tangent]


class Program:
    """A function of a few arrays; the same choices at every call, whatever the library."""

    def __init__(self, seed: int) -> None:
        r = np.random.default_rng(seed)
        self.inputs = [r.standard_normal(SHAPES[k]) for k in r.integers(0, len(SHAPES), 2 + seed % 2)]
        self.script = [_draw(r, PLAIN + 2 * LOOPS + 2 * SLOPES, 2) for _ in range(int(r.integers(2, 6)))]
        self.direction = [r.standard_normal(x.shape) for x in self.inputs]
        self.other = [x + 0.1 * r.standard_normal(x.shape) for x in self.inputs]

    @property
    def arguments(self) -> tuple[int, ...]:
        """The numbers of all arguments."""
        return tuple(range(len(self.inputs)))

    def loss(self, lib: Library, *given: Any) -> Any:
        """One number that depends on all values."""
        values = list(given)
        for step in self.script:
            values.append(step(lib, values))
        total = 0.0
        for k, v in enumerate(values[len(given) - 1 :]):
            total = total + (1.0 + 0.1 * k) * lib.sum(lib.sin(v))
        return total


def _draw(r: np.random.Generator, kinds: list[Any], depth: int) -> Step:
    kind = kinds[r.integers(0, len(kinds))]
    allowed = PLAIN + (LOOPS if depth > 1 else [])
    if kind not in SLOPES and depth > 1:
        allowed = allowed + SLOPES
    inner = 0 if kind in PLAIN else int(r.integers(1, 4))
    return Step(
        kind,
        (int(r.integers(0, 100)), int(r.integers(0, 100))),
        int(r.integers(0, 10**6)),
        r.standard_normal(7),
        [_draw(r, allowed, depth - 1) for _ in range(inner)],
    )
