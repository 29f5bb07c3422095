"""A check can overwrite an argument of the previous call, and a learner's function that kept it sees the new values."""

from __future__ import annotations

import numpy as np

from autodiff_kit.exercises.in_process import InProcessRunner
from autodiff_kit.exercises.protocol import Call, ReturnedFunction

X, LATER = np.array([3.0, 4.0]), np.array([10.0, 10.0])


def answers(function, **asked):
    answer = InProcessRunner({"f": function})
    first = answer(Call("f", (X,)))
    assert first.changed == ()
    return answer(Call(ReturnedFunction(first.value.number), (), **asked))


def test_an_argument_of_the_call_before_is_overwritten():
    assert answers(lambda x: lambda: x, overwrite=(LATER,)).value.tolist() == [10.0, 10.0]
    assert answers(lambda x: lambda: x).value.tolist() == [3.0, 4.0]
    assert X.tolist() == [3.0, 4.0]  # the check's own


def test_a_copy_is_not():
    def copies(x):
        held = x.copy()
        return lambda: held

    assert answers(copies, overwrite=(LATER,)).value.tolist() == [3.0, 4.0]


def test_a_locked_one_says_so():
    def locks(x):
        x.flags.writeable = False
        return lambda: x

    assert answers(locks, overwrite=(LATER,), errors=("ValueError",)).error == "ValueError"
