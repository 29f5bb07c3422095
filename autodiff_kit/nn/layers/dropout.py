"""The dropout layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor
from autodiff_kit.errors import StructureError
from autodiff_kit.nn import functional
from autodiff_kit.nn.layers.arguments import layer_name, random_generator
from autodiff_kit.nn.module import Module

__all__ = ["Dropout"]


class Dropout(Module):
    """Dropout layer: in training, sets random entries to 0 and scales the others to keep the expected value.

    Parameters
    ----------
    rate : float
        Probability with which an entry is dropped, from 0 to 1.
    seed : int or numpy.random.Generator, optional
        Seed of the random masks; every call draws a new mask. None gives different masks each time.
    name : str, optional
        Name in errors; "dropout" by default.

    Raises
    ------
    StructureError, DtypeError
        If the rate is outside 0 to 1; or if a call does not pass ``training``.

    Notes
    -----
    **Gradient.** Through the kept entries, times ``1 / (1 - rate)``.

    A call must pass ``training=True`` or ``training=False``: with a default, a forgotten argument would go unnoticed.
    :meth:`Module.save` saves variables, but not the state of the random generator.

    Examples
    --------
    >>> layer = ak.layers.Dropout(0.5, seed=0)
    >>> sorted(set(layer(np.ones(100), training=True).tolist()))
    [0.0, 2.0]
    >>> layer([1.0, 2.0], training=False).tolist()
    [1.0, 2.0]
    """

    def __init__(self, rate: float, seed: Any = None, name: str | None = None) -> None:
        self.name = layer_name(name, "dropout")
        functional.dropout(0.0, rate, training=False)  # validates the rate now rather than at the first call
        self.rate = rate
        self.seed = random_generator(seed)

    def __call__(self, x: Any, training: bool | None = None) -> Tensor:
        """The input with dropped entries."""
        if not isinstance(training, (bool, np.bool_)):
            raise StructureError(
                f"{self.name} is active in training only; "
                f"call it, and the Sequential that contains it, with training=True or training=False; got {training!r}"
            )
        return functional.dropout(x, self.rate, self.seed, training=bool(training))
