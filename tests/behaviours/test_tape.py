"""Rows B01 to B14, as far as the tests of tests/core do not cover them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.dispatch import record_op
from autodiff_kit.core.operation import Op
from autodiff_kit.core.tensor import as_tensor
from autodiff_kit.diagnostics import stepping
from autodiff_kit.errors import TapeError, UnknownGradientError


def test_b01_a_record_can_be_listed_printed_and_stepped_through() -> None:
    """B01: nodes and a table list the record, the table prints itself, and both sweeps can be stepped through."""
    w1, w2 = ak.constant(5.0, name="w1"), ak.constant(3.0, name="w2")
    with stepping.value_keeping_tape() as tape:
        tape.watch([w1, w2])
        z = 3 * w1**2 + 2 * w1 * w2
    assert [node.op for node in tape.nodes] == ["power", "multiply", "multiply", "multiply", "add"]
    table = tape.table()
    assert [row.op for row in table.rows if row.op in {node.op for node in tape.nodes}] == [n.op for n in tape.nodes]
    assert "power" in str(table)
    assert "<table" in table._repr_html_()
    forward = stepping.forward_steps(tape, [w1, w2], [1.0, 0.0])
    assert float(forward[-1].value) == 36.0
    back = stepping.reverse_steps(tape, z)
    totals = {event.to: float(event.total) for event in back}
    assert [totals[0], totals[1]] == [36.0, 10.0]


def test_b03_a_variable_that_is_not_trainable_and_one_that_is_not_read() -> None:
    """B03: a trainable variable that no operation reads is not watched."""
    read, unread, fixed = ak.Variable(1.0), ak.Variable(2.0), ak.Variable(3.0, trainable=False)
    with ak.GradientTape() as tape:
        y = read * fixed
    assert tape.watched_variables() == (read,)
    assert tape.gradient(y, [read, unread, fixed])[1:] == [None, None]
    with ak.GradientTape(watch_accessed_variables=False) as tape:
        y = read * fixed
    assert tape.watched_variables() == ()
    assert tape.gradient(y, read) is None


@pytest.mark.parametrize("order", [("zx", "zy", "yx"), ("yx", "zy", "zx"), ("zy", "yx", "zx")])
def test_b04_gradients_in_any_order(order: tuple[str, ...]) -> None:
    """B04: z = y², y = x² at [1, 3]: one persistent tape gives all three gradients, in any order."""
    x = ak.constant([1.0, 3.0])
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    values = {"x": x, "y": y, "z": z}
    expected = {"zx": [4.0, 108.0], "zy": [2.0, 18.0], "yx": [2.0, 6.0]}
    for above, below in order:
        assert tape.gradient(values[above], values[below]).tolist() == expected[above + below]


def test_b05_a_persistent_tape_keeps_its_values() -> None:
    """B05: repeated gradients do not change the bytes held; without persistent=True the first releases them."""
    w = ak.Variable(np.ones(1000))
    for persistent in (True, False):
        with ak.GradientTape(persistent=persistent) as tape:
            y = ak.exp(w).sum()
        before = tape.nbytes
        assert before >= 8000
        tape.gradient(y, w)
        assert tape.nbytes == (before if persistent else 0)
    with pytest.raises(TapeError, match="persistent=True"):
        tape.gradient(y, w)


def _without_a_rule(x: Any) -> Any:
    op = Op("mystery", np.asarray)
    t = as_tensor(x)
    return record_op(op, t._value, (t._value,), (t.node,))


def test_b10_an_operation_without_a_rule_says_how_to_register_one() -> None:
    """B10: a LookupError that names the operation, in both modes; its advice works."""
    w = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = _without_a_rule(w) * 2.0
    with pytest.raises(
        UnknownGradientError, match=r"'mystery' has no gradient.*register_gradient.*'Mystery'"
    ) as caught:
        tape.gradient(y, w)
    assert isinstance(caught.value, LookupError)
    with pytest.raises(UnknownGradientError, match="mystery"), ak.ForwardAccumulator(w, [1.0, 1.0]):
        _without_a_rule(w)


def test_b12_nested_pauses_and_a_reset_of_watched_values() -> None:
    """B12: operations in a pause are not recorded; after reset neither operations nor watched values are known."""
    w, x = ak.Variable(3.0), ak.constant(2.0)
    with ak.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            unseen = w * x
        y = w * x + unseen
    assert [n.op for n in tape.nodes] == ["multiply", "add"]
    assert [float(g) for g in tape.gradient(y, [w, x])] == [2.0, 3.0]
    tape.reset()
    assert (tape.nodes, tape.watched_variables(), tape.nbytes) == ((), (), 0)
    with tape:
        z = x * w
    assert tape.gradient(z, x) is None


@pytest.mark.parametrize("order", range(1, 7))
def test_b13_derivatives_of_any_order(order: int) -> None:
    """B13: the k-th derivative of x⁶ at 2 by k tapes inside each other; the second of x³ at 3 is 18."""
    assert float(ak.grad(ak.grad(lambda x: x**3))(3.0)) == 18.0
    x = ak.Variable(2.0)

    def derivative(k: int) -> Any:
        if not k:
            return x**6
        with ak.GradientTape() as tape:
            y = derivative(k - 1)
        return tape.gradient(y, x)

    factors = np.prod(range(6, 6 - order, -1))
    assert float(derivative(order)) == pytest.approx(factors * 2.0 ** (6 - order), rel=1e-13)
