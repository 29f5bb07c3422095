"""Tapes inside tapes, forward mode, combinations, threads. Rows B13 and B15 to B19 of behaviours.md."""

from __future__ import annotations

import itertools
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core import backward as sweeping
from autodiff_kit.core.record import open_records
from autodiff_kit.errors import DtypeError, ShapeError, StructureError


def cube(x: Any) -> Any:
    return x * x * x


def test_b13_tape_inside_tape_to_the_third_order() -> None:
    """B13: x³ at 3 gives 27, 18, 6, 0; the last is a number and not None, because there is a path."""
    x = ak.Variable(3.0)
    with ak.GradientTape() as third, ak.GradientTape() as second, ak.GradientTape() as first:
        y = cube(x)
    with pytest.raises(RuntimeError):
        first.gradient(y, x)
        first.gradient(y, x)
    with ak.GradientTape() as third:
        with ak.GradientTape() as second:
            with ak.GradientTape() as first:
                y = cube(x)
            d1 = first.gradient(y, x)
        d2 = second.gradient(d1, x)
    d3 = third.gradient(d2, x)
    assert [float(d) for d in (d1, d2, d3)] == [27.0, 18.0, 6.0]
    assert float(ak.grad(ak.grad(ak.grad(ak.grad(cube))))(3.0)) == 0.0


def test_b13_third_order_of_arrays_with_watched_tensors() -> None:
    """B13: sin, whose third derivative is -cos, on a watched tensor and three tapes."""
    x = ak.constant(np.linspace(-1.0, 1.0, 5))
    with ak.GradientTape() as third:
        third.watch(x)
        with ak.GradientTape() as second:
            second.watch(x)
            with ak.GradientTape() as first:
                first.watch(x)
                y = ak.sin(x)
            d1 = first.gradient(y, x)
        d2 = second.gradient(d1, x)
    np.testing.assert_allclose(third.gradient(d2, x).numpy(), -np.cos(x.numpy()), rtol=1e-13)


def test_one_inner_tape_under_two_outer_ones() -> None:
    w = ak.Variable(2.0)
    with ak.GradientTape() as a, ak.GradientTape() as b:
        with ak.GradientTape() as inner:
            y = w**4
        g = inner.gradient(y, w)
    assert (float(a.gradient(g, w)), float(b.gradient(g, w))) == (48.0, 48.0)


def test_a_closed_tape_does_not_see_a_later_one() -> None:
    w = ak.Variable(2.0)
    with ak.GradientTape(persistent=True) as first:
        y = w * w
    with ak.GradientTape() as second:
        z = y * w
    assert len(first.nodes) == 1
    assert float(second.gradient(z, w)) == 4.0
    assert float(first.gradient(y, w)) == 4.0


