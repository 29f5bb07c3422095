"""Convolution layers, over sequences and over images, and their transposes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn import functional
from autodiff_kit.nn.functional.window_geometry import check_settings
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

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose"]


class _Convolution(Module):
    """Base class: a kernel, made when the channels of the input are known, and a bias for each output channel."""

    _convolve: ClassVar[Callable[..., Tensor]]
    _inputs: ClassVar[str]
    _axes: ClassVar[tuple[str, ...]]
    _transposed = False

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
        self.name = layer_name(name, type(self)._convolve.__name__)
        self.filters = size_argument("filters", filters)
        self.size = self._kernel_size(size)
        self.activation = activation_function(activation)
        self.groups = size_argument("groups", groups)
        if self.filters % self.groups:
            raise StructureError(
                f"{self.name}: {self.filters} output channels cannot be divided into {self.groups} groups"
            )
        self.options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": self.groups}
        self._check_options(stride=stride, padding=padding, dilation=dilation)
        self.dtype = floating_dtype(dtype)
        self.seed = random_generator(seed)
        self.kernel: Variable | None = None
        self.bias = layer_variable(self, "bias", np.zeros(self.filters)) if check_flag("use_bias", use_bias) else None
        if inputs is not None:
            self._build(size_argument("inputs", inputs))

    def _check_options(self, **options: Any) -> None:
        check_settings(type(self)._convolve.__name__, self.size, **options)

    def _kernel_size(self, size: Any) -> tuple[int, ...]:
        lengths = tuple(size) if isinstance(size, (list, tuple)) else (size,) * len(self._axes)
        if len(lengths) != len(self._axes):
            raise StructureError(f"size must be an integer or one for each of {', '.join(self._axes)}, got {size!r}")
        return tuple(size_argument("size", length) for length in lengths)

    def _build(self, inputs: int) -> Variable:
        if inputs % self.groups or self.filters % self.groups:
            raise StructureError(
                f"{self.name}: {inputs} input channels and {self.filters} output channels cannot both be divided into "
                f"{self.groups} groups"
            )
        few, other = (self.filters, inputs) if self._transposed else (inputs, self.filters)
        self.kernel = layer_variable(self, "kernel", glorot_uniform((*self.size, few // self.groups, other), self.seed))
        return self.kernel

    def _unbuilt_variable(self) -> str | None:
        return "kernel" if self.kernel is None else None

    def __call__(self, x: Any) -> Tensor:
        """``activation(convolution(x, kernel) + bias)``."""
        x = as_tensor(x)
        if x.ndim <= len(self._axes):
            axes = ", ".join((*self._axes, "channels"))
            raise ShapeError(f"{self.name} takes {self._inputs} (..., {axes}), got shape {x.shape}")
        kernel = self.kernel if self.kernel is not None else self._build(x.shape[-1])
        inputs = kernel.shape[-1] if self._transposed else kernel.shape[-2] * self.groups
        if x.shape[-1] != inputs:
            raise ShapeError(
                f"{self.name} was made for {self._inputs} of {inputs} channels, got shape {x.shape}; the last axis is "
                "the channels"
            )
        out = type(self)._convolve(x, kernel, **self.options)
        out = out if self.bias is None else out + self.bias
        return out if self.activation is None else as_tensor(self.activation(out))


class _TransposedConvolution(_Convolution):
    """Base class of the transposes, which say how far the output is lengthened."""

    _transposed = True

    def __init__(
        self,
        filters: int,
        size: Any,
        activation: Function | str | None = None,
        use_bias: bool = True,
        stride: Any = 1,
        padding: Any = "valid",
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        inputs: int | None = None,
        seed: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            filters, size, activation, use_bias, stride, padding, dilation, groups, inputs, seed, name, dtype
        )
        self.options["output_padding"] = output_padding
        self._check_options(stride=stride, padding=padding, dilation=dilation, output_padding=output_padding)


class Conv2D(_Convolution):
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

    _convolve = functional.conv2d
    _inputs = "images"
    _axes = ("height", "width")


class Conv1D(_Convolution):
    """Convolution layer for sequences with channels last: ``activation(conv1d(x, kernel) + bias)``.

    Parameters
    ----------
    filters : int
        Channels of the output.
    size : int
        Steps of the kernel.
    activation, use_bias : optional
        As in :class:`Conv2D`.
    stride, padding, dilation, groups : optional
        As in :func:`autodiff_kit.nn.conv1d`.
    inputs, seed : optional
        As in :class:`Conv2D`.
    name : str, optional
        Name in errors and tables; "conv1d" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(size, inputs / groups, filters)``; None until it is created.
    bias : Variable or None
        ``(filters,)``; initially 0.

    Raises
    ------
    StructureError, ShapeError
        As :class:`Conv2D`.

    Notes
    -----
    **Shapes.** ``(..., steps, inputs)`` gives ``(..., windows, filters)``.

    Examples
    --------
    >>> layer = ak.layers.Conv1D(4, 3, "relu", padding="same", seed=0)
    >>> layer(np.ones((2, 8, 1))).shape
    (2, 8, 4)
    """

    _convolve = functional.conv1d
    _inputs = "sequences"
    _axes = ("steps",)


class Conv2DTranspose(_TransposedConvolution):
    """Transposed convolution layer, which makes images larger: ``activation(conv2d_transpose(x, kernel) + bias)``.

    Parameters
    ----------
    filters : int
        Channels of the output.
    size : int or pair of int
        Height and width of the kernel.
    activation, use_bias : optional
        As in :class:`Conv2D`.
    stride, padding, output_padding, dilation, groups : optional
        As in :func:`autodiff_kit.nn.conv2d_transpose`.
    inputs, seed : optional
        As in :class:`Conv2D`.
    name : str, optional
        Name in errors and tables; "conv2d_transpose" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(height, width, filters / groups, inputs)``; None until it is created.
    bias : Variable or None
        ``(filters,)``; initially 0.

    Raises
    ------
    StructureError, ShapeError
        As :class:`Conv2D`.

    Notes
    -----
    **Shapes.** ``(..., h, w, inputs)`` gives ``(..., rows, columns, filters)``.

    Examples
    --------
    >>> layer = ak.layers.Conv2DTranspose(1, 4, stride=2, padding="same", seed=0)
    >>> layer(np.ones((2, 8, 8, 3))).shape
    (2, 16, 16, 1)
    """

    _convolve = functional.conv2d_transpose
    _inputs = "images"
    _axes = ("height", "width")


class Conv1DTranspose(_TransposedConvolution):
    """Transposed convolution layer, which makes sequences longer: ``activation(conv1d_transpose(x, kernel) + bias)``.

    Parameters
    ----------
    filters : int
        Channels of the output.
    size : int
        Steps of the kernel.
    activation, use_bias : optional
        As in :class:`Conv2D`.
    stride, padding, output_padding, dilation, groups : optional
        As in :func:`autodiff_kit.nn.conv1d_transpose`.
    inputs, seed : optional
        As in :class:`Conv2D`.
    name : str, optional
        Name in errors and tables; "conv1d_transpose" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(size, filters / groups, inputs)``; None until it is created.
    bias : Variable or None
        ``(filters,)``; initially 0.

    Raises
    ------
    StructureError, ShapeError
        As :class:`Conv2D`.

    Notes
    -----
    **Shapes.** ``(..., steps, inputs)`` gives ``(..., length, filters)``.

    Examples
    --------
    >>> layer = ak.layers.Conv1DTranspose(1, 4, stride=2, padding="same", seed=0)
    >>> layer(np.ones((2, 8, 3))).shape
    (2, 16, 1)
    """

    _convolve = functional.conv1d_transpose
    _inputs = "sequences"
    _axes = ("steps",)
