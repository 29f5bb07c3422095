"""Dense layers, and tables of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit import nn
from autodiff_kit.core.tensor import Tensor, Variable, lift
from autodiff_kit.core.validation import flag
from autodiff_kit.nn.layers.arguments import (
    Function,
    called,
    fits,
    floating,
    function_named,
    generator,
    glorot,
    variable,
    whole,
    width,
)
from autodiff_kit.nn.module import Module

__all__ = ["Dense", "Embedding"]


class Dense(Module):
    """Each vector of the input times a matrix, plus a bias: ``activation(x @ kernel + bias)``.

    Parameters
    ----------
    units : int
        Width of the output.
    activation : callable or str, optional
        What follows, as a function or as its name in ``ak.nn``, such as "relu"; None is nothing.
    use_bias : bool, optional
        Whether something is added after the product.
    inputs : int, optional
        Width of the input; without it, the first call says so.
    seed : int or numpy.random.Generator, optional
        Where the kernel starts; None draws another start each time.
    name : str, optional
        Shown in errors and tables; "dense" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(inputs, units)``; None until it is made.
    bias : Variable or None
        ``(units,)``; it starts at 0.

    Raises
    ------
    StructureError
        If an argument is out of its range.
    ShapeError
        When it is called on vectors of another width.

    Notes
    -----
    **Shapes.** ``(..., inputs)`` gives ``(..., units)``.

    The kernel starts uniform within ``sqrt(6 / (inputs + units))`` of 0 [1]_, so that neither values nor gradients grow
    or fade from layer to layer.

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
        self.name = called(name, "dense")
        self.units = whole("units", units)
        self.activation = function_named(activation)
        self.dtype = floating(dtype)
        self.seed = generator(seed)
        self.kernel: Variable | None = None
        self.bias = variable(self, "bias", np.zeros(self.units)) if flag("use_bias", use_bias) else None
        if inputs is not None:
            self._make(whole("inputs", inputs, least=0))

    def _make(self, inputs: int) -> Variable:
        self.kernel = variable(self, "kernel", glorot((inputs, self.units), self.seed))
        return self.kernel

    def _unmade(self) -> str | None:
        return "kernel" if self.kernel is None else None

    def __call__(self, x: Any) -> Tensor:
        """``activation(x @ kernel + bias)``."""
        x = lift(x)
        inputs = width(self, x)
        kernel = self.kernel if self.kernel is not None else self._make(inputs)
        fits(self, x, kernel.shape[0])
        out = x @ kernel
        out = out if self.bias is None else out + self.bias
        return out if self.activation is None else lift(self.activation(out))


class Embedding(Module):
    """A learnt vector for each of a number of things: words, users, nodes.

    Parameters
    ----------
    rows : int
        How many things there are; ids go from 0 to ``rows - 1``.
    size : int
        Length of each vector.
    seed : int or numpy.random.Generator, optional
        Where the vectors start; None draws another start each time.
    name : str, optional
        Shown in errors and tables; "embedding" by default.
    dtype : dtype, optional
        Of the table; float64 by default.

    Attributes
    ----------
    table : Variable
        ``(rows, size)``.

    Raises
    ------
    StructureError
        If an argument is out of its range.
    RangeError
        When it is called on an id outside of the table; it is an IndexError.

    Notes
    -----
    **Shapes.** ids ``(...)`` give ``(..., size)``.
    **Gradient.** That of the table; an id that occurs twice adds up.

    The entries start normal with standard deviation ``1 / sqrt(size)``: each vector is about 1 long.

    Examples
    --------
    >>> words = ak.layers.Embedding(rows=100, size=8, seed=0)
    >>> words([[5, 0, 7], [5, 5, 1]]).shape
    (2, 3, 8)
    """

    def __init__(self, rows: int, size: int, seed: Any = None, name: str | None = None, dtype: Any = None) -> None:
        self.name = called(name, "embedding")
        self.dtype = floating(dtype)
        shape = (whole("rows", rows), whole("size", size))
        self.table = variable(self, "table", generator(seed).normal(scale=shape[1] ** -0.5, size=shape))

    def __call__(self, ids: Any) -> Tensor:
        """The vector of each id."""
        return nn.embedding(self.table, ids)
