"""What crosses between the grader and a box: lines of JSON, and raw bytes of numbers behind them.

Nothing that crosses can be run. A message is one line of JSON, ``{kind, fields, values, arrays}``, followed by
the bytes of the arrays that the line announces; everything has a largest size, and what does not fit the form
is a :class:`WireError`.
"""

from __future__ import annotations

import json
import math
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from autodiff_kit.exercises.protocol import CallbackNamespace, OpaqueValue, ReturnedFunction, SeededGenerator

__all__ = ["Book", "Gone", "Late", "Line", "Message", "Numbers", "WireError", "decode", "encode"]

LONGEST_LINE = 4 << 20
MOST_BYTES = 64 << 20
DEEPEST = 24
# Numbers of a plain kind and in this machine's order of bytes; nothing with objects in it.
DTYPE = re.compile(r"(<[fiu](2|4|8|16)|<c(8|16|32)|\|[iub]1)\Z")


class WireError(Exception):
    """A message that is not in the form."""


class Gone(Exception):  # noqa: N818 - an ending, not an error of ours
    """The other side has gone."""


class Late(Exception):  # noqa: N818
    """The other side did not answer in time."""


@dataclass(frozen=True)
class Numbers:
    """An array that arrives as a tensor."""

    array: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return self.array.nbytes


@dataclass
class Message:
    """One message: its kind, plain fields, and values that are encoded."""

    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)


class Book(Protocol):
    """Gives numbers to the functions of this side, and stands in for those of the other."""

    def number(self, function: object) -> dict[str, Any] | None:
        """How a function is named on the wire; None for what is no function."""

    def far(self, number: int, name: str, raw: bool) -> object:
        """What stands in for a function of the other side."""

    def near(self, number: int) -> object:
        """A function of this side that the other one names."""


class Line:
    """A socket with messages on it.

    Parameters
    ----------
    sock : socket
        Connected to the other side.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock, self._buffer = sock, bytearray()
        self.deadline = math.inf

    def send(self, message: Message, book: Book) -> None:
        """Send one message, waiting until the deadline if the other side does not read."""
        arrays: list[np.ndarray] = []
        values = [encode(value, arrays, book) for value in message.values]
        about = [[array.dtype.str, list(array.shape)] for array in arrays]
        head = {"kind": message.kind, "fields": message.fields, "values": values, "arrays": about}
        line = json.dumps(head, separators=(",", ":")).encode() + b"\n"
        if len(line) > LONGEST_LINE or sum(array.nbytes for array in arrays) > MOST_BYTES:
            raise WireError("a message is too long")
        self._try(lambda: self._sock.sendall(b"".join((line, *(array.tobytes() for array in arrays)))))

    def receive(self, book: Book) -> Message:
        """Wait for the next message."""
        head = _object(self._line())
        try:
            kind, fields, trees, about = (head[name] for name in ("kind", "fields", "values", "arrays"))
            shapes = [_announced(*entry) for entry in about]
            if sum(dtype.itemsize * math.prod(shape) for dtype, shape in shapes) > MOST_BYTES:
                raise WireError("a message is too long")
            arrays = [self._array(dtype, shape) for dtype, shape in shapes]
            return Message(str(kind), dict(fields), [decode(tree, arrays, book) for tree in trees])
        except (KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
            raise WireError(f"a message is not in the form ({type(error).__name__})") from error

    def close(self) -> None:
        """Hang up."""
        self._sock.close()

    def _array(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
        data = self._bytes(dtype.itemsize * math.prod(shape))
        if dtype.kind == "b":
            return np.asarray(np.frombuffer(data, np.uint8).reshape(shape) != 0)
        return np.frombuffer(data, dtype).reshape(shape).copy()

    def _line(self) -> bytes:
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if start > LONGEST_LINE:
                raise WireError("a line is too long")
            self._more()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _bytes(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._more()
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data

    def _more(self) -> None:
        data = self._try(lambda: self._sock.recv(1 << 18))
        if not data:
            raise Gone("the other side has hung up")
        self._buffer += data

    def _try(self, action: Callable[[], Any]) -> Any:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Late("no answer in time")
        self._sock.settimeout(None if left == math.inf else left)
        try:
            return action()
        except TimeoutError as error:
            raise Late("no answer in time") from error
        except OSError as error:
            raise Gone("the other side has hung up") from error


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError("a line is not JSON") from error
    if type(found) is not dict:
        raise WireError("a line is not an object")
    return found


def _announced(dtype: Any, shape: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    if not (type(dtype) is str and DTYPE.match(dtype)):
        raise WireError("an array of another dtype")
    if len(shape) > 32 or not all(type(n) is int and 0 <= n <= MOST_BYTES for n in shape):
        raise WireError("an array of another shape")
    return np.dtype(dtype), tuple(shape)


def encode(value: Any, arrays: list[np.ndarray], book: Book) -> Any:
    """A value as JSON; arrays are put aside, and named by their place.

    Lists stay lists; everything that JSON has no word for is an object with one tag.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray):
        return {"array": _aside(value, arrays)}
    if isinstance(value, Numbers):
        return {"tensor": _aside(value.array, arrays)}
    if isinstance(value, list | tuple | set):
        items = [encode(item, arrays, book) for item in value]
        return items if type(value) is list else {"tuple" if isinstance(value, tuple) else "set": items}
    if isinstance(value, dict):
        return {"dict": [[key, encode(item, arrays, book)] for key, item in value.items()]}
    return _encode_other(value, arrays, book)


