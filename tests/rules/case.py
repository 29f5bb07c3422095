"""A test case of an operation, and random inputs for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """A call of an operation with random inputs, and the expected value.

    ``inputs`` draws arrays of float64, ``call`` takes tensors, ``reference`` takes arrays of any floating dtype.
    """

    key: str
    label: str
    inputs: Callable[[np.random.Generator], tuple[Array, ...]]
    call: Callable[..., Any]
    reference: Callable[..., Any]

    @property
    def name(self) -> str:
        return f"{self.key}-{self.label}"


def spaced(rng: np.random.Generator, *shapes: tuple[int, ...]) -> tuple[Array, ...]:
    """Arrays whose entries keep a distance from each other and from 0, so that no kink or tie is close."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    total = max(sum(sizes), 1)
    grid = np.concatenate([np.linspace(-2.0, -0.2, total), np.linspace(0.25, 2.1, total)])
    chosen = rng.choice(grid, size=sum(sizes), replace=False)
    parts = np.split(chosen, np.cumsum(sizes)[:-1])
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))


def draw_inputs(rng: np.random.Generator, domain: str, *shapes: tuple[int, ...]) -> tuple[Array, ...]:
    """Arrays in the domain of an operation, away from the ends of the domain."""
    if domain == "real":
        return spaced(rng, *shapes)
    low, high = {"positive": (0.6, 2.4), "unit": (-0.8, 0.8), "above one": (1.3, 3.0), "inside": (0.15, 0.85)}[domain]
    return tuple(rng.uniform(low, high, shape) for shape in shapes)


def one(*shape: int) -> Callable[[np.random.Generator], tuple[Array, ...]]:
    return lambda rng: spaced(rng, shape)


def two(a: tuple[int, ...], b: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Array, ...]]:
    return lambda rng: spaced(rng, a, b)


def shaped(key: str, label: str, shape: tuple[int, ...], call: Any, reference: Any) -> Case:
    return Case(key, label, one(*shape), call, reference)
