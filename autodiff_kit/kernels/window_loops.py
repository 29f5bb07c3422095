"""Loops over the windows of images, for eager operations and for plans: im2col, convolution, pooling, their transposes.

They are written in the subset of Python that :mod:`autodiff_kit.kernels.llvm_compiler` compiles. Arrays are flat and of
one dtype, inputs first, then the output, then memory that may be written over (see :func:`rooms`). After the number of
images, ``size`` are height, width and channels of an image, the rows above and the columns left of it that are padding,
height and width with the padding; ``places`` of the windows height, width, strides, dilations, and numbers of rows and
columns. A plan has all of them as constants, so that LLVM unrolls short loops; eager loops read them from a table.

Convolutions take their windows in parts that stay in the processor's cache: writing all windows of a batch to memory,
and reading them again, took longer than their product. ``parts`` are the output channels, the images of a part, its
rows of windows of each image, the address of NumPy's loop of matrix products, and the bytes of an entry.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.kernels import native_calls
from autodiff_kit.kernels.llvm_compiler import address_of, array_at, local_words
from autodiff_kit.kernels.native_calls import matmul

__all__ = ["call_source", "eager_loops", "needs_products", "rooms"]

SHORT = 8
"""Rows of windows with fewer entries are not copied one by one (see :func:`gather_part`)."""


# ------------------------------------------------------------------------------------------------------ parts of loops
def padded_lines(x: Any, b: Any, first: Any, last: Any, filler: Any, room: Any, size: Any) -> Any:
    """The rows of image ``b`` from ``first`` to ``last``, copied between its padding if it has any."""
    high, wide, c, top, left, tall, broad = size
    padded = tall - high + broad - wide
    if padded > 0:
        room[: (last - first) * broad * c] = filler
        for i in range(max(first, top), min(last, top + high)):
            to, line = room[((i - first) * broad + left) * c :], x[(b * high + i - top) * wide * c :]
            for k in range(wide * c):
                to[k] = line[k]
    return room if padded > 0 else x[(b * high + first) * wide * c :]


def copy_inside(image: Any, out: Any, b: Any, size: Any) -> None:
    """Copy what lies between the padding to image ``b``, if there is any padding."""
    high, wide, c, top, left, tall, broad = size
    if tall - high + broad - wide > 0:
        for i in range(high):
            to, line = out[(b * high + i) * wide * c :], image[((top + i) * broad + left) * c :]
            for k in range(wide * c):
                to[k] = line[k]


def gather_lines(x: Any, b: Any, first: Any, last: Any, out: Any, room: Any, size: Any, places: Any) -> None:
    """Copy the windows of image ``b`` in some rows; a row of a window is one run of memory, unless it is dilated."""
    (_, _, c, _, _, _, broad), (height, width, down, along, apart, beside, _, columns) = size, places
    runs = 1 if beside == 1 else width
    length = width * c if beside == 1 else c
    image = padded_lines(x, b, first * down, (last - 1) * down + (height - 1) * apart + 1, 0, room, size)
    for p in range(last - first):
        for q in range(columns):
            for i in range(height):
                for j in range(runs):
                    run = image[((p * down + i * apart) * broad + q * along + j * beside) * c :]
                    to = out[(((p * columns + q) * height + i) * runs + j) * length :]
                    for k in range(length):
                        to[k] = run[k]


def gather_part(x: Any, images: Any, lines: Any, out: Any, room: Any, size: Any, places: Any) -> Any:
    """Copy the windows of some images in some rows; returns the distances between windows and between their entries.

    Where the rows of windows are short, the first entry of all windows is copied, then the second, and so on, which are
    long rows again.
    """
    (_, _, c, _, _, _, broad), (height, width, down, along, apart, beside, _, columns) = size, places
    (start, stop), (first, last), length, short = images, lines, height * width * c, width * c < SHORT
    many = (last - first) * columns
    count = (stop - start) * many
    for b in range(start, stop):
        if short:
            image = padded_lines(x, b, first * down, (last - 1) * down + (height - 1) * apart + 1, 0, room, size)
            for i in range(height):
                for j in range(width):
                    for k in range(c):
                        for p in range(last - first):
                            line = image[((p * down + i * apart) * broad + j * beside) * c + k :]
                            to = out[((i * width + j) * c + k) * count + (b - start) * many + p * columns :]
                            if along * c == 1:  # LLVM makes no case of its own for it
                                for q in range(columns):
                                    to[q] = line[q]
                            else:
                                for q in range(columns):
                                    to[q] = line[q * along * c]
        else:
            gather_lines(x, b, first, last, out[(b - start) * many * length :], room, size, places)
    return 1 if short else length, count if short else 1


def add_lines(x: Any, first: Any, last: Any, image: Any, size: Any, places: Any) -> None:
    """Add windows in some rows to a padded image."""
    (_, _, c, _, _, _, broad), (height, width, down, along, apart, beside, _, columns) = size, places
    runs = 1 if beside == 1 else width
    length = width * c if beside == 1 else c
    for p in range(last - first):
        for q in range(columns):
            for i in range(height):
                for j in range(runs):
                    to = image[(((first + p) * down + i * apart) * broad + q * along + j * beside) * c :]
                    run = x[(((p * columns + q) * height + i) * runs + j) * length :]
                    for k in range(length):
                        to[k] = to[k] + run[k]


def multiply(a: Any, b: Any, out: Any, shape: Any, steps: Any, parts: Any) -> None:
    """Write a matrix product; ``steps`` are the distances between rows and between columns of both factors."""
    (m, k, n), (down, along, other_down, other_along), (_, _, _, loop, entry) = shape, steps, parts
    table = local_words(17)
    words = array_at(table, np.int64)
    words[0], words[1], words[2], words[3] = loop, address_of(a), address_of(b), address_of(out)
    words[4], words[5], words[6], words[7] = 1, m, k, n
    words[8], words[9], words[10] = 0, 0, 0
    words[11], words[12], words[13], words[14] = down * entry, along * entry, other_down * entry, other_along * entry
    words[15], words[16] = n * entry, entry
    matmul(table)


# --------------------------------------------------------------------------------------------------------------- loops
def gather_windows(x: Any, out: Any, room: Any, count: Any, size: Any, places: Any) -> None:
    """Copy the entries of all windows (im2col)."""
    c, (height, width, _, _, _, _, rows, columns) = size[2], places
    for b in range(count):
        gather_lines(x, b, 0, rows, out[b * rows * columns * height * width * c :], room, size, places)


def sum_windows(x: Any, out: Any, room: Any, count: Any, size: Any, places: Any) -> None:
    """Add windows up in images (col2im)."""
    (high, wide, c, _, _, tall, broad), (height, width, _, _, _, _, rows, columns) = size, places
    for b in range(count):
        image = room if tall - high + broad - wide > 0 else out[b * high * wide * c :]
        image[: tall * broad * c] = 0
        add_lines(x[b * rows * columns * height * width * c :], 0, rows, image, size, places)
        copy_inside(image, out, b, size)


def convolve(
    x: Any, kernel: Any, out: Any, part: Any, room: Any, count: Any, size: Any, places: Any, parts: Any
) -> None:
    """The product of all windows with the kernel."""
    c, (height, width, _, _, _, _, rows, columns), (d, images, lines, _, _) = size[2], places, parts
    length = height * width * c
    for start in range(0, count, images):
        for first in range(0, rows, lines):
            last, stop = min(first + lines, rows), min(start + images, count)
            step, apart = gather_part(x, (start, stop), (first, last), part, room, size, places)
            to, many = out[(start * rows + first) * columns * d :], (stop - start) * (last - first) * columns
            multiply(part, kernel, to, (many, length, d), (step, apart, d, 1), parts)


def kernel_gradient(
    g: Any, x: Any, out: Any, part: Any, room: Any, total: Any, count: Any, size: Any, places: Any, parts: Any
) -> None:
    """The product of all windows, transposed, with the cotangents."""
    c, (height, width, _, _, _, _, rows, columns), (d, images, lines, _, _) = size[2], places, parts
    length = height * width * c
    out[: length * d] = 0
    for start in range(0, count, images):
        for first in range(0, rows, lines):
            last, stop = min(first + lines, rows), min(start + images, count)
            step, apart = gather_part(x, (start, stop), (first, last), part, room, size, places)
            given, many = g[(start * rows + first) * columns * d :], (stop - start) * (last - first) * columns
            multiply(part, given, total, (length, many, d), (apart, step, d, 1), parts)
            for k in range(length * d):
                out[k] = out[k] + total[k]


def convolve_back(
    g: Any, kernel: Any, out: Any, part: Any, room: Any, count: Any, size: Any, places: Any, parts: Any
) -> None:
    """Add the product of each cotangent with the kernel to its window: the transpose of :func:`convolve`."""
    (high, wide, c, _, _, tall, broad), (height, width, _, _, _, _, rows, columns) = size, places
    d, images, lines, _, _ = parts
    length = height * width * c
    for start in range(0, count, images):
        for first in range(0, rows, lines):
            last, stop = min(first + lines, rows), min(start + images, count)
            many = (last - first) * columns
            given = g[(start * rows + first) * columns * d :]
            multiply(given, kernel, part, ((stop - start) * many, d, length), (d, 1, 1, d), parts)
            for b in range(start, stop):
                image = room if tall - high + broad - wide > 0 else out[b * high * wide * c :]
                if first == 0:
                    image[: tall * broad * c] = 0
                add_lines(part[(b - start) * many * length :], first, last, image, size, places)
                if last == rows:
                    copy_inside(image, out, b, size)


def max_pool(x: Any, out: Any, room: Any, count: Any, size: Any, places: Any) -> None:
    """The largest entry of each window, nan if there is one; padding is minus infinity."""
    (_, _, c, _, _, tall, broad), (height, width, down, along, apart, beside, rows, columns) = size, places
    for b in range(count):
        image = padded_lines(x, b, 0, tall, -math.inf, room, size)
        for p in range(rows):
            for q in range(columns):
                best = out[((b * rows + p) * columns + q) * c :]
                best[:c] = -math.inf
                for i in range(height):
                    for j in range(width):
                        run = image[((p * down + i * apart) * broad + q * along + j * beside) * c :]
                        for k in range(c):
                            new, old = run[k], best[k]
                            best[k] = new if (new > old) | (new != new) else old


def unpool(
    g: Any, x: Any, y: Any, out: Any, room: Any, whole: Any, rest: Any, count: Any, size: Any, places: Any
) -> None:
    """The gradient of :func:`max_pool`: each entry of g goes to the first entry of its window that is the maximum in y.

    Where windows overlap, entries are added. nan equals nan. Where windows cover the image without
    overlaps, all entries are written once.
    """
    (high, wide, c, _, _, tall, broad), (height, width, down, along, apart, beside, rows, columns) = size, places
    beside_each_other = (down == height) & (along == width) & (apart * beside == 1)
    tiles = beside_each_other & (rows * height == tall) & (columns * width == broad)
    for b in range(count):
        image = padded_lines(x, b, 0, tall, -math.inf, room, size)
        to = whole if tall - high + broad - wide > 0 else out[b * high * wide * c :]
        if tiles == 0:
            to[: tall * broad * c] = 0
        for p in range(rows):
            for q in range(columns):
                largest, given = y[((b * rows + p) * columns + q) * c :], g[((b * rows + p) * columns + q) * c :]
                for k in range(c):
                    rest[k] = given[k]
                for i in range(height):
                    for j in range(width):
                        at = ((p * down + i * apart) * broad + q * along + j * beside) * c
                        run, target = image[at:], to[at:]
                        for k in range(c):
                            both_nan = (run[k] != run[k]) & (largest[k] != largest[k])
                            hit = (run[k] == largest[k]) | both_nan
                            target[k] = (0 if tiles else target[k]) + (rest[k] if hit else 0)
                            rest[k] = 0 if hit else rest[k]
        copy_inside(to, out, b, size)


# ------------------------------------------------------------------------------------------------------ how they run
_ARRAYS = {  # how many are inputs and output, and how many may be written over
    "gather_windows": (2, 1), "sum_windows": (2, 1), "max_pool": (2, 1), "unpool": (4, 3),
    "convolve": (3, 2), "convolve_back": (3, 2), "kernel_gradient": (3, 3),
}  # fmt: skip
_OF_PARTS = ("convolve", "convolve_back", "kernel_gradient")
_GROUPS = ((1, 8), (8, 16), (16, 21))
"""Where ``size``, ``places`` and ``parts`` lie among the numbers that a loop takes."""


def rooms(name: str, sizes: tuple[int, ...]) -> list[int]:
    """The lengths of the arrays that a loop may write over."""
    (high, wide, c, _, _, tall, broad), (height, width, *_, columns), parts = (sizes[a:b] for a, b in _GROUPS)
    image = c if (tall, broad) == (high, wide) else c * tall * broad  # with its padding, if there is any
    if not parts:
        return [image] * _ARRAYS[name][1]
    d, images, lines, *_ = parts
    return [images * lines * columns * height * width * c, image, height * width * c * d][: _ARRAYS[name][1]]


def needs_products(name: str) -> bool:
    """Whether a loop multiplies matrices: the address of NumPy's loop for that follows the arrays in its table."""
    return name in _OF_PARTS


