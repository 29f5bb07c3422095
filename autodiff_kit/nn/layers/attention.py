"""The multi-head attention layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn import functional
from autodiff_kit.nn.layers.arguments import layer_name, random_generator, row_vectors, size_argument
from autodiff_kit.nn.layers.dense import Dense
from autodiff_kit.nn.module import Module
from autodiff_kit.ops.softmax import check_masking

__all__ = ["Attention"]


class Attention(Module):
    """Multi-head attention: each vector gets an average of projected context vectors, weighted by attention.

    Parameters
    ----------
    size : int
        Total width of queries, keys and values over all heads, and width of the output.
    heads : int, optional
        Number of heads, each of width ``size / heads``.
    inputs : int, optional
        Width of the input, if the context has the same; by default both are taken from the first call.
    mode, additive, empty : optional
        How a mask works, as in :func:`autodiff_kit.nn.masked_softmax`.
    seed : int or numpy.random.Generator, optional
        Seed of the four initial kernels; None gives different values each time.
    name : str, optional
        Name in errors and tables; "attention" by default.
    dtype : dtype, optional
        Of the variables; float64 by default.

    Attributes
    ----------
    query, key, value, output : Dense
        The four projections; ``output`` combines the heads.

    Raises
    ------
    StructureError
        If ``size`` is not a multiple of ``heads``, or another argument is out of its range.
    ShapeError
        When it is called on shapes that do not fit.

    Notes
    -----
    **Shapes.** ``x (..., n, d)`` gives ``(..., n, size)``. Keys and values come from ``context (..., m, e)``, or from
    ``x`` if there is none. ``mask`` is True where a key may be attended to and broadcasts to ``(..., n, m)``: for a
    padded batch ``keep[:, None, :]``, for a causal mask ``np.tri(n, dtype=bool)``.
    **Gradient.** With mode "renormalize", inputs that no query may attend to get exactly 0.

    References
    ----------
    .. [1] Vaswani et al., *Attention Is All You Need*, NeurIPS 2017.

    Examples
    --------
    >>> layer = ak.layers.Attention(size=8, heads=2, seed=0)
    >>> words = np.ones((4, 6, 5))
    >>> keep = np.arange(6) < np.array([[6], [3], [1], [2]])
    >>> layer(words, mask=keep[:, None, :]).shape
    (4, 6, 8)
    >>> list(layer.named_variables())[:4]
    ['query/kernel', 'query/bias', 'key/kernel', 'key/bias']
    """

    def __init__(
        self,
        size: int,
        heads: int = 1,
        inputs: int | None = None,
        mode: str = "renormalize",
        additive: float = -1e9,
        empty: str = "zero",
        seed: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.name = layer_name(name, "attention")
        self.size, self.heads = size_argument("size", size), size_argument("heads", heads)
        if self.size % self.heads:
            raise StructureError(f"{self.name}: size {size} is not a multiple of the number of heads, {heads}")
        check_masking(mode, empty)
        self.options: dict[str, Any] = {"mode": mode, "additive": additive, "empty": empty}
        known: dict[str, Any] = {"inputs": inputs, "seed": random_generator(seed), "dtype": dtype}
        self.query = Dense(size, name=f"{self.name}/query", **known)
        self.key = Dense(size, name=f"{self.name}/key", **known)
        self.value = Dense(size, name=f"{self.name}/value", **known)
        self.output = Dense(size, name=f"{self.name}/output", **known | {"inputs": size})

    def __call__(self, x: Any, context: Any = None, mask: Any = None) -> Tensor:
        """Attend from each row of ``x`` to the rows of the context."""
        x = row_vectors(self, x)
        context = x if context is None else row_vectors(self, context)
        batch = self._batch_shape(x, context)
        keep = None if mask is None else self._head_mask(mask, x, context, batch)
        q, k, v = (
            self._split_heads(self.query(x)),
            self._split_heads(self.key(context)),
            self._split_heads(self.value(context)),
        )
        heads = functional.attention(q, k, v, keep, **self.options).swapaxes(-2, -3)
        return self.output(heads.reshape((*heads.shape[:-2], self.size)))

    def _split_heads(self, x: Tensor) -> Tensor:
        """``(..., n, size)`` as ``(..., heads, n, size / heads)``."""
        apart = x.reshape((*x.shape[:-1], self.heads, self.size // self.heads))
        return apart.swapaxes(-2, -3)

    def _batch_shape(self, x: Tensor, context: Tensor) -> tuple[int, ...]:
        try:
            return np.broadcast_shapes(x.shape[:-2], context.shape[:-2])
        except ValueError as error:
            raise ShapeError(
                f"{self.name}: rows {x.shape} and context {context.shape} belong to different batches; "
                "all axes except the last two must be equal"
            ) from error

    def _head_mask(self, mask: Any, x: Tensor, context: Tensor, batch: tuple[int, ...]) -> Any:
        """The mask with an axis for the heads, if it broadcasts to the scores, else an error."""
        keep = as_array(unwrap(as_tensor(mask)))
        wanted = (*batch, x.shape[-2], context.shape[-2])
        try:
            np.broadcast_to(keep, wanted)
        except ValueError as error:
            raise ShapeError(
                f"{self.name}: a mask of shape {keep.shape} does not broadcast to {wanted}, one row of keys for each "
                "query; a padded batch gives keep[:, None, :]"
            ) from error
        return keep if keep.ndim < 3 else keep[..., None, :, :]
