"""Functions that are compiled only as a part of others: kernels, and what kernels call.

numba compiles each function to machine code by itself, and once more as a part of each caller. These are linked into
their callers as they are, and optimised and compiled there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

__all__ = ["inlined", "kernel_function"]


class _LinkedLibrary(JITCodeLibrary):
    """Code that other libraries link; it has no machine code of its own."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Link the libraries that this one uses."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


def _no_executable(library: Any, description: Any, environment: Any) -> Any:
    """What numba keeps as the function that Python can call; nothing calls it."""
    make_function: Any = importlib.import_module("numba._dynfunc").make_function
    return make_function(description.lookup_module(), description.qualname, "", 0, environment, (library,))


class _InlinedCompiler(Compiler):
    """The numba compiler for functions without machine code of their own."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)  # type: ignore[no-untyped-call]
        target = self.state.targetctx  # a copy for this function
        self.state.library = _LinkedLibrary(target.codegen(), "inlined")  # type: ignore[no-untyped-call]
        target.get_executable = _no_executable


class _KernelCompiler(_InlinedCompiler):
    """The same, with all array parameters marked as not aliased (LLVM's ``noalias``).

    Without that, LLVM compares the addresses of all arrays before each loop, and does not vectorise loops over more
    than about fifteen arrays.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.state.flags.noalias = True


_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def inlined(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """The decorator of a function that kernels call, with options of ``numba.njit``."""
    decorator: Callable[[Callable[..., Any]], Any] = njit(pipeline_class=_InlinedCompiler, **_OPTIONS, **options)
    return decorator


def kernel_function(function: Callable[..., Any]) -> Any:
    """The decorator of a kernel."""
    return njit(pipeline_class=_KernelCompiler, fastmath={"nsz"}, **_OPTIONS)(function)
