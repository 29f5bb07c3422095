"""The process of one submission: run the notebook's cells, then call the functions that the grader requests."""

from __future__ import annotations

import os
import random
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from autodiff_kit.exercises.check_runner import Verdict
from autodiff_kit.exercises.exercise import caller_namespace
from autodiff_kit.exercises.in_process import InProcessRunner, copy_argument
from autodiff_kit.exercises.messages import CheckResult, ExampleData, LearnerMessage
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction, type_name

from ..protocol import ConnectionLost, Message, MessageSocket, ProtocolError
from ..rpc import RpcConnection, error_text
from .answers import Answer, AnswerLog, function_state

__all__ = ["DeferredQuestion", "make_silent_shell", "run_submission"]

MAX_LOGIN = 200  # characters
SYNTAX_ERRORS = (SyntaxError, IndentationError, TabError)


class DeferredQuestion:
    """Replaces an exercise question while the notebook runs; the grader checks the answers afterwards."""

    def __init__(self, about: dict[str, Any], example: Any, names: Mapping[str, object]) -> None:
        self.id, self.label, self.title, self.points = (about[name] for name in ("id", "label", "title", "points"))
        self._example = example
        self.answers = AnswerLog(about["writes"], names)

    def __repr__(self) -> str:
        return f"{self.label} ({self.id}): {self.title}, {self.points} point{'s' * (self.points != 1)}"

    @property
    def example(self) -> ExampleData:
        """The learner's example values."""
        numbers = self._example.function()
        return ExampleData(**{name: copy_argument(value) for name, value in numbers})

    def check(self, *functions: object, seed: int | None = None) -> CheckResult:
        """Return a note instead of a check; the functions that a check would take now are kept."""
        self.answers.keep_checked(functions, caller_namespace())
        later = Verdict("graded later", 0.0, "The grader checks this after all cells have run.")
        return CheckResult(later, score=0.0, points=self.points, seed=seed or 0, after="")

    def graded(self, *functions: object) -> float:
        """Return no points; the functions are kept as by a check."""
        self.answers.keep_checked(functions, caller_namespace())
        return 0.0

    def hint(self, n: int | None = None) -> LearnerMessage:
        """Return an empty note."""
        return LearnerMessage("", "")

    def solution(self) -> LearnerMessage:
        """Return an empty note."""
        return LearnerMessage("", "")


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
        if not self.begins_statement(min(filter(None, (line for _, _, line in code_obj.co_lines())), default=0)):
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
                self.update_user_ns(result)  # type: ignore[no-untyped-call]

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
    for name, text in job.fields["modules"]:
        Path(name).write_text(text, encoding="utf-8")
    questions, logins = _replace_exercise(job, shell.user_ns)
    for place, source, most in job.fields["cells"]:
        shell.begins_statement = _CellProgress(connection, place, most)
        error = _run_cell(shell, source)
        if error is not None:
            connection.send("error", place=place, text=error[0], memory=error[1])
        for question in questions:
            question.answers.keep_written()
    states = {name: function_state(shell.user_ns.get(name)) for name in job.fields["writes"]}
    answers = {question.id: question.answers.all() for question in questions}
    changed = {id: [one.changed(shell.user_ns) for one in found] for id, found in answers.items()}
    connection.send("ready", states=states, answers=changed, login=logins[-1] if logins else "")
    _answer_calls(connection, answers, shell.user_ns)


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


def _answer_calls(
    connection: RpcConnection, answers: Mapping[str, Sequence[Answer]], names: MutableMapping[str, object]
) -> None:
    """Answer the calls of checks; each is for one of the answers to a question, with the names that it saw."""
    at_the_end, runners = dict(names), dict[tuple[str, int], InProcessRunner]()
    while True:
        try:
            message = connection.receive("call", "end")
        except ConnectionLost:
            return
        if message.kind == "end":
            return
        id, place = message.fields["answer"]
        if (id, place) not in runners:
            answers[id][place].restore(names, at_the_end)
            runners[id, place] = InProcessRunner(answers[id][place].functions, lean=True)
        _answer_call(connection, runners[id, place], message)


def _answer_call(connection: RpcConnection, answer: InProcessRunner, message: Message) -> None:
    try:
        reply = answer(_parse_call(message))
    except LearnerCodeError as error:
        memory = isinstance(error.__context__, MemoryError)
        connection.send("slip", text=error.text[:2000], place=error.place[:500], memory=memory)
        return
    fields: dict[str, Any] = {"warning": reply.warning[:500], "place": reply.place[:500], "changed": reply.changed}
    fields |= {
        "error": reply.error,
        "tapes": reply.tapes,
        "peak": reply.peak,
        "nodes": reply.nodes,
        "record": reply.record,
    }
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
        tuple(about["without"]),
    )


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


def _replace_exercise(job: Message, names: Mapping[str, object]) -> tuple[DeferredExercise, list[str]]:
    """Replace ``exercise`` in the kit by one that gives deferred questions, and keeps the logins that it is given."""
    import autodiff_kit.exercises as package
    import autodiff_kit.learn as learn

    questions = DeferredExercise(
        DeferredQuestion(about, job.values[0][about["id"]], names) for about in job.fields["questions"]
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
