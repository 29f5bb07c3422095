"""Functions that return more than is differentiated: ``has_aux`` and what each transform returns with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, StructureError

X = np.array([1.0, 2.0])


def cubes(x: Any) -> Any:
    """The sum of the cubes, and beside it a tensor and a word."""
    return ak.sum(x**3), {"squares": x**2, "word": "kept"}


def cubes_alone(x: Any) -> Any:
    return cubes(x)[0]


def same(aux: Any) -> bool:
    return bool(aux["word"] == "kept" and aux["squares"].tolist() == [1.0, 4.0])


def test_each_transform_returns_aux_where_jax_does() -> None:
    (value, aux), slope = ak.value_and_grad(cubes, has_aux=True)(X)
    assert float(value) == 9.0
    assert same(aux)
    assert slope.tolist() == [3.0, 12.0]
    for what, expected in ((ak.grad, [3, 12]), (ak.jacobian, [3, 12]), (ak.hessian, [[6, 0], [0, 12]])):
        found, aux = what(cubes, has_aux=True)(X)
        assert found.tolist() == expected
        assert same(aux)
    (slopes, aux) = ak.grad(lambda x, y: (x * y, "kept"), (0, 1), has_aux=True)(2.0, 3.0)
    assert ([float(s) for s in slopes], aux) == ([3.0, 2.0], "kept")
    value, pullback, aux = ak.vjp(cubes, X, has_aux=True)
    assert (float(value), pullback(2.0).tolist()) == (9.0, [6.0, 24.0])
    assert same(aux)
    value, tangent, aux = ak.jvp(cubes, (X,), ([1.0, 0.0],), has_aux=True)
    assert (float(value), float(tangent)) == (9.0, 3.0)
    assert same(aux)


def test_an_outer_transform_differentiates_aux() -> None:
    slope = ak.grad(lambda x: ak.sum(ak.grad(cubes, has_aux=True)(x)[1]["squares"]))(X)
    assert slope.tolist() == [2.0, 4.0]


def test_a_compiled_function_returns_aux_of_each_call() -> None:
    compiled = ak.compile(ak.value_and_grad(cubes, has_aux=True))
    compiled(2.0 * X)
    (_, aux), slope = compiled(X)
    assert same(aux)
    assert slope.tolist() == [3.0, 12.0]
    assert compiled.trace_count == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda f: ak.grad(f, has_aux=True)(X),
        lambda f: ak.value_and_grad(f, has_aux=True)(X),
        lambda f: ak.vjp(f, X, has_aux=True),
        lambda f: ak.jvp(f, (X,), (X,), has_aux=True),
        lambda f: ak.jacobian(f, has_aux=True)(X),
        lambda f: ak.hessian(f, has_aux=True)(X),
    ],
    ids=["grad", "value_and_grad", "vjp", "jvp", "jacobian", "hessian"],
)
def test_a_function_without_aux_is_refused(call: Any) -> None:
    with pytest.raises(StructureError, match=r"has_aux=True needs .* pair \(value, aux\), got a Tensor"):
        call(cubes_alone)
    with pytest.raises(StructureError, match="got a tuple of 3"):
        call(lambda x: (*cubes(x), 1))


def test_has_aux_is_a_flag() -> None:
    with pytest.raises(ArgumentError, match="has_aux must be True or False"):
        ak.grad(cubes, has_aux="yes")  # type: ignore[arg-type]
