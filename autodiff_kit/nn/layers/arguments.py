"""What layers share: checks of their arguments and inputs, and how variables start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit import nn
from autodiff_kit.core.tensor import Tensor, Variable, lift
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.elementary import tanh

__all__ = [
    "Function",
    "called",
    "fits",
    "floating",
    "function_named",
    "generator",
    "glorot",
    "rows",
    "variable",
    "whole",
    "width",
]

Function = Callable[[Any], Any]

ACTIVATIONS: dict[str, Function] = {
    "elu": nn.elu,
    "gelu": nn.gelu,
    "leaky_relu": nn.leaky_relu,
    "log_softmax": nn.log_softmax,
    "relu": nn.relu,
    "sigmoid": nn.sigmoid,
    "softmax": nn.softmax,
    "softplus": nn.softplus,
    "tanh": tanh,
}
"""Functions that a layer knows by name."""


_MOST = 1 << 31  # no axis that a machine could hold is longer


def whole(what: str, number: Any, least: int = 1) -> int:
    """A whole number in range."""
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise DtypeError(f"{what} is a whole number, got {number!r}")
    if not least <= number < _MOST:
        raise StructureError(f"{what} must be from {least} to {_MOST - 1}, got {number}")
    return int(number)


def called(name: Any, default: str) -> str:
    """The layer's name in errors and tables."""
    if name is not None and not isinstance(name, str):
        raise DtypeError(f"a name is text, got {name!r}")
    return default if name is None else name


def generator(seed: Any) -> np.random.Generator:
    """Where random numbers come from; a generator is used as it is."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise StructureError(f"a seed is a whole number from 0 or a NumPy generator, got {seed!r}") from error


def floating(dtype: Any) -> np.dtype[Any]:
    """The dtype of a layer's variables."""
    try:
        wanted = np.dtype(np.float64 if dtype is None else dtype)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{dtype!r} is no dtype; float32 and float64 are the usual ones") from error
    if wanted.kind != "f":
        raise DtypeError(f"variables that are to be trained are floating, got dtype {wanted}")
    return wanted


def function_named(given: Any) -> Function | None:
    """An activation that was given as a function, by its name, or not at all."""
    function: Function | None = ACTIVATIONS.get(given) if isinstance(given, str) else given
    if given is not None and not callable(function):
        raise StructureError(f"there is no activation {given!r}; give a function, or one of {', '.join(ACTIVATIONS)}")
    return function


def variable(layer: Any, part: str, start: Any) -> Variable:
    """A variable that is called after its layer."""
    return Variable(start, name=f"{layer.name}/{part}", dtype=layer.dtype)


def glorot(shape: tuple[int, ...], draw: np.random.Generator) -> Any:
    """Uniform, as wide as keeps the variance from input to output and back; leading axes are a window."""
    window = int(np.prod(shape[:-2]))
    limit = np.sqrt(6.0 / (window * (shape[-2] + shape[-1])))
    return draw.uniform(-limit, limit, shape)


def width(layer: Any, x: Tensor) -> int:
    """Length of the input's last axis."""
    if not x.ndim:
        raise ShapeError(f"{layer.name} takes vectors along the last axis, got a single number")
    return x.shape[-1]


def fits(layer: Any, x: Tensor, inputs: int) -> None:
    """See that the input is as wide as the layer."""
    if x.shape[-1] != inputs:
        raise ShapeError(
            f"{layer.name} was made for vectors of {inputs}, got an input of shape {x.shape}, "
            f"whose last axis is {x.shape[-1]}"
        )


def rows(layer: Any, x: Any) -> Tensor:
    """An input with at least two axes."""
    tensor = lift(x)
    if tensor.ndim < 2:
        raise ShapeError(f"{layer.name} takes rows of vectors, (..., n, d), got shape {tensor.shape}")
    return tensor
