"""Tapes, live nodes and exceptions of a call, as a check can measure them; lesson 00 counts bytes as the kit does."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.tape_observer import set_tape_observer
from autodiff_kit.exercises.in_process import InProcessRunner
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.questions.lesson00.tape_4 import misconceptions, solution
from autodiff_kit.exercises.tape_meter import TapeMeter

OPS = {"mul": ak.multiply, "add": ak.add, **{name: getattr(ak, name) for name in ("exp", "sin", "square", "sum")}}
OPS["relu"] = ak.nn.relu


def test_bytes_of_lesson_00_are_those_of_the_kit():
    for seed in range(40):
        program, n = misconceptions.random_program(np.random.default_rng(seed)), 10 + seed
        values = [ak.Variable(np.linspace(-1, 1, n)), ak.Variable(np.linspace(0.1, 1, n))]
        with ak.GradientTape() as tape:
            inputs = len(values)
            for op, *ins in program:
                values.append(OPS[op](*(values[i] for i in ins)))
        assert len(values) == inputs + len(program)
        assert tape.nbytes == solution.held(program, n), (seed, program)


def opens(x, keep):
    with ak.GradientTape(persistent=True) as tape:
        y = ak.square(ak.Variable(x))
    keep.append(tape)
    return y


def test_tapes_are_counted_and_weighed():
    kept = []
    functions = {
        "free": lambda x: opens(opens(x, []), []),
        "held": lambda x: opens(x, kept),
        "none": lambda x: x,
        "circle": circle,
    }
    answer, x = InProcessRunner(functions), np.ones(3)
    assert answer(Call("free", (x,), tapes=True)).tapes == (2, 0)
    assert answer(Call("held", (x,), tapes=True)).tapes == (1, 24)
    assert answer(Call("none", (x,), tapes=True)).tapes == (0, 0)
    assert answer(Call("circle", (x,), tapes=True)).tapes == (1, 0)
    assert answer(Call("held", (x,))).tapes == (0, 0)


def circle(x):
    around = []
    around.append(around)
    return opens(x, around)


def test_who_looked_before_goes_on_looking():
    mine = TapeMeter(True)
    with mine:
        InProcessRunner({"f": lambda x: opens(x, [])})(Call("f", (1.0,), tapes=True))
        opens(1.0, [])
    assert mine.count() == (2, 0)
    before = set_tape_observer(None)
    set_tape_observer(before)
    assert before is not mine


def test_an_exception_that_is_an_answer_is_told_and_others_end_the_attempt():
    def deep(n):
        return 1 + deep(n - 1)

    answer = InProcessRunner({"deep": deep})
    assert answer(Call("deep", (5,), errors=("RecursionError",))).error == "RecursionError"
    assert answer(Call("deep", (5,), errors=("LookupError", "RuntimeError"))).error == "RuntimeError"
    with pytest.raises(LearnerCodeError, match="RecursionError"):
        answer(Call("deep", (5,), errors=("LookupError",)))


def test_living_nodes_are_counted():
    def steps(x, around, keep):
        kept, total = [], 0.0
        for _ in range(20):
            with ak.GradientTape(persistent=True) as tape:
                loss = ak.sum(ak.square(ak.Variable(x)))
            kept.append({"nothing": None, "losses": loss, "tapes": tape}[keep])
            total += float(loss)
        with ak.GradientTape() as tape:
            for _ in range(around):
                total = total + ak.sum(ak.Variable(x))
        return total

    answer, x = InProcessRunner({"steps": steps}), np.ones(3)

    def most(around, keep):
        return answer(Call("steps", (x, around, keep), tapes=True)).nodes

    assert 0 < most(0, "nothing") <= 6  # two steps of two operations and a source: the last and the new one
    assert 16 <= most(0, "losses") <= 20  # each is a node itself, as it was after the sixteenth; it holds no others
    assert 48 <= most(0, "tapes") <= 54  # whole records
    assert 40 <= most(20, "nothing") <= 66  # on one tape, after twenty others
    assert answer(Call("steps", (x, 0, "nothing"))).nodes == 0


def test_objects_from_before_are_frozen_only_while_a_call_is_counted(monkeypatch):
    earlier = ak.GradientTape(persistent=True)
    with earlier:
        ak.square(ak.Variable(1.0))
    frozen = []
    answer = InProcessRunner({"f": lambda x: frozen.append(gc.get_freeze_count()) or opens(x, [])})
    monkeypatch.setattr(TapeMeter, "_frozen_by_others", None)  # pytest has frozen its tests
    gc.unfreeze()
    try:
        assert answer(Call("f", (1.0,), tapes=True)).nodes == 1  # the square, without those of before
        assert frozen[0] > 10_000
        assert gc.get_freeze_count() == 0
    finally:
        gc.freeze()
    monkeypatch.setattr(TapeMeter, "_frozen_by_others", None)
    assert answer(Call("f", (1.0,), tapes=True)).nodes == 1
    assert gc.get_freeze_count() > 10_000  # what others froze stays frozen
