"""What a check and a learner's functions say to each other.

A check is a generator. It yields :class:`Call` requests and is sent a :class:`Reply` for each; it never
touches the learner's functions, and the learner's functions never see what the check expects. Who carries
the messages is somebody else's business: :mod:`.driver` does it within one process, for ``q1.check()``; a
grader can do it over a pipe, with the learner's half in a box.

What crosses is plain: numbers, text, arrays, and lists, tuples, sets and dictionaries of them. Functions
cross by name or number. A function that the check hands in is a :class:`Handle`: it is served, and counted,
on the check's side. A function that the learner hands back is a :class:`Remote`, which the check may call in
turn. Anything else arrives as a :class:`Foreign` that holds nothing but the name of its type, so that no
method of a learner's class ever runs on the check's side.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from typing import Any, TypeAlias

    Script: TypeAlias = Generator["Call", "Reply", Any]

__all__ = ["Call", "Foreign", "Handle", "Namespace", "Remote", "Reply", "Rng", "Slip", "alike", "plain"]

# Deep enough for any answer that is asked for, shallow enough that a list holding itself ends.
DEEPEST = 8
SCALARS = frozenset(np.sctypeDict.values())


class Slip(Exception):  # noqa: N818 - it is told to the learner as a slip, not as an error of the kit
    """The learner's function could not be judged: it raised, or gave back something of the wrong kind.

    Parameters
    ----------
    text : str
        What happened and what to do, for the learner.
    place : str
        The line of the learner's code, or nothing.
    """

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(text)
        self.text, self.place = text, place


@dataclass(eq=False)
class Handle:
    """A function that the check hands in, and counts.

    ``raw`` handles take and give what comes (tensors under a tape); the others are given plain copies.
    """

    function: Callable[..., object]
    name: str = "function"
    raw: bool = False
    calls: int = 0

    def __call__(self, *args: object) -> object:
        """Count, and call."""
        self.calls += 1
        return self.function(*args)


@dataclass(frozen=True)
class Namespace:
    """Handles under one name, such as ``kit.vjp`` and ``kit.jvp``."""

    name: str
    members: Mapping[str, Handle]


@dataclass(frozen=True)
class Rng:
    """A generator of random numbers for the learner's function; only its seed crosses."""

    seed: int


@dataclass(frozen=True)
class Remote:
    """A function that the learner's function gave back."""

    number: int
    name: str = "the function that you gave back"


@dataclass(frozen=True)
class Foreign:
    """Something that does not cross; its type's name is all that is known."""

    kind: str


@dataclass(frozen=True)
class Call:
    """A request to run one of the learner's functions.

    Attributes
    ----------
    function : str or Remote
        The function's name, or one that an earlier reply gave back.
    args, kwargs
        What it is given; arrays are copied on the way.
    quiet : bool
        Whether floating-point warnings are allowed here; otherwise the first one ends the call.
    wrt : tuple of int
        Arguments whose gradient is wanted: they are handed in as tensors under a tape.
    seed : ndarray, optional
        The cotangent that is pulled back to them.
    sharing : bool
        Whether to measure, where the function runs, which arguments the answer shares memory with.
    errors : tuple of str
        Exceptions, by name, that are an answer here; any other ends the attempt.
    tapes : bool
        Whether to measure, where the function runs, which tapes it opens and what they hold afterwards.
    memory : bool
        Whether to measure, where the function runs, how many bytes it needs at its peak.
    overwrite : tuple of ndarray
        What is written into the first arguments of the call before, in place, before this one runs: whoever kept an
        argument, and no copy of it, then holds something else.
    """

    function: str | Remote
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

    @property
    def name(self) -> str:
        """What the function is called in a message."""
        return self.function if isinstance(self.function, str) else self.function.name


@dataclass(frozen=True)
class Reply:
    """What came back from a :class:`Call`.

    Attributes
    ----------
    value : object
        The answer, made plain.
    warning : str
        The floating-point warning that ended the call ("overflow encountered in exp"), or nothing.
    place : str
        The learner's line that raised it.
    changed : tuple of int
        Arguments that are not what they were before the call.
    shared : tuple of int
        Arguments that the answer shares memory with, if the call asked.
    gradients : tuple
        One entry for each of the call's ``wrt``.
    error : str
        The exception that ended the call, if it is one of the call's ``errors``.
    tapes : tuple of int
        How many tapes were opened, and how many bytes they hold after the call, if the call asked.
    peak : int
        The most bytes that the call needed at once, if it asked.
    nodes : int
        The most nodes of records that lived at once during the call, if it asked for its tapes.
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


def plain(value: object, remote: Callable[[Callable[..., object]], Remote], depth: int = 0) -> object:
    """Make a plain copy of a learner's value without running any of its methods.

    Only exact types are looked into: a subclass may answer anything to anything, so it arrives as
    :class:`Foreign`.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str, complex):
        return value
    if kind is np.ndarray:
        return _array(value)
    if kind in SCALARS:
        return _array(np.array(value))
    if kind in (list, tuple, set, frozenset, dict):
        return _container(value, remote, depth)
    tensor = _tensor(value)
    if tensor is not None:
        return _array(tensor)
    if callable(value):
        return remote(value)
    return Foreign(type_name(value))


def type_name(value: object) -> str:
    """Name of a value's type, from the type itself rather than from what its metaclass says."""
    try:
        return str(type.__dict__["__name__"].__get__(type(value)))
    except TypeError:  # pragma: no cover - a type that is not an instance of type cannot be made today
        return "object"


def _array(value: Any) -> object:
    array = np.array(value)
    if array.dtype.kind not in "fiubc":
        return Foreign(f"array of dtype {array.dtype}")
    return array


def _container(value: Any, remote: Callable[[Callable[..., object]], Remote], depth: int) -> object:
    if depth >= DEEPEST:
        return Foreign("deeply nested " + type_name(value))
    if type(value) is dict:
        if any(type(key) not in (str, int) for key in value):
            return Foreign("dict with keys that are neither text nor whole numbers")
        return {key: plain(item, remote, depth + 1) for key, item in value.items()}
    items = [plain(item, remote, depth + 1) for item in value]
    if type(value) in (set, frozenset):
        with contextlib.suppress(TypeError):
            return set(items)
        return Foreign("set of things that are not text or numbers")
    return items if type(value) is list else tuple(items)


def _tensor(value: object) -> object:
    """Array of one of the kit's own tensors, else None."""
    from autodiff_kit.core.tensor import Tensor, Variable

    return value.numpy() if type(value) in (Tensor, Variable) else None  # type: ignore[attr-defined]


def alike(a: object, b: object) -> bool:
    """Whether two plain values are the same bit for bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(alike(p, q) for p, q in zip(a, b, strict=True))
    return a == b or (a != a and b != b)
