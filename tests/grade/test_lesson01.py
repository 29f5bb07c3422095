"""Lesson 01 in a sandbox: sweeps are counted at the function itself, so that no other kit escapes the count."""

from __future__ import annotations

from .notebooks import LESSONS, answered

WHOLE = """
import numpy as np
import autodiff_kit as ak

def whole(f, x):
    y, pull = ak.vjp(f, x)
    return np.stack([np.asarray(pull(row)) for row in np.eye(len(y))])
"""
ROWS = """
def row(kit, f, x, i):
    return whole(f, x)[i]

def column(kit, f, x, j):
    return whole(f, x)[:, j]

def gradient(kit, f, x):
    return whole(f, x).sum(0)
"""
PUSH = """
def jvp_by_pulls(kit, f, x, v):
    return whole(f, x) @ v
"""


def of(result, question):
    return next(mark for mark in result.marks if mark.question == question)


def test_a_whole_jacobian_by_another_kit_is_counted(hand_in):
    result = hand_in(answered(LESSONS["01"], jvp_2=WHOLE + ROWS, jvp_3=WHOLE + PUSH))
    for question in ("jvp-2", "jvp-3"):
        assert of(result, question).misconception == "jacobian-first"
        assert of(result, question).points < of(result, question).max_points


def test_the_worked_answers_earn_all(hand_in):
    result = hand_in(answered(LESSONS["01"]))
    assert result.score == result.max_score
