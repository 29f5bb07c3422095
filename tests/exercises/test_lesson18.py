"""Lesson 18's costs are the kit's: what the questions call right is what a tape counts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.exercises.questions.lesson18.flop_1 import solution as flop_1
from autodiff_kit.exercises.questions.lesson18.flop_2 import misconceptions as bracketing
from autodiff_kit.exercises.questions.lesson18.flop_2 import solution as flop_2
from autodiff_kit.exercises.questions.lesson18.flop_3 import misconceptions as programs
from autodiff_kit.exercises.questions.lesson18.flop_3 import solution as flop_3

CHAIN = [4, 8, 8, 2]


@pytest.mark.parametrize("x_grad", [False, True])
def test_a_chain_of_layers_costs_what_a_tape_says(x_grad):
    y = ak.Variable(np.ones((10, 4))) if x_grad else np.ones((10, 4))
    weights = [ak.Variable(np.ones(shape)) for shape in pairwise(CHAIN)]
    with ak.GradientTape() as tape:
        for weight in weights:
            y = y @ weight
    bill = tape.cost()
    assert (bill.forward, bill.backward) == flop_1.cost(CHAIN, 10, x_grad)


@pytest.mark.parametrize("seed", range(20))
def test_a_program_costs_what_a_tape_says(seed):
    lines = programs.random_program(np.random.default_rng(seed))
    assert (
        programs.cost_on_tape(lines)
        == flop_3.dearest(programs.executed_products(lines))
        == programs.most_expensive_lines(programs.executed_products(lines))
    )
    text = programs.program_source(lines).splitlines()
    assert all("@" in text[line - 1] for line, *_ in programs.executed_products(lines))


def every_order(dims):
    """All ways of bracketing, one after the other."""
    if len(dims) == 2:
        return [0]
    return [
        dims[i - 1] * dims[i] * dims[i + 1] + rest
        for i in range(1, len(dims) - 1)
        for rest in every_order(dims[:i] + dims[i + 1 :])
    ]


@pytest.mark.parametrize("seed", range(10))
def test_the_cheapest_order_is_the_cheapest_of_all(seed):
    rng = np.random.default_rng(seed)
    dims = [int(size) for size in rng.integers(1, 30, size=int(rng.integers(2, 8)))]
    orders = every_order(dims)
    assert flop_2.cheapest(dims) == min(orders)
    assert {
        bracketing.forward_mode_cost(dims),
        bracketing.reverse_mode_cost(dims),
        bracketing.greedy_cost(dims),
    } <= set(orders)
