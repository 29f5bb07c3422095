"""The process of one submission: run the notebook's cells, then call the functions that the grader requests."""

from __future__ import annotations

import os
import random
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from autodiff_kit.exercises.check_runner import Verdict, is_stub
from autodiff_kit.exercises.exercise import caller_namespace
from autodiff_kit.exercises.in_process import InProcessRunner, copy_argument
from autodiff_kit.exercises.messages import CheckResult, ExampleData, LearnerMessage
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction, type_name

from ..protocol import MAX_ANSWERS, ConnectionLost, Message, MessageSocket, ProtocolError
from ..rpc import RpcConnection, error_text

__all__ = ["DeferredQuestion", "make_silent_shell", "run_submission"]

MAX_LOGIN = 200  # characters
SYNTAX_ERRORS = (SyntaxError, IndentationError, TabError)


class DeferredQuestion:
    """Replaces an exercise question while the notebook runs; the grader checks the answers afterwards."""

    def __init__(self, about: dict[str, Any], example: Any) -> None:
        self.id, self.label, self.title, self.points = (about[name] for name in ("id", "label", "title", "points"))
        self._example = example
        self.answers = AnswerLog(about["writes"])

    def __repr__(self) -> str:
        return f"{self.label} ({self.id}): {self.title}, {self.points} point{'s' * (self.points != 1)}"

    @property
    def example(self) -> ExampleData:
        """The learner's example values."""
        numbers = self._example.function()
        return ExampleData(**{name: copy_argument(value) for name, value in numbers})

    def check(self, *functions: object, seed: int | None = None) -> CheckResult:
        """Return a note instead of a check; the functions that a check would take now are kept."""
        self.answers.keep_checked(functions or caller_namespace())
        later = Verdict("graded later", 0.0, "The grader checks this after all cells have run.")
        return CheckResult(later, score=0.0, points=self.points, seed=seed or 0, after="")

    def graded(self, *functions: object) -> float:
        """Return no points; the functions are kept as by a check."""
        self.answers.keep_checked(functions or caller_namespace())
        return 0.0

    def hint(self, n: int | None = None) -> LearnerMessage:
        """Return an empty note."""
        return LearnerMessage("", "")

    def solution(self) -> LearnerMessage:
        """Return an empty note."""
        return LearnerMessage("", "")


class AnswerLog:
    """The functions that a question asks for, at the moments at which they may count.

    A name may mean something else at the end of a notebook: ``for row in table``, ``from numpy import *``, a copy of
    the starter. The learner's check saw the function, so that it counts.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._checked: deque[tuple[Any, ...]] = deque(maxlen=MAX_ANSWERS)
        self._written: tuple[Any, ...] = ()

    def keep_checked(self, given: Sequence[object] | Mapping[str, object]) -> None:
        """Keep the functions that a check takes: those that were given to it, or those of a namespace."""
        found = self._pick(given) if isinstance(given, Mapping) else tuple(given)
        if self._are_all_there(found):
            self._checked.append(found)

    def keep_written(self, names: Mapping[str, object]) -> None:
        """Keep the functions after a cell, if the notebook's own code defines all of them."""
        found = self._pick(names)
        if _are_written_here(found, names) and self._are_all_there(found):
            self._written = found

    def answers(self, names: Mapping[str, object]) -> tuple[list[dict[str, Any]], int]:
        """The sets of functions that may count, the likeliest first, and which of them stood at the end (or -1)."""
        ended = self._pick(names)
        found = [*reversed(self._checked)]
        own = _are_written_here(ended, names)
        if self._written and not (found or own):
            found = [self._written]
        if self._are_all_there(ended):
            found.insert(0 if own else len(found), ended)
        distinct = {tuple(map(id, one)): one for one in found}
        places = list(distinct)[:MAX_ANSWERS]
        last = tuple(map(id, ended))
        answers = [dict(zip(self._names, distinct[place], strict=True)) for place in places]
        return answers, places.index(last) if last in places else -1

    def _pick(self, names: Mapping[str, object]) -> tuple[Any, ...]:
        return tuple(names.get(name) for name in self._names)

    def _are_all_there(self, found: tuple[Any, ...]) -> bool:
        return len(found) == len(self._names) and all(_function_state(one) == "there" for one in found)


