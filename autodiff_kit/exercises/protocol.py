"""Messages between a check and the learner's functions: calls, results, callbacks, and the values that are copied.

A check is a generator. It yields :class:`Call` requests and is sent a :class:`CallResult` for each one. It never
touches the learner's functions, and the learner's functions never see what the check expects. The transport is
separate: :mod:`.in_process` runs the calls in this process, for ``q1.check()``; the grader sends them over a pipe to
a sandbox.

Values are passed as plain copies: numbers, text, arrays, and lists, tuples, sets and dictionaries of them. Functions
are passed by name or number. A function that the check passes as an argument is a :class:`Callback`: it runs, and is
counted, on the check's side. A function that the learner's function returns is a :class:`ReturnedFunction`, which the
check may call in turn. Any other value arrives as an :class:`OpaqueValue`, which holds only the name of its type, so
that no method of a learner's class ever runs on the check's side.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .float_signals import unwatched

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from typing import Any, TypeAlias

    CheckScript: TypeAlias = Generator["Call", "CallResult", Any]

__all__ = [
    "Call",
    "CallResult",
    "Callback",
    "CallbackNamespace",
    "LearnerCodeError",
    "OpaqueValue",
    "PlainCopier",
    "ReturnedFunction",
    "SeededGenerator",
    "bitwise_equal",
    "plain_copy",
    "type_name",
]

# Deep and large enough for every expected answer; a list of lists may stand for many more items than it has.
MAX_DEPTH = 8
MAX_ITEMS = 200_000
NUMPY_SCALAR_TYPES = frozenset(np.sctypeDict.values())


class LearnerCodeError(Exception):
    """The learner's function raised an exception or returned a value of the wrong type, so the answer cannot be
    checked.

    Parameters
    ----------
    text : str
        What happened and what to do, for the learner.
    place : str
        The line of the learner's code, if known.
    """

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(text)
        self.text, self.place = text, place


@dataclass(eq=False)
class Callback:
    """A function that a check passes to the learner's function; its calls are counted on the check's side.

    Attributes
    ----------
    function : callable
        The function that runs when the learner's code calls the callback.
    name : str
        Its name in messages.
    raw : bool
        Pass arguments unchanged (tensors under a tape) instead of as plain copies.
    calls : int
        How often it was called.
    """

    function: Callable[..., object]
    name: str = "function"
    raw: bool = False
    calls: int = 0

    def __call__(self, *args: object) -> object:
        """Count the call and run the function."""
        self.calls += 1
        return self.function(*args)


@dataclass(frozen=True)
class CallbackNamespace:
    """Callbacks as attributes of one object, such as ``kit.vjp`` and ``kit.jvp``."""

    name: str
    members: Mapping[str, Callback]


@dataclass(frozen=True)
class SeededGenerator:
    """A NumPy random generator as an argument of the learner's function; only its seed is passed."""

    seed: int


@dataclass(frozen=True)
class ReturnedFunction:
    """A function that the learner's function returned; the check may call it by its number."""

    number: int
    name: str = "the function that you gave back"


@dataclass(frozen=True)
class OpaqueValue:
    """A value that cannot be copied to the check; only the name of its type is known."""

    kind: str


