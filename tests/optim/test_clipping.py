"""Clipping by the global norm: one factor for all gradients, whatever their structure and kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import DtypeError, StructureError
from autodiff_kit.pytree import flatten

clip = ak.optim.clip_by_global_norm


def entries(tree: Any) -> Any:
    """All entries of all gradients."""
    return np.concatenate([np.ravel(np.asarray(g)) for g in flatten(tree) if g is not None])


def test_all_gradients_are_scaled_by_one_factor() -> None:
    rng = np.random.default_rng(0)
    tree = {"w": rng.normal(size=(3, 2)), "b": [ak.constant(rng.normal(size=2)), None, 0.5]}
    length = np.sqrt(np.sum(np.square(entries(tree))))
    clipped, norm = clip(tree, 0.25)
    assert type(norm) is ak.Tensor
    np.testing.assert_allclose(float(norm), length, rtol=1e-14)
    np.testing.assert_allclose(entries(clipped), entries(tree) * 0.25 / length, rtol=1e-14)
    assert (list(clipped), len(clipped["b"]), clipped["b"][1]) == (["w", "b"], 3, None)


def test_gradients_that_are_short_enough_keep_their_bits() -> None:
    g = np.random.default_rng(1).normal(size=50)
    for limit in (np.linalg.norm(g) * 1.0001, 1e6):
        (same,), _ = clip([g], limit)
        assert same.numpy().tobytes() == g.tobytes()


def test_no_gradient_at_all() -> None:
    assert clip([None, None], 1.0)[0] == [None, None]
    assert float(clip([None], 1.0)[1]) == float(clip([], 1.0)[1]) == 0.0
    (zero, empty), norm = clip([np.zeros(3), np.zeros((0, 2))], 1.0)
    assert (zero.tolist(), empty.shape, float(norm)) == ([0.0] * 3, (0, 2), 0.0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_rows_stay_rows_and_dtypes_stay(dtype: str) -> None:
    """The squares of the half-precision gradients, and their norm, are beyond half precision."""
    rows = ak.RowGradient([4, 1, 4], np.full((3, 2), 30000).astype(dtype) / 2, (6, 2))
    dense = np.full(5, 60000).astype(dtype)
    (sparse, other), norm = clip((rows, dense), 1.0)
    assert isinstance(sparse, ak.RowGradient)
    assert (sparse.ids.tolist(), sparse.dtype, other.dtype) == ([1, 4], dtype, dtype)
    every = np.concatenate([rows.numpy().ravel(), dense]).astype(float)
    length = np.linalg.norm(every)
    assert float(norm) == pytest.approx(length, rel=1e-6)
    np.testing.assert_allclose(
        np.concatenate([sparse.numpy().ravel(), other.numpy()]), every / length, rtol=2 * np.finfo(dtype).eps
    )


def test_integers_become_floats() -> None:
    (g,), norm = clip([np.array([3, -4])], 1)
    assert (float(norm), g.dtype) == (5.0, np.float64)
    np.testing.assert_allclose(g.numpy(), [0.6, -0.8])


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
def test_a_norm_that_is_not_finite() -> None:
    """As the docstring says: nan spreads to all entries; infinity leaves 0, and nan where it stood."""
    for bad, expected in ((np.nan, [np.nan] * 3), (np.inf, [0.0, np.nan, 0.0])):
        clipped, norm = clip([np.array([1.0, bad]), 2.0], 1.0)
        assert not np.isfinite(float(norm))
        np.testing.assert_array_equal(entries(clipped), expected)


@pytest.mark.parametrize("far", [1e200, 1e-200, 1e307])
def test_squares_that_overflow_or_underflow_do_no_harm(far: float) -> None:
    clipped, norm = clip([np.array([3.0, 4.0]) * far], far)
    np.testing.assert_allclose([float(norm), *entries(clipped)], np.array([5.0, 0.6, 0.8]) * far, rtol=1e-15)


def test_a_clipped_gradient_can_be_differentiated() -> None:
    """Through the norm too; at a longer and at a shorter gradient."""
    x = np.array([0.3, -1.1, 0.7])
    for limit in (0.5, 10.0):
        ak.check_gradients(
            lambda a, b, m=limit: ak.concat(clip([a * a, b], m)[0]), (x, x[:2]), order=2
        ).raise_if_failed()


def test_training_with_clipping_compiles() -> None:
    """A recurrent loss whose gradient is long at first: the compiled step moves as the eager one."""
    x = np.random.default_rng(2).normal(size=(5, 3))

    def trained(wrap: Any) -> tuple[Any, list[float]]:
        w, b = ak.Variable(np.full((3, 3), 0.9)), ak.Variable(np.ones(3))
        opt = ak.optim.SGD(0.1)

        def step() -> Any:
            with ak.GradientTape() as tape:
                h = ak.constant(x)
                for _ in range(4):
                    h = h @ w + b
                loss = (h * h).mean()
            clipped, norm = clip(tape.gradient(loss, [w, b]), 1.0)
            opt.apply_gradients(zip(clipped, [w, b], strict=True))
            return norm

        step = wrap(step)
        norms = [float(step()) for _ in range(6)]
        return np.append(w.numpy().ravel(), b.numpy()), norms

    (eager, norms), (compiled, same) = trained(lambda f: f), trained(ak.compile)
    assert norms[0] > 1e3
    np.testing.assert_allclose(compiled, eager, rtol=1e-10)
    np.testing.assert_allclose(same, norms, rtol=1e-10)


def test_rows_inside_a_compiled_function() -> None:
    """There the factor has no number yet, so the rows become a dense gradient."""
    rows = ak.RowGradient([2], [[3.0, 0.0]], (4, 2))
    (g, dense), norm = ak.compile(lambda x: clip([x, rows], 1.0))(np.array([4.0]))
    assert (float(norm), g.shape) == (5.0, (1,))
    np.testing.assert_allclose(dense.numpy(), rows.numpy() / 5.0)


def test_wrong_arguments() -> None:
    w = ak.Variable([1.0, 2.0], name="w")
    pairs = ak.optim.SGD(0.1).compute_gradients(lambda: (w * w).sum(), [w])
    with pytest.raises(DtypeError, match=r"got a Variable.*\[g for g, w in pairs\]"):
        clip(pairs, 1.0)
    for limit in (0.0, -1.0, np.inf, np.nan, None, "1"):
        with pytest.raises(StructureError, match="max_norm must be a number above 0"):
            clip([w.numpy()], limit)
    with pytest.raises(DtypeError, match="not a number"):
        clip(["w"], 1.0)
