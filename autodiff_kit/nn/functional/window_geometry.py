"""Where the windows of convolutions and pooling lie on an image or a sequence; checks of the arguments that say it."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.convolution_pooling import SlidingWindows

__all__ = [
    "along_sequence", "caller_shape", "check_sequence", "check_settings", "input_noun", "integer_at_least",
    "place_transposed_windows", "place_windows", "sequence_padding",
]  # fmt: skip

Pair = tuple[int, int]


def integer_at_least(name: str, what: str, given: Any, least: int, expected: str = "an integer") -> int:
    """An argument as an int; raises if it is no integer, or less than ``least``."""
    try:
        n = operator.index(unwrap(given))
    except TypeError as error:
        raise DtypeError(f"{name}: {what} must be {expected}, got {given!r}") from error
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
    expected = "an integer or a pair of them"
    first, second = (integer_at_least(name, what, n, least, expected) for n in both)
    return first, second


def _window_pairs(name: str, size: Any, stride: Any, dilation: Any) -> tuple[Pair, Pair, Pair]:
    """Size, stride and dilation of a window, each as (height, width)."""
    return _pair(name, "the window's size", size), _pair(name, "stride", stride), _pair(name, "dilation", dilation)


def _same_padding(image: int, size: int, stride: int) -> Pair:
    """Padding before and after for "same": ``ceil(image / stride)`` windows; an odd zero goes to the end."""
    missing = max((math.ceil(image / stride) - 1) * stride + size - image, 0)
    return missing // 2, missing - missing // 2


def _padding_pairs(name: str, padding: Any, image: Pair, reach: Pair, stride: Pair) -> tuple[Pair, Pair]:
    if isinstance(padding, str):
        if padding not in ("valid", "same"):
            pairs = "a pair" if name.startswith("conv1d") else "pairs"
            raise StructureError(f'{name}: padding is "valid", "same", an integer or {pairs}, got {padding!r}')
        if padding == "valid":
            return (0, 0), (0, 0)
        return _same_padding(image[0], reach[0], stride[0]), _same_padding(image[1], reach[1], stride[1])
    height, width = (
        padding if isinstance(padding, (list, tuple, np.ndarray)) and len(padding) == 2 else (padding, padding)
    )
    return _pair(name, "padding", height, 0), _pair(name, "padding", width, 0)


def check_settings(
    name: str, size: tuple[int, ...], stride: Any, padding: Any, dilation: Any, output_padding: Any = 0
) -> None:
    """Raise if a setting of the convolution ``name``, or of its transpose, is out of range for every image."""
    if name.startswith("conv1d"):
        size, padding = (1, *size), sequence_padding(name, padding)
        stride, dilation = along_sequence(name, "stride", stride), along_sequence(name, "dilation", dilation)
        output_padding = along_sequence(name, "output_padding", output_padding, 0)
    size, stride, dilation = _window_pairs(name, size, stride, dilation)
    _padding_pairs(name, padding, (0, 0), _reach(size, dilation), stride)
    _output_padding(name, stride, padding, output_padding)


def _output_padding(name: str, stride: Pair, padding: Any, output_padding: Any) -> Pair:
    """The output padding as a pair, less than the stride, and 0 with "same"."""
    extra = _pair(name, "output_padding", output_padding, 0)
    if any(more >= step for more, step in zip(extra, stride, strict=True)):
        steps, more = caller_shape(name, stride), caller_shape(name, extra)
        raise StructureError(f"{name}: output_padding must be less than the stride, {steps}, got {more}")
    if isinstance(padding, str) and padding == "same" and any(extra):
        given = extra[1] if name.startswith("conv1d") else output_padding
        raise StructureError(f'{name}: with padding="same" there is no output_padding, got {given}')
    return extra


def place_windows(name: str, t: Tensor, size: Any, stride: Any, padding: Any, dilation: Any = 1) -> SlidingWindows:
    """The positions of all windows, or an error if not even one fits."""
    _check_image(name, t)
    size, stride, dilation = _window_pairs(name, size, stride, dilation)
    image = (t.shape[-3], t.shape[-2])
    reach = _reach(size, dilation)
    windows = SlidingWindows(size, stride, dilation, _padding_pairs(name, padding, image, reach, stride))
    if min(windows.over(image)) < 1:
        wide = tuple(n + sum(pad) for n, pad in zip(image, windows.pads, strict=True))
        over, small, padded = (caller_shape(name, lengths) for lengths in (reach, image, wide))
        raise ShapeError(
            f"{name}: a window that reaches over {over} does not fit on {input_noun(name)} of {small}, {padded} with "
            'padding; use a smaller window, or padding="same"'
        )
    return windows


def place_transposed_windows(
    name: str, t: Tensor, size: Any, stride: Any, padding: Any, output_padding: Any, dilation: Any
) -> tuple[SlidingWindows, Pair]:
    """The windows that the entries of ``t`` came from, and the height and width of the image that they lie on."""
    _check_image(name, t)
    size, stride, dilation = _window_pairs(name, size, stride, dilation)
    extra = _output_padding(name, stride, padding, output_padding)
    count = (t.shape[-3], t.shape[-2])
    reach = _reach(size, dilation)
    if isinstance(padding, str) and padding == "same":
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
        before, after, cut = (caller_shape(name, lengths) for lengths in (count, image, pads))
        raise ShapeError(
            f"{name}: {input_noun(name)} of {before} with padding {cut} would give one of {after}; pad less"
        )
    return SlidingWindows(size, stride, dilation, pads), image


def caller_shape(name: str, shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """A shape as the caller knows it: without the height of 1 that was put before the steps of a sequence."""
    return shape[1:] if name.startswith("conv1d") else shape


def input_noun(name: str) -> str:
    """What the function ``name`` takes, for messages."""
    return "a sequence" if name.startswith("conv1d") else "an image"


def _check_image(name: str, t: Tensor) -> None:
    if t.ndim < 3:
        raise ShapeError(f"{name}: an image has three axes, (height, width, channels), or more; got {t.shape}")


def _reach(size: Pair, dilation: Pair) -> Pair:
    """How many entries of the image a dilated window extends over."""
    return (size[0] - 1) * dilation[0] + 1, (size[1] - 1) * dilation[1] + 1


def check_sequence(name: str, t: Tensor, k: Tensor, layout: str) -> None:
    """Raise unless ``t`` has the axes of sequences and ``k`` those of their kernel, which ``layout`` names."""
    if t.ndim < 2:
        raise ShapeError(f"{name}: a sequence has two axes, (steps, channels), or more; got {t.shape}")
    if k.ndim != 3 or not k.shape[0]:
        raise ShapeError(f"{name}: the kernel must be (size, {layout}), got {k.shape}")


def along_sequence(name: str, what: str, given: Any, least: int = 1) -> Pair:
    """A number for a sequence as a pair for an image of height 1."""
    if _is_several(given):
        raise DtypeError(f"{name}: {what} must be an integer, got {given!r}")
    return (0 if what == "output_padding" else 1), integer_at_least(name, what, given, least)


def sequence_padding(name: str, padding: Any) -> Any:
    """The padding of a sequence as that of an image of height 1."""
    return padding if isinstance(padding, str) else ((0, 0), _pair(name, "padding", padding, 0))
