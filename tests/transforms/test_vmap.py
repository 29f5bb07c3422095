"""``ak.vmap`` gives what a loop over the examples gives: values, derivatives of both modes, nested, and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ConcretizationError, ShapeError, StructureError
from tests.rules.cases import CASES, WITHOUT_GRADIENT
from tests.rules.harness import drawn

EXAMPLES = 3


def examples(case: Any) -> list[np.ndarray[Any, Any]]:
    """The inputs of a case for several examples, no two of them alike."""
    arrays = drawn(case)
    scales = np.linspace(1.0, 1.01, EXAMPLES)
    return [np.stack([(a * scale).astype(a.dtype) for scale in scales]) for a in arrays]


def assert_same(found: Any, expected: Any) -> None:
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-10, atol=1e-10)


def leaves(tree: Any) -> list[Any]:
    return [x for part in tree for x in leaves(part)] if isinstance(tree, (tuple, list)) else [tree]


def looped(f: Any, *batches: Any) -> Any:
    """What a loop over the examples gives, stacked."""
    found = [f(*row) for row in zip(*batches, strict=True)]
    return [ak.stack(each) for each in zip(*map(leaves, found), strict=True)]


def first_of_each(cases: list[Any]) -> list[Any]:
    """All cases; those after the first of an operation run with ``--all`` only."""
    known: set[str] = set()
    marked = []
    for case in cases:
        marks = [pytest.mark.slow] if case.key in known else []
        marked.append(pytest.param(case, id=case.name, marks=marks))
        known.add(case.key)
    return marked


@pytest.mark.parametrize("case", first_of_each(CASES))
def test_every_operation(case: Any) -> None:
    batches = list(map(ak.constant, examples(case)))
    assert_same(ak.vmap(case.call)(*batches), looped(case.call, *batches))
    if case.key not in WITHOUT_GRADIENT:
        assert_gradients_inside_and_outside_are_those_of_a_loop(case, batches)


def assert_gradients_inside_and_outside_are_those_of_a_loop(case: Any, batches: list[Any]) -> None:
    places = tuple(range(len(batches)))

    def loss(*xs: Any) -> Any:
        return ak.sum(ak.sin(case.call(*xs)))

    inside = ak.vmap(ak.grad(loss, places))(*batches)
    outside = ak.grad(lambda *xs: ak.sum(ak.vmap(loss)(*xs)), places)(*batches)
    expected = looped(ak.grad(loss, places), *batches)
    assert_same(inside, expected)
    assert_same(outside, expected)


# ------------------------------------------------------------------------------------------------- transforms
X = np.random.default_rng(3).uniform(0.5, 1.5, (EXAMPLES, 4))
W = np.random.default_rng(4).uniform(0.5, 1.5, 4)


def energy(row: Any, w: Any) -> Any:
    return ak.sum(ak.exp(ak.sin(row * w)) * row) + ak.sum(row) * ak.sum(w**2)


TRANSFORMED = {
    "value": energy,
    "gradient": ak.grad(energy),
    "gradient of what is shared": ak.grad(energy, 1),
    "gradient of a gradient": ak.grad(lambda row, w: ak.sum(ak.grad(energy)(row, w) ** 2)),
    "jacobian": lambda row, w: ak.jacobian(lambda r: ak.sin(r * w))(row),
    "tangent": lambda row, w: ak.jvp(lambda r: ak.sin(r * w), (row,), (w,))[1],
    "Hessian-vector product": lambda row, w: ak.hvp(lambda r: energy(r, w), row, w),
    "pulled back": lambda row, w: ak.vjp(lambda r: ak.sin(r * w), row)[1](w),
    "accumulator": lambda row, w: accumulated(row, w),
    "tape": lambda row, w: taped(row, w),
}


def accumulated(row: Any, w: Any) -> Any:
    with ak.ForwardAccumulator(row, w) as accumulator:
        y = energy(row, w)
    return accumulator.jvp(y)


def taped(row: Any, w: Any) -> Any:
    with ak.GradientTape() as tape:
        tape.watch([row, w])
        y = energy(row, w)
    return ak.stack(tape.gradient(y, [row, w]))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_inside(name: str) -> None:
    f = TRANSFORMED[name]
    expected = ak.stack([f(ak.constant(row), ak.constant(W)) for row in X])
    for mapped in (ak.vmap(f, (0, None)), ak.compile(ak.vmap(f, (0, None)))):
        assert_same(mapped(ak.constant(X), ak.constant(W)), expected)


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_inside_and_outside(name: str) -> None:
    """The derivative of a loss of all examples with respect to what they share, in both modes and of second order."""
    f = TRANSFORMED[name]

    def mapped(w: Any) -> Any:
        return ak.sum(ak.cos(ak.vmap(lambda row: f(row, w))(X)))

    def loop(w: Any) -> Any:
        return ak.sum(ak.cos(ak.stack([f(ak.constant(row), w) for row in X])))

    w, along = ak.constant(W), ak.constant(W[::-1])
    assert_same(ak.grad(mapped)(w), ak.grad(loop)(w))
    assert_same(ak.jvp(mapped, (w,), (along,)), ak.jvp(loop, (w,), (along,)))
    assert_same(ak.hvp(mapped, w, along), ak.hvp(loop, w, along))
    assert_same(ak.compile(ak.grad(mapped))(w), ak.grad(loop)(w))


def test_a_vmap_inside_another() -> None:
    a, b = X[:, :2], X[:2]
    table = ak.vmap(ak.vmap(energy, (0, None)), (None, 0))
    expected = np.array([[energy(ak.constant(row), ak.constant(w)).numpy() for row in b[:, :2]] for w in a])
    assert_same(table(b[:, :2], a), ak.constant(expected))
    slopes = ak.grad(lambda w: ak.sum(ak.vmap(lambda row: ak.sum(ak.vmap(lambda x: ak.sin(x * w))(row)))(X)))
    np.testing.assert_allclose(slopes(2.0).numpy(), np.sum(X * np.cos(2.0 * X)), rtol=1e-12)


def test_a_variable_of_a_tape_outside() -> None:
    w = ak.Variable(W)
    with ak.GradientTape() as tape:
        losses = ak.vmap(lambda row: energy(row, w))(X)
        loss = ak.sum(losses**2)
    expected = ak.grad(lambda w: sum(energy(ak.constant(row), w) ** 2 for row in X))(W)
    assert_same(tape.gradient(loss, w), expected)


def test_axes_and_structures() -> None:
    given = {"a": X.T, "b": [X, 2.0]}
    found = ak.vmap(
        lambda tree, scale: {"sum": tree["a"] + tree["b"][0] * tree["b"][1], "scale": scale},
        in_axes=({"a": 1, "b": [0, None]}, None), out_axes={"sum": -1, "scale": None},
    )(given, 5.0)  # fmt: skip
    np.testing.assert_array_equal(found["sum"].numpy(), (3.0 * X).T)
    assert found["scale"] == 5.0
    np.testing.assert_array_equal(ak.vmap(lambda x, *, y: x + y)(X, y=X).numpy(), 2.0 * X)
    np.testing.assert_array_equal(ak.vmap(lambda x: 1.0)(X).numpy(), np.ones(EXAMPLES))


def test_a_condition_and_an_index_that_differ_between_examples() -> None:
    def branched(x: Any) -> Any:
        return ak.cond(x > 1.0, lambda x: x**2, lambda x: -x, x)

    for f in (branched, ak.grad(branched)):
        assert_same(ak.vmap(f)(X[0]), ak.stack([f(x) for x in ak.constant(X[0])]))
    assert_same(
        ak.vmap(lambda x: ak.where(ak.sum(x) > 4.0, x, -x))(X),
        ak.constant(np.where(X.sum(1, keepdims=True) > 4, X, -X)),
    )
    at = np.array([3, 0, 2])
    assert_same(ak.vmap(lambda x, k: x[k])(X, at), ak.constant(X[np.arange(EXAMPLES), at]))


def test_no_examples() -> None:
    assert ak.vmap(lambda x: ak.sum(ak.sin(x)))(np.zeros((0, 4))).shape == (0,)
    with pytest.raises(ShapeError, match="at least one example"):
        ak.vmap(lambda x: x[ak.argmax(x)])(np.zeros((0, 4)))


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ShapeError, match="same number of examples, got 3 in argument 0, 4 in argument 1"):
        ak.vmap(ak.add)(X, X.T)
    with pytest.raises(ShapeError, match="in_axes=None"):
        ak.vmap(ak.add)(X, 1.0)
    with pytest.raises(StructureError, match="no argument has an axis"):
        ak.vmap(ak.sin, in_axes=None)(X)
    with pytest.raises(StructureError, match="3 entries for 1"):
        ak.vmap(ak.sin, in_axes=(0, 1, 2))(X)
    with pytest.raises(ConcretizationError, match=r"ak\.where in place of if"):
        ak.vmap(lambda x: x if ak.sum(x) > 0 else -x)(X)
    with pytest.raises(ShapeError, match="out_axes is None"):
        ak.vmap(ak.sin, out_axes=None)(X)
    kept = []
    ak.vmap(lambda x: kept.append(x) or x)(X)
    with pytest.raises(ConcretizationError):
        kept[0].numpy()


def test_tapes_outside_are_as_before_after_an_error() -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        with pytest.raises(ConcretizationError):
            ak.vmap(lambda row: float(row[0] * x))(X)
        y = x**3
    assert tape.gradient(y, x).numpy() == 12.0


# -------------------------------------------------------------------------------------------- variables from outside
@pytest.mark.parametrize("how", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize("around", [lambda f: f, ak.compile])
def test_assigning_a_value_of_the_examples_to_a_variable_from_outside(how: str, around: Any) -> None:
    w = ak.Variable(1.0, name="w")
    with pytest.raises(ConcretizationError, match=r"variable w differs between the 3 examples.*w\.assign\(ak\.mean"):
        around(ak.vmap(lambda x: (getattr(w, how)(x), x)[1]))(np.arange(3.0))
    assert float(w) == 1.0


@pytest.mark.parametrize("make", [lambda: ak.optim.SGD(0.1), lambda: ak.optim.Adam(0.1), lambda: ak.optim.RMSProp(0.1)])
def test_stepping_a_variable_from_outside(make: Any) -> None:
    w, opt = ak.Variable([1.0, 2.0], name="w"), make()
    with pytest.raises(ConcretizationError, match="or step outside"):
        ak.vmap(lambda x: opt.minimize(lambda: ak.sum(w * x), [w]))(np.ones((3, 2)))
    np.testing.assert_array_equal(w.numpy(), [1.0, 2.0])


def test_a_variable_of_the_function_itself_can_be_assigned_and_stepped() -> None:
    def f(x: Any) -> Any:
        v, opt = ak.Variable(0.0 * x), ak.optim.Adam(0.1)
        v.assign_add(x)
        opt.minimize(lambda: (v * x) ** 2, [v])
        return v * 1.0

    x = np.arange(3.0)
    np.testing.assert_allclose(ak.vmap(f)(x).numpy(), [float(f(ak.constant(each))) for each in x])


@pytest.mark.parametrize(
    "f",
    [
        lambda r: ak.argmax(r), lambda r: ak.argmin(ak.outer(r, r)), lambda r: ak.argmax(ak.outer(r, r), None, True),
        lambda r: ak.any(r > 8.0), lambda r: ak.all(r > 0.0), lambda r: ak.count_nonzero(r),
        lambda r: ak.argsort(r, axis=None), lambda r: ak.searchsorted(ak.sort(r), r), lambda r: ak.sign(r - 2.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", ["reverse", "forward"])
def test_operations_without_a_gradient_see_one_example_also_under_a_tape(f: Any, how: str) -> None:
    rows = np.array([[1.0, 5.0, 2.0], [9.0, 1.0, 1.0], [0.0, 0.0, 7.0]])

    def weighted(r: Any) -> Any:
        return ak.sum(ak.cast(f(r), np.float64) * r)

    def total(x: Any) -> Any:
        return ak.sum(ak.vmap(weighted)(x))

    expected = sum(float(weighted(ak.constant(r))) for r in rows)
    slopes = np.stack([ak.grad(weighted)(r).numpy() for r in rows])
    if how == "reverse":
        value, slope = ak.value_and_grad(total)(rows)
        np.testing.assert_allclose(slope.numpy(), slopes)
    else:
        value, tangent = ak.jvp(total, (rows,), (np.ones((3, 3)),))
        np.testing.assert_allclose(float(tangent), slopes.sum())
    np.testing.assert_allclose(float(value), expected)


def test_an_order_over_all_entries_is_one_of_each_example() -> None:
    x = np.arange(12.0).reshape(3, 2, 2)[:, ::-1]
    np.testing.assert_array_equal(ak.vmap(lambda m: ak.argsort(m, axis=None))(x).numpy(), [[2, 3, 0, 1]] * 3)


@pytest.mark.parametrize("around", [
    lambda f, x: ak.vmap(ak.grad(f))(x), lambda f, x: ak.grad(lambda z: ak.sum(ak.vmap(f)(z)))(x),
    lambda f, x: ak.grad(lambda z: ak.sum(ak.vmap(ak.vmap(f, in_axes=0))(z[None])))(x),
    lambda f, x: ak.compile(ak.grad(lambda z: ak.sum(ak.vmap(f)(z))))(x),
], ids=["inside", "outside", "two", "compiled"])  # fmt: skip
def test_a_hook_inside_a_vmap_gets_the_gradient_of_one_example(around: Any) -> None:
    def f(row: Any) -> Any:
        squares = row * row
        squares.register_hook(lambda g: g * 10.0 / ak.sum(g))
        return ak.sum(squares * squares)

    x = np.arange(1.0, 7.0).reshape(3, 2)
    expected = np.stack([ak.grad(f)(row).numpy() for row in x])
    np.testing.assert_allclose(around(f, x).numpy(), expected)
