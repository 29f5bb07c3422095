"""Segment operations, beyond the cases of tests/rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.errors import DtypeError, RangeError, ShapeError, StructureError

S = ak.segment
GROUPS = {
    S.segment_sum: (np.sum, 0), S.segment_mean: (np.mean, 0), S.segment_max: (np.max, 0), S.segment_min: (np.min, 0),
    S.segment_prod: (np.prod, 1),
}  # fmt: skip
NAMES = sorted(GROUPS, key=lambda f: f.__name__)


def gradient(f: Any, x: Any) -> Any:
    x = ak.constant(x)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


# -------------------------------------------------------------------------------- B34
def test_b34_readout_with_a_number_of_graphs_known_when_it_runs() -> None:
    """B34: sums, means and extremes of each graph's nodes; an empty graph gives 0, and its gradient goes to no node."""
    h, ids = ak.constant([1.0, 2.0, 3.0, 4.0, 5.0]), [0, 0, 1, 1, 1]
    assert S.segment_sum(h, ids).tolist() == [3.0, 12.0]
    assert S.segment_sum(h, ids, 3).tolist() == [3.0, 12.0, 0.0]
    assert S.segment_mean(h, ids, 3).tolist() == [1.5, 4.0, 0.0]
    assert S.segment_max(-h, ids, ak.constant(3)).tolist() == [-1.0, -3.0, 0.0]
    np.testing.assert_allclose(gradient(lambda x: S.segment_mean(x, ids, 3), h), [0.5, 0.5, 1 / 3, 1 / 3, 1 / 3])
    assert S.segment_sum(h, np.array(ids, np.uint8)).tolist() == [3.0, 12.0]
    assert S.segment_sum(np.zeros((0, 2)), []).shape == (0, 2)
    for count in (2, 5, 3):  # batches of different numbers of graphs
        sizes = np.arange(1, count + 1)
        rows = np.repeat(np.arange(count), sizes)
        assert S.segment_sum(np.ones((rows.size, 4)), rows).tolist() == [[float(n)] * 4 for n in sizes]


@pytest.mark.parametrize("function", NAMES, ids=lambda f: f.__name__)
def test_b34_an_id_out_of_range_is_named_with_its_position(function: Any) -> None:
    """B34: IndexError, for negative ids too; the first of several."""
    for ids, words in (
        ([0, 3, 5], r"id 3 at place 1 is out of range; it goes from 0 to 2"),
        ([0, 1, -1], r"id -1 at place 2"),
        (np.array([[0], [1], [7]]), r"id 7 at place \(2, 0\)"),
    ):
        with pytest.raises(IndexError, match=f"{function.__name__}: {words}") as caught:
            function(np.ones((3, 1)), ids, 3)
        assert isinstance(caught.value, RangeError)
    with pytest.raises(RangeError, match="id -2 at place 0 .* here there are none"):
        function([1.0], [-2])
    with pytest.raises(RangeError, match="id 0 at place 0"):
        function([1.0], [0], 0)


