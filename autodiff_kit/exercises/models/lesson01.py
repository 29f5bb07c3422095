"""Lesson 01: sweeps with one rule wrong, and the kit with its sweeps counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..protocol import Handle, Namespace
from ..question import worked

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]
Program = list[tuple[Any, ...]]


def push_by(rule: Callable[..., Any], program: Program, outputs: list[int], x: Array, v: Array) -> Array:
    """Tangents of the outputs, with ``rule(op, inputs, tangents)`` for each line."""
    values, tangents = list(x), list(v)
    for op, *ins in program:
        a, d = [values[i] for i in ins], [tangents[i] for i in ins]
        values.append(worked("jvp-1").value(op, a))
        tangents.append(rule(op, a, d))
    return np.array([tangents[i] for i in outputs])


def right_rule(op: str, a: list[Any], d: list[Any]) -> Any:
    """Slopes times tangents, added."""
    return sum(s * t for s, t in zip(worked("jvp-1").slopes(op, a), d, strict=True))


def product_of_tangents(op: str, a: list[Any], d: list[Any]) -> Any:
    """mul's tangent is the product of the tangents."""
    return d[0] * d[1] if op == "mul" else right_rule(op, a, d)


def slope_at_the_tangent(op: str, a: list[Any], d: list[Any]) -> Any:
    """The slope is taken at the tangent and not at the point."""
    if op == "square":
        return 2 * d[0]
    return np.cos(d[0]) if op == "sin" else right_rule(op, a, d)


def finite_step(op: str, a: list[Any], d: list[Any]) -> Any:
    """The whole step instead of its straight-line part."""
    value = worked("jvp-1").value
    return value(op, [p + q for p, q in zip(a, d, strict=True)]) - value(op, a)


def pull_by(
    program: Program, outputs: list[int], x: Array, u: Array, *,
    overwrite: bool = False, downwards: bool = False, seed_once: bool = False,
) -> Array:  # fmt: skip
    """Cotangents of the inputs, with one step of the sweep misunderstood."""
    answer = worked("jvp-1")
    values = list(x)
    for op, *ins in program:
        values.append(answer.value(op, [values[i] for i in ins]))
    bar = [0.0] * len(values)
    for i, weight in zip(outputs, u, strict=True):
        bar[i] = weight if seed_once else bar[i] + weight
    lines = list(enumerate(program, len(x)))
    for k, (op, *ins) in lines if downwards else lines[::-1]:
        for i, s in zip(ins, answer.slopes(op, [values[j] for j in ins]), strict=True):
            bar[i] = bar[k] * s if overwrite else bar[i] + bar[k] * s
    return np.array(bar[: len(x)])


@dataclass
class CountedKit:
    """The kit's two sweeps, counted; ``pulls`` counts calls of every pull that it gave out."""

    pulls: int = 0
    pushes: int = field(init=False, default=0)

    def vjp(self, f: Callable[..., Any], x: Any) -> tuple[Any, Handle]:
        """Value of f, and its pull."""
        from autodiff_kit.transforms.reverse_mode import vjp

        y, back = vjp(f, x)

        def pull(u: Any) -> Any:
            self.pulls += 1
            return back(u)

        return y, Handle(pull, "pull", raw=True)

    def jvp(self, f: Callable[..., Any], x: Any, v: Any) -> tuple[Any, Any]:
        """Value of f, and its tangent."""
        from autodiff_kit.transforms.forward_mode import jvp

        self.pushes += 1
        y, tangent = jvp(f, (x,), (v,))
        return y, tangent

    @property
    def handle(self) -> Namespace:
        """What is handed to the learner's function."""
        return Namespace("kit", {"vjp": Handle(self.vjp, "vjp", raw=True), "jvp": Handle(self.jvp, "jvp", raw=True)})


@dataclass(frozen=True, repr=False)
class Waves:
    """A quadratic plus sines of high frequency, (Ax)(Bx) + sin(30 Cx): f: Rⁿ → Rᵐ."""

    a: Array
    b: Array
    c: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int, m: int) -> Waves:
        """One at random."""
        return cls(*rng.normal(size=(3, m, n)))

    def __call__(self, x: Any) -> Any:
        """The value, in kit ops, so that a tape sees it."""
        import autodiff_kit as ak

        return ak.matmul(self.a, x) * ak.matmul(self.b, x) + ak.sin(30.0 * ak.matmul(self.c, x))

    def __repr__(self) -> str:
        return f"<a function from {self.a.shape[1]} numbers to {self.a.shape[0]}>"

    def jacobian(self, x: Array) -> Array:
        """The Jacobian by hand."""
        ax, bx, cx = self.a @ x, self.b @ x, self.c @ x
        rows: Array = bx[:, None] * self.a + ax[:, None] * self.b + 30 * np.cos(30 * cx)[:, None] * self.c
        return rows


def band_by(push: Callable[[Array], Array], n: int, k: int, groups: list[list[int]]) -> Array:
    """A band read from pushes of the given groups of columns."""
    J = np.zeros((n, n))
    for columns in groups:
        v = np.zeros(n)
        v[columns] = 1
        together = push(v)
        for j in columns:
            rows = slice(max(0, j - k), min(n, j + k + 1))
            J[rows, j] = together[rows]
    return J


def neighbours(n: int, k: int) -> list[list[int]]:
    """2k+1 groups of columns that lie side by side."""
    size = -(-n // min(n, 2 * k + 1))
    return [list(range(start, min(n, start + size))) for start in range(0, n, size)]


def strided(n: int, stride: int) -> list[list[int]]:
    """Groups of columns that lie a stride apart."""
    return [list(range(start, n, stride)) for start in range(min(n, stride))]


def sweep(name: str, matrix: Array) -> Handle:
    """A push or a pull as a product with a matrix; the wrong shape is told kindly."""

    def product(vector: Any) -> Array:
        if np.shape(vector) != matrix.shape[1:]:
            raise ValueError(f"{name} takes an array of shape {matrix.shape[1:]}; got {np.shape(vector)}.")
        answer: Array = matrix @ np.asarray(vector, matrix.dtype)
        return answer

    return Handle(product, name)
