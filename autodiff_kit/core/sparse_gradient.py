"""Gradients of some entries of an array, and how a backward pass adds them to a cotangent."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

__all__ = ["EntriesGradient", "SparseGradient", "entries_of", "sum_with"]


class SparseGradient:
    """A gradient that holds few rows of a large table; see :class:`autodiff_kit.RowGradient`."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """The gradient of the whole table."""
        raise NotImplementedError


class EntriesGradient(functools.partial[None]):
    """What a slice of an array passes back: a call that adds it to an array of the whole shape, in place."""


def entries_of(node: Any, g: Any, whole: Any) -> Any:
    """The cotangent of the input of an operation that reads some entries, such as a slice.

    A SparseGradient, an EntriesGradient unless it is asked for as a ``whole``, or None: then its rule gives it.
    """
    return node.op.sparse_vjp(g, node.parts[0].spec, node.parts[0].op is None, whole, **node.given)


def sum_with(part: Any, node: Any, own: dict[Any, Any]) -> Any:
    """The cotangent of a node and another part of it.

    ``own`` holds the sums, by node, that this backward pass made and nobody else has seen: more is added to them in
    place, so that reading all rows of an array one by one costs as much as reading it once.
    """
    before = node.cotangent
    if type(part) is EntriesGradient:
        if before is None or own.get(node) is not before:
            before = own[node] = np.zeros(*node.spec) if before is None else np.array(before, order="C")
        part(before)
        return before
    if before is None:
        return part
    if type(before) is np.ndarray and type(part) is np.ndarray and own.get(node) is before:
        return np.add(node.cotangent, part, out=node.cotangent)
    own[node] = before + part
    return own[node]
