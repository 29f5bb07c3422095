"""The work of one submission: run the notebook's cells, then the functions that the grader asks for."""

from __future__ import annotations

import os
import random
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff_kit.exercises.check_runner import untouched
from autodiff_kit.exercises.in_process import InProcess, lend
from autodiff_kit.exercises.messages import Example, Note
from autodiff_kit.exercises.protocol import Call, Remote, Slip, type_name

from ..protocol import Gone, Line, Message, WireError
from ..rpc import Talk, arriving

__all__ = ["Later", "make_shell", "work"]


class Later:
    """Stands for a question while the grader runs the notebook: checks are made afterwards, from outside."""

    def __init__(self, about: dict[str, Any], example: Any) -> None:
        self.id, self.label, self.title, self.points = (about[name] for name in ("id", "label", "title", "points"))
        self._example = example

    def __repr__(self) -> str:
        return f"{self.label} ({self.id}): {self.title}, {self.points} point{'s' * (self.points != 1)}"

    @property
    def example(self) -> Example:
        """The learner's own numbers."""
        return Example(**{name: lend(arriving(value)) for name, value in self._example.function().items()})

    def check(self, *functions: object, seed: int | None = None) -> Note:
        """Nothing yet."""
        return Note("Later", "The grader checks this when all cells have run.")

    def graded(self, *functions: object) -> float:
        """No points yet."""
        return 0.0

    def hint(self, n: int | None = None) -> Note:
        """Nothing."""
        return Note("", "")

    def solution(self) -> Note:
        """Nothing."""
        return Note("", "")


def make_shell() -> Any:
    """An IPython shell that keeps no history and shows nothing; made once, before the children are forked."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.formatters import DisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Nowhere(DisplayPublisher):
        def publish(self, *args: Any, **kwargs: Any) -> None:
            """Drop what is displayed."""

    class Silent(DisplayHook):
        def __call__(self, result: Any = None) -> None:
            """Drop a cell's value, without asking for its text."""

    class Blank(DisplayFormatter):
        def format(self, *args: Any, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
            """Draw nothing, write nothing."""
            return {}, {}

    class Shell(InteractiveShell):
        display_pub_class, displayhook_class = Nowhere, Silent

        def enable_gui(self, gui: Any = None) -> None:
            """No window opens here."""

        def init_display_formatter(self) -> None:
            self.display_formatter = Blank(parent=self)
            self.configurables.append(self.display_formatter)  # type: ignore[arg-type]

        @contextmanager
        def _tee(self, channel: str) -> Iterator[None]:
            """Keep no copy of what is printed."""
            yield

        def _showtraceback(self, *args: Any) -> None:
            """Drop what an error shows; its words are kept elsewhere."""

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.cache_size = 0
    shell = Shell.instance(config=config)
    shell.run_line_magic("matplotlib", "inline")  # a second on first use: paid before the children are forked
    return shell


def work(channel: int, shell: Any) -> None:
    """Do everything that the grader asks for over a channel, until it hangs up."""
    talk = Talk(Line(socket.socket(fileno=channel)))
    _silence()
    job = talk.wait("run")
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - a notebook that draws without a seed gives the same marks each time
    _stand_in(job)
    for place, source in job.fields["cells"]:
        talk.say("cell", place=place)
        error = _run(shell, source)
        if error is not None:
            talk.say("error", place=place, text=error[0], memory=error[1])
    _serve(talk, shell.user_ns, job.fields["writes"])


def _serve(talk: Talk, names: dict[str, Any], writes: list[str]) -> None:
    talk.say("ready", states={name: _state(names.get(name)) for name in writes})
    answer = InProcess(names)
    while True:
        try:
            message = talk.wait("call", "end")
        except Gone:
            return
        if message.kind == "end":
            return
        _answer(talk, answer, message)


def _answer(talk: Talk, answer: InProcess, message: Message) -> None:
    try:
        reply = answer(_call(message))
    except Slip as slip:
        memory = isinstance(slip.__context__, MemoryError)
        talk.say("slip", text=slip.text[:2000], place=slip.place[:500], memory=memory)
        return
    fields: dict[str, Any] = {"warning": reply.warning[:500], "place": reply.place[:500], "changed": reply.changed}
    fields |= {"error": reply.error, "tapes": reply.tapes, "peak": reply.peak, "nodes": reply.nodes}
    try:
        talk.say("reply", [reply.value, reply.gradients], shared=reply.shared, **fields)
    except (WireError, ValueError):
        talk.say("slip", text="The answer is too large to be looked at.", place="", memory=False)


def _call(message: Message) -> Call:
    about = message.fields
    function, label = about["function"], about["name"]
    args, kwargs, seed, overwrite = message.values
    return Call(
        Remote(function, label) if isinstance(function, int) else function,
        tuple(args),
        kwargs,
        about["quiet"],
        tuple(about["wrt"]),
        seed,
        about["sharing"],
        tuple(about["errors"]),
        about["tapes"],
        about["memory"],
        tuple(overwrite),
    )


def _state(value: object) -> str:
    if not callable(value):
        return "missing"
    return "untouched" if untouched(value) else "there"


def _run(shell: Any, source: str) -> tuple[str, bool] | None:
    """Run a cell; its error in a few words, and whether memory was short."""
    try:
        result = shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
    except BaseException as raised:  # noqa: BLE001 - a learner's cell may have replaced parts of the shell
        error = raised
    if error is None:
        return None
    return f"{type_name(error)}: {_words(error)}", isinstance(error, MemoryError)


def _words(error: BaseException) -> str:
    try:
        return str(error)[:300]
    except BaseException:  # noqa: BLE001 - an error's own words are a learner's code too
        return "no further words"


def _stand_in(job: Message) -> None:
    """Put questions that wait in the place of those that check."""
    import autodiff_kit.exercises as package
    import autodiff_kit.learn as learn

    later = tuple(Later(about, job.values[0][about["id"]]) for about in job.fields["questions"])

    def exercise(no: str | int) -> tuple[Later, ...]:
        return later

    vars(package)["exercise"] = vars(learn)["exercise"] = exercise


def _silence() -> None:
    """Let what is printed fall into nothing, whatever its amount."""
    sink = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(sink, descriptor)
    os.close(sink)
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115 - it stays open as long as the process