def call_source(name: str, sizes: Any, dtype: str) -> str:
    """The source of a call of a loop for a table with address and length of each array."""
    count = sum(_ARRAYS[name])
    arrays = [f"load_array(table, {2 * k}, np.{dtype})" for k in range(count)]
    if needs_products(name):
        sizes = (*sizes, f"load_word(table, {2 * count})", np.dtype(dtype).itemsize)
    groups = [f"({', '.join(map(str, sizes[a:b]))})" for a, b in _GROUPS if a < len(sizes)]
    return f"{name}({', '.join([*arrays, str(sizes[0]), *groups])})"


def eager_loops() -> dict[str, Callable[..., Any]]:
    """The loops as functions of contiguous arrays and sizes, for float32 and float64."""
    from autodiff_kit.kernels.code_cache import load_code

    text, names = "", []
    for name, kind in itertools.product(_ARRAYS, ("float32", "float64")):
        first, count = 2 * sum(_ARRAYS[name]), 19 if needs_products(name) else 16
        sizes = [f"load_word(table, {first + needs_products(name) + k})" for k in range(count)]
        names.append(f"{name}_{kind}")
        text += f"def {name}_{kind}(table):\n    {call_source(name, sizes, kind)}\n"
    modules = (native_calls, sys.modules[__name__])
    found = load_code(text, {"np": np}, modules, names, interleave_count=1)
    return {
        name: partial(_run, name, {char: found[f"{name}_float{bits}"] for char, bits in (("f", 32), ("d", 64))})
        for name in _ARRAYS
    }


def _run(name: str, addresses: dict[str, int], *arrays: Any, sizes: tuple[int, ...]) -> None:
    dtype = arrays[0].dtype
    given = [*arrays, *(np.empty(length, dtype) for length in rooms(name, sizes))]
    words = [word for a in given for word in (a.__array_interface__["data"][0], a.size)]
    words += [native_calls.matmul_loop_address(dtype)] * needs_products(name)
    unit = np.array([addresses[dtype.char], 0, *words, *sizes], np.int64)
    start = unit.__array_interface__["data"][0]
    unit[1] = table = start + 2 * unit.itemsize
    native_calls.run_units(float(start), float(table))