def _graph(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    dense = np.where(rng.random((6, 6)) < 0.4, rng.normal(size=(6, 6)), 0.0)
    return dense, rng.normal(size=(6, 3)), rng.normal(size=(6, 3))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", [sparse.coo_matrix, sparse.coo_array])
def test_b34_the_adjacency_may_be_sparse(format: str, kind: Any) -> None:
    """B34: any format of SciPy, as a constant: value, gradient and tangent are those of the dense product."""
    dense, x, g = _graph(np.random.default_rng(0))
    matrix = kind(dense).asformat(format)
    np.testing.assert_allclose(S.sparse_matmul(matrix, x), dense @ x, rtol=1e-13)
    np.testing.assert_allclose(S.sparse_matmul(matrix, x[:, 0]), dense @ x[:, 0], rtol=1e-13)
    np.testing.assert_allclose(gradient(lambda t: S.sparse_matmul(matrix, t) * g, x), dense.T @ g, rtol=1e-13)
    np.testing.assert_allclose(ak.jvp(lambda t: S.sparse_matmul(matrix, t), (x,), (g,))[1], dense @ g, rtol=1e-13)


def test_b34_edges_with_trainable_weights() -> None:
    """B34: values as a tensor, rows and columns as constants; repeated positions add up."""
    rows, columns = np.array([0, 2, 0, 1, 0]), np.array([1, 0, 1, 3, 2])
    x = np.random.default_rng(1).normal(size=(4, 2))
    w = ak.Variable([1.0, 2.0, 3.0, 4.0, 5.0])
    with ak.GradientTape() as tape:
        y = S.sparse_matmul((rows, columns, (3, 4)), x, w)
    dense = np.zeros((3, 4))
    np.add.at(dense, (rows, columns), w.numpy())
    np.testing.assert_allclose(y, dense @ x)
    np.testing.assert_allclose(tape.gradient(y, w), x.sum(1)[columns])
    matrix = sparse.csr_array((np.ones(3), ([0, 1, 2], [1, 1, 0])), shape=(3, 4))
    np.testing.assert_allclose(S.sparse_matmul(matrix, x, [2.0, 3.0, 4.0]), [2 * x[1], 3 * x[1], 4 * x[0]])
    report = ak.check_gradients(lambda a, b: S.sparse_matmul((rows, columns, (3, 4)), b, a), [w.numpy(), x], order=2)
    report.raise_if_failed()


def test_b34_two_layers_on_a_batch_of_graphs_learn_their_readout() -> None:
    """B34: messages along sparse edges, a readout for each graph, and gradients to all weights: the loss falls."""
    rng = np.random.default_rng(3)
    sizes = rng.integers(3, 7, 12)
    ids, n = np.repeat(np.arange(12), sizes), int(sizes.sum())
    edges = [(a, b) for a in range(n) for b in range(n) if ids[a] == ids[b] and a != b and rng.random() < 0.5]
    matrix = sparse.coo_array((np.ones(len(edges)), np.array(edges).T), shape=(n, n)).tocsr()
    features = rng.normal(size=(n, 2))
    target = np.array([(matrix @ features[:, 0])[ids == k].sum() for k in range(12)])  # weighted counts of neighbours
    w, u = ak.Variable(rng.normal(size=(2, 8)) * 0.5), ak.Variable(rng.normal(size=(8,)) * 0.5)
    losses = []
    optimizer = ak.optim.Adam(0.03)
    for _ in range(200):
        with ak.GradientTape() as tape:
            nodes = S.sparse_matmul(matrix, features @ w)
            loss = ak.mean((S.segment_sum(nodes, ids) @ u - target) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, u]), [w, u], strict=True))
        losses.append(float(loss))
    assert losses[-1] < 1e-3 * losses[0]


# -------------------------------------------------------------------------------- B35
def test_b35_class_means_persist_over_batches_and_serve_a_loss() -> None:
    """B35: means of all rows seen, class by class; each loss has a gradient to its own batch."""
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(30, 2)), rng.integers(0, 4, 30)
    labels[:20] %= 3  # the fourth class occurs late
    centers = S.ClassMeans(4)
    for k in range(0, 30, 10):
        batch, own = ak.constant(x[k : k + 10]), labels[k : k + 10]
        with ak.GradientTape() as tape:
            tape.watch(batch)
            means = centers.update(batch, own)
            loss = ak.sum((batch - ak.take(means, own, axis=0)) ** 2)
        g = tape.gradient(loss, batch).numpy()
        seen = np.array([np.sum(labels[: k + 10] == c) for c in own])[:, None]
        away = batch.numpy() - means.numpy()[own]
        total = np.stack([away[own == c].sum(0) for c in own])
        np.testing.assert_allclose(g, 2 * (away - total / seen), rtol=1e-10, atol=1e-12)
    expected = np.stack([x[labels == c].mean(0) if np.any(labels == c) else np.zeros(2) for c in range(4)])
    np.testing.assert_allclose(centers.means, expected, rtol=1e-12)
    assert centers.counts.tolist() == np.bincount(labels, minlength=4).tolist()


def test_b35_class_means_updates_given_means() -> None:
    """B35: without previous means, the means of the batch; with them, a class moves by its rate, or stays."""
    x, labels = ak.constant([[1.0], [3.0], [8.0]]), [0, 0, 2]
    assert S.class_means(x, labels, 4).tolist() == [[2.0], [0.0], [8.0], [0.0]]
    before = ak.Variable([[0.0], [5.0], [4.0]])
    with ak.GradientTape() as tape:
        tape.watch(x)
        after = S.class_means(x, labels, previous=before, rate=[0.5, 0.5, 1.0])
    assert after.tolist() == [[1.0], [5.0], [8.0]]
    gx, gm = tape.gradient(after, [x, before])
    assert gx.tolist() == [[0.25], [0.25], [1.0]]
    assert gm.tolist() == [[0.5], [1.0], [0.0]]


