"""The arguments of a function as JAX takes them apart: leaves with their paths, and those that are traced."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from autodiff_kit.errors import ArgumentError

__all__ = ["Arguments", "Leaf", "as_path", "known_argnums"]


@dataclass(frozen=True)
class Leaf:
    """A leaf of the arguments: path, value, name, and its number among the traced leaves (-1: not traced)."""

    path: tuple[Any, ...]
    value: Any
    name: str
    traced: int

    @property
    def dtype(self) -> Any:
        """The dtype that JAX gives it; None for what is no array."""
        try:
            return jax.dtypes.result_type(self.value)
        except TypeError:
            return None


def known_argnums(argnums: Any, count: int) -> tuple[int, ...]:
    """The positions that `argnums` means, counted from 0."""
    try:
        given = [operator.index(k) for k in (argnums if isinstance(argnums, (tuple, list)) else (argnums,))]
    except TypeError:
        raise ArgumentError(f"argnums must be an int or a tuple of ints, as for jax.grad, got {argnums!r}") from None
    if any(not -count <= k < count for k in given):
        raise ArgumentError(f"argnums is {argnums!r}, but the function was given {count} arguments")
    return tuple(k % count for k in given)


def as_path(path: Any) -> tuple[Any, ...]:
    """A path as a tuple; the number of an argument is one of length 1."""
    return tuple(path) if isinstance(path, (tuple, list)) else (path,)


class Arguments:
    """The arguments of a call.

    Parameters
    ----------
    args : tuple
    names : sequence of str
        Of the function's parameters.
    traced : callable
        Whether a leaf is to be traced, by its path and value.
    """

    def __init__(
        self, args: tuple[Any, ...], names: Sequence[str], traced: Callable[[tuple[Any, ...], Any], bool]
    ) -> None:
        self.args = args
        found, self._structure = jax.tree_util.tree_flatten_with_path(args)
        self.leaves: list[Leaf] = []
        count = 0
        for keys, value in found:
            path = tuple(map(_entry, keys))
            is_traced = traced(path, value)
            name = f"{names[path[0]]}{jax.tree_util.keystr(keys[1:])}"
            self.leaves.append(Leaf(path, value, name, count if is_traced else -1))
            count += is_traced

    @property
    def traced(self) -> list[Any]:
        """The values of the leaves that are traced."""
        return [leaf.value for leaf in self.leaves if leaf.traced >= 0]

    def call(self, function: Callable[..., Any], values: Sequence[Any]) -> Any:
        """Call a function with other values in the place of the traced leaves."""
        leaves = [leaf.value if leaf.traced < 0 else values[leaf.traced] for leaf in self.leaves]
        return function(*jax.tree_util.tree_unflatten(self._structure, leaves))

    def under(self, path: tuple[Any, ...]) -> list[Leaf]:
        """The leaves whose paths begin with a path."""
        return [leaf for leaf in self.leaves if leaf.path[: len(path)] == path]

    def at(self, path: tuple[Any, ...]) -> Any:
        """What a path leads to; an error that lists the paths if it leads nowhere."""
        place: Any = self.args
        for entry in path:
            try:
                place = (
                    place[entry] if not isinstance(entry, str) or not hasattr(place, entry) else getattr(place, entry)
                )
            except (LookupError, TypeError, AttributeError):
                some = ", ".join(repr(leaf.path) for leaf in self.leaves[:8])
                raise ArgumentError(
                    f"the path {path!r} leads nowhere at {entry!r}; paths into the arguments are {some}"
                    + (", …" if len(self.leaves) > 8 else "")
                ) from None
        return place


def _entry(key: Any) -> Any:
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return getattr(key, attribute)
    return str(key)


def is_array(value: Any) -> bool:
    """Whether a value is an array, and no plain number."""
    return isinstance(value, (jax.Array, np.ndarray))
