"""Normalisation with a scale and an offset of its own, and dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit import nn
from autodiff_kit.core.tensor import Tensor, Variable, lift
from autodiff_kit.errors import StructureError
from autodiff_kit.nn.layers.arguments import called, fits, floating, generator, variable, whole, width
from autodiff_kit.nn.module import Module

__all__ = ["Dropout", "InstanceNorm", "LayerNorm"]


class _Norm(Module):
    """A scale that starts at 1 and an offset that starts at 0, one number for each channel."""

    def __init__(self, epsilon: float, inputs: int | None, name: str, dtype: Any) -> None:
        self.name = name
        self.epsilon = epsilon
        self.dtype = floating(dtype)
        self.scale: Variable | None = None
        self.offset: Variable | None = None
        if inputs is not None:
            self._make(whole("inputs", inputs, least=0))

    def _make(self, inputs: int) -> None:
        self.scale = variable(self, "scale", np.ones(inputs))
        self.offset = variable(self, "offset", np.zeros(inputs))

    def _unmade(self) -> str | None:
        return "scale" if self.scale is None else None

    def _input(self, x: Any) -> Tensor:
        tensor = lift(x)
        inputs = width(self, tensor)
        if self.scale is None:
            self._make(inputs)
        else:
            fits(self, tensor, self.scale.shape[0])
        return tensor


class LayerNorm(_Norm):
    """Each vector brought to mean 0 and variance 1, then scaled and moved as training finds best.

    Parameters
    ----------
    epsilon : float, optional
        Added to the variance, so that equal entries give 0.
    inputs : int, optional
        Width of the vectors; without it, the first call says so.
    name : str, optional
        Shown in errors and tables; "layer_norm" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    scale, offset : Variable or None
        ``(inputs,)``; None until they are made.

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
        super().__init__(epsilon, inputs, called(name, "layer_norm"), dtype)

    def __call__(self, x: Any) -> Tensor:
        """The normalised vectors, scaled and moved."""
        x = self._input(x)
        return nn.layer_norm(x, self.scale, self.offset, epsilon=self.epsilon)


class InstanceNorm(_Norm):
    """Each channel of each example brought to mean 0 and variance 1, then scaled and moved as training finds best.

    Parameters
    ----------
    epsilon : float, optional
        Added to the variance, so that a channel of one value gives 0.
    inputs : int, optional
        Number of channels; without it, the first call says so.
    name : str, optional
        Shown in errors and tables; "instance_norm" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    scale, offset : Variable or None
        ``(inputs,)``; None until they are made.

    Raises
    ------
    ShapeError
        When it is called on another number of channels, or on examples without places.

    Notes
    -----
    **Shapes.** ``(b, ..., inputs)``, examples, places, channels, gives the same.

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
        super().__init__(epsilon, inputs, called(name, "instance_norm"), dtype)

    def __call__(self, x: Any) -> Tensor:
        """The normalised channels, scaled and moved."""
        x = self._input(x)
        return nn.instance_norm(x, self.scale, self.offset, epsilon=self.epsilon)


class Dropout(Module):
    """Entries set to 0 at random while training, the others enlarged so that the mean stays.

    Parameters
    ----------
    rate : float
        Share of the entries that are dropped, from 0 to 1.
    seed : int or numpy.random.Generator, optional
        Where the draws begin; every call draws anew. None begins elsewhere each time.
    name : str, optional
        Shown in errors; "dropout" by default.

    Raises
    ------
    StructureError, DtypeError
        If the rate is outside 0 to 1; or when a call does not say whether it is for training.

    Notes
    -----
    **Gradient.** Through the same entries, times ``1 / (1 - rate)``.

    A call must say ``training=True`` or ``training=False``: with either one taken for granted, a forgotten word would
    pass unnoticed. :meth:`Module.save` keeps variables, not how far the draws have come.

    Examples
    --------
    >>> layer = ak.layers.Dropout(0.5, seed=0)
    >>> sorted(set(layer(np.ones(100), training=True).tolist()))
    [0.0, 2.0]
    >>> layer([1.0, 2.0], training=False).tolist()
    [1.0, 2.0]
    """

    def __init__(self, rate: float, seed: Any = None, name: str | None = None) -> None:
        self.name = called(name, "dropout")
        nn.dropout(0.0, rate, training=False)  # an error for a wrong rate belongs here, where the rate is given
        self.rate = rate
        self.seed = generator(seed)

    def __call__(self, x: Any, training: bool | None = None) -> Tensor:
        """What is left of the input."""
        if not isinstance(training, (bool, np.bool_)):
            raise StructureError(
                f"{self.name} acts in training only, and must be told: "
                f"call it, and the Sequential around it, with training=True or training=False; got {training!r}"
            )
        return nn.dropout(x, self.rate, self.seed, training=bool(training))