def test_b35_no_record_grows_from_batch_to_batch() -> None:
    """B35: the same number of operations in every batch, and gradients that end at the batch."""
    centers, lengths = S.ClassMeans(2, decay=0.5), []
    first = ak.constant(np.ones((2, 3)))
    for k in range(5):
        batch = first if not k else ak.constant(np.full((2, 3), 2.0))
        with ak.GradientTape() as tape:
            tape.watch([first, batch])
            means = centers.update(batch, [0, 1])
        lengths.append(len(tape.nodes))
        assert k == 0 or tape.gradient(means, first) is None
    assert len(set(lengths[1:])) == 1
    np.testing.assert_allclose(centers.means, np.full((2, 3), 2 - 0.5**4))  # each time half of the distance to 2


def test_b35_a_bad_batch_changes_nothing() -> None:
    centers = S.ClassMeans(2)
    centers.update([[1.0], [2.0]], [0, 1])
    bad: list[tuple[Any, Any, Any]] = [
        ([[1.0]], [2], RangeError), ([[1.0]], [-1], RangeError), ([[1.0, 2.0]], [0], ShapeError),
        ([[1.0]], [0.5], DtypeError), ([[1.0]], [0, 1], ShapeError),
    ]  # fmt: skip
    for data, labels, error in bad:
        with pytest.raises(error):
            centers.update(data, labels)
        assert (centers.means.tolist(), centers.counts.tolist()) == ([[1.0], [2.0]], [1, 1])


# -------------------------------------------------------------------------------- B36
def test_b36_partition_and_stitch_are_inverse() -> None:
    """B36: three parts, one of them empty; stitching is the inverse, and gradients pass both."""
    data = ak.constant([[1, 2], [3, 4], [5, 6]])
    parts = S.dynamic_partition(data, [1, 0, 1], 3)
    assert [p.tolist() for p in parts] == [[[3, 4]], [[1, 2], [5, 6]], []]
    assert [p.shape for p in parts] == [(1, 2), (2, 2), (0, 2)]
    places = S.dynamic_partition(np.arange(3), [1, 0, 1], 3)
    assert S.dynamic_stitch(places, parts).tolist() == data.tolist()

    def f(x: Any) -> Any:
        a, b, _ = S.dynamic_partition(x, [1, 0, 1], 3)
        return S.dynamic_stitch(places, [a * 10.0, b * b, ak.constant(np.zeros((0, 2)))])

    x = data.numpy() * 1.0
    np.testing.assert_array_equal(gradient(f, x), [[2.0, 4.0], [10.0, 10.0], [10.0, 12.0]])


def test_b36_the_last_of_equal_indices_is_kept_and_gaps_are_0() -> None:
    """B36: of several rows at one index the last is kept, and only it gets a gradient."""
    x = ak.constant([1.0, 2.0, 3.0])
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = S.dynamic_stitch([[3, 0], [3]], [x[:2], x[2:]])
    assert y.tolist() == [2.0, 0.0, 0.0, 3.0]
    assert tape.gradient(y, x).tolist() == [0.0, 1.0, 1.0]
    assert S.dynamic_stitch([[]], [np.zeros((0, 3))]).shape == (0, 3)
    with pytest.raises(RangeError, match="part 3 at place 1"):
        S.dynamic_partition([1.0, 2.0], [0, 3], 3)
    with pytest.raises(RangeError, match="index -1 at place 0"):
        S.dynamic_stitch([[-1]], [[1.0]])


# -------------------------------------------------------------------------------- special points
def test_ties_share_evenly_and_nan_wins() -> None:
    assert gradient(lambda x: S.segment_max(x, [0, 0, 1]), [1.0, 1.0, 5.0]).tolist() == [0.5, 0.5, 1.0]
    assert gradient(lambda x: S.segment_min(x, [1, 0, 1]), [1.0, 1.0, 1.0]).tolist() == [0.5, 1.0, 0.5]
    assert gradient(lambda x: S.segment_max(x, [0, 0, 0]), [1.0, np.nan, 5.0]).tolist() == [0.0, 1.0, 0.0]
    assert S.segment_max([-np.inf, -np.inf], [0, 0]).tolist() == [-np.inf]


