"""Arrays that report floating-point errors by themselves report what NumPy reports by the processor's signals."""

from __future__ import annotations

import operator
import warnings
from itertools import product

import numpy as np
import pytest

from autodiff_kit.exercises import in_process
from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.float_signals import unwatched, watched, watching_numpy
from autodiff_kit.exercises.protocol import ReturnedFunction, plain_copy
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.ops.lapack import raise_if_failed
from autodiff_kit.platform import HAS_FLOATING_POINT_SIGNALS

SPECIAL = (0.0, -0.0, 1.0, -2.5, 1e200, -1e200, 1e-200, np.inf, -np.inf, np.nan)
ONE = (
    np.log, np.log1p, np.log2, np.exp, np.expm1, np.sqrt, np.reciprocal, np.square, np.sin, np.tan, np.arcsin,
    np.arctanh, np.arccosh, np.sinh, np.abs, np.negative, np.sign, np.floor,
)  # fmt: skip
TWO = (
    np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.hypot, np.arctan2,
    np.copysign, np.fmod,
)  # fmt: skip

pytestmark = pytest.mark.skipif(not HAS_FLOATING_POINT_SIGNALS, reason="nothing to compare with: no signals here")


def outcome(call, *arguments):
    """What a call gives: a value as text, or the floating-point error."""
    with np.errstate(divide="raise", over="raise", invalid="raise", under="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return repr(np.asarray(unwatched(call(*arguments))).tolist())
        except (FloatingPointError, RuntimeWarning) as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("ufunc", ONE, ids=lambda ufunc: ufunc.__name__)
def test_functions_of_one_number(ufunc):
    for x in SPECIAL:
        plain = np.array([1.0, x, 0.5])
        assert outcome(ufunc, watched(plain)) == outcome(ufunc, plain), x


@pytest.mark.parametrize("ufunc", TWO, ids=lambda ufunc: ufunc.__name__)
def test_functions_of_two_numbers(ufunc):
    for x, z in product(SPECIAL, SPECIAL):
        if ufunc is np.power and np.isinf(z):
            continue  # the C library reports errors for some of these, although an input is infinite
        a, b = np.array([1.0, x]), np.array([2.0, z])
        expected = outcome(ufunc, a, b)
        assert outcome(ufunc, watched(a), b) == expected, (x, z)
        assert outcome(ufunc, a, watched(b)) == expected, (x, z)


@pytest.mark.parametrize(
    "operate",
    [
        lambda a, b: a / b, lambda a, b: a * b, lambda a, b: a - b, lambda a, b: a**b, lambda a, b: 1 / (a + b),
        lambda a, b: (a + b) * 1e200, lambda a, b: -a / b, lambda a, b: a < b, lambda a, b: abs(a),
    ],
)  # fmt: skip
def test_scalars_that_come_from_watched_arrays(operate):
    for x, z in product(SPECIAL, SPECIAL):
        plain = np.array([x, z])
        mine = watched(plain)
        assert outcome(operate, *mine) == outcome(operate, *plain), (x, z)


@pytest.mark.parametrize(
    "call",
    [
        np.sum, np.mean, np.prod, np.max, np.cumsum, np.linalg.norm, np.var, np.median, lambda x: x @ x,
        lambda x: x.sum() / 0, lambda x: x / x.sum(), lambda x: np.where(x > 0, np.log(x), 0.0), np.nan_to_num,
        lambda x: np.log(x, out=np.zeros(3), where=x > 0), lambda x: np.divide(1.0, x, out=np.ones(3), where=x != 0),
        lambda x: np.stack([x, x]) / 0.0, lambda x: np.concatenate([x, x]).astype(np.float32) * 1e30,
    ],
)  # fmt: skip
def test_reductions_masks_and_outputs(call):
    for x in SPECIAL:
        plain = np.array([2.0, x, 3.0])
        assert outcome(call, watched(plain.copy())) == outcome(call, plain.copy()), x


def test_operations_in_place_report_and_write():
    for x in SPECIAL:
        plain, mine = np.array([1.0, x]), watched(np.array([1.0, x]))
        alias = mine

        assert outcome(operator.itruediv, mine, np.array([2.0, 0.0])) == outcome(
            operator.itruediv, plain, np.array([2.0, 0.0])
        ), x
        assert alias[0] == 0.5


def test_levels_are_those_of_errstate():
    x = watched(np.array([0.0]))
    with np.errstate(all="ignore"):
        assert np.isinf(1 / x)[0]
    with np.errstate(divide="warn"), pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        np.divide(1.0, x)


@pytest.mark.parametrize("name", ["inv", "solve", "cholesky"])
def test_failures_of_lapack_are_raised(name):
    arrays = (np.zeros((2, 2)), np.ones(2))[: 2 if name == "solve" else 1]
    with pytest.raises(np.linalg.LinAlgError) as expected:
        getattr(np.linalg, name)(*arrays)
    with pytest.raises(np.linalg.LinAlgError, match=str(expected.value)):
        raise_if_failed(name, arrays, np.full((2, 2), np.nan))  # what NumPy returns without signals
    raise_if_failed(name, (np.eye(2), *arrays[1:]), np.eye(2))


def test_what_leaves_is_plain():
    def remote(function):
        return ReturnedFunction(0)

    mine = watched(np.array([1.0, 2.0]))
    for value, kind in ((mine * 2, np.ndarray), (mine.sum(), np.ndarray), ([mine[0]], list)):
        assert type(plain_copy(value, remote)) is kind
    assert type(plain_copy([mine[0]], remote)[0]) is np.ndarray
    assert type(unwatched(mine[0])) is np.float64
    assert len({mine[0], mine[1], float(mine[0])}) == 2
    assert isinstance(mine[0], float)


def test_what_a_function_makes_with_numpy_is_watched():
    names = {"np": np, "other": np.linalg}
    with watching_numpy(names):
        mine = names["np"]
        assert outcome(lambda: 1 / mine.zeros(2)) == outcome(lambda: 1 / np.zeros(2))
        assert outcome(lambda: mine.log(0.0)) == outcome(lambda: np.log(0.0))
        assert outcome(lambda: mine.exp(mine.array(watched(np.array([800.0]))))) == outcome(
            lambda: np.exp(np.array([800.0]))
        )
        assert outcome(lambda: mine.linalg.norm(np.ones(2)) / 0) == outcome(lambda: np.linalg.norm(np.ones(2)) / 0)
        assert (mine.float32(2.0) * mine.ones(2, np.float32)).dtype == np.float32
        assert mine.add(mine.ones(2, np.float32), 2.0).dtype == np.float32
        assert mine.add.reduce(np.arange(4)) == 6
        assert isinstance(mine.ones(2), mine.ndarray)
        out = mine.zeros(2)
        mine.add.at(out, [0, 0], 1.0)
        assert out[0] == 2
    assert names == {"np": np, "other": np.linalg}


# Questions whose wrong answers raise floating-point errors.
WITH_SIGNALS = ("loop-1", "floor-1", "mask-1", "mask-2", "seg-1", "seg-3", "adam-1", "per-2", "msg-2", "where-3")


def assert_same_without_signals(question, answers, monkeypatch):
    expected = {label: grade_attempt(question, functions, 0) for label, functions in answers.items()}
    monkeypatch.setattr(in_process, "HAS_FLOATING_POINT_SIGNALS", False)
    for label, functions in answers.items():
        got, had = grade_attempt(question, functions, 0), expected[label]
        assert (got.outcome, got.misconception, got.share) == (had.outcome, had.misconception, had.share), label


def answers_of(question, wrong_ones, solutions):
    wrong = {label: functions for label, (functions, _) in wrong_ones[question.id].items()}
    return {"": solutions(question)} | {
        label: dict(zip(question.writes, functions, strict=True)) for label, functions in wrong.items()
    }


@pytest.mark.parametrize("id", WITH_SIGNALS)
def test_verdicts_are_the_same_without_signals(id, wrong_ones, solutions, monkeypatch):
    question = LESSONS.load_question(id)
    assert_same_without_signals(question, answers_of(question, wrong_ones, solutions), monkeypatch)


@pytest.mark.slow
def test_every_verdict_is_the_same_without_signals(question, wrong_ones, solutions, monkeypatch):
    assert_same_without_signals(question, answers_of(question, wrong_ones, solutions), monkeypatch)
