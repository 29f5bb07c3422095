"""Operations inside two vmaps, and inside a vmap that is compiled or differentiated: equal to loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 4)), RNG.normal(size=(2, 4))
IDS = np.array([0, 1, 0, 1])

PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "einsum": lambda v, w: ak.einsum("i,j,k->ik", v, w, v[:2]),
    "einsum of two": lambda v, w: ak.einsum("i,j->ij", v, w),
    "segment_max": lambda v, w: ak.segment.segment_max(v * w, IDS, 2),
    "slope of segment_max": ak.grad(lambda v, w: ak.sum(ak.sin(ak.segment.segment_max(v * w, IDS, 2)))),
    "rows updated": lambda v, w: v.at[np.array([1, 3, 1])].add(w[:3]),
    "rows of the shared one": lambda v, w: w.at[np.array([1, 3, 1])].max(v[:3]),
    "only the first": lambda v, w: ak.tanh(v) * v[0],
    "only the second": lambda v, w: ak.sin(w[:2]),
    "a sum of each": lambda v, w: ak.sum(v) * ak.sum(w * w),
    "condition of one": lambda v, w: ak.cond(ak.sum(v) > 0.0, ak.sin, lambda z: 2.0 * z, w),
    "condition of both": lambda v, w: ak.cond(ak.sum(v * w) > 0.0, lambda a, b: a * b, lambda a, b: a - b, v, w),
}


def both(f: Any) -> Any:
    """A function of one example of each, for all pairs."""
    return ak.vmap(ak.vmap(f, in_axes=(None, 0)), in_axes=(0, None))


def loop(f: Any) -> Any:
    return lambda x, y: ak.stack([ak.stack([f(x[i], y[j]) for j in range(y.shape[0])]) for i in range(x.shape[0])])


@pytest.mark.parametrize("f", PAIRS.values(), ids=PAIRS.keys())
def test_pairs(f: Any) -> None:
    """Values, gradients with a tape outside, and tangents."""
    x, y = ak.constant(X), ak.constant(Y)
    slopes, tangents = [], []
    for many in (both(f), loop(f)):
        slopes.append(ak.value_and_grad(lambda a, b, many=many: ak.sum(ak.cos(many(a, b))), (0, 1))(x, y))
        tangents.append(ak.jvp(many, (x, y), (x, 2.0 * y))[1])
    np.testing.assert_allclose(both(f)(x, y).numpy(), loop(f)(x, y).numpy(), rtol=1e-12)
    np.testing.assert_allclose(tangents[0].numpy(), tangents[1].numpy(), rtol=1e-12)
    for ours, theirs in zip(slopes[0][1], slopes[1][1], strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", PAIRS.values(), ids=PAIRS.keys())
def test_compiled_pairs(f: Any) -> None:
    """Arguments of which one has no examples, too."""
    for many in (both(f), lambda a, b: ak.vmap(f, in_axes=(0, None))(a, b[0])):
        slope = ak.value_and_grad(lambda a, b, many=many: ak.sum(ak.cos(many(a, b))), (0, 1))
        compiled = ak.compile(slope)
        for scale in (1.0, -0.7):
            found, expected = (run(ak.constant(scale * X), ak.constant(Y))[1] for run in (compiled, slope))
            for ours, theirs in zip(found, expected, strict=True):
                np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", PAIRS.values(), ids=PAIRS.keys())
def test_pairs_of_each_example_of_a_third_vmap(f: Any) -> None:
    """The tape lies between the vmaps: what the outer one holds is recorded as it is."""
    many = np.stack([X, -0.8 * X + 0.1, X[::-1]])
    x, y = ak.constant(many), ak.constant(Y)
    for wrt in (0, 1, (0, 1)):
        slope = ak.grad(lambda a, b: ak.sum(ak.cos(both(f)(a, b)) * 0.5), wrt)
        found = ak.vmap(slope, in_axes=(0, None))(x, y)
        expected = [slope(x[k], y) for k in range(len(many))]
        for k in range(len(many)):
            for ours, theirs in zip(
                found if isinstance(wrt, tuple) else (found,),
                expected[k] if isinstance(wrt, tuple) else (expected[k],),
                strict=True,
            ):
                np.testing.assert_allclose(ours[k].numpy(), theirs.numpy(), rtol=1e-12, atol=1e-14)

    def curvature(a: Any) -> Any:
        return ak.grad(lambda p: ak.sum(ak.sin(ak.grad(lambda q: ak.sum(ak.cos(both(f)(q, y))))(p))))(a)

    np.testing.assert_allclose(
        ak.vmap(curvature)(x).numpy(),
        np.stack([curvature(x[k]).numpy() for k in range(len(many))]),
        rtol=1e-11,
        atol=1e-12,
    )


def test_a_branch_of_cond_in_a_tangent_of_a_gradient() -> None:
    """The tangents of the operands are no values from outside either."""

    def one(v: Any, w: Any) -> Any:
        return ak.cond(ak.sum(v) > 0.0, lambda a, b: a * ak.sin(b), lambda a, b: a * b * b, v + w, w)

    def slope(x: Any, many: Any) -> Any:
        return ak.grad(lambda a: ak.sum(ak.sin(many(a, a[0]))))(x)

    x = ak.constant(X)
    batch = ak.vmap(one, in_axes=(0, None))
    ours = ak.jvp(lambda a: slope(a, batch), (x,), (2.0 * x,))
    theirs = ak.jvp(lambda a: slope(a, lambda p, q: ak.stack([one(row, q) for row in ak.unstack(p)])), (x,), (2.0 * x,))
    np.testing.assert_allclose(ours[1].numpy(), theirs[1].numpy(), rtol=1e-12)
