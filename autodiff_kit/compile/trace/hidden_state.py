"""What a function takes from elsewhere while it is traced, and a plan would repeat for ever: random draws.

Iterators and clocks are found by the guard, which sees the objects that a function refers to.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.errors import ConcretizationError

__all__ = ["RANDOM_GENERATORS", "RandomStates"]

RANDOM_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
"""Generators whose state can be compared."""


class RandomStates:
    """The states of NumPy's and Python's global generators, and of those that a function refers to."""

    def __init__(self, generators: list[Any]) -> None:
        self._readers: list[tuple[str, Callable[[], Any]]] = [
            ("np.random", lambda: np.random.get_state(legacy=False)),  # noqa: NPY002 - the user's calls, not ours
            ("random", random.getstate),
            *((f"a {type(g).__name__}", _reader(g)) for g in generators),
        ]
        self._before = [repr(read()) for _, read in self._readers]

    def require_unchanged(self) -> None:
        """Raise an error if a generator was advanced."""
        for (name, read), before in zip(self._readers, self._before, strict=True):
            if repr(read()) != before:
                raise ConcretizationError(
                    f"this function drew random numbers ({name}) while ak.compile traced it, and a compiled call would "
                    "use the same numbers each time. Draw them outside and pass them as an argument, or use "
                    "dropout(x, seed=generator), which draws anew at each call."
                )


def _reader(generator: Any) -> Callable[[], Any]:
    if isinstance(generator, np.random.Generator):
        return lambda: generator.bit_generator.state
    if isinstance(generator, np.random.RandomState):
        return lambda: generator.get_state(legacy=False)
    return generator.getstate  # type: ignore[no-any-return]
