"""Remote procedure calls between the grader and a sandbox; each side can call functions of the other, also nested.

A message refers to a function by a number. A remote function of tensors can be differentiated: its result comes with
a token, and the gradient of the result calls the pullback (VJP) that belongs to the token.

Several threads of a learner's may call remote functions at once. Each request has a number, which its answer repeats;
one of the waiting threads reads, and hands on what is not its own.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff_kit import errors
from autodiff_kit.exercises.in_process import callback_of_function
from autodiff_kit.exercises.protocol import Callback, CallbackNamespace, PlainCopier, SeededGenerator, type_name

from .outside_text import clean_text
from .protocol import (
    ConnectionLost,
    Message,
    MessageSocket,
    MessageTooLarge,
    ProtocolError,
    ResponseTimeout,
    TensorValue,
)

__all__ = ["RemoteFunction", "RpcConnection", "error_text"]

MAX_DEPTH = 40
MAX_FUNCTIONS = 100_000
ANSWERS = ("answer", "raise")
MAX_WAITING = 8
"""Messages that may wait until the thread that they are for looks for them; the grader's only thread leaves none."""
# Limit for the arrays of all requests during one question, because pullbacks keep their arrays alive.
MAX_REQUEST_BYTES = 8 << 20


class RemoteFunction:
    """A proxy for a function of the other side.

    Parameters
    ----------
    connection : RpcConnection
        The connection to the other side.
    number : int
        Its number on the other side.
    name : str
        Its name in error messages.
    raw : bool
        Whether it takes and returns tensors and functions, rather than plain arrays.
    """

    def __init__(self, connection: RpcConnection, number: int, name: str, raw: bool) -> None:
        self.connection, self.number, self.__name__, self.raw = connection, number, name, raw

    def __call__(self, *args: Any) -> Any:
        """Call the remote function; a tape that watches the arguments records a result that is a tensor."""
        if not self.raw or any(callable(arg) for arg in args) or not any(map(_is_tensor, args)):
            return self.connection.request("call", self.number, [to_wire(arg) for arg in args]).values[0]
        answer = self.connection.request("watch", self.number, [to_wire(arg) for arg in args])
        value, token = answer.values[0], answer.fields["token"]
        return value if token is None else self._with_gradient(value, token, args)

    def _with_gradient(self, value: Any, token: int, args: tuple[Any, ...]) -> Any:
        from autodiff_kit.ops.custom_gradient import custom_gradient

        def pull(g: Any) -> Any:
            found = self.connection.request("pull", token, [to_wire(g)]).values
            return found[0] if len(args) == 1 else tuple(found)

        return custom_gradient(lambda *_: (value, pull))(*args)


