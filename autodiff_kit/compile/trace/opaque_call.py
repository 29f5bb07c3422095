"""Opaque calls: functions that are recorded as one call and run unchanged."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.core.dispatch import compute
from autodiff_kit.pytree import flatten

__all__ = ["NodePlaceholder", "OpaqueCall", "map_nested", "sample_value"]


class OpaqueCall:
    """A function with its arguments, in which placeholders stand for the values of nodes."""

    def __init__(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs

    def __call__(self, *values: Any) -> Any:  # noqa: D102
        args, kwargs = map_nested(
            lambda x: values[x.number] if type(x) is NodePlaceholder else x, (self.args, self.kwargs)
        )
        return self.function(*args, **kwargs)

    def expression(self, operands: list[str], env: dict[str, Any], name: str, out: str | None = None) -> str | None:
        """The source of the call, whose constants get names in ``env``; with ``out``, of one that writes there.

        None if the function cannot write its result.
        """
        function, args, kwargs = self.function, self.args, self.kwargs
        if out is not None:
            if function is not compute or args[0].write is None:
                return None
            function, args, kwargs = args[0].write, args[1], args[2]
        text = partial(_source, operands=operands, env=env, name=name)
        given = [*([] if out is None else [out]), *map(text, args), *(f"{key}={text(x)}" for key, x in kwargs.items())]
        return f"{text(function)}({', '.join(given)})"

    def key(self, nodes: list[GraphNode]) -> Any:
        """A key that is equal for calls with equal results; None for other functions than the kit's own."""
        function = self.function
        own = not self.args[0].user_defined if function is compute else not getattr(function, "every_call", True)
        if not own or self.is_random():
            return None
        return "call", function, _key((self.args, self.kwargs)), tuple(n.number for n in nodes)

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


def _key(nest: Any) -> Any:
    """A key of nested arguments: by value where that cannot change, otherwise by identity."""
    if isinstance(nest, (tuple, list)):
        return type(nest), *map(_key, nest)
    if isinstance(nest, dict):
        return dict, *((key, _key(x)) for key, x in nest.items())
    if isinstance(nest, slice):
        return slice, *map(_key, (nest.start, nest.stop, nest.step))
    if isinstance(nest, (float, np.generic)):
        return type(nest), repr(nest)
    return (type(nest), nest) if isinstance(nest, Hashable) else id(nest)


def _source(nest: Any, operands: list[str], env: dict[str, Any], name: str) -> str:
    """The source of nested arguments; what is no placeholder is named ``name`` and a number."""
    text = partial(_source, operands=operands, env=env, name=name)
    if isinstance(nest, NodePlaceholder):
        return operands[nest.number]
    if type(nest) is tuple:
        return f"({''.join(f'{text(x)}, ' for x in nest)})"
    if type(nest) is list:
        return f"[{', '.join(map(text, nest))}]"
    if isinstance(nest, dict):
        return f"{{{', '.join(f'{key!r}: {text(x)}' for key, x in nest.items())}}}"
    if isinstance(nest, slice):
        return f"slice({', '.join(text(x) for x in (nest.start, nest.stop, nest.step))})"
    place = f"{name}_{len(env)}"
    env[place] = nest
    return place


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
