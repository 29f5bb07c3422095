"""Common code of the tests of rules: recording a case, and differences of its reference."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import autodiff_kit as ak

from .case import Array, Case


def rng_of(case: Case) -> np.random.Generator:
    """A generator that depends on the case only, so that a failure is reproduced in any order of tests."""
    return np.random.default_rng(zlib.crc32(case.name.encode()))


def drawn(case: Case, dtype: Any = np.float64) -> tuple[Array, ...]:
    return tuple(np.asarray(a, dtype) for a in case.inputs(rng_of(case)))


def recorded(call: Callable[..., Any], arrays: Sequence[Any], persistent: bool = True) -> tuple[Any, list[Any], Any]:
    tape = ak.GradientTape(persistent=persistent)
    xs = [ak.constant(a) for a in arrays]
    with tape:
        tape.watch(xs)
        y = call(*xs)
    return tape, xs, y


def weights(case: Case, shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    return np.asarray(np.random.default_rng(7).uniform(0.5, 1.5, shape), dtype)


def directions(case: Case, arrays: Sequence[Array]) -> list[Array]:
    rng = np.random.default_rng(11)
    return [np.asarray(rng.uniform(-1.0, 1.0, a.shape), a.dtype) for a in arrays]


def difference(f: Callable[..., Any], arrays: Sequence[Array], along: Sequence[Array], h: float = 1e-3) -> Array:
    """The directional derivative by the central formula of fourth order, with an error of order h**4."""

    def at(d: float) -> Array:
        return np.asarray(f(*(a + d * t for a, t in zip(arrays, along, strict=True))), np.float64)

    return (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)


def total(case: Case, w: Array) -> Callable[..., Any]:
    """The case as a function with one number as its result."""
    return lambda *xs: (case.call(*xs) * w).sum()


def gradients(f: Callable[..., Any], xs: Sequence[Any]) -> list[Any]:
    tape = ak.GradientTape()
    with tape:
        tape.watch(list(xs))
        value = f(*xs)
    return tape.gradient(value, list(xs), unconnected_gradients="zero")  # type: ignore[no-any-return]
