"""Conditions in compiled functions: both branches are traced, and the result and its derivatives are the eager ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, ConcretizationError, DtypeError, ShapeError, StructureError


def root_or_cube(x: Any) -> Any:
    """At negative entries the first branch, and at 0 its derivative, is not finite."""
    return ak.cond(ak.sum(x) > 0, lambda x: ak.sum(ak.sqrt(x) * x[0]), lambda x: ak.sum(x**3), x)


TRANSFORMS: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "value": lambda f: f,
    "grad": ak.grad,
    "hessian": ak.hessian,
    "jvp": lambda f: lambda x: ak.jvp(f, (x,), (np.ones(2),))[1],
    "hvp": lambda f: lambda x: ak.hvp(f, x, np.ones(2)),
    "gradient of a gradient": lambda f: ak.grad(lambda x: ak.sum(ak.grad(f)(x) ** 2)),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS.keys())
def test_the_other_branch_leaves_no_nan(transform: Any) -> None:
    eager = transform(root_or_cube)
    compiled = ak.compile(eager)
    with np.errstate(all="ignore"):
        for point in ([1.0, 4.0], [-1.0, -2.0], [0.0, -2.0], [2.0, 3.0]):
            x = ak.constant(point)
            found = compiled(x).numpy()
            assert np.isfinite(found).all()
            np.testing.assert_allclose(found, eager(x).numpy(), rtol=1e-14)
    assert compiled.trace_count == 1


def test_structures_numbers_and_what_is_the_same_in_both() -> None:
    def f(x: Any) -> Any:
        return ak.cond(x > 0, lambda: {"a": x, "b": [2.0, None]}, lambda: {"a": 0.0, "b": [x, None]})

    compiled = ak.compile(f)
    found = [compiled(ak.constant(np.float32(x))) for x in (3.0, -3.0)]
    assert [(float(y["a"]), float(y["b"][0]), y["b"][1]) for y in found] == [(3.0, 2.0, None), (0.0, -3.0, None)]
    assert {y["a"].dtype for y in found} == {np.dtype(np.float32)}


def test_conditions_inside_conditions() -> None:
    def f(x: Any) -> Any:
        return ak.cond(x > 0, lambda x: ak.cond(x > 1, ak.square, ak.sqrt, x), lambda x: -x, x)

    compiled = ak.compile(ak.value_and_grad(f))
    with np.errstate(all="ignore"):
        for x, value, slope in ((2.0, 4.0, 4.0), (0.25, 0.5, 1.0), (-3.0, 3.0, -1.0), (0.0, 0.0, -1.0)):
            assert tuple(map(float, compiled(x))) == (value, slope)


def test_variables_as_operands_and_an_assignment_of_the_result() -> None:
    w = ak.Variable([1.0, 2.0], name="w")

    @ak.compile
    def step(x: Any) -> Any:
        with ak.GradientTape() as tape:
            y = ak.cond(x > 0, lambda w: ak.sum(w * w) * x, lambda w: x, w)
        w.assign(ak.cond(x > 0, lambda: 2.0 * w, lambda: w))
        return tape.gradient(y, w)

    assert step(1.0).tolist() == [2.0, 4.0]
    assert w.numpy().tolist() == [2.0, 4.0]
    assert step(-1.0).tolist() == [0.0, 0.0]
    assert w.numpy().tolist() == [2.0, 4.0]


def test_eager_and_known_conditions_run_one_branch() -> None:
    ran: list[str] = []

    def branch(name: str) -> Any:
        return lambda x: ran.append(name) or x * 2.0

    slope = ak.grad(lambda x: ak.cond(x > 0, branch("true"), branch("false"), x))(1.0)
    assert (float(slope), ran) == (2.0, ["true"])
    assert float(ak.compile(lambda x, known: ak.cond(known, branch("true"), branch("false"), x))(1.0, False)) == 2.0
    assert ran == ["true", "false"]


w = ak.Variable(1.0, name="w")


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (ak.grad(lambda x: ak.cond(x > 0, lambda: x * x, lambda: 0.0)), ArgumentError, "true_fn reads a value .*Make"),
        (lambda x: ak.hvp(lambda x: ak.cond(x > 0, ak.sin, lambda _: x * x, x), x, 1.0), ArgumentError, "false_fn"),
        (ak.grad(lambda x: ak.cond(x > 0, lambda x: x * w, lambda x: x, x)), ArgumentError, "reads variable w"),
        (lambda x: ak.cond(x > 0, lambda: w.assign(x), lambda: w), ConcretizationError, r"w\.assign\(ak\.cond"),
        (lambda x: ak.cond(x > 0, lambda: "a", lambda: x), DtypeError, "got 'a'"),
        (lambda x: ak.cond(x > 0, lambda: (x, x), lambda: x), StructureError, "a tuple of 2, false_fn one value"),
        (lambda x: ak.cond(x > 0, lambda: [x], lambda: (x,)), StructureError, "a list of 1, false_fn a tuple of 1"),
        (lambda x: ak.cond(x > 0, lambda: ak.ones(2), lambda: x), ShapeError, r"\(2,\), false_fn \(\)"),
        (lambda x: ak.cond(x > 0, lambda: ak.cast(x, "f4"), lambda: x * 1.0), StructureError, "float32, false_fn"),
        (lambda x: ak.cond(x * ak.ones(2), lambda: x, lambda: x), ShapeError, "ambiguous"),
    ],
)
def test_what_would_be_wrong_is_refused(f: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ak.compile(f)(ak.constant(2.0))


@pytest.mark.parametrize("number", [2.0, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_number_takes_the_dtype_of_the_other_branch(number: Any, dtype: Any) -> None:
    """Also where the number is an argument of the compiled function, and symbolic."""

    def f(x: Any, n: Any) -> Any:
        return ak.cond(x > 0, lambda a: a, lambda a: ak.cast(a, dtype), n)

    xs = np.array([1.0, -1.0])
    for found in (
        ak.compile(f)(xs[0], number),
        ak.compile(lambda x: f(x, number))(xs[0]),
        ak.vmap(lambda x: f(x, number))(xs),
        ak.compile(ak.vmap(f, in_axes=(0, None)))(xs, number),
    ):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.numpy(), np.full(found.shape, 2.0))


def test_no_branch_takes_a_step_of_an_optimizer() -> None:
    """It would be taken in every call, since both branches run."""
    weights = ak.Variable([1.0, 2.0], name="weights")
    optimizer = ak.optim.SGD(0.1)

    def step(x: Any) -> Any:
        with ak.GradientTape() as tape:
            loss = ak.sum(weights * weights) * x
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    with pytest.raises(ConcretizationError, match="a branch of cond assigns to variable weights"):
        ak.compile(lambda x: ak.cond(x > 0, lambda: step(x), lambda: x))(1.0)
    assert weights.tolist() == [1.0, 2.0]