@dataclass(frozen=True)
class Call:
    """A request to run one of the learner's functions.

    Attributes
    ----------
    function : str or Remote
        The function's name, or one that an earlier call returned.
    args, kwargs
        Its arguments; arrays are copied.
    quiet : bool
        Ignore floating-point warnings; otherwise the first one ends the call.
    wrt : tuple of int
        Positions of the arguments to differentiate: they are passed as tensors under a tape.
    seed : ndarray, optional
        The cotangent of the result, for the gradients of ``wrt``.
    sharing : bool
        Report which arguments the result shares memory with.
    errors : tuple of str
        Names of exceptions that count as an answer; any other exception ends the attempt.
    tapes : bool
        Count the tapes that the function opens, their nodes, and the bytes that they hold afterwards.
    memory : bool
        Measure the peak memory of the function.
    overwrite : tuple of ndarray
        Values written in place into the first arguments of the previous call before this one runs. A function that
        kept an argument instead of a copy then sees the new values.
    without : tuple of str
        The kit's functions that refuse while this one runs: the question's, which ``grade_attempt`` fills in.
    """

    function: str | ReturnedFunction
    args: tuple[object, ...] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    quiet: bool = False
    wrt: tuple[int, ...] = ()
    seed: np.ndarray | None = None
    sharing: bool = False
    errors: tuple[str, ...] = ()
    tapes: bool = False
    memory: bool = False
    overwrite: tuple[np.ndarray, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the function in messages."""
        return self.function if isinstance(self.function, str) else self.function.name


@dataclass(frozen=True)
class CallResult:
    """The return value of a :class:`Call`, and the measurements during it.

    Attributes
    ----------
    value : object
        Plain copy of the return value.
    warning : str
        The floating-point warning that ended the call ("overflow encountered in exp"), or empty.
    place : str
        The learner's line that raised it.
    changed : tuple of int
        Positions of the arguments that were changed in place.
    shared : tuple of int
        Positions of the arguments with which the result shares memory, if the call requested this.
    gradients : tuple
        One entry for each of the call's ``wrt``.
    error : str
        Name of the exception that ended the call, if it is one of the call's ``errors``.
    tapes : tuple of int
        Number of tapes opened, and bytes that they hold after the call, if the call requested this.
    peak : int
        Peak memory of the call in bytes, if requested.
    nodes : int
        Largest number of recorded nodes alive at one time during the call, if it requested its tapes.
    record : int
        The most bytes that one tape held when it closed, if the call requested its tapes.
    """

    value: object = None
    warning: str = ""
    place: str = ""
    changed: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    gradients: tuple[object, ...] = ()
    error: str = ""
    tapes: tuple[int, int] = (0, 0)
    peak: int = 0
    nodes: int = 0
    record: int = 0


def plain_copy(
    value: object, remote: Callable[[Callable[..., object]], ReturnedFunction], *, share_arrays: bool = False
) -> object:
    """Copy a learner's value without running any of its methods.

    Only exact types are copied: a subclass may override any method, so it becomes an :class:`OpaqueValue`. So does what
    is nested too deeply, has too many items, or holds itself. ``remote`` returns the :class:`ReturnedFunction` of a
    function. With ``share_arrays`` arrays are not copied.
    """
    return PlainCopier(remote, share_arrays=share_arrays).copy(value)


class PlainCopier:
    """Copies values as :func:`plain_copy` does, each object once, and counts the items of all copies together."""

    def __init__(
        self, remote: Callable[[Callable[..., object]], ReturnedFunction], *, share_arrays: bool = False
    ) -> None:
        self._remote, self._share_arrays, self._items = remote, share_arrays, 0
        # Of containers and arrays by their ids: the value, which so keeps its id, the copy, and how many items it has.
        self._known: dict[int, tuple[object, object, int]] = {}

    def copy(self, value: Any, depth: int = 0) -> object:
        """A copy of a value that is ``depth`` containers deep in another."""
        value = unwatched(value)
        kind = type(value)
        if value is None or kind in (bool, int, float, str, complex):
            return value
        if kind is np.ndarray:
            return self._once(value, lambda: _numeric_array(value, share=self._share_arrays), repeats=value.size)
        if kind in NUMPY_SCALAR_TYPES:
            return _numeric_array(np.array(value))
        if kind in (list, tuple, set, frozenset, dict):
            return self.container(value, lambda item: self.copy(item, depth + 1), depth)
        tensor = _tensor_values(value)
        if tensor is not None:
            return _numeric_array(tensor)
        if callable(value):
            return self._remote(value)
        return OpaqueValue(type_name(value))

    def container(self, value: Any, copy_item: Callable[[object], object], depth: int) -> object:
        """A copy of a list, tuple, set or dict, whose items are copied by ``copy_item``."""
        if depth >= MAX_DEPTH:
            return OpaqueValue("deeply nested " + type_name(value))
        self._items += len(value)
        if self._items > MAX_ITEMS:
            return OpaqueValue(f"{type_name(value)} in a value of more than {MAX_ITEMS} items")
        return self._once(value, lambda: _copy_container(value, copy_item))

    def _once(self, value: Any, copy: Callable[[], object], repeats: int = 0) -> object:
        """The copy of an object, made when it is first met; later all of its items count again."""
        if id(value) not in self._known:
            before = self._items
            self._known[id(value)] = (value, OpaqueValue(f"{type_name(value)} that holds itself"), 0)
            self._known[id(value)] = (value, copy(), self._items - before + repeats)
            return self._known[id(value)][1]
        _, found, items = self._known[id(value)]
        self._items += items
        over = self._items > MAX_ITEMS and not isinstance(found, OpaqueValue)
        return OpaqueValue(f"{type_name(value)} in a value of more than {MAX_ITEMS} items") if over else found


def type_name(value: object) -> str:
    """Name of a value's type, read without running code of its metaclass."""
    try:
        return str(type.__dict__["__name__"].__get__(type(value)))
    except TypeError:  # pragma: no cover - a type that is not an instance of type cannot be made today
        return "object"


def _numeric_array(value: Any, *, share: bool = False) -> object:
    array = np.asarray(value) if share else np.array(value)
    if array.dtype.kind not in "fiubc":
        return OpaqueValue(f"array of dtype {array.dtype}")
    return array


def _copy_container(value: Any, copy_item: Callable[[object], object]) -> object:
    if type(value) is dict:
        if any(type(key) not in (str, int) for key in value):
            return OpaqueValue("dict with keys that are neither text nor integers")
        return {key: copy_item(item) for key, item in value.items()}
    items = [copy_item(item) for item in value]
    if type(value) in (set, frozenset):
        with contextlib.suppress(TypeError):
            return set(items)
        return OpaqueValue("set of things that are not text or numbers")
    return items if type(value) is list else tuple(items)


def _tensor_values(value: object) -> object:
    """Array of one of the kit's own tensors; None for any other value."""
    from autodiff_kit.core.tensor import Tensor
    from autodiff_kit.core.variable import Variable

    return value.numpy() if type(value) in (Tensor, Variable) else None  # type: ignore[attr-defined]


def bitwise_equal(a: object, b: object) -> bool:
    """Whether two plain values have the same types, shapes and bits."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(bitwise_equal(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(bitwise_equal(p, q) for p, q in zip(a, b, strict=True))
    return a == b or (a != a and b != b)
