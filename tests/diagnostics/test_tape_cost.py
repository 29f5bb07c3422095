"""Cost of a tape, compared with counts by hand and with a trace of the reverse pass itself (B21)."""

from __future__ import annotations

import gc
from dataclasses import FrozenInstanceError
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS
from autodiff_kit.diagnostics.node_cost import OperationCosts, cost_key
from autodiff_kit.diagnostics.operation_cost import (
    _rule_arithmetic,
    backward_rule_flops,
    forward_flops,
    only_moves_entries,
)
from autodiff_kit.diagnostics.table_format import format_count
from autodiff_kit.diagnostics.tape_cost import TapeCost, cost

rng = np.random.default_rng(0)


def weights(*shape: int) -> ak.Variable:
    return ak.Variable(rng.normal(size=shape) / 3)


# -------------------------------------------------------------------------------- products, exactly
@pytest.mark.parametrize(("m", "k", "n"), [(32, 5, 7), (1, 1, 1), (2, 3, 4), (0, 3, 4), (5, 1, 6)])
def test_b21_a_product_costs_2mkn_and_4mkn(m: int, k: int, n: int) -> None:
    """B21: forward and backward, with both factors followed."""
    a, b = weights(m, k), weights(k, n)
    with ak.GradientTape() as tape:
        _ = a @ b
    assert (tape.cost().forward, tape.cost().backward) == (2 * m * k * n, 4 * m * k * n)


@pytest.mark.parametrize("followed", ["left", "right"])
def test_a_product_with_data_costs_2mkn_backward(followed: str) -> None:
    data, weight = (rng.normal(size=(6, 6)), weights(6, 6))
    with ak.GradientTape() as tape:
        _ = weight @ data if followed == "left" else data @ weight
    assert (tape.cost().forward, tape.cost().backward) == (2 * 6**3, 2 * 6**3)


def test_a_cumulative_product_costs_n_and_3n() -> None:
    """Two operations a step for the recurrence, and one for the product; none for shifting entries."""
    x = weights(7)
    with ak.GradientTape() as tape:
        _ = ak.cumprod(x)
    assert (tape.cost().forward, tape.cost().backward) == (7, 3 * 7)


def test_the_network_of_lesson_18() -> None:
    """Dense 5-8-4 on ten rows, products only: the first layer's input is data."""
    x, first, second = rng.normal(size=(10, 5)), weights(5, 16), weights(16, 2)
    with ak.GradientTape() as tape:
        _ = (x @ first) @ second
    assert (tape.cost().forward, tape.cost().backward) == (1600 + 640, 1600 + 2 * 640)


def test_a_product_of_labels_costs_what_the_product_of_matrices_does() -> None:
    a, b = weights(3, 4), weights(4, 5)
    with ak.GradientTape() as tape:
        _ = ak.einsum("ij,jk->ik", a, b)
    assert (tape.cost().forward, tape.cost().backward) == (2 * 3 * 4 * 5, 4 * 3 * 4 * 5)


def test_loops_count_as_often_as_they_ran() -> None:
    w = weights(4, 4)
    h = rng.normal(size=(3, 4))
    with ak.GradientTape() as tape:
        for _ in range(7):
            h = h @ w
    (row,) = tape.cost().rows
    assert (row.nodes, row.flops, row.op) == (7, 7 * 2 * 3 * 4 * 4, "matmul")
    once, added = 2 * 3 * 4 * 4, 16  # the first left factor is data; w is read seven times, which takes six sums
    assert row.flops_back == once + 6 * 2 * once + 6 * added


def test_reading_twice_adds_once() -> None:
    x = weights(10)
    with ak.GradientTape() as tape:
        _ = x * x
    assert tape.cost().backward == 10 + 10 + 10


def test_broadcast_gradients_cost_additions() -> None:
    x, b = weights(8, 3), weights(3)
    with ak.GradientTape() as tape:
        _ = x + b
    assert tape.cost().backward == 8 * 3 - 3


def test_a_stack_of_products_sums_gradients_of_shared_factors() -> None:
    x, w = rng.normal(size=(6, 4, 3)), weights(3, 5)
    with ak.GradientTape() as tape:
        _ = x @ w
    assert tape.cost().backward == 2 * 6 * 4 * 3 * 5 + (6 - 1) * 3 * 5


