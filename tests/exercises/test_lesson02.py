"""The graphs of none-2, built on a real tape: what the question calls connected is what the kit calls connected."""

from __future__ import annotations

import operator
import warnings

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.exercises.questions.lesson02.none_1 import misconceptions as none_1
from autodiff_kit.exercises.questions.lesson02.none_2 import misconceptions as none_2
from autodiff_kit.exercises.questions.lesson02.none_2 import solution

MAKE = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "cast": lambda a: ak.cast(a, "int64"),
    "greater": lambda a: ak.greater(a, 0.5),
    "convert": lambda a: a.numpy(),
}


@pytest.mark.parametrize("seed", range(10))
def test_a_graph_on_a_tape_is_connected_as_the_answer_says(seed):
    nodes, target, sources = none_2.random_graph(np.random.default_rng(seed))
    values = []
    with ak.GradientTape(persistent=True) as tape:
        for op, *inputs in nodes:
            made = [values[i] for i in inputs]
            if op == "input":
                values.append(ak.constant(0.25 + len(values)))
                tape.watch(values[-1])
            else:
                values.append(MAKE.get(op, getattr(ak, op, None))(*made))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gradients = [tape.gradient(values[target], values[s]) for s in sources]
    found = solution.connected(nodes, target, sources)
    assert [g is not None for g in gradients] == found
    assert [why.connected for why in tape.explain(values[target], [values[s] for s in sources])] == found
    assert True in found
    assert False in found


def test_the_programs_cover_each_cause_and_three_are_connected():
    causes = [none_1.explanation_by_tape(*drawn)[0] for drawn in none_1.random_programs(np.random.default_rng(0))]
    assert [causes.count(cause) for cause in range(6)] == [3, 2, 3, 4, 2, 3]


def test_what_a_program_says_leaves_nothing_behind():
    import linecache

    before = set(linecache.cache)
    none_1.explanation_by_tape(*none_1.random_programs(np.random.default_rng(1))[3])
    assert set(linecache.cache) == before
