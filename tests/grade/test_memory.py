"""Peak memory is measured by the kernel, from outside of the learner's process: what a cell replaces changes nothing."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys

import pytest

from autodiff_kit.exercises.questions.lesson08.xent_2.other import row_after_row
from autodiff_kit.exercises.questions.lesson08.xent_2.wrong import refusing, with_a_table
from autodiff_kit.exercises.questions.lesson17.per_3.other import lengths_with_a_one
from autodiff_kit.exercises.questions.lesson17.per_3.wrong import formed_one_by_one
from autodiff_kit.grade.grading import grade_submission
from autodiff_kit.grade.inside.process_memory import PeakMeter
from autodiff_kit.grade.sandbox import ResourceLimits, UnsandboxedRunner
from autodiff_kit.grade.submission_reader import read_submission

from .notebooks import LESSONS, answered, code

# Each is what a cell could do to the meter of its own process.
FORGERIES = {
    "tracemalloc": "import tracemalloc\ntracemalloc.get_traced_memory = lambda: (0, 0)",
    "the meter": """
import autodiff_kit.exercises.in_process as runner
class Nothing:
    nbytes = 0
    def __init__(self, wanted): pass
    def __enter__(self): return self
    def __exit__(self, *_): pass
runner.PeakMemoryMeter = Nothing""",
    "the reply": """
import autodiff_kit.grade.inside.notebook_runner as inside
send = inside.RpcConnection.send
def forged(self, kind, values=None, **fields):
    if kind == "reply":
        fields["peak"] = 0
    send(self, kind, values, **fields)
inside.RpcConnection.send = forged""",
    "builtins": "import builtins\nbuiltins.max = lambda *args: 0",
    "an unreadable process": """
import ctypes, tracemalloc
tracemalloc.get_traced_memory = lambda: (0, 0)
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)""",
    "another process": """
import autodiff_kit.exercises.in_process as runner, os, signal, tracemalloc
tracemalloc.get_traced_memory = lambda: (0, 0)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
whole = runner.InProcessRunner._run
def elsewhere(self, call, *more):
    import pickle
    if call.memory:
        out, into = os.pipe()
        if os.fork() == 0:
            with os.fdopen(into, "wb") as file:
                pickle.dump(whole(self, call, *more), file)
            os._exit(0)
        os.close(into)
        with os.fdopen(out, "rb") as file:
            return pickle.load(file)
    return whole(self, call, *more)
runner.InProcessRunner._run = elsewhere""",
}
QUESTIONS = {"xent-2": (LESSONS["08"], 1.0), "per-3": (LESSONS["17"], 1.5)}


def hungry(question):
    """An answer with right values and too much memory."""
    if question == "per-3":
        return "import numpy as np\n" + inspect.getsource(formed_one_by_one).replace("formed_one_by_one", "norms")
    parts = inspect.getsource(refusing), inspect.getsource(with_a_table)
    return "import numpy as np\n" + "\n".join(parts) + "\nlean = refusing(with_a_table)"


def with_answer(lesson, question, source, first=""):
    """A notebook with one answer; a cell before it."""
    others = [one.id for one in lesson.questions if one.id != question]
    found = answered(lesson, leave=others, **{question.replace("-", "_"): source})
    if first:
        found["cells"].insert(1, code(first))
    return found


def mark(result, question):
    return next(one for one in result.marks if one.question == question)


AT_ONCE = ("tracemalloc", "the reply")


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "forgery", [pytest.param(name, marks=() if name in AT_ONCE else pytest.mark.slow) for name in FORGERIES]
)
def test_a_forged_meter_earns_nothing(hand_in, question, forgery):
    lesson, points = QUESTIONS[question]
    found = mark(hand_in(with_answer(lesson, question, hungry(question), FORGERIES[forgery])), question)
    assert found.points <= points, found.message
    assert found.misconception in ("builds-the-one-hot", "forms-the-gradients") or found.outcome == "error", (
        found.message
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's figure is read from /proc")
def test_without_a_sandbox_a_forged_meter_earns_nothing_either(tmp_path):
    runner = UnsandboxedRunner(ResourceLimits())
    path = tmp_path / "eve.ipynb"
    path.write_text(json.dumps(with_answer(LESSONS["08"], "xent-2", hungry("xent-2"), FORGERIES["tracemalloc"])))
    found = mark(grade_submission(read_submission(path, "eve"), runner, "s"), "xent-2")
    assert (found.points, found.misconception) == (1.0, "builds-the-one-hot")


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's figure is read from /proc")
def test_memory_of_a_process_that_has_ended_counts():
    """A helper that a cell started computes, answers and ends before somebody reads what it used."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as helper:
        proc_fd = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        meter = PeakMeter(proc_fd, alone=False)
        assert meter.start([os.getpid(), helper.pid])
        assert meter.peak([os.getpid(), helper.pid]) < 100 << 20
        helper.kill()
    assert meter.peak([os.getpid()]) > 0
    held = b"x" * (50 << 20)
    assert meter.start([os.getpid()])
    assert meter.peak([os.getpid()]) < len(held)
    more = b"x" * len(held)
    del more
    assert meter.peak([os.getpid()]) > 0.9 * len(held)
    os.close(proc_fd)


RIGHT = {
    "xent-2": {"other": inspect.getsource(row_after_row).replace("row_after_row", "lean")},
    "per-3": {"other": inspect.getsource(lengths_with_a_one).replace("lengths_with_a_one", "norms")},
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("answer", ["solution", "other"])
def test_a_right_answer_has_all_points_from_outside_too(hand_in, question, answer):
    lesson, _ = QUESTIONS[question]
    asked = next(one for one in lesson.questions if one.id == question)
    source = "import numpy as np\n" + RIGHT[question].get(answer, asked.solution)
    found = mark(hand_in(with_answer(lesson, question, source)), question)
    assert (found.points, found.outcome) == (asked.points, "passed"), found.message
