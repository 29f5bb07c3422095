"""Convolution, its transpose, and pooling: windows that move over images.

Images are ``(..., h, w, c)``, channels last. A :class:`SlidingWindows` holds the positions of the windows;
:func:`patches` reads the windows, and :func:`fold`, its transpose, adds them up at their positions. Convolution and
pooling are composed of these two.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tracer import opaque
from autodiff_kit.ops.families import bilinear, general, linear

Array = np.ndarray[Any, Any]
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SlidingWindows:
    """Positions of windows on an image; each field is a number, or a pair of numbers for height and width."""

    size: Pair
    stride: Pair
    dilation: Pair
    pads: tuple[Pair, Pair]

    def over(self, image: Pair) -> Pair:
        """The number of windows that fit vertically and horizontally; 0 or negative if none fits."""
        rows, columns = (
            (n + sum(pad) - (k - 1) * d - 1) // s + 1
            for n, k, s, d, pad in zip(image, self.size, self.stride, self.dilation, self.pads, strict=True)
        )
        return rows, columns

    def inside(self, image: Pair) -> tuple[slice, slice]:
        """The slices of the padded image that hold the image."""
        (top, _), (left, _) = self.pads
        return slice(top, top + image[0]), slice(left, left + image[1])

    def places(self, i: int, j: int, count: Pair) -> tuple[slice, slice]:
        """The slices of the padded image that hold entry ``(i, j)`` of every window."""
        rows, columns = (
            slice(k * d, k * d + (n - 1) * s + 1, s)
            for k, n, s, d in zip((i, j), count, self.stride, self.dilation, strict=True)
        )
        return rows, columns


def _padded(x: Array, windows: SlidingWindows, filler: Any = 0) -> Array:
    """The image with its padding, filled with ``filler``."""
    if windows.pads == ((0, 0), (0, 0)):
        return x
    size = (n + sum(pad) for n, pad in zip(x.shape[-3:-1], windows.pads, strict=True))
    out = np.full((*x.shape[:-3], *size, x.shape[-1]), filler, x.dtype)
    out[(..., *windows.inside(x.shape[-3:-1]), slice(None))] = x
    return out


def _windows_view(x: Any, windows: SlidingWindows) -> Array:
    """All windows ``(..., rows, columns, kh, kw, c)``, as a view of the padded image."""
    x = np.asarray(x)
    wide = _padded(x, windows)
    *before, down, right, across = wide.strides
    (s, t), (d, e) = windows.stride, windows.dilation
    strides = (*before, down * s, right * t, down * d, right * e, across)
    shape = (*x.shape[:-3], *windows.over((x.shape[-3], x.shape[-2])), *windows.size, x.shape[-1])
    return np.lib.stride_tricks.as_strided(wide, shape, strides, writeable=False)


def _entries_by_offset(x: Array, windows: SlidingWindows, filler: Any = 0) -> Iterator[Array]:
    """For each offset inside a window, that entry of all windows: faster than one window after the other."""
    wide = _padded(x, windows, filler)
    for i, j in np.ndindex(windows.size):
        yield wide[(..., *windows.places(i, j, windows.over((x.shape[-3], x.shape[-2]))), slice(None))]


@linear(lambda g, _y, _x, *, windows: v.fold(g, windows=windows, image=tuple(_x.shape[-3:-1])))
def patches(x: Any, windows: SlidingWindows) -> Any:
    """The entries of every window, ``(..., rows, columns, kh, kw, c)``; also known as im2col."""
    return np.ascontiguousarray(_windows_view(x, windows))


@linear(lambda g, _y, _x, *, windows, image: v.patches(g, windows=windows))
def fold(x: Any, windows: SlidingWindows, image: Pair) -> Any:
    """Add windows up into an image where they overlap; the transpose of :func:`patches`, also known as col2im."""
    x = np.asarray(x)
    size = (n + sum(pad) for n, pad in zip(image, windows.pads, strict=True))
    dtype = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype
    out = np.zeros((*x.shape[:-5], *size, x.shape[-1]), dtype)
    loop = (
        kernels.compiled_loop("scatter_add_windows")
        if dtype.char in "fd" and windows.dilation[1] == 1 and x.size
        else None
    )
    if loop is not None:
        _fold_with_kernel(loop, out, np.ascontiguousarray(x, dtype), windows)
    else:
        for i, j in np.ndindex(windows.size):
            out[(..., *windows.places(i, j, x.shape[-5:-3]), slice(None))] += x[..., i, j, :]
    return out[(..., *windows.inside(image), slice(None))].astype(x.dtype, copy=False)


def _fold_with_kernel(loop: Any, out: Array, x: Array, windows: SlidingWindows) -> None:
    """Fold by the compiled loop, which is up to 60 times as fast, because it reads the windows once and in order."""
    height, width, c = out.shape[-3:]
    rows, columns, kh, kw = x.shape[-5:-1]
    count = math.prod(out.shape[:-3])
    down, along = windows.stride
    flat = x.reshape(count, rows, columns, kh, kw * c)
    loop(out.reshape(count, height, width * c), flat, down, along * c, windows.dilation[0])


# -------------------------------------------------------------------------------- convolution
# One matrix product: a row for each window, a column for each output channel; a stack of products, one for each group
# of channels. Images have exactly one batch axis here, so that further axes in front of it, and in front of the
# kernel's four, broadcast like stacks of matrices.


def _last_lengths(x: Any, count: int) -> tuple[int, ...]:
    """The lengths of the last ``count`` axes."""
    return tuple(np.shape(unwrap(x))[-count:])


def _permute_last_axes(x: Any, *order: int) -> Any:
    """The last axes in another order, without a copy."""
    return v.permute_dims(x, axes=order)


def _window_rows(x: Any, windows: SlidingWindows, groups: int) -> Any:
    """``(..., b, h, w, c)`` to ``(..., groups, windows, kh * kw * c / groups)``."""
    found = v.patches(x, windows=windows)
    b, rows, columns, kh, kw, c = _last_lengths(found, 6)
    count, size, deep = b * rows * columns, kh * kw, c // groups
    if groups == 1:
        return v.reshape(found, shape=(1, count, size * deep), ndim=6)
    apart = _permute_last_axes(v.reshape(found, shape=(count, size, groups, deep), ndim=6), -2, -4, -3, -1)
    return v.reshape(apart, shape=(groups, count, size * deep), ndim=4)


def _from_window_rows(rows: Any, windows: SlidingWindows, groups: int, batch: int, image: Pair) -> Any:
    """The transpose of :func:`_window_rows`."""
    _, count, length = _last_lengths(rows, 3)
    size = math.prod(windows.size)
    deep = length // size if size else 0
    full = (batch, *windows.over(image), *windows.size, groups * deep)
    if groups > 1:
        rows = _permute_last_axes(v.reshape(rows, shape=(groups, count, size, deep), ndim=3), -3, -2, -4, -1)
    return v.fold(v.reshape(rows, shape=full, ndim=3 if groups == 1 else 4), windows=windows, image=image)


def _kernel_columns(kernel: Any, groups: int) -> Any:
    """``(..., kh, kw, c / groups, d)`` to ``(..., groups, kh * kw * c / groups, d / groups)``."""
    kh, kw, deep, d = _last_lengths(kernel, 4)
    return _permute_last_axes(v.reshape(kernel, shape=(kh * kw * deep, groups, d // groups), ndim=4), -2, -3, -1)


def _channel_rows(g: Any, groups: int) -> Any:
    """``(..., b, rows, columns, d)`` to ``(..., groups, windows, d / groups)``."""
    b, rows, columns, d = _last_lengths(g, 4)
    return _permute_last_axes(v.reshape(g, shape=(b * rows * columns, groups, d // groups), ndim=4), -2, -3, -1)


def _convolution_vjp_image(g: Any, _y: Any, _x: Any, kernel: Any, *, windows: SlidingWindows, groups: int) -> Any:
    return v.transposed_convolution(g, kernel, windows=windows, groups=groups, image=tuple(_x.shape[-3:-1]))


def _convolution_vjp_kernel(g: Any, _y: Any, x: Any, _kernel: Any, *, windows: SlidingWindows, groups: int) -> Any:
    columns = v.matmul(_permute_last_axes(_window_rows(x, windows, groups), -3, -1, -2), _channel_rows(g, groups))
    return v.reshape(_permute_last_axes(columns, -2, -3, -1), shape=tuple(_kernel.shape[-4:]), ndim=3)


@bilinear(
    _convolution_vjp_image,
    _convolution_vjp_kernel,
    flops=lambda y, x, kernel: 2 * np.size(y) * math.prod(np.shape(kernel)[-4:-1]),
)
def convolution(x: Any, kernel: Any, windows: SlidingWindows, groups: int) -> Any:
    """Convolution of images as in neural networks: the kernel is not flipped."""
    flat = np.matmul(_window_rows(x, windows, groups), _kernel_columns(kernel, groups))
    b, image = np.shape(x)[-4], np.shape(x)[-3:-1]
    out = np.moveaxis(flat, -3, -2)
    return out.reshape(*out.shape[:-3], b, *windows.over(image), np.shape(kernel)[-1])


def _transposed_vjp_kernel(
    g: Any, _y: Any, x: Any, _kernel: Any, *, windows: SlidingWindows, groups: int, image: Pair
) -> Any:
    return _convolution_vjp_kernel(x, None, g, _kernel, windows=windows, groups=groups)


@bilinear(
    lambda g, _y, _x, kernel, *, windows, groups, image: v.convolution(g, kernel, windows=windows, groups=groups),
    _transposed_vjp_kernel,
    flops=lambda _y, x, kernel: 2 * np.size(x) * math.prod(np.shape(kernel)[-4:-1]),
)
def transposed_convolution(x: Any, kernel: Any, windows: SlidingWindows, groups: int, image: Pair) -> Any:
    """The transpose of :func:`convolution` over images of the given size: every entry adds a kernel to its window."""
    rows = v.matmul(_channel_rows(x, groups), _permute_last_axes(_kernel_columns(kernel, groups), -3, -1, -2))
    return _from_window_rows(rows, windows, groups, np.shape(x)[-4], image)


# -------------------------------------------------------------------------------- pooling
def _lowest_value(dtype: np.dtype[Any]) -> Any:
    """The smallest value of a dtype, minus infinity if it has one."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


