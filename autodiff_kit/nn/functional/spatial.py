"""Convolution and pooling of images with channels last: conv2d, max_pool2d, avg_pool2d."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.convolution_pooling import SlidingWindows, average_pool, convolution, max_pool
from autodiff_kit.ops.shape_manipulation import reshape

__all__ = ["avg_pool2d", "conv2d", "max_pool2d"]

Pair = tuple[int, int]


# -------------------------------------------------------------------------------- arguments
def _integer_at_least(name: str, what: str, given: Any, least: int) -> int:
    try:
        n = operator.index(unwrap(given))
    except TypeError as error:
        raise DtypeError(f"{name}: {what} must be an integer or a pair of them, got {given!r}") from error
    if n < least:
        raise StructureError(f"{name}: {what} must be {least} or more, got {given!r}")
    return n


def _pair(name: str, what: str, given: Any, least: int = 1) -> Pair:
    """A pair (height, width) from one number for both or from a pair."""
    several = isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim > 0)
    both = tuple(given) if several else (given, given)
    if len(both) != 2:
        raise StructureError(f"{name}: {what} must be an integer or a pair (height, width), got {given!r}")
    return _integer_at_least(name, what, both[0], least), _integer_at_least(name, what, both[1], least)


def _same_padding(image: int, size: int, stride: int) -> Pair:
    """Padding before and after for "same": ``ceil(image / stride)`` windows; an odd zero goes to the end."""
    missing = max((math.ceil(image / stride) - 1) * stride + size - image, 0)
    return missing // 2, missing - missing // 2


def _padding_pairs(name: str, padding: Any, image: Pair, reach: Pair, stride: Pair) -> tuple[Pair, Pair]:
    if isinstance(padding, str):
        if padding not in ("valid", "same"):
            raise StructureError(f'{name}: padding is "valid", "same", an integer or pairs, got {padding!r}')
        if padding == "valid":
            return (0, 0), (0, 0)
        return _same_padding(image[0], reach[0], stride[0]), _same_padding(image[1], reach[1], stride[1])
    height, width = (
        padding if isinstance(padding, (list, tuple, np.ndarray)) and len(padding) == 2 else (padding, padding)
    )
    return _pair(name, "padding", height, 0), _pair(name, "padding", width, 0)


def _place_windows(name: str, t: Tensor, size: Any, stride: Any, padding: Any, dilation: Any = 1) -> SlidingWindows:
    """The positions of all windows, or an error if not even one fits."""
    if t.ndim < 3:
        raise ShapeError(f"{name}: an image has three axes, (height, width, channels), or more; got {t.shape}")
    size, stride, dilation = (
        _pair(name, what, given)
        for what, given in (("the window's size", size), ("stride", stride), ("dilation", dilation))
    )
    image = (t.shape[-3], t.shape[-2])
    reach = tuple((k - 1) * d + 1 for k, d in zip(size, dilation, strict=True))
    windows = SlidingWindows(size, stride, dilation, _padding_pairs(name, padding, image, reach, stride))
    if min(windows.over(image)) < 1:
        wide = tuple(n + sum(pad) for n, pad in zip(image, windows.pads, strict=True))
        raise ShapeError(
            f"{name}: a window that reaches over {reach} does not fit on an image of {image}, {wide} with padding; "
            'use a smaller window, or padding="same"'
        )
    return windows


# -------------------------------------------------------------------------------- public functions
def conv2d(x: Any, kernel: Any, stride: Any = 1, padding: Any = "valid", dilation: Any = 1, groups: int = 1) -> Tensor:
    """Convolution of images with a kernel, channels last.

    Parameters
    ----------
    x : Tensor or array_like
        Images ``(..., h, w, c)``; any number of axes in front, none included.
    kernel : Tensor or array_like
        ``(kh, kw, c / groups, d)``: height, width, channels in, channels out.
    stride : int or pair of int, optional
        Steps of the window, down and to the right.
    padding : {"valid", "same"}, int or pairs, optional
        Zeros around the image: none; as many as give ``ceil(size / stride)`` windows; that many on all sides;
        ``(height, width)``; or ``((top, bottom), (left, right))``.
    dilation : int or pair of int, optional
        Distance in the image between entries that neighbouring kernel entries are multiplied with.
    groups : int, optional
        Number of groups of consecutive channels, each convolved separately into its share of the output channels. With
        as many groups as channels, each channel has its own kernels (depthwise convolution).

    Returns
    -------
    Tensor
        ``(..., rows, columns, d)``.

    Raises
    ------
    ShapeError
        If kernel and image do not fit, or the kernel is larger than the padded image.
    StructureError, DtypeError
        If stride, padding, dilation or groups are not numbers in range.

    Notes
    -----
    **Shapes.** With padding p on both sides together, ``rows = (h + p - (kh - 1) * dilation - 1) // stride + 1``. An
    odd number of zeros for "same" has its larger half at the bottom and on the right, as TensorFlow's.
    The kernel is not flipped; in mathematics this is a cross-correlation.
    **Gradient.** Both are the exact transposes, for every setting.
    **Cost.** Two operations for each entry of the output and each of the kernel's ``kh * kw * c / groups`` entries; the
    windows are copied into a matrix of that width, and the rest is one matrix product.

    Examples
    --------
    >>> image = np.arange(9.0).reshape(3, 3, 1)
    >>> corner = np.array([[1.0, 0.0], [0.0, -1.0]]).reshape(2, 2, 1, 1)
    >>> ak.nn.conv2d(image, corner)[..., 0].tolist()
    [[-4.0, -4.0], [-4.0, -4.0]]
    """
    t, k = as_tensor(x), as_tensor(kernel)
    groups = _integer_at_least("conv2d", "groups", groups, 1)
    if k.ndim != 4 or 0 in k.shape[:2]:
        raise ShapeError(f"conv2d: the kernel must be (height, width, channels / groups, channels out), got {k.shape}")
    windows = _place_windows("conv2d", t, k.shape[:2], stride, padding, dilation)
    if k.shape[2] * groups != t.shape[-1] or k.shape[3] % groups:
        raise ShapeError(
            f"conv2d: an image with {t.shape[-1]} channels in {groups} groups needs a kernel of "
            f"{t.shape[-1] / groups:g} channels and a multiple of {groups} channels out, got a kernel {k.shape}"
        )
    image = reshape(t, (math.prod(t.shape[:-3]), *t.shape[-3:])) if t.ndim != 4 else t
    out: Tensor = convolution(image, k, windows=windows, groups=groups)
    return out if t.ndim == 4 else reshape(out, (*t.shape[:-3], *out.shape[1:]))


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
        As :func:`conv2d`; padding is never the largest.

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
    (``ak.max`` shares it evenly.) nan counts as larger than all.

    Examples
    --------
    >>> ak.nn.max_pool2d(np.arange(16.0).reshape(4, 4, 1), 2)[..., 0].tolist()
    [[5.0, 7.0], [13.0, 15.0]]
    """
    t, windows = _pooling_windows("max_pool2d", x, size, stride, padding)
    out: Tensor = max_pool(t, windows=windows)
    return out


def avg_pool2d(x: Any, size: Any, stride: Any = None, padding: Any = "valid") -> Tensor:
    """Mean of each window of an image, channel by channel.

    Parameters
    ----------
    x : Tensor or array_like
        Images ``(..., h, w, c)``, channels last.
    size : int or pair of int
        Of the window.
    stride : int or pair of int, optional
        By default the size, so that windows do not overlap.
    padding : {"valid", "same"}, int or pairs, optional
        As :func:`conv2d`; padding does not count, so a window at the border averages image entries only.

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
    windows = _place_windows(name, t, size, size if stride is None else stride, padding)
    alone = any(max(pad) >= n for pad, n in zip(windows.pads, windows.size, strict=True))
    if alone or 0 in t.shape[-3:-1]:
        raise ShapeError(
            f"{name}: a window of {windows.size} would contain padding only, on an image of {t.shape[-3:-1]} with "
            "padding "
            f"{windows.pads}; pad by less than the window"
        )
    return t, windows