def test_moving_entries_is_free_and_gathering_costs_sums() -> None:
    x = weights(4, 6)
    with ak.GradientTape() as tape:
        _ = ak.transpose(x).reshape((3, 8))[[0, 2, 2]]
    assert (tape.cost().forward, tape.cost().backward) == (0, 24)


def test_paths_that_end_cost_nothing_backward() -> None:
    x = weights(5)
    with ak.GradientTape() as tape:
        _ = ak.floor(ak.exp(x))
    assert (tape.cost().forward, tape.cost().backward) == (10, 0)


def test_a_user_defined_gradient_counts_as_one_operation() -> None:
    @ak.custom_gradient
    def twice(x: Any) -> Any:
        return 2.0 * x, lambda g: 2.0 * g

    x = weights(5)
    with ak.GradientTape() as tape:
        y = twice(x)
    told = tape.cost(target=y)
    assert (told.forward, told.backward) == (5, 5)


def test_operations_that_a_target_does_not_use_cost_nothing() -> None:
    x = weights(5)
    with ak.GradientTape() as tape:
        y = ak.exp(x)
        _ = ak.sin(x)
    assert tape.cost(target=y).backward == 5
    assert tape.cost(target=[y, y]).backward == 5
    assert tape.cost().backward == 5 + 10 + 5
    assert tape.cost(target=x).backward == 0


# -------------------------------------------------------------------------------- against the sweep itself
def network() -> Any:
    x, layers = rng.normal(size=(32, 16)), [(weights(16, 32), weights(32)), (weights(32, 10), weights(10))]

    def run() -> Any:
        h: Any = x
        for k, (w, b) in enumerate(layers):
            h = h @ w + b if k else ak.tanh(h @ w + b)
        return ak.mean(ak.nn.sparse_softmax_cross_entropy(np.arange(32) % 10, h))

    return run


def squares() -> Any:
    x, first, second = rng.normal(size=(32, 2)), weights(2, 8), weights(8, 1)
    return lambda: ak.mean((ak.nn.relu(x @ first) @ second - 1.0) ** 2)


def attention() -> Any:
    x, keep = rng.normal(size=(4, 10, 16)), np.arange(10) < 7
    queries, keys, values = weights(16, 16), weights(16, 16), weights(16, 16)

    def run() -> Any:
        scores = (x @ queries) @ ak.swapaxes(x @ keys, -1, -2) * 0.25
        out = ak.nn.masked_softmax(scores, keep) @ (x @ values)
        return ak.sum(out * out)

    return run


def recurrent() -> Any:
    x, inputs, states, b = rng.normal(size=(12, 8, 6)), weights(6, 64), weights(16, 64), weights(64)

    def run() -> Any:
        h: Any = np.zeros((8, 16))
        c: Any = np.zeros((8, 16))
        for row in x:
            z = row @ inputs + h @ states + b
            i, f, g, o = (z[:, 16 * k : 16 * (k + 1)] for k in range(4))
            c = ak.sigmoid(f) * c + ak.sigmoid(i) * ak.tanh(g)
            h = ak.sigmoid(o) * ak.tanh(c)
        return ak.sum(h * h)

    return run


def numbers() -> Any:
    a = ak.Variable(0.3)

    def run() -> Any:
        y: Any = a
        for _ in range(30):
            y = ak.sin(y) * a + ak.exp(-y) / (1.0 + y * y)
        return y

    return run


def matrices() -> Any:
    root = rng.normal(size=(12, 12))
    a = ak.Variable(root @ root.T + 12 * np.eye(12))
    return lambda: ak.sum(ak.cholesky(a) * ak.inv(a)) + ak.det(a * 0.1) + ak.sum(ak.einsum("ij,kj->ik", a, a) * a)


@pytest.mark.parametrize("make", [network, squares, attention, recurrent, numbers, matrices], ids=lambda f: f.__name__)
def test_the_cost_equals_that_of_a_recorded_sweep(make: Any) -> None:
    run = make()
    with ak.GradientTape() as outer:
        with ak.GradientTape() as inner:
            y = run()
        told = inner.cost()
        before = len(outer._record.nodes)
        weight = ak.constant(np.ones(y.shape))
        outer.watch(weight)
        inner.gradient(y, inner.watched_variables(), output_gradients=weight)
    prices = OperationCosts()
    measured = sum(prices[cost_key(node)][0] for node in outer._record.nodes[before:])
    assert told.backward == pytest.approx(measured, rel=0.1)


