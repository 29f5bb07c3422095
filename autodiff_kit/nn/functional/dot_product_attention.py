"""Scaled dot-product attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.selection import where
from autodiff_kit.ops.softmax import check_masking, checked_mask, masked_softmax, softmax

__all__ = ["attention"]


def attention(
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    mode: str = "renormalize",
    additive: float = -1e9,
    empty: str = "zero",
) -> Tensor:
    """Scaled dot-product attention: for each query an average of the values, with weights ``softmax(q kᵀ / √d)``.

    Parameters
    ----------
    q : Tensor or array_like
        Queries ``(..., m, d)``.
    k : Tensor or array_like
        Keys ``(..., n, d)``.
    v : Tensor or array_like
        Values ``(..., n, e)``.
    mask : array_like of bool, optional
        True where a key may be attended to; broadcasts to ``(..., m, n)``, so a padded batch gives ``keep[:, None,
        :]``.
    mode, additive, empty : optional
        How the mask takes part, as in :func:`masked_softmax`. By default the weights of the keys that may be attended
        to sum to 1, and a query that may attend to none gets 0.

    Returns
    -------
    Tensor
        ``(..., m, e)``.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    StructureError
        If ``mode`` or ``empty`` is not a word that :func:`masked_softmax` knows.

    Notes
    -----
    **Gradient.** With mode "renormalize", a key that no query may attend to, and its value, get exactly 0, even if
    they contain nan.
    **Dtypes.** In float16 the queries are scaled before the product, which could overflow.

    References
    ----------
    .. [1] Vaswani et al., *Attention Is All You Need*, NeurIPS 2017.

    Examples
    --------
    >>> q = k = [[1.0, 0.0], [0.0, 1.0]]
    >>> ak.nn.attention(q, k, [[1.0], [3.0]], mask=[[True, False], [True, False]]).numpy()
    array([[1.],
           [1.]])
    """
    check_masking(mode, empty)
    queries, keys, values = as_tensor(q), as_tensor(k), as_tensor(v)
    _check_shapes(queries, keys, values)
    if mask is not None and mode == "renormalize":
        visible = _visible_keys(mask, queries, keys)  # 0 times nan is nan, so hidden keys and values are replaced
        keys, values = where(visible, keys, 0.0), where(visible, values, 0.0)
    scale = 1.0 / float(np.sqrt(queries.shape[-1]))
    half = queries.dtype == keys.dtype == np.float16  # the products may be too large for it, their share is not
    scores = (queries * scale) @ keys.swapaxes(-1, -2) if half else (queries @ keys.swapaxes(-1, -2)) * scale
    weights = softmax(scores) if mask is None else masked_softmax(scores, mask, mode, additive, empty)
    return weights @ values


def _visible_keys(mask: Any, q: Tensor, k: Tensor) -> Any:
    """Keys that at least one query may attend to, as a boolean column ``(..., n, 1)``."""
    rows = (q.shape[-2], k.shape[-2])
    checked_mask((*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), *rows), mask)
    keep = as_array(unwrap(mask))
    full = np.broadcast_to(keep, np.broadcast_shapes(keep.shape, rows))
    return np.any(full, axis=-2)[..., None]


def _check_shapes(q: Tensor, k: Tensor, v: Tensor) -> None:
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ShapeError(f"attention needs matrices of queries, keys and values; got {q.shape}, {k.shape}, {v.shape}")
    if not q.shape[-1]:
        raise ShapeError(f"attention needs vectors of at least one entry; got queries {q.shape}")
    if q.shape[-1] != k.shape[-1]:
        raise ShapeError(f"queries {q.shape} and keys {k.shape} must have vectors of the same length")
    if k.shape[-2] != v.shape[-2]:
        raise ShapeError(f"keys {k.shape} and values {v.shape} must have the same number of rows")
