"""One submission in conversation with the grader."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from autodiff_kit.exercises.protocol import Call, Handle, Remote, Reply, Slip

from .protocol import Line, Message, WireError
from .rpc import Talk, crossing

__all__ = ["Session"]

LONGEST_NAME = 2000


class Session:
    """What the grader asks of one submission.

    Parameters
    ----------
    line : Line
        To the child that runs it.
    wall : float
        Seconds for the cells, and again for each question.

    Attributes
    ----------
    place : int or None
        The cell that is running, or ran last.
    errors : dict
        For each cell that stopped, its error in a few words.
    memory : str
        Where memory was short; empty if nowhere.
    """

    def __init__(self, line: Line, wall: float) -> None:
        self._talk, self._line, self._wall = Talk(line), line, wall
        self.place: int | None = None
        self.errors: dict[int, str] = {}
        self.memory = ""

    def run(
        self,
        cells: Sequence[tuple[int, str]],
        writes: Sequence[str],
        questions: Sequence[Mapping[str, Any]],
        examples: Mapping[str, Handle],
    ) -> dict[str, str]:
        """Run the cells; for each function to be written: missing, untouched or there."""
        self.again()
        self._talk.say("run", [dict(examples)], cells=list(cells), writes=list(writes), questions=list(questions))
        while True:
            message = self._talk.wait("cell", "error", "ready")
            if message.kind == "ready":
                states = message.fields["states"]
                self.place = None
                return {name: str(states.get(name)) for name in writes}
            self._note(message)

    def again(self) -> None:
        """Give the next part its own time and room."""
        self._talk.forget()
        self._line.deadline = time.monotonic() + self._wall

    def __call__(self, call: Call) -> Reply:
        """Run one call of a check, as :class:`~autodiff_kit.exercises.in_process.InProcess` does."""
        function: Any = call.function.number if isinstance(call.function, Remote) else call.function
        values = [list(call.args), dict(call.kwargs), call.seed, list(call.overwrite)]
        self._talk.say(
            "call", values, function=function, name=call.name[:LONGEST_NAME], quiet=call.quiet, wrt=list(call.wrt),
            sharing=call.sharing, errors=list(call.errors), tapes=call.tapes,
            memory=call.memory,
        )  # fmt: skip
        answer = self._talk.wait("reply", "slip")
        try:
            return self._reply(answer, range(len(call.args)), call.errors)
        except (LookupError, TypeError, ValueError) as error:
            raise WireError(f"an answer that is not in the form ({type(error).__name__})") from error

    def end(self) -> None:
        """Say that nothing more will be asked."""
        self._talk.say("end")

    def _note(self, message: Message) -> None:
        place = message.fields.get("place")
        if type(place) is not int:
            raise WireError("a cell without a place")
        self.place = place
        if message.kind == "error":
            self.errors[place] = str(message.fields.get("text"))[:400]
            if message.fields.get("memory") is True and not self.memory:
                self.memory = f"cell {place + 1}"

    def _reply(self, answer: Message, places: range, errors: tuple[str, ...]) -> Reply:
        about = answer.fields
        if answer.kind == "slip":
            if about.get("memory") is True and not self.memory:
                self.memory = "a function that was called"
            raise Slip(str(about["text"])[:2000], str(about["place"])[:500])
        value, gradients = answer.values
        return Reply(
            value,
            str(about["warning"])[:500],
            str(about["place"])[:500],
            tuple(place for place in places if place in about["changed"]),
            tuple(place for place in places if place in about["shared"]),
            tuple(gradients),
            next((name for name in errors if name == about["error"]), ""),
            (_count(about["tapes"][0]), _count(about["tapes"][1])),
            _count(about["peak"]),
            _count(about["nodes"]),
        )


def _count(told: object) -> int:
    """A number that a box counted; it may say what it likes, as long as it is one."""
    if type(told) is not int or not 0 <= told < 1 << 63:
        raise ValueError("a count that is none")
    return told


def example_of(numbers: Mapping[str, object]) -> Handle:
    """A handle that gives a learner's own numbers; functions among them can be differentiated from inside."""
    crossed = {name: _given(name, value) for name, value in numbers.items()}
    return Handle(lambda: crossed, "example", raw=False)


def _given(name: str, value: object) -> object:
    if callable(value) and not isinstance(value, Handle):
        return Handle(value, name, raw=True)
    return crossing(value)
