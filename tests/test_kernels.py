"""Compiled loops: the same digits as NumPy, compiled in the background, and not needed if numba is broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.optim.adam import Adam

PROGRAM = """
import numpy as np
import autodiff_kit as ak
from autodiff_kit import kernels
names = kernels.compile_all_loops()
rng = np.random.default_rng(0)
print(names != [] or not kernels.enabled())
for dtype in ("float32", "float64"):
    x = rng.normal(size=(5, 7)).astype(dtype) * 5
    x[0] = -np.inf, 1, 2, 3, 4, 5, -np.inf
    w = ak.Variable(rng.normal(size=(7, 3)), dtype=dtype)
    y = ak.nn.softmax(x)
    print(y.dtype, np.array2string(y.numpy(), precision=6, suppress_small=True))
    opt = ak.optim.Adam(0.05)
    for step in range(20):
        with ak.GradientTape() as tape:
            p = ak.nn.softmax(ak.constant(x[1:]) @ w)
            loss = ak.nn.sparse_softmax_cross_entropy([0, 1, 2, 1], ak.log(p)).mean()
        opt.apply_gradients([(tape.gradient(loss, w), w)])
        print(f"{float(loss):.4f}")
    print(np.array2string(w.numpy(), precision=4))
    print(np.array2string(opt.get_slot(w, "v"), precision=4))
    print(np.array2string(ak.nn.masked_softmax(x, x > 0).numpy(), precision=5))
