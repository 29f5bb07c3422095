"""Per-example gradients in one reverse pass, compared with a loop over the examples. Row B18 of behaviours.md."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autodiff_kit as ak
from autodiff_kit.errors import AutodiffError, DtypeError, ShapeError
from autodiff_kit.pytree import flatten
from autodiff_kit.transforms import per_example


def draw(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape)


def loop(loss_fn: Any, variables: Any, *batch: Any) -> list[Any]:
    """One gradient for each entry of the losses, computed one by one."""
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(variables)
        losses = loss_fn(*batch)
    rows = np.eye(losses.shape[0], dtype=losses.dtype)
    found = [flatten(tape.gradient(losses, variables, row, unconnected_gradients="zero")) for row in rows]
    return [np.stack([g.numpy() for g in each]) for each in zip(*found, strict=True)]


def assert_as_the_loop(loss_fn: Any, variables: Any, *batch: Any, rtol: float = 1e-10) -> None:
    found = flatten(ak.per_example_gradients(loss_fn, variables, *batch))
    expected = loop(loss_fn, variables, *batch)
    for g, e, w in zip(found, expected, flatten(variables), strict=True):
        assert g.shape == e.shape == (e.shape[0], *w.shape)
        assert g.dtype == w.dtype
        np.testing.assert_allclose(g.numpy(), e, rtol=rtol, atol=rtol * (1 + np.max(np.abs(e), initial=0)))


@pytest.fixture
def never_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if the fast way is not used."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("rows were laid out one example at a time")

    monkeypatch.setattr(per_example._PerExamplePass, "_expanded", refuse)


def perceptron(widths: tuple[int, ...], dtype: str = "float64") -> tuple[Any, Any]:
    layers = [
        {"w": ak.Variable(draw(a, b).astype(dtype) / np.sqrt(a)), "b": ak.Variable(draw(b).astype(dtype))}
        for a, b in pairwise(widths)
    ]

    def losses(x: Any, labels: Any) -> Any:
        for layer in layers[:-1]:
            x = ak.nn.relu(x @ layer["w"] + layer["b"])
        return ak.nn.sparse_softmax_cross_entropy(labels, x @ layers[-1]["w"] + layers[-1]["b"])

    return losses, layers


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_b18_a_perceptron(dtype: str, never_laid_out: None) -> None:
    """B18: equal to the loop, and their sum is the gradient of the batch; with a weight for each example."""
    losses, layers = perceptron((6, 8, 5, 3), dtype)
    x, labels = draw(7, 6).astype(dtype), np.arange(7) % 3
    assert_as_the_loop(losses, layers, x, labels, rtol=1e-10 if dtype == "float64" else 1e-5)
    found = ak.per_example_gradients(losses, layers, x, labels)
    with ak.GradientTape() as tape:
        total = ak.sum(losses(x, labels))
    for g, whole in zip(flatten(found), flatten(tape.gradient(total, layers)), strict=True):
        np.testing.assert_allclose(g.numpy().sum(0), whole.numpy(), rtol=1e-4, atol=1e-6)
    weights = draw(7)
    weighted = ak.per_example_gradients(losses, layers, x, labels, weights=weights)
    for g, w in zip(flatten(found), flatten(weighted), strict=True):
        factors = weights.reshape(-1, *(1,) * (g.ndim - 1))
        np.testing.assert_allclose(w.numpy(), g.numpy() * factors, rtol=1e-4, atol=1e-6)


def test_b18_the_function_runs_once() -> None:
    w = ak.Variable([1.0, 2.0])
    calls = []

    def losses(x: Any) -> Any:
        calls.append(type(x))
        return x @ w

    ak.per_example_gradients(losses, w, np.ones((50, 2)))
    assert calls == [np.ndarray]


@pytest.mark.parametrize("size", [0, 1, 2, 4])
def test_batches_of_every_size(size: int) -> None:
    """No example, one, and as many as a weight has rows: the length of an axis does not identify examples."""
    w, v = ak.Variable(draw(4, 4)), ak.Variable(draw(4))

    def losses(x: Any) -> Any:
        return ak.sum(ak.tanh(x @ w + v) * v, axis=1)

    if size:
        assert_as_the_loop(losses, [w, v], draw(size, 4))
    else:
        assert [g.shape for g in ak.per_example_gradients(losses, [w, v], draw(0, 4))] == [(0, 4, 4), (0, 4)]


def test_an_embedding_under_attention(never_laid_out: None) -> None:
    table, q, k, out = (ak.Variable(draw(*s)) for s in ((11, 6), (6, 6), (6, 6), (6, 3)))
    ids = np.random.default_rng(1).integers(-11, 11, (5, 4))
    labels = np.arange(5) % 3

    def losses(ids: Any, labels: Any) -> Any:
        h = ak.take(table, ids, axis=0)
        weights = ak.nn.masked_softmax((h @ q) @ (h @ k).swapaxes(-1, -2) / 2.0, (ids > -8)[:, None, :])
        h = (weights @ h).reshape((-1, 6)) @ out
        return ak.nn.sparse_softmax_cross_entropy(labels, h.reshape((5, 4, 3)).mean(axis=1))

    assert_as_the_loop(losses, [table, q, k, out], ids, labels)


def test_images(never_laid_out: None) -> None:
    """Convolutions, pooling, bias: a kernel's gradient for each image, in one sweep."""
    shapes = ((3, 3, 2, 4), (2, 2, 2, 6), (2, 3, 2, 6), (4,), (4, 3))
    first, second, larger, bias, dense = (ak.Variable(0.5 * draw(*s)) for s in shapes)

    def losses(x: Any, labels: Any) -> Any:
        h = ak.nn.relu(ak.nn.conv2d(x, first, padding="same") + bias)
        h = ak.nn.max_pool2d(h, 2)
        h = ak.nn.conv2d(h, second, stride=2, groups=2)
        h = ak.nn.conv2d_transpose(h, larger, stride=2, groups=2)
        h = ak.nn.avg_pool2d(ak.tanh(h), (1, 2))
        return ak.nn.sparse_softmax_cross_entropy(labels, ak.sum(h, axis=(1, 2)) @ dense)

    assert_as_the_loop(losses, [first, second, larger, bias, dense], draw(5, 8, 8, 2), np.arange(5) % 3)