class DeferredExercise(tuple[DeferredQuestion, ...]):
    """Replaces an exercise while the notebook runs: its questions, to be unpacked or taken by name (``ex.q1``)."""

    __slots__ = ()
    score = 0.0

    def __getattr__(self, name: str) -> DeferredQuestion:
        for question in self:
            if question.label == name:
                return question
        raise AttributeError(f"This exercise has q1 to q{len(self)}; got {name!r}.")


class _CellRunner:
    """What the grader's shell does in another way than IPython's."""

    begins_statement: Callable[[int], bool] = staticmethod(lambda line: True)

    async def run_code(self, code_obj: Any, result: Any = None, *, async_: bool = False) -> Any:
        """Run a statement of a cell, unless it ended an earlier run; IPython ends the cell then."""
        if not self.begins_statement(code_obj.co_firstlineno):
            return True
        shell: Any = super()
        return await shell.run_code(code_obj, result, async_=async_)

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """Run a magic; an unknown one is a kernel's or an extension's, such as ``%autosave``, and does nothing."""
        shell: Any = super()
        if shell.find_line_magic(magic_name) is None:
            return None
        return shell.run_line_magic(magic_name, line, _stack_depth + 1)


def make_silent_shell() -> Any:
    """An IPython shell without history and output; created once, before processes are forked."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.formatters import DisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class DiscardingPublisher(DisplayPublisher):
        def publish(self, *args: Any, **kwargs: Any) -> None:
            """Discard what is displayed."""

    class KeepingDisplayHook(DisplayHook):
        def __call__(self, result: Any = None) -> None:
            """Keep the value of a cell as ``_`` and in ``Out``, without calling its repr."""
            if result is not None:
                self.update_user_ns(result)

    class EmptyFormatter(DisplayFormatter):
        def format(self, *args: Any, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
            """Return no representation."""
            return {}, {}

    class QuietShell(_CellRunner, InteractiveShell):
        display_pub_class, displayhook_class = DiscardingPublisher, KeepingDisplayHook

        def enable_gui(self, gui: Any = None) -> None:
            """Ignore requests for a GUI."""

        def init_display_formatter(self) -> None:
            self.display_formatter = EmptyFormatter(parent=self)
            self.configurables.append(self.display_formatter)  # type: ignore[arg-type]

        @contextmanager
        def _tee(self, channel: str) -> Iterator[None]:
            """Keep no copy of the output."""
            yield

        def _showtraceback(self, *args: Any) -> None:
            """Discard tracebacks; _run_cell returns the error text."""

    config = Config()
    config.HistoryManager.enabled = False
    shell = QuietShell.instance(config=config)
    shell.run_line_magic("matplotlib", "inline")  # takes a second on first use, so it is done before the fork
    return shell


def run_submission(channel: int, shell: Any) -> None:
    """Run a submission: receive its cells over a socket, run them, and answer calls until the socket is closed."""
    talker = socket.socket(fileno=channel)
    os.register_at_fork(after_in_child=talker.close)  # a process that a cell starts must not answer in its place
    connection = RpcConnection(MessageSocket(talker), BaseException)
    _redirect_output_to_null()
    job = connection.receive("run")
    sys.path.insert(0, "")  # as in a kernel, which finds the modules that a cell has written beside the notebook
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - notebooks that use the global generator get the same points on every run
    questions, logins = _replace_exercise(job)
    for place, source, most in job.fields["cells"]:
        shell.begins_statement = _CellProgress(connection, place, most)
        error = _run_cell(shell, source)
        if error is not None:
            connection.send("error", place=place, text=error[0], memory=error[1])
        for question in questions:
            question.answers.keep_written(shell.user_ns)
    states = {name: _function_state(shell.user_ns.get(name)) for name in job.fields["writes"]}
    answers = {question.id: question.answers.answers(shell.user_ns) for question in questions}
    counts = {id: [len(found), ended] for id, (found, ended) in answers.items()}
    connection.send("ready", states=states, answers=counts, login=logins[-1] if logins else "")
    _answer_calls(connection, {id: found for id, (found, _) in answers.items()})


class _CellProgress:
    """Tells the grader which statement of a cell begins, up to the one that ended an earlier run."""

    def __init__(self, connection: RpcConnection, place: int, most: int | None) -> None:
        self._connection, self._place, self._most, self._begun = connection, place, most, 0
        connection.send("cell", place=place, begun=0, line=0)

    def __call__(self, line: int) -> bool:
        if self._begun == self._most:
            return False
        self._begun += 1
        self._connection.send("cell", place=self._place, begun=self._begun, line=line)
        return True


def _answer_calls(connection: RpcConnection, answers: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Answer the calls of checks; each is for one of the answers to a question."""
    runners = {
        (id, place): InProcessRunner(functions, lean=True)
        for id, found in answers.items()
        for place, functions in enumerate(found)
    }
    while True:
        try:
            message = connection.receive("call", "end")
        except ConnectionLost:
            return
        if message.kind == "end":
            return
        _answer_call(connection, runners[tuple(message.fields["answer"])], message)


