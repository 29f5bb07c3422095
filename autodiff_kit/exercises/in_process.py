"""Carries a check's calls to the learner's functions within this process.

Quick, and open: a learner's function that never ends cannot be stopped from here, and one that means to
cheat can. Points that count come from a grader that speaks the same :mod:`.protocol` to a box.
"""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from .memory_meter import Peak
from .protocol import Call, Foreign, Handle, Namespace, Remote, Reply, Rng, Slip, alike, plain
from .tape_meter import Tapes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from .protocol import Script

__all__ = ["InProcess", "drive", "handles", "play"]

# Where no learner writes: the kit, and the environment that it runs in.
NOT_THEIRS = tuple(
    str(Path(place)) + os.sep for place in (Path(__file__).parents[1], sys.prefix, sys.base_prefix + "/lib")
)
# Kinds of values that nobody can change: they are lent as they are, and compared at once (a record holds many).
UNCHANGING = frozenset((type(None), bool, int, float, complex, str))
# A floating-point accident is an answer to be explained, not a slip: the checks have names for them.
ACCIDENTS = (FloatingPointError, RuntimeWarning, ZeroDivisionError)
# Which handle a function stands for that a learner was given: where the handle is far away, its number is sent back.
handles: WeakKeyDictionary[Callable[..., Any], Handle] = WeakKeyDictionary()


def drive(script: Script, answer: Callable[[Call], Reply]) -> Any:
    """Run a check to its end; the value is what the check returns.

    Parameters
    ----------
    script : generator
        Yields calls, is sent replies.
    answer : callable
        Gives the reply to one call; what it raises ends the check.

    Returns
    -------
    object
        The script's return value.
    """
    try:
        call = next(script)
        while True:
            call = script.send(answer(call))
    except StopIteration as stop:
        return stop.value
    finally:
        script.close()


def play(script: Script, **functions: Callable[..., Any]) -> Any:
    """Run a script with functions of our own in the learner's place: right ones, or models of a mistake."""

    def answer(call: Call) -> Reply:
        return Reply(plain(functions[call.name](*call.args, **call.kwargs), lambda _: Remote(-1)))

    return drive(script, answer)


class InProcess:
    """The learner's half of the conversation.

    Parameters
    ----------
    functions : mapping
        The learner's functions by name.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._functions = functions
        self._remotes: list[Callable[..., Any]] = []
        self._lent: tuple[Any, ...] = ()

    def __call__(self, call: Call) -> Reply:
        """Run one call: lend copies, watch for accidents, and look at the copies afterwards."""
        before, self._lent = self._lent, (lent := tuple(lend(value) for value in call.args))
        kept = {key: lend(value) for key, value in call.kwargs.items()}
        given, tape = self._under_tape(call, lent)
        seen, weighed = Tapes(call.tapes), Peak(call.memory)
        try:
            for array, new in zip(before, call.overwrite, strict=False):
                array[...] = new  # a learner who has locked it hears of it here
            with seen, weighed:
                value = self._run(call, given, kept, tape)
        except Slip:
            raise
        except ACCIDENTS as accident:
            if call.quiet and not isinstance(accident, ZeroDivisionError):
                raise slip_of(call, accident) from None
            return Reply(warning=str(accident), place=place_of(accident.__traceback__), changed=changes(call, lent))
        except BaseException as error:  # noqa: BLE001 - whatever ends a learner's function, an interrupt too
            if known := [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in call.errors]:
                return Reply(error=known[0], place=place_of(error.__traceback__), changed=changes(call, lent))
            raise slip_of(call, error) from None
        return Reply(
            plain(value, self._remote),
            changed=changes(call, lent),
            shared=tuple(i for i, item in enumerate(lent) if call.sharing and shares(value, item)),
            gradients=self._pull(call, tape, value, given),
            tapes=seen.count(),
            nodes=seen.most,
            peak=weighed.nbytes,
        )

    def _remote(self, function: Callable[..., Any]) -> Remote:
        self._remotes.append(function)
        return Remote(len(self._remotes) - 1)

    def _function(self, call: Call) -> Callable[..., Any]:
        if isinstance(call.function, Remote):
            return self._remotes[call.function.number]
        return self._functions[call.function]

    def _under_tape(self, call: Call, lent: tuple[object, ...]) -> tuple[tuple[object, ...], Any]:
        """Arguments with those of ``wrt`` as tensors, and the tape that is to watch them."""
        if not call.wrt:
            return lent, None
        from autodiff_kit.core.tape import GradientTape
        from autodiff_kit.core.tensor import constant

        tape = GradientTape()
        given = tuple(constant(value) if i in call.wrt else value for i, value in enumerate(lent))
        return given, tape

    def _run(self, call: Call, given: tuple[object, ...], kept: dict[str, object], tape: Any) -> Any:
        function = self._function(call)
        level: Any = "ignore" if call.quiet else "raise"
        with np.errstate(over=level, invalid=level, divide=level), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not call.quiet:
                warnings.simplefilter("error", RuntimeWarning)
            if tape is None:
                return function(*given, **kept)
            with tape:
                tape.watch([given[i] for i in call.wrt])
                return function(*given, **kept)

    def _pull(self, call: Call, tape: Any, value: Any, given: tuple[object, ...]) -> tuple[object, ...]:
        """Gradients of an answer; an answer that is not a tensor, or not of the seed's shape, has none."""
        if tape is None:
            return ()
        from autodiff_kit.core.tensor import Tensor

        seed = call.seed
        if type(value) is not Tensor or (seed is not None and value.shape != seed.shape):
            return (None,) * len(call.wrt)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = tape.gradient(value, [given[i] for i in call.wrt], output_gradients=seed)
        except Exception as error:  # noqa: BLE001 - whatever the learner's ops raise on the way back
            raise slip_of(call, error) from None
        return tuple(plain(gradient, self._remote) for gradient in found)


