"""Normalization layers with a trainable scale and offset: LayerNorm, InstanceNorm."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.variable import Variable
from autodiff_kit.nn import functional
from autodiff_kit.nn.layers.arguments import (
    check_input_width,
    floating_dtype,
    input_width,
    layer_name,
    size_argument,
)
from autodiff_kit.nn.layers.initializers import layer_variable
from autodiff_kit.nn.module import Module

__all__ = ["InstanceNorm", "LayerNorm"]


class _Normalization(Module):
    """Base class: a scale, initially 1, and an offset, initially 0, for each channel."""

    def __init__(self, epsilon: float, inputs: int | None, name: str, dtype: Any) -> None:
        self.name = name
        self.epsilon = epsilon
        self.dtype = floating_dtype(dtype)
        self.scale: Variable | None = None
        self.offset: Variable | None = None
        if inputs is not None:
            self._build(size_argument("inputs", inputs, least=0))

    def _build(self, inputs: int) -> None:
        self.scale = layer_variable(self, "scale", np.ones(inputs))
        self.offset = layer_variable(self, "offset", np.zeros(inputs))

    def _unbuilt_variable(self) -> str | None:
        return "scale" if self.scale is None else None

    def _checked_input(self, x: Any) -> Tensor:
        tensor = as_tensor(x)
        inputs = input_width(self, tensor)
        if self.scale is None:
            self._build(inputs)
        else:
            check_input_width(self, tensor, self.scale.shape[0])
        return tensor


class LayerNorm(_Normalization):
    """Layer normalization: each vector is normalized to mean 0 and variance 1, then scaled and shifted.

    Parameters
    ----------
    epsilon : float, optional
        Added to the variance, so that equal entries give 0.
    inputs : int, optional
        Width of the vectors; by default taken from the first call.
    name : str, optional
        Name in errors and tables; "layer_norm" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    scale, offset : Variable or None
        ``(inputs,)``; None until they are created.

    Raises
    ------
    ShapeError
        When it is called on vectors of another width.

    Notes
    -----
    **Shapes.** ``(..., inputs)`` gives the same.

    Examples
    --------
    >>> ak.layers.LayerNorm(epsilon=0.0)([[1.0, 3.0], [20.0, 0.0]]).numpy()
    array([[-1.,  1.],
           [ 1., -1.]])
    """

    def __init__(
        self, epsilon: float = 1e-5, inputs: int | None = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(epsilon, inputs, layer_name(name, "layer_norm"), dtype)

    def __call__(self, x: Any) -> Tensor:
        """The normalized vectors, scaled and shifted."""
        x = self._checked_input(x)
        return functional.layer_norm(x, self.scale, self.offset, epsilon=self.epsilon)


class InstanceNorm(_Normalization):
    """Instance normalization: each channel of each example gets mean 0 and variance 1, then is scaled and shifted.

    Parameters
    ----------
    epsilon : float, optional
        Added to the variance, so that a channel of one value gives 0.
    inputs : int, optional
        Number of channels; by default taken from the first call.
    name : str, optional
        Name in errors and tables; "instance_norm" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    scale, offset : Variable or None
        ``(inputs,)``; None until they are created.

    Raises
    ------
    ShapeError
        When it is called on another number of channels, or on examples without spatial axes.

    Notes
    -----
    **Shapes.** ``(b, ..., inputs)`` (examples, spatial axes, channels) gives the same.

    Examples
    --------
    >>> layer = ak.layers.InstanceNorm()
    >>> images = np.arange(24.0).reshape(2, 2, 2, 3)
    >>> np.abs(layer(images).mean(axis=(1, 2)).numpy()).max() < 1e-12
    np.True_
    """

    def __init__(
        self, epsilon: float = 1e-5, inputs: int | None = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(epsilon, inputs, layer_name(name, "instance_norm"), dtype)

    def __call__(self, x: Any) -> Tensor:
        """The normalized channels, scaled and shifted."""
        x = self._checked_input(x)
        return functional.instance_norm(x, self.scale, self.offset, epsilon=self.epsilon)
