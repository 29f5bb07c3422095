"""``ak.vmap`` gives what a loop over the examples gives: values, derivatives of both modes, nested, and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ConcretizationError, ShapeError, StructureError
from tests.rules.cases import CASES, WITHOUT_GRADIENT
from tests.rules.harness import drawn

EXAMPLES = 3


def examples(case: Any) -> list[np.ndarray[Any, Any]]:
    """The inputs of a case for several examples, no two of them alike."""
    arrays = drawn(case)
    scales = np.linspace(1.0, 1.01, EXAMPLES)
    return [np.stack([(a * scale).astype(a.dtype) for scale in scales]) for a in arrays]


def assert_same(found: Any, expected: Any) -> None:
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-10, atol=1e-10)


def leaves(tree: Any) -> list[Any]:
    return [x for part in tree for x in leaves(part)] if isinstance(tree, (tuple, list)) else [tree]


def looped(f: Any, *batches: Any) -> Any:
    """What a loop over the examples gives, stacked."""
    found = [f(*row) for row in zip(*batches, strict=True)]
    return [ak.stack(each) for each in zip(*map(leaves, found), strict=True)]


def first_of_each(cases: list[Any]) -> list[Any]:
    """All cases; those after the first of an operation run with ``--all`` only."""
    known: set[str] = set()
    marked = []
    for case in cases:
        marks = [pytest.mark.slow] if case.key in known else []
        marked.append(pytest.param(case, id=case.name, marks=marks))
        known.add(case.key)
    return marked


@pytest.mark.parametrize("case", first_of_each(CASES))
def test_every_operation(case: Any) -> None:
    batches = list(map(ak.constant, examples(case)))
    assert_same(ak.vmap(case.call)(*batches), looped(case.call, *batches))
    if case.key not in WITHOUT_GRADIENT:
        assert_gradients_inside_and_outside_are_those_of_a_loop(case, batches)


def assert_gradients_inside_and_outside_are_those_of_a_loop(case: Any, batches: list[Any]) -> None:
    places = tuple(range(len(batches)))

    def loss(*xs: Any) -> Any:
        return ak.sum(ak.sin(case.call(*xs)))

    inside = ak.vmap(ak.grad(loss, places))(*batches)
    outside = ak.grad(lambda *xs: ak.sum(ak.vmap(loss)(*xs)), places)(*batches)
    expected = looped(ak.grad(loss, places), *batches)
    assert_same(inside, expected)
    assert_same(outside, expected)


# ------------------------------------------------------------------------------------------------- transforms
X = np.random.default_rng(3).uniform(0.5, 1.5, (EXAMPLES, 4))
W = np.random.default_rng(4).uniform(0.5, 1.5, 4)


def energy(row: Any, w: Any) -> Any:
    return ak.sum(ak.exp(ak.sin(row * w)) * row) + ak.sum(row) * ak.sum(w**2)


TRANSFORMED = {
    "value": energy,
    "gradient": ak.grad(energy),
    "gradient of what is shared": ak.grad(energy, 1),
    "gradient of a gradient": ak.grad(lambda row, w: ak.sum(ak.grad(energy)(row, w) ** 2)),
    "jacobian": lambda row, w: ak.jacobian(lambda r: ak.sin(r * w))(row),
    "tangent": lambda row, w: ak.jvp(lambda r: ak.sin(r * w), (row,), (w,))[1],
    "Hessian-vector product": lambda row, w: ak.hvp(lambda r: energy(r, w), row, w),
    "pulled back": lambda row, w: ak.vjp(lambda r: ak.sin(r * w), row)[1](w),
    "accumulator": lambda row, w: accumulated(row, w),
    "tape": lambda row, w: taped(row, w),
}


def accumulated(row: Any, w: Any) -> Any:
    with ak.ForwardAccumulator(row, w) as accumulator:
        y = energy(row, w)
    return accumulator.jvp(y)


def taped(row: Any, w: Any) -> Any:
    with ak.GradientTape() as tape:
        tape.watch([row, w])
        y = energy(row, w)
    return ak.stack(tape.gradient(y, [row, w]))


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_inside(name: str) -> None:
    f = TRANSFORMED[name]
    expected = ak.stack([f(ak.constant(row), ak.constant(W)) for row in X])
    for mapped in (ak.vmap(f, (0, None)), ak.compile(ak.vmap(f, (0, None)))):
        assert_same(mapped(ak.constant(X), ak.constant(W)), expected)


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_inside_and_outside(name: str) -> None:
    """The derivative of a loss of all examples with respect to what they share, in both modes and of second order."""
    f = TRANSFORMED[name]

    def mapped(w: Any) -> Any:
        return ak.sum(ak.cos(ak.vmap(lambda row: f(row, w))(X)))

    def loop(w: Any) -> Any:
        return ak.sum(ak.cos(ak.stack([f(ak.constant(row), w) for row in X])))

    w, along = ak.constant(W), ak.constant(W[::-1])
    assert_same(ak.grad(mapped)(w), ak.grad(loop)(w))
    assert_same(ak.jvp(mapped, (w,), (along,)), ak.jvp(loop, (w,), (along,)))
    assert_same(ak.hvp(mapped, w, along), ak.hvp(loop, w, along))
    assert_same(ak.compile(ak.grad(mapped))(w), ak.grad(loop)(w))


def test_a_vmap_inside_another() -> None:
    a, b = X[:, :2], X[:2]
    table = ak.vmap(ak.vmap(energy, (0, None)), (None, 0))
    expected = np.array([[energy(ak.constant(row), ak.constant(w)).numpy() for row in b[:, :2]] for w in a])
    assert_same(table(b[:, :2], a), ak.constant(expected))
    slopes = ak.grad(lambda w: ak.sum(ak.vmap(lambda row: ak.sum(ak.vmap(lambda x: ak.sin(x * w))(row)))(X)))
    np.testing.assert_allclose(slopes(2.0).numpy(), np.sum(X * np.cos(2.0 * X)), rtol=1e-12)


def test_a_variable_of_a_tape_outside() -> None:
    w = ak.Variable(W)
    with ak.GradientTape() as tape:
        losses = ak.vmap(lambda row: energy(row, w))(X)
        loss = ak.sum(losses**2)
    expected = ak.grad(lambda w: sum(energy(ak.constant(row), w) ** 2 for row in X))(W)
    assert_same(tape.gradient(loss, w), expected)


def test_axes_and_structures() -> None:
    given = {"a": X.T, "b": [X, 2.0]}
    found = ak.vmap(
        lambda tree, scale: {"sum": tree["a"] + tree["b"][0] * tree["b"][1], "scale": scale},
        in_axes=({"a": 1, "b": [0, None]}, None), out_axes={"sum": -1, "scale": None},
    )(given, 5.0)  # fmt: skip
    np.testing.assert_array_equal(found["sum"].numpy(), (3.0 * X).T)
    assert found["scale"] == 5.0
    np.testing.assert_array_equal(ak.vmap(lambda x, *, y: x + y)(X, y=X).numpy(), 2.0 * X)
    np.testing.assert_array_equal(ak.vmap(lambda x: 1.0)(X).numpy(), np.ones(EXAMPLES))


def test_a_condition_and_an_index_that_differ_between_examples() -> None:
    def branched(x: Any) -> Any:
        return ak.cond(x > 1.0, lambda x: x**2, lambda x: -x, x)

    for f in (branched, ak.grad(branched)):
        assert_same(ak.vmap(f)(X[0]), ak.stack([f(x) for x in ak.constant(X[0])]))
    assert_same(
        ak.vmap(lambda x: ak.where(ak.sum(x) > 4.0, x, -x))(X),
        ak.constant(np.where(X.sum(1, keepdims=True) > 4, X, -X)),
    )
    at = np.array([3, 0, 2])
    assert_same(ak.vmap(lambda x, k: x[k])(X, at), ak.constant(X[np.arange(EXAMPLES), at]))


def test_no_examples() -> None:
    assert ak.vmap(lambda x: ak.sum(ak.sin(x)))(np.zeros((0, 4))).shape == (0,)
    with pytest.raises(ShapeError, match="at least one example"):
        ak.vmap(lambda x: x[ak.argmax(x)])(np.zeros((0, 4)))


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ShapeError, match="same number of examples, got 3 in argument 0, 4 in argument 1"):
        ak.vmap(ak.add)(X, X.T)
    with pytest.raises(ShapeError, match="in_axes=None"):
        ak.vmap(ak.add)(X, 1.0)
    with pytest.raises(StructureError, match="no argument has an axis"):
        ak.vmap(ak.sin, in_axes=None)(X)
    with pytest.raises(StructureError, match="3 entries for 1"):
        ak.vmap(ak.sin, in_axes=(0, 1, 2))(X)
    with pytest.raises(ConcretizationError, match=r"ak\.where in place of if"):
        ak.vmap(lambda x: x if ak.sum(x) > 0 else -x)(X)
    with pytest.raises(ShapeError, match="out_axes is None"):
        ak.vmap(ak.sin, out_axes=None)(X)
    kept = []
    ak.vmap(lambda x: kept.append(x) or x)(X)
    with pytest.raises(ConcretizationError):
        kept[0].numpy()


def test_tapes_outside_are_as_before_after_an_error() -> None:
    x = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        with pytest.raises(ConcretizationError):
            ak.vmap(lambda row: float(row[0] * x))(X)
        y = x**3
    assert tape.gradient(y, x).numpy() == 12.0


# -------------------------------------------------------------------------------------------- variables from outside
@pytest.mark.parametrize("how", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize("around", [lambda f: f, ak.compile])
def test_assigning_a_value_of_the_examples_to_a_variable_from_outside(how: str, around: Any) -> None:
    w = ak.Variable(1.0, name="w")
    with pytest.raises(ConcretizationError, match=r"variable w differs between the 3 examples.*w\.assign\(ak\.mean"):
        around(ak.vmap(lambda x: (getattr(w, how)(x), x)[1]))(np.arange(3.0))
    assert float(w) == 1.0


@pytest.mark.parametrize("make", [lambda: ak.optim.SGD(0.1), lambda: ak.optim.Adam(0.1), lambda: ak.optim.RMSProp(0.1)])
def test_stepping_a_variable_from_outside(make: Any) -> None:
    w, opt = ak.Variable([1.0, 2.0], name="w"), make()
    with pytest.raises(ConcretizationError, match="or step outside"):
        ak.vmap(lambda x: opt.minimize(lambda: ak.sum(w * x), [w]))(np.ones((3, 2)))
    np.testing.assert_array_equal(w.numpy(), [1.0, 2.0])


def test_a_variable_of_the_function_itself_can_be_assigned_and_stepped() -> None:
    def f(x: Any) -> Any:
        v, opt = ak.Variable(0.0 * x), ak.optim.Adam(0.1)
        v.assign_add(x)
        opt.minimize(lambda: (v * x) ** 2, [v])
        return v * 1.0

    x = np.arange(3.0)
    np.testing.assert_allclose(ak.vmap(f)(x).numpy(), [float(f(ak.constant(each))) for each in x])


@pytest.mark.parametrize(
    "f",
    [
        lambda r: ak.argmax(r), lambda r: ak.argmin(ak.outer(r, r)), lambda r: ak.argmax(ak.outer(r, r), None, True),
        lambda r: ak.any(r > 8.0), lambda r: ak.all(r > 0.0), lambda r: ak.count_nonzero(r),
        lambda r: ak.argsort(r, axis=None), lambda r: ak.searchsorted(ak.sort(r), r), lambda r: ak.sign(r - 2.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", ["reverse", "forward"])
def test_operations_without_a_gradient_see_one_example_also_under_a_tape(f: Any, how: str) -> None:
    rows = np.array([[1.0, 5.0, 2.0], [9.0, 1.0, 1.0], [0.0, 0.0, 7.0]])

    def weighted(r: Any) -> Any:
        return ak.sum(ak.cast(f(r), np.float64) * r)

    def total(x: Any) -> Any:
        return ak.sum(ak.vmap(weighted)(x))

    expected = sum(float(weighted(ak.constant(r))) for r in rows)
    slopes = np.stack([ak.grad(weighted)(r).numpy() for r in rows])
    if how == "reverse":
        value, slope = ak.value_and_grad(total)(rows)
        np.testing.assert_allclose(slope.numpy(), slopes)
    else:
        value, tangent = ak.jvp(total, (rows,), (np.ones((3, 3)),))
        np.testing.assert_allclose(float(tangent), slopes.sum())
    np.testing.assert_allclose(float(value), expected)


def test_an_order_over_all_entries_is_one_of_each_example() -> None:
    x = np.arange(12.0).reshape(3, 2, 2)[:, ::-1]
    np.testing.assert_array_equal(ak.vmap(lambda m: ak.argsort(m, axis=None))(x).numpy(), [[2, 3, 0, 1]] * 3)


@pytest.mark.parametrize("around", [
    lambda f, x: ak.vmap(ak.grad(f))(x), lambda f, x: ak.grad(lambda z: ak.sum(ak.vmap(f)(z)))(x),
    lambda f, x: ak.grad(lambda z: ak.sum(ak.vmap(ak.vmap(f, in_axes=0))(z[None])))(x),
    lambda f, x: ak.compile(ak.grad(lambda z: ak.sum(ak.vmap(f)(z))))(x),
], ids=["inside", "outside", "two", "compiled"])  # fmt: skip
def test_a_hook_inside_a_vmap_gets_the_gradient_of_one_example(around: Any) -> None:
    def f(row: Any) -> Any:
        squares = row * row
        squares.register_hook(lambda g: g * 10.0 / ak.sum(g))
        return ak.sum(squares * squares)

    x = np.arange(1.0, 7.0).reshape(3, 2)
    expected = np.stack([ak.grad(f)(row).numpy() for row in x])
    np.testing.assert_allclose(around(f, x).numpy(), expected)


# ------------------------------------------------------------------------- gradients that stop, with the tape outside
SIGNED = np.array([3.0, -2.0])
STOPPED: dict[str, tuple[Any, list[float]]] = {
    "factor": (lambda v: v * ak.stop_gradient(v), [3.0, -2.0]),
    "straight through": (lambda v: v + ak.stop_gradient(ak.round(v) - v), [1.0, 1.0]),
    "the result itself": (ak.stop_gradient, [0.0, 0.0]),
    "constant": (lambda v: v * ak.constant(v), [3.0, -2.0]),
    "one of several": (lambda v: ak.sum(ak.stack([v, ak.stop_gradient(v), v * v])), [7.0, -3.0]),
    "branch": (lambda v: ak.cond(v > 0, ak.sqrt, ak.negative, v), [0.5 / 3**0.5, -1.0]),
}


@pytest.mark.parametrize("name", STOPPED)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_stopped_gradient_stays_stopped_with_the_tape_outside(name: str, compiled: bool) -> None:
    f, slopes = STOPPED[name]
    all_examples = ak.grad(lambda x: ak.sum(ak.vmap(f)(x)))
    nested = ak.grad(lambda x: ak.sum(ak.vmap(ak.vmap(f))(x)))
    tangent = lambda x: ak.jvp(ak.vmap(f), (x,), (np.ones(2),))[1]  # noqa: E731
    if compiled:
        all_examples, nested, tangent = map(ak.compile, (all_examples, nested, tangent))
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(all_examples(SIGNED).numpy(), slopes)
        np.testing.assert_allclose(nested(SIGNED[:, None]).numpy()[:, 0], slopes)
        np.testing.assert_allclose(tangent(SIGNED).numpy(), slopes)


@pytest.mark.parametrize("shape", [(2, 3), (2, 2)])
@pytest.mark.parametrize("function", [ak.copysign, lambda a, b: ak.clip(a, -b, b), lambda a, b: ak.where(b > 0, a, b)])
def test_an_array_beside_the_inputs_has_more_axes_than_an_example(function: Any, shape: tuple[int, ...]) -> None:
    a, b = np.arange(1.0, shape[1] + 1) / 8, np.ones(shape)
    weights = np.arange(float(shape[1] * b.size)).reshape(shape[1], *shape)
    mapped = lambda a: ak.vmap(function, (0, None))(a, b)  # noqa: E731
    assert mapped(a).shape == ak.jvp(mapped, (a,), (a,))[1].shape == weights.shape
    found = ak.grad(lambda a: ak.sum(mapped(a) * weights))(a)
    np.testing.assert_allclose(found.numpy(), weights.sum((1, 2)))


def test_none_in_a_pytree_stays_none() -> None:
    x = np.ones((3, 2))
    carry, outputs = ak.vmap(lambda c: ak.scan(lambda c, _: (c * 2, None), c, length=3))(x)
    assert carry.numpy().tolist() == (8 * x).tolist()
    assert outputs is None
    assert ak.vmap(lambda d: d["a"] * 2)({"a": x, "b": None}).shape == (3, 2)
    assert ak.vmap(lambda row: row * 2, in_axes=np.int64(1))(x).shape == (2, 3)


def test_a_branch_that_reads_from_outside_says_that_vmap_runs_both() -> None:
    f = lambda x, w: ak.cond(x > 0, lambda: x * w, lambda: x + w)  # noqa: E731
    with pytest.raises(ak.errors.ArgumentError, match="Compiled or in vmap, both branches run"):
        ak.grad(lambda w: ak.sum(ak.vmap(lambda x: f(x, w))(SIGNED)))(2.0)


LOOKUPS: dict[str, Any] = {
    "index": lambda t, i: t[i],
    "take": lambda t, i: ak.take(t, i, axis=0),
    "take_along_axis": lambda t, i: ak.take_along_axis(t, i[:, None], 0),
    "embedding": lambda t, i: ak.nn.embedding(t, i),
    "update": lambda t, i: t.at[i].add(1.0),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_an_index_of_each_example_into_a_shared_table_is_traced(name: str) -> None:
    lookup, t, i = LOOKUPS[name], ak.constant(np.arange(12.0).reshape(4, 3)), np.array([[1, 2], [3, 0], [1, 1]])
    f = lambda t, i: ak.vmap(lambda i: lookup(t, i))(i)  # noqa: E731
    slope = ak.grad(lambda t, i: ak.sum(f(t, i) ** 2))
    for function in (f, slope):
        expected, compiled = function(t, i), ak.compile(function)
        for _ in range(2):
            np.testing.assert_allclose(compiled(t, i).numpy(), expected.numpy())


def test_a_loop_in_a_vmap_in_a_tape_in_a_vmap_is_traced() -> None:
    loop = lambda x: ak.scan(lambda c, _: (ak.sin(c), None), x, length=2)[0]  # noqa: E731
    f = lambda x: ak.sum(ak.vmap(lambda a: a * loop(x))(np.array([1.0, 2.0])))  # noqa: E731
    x = np.array([0.5, 1.0])
    for mapped in (ak.vmap(ak.grad(f)), ak.vmap(lambda x: ak.jvp(f, (x,), (1.0,))[1])):
        np.testing.assert_allclose(ak.compile(mapped)(x).numpy(), mapped(x).numpy())
        assert np.all(mapped(x).numpy() > 0.5)


def test_labels_of_each_example_beside_shared_logits() -> None:
    from autodiff_kit import kernels

    kernels.compile_all_loops()
    labels, logits = np.array([[0, 1], [2, 0], [1, 1]]), np.eye(2, 3)
    found = ak.vmap(lambda i: ak.nn.sparse_softmax_cross_entropy(i, logits))(labels)
    each = [ak.nn.sparse_softmax_cross_entropy(row, logits).numpy() for row in labels]
    np.testing.assert_allclose(found.numpy(), each)


@pytest.mark.parametrize("pause", [True, False])
def test_a_tape_outside_is_paused_or_checked_inside(pause: bool) -> None:
    v, w = ak.Variable([2.0, 3.0]), ak.Variable([1.0, 1.0])
    with ak.GradientTape() as tape:

        def f(q: Any, r: Any) -> Any:
            with tape.stop_recording() if pause else ak.detect_anomalies():
                u = q * q
            return u * q * r

        y = ak.sum(ak.vmap(f)(v, w))
    found = tape.gradient(y, [v, w])
    np.testing.assert_allclose(found[0].numpy(), [4.0, 9.0] if pause else [12.0, 27.0])
    np.testing.assert_allclose(found[1].numpy(), [8.0, 27.0])


def stopped_and_watched(a: Any, result: Any) -> Any:
    s = ak.stop_gradient(a)
    with ak.GradientTape() as tape:
        tape.watch(s)
        y = s * a
    return result(s, y)


SCALES = np.array([[1.0, 2.0], [3.0, 4.0]])
STOPPED_INSIDE: dict[str, tuple[Any, Any]] = {
    "factor that an inner tape watches": (lambda a: stopped_and_watched(a, lambda s, y: y), SCALES),
    "result that an inner tape watches": (lambda a: stopped_and_watched(a, lambda s, y: s), 0 * SCALES),
    "carry of a loop": (
        lambda a: ak.scan(lambda c, q: (c * q, None), ak.stop_gradient(a), np.ones((2, 2)))[0],
        0 * SCALES,
    ),
    "carry in a loop": (
        lambda a: ak.scan(lambda c, q: (ak.stop_gradient(c * q), c), a, np.ones((2, 2)))[1],
        0 * SCALES + 1,
    ),
    "output of a loop": (
        lambda a: ak.scan(lambda c, q: (c * q, ak.stop_gradient(c)), a, np.ones((2, 2)))[1],
        0 * SCALES,
    ),
}


@pytest.mark.parametrize("name", STOPPED_INSIDE)
def test_what_is_stopped_stays_stopped_whoever_watches_it(name: str) -> None:
    f, slopes = STOPPED_INSIDE[name]
    found = ak.grad(lambda x: ak.sum(ak.vmap(f)(x)))
    np.testing.assert_array_equal(found(SCALES).numpy(), slopes)
    np.testing.assert_array_equal(ak.compile(found)(SCALES).numpy(), slopes)


def test_what_a_rule_has_stopped_has_no_second_derivative() -> None:
    f = ak.custom_gradient(lambda x: (ak.sin(x), lambda g: ak.stop_gradient(g * ak.cos(x))))
    second = lambda v: ak.grad(lambda x: ak.sum(ak.grad(lambda x: ak.sum(v(f)(x)))(x)))  # noqa: E731
    for mapped in (lambda f: f, ak.vmap):
        assert second(mapped)(SCALES[0]).numpy().tolist() == [0.0, 0.0]


def test_a_hook_returns_one_number_for_an_example() -> None:
    def f(a: Any) -> Any:
        b = a * 1.0
        b.register_hook(lambda g: ak.sum(g))
        return b * b

    found = ak.grad(lambda x: ak.sum(ak.vmap(f)(x)))(SCALES)
    assert found.numpy().tolist() == [[6.0, 6.0], [14.0, 14.0]]


def test_the_gradient_of_shared_logits_for_labels_of_each_example() -> None:
    from autodiff_kit import kernels

    kernels.compile_all_loops()
    slope = ak.grad(lambda x, i: ak.sum(ak.nn.sparse_softmax_cross_entropy(i, x)))
    x, labels = np.ones((4, 5)), np.array([[0, 1, 2, 3], [3, 2, 1, 0]])
    found = ak.vmap(slope, (None, 0))(x, labels)
    np.testing.assert_allclose(found.numpy(), [slope(x, row).numpy() for row in labels])


def test_no_branch_assigns_where_both_run() -> None:
    w = ak.Variable(1.0)
    f = lambda x: ak.cond(x > 0, lambda v: w.assign_add(1.0) * v, lambda v: v, x)  # noqa: E731
    for mapped in (ak.vmap(f), ak.compile(ak.vmap(f))):
        with pytest.raises(ConcretizationError, match="a branch of cond assigns to the variable"):
            mapped(SIGNED)
        assert float(w) == 1.0
    assert float(f(2.0)) == 4.0  # one branch runs
