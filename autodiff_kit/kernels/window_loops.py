"""Loops over the windows of images, for eager operations and for plans: im2col, its transpose, pooling, its gradient.

They are written in the subset of Python that :mod:`autodiff_kit.kernels.llvm_compiler` compiles. Arrays are flat and of
one dtype, inputs first, then the output, then memory that may be written over (see :func:`rooms`). ``size`` are height,
width and channels of an image, the rows above and the columns left of it that are padding, height and width with the
padding; ``places`` of the windows height, width, strides, dilations, and numbers of rows and columns. A plan has all of
them as constants, so that LLVM unrolls short loops; eager loops read them from a table.
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

__all__ = ["call_source", "eager_loops", "rooms"]

_SIZES = 16
_ARRAYS = {"gather_windows": 2, "add_windows": 2, "sum_windows": 2, "max_pool": 2, "unpool": 4}
_ROOMS = {"gather_windows": 1, "add_windows": 0, "sum_windows": 1, "max_pool": 1, "unpool": 3}


# ------------------------------------------------------------------------------------------------------ parts of loops
def padded_image(x: Any, b: Any, filler: Any, room: Any, size: Any) -> Any:
    """Image ``b``, copied between its padding if it has any."""
    high, wide, c, top, left, tall, broad = size
    padded = tall - high + broad - wide
    if padded > 0:
        room[: tall * broad * c] = filler
        for i in range(high):
            to, line = room[((top + i) * broad + left) * c :], x[(b * high + i) * wide * c :]
            for k in range(wide * c):
                to[k] = line[k]
    return room if padded > 0 else x[b * high * wide * c :]


def copy_inside(image: Any, out: Any, b: Any, size: Any) -> None:
    """Copy what lies between the padding to image ``b``, if there is any padding."""
    high, wide, c, top, left, tall, broad = size
    if tall - high + broad - wide > 0:
        for i in range(high):
            to, line = out[(b * high + i) * wide * c :], image[((top + i) * broad + left) * c :]
            for k in range(wide * c):
                to[k] = line[k]


def add_to_image(x: Any, b: Any, image: Any, size: Any, places: Any) -> None:
    """Add the windows of image ``b`` to a padded image."""
    (_, _, c, _, _, _, broad), (height, width, down, along, apart, beside, rows, columns) = size, places
    runs = 1 if beside == 1 else width
    length = width * c if beside == 1 else c
    for p in range(rows):
        for q in range(columns):
            for i in range(height):
                for j in range(runs):
                    to = image[((p * down + i * apart) * broad + q * along + j * beside) * c :]
                    run = x[((((b * rows + p) * columns + q) * height + i) * runs + j) * length :]
                    for k in range(length):
                        to[k] = to[k] + run[k]


# --------------------------------------------------------------------------------------------------------------- loops
def gather_windows(x: Any, out: Any, room: Any, count: Any, size: Any, places: Any) -> None:
    """Copy the entries of all windows (im2col); a row of a window is one run of memory, unless it is dilated."""
    (_, _, c, _, _, _, broad), (height, width, down, along, apart, beside, rows, columns) = size, places
    runs = 1 if beside == 1 else width
    length = width * c if beside == 1 else c
    for b in range(count):
        image = padded_image(x, b, 0, room, size)
        for p in range(rows):
            for q in range(columns):
                for i in range(height):
                    for j in range(runs):
                        run = image[((p * down + i * apart) * broad + q * along + j * beside) * c :]
                        to = out[((((b * rows + p) * columns + q) * height + i) * runs + j) * length :]
                        for k in range(length):
                            to[k] = run[k]


def add_windows(x: Any, out: Any, count: Any, size: Any, places: Any) -> None:
    """Add windows to padded images."""
    _, _, c, _, _, tall, broad = size
    for b in range(count):
        add_to_image(x, b, out[b * tall * broad * c :], size, places)


def sum_windows(x: Any, out: Any, room: Any, count: Any, size: Any, places: Any) -> None:
    """Add windows up in images (col2im)."""
    high, wide, c, _, _, tall, broad = size
    for b in range(count):
        image = room if tall - high + broad - wide > 0 else out[b * high * wide * c :]
        image[: tall * broad * c] = 0
        add_to_image(x, b, image, size, places)
        copy_inside(image, out, b, size)


def max_pool(x: Any, out: Any, room: Any, count: Any, size: Any, places: Any) -> None:
    """The largest entry of each window, nan if there is one; padding is minus infinity."""
    (_, _, c, _, _, _, broad), (height, width, down, along, apart, beside, rows, columns) = size, places
    for b in range(count):
        image = padded_image(x, b, -math.inf, room, size)
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
    """Add each entry of g to the first entry of its window in x that is equal to that of y; nan equals nan."""
    (high, wide, c, _, _, tall, broad), (height, width, down, along, apart, beside, rows, columns) = size, places
    for b in range(count):
        image = padded_image(x, b, -math.inf, room, size)
        to = whole if tall - high + broad - wide > 0 else out[b * high * wide * c :]
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
                            target[k] = target[k] + (rest[k] if hit else 0)
                            rest[k] = 0 if hit else rest[k]
        copy_inside(to, out, b, size)


# ------------------------------------------------------------------------------------------------------ how they run
def rooms(name: str, sizes: tuple[int, ...]) -> tuple[int, int]:
    """How many arrays a loop may write over, and their length: an image with its padding, or one pixel without any."""
    _, high, wide, c, _, _, tall, broad = sizes[:8]
    return _ROOMS[name], c if (tall, broad) == (high, wide) else c * tall * broad


def call_source(name: str, sizes: Any, dtype: str = "real") -> str:
    """The source of a call of a loop for a table with address and length of each array."""
    arrays = [f"load_array(table, {2 * k}, {dtype})" for k in range(_ARRAYS[name] + _ROOMS[name])]
    groups = [f"({', '.join(map(str, group))})" for group in (sizes[1:8], sizes[8:])]
    return f"{name}({', '.join([*arrays, str(sizes[0]), *groups])})"


def eager_loops() -> dict[str, Callable[..., Any]]:
    """The loops as functions of contiguous arrays and sizes, for float32 and float64."""
    from autodiff_kit.kernels.code_cache import load_code

    kinds, text = ("float32", "float64"), ""
    for name, kind in itertools.product(_ROOMS, kinds):
        first = 2 * (_ARRAYS[name] + _ROOMS[name])
        sizes = [f"load_word(table, {first + k})" for k in range(_SIZES)]
        text += f"def {name}_{kind}(table):\n    {call_source(name, sizes, f'np.{kind}')}\n"
    modules, names = (native_calls, sys.modules[__name__]), [f"{name}_{kind}" for name in _ROOMS for kind in kinds]
    found = load_code(text, {"np": np}, modules, names, interleave_count=1)
    return {name: partial(_run, name, {kind: found[f"{name}_{kind}"] for kind in kinds}) for name in _ROOMS}


def _run(name: str, addresses: dict[str, int], *arrays: Any, sizes: tuple[int, ...]) -> None:
    words, room = [addresses[arrays[0].dtype.name], 0], np.empty(rooms(name, sizes), arrays[0].dtype)
    for a in (*arrays, *room):
        words += (a.__array_interface__["data"][0], a.size)
    unit = np.array([*words, *sizes], np.int64)
    start = unit.__array_interface__["data"][0]
    unit[1] = table = start + 2 * unit.itemsize
    native_calls.run_units(float(start), float(table))
