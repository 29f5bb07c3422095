"""Initial values of layer variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.variable import Variable

__all__ = ["glorot_uniform", "layer_variable"]


def layer_variable(layer: Any, part: str, start: Any) -> Variable:
    """A variable of a layer, named ``<layer>/<part>``, with its initial value."""
    return Variable(start, name=f"{layer.name}/{part}", dtype=layer.dtype)


def glorot_uniform(shape: tuple[int, ...], generator: np.random.Generator) -> Any:
    """Glorot (Xavier) uniform initialization of a kernel; leading axes are those of a convolution window."""
    window = int(np.prod(shape[:-2]))
    limit = np.sqrt(6.0 / (window * (shape[-2] + shape[-1])))
    return generator.uniform(-limit, limit, shape)
