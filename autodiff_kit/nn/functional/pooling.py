"""Pooling of images with channels last: the largest entry or the mean of each window."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError, ShapeError
from autodiff_kit.nn.functional.window_geometry import place_windows
from autodiff_kit.ops.convolution_pooling import SlidingWindows, average_pool, max_pool
from autodiff_kit.ops.docstrings import sections_of

__all__ = ["avg_pool2d", "max_pool2d"]


def max_pool2d(x: Any, size: Any, stride: Any = None, padding: Any = "valid") -> Tensor:
    """Largest entry of each window of an image, channel by channel.

    Parameters
    ----------
    x : Tensor or array_like
        Images ``(..., h, w, c)``, channels last.
    size : int or pair of int
        Of the window.
    stride : int or pair of int, optional
        By default the size, so that windows do not overlap.
    padding : {"valid", "same"}, int or pairs, optional
        As :func:`conv2d`.

    Returns
    -------
    Tensor
        ``(..., rows, columns, c)``.

    Raises
    ------
    ShapeError
        If no window fits, or one would contain padding only.
    StructureError, DtypeError
        If a setting is not a number in range.

    Notes
    -----
    **Gradient.** To the largest entry; of equal ones to the first in row-major order, as in other libraries.
    (``ak.max`` shares it evenly.) nan counts as larger than all; padding is never the largest.

    Examples
    --------
    >>> ak.nn.max_pool2d(np.arange(16.0).reshape(4, 4, 1), 2)[..., 0].tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    t, windows = _pooling_windows("max_pool2d", x, size, stride, padding)
    out: Tensor = max_pool(t, windows=windows)
    return out


@sections_of(max_pool2d)
def avg_pool2d(x: Any, size: Any, stride: Any = None, padding: Any = "valid") -> Tensor:
    """Mean of each window of an image, channel by channel.

    Notes
    -----
    Padding does not count: a window at the border averages entries of the image only.
    **Gradient.** Shared evenly among the entries of each window.

    Examples
    --------
    >>> ak.nn.avg_pool2d(np.arange(16.0).reshape(4, 4, 1), 2)[..., 0].tolist()
    [[2.5, 4.5], [10.5, 12.5]]
    """
    t, windows = _pooling_windows("avg_pool2d", x, size, stride, padding)
    out: Tensor = average_pool(t, windows=windows)
    return out


def _pooling_windows(name: str, x: Any, size: Any, stride: Any, padding: Any) -> tuple[Tensor, SlidingWindows]:
    t = as_tensor(x)
    if t.dtype.kind == "b":
        raise DtypeError(f"{name}: booleans have no maximum and no mean; cast them to numbers first")
    windows = place_windows(name, t, size, size if stride is None else stride, padding)
    alone = any(max(pad) >= n for pad, n in zip(windows.pads, windows.size, strict=True))
    if alone or 0 in t.shape[-3:-1]:
        raise ShapeError(
            f"{name}: a window of {windows.size} would contain padding only, on an image of {t.shape[-3:-1]} with "
            "padding "
            f"{windows.pads}; pad by less than the window"
        )
    return t, windows
