"""What a tape records, its gradients, and its errors. Rows B01 to B12 of behaviours.md."""

from __future__ import annotations

import gc
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import DtypeError, StructureError, TapeError


def numbers(nest: Any) -> list[Any]:
    return [None if g is None else g.tolist() for g in nest]


def test_b01_gradients_of_two_weights() -> None:
    """B01: z = 3 w1² + 2 w1 w2 at (5, 3) gives (36, 10), and the record can be listed."""
    w1, w2 = ak.Variable(5.0), ak.Variable(3.0)
    with ak.GradientTape() as tape:
        z = 3 * w1**2 + 2 * w1 * w2
    assert numbers(tape.gradient(z, [w1, w2])) == [36.0, 10.0]
    assert [node.op for node in tape.nodes] == ["power", "multiply", "multiply", "multiply", "add"]


def test_b01_without_a_tape_nothing_is_recorded() -> None:
    """B01: an operation outside a tape leaves no trace, and no tape knows it."""
    w = ak.Variable(2.0)
    y = w * w
    with ak.GradientTape() as tape:
        z = w * 3.0
    assert len(tape.nodes) == 1
    assert tape.gradient([y, z], w).tolist() == 3.0


def test_b02_sources_in_any_nesting() -> None:
    """B02: the gradient comes back in the structure of the sources, with the numbers of the row."""
    x = ak.constant([[1.0, 2.0, 3.0]])
    pair = namedtuple("pair", "w b")
    params = pair(ak.Variable([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), ak.Variable([0.0, 0.0]))
    with ak.GradientTape(persistent=True) as tape:
        loss = ak.mean((x @ params.w + params.b) ** 2)
    dw, db = [[2.2, 2.8], [4.4, 5.6], [6.6, 8.4]], [2.2, 2.8]
    np.testing.assert_allclose(tape.gradient(loss, params).w.numpy(), dw, rtol=1e-14)
    found = tape.gradient(loss, {"layers": [params.w, (params.b,)], "bias": params.b})
    np.testing.assert_allclose(found["layers"][0].numpy(), dw, rtol=1e-14)
    np.testing.assert_allclose(found["layers"][1][0].numpy(), db, rtol=1e-14)
    np.testing.assert_allclose(found["bias"].numpy(), db, rtol=1e-14)
    assert isinstance(found["layers"][1], tuple)
    assert tape.gradient(loss, []) == []
    assert tape.gradient(loss, {}) == {}


def test_b03_what_a_tape_watches() -> None:
    """B03: trainable variables automatically, others and tensors only after watch."""
    trained, still, tensor = ak.Variable(2.0), ak.Variable(3.0, trainable=False), ak.constant(4.0)
    with ak.GradientTape(persistent=True) as tape:
        y = trained * still * tensor
    assert numbers(tape.gradient(y, [trained, still, tensor])) == [12.0, None, None]
    assert tape.watched_variables() == (trained,)
    with ak.GradientTape() as tape:
        tape.watch([still, tensor])
        y = trained * still * tensor
    assert numbers(tape.gradient(y, [trained, still, tensor])) == [12.0, 8.0, 6.0]


def test_b03_watching_explicitly_only() -> None:
    """B03: sin(x0) + softplus(x1) at (0, 10), only x1 watched."""
    x0, x1 = ak.Variable(0.0), ak.Variable(10.0)
    with ak.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y = ak.sin(x0) + ak.softplus(x1)
    none, g = tape.gradient(y, [x0, x1])
    assert none is None
    assert float(g) == pytest.approx(0.9999546, abs=1e-7)


def test_an_intermediate_value_can_be_watched() -> None:
    """The value keeps its history, its gradient is computed as usual, and its hook runs once."""
    w = ak.Variable([1.0, 2.0])
    for single in (w, ak.Variable(2.0)):
        with ak.GradientTape() as tape:
            middle = single * 2.0
            tape.watch(middle)
            middle.register_hook(lambda g: 10.0 * g)
            y = (middle**2).sum()
        assert numbers(tape.gradient(y, [middle, single])) == numbers([20.0 * middle, 40.0 * middle])
    with ak.GradientTape() as outer:
        middle = w * 2.0
        with ak.GradientTape() as inner:
            inner.watch(middle)
            y = (middle**3).sum()
        slope = inner.gradient(y, middle)
    assert outer.gradient(slope, [w, middle])[0].tolist() == [24.0, 48.0]


def test_a_variable_that_is_read_again_is_one_source() -> None:
    """Reads before and after other operations are the same leaf, so their gradients add up."""
    w = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = (w * w).sum() + ak.exp(w).sum() + w.read_value()[0]
    np.testing.assert_allclose(tape.gradient(y, w).numpy(), 2 * w.numpy() + np.exp(w.numpy()) + [1.0, 0.0])


def test_b04_intermediate_values() -> None:
    """B04: z = y², y = x² at [1, 3], in any order from one persistent tape."""
    x = ak.constant([1.0, 3.0])
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert tape.gradient(z, x).tolist() == [4.0, 108.0]
    assert tape.gradient(y, x).tolist() == [2.0, 6.0]
    assert tape.gradient(z, y).tolist() == [2.0, 18.0]
    assert numbers(tape.gradient(z, [x, y, x])) == [[4.0, 108.0], [2.0, 18.0], [4.0, 108.0]]
    assert tape.gradient(y, y).tolist() == [1.0, 1.0]
    assert tape.gradient([y, z], y).tolist() == [3.0, 19.0]


def test_b05_a_second_gradient_is_an_error_with_advice() -> None:
    """B05: a RuntimeError that says what happened and what to do; the list of operations is still there."""
    w = ak.Variable(np.ones(100))
    with ak.GradientTape() as tape:
        y = ak.exp(w).sum()
    assert tape.nbytes >= 800
    tape.gradient(y, w)
    assert tape.nbytes == 0
    assert [node.op for node in tape.nodes] == ["exp", "sum"]
    with pytest.raises(TapeError, match=r"persistent=True") as caught:
        tape.gradient(y, w)
    assert isinstance(caught.value, RuntimeError)
    with pytest.raises(TapeError):
        tape.jacobian(y, w)


def test_a_failed_gradient_also_releases_the_tape_unless_persistent() -> None:
    w = ak.Variable(1.0)
    with ak.GradientTape(persistent=True) as tape:
        y = w * w
    with pytest.raises(DtypeError):
        tape.gradient(y, [w, 3.0])
    assert float(tape.gradient(y, w)) == 2.0


def test_b05_what_the_record_holds() -> None:
    """B05: for relu a mask of one byte per entry, for add and sum nothing, for multiply its inputs; each array once."""
    w = ak.Variable(np.linspace(-1.0, 1.0, 1000))
    sizes = {}
    for name, f in {
        "relu": ak.nn.relu, "add": lambda x: x + x, "sum": ak.sum, "square": lambda x: x * x, "exp": ak.exp,
        "reshape": lambda x: x.reshape(10, 100), "scaled": lambda x: 3.0 * x, "index": lambda x: x[::2],
    }.items():  # fmt: skip
        with ak.GradientTape() as tape:
            y = f(w)
        sizes[name] = tape.nbytes
        assert tape.gradient(y, w) is not None
    small = {name: n for name, n in sizes.items() if n < 100}
    assert set(small) == {"add", "sum", "reshape", "scaled", "index"}
    assert sizes["relu"] == 1000
    assert sizes["square"] == sizes["exp"] == 8000


def test_b05_a_dropped_tape_frees_its_arrays_while_tensors_exist() -> None:
    """B05: the values of a persistent tape are released when it is deleted."""
    w = ak.Variable(np.ones(10))
    tape = ak.GradientTape(persistent=True)
    with tape:
        hidden = ak.exp(w)
        y = hidden.sum()
    record = tape._record
    assert len(record.nodes) == 2
    del tape
    gc.collect()
    assert record.nodes == []
    assert float(y) == pytest.approx(10 * np.e)


def test_b06_targets_that_are_not_scalars() -> None:
    """B06: the gradient of the sum, several targets together, and weights of elements."""
    x = ak.Variable(2.0)
    with ak.GradientTape(persistent=True) as tape:
        y0, y1 = x**2, ak.exp(1 / x)
        vector = ak.stack([y0, y1])
    assert float(tape.gradient(y0, x)) == 4.0
    assert float(tape.gradient(y1, x)) == pytest.approx(-0.4121803, abs=1e-7)
    assert float(tape.gradient({"y0": y0, "y1": y1}, x)) == pytest.approx(3.5878196, abs=1e-7)
    assert float(tape.gradient(vector, x)) == pytest.approx(3.5878196, abs=1e-7)
    assert float(tape.gradient(vector, x, output_gradients=[2.0, 0.0])) == 8.0
    assert float(tape.gradient([y0, y1], x, output_gradients=[10.0, 0.0])) == 40.0
    assert float(tape.gradient([y0, y1], x, output_gradients=[None, 0.0])) == 4.0


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([np.ones(2)], "structure as the targets: expected 2 values, one for each, got 1"),
        (np.ones(2), "got a ndarray"),
        ([np.ones(3), 1.0], r"target 0 has shape \(3,\), but the target has \(2,\)"),
        ([[1.0, 2.0], [1.0]], r"target 1 has shape \(1,\), but the target has \(\)"),
    ],
)
def test_weights_that_do_not_fit(weights: Any, words: str) -> None:
    w = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y, z = w * w, w.sum()
    with pytest.raises(StructureError, match=words) as caught:
        tape.gradient([y, z], w, output_gradients=weights)
    assert isinstance(caught.value, ValueError)


