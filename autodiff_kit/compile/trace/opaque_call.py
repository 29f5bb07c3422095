"""Opaque calls: functions that are recorded as one call and run unchanged."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.core.pytree import flatten

__all__ = ["NodePlaceholder", "OpaqueCall", "map_nested", "sample_value"]


class OpaqueCall:
    """A function with its arguments, in which placeholders stand for the values of nodes."""

    def __init__(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs

    @classmethod
    def on_nodes(cls, function: Callable[..., Any], count: int) -> OpaqueCall:
        """A call whose arguments are the values of nodes alone."""
        return cls(function.__name__, function, [*map(NodePlaceholder, range(count))], {})

    def __call__(self, *values: Any) -> Any:  # noqa: D102
        args, kwargs = map_nested(
            lambda x: values[x.number] if type(x) is NodePlaceholder else x, (self.args, self.kwargs)
        )
        return self.function(*args, **kwargs)

    def is_random(self) -> bool:
        """Whether the call draws random numbers, so that a second call would give others."""
        inside = getattr(self.function, "is_random", None)
        if inside is not None:
            return inside()  # type: ignore[no-any-return]
        return any(isinstance(x, np.random.Generator) for x in flatten((self.args, self.kwargs)))

    def with_copied_generators(self) -> OpaqueCall:
        """A copy for trial runs, which does not advance the random generators among the arguments."""
        args, kwargs = map_nested(
            lambda x: copy.deepcopy(x) if isinstance(x, np.random.Generator) else x, (self.args, self.kwargs)
        )
        return OpaqueCall(self.name, self.function, args, kwargs)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class NodePlaceholder:
    """Stands for operand ``number`` in the arguments of an opaque call."""

    number: int


def map_nested(function: Callable[[Any], Any], nest: Any) -> Any:
    """The nested tuples, lists, dicts and slices, with a function applied to everything else inside them."""
    if type(nest) in (tuple, list):
        return type(nest)(map_nested(function, x) for x in nest)
    if isinstance(nest, dict):
        return {key: map_nested(function, x) for key, x in nest.items()}
    if isinstance(nest, slice):
        return slice(*(map_nested(function, x) for x in (nest.start, nest.stop, nest.step)))
    return function(nest)


def sample_value(node: GraphNode, other: bool = False) -> Any:
    """An example value of a node's shape and dtype that most functions accept.

    Matrices are positive definite with distinct eigenvalues; ``other`` gives a second example, whose entries differ in
    a vector of floats, so that results whose shape depends on the numbers are noticed.
    """
    if node.op == "const":
        return node.value
    if node.weak:
        return node.dtype.type(2 if other else 1).item()
    if node.dtype.kind == "f" and node.ndim >= 2:
        rows, columns = np.ogrid[1 : node.shape[-2] + 1, 1 : node.shape[-1] + 1]
        matrix = np.where(rows == columns, rows, 0) + (0.02 if other else 0.01) / (rows + columns)
        return np.broadcast_to(matrix.astype(node.dtype), node.shape)
    if other and node.dtype.kind == "f" and node.ndim == 1:
        return np.linspace(0.25, 0.375, node.size, dtype=node.dtype)
    one = np.asarray((0.25 if other else 0.5) if node.dtype.kind in "fc" else other, node.dtype)
    return np.broadcast_to(one, node.shape) if node.ndim else one[()]
