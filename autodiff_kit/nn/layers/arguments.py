"""Validation of the constructor arguments and inputs of layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.nn import functional
from autodiff_kit.ops.elementary_functions import tanh

__all__ = [
    "Function",
    "activation_function",
    "check_input_width",
    "floating_dtype",
    "input_width",
    "layer_name",
    "random_generator",
    "row_vectors",
    "size_argument",
]

Function = Callable[[Any], Any]

ACTIVATIONS: dict[str, Function] = {
    "elu": functional.elu,
    "gelu": functional.gelu,
    "leaky_relu": functional.leaky_relu,
    "log_softmax": functional.log_softmax,
    "relu": functional.relu,
    "sigmoid": functional.sigmoid,
    "softmax": functional.softmax,
    "softplus": functional.softplus,
    "tanh": tanh,
}
"""Activation functions that can be given by name."""


_MAX_SIZE = 1 << 31  # longer axes do not fit into memory


def size_argument(what: str, number: Any, least: int = 1) -> int:
    """An integer from ``least`` upwards, for sizes of axes."""
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise DtypeError(f"{what} must be an integer, got {number!r}")
    if not least <= number < _MAX_SIZE:
        raise StructureError(f"{what} must be from {least} to {_MAX_SIZE - 1}, got {number}")
    return int(number)


def layer_name(name: Any, default: str) -> str:
    """The name of a layer, or the default name of its class."""
    if name is not None and not isinstance(name, str):
        raise DtypeError(f"a name must be a string, got {name!r}")
    return default if name is None else name


def random_generator(seed: Any) -> np.random.Generator:
    """A NumPy generator from a seed; a generator is returned unchanged."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise StructureError(f"a seed must be an integer of 0 or more, or a NumPy generator, got {seed!r}") from error


def floating_dtype(dtype: Any) -> np.dtype[Any]:
    """The floating dtype of a layer's variables; float64 by default."""
    try:
        wanted = np.dtype(np.float64 if dtype is None else dtype)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{dtype!r} is not a dtype; use float32 or float64, for example") from error
    if wanted.kind != "f":
        raise DtypeError(f"trainable variables must have a floating dtype, got {wanted}")
    return wanted


def activation_function(given: Any) -> Function | None:
    """An activation given as a function or by its name; None for none."""
    function: Function | None = ACTIVATIONS.get(given) if isinstance(given, str) else given
    if given is not None and not callable(function):
        raise StructureError(f"there is no activation {given!r}; use a function, or one of {', '.join(ACTIVATIONS)}")
    return function


def input_width(layer: Any, x: Tensor) -> int:
    """Length of the last axis of an input."""
    if not x.ndim:
        raise ShapeError(f"{layer.name} takes vectors along the last axis, got a single number")
    return x.shape[-1]


def check_input_width(layer: Any, x: Tensor, inputs: int) -> None:
    """Raise ShapeError unless the last axis of the input has the width that the layer was built for."""
    if x.shape[-1] != inputs:
        raise ShapeError(
            f"{layer.name} was made for vectors of {inputs} entries, got an input of shape {x.shape}, "
            f"whose last axis is {x.shape[-1]}"
        )


def row_vectors(layer: Any, x: Any) -> Tensor:
    """An input as a tensor with at least two axes, ``(..., n, d)``."""
    tensor = as_tensor(x)
    if tensor.ndim < 2:
        raise ShapeError(f"{layer.name} takes rows of vectors, (..., n, d), got shape {tensor.shape}")
    return tensor