def test_products_with_zeros_to_second_order() -> None:
    """No zero, one, and two in a segment: cases in which a division would give nan."""
    ids = [0, 1, 1, 0, 2, 2, 2]
    x = [2.0, 0.0, 3.0, 5.0, 0.0, 0.0, 4.0]
    assert S.segment_prod(x, ids).tolist() == [10.0, 0.0, 0.0]
    assert gradient(lambda t: S.segment_prod(t, ids), x).tolist() == [5.0, 3.0, 0.0, 2.0, 0.0, 0.0, 0.0]
    hessian = ak.hessian(lambda t: ak.sum(S.segment_prod(t, ids)))(ak.constant(x)).numpy()
    expected = np.zeros((7, 7))
    for a, b, value in ((0, 3, 1.0), (1, 2, 1.0), (4, 5, 4.0)):
        expected[a, b] = expected[b, a] = value
    np.testing.assert_array_equal(hessian, expected)


def test_float16_is_summed_in_float32() -> None:
    ones, ids = np.ones(3000, np.float16), np.zeros(3000, int)
    assert S.segment_sum(ones, ids).tolist() == [3000.0]
    assert S.segment_mean(np.full(3000, 100.0, np.float16), ids).tolist() == [100.0]  # the sum is beyond float16
    big = ak.Variable(np.ones((2, 1), np.float16))
    with ak.GradientTape() as tape:
        y = ak.nn.embedding(big, ids)
        z = S.sparse_matmul((ids, ids, (1, 2)), big)
        total = ak.sum(y) + ak.sum(z)
    assert z.tolist() == [[3000.0]]
    assert tape.gradient(total, big).tolist() == [[6000.0], [0.0]]


def test_integers_and_booleans_have_no_gradient() -> None:
    assert S.segment_sum([1, 2, 3], [1, 1, 0]).tolist() == [3, 3]
    assert S.segment_sum([True, True], [0, 0]).tolist() == [2]
    assert S.segment_mean([1, 2], [0, 0]).tolist() == [1.5]
    assert S.segment_prod(np.array([100, 100], np.int8), [0, 0]).tolist() == [10000]
    assert S.segment_max([1, 7, 3], [0, 2, 0]).tolist() == [3, 0, 7]


@given(data=st.data())
def test_any_ids_equal_a_loop_over_the_groups(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 5))
    ids = np.array(data.draw(st.lists(st.integers(0, count - 1), max_size=9)), int)
    shape = (ids.size, *data.draw(st.sampled_from([(), (3,), (2, 0), (1, 2)])))
    x = np.random.default_rng(ids.size).normal(size=shape)
    for function, (reduce, empty) in GROUPS.items():
        y = function(x, ids.astype(data.draw(st.sampled_from(["i1", "u8", "i8", "u2"]))), count).numpy()
        assert y.shape == (count, *shape[1:])
        for k in range(count):
            rows = x[ids == k]
            expected = reduce(rows, axis=0) if len(rows) else np.full(shape[1:], empty)
            np.testing.assert_allclose(y[k], expected, rtol=1e-13)


