"""Run a check's calls of the learner's functions in this process, for ``q1.check()``.

This is fast and not secure: a function that never returns cannot be stopped from here, and code can cheat. The grader
uses the same :mod:`.protocol` with a sandbox.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from autodiff_kit.lessons.translation import translate
from autodiff_kit.platform import HAS_FLOATING_POINT_SIGNALS, HAS_TIMER_SIGNALS

from .float_signals import unwatched, watched, watching_numpy
from .memory_meter import PeakMemoryMeter
from .protocol import (
    Call,
    Callback,
    CallbackNamespace,
    CallResult,
    LearnerCodeError,
    OpaqueValue,
    ReturnedFunction,
    SeededGenerator,
    bitwise_equal,
    plain_copy,
    type_name,
)
from .tape_meter import TapeMeter
from .withheld import WithheldFunctions, functions_given_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType, TracebackType

    from .protocol import CheckScript

__all__ = ["InProcessRunner", "callback_of_function", "run_script", "run_script_with"]

# Files in these folders do not belong to the learner: the kit, and the Python installation.
NOT_LEARNER_CODE = tuple(
    str(Path(place)) + os.sep
    for place in (Path(__file__).parents[1], Path(os.__file__).parent, sys.prefix, sys.base_prefix + "/lib")
    if Path(place) != Path("/")  # the prefix of a Python that has a file system of its own
)
# Immutable values need no copy and are compared directly (the arguments of some questions hold many).
IMMUTABLE_TYPES = frozenset((type(None), bool, int, float, complex, str))
# A floating-point error does not end the attempt: the check handles it, and may have a misconception for it.
FLOATING_POINT_ERRORS = (FloatingPointError, RuntimeWarning, ZeroDivisionError)
# The callback of each function that was passed to a learner; the grader's sandbox sends its number over the pipe.
callback_of_function: WeakKeyDictionary[Callable[..., Any], Callback] = WeakKeyDictionary()


MAX_ERROR_LENGTH = 2000
"""How many characters of an exception's own text a message shows."""
SECONDS_FOR_A_CALL = 20
"""How long a function may run for one call; the longest worked answer takes two."""


class TimeLimitReached(KeyboardInterrupt):
    """Raised in a learner's function that has run for too long, so that ``except Exception`` does not catch it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`TimeLimitReached` in a block that takes longer.

    A timer does so; on a platform without timers it is a look at the clock at each line of the learner's code.

    There is no limit where somebody else uses the timer or traces the code, and none outside of the main thread. A tape
    that was being opened when the time was up is closed: its block has not begun, so nothing else would close it.
    """
    from autodiff_kit.core.record import open_records

    opened = len(open_records.records)
    here = threading.current_thread() is threading.main_thread()
    in_use = signal.getitimer(signal.ITIMER_REAL)[0] if HAS_TIMER_SIGNALS else sys.gettrace()
    limited = _timer if HAS_TIMER_SIGNALS else _clock_at_each_line
    try:
        with limited(seconds) if here and not in_use else nullcontext():
            yield
    except TimeLimitReached:
        for record in open_records.records[opened:]:
            record.close()
        del open_records.records[opened:]
        raise


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again each second: the code may catch it once
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _clock_at_each_line(seconds: float) -> Iterator[None]:
    until = time.monotonic() + seconds

    def look(frame: FrameType, _event: str, _arg: object) -> Any:
        if time.monotonic() > until:
            raise TimeLimitReached
        return look if is_learner_file(frame.f_code.co_filename) else None

    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(None)


def is_learner_file(name: str) -> bool:
    """Whether code of a file is the learner's."""
    return not name.startswith(NOT_LEARNER_CODE) and "site-packages" not in name


