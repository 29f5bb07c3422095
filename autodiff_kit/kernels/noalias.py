"""A numba compiler that marks the array parameters of kernels as not aliased (LLVM's ``noalias``).

Without it, LLVM compares the addresses of all arrays before each loop, and does not vectorise loops over more than
about fifteen arrays.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import Compiler

__all__ = ["NoAliasCompiler"]


class NoAliasCompiler(Compiler):
    """The numba compiler with ``noalias`` set for all array parameters."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]
        self.state.flags.noalias = True
