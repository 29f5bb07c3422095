"""The dense (fully connected) layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable
from autodiff_kit.nn.layers.arguments import (
    Function,
    activation_function,
    check_input_width,
    floating_dtype,
    input_width,
    layer_name,
    random_generator,
    size_argument,
)
from autodiff_kit.nn.layers.initializers import glorot_uniform, layer_variable
from autodiff_kit.nn.module import Module

__all__ = ["Dense"]


class Dense(Module):
    """Dense (fully connected) layer: ``activation(x @ kernel + bias)``.

    Parameters
    ----------
    units : int
        Width of the output.
    activation : callable or str, optional
        Activation function, or its name in ``ak.nn`` such as "relu"; None for none.
    use_bias : bool, optional
        Whether a bias is added.
    inputs : int, optional
        Width of the input; by default taken from the first call.
    seed : int or numpy.random.Generator, optional
        Seed of the initial kernel; None gives different values each time.
    name : str, optional
        Name in errors and tables; "dense" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(inputs, units)``; None until it is created.
    bias : Variable or None
        ``(units,)``; initially 0.

    Raises
    ------
    StructureError
        If an argument is out of its range.
    ShapeError
        When it is called on vectors of another width.

    Notes
    -----
    **Shapes.** ``(..., inputs)`` gives ``(..., units)``.

    The kernel is initialized uniformly within ``±sqrt(6 / (inputs + units))`` (Glorot [1]_), so that neither values nor
    gradients grow or vanish from layer to layer.

    References
    ----------
    .. [1] Glorot and Bengio, *Understanding the difficulty of training deep feedforward neural networks*, AISTATS 2010.

    Examples
    --------
    >>> layer = ak.layers.Dense(2, "relu", inputs=3, seed=0)
    >>> layer
    Dense: 8 parameters in 2 variables
      kernel  (3, 2)  float64  6
      bias    (2,)    float64  2
    >>> layer(np.ones((5, 3))).shape
    (5, 2)
    """

    def __init__(
        self,
        units: int,
        activation: Function | str | None = None,
        use_bias: bool = True,
        inputs: int | None = None,
        seed: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.name = layer_name(name, "dense")
        self.units = size_argument("units", units)
        self.activation = activation_function(activation)
        self.dtype = floating_dtype(dtype)
        self.seed = random_generator(seed)
        self.kernel: Variable | None = None
        self.bias = layer_variable(self, "bias", np.zeros(self.units)) if check_flag("use_bias", use_bias) else None
        if inputs is not None:
            self._build(size_argument("inputs", inputs, least=0))

    def _build(self, inputs: int) -> Variable:
        self.kernel = layer_variable(self, "kernel", glorot_uniform((inputs, self.units), self.seed))
        return self.kernel

    def _unbuilt_variable(self) -> str | None:
        return "kernel" if self.kernel is None else None

    def __call__(self, x: Any) -> Tensor:
        """``activation(x @ kernel + bias)``."""
        x = as_tensor(x)
        inputs = input_width(self, x)
        kernel = self.kernel if self.kernel is not None else self._build(inputs)
        check_input_width(self, x, kernel.shape[0])
        out = x @ kernel
        out = out if self.bias is None else out + self.bias
        return out if self.activation is None else as_tensor(self.activation(out))
