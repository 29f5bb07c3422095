"""What a function takes from elsewhere while it is traced, and a plan would repeat for ever: random draws.

Iterators and clocks are found by the guard, which sees the objects that a function refers to.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from autodiff_kit.errors import ConcretizationError

__all__ = ["RANDOM_GENERATORS", "RandomStates"]

RANDOM_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
"""Generators whose state can be compared."""


class RandomStates:
    """The states of NumPy's and Python's global generators, and of those that a function refers to."""

    def __init__(self, generators: list[Any]) -> None:
        named = [("np.random", np.random), ("random", random), *((f"a {type(g).__name__}", g) for g in generators)]
        self._before = [(name, generator, _state(generator)) for name, generator in named]

    def advanced(self) -> str | None:
        """The name of a generator that was advanced, if there is one."""
        return next((name for name, generator, before in self._before if _state(generator) != before), None)

    def require_unchanged(self) -> None:
        """Raise an error if a generator was advanced."""
        if (name := self.advanced()) is not None:
            raise ConcretizationError(
                f"this function drew random numbers ({name}) while ak.compile traced it, and a compiled call would "
                "use the same numbers each time. Draw them outside and pass them as an argument, or use "
                "dropout(x, seed=generator), which draws anew at each call."
            )


def _state(generator: Any) -> str:
    """The state of a generator, or of the global one of a module, as text."""
    if isinstance(generator, np.random.Generator):
        return repr(generator.bit_generator.state)
    if generator is np.random or isinstance(generator, np.random.RandomState):
        return repr(generator.get_state(legacy=False))
    return repr(generator.getstate())
