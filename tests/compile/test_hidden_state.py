"""What a compiled function must not take from elsewhere, and plans whose kernels cannot be built."""

from __future__ import annotations

import itertools
import random
import time
from datetime import datetime
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run import execution_plan
from autodiff_kit.errors import ConcretizationError, ShapeError


def test_a_random_draw_is_noticed() -> None:
    rng = np.random.default_rng(0)
    for draw in (lambda: rng.normal(), random.random, lambda: np.random.normal()):  # noqa: NPY002
        with pytest.raises(ConcretizationError, match="random numbers"):
            ak.compile(lambda x, draw=draw: x * draw())(1.0)


def test_a_generator_that_rests_is_no_hindrance() -> None:
    rng = np.random.default_rng(0)
    compiled = ak.compile(lambda x: x * 2.0 if isinstance(rng, np.random.Generator) else x)
    assert float(compiled(1.5)) == 3.0


@pytest.mark.parametrize("items", [iter([1.0, 2.0]), itertools.count(), (n for n in range(3))])
def test_an_iterator_is_noticed(items: Any) -> None:
    with pytest.raises(ConcretizationError, match="iterator"):
        ak.compile(lambda x: x * next(items))(1.0)


def test_a_clock_is_noticed() -> None:
    clock, now = time.perf_counter, datetime
    for read in (lambda: time.time(), lambda: clock(), lambda: now.now().timestamp()):
        with pytest.raises(ConcretizationError, match="clock"):
            ak.compile(lambda x, read=read: x * read())(1.0)


def test_a_function_that_only_waits_is_compiled() -> None:
    def slow(x: Any) -> Any:
        time.sleep(0.0)
        return x * 2.0

    assert float(ak.compile(slow)(2.0)) == 4.0


def test_matmul_of_lengths_that_differ_says_which() -> None:
    with pytest.raises(ShapeError, match=r"matmul of shapes \(3,\) and \(4,\)"):
        ak.compile(lambda a, b: a @ b)(np.ones(3), np.ones(4))


def test_a_trace_that_failed_leaves_no_plan() -> None:
    compiled = ak.compile(lambda x: x.nothing)
    with pytest.raises(AttributeError):
        compiled(1.0)
    assert compiled.plan is None


def test_kernels_that_cannot_be_built_are_said_once_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ak.compile(lambda x: ak.sum(ak.exp(x) * 2.0))
    given = np.ones(100)
    value = float(compiled(given))
    plan = compiled.plan

    def fail(*_: Any) -> None:
        raise OSError("no room")

    monkeypatch.setattr(execution_plan.ExecutionPlan, "build", fail)
    plan.build_or_explain()
    assert isinstance(plan.build_error, OSError)
    with pytest.warns(RuntimeWarning, match="no room") as said:
        assert float(compiled(given)) == value
    assert said[0].filename == __file__
    assert float(compiled(given)) == value  # silent from now on
    monkeypatch.undo()
    plan.build_or_explain()
    assert plan.build_error is None
    assert float(compiled(given)) == pytest.approx(value, rel=1e-14)


def test_printing_while_tracing_says_that_there_are_no_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    w = ak.Variable([1.0, 2.0])

    def show(x: Any) -> Any:
        print(x, repr(x * 2.0), f"{x}", w.read_value())
        return x * w

    assert ak.compile(show)(ak.constant([1.0, 2.0])).tolist() == [1.0, 4.0]
    assert ak.vmap(show)(np.ones((3, 2))).shape == (3, 2)
    traced = "Tensor(traced, shape=(2,), dtype=float64)"
    compiled, batched = capsys.readouterr().out.splitlines()
    assert compiled == f"{traced} {traced} traced {traced}"
    assert batched.startswith(f"{traced} {traced} traced Tensor([1., 2.]")


def test_a_result_whose_shape_depends_on_numbers_is_refused() -> None:
    with pytest.raises(ConcretizationError, match="unique, whose result has a shape that depends on the values"):
        ak.compile(np.unique)(np.array([1.0, 2.0]))
    by_integers = ak.compile(lambda ids: np.unique(ids) * 2)
    with pytest.raises(ConcretizationError, match=r"result of unique has shape \(2,\) here, and had \(1,\)"):
        by_integers(np.array([3, 5]))


def _filled(v: Any) -> Any:
    array = np.zeros(4)
    for k in range(4):
        array[k] = v[k] * 2.0
    return ak.sum(array)


def _changed(v: Any) -> Any:
    v[0] = 3.0
    return v


def _sliding(v: Any) -> Any:
    return ak.scan(lambda c, i: (c + ak.sum(v[i : i + 2]), None), 0.0, ak.arange(3))[0]


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (_filled, r"ak\.stack in place of writing"),  # NumPy said "setting an array element with a sequence"
        (ak.grad(_filled), r"ak\.stack in place of writing"),
        (_changed, r"ak\.asarray\(x\)\.at\[\.\.\.\]\.set"),
        (_sliding, r"x\[start \+ ak\.arange\(n\)\]"),
        (lambda v: _sliding(ak.asarray(v)), r"x\[start \+ ak\.arange\(n\)\]"),  # it asked for an integer
        (lambda v: ak.topk(v, ak.argmax(v))[0], "topk.*an index or a length needs numbers"),
        (lambda v: ak.vmap(lambda i: ak.asarray(v)[i : i + 2])(np.arange(3)), r"x\[start \+ ak\.arange\(n\)\]"),
    ],
)
def test_a_part_that_is_read_or_written_says_how(f: Any, message: str) -> None:
    with pytest.raises(ConcretizationError, match=message):
        ak.compile(f)(np.arange(4.0))


def test_parts_from_a_traced_start_of_known_length() -> None:
    """What the message about slices proposes."""

    def windows(v: Any) -> Any:
        return ak.scan(lambda c, i: (c.at[i + ak.arange(2)].set(0.0), c[i + ak.arange(2)]), ak.asarray(v), [0, 2])

    rest, read = ak.compile(windows)(np.arange(4.0))
    assert rest.tolist() == [0.0] * 4
    assert read.tolist() == [[0.0, 1.0], [2.0, 3.0]]
