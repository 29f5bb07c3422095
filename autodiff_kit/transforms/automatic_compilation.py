"""The compiler as the packages below it see it: it registers itself here, because it knows them and not they it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["CompiledFunction", "register", "run_and_compile"]


class CompiledFunction(Protocol):
    """A compiled function without arguments, and how often it was traced."""

    trace_count: int

    def __call__(self) -> Any:
        """The result of the function."""


_Results = tuple[Any, tuple[CompiledFunction, ...] | None]
_Compiler = Callable[..., _Results]


def _without_compiler(run: Callable[[], Any], *_functions: Callable[[], Any]) -> _Results:
    return run(), None


_compiler: _Compiler = _without_compiler


def register(compiler: _Compiler) -> None:
    """Set what :func:`run_and_compile` does."""
    global _compiler
    _compiler = compiler


def run_and_compile(run: Callable[[], Any], *functions: Callable[[], Any]) -> _Results:
    """The result of ``run()``; and the functions, which do the same, compiled if ``run()`` has done nothing else."""
    return _compiler(run, *functions)