def test_zero_absorbs_here_too() -> None:
    with np.errstate(all="ignore"), ak.zero_absorbs():
        found = ak.per_example_gradients(
            lambda x: ak.sum(ak.where(x * V > 0, ak.sqrt(x * V), 0.0), 1), V, np.zeros((2, 3))
        )
    np.testing.assert_array_equal(found.numpy(), np.zeros((2, 3)))


def test_rows_of_a_large_table() -> None:
    """For such a table the tape returns rows; here each example has a separate table."""
    table = ak.Variable(draw(2000, 3))
    assert_as_the_loop(lambda ids: ak.sum(ak.nn.embedding(table, ids) ** 2, axis=1), [table], np.array([5, 0, 1999, 5]))
    assert_as_the_loop(lambda ids: ak.sum(table[ids] ** 2, axis=1), [table], np.arange(2000)[:2000:500])


W, V, S = ak.Variable(draw(3, 3)), ak.Variable(draw(3)), ak.Variable(0.7)
X = draw(3, 3, seed=9)  # as many examples as a weight has rows, so that lengths are ambiguous
COLUMNS = np.array([2, 0, 2])

FAST: dict[str, Callable[[Any], Any]] = {
    "a number": lambda x: ak.sum(x * S, axis=1) + S,
    "bias on the left": lambda x: ak.sum(V - ak.exp(x * V), axis=1),
    "a column": lambda x: ak.sum(x * V.read_value().reshape((1, 3)), axis=-1),
    "shared work": lambda x: ak.sum(ak.tanh(x @ (W @ W + ak.exp(V))), axis=1),
    "matvec": lambda x: x @ V,
    "matvec of three axes": lambda x: ak.sum(ak.reshape(x, (3, 3, 1)) * W @ V, axis=1),
    "vecdot": lambda x: ak.vmap(lambda row: row @ V)(ak.tanh(x @ W)),
    "stacks": lambda x: ak.sum(ak.expand_dims(x @ W, 1) @ W, axis=(1, 2)),
    "a stack on the right": lambda x: ak.sum(W @ ak.expand_dims(x * V, -1), axis=(1, 2)),
    "columns": lambda x: ak.sum((x @ W)[:, COLUMNS] * V, axis=1),
    "a slice": lambda x: ak.sum((x @ W)[:, 1:] ** 2, axis=1) + (x * V)[..., 0],
    "its label": lambda x: -ak.nn.log_softmax(x @ W)[np.arange(3), COLUMNS],
    "one place": lambda x: (x @ W)[np.arange(3), 1],
    "along an axis": lambda x: ak.sum(ak.take_along_axis(x @ W, COLUMNS[:, None], axis=1) * V, axis=1),
    "sorted": lambda x: ak.sum(ak.sort(x @ W) * V, axis=1),
    "running sums": lambda x: ak.sum(ak.cumsum(x @ W, 1) * ak.cumprod(x * V, 1), axis=1),
    "joined": lambda x: ak.sum(ak.concat([x @ W, x * V], 1) ** 2, axis=1),
    "stacked": lambda x: ak.sum(ak.stack([x @ W, x * V], 1).permute_dims((0, 2, 1)) @ np.ones(2) * V, axis=1),
    "extremes": lambda x: ak.max(x @ W, axis=1) * ak.norm(x * V, axis=1) + ak.logsumexp(x * V, axis=1),
    "variance": lambda x: ak.var(x @ W, axis=1) + ak.prod(x * V, axis=1),
    "chosen": lambda x: ak.sum(ak.where(x > 0, x * V, ak.sin(x @ W)), axis=1),
    "rolled": lambda x: ak.sum(ak.roll(x @ W, 1, 1) * V, axis=1),
    "rows of a table": lambda x: ak.sum(W[COLUMNS] * x, axis=1) + V[COLUMNS],
    "places of a table": lambda x: W[COLUMNS, np.array([0, 1, 1])] * S,
    "flat": lambda x: ak.sum(ak.reshape(ak.ravel(x @ W) * 2.0, (3, 3)), axis=1),
    "einsum": lambda x: ak.einsum("bi,ij,bj->b", x, W, x * V) + ak.einsum("bi,i->b", ak.sin(x @ W), V),
    "einsum of three": lambda x: ak.sum(ak.einsum("bi,ij,jk->bk", x * V, W, W), axis=1),
    "normalised": lambda x: ak.sum(ak.nn.layer_norm(x @ W, scale=V, offset=V) * x, axis=1),
    "matrices": lambda x: ak.det(ak.expand_dims(x, 1) * W + 3.0 * np.eye(3)) * S,
    "solved": lambda x: ak.sum(ak.solve(ak.expand_dims(x, 1) * W + 3.0 * np.eye(3), ak.expand_dims(x * V, 2)), (1, 2)),
    "gelu": lambda x: ak.sum(ak.nn.gelu(x @ W) / (1.0 + V**2), axis=1),
    "softmax of labels": lambda x: ak.nn.softmax_cross_entropy(np.eye(3), x @ W),
    "unused": lambda x: ak.sum(ak.constant(x), axis=1) + S,
}
SLOW: dict[str, Callable[[Any], Any]] = {
    "centred over the batch": lambda x: ak.sum((x @ W - ak.mean(x @ W, axis=0)) ** 2, axis=1) * S,
    "turned": lambda x: ak.sum((x @ W).T @ W, axis=1),
    "softmax over the batch": lambda x: ak.sum(ak.nn.softmax(x @ W, 0) * V, axis=1),
    "shuffled": lambda x: ak.sum((x @ W)[COLUMNS], axis=1),
    "masked rows": lambda x: ak.sum((x @ W)[np.array([True, True, True])], axis=1),
    "backwards": lambda x: ak.sum(ak.flip(x @ W), axis=1),
    "rows joined": lambda x: ak.sum(ak.concat([(x @ W)[:1], (x * V)[1:]], 0), axis=1),
    "a weight as rows": lambda x: ak.sum(W * x, axis=1) + ak.sum(x @ W, axis=1),
    "of the weights alone": lambda x: ak.sum(W, axis=1) * V + S,
    "numbers together": lambda x: ak.stack([ak.sum((x * V)[k]) * S for k in range(3)]),
    "time first": lambda x: ak.sum(ak.stack([x @ W, x * V])[1], axis=1),
    "outer": lambda x: ak.sum(ak.outer(x @ V, V), axis=1),
}


