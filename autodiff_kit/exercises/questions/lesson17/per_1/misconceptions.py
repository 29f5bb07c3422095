"""An einsum that counts its calls and refuses large intermediate results."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.exercises.protocol import Callback, ReturnedFunction, plain_copy

Array = np.ndarray[Any, Any]


MAX_PRODUCTS = 1_000_000


def limited_einsum(spec: object, *operands: object) -> Array:
    """np.einsum of plain arrays, with a word on what is not one, and on what would grow too large."""
    if type(spec) is not str or not operands:
        raise TypeError('einsum takes its letters first, then the arrays: einsum("ij,jk->ik", A, B).')
    arrays = [_require_array(operand) for operand in operands]
    sizes: dict[str, int] = {}
    for letters, array in zip(spec.partition("->")[0].replace(" ", "").split(","), arrays, strict=False):
        sizes |= dict(zip(letters, array.shape, strict=False))
    if np.prod([float(size) for size in sizes.values()]) > MAX_PRODUCTS:
        raise ValueError(f"{spec} multiplies more than {MAX_PRODUCTS} times here.")
    return np.asarray(np.einsum(spec, *arrays))


def _require_array(operand: object) -> Array:
    array = plain_copy(operand, lambda _: ReturnedFunction(-1))
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise TypeError(f"einsum takes arrays of numbers; it was given a value of type {type(operand).__name__}.")
    return array


def counted_einsum() -> Callback:
    """The einsum that a learner is given; it counts its calls."""
    return Callback(limited_einsum, "einsum", raw=True)