def _answer_call(connection: RpcConnection, answer: InProcessRunner, message: Message) -> None:
    try:
        reply = answer(_parse_call(message))
    except LearnerCodeError as error:
        memory = isinstance(error.__context__, MemoryError)
        connection.send("slip", text=error.text[:2000], place=error.place[:500], memory=memory)
        return
    fields: dict[str, Any] = {"warning": reply.warning[:500], "place": reply.place[:500], "changed": reply.changed}
    fields |= {"error": reply.error, "tapes": reply.tapes, "peak": reply.peak, "nodes": reply.nodes}
    try:
        connection.send("reply", [reply.value, reply.gradients], shared=reply.shared, **fields)
    except (ProtocolError, ValueError):
        connection.send("slip", text="The answer is too large to be checked.", place="", memory=False)


def _parse_call(message: Message) -> Call:
    about = message.fields
    function, label = about["function"], about["name"]
    args, kwargs, seed, overwrite = message.values
    return Call(
        ReturnedFunction(function, label) if isinstance(function, int) else function,
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


def _are_written_here(found: Iterable[object], names: Mapping[str, object]) -> bool:
    """Whether all are functions that the notebook's own code defines."""
    return all(type(one) is FunctionType and one.__globals__ is names for one in found)


def _function_state(value: object) -> str:
    if not callable(value):
        return "missing"
    return "untouched" if is_stub(value) else "there"


def _run_cell(shell: Any, source: str) -> tuple[str, bool] | None:
    """Run a cell; return the text of its error and whether it is a MemoryError, or None."""
    try:
        result = shell.run_cell(source, store_history=True)
        error = result.error_before_exec or result.error_in_exec
    except BaseException as raised:  # noqa: BLE001 - a cell may have replaced parts of the shell
        error = raised
    if error is None:
        return None
    return f"{type_name(error)}: {_error_in_words(error, source)}", isinstance(error, MemoryError)


def _error_in_words(error: BaseException, source: str) -> str:
    """What an error says, and the line of a cell of several lines at which it came."""
    text = error_text(error)
    try:
        number = _line_of_cell(error)
        if type(error) in SYNTAX_ERRORS:  # its text names IPython's file
            text = str(error.msg)  # type: ignore[attr-defined]
        lines = source.splitlines()
        if number and len([line for line in lines if line.strip()]) > 1:
            return f"{text[:300]}, in its line {number}: `{lines[number - 1].strip()[:100]}`"
    except BaseException:  # noqa: BLE001 - what it consists of may be the learner's code
        pass
    return text[:300]


def _line_of_cell(error: BaseException) -> int:
    """The line of the cell, from 1, that an error passed last; 0 if it passed none."""
    number, frame = 0, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename.startswith("<ipython-input-"):
            number = frame.tb_lineno
        frame = frame.tb_next
    if not number and type(error) in SYNTAX_ERRORS:  # the cell itself could not be read
        number = int(error.lineno or 0)  # type: ignore[attr-defined]
    return number


def _replace_exercise(job: Message) -> tuple[DeferredExercise, list[str]]:
    """Replace ``exercise`` in the kit by one that gives deferred questions, and keeps the logins that it is given."""
    import autodiff_kit.exercises as package
    import autodiff_kit.learn as learn

    questions = DeferredExercise(
        DeferredQuestion(about, job.values[0][about["id"]]) for about in job.fields["questions"]
    )

    logins: list[str] = []

    def exercise(no: str | int, login: str = "") -> DeferredExercise:
        logins.append(str(login)[:MAX_LOGIN])
        return questions

    vars(package)["exercise"] = vars(learn)["exercise"] = exercise
    return questions, logins


def _redirect_output_to_null() -> None:
    """Redirect standard input, output and error to the null device."""
    sink = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(sink, descriptor)
    os.close(sink)
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115 - it stays open as long as the process
