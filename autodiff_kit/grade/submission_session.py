"""The grader's side of one submission: run its cells, then call its functions over the connection."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np

from autodiff_kit.exercises.protocol import (
    Call,
    Callback,
    CallResult,
    LearnerCodeError,
    ReturnedFunction,
    SeededGenerator,
)

from .outside_text import clean_text
from .protocol import MAX_ANSWERS, Message, MessageSocket, MessageTooLarge, ProtocolError
from .rpc import RpcConnection, to_wire
from .submission import cell_name

__all__ = ["MemoryProbe", "SubmissionSession", "example_handle"]

MAX_NAME_LENGTH = 2000
MEMORY_ALLOWANCE: Final = 3 << 19
"""Bytes that a process may grow by for what is not an answer's: messages, code that is used for the first time, and the
kernel's way of counting."""
MAX_LOGIN_LENGTH = 120
MAX_NAMES, MAX_NAME = 4, 60
"""Of the names that changed after an answer, how many a message shows, and of each how many characters."""
ADVICE: Final = {
    "ModuleNotFoundError": "(The grader has the packages of the course, and the modules, .py, that lie beside the "
    "notebook in its learner's own folder.)",
    "FileNotFoundError": "(Of the files beside a notebook the grader has the modules, .py, alone. Let the notebook "
    "make the file, or write its numbers into a cell.)",
    "Read-only file system": "(In the grader a notebook can write in its own folder only; threads work there, "
    "`multiprocessing` does not.)",
}
"""Errors that come from what the grader's sandbox has not."""
MAX_PARTS = 3
"""A session, one run of a notebook, lasts at most this many times the time limit of a part, the cells or a question."""


class MemoryProbe(Protocol):
    """Measures the peak memory of the process that runs a submission, from outside of it."""

    def start_memory(self) -> bool:
        """Begin; return whether it can be measured."""

    def peak_memory(self) -> int:
        """The most bytes beyond those at the beginning."""


