"""A model that applies layers one after the other."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError
from autodiff_kit.nn.layers.arguments import Function
from autodiff_kit.nn.layers.dropout import Dropout
from autodiff_kit.nn.module import Module

__all__ = ["Sequential"]


class Sequential(Module):
    """A model that applies layers one after the other.

    Parameters
    ----------
    *layers : callable
        Modules or functions of one argument, in order.

    Attributes
    ----------
    layers : list
        The layers, in order; the list may be changed.

    Raises
    ------
    DtypeError
        If a layer is not callable; the error is a TypeError.

    Notes
    -----
    ``training=True`` or ``training=False`` in a call is passed on to :class:`Dropout` layers and nested Sequentials.

    Examples
    --------
    >>> model = ak.layers.Sequential(ak.layers.Dense(4, "tanh", seed=1), ak.layers.Dense(1, seed=2))
    >>> model(np.ones((3, 2))).shape
    (3, 1)
    >>> model
    Sequential: 17 parameters in 4 variables
      layers/0/kernel  (2, 4)  float64  8
      layers/0/bias    (4,)    float64  4
      layers/1/kernel  (4, 1)  float64  4
      layers/1/bias    (1,)    float64  1
    """

    def __init__(self, *layers: Function) -> None:
        for place, layer in enumerate(layers):
            if not callable(layer):
                raise DtypeError(
                    f"layer {place} must be callable, got a {type(layer).__name__}; pass the layers one by one"
                )
        self.layers: list[Function] = list(layers)

    def __call__(self, x: Any, training: bool | None = None) -> Tensor:
        """Apply all layers in order."""
        for layer in self.layers:
            x = layer(x, training) if isinstance(layer, (Dropout, Sequential)) else layer(x)
        return as_tensor(x)