def _encode_other(value: Any, arrays: list[np.ndarray], book: Book) -> Any:
    if isinstance(value, SeededGenerator):
        return {"rng": value.seed}
    if isinstance(value, OpaqueValue):
        return {"foreign": value.kind[:200]}
    if isinstance(value, CallbackNamespace):
        return {"namespace": [value.name, {name: encode(item, arrays, book) for name, item in value.members.items()}]}
    if isinstance(value, ReturnedFunction):
        return {"remote": [value.number, value.name[:200]]}
    named = book.number(value)
    if named is None:
        raise WireError(f"a value of type {type(value).__name__} does not cross")
    return named


def _aside(array: np.ndarray, arrays: list[np.ndarray]) -> int:
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    arrays.append(np.ascontiguousarray(array).reshape(array.shape))
    return len(arrays) - 1


def decode(tree: Any, arrays: list[np.ndarray], book: Book, depth: int = 0) -> Any:
    """The reverse of :func:`encode`."""
    if depth > DEEPEST:
        raise WireError("a value is nested too deeply")

    def inner(item: Any) -> Any:
        return decode(item, arrays, book, depth + 1)

    if type(tree) is list:
        return [inner(item) for item in tree]
    if type(tree) is not dict:
        return tree
    ((tag, held),) = tree.items()
    return _DECODE[tag](held, inner, arrays, book)


def _namespace(held: Any, inner: Callable[[Any], Any]) -> CallbackNamespace:
    name, members = held
    return CallbackNamespace(str(name), {str(key): inner(item) for key, item in members.items()})


def _place(held: Any, arrays: list[np.ndarray]) -> np.ndarray:
    if type(held) is not int or held < 0:
        raise WireError("an array of no place")
    return arrays[held]


def _key(key: Any) -> str | int:
    if type(key) not in (str, int):
        raise WireError("a key is neither text nor a whole number")
    return key  # type: ignore[no-any-return]


_DECODE: dict[str, Callable[[Any, Callable[[Any], Any], list[np.ndarray], Book], Any]] = {
    "complex": lambda held, _, arrays, book: complex(*held),
    "array": lambda held, _, arrays, book: _place(held, arrays),
    "tensor": lambda held, _, arrays, book: Numbers(_place(held, arrays)),
    "tuple": lambda held, inner, arrays, book: tuple(inner(item) for item in held),
    "set": lambda held, inner, arrays, book: {inner(item) for item in held},
    "dict": lambda held, inner, arrays, book: {_key(key): inner(item) for key, item in held},
    "rng": lambda held, _, arrays, book: SeededGenerator(int(held)),
    "foreign": lambda held, _, arrays, book: OpaqueValue(str(held)),
    "namespace": lambda held, inner, arrays, book: _namespace(held, inner),
    "remote": lambda held, _, arrays, book: ReturnedFunction(int(held[0]), str(held[1])),
    "mine": lambda held, _, arrays, book: book.far(int(held[0]), str(held[1]), bool(held[2])),
    "yours": lambda held, _, arrays, book: book.near(int(held)),
}
