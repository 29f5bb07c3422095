"""Gradient clipping: all gradients of a model are scaled by one factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.record import open_records
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import DtypeError
from autodiff_kit.ops.arithmetic import maximum
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.joining import stack
from autodiff_kit.ops.norms import vector_norm
from autodiff_kit.ops.row_gradient import RowGradient
from autodiff_kit.optim.validation import positive
from autodiff_kit.pytree import flatten, unflatten_like

__all__ = ["clip_by_global_norm"]


def clip_by_global_norm(gradients: Any, max_norm: float) -> tuple[Any, Tensor]:
    """Scale gradients down together, so that the norm over all their entries is at most ``max_norm``.

    Parameters
    ----------
    gradients : pytree of Tensor, array_like, RowGradient or None
        As :meth:`GradientTape.gradient` returns them, for example a list with one gradient for each variable.
    max_norm : float
        Above 0, and finite.

    Returns
    -------
    clipped : pytree
        The same structure and dtypes. None stays None, and a :class:`RowGradient` stays one (inside
        :func:`autodiff_kit.compile`, where gradients are dense, it becomes a tensor).
    norm : Tensor
        The norm before clipping, ``√(Σ g²)`` over all entries of all gradients.

    Raises
    ------
    DtypeError
        If a leaf is no gradient, such as the variable in a pair of :meth:`Optimizer.compute_gradients`.
    StructureError
        If ``max_norm`` is not a number above 0, or not finite.

    Notes
    -----
    Every gradient is multiplied by ``max_norm / max(norm, max_norm)``: the direction of the step over all variables
    stays, and shorter gradients do not change at all. No square overflows. If the norm is nan, every entry becomes nan.
    If it is infinite, finite entries become 0 and infinite ones nan; ``np.isfinite(norm)`` tells whether the step
    should be taken.
    **Dtypes.** Half precision is summed and scaled in single precision.
    **Gradient.** Through the gradients and through the norm, for example for learning an initial value.

    References
    ----------
    .. [1] Pascanu, Mikolov and Bengio, *On the difficulty of training recurrent neural networks*, ICML 2013.

    Examples
    --------
    >>> w, b = ak.Variable([3.0, 0.0]), ak.Variable(4.0)
    >>> with ak.GradientTape() as tape:
    ...     loss = ((w * w).sum() + b * b) / 2
    >>> clipped, norm = ak.optim.clip_by_global_norm(tape.gradient(loss, [w, b]), 1.0)
    >>> float(norm), [g.tolist() for g in clipped]
    (5.0, [[0.6000000000000001, 0.0], 0.8])
    >>> ak.optim.SGD(0.1).apply_gradients(zip(clipped, [w, b]))
    """
    limit = positive("max_norm", max_norm)
    leaves = [_gradient(leaf) for leaf in flatten(gradients)]
    norms = [_norm(g) for g in leaves if g is not None]
    norm = vector_norm(stack(norms)) if norms else as_tensor(0.0)
    scale = limit / maximum(norm, limit)
    return unflatten_like(gradients, [None if g is None else _scaled(g, scale) for g in leaves]), norm


def _gradient(leaf: Any) -> Any:
    """A leaf as a floating tensor, a RowGradient, or None."""
    if isinstance(leaf, RowGradient):
        return leaf if open_records.trace is None else as_tensor(leaf.numpy())
    if leaf is None:
        return None
    if isinstance(leaf, Variable):
        raise DtypeError(
            "clip_by_global_norm takes gradients, got a Variable; of pairs (gradient, variable) it takes "
            "[g for g, w in pairs]"
        )
    g = as_tensor(leaf)
    return g if g.dtype.kind == "f" else cast(g, np.float64)


def _norm(g: Any) -> Tensor:
    entries = as_tensor(g.rows if isinstance(g, RowGradient) else g)
    return vector_norm(cast(entries, np.float32) if entries.dtype == np.float16 else entries)


def _scaled(g: Any, scale: Tensor) -> Any:
    if isinstance(g, RowGradient):
        rows = (g.rows * np.asarray(scale)).astype(g.dtype, copy=False)
        return RowGradient(g.ids, rows, g.shape)
    return cast(g * scale, g.dtype)
