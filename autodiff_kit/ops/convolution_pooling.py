"""Convolution, its transpose, and pooling: windows that move over images.

Images are ``(..., h, w, c)``, channels last. A :class:`SlidingWindows` holds the positions of the windows;
:func:`patches` reads the windows, and :func:`fold`, its transpose, adds them up at their positions. Convolution and
pooling are composed of these two.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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


def _run_loop(name: str, image: tuple[int, ...], windows: SlidingWindows, *arrays: Array) -> bool:
    """Run a compiled loop on arrays, the last of which it writes, if it takes them; returns whether it did."""
    out = arrays[-1]
    fits = out.dtype.char in "fd" and out.flags.c_contiguous and all(a.dtype == out.dtype and a.size for a in arrays)
    loop = kernels.compiled_loop(name) if fits else None
    if loop is None:
        return False
    loop(*map(np.ascontiguousarray, arrays), sizes=_sizes(image, windows))
    return True


def _write_patches(out: Array, x: Array, windows: SlidingWindows) -> None:
    if not _run_loop("gather_windows", x.shape, windows, x, out):
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


def _sum_in_image(
    add: Callable[[Array], None],
    out: Array | None,
    lead: tuple[int, ...],
    x: Array,
    windows: SlidingWindows,
    image: Pair,
) -> Array:
    """Let ``add`` add to the zeros of a padded image, and return or write the image."""
    wide = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype  # in which sums keep their digits
    if out is not None and windows.pads == _NO_PADS and wide == x.dtype:
        out[...] = 0
        add(out)
        return out
    size = (n + sum(pad) for n, pad in zip(image, windows.pads, strict=True))
    whole = np.zeros((*lead, *size, x.shape[-1]), wide)
    add(whole)
    inside = whole[(..., *windows.inside(image), slice(None))]
    if out is None:
        return inside.astype(x.dtype, copy=False)
    out[...] = inside
    return out


def _add_windows(whole: Array, x: Array, windows: SlidingWindows) -> None:
    """Add windows up in a padded image."""
    if not _run_loop(
        "add_windows", whole.shape, replace(windows, pads=_NO_PADS), x.astype(whole.dtype, copy=False), whole
    ):
        for i, j in np.ndindex(windows.size):
            whole[(..., *windows.places(i, j, x.shape[-5:-3]), slice(None))] += x[..., i, j, :]


def _fold(x: Any, windows: SlidingWindows, image: Pair, out: Array | None = None) -> Array:
    x = np.asarray(x)
    return _sum_in_image(lambda whole: _add_windows(whole, x, windows), out, x.shape[:-5], x, windows, image)


@linear(
    lambda g, _y, _x, *, windows, image: v.patches(g, windows=windows),
    write=lambda out, x, windows, image: _fold(x, windows, image, out),
    loop=lambda x, *, windows, image: ("sum_windows", _sizes((*x.shape[:-5], *image, x.shape[-1]), windows)),
)
def fold(x: Any, windows: SlidingWindows, image: Pair) -> Any:
    """Add windows up into an image where they overlap; the transpose of :func:`patches`, also known as col2im."""
    return _fold(x, windows, image)


# -------------------------------------------------------------------------------- convolution
# One matrix product: a row for each window, a column for each output channel; a stack of products, one for each group
# of channels. Images have exactly one batch axis here, so that further axes in front of it, and in front of the
# kernel's four, broadcast like stacks of matrices.


# Arrays without further axes take their windows in parts that stay in the processor's cache: writing all windows of a
# batch to memory, and reading them again, took longer than their product.
_PART = 1 << 18  # bytes


def _goes_in_parts(groups: int, *arrays: Any) -> bool:
    """Whether images and a kernel, all arrays with four axes and of one dtype, are taken in parts."""
    kind = getattr(arrays[0], "dtype", None)
    return groups == 1 and all(
        type(a) is np.ndarray and a.ndim == 4 and a.size and a.dtype == kind and kind.char in "fd" for a in arrays
    )


def _parts(batch: int, windows: SlidingWindows, image: Pair, width: int, most: int) -> Iterator[tuple[Any, Any, int]]:
    """Which images, which of their rows, padding included, and how many rows of windows lie there.

    Several whole images, or some rows of one: either is one piece of memory. A window has ``width`` bytes.
    """
    rows, columns = windows.over(image)
    each = columns * width
    if each * rows <= most:
        count = most // (each * rows)
        yield from ((slice(k, k + count), slice(None), rows) for k in range(0, batch, count))
        return
    count, down = max(most // each, 1), windows.stride[0]
    high = (windows.size[0] - 1) * windows.dilation[0] + 1
    for k in range(batch):
        for r in range(0, rows, count):
            some = min(count, rows - r)
            yield slice(k, k + 1), slice(r * down, (r + some - 1) * down + high), some


def _window_matrices(x: Array, windows: SlidingWindows, most: int) -> Iterator[tuple[slice, Array]]:
    """The windows in parts: their numbers, and a matrix with a row for each, in memory that the next part takes."""
    image, width = (x.shape[-3], x.shape[-2]), x.shape[-1] * math.prod(windows.size)
    wide, bare, columns = _padded(x, windows), replace(windows, pads=_NO_PADS), windows.over(image)[1]
    room, first = np.empty(0, x.dtype), 0
    for images, lines, rows in _parts(len(x), windows, image, width * x.itemsize, most):
        part = wide[images, lines]
        count = len(part) * rows * columns
        room = room if room.size >= count * width else np.empty(count * width, x.dtype)
        found = room[: count * width]
        _write_patches(found.reshape(len(part), rows, columns, *windows.size, x.shape[-1]), part, bare)
        yield slice(first, first + count), found.reshape(count, width)
        first += count


def _convolve_in_parts(x: Array, kernel: Array, windows: SlidingWindows) -> Array:
    matrix = kernel.reshape(-1, kernel.shape[-1])
    y = np.empty((len(x), *windows.over((x.shape[-3], x.shape[-2])), kernel.shape[-1]), x.dtype)
    flat = y.reshape(-1, kernel.shape[-1])
    for which, rows in _window_matrices(x, windows, _PART):
        np.dot(rows, matrix, out=flat[which])
    return y


def _kernel_gradient_in_parts(g: Array, x: Array, windows: SlidingWindows) -> Array:
    flat = np.ascontiguousarray(g).reshape(-1, g.shape[-1])
    total = np.zeros((math.prod(windows.size) * x.shape[-1], g.shape[-1]), x.dtype)
    for which, rows in _window_matrices(x, windows, max(_PART, total.nbytes)):
        total += rows.T.dot(flat[which])
    return total.reshape(*windows.size, x.shape[-1], g.shape[-1])


def _transposed_in_parts(x: Array, kernel: Array, windows: SlidingWindows, image: Pair) -> Array:
    matrix, flat = kernel.reshape(-1, kernel.shape[-1]).T, np.ascontiguousarray(x).reshape(-1, x.shape[-1])

    def add(whole: Array) -> None:
        first = 0
        for images, lines, rows in _parts(len(x), windows, image, matrix.shape[1] * x.itemsize, _PART):
            to = whole[images, lines]
            count = len(to) * rows * x.shape[-2]
            part = flat[first : first + count].dot(matrix)
            _add_windows(to, part.reshape(len(to), rows, x.shape[-2], *windows.size, -1), windows)
            first += count

    like = np.broadcast_to(x.dtype.type(0), (1, kernel.shape[-2]))
    return _sum_in_image(add, None, (len(x),), like, windows, image)


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
    if _goes_in_parts(groups, g, x):
        return _kernel_gradient_in_parts(g, x, windows)
    columns = v.matmul(_permute_last_axes(_window_rows(x, windows, groups), -3, -1, -2), _channel_rows(g, groups))
    return v.reshape(_permute_last_axes(columns, -2, -3, -1), shape=tuple(_kernel.shape[-4:]), ndim=3)


@bilinear(
    _convolution_vjp_image,
    _convolution_vjp_kernel,
    flops=lambda y, x, kernel: 2 * np.size(y) * math.prod(np.shape(kernel)[-4:-1]),
)
def convolution(x: Any, kernel: Any, windows: SlidingWindows, groups: int) -> Any:
    """Convolution of images as in neural networks: the kernel is not flipped."""
    if _goes_in_parts(groups, x, kernel):
        return _convolve_in_parts(x, kernel, windows)
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
    if _goes_in_parts(groups, x, kernel):
        return _transposed_in_parts(x, kernel, windows, image)
    rows = v.matmul(_channel_rows(x, groups), _permute_last_axes(_kernel_columns(kernel, groups), -3, -1, -2))
    return _from_window_rows(rows, windows, groups, np.shape(x)[-4], image)


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


def _unpool(x: Any, source: Any, largest: Any, windows: SlidingWindows, out: Array | None = None) -> Array:
    x, source, largest = np.asarray(x), np.asarray(source), np.asarray(largest)
    lead, image = np.broadcast_shapes(x.shape[:-3], source.shape[:-3]), source.shape[-3:]
    result = np.empty((*lead, *image), x.dtype) if out is None else out
    spread = (np.broadcast_to(a, (*lead, *a.shape[-3:])) for a in (x, source, largest))
    if _run_loop("unpool", result.shape, windows, *spread, result):
        return result

    def add(whole: Array) -> None:
        places = _first_hits(source, largest, windows)
        for (i, j), (_, hits) in zip(np.ndindex(windows.size), places, strict=True):
            at = (..., *windows.places(i, j, x.shape[-3:-1]), slice(None))
            whole[at] += np.where(hits, x, x.dtype.type(0))

    return _sum_in_image(add, out, lead, x, windows, image[:2])


@general(
    lambda g, _y, _x, source, largest, *, windows: v.window_entries(g, source, largest, windows=windows),
    lambda _g, _y, _x, _source, _largest, *, windows: None,
    lambda _g, _y, _x, _source, _largest, *, windows: None,
    jvp=lambda t, _y, _x, source, largest, *, windows: v.unpool(t[0], source, largest, windows=windows),
    write=lambda out, x, source, largest, windows: _unpool(x, source, largest, windows, out),
    loop=lambda x, source, largest, *, windows: (
        ("unpool", _sizes(source.shape, windows)) if x.shape == largest.shape else None
    ),
)
def unpool(x: Any, source: Any, largest: Any, windows: SlidingWindows) -> Any:
    """Zeros of an image's shape, to which each entry is added at the place of the largest entry in its window.

    The transpose of :func:`window_entries`. Of equal entries the first one counts, row by row.
    """
    return _unpool(x, source, largest, windows)


def _write_max_pool(out: Array, x: Array, windows: SlidingWindows) -> None:
    if not _run_loop("max_pool", x.shape, windows, x, out):
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
