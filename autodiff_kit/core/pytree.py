"""Nested structures: lists, tuples, named tuples and dicts of leaves, in any nesting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autodiff_kit.errors import StructureError

__all__ = ["flatten", "flatten_like", "map_structure", "pack_like"]


def flatten(nest: Any) -> list[Any]:
    """Leaves of a nest, in order; a dict gives its values in the order of its keys' insertion."""
    if not isinstance(nest, _NESTS):
        return [nest]
    values = nest.values() if isinstance(nest, dict) else nest
    if _is_flat(nest):
        return list(values)
    return [leaf for value in values for leaf in flatten(value)]


_NESTS = (list, tuple, dict)


def _is_flat(nest: Any) -> bool:
    """Whether a list or tuple holds leaves only, as nearly all do."""
    return type(nest) in (list, tuple) and not [value for value in nest if isinstance(value, _NESTS)]


def flatten_like(nest: Any, other: Any) -> list[Any]:
    """What stands in ``other`` where ``nest`` has its leaves, in their order; there a list is an array, not a nest."""
    if isinstance(nest, dict):
        if not isinstance(other, dict) or set(other) != set(nest):
            raise StructureError(f"a dict with the keys {list(nest)} is needed, got {_kind(other)}")
        return [leaf for key, value in nest.items() for leaf in flatten_like(value, other[key])]
    if isinstance(nest, (list, tuple)):
        if not isinstance(other, (list, tuple)) or len(other) != len(nest):
            raise StructureError(f"{len(nest)} values are needed, one for each, got {_kind(other)}")
        return [leaf for value, mate in zip(nest, other, strict=True) for leaf in flatten_like(value, mate)]
    return [other]


def _kind(nest: Any) -> str:
    if isinstance(nest, dict):
        return f"the keys {list(nest)}"
    return f"{len(nest)}" if isinstance(nest, (list, tuple)) else f"a {type(nest).__name__}"


def pack_like(nest: Any, leaves: list[Any]) -> Any:
    """The structure of ``nest`` filled with ``leaves``."""
    if not isinstance(nest, _NESTS) and len(leaves) == 1:
        return leaves[0]
    if _is_flat(nest) and len(leaves) == len(nest):
        return type(nest)(leaves)
    rest = iter(leaves)
    packed = _fill(nest, rest)
    if next(rest, _END) is not _END:
        raise StructureError(f"{len(leaves)} leaves were given for a structure of {len(flatten(nest))}")
    return packed


def map_structure(function: Callable[[Any], Any], nest: Any) -> Any:
    """Apply ``function`` to each leaf, keeping the structure."""
    return pack_like(nest, [function(leaf) for leaf in flatten(nest)])


_END = object()


def _fill(nest: Any, rest: Iterator[Any]) -> Any:
    if isinstance(nest, dict):
        return type(nest)((key, _fill(value, rest)) for key, value in nest.items())
    if isinstance(nest, tuple) and hasattr(nest, "_fields"):
        return type(nest)(*(_fill(value, rest) for value in nest))
    if isinstance(nest, (list, tuple)):
        return type(nest)(_fill(value, rest) for value in nest)
    leaf = next(rest, _END)
    if leaf is _END:
        raise StructureError("fewer leaves were given than the structure holds")
    return leaf
