"""Whatever a learner's function returns or raises, a check ends in a message and never in a traceback."""

from __future__ import annotations

import re
import signal
import sys

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.collector import restore_collector
from autodiff_kit.core.record import open_records
from autodiff_kit.exercises import in_process
from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.questions import LESSONS

ASKED = []


class Evil:
    """Says yes to everything, and tells when it was asked."""

    def _told(self, *args, **kwargs):
        ASKED.append("asked")
        return np.float64(0)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _told
    __array__ = __float__ = __bool__ = __len__ = __iter__ = __getitem__ = __index__ = __abs__ = _told
    __sub__ = __rsub__ = __mul__ = __add__ = __radd__ = __rmul__ = __array_ufunc__ = numpy = _told
    __hash__ = object.__hash__


class Agreeable(float):
    def __eq__(self, other):
        ASKED.append("asked")
        return True

    __hash__ = float.__hash__


class AgreeableArray(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs):
        ASKED.append("asked")
        return np.True_


def forever():
    value = []
    value.append(value)
    return value


def objects():
    array = np.empty(2, object)
    array[0] = Evil()
    return array


def raises(*args, **kwargs):
    raise RuntimeError("a learner's own words")


ANSWERS = {
    "None": lambda: [None][0],
    "text": lambda: "1.0",
    "a list": lambda: [1.0, 2.0],
    "a tuple of text": lambda: ("a", "b"),
    "two Nones": lambda: (None, None),
    "three Nones": lambda: (None, None, None),
    "a number": lambda: 1.5,
    "NaN": lambda: np.full(3, np.nan),
    "infinity": lambda: np.full((3, 2), np.inf),
    "an array of another shape": lambda: np.zeros((1, 2, 1)),
    "two arrays of another shape": lambda: (np.zeros((1, 2, 1)), np.zeros((1, 2, 1))),
    "an empty array": lambda: np.zeros(0),
    "complex": lambda: np.zeros(3, complex),
    "objects": objects,
    "text in an array": lambda: np.array(["1.0"]),
    "a dictionary": lambda: {"m": "x"},
    "a dictionary of odd keys": lambda: {Evil(): 1},
    "slots of nonsense": lambda: (np.zeros(3), {"m": "x", "v": [], "t": None}),
    "a function": lambda: raises,
    "a set": lambda: {1, 2},
    "a list that holds itself": forever,
    "an agreeable object": Evil,
    "two agreeable objects": lambda: (Evil(), Evil()),
    "an agreeable float": lambda: Agreeable(1),
    "an agreeable array": lambda: np.zeros(3).view(AgreeableArray),
    "a class": lambda: Evil,
}


def test_any_answer_is_met_with_a_sentence(question):
    for kind, answer in ANSWERS.items():
        ASKED.clear()
        functions = dict.fromkeys(question.writes, lambda *_, answer=answer, **__: answer())
        verdict = grade_attempt(question, functions, 3)
        assert verdict.outcome in ("error", "not yet"), kind
        assert len(verdict.message) > 20, kind
        assert verdict.share == 0, kind
        assert ASKED == [], kind


def test_an_exception_is_shown_with_the_learners_line(question):
    verdict = grade_attempt(question, dict.fromkeys(question.writes, raises), 3)
    assert verdict.outcome == "error"
    assert "RuntimeError: a learner's own words" in verdict.message
    assert "raise RuntimeError(" in verdict.message
    assert "cost no try" in verdict.message


class WithoutWordsError(Exception):
    def __str__(self):
        return self.nobody_set_this


class OddWordsError(Exception):
    def __str__(self):
        return "\udc80" + "x" * 100_000


@pytest.mark.parametrize("error", [WithoutWordsError, OddWordsError])
def test_an_exception_with_odd_words_of_its_own_is_shown_too(error):
    def fail(*_args, **_kwargs):
        raise error

    question = LESSONS["01"].questions[0]
    verdict = grade_attempt(question, dict.fromkeys(question.writes, fail), 1)
    assert verdict.outcome == "error"
    assert f"stopped with {error.__name__}: " in verdict.message
    assert len(verdict.message.encode()) < 3000