def test_b13_forward_over_reverse_and_reverse_over_forward() -> None:
    """B13: both give the Hessian times a vector, also for a function that mixes its inputs."""

    def f(x: Any) -> Any:
        return ak.sum(ak.exp(x[0] * x) * ak.sin(x)) + ak.prod(x)

    x, t = np.array([0.3, -0.7, 1.1]), np.array([1.0, 2.0, -1.0])
    expected = ak.hessian(f)(x).numpy() @ t
    point = ak.constant(x)
    with ak.ForwardAccumulator(point, t) as acc:
        with ak.GradientTape() as tape:
            tape.watch(point)
            y = f(point)
        g = tape.gradient(y, point)
    np.testing.assert_allclose(acc.jvp(g).numpy(), expected, rtol=1e-12)
    point = ak.constant(x)
    with ak.GradientTape() as tape:
        tape.watch(point)
        with ak.ForwardAccumulator(point, t) as acc:
            y = f(point)
        slope = acc.jvp(y)
    np.testing.assert_allclose(tape.gradient(slope, point).numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(ak.hvp(f, x, t).numpy(), expected, rtol=1e-12)


def test_b13_accumulators_inside_accumulators() -> None:
    """B13: two of them give a second directional derivative, three a third, each along its own direction."""
    x = ak.constant(0.5)
    with ak.ForwardAccumulator(x, 1.0) as outer:
        with ak.ForwardAccumulator(x, 1.0) as inner:
            y = ak.sin(x) * ak.exp(x)
        first = inner.jvp(y)
    second = outer.jvp(first)
    e = np.exp(0.5)
    assert float(first) == pytest.approx(e * (np.sin(0.5) + np.cos(0.5)), rel=1e-14)
    assert float(outer.jvp(y)) == pytest.approx(float(first), rel=1e-14)
    assert float(second) == pytest.approx(2 * e * np.cos(0.5), rel=1e-14)
    v = ak.Variable([1.0, 2.0])
    with ak.ForwardAccumulator(v, [1.0, 0.0]) as outer:
        with ak.ForwardAccumulator(v, [0.0, 1.0]) as inner:
            y = v[0] ** 2 * v[1] ** 3
        mixed = inner.jvp(y)
    assert float(outer.jvp(mixed)) == 2 * 1.0 * 3 * 4.0


def test_third_order_by_three_accumulators() -> None:
    x = ak.constant(2.0)
    with ak.ForwardAccumulator(x, 1.0) as a:
        with ak.ForwardAccumulator(x, 1.0) as b:
            with ak.ForwardAccumulator(x, 1.0) as c:
                y = x**4
            d1 = c.jvp(y)
        d2 = b.jvp(d1)
    assert [float(d) for d in (d1, d2, a.jvp(d2))] == [32.0, 48.0, 48.0]


def test_b15_a_jacobian_vector_product() -> None:
    """B15: prod(x) sin(x) at [1, 2, 3] along [1, 0, -1]."""
    value, tangent = ak.jvp(lambda x: ak.prod(x) * ak.sin(x), ([1.0, 2.0, 3.0],), ([1.0, 0.0, -1.0],))
    np.testing.assert_allclose(tangent.numpy(), [6.6076975, 3.6371896, 6.5044346], atol=1e-7)
    np.testing.assert_allclose(value.numpy(), 6 * np.sin([1.0, 2.0, 3.0]))


def test_b15_b16_lesson_01() -> None:
    """B15, B16: both inner products are 18, and a pull of a pull is a push."""

    def f(x: Any) -> Any:
        return ak.stack([x[0] * x[1], x[1] * x[2], x[0] ** 2 + x[2]])

    point, v, u = [2.0, 3.0, -1.0], [1.0, 2.0, -1.0], [1.0, -1.0, 2.0]
    _, pushed = ak.jvp(f, (point,), (v,))
    _, pullback = ak.vjp(f, point)
    assert pushed.tolist() == [7.0, -5.0, 3.0]
    assert pullback(u).tolist() == [11.0, 3.0, -1.0]
    assert float(pushed @ np.array(u)) == float(pullback(u) @ np.array(v)) == 18.0
    _, double = ak.vjp(pullback, [0.0, 0.0, 0.0])
    assert double(v).tolist() == [7.0, -5.0, 3.0]
    x = ak.constant(point)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).tolist() == [7.0, 1.0, 4.0]


def peak_of(run: Callable[[], Any]) -> int:
    """Bytes held at the peak, in addition to those held before."""
    run()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def tall(x: Any, m: int) -> Any:
    """A function from n numbers to m, each of which depends on all of them."""
    return ak.sin(np.linspace(0.1, 1.0, m) * ak.mean(x * x)) + ak.max(x)


def products(n: int, m: int) -> dict[str, Callable[[], Any]]:
    x, u = np.linspace(0.1, 1.0, n), np.ones(m)
    return {
        "vjp": lambda: ak.vjp(lambda x: tall(x, m), x)[1](u),
        "jvp": lambda: ak.jvp(lambda x: tall(x, m), (x,), (x,)),
        "hvp": lambda: ak.hvp(lambda x: ak.sum(tall(x, m) ** 2), x, x),
    }


@pytest.mark.parametrize("which", ["vjp", "jvp", "hvp"])
def test_b15_products_build_no_jacobian(which: str) -> None:
    """B15: peak memory is a few arrays of n and of m numbers: four times the lengths, four times the peak, not 16."""
    for n, m in ((2_000, 6_000), (6_000, 2_000)):
        small, large = (peak_of(products(k * n, k * m)[which]) for k in (1, 4))
        assert small < 40 * 8 * (n + m) < 8 * n * m / 30
        assert large < 5 * small


