"""Attempts of a notebook to deceive the checks: numbers are compared outside, so it can only return values."""

from __future__ import annotations

import pytest

from ..notebooks import LESSON, LESSONS, answered, code, with_cell

FULL = float(LESSON.points)
POINTS = {question.id: float(question.points) for question in LESSON.questions}
LIAR = """
class Equal(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __le__(self, other): return True
    def __sub__(self, other): return self
    def __abs__(self): return self
    def __array__(self, *args, **kwargs): raise SystemExit
"""


def of(result, question):
    return next(mark for mark in result.marks if mark.question == question)


def test_an_answer_that_equals_everything(hand_in):
    wrong = LIAR + "def brake(slots, last_gradient, b1):\n    return Equal(1.0)"
    assert of(hand_in(answered(adam_5=wrong)), "adam-5").points == 0


def test_arrays_of_objects_that_equal_everything(hand_in):
    wrong = (
        LIAR + "import numpy as np\ndef brake(slots, last_gradient, b1):\n    return np.array([Equal(1.0)] * 3, object)"
    )
    assert of(hand_in(answered(adam_5=wrong)), "adam-5").points == 0


def test_a_patched_numpy_and_patched_builtins(hand_in):
    patched = """
import numpy as np, builtins, math
yes = lambda *args, **kwargs: True
for name in ("allclose", "isclose", "array_equal", "array_equiv", "abs", "isfinite", "any", "all", "shares_memory"):
    setattr(np, name, yes)
np.testing.assert_allclose = yes
for name in ("abs", "all", "isinstance", "len"):
    setattr(builtins, name, yes)
"""
    found = answered(adam_5="def brake(slots, last_gradient, b1):\n    return 0.0")
    found["cells"].append(code(patched))
    assert of(hand_in(found), "adam-5").points == 0


def test_a_patched_kit(hand_in):
    patched = """
import sys
for name, module in list(sys.modules.items()):
    if name.startswith("autodiff_kit.exercises") or name.startswith("autodiff_kit.grade"):
        for thing in list(vars(module)):
            if thing in ("close", "grade", "number", "numbers", "_verdict", "untouched", "_bad"):
                setattr(module, thing, lambda *args, **kwargs: True)
"""
    found = answered(adam_5="def brake(slots, last_gradient, b1):\n    return 0.0")
    found["cells"].append(code(patched))
    assert of(hand_in(found), "adam-5").points == 0


def test_forged_scores_on_the_line_to_the_grader(hand_in):
    forged = """
import gc, json, os
for descriptor in range(3, 64):
    try:
        os.write(descriptor, b'{"kind": "ready", "fields": {"states": {}}, "values": [], "arrays": []}\\n')
    except OSError:
        pass
"""
    found = answered(leave=("adam-1",))
    found["cells"].insert(2, code(forged))
    result = hand_in(found)
    assert of(result, "adam-1").points == 0
    assert result.score <= FULL - POINTS["adam-1"]


def test_garbage_on_the_line_to_the_grader(hand_in):
    garbage = (
        "import os\nfor d in range(3, 64):\n    try: os.write(d, b'\\x00\\xff garbage \\n')\n    except OSError: pass"
    )
    result = hand_in(with_cell(garbage))
    assert (result.status, result.score) == ("tampered", FULL)
    assert "wrote to the connection" in result.reason


def test_forged_replies_count_as_answers(hand_in):
    """A notebook that takes over the connection can still only return values, and wrong ones are wrong."""
    taken = """
import gc
from autodiff_kit.grade.rpc import RpcConnection
connection = next(one for one in gc.get_objects() if type(one) is RpcConnection)
connection.send("ready", states={name: "there" for name in ("adam_step", "motion", "frozen_step", "drift", "brake", "migrate")})
while True:
    connection.receive("call", "end")
    connection.send("reply", [0.0, ()], warning="", place="", changed=[], shared=[])
"""
    result = hand_in(with_cell(taken))
    assert result.score == 0


@pytest.mark.parametrize("size", ["10**8", "10**7 * 3"])
def test_an_answer_that_is_too_large(hand_in, size):
    large = f"import numpy as np\ndef brake(slots, last_gradient, b1):\n    return np.broadcast_to(1.0, ({size},))"
    result = hand_in(answered(adam_5=large))
    assert of(result, "adam-5").points == 0
    assert result.score == FULL - POINTS["adam-5"]


def test_an_answer_that_contains_itself(hand_in):
    endless = "def brake(slots, last_gradient, b1):\n    a = []\n    a.append(a)\n    return a"
    result = hand_in(answered(adam_5=endless))
    assert (result.status, result.score) == ("graded", FULL - POINTS["adam-5"])


def test_the_worked_answers_cannot_be_imported(hand_in):
    stolen = "from autodiff_kit.exercises.questions.lesson15.adam_5.solution import brake"
    result = hand_in(answered(adam_5=stolen))
    assert of(result, "adam-5").points == 0


def test_a_handle_survives_nonsense_arguments(hand_in):
    lesson = LESSONS["01"]
    nonsense = """
def row(kit, f, x, i):
    for bad in (None, "x", 10**400, [[]], lambda: 0, object(), float("nan")):
        for use in (kit.vjp, kit.jvp, f):
            try:
                use(bad, bad)
            except Exception:
                pass
    return x

def column(kit, f, x, j):
    return kit.vjp(kit.vjp, kit)

def gradient(kit, f, x):
    return gradient(kit, f, x)
"""
    result = hand_in(answered(lesson, jvp_2=nonsense))
    assert of(result, "jvp-2").points == 0
    assert result.score == lesson.points - 2


def test_calls_that_call_each_other_without_end(hand_in):
    lesson = LESSONS["01"]
    deep = """
def jvp_by_pulls(kit, f, x, v):
    def again(u):
        y, pull = kit.vjp(again, u)
        return y
    return kit.vjp(again, x)[0]
"""
    result = hand_in(answered(lesson, jvp_3=deep))
    assert of(result, "jvp-3").points == 0
    assert result.score >= lesson.points - 3


def test_handles_cannot_fill_the_graders_memory(hand_in):
    lesson = LESSONS["01"]
    greedy = """
import numpy as np
def jvp_by_pulls(kit, f, x, v):
    kept = []
    while True:
        kept = kit.vjp(f, np.ones((len(x), 20_000)))
"""
    result = hand_in(answered(lesson, jvp_3=greedy))
    assert "called too often" in of(result, "jvp-3").message
    assert result.score == lesson.points - 3


def test_a_reply_with_very_many_changed_places_is_one_reply(hand_in):
    changed = """
import autodiff_kit.grade.inside.notebook_runner as inside
class Claims(list):
    pass
import json
plain_send = inside.RpcConnection.send
def send(self, kind, values=None, **fields):
    if kind == "reply":
        fields["changed"] = [0, 0, -1, 10**30] * 10_000
    plain_send(self, kind, values, **fields)
inside.RpcConnection.send = send
"""
    result = hand_in(with_cell(changed))
    assert result.status == "graded"
    assert result.score == 0
