"""The wire format between the grader and a sandbox: lines of JSON followed by the raw bytes of arrays.

A message contains data only, no code. It is one line of JSON, ``{kind, fields, values, arrays}``, followed by the
bytes of the arrays that the line describes. All sizes are limited, and a message that violates the format raises
:class:`ProtocolError`.
"""

from __future__ import annotations

import functools
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

from .outside_text import clean_text

__all__ = [
    "ConnectionLost",
    "FunctionRegistry",
    "Message",
    "MessageSocket",
    "MessageTooLarge",
    "ProtocolError",
    "ResponseTimeout",
    "TensorValue",
    "decode_value",
    "encode_value",
]

MAX_LINE_BYTES = 4 << 20
# Answers are small; comparing an array needs many times its bytes.
MAX_ARRAY_BYTES = 8 << 20
# Brackets, braces and commas of a line: what they make needs up to a hundred times the bytes of the line.
MAX_LINE_PARTS = 200_000
# Keys and elements of all dictionaries and sets of a message: with equal hashes they take time by the square.
MAX_HASHED = 4000
MAX_DEPTH = 24
MAX_ANSWERS = 4
"""Sets of functions that may count for a question: as they stand at the end, and as checks saw them."""
MAX_NAME = 200
# Numeric dtypes in little-endian byte order; no objects.
DTYPE = re.compile(r"(<[fiu](2|4|8|16)|<c(8|16|32)|\|[iub]1)\Z")


class ProtocolError(Exception):
    """A message that violates the wire format.

    Attributes
    ----------
    proof : str
        The beginning of the line that was received; empty if nothing that was received is to blame.
    """

    def __init__(self, text: str, proof: str = "") -> None:
        super().__init__(text)
        self.proof = proof


class MessageTooLarge(ProtocolError):  # noqa: N818 - of a kind with ConnectionLost and ResponseTimeout
    """A message that keeps to the format and exceeds a limit."""


class ConnectionLost(Exception):  # noqa: N818 - the normal end of a process, not an error
    """The other side has closed the connection."""


class ResponseTimeout(Exception):  # noqa: N818
    """The other side did not respond before the deadline."""


@dataclass(frozen=True)
class TensorValue:
    """An array that the receiver turns into a tensor."""

    array: np.ndarray

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return self.array.nbytes


@dataclass
class Message:
    """One message: its kind, fields of plain JSON, values that are encoded, and the bytes that it took to receive."""

    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)
    size: int = 0

    def violation(self, text: str) -> ProtocolError:
        """The error for a message whose form is right and whose content is not; the message is its proof."""
        return ProtocolError(text, clean_text(f"{self.kind} {json.dumps(self.fields)}", 200))


class FunctionRegistry(Protocol):
    """Numbers the local functions, and makes proxies for the functions of the other side."""

    def encode_function(self, function: object) -> dict[str, Any] | None:
        """The reference to a function in a message; None for an object that is not a function."""

    def remote_function(self, number: int, name: str, raw: bool) -> object:
        """A proxy for a function of the other side."""

    def local_function(self, number: int) -> object:
        """The local function with a number."""