@pytest.mark.parametrize("name", FAST)
def test_operations_that_keep_examples_separate(name: str, never_laid_out: None) -> None:
    assert_as_the_loop(FAST[name], {"w": W, "v": [V, S]}, X)


@pytest.mark.parametrize("name", SLOW)
def test_operations_that_mix_examples(name: str) -> None:
    assert_as_the_loop(SLOW[name], {"w": W, "v": [V, S]}, X)


@pytest.mark.parametrize("name", [*SLOW, "shared work", "its label", "rows of a table", "stacks"])
def test_parts_of_bounded_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for one example at a time, the results are the same."""
    monkeypatch.setattr(per_example, "MAX_EXPANDED_BYTES", 1)
    assert_as_the_loop((FAST | SLOW)[name], {"w": W, "v": [V, S]}, X)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_b18_random_programs(data: st.DataObject) -> None:
    """B18: five steps on values of one shape, each of which reads an earlier value, a weight, or the batch."""
    size = data.draw(st.integers(1, 4), "examples")
    x = draw(size, 3, seed=data.draw(st.integers(0, 99)))
    picks = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=5, max_size=5))
    turn = np.roll(np.arange(size), 1)
    steps: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a * b,
        lambda a, b: a + ak.sin(b),
        lambda a, b: a @ W + b,
        lambda a, b: ak.nn.softmax(a) * b,
        lambda a, b: a - ak.mean(b, axis=0),
        lambda a, b: ak.concat([a[:, :1], b[:, 1:]], 1),
        lambda a, b: a[turn] + b * S,
        lambda a, b: a * ak.sum(b * V, axis=1, keepdims=True),
        lambda a, b: ak.where(a > b, a, b * V),
        lambda a, b: ak.tanh(a) @ (W * S) + ak.max(b, axis=0, keepdims=True),
    ]

    def losses(x: Any) -> Any:
        values = [ak.constant(x), x * V]
        for step, other in picks:
            values.append(steps[step](values[-1], values[other % len(values)]))
        return ak.sum(values[-1], axis=1)

    assert_as_the_loop(losses, [W, V, S], x)


def test_a_user_defined_gradient() -> None:
    @ak.custom_gradient
    def doubled(x: Any) -> Any:
        return x * x, lambda g: 4.0 * g * x

    assert_as_the_loop(lambda x: ak.sum(doubled(x @ W), axis=1), [W], X)
    with ak.gradient_override_map({"Floor": "Identity"}):
        assert_as_the_loop(lambda x: ak.sum(ak.floor(x @ W), axis=1), [W], X)


def test_a_hook_sees_the_gradient_of_each_example() -> None:
    """Clipping each gradient to norm 1, a common use."""

    def losses(x: Any) -> Any:
        h = x @ W
        h.register_hook(lambda g: g / ak.norm(g))
        return ak.sum(h**2, axis=1)

    assert_as_the_loop(losses, [W], X)


def test_tensors_and_variables_that_are_not_trainable() -> None:
    t, fixed = ak.constant(draw(3)), ak.Variable(draw(3), trainable=False)
    assert_as_the_loop(lambda x: ak.sum(x * t * fixed, axis=1), (t, fixed), X)
    first, again = ak.per_example_gradients(lambda x: ak.sum(x * V * V, axis=1), [V, V], X)
    np.testing.assert_array_equal(first.numpy(), again.numpy())


def test_inside_an_open_tape() -> None:
    """The gradients themselves are differentiated: the sum of their squares with respect to the weights."""
    x = draw(5, 3)

    def losses(x: Any) -> Any:
        return ak.sum(ak.tanh(x @ W), axis=1) ** 2

    with ak.GradientTape() as tape:
        found = ak.per_example_gradients(losses, W, x, weights=[1.0, 2.0, 0.5, 1.0, 3.0])
        size = ak.sum(found**2)
    outer = tape.gradient(size, W)
    plain = ak.per_example_gradients(losses, W, x, weights=[1.0, 2.0, 0.5, 1.0, 3.0])
    np.testing.assert_allclose(found.numpy(), plain.numpy(), rtol=1e-12)
    step = 1e-6 * draw(3, 3, seed=4)

    def moved(sign: float) -> float:
        w = ak.Variable(W.numpy() + sign * step)
        g = ak.per_example_gradients(lambda x: ak.sum(ak.tanh(x @ w), axis=1) ** 2, w, x)
        return float(np.sum((g.numpy() * np.array([1.0, 2.0, 0.5, 1.0, 3.0])[:, None, None]) ** 2))

    assert float(np.sum(outer.numpy() * step)) == pytest.approx((moved(1) - moved(-1)) / 2, rel=1e-5)


@pytest.mark.parametrize("name", [*FAST, *SLOW])
def test_recorded_sweeps(name: str) -> None:
    """Inside an open tape the gradients are the same, and so is the gradient of their sum."""
    f = (FAST | SLOW)[name]
    variables = [W, V, S]
    with ak.GradientTape(persistent=True) as outer:
        found = ak.per_example_gradients(f, variables, X)
        total = sum((ak.sum(g * g) for g in found), ak.constant(0.0))
        rows = []
        for k in range(3):
            with ak.GradientTape() as inner:
                loss = f(X)[k]
            rows.append(inner.gradient(loss, variables, unconnected_gradients="zero"))
        expected = sum((ak.sum(g * g) for row in rows for g in row), ak.constant(0.0))
    assert float(total) == pytest.approx(float(expected), rel=1e-10)
    for g, e in zip(outer.gradient(total, variables), outer.gradient(expected, variables), strict=True):
        assert (g is None) == (e is None)
        if g is not None and e is not None:
            np.testing.assert_allclose(g.numpy(), e.numpy(), rtol=1e-9, atol=1e-9 * (1 + abs(float(expected))))


@pytest.mark.parametrize("name", [*FAST, *SLOW])
def test_compiled(name: str) -> None:
    f = (FAST | SLOW)[name]
    compiled = ak.compile(lambda x: ak.per_example_gradients(f, [W, V, S], x))
    for x in (X, X[::-1].copy()):
        for g, e in zip(compiled(x), ak.per_example_gradients(f, [W, V, S], x), strict=True):
            np.testing.assert_allclose(g.numpy(), e.numpy(), rtol=1e-10, atol=1e-12)


def test_memory_is_that_of_the_result() -> None:
    """40 examples, a weight of 200 by 200: the result has 12.8 MB; a stack of identity rows would double it."""
    w = ak.Variable(draw(200, 200) / 15.0)
    x = draw(40, 200)
    losses = lambda x: ak.sum(ak.tanh(x @ w), axis=1)  # noqa: E731
    ak.per_example_gradients(losses, w, x)
    tracemalloc.start()
    try:
        found = ak.per_example_gradients(losses, w, x)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.shape == (40, 200, 200)
    assert peak < 1.1 * 40 * 200 * 200 * 8


@pytest.mark.parametrize(
    ("losses", "variables", "batch", "options", "error", "words"),
    [
        (lambda x: ak.sum(x * V), V, (X,), {}, ShapeError, r"shape \(B,\), one for each example; got \(\)"),
        (lambda x: x * V, V, (X,), {}, ShapeError, r"shape \(B,\), one for each example; got \(3, 3\)"),
        (lambda x: ak.sum(x * V, axis=0), V, (draw(5, 3),), {}, ShapeError, "got 3 losses for 5 examples"),
        (lambda x: None, V, (X,), {}, DtypeError, "got NoneType"),
        (lambda x: [1.0], V, (X,), {}, DtypeError, "got list"),
        (lambda x: ak.constant([1, 2, 3]), V, (X,), {}, DtypeError, "int64"),
        (None, V, (X,), {}, DtypeError, "needs a function"),
        (lambda x: x @ V, "V", (X,), {}, DtypeError, "got str"),
        (lambda x: x @ V, ak.Variable([1, 2]), (X,), {}, DtypeError, "int64"),
        (lambda x: x @ V, V, (X,), {"weights": [1.0]}, ShapeError, "for 3 losses"),
        (lambda x: x @ V, V, (X,), {"weights": "abc"}, DtypeError, "not a number"),
        (lambda x: x @ V, V, (X,), {"weights": object()}, AutodiffError, "object"),
    ],
)
def test_errors_of_per_example_gradients(
    losses: Any, variables: Any, batch: Any, options: Any, error: Any, words: str
) -> None:
    with pytest.raises(error, match=words):
        ak.per_example_gradients(losses, variables, *batch, **options)


@pytest.mark.parametrize("kind", ["uint8", "int8", "int64"])
def test_a_table_of_more_rows_than_its_indices_can_count(kind: str) -> None:
    w, ids = ak.Variable(np.arange(1200.0).reshape(300, 4)), np.array([[3, 100], [120, 7]], kind)
    found = ak.per_example_gradients(lambda i: ak.sum(w[i] ** 2, axis=(1, 2)), [w], ids)[0].numpy()
    each = [ak.grad(lambda t, i=i: ak.sum(t[i] ** 2))(w.numpy()).numpy() for i in ids]
    np.testing.assert_array_equal(found, each)
