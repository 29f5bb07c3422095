"""Convolution and pooling of images and sequences with channels last: conv1d, conv2d, their transposes, pooling."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.convolution_pooling import (
    SlidingWindows,
    average_pool,
    convolution,
    max_pool,
    transposed_convolution,
)
from autodiff_kit.ops.shape_manipulation import expand_dims, reshape, squeeze

__all__ = ["avg_pool2d", "conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "max_pool2d"]

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


def _is_several(given: Any) -> bool:
    return isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim > 0)


def _pair(name: str, what: str, given: Any, least: int = 1) -> Pair:
    """A pair, (height, width) or (before, after), from one number for both or from a pair."""
    both = tuple(given) if _is_several(given) else (given, given)
    if len(both) != 2:
        both_are = "(before, after)" if name.startswith("conv1d") else "(height, width)"
        raise StructureError(f"{name}: {what} must be an integer or a pair {both_are}, got {given!r}")
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
    _check_image(name, t)
    size, stride, dilation = (
        _pair(name, what, given)
        for what, given in (("the window's size", size), ("stride", stride), ("dilation", dilation))
    )
    image = (t.shape[-3], t.shape[-2])
    reach = _reach(size, dilation)
    windows = SlidingWindows(size, stride, dilation, _padding_pairs(name, padding, image, reach, stride))
    if min(windows.over(image)) < 1:
        wide = tuple(n + sum(pad) for n, pad in zip(image, windows.pads, strict=True))
        over, small, padded = (_as_given(name, lengths) for lengths in (reach, image, wide))
        raise ShapeError(
            f"{name}: a window that reaches over {over} does not fit on {_noun(name)} of {small}, {padded} with "
            'padding; use a smaller window, or padding="same"'
        )
    return windows


def _place_transposed_windows(
    name: str, t: Tensor, size: Any, stride: Any, padding: Any, output_padding: Any, dilation: Any
) -> tuple[SlidingWindows, Pair]:
    """The windows that the entries of ``t`` came from, and the height and width of the image that they lie on."""
    _check_image(name, t)
    size, stride, dilation = (
        _pair(name, what, given)
        for what, given in (("the window's size", size), ("stride", stride), ("dilation", dilation))
    )
    extra = _pair(name, "output_padding", output_padding, 0)
    count = (t.shape[-3], t.shape[-2])
    reach = _reach(size, dilation)
    if any(more >= step for more, step in zip(extra, stride, strict=True)):
        steps, more = _as_given(name, stride), _as_given(name, extra)
        raise StructureError(f"{name}: output_padding must be less than the stride, {steps}, got {more}")
    if isinstance(padding, str) and padding == "same":
        if any(extra):
            raise StructureError(f'{name}: with padding="same" there is no output_padding, got {output_padding!r}')
        image = (count[0] * stride[0], count[1] * stride[1])
        pads = _padding_pairs(name, padding, image, reach, stride)
    else:
        pads = _padding_pairs(name, padding, (0, 0), reach, stride)
        height, width = (
            (n - 1) * step + far - sum(pad) + more
            for n, step, far, pad, more in zip(count, stride, reach, pads, extra, strict=True)
        )
        image = (height, width)
    if 0 in count or min(image) < 1:
        before, after, cut = (_as_given(name, lengths) for lengths in (count, image, pads))
        raise ShapeError(f"{name}: {_noun(name)} of {before} with padding {cut} would give one of {after}; pad less")
    return SlidingWindows(size, stride, dilation, pads), image


def _as_given(name: str, shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """A shape as the caller knows it: without the height of 1 that was put before the steps of a sequence."""
    return shape[1:] if name.startswith("conv1d") else shape


def _noun(name: str) -> str:
    return "a sequence" if name.startswith("conv1d") else "an image"


def _check_image(name: str, t: Tensor) -> None:
    if t.ndim < 3:
        raise ShapeError(f"{name}: an image has three axes, (height, width, channels), or more; got {t.shape}")


def _reach(size: Pair, dilation: Pair) -> Pair:
    """How many entries of the image a dilated window extends over."""
    return (size[0] - 1) * dilation[0] + 1, (size[1] - 1) * dilation[1] + 1


def _one_batch_axis(t: Tensor) -> Tensor:
    """Images with exactly one axis in front, as the operations take them."""
    return t if t.ndim == 4 else reshape(t, (math.prod(t.shape[:-3]), *t.shape[-3:]))


def _check_sequence(name: str, t: Tensor, k: Tensor, layout: str) -> None:
    if t.ndim < 2:
        raise ShapeError(f"{name}: a sequence has two axes, (steps, channels), or more; got {t.shape}")
    if k.ndim != 3 or not k.shape[0]:
        raise ShapeError(f"{name}: the kernel must be (size, {layout}), got {k.shape}")


def _along_sequence(name: str, what: str, given: Any, least: int = 1) -> Pair:
    """A number for a sequence as a pair for an image of height 1."""
    if _is_several(given):
        raise DtypeError(f"{name}: {what} must be an integer, got {given!r}")
    return (0 if what == "output_padding" else 1), _integer_at_least(name, what, given, least)


def _sequence_padding(name: str, padding: Any) -> Any:
    return padding if isinstance(padding, str) else ((0, 0), _pair(name, "padding", padding, 0))


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
    return _convolve("conv2d", as_tensor(x), as_tensor(kernel), stride, padding, dilation, groups)


def _convolve(name: str, t: Tensor, k: Tensor, stride: Any, padding: Any, dilation: Any, groups: Any) -> Tensor:
    groups = _integer_at_least(name, "groups", groups, 1)
    if k.ndim != 4 or 0 in k.shape[:2]:
        raise ShapeError(f"{name}: the kernel must be (height, width, channels / groups, channels out), got {k.shape}")
    windows = _place_windows(name, t, k.shape[:2], stride, padding, dilation)
    if k.shape[2] * groups != t.shape[-1] or k.shape[3] % groups:
        raise ShapeError(
            f"{name}: {_noun(name)} with {t.shape[-1]} channels in {groups} groups needs a kernel of "
            f"{t.shape[-1] / groups:g} channels and a multiple of {groups} channels out, got a kernel "
            f"{_as_given(name, k.shape)}"
        )
    out: Tensor = convolution(_one_batch_axis(t), k, windows=windows, groups=groups)
    return out if t.ndim == 4 else reshape(out, (*t.shape[:-3], *out.shape[1:]))


def conv1d(x: Any, kernel: Any, stride: int = 1, padding: Any = "valid", dilation: int = 1, groups: int = 1) -> Tensor:
    """Convolution of sequences with a kernel, channels last: :func:`conv2d` along one axis.

    Parameters
    ----------
    x : Tensor or array_like
        Sequences ``(..., steps, c)``; any number of axes in front, none included.
    kernel : Tensor or array_like
        ``(size, c / groups, d)``: steps, channels in, channels out.
    stride : int, optional
        Steps of the window.
    padding : {"valid", "same"}, int or pair of int, optional
        Zeros around the sequence: none; as many as give ``ceil(steps / stride)`` windows; that many on both sides; or
        ``(before, after)``. For a causal convolution ``((size - 1) * dilation, 0)``.
    dilation, groups : int, optional
        As in :func:`conv2d`.

    Returns
    -------
    Tensor
        ``(..., windows, d)``.

    Raises
    ------
    ShapeError
        If kernel and sequence do not fit, or the kernel is larger than the padded sequence.
    StructureError, DtypeError
        If stride, padding, dilation or groups are not numbers in range.

    Notes
    -----
    **Shapes.** With padding p on both sides together,
    ``windows = (steps + p - (size - 1) * dilation - 1) // stride + 1``. The kernel is not flipped.
    **Gradient.** As that of :func:`conv2d`, whose operation it is, on images of height 1.

    Examples
    --------
    >>> steps = np.array([[1.0], [4.0], [9.0], [16.0]])
    >>> ak.nn.conv1d(steps, [[[-1.0]], [[1.0]]])[:, 0].tolist()
    [3.0, 5.0, 7.0]
    """
    t, k = as_tensor(x), as_tensor(kernel)
    _check_sequence("conv1d", t, k, "channels / groups, channels out")
    out = _convolve(
        "conv1d", expand_dims(t, -3), expand_dims(k, 0), _along_sequence("conv1d", "stride", stride),
        _sequence_padding("conv1d", padding), _along_sequence("conv1d", "dilation", dilation), groups,
    )  # fmt: skip
    return squeeze(out, -3)


def conv2d_transpose(
    x: Any,
    kernel: Any,
    stride: Any = 1,
    padding: Any = "valid",
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The transpose of :func:`conv2d` with the same kernel and settings: each entry adds a kernel to a larger image.

    Parameters
    ----------
    x : Tensor or array_like
        Images ``(..., h, w, d)``; any number of axes in front, none included.
    kernel : Tensor or array_like
        ``(kh, kw, c / groups, d)``: height, width, channels out, channels in; the kernel of the convolution from c to
        d channels.
    stride : int or pair of int, optional
        Distance in the result between the kernels of neighbouring entries.
    padding : {"valid", "same"}, int or pairs, optional
        Rows and columns that are cut off the result: none; as many as leave ``stride`` times the size of ``x``; or
        numbers, as in :func:`conv2d`.
    output_padding : int or pair of int, optional
        Rows and columns that are added at the bottom and on the right; less than the stride. It chooses among the sizes
        of image from which the convolution leads to the size of ``x``.
    dilation, groups : optional
        As in :func:`conv2d`.

    Returns
    -------
    Tensor
        ``(..., rows, columns, c)``.

    Raises
    ------
    ShapeError
        If kernel and image do not fit, or nothing would be left of the result.
    StructureError, DtypeError
        If a setting is not a number in range, or there is output padding with "same".

    Notes
    -----
    **Shapes.** With padding p on both sides together,
    ``rows = (h - 1) * stride + (kh - 1) * dilation + 1 - p + output_padding``.
    It is the operation that computes the gradient of a convolution with respect to its images, and no inverse of it:
    ``conv2d(conv2d_transpose(x, kernel), kernel)`` has the shape of ``x`` and other values. Also called fractionally
    strided convolution, or deconvolution.
    **Gradient.** Both are the exact transposes; with respect to ``x`` it is :func:`conv2d`.
    **Cost.** As that of the convolution: two operations for each entry of ``x`` and each of the kernel's
    ``kh * kw * c / groups`` entries.

    References
    ----------
    .. [1] Dumoulin and Visin, *A guide to convolution arithmetic for deep learning*, arXiv:1603.07285, 2016.

    Examples
    --------
    >>> image = np.array([[1.0, 2.0], [3.0, 4.0]]).reshape(2, 2, 1)
    >>> ak.nn.conv2d_transpose(image, np.ones((2, 2, 1, 1)))[..., 0].tolist()
    [[1.0, 3.0, 2.0], [4.0, 10.0, 6.0], [3.0, 7.0, 4.0]]
    >>> ak.nn.conv2d_transpose(image, np.ones((2, 2, 1, 1)), stride=2).shape
    (4, 4, 1)
    """
    settings = stride, padding, output_padding, dilation, groups
    return _convolve_transposed("conv2d_transpose", as_tensor(x), as_tensor(kernel), *settings)