def test_loops_agree_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums by rows and sparse products with the compiled loops: the same bits, because the order is the same."""
    pytest.importorskip("numba")
    from autodiff_kit.kernels.eager_loops import LOOPS

    rng = np.random.default_rng(5)
    ids, to = rng.integers(0, 7, 50), rng.integers(0, 9, 50)
    answers: list[list[bytes]] = []
    for table in ({}, LOOPS):
        monkeypatch.setattr(kernels, "_loops", dict(table))
        answers.append([])
        for dtype in (np.float16, np.float32, np.float64):
            for shape in ((50,), (50, 3), (50, 2, 2)):
                x = np.random.default_rng(1).normal(size=shape).astype(dtype)
                answers[-1] += [S.segment_sum(x, ids).numpy().tobytes(), S.segment_mean(x, ids).numpy().tobytes()]
            w, h = (np.random.default_rng(2).normal(size=s).astype(dtype) for s in ((50,), (9, 3)))
            answers[-1].append(S.sparse_matmul((ids, to, (7, 9)), h, w).numpy().tobytes())
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: S.segment_sum([1.0], [0.0]), DtypeError, "ids must be integers, got float64"),
        (lambda: S.segment_sum([1.0], [True]), DtypeError, "integers, got bool"),
        (lambda: S.segment_sum([1.0], "a"), DtypeError, "integers"),
        (lambda: S.segment_sum([1.0], [[0], [1, 2]]), ShapeError, "equal lengths"),
        (lambda: S.segment_sum([1.0], [0, 1]), ShapeError, r"\(2,\) do not number the rows of data of shape \(1,\)"),
        (lambda: S.segment_sum(1.0, 0), ShapeError, "do not number"),
        (lambda: S.segment_sum([1.0], [0], 1.5), DtypeError, "num_segments must be an integer, got 1.5"),
        (lambda: S.segment_sum([1.0], [0], -1), StructureError, "0 or more, .* got -1"),
        (lambda: S.dynamic_partition([1.0], [0], 10**30), StructureError, "below 2\\*\\*32"),
        (lambda: S.segment_sum("a", [0]), DtypeError, "number"),
        (lambda: S.segment_sum(np.array([None]), [0]), DtypeError, "an array of numbers"),
        (lambda: S.dynamic_partition([1.0], [0], None), DtypeError, "num_partitions must be an integer"),
        (lambda: S.dynamic_stitch([[0]], []), StructureError, "1 lists of indices for 0 parts"),
        (lambda: S.dynamic_stitch([], []), StructureError, "give one"),
        (lambda: S.dynamic_stitch(3, [1.0]), StructureError, "a list of indices"),
        (lambda: S.dynamic_stitch([[0], [1]], [[1.0], [[1.0]]]), ShapeError, "one shape"),
        (lambda: S.sparse_matmul(np.eye(2), np.eye(2)), StructureError, "for a dense matrix use @"),
        (lambda: S.sparse_matmul(([0], [1], (1, 2)), np.eye(3)), ShapeError, r"\(1, 2\) and \(3, 3\)"),
        (lambda: S.sparse_matmul(([0], [2], (1, 2)), np.eye(2)), RangeError, "column 2 at place 0"),
        (lambda: S.sparse_matmul(([-1], [0], (1, 2)), np.eye(2)), RangeError, "row -1 at place 0"),
        (lambda: S.sparse_matmul(([0], [0, 1], (1, 2)), np.eye(2)), ShapeError, "must have the same shape"),
        (lambda: S.sparse_matmul(([0], [0], (1,)), np.eye(2)), StructureError, "two integers"),
        (lambda: S.sparse_matmul(([0], [0], (-1, 2)), np.eye(2)), StructureError, "0 or more"),
        (lambda: S.sparse_matmul(([0], [0], (1, 2)), np.eye(2), [1.0, 2.0]), ShapeError, "give one"),
        (lambda: S.class_means([1.0], [0], previous=[1.0, 2.0], rate=2.0), StructureError, "from 0 to 1"),
        (lambda: S.class_means([1.0], [0], rate=2.0), StructureError, "from 0 to 1"),
        (lambda: S.class_means([1.0], [0], previous=[1.0, 2.0], rate="x"), DtypeError, "from 0 to 1"),
        (lambda: S.class_means([1.0], [0], previous=[1.0], rate=[0.5, 0.5]), ShapeError, "one number or 1 numbers"),
        (lambda: S.class_means([1.0], [0], previous=[[1.0]]), ShapeError, r"\(1, 1\), the new ones \(1,\)"),
        (lambda: S.class_means([1.0], [0], 3, previous=[1.0]), ShapeError, "the new ones"),
        (lambda: S.ClassMeans(2, decay=1.0), StructureError, "up to 1, exclusive"),
        (lambda: S.ClassMeans(2, decay="x"), DtypeError, "number from 0 to 1, got 'x'"),
        (lambda: S.ClassMeans(2.5), DtypeError, "num_classes must be an integer"),
    ],
)  # fmt: skip
def test_errors_name_what_was_given(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert isinstance(caught.value, ak.AutodiffError)


def test_later_writes_to_ids_do_not_matter() -> None:
    ids, x = np.array([0, 0, 1]), ak.constant([1.0, 2.0, 3.0])
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = S.segment_sum(x, ids) * [1.0, 10.0]
    ids[:] = 1
    assert tape.gradient(y, x).tolist() == [1.0, 1.0, 10.0]


def test_class_means_are_not_compiled() -> None:
    means = ak.segment.ClassMeans(2)
    with pytest.raises(StructureError, match="outside of the compiled function"):
        ak.compile(means.update)(np.ones((2, 1)), [0, 1])
    assert means.means is None
