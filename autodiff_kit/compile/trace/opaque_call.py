"""Functions that are recorded as one call of themselves."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.compile.node import Node

__all__ = ["Call", "Place", "sample"]


class Call:
    """A function that is run as it is, with numbers put where symbols stood."""

    def __init__(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs

    def __call__(self, *numbers: Any) -> Any:  # noqa: D102
        return self.function(*_filled(self.args, numbers), **_filled(self.kwargs, numbers))

    def harmless(self) -> Call:
        """The same with generators of random numbers of its own, to try it out."""
        return Call(self.name, self.function, _copied(self.args), _copied(self.kwargs))

    def __repr__(self) -> str:
        return self.name


def _copied(nest: Any) -> Any:
    if type(nest) in (tuple, list):
        return type(nest)(map(_copied, nest))
    if isinstance(nest, dict):
        return {key: _copied(x) for key, x in nest.items()}
    return copy.deepcopy(nest) if isinstance(nest, np.random.Generator) else nest


@dataclass(frozen=True)
class Place:
    """Where a symbol stood."""

    number: int


def _filled(nest: Any, numbers: tuple[Any, ...]) -> Any:
    if isinstance(nest, Place):
        return numbers[nest.number]
    if type(nest) in (tuple, list):
        return type(nest)(_filled(x, numbers) for x in nest)
    if isinstance(nest, dict):
        return {key: _filled(x, numbers) for key, x in nest.items()}
    if isinstance(nest, slice):
        return slice(*(_filled(x, numbers) for x in (nest.start, nest.stop, nest.step)))
    return nest


def sample(node: Node, other: bool = False) -> Any:
    """Numbers of a node's shape and dtype that most functions accept: matrices are positive, and no two of their
    eigenvalues the same.
    """
    if node.op == "const":
        return node.value
    if node.weak:
        return node.dtype.type(2 if other else 1).item()
    if node.dtype.kind == "f" and node.ndim >= 2:
        rows, columns = np.ogrid[1 : node.shape[-2] + 1, 1 : node.shape[-1] + 1]
        matrix = np.where(rows == columns, rows, 0) + (0.02 if other else 0.01) / (rows + columns)
        return np.broadcast_to(matrix.astype(node.dtype), node.shape)
    one = np.asarray((0.25 if other else 0.5) if node.dtype.kind in "fc" else other, node.dtype)
    return np.broadcast_to(one, node.shape) if node.ndim else one[()]
