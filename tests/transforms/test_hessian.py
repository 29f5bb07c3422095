"""Hessians of arrays and of nested structures; each is compared with the Hessians of its single numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core import tape
from autodiff_kit.errors import DtypeError

WEIGHTS = np.random.default_rng(3).normal(size=(3, 4))
POINT = np.array([0.3, -1.2, 0.8, 2.0])


def bent(x: Any) -> Any:
    """Three numbers of four."""
    return ak.tanh(WEIGHTS @ x) * ak.sum(x**2)


def entry(f: Any, k: Any) -> Any:
    return lambda x: f(x)[k]


EACH = np.stack([ak.hessian(entry(bent, k))(POINT).numpy() for k in range(3)])


def test_of_an_array_it_has_one_matrix_for_each_entry() -> None:
    found = ak.hessian(bent)(POINT)
    assert found.shape == (3, 4, 4)
    np.testing.assert_allclose(found.numpy(), EACH, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(ak.compile(ak.hessian(bent))(POINT).numpy(), EACH, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shape", [(2, 3), (1,), (0,), ()])
def test_axes_of_output_and_input_follow_each_other(shape: tuple[int, ...]) -> None:
    x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    found = ak.hessian(lambda x: ak.expand_dims(x, -1) ** 3)(x).numpy()
    assert found.shape == (*shape, 1) + shape * 2
    size = x.size
    expected = np.zeros((size, size, size))
    expected[(np.arange(size),) * 3] = 6 * x.ravel()
    np.testing.assert_allclose(found.reshape((size,) * 3), expected)


def test_derivatives_of_it_are_the_third() -> None:
    third = ak.jacobian(ak.hessian(lambda x: x**4))([1.0, 2.0]).numpy()
    assert third.shape == (2, 2, 2, 2)
    assert (third[0, 0, 0, 0], third[1, 1, 1, 1], np.count_nonzero(third)) == (24.0, 48.0, 2)


def test_structures_are_those_of_the_output_and_twice_the_argument() -> None:
    p = {"a": np.array([1.0, 2.0]), "b": (3.0,)}

    def f(p: Any) -> Any:
        return {"product": p["a"] ** 2 * p["b"][0], "number": ak.sum(p["a"]) * p["b"][0] ** 2}

    found = ak.hessian(f)(p)
    assert found["product"]["a"]["a"].numpy()[1].tolist() == [[0, 0], [0, 6]]
    assert found["product"]["a"]["b"][0].tolist() == [[2, 0], [0, 4]]
    assert found["product"]["b"][0]["a"].tolist() == [[2, 0], [0, 4]]
    assert found["number"]["a"]["b"][0].tolist() == [6, 6]
    assert float(found["number"]["b"][0]["b"][0]) == 6.0
    alone = ak.hessian(lambda p: f(p)["number"])(p)
    assert alone["a"]["b"][0].tolist() == [6, 6]
    slopes = ak.jacobian(f)(p)
    assert slopes["product"]["a"].tolist() == [[6, 0], [0, 12]]
    assert float(slopes["number"]["b"][0]) == 18.0
    outputs = ak.jacobian(lambda x, y: [x * y, ak.sum(x)], (0, 1))(np.array([1.0, 2.0]), 3.0)
    assert [[g.tolist() for g in each] for each in outputs] == [[[[3, 0], [0, 3]], [1, 2]], [[1, 1], 0]]


def test_of_one_number_it_is_one_reverse_pass_over_a_recorded_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    original = tape.GradientTape._cotangents

    def counted(*args: Any, lead: int = 0) -> Any:
        passes.append(lead)
        return original(*args, lead=lead)

    monkeypatch.setattr(tape.GradientTape, "_cotangents", counted)
    ak.hessian(lambda x: ak.sum(bent(x)))(POINT)
    assert passes == [0, 1]
    passes.clear()
    ak.hessian(bent)(POINT)
    assert passes == [1]  # and a forward pass over it


def test_aux_and_refusals() -> None:
    found, aux = ak.hessian(lambda x: (bent(x), "kept"), has_aux=True)(POINT)
    assert (found.shape, aux) == ((3, 4, 4), "kept")
    with pytest.raises(DtypeError, match="returned a NoneType, not a tensor"):
        ak.hessian(lambda x: (x, None))(POINT)