def test_a_wrong_signature_is_an_error_that_costs_nothing(question):
    verdict = grade_attempt(question, {name: lambda: 1.0 for name in question.writes}, 3)
    assert verdict.outcome == "error"
    assert "TypeError" in verdict.message


def test_leaving_in_another_way_is_an_error_too(question):
    for leave in (SystemExit, RecursionError, MemoryError, StopIteration, GeneratorExit):

        def leaves(*args, leave=leave, **kwargs):
            raise leave

        verdict = grade_attempt(question, dict.fromkeys(question.writes, leaves), 3)
        assert verdict.outcome == "error", leave
        assert leave.__name__ in verdict.message


def test_an_interrupt_of_an_endless_loop_is_told_with_its_line(question):
    def endless(*args, **kwargs):
        raise KeyboardInterrupt

    verdict = grade_attempt(question, dict.fromkeys(question.writes, endless), 3)
    assert verdict.outcome == "error"
    assert "still running when you stopped it" in verdict.message
    assert "raise KeyboardInterrupt" in verdict.message


def test_a_tape_that_was_being_opened_when_the_time_was_up_is_closed(monkeypatch):
    monkeypatch.setattr(in_process, "SECONDS_FOR_A_CALL", 0.2)

    def loop(x, limit, factor):
        ak.GradientTape().__enter__()  # the alarm may ring before the block begins
        while True:
            pass

    verdict = grade_attempt(LESSONS.load_question("loop-1"), {"loop": loop}, 3)
    assert "had not returned after 0.2 seconds" in verdict.message
    assert open_records.records == []
    restore_collector()  # the alarm would have rung before the collector was told


@pytest.mark.parametrize("timer", [True, False])
def test_an_endless_loop_is_stopped_and_told_with_its_line(monkeypatch, timer):
    if timer and not in_process.HAS_TIMER_SIGNALS:
        pytest.skip("this system has no interval timers")
    monkeypatch.setattr(in_process, "HAS_TIMER_SIGNALS", timer)
    monkeypatch.setattr(in_process, "SECONDS_FOR_A_CALL", 0.2)
    before = signal.getsignal(signal.SIGALRM), sys.gettrace()

    def loop(x, limit, factor):
        while x < limit:
            try:
                x = float(x) * factor if x > 0 else x
            except Exception:  # noqa: BLE001 - as a learner writes it
                continue
        return x, 1.0

    verdict = grade_attempt(LESSONS.load_question("loop-1"), {"loop": loop}, 3)
    assert verdict.outcome == "error"
    assert "had not returned after 0.2 seconds" in verdict.message
    assert re.search(r"line \d+: (while|x = |try)", verdict.message)
    assert (signal.getsignal(signal.SIGALRM), sys.gettrace()) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_arguments_that_were_written_into_are_noticed(question, solutions):
    def spoil(function):
        def spoils(*args, **kwargs):
            answer = function(*args, **kwargs)
            spoiled.extend(np.negative(a, out=a) for a in args if type(a) is np.ndarray and a.dtype.kind == "f")
            return answer

        return spoils

    spoiled = []
    verdict = grade_attempt(question, {name: spoil(f) for name, f in solutions(question).items()}, 3)
    if spoiled:
        assert verdict.outcome == "not yet"
        assert "changed" in verdict.message or "were changed" in verdict.message
    else:
        assert verdict.outcome == "passed"


def test_nothing_is_changed_for_the_next_call_by_a_function_that_spoils_its_input():
    from autodiff_kit.exercises.in_process import InProcessRunner
    from autodiff_kit.exercises.protocol import Call

    def f(x):
        x += 1
        return x

    given = np.zeros(3)
    reply = InProcessRunner({"f": f})(Call("f", (given,)))
    assert reply.changed == (0,)
    assert given.tolist() == [0, 0, 0]
    assert reply.value.tolist() == [1, 1, 1]
