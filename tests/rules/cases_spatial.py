"""Cases of convolution, pooling and normalization; the references are loops over windows, and NumPy's moments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autodiff_kit as ak
from autodiff_kit.ops import convolution_pooling

from .case import Array, Case, shaped, spaced, two

Settings = dict[str, Any]
Pair = tuple[int, int]


def window(x: Array, place: tuple[int, int], size: Any, stride: Any, dilation: Any, pads: Any) -> tuple[Array, Array]:
    """One window ``(..., kh, kw, c)`` of an image, 0 outside of it, and a mask of the entries inside."""
    (s, t), (d, e), ((top, _), (left, _)) = stride, dilation, pads
    rows = place[0] * s - top + d * np.arange(size[0])
    columns = place[1] * t - left + e * np.arange(size[1])
    h, w = x.shape[-3:-1]
    inside = ((rows >= 0) & (rows < h))[:, None] & ((columns >= 0) & (columns < w))
    found = x[..., rows[:, None].clip(0, h - 1), columns.clip(0, w - 1), :]
    return np.where(inside[..., None], found, 0), inside


def over_windows(
    f: Callable[[Array, Array], Array], x: Array, size: Any, stride: Any, dilation: Any, pads: Any
) -> Array:
    """``f(window, inside)`` at every position, as an image."""
    counts = [
        (n + sum(p) - (k - 1) * d - 1) // s + 1
        for n, k, s, d, p in zip(x.shape[-3:-1], size, stride, dilation, pads, strict=True)
    ]
    rows = [
        np.stack([f(*window(x, (i, j), size, stride, dilation, pads)) for j in range(counts[1])], -2)
        for i in range(counts[0])
    ]
    return np.stack(rows, -3)


def conv(x: Array, kernel: Array, stride: Any, pads: Any, dilation: Any, groups: int = 1) -> Array:
    deep, wide = kernel.shape[2], kernel.shape[3] // groups

    def at(seen: Array, _: Array) -> Array:
        parts = [
            np.einsum("...ijc,ijcd->...d", seen[..., g * deep : (g + 1) * deep], kernel[..., g * wide : (g + 1) * wide])
            for g in range(groups)
        ]
        return np.concatenate(parts, -1)

    return over_windows(at, x, kernel.shape[:2], stride, dilation, pads)


def conv_transposed(
    x: Array, kernel: Array, stride: Any, pads: Any, dilation: Any, more: Any, groups: int = 1
) -> Array:
    """Every entry adds a kernel, at a distance of the stride; then the padding is cut off."""
    kh, kw, deep, d = kernel.shape
    wide, (h, w) = d // groups, x.shape[-3:-1]
    size = [
        (n - 1) * s + (k - 1) * e + 1 + extra
        for n, s, k, e, extra in zip((h, w), stride, (kh, kw), dilation, more, strict=True)
    ]
    out = np.zeros((*x.shape[:-3], *size, deep * groups), x.dtype)
    for i, j, a, b, q in np.ndindex(h, w, kh, kw, groups):
        part = x[..., i, j, q * wide : (q + 1) * wide] @ kernel[a, b, :, q * wide : (q + 1) * wide].T
        at = (i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1], slice(q * deep, (q + 1) * deep))
        out[(..., *at)] += part
    (top, bottom), (left, right) = pads
    return out[..., top : size[0] - bottom, left : size[1] - right, :]


_NONE = ((0, 0), (0, 0))


def _convolutions() -> Iterator[Case]:
    table: list[tuple[tuple[int, ...], tuple[int, ...], Settings, tuple[Any, ...]]] = [
        ((2, 4, 3, 2), (2, 2, 2, 3), {}, ((1, 1), _NONE, (1, 1))),
        ((5, 4, 1), (3, 2, 1, 2), {"stride": (2, 1), "padding": 1}, ((2, 1), ((1, 1), (1, 1)), (1, 1))),
        ((1, 5, 5, 1), (2, 2, 1, 1), {"dilation": 2, "padding": ((1, 0), (0, 2))}, ((1, 1), ((1, 0), (0, 2)), (2, 2))),
        ((1, 5, 4, 1), (3, 2, 1, 1), {"stride": 2, "padding": "same"}, ((2, 2), ((1, 1), (0, 0)), (1, 1))),
        ((2, 1, 3, 2, 4), (2, 1, 2, 4), {"groups": 2}, ((1, 1), _NONE, (1, 1), 2)),
        ((1, 3, 3, 2), (2, 2, 1, 2), {"groups": 2, "padding": (1, 0)}, ((1, 1), ((1, 1), (0, 0)), (1, 1), 2)),
        ((0, 3, 3, 1), (2, 2, 1, 2), {}, ((1, 1), _NONE, (1, 1))),
    ]
    for image, kernel, settings, told in table:
        yield Case(
            "Convolution", f"{image} {kernel} {settings}", two(image, kernel),
            lambda x, k, s=settings: ak.nn.conv2d(x, k, **s),
            lambda x, k, t=told: conv(x, k, *t),
        )  # fmt: skip


def _kernels() -> Iterator[Case]:
    """Gradients for kernels; the reference takes the image times each unit kernel."""
    one = (1, 1)
    table: list[tuple[tuple[int, ...], tuple[int, ...], Pair, Pair, tuple[Pair, Pair], int]] = [
        ((2, 3, 2, 3), (2, 4, 3, 2), (2, 2), one, _NONE, 1),
        ((1, 2, 3, 2), (1, 4, 2, 2), (3, 2), (2, 1), ((1, 0), (1, 1)), 2),
        ((0, 2, 2, 1), (0, 3, 3, 1), (2, 2), one, _NONE, 1),
    ]
    for x, image, size, stride, pads, groups in table:
        windows = convolution_pooling.SlidingWindows(size, stride, one, pads)
        units = np.eye(math.prod(size) * image[-1] // groups * x[-1])
        units = units.reshape(-1, *size, image[-1] // groups, x[-1])
        yield Case(
            "ConvolutionKernel", f"{x} {image} {groups}", two(x, image),
            lambda x, y, w=windows, g=groups: convolution_pooling.convolution_kernel(x, y, windows=w, groups=g),
            lambda x, y, u=units, t=(stride, pads, one, groups): np.stack(
                [np.sum(x * conv(y, unit, *t)) for unit in u]
            ).reshape(u.shape[1:]).astype(x.dtype),
        )  # fmt: skip


def _transposed_convolutions() -> Iterator[Case]:
    one, none = (1, 1), (0, 0)
    table: list[tuple[tuple[int, ...], tuple[int, ...], Settings, tuple[Any, ...]]] = [
        ((2, 3, 2, 3), (2, 2, 2, 3), {}, (one, _NONE, one, none)),
        ((2, 3, 2), (3, 2, 1, 2), {"stride": (2, 1), "padding": (1, 0), "output_padding": (1, 0)},
         ((2, 1), ((1, 1), (0, 0)), one, (1, 0))),
        ((1, 2, 3, 1), (2, 3, 1, 1),
         {"stride": 3, "dilation": (2, 1), "padding": ((1, 0), (0, 2)), "output_padding": 2},
         ((3, 3), ((1, 0), (0, 2)), (2, 1), (2, 2))),
        ((1, 2, 3, 1), (3, 2, 2, 1), {"stride": 2, "padding": "same"}, ((2, 2), ((0, 1), (0, 0)), one, none)),
        ((2, 2, 1), (1, 2, 1, 1), {"stride": 3, "padding": "same"}, ((3, 3), _NONE, one, (2, 1))),
        ((2, 1, 2, 2, 4), (2, 1, 2, 4), {"groups": 2}, (one, _NONE, one, none, 2)),
        ((0, 2, 2, 1), (2, 2, 2, 1), {}, (one, _NONE, one, none)),
    ]  # fmt: skip
    for image, kernel, settings, told in table:
        yield Case(
            "TransposedConvolution", f"{image} {kernel} {settings}", two(image, kernel),
            lambda x, k, s=settings: ak.nn.conv2d_transpose(x, k, **s),
            lambda x, k, t=told: conv_transposed(x, k, *t),
        )  # fmt: skip


def _of_sequences() -> Iterator[Case]:
    """Along one axis: the references are those of images of height 1."""
    table: list[tuple[tuple[int, ...], tuple[int, ...], Settings, tuple[Any, ...]]] = [
        ((2, 5, 2), (3, 2, 3), {}, ((1, 1), _NONE, (1, 1))),
        ((6, 4), (2, 2, 2), {"stride": 2, "padding": (1, 0), "dilation": 2, "groups": 2},
         ((1, 2), ((0, 0), (1, 0)), (1, 2), 2)),
    ]  # fmt: skip
    for x, kernel, settings, told in table:
        yield Case("conv1d", f"{x} {kernel} {settings}", two(x, kernel),
                   lambda x, k, s=settings: ak.nn.conv1d(x, k, **s),
                   lambda x, k, t=told: conv(x[..., None, :, :], k[None], *t)[..., 0, :, :])  # fmt: skip
    table = [
        ((2, 3, 2), (3, 1, 2), {"stride": 2, "padding": 1, "output_padding": 1},
         ((1, 2), ((0, 0), (1, 1)), (1, 1), (0, 1))),
        ((3, 4), (2, 1, 4), {"dilation": 2, "groups": 2}, ((1, 1), _NONE, (1, 2), (0, 0), 2)),
    ]  # fmt: skip
    for x, kernel, settings, told in table:
        yield Case("conv1d_transpose", f"{x} {kernel} {settings}", two(x, kernel),
                   lambda x, k, s=settings: ak.nn.conv1d_transpose(x, k, **s),
                   lambda x, k, t=told: conv_transposed(x[..., None, :, :], k[None], *t)[..., 0, :, :])  # fmt: skip


def _largest(seen: Array, inside: Array) -> Array:
    return np.max(np.where(inside[..., None], seen, -np.inf), (-3, -2))


def _mean(seen: Array, inside: Array) -> Array:
    return np.sum(seen, (-3, -2)) / inside.sum()


def _pools() -> Iterator[Case]:
    table: list[tuple[tuple[int, ...], Settings, tuple[Any, ...]]] = [
        ((2, 4, 4, 2), {"size": 2}, ((2, 2), (2, 2), (1, 1), _NONE)),
        ((5, 4, 1), {"size": (3, 2), "stride": 1, "padding": 1}, ((3, 2), (1, 1), (1, 1), ((1, 1), (1, 1)))),
        ((3, 3, 2), {"size": 2, "padding": "same"}, ((2, 2), (2, 2), (1, 1), ((0, 1), (0, 1)))),
        ((2, 1, 2, 3, 1), {"size": (1, 3), "stride": (2, 1)}, ((1, 3), (2, 1), (1, 1), _NONE)),
    ]
    for key, call, f in (("MaxPool", ak.nn.max_pool2d, _largest), ("AveragePool", ak.nn.avg_pool2d, _mean)):
        for image, settings, told in table:
            yield shaped(
                key, f"{image} {settings}", image,
                lambda x, c=call, s=settings: c(x, **s),
                lambda x, f=f, t=told: over_windows(f, x, *t),
            )  # fmt: skip


def _blocks() -> Iterator[Case]:
    windows = convolution_pooling.SlidingWindows((2, 2), (1, 2), (2, 1), ((0, 1), (1, 0)))
    parts = ((2, 2), (1, 2), (2, 1), ((0, 1), (1, 0)))
    yield shaped("Patches", "uneven", (3, 3, 1), lambda x: convolution_pooling.patches(x, windows=windows),
                 lambda x: _unstacked(x, parts))  # fmt: skip
    yield shaped("Fold", "uneven", (2, 2, 2, 2, 1),
                 lambda x: convolution_pooling.fold(x, windows=windows, image=(3, 3)),
                 lambda x: _folded(x, parts))  # fmt: skip
    places = np.array([[[3], [2]], [[1], [0]]])
    source = np.array([[3.0, 1, 0], [1, 8, 8], [7, 4, 0]])[..., None]  # where these places have the largest
    largest = convolution_pooling.max_pool(source, windows).numpy()
    yield shaped("WindowEntries", "uneven", (3, 3, 1),
                 lambda x: convolution_pooling.window_entries(x, source, largest, windows=windows),
                 lambda x: _entries(_unstacked(x, parts), places))  # fmt: skip
    yield shaped("Unpool", "uneven", (2, 2, 1),
                 lambda x: convolution_pooling.unpool(x, source, largest, windows=windows),
                 lambda x: _folded(_spread(x, places), parts))  # fmt: skip


def _unstacked(x: Array, parts: Any) -> Array:
    return np.stack([np.stack([window(x, (i, j), *parts)[0] for j in range(2)]) for i in range(2)])


def _entries(x: Array, places: Array) -> Array:
    return np.take_along_axis(x.reshape(2, 2, 4, 1), places[:, :, None], 2)[:, :, 0]


def _spread(x: Array, places: Array) -> Array:
    return (x[:, :, None] * (places[:, :, None] == np.arange(4)[:, None])).reshape(2, 2, 2, 2, 1)


def _folded(x: Array, parts: Any) -> Array:
    units = np.eye(9).reshape(9, 3, 3, 1)
    return np.stack([np.sum(x * _unstacked(unit, parts)) for unit in units]).reshape(3, 3, 1).astype(x.dtype)


def _standard(x: Array, axes: Any, epsilon: float = 1e-5) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)  # type: ignore[no-any-return]


def _normalisations() -> Iterator[Case]:
    for axis in (-1, 0, (0, -1), (1, 2)):
        yield shaped("Standardize", f"axis {axis}", (3, 2, 4), lambda x, a=axis: ak.nn.layer_norm(x, axis=a),
                     lambda x, a=axis: _standard(x, a))  # fmt: skip
    yield shaped("Standardize", "one entry", (2, 1), ak.nn.layer_norm, np.zeros_like)
    yield shaped("Standardize", "images", (2, 2, 3, 2), ak.nn.instance_norm, lambda x: _standard(x, (1, 2)))
    yield Case("layer_norm", "scale at the first axis", two((3, 2), (3,)),
               lambda x, w: ak.nn.layer_norm(x, w, 0.5, axis=0, epsilon=0.1),
               lambda x, w: _standard(x, 0, 0.1) * w[:, None] + 0.5)  # fmt: skip
    yield Case("layer_norm", "offset of two axes", two((2, 3, 2), (3, 2)),
               lambda x, w: ak.nn.layer_norm(x, offset=w, axis=(-2, -1)),
               lambda x, w: _standard(x, (1, 2)) + w)  # fmt: skip
    for label, axis, shape, place in (
        ("", -1, (4,), (4,)),
        ("two axes", (1, 2), (2, 4), (2, 4)),
        ("first", 0, (3,), (3, 1, 1)),
    ):
        yield Case("LayerNorm", label or "features", lambda rng, own=shape: spaced(rng, (3, 2, 4), own, own),
                   lambda x, w, b, a=axis: ak.nn.layer_norm(x, w, b, a),
                   lambda x, w, b, a=axis, p=place: _standard(x, a) * w.reshape(p) + b.reshape(p))  # fmt: skip
    yield Case("LayerNorm", "of channels", lambda rng: spaced(rng, (2, 3, 2), (2,), (2,)), ak.nn.instance_norm,
               lambda x, w, b: _standard(x, 1) * w + b)  # fmt: skip
    yield Case("instance_norm", "scale", two((2, 3, 2), (2,)), ak.nn.instance_norm,
               lambda x, w: _standard(x, 1) * w)  # fmt: skip
    yield shaped("dropout", "", (5, 2), lambda x: ak.nn.dropout(x, 0.5, seed=4),
                 lambda x: 2 * x * (np.random.default_rng(4).random((5, 2)) >= 0.5))  # fmt: skip


def _log_softmax(x: Array) -> Array:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))  # type: ignore[no-any-return]


def _losses() -> Iterator[Case]:
    yield Case("softmax_cross_entropy", "", two((2, 3), (2, 3)), ak.nn.softmax_cross_entropy,
               lambda p, x: -(p * _log_softmax(x)).sum(-1))  # fmt: skip
    yield Case("sigmoid_cross_entropy", "", two((2, 3), (2, 3)), ak.nn.sigmoid_cross_entropy,
               lambda p, x: np.log1p(np.exp(x)) - p * x)  # fmt: skip
    yield Case("huber", "", two((7,), (7,)), lambda a, b: ak.nn.huber(a, b, 1.003), _huber)


def _huber(a: Array, b: Array, delta: float = 1.003) -> Array:
    e = np.abs(a - b)
    return np.where(e < delta, e * e / 2, delta * (e - delta / 2))


CASES: list[Case] = [
    *_convolutions(), *_kernels(), *_transposed_convolutions(), *_of_sequences(), *_pools(), *_blocks(),
    *_normalisations(), *_losses(),
]  # fmt: skip
