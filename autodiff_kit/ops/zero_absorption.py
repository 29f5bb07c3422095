"""A block in which 0 times infinity is 0 in gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autodiff_kit.core.modes import modes
from autodiff_kit.core.record import ACTIVE_MODES

__all__ = ["zero_absorbs"]


@contextmanager
def zero_absorbs() -> Iterator[None]:
    """Treat 0 times infinity, and 0 times nan, as 0 in the gradients that are computed inside this block.

    Where the incoming gradient of an elementwise operation is exactly 0, so is the outgoing one, however large the
    derivative is there. Without the block the product is nan, as in floating-point arithmetic. That is right where 0
    stands for something small, and misleading where 0 stands for "not chosen".

    Notes
    -----
    **Gradient.** To any order; in forward mode a tangent of 0 stays 0. The block also hides a nan that comes from a
    mistake, not only one from ``where``; a second ``where`` inside the first hides nothing.

    Examples
    --------
    >>> x = ak.Variable([-1.0, 0.0, 4.0])
    >>> with np.errstate(all="ignore"), ak.GradientTape() as tape:
    ...     y = ak.where(x > 0, ak.sqrt(x), 0.0)
    >>> with np.errstate(all="ignore"), ak.zero_absorbs():
    ...     tape.gradient(y, x).numpy()
    array([0.  , 0.  , 0.25])
    """
    before = modes.zero_absorbs
    modes.zero_absorbs = True
    ACTIVE_MODES.append(modes)
    try:
        yield
    finally:
        ACTIVE_MODES.remove(modes)
        modes.zero_absorbs = before
