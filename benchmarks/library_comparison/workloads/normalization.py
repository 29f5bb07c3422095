"""Normalization over axes in the middle, and a wide softmax head."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems, products
from benchmarks.library_comparison.workloads.steps import Step, zeros

NATIVE_NORM, EPSILON = "PyTorch native norm", 1e-5


def middle_axes(s: Setting) -> Systems:
    """Images of some channels, channels last; each channel of each image is normalized over height and width."""
    rng = np.random.default_rng(0)
    n, h, w, c = s.sized((16, 32, 32, 16), (2, 4, 3, 2))
    start = [s.normal(rng, n, h, w, c), np.ones(c, s.dtype), zeros(s, c)]
    step = Step(start, [s.normal(rng, n, h, w, c)], 1e-3)

    def kit(p: Any, weight: Any) -> Any:
        return (ak.nn.instance_norm(*p, EPSILON) * weight).sum()

    def torch(p: Any, weight: Any) -> Any:
        x, scale, offset = p
        variance, mean = s.torch.var_mean(x, (1, 2), correction=0, keepdim=True)
        return (((x - mean) * s.torch.rsqrt(variance + EPSILON) * scale + offset) * weight).sum()

    def native(p: Any, weight: Any) -> Any:
        x, scale, offset = p
        y = s.torch.nn.functional.instance_norm(x.movedim(3, 1), weight=scale, bias=offset, eps=EPSILON)
        return (y.movedim(1, 3) * weight).sum()

    def jax(p: Any, weight: Any) -> Any:
        x, scale, offset = p
        centred = x - x.mean((1, 2), keepdims=True)
        inverse = s.jax.lax.rsqrt((centred**2).mean((1, 2), keepdims=True) + EPSILON)
        return ((centred * inverse * scale + offset) * weight).sum()

    return step.systems(s, kit, torch, jax, {NATIVE_NORM: native})


def wide_head(s: Setting) -> Systems:
    """The last layer of a language model: a linear map to thousands of classes, and its cross-entropy."""
    rng, (rows, width, classes) = np.random.default_rng(0), s.sized((64, 64, 10_000), (5, 4, 7))
    x, labels = s.normal(rng, rows, width), rng.integers(0, classes, rows)
    step = Step([s.normal(rng, width, classes, scale=width**-0.5), zeros(s, classes)], [x, labels], 0.1)

    def kit(p: Any, x: Any, labels: Any) -> Any:
        return ak.nn.sparse_softmax_cross_entropy(labels, x @ p[0] + p[1]).mean()

    def torch(p: Any, x: Any, labels: Any) -> Any:
        return s.torch.nn.functional.cross_entropy(s.torch.addmm(p[1], x, p[0]), labels)

    def jax(p: Any, x: Any, labels: Any) -> Any:
        scores = s.jax.nn.log_softmax(x @ p[0] + p[1])
        return -s.jax.numpy.take_along_axis(scores, labels[:, None], 1).mean()

    least = products(s.dtype, (rows, width, classes, 1), (width, rows, classes, 1))
    return step.systems(s, kit, torch, jax) | least