def run_script(script: CheckScript, answer: Callable[[Call], CallResult]) -> Any:
    """Run a check's generator to its end.

    Parameters
    ----------
    script : generator
        Yields calls and is sent their results.
    answer : callable
        Runs one call and gives its result; an exception that it raises ends the check.

    Returns
    -------
    object
        Return value of the generator.
    """
    try:
        call = next(script)
        while True:
            call = script.send(answer(call))
    except StopIteration as stop:
        return stop.value
    finally:
        script.close()


def run_script_with(script: CheckScript, **functions: Callable[..., Any]) -> Any:
    """Run a check's generator with right functions, or those of a misconception, instead of the learner's."""

    def answer(call: Call) -> CallResult:
        return CallResult(plain_copy(functions[call.name](*call.args, **call.kwargs), lambda _: ReturnedFunction(-1)))

    return run_script(script, answer)


class InProcessRunner:
    """Runs calls of the learner's functions in this process.

    Parameters
    ----------
    functions : mapping
        The learner's functions by name.
    seconds : float, optional
        How long one call may take; by default ``SECONDS_FOR_A_CALL``.
    lean : bool, optional
        Where memory is measured, pass the arguments themselves and give the result itself, without copies of arrays:
        for calls that came over a connection, and whose results are sent at once.
    """

    def __init__(
        self, functions: Mapping[str, Callable[..., Any]], seconds: float | None = None, *, lean: bool = False
    ) -> None:
        self._functions, self._seconds, self._lean = functions, seconds, lean
        self._returned_functions: list[Callable[..., Any]] = []
        self._last_arguments: tuple[Any, ...] = ()

    def __call__(self, call: Call) -> CallResult:
        """Run one call on copies of its arguments, catch its errors, and measure what the call requests."""
        lean = self._lean and call.memory
        copies = tuple(copy_argument(value, share_arrays=lean) for value in call.args)
        before, self._last_arguments = self._last_arguments, copies
        changed = _change_detector(call, copies, lean=lean)
        keywords = {key: copy_argument(value) for key, value in call.kwargs.items()}
        given, tape = self._watch_arguments(call, copies)
        tape_meter, memory_meter = TapeMeter(call.tapes), PeakMemoryMeter(call.memory)
        try:
            for array, new in zip(before, call.overwrite, strict=False):
                array[...] = new  # a read-only array raises here
            with tape_meter, memory_meter, time_limit(self._seconds or SECONDS_FOR_A_CALL):
                value = self._run(call, given, keywords, tape)
        except LearnerCodeError as error:
            error.place = error.place or learner_line(error.__traceback__)
            raise
        except FLOATING_POINT_ERRORS as error:
            if call.quiet and not isinstance(error, ZeroDivisionError):
                raise learner_error(call, error) from None
            return CallResult(warning=error_text(error), place=learner_line(error.__traceback__), changed=changed())
        except BaseException as error:  # noqa: BLE001 - KeyboardInterrupt included
            if known := [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in call.errors]:
                return CallResult(error=known[0], place=learner_line(error.__traceback__), changed=changed())
            raise learner_error(call, error) from None
        return CallResult(
            plain_copy(value, self._register, share_arrays=lean),
            changed=changed(),
            shared=tuple(i for i, item in enumerate(copies) if call.sharing and shares_memory(value, item)),
            gradients=self._gradients(call, tape, value, given),
            tapes=tape_meter.count(),
            nodes=tape_meter.max_live_nodes,
            record=tape_meter.max_tape_bytes,
            peak=memory_meter.nbytes,
        )

    def _register(self, function: Callable[..., Any]) -> ReturnedFunction:
        self._returned_functions.append(function)
        return ReturnedFunction(len(self._returned_functions) - 1)

    def _function(self, call: Call) -> Callable[..., Any]:
        if isinstance(call.function, ReturnedFunction):
            return self._returned_functions[call.function.number]
        return self._functions[call.function]

    def _watch_arguments(self, call: Call, copies: tuple[object, ...]) -> tuple[tuple[object, ...], Any]:
        """Arguments with those of ``wrt`` as tensors, and the tape that will watch them."""
        if not call.wrt:
            return copies, None
        from autodiff_kit.core.constant import constant
        from autodiff_kit.core.tape import GradientTape

        tape = GradientTape()
        given = tuple(constant(value) if i in call.wrt else value for i, value in enumerate(copies))
        return given, tape

    def _run(self, call: Call, given: tuple[object, ...], keywords: dict[str, object], tape: Any) -> Any:
        function = self._function(call)
        level: Any = "ignore" if call.quiet else "raise"
        names = {} if HAS_FLOATING_POINT_SIGNALS else getattr(function, "__globals__", {})
        with (
            # A number too small for its dtype is 0, as by default, also where a cell has said np.seterr(all="raise").
            np.errstate(over=level, invalid=level, divide=level, under="ignore"),
            warnings.catch_warnings(),
            watching_numpy(names),
        ):
            warnings.simplefilter("ignore")
            if not call.quiet:
                warnings.simplefilter("error", RuntimeWarning)
            with nullcontext() if tape is None else tape:
                if tape is not None:
                    tape.watch([given[i] for i in call.wrt])
                with WithheldFunctions(call.without):
                    return function(*given, **keywords)

    def _gradients(self, call: Call, tape: Any, value: Any, given: tuple[object, ...]) -> tuple[object, ...]:
        """Gradients of a result; None for a result that is not a tensor or has another shape than the seed."""
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
        except Exception as error:  # noqa: BLE001 - anything that the learner's operations raise in the backward pass
            raise learner_error(call, error) from None
        return tuple(plain_copy(gradient, self._register) for gradient in found)


