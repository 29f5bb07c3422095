"""The two-dimensional convolution layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn import functional
from autodiff_kit.nn.layers.arguments import (
    Function,
    activation_function,
    floating_dtype,
    layer_name,
    random_generator,
    size_argument,
)
from autodiff_kit.nn.layers.initializers import glorot_uniform, layer_variable
from autodiff_kit.nn.module import Module

__all__ = ["Conv2D"]


class Conv2D(Module):
    """Convolution layer for images with channels last: ``activation(conv2d(x, kernel) + bias)``.

    Parameters
    ----------
    filters : int
        Channels of the output.
    size : int or pair of int
        Height and width of the kernel.
    activation : callable or str, optional
        Activation function, or its name in ``ak.nn``; None for none.
    use_bias : bool, optional
        Whether a bias is added to each channel of the output.
    stride, padding, dilation, groups : optional
        As in :func:`autodiff_kit.nn.conv2d`.
    inputs : int, optional
        Channels of the input; by default taken from the first call.
    seed : int or numpy.random.Generator, optional
        Seed of the initial kernel; None gives different values each time.
    name : str, optional
        Name in errors and tables; "conv2d" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(height, width, inputs / groups, filters)``; None until it is created.
    bias : Variable or None
        ``(filters,)``; initially 0.

    Raises
    ------
    StructureError
        If an argument is out of its range.
    ShapeError
        When it is called on images with another number of channels, or too small for the kernel.

    Notes
    -----
    **Shapes.** ``(..., h, w, inputs)`` gives ``(..., rows, columns, filters)``.

    The kernel is initialized as that of :class:`Dense` (Glorot uniform), over a whole window.

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
        self.name = layer_name(name, "conv2d")
        self.filters = size_argument("filters", filters)
        self.size = _height_and_width(size)
        self.activation = activation_function(activation)
        self.groups = size_argument("groups", groups)
        self.options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": self.groups}
        self.dtype = floating_dtype(dtype)
        self.seed = random_generator(seed)
        self.kernel: Variable | None = None
        self.bias = layer_variable(self, "bias", np.zeros(self.filters)) if check_flag("use_bias", use_bias) else None
        if inputs is not None:
            self._build(size_argument("inputs", inputs))

    def _build(self, inputs: int) -> Variable:
        if inputs % self.groups or self.filters % self.groups:
            raise StructureError(
                f"{self.name}: {inputs} input channels and {self.filters} output channels cannot both be divided into "
                f"{self.groups} groups"
            )
        self.kernel = layer_variable(
            self, "kernel", glorot_uniform((*self.size, inputs // self.groups, self.filters), self.seed)
        )
        return self.kernel

    def _unbuilt_variable(self) -> str | None:
        return "kernel" if self.kernel is None else None

    def __call__(self, x: Any) -> Tensor:
        """``activation(conv2d(x, kernel) + bias)``."""
        x = as_tensor(x)
        if x.ndim < 3:
            raise ShapeError(f"{self.name} takes images (..., height, width, channels), got shape {x.shape}")
        kernel = self.kernel if self.kernel is not None else self._build(x.shape[-1])
        inputs = kernel.shape[2] * self.groups
        if x.shape[-1] != inputs:
            raise ShapeError(
                f"{self.name} was made for images of {inputs} channels, got shape {x.shape}; the last axis is the "
                "channels"
            )
        out = functional.conv2d(x, kernel, **self.options)
        out = out if self.bias is None else out + self.bias
        return out if self.activation is None else as_tensor(self.activation(out))


def _height_and_width(size: Any) -> tuple[int, int]:
    both = tuple(size) if isinstance(size, (list, tuple)) else (size, size)
    if len(both) != 2:
        raise StructureError(f"size must be an integer or a pair (height, width), got {size!r}")
    return size_argument("size", both[0]), size_argument("size", both[1])
