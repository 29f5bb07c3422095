"""Convolution, its transpose, and pooling: windows that move over images.

Images are ``(..., h, w, c)``, channels last. A :class:`SlidingWindows` holds the positions of the windows;
:func:`patches` reads the windows, and :func:`fold`, its transpose, adds them up at their positions. Convolution is
composed of these two, unless a compiled loop takes its inputs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.ops.families import bilinear, general, linear

Array = np.ndarray[Any, Any]
Pair = tuple[int, int]
_NO_PADS = ((0, 0), (0, 0))


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
    if windows.pads == _NO_PADS:
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


def _sizes(image: tuple[int, ...], windows: SlidingWindows) -> tuple[int, ...]:
    """What the loops of :mod:`autodiff_kit.kernels.window_loops` take of images of a shape."""
    *lead, high, wide, c = image
    (top, bottom), (left, right) = windows.pads
    padded = (top, left, high + top + bottom, wide + left + right)
    places = (*windows.size, *windows.stride, *windows.dilation, *windows.over((high, wide)))
    return (math.prod(lead), high, wide, c, *padded, *places)


def _run_loop(name: str, sizes: tuple[int, ...], *arrays: Array) -> bool:
    """Run a compiled loop on arrays, the last of which it writes, if it takes them; returns whether it did."""
    out = arrays[-1]
    fits = out.dtype.char in "fd" and out.flags.c_contiguous and all(a.dtype == out.dtype and a.size for a in arrays)
    loop = kernels.compiled_loop(name) if fits else None
    if loop is None:
        return False
    loop(*map(np.ascontiguousarray, arrays), sizes=sizes)
    return True


def _write_patches(out: Array, x: Array, windows: SlidingWindows) -> None:
    if not _run_loop("gather_windows", _sizes(x.shape, windows), x, out):
        np.copyto(out, _windows_view(x, windows))


@linear(
    lambda g, _y, _x, *, windows: v.fold(g, windows=windows, image=tuple(_x.shape[-3:-1])),
    write=_write_patches,
    loop=lambda x, *, windows: ("gather_windows", _sizes(x.shape, windows)),
)
def patches(x: Any, windows: SlidingWindows) -> Any:
    """The entries of every window, ``(..., rows, columns, kh, kw, c)``; also known as im2col."""
    x = np.asarray(x)
    shape = (*x.shape[:-3], *windows.over((x.shape[-3], x.shape[-2])), *windows.size, x.shape[-1])
    out = np.empty(shape, x.dtype)
    _write_patches(out, x, windows)
    return out


def _sum_in_image(add: Callable[[Array], None], out: Array, windows: SlidingWindows) -> None:
    """Let ``add`` add to the zeros of a padded image, and write what lies inside."""
    image = out.shape[-3:-1]
    size = (n + sum(pad) for n, pad in zip(image, windows.pads, strict=True))
    wide = np.float32 if out.dtype == np.float16 else out.dtype  # in which sums keep their digits
    whole = np.zeros((*out.shape[:-3], *size, out.shape[-1]), wide)
    add(whole)
    out[...] = whole[(..., *windows.inside(image), slice(None))]


def _write_fold(out: Array, x: Array, windows: SlidingWindows, image: Pair) -> None:
    def add(whole: Array) -> None:
        for i, j in np.ndindex(windows.size):
            whole[(..., *windows.places(i, j, x.shape[-5:-3]), slice(None))] += x[..., i, j, :]

    if not _run_loop("sum_windows", _sizes(out.shape, windows), x, out):
        _sum_in_image(add, out, windows)


@linear(
    lambda g, _y, _x, *, windows, image: v.patches(g, windows=windows),
    write=_write_fold,
    loop=lambda x, *, windows, image: ("sum_windows", _sizes((*x.shape[:-5], *image, x.shape[-1]), windows)),
)
def fold(x: Any, windows: SlidingWindows, image: Pair) -> Any:
    """Add windows up into an image where they overlap; the transpose of :func:`patches`, also known as col2im."""
    x = np.asarray(x)
    out = np.empty((*x.shape[:-5], *image, x.shape[-1]), x.dtype)
    _write_fold(out, x, windows, image)
    return out


# -------------------------------------------------------------------------------- convolution
# One matrix product: a row for each window, a column for each output channel; a stack of products, one for each group
# of channels. Images have exactly one batch axis here, so that further axes in front of it, and in front of the
# kernel's four, broadcast like stacks of matrices.


_PART = 1 << 17
"""Bytes of the windows that a compiled convolution copies before it multiplies them."""


def _loop_in_parts(name: str, groups: int, windows: SlidingWindows, image: Any, d: int, *inputs: Any) -> Any:
    """The name and the sizes of a compiled loop on images of a shape; None if it does not take the inputs."""
    dtype = inputs[0].dtype
    if groups > 1 or dtype.char not in "fd" or any(a.ndim != 4 or a.dtype != dtype for a in inputs):
        return None
    length, (rows, columns) = math.prod(windows.size) * image[-1], windows.over(tuple(image[-3:-1]))
    line, most = max(columns * length, 1), max(_PART // dtype.itemsize, length * d)
    parts = (d, max(most // (line * max(rows, 1)), 1), max(min(most // line, rows), 1))
    return name, (*_sizes(image, windows), *parts)


def _convolution_loop(x: Any, kernel: Any, *, windows: SlidingWindows, groups: int) -> Any:
    return _loop_in_parts("convolve", groups, windows, x.shape, kernel.shape[-1], x, kernel)


def _transposed_loop(x: Any, kernel: Any, *, windows: SlidingWindows, groups: int, image: Pair) -> Any:
    shape = (*x.shape[:-3], *image, kernel.shape[-2])
    return _loop_in_parts("convolve_back", groups, windows, shape, x.shape[-1], x, kernel)


def _kernel_loop(x: Any, image: Any, *, windows: SlidingWindows, groups: int) -> Any:
    return _loop_in_parts("kernel_gradient", groups, windows, image.shape, x.shape[-1], x, image)


_BATCH = 1 << 20
"""Bytes of the windows that NumPy copies before it multiplies them, where there is no loop."""


def _batches(count: int, image: tuple[int, ...], windows: SlidingWindows, *inputs: Any) -> list[slice]:
    """Parts of a batch whose windows stay in the cache; none if all do, or if the inputs are not plain batches."""
    if not all(type(a) is np.ndarray and a.ndim == 4 for a in inputs):
        return []
    height, width, c = image
    each = math.prod(windows.over((height, width))) * math.prod(windows.size) * c * inputs[0].itemsize
    size = max(_BATCH // max(each, 1), 1)
    return [slice(k, k + size) for k in range(0, count, size)] if size < count else []


def _convolved(found: Any, shape: tuple[int, ...], *inputs: Any) -> Array | None:
    """The result of a compiled loop; None if there is none that takes the inputs."""
    if found is None:
        return None
    arrays = [*map(np.asarray, inputs)]
    result = np.empty(shape, arrays[0].dtype)
    return result if _run_loop(*found, *arrays, result) else None


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


@bilinear(
    lambda g, _y, _x, kernel, *, windows, groups: v.transposed_convolution(
        g, kernel, windows=windows, groups=groups, image=tuple(_x.shape[-3:-1])
    ),
    lambda g, _y, x, _kernel, *, windows, groups: v.convolution_kernel(g, x, windows=windows, groups=groups),
    flops=lambda y, x, kernel: 2 * np.size(y) * math.prod(np.shape(kernel)[-4:-1]),
    loop=_convolution_loop,
)
def convolution(x: Any, kernel: Any, windows: SlidingWindows, groups: int) -> Any:
    """Convolution of images as in neural networks: the kernel is not flipped."""
    b, *image, _ = np.shape(x)[-4:]
    shape = (b, *windows.over((image[0], image[1])), np.shape(kernel)[-1])
    found = _convolved(_convolution_loop(x, kernel, windows=windows, groups=groups), shape, x, kernel)
    if found is not None:
        return found
    if parts := _batches(b, np.shape(x)[-3:], windows, x, kernel):
        return np.concatenate([v.convolution(x[part], kernel, windows=windows, groups=groups) for part in parts])
    flat = np.matmul(_window_rows(x, windows, groups), _kernel_columns(kernel, groups))
    out = np.moveaxis(flat, -3, -2)
    return out.reshape(*out.shape[:-3], *shape)


@bilinear(
    lambda g, _y, _x, kernel, *, windows, groups, image: v.convolution(g, kernel, windows=windows, groups=groups),
    lambda g, _y, x, _kernel, *, windows, groups, image: v.convolution_kernel(x, g, windows=windows, groups=groups),
    flops=lambda _y, x, kernel: 2 * np.size(x) * math.prod(np.shape(kernel)[-4:-1]),
    loop=_transposed_loop,
)
def transposed_convolution(x: Any, kernel: Any, windows: SlidingWindows, groups: int, image: Pair) -> Any:
    """The transpose of :func:`convolution` over images of the given size: every entry adds a kernel to its window."""
    loop = _transposed_loop(x, kernel, windows=windows, groups=groups, image=image)
    found = _convolved(loop, (np.shape(x)[-4], *image, np.shape(kernel)[-2]), x, kernel)
    if found is not None:
        return found
    if parts := _batches(len(x), (*image, np.shape(kernel)[-2]), windows, x, kernel):
        again = functools.partial(v.transposed_convolution, windows=windows, groups=groups, image=image)
        return np.concatenate([again(x[part], kernel) for part in parts])
    rows = v.matmul(_channel_rows(x, groups), _permute_last_axes(_kernel_columns(kernel, groups), -3, -1, -2))
    return _from_window_rows(rows, windows, groups, np.shape(x)[-4], image)


@bilinear(
    lambda g, _y, _x, image, *, windows, groups: v.convolution(image, g, windows=windows, groups=groups),
    lambda g, _y, x, _image, *, windows, groups: v.transposed_convolution(
        x, g, windows=windows, groups=groups, image=tuple(_image.shape[-3:-1])
    ),
    flops=lambda y, x, image: 2 * np.size(x) * math.prod(np.shape(y)[-4:-1]),
    loop=_kernel_loop,
)
def convolution_kernel(x: Any, image: Any, windows: SlidingWindows, groups: int) -> Any:
    """The sum of all windows of images, each times its entry of ``x``: a convolution's gradient for its kernel."""
    shape = (*windows.size, np.shape(image)[-1] // groups, np.shape(x)[-1])
    found = _convolved(_kernel_loop(x, image, windows=windows, groups=groups), shape, x, image)
    if found is not None:
        return found
    if parts := _batches(len(x), np.shape(image)[-3:], windows, x, image):
        return sum(v.convolution_kernel(x[part], image[part], windows=windows, groups=groups) for part in parts)
    rows = _permute_last_axes(_window_rows(image, windows, groups), -3, -1, -2)
    columns = _permute_last_axes(v.matmul(rows, _channel_rows(x, groups)), -2, -3, -1)
    return v.reshape(columns, shape=shape, ndim=3)


# -------------------------------------------------------------------------------- pooling
def _lowest_value(dtype: np.dtype[Any]) -> Any:
    """The smallest value of a dtype, minus infinity if it has one."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _first_hits(source: Array, largest: Array, windows: SlidingWindows) -> Iterator[tuple[Array, Array]]:
    """For each offset inside a window: that entry of all windows, and where it is the first that is the largest."""
    found = np.zeros(largest.shape, np.bool_)
    for entry in _entries_by_offset(source, windows, _lowest_value(source.dtype)):
        hits = ((entry == largest) | (np.isnan(entry) & np.isnan(largest))) & ~found
        found |= hits
        yield entry, hits


@general(
    lambda g, _y, _x, source, largest, *, windows: v.unpool(g, source, largest, windows=windows),
    lambda _g, _y, _x, _source, _largest, *, windows: None,
    lambda _g, _y, _x, _source, _largest, *, windows: None,
    jvp=lambda t, _y, _x, source, largest, *, windows: v.window_entries(t[0], source, largest, windows=windows),
)
def window_entries(x: Any, source: Any, largest: Any, windows: SlidingWindows) -> Any:
    """The entry of each window that is at the place of the largest one in the window of another image."""
    x, source, largest = np.asarray(x), np.asarray(source), np.asarray(largest)
    lead = np.broadcast_shapes(x.shape[:-3], largest.shape[:-3])  # all tangents of a Jacobian share their places
    out = np.zeros((*lead, *largest.shape[-3:]), x.dtype)
    places = _first_hits(source, largest, windows)
    for entry, (_, hits) in zip(_entries_by_offset(x, windows), places, strict=True):
        np.copyto(out, entry, where=hits)
    return out


def _write_unpool(out: Array, x: Array, source: Array, largest: Array, windows: SlidingWindows) -> None:
    def add(whole: Array) -> None:
        places = _first_hits(source, largest, windows)
        for (i, j), (_, hits) in zip(np.ndindex(windows.size), places, strict=True):
            at = (..., *windows.places(i, j, x.shape[-3:-1]), slice(None))
            whole[at] += np.where(hits, x, x.dtype.type(0))

    spread = (np.broadcast_to(a, (*out.shape[:-3], *a.shape[-3:])) for a in (x, source, largest))
    if not _run_loop("unpool", _sizes(out.shape, windows), *spread, out):
        _sum_in_image(add, out, windows)


@general(
    lambda g, _y, _x, source, largest, *, windows: v.window_entries(g, source, largest, windows=windows),
    lambda _g, _y, _x, _source, _largest, *, windows: None,
    lambda _g, _y, _x, _source, _largest, *, windows: None,
    jvp=lambda t, _y, _x, source, largest, *, windows: v.unpool(t[0], source, largest, windows=windows),
    write=_write_unpool,
    loop=lambda x, source, largest, *, windows: (
        ("unpool", _sizes(source.shape, windows))
        if (*x.shape[:-3], *x.shape) == (*source.shape[:-3], *largest.shape)
        else None
    ),
)
def unpool(x: Any, source: Any, largest: Any, windows: SlidingWindows) -> Any:
    """Zeros of an image's shape, to which each entry is added at the place of the largest entry in its window.

    The transpose of :func:`window_entries`. Of equal entries the first one counts, row by row.
    """
    x, source, largest = np.asarray(x), np.asarray(source), np.asarray(largest)
    out = np.empty((*np.broadcast_shapes(x.shape[:-3], source.shape[:-3]), *source.shape[-3:]), x.dtype)
    _write_unpool(out, x, source, largest, windows)
    return out


def _write_max_pool(out: Array, x: Array, windows: SlidingWindows) -> None:
    if not _run_loop("max_pool", _sizes(x.shape, windows), x, out):
        out[...] = lowest = _lowest_value(x.dtype)
        for entry in _entries_by_offset(x, windows, lowest):
            np.maximum(out, entry, out=out)


@general(
    lambda g, y, x, *, windows: v.unpool(g, unwrap(x), unwrap(y), windows=windows),
    jvp=lambda t, y, x, *, windows: v.window_entries(t[0], unwrap(x), unwrap(y), windows=windows),
    write=_write_max_pool,
    loop=lambda x, *, windows: ("max_pool", _sizes(x.shape, windows)),
)
def max_pool(x: Any, windows: SlidingWindows) -> Any:
    """Max pooling: the largest entry of each window; padding never counts."""
    x = np.asarray(x)
    out = np.empty((*x.shape[:-3], *windows.over((x.shape[-3], x.shape[-2])), x.shape[-1]), x.dtype)
    _write_max_pool(out, x, windows)
    return out


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
