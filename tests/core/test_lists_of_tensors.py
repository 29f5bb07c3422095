"""A list of tensors is an operand like an array: it is stacked, and its gradient reaches each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import autodiff_kit as ak

A = np.arange(4.0).reshape(2, 2)

USES: dict[str, tuple[Callable[[Any], Any], float]] = {
    "sum": (lambda x: ak.sum([x, x * 2]), 3.0),
    "mean of a tuple": (lambda x: ak.mean((x, x * 2)), 1.5),
    "max": (lambda x: ak.max([x, 2 * x]), 2.0),
    "asarray": (lambda x: ak.sum(ak.asarray([x, x * x])), 5.0),
    "stack of lists": (lambda x: ak.sum(ak.stack([[x, x * 2], [x, 1.0]])), 4.0),
    "concat of lists": (lambda x: ak.sum(ak.concat([[x, x * 2], [3.0]])), 3.0),
    "where": (lambda x: ak.sum(ak.where([True, False], [x, x * 2], 0.0)), 1.0),
    "matmul": (lambda x: ak.sum(ak.matmul(A, [x, x * 2])), 10.0),
    "factor": (lambda x: ak.sum(ak.constant([1.0, 10.0]) * [x, x * 2]), 21.0),
    "update": (lambda x: ak.sum(ak.zeros(2).at[:].set([x, x * 2])), 3.0),
    "layer": (lambda x: ak.sum(ak.nn.softmax([x * 0.0, x]) * [0.0, 1.0]), 0.1049935854035065),
    "numpy's stack": (lambda x: ak.sum(np.stack([x, x * 2])), 3.0),
}


@pytest.mark.parametrize("name", USES)
def test_in_every_mode(name: str) -> None:
    f, slope = USES[name]
    assert float(ak.grad(f)(2.0)) == pytest.approx(slope)
    assert float(ak.jvp(f, (2.0,), (1.0,))[1]) == pytest.approx(slope)
    compiled = ak.compile(ak.grad(f))
    assert [float(compiled(2.0)) for _ in range(2)] == pytest.approx([slope] * 2)
    assert ak.vmap(ak.grad(f))([2.0, 2.0]).numpy() == pytest.approx(np.full(2, slope))


def test_a_variable_in_a_list() -> None:
    w = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = ak.sum([[w, 1.0], [2.0, w * w]])
    assert float(tape.gradient(y, w)) == 7.0


def test_a_constant_is_a_copy_all_the_same() -> None:
    with pytest.warns(ak.errors.LostGradientWarning, match="ak.stack"):
        assert float(ak.grad(lambda x: ak.sum(ak.constant([x, x])) + x)(2.0)) == 1.0


def test_parts_of_different_shapes_are_an_error() -> None:
    with pytest.raises(ak.errors.ShapeError, match="stack"):
        ak.sum([ak.constant([1.0, 2.0]), 1.0])


class Pair(NamedTuple):
    """Any sequence that is a list or a tuple."""

    a: Any
    b: Any


def test_a_named_tuple() -> None:
    assert float(ak.grad(lambda x: ak.sum(Pair(x, x * 2)))(2.0)) == 3.0
