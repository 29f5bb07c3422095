"""Cases of functional updates, ``x.at[index].set(values)``; the references change a copy by NumPy's ufuncs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .case import Array, Case, two

_METHODS: dict[str, Callable[..., Any] | None] = {
    "set": None, "add": np.add.at, "multiply": np.multiply.at, "min": np.minimum.at, "max": np.maximum.at,
}  # fmt: skip

# label: shape of x, index, shape of the values
_INDICES: dict[str, tuple[tuple[int, ...], Any, tuple[int, ...]]] = {
    "number": ((3,), 1, ()),
    "numbers, slice, None": ((2, 3, 4), (1, None, slice(None, None, 2)), (2, 4)),
    "ellipsis, broadcast": ((2, 3), (..., -1), (1,)),
    "no axes": ((), (), ()),
    "rows": ((4, 2), np.array([2, -4]), (2, 2)),
    "rows twice": ((4, 2), np.array([2, 0, -2, 1]), (4, 2)),
    "places twice, broadcast": ((3, 4), (np.array([[0], [2]]), np.array([1, 3, 1])), (3,)),
    "apart": ((2, 3, 2), (np.array([1, 0, 1]), slice(1, None), np.array([0, 1, 0])), (3, 2)),
    "mask": ((2, 3), np.array([[True, False, True], [False, False, True]]), (3,)),
    "mask, one value": ((2, 3), np.array([[True, False, True], [False, False, True]]), ()),
    "mask of rows": ((3, 2), np.array([True, False, True]), (2,)),
    "nothing": ((3,), np.array([], int), (0,)),
}

_FOR_THE_OTHERS = ("number", "rows twice", "apart", "mask, one value")


def _updated(how: Callable[..., Any] | None, index: Any) -> Callable[[Array, Array], Array]:
    def reference(x: Array, values: Array) -> Array:
        out = np.array(x)
        if how is None:
            out[index] = values
        else:
            how(out, index, values)
        return out

    return reference


def _updates() -> Iterator[Case]:
    for method, how in _METHODS.items():
        for label in _INDICES if method in ("set", "add") else _FOR_THE_OTHERS:
            shape, index, given = _INDICES[label]
            yield Case(
                "Replace", f"{method}, {label}", two(shape, given),
                lambda x, values, m=method, i=index: getattr(x.at[i], m)(values), _updated(how, index),
            )  # fmt: skip


CASES: list[Case] = [*_updates()]