def test_b15_jvp_and_vjp_are_adjoint() -> None:
    """B15: u (J v) = (u J) v for tall and for wide functions, also in float32."""
    rng = np.random.default_rng(2)
    for n, m, dtype in ((3, 7, "float64"), (7, 3, "float64"), (5, 4, "float32")):
        x, v, u = (rng.standard_normal(k).astype(dtype) for k in (n, n, m))
        _, pushed = ak.jvp(lambda x, m=m: tall(x, m).astype(x.dtype), (x,), (v,))
        _, pullback = ak.vjp(lambda x, m=m: tall(x, m).astype(x.dtype), x)
        assert pullback(u).dtype == pushed.dtype == dtype
        tolerance = 1e-12 if dtype == "float64" else 1e-4
        assert float(pushed.numpy() @ u) == pytest.approx(float(pullback(u).numpy() @ v), rel=tolerance)


@pytest.fixture
def pulls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the operations whose rules were called, in a sweep with leading axes."""
    seen: list[str] = []
    inner = sweeping.input_cotangents

    def count(node: Any, *rest: Any, **options: Any) -> Any:
        parts = inner(node, *rest, **options)
        if parts:
            seen.append(node.op.name)
        return parts

    monkeypatch.setattr(sweeping, "input_cotangents", count)
    return seen


def test_b16_one_pass_for_any_number_of_rows(pulls: list[str]) -> None:
    """B16: for 40 rows of a Jacobian each operation's rule is called once."""
    x = np.linspace(0.1, 1.0, 40)
    ak.jacobian(lambda x: ak.exp(ak.sin(x) * x), mode="reverse")(x)
    assert sorted(pulls) == ["exp", "multiply", "sin"]


def test_b17_only_nodes_between_are_visited(pulls: list[str]) -> None:
    """B17: between two intermediate values, neither earlier nor later operations are visited."""
    x = ak.constant(np.linspace(0.1, 1.0, 30))
    runs = []

    def f(x: Any) -> Any:
        runs.append(1)
        a = ak.sin(ak.exp(x))
        b = ak.cumsum(a * a)
        return a, b, ak.sum(ak.tanh(b))

    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b, _ = f(x)
    found = tape.jacobian(b, a, mode="reverse").numpy()
    np.testing.assert_allclose(found, np.tril(np.ones((30, 30))) * 2 * a.numpy(), rtol=1e-13)
    assert sorted(pulls) == ["cumsum", "multiply"]
    np.testing.assert_allclose(tape.jacobian(b, a, mode="forward").numpy(), found, rtol=1e-13)
    assert runs == [1]


def test_b20_hessian_vector_products_and_the_hessian() -> None:
    """B20: of several arguments, and of a nested structure."""

    def f(a: Any, b: Any) -> Any:
        return ak.sum(ak.exp(a * b[0]) * ak.sin(a)) + ak.prod(b) ** 2

    a, b, s, t = np.array([0.3, -0.2]), np.array([0.5, 1.5]), np.array([1.0, 2.0]), np.array([-1.0, 0.5])
    whole = ak.hessian(lambda x: f(x[:2], x[2:]))(np.concatenate([a, b])).numpy()
    np.testing.assert_allclose(whole, whole.T, rtol=1e-12)
    parts = ak.hvp(f, (a, b), (s, t))
    np.testing.assert_allclose(np.concatenate([p.numpy() for p in parts]), whole @ np.concatenate([s, t]), rtol=1e-12)
    (nested,) = [ak.hvp(lambda p: f(p["a"], p["b"]), ({"a": a, "b": b},), ({"a": s, "b": t},))]
    np.testing.assert_allclose(nested["b"].numpy(), parts[1].numpy(), rtol=1e-12)


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_b16_a_whole_jacobian(mode: str) -> None:
    """B16: sin(x) sum(x) at [1, 2, 3]."""
    rows = ak.jacobian(lambda x: ak.sin(x) * ak.sum(x), mode=mode)([1.0, 2.0, 3.0]).numpy()
    np.testing.assert_allclose(rows[0], [4.083284, 0.841471, 0.841471], atol=1e-6)
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(rows, np.diag(np.cos(x) * 6) + np.sin(x)[:, None], rtol=1e-13)


