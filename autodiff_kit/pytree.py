"""Pytrees: lists, tuples, named tuples and dicts of leaves, in any nesting."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

from autodiff_kit.errors import StructureError

__all__ = ["flatten", "flatten_like", "unflatten_like"]


def flatten(tree: Any) -> list[Any]:
    """The leaves of a pytree, in order; the values of a dict in the order in which its keys were inserted."""
    if not isinstance(tree, _CONTAINERS):
        return [tree]
    values = tree.values() if isinstance(tree, dict) else tree
    if _is_flat(tree):
        return list(values)
    return [leaf for value in values for leaf in flatten(value)]


_CONTAINERS = (list, tuple, dict)


def _is_flat(tree: Any) -> bool:
    """Whether a list or tuple holds leaves only, the common case."""
    return type(tree) in (list, tuple) and not [value for value in tree if isinstance(value, _CONTAINERS)]


def flatten_like(tree: Any, other: Any) -> list[Any]:
    """The parts of ``other`` at the leaves of ``tree``, in order; at a leaf, a list is an array, not a subtree."""
    if isinstance(tree, dict):
        if not isinstance(other, dict) or set(other) != set(tree):
            raise StructureError(f"expected a dict with the keys {list(tree)}, got {_kind(other)}")
        return [leaf for key, value in tree.items() for leaf in flatten_like(value, other[key])]
    if isinstance(tree, (list, tuple)):
        if not isinstance(other, (list, tuple)) or len(other) != len(tree):
            raise StructureError(f"expected {len(tree)} values, one for each, got {_kind(other)}")
        return [leaf for value, mate in zip(tree, other, strict=True) for leaf in flatten_like(value, mate)]
    return [other]


def _kind(tree: Any) -> str:
    if isinstance(tree, dict):
        return f"the keys {list(tree)}"
    return f"{len(tree)}" if isinstance(tree, (list, tuple)) else f"a {type(tree).__name__}"


def unflatten_like(tree: Any, leaves: list[Any]) -> Any:
    """The structure of ``tree`` filled with ``leaves``."""
    if not isinstance(tree, _CONTAINERS) and len(leaves) == 1:
        return leaves[0]
    if _is_flat(tree) and len(leaves) == len(tree):
        return type(tree)(leaves)
    rest = iter(leaves)
    packed = _fill(tree, rest)
    if next(rest, _END) is not _END:
        raise StructureError(f"{len(leaves)} leaves were given for a structure of {len(flatten(tree))}")
    return packed


_END = object()


def _fill(tree: Any, rest: Iterator[Any]) -> Any:
    if isinstance(tree, dict):
        filled = {key: _fill(value, rest) for key, value in tree.items()}
        # A copy would share its entries with it if they are its attributes, too.
        made = copy(tree) if id(getattr(tree, "__dict__", None)) != id(tree) else type(tree)(filled)
        dict.update(made, filled)  # a Counter's own one would add
        return made
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_fill(value, rest) for value in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(_fill(value, rest) for value in tree)
    leaf = next(rest, _END)
    if leaf is _END:
        raise StructureError("fewer leaves were given than the structure holds")
    return leaf
