"""Several outputs as one: an operation has one output, so those of a whole loop lie one after the other in a vector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, wrap

__all__ = ["PackedOutputs"]


class PackedOutputs:
    """The layout of several outputs: those of floating dtype in one vector, the others beside it.

    Parameters
    ----------
    specs : sequence of (shape, dtype)

    Attributes
    ----------
    floating : list of bool
        Which outputs are in the vector.
    """

    def __init__(self, specs: Sequence[tuple[tuple[int, ...], Any]]) -> None:
        self.specs = specs
        self.floating = [np.dtype(dtype).kind == "f" for _, dtype in specs]
        self.dtype: Any = np.result_type(*[dtype for _, dtype in specs if np.dtype(dtype).kind == "f"] or [np.float64])

    def pack(self, values: Sequence[Any]) -> tuple[Any, list[Any]]:
        """The vector of the floating values, and the list of the others."""
        pairs = list(zip(values, self.floating, strict=True))
        parts = [np.reshape(x, (-1,)).astype(self.dtype) for x, floating in pairs if floating]
        return np.concatenate(parts), [x for x, floating in pairs if not floating]

    def unpack(self, vector: Tensor, others: Sequence[Any] | None = None) -> list[Tensor]:
        """The outputs as tensors, those of the vector on its tapes; without ``others`` only those of the vector."""
        parts, start, rest = [], 0, iter(others or ())
        for (shape, dtype), floating in zip(self.specs, self.floating, strict=True):
            if floating:
                stop = start + math.prod(shape)
                part = vector[start:stop].reshape(shape)
                parts.append(part if dtype == self.dtype else part.astype(dtype))
                start = stop
            elif others is not None:
                parts.append(wrap(next(rest)))
        return parts