class RpcConnection:
    """One end of a connection: sends requests, and meanwhile answers those of the other end.

    Parameters
    ----------
    channel : MessageSocket
        Connected to the other side.
    caught : type
        Errors of a function that are sent to its caller. In a sandbox all of them: a learner's function may raise what
        it likes, and its caller waits for an answer.
    """

    def __init__(self, channel: MessageSocket, caught: type[BaseException] = Exception) -> None:
        self.channel, self._caught = channel, caught
        self._functions: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._pullbacks: list[tuple[Any, int]] = []
        self._request_bytes = 0
        self._nesting = threading.local()
        self._sending = threading.RLock()
        self._mail = threading.Condition()  # guards what follows
        self._is_being_read = False
        self._last_request = 0
        self._open_requests: set[int] = set()
        self._waiting: list[Message] = []

    def discard_pullbacks(self) -> None:
        """Discard the pullbacks of the previous question; requests for them fail from now on."""
        self._request_bytes = 0
        self._pullbacks = [(None, 0)] * len(self._pullbacks)

    def encode_function(self, function: Any) -> dict[str, Any] | None:
        """The reference to a local or remote function in a message; None for an object that is not a function."""
        remote = _remote_function_of(function)
        if remote is not None and remote.connection is self:
            return {"yours": remote.number}
        if not callable(function):
            return None
        place = self._numbers.get(id(function))
        if place is None:
            if len(self._functions) >= MAX_FUNCTIONS:
                raise MessageTooLarge("too many functions")
            place = self._numbers[id(function)] = len(self._functions)
            self._functions.append(function)
        name = getattr(function, "name", None) or getattr(function, "__name__", "function")
        return {"mine": [place, str(name)[:200], bool(getattr(function, "raw", True))]}

    def remote_function(self, number: int, name: str, raw: bool) -> object:
        """A handle that calls a function of the other side."""
        return Callback(RemoteFunction(self, number, name, raw), name, raw)

    def local_function(self, number: int) -> object:
        """The local function with a number."""
        if not 0 <= number < len(self._functions):
            raise ProtocolError("a function number was never sent")
        return self._functions[number]

    def send(self, kind: str, values: list[Any] | None = None, **fields: Any) -> None:
        """Send a message."""
        with self._sending:
            self.channel.send(Message(kind, fields, values or []), self)

    def request(self, how: str, number: int, args: list[Any]) -> Message:
        """Call a function of the other side, and meanwhile answer its requests."""
        with self._nested(), self._open_request() as own:
            self.send("ask", [args], how=how, number=number, request=own)
            answer = self._wait_for(lambda message: message.kind in ANSWERS and message.fields.get("request") == own)
        if answer.kind == "raise":
            raise _error_from(answer)
        answer.values = [from_wire(value) for value in answer.values]
        return answer

    def receive(self, *kinds: str) -> Message:
        """Return the next message that is no answer, which must be of these kinds; requests before it are answered."""
        message = self._wait_for(lambda message: message.kind not in ANSWERS)
        if message.kind not in kinds:
            raise message.violation("a message out of turn")
        return message

    def _wait_for(self, is_wanted: Callable[[Message], bool]) -> Message:
        """Return a message that one thread wants. Meanwhile this thread reads for all, unless another one does."""
        while True:
            with self._mail:
                self._mail.wait_for(lambda: not self._is_being_read or any(map(is_wanted, self._waiting)))
                found = next(filter(is_wanted, self._waiting), None)
                if found is not None:
                    self._waiting.remove(found)
                    return found
                self._is_being_read = True
            try:
                message = self.channel.receive(self)
            finally:
                with self._mail:
                    self._is_being_read = False
                    self._mail.notify_all()
            if message.kind == "ask":
                self._handle_request(message)
            elif is_wanted(message):
                return message
            else:
                self._keep(message)

    def _keep(self, message: Message) -> None:
        """Keep a message for another thread, or for later; an answer that nobody waits for any more is dropped."""
        with self._mail:
            if message.kind in ANSWERS:
                number = message.fields.get("request")
                if type(number) is not int or not 0 < number <= self._last_request:
                    raise message.violation("an answer that was not asked for")
                if number not in self._open_requests:
                    return
            if len(self._waiting) >= MAX_WAITING:
                raise message.violation("a message out of turn")
            self._waiting.append(message)
            self._mail.notify_all()

    @contextmanager
    def _open_request(self) -> Iterator[int]:
        """A new request's number; when its thread gives up, for instance at the time limit, its answer is dropped."""
        with self._mail:
            self._last_request += 1
            own = self._last_request
            self._open_requests.add(own)
        try:
            yield own
        finally:
            with self._mail:
                self._open_requests.discard(own)
                self._waiting = [message for message in self._waiting if message.fields.get("request") != own]

    def _handle_request(self, message: Message) -> None:
        try:
            how, number, request = message.fields["how"], message.fields["number"], int(message.fields["request"])
            work = {"call": self._call_function, "watch": self._call_with_pullback, "pull": self._apply_pullback}[how]
            args = [from_wire(arg) for arg in message.values[0]]
            self._request_bytes += message.size
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise message.violation("a request violates the format") from error
        try:
            with self._nested():
                if self._request_bytes > MAX_REQUEST_BYTES:
                    raise RuntimeError("this was called too often, or with arrays that are too large.")
                values, fields = work(number, args)
        except (ConnectionLost, ProtocolError, ResponseTimeout):
            raise
        except self._caught as error:
            self.send("raise", type=type_name(error), text=error_text(error), request=request)
            return
        self.send("answer", values, request=request, **fields)

    def _call_function(self, number: int, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        function: Any = self.local_function(number)
        return [to_wire(function(*args))], {}

    def _call_with_pullback(self, number: int, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """Call a function and keep its pullback; integer arguments or results have none."""
        from autodiff_kit.core.tensor import Tensor, as_tensor
        from autodiff_kit.transforms.reverse_mode import vjp

        function: Any = self.local_function(number)
        if not all(np.issubdtype(getattr(arg, "dtype", type(arg)), np.floating) for arg in args):
            return [to_wire(function(*args))], {"token": None}
        value, back = vjp(function, *(as_tensor(arg) for arg in args))
        if type(value) is not Tensor:
            return [to_wire(value)], {"token": None}
        with self._mail:
            if len(self._pullbacks) >= MAX_FUNCTIONS:
                raise MessageTooLarge("too many pullbacks")
            self._pullbacks.append((back, len(args)))
            return [to_wire(value)], {"token": len(self._pullbacks) - 1}

    def _apply_pullback(self, token: int, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        if not (type(token) is int and 0 <= token < len(self._pullbacks)):
            raise ProtocolError("a pullback token was never sent")
        back, count = self._pullbacks[token]
        if back is None:
            raise RuntimeError("that result belongs to an earlier question.")
        found = back(*args)
        return [to_wire(item) for item in ([found] if count == 1 else found)], {}

    @contextmanager
    def _nested(self) -> Iterator[None]:
        depth = getattr(self._nesting, "depth", 0)
        if depth >= MAX_DEPTH:
            raise RuntimeError("functions call each other too deeply.")
        self._nesting.depth = depth + 1
        try:
            yield
        finally:
            self._nesting.depth = depth


def to_wire(value: Any) -> Any:
    """Convert a value for sending: tensors are marked as tensors, functions stay, other values become plain data."""
    tuples, others = (PlainCopier(lambda function: function) for _ in range(2))  # type: ignore[arg-type,return-value]
    return _to_wire(value, tuples, others, 0)


def _to_wire(value: Any, tuples: PlainCopier, others: PlainCopier, depth: int) -> Any:
    if _is_tensor(value):
        return TensorValue(value.numpy())
    if type(value) is tuple:
        return tuples.container(value, lambda item: _to_wire(item, tuples, others, depth + 1), depth)
    if isinstance(value, Callback | CallbackNamespace | SeededGenerator) or callable(value):
        return value
    return others.copy(value, depth)


def from_wire(value: Any) -> Any:
    """Convert a received value; the reverse of :func:`to_wire`."""
    from autodiff_kit.core.constant import constant

    if isinstance(value, TensorValue):
        return constant(value.array)
    if type(value) in (tuple, list):
        return type(value)(from_wire(item) for item in value)
    return value


def _is_tensor(value: object) -> bool:
    from autodiff_kit.core.tensor import Tensor
    from autodiff_kit.core.variable import Variable

    return type(value) in (Tensor, Variable)


def _remote_function_of(function: Any) -> RemoteFunction | None:
    """The remote function behind a function or handle; None for a local function."""
    try:
        handle = callback_of_function.get(function, function)
    except TypeError:
        return None
    found = handle.function if isinstance(handle, Callback) else handle
    return found if isinstance(found, RemoteFunction) else None


def error_text(error: BaseException) -> str:
    """What an error says; its ``__str__`` may be a learner's code, and raise in turn."""
    try:
        return clean_text(str(error), 2000)
    except BaseException:  # noqa: BLE001 - an error's __str__ may be the learner's code
        return "no further description"


def _error_from(answer: Message) -> Exception:
    """The exception that a response describes, as the class of the same name; RuntimeError if there is none."""
    name, text = clean_text(answer.fields.get("type"), 100), clean_text(answer.fields.get("text"), 2000)
    kind = getattr(errors, name, None) or getattr(builtins, name, None)
    known = isinstance(kind, type) and issubclass(kind, Exception) and kind is not StopIteration
    try:
        return kind(text) if known else RuntimeError(text)  # type: ignore[misc]
    except TypeError:
        return RuntimeError(text)