def test_b07_only_the_branch_that_ran_is_connected() -> None:
    """B07: v0 if x > 0 else v1² gives (1, None), and None for x."""
    x, v0, v1 = ak.constant(1.0), ak.Variable(2.0), ak.Variable(2.0)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = v0 if x > 0 else v1**2
    assert numbers(tape.gradient(y, [v0, v1, x])) == [1.0, None, None]


def test_b07_a_loop_until_a_condition() -> None:
    """B07: while abs(x) < 100: x = 2x; the gradient is that of the executed steps."""
    for start, slope in ((3.124, 64.0), (3.125, 32.0)):
        with ak.GradientTape() as tape:
            first = x = ak.constant(start)
            tape.watch(x)
            while abs(x) < 100:
                x = x * 2
        assert float(tape.gradient(x, first)) == slope


def test_b08_five_ways_to_none() -> None:
    """B08: replaced by a tensor, left the record, through an integer, through state, never connected."""
    x0, x1 = ak.Variable(3.0), ak.Variable(2.0)
    with ak.GradientTape() as tape:
        moved = x0 + 1
        y = moved * 2.0
    assert tape.gradient(y, ak.Variable(4.0)) is None
    with ak.GradientTape() as tape:
        left = ak.constant(np.asarray(x0 * 2.0))
        y = left * 2.0
    assert tape.gradient(y, x0) is None
    with ak.GradientTape() as tape:
        y = ak.cast(ak.cast(x0, "int64"), "float64") * 2.0
    assert tape.gradient(y, x0) is None
    with ak.GradientTape(persistent=True) as tape:
        x1.assign_add(x0 * 2.0)
        y = x1**2
    assert float(y) == 64.0
    assert numbers(tape.gradient(y, [x0, x1])) == [None, 16.0]
    with ak.GradientTape() as tape:
        y = x0 * x0
        shifted = x0 + 1e-3
    assert tape.gradient(y, shifted) is None


