"""The embedding layer: a trainable table of vectors."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tensor import Tensor
from autodiff_kit.nn import functional
from autodiff_kit.nn.layers.arguments import floating_dtype, layer_name, random_generator, size_argument
from autodiff_kit.nn.layers.initializers import layer_variable
from autodiff_kit.nn.module import Module

__all__ = ["Embedding"]


class Embedding(Module):
    """Embedding layer: a trainable vector for each id of a word, user or node.

    Parameters
    ----------
    rows : int
        Number of vectors; ids go from 0 to ``rows - 1``.
    size : int
        Length of each vector.
    seed : int or numpy.random.Generator, optional
        Seed of the initial vectors; None gives different values each time.
    name : str, optional
        Name in errors and tables; "embedding" by default.
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
        When it is called with an id outside of the table; the error is an IndexError.

    Notes
    -----
    **Shapes.** ids ``(...)`` give ``(..., size)``.
    **Gradient.** To the rows of the table; for an id that occurs twice, the cotangents are added.

    The entries are initialized from a normal distribution with standard deviation ``1 / sqrt(size)``, so that the
    vectors have a length of about 1.

    Examples
    --------
    >>> words = ak.layers.Embedding(rows=100, size=8, seed=0)
    >>> words([[5, 0, 7], [5, 5, 1]]).shape
    (2, 3, 8)
    """

    def __init__(self, rows: int, size: int, seed: Any = None, name: str | None = None, dtype: Any = None) -> None:
        self.name = layer_name(name, "embedding")
        self.dtype = floating_dtype(dtype)
        shape = (size_argument("rows", rows), size_argument("size", size))
        self.table = layer_variable(self, "table", random_generator(seed).normal(scale=shape[1] ** -0.5, size=shape))

    def __call__(self, ids: Any) -> Tensor:
        """The vector of each id."""
        return functional.embedding(self.table, ids)
