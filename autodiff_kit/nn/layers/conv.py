"""Convolution with a kernel of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit import nn
from autodiff_kit.core.tensor import Tensor, Variable, lift
from autodiff_kit.core.validation import flag
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn.layers.arguments import (
    Function,
    called,
    floating,
    function_named,
    generator,
    glorot,
    variable,
    whole,
)
from autodiff_kit.nn.module import Module

__all__ = ["Conv2D"]


class Conv2D(Module):
    """Convolution of images, channels last: ``activation(conv2d(x, kernel) + bias)``.

    Parameters
    ----------
    filters : int
        Channels of the output.
    size : int or pair of int
        Height and width of the kernel.
    activation : callable or str, optional
        What follows, as a function or as its name in ``ak.nn``; None is nothing.
    use_bias : bool, optional
        Whether each channel of the output has a number added to it.
    stride, padding, dilation, groups : optional
        As in :func:`autodiff_kit.nn.conv2d`.
    inputs : int, optional
        Channels of the input; without it, the first call says so.
    seed : int or numpy.random.Generator, optional
        Where the kernel starts; None draws another start each time.
    name : str, optional
        Shown in errors and tables; "conv2d" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(height, width, inputs / groups, filters)``; None until it is made.
    bias : Variable or None
        ``(filters,)``; it starts at 0.

    Raises
    ------
    StructureError
        If an argument is out of its range.
    ShapeError
        When it is called on images with another number of channels, or too small for the kernel.

    Notes
    -----
    **Shapes.** ``(..., h, w, inputs)`` gives ``(..., rows, columns, filters)``.

    The kernel starts as that of :class:`Dense`, over a whole window.

    Examples
    --------
    >>> layer = ak.layers.Conv2D(4, 3, "relu", padding="same", seed=0)
    >>> layer(np.ones((2, 8, 8, 1))).shape
    (2, 8, 8, 4)
    >>> layer
    Conv2D: 40 parameters in 2 variables
      kernel  (3, 3, 1, 4)  float64  36
      bias    (4,)          float64  4
    """

    def __init__(
        self,
        filters: int,
        size: Any,
        activation: Function | str | None = None,
        use_bias: bool = True,
        stride: Any = 1,
        padding: Any = "valid",
        dilation: Any = 1,
        groups: int = 1,
        inputs: int | None = None,
        seed: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.name = called(name, "conv2d")
        self.filters = whole("filters", filters)
        self.size = _pair(size)
        self.activation = function_named(activation)
        self.groups = whole("groups", groups)
        self.options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": self.groups}
        self.dtype = floating(dtype)
        self.seed = generator(seed)
        self.kernel: Variable | None = None
        self.bias = variable(self, "bias", np.zeros(self.filters)) if flag("use_bias", use_bias) else None
        if inputs is not None:
            self._make(whole("inputs", inputs))

    def _make(self, inputs: int) -> Variable:
        if inputs % self.groups or self.filters % self.groups:
            raise StructureError(
                f"{self.name}: {inputs} channels in and {self.filters} out do not both fall into {self.groups} groups"
            )
        self.kernel = variable(self, "kernel", glorot((*self.size, inputs // self.groups, self.filters), self.seed))
        return self.kernel

    def _unmade(self) -> str | None:
        return "kernel" if self.kernel is None else None

    def __call__(self, x: Any) -> Tensor:
        """``activation(conv2d(x, kernel) + bias)``."""
        x = lift(x)
        if x.ndim < 3:
            raise ShapeError(f"{self.name} takes images (..., height, width, channels), got shape {x.shape}")
        kernel = self.kernel if self.kernel is not None else self._make(x.shape[-1])
        inputs = kernel.shape[2] * self.groups
        if x.shape[-1] != inputs:
            raise ShapeError(
                f"{self.name} was made for images of {inputs} channels, got shape {x.shape}; channels stand last"
            )
        out = nn.conv2d(x, kernel, **self.options)
        out = out if self.bias is None else out + self.bias
        return out if self.activation is None else lift(self.activation(out))


def _pair(size: Any) -> tuple[int, int]:
    both = tuple(size) if isinstance(size, (list, tuple)) else (size, size)
    if len(both) != 2:
        raise StructureError(f"size is a whole number or a pair (height, width), got {size!r}")
    return whole("size", both[0]), whole("size", both[1])