def test_b09_zeros_in_place_of_none() -> None:
    """B09: zeros in the source's shape and dtype."""
    w, other = ak.Variable(1.0), ak.Variable(np.ones((2, 3)), dtype="float32")
    with ak.GradientTape(persistent=True) as tape:
        y = w * w
    assert tape.gradient(y, other) is None
    zero = tape.gradient(y, other, unconnected_gradients="zero")
    assert (zero.shape, zero.dtype, zero.numpy().any()) == ((2, 3), np.float32, False)
    whole = tape.jacobian(y, [w, other], unconnected_gradients="zero")
    assert whole[1].shape == (2, 3)
    with pytest.raises(StructureError, match=r'"none" or "zero"'):
        tape.gradient(y, w, unconnected_gradients="ones")
    with pytest.raises(StructureError, match="mode"):
        tape.jacobian(y, w, mode="sideways")


def test_b10_operations_without_a_gradient_give_none() -> None:
    """B10: registered as not differentiable."""
    w = ak.Variable([1.5, -2.5])
    for f in (ak.floor, ak.round, ak.sign, ak.ceil, ak.trunc, lambda x: ak.cast(x > 0, "float64"), ak.isnan):
        with ak.GradientTape() as tape:
            y = f(w)
        assert tape.gradient(y, w) is None