def test_b17_a_jacobian_between_two_intermediate_values() -> None:
    """B17: on one recorded tape, in both modes, without running forward again."""
    x = ak.constant([1.0, 2.0, 3.0])
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a = x[:2] * x[1:]
        b = ak.stack([a.sum(), a[0] ** 2, a[1] * a[0]])
        ak.exp(b)
    before = len(tape.nodes)
    expected = [[1.0, 1.0], [4.0, 0.0], [6.0, 2.0]]
    for mode in ("forward", "reverse"):
        assert tape.jacobian(b, a, mode=mode).tolist() == expected
    assert tape.jacobian(a, b) is None
    assert tape.jacobian(a, b, unconnected_gradients="zero").tolist() == np.zeros((2, 3)).tolist()
    assert len(tape.nodes) == before


def test_the_jacobian_of_several_sources() -> None:
    w, b = ak.Variable(np.ones((2, 2))), ak.Variable([0.5, 0.5])
    with ak.GradientTape(persistent=True) as tape:
        y = ak.constant([1.0, 2.0]) @ w + b
    for mode in ("auto", "forward", "reverse"):
        dw, db = tape.jacobian(y, [w, b], mode=mode)
        assert (dw.shape, db.tolist()) == ((2, 2, 2), [[1.0, 0.0], [0.0, 1.0]])
        np.testing.assert_array_equal(dw.numpy()[0], [[1.0, 0.0], [2.0, 0.0]])


def test_b19_a_batch_jacobian() -> None:
    """B19: X² * [1, 10] on [[1, 2], [3, 4]]."""
    x = ak.constant([[1.0, 2.0], [3.0, 4.0]])
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2 * ak.constant([1.0, 10.0])
    expected = [[[2.0, 0.0], [0.0, 40.0]], [[6.0, 0.0], [0.0, 80.0]]]
    assert tape.batch_jacobian(y, x).tolist() == expected
    assert tape.batch_jacobian(y, ak.Variable(np.ones((2, 1)))) is None
    with pytest.raises(StructureError, match="batch axis"):
        tape.batch_jacobian(ak.sum(x), x)


def test_a_jacobian_can_be_differentiated_again() -> None:
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as outer:
        with ak.GradientTape() as inner:
            y = x**3
        j = inner.jacobian(y, x)
        trace = j[0, 0] + j[1, 1]
    np.testing.assert_allclose(outer.gradient(trace, x).numpy(), [6.0, 12.0])


NESTED: dict[str, Callable[[Any], Any]] = {
    "powers": lambda x: x**4,
    "shapes": lambda x: ak.sum(ak.reshape(x, (2, 2)) ** 4 * ak.expand_dims(x[2:], 1), axis=0),
    "indices": lambda x: x[np.array([0, 0, 2])] ** 4 * x[1:],
    "products": lambda x: ak.ravel(x.reshape((2, 2)) @ ak.sin(x.reshape((2, 2))).T),
    "sums": lambda x: x**3 * ak.mean(x**3) + ak.cumsum(x**4),
    "product of all": lambda x: ak.prod(x) * x,
    "softmax": lambda x: ak.nn.softmax(x) * x,
    "joined": lambda x: ak.concat([ak.roll(x**3, 1), ak.stack([x[0] ** 4, x[1] * x[3] ** 2])], 0),
    "normalised": lambda x: ak.nn.layer_norm(10.0 * x) * ak.norm(x),
}