# -------------------------------------------------------------------------------- rows
@pytest.fixture
def three_lines() -> Any:
    x, w = rng.normal(size=(32, 5)), weights(5, 7)
    with ak.GradientTape() as tape:
        h = x @ w  # the most expensive
        h = ak.tanh(h) + h
        loss = ak.sum(h)
    return tape, loss, w


def test_rows_are_lines_most_expensive_first(three_lines: Any) -> None:
    tape, _, _ = three_lines
    told = tape.cost()
    assert told.rows[0].code == "h = x @ w  # the most expensive"
    assert [row.nodes for row in told.rows] == [1, 2, 1]
    assert sum(row.flops for row in told.rows) == told.forward
    assert told.rows[1].op == "tanh, add"
    assert told.bytes == 8 * (3 * 32 * 7 + 1)
    assert told.rest.nodes == 0


def test_b21_the_five_most_expensive_lines_are_listed() -> None:
    """B21: of seven lines the five most expensive, by their text; the totals include all lines."""
    w = [weights(n, n) for n in range(2, 9)]
    with ak.GradientTape() as tape:
        _ = w[0] @ w[0]
        _ = w[6] @ w[6]
        _ = w[1] @ w[1]
        _ = w[5] @ w[5]
        _ = w[2] @ w[2]
        _ = w[4] @ w[4]
        _ = w[3] @ w[3]
    told = tape.cost()
    assert [row.code for row in told.rows] == [f"_ = w[{k}] @ w[{k}]" for k in (6, 5, 4, 3, 2)]
    assert told.forward == sum(2 * n**3 for n in range(2, 9))
    assert told.rest.flops == 2 * 2**3 + 2 * 3**3


def test_the_rest_is_added_up(three_lines: Any) -> None:
    tape, _, _ = three_lines
    full, short_one = tape.cost(), tape.cost(top=1)
    assert (short_one.forward, short_one.backward) == (full.forward, full.backward)
    assert short_one.rest.flops == full.forward - full.rows[0].flops
    assert short_one.rest.nodes == 3
    assert tape.cost(top=0).rows == ()
    assert tape.cost(top=0).rest.flops_back == full.backward


def test_by_operation_and_by_node(three_lines: Any) -> None:
    tape, _, _ = three_lines
    assert {row.op for row in tape.cost(by="op").rows} == {"matmul", "tanh", "add", "sum"}
    assert all(row.line == 0 and row.cell == "" for row in tape.cost(by="op").rows)
    assert [row.nodes for row in tape.cost(by="node").rows] == [1, 1, 1, 1]


def test_a_released_tape_has_the_same_cost(three_lines: Any) -> None:
    tape, loss, w = three_lines
    before = str(tape.cost())
    tape.gradient(loss, w)
    gc.collect()
    assert tape.nbytes == 0
    assert str(tape.cost()) == before


def test_a_released_node_keeps_the_shape_of_a_constant_only() -> None:
    w = weights(3, 2)
    with ak.GradientTape() as tape:
        y = rng.normal(size=(4, 3)) @ w
    tape.gradient(y, w)
    (node,) = tape._record.nodes
    assert node.saved is None
    assert not any(isinstance(part, np.ndarray) for part in node.parts)


def test_while_recording_and_when_empty() -> None:
    x = weights(3)
    with ak.GradientTape() as tape:
        assert (tape.cost().forward, tape.cost().backward, tape.cost().rows) == (0, 0, ())
        _ = ak.exp(x)
        assert tape.cost().forward == 3
    assert str(ak.GradientTape().cost()) == "0 operations forward, 0 backward, on 0 nodes"


def test_rows_do_not_change(three_lines: Any) -> None:
    told = three_lines[0].cost()
    with pytest.raises(FrozenInstanceError):
        told.forward = 0
    with pytest.raises(FrozenInstanceError):
        told.rows[0].nodes = 0


