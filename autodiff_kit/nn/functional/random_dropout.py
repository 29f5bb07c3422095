"""Dropout: random entries set to 0."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import opaque
from autodiff_kit.core.validation import check_flag
from autodiff_kit.errors import DtypeError
from autodiff_kit.nn.functional.validation import number_in_range
from autodiff_kit.ops.selection import select

__all__ = ["dropout"]


def dropout(x: Any, rate: Any, seed: Any = None, training: bool = True) -> Tensor:
    """Dropout: sets random entries to 0 and scales the others so that the expected value stays the same.

    Parameters
    ----------
    x : Tensor or array_like
    rate : float
        Probability with which an entry is dropped, from 0 to 1.
    seed : int or numpy.random.Generator, optional
        The same number drops the same entries each time; a generator gives other entries at each call.
    training : bool, optional
        If False, no entry is dropped or scaled.

    Returns
    -------
    Tensor
        In the shape of ``x``; the kept entries are divided by ``1 - rate``.

    Raises
    ------
    StructureError, DtypeError
        If the rate is outside 0 to 1, or the seed is not valid.

    Notes
    -----
    **Gradient.** Through the same mask: ``1 / (1 - rate)`` where an entry was kept, exactly 0 where not, also
    where the entry was nan or infinite.

    References
    ----------
    .. [1] Srivastava et al., *Dropout: A Simple Way to Prevent Neural Networks from Overfitting*, JMLR 15, 2014.

    Examples
    --------
    >>> y = ak.nn.dropout(np.ones(1000), 0.25, seed=0)
    >>> sorted(set(y.numpy().round(4).tolist())), abs(float(y.mean()) - 1.0) < 0.1
    ([0.0, 1.3333], True)
    """
    t, probability = as_tensor(x), number_in_range("dropout", "rate", rate, most=1)
    if not check_flag("dropout: training", training) or probability == 0:
        return t
    keep = _draw_mask(t.shape, unwrap(seed), probability)
    scaled = t * (1.0 / (1.0 - probability)) if probability < 1 else t
    return select(scaled, 0.0, condition=keep)


@partial(opaque, every_call=True)
def _draw_mask(shape: tuple[int, ...], seed: Any, probability: float) -> np.ndarray[Any, Any]:
    """A mask of the entries that are kept; in a compiled function it is drawn again at each call."""
    try:
        generator = np.random.default_rng(np.asarray(seed) if isinstance(seed, np.ndarray) else seed)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"dropout: the seed must be an integer of 0 or more, or a Generator, got {seed!r}") from error
    keep: np.ndarray[Any, Any] = generator.random(shape) >= probability
    return keep