def lend(value: Any) -> Any:
    """A copy of a check's value in the form that a learner's function is given."""
    if type(value) in UNCHANGING:
        return value
    if isinstance(value, list | tuple):
        return type(value)([lend(item) for item in value])
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Handle):
        return serve(value)
    if isinstance(value, Namespace):
        return SimpleNamespace(**{name: serve(handle) for name, handle in value.members.items()})
    if isinstance(value, Rng):
        return np.random.default_rng(value.seed)
    if isinstance(value, dict):
        return {key: lend(item) for key, item in value.items()}
    return value


def serve(handle: Handle) -> Callable[..., Any]:
    """The function that a learner's code calls for a handle: plain copies in, copies out."""

    def served(*args: object) -> Any:
        if handle.raw:
            return lend(handle(*args))
        taken = [plain(arg, _no_function) for arg in args]
        for arg in taken:
            if not isinstance(arg, np.ndarray | float | int):
                kind = arg.kind if isinstance(arg, Foreign) else type(arg).__name__
                raise TypeError(f"{handle.name} takes arrays; it was given a value of type {kind}.")
        return lend(handle(*taken))

    served.__name__ = served.__qualname__ = handle.name
    handles[served] = handle
    return served


def _no_function(function: Callable[..., Any]) -> Remote:
    raise TypeError("this function takes arrays; it was given a function.")


def changes(call: Call, lent: tuple[object, ...]) -> tuple[int, ...]:
    """Which arguments are no longer what was handed in."""
    return tuple(i for i, (a, b) in enumerate(zip(call.args, lent, strict=True)) if _holds_data(a) and not _same(a, b))


def _holds_data(value: object) -> bool:
    return isinstance(value, np.ndarray | list | tuple | dict)


def _same(before: object, after: Any) -> bool:
    """As :func:`alike`, on lent values: functions and generators in them are not looked at."""
    if type(before) in UNCHANGING:
        return type(after) is type(before) and bool(before == after or (before != before and after != after))
    if isinstance(before, list | tuple):
        if type(after) is not type(before) or len(after) != len(before):
            return False
        return all(map(_same, before, after))
    if isinstance(before, Handle | Namespace | Rng):
        return True
    if isinstance(before, dict):
        return type(after) is dict and before.keys() == after.keys() and all(_same(before[k], after[k]) for k in before)
    return alike(before, plain(after, lambda _: Remote(-1)))


def shares(answer: object, lent: object) -> bool:
    """Whether any array of an answer overlaps any array of an argument."""
    return any(np.shares_memory(a, b) for a in _arrays(answer) for b in _arrays(lent))


def _arrays(value: Any, depth: int = 0) -> list[np.ndarray]:
    if type(value) is np.ndarray:
        return [value]
    if depth > 4 or type(value) not in (list, tuple, dict):
        return []
    items = value.values() if type(value) is dict else value
    return [array for item in items for array in _arrays(item, depth + 1)]


def slip_of(call: Call, error: BaseException) -> Slip:
    """What a learner is told about an exception of their own."""
    if isinstance(error, KeyboardInterrupt):
        return Slip(f"{call.name} was still running when you stopped it.", place_of(error.__traceback__))
    said = str(error).strip() or "no further words"
    return Slip(f"{call.name} stopped with {type(error).__name__}: {said}", place_of(error.__traceback__))


def place_of(trace: TracebackType | None) -> str:
    """The innermost line that is the learner's: not the kit's, not a library's."""
    place = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(NOT_THEIRS) and "site-packages" not in file:
            source = linecache.getline(file, trace.tb_lineno, trace.tb_frame.f_globals).strip()
            place = f"line {trace.tb_lineno}" + (f": {source}" if source else "")
        trace = trace.tb_next
    return place