class SubmissionSession:
    """Runs the cells of one submission in a sandbox and calls its functions.

    Parameters
    ----------
    channel : MessageSocket
        Connected to the process that runs the submission.
    wall_seconds : float
        Time limit for the cells, and again for each question; three times as much for all of it.
    probe : MemoryProbe, optional
        Measures what the process says of its peak memory a second time.

    Attributes
    ----------
    place : int or None
        The index of the cell that is running, or ran last.
    begun : int
        How many of its statements have begun; the last of them runs, or ran last.
    line : int
        The first line of that statement in the cell, from 1; 0 if none has begun.
    answers : dict
        Question id -> for each answer that may count, the names that mean something else at the end of the notebook.
    answer : tuple of (str, int)
        The question, and the place of its answer, that calls are for.
    errors : dict
        The error of each cell that stopped, by index.
    memory : str
        The place where memory ran out; empty if it did not.
    login : str
        The login that the notebook gives, which is only a claim.
    """

    def __init__(self, channel: MessageSocket, wall_seconds: float, probe: MemoryProbe | None = None) -> None:
        self._connection, self._channel, self._wall_seconds = RpcConnection(channel), channel, wall_seconds
        self._last_moment = time.monotonic() + MAX_PARTS * wall_seconds
        self._probe = probe
        self._sources: dict[int, str] = {}
        self.place: int | None = None
        self.begun = self.line = 0
        self.answers: dict[str, list[list[str]]] = {}
        self.answer = ("", 0)
        self.errors: dict[int, str] = {}
        self.memory = ""
        self.login = ""

    def run(
        self,
        cells: Sequence[tuple[int, str, int | None]],
        writes: Sequence[str],
        questions: Sequence[Mapping[str, Any]],
        examples: Mapping[str, Callback],
        modules: Sequence[tuple[str, str]] = (),
    ) -> dict[str, str]:
        """Run the cells, of each so many statements; return for each function at the end: missing, untouched, there."""
        self.begin_part()
        self._sources = {place: source for place, source, _ in cells}
        self._connection.send(
            "run", [dict(examples)], cells=list(cells), writes=list(writes), questions=list(questions),
            modules=list(modules),
        )  # fmt: skip
        while True:
            message = self._connection.receive("cell", "error", "ready")
            if message.kind == "ready":
                states = message.fields.get("states")
                if type(states) is not dict:
                    raise message.violation("the states of the functions are missing")
                self.place = None
                self.answers = {about["id"]: _checked_answers(message, about["id"]) for about in questions}
                self.login = clean_text(message.fields.get("login"), MAX_LOGIN_LENGTH)
                return {name: clean_text(states.get(name), 20) for name in writes}
            self._record_cell_message(message)

    def begin_part(self) -> None:
        """Restart the time limit and discard the pullbacks of the previous part."""
        self._connection.discard_pullbacks()
        self._channel.deadline = min(time.monotonic() + self._wall_seconds, self._last_moment)

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit of this part."""
        return max(0.0, self._channel.deadline - time.monotonic())

    def __call__(self, call: Call) -> CallResult:
        """Make one call of a check, with the interface of :class:`~autodiff_kit.exercises.in_process.InProcess`.

        Raises
        ------
        RuntimeError
            If an argument cannot be sent, which is the check's fault and not the learner's.
        """
        function: Any = call.function.number if isinstance(call.function, ReturnedFunction) else call.function
        values = [list(call.args), dict(call.kwargs), call.seed, list(call.overwrite)]
        measured = call.memory and self._probe is not None and self._probe.start_memory()
        try:
            self._connection.send(
                "call", values, answer=list(self.answer), function=function, name=call.name[:MAX_NAME_LENGTH],
                quiet=call.quiet, wrt=list(call.wrt), sharing=call.sharing, errors=list(call.errors), tapes=call.tapes,
                memory=call.memory, without=list(call.without),
            )  # fmt: skip
        except MessageTooLarge:  # perhaps by what the learner's functions returned before
            raise
        except ProtocolError as error:
            raise RuntimeError(
                f"the check gives {call.name[:80]} an argument that cannot be sent to the sandbox: {error}"
            ) from error
        answer = self._connection.receive("reply", "slip")
        grown = self._probe.peak_memory() if measured and self._probe is not None else 0
        try:
            found = self._parse_reply(answer, range(len(call.args)), call.errors)
        except (LookupError, TypeError, ValueError) as error:
            raise answer.violation(f"a response violates the format ({type(error).__name__})") from error
        # The process's own meter is exact, and is believed as far as the kernel's agrees with it.
        return replace(found, peak=max(found.peak, grown - _array_bytes(values) - MEMORY_ALLOWANCE))

    def finish(self) -> None:
        """Tell the submission's process that no more calls follow."""
        self._connection.send("end")

    def _record_cell_message(self, message: Message) -> None:
        place = message.fields.get("place")
        if type(place) is not int or place not in self._sources:
            raise message.violation("a cell that was not sent")
        self.place = place
        if message.kind == "cell":
            self.begun, self.line = (_checked_count(message.fields.get(name)) for name in ("begun", "line"))
        if message.kind == "error":
            self.errors[place] = _with_advice(clean_text(message.fields.get("text"), 400))
            if message.fields.get("memory") is True and not self.memory:
                self.memory = cell_name(self._sources[place])

    def _parse_reply(self, answer: Message, places: range, errors: tuple[str, ...]) -> CallResult:
        about = answer.fields
        if answer.kind == "slip":
            if about.get("memory") is True and not self.memory:
                self.memory = "a function that was called"
            raise LearnerCodeError(_with_advice(clean_text(about["text"], 2000)), clean_text(about["place"], 500))
        value, gradients = answer.values
        return CallResult(
            value,
            clean_text(about["warning"], 500),
            clean_text(about["place"], 500),
            tuple(place for place in places if place in about["changed"]),
            tuple(place for place in places if place in about["shared"]),
            tuple(gradients),
            next((name for name in errors if name == about["error"]), ""),
            (_checked_count(about["tapes"][0]), _checked_count(about["tapes"][1])),
            _checked_count(about["peak"]),
            _checked_count(about["nodes"]),
            _checked_count(about["record"]),
        )


def _with_advice(text: str) -> str:
    """An error in words, and what a learner can do whose notebook runs without it at home."""
    return " ".join([text, *(advice for sign, advice in ADVICE.items() if sign in text)])


def _checked_answers(message: Message, question: str) -> list[list[str]]:
    """The names that changed after each answer to a question."""
    try:
        answers = message.fields["answers"][question][:MAX_ANSWERS]
        return [[clean_text(name, MAX_NAME) for name in changed[:MAX_NAMES]] for changed in answers]
    except (LookupError, TypeError) as error:
        raise message.violation("the answers are missing") from error


def _array_bytes(value: object) -> int:
    """Bytes of all arrays in the values of a message."""
    if isinstance(value, dict):
        return sum(map(_array_bytes, value.values()))
    return sum(map(_array_bytes, value)) if isinstance(value, list | tuple) else int(getattr(value, "nbytes", 0))


def _checked_count(told: object) -> int:
    """A count that the sandbox reports. Only its type and range can be checked."""
    if type(told) is not int or not 0 <= told < 1 << 63:
        raise ValueError("a count is not valid")
    return told


def example_handle(numbers: Mapping[str, object]) -> Callback:
    """A handle that returns the example values of a question; functions among them can be differentiated remotely."""
    crossed = tuple((name, _as_sendable(value)) for name, value in numbers.items())
    return Callback(lambda: crossed, "example", raw=False)


def _as_sendable(value: object) -> object:
    """A value as a message can hold it; a generator of random numbers becomes one with a seed drawn from it."""
    if isinstance(value, np.random.Generator):
        return SeededGenerator(int(value.integers(1 << 62)))
    return to_wire(value)
