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
from autodiff_kit.core.tracer import as_array, opaque
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


def _fits_loop(x: Array) -> bool:
    """Whether compiled loops take an array: of float32 or float64, and not empty."""
    return x.dtype.char in "fd" and x.size > 0


def _flat_rows(images: Array) -> Array:
    """``(..., h, w, c)`` as ``(count, h, w * c)``, the form of compiled loops."""
    height, width, c = images.shape[-3:]
    return np.ascontiguousarray(images).reshape(math.prod(images.shape[:-3]), height, width * c)


def _run_loop_over_runs(name: str, images: Array, entries: Array, windows: SlidingWindows) -> bool:
    """Run a loop on padded images and the entries of all windows, if it fits; returns whether it did.

    A row of a window is one contiguous run. The loops are up to 60 times as fast as NumPy, because they go through the
    windows once and in order.
    """
    fits = _fits_loop(entries) and windows.dilation[1] == 1
    loop = kernels.compiled_loop(name) if fits else None
    if loop is None:
        return False
    rows, columns, kh, kw, c = entries.shape[-5:]
    flat = _flat_rows(images)
    (down, along), apart = windows.stride, windows.dilation[0]
    loop(flat, entries.reshape(len(flat), rows, columns, kh, kw * c), down, along * c, apart)
    return True


def _write_patches(out: Array, x: Array, windows: SlidingWindows) -> None:
    if not _run_loop_over_runs("gather_windows", _padded(x, windows), out, windows):
        np.copyto(out, _windows_view(x, windows))


@linear(
    lambda g, _y, _x, *, windows: v.fold(g, windows=windows, image=tuple(_x.shape[-3:-1])),
    write=_write_patches,
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
    if out is not None and windows.pads == ((0, 0), (0, 0)) and wide == x.dtype:
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
    if not _run_loop_over_runs("scatter_add_windows", whole, np.ascontiguousarray(x, whole.dtype), windows):
        for i, j in np.ndindex(windows.size):
            whole[(..., *windows.places(i, j, x.shape[-5:-3]), slice(None))] += x[..., i, j, :]


def _fold(x: Any, windows: SlidingWindows, image: Pair, out: Array | None = None) -> Array:
    x = np.asarray(x)
    return _sum_in_image(lambda whole: _add_windows(whole, x, windows), out, x.shape[:-5], x, windows, image)


@linear(
    lambda g, _y, _x, *, windows, image: v.patches(g, windows=windows),
    write=lambda out, x, windows, image: _fold(x, windows, image, out),
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
    wide, bare, columns = _padded(x, windows), replace(windows, pads=((0, 0), (0, 0))), windows.over(image)[1]
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


@opaque
def _maxima(x: Array, windows: SlidingWindows) -> tuple[Array, Array]:
    """The largest entry of each window, and the number of the first such entry in the window, row by row."""
    shape = (*x.shape[:-3], *windows.over((x.shape[-3], x.shape[-2])), x.shape[-1])
    y, places, lowest = np.empty(shape, x.dtype), np.empty(shape, np.int32), _lowest_value(x.dtype)
    loop = kernels.compiled_loop("window_maxima") if _fits_loop(x) else None
    if loop is not None:
        results = (a.reshape(-1, *shape[-3:]) for a in (y, places))
        loop(_flat_rows(_padded(x, windows, lowest)), *results, *_steps(windows, x.shape[-1]))
        return y, places
    entries = list(_entries_by_offset(x, windows, lowest))
    y = functools.reduce(np.maximum, entries)
    for k, entry in reversed([*enumerate(entries)]):  # the first one is written last
        places[(entry == y) | (np.isnan(entry) & np.isnan(y))] = k
    return y, places


def _steps(windows: SlidingWindows, c: int) -> tuple[int, ...]:
    """Size, stride and dilation of windows, in entries along a row of pixels with ``c`` channels."""
    (down, along), (apart, beside) = windows.stride, windows.dilation
    return (*windows.size, down, along * c, apart, beside * c)


@general(
    lambda g, _y, _x, places, *, windows: v.unpool(g, places, windows=windows, image=tuple(_x.shape[-3:-1])),
    lambda _g, _y, _x, _places, *, windows: None,
    jvp=lambda t, _y, _x, places, *, windows: v.window_entries(t[0], places, windows=windows),
)
def window_entries(x: Any, places: Any, windows: SlidingWindows) -> Any:
    """One entry of each window, by its number in the window."""
    x, places = np.asarray(x), np.asarray(places)
    lead = np.broadcast_shapes(x.shape[:-3], places.shape[:-3])  # all tangents of a Jacobian share their places
    out = np.zeros((*lead, *places.shape[-3:]), x.dtype)
    for k, entry in enumerate(_entries_by_offset(x, windows)):
        np.copyto(out, entry, where=places == k)
    return out


def _unpool_vjp(g: Any, _y: Any, _x: Any, places: Any, *, windows: SlidingWindows, image: Pair) -> Any:
    return v.window_entries(g, places, windows=windows)


def _unpool(x: Any, places: Any, windows: SlidingWindows, image: Pair, out: Array | None = None) -> Array:
    x, places = np.broadcast_arrays(np.asarray(x), np.asarray(places))

    def add(whole: Array) -> None:
        loop = kernels.compiled_loop("scatter_add_places") if _fits_loop(x) else None
        if loop is not None:
            flat = (np.ascontiguousarray(a).reshape(-1, *x.shape[-3:]) for a in (x, places))
            loop(_flat_rows(whole), *flat, *_steps(windows, x.shape[-1]))
            return
        for k, (i, j) in enumerate(np.ndindex(windows.size)):
            at = (..., *windows.places(i, j, x.shape[-3:-1]), slice(None))
            whole[at] += np.where(places == k, x, x.dtype.type(0))

    return _sum_in_image(add, out, x.shape[:-3], x, windows, image)


@general(
    _unpool_vjp,
    lambda _g, _y, _x, _places, *, windows, image: None,
    jvp=lambda t, _y, _x, places, *, windows, image: v.unpool(t[0], places, windows=windows, image=image),
    write=lambda out, x, places, windows, image: _unpool(x, places, windows, image, out),
)
def unpool(x: Any, places: Any, windows: SlidingWindows, image: Pair) -> Any:
    """Zeros to which each entry is added at its place in its window; the transpose of :func:`window_entries`."""
    return _unpool(x, places, windows, image)


@general(
    lambda g, _y, x, *, windows: v.unpool(
        g, _maxima(unwrap(x), windows)[1], windows=windows, image=tuple(x.shape[-3:-1])
    ),
    jvp=lambda t, _y, x, *, windows: v.window_entries(t[0], _maxima(unwrap(x), windows)[1], windows=windows),
)
def max_pool(x: Any, windows: SlidingWindows) -> Any:
    """Max pooling: the largest entry of each window; padding never counts."""
    return _maxima(as_array(x), windows)[0]


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