def _convolve_transposed(
    name: str, t: Tensor, k: Tensor, stride: Any, padding: Any, output_padding: Any, dilation: Any, groups: Any
) -> Tensor:
    groups = _integer_at_least(name, "groups", groups, 1)
    if k.ndim != 4 or 0 in k.shape[:2]:
        raise ShapeError(
            f"{name}: the kernel must be (height, width, channels out / groups, channels in), got {k.shape}"
        )
    windows, image = _place_transposed_windows(name, t, k.shape[:2], stride, padding, output_padding, dilation)
    if k.shape[3] != t.shape[-1] or k.shape[3] % groups:
        raise ShapeError(
            f"{name}: {_noun(name)} with {t.shape[-1]} channels in {groups} groups needs a kernel of {t.shape[-1]} "
            f"channels in, a multiple of {groups}, got a kernel {_as_given(name, k.shape)}"
        )
    out: Tensor = transposed_convolution(_one_batch_axis(t), k, windows=windows, groups=groups, image=image)
    return out if t.ndim == 4 else reshape(out, (*t.shape[:-3], *out.shape[1:]))


def conv1d_transpose(
    x: Any,
    kernel: Any,
    stride: int = 1,
    padding: Any = "valid",
    output_padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Tensor:
    """The transpose of :func:`conv1d` with the same kernel and settings: each step adds a kernel to a longer sequence.

    Parameters
    ----------
    x : Tensor or array_like
        Sequences ``(..., steps, d)``; any number of axes in front, none included.
    kernel : Tensor or array_like
        ``(size, c / groups, d)``: steps, channels out, channels in.
    stride : int, optional
        Distance in the result between the kernels of neighbouring steps.
    padding : {"valid", "same"}, int or pair of int, optional
        Steps that are cut off the result: none; as many as leave ``stride`` times the steps of ``x``; that many on both
        sides; or ``(before, after)``.
    output_padding : int, optional
        Steps that are added at the end; less than the stride.
    dilation, groups : int, optional
        As in :func:`conv2d`.

    Returns
    -------
    Tensor
        ``(..., length, c)``.

    Raises
    ------
    ShapeError, StructureError, DtypeError
        As :func:`conv2d_transpose`.

    Notes
    -----
    **Shapes.** With padding p on both sides together,
    ``length = (steps - 1) * stride + (size - 1) * dilation + 1 - p + output_padding``.
    **Gradient.** With respect to ``x`` it is :func:`conv1d`.

    Examples
    --------
    >>> ak.nn.conv1d_transpose([[1.0], [10.0]], np.ones((3, 1, 1)), stride=2)[:, 0].tolist()
    [1.0, 1.0, 11.0, 10.0, 10.0]
    """
    t, k, name = as_tensor(x), as_tensor(kernel), "conv1d_transpose"
    _check_sequence(name, t, k, "channels out / groups, channels in")
    out = _convolve_transposed(
        name, expand_dims(t, -3), expand_dims(k, 0), _along_sequence(name, "stride", stride),
        _sequence_padding(name, padding), _along_sequence(name, "output_padding", output_padding, 0),
        _along_sequence(name, "dilation", dilation), groups,
    )  # fmt: skip
    return squeeze(out, -3)


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
