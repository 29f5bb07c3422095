"""Gradients of some entries of an array, and how a backward pass adds them to a cotangent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["EntriesGradient", "SparseGradient", "add_cotangent"]


class SparseGradient:
    """A gradient that holds few rows of a large table; see :class:`autodiff_kit.RowGradient`."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """The gradient of the whole table."""
        raise NotImplementedError


class EntriesGradient(NamedTuple):
    """What a slice of an array passes back: ``add_to(total)`` adds it to an array of the given shape and dtype."""

    spec: Any
    add_to: Callable[[np.ndarray[Any, Any]], None]


def add_cotangent(node: Any, part: Any, own: dict[Any, Any]) -> None:
    """Add a part to the cotangent of a node.

    ``own`` holds the sums, by node, that this backward pass made and nobody else has seen: entries are added to them in
    place, so that reading all rows of an array one by one costs as much as reading it once.
    """
    before = node.cotangent
    if type(part) is not EntriesGradient:
        node.cotangent = part if before is None else before + part
        return
    if before is None or own.get(node) is not before:
        node.cotangent = own[node] = np.zeros(*part.spec) if before is None else np.array(before, order="C")
    part.add_to(node.cotangent)