# -------------------------------------------------------------------------------- views
def test_text(three_lines: Any) -> None:
    text = str(three_lines[0].cost(top=1))
    assert repr(three_lines[0].cost(top=1)) == text
    head, titles, first, rest = text.splitlines()
    assert head.startswith("2,912 operations forward, ")
    assert titles.split() == ["line", "operation", "forward", "backward", "answers", "nodes", "code"]
    assert "test_tape_cost.py, line" in first
    assert first.endswith("h = x @ w  # the most expensive")
    assert "all others" in rest


class _Reader(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def test_html_is_escaped_and_sets_no_colours() -> None:
    x = weights(3)
    with ak.GradientTape() as tape:
        _ = ak.where(x < 0, x * 2.0, "<b>&" and x)
    source = tape.cost()._repr_html_()
    reader = _Reader(source)
    assert "b" not in reader.tags
    assert any('"<b>&" and x' in cell for cell in reader.cells)
    assert "color" not in source
    assert reader.tags.count("tr") == 2


def test_picture_has_two_bars_a_row(three_lines: Any) -> None:
    from matplotlib import pyplot as plt

    told: TapeCost = three_lines[0].cost(top=1)
    axes = told.plot()
    forward, backward = axes.containers
    assert [bar.get_width() for bar in forward] == [told.rows[0].flops, told.rest.flops]
    assert [bar.get_width() for bar in backward] == [told.rows[0].flops_back, told.rest.flops_back]
    assert axes.get_xlabel() == "floating-point operations"
    assert told.plot(axes) is axes
    plt.close(axes.figure)


@pytest.mark.parametrize(
    ("n", "unit", "text"),
    [
        (0, "", "0"),
        (999_999, "", "999,999"),
        (12_345_678, "", "12.35 M"),
        (2e9, "", "2 G"),
        (3e15, "", "3000 T"),
        (999, "B", "999 B"),
        (1792, "B", "1.792 kB"),
    ],
)
def test_short_counts(n: float, unit: str, text: str) -> None:
    assert format_count(n, unit) == text


# -------------------------------------------------------------------------------- bad input
@pytest.mark.parametrize("arguments", [{"by": "cell"}, {"by": None}, {"top": -1}, {"top": 1.5}, {"top": "5"}])
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(ak.AutodiffError, match="by must be|top must be"):
        ak.GradientTape().cost(**arguments)


def test_only_tapes() -> None:
    with pytest.raises(ak.errors.DtypeError, match=r"tape.cost\(\)"):
        cost(ak.Variable(1.0))  # type: ignore[arg-type]


def test_every_operation_has_a_count() -> None:
    for op in OPS.values():
        try:
            assert_it_has_a_count(op)
        except Exception as error:
            error.add_note(op.name)
            raise


def assert_it_has_a_count(op: Any) -> None:
    """Shapes alone are enough for any operation; operations that only move or inspect entries are free."""
    inputs = len(op.vjps) if op.vjps is not None else 1
    value = np.broadcast_to(np.zeros(()), (4, 4))
    params = {"labels": ((0, 1), (1, 2))} if op.name == "einsum" else {}
    cost = forward_flops(op, value, *[value] * inputs, **params)
    assert type(cost) is int
    assert cost > 0 or only_moves_entries(op) or op.name == "identity"
    assert backward_rule_flops(op, value, *[value] * inputs, asked=tuple(range(inputs)), **params) >= 0


def test_reading_an_assigned_variable_again_is_free() -> None:
    w = ak.Variable([1.0, 2.0, 3.0])
    with ak.GradientTape() as tape:
        first = w * 2.0
        w.assign([4.0, 5.0, 6.0])
        second = w * 3.0
    assert {row.op: row.flops for row in tape.cost(by="op").rows} == {"multiply": 6, "read": 0}
    assert first.shape == second.shape == (3,)


@pytest.mark.parametrize(("name", "count"), [("Max", 1), ("Logsumexp", 9), ("Prod", 6), ("Norm2", 4), ("Matmul", 0)])
def test_arithmetic_with_axes_is_not_counted(name: str, count: int) -> None:
    """Rules also compute where an axis goes, in helpers; only arithmetic with entries is a cost."""
    op = OPS[name]
    assert op.vjps is not None
    assert _rule_arithmetic(op.vjps[0], op.family == "linear")[0] == count
