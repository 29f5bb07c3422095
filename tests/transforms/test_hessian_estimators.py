"""Norm and trace of the Hessian by random probes. Row B20 of behaviours.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError, DtypeError, StructureError

POINT = np.array([0.4, -0.7, 1.1, 0.2])
MIX = np.random.default_rng(5).standard_normal((4, 4))


def bent(x: Any) -> Any:
    return ak.sum(ak.sin(ak.matmul(MIX, x)) * x) + ak.prod(x) + ak.exp(x[0] * x[2])


EXACT = ak.hessian(bent)(POINT).numpy()


@pytest.mark.parametrize("method", ["product", "perturbation"])
def test_b20_the_estimates_agree_with_the_exact_hessian(method: str) -> None:
    """B20: over 200 seeds, Frobenius norm and trace lie within two standard errors about 95 times in a hundred."""
    inside = np.zeros(2)
    for seed in range(200):
        found = ak.hessian_norm(bent, POINT, probes=32 if method == "product" else 16, seed=seed, method=method)
        inside += [
            abs(found.frobenius - np.linalg.norm(EXACT)) < 2 * found.frobenius_error,
            abs(found.trace - np.trace(EXACT)) < 2 * found.trace_error,
        ]
    assert np.all(inside > 174)
    assert np.all(inside < 200)


def test_b20_more_probes_less_error() -> None:
    """Sixteen times as many probes: a quarter of the error."""
    few, many = (ak.hessian_norm(bent, POINT, probes=n, seed=1) for n in (100, 1600))
    assert 3 < few.frobenius_error / many.frobenius_error < 5
    assert 3 < few.trace_error / many.trace_error < 5


def test_b20_the_perturbation_moves_the_point() -> None:
    """B20: two evaluations for each probe, at x + δ and x - δ; every entry of δ has the size of the step."""
    seen: list[Any] = []

    def f(x: Any) -> Any:
        seen.append(x.numpy().copy())
        return bent(x)

    found = ak.hessian_norm(f, POINT, probes=3, seed=2, method="perturbation", step=1e-3)
    assert len(seen) == 6
    for ahead, behind in zip(seen[::2], seen[1::2], strict=True):
        np.testing.assert_allclose(np.abs(ahead - POINT), 1e-3, rtol=1e-9)
        np.testing.assert_allclose(ahead - POINT, POINT - behind, rtol=1e-9)
    exact = ak.hessian_norm(bent, POINT, probes=3, seed=2)
    np.testing.assert_allclose(found, exact, rtol=1e-4)
    assert found != exact


def test_a_diagonal_hessian_is_exact_up_to_rounding() -> None:
    found = ak.hessian_norm(lambda x: ak.sum(x**3), [1.0, 2.0, 3.0], probes=5)
    assert found.trace == pytest.approx(36.0, rel=1e-14)
    assert found.frobenius == pytest.approx(6 * np.sqrt(14), rel=1e-14)
    assert 0 < found.trace_error < 1e-13
    assert found._fields == ("frobenius", "frobenius_error", "trace", "trace_error")


@pytest.mark.parametrize("method", ["product", "perturbation"])
def test_nests_numbers_and_small_dtypes(method: str) -> None:
    point = {"a": np.array([1.0, 2.0], np.float32), "b": [ak.constant(0.5)]}
    found = ak.hessian_norm(lambda p: ak.sum(p["a"] ** 2) * p["b"][0] ** 2, point, probes=400, method=method)
    flat = ak.hessian(lambda x: ak.sum(x[:2] ** 2) * x[2] ** 2)([1.0, 2.0, 0.5]).numpy()
    assert abs(found.trace - np.trace(flat)) < 3 * found.trace_error
    assert abs(found.frobenius - np.linalg.norm(flat)) < 3 * found.frobenius_error
    assert ak.hessian_norm(lambda x: x**3, 2.0, probes=2, method=method).trace == pytest.approx(12.0, rel=1e-6)
    assert ak.hessian_norm(lambda x: ak.sum(x), np.zeros(0), method=method) == (0.0, 0.0, 0.0, 0.0)
    assert ak.hessian_norm(lambda x: ak.sum(x), [1.0, 2.0], method=method)[::2] == (0.0, 0.0)


def test_the_same_seed_gives_the_same_result() -> None:
    assert ak.hessian_norm(bent, POINT, seed=3) == ak.hessian_norm(bent, POINT, seed=3)
    assert ak.hessian_norm(bent, POINT, seed=3) != ak.hessian_norm(bent, POINT, seed=4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"probes": 1}, "of 2 or more, got 1"),
        ({"probes": 2.5}, "of 2 or more"),
        ({"probes": "many"}, "of 2 or more"),
        ({"seed": -1}, "seed must be an integer"),
        ({"seed": "x"}, "seed must be an integer"),
        ({"method": "exact"}, '"product" or "perturbation", got'),
        ({"method": "perturbation", "step": 0.0}, "step must be a number above 0"),
        ({"method": "perturbation", "step": "small"}, "step must be a number above 0"),
        ({"method": "perturbation", "step": np.nan}, "step must be a number above 0"),
    ],
)
def test_arguments_outside_their_range(options: Any, words: str) -> None:
    with pytest.raises(StructureError, match=words):
        ak.hessian_norm(bent, POINT, **options)


def test_functions_without_a_hessian() -> None:
    with pytest.raises(DtypeError, match="floating"):
        ak.hessian_norm(bent, [1, 2, 3, 4])
    with pytest.raises(StructureError, match="one number"):
        ak.hessian_norm(lambda x: x, POINT)
    for f in (None, "f", lambda x: None, lambda x: "text"):
        with pytest.raises(AutodiffError):
            ak.hessian_norm(f, POINT)  # type: ignore[arg-type]