class MessageSocket:
    """A socket that sends and receives messages.

    Parameters
    ----------
    sock : socket
        Connected to the other side.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock, self._buffer = sock, bytearray()
        self.deadline = math.inf

    def send(self, message: Message, registry: FunctionRegistry) -> None:
        """Send one message, waiting until the deadline if the other side does not read."""
        arrays: list[np.ndarray] = []
        values = [encode_value(value, arrays, registry) for value in message.values]
        about = [[array.dtype.str, list(array.shape)] for array in arrays]
        head = {"kind": message.kind, "fields": message.fields, "values": values, "arrays": about}
        line = json.dumps(head, separators=(",", ":")).encode() + b"\n"
        if len(line) > MAX_LINE_BYTES or sum(array.nbytes for array in arrays) > MAX_ARRAY_BYTES:
            raise MessageTooLarge("a message is too long")
        # Arrays go out as they lie in memory: a copy would count as memory of the function whose answer is sent.
        parts: list[Any] = [line, *(array.reshape(-1).view(np.uint8) for array in arrays if array.nbytes)]
        for part in parts:
            self._with_deadline(functools.partial(self._sock.sendall, part))

    def receive(self, registry: FunctionRegistry) -> Message:
        """Wait for the next message."""
        line = self._read_line()
        try:
            return self._parse_message(line, registry)
        except MessageTooLarge:
            raise
        except ProtocolError as error:
            raise ProtocolError(str(error), _beginning(line)) from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise ProtocolError(f"a message violates the format ({type(error).__name__})", _beginning(line)) from error

    def _parse_message(self, line: bytes, registry: FunctionRegistry) -> Message:
        head = _parse_object(line)
        kind, fields, trees, about = (head[name] for name in ("kind", "fields", "values", "arrays"))
        shapes = [_checked_header(*entry) for entry in about]
        if sum(dtype.itemsize * math.prod(shape) for dtype, shape in shapes) > MAX_ARRAY_BYTES:
            raise MessageTooLarge("a message is too long")
        arrays = _Arrays([self._read_array(dtype, shape) for dtype, shape in shapes])
        if type(kind) is not str or type(fields) is not dict:
            raise ProtocolError("a message has no kind or no fields")
        values = [decode_value(tree, arrays, registry) for tree in trees]
        return Message(kind, fields, values, len(line) + arrays.named_bytes)

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()

    def _read_array(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
        array = np.empty(shape, dtype)
        data = array.reshape(-1).view(np.uint8)
        self._read_into(data)
        return np.asarray((data != 0).reshape(shape)) if dtype.kind == "b" else array

    def _read_line(self) -> bytes:
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if start > MAX_LINE_BYTES:
                raise MessageTooLarge("a line is too long")
            self._read_more()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _read_into(self, data: np.ndarray) -> None:
        """Fill an array of bytes, without a copy of what is still to be received."""
        done = min(len(self._buffer), len(data))
        data[:done] = np.frombuffer(self._buffer[:done], np.uint8)
        del self._buffer[:done]
        while done < len(data):
            count = self._with_deadline(functools.partial(self._sock.recv_into, data[done:].data))
            if not count:
                raise ConnectionLost("the other side has closed the connection")
            done += count

    def _read_more(self) -> None:
        data = self._with_deadline(lambda: self._sock.recv(1 << 18))
        if not data:
            raise ConnectionLost("the other side has closed the connection")
        self._buffer += data

    def _with_deadline(self, action: Callable[[], Any]) -> Any:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise ResponseTimeout("no response in time")
        self._sock.settimeout(None if left == math.inf else left)
        try:
            return action()
        except TimeoutError as error:
            raise ResponseTimeout("no response in time") from error
        except OSError as error:
            raise ConnectionLost("the other side has closed the connection") from error


def _beginning(line: bytes) -> str:
    return clean_text(line[:300].decode("utf-8", "replace"), 200)


def _parse_object(line: bytes) -> dict[str, Any]:
    if sum(map(line.count, (b",", b"[", b"{"))) > MAX_LINE_PARTS:
        raise MessageTooLarge("a message has too many parts")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a line is not JSON") from error
    if type(found) is not dict:
        raise ProtocolError("a line is not an object")
    return found


def _checked_header(dtype: Any, shape: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    if not (type(dtype) is str and DTYPE.match(dtype)):
        raise ProtocolError("an array has a dtype that is not allowed")
    if len(shape) > 32 or not all(type(n) is int and 0 <= n <= MAX_ARRAY_BYTES for n in shape):
        raise ProtocolError("an array has a shape that is not allowed")
    return np.dtype(dtype), tuple(shape)


def encode_value(value: Any, arrays: list[np.ndarray], registry: FunctionRegistry) -> Any:
    """Encode a value as JSON; arrays are appended to ``arrays`` and replaced by their index.

    Lists stay lists; a type that JSON does not have becomes an object with one key, its tag.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.ndarray):
        return {"array": _append_array(value, arrays)}
    if isinstance(value, np.number | np.bool_):
        return {"scalar": _append_array(np.asarray(value), arrays)}
    if isinstance(value, TensorValue):
        return {"tensor": _append_array(value.array, arrays)}
    if isinstance(value, list | tuple | set):
        items = [encode_value(item, arrays, registry) for item in value]
        return items if type(value) is list else {"tuple" if isinstance(value, tuple) else "set": items}
    if isinstance(value, dict):
        return {"dict": [[key, encode_value(item, arrays, registry)] for key, item in value.items()]}
    return _encode_other(value, arrays, registry)


