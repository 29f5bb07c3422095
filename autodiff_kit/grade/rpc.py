"""A conversation between the grader and a box; both sides may call functions of the other, to any depth.

A function never crosses: its number does. One that takes and gives tensors can be differentiated on the other
side: its answer arrives with a token, and the gradient of it asks for the pull that the token names.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff_kit import errors
from autodiff_kit.exercises.in_process import handles
from autodiff_kit.exercises.protocol import Foreign, Handle, Namespace, plain

from .protocol import Line, Message, Numbers, WireError

__all__ = ["Far", "Talk"]

DEEPEST = 40
MOST_FUNCTIONS = 100_000
# What a far side may have this one compute with, for a question: answers are kept until their gradients are asked for.
MOST_BYTES = 8 << 20


class Far:
    """Stands in for a function of the other side.

    Parameters
    ----------
    talk : Talk
        The conversation.
    number : int
        Its number over there.
    name : str
        What it is called in messages.
    raw : bool
        Whether it takes and gives tensors and functions, rather than plain arrays.
    """

    def __init__(self, talk: Talk, number: int, name: str, raw: bool) -> None:
        self.talk, self.number, self.__name__, self.raw = talk, number, name, raw

    def __call__(self, *args: Any) -> Any:
        """Ask the other side; an answer of tensors stays on the record of whoever watches the arguments."""
        if not self.raw or any(callable(arg) for arg in args):
            return self.talk.ask("call", self.number, [crossing(arg) for arg in args]).values[0]
        answer = self.talk.ask("watch", self.number, [crossing(arg) for arg in args])
        value, token = answer.values[0], answer.fields["token"]
        return value if token is None else self._recorded(value, token, args)

    def _recorded(self, value: Any, token: int, args: tuple[Any, ...]) -> Any:
        from autodiff_kit.core.custom_gradient import custom_gradient

        def pull(g: Any) -> Any:
            found = self.talk.ask("pull", token, [crossing(g)]).values
            return found[0] if len(args) == 1 else tuple(found)

        return custom_gradient(lambda *_: (value, pull))(*args)


class Talk:
    """One side of the conversation.

    Parameters
    ----------
    line : Line
        To the other side.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self._functions: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._pulls: list[tuple[Any, int]] = []
        self._depth = self._bytes = 0

    def forget(self) -> None:
        """Begin another question: what the last one was answered need no longer be pulled back."""
        self._bytes = 0
        self._pulls = [(None, 0)] * len(self._pulls)

    def number(self, function: Any) -> dict[str, Any] | None:
        """How a function of this side, or of the other, is named on the wire."""
        far = _far(function)
        if far is not None and far.talk is self:
            return {"yours": far.number}
        if not callable(function):
            return None
        place = self._numbers.get(id(function))
        if place is None:
            if len(self._functions) >= MOST_FUNCTIONS:
                raise WireError("too many functions")
            place = self._numbers[id(function)] = len(self._functions)
            self._functions.append(function)
        name = getattr(function, "name", None) or getattr(function, "__name__", "function")
        return {"mine": [place, str(name)[:200], bool(getattr(function, "raw", True))]}

    def far(self, number: int, name: str, raw: bool) -> object:
        """A handle for a function of the other side."""
        return Handle(Far(self, number, name, raw), name, raw)

    def near(self, number: int) -> object:
        """A function of this side."""
        if not 0 <= number < len(self._functions):
            raise WireError("a function that was never given")
        return self._functions[number]

    def say(self, kind: str, values: list[Any] | None = None, **fields: Any) -> None:
        """Send a message."""
        self.line.send(Message(kind, fields, values or []), self)

    def ask(self, how: str, number: int, args: list[Any]) -> Message:
        """Have the other side run a function, serving it meanwhile."""
        with self._deeper():
            self.say("ask", [args], how=how, number=number)
            answer = self.wait("answer", "raise")
        if answer.kind == "raise":
            raise _error(answer)
        answer.values = [arriving(value) for value in answer.values]
        return answer

    def wait(self, *kinds: str) -> Message:
        """The next message of these kinds; what the other side asks before that is served."""
        while True:
            message = self.line.receive(self)
            if message.kind in kinds:
                return message
            if message.kind != "ask":
                raise WireError(f"a message of kind {message.kind[:40]!r} where none is due")
            self._serve(message)

    def _serve(self, message: Message) -> None:
        try:
            how, number = message.fields["how"], message.fields["number"]
            work = {"call": self._call, "watch": self._watch, "pull": self._pull}[how]
            args = [arriving(arg) for arg in message.values[0]]
            self._bytes += sum(getattr(arg, "nbytes", 0) for arg in message.values[0])
        except (KeyError, IndexError, TypeError) as error:
            raise WireError("a question that is not in the form") from error
        with self._deeper():
            try:
                if self._bytes > MOST_BYTES:
                    raise RuntimeError("this was asked too often, or with arrays that are too large.")
                values, fields = work(number, args)
            except (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError,
                    ValueError, errors.AutodiffError) as error:  # fmt: skip
                self.say("raise", type=type(error).__name__, text=str(error)[:2000])
                return
        self.say("answer", values, **fields)

    def _call(self, number: int, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        function: Any = self.near(number)
        return [crossing(function(*args))], {}

    def _watch(self, number: int, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """Run a function so that its answer can be pulled back; what has no gradient is just run."""
        from autodiff_kit.core.tensor import Tensor, lift
        from autodiff_kit.transforms.reverse_mode import vjp

        function: Any = self.near(number)
        if not all(np.issubdtype(getattr(arg, "dtype", type(arg)), np.floating) for arg in args):
            return [crossing(function(*args))], {"token": None}
        value, back = vjp(function, *(lift(arg) for arg in args))
        if type(value) is not Tensor:
            return [crossing(value)], {"token": None}
        if len(self._pulls) >= MOST_FUNCTIONS:
            raise WireError("too many questions")
        self._pulls.append((back, len(args)))
        return [crossing(value)], {"token": len(self._pulls) - 1}

    def _pull(self, token: int, args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        if not (type(token) is int and 0 <= token < len(self._pulls)):
            raise WireError("a pull that was never given")
        back, count = self._pulls[token]
        if back is None:
            raise RuntimeError("that answer belongs to an earlier question.")
        found = back(*args)
        return [crossing(item) for item in ([found] if count == 1 else found)], {}

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        if self._depth >= DEEPEST:
            raise RuntimeError("functions call each other too deeply.")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1


def crossing(value: Any) -> Any:
    """A value as it is sent: tensors as numbers that arrive as tensors, the rest plain, functions as they are."""
    from autodiff_kit.core.tensor import Tensor, Variable

    if type(value) in (Tensor, Variable):
        return Numbers(value.numpy())
    if type(value) is tuple:
        return tuple(crossing(item) for item in value)
    if isinstance(value, Handle | Namespace) or callable(value):
        return value
    return plain(value, lambda function: Foreign("function"))  # type: ignore[arg-type,return-value]


def arriving(value: Any) -> Any:
    """The reverse of :func:`crossing`."""
    from autodiff_kit.core.tensor import constant

    if isinstance(value, Numbers):
        return constant(value.array)
    if type(value) in (tuple, list):
        return type(value)(arriving(item) for item in value)
    return value


def _far(function: Any) -> Far | None:
    """The far function that something stands for: itself, its handle, or what a learner was given for one."""
    try:
        handle = handles.get(function, function)
    except TypeError:
        return None
    found = handle.function if isinstance(handle, Handle) else handle
    return found if isinstance(found, Far) else None


def _error(answer: Message) -> Exception:
    """An error of the other side, as one of the same name here."""
    name, text = str(answer.fields.get("type")), str(answer.fields.get("text"))[:2000]
    kind = getattr(errors, name, None) or getattr(builtins, name, None)
    known = isinstance(kind, type) and issubclass(kind, Exception) and kind is not StopIteration
    try:
        return kind(text) if known else RuntimeError(text)  # type: ignore[misc]
    except TypeError:
        return RuntimeError(text)
