"""Shrink the case on which a learner's function failed: a short program shows what is wrong, a long one hides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from .protocol import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from .protocol import CallResult

__all__ = ["probe", "shrink"]

Case = TypeVar("Case")


def shrink(
    case: Case,
    smaller: Callable[[Case], Iterable[Case]],
    failure: Callable[[Case], Generator[Call, CallResult, str]],
) -> Generator[Call, CallResult, tuple[Case, str]]:
    """Replace a case by a smaller one that fails too, until none of the smaller ones does.

    Parameters
    ----------
    case : object
        A case that fails.
    smaller : callable
        ``smaller(case)``: the cases to try in its place; each must be nearer to an end than ``case``.
    failure : callable
        ``failure(case)``: a generator that calls the learner's function and returns how the result differs from the
        right one, or an empty text.

    Returns
    -------
    tuple
        The smallest case that was found, and how it fails; the text is empty if not even ``case`` fails again.
    """
    text = yield from failure(case)
    while text:
        for candidate in smaller(case):
            found = yield from failure(candidate)
            if found:
                case, text = candidate, found
                break
        else:
            break
    return case, text


def probe(name: str, *args: object) -> Call:
    """A call that is not counted as a case; an exception or a warning in it is an answer, not the end of the check."""
    return Call(name, args, quiet=True, errors=("Exception",))