def copy_argument(value: Any, *, share_arrays: bool = False) -> Any:
    """Copy an argument of a call into the form that the learner's function receives; arrays only where not shared."""
    if type(value) in IMMUTABLE_TYPES:
        return value
    if isinstance(value, list | tuple):
        return type(value)([copy_argument(item, share_arrays=share_arrays) for item in value])
    if isinstance(value, np.ndarray):
        if share_arrays:
            return value
        return value.copy() if HAS_FLOATING_POINT_SIGNALS else watched(value.copy())
    if isinstance(value, Callback):
        return callback_function(value)
    if isinstance(value, CallbackNamespace):
        return SimpleNamespace(**{name: callback_function(callback) for name, callback in value.members.items()})
    if isinstance(value, SeededGenerator):
        return np.random.default_rng(value.seed)
    if isinstance(value, dict):
        return {key: copy_argument(item, share_arrays=share_arrays) for key, item in value.items()}
    return value


def callback_function(callback: Callback) -> Callable[..., Any]:
    """The function that the learner's code calls for a callback; arguments and results are copied."""

    def served(*args: object) -> Any:
        if callback.raw:
            with functions_given_back():
                return copy_argument(callback(*args))
        taken = [plain_copy(arg, _no_function) for arg in args]
        for arg in taken:
            if not isinstance(arg, np.ndarray | float | int):
                kind = arg.kind if isinstance(arg, OpaqueValue) else type(arg).__name__
                raise TypeError(f"{callback.name} takes arrays; it was given a value of type {kind}.")
        with functions_given_back():
            return copy_argument(callback(*taken))

    served.__name__ = served.__qualname__ = callback.name
    callback_of_function[served] = callback
    return served


def _no_function(function: Callable[..., Any]) -> ReturnedFunction:
    raise TypeError("this function takes arrays; it was given a function.")


def _change_detector(call: Call, copies: tuple[object, ...], *, lean: bool) -> Callable[[], tuple[int, ...]]:
    """A function that gives the positions of the arguments that were changed since now."""
    if not lean:
        return lambda: changed_arguments(call, copies)
    marks = [_fingerprint(value) for value in copies]
    return lambda: tuple(i for i, value in enumerate(copies) if _fingerprint(value) != marks[i])


