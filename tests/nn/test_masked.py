"""Masked softmax, attention over padding, cross-entropy of labels. Rows B37 and B38, and the numbers of lesson 09."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff_kit as ak
from autodiff_kit.errors import DtypeError, LabelError, RangeError, ShapeError, StructureError

SCORES, KEEP = np.log([1.0, 2.0, 3.0, 4.0]), np.array([True, True, True, False])
VALUES = np.array([10.0, 20.0, 30.0, 100.0])
TOLERANCE = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-12}
each_dtype = pytest.mark.parametrize("dtype", TOLERANCE)
DESIGNS = {
    "zero after": lambda s: ak.nn.softmax(s) * KEEP,
    "renormalize": lambda s: ak.nn.masked_softmax(s, KEEP),
    "where": lambda s: ak.nn.masked_softmax(s, KEEP, mode="where"),
    "additive": lambda s: ak.nn.masked_softmax(s, KEEP, mode="additive"),
}


def pulled(f: Any, x: Any) -> tuple[Any, Any]:
    t = ak.constant(x)
    with ak.GradientTape() as tape:
        tape.watch(t)
        y = f(t)
    return y.numpy(), tape.gradient(y, t).numpy()


def test_b38_lesson_09_the_leak() -> None:
    """B38: the kept sum, the outputs, and the gradient into the padding in each design."""
    assert float(ak.sum(DESIGNS["zero after"](SCORES))) == pytest.approx(0.6, abs=1e-12)
    assert float(ak.sum(DESIGNS["renormalize"](SCORES))) == pytest.approx(1.0, abs=1e-12)
    expected = {
        "zero after": (14.0, -5.6),
        "renormalize": (70 / 3, 0.0),
        "where": (70 / 3, 0.0),
        "additive": (70 / 3, 0.0),
    }
    for name, (output, leak) in expected.items():
        value, g = pulled(lambda s, f=DESIGNS[name]: (f(s) * VALUES).sum(), SCORES)
        assert value == pytest.approx(output, abs=1e-9)
        assert g[3] == pytest.approx(leak, abs=1e-9)
    _, g = pulled(lambda s: (DESIGNS["renormalize"](s) * VALUES).sum(), SCORES)
    assert g[3] == 0.0


def test_lesson_09_a_small_addend_leaks() -> None:
    weights = ak.nn.masked_softmax(SCORES, KEEP, mode="additive", additive=-10.0).numpy()
    assert weights[3] == pytest.approx(3.03e-5, abs=1e-7)


def test_lesson_09_everything_masked() -> None:
    """At -1e9 float32 loses the scores and float64 does not; minus infinity gives nan; otherwise the policy decides."""
    nothing = np.zeros(4, bool)
    single = ak.nn.masked_softmax(SCORES.astype(np.float32), nothing, mode="additive")
    np.testing.assert_array_equal(single.numpy(), [0.25] * 4)
    double = ak.nn.masked_softmax(SCORES, nothing, mode="additive")
    np.testing.assert_allclose(double.numpy(), [0.1, 0.2, 0.3, 0.4], atol=5e-8)
    assert np.isnan(ak.nn.masked_softmax(SCORES, nothing, mode="where").numpy()).all()
    assert ak.nn.masked_softmax(SCORES, nothing).tolist() == [0.0] * 4
    assert np.isnan(ak.nn.masked_softmax(SCORES, nothing, empty="nan").numpy()).all()


def test_b38_scores_with_two_real_positions() -> None:
    """B38: plain, renormalized, additive as in BERT, minus infinity."""
    scores, keep = np.array([0.1, 0.2, 0.0, 0.0, 0.0]), np.array([1, 1, 0, 0, 0])
    np.testing.assert_allclose(ak.nn.softmax(scores).numpy(), [0.2075, 0.2293, 0.1877, 0.1877, 0.1877], atol=5e-5)
    expected = [0.475021, 0.524979, 0.0, 0.0, 0.0]
    for options in ({}, {"mode": "additive", "additive": -10000.0}, {"mode": "where"}):
        np.testing.assert_allclose(ak.nn.masked_softmax(scores, keep, **options).numpy(), expected, atol=5e-7)


@each_dtype
@pytest.mark.parametrize("mode", ["renormalize", "where"])
def test_kept_entries_share_among_themselves(dtype: str, mode: str) -> None:
    """Values and gradients of kept entries are those of a softmax over them alone, in every dtype; the dtype stays."""
    x = np.array([[0.5, -1.0, 2.0, 0.25], [3.0, 1.0, 0.0, -2.0]], dtype)
    mask = np.array([[True, False, True, True], [True, True, False, False]])
    y, g = pulled(lambda s: ak.nn.masked_softmax(s, mask, mode=mode) ** 2, x)
    assert (y.dtype, g.dtype) == (np.dtype(dtype), np.dtype(dtype))
    for row in range(2):
        alone, slope = pulled(lambda s: ak.nn.softmax(s) ** 2, x[row][mask[row]].astype(np.float64))
        np.testing.assert_allclose(y[row][mask[row]], alone, atol=TOLERANCE[dtype])
        np.testing.assert_allclose(g[row][mask[row]], slope, atol=2 * TOLERANCE[dtype])
        assert not y[row][~mask[row]].any()
        assert not g[row][~mask[row]].any()


@each_dtype
@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf, 6e4])
def test_b38_the_contents_of_the_padding_do_not_matter(dtype: str, garbage: float) -> None:
    """B38: value, gradient and tangent are exact for any contents of the padding; so is the second order."""
    x = np.array([0.5, 1.0, 0.0], dtype)
    dirty, mask = np.array([0.5, 1.0, garbage], dtype), [True, True, False]

    def f(s: Any) -> Any:
        return ak.nn.masked_softmax(s, mask)[0]

    for clean, found in zip(pulled(f, x), pulled(f, dirty), strict=True):
        np.testing.assert_array_equal(found, clean)
    along = np.array([1.0, 2.0, np.nan], dtype)
    clean_tangent = ak.jvp(f, (x,), (np.array([1.0, 2.0, 0.0], dtype),))[1]
    np.testing.assert_array_equal(ak.jvp(f, (dirty,), (along,))[1].numpy(), clean_tangent.numpy())
    if dtype == "float64":
        np.testing.assert_allclose(ak.hessian(f)(dirty).numpy(), ak.hessian(f)(x).numpy(), atol=1e-15)


def test_the_cotangent_of_the_padding_does_not_matter() -> None:
    """0 times nan in the backward pass: weights of the padding times values of nan."""
    x = ak.constant([0.5, 1.0, 0.0])
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = ak.nn.masked_softmax(x, [True, True, False])
    g = tape.gradient(y, x, output_gradients=ak.constant([1.0, 0.0, np.nan])).numpy()
    assert np.isfinite(g).all()
    assert g[2] == 0.0


@each_dtype
def test_empty_rows_among_full_ones(dtype: str) -> None:
    """One empty row: 0 or nan as requested, its gradient 0, and the other rows unchanged; also an axis of length 0."""
    x = np.array([[1.0, 2.0], [3.0, 4.0]], dtype)
    mask = [[True, True], [False, False]]
    y, g = pulled(lambda s: ak.nn.masked_softmax(s, mask) ** 2, x)
    plain, slope = pulled(lambda s: ak.nn.softmax(s) ** 2, x[:1])
    np.testing.assert_allclose(y, [plain[0], [0.0, 0.0]], atol=TOLERANCE[dtype])
    np.testing.assert_allclose(g, [slope[0], [0.0, 0.0]], atol=TOLERANCE[dtype])
    y, g = pulled(lambda s: ak.nn.masked_softmax(s, mask, empty="nan")[0], x)
    assert np.isfinite(y).all()
    assert np.isfinite(g).all()
    assert ak.nn.masked_softmax(np.zeros((2, 0), dtype), np.zeros((2, 0), bool)).shape == (2, 0)


def test_a_constant_added_to_all_scores_changes_nothing() -> None:
    for shift in (-1e4, 1e4):
        np.testing.assert_allclose(
            ak.nn.masked_softmax(SCORES + shift, KEEP).numpy(), ak.nn.masked_softmax(SCORES, KEEP).numpy(), rtol=1e-11
        )


@given(seed=st.integers(0, 10_000), rows=st.integers(1, 4), columns=st.integers(1, 5))
def test_any_mask(seed: int, rows: int, columns: int) -> None:
    """Rows with a kept entry sum to 1, others to 0; gradients of each row sum to 0, and are 0 at the padding."""
    rng = np.random.default_rng(seed)
    x, mask = rng.normal(size=(rows, columns)) * 20, rng.random((rows, columns)) < 0.6
    u = rng.normal(size=(rows, columns))
    _, g = pulled(lambda s: (ak.nn.masked_softmax(s, mask) * u).sum(), x)
    weights = ak.nn.masked_softmax(x, mask).numpy()
    np.testing.assert_allclose(weights.sum(-1), mask.any(-1) * 1.0, atol=1e-14)
    np.testing.assert_allclose(g.sum(-1), 0.0, atol=1e-12)
    assert not g[~mask].any()
    assert not weights[~mask].any()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: ak.nn.masked_softmax([1.0, 2.0], [True, True, False]),
            ShapeError,
            r"\(3,\) does not fit scores of shape \(2,\)",
        ),
        (lambda: ak.nn.masked_softmax([1.0, 2.0], [1.0, 0.0]), DtypeError, "float64"),
        (lambda: ak.nn.masked_softmax([1.0, 2.0], [True, True], mode="drop"), StructureError, "drop"),
        (lambda: ak.nn.masked_softmax([1.0, 2.0], [True, True], empty="one"), StructureError, "one"),
        (lambda: ak.nn.masked_softmax(1.0, True), ShapeError, "needs at least one axis"),
    ],
)
def test_masks_that_do_not_fit(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call()


# --------------------------------------------------------------------------------------------------------- attention
@pytest.mark.parametrize("garbage", [0.0, 7.0, np.nan, np.inf])
@pytest.mark.parametrize("length", [1, 3, 5])
def test_attention_with_padding_equals_the_sentence_alone(length: int, garbage: float) -> None:
    """Values and every gradient, for any contents of the padding; the padding itself gets exactly 0."""
    rng = np.random.default_rng(length)
    q, k, v = (rng.normal(size=(5, 4)) for _ in range(3))
    k[length:], v[length:] = garbage, garbage
    mask = np.arange(5) < length

    def loss(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
        return (ak.nn.attention(q, k, v, mask)[:length] ** 2).sum()

    with np.errstate(invalid="ignore"):
        padded, grads = ak.value_and_grad(lambda *a: loss(*a, mask[None, :]), (0, 1, 2))(q, k, v)
    alone, slopes = ak.value_and_grad(loss, (0, 1, 2))(q[:length], k[:length], v[:length])
    assert float(padded) == pytest.approx(float(alone), rel=1e-13)
    for g, s in zip(grads, slopes, strict=True):
        np.testing.assert_allclose(g.numpy()[:length], s.numpy(), rtol=1e-11, atol=1e-13)
        assert not g.numpy()[length:].any()


@each_dtype
def test_attention_over_a_padded_batch(dtype: str) -> None:
    """Each sentence of a batch as if alone; an empty sentence gives 0 and does not affect the others."""
    rng = np.random.default_rng(0)
    lengths = np.array([4, 2, 0, 3])
    x = rng.normal(size=(4, 4, 3)).astype(dtype)
    keep = np.arange(4)[None, :] < lengths[:, None]
    x[~keep] = np.nan
    queries = np.where(keep[..., None], x, 0)
    out = ak.nn.attention(queries, x, x, keep[:, None, :])
    assert (out.shape, out.dtype) == ((4, 4, 3), np.dtype(dtype))
    for b, n in enumerate(lengths):
        if n:
            alone = ak.nn.attention(x[b, :n], x[b, :n], x[b, :n])
            np.testing.assert_allclose(out.numpy()[b, :n], alone.numpy(), atol=4 * TOLERANCE[dtype])
    assert not out.numpy()[2].any()


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (((3,), (3, 2), (3, 2)), "needs matrices"),
        (((3, 4), (3, 2), (3, 2)), "vectors of the same length"),
        (((3, 2), (3, 2), (4, 2)), "the same number of rows"),
    ],
)
def test_attention_of_shapes_that_do_not_fit(shapes: Any, words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        ak.nn.attention(*(np.ones(s) for s in shapes))


# ---------------------------------------------------------------------------------------------------- cross-entropy
def test_b37_cross_entropy_of_a_label() -> None:
    """B37: logits [0, 1, 2], label 1: -log softmax, no binary terms, no softmax twice; the gradient sums to 0."""
    value, g = pulled(lambda x: ak.nn.sparse_softmax_cross_entropy(1, x), [0.0, 1.0, 2.0])
    assert value == pytest.approx(1.4076059, abs=1e-7)
    np.testing.assert_allclose(g, ak.nn.softmax([0.0, 1.0, 2.0]).numpy() - [0.0, 1.0, 0.0], atol=1e-15)
    assert abs(g.sum()) < 1e-15


@each_dtype
def test_cross_entropy_of_extreme_logits(dtype: str) -> None:
    x = np.array([[1000.0, 0.0], [-1000.0, 0.0]], dtype)
    value, g = pulled(lambda x: ak.nn.sparse_softmax_cross_entropy([0, 0], x), x)
    assert value.dtype == g.dtype == np.dtype(dtype)
    np.testing.assert_allclose(value, [0.0, 1000.0])
    np.testing.assert_allclose(g, [[0.0, 0.0], [-1.0, 1.0]])


@pytest.mark.parametrize(
    ("labels", "logits", "error", "words"),
    [
        ([0, 3, -1, 3], np.ones((4, 3)), LabelError, r"from 0 to 2; got \[-1, 3\]"),
        ([0.0, 1.0], np.ones((2, 3)), DtypeError, "float64"),
        ([0, 1, 2], np.ones((2, 3)), ShapeError, r"\(3,\).*\(2, 3\)"),
        (0, 1.0, ShapeError, "logits"),
    ],
)
def test_labels_that_do_not_fit(labels: Any, logits: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        ak.nn.sparse_softmax_cross_entropy(labels, logits)
    if error is LabelError:
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, IndexError)


@pytest.mark.parametrize(
    ("ids", "error", "words"),
    [
        ([[0, 1], [2, 3]], RangeError, r"id 3 at place \(1, 1\).*from 0 to 2"),
        ([-1], RangeError, "id -1"),
        ([0.5], DtypeError, "float64"),
    ],
)
def test_ids_that_name_no_row(ids: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ak.nn.embedding(np.ones((3, 2)), ids)


@pytest.mark.parametrize("mode", ["renormalize", "additive"])
@pytest.mark.parametrize("empty", ["zero", "nan"])
def test_the_mask_may_be_an_argument_of_a_compiled_or_batched_function(mode, empty):
    def loss(x, mask, w):
        return ak.sum(w * ak.nn.masked_softmax(x, mask, mode=mode, empty=empty))

    rng = np.random.default_rng(4)
    x, w = rng.normal(size=(2, 4, 3))
    mask = rng.random((4, 3)) > 0.4
    mask[1] = False
    compiled, rows = ak.compile(ak.grad(loss)), ak.vmap(ak.grad(loss))
    for keep in (mask, ~mask):
        want = ak.grad(loss)(x, keep, w).numpy()
        np.testing.assert_allclose(compiled(x, keep, w), want, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(rows(x, keep, w), want, rtol=1e-12, atol=1e-15)
    assert compiled.trace_count == 1


def test_float16_attention_scales_before_the_product() -> None:
    """Scores of 1,000 come from products of 8,000 for each of 64 features, whose sum float16 does not hold."""
    q, k = np.full((2, 64), 90.0, np.float16), np.full((3, 64), 89.0, np.float16)
    v = np.arange(6.0, dtype=np.float16).reshape(3, 2)
    k[1] = 0.0
    found = ak.nn.attention(q, k, v)
    assert found.dtype == np.float16
    assert found.tolist() == [[2.0, 3.0]] * 2  # the first and the last key have equal scores, the second is far below
    slopes = ak.grad(lambda q, k, v: ak.sum(ak.nn.attention(q, k, v)), (0, 1, 2))(q, k, v)
    assert all(g.dtype == np.float16 and np.isfinite(g.numpy()).all() for g in slopes)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_an_additive_mask_over_a_whole_row_keeps_weights(dtype: Any) -> None:
    scores = np.array([[1, 1, 1], [2, 1, 0]], dtype)
    weights = ak.nn.masked_softmax(scores, [[False] * 3, [True, False, False]], mode="additive")
    np.testing.assert_allclose(weights.numpy(), [[1 / 3] * 3, [1, 0, 0]], rtol=1e-3)


@pytest.mark.parametrize("part", [np.s_[:, :-1], np.s_[:, 4::-1], np.s_[::-1, 1:]])
def test_a_mask_may_be_a_view_of_a_tensor(part: Any) -> None:
    keep, scores = np.arange(12).reshape(2, 6) % 3 > 0, np.arange(10.0).reshape(2, 5)
    found = ak.nn.masked_softmax(scores, ak.constant(keep)[part])
    np.testing.assert_allclose(found.numpy(), ak.nn.masked_softmax(scores, keep[part].copy()).numpy())
    spread = ak.nn.masked_softmax(scores, ak.broadcast_to(ak.constant(keep[0, 1:]), (2, 5)))
    np.testing.assert_allclose(spread.numpy(), ak.nn.masked_softmax(scores, keep[0, 1:]).numpy())
