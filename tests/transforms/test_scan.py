"""``ak.scan``: the loop that it stands for, in values and derivatives, alone and inside other transforms."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, DtypeError, ShapeError, StructureError, TapeError

X = np.random.default_rng(5).uniform(0.5, 1.5, (21, 3))  # more steps than a short stack has members
W = np.array([0.3, -0.2, 0.1])


def step(carry: Any, x: Any, w: Any = W) -> Any:
    new = ak.tanh(carry * w + x)
    return new, ak.sum(new * carry)


def scanned(xs: Any, w: Any = W, reverse: bool = False) -> Any:
    carry, ys = ak.scan(lambda c, x: step(c, x, w), np.ones(3), xs, reverse=reverse)
    return ak.sum(carry) + ak.sum(ak.sin(ys) * np.arange(len(X)))


def looped(xs: Any, w: Any = W, reverse: bool = False) -> Any:
    carry, ys = ak.constant(np.ones(3)), {}
    for k in range(len(X))[:: -1 if reverse else 1]:
        carry, ys[k] = step(carry, xs[k], w)
    return ak.sum(carry) + ak.sum(ak.sin(ak.stack([ys[k] for k in range(len(X))])) * np.arange(len(X)))


def assert_near(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("reverse", [False, True])
def test_derivatives_are_those_of_the_loop(reverse: bool) -> None:
    x, w, along = ak.constant(X), ak.constant(W), ak.constant(X[::-1])
    assert_near(scanned(x, w, reverse), looped(x, w, reverse))
    for place in (0, 1):
        assert_near(ak.grad(scanned, place)(x, w, reverse), ak.grad(looped, place)(x, w, reverse))
    assert_near(
        ak.jvp(lambda x: scanned(x, w, reverse), (x,), (along,))[1],
        ak.jvp(lambda x: looped(x, w, reverse), (x,), (along,))[1],
    )
    assert_near(ak.hvp(lambda x: scanned(x, w, reverse), x, along), ak.hvp(lambda x: looped(x, w, reverse), x, along))


def test_inside_other_transforms() -> None:
    batch = np.stack([X, 1.1 * X])
    expected = ak.stack([ak.grad(looped)(ak.constant(x)) for x in batch])
    assert_near(ak.vmap(ak.grad(scanned))(batch), expected)
    assert_near(ak.compile(ak.vmap(ak.grad(scanned)))(batch), expected)
    assert_near(ak.compile(ak.grad(scanned))(ak.constant(X)), ak.grad(looped)(ak.constant(X)))


def test_a_variable_that_the_step_refers_to() -> None:
    w = ak.Variable(W)
    with ak.GradientTape() as tape:
        loss = scanned(X, w)
    assert_near(tape.gradient(loss, w), ak.grad(looped, 1)(ak.constant(X), ak.constant(W)))


def test_structures() -> None:
    def f(carry: Any, x: Any) -> Any:
        return {"sum": carry["sum"] + x["a"]}, (x["a"] * 2.0, {"b": x["b"]})

    carry, ys = ak.scan(f, {"sum": 0.0}, {"a": [1.0, 2.0], "b": np.eye(2)})
    assert float(carry["sum"]) == 3.0
    assert ys[0].tolist() == [2.0, 4.0]
    assert ys[1]["b"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert float(ak.scan(lambda c, _: (2.0 * c, None), 1.0, length=10)[0]) == 1024.0
    assert ak.scan(lambda c, _: (2.0 * c, None), 1.0, length=10)[1] is None
    assert ak.scan(lambda c, x: (c, x), 1.0, np.zeros((0, 2))) == (1.0, None)


def test_numbers_in_the_first_carry_are_tensors_in_every_mode() -> None:
    def total(xs: Any) -> Any:
        return ak.scan(lambda c, x: ((c[0] + x, c[1] + 1), None), (0.0, 0), xs)[0]

    for f in (total, ak.compile(total)):
        found, count = f(np.ones(3, np.float32))
        assert (float(found), found.dtype, int(count), count.dtype) == (3.0, np.float64, 3, np.int64)
    assert ak.scan(lambda c, x: (c, x), 2.0, length=0)[0].dtype == np.float64


def test_errors_say_what_does_not_fit() -> None:
    with pytest.raises(ShapeError, match=r"2, 3 entries"):
        ak.scan(lambda c, x: (c, x), 0.0, (np.zeros(2), np.zeros(3)))
    with pytest.raises(ShapeError, match="length is 4"):
        ak.scan(lambda c, x: (c, x), 0.0, np.zeros(2), length=4)
    with pytest.raises(ShapeError, match="single number"):
        ak.scan(lambda c, x: (c, x), 0.0, 1.0)
    with pytest.raises(StructureError, match="number of steps"):
        ak.scan(lambda c, x: (c, x), 0.0)
    with pytest.raises(StructureError, match="length must be an integer of 0 or more, got -3"):
        ak.scan(lambda c, x: (c, x), 0.0, length=-3)
    with pytest.raises(StructureError, match=r"\(carry, y\)"):
        ak.scan(lambda c, x: c, 0.0, np.zeros(2))
    with pytest.raises(ShapeError, match=r"shape \(\) became one of shape \(2,\)"):
        ak.scan(lambda c, x: (c + x, None), 0.0, np.zeros((3, 2)))
    with pytest.raises(StructureError, match="structure that it gets"):
        ak.scan(lambda c, x: ((c, c), None), 0.0, np.zeros(3))
    with pytest.raises(DtypeError, match=r"ak\.cast\(init"):
        ak.scan(lambda c, x: (c + x, None), np.float32(0), np.zeros(3))
    with pytest.raises(StructureError, match="same structure"):
        ak.scan(lambda c, x: (c + 1.0, None if float(c) else c), 0.0, np.zeros(3))


def test_checkpoints_take_less_memory() -> None:
    xs, w = ak.constant(np.ones((400, 500))), ak.constant(np.full(500, 0.3))

    def slope(every: int | None) -> tuple[int, Any]:
        def body(c: Any, x: Any) -> Any:
            for _ in range(3):
                c = ak.tanh(c * w + x)
            return c, c[0]

        def loss(w: Any) -> Any:
            carry, ys = ak.scan(body, w, xs, checkpoint_every=every)
            return ak.sum(carry) + ak.sum(ys)

        tracemalloc.start()
        g = ak.grad(loss)(w)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak, g

    (whole, expected), (parts, found) = slope(None), slope(20)
    assert parts < 0.35 * whole
    assert_near(found, expected)


def test_checkpoints_in_other_transforms() -> None:
    def f(w: Any, x: Any, every: int | None = None) -> Any:
        """The carry begins with a value that the body also finds outside."""
        carry, ys = ak.scan(lambda c, x: (ak.tanh(c * w + x), ak.sum(c * w)), w, x, checkpoint_every=every)
        return ak.sum(carry) + ak.sum(ak.sin(ys))

    def g(w: Any, x: Any) -> Any:
        return f(w, x, 4)

    w, x, batch = ak.constant(W), ak.constant(X), np.stack([W, 2.0 * W])
    assert_near(ak.hessian(g)(w, x), ak.hessian(f)(w, x))
    assert_near(ak.vmap(ak.grad(g), (0, None))(batch, x), ak.vmap(ak.grad(f), (0, None))(batch, x))
    with ak.GradientTape(persistent=True) as outer:
        outer.watch([w, x])
        with ak.GradientTape() as inner:
            inner.watch(w)
            value = g(w, x)
        slope = ak.sum(inner.gradient(value, w) ** 2)
    assert_near(outer.gradient(slope, x), ak.grad(lambda x: ak.sum(ak.grad(f)(w, x) ** 2))(x))


def test_a_checkpointed_step_must_repeat() -> None:
    generator, state = np.random.default_rng(0), ak.Variable(W)
    with pytest.raises(TapeError, match="other values"):
        ak.grad(lambda x: ak.scan(lambda c, x: (c + x * generator.random(), None), 0.0, x, checkpoint_every=2)[0])(W)
    with ak.GradientTape() as tape:
        loss = ak.sum(ak.scan(lambda c, x: (ak.sin(c * state + x), None), W, X, checkpoint_every=2)[0])
    state.assign(2.0 * W)
    with pytest.raises(TapeError, match="other values"):
        tape.gradient(loss, state)
    for every, error in ((0, StructureError), (-1, StructureError), (1.5, ArgumentError)):
        with pytest.raises(error, match="checkpoint_every must be an integer"):
            ak.scan(lambda c, x: (c + x, None), 0.0, W, checkpoint_every=every)  # type: ignore[arg-type]


def test_the_gradient_of_a_long_stack_takes_few_entries() -> None:
    """Slices of halves, whose gradients are as large as the halves, in place of members of the whole."""
    x = ak.constant(np.ones((1024, 2)))
    with ak.GradientTape() as tape:
        tape.watch(x)
        rows = ak.unstack(x)
    sizes = [node.parts[-1].shape[0] for node in tape._record.nodes]
    assert sum(sizes) < 25 * 1024
    assert [row.shape for row in rows] == [(2,)] * 1024