def _fingerprint(value: Any) -> object:
    """What tells a changed argument where there is no copy of it to compare with."""
    if isinstance(value, np.ndarray):
        held = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
        return value.dtype.str, value.shape, hashlib.sha256(held.data).digest()
    if isinstance(value, list | tuple):
        return type(value), tuple(map(_fingerprint, value))
    if isinstance(value, dict):
        return dict, tuple((key, _fingerprint(item)) for key, item in value.items())
    return repr(value) if type(value) in IMMUTABLE_TYPES else None


def changed_arguments(call: Call, copies: tuple[object, ...]) -> tuple[int, ...]:
    """Positions of the arguments that the call changed in place."""
    return tuple(
        i for i, (a, b) in enumerate(zip(call.args, copies, strict=True)) if _is_mutable(a) and not _same_content(a, b)
    )


def _is_mutable(value: object) -> bool:
    return isinstance(value, np.ndarray | list | tuple | dict)


def _same_content(before: object, after: Any) -> bool:
    """As :func:`bitwise_equal`, for copied arguments; functions and random generators in them are not compared."""
    if type(before) in IMMUTABLE_TYPES:
        return type(after) is type(before) and bool(before == after or (before != before and after != after))
    if isinstance(before, list | tuple):
        if type(after) is not type(before) or len(after) != len(before):
            return False
        return all(map(_same_content, before, after))
    if isinstance(before, Callback | CallbackNamespace | SeededGenerator):
        return True
    if isinstance(before, dict):
        return (
            type(after) is dict
            and before.keys() == after.keys()
            and all(_same_content(before[k], after[k]) for k in before)
        )
    return bitwise_equal(*(plain_copy(value, lambda _: ReturnedFunction(-1)) for value in (before, after)))


def shares_memory(answer: object, copies: object) -> bool:
    """Whether any array of a result shares memory with any array of an argument."""
    return any(np.shares_memory(a, b) for a in _arrays(answer) for b in _arrays(copies))


def _arrays(value: Any, depth: int = 0) -> list[np.ndarray]:
    if type(value := unwatched(value)) is np.ndarray:
        return [value]
    if depth > 4 or type(value) not in (list, tuple, dict):
        return []
    items = value.values() if type(value) is dict else value
    return [array for item in items for array in _arrays(item, depth + 1)]


def error_text(error: BaseException) -> str:
    """What an error says, as text that can be shown and stored; its ``__str__`` may be the learner's, and raise."""
    try:
        said = str(error)[:MAX_ERROR_LENGTH].encode("utf-8", "replace").decode().strip()
    except BaseException:  # noqa: BLE001 - as for the error itself
        said = ""
    return said or translate("no further words")


def learner_error(call: Call, error: BaseException) -> LearnerCodeError:
    """The message to the learner about an exception in their code."""
    if isinstance(error, KeyboardInterrupt):
        text = (
            translate("{name} had not returned after {seconds} seconds, so it was stopped. Does each of its loops end?")
            if isinstance(error, TimeLimitReached)
            else translate("{name} was still running when you stopped it.")
        )
        return LearnerCodeError(
            text.format(name=call.name, seconds=SECONDS_FOR_A_CALL), learner_line(error.__traceback__)
        )
    text = translate("{name} stopped with {error}: {said}")
    return LearnerCodeError(
        text.format(name=call.name, error=type_name(error), said=error_text(error)),
        learner_line(error.__traceback__),
    )


def learner_line(trace: TracebackType | None) -> str:
    """The innermost line of a traceback that is in the learner's code, as text."""
    place = ""
    while trace is not None:
        if is_learner_file(file := trace.tb_frame.f_code.co_filename):
            source = linecache.getline(file, trace.tb_lineno, trace.tb_frame.f_globals).strip()
            line = translate("line {number}").format(number=trace.tb_lineno)
            place = f"{line}: {source}" if source else line
        trace = trace.tb_next
    return place
