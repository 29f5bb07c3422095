"""Convolutions of images and sequences with channels last, and their transposes."""

from __future__ import annotations

import math
from typing import Any

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ShapeError
from autodiff_kit.nn.functional.window_geometry import (
    along_sequence,
    caller_shape,
    check_sequence,
    input_noun,
    integer_at_least,
    place_transposed_windows,
    place_windows,
    sequence_padding,
)
from autodiff_kit.ops.convolution_pooling import convolution, transposed_convolution
from autodiff_kit.ops.shape_manipulation import expand_dims, reshape, squeeze

__all__ = ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose"]


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
    windows are copied into a matrix of that width, some of them at a time, and the rest is matrix products.

    Examples
    --------
    >>> image = np.arange(9.0).reshape(3, 3, 1)
    >>> corner = np.array([[1.0, 0.0], [0.0, -1.0]]).reshape(2, 2, 1, 1)
    >>> ak.nn.conv2d(image, corner)[..., 0].tolist()
    [[-4.0, -4.0], [-4.0, -4.0]]
    """
    return _convolve("conv2d", as_tensor(x), as_tensor(kernel), stride, padding, dilation, groups)


def _convolve(name: str, t: Tensor, k: Tensor, stride: Any, padding: Any, dilation: Any, groups: Any) -> Tensor:
    groups = integer_at_least(name, "groups", groups, 1)
    if k.ndim != 4 or 0 in k.shape[:2]:
        raise ShapeError(f"{name}: the kernel must be (height, width, channels / groups, channels out), got {k.shape}")
    windows = place_windows(name, t, k.shape[:2], stride, padding, dilation)
    if k.shape[2] * groups != t.shape[-1] or k.shape[3] % groups:
        raise ShapeError(
            f"{name}: {input_noun(name)} with {t.shape[-1]} channels in {groups} groups needs a kernel of "
            f"{t.shape[-1] / groups:g} channels and a multiple of {groups} channels out, got a kernel "
            f"{caller_shape(name, k.shape)}"
        )
    out: Tensor = convolution(_one_batch_axis(t), k, windows=windows, groups=groups)
    return out if t.ndim == 4 else reshape(out, (*t.shape[:-3], *out.shape[1:]))


def _one_batch_axis(t: Tensor) -> Tensor:
    """Images with exactly one axis in front, as the operations take them."""
    return t if t.ndim == 4 else reshape(t, (math.prod(t.shape[:-3]), *t.shape[-3:]))


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
    check_sequence("conv1d", t, k, "channels / groups, channels out")
    out = _convolve(
        "conv1d", expand_dims(t, -3), expand_dims(k, 0), along_sequence("conv1d", "stride", stride),
        sequence_padding("conv1d", padding), along_sequence("conv1d", "dilation", dilation), groups,
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
    groups = integer_at_least(name, "groups", groups, 1)
    if k.ndim != 4 or 0 in k.shape[:2]:
        raise ShapeError(
            f"{name}: the kernel must be (height, width, channels out / groups, channels in), got {k.shape}"
        )
    windows, image = place_transposed_windows(name, t, k.shape[:2], stride, padding, output_padding, dilation)
    if k.shape[3] != t.shape[-1] or k.shape[3] % groups:
        raise ShapeError(
            f"{name}: {input_noun(name)} with {t.shape[-1]} channels in {groups} groups needs a kernel of "
            f"{t.shape[-1]} channels in, a multiple of {groups}, got a kernel {caller_shape(name, k.shape)}"
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
    check_sequence(name, t, k, "channels out / groups, channels in")
    out = _convolve_transposed(
        name, expand_dims(t, -3), expand_dims(k, 0), along_sequence(name, "stride", stride),
        sequence_padding(name, padding), along_sequence(name, "output_padding", output_padding, 0),
        along_sequence(name, "dilation", dilation), groups,
    )  # fmt: skip
    return squeeze(out, -3)