def test_an_integer_variable_has_no_gradient_instead_of_a_rounded_one() -> None:
    w, other = ak.Variable([1, 2], name="w"), ak.Variable(0.5)
    for persistent in (False, True):
        with ak.GradientTape(persistent=persistent) as tape:
            y = ak.sum(w * other) + ak.sum(w * 0.5)
        assert [v.name for v in tape.watched_variables()] == [None]
        found = tape.gradient(y, [w, other])
        assert found[0] is None
        assert float(found[1]) == 3.0
    assert tape.explain(y, w).kind == "whole"
    with ak.GradientTape() as outer, ak.GradientTape() as tape:
        y = w * 0.5
    assert tape.gradient(y, w) is None
    assert outer.gradient(w, w) is None


def test_b11_watching_an_integer_warns() -> None:
    """B11: a warning that names the dtype and the remedy, and None."""
    x = ak.constant(5)
    with ak.GradientTape() as tape:
        with pytest.warns(UserWarning, match=r"int64.*5\.0 instead of 5"):
            tape.watch(x)
        y = x * 2
    assert tape.gradient(y, x) is None


def test_watching_something_else_is_an_error() -> None:
    with ak.GradientTape() as tape, pytest.raises(DtypeError, match="float; use ak.constant"):
        tape.watch([1.0])
    with pytest.raises(TapeError, match="inside the tape's block"):
        tape.watch(ak.constant(1.0))


# ------------------------------------------------------------------- variables that several tapes read and that change
def test_an_inner_tape_follows_a_variable_that_changes_inside_of_it() -> None:
    x = ak.Variable(1.0)
    with ak.GradientTape(persistent=True) as outer:
        u = x * 1.0
        x.assign(2.0)
        with ak.GradientTape(persistent=True) as inner:
            v = x * x
            x.assign(3.0)
            w = x * x
    assert [float(inner.gradient(t, x)) for t in (v, w, [v, w])] == [4.0, 6.0, 10.0]
    assert [float(outer.gradient(t, x)) for t in (u, v, w, [u, v, w])] == [1.0, 4.0, 6.0, 11.0]


def test_a_tape_follows_what_an_inner_one_has_read_while_it_was_paused() -> None:
    x = ak.Variable(3.0)
    with ak.GradientTape() as outer, ak.GradientTape() as inner:
        with outer.stop_recording():
            x * 1.0
        z = x * x
    assert float(outer.gradient(z, x)) == float(inner.gradient(z, x)) == 6.0


def test_a_tape_that_is_entered_again_inside_another_one() -> None:
    x = ak.Variable(3.0)
    inner = ak.GradientTape(persistent=True)
    with inner:
        x * x
    with ak.GradientTape() as outer:
        w = x * 2.0
        with inner:
            z = w + x * x
    assert float(outer.gradient(z, x)) == 8.0