@opaque
def _first_maxima(x: Array, y: Array, windows: SlidingWindows) -> Array:
    """1 at the first largest entry of each window, else 0; a constant in derivatives."""
    out = np.zeros((*y.shape[:-1], math.prod(windows.size), y.shape[-1]), x.dtype)
    free = np.ones(y.shape, bool)
    for k, entry in enumerate(_entries_by_offset(x, windows, _lowest_value(x.dtype))):
        hit = free & ((entry == y) | (np.isnan(entry) & np.isnan(y)))
        out[..., k, :] = hit
        free &= ~hit
    return out.reshape(*y.shape[:-1], *windows.size, y.shape[-1])


@general(
    lambda g, y, x, *, windows: v.fold(
        v.expand_dims(g, axis=(-3, -2)) * _first_maxima(unwrap(x), unwrap(y), windows),
        windows=windows,
        image=tuple(x.shape[-3:-1]),
    ),
    jvp=lambda t, y, x, *, windows: v.sum(
        v.patches(t[0], windows=windows) * _first_maxima(unwrap(x), unwrap(y), windows), axis=(-3, -2), keepdims=False
    ),
)
def max_pool(x: Any, windows: SlidingWindows) -> Any:
    """Max pooling: the largest entry of each window; padding never counts."""
    x = np.asarray(x)
    return functools.reduce(np.maximum, _entries_by_offset(x, windows, _lowest_value(x.dtype)))


def _pool_weights(like: Any, windows: SlidingWindows) -> Array:
    """One over the number of image entries in each window, ``(rows, columns, 1)``."""
    total: Array = functools.reduce(np.add, _entries_by_offset(np.ones((*like.shape[-3:-1], 1)), windows))
    return 1.0 / total


@linear(
    lambda g, _y, _x, *, windows: v.fold(
        v.broadcast_to(
            v.expand_dims(g * _pool_weights(_x, windows).astype(g.dtype), axis=(-3, -2)),
            shape=(*_y.shape[-3:-1], *windows.size, _y.shape[-1]),
        ),
        windows=windows,
        image=tuple(_x.shape[-3:-1]),
    )
)
def average_pool(x: Any, windows: SlidingWindows) -> Any:
    """Average pooling: the mean of each window; padding does not count."""
    x = np.asarray(x)
    wide = np.float32 if x.dtype == np.float16 else x.dtype if x.dtype.kind == "f" else np.float64
    total = functools.reduce(np.add, _entries_by_offset(x.astype(wide, copy=False), windows)) * _pool_weights(
        x, windows
    ).astype(wide)
    return total.astype(np.float16) if x.dtype == np.float16 else total
