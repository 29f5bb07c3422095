"""Gradients of some entries of an array, and how a backward pass adds them to a cotangent."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autodiff_kit.core.tracer import Tracer

__all__ = ["EntriesGradient", "SparseGradient", "entries_of", "sum_with"]


class SparseGradient:
    """A gradient that holds few rows of a large table; see :class:`autodiff_kit.RowGradient`."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """The gradient of the whole table."""
        raise NotImplementedError


class EntriesGradient(functools.partial[None]):
    """What a slice passes back: ``part(array, is_zero)`` adds it to an array of the whole shape, in place."""


def entries_of(node: Any, g: Any, whole: Any) -> Any:
    """The cotangent of the input of an operation that reads some entries, such as a slice.

    A SparseGradient, an EntriesGradient unless it is asked for as a ``whole``, or None: then its rule gives it.
    """
    return node.op.sparse_vjp(g, node.parts[0].spec, node.parts[0].op is None, whole, **node.given)


def sum_with(part: Any, node: Any, own: dict[Any, Any]) -> Any:
    """The cotangent of a node and another part of it.

    ``own`` holds the arrays, by node, that this backward pass made and nobody else has seen: more is added to them in
    place, so that reading all rows of an array one by one costs as much as reading it once.
    """
    before: Any = node.cotangent
    is_own = type(before) is np.ndarray and own.get(node) is before
    if type(part) is EntriesGradient and not isinstance(before, Tracer):
        is_zero = before is None
        if not is_own or not before.flags.c_contiguous:
            before = own[node] = np.zeros(*node.spec) if is_zero else np.array(before, order="C")
        part(before, is_zero)
        return before
    if type(part) is EntriesGradient:
        part(entries := np.zeros(*node.spec), True)
        return before + entries
    if before is None:
        return part
    if is_own and type(part) is np.ndarray:
        return np.add(before, part, out=before)
    total = own[node] = before + part
    return total
