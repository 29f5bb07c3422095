"""What kernels are compiled with: the arrays that one is given lie apart.

Without that promise the compiler compares the addresses of all arrays before each loop, and gives up on vectors where
there are more than about fifteen.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import Compiler

__all__ = ["Apart"]


class Apart(Compiler):
    """The compiler, told that nothing is written through one array and read through another."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]
        self.state.flags.noalias = True
