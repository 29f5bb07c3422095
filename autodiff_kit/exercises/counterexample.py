"""Shrink the case on which a learner's function failed: a short program shows what is wrong, a long one hides it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from autodiff_kit.lessons.translation import translate

from .compare import describe_relation, format_value, values_close
from .diagnosis import describe_difference, format_call
from .protocol import Call, ReturnedFunction, plain_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from .protocol import CallResult

__all__ = ["counterexample_by", "probe", "renumbering", "shorter", "shrink"]

Case = TypeVar("Case")
Item = TypeVar("Item")

SECONDS_FOR_SHRINKING = 5.0
"""A learner waits for the message, so a slow function is shown on the smallest case that was found by then."""


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
    until = time.monotonic() + SECONDS_FOR_SHRINKING
    text = yield from failure(case)
    while text:
        for candidate in smaller(case):
            if time.monotonic() > until:
                return case, text
            found = yield from failure(candidate)
            if found:
                case, text = candidate, found
                break
        else:
            break
    return case, text


def probe(name: str, *args: object, **kwargs: object) -> Call:
    """A call that is not counted as a case; an exception or a warning in it is an answer, not the end of the check."""
    return Call(name, args, kwargs, quiet=True, errors=("Exception",))


def counterexample_by(
    smaller: Callable[..., Iterable[tuple[Any, ...]]], right: Callable[..., object], tol: float = 1e-9
) -> Callable[[Call], Generator[Call, CallResult, str]]:
    """Make a question's ``counterexample`` from a function that lists smaller arguments.

    Parameters
    ----------
    smaller : callable
        Takes the positional arguments of a call and gives those of the calls to try in its place.
    right : callable
        The worked answer, with the arguments of the learner's function.
    tol : float
        See :func:`~.compare.values_close`.

    Returns
    -------
    callable
        Takes a call and returns a generator: it calls the learner's function and returns the message.
    """

    def smallest(call: Call) -> Generator[Call, CallResult, str]:
        def failure(arguments: tuple[Any, ...]) -> Generator[Call, CallResult, str]:
            reply = yield probe(call.name, *arguments, **call.kwargs)
            if reply.error or reply.value is None:
                return ""
            told = format_call(Call(call.name, arguments, call.kwargs))
            want = plain_copy(right(*arguments, **call.kwargs), lambda _: ReturnedFunction(-1))
            return _difference(f"`{told}`", reply.value, want, tol)

        _, text = yield from shrink(call.args, lambda arguments: smaller(*arguments), failure)
        return text and translate("The smallest case found that fails:") + "\n" + text

    return smallest


def _difference(what: str, got: Any, right: Any, tol: float) -> str:
    """How a value differs from the right one; empty if it does not, or if it holds anything but numbers."""
    try:
        array, want = np.asarray(got, float), np.asarray(right, float)
    except (TypeError, ValueError):
        return ""
    if values_close(array, want, tol):
        return ""
    texts = format_value(got), format_value(right)
    if texts[0] == texts[1]:
        return describe_difference(what, array, want, tol)
    words = translate("{what} is {got}, expected {wanted}.").format(what=what, got=texts[0], wanted=texts[1])
    relation = describe_relation(array, want, tol)
    return words + (relation and f" {relation}")


def shorter(items: Sequence[Item]) -> Iterator[list[Item]]:
    """A list without each of its halves, without each quarter, and so on down to single items."""
    size = len(items)
    while size := size // 2:
        yield from ([*items[:k], *items[k + size :]] for k in range(0, len(items), size))
    if len(items) == 1:
        yield []


def renumbering(gone: int, stand_in: int) -> Callable[[int], int]:
    """The new numbers of values where value ``gone`` is left out and whoever read it reads ``stand_in``."""
    return lambda i: stand_in if i == gone else i - (i > gone)
