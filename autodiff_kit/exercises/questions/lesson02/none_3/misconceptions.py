"""None in nested gradients replaced by zeros of the wrong kind."""

from __future__ import annotations

from typing import Any

import numpy as np


# ------------------------------------------------------------------------------------------------------------- none-3
def fill_none(grads: Any, sources: Any, zero: Any = np.zeros_like, kept: Any = lambda g: g) -> Any:
    """The nest with ``zero(source)`` where there is None, and ``kept(gradient)`` elsewhere."""
    if isinstance(sources, dict):
        return {name: fill_none(grads[name], sources[name], zero, kept) for name in sources}
    if isinstance(sources, list | tuple):
        return type(sources)(fill_none(g, s, zero, kept) for g, s in zip(grads, sources, strict=True))
    return zero(sources) if grads is None else kept(grads)


def structure_mistakes(got: Any, sources: Any) -> set[str]:
    """The misconceptions that explain a result whose structure is not that of the sources."""
    if type(got) in (list, tuple) and len(got) == len(_leaves(sources)) and not any(_is_nest(one) for one in got):
        return {"flattens-the-nest"}
    return {"tuples-become-lists"} if _as_lists(got) == _as_lists(sources) else set()


def _is_nest(value: Any) -> bool:
    return isinstance(value, dict | list | tuple)


def _leaves(nest: Any) -> list[Any]:
    if not _is_nest(nest):
        return [nest]
    return [leaf for entry in (nest.values() if isinstance(nest, dict) else nest) for leaf in _leaves(entry)]


def _as_lists(nest: Any) -> Any:
    """The structure alone, with lists for tuples and None for every leaf."""
    if isinstance(nest, dict):
        return {name: _as_lists(entry) for name, entry in nest.items()}
    return [_as_lists(entry) for entry in nest] if isinstance(nest, list | tuple) else None