# ----------------------------------------------------------------------------------------------------- small questions
@pytest.mark.parametrize("result", ["int64", "bool"])
def test_the_cotangent_of_an_integer_result_is_no_integer(result: str) -> None:
    straight = ak.custom_gradient(lambda v: (ak.cast(v, result), lambda g: g))
    x = ak.Variable([1.7, 2.3])
    with ak.GradientTape() as tape:
        y = straight(x) * 0.5
    assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.5]


def test_a_variable_as_the_weights_of_targets_has_a_gradient() -> None:
    x, v = ak.Variable([1.0, 2.0]), ak.Variable([3.0, 4.0])
    with ak.GradientTape() as outer:
        with ak.GradientTape() as tape:
            y = x**3
        g = tape.gradient(y, x, output_gradients=v)
    assert outer.gradient(g, v).numpy().tolist() == [3.0, 12.0]


def test_a_wrong_source_leaves_the_tape_as_it_is() -> None:
    x = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = x * x
    with pytest.raises(ak.errors.DtypeError, match="sources must be tensors or variables"):
        tape.gradient(y, [x, 2.0])
    assert float(tape.gradient(y, x)) == 6.0


@pytest.mark.parametrize("inner", ["tape", "accumulator", "grad"])
def test_a_paused_tape_keeps_its_sources(inner: str) -> None:
    """Something else follows the same value, or variable, while the tape is paused."""
    x, w = ak.constant(3.0), ak.Variable(2.0)
    with ak.GradientTape() as tape:
        tape.watch(x)
        a = x * 2.0 + w
        with tape.stop_recording():
            if inner == "tape":
                with ak.GradientTape() as other:
                    other.watch(x)
                    x * w * 10.0
            elif inner == "accumulator":
                with ak.ForwardAccumulator([x, w], [1.0, 1.0]):
                    x * w * 10.0
            else:
                ak.grad(lambda z: z * w)(x)
        c = x * 100.0 + w * w
    assert [float(g) for g in tape.gradient([a, c], [x, w])] == [102.0, 5.0]


def test_a_reading_during_a_pause_counts_for_nobody() -> None:
    x = ak.Variable(1.0)
    with ak.GradientTape() as tape:
        a = x * x
        x.assign(2.0)
        with tape.stop_recording():
            x * 1.0
        c = x * x
    assert float(tape.gradient([a, c], x)) == 6.0


@pytest.mark.parametrize("value", [0.0, 5.0, [0.0, 0.0]])
def test_a_reading_has_nothing_from_later_ones(value: Any) -> None:
    """An assignment has no path; the gradients of all readings meet at the first."""
    w = ak.Variable(np.ones_like(value))
    with ak.GradientTape(persistent=True) as outer, ak.GradientTape(persistent=True) as tape:
        w.read_value()
        w.assign(value)
        b = w.read_value()
        w.assign(np.asarray(value) + 2.0)
        y = ak.sum(b * 3.0 + w * 5.0)
    for one in (outer, tape):
        np.testing.assert_array_equal(one.gradient(y, b).numpy(), np.full_like(b.numpy(), 3.0))
        np.testing.assert_array_equal(one.gradient(y, w).numpy(), np.full_like(b.numpy(), 8.0))


def test_a_tape_that_was_opened_again_and_one_that_was_paused() -> None:
    """Neither has the readings of the other: the next one passes its gradient to both."""
    w = ak.Variable(1.0)
    inner = ak.GradientTape(persistent=True)
    with inner:
        first = w * 1.0
    w.assign(2.0)
    with ak.GradientTape(persistent=True) as outer:
        second = w * w
        with inner:
            w.assign(3.0)
            third = w * w
    assert float(outer.gradient([second, third], w)) == 10.0
    assert float(inner.gradient([first, third], w)) == 7.0