def _encode_other(value: Any, arrays: list[np.ndarray], registry: FunctionRegistry) -> Any:
    if isinstance(value, np.str_):
        return str(value)
    if isinstance(value, SeededGenerator):
        return {"rng": value.seed}
    if isinstance(value, OpaqueValue):
        return {"foreign": value.kind[:200]}
    if isinstance(value, CallbackNamespace):
        return {
            "namespace": [
                value.name,
                {name: encode_value(item, arrays, registry) for name, item in value.members.items()},
            ]
        }
    if isinstance(value, ReturnedFunction):
        return {"remote": [value.number, value.name[:200]]}
    named = registry.encode_function(value)
    if named is None:
        raise ProtocolError(f"a value of type {type(value).__name__} cannot be sent")
    return named


def _append_array(array: np.ndarray, arrays: list[np.ndarray]) -> int:
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    arrays.append(np.ascontiguousarray(array).reshape(array.shape))
    return len(arrays) - 1


class _Arrays:
    """The arrays of a message while its values are decoded, and how much of the limits the values have used.

    An array counts each time that a value names it: a check may make as many copies of it.
    """

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self._arrays = arrays
        self.named_bytes = self._hashed = 0

    def at(self, place: Any) -> np.ndarray:
        if type(place) is not int or place < 0:
            raise ProtocolError("an array index is not valid")
        found = self._arrays[place]
        self.named_bytes += found.nbytes
        if self.named_bytes > MAX_ARRAY_BYTES:
            raise MessageTooLarge("its values name arrays of too many bytes")
        return found

    def hashed(self, items: Any) -> Any:
        """Keys, or elements of a set, after they were counted."""
        self._hashed += len(items)
        if self._hashed > MAX_HASHED:
            raise MessageTooLarge("its sets and dictionaries have too many elements")
        return items


def decode_value(tree: Any, arrays: _Arrays, registry: FunctionRegistry, depth: int = 0) -> Any:
    """The reverse of :func:`encode_value`."""
    if depth > MAX_DEPTH:
        raise ProtocolError("a value is nested too deeply")

    def inner(item: Any) -> Any:
        return decode_value(item, arrays, registry, depth + 1)

    if type(tree) is list:
        return [inner(item) for item in tree]
    if type(tree) is not dict:
        return tree
    ((tag, held),) = tree.items()
    return _DECODERS[tag](held, inner, arrays, registry)


def _decode_namespace(held: Any, inner: Callable[[Any], Any]) -> CallbackNamespace:
    name, members = held
    return CallbackNamespace(clean_text(name, MAX_NAME), {str(key): inner(item) for key, item in members.items()})


def _checked_key(key: Any) -> str | int:
    if type(key) not in (str, int):
        raise ProtocolError("a key is neither a string nor an integer")
    return key  # type: ignore[no-any-return]


_DECODERS: dict[str, Callable[[Any, Callable[[Any], Any], _Arrays, FunctionRegistry], Any]] = {
    "complex": lambda held, _, arrays, registry: complex(*held),
    "array": lambda held, _, arrays, registry: arrays.at(held),
    "scalar": lambda held, _, arrays, registry: arrays.at(held).reshape(())[()],
    "tensor": lambda held, _, arrays, registry: TensorValue(arrays.at(held)),
    "tuple": lambda held, inner, arrays, registry: tuple(inner(item) for item in held),
    "set": lambda held, inner, arrays, registry: {inner(item) for item in arrays.hashed(held)},
    "dict": lambda held, inner, arrays, registry: {_checked_key(key): inner(item) for key, item in arrays.hashed(held)},
    "rng": lambda held, _, arrays, registry: SeededGenerator(int(held)),
    "foreign": lambda held, _, arrays, registry: OpaqueValue(clean_text(held, MAX_NAME)),
    "namespace": lambda held, inner, arrays, registry: _decode_namespace(held, inner),
    "remote": lambda held, _, arrays, registry: ReturnedFunction(int(held[0]), clean_text(held[1], MAX_NAME)),
    "mine": lambda held, _, arrays, registry: registry.remote_function(
        int(held[0]), clean_text(held[1], MAX_NAME), bool(held[2])
    ),
    "yours": lambda held, _, arrays, registry: registry.local_function(int(held)),
}