@pytest.mark.parametrize("name", NESTED)
def test_b13_jacobians_of_jacobians_in_every_order_of_modes(name: str) -> None:
    """B13, B16: a Jacobian in forward mode is recorded like one in reverse mode; its result is not a constant."""
    f, x = NESTED[name], np.array([0.1, 0.2, 0.3, 0.4])
    second = ak.jacobian(ak.jacobian(f, mode="reverse"), mode="reverse")
    moved = [(second(x + d).numpy() - second(x - d).numpy()) / 2e-4 for d in np.eye(4) * 1e-4]
    third = np.stack(moved, -1)
    for outer, middle in itertools.product(("forward", "reverse"), repeat=2):
        found = ak.jacobian(ak.jacobian(f, mode=middle), mode=outer)
        np.testing.assert_allclose(found(x).numpy(), second(x).numpy(), rtol=1e-10, atol=1e-10)
        again = ak.jacobian(found, mode="reverse")(x).numpy()
        np.testing.assert_allclose(again, third, rtol=1e-4, atol=1e-5 * np.max(np.abs(third)))


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "words"),
    [
        (ak.constant([1.0, 2.0]), [1.0], ShapeError, r"tangent has shape \(1,\), but its primal has \(2,\)"),
        (ak.constant([1.0], "float32"), ak.constant([1.0]), StructureError, "float64, but its primal has float32"),
        ([ak.constant(1.0)], [1.0, 2.0], StructureError, "expected 1 values, one for each, got 2"),
        (1.0, 1.0, DtypeError, "use ak.constant"),
    ],
)
def test_tangents_that_do_not_fit(primals: Any, tangents: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        ak.ForwardAccumulator(primals, tangents)


def test_a_primal_given_twice() -> None:
    x = ak.constant(1.0)
    with pytest.raises(StructureError, match="given twice"):
        ak.ForwardAccumulator([x, x], [1.0, 1.0])


def test_results_of_an_accumulator() -> None:
    """The structure of its targets, None or zeros for targets without a path, the tangent itself for a primal."""
    x, z, w = ak.constant([1.0, 2.0]), ak.constant(3.0), ak.Variable(2.0)
    with ak.ForwardAccumulator({"x": x, "w": w}, {"x": [1.0, 0.0], "w": 5.0}) as acc:
        y = x * w
        later = ak.floor(x)
    outside = y * 2.0
    assert acc.jvp({"y": y, "z": [z]})["y"].tolist() == [7.0, 10.0]
    assert acc.jvp({"y": y, "z": [z]})["z"] == [None]
    assert acc.jvp([z, later], unconnected_gradients="zero")[1].tolist() == [0.0, 0.0]
    assert acc.jvp(x).tolist() == [1.0, 0.0]
    assert float(acc.jvp(w)) == 5.0
    assert acc.jvp(outside) is None
    with pytest.raises(DtypeError, match="target must be a tensor"):
        acc.jvp(3.0)
    with pytest.raises(StructureError):
        acc.jvp(y, unconnected_gradients="none at all")


def test_b15_forward_mode_holds_nothing() -> None:
    """B15: memory does not grow with the number of operations."""
    x = ak.constant(np.ones(10_000))
    tracemalloc.start()
    try:
        with ak.ForwardAccumulator(x, np.ones(10_000)) as acc:
            y = x
            for _ in range(100):
                y = ak.sin(y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert acc.jvp(y).shape == (10_000,)
    assert peak < 30 * 80_000


def test_tapes_in_two_threads_do_not_see_each_other() -> None:
    """Each thread records its own operations on a shared variable, and both gradients are right."""
    w = ak.Variable(2.0)
    barrier = threading.Barrier(2, timeout=20)
    found: dict[int, Any] = {}

    def work(power: int) -> None:
        try:
            with ak.GradientTape() as tape:
                barrier.wait()
                y = w * 1.0
                for _ in range(200):
                    y = y * 1.0
                y = y**power
                barrier.wait()
            found[power] = (len(tape.nodes), float(tape.gradient(y, w)), len(open_records.records))
        except BaseException as error:  # noqa: BLE001  (the main thread must see it)
            found[power] = error
            barrier.abort()

    threads = [threading.Thread(target=work, args=(p,)) for p in (3, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert found == {3: (202, 12.0, 0), 5: (202, 80.0, 0)}


def test_operations_of_another_thread_are_not_recorded() -> None:
    """Threads do not record each other's operations, not even on a tensor that they share."""
    x = ak.constant(2.0)
    rows = ak.constant([1.0, 2.0])
    found: list[Any] = []

    def elsewhere() -> None:
        found.extend([x * 3.0, ak.sin(x), rows * 2.0, ak.sum(rows), rows @ rows])
        with ak.GradientTape() as own:
            own.watch(rows)
            y = ak.sum(rows * rows)
        found.append(own.gradient(y, rows))

    with ak.GradientTape() as tape:
        tape.watch([x, rows])
        y = x * x
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join(20)
        z = y * ak.sum(rows)
    assert [node.op for node in tape.nodes] == ["multiply", "sum", "multiply"]
    assert [float(g.sum()) for g in tape.gradient(z, [x, rows])] == [12.0, 8.0]
    assert found[-1].tolist() == [2.0, 4.0]
    assert [float(t.sum()) for t in found[:3]] == [6.0, pytest.approx(np.sin(2.0)), 6.0]