"""


def run(script: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=300, check=False,
        env=os.environ | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def loops() -> dict[str, Any]:
    """The compiled loops, without enabling them for the other tests."""
    pytest.importorskip("numba")
    from autodiff_kit.kernels.eager_loops import LOOPS

    return LOOPS


def test_the_same_digits_with_and_without_numba() -> None:
    """Softmax, its gradient, and training with Adam, in both dtypes, to the printed digit."""
    off, on = run(PROGRAM, AUTODIFF_KIT_NUMBA="0"), run(PROGRAM, AUTODIFF_KIT_NUMBA="1")
    assert off.splitlines()[0] == on.splitlines()[0] == "True"
    assert off == on


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 3, 1000])
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_loops_over_rows_agree_with_numpy(
    loops: dict[str, Any], dtype: Any, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Softmax and cross-entropy to the last digits, also of rows with infinities, nan and exponentials that vanish."""
    x = (np.random.default_rng(6).normal(size=(8, columns)) * 3).astype(dtype)
    x[1, -1], x[2, 0], x[3, 0], x[4, -1] = np.nan, np.inf, -np.inf, -900.0
    x[5], x[6] = -np.inf, 1000.0
    labels, g = np.arange(8) % columns, np.linspace(-1, 1, 8).astype(dtype)
    found = []
    for table in ({}, loops):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        t = ak.constant(x)
        with ak.GradientTape() as tape:
            tape.watch(t)
            loss = ak.nn.sparse_softmax_cross_entropy(labels, t)
        found.append((ak.nn.softmax(x).numpy(), loss.numpy(), tape.gradient(loss, t, g).numpy()))
    for one, other in zip(*found, strict=True):
        scale = 8 * np.finfo(dtype).eps
        np.testing.assert_allclose(one, other, rtol=scale, atol=scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_adams_loop_gives_the_same_bits(loops: dict[str, Any], dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over many steps, with small and huge gradients, zeros, and other memory layouts."""
    rng = np.random.default_rng(3)
    made = []
    for table in ({}, loops):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        opt, w, number = Adam(0.01), ak.Variable(np.zeros((4, 25)), dtype=dtype), ak.Variable(1.0, dtype=dtype)
        rng = np.random.default_rng(3)
        for step in range(50):
            g = (rng.normal(size=(25, 4)) * 10.0 ** rng.integers(-12, 8, (25, 4))).astype(dtype).T
            g[step % 4] = 0
            opt.apply_gradients([(g, w), (g[1, 1], number)])
        assert number.shape == opt.get_slot(number, "m").shape == ()
        made.append([w.numpy(), number.numpy(), opt.get_slot(w, "m"), opt.get_slot(w, "v"), opt.last_update(w)])
    for plain, compiled in zip(*made, strict=True):
        assert compiled.dtype == dtype
        assert plain.tobytes() == compiled.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_loops_agree_with_numpy(loops: dict[str, Any], dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also rows of nan, of infinities, of one column, of views; the record gets a separate array."""
    rng = np.random.default_rng(1)
    cases = [rng.normal(size=shape) * 30 for shape in ((6, 9), (2, 3, 4), (5,), (3, 1))]
    cases += [rng.normal(size=(9, 6)).T]
    cases += [np.array([[np.nan, 1.0], [1.0, np.nan], [-np.inf, 0.0], [-np.inf, -np.inf]])]
    answers = []
    for table in ({}, loops):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        with np.errstate(all="ignore"):
            for case in cases:
                x = ak.constant(case.astype(dtype))
                with ak.GradientTape() as tape:
                    tape.watch(x)
                    y = ak.nn.softmax(x) ** 2
                answers.append((y.numpy(), tape.gradient(y, x).numpy()))
    half, eps = len(cases), np.finfo(dtype).eps
    for plain, compiled in zip(answers[:half], answers[half:], strict=True):
        for a, b in zip(plain, compiled, strict=True):
            assert a.dtype == b.dtype == dtype
            np.testing.assert_allclose(a, b, rtol=40 * eps, atol=4 * eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cross_entropy_loops_agree_with_numpy(
    loops: dict[str, Any], dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also stacks, scores of large magnitude, views, and rows with nan and infinities; second order uses no loop."""
    rng = np.random.default_rng(1)
    cases = [rng.normal(size=shape) * 30 for shape in ((6, 9), (2, 3, 4), (3, 1))]
    cases += [rng.normal(size=(9, 6)).T, np.array([[np.nan, 1.0], [-np.inf, 0.0], [-np.inf, -np.inf], [900.0, 0.0]])]
    answers = []
    for table in ({}, loops):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        with np.errstate(all="ignore"):
            for case in cases:
                x, labels = ak.constant(case.astype(dtype)), np.arange(case[..., 0].size).reshape(case.shape[:-1])
                with ak.GradientTape() as outer:
                    outer.watch(x)
                    with ak.GradientTape(persistent=True) as tape:
                        tape.watch(x)
                        y = ak.nn.sparse_softmax_cross_entropy(labels % case.shape[-1], x) ** 2
                    recorded = tape.gradient(y, x)
                answers.append([t.numpy() for t in (y, tape.gradient(y, x), recorded, outer.gradient(recorded, x))])
    half, eps = len(cases), np.finfo(dtype).eps
    for plain, compiled in zip(answers[:half], answers[half:], strict=True):
        for a, b in zip(plain, compiled, strict=True):
            assert a.dtype == b.dtype == dtype
            np.testing.assert_allclose(a, b, rtol=100 * eps, atol=100 * eps)


@pytest.mark.parametrize("compiled", [False, True])
def test_cross_entropy_of_large_logits_is_accurate(
    loops: dict[str, Any], compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only differences count: adding 10 000 to each logit, exact in float32, changes no digit."""
    monkeypatch.setattr(kernels, "_loops", dict(loops) if compiled else {})
    z = np.random.default_rng(3).integers(-800, 800, (50, 7)).astype(np.float32) / 256
    labels = np.arange(50) % 7
    want = ak.nn.sparse_softmax_cross_entropy(labels, z).numpy()
    np.testing.assert_array_equal(ak.nn.sparse_softmax_cross_entropy(labels, z + np.float32(1e4)).numpy(), want)


def test_every_loop_against_numpy(loops: dict[str, Any]) -> None:
    """A loop without a comparison fails here."""
    rng = np.random.default_rng(0)
    g, y = rng.normal(size=(4, 3)), rng.random((4, 3))
    pulled = g.copy()
    loops["softmax_vjp_rows"](pulled, y)
    np.testing.assert_allclose(pulled, y * (g - (g * y).sum(-1, keepdims=True)), rtol=1e-13)
    out, ids = np.zeros((5, 3)), np.array([4, 0, 4, 4])
    expected = out.copy()
    np.add.at(expected, ids, g)
    loops["scatter_add_rows"](out, ids, g)
    assert out.tobytes() == expected.tobytes()
    x = np.empty((4, 3))
    loops["softmax_rows"](g, x)
    np.testing.assert_allclose(x.sum(-1), 1.0)
    out, factors, columns = np.zeros((5, 3)), rng.normal(size=4), np.array([1, 1, 3, 0])
    loops["scatter_add_scaled_rows"](out, ids, factors, columns, g)
    expected = np.zeros((5, 3))
    np.add.at(expected, ids, factors[:, None] * g[columns])
    assert out.tobytes() == expected.tobytes()
    _loops_over_windows_against_formulas(loops, rng)
    labels, losses = np.array([2, 0, 1, 2]), np.empty(4)
    assert loops["cross_entropy"](g, labels, losses)
    np.testing.assert_allclose(losses, -np.log(x[np.arange(4), labels]), rtol=1e-13)
    assert not loops["cross_entropy"](g, labels + 1, losses)
    assert not loops["cross_entropy"](g, labels - 1, losses)
    pulled = np.empty((4, 3))
    loops["cross_entropy_vjp"](y[:, 0].copy(), g, labels, pulled)
    np.testing.assert_allclose(pulled, y[:, :1] * (x - (labels[:, None] == np.arange(3))), rtol=1e-13)
    numbers, out = np.array([-1.0, 0.0, 2.0, np.nan, np.inf, -np.inf]), np.empty(6)
    loops["relu_vjp"](numbers, numbers > 0, out)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(out, numbers * (numbers > 0))
        loops["relu"](numbers, out)
        np.testing.assert_array_equal(out, np.maximum(numbers, 0))
    above = np.empty(6, np.bool_)
    assert not loops["relu_mask"](numbers, above)
    assert above.tolist() == [False, False, True, False, True, False]
    assert loops["relu_mask"](numbers[:3].copy(), above[:3])
    _entrywise_loops_against_formulas(loops)
    _loops_over_rows_and_columns_against_formulas(loops)
    known = {
        "sin",
        "cos",
        "sigmoid",
        "sigmoid_vjp",
        "gelu",
        "gelu_vjp",
        "masked_softmax_rows",
        "masked_softmax_vjp_rows",
        "logsumexp_rows",
        "logsumexp_columns",
        "logsumexp_vjp_rows",
        "logsumexp_vjp_columns",
        "extreme_vjp_rows",
        "extreme_vjp_columns",
        "standardize_rows",
        "layer_norm_rows",
        "layer_norm_vjp_rows",
        "standardize_vjp_rows",
        "standardize_columns",
        "standardize_vjp_columns",
        "softmax_vjp_rows",
        "scatter_add_rows",
        "gather_windows",
        "convolve",
        "convolve_back",
        "kernel_gradient",
        "sum_windows",
        "max_pool",
        "unpool",
        "scatter_add_scaled_rows",
        "softmax_rows",
        "adam_step",
        "add_multiple",
    }
    assert set(loops) == known | {"cross_entropy", "cross_entropy_vjp", "relu_vjp", "relu", "relu_mask"}


def _layer_norm_loops_against_formulas(loops: dict[str, Any], x: np.ndarray, g: np.ndarray) -> None:
    scale, offset, out, moved = (
        np.array([2.0, -1.0, 0.5]),
        np.array([1.0, 0.0, -3.0]),
        np.empty_like(x),
        np.empty_like(x),
    )
    rate = 1 / np.sqrt(x.var(1, keepdims=True) + 0.1)
    y = (x - x.mean(1, keepdims=True)) * rate
    loops["layer_norm_rows"](x, scale, offset, 0.1, out)
    np.testing.assert_allclose(out, y * scale + offset, rtol=1e-13, atol=1e-14)
    to_scale, to_offset = np.zeros(3), np.ones(3)  # it adds to what is there
    loops["layer_norm_vjp_rows"](g, x, scale, 0.1, moved, to_scale, to_offset)
    part = g * scale
    expected = rate * (part - part.mean(1, keepdims=True) - y * (part * y).mean(1, keepdims=True))
    np.testing.assert_allclose(moved, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(to_scale, (g * y).sum(0), rtol=1e-12)
    np.testing.assert_allclose(to_offset, 1 + g.sum(0), rtol=1e-12)


def _loops_over_windows_against_formulas(loops: dict[str, Any], rng: np.random.Generator) -> None:
    """Two images of 3 x 5 pixels, padded by a row on top and two columns on the right, and windows of every setting."""
    for c, beside, along in ((1, 1, 2), (2, 2, 1), (9, 1, 1)):
        columns = (7 - beside - 1) // along + 1
        sizes = (2, 3, 5, c, 1, 0, 4, 7, 2, 2, 1, along, 2, beside, 2, columns)
        image, windows = rng.normal(size=(2, 3, 5, c)), np.empty((2, 2, columns, 2, 2, c))
        wide = np.pad(image, ((0, 0), (1, 0), (0, 2), (0, 0)))
        loops["gather_windows"](image, windows, sizes=sizes)
        g, inside, expected = rng.normal(size=windows.shape), np.empty(image.shape), np.zeros(wide.shape)
        for p, q, i, j in np.ndindex(2, columns, 2, 2):
            at = (slice(None), p + 2 * i, q * along + j * beside)
            np.testing.assert_array_equal(windows[:, p, q, i, j], wide[at])
            expected[at] += g[:, p, q, i, j]
        loops["sum_windows"](g, inside, sizes=sizes)
        np.testing.assert_allclose(inside, expected[:, 1:, :5], rtol=1e-13)
        kernel, y, slopes = rng.normal(size=(2, 2, c, 3)), np.empty((2, 2, columns, 3)), np.empty((2, 2, c, 3))
        for images, lines in ((2, 2), (1, 1)):
            parts = (*sizes, 3, images, lines)
            loops["convolve"](image, kernel, y, sizes=parts)
            np.testing.assert_allclose(y, np.einsum("bpqijc,ijcd->bpqd", windows, kernel), rtol=1e-12, atol=1e-12)
            loops["kernel_gradient"](y, image, slopes, sizes=parts)
            np.testing.assert_allclose(slopes, np.einsum("bpqijc,bpqd->ijcd", windows, y), rtol=1e-12, atol=1e-12)
            spread, back = np.einsum("bpqd,ijcd->bpqijc", y, kernel), np.empty(image.shape)
            loops["sum_windows"](spread, inside, sizes=sizes)
            loops["convolve_back"](y, kernel, back, sizes=parts)
            np.testing.assert_allclose(back, inside, rtol=1e-12, atol=1e-12)
    image = np.array([[[[1.0, np.nan], [3.0, 3.0]], [[3.0, np.nan], [2.0, 0.0]]]])  # one window, two channels
    largest, out = np.empty((1, 1, 1, 2)), np.empty(image.shape)
    sizes = (1, 2, 2, 2, 0, 0, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1)
    loops["max_pool"](image, largest, sizes=sizes)
    np.testing.assert_array_equal(largest.ravel(), [3.0, np.nan])
    loops["unpool"](np.array([5.0, 7.0]), image, largest, out, sizes=sizes)
    assert out.tolist() == [[[[0.0, 7.0], [5.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]


def _entrywise_loops_against_formulas(loops: dict[str, Any]) -> None:
    x, g = np.linspace(-30, 30, 61), np.linspace(1, 2, 61)
    found = {name: np.empty(61) for name in ("sigmoid", "sigmoid_vjp", "gelu", "gelu_vjp")}
    for name, out in found.items():
        loops[name](*((g, x) if name.endswith("vjp") else (x,)), out)
    sigmoid = lambda z: np.exp(np.minimum(z, 0)) / (1 + np.exp(-np.abs(z)))  # noqa: E731
    angle, slope = np.sqrt(8 / np.pi) * (x + 0.044715 * x**3), np.sqrt(8 / np.pi) * (1 + 3 * 0.044715 * x**2)
    np.testing.assert_allclose(found["sigmoid"], sigmoid(x), rtol=1e-14)
    np.testing.assert_allclose(found["sigmoid_vjp"], g * sigmoid(x) * sigmoid(-x), rtol=1e-14)
    np.testing.assert_allclose(found["gelu"], x * sigmoid(angle), rtol=1e-12, atol=1e-300)
    expected = g * (sigmoid(angle) + x * sigmoid(angle) * sigmoid(-angle) * slope)
    np.testing.assert_allclose(found["gelu_vjp"], expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", ["sin", "cos"])
def test_sine_and_cosine_are_accurate_where_they_are_nearly_zero(loops: dict[str, Any], f: str, dtype: Any) -> None:
    steps = np.arange(-2600, 2601) * (np.pi / 2)
    x = np.concatenate([steps, np.random.default_rng(0).uniform(-8000, 8000, 20_000), [0.0, -0.0]]).astype(dtype)
    found = np.empty_like(x)
    assert loops[f](x, found)
    exact = getattr(np, f)(x.astype(np.longdouble))
    assert (np.abs(found - exact) <= 2.5 * np.spacing(np.abs(exact).astype(dtype))).all()
    assert not loops[f](np.array([1.0, 8193.0], dtype), found[:2])  # left to NumPy, as infinity is
    assert loops[f](np.array([-0.0, np.nan], dtype), found[:2])
    assert np.signbit(found[0]) == (f == "sin")
    assert np.isnan(found[1])


def _loops_over_rows_and_columns_against_formulas(loops: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    x, g, mask = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), np.array([[True, False, True], [False] * 3])
    y, pulled, keep = np.empty((4, 3)), np.empty((4, 3)), np.tile(mask, (2, 1))
    loops["masked_softmax_rows"](x, mask, y)
    e = np.exp(x) * keep
    np.testing.assert_allclose(y, e / np.where(keep, e.sum(-1, keepdims=True), 1), rtol=1e-14)
    loops["masked_softmax_vjp_rows"](g, y, mask, pulled)
    np.testing.assert_allclose(pulled, y * (g - (g * y).sum(-1, keepdims=True)), rtol=1e-14)
    x[0, 1], x[2, :2], x[3] = np.nan, np.inf, np.nan  # nan at a masked entry, inf at a kept and a masked one, no entry
    loops["masked_softmax_rows"](x, mask, y)
    assert np.isfinite(y[0]).all()
    np.testing.assert_array_equal(y[2:], [[np.nan, 0, np.nan], [0, 0, 0]])
    x, g = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 3))
    for axis, kind in ((2, "rows"), (1, "columns")):
        out, pulled = np.empty_like(x), np.empty_like(x)
        shape = (10, 3) if kind == "rows" else (2, 5, 3)
        rate = 1 / np.sqrt(x.var(axis, keepdims=True) + 0.1)
        loops[f"standardize_{kind}"](x.reshape(shape), 0.1, out.reshape(shape))
        np.testing.assert_allclose(out, (x - x.mean(axis, keepdims=True)) * rate, rtol=1e-13, atol=1e-15)
        loops[f"standardize_vjp_{kind}"](*(a.reshape(shape) for a in (g, out, x)), 0.1, pulled.reshape(shape))
        expected = rate * (g - g.mean(axis, keepdims=True) - out * (g * out).mean(axis, keepdims=True))
        np.testing.assert_allclose(pulled, expected, rtol=1e-12, atol=1e-14)
    _layer_norm_loops_against_formulas(loops, x.reshape(10, 3), g.reshape(10, 3))
    x[0, 0], x[1, 1, 1], x[:, 3] = -np.inf, np.inf, x[:, 4]  # no finite entry, an infinite one, two equal ones
    for axis, kind in ((2, "rows"), (1, "columns")):
        shape, short = ((10, 3), 10) if kind == "rows" else ((2, 5, 3), (2, 3))
        total, slope = np.empty(short), rng.normal(size=short)
        wide = lambda y: np.expand_dims(y.reshape(np.delete(x.shape, axis)), axis)  # noqa: B023, E731
        loops[f"logsumexp_{kind}"](x.reshape(shape), total)
        np.testing.assert_allclose(wide(total), np.logaddexp.reduce(x, axis, keepdims=True), rtol=1e-14)
        loops[f"logsumexp_vjp_{kind}"](x.reshape(shape), slope, total, pulled.reshape(shape))
        with np.errstate(invalid="ignore"):
            expected = wide(slope) * np.where(wide(total) == -np.inf, 0, np.exp(x - wide(total)))
        np.testing.assert_allclose(pulled, expected, rtol=1e-13)
        largest = x.max(axis)
        loops[f"extreme_vjp_{kind}"](x.reshape(shape), slope, largest.reshape(short), pulled.reshape(shape))
        hits = x == wide(largest)
        np.testing.assert_array_equal(pulled, wide(slope) * (hits * (1 / hits.sum(axis, keepdims=True))))


def _second_order(f: Any, x: Any, weight: Any) -> list[Any]:
    """The value, the gradient, the gradient on a tape, and one of second order."""
    x = ak.constant(x)
    with ak.GradientTape() as outer, np.errstate(all="ignore"):
        outer.watch(x)
        with ak.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
        recorded = tape.gradient(y, x, weight)
    with np.errstate(all="ignore"):
        return [t.numpy() for t in (y, tape.gradient(y, x, weight), recorded, outer.gradient(recorded, x, weight))]


def _spread(reduction: Any, x: Any, axis: Any) -> Any:
    return ak.broadcast_to(reduction(x, axis, keepdims=True), x.shape) * reduction(x, axis, keepdims=True)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("f", [ak.logsumexp, ak.max])
def test_a_jacobian_of_one_row_takes_no_loop(loops: dict[str, Any], f: Any, keepdims: bool, monkeypatch: Any) -> None:
    """Its cotangents have a leading axis of length 1, as a kept axis has."""
    x = np.random.default_rng(6).normal(size=(40, 30))
    found = []
    for table in ({}, loops):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        found.append(ak.jacobian(lambda x: f(x, 0, keepdims)[..., :1])(x).numpy())
    assert found[0].shape == found[1].shape == ((1, 1, 40, 30) if keepdims else (1, 40, 30))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-13)


MASK = np.random.default_rng(5).random((4, 70)) < 0.6
MASK[1] = False


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [
    ak.sin, ak.cos, ak.sigmoid, ak.nn.gelu,
    lambda x: ak.nn.masked_softmax(x, MASK), lambda x: ak.nn.masked_softmax(x, MASK[:, :1]),
    lambda x: ak.nn.masked_softmax(x, MASK[0], empty="nan"), ak.nn.layer_norm,
    lambda x: ak.nn.layer_norm(x, axis=(-1, -2)), lambda x: ak.nn.layer_norm(x, axis=(0, 2)),
    lambda x: ak.nn.layer_norm(x, axis=0), ak.nn.instance_norm,
    lambda x: _spread(ak.logsumexp, x, -1), lambda x: _spread(ak.logsumexp, x, (0, 1)),
    lambda x: _spread(ak.max, x, (-1, -2)), lambda x: _spread(ak.min, x, 1), lambda x: _spread(ak.max, x, (0, 2)),
], ids=[
    "sin", "cos", "sigmoid", "gelu", "mask", "rows", "nan", "layer", "layer 2", "apart", "first", "instance",
    "logsumexp", "columns", "max", "min", "max apart",
])  # fmt: skip
def test_a_loop_gives_what_numpy_gives(
    loops: dict[str, Any], f: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both orders, for stacks, transposed arrays, and with nan and infinities; nobody's array is written to."""
    rng = np.random.default_rng(4)
    plain = rng.normal(size=(3, 4, 70)).astype(dtype) * 4
    strange = plain.copy()
    strange[0, 0, 3], strange[1, 2, 5], strange[2, 1, 0], strange[2, 3, 1] = np.nan, np.inf, -np.inf, -800
    turned = rng.normal(size=(70, 4, 3)).astype(dtype).T
    weight = rng.normal(size=plain.shape).astype(dtype)
    eps = np.finfo(dtype).eps
    for x in (plain, strange, turned):
        before, found = (x.tobytes(), weight.tobytes()), []
        for table in ({}, loops):
            monkeypatch.setattr(kernels, "_loops", dict(table))
            found.append(_second_order(f, x, weight))
        for a, b in zip(*found, strict=True):
            assert a.dtype == b.dtype == dtype
            np.testing.assert_allclose(b, a, rtol=200 * eps, atol=200 * eps)
        assert before == (x.tobytes(), weight.tobytes())


TAKE_OVER = """
import numpy as np
import autodiff_kit as ak
from autodiff_kit import kernels
x = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
first = ak.nn.softmax(x).numpy()
print(kernels._thread is None)
for _ in range(kernels.COMPILE_AFTER_REQUESTS):
    ak.nn.softmax(x)
print(kernels._thread is not None)
if kernels._thread is not None:
    kernels._thread.join(200)
print(kernels.compiled_loop("softmax_rows") is not None, kernels.compiled_loop("adam_step") is not None)
print(np.allclose(first, ak.nn.softmax(x).numpy(), rtol=1e-15))
"""


def test_a_thread_in_the_background_takes_over() -> None:
    pytest.importorskip("numba")
    assert run(TAKE_OVER, AUTODIFF_KIT_NUMBA="1").split() == ["True"] * 5


ENDING = """
import os, time
from pathlib import Path
from autodiff_kit import kernels
for _ in range(kernels.COMPILE_AFTER_REQUESTS):
    kernels.compiled_loop("relu")
while not any(Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbi")):
    time.sleep(0.01)
raise ArithmeticError("the learner's")
"""


def test_a_process_may_end_while_loops_are_compiled(loops: dict[str, Any], tmp_path: Path) -> None:
    """With its own exit status, and after the loop that is being compiled rather than after all of them."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "AUTODIFF_KIT_NUMBA": "1"}
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("ArithmeticError: the learner's")
    assert 0 < len(list(tmp_path.rglob("*.nbi"))) < len(loops) // 2


def test_disabled_loops_are_not_compiled() -> None:
    assert run(TAKE_OVER, AUTODIFF_KIT_NUMBA="0").split() == ["True", "False", "False", "False", "True"]
    assert run("from autodiff_kit import kernels; print(kernels.compile_all_loops())", AUTODIFF_KIT_NUMBA="0") == "[]\n"


@pytest.mark.parametrize(
    "trouble", ["raise ImportError('broken')", "def njit(*a, **k): raise RuntimeError('no compiler')"]
)
def test_a_broken_numba_leaves_numpy_in_use(tmp_path: Path, trouble: str) -> None:
    """NumPy remains in use, and nothing is printed."""
    (tmp_path / "numba.py").write_text(trouble)
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{TAKE_OVER}"
    assert run(script, AUTODIFF_KIT_NUMBA="1", PYTHONPATH=path).split() == ["True", "True", "False", "False", "True"]


def test_rows_of_every_dtype_with_kernels_warm() -> None:
    """float16 is summed in float32, also by the compiled loop; repeated ids add up."""
    kernels.compile_all_loops()
    for dtype in (np.float16, np.float32, np.float64):
        x = ak.constant(np.ones((3, 2), dtype))
        with ak.GradientTape() as tape:
            tape.watch(x)
            y = ak.take(x, [0, 0, 2], axis=0)
        gradient = tape.gradient(y, x).numpy()
        assert gradient.dtype == dtype
        assert gradient[:, 0].tolist() == [2.0, 0.0, 1.0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_relu_with_and_without_loops(loops: dict[str, Any], dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits for any memory layout; nan stays nan, also in the backward pass and at second order."""
    rng = np.random.default_rng(1)
    closed = rng.normal(size=(3, 4)).astype(dtype)
    closed.flags.writeable = False
    cases = [rng.normal(size=(4, 3)).astype(dtype).T, closed, np.zeros((0, 2), dtype), np.asarray(2.0, dtype)]
    cases.append(np.array([-1.0, -0.0, 0.0, 1.0, np.nan, np.inf, -np.inf], dtype))
    found: list[list[bytes]] = []
    for table in ({}, loops):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        found.append([])
        for case in cases:
            x = ak.constant(case)
            with ak.GradientTape(persistent=True) as tape, np.errstate(invalid="ignore"):
                tape.watch(x)
                with ak.GradientTape() as inner:
                    inner.watch(x)
                    y = ak.nn.relu(x) * x
                slope = inner.gradient(y, x)
            with np.errstate(invalid="ignore"):
                answers = [y, slope, tape.gradient(slope, x), tape.gradient(y, x, output_gradients=y)]
            assert np.isnan(answers[1].numpy()[np.isnan(case)]).all()
            found[-1] += [a.numpy().tobytes() for a in answers]
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", "uint64", "backwards"])
def test_invalid_labels_are_errors_with_loops_too(
    loops: dict[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.arange(12.0).reshape(4, 3)
    for table in ({}, loops):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        for labels in ([0, 1, 2, 3], [2, 1, 7, 0]):
            given = np.array(labels[::-1])[::-1] if kind == "backwards" else np.array(labels, kind)
            with pytest.raises(ak.errors.LabelError, match=f"from 0 to 2; got .{max(labels)}"):
                ak.nn.sparse_softmax_cross_entropy(given, x)
        if kind.startswith("int"):
            with pytest.raises(ak.errors.LabelError, match=r"got \[-1\]"):
                ak.nn.sparse_softmax_cross_entropy(np.array([0, -1, 2, 2], kind), x)
        good = np.array([0, 1, 2, 2])
        expected = np.log(np.exp(x).sum(-1)) - x[np.arange(4), good]
        found = ak.nn.sparse_softmax_cross_entropy(good, ak.constant(x.astype(np.float32)))
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


def test_labels_may_change_after_they_were_used(loops: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The record holds the labels at the time of the operation, not those at the time of the gradient."""
    monkeypatch.setattr(kernels, "_loops", dict(loops))
    labels, x = np.array([0, 1]), ak.Variable(np.zeros((2, 2)))
    with ak.GradientTape() as tape:
        loss = ak.nn.sparse_softmax_cross_entropy(labels, x)
    labels[:] = 1, 0
    np.testing.assert_array_equal(tape.gradient(loss, x).numpy(), [[-0.5, 0.5], [0.5, -0.5]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("way", ["numpy", "loops"])
def test_gelu_is_straight_far_out(loops: dict[str, Any], way: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the root of the largest number squares overflow; first and second derivatives are right all the same."""
    monkeypatch.setattr(kernels, "_loops", dict(loops) if way == "loops" else {})
    largest = np.finfo(dtype).max
    far = np.array([50.0, np.sqrt(largest) * 1.5, largest / 2, largest, np.inf], dtype)
    x = np.concatenate([np.tile(far, 60), np.tile(-far, 60)])
    first = ak.grad(lambda x: ak.sum(ak.nn.gelu(x)))
    second = ak.grad(lambda x: ak.sum(first(x)))
    with np.errstate(all="ignore"):
        for f, wanted in ((first, np.repeat([1.0, 0.0], 300)), (second, np.zeros(600))):
            np.testing.assert_array_equal(f(x).numpy(), wanted)
