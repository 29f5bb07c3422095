"""Nests as one long vector."""

import autodiff_kit as ak
from autodiff_kit.pytree import flatten as leaves_of
from autodiff_kit.pytree import unflatten_like

from .. import numpy as anp


def flatten(value):
    leaves = leaves_of(value)
    flat = anp.concatenate([anp.ravel(leaf) for leaf in leaves]) if leaves else anp.zeros(0)
    shapes = [anp.shape(leaf) for leaf in leaves]

    def unflatten(vector):
        parts, start = [], 0
        for shape in shapes:
            size = int(anp.prod(shape)) if shape else 1
            part = vector[start : start + size]
            parts.append(anp.reshape(part, shape) if shape else part[0])
            start += size
        return unflatten_like(value, parts)

    return flat, unflatten


def const_graph(f, *args, **kwargs):
    raise NotImplementedError("tracing a function once is ak.compile's business")
