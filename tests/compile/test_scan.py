"""Loops in compiled functions: the body is traced once, and values and derivatives are those of the loop in Python."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.compile.trace.tracer import trace_function
from autodiff_kit.errors import ConcretizationError, ShapeError
from autodiff_kit.pytree import flatten

X = ak.constant(np.random.default_rng(5).uniform(0.5, 1.5, (11, 3)))
W = ak.constant([0.3, -0.2, 0.1])
V = ak.Variable([0.5, 0.2, 0.1])
FIXED = ak.Variable([0.7, 0.1, -0.3], trainable=False)
RUNS: SimpleQueue[int] = SimpleQueue()
"""One entry for each run of a body. No list, because a compiled function is traced again if a list changes."""


def check(f: Callable[..., Any], *args: Any, kernels: bool = False, rtol: float = 1e-11) -> int:
    """Compare a compiled function with the function at every call; returns how often the body ran for the first."""
    expected = f(*args)
    while not RUNS.empty():
        RUNS.get()
    compiled = ak.compile(f)
    runs = None
    for _ in range(2):
        found = compiled(*args)
        runs = RUNS.qsize() if runs is None else runs
        for a, b in zip(flatten(found), flatten(expected), strict=True):
            assert (a is None) == (b is None)
            if b is not None:
                assert a.dtype == b.dtype
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=rtol, atol=rtol)
        if kernels:
            build_kernels_now(compiled)
    assert RUNS.qsize() == runs
    return runs


def everything(x: Any, w: Any) -> Any:
    """A structure as carry, integers, results without a step's number, and values that the body finds outside."""
    outer = ak.sin(w)

    def body(carry: Any, x: Any) -> Any:
        RUNS.put(1)
        new = ak.tanh(carry["a"] * w + x["x"] * ak.exp(outer)) + ak.stop_gradient(w) * V
        return {"a": new, "n": carry["n"] + 1}, (ak.sum(new * carry["a"]), carry["n"], None, {"x": x["x"]})

    carry, ys = ak.scan(body, {"a": w * 2.0, "n": 0}, {"x": x})
    assert ys[2] is None
    return ak.sum(carry["a"]) + ak.sum(ak.sin(ys[0]) * ys[1]) + ak.sum(ys[3]["x"] * w) + carry["n"]


def of_variable(f: Any) -> Any:
    def run(x: Any, w: Any) -> Any:
        with ak.GradientTape() as tape:
            loss = f(x, w)
        return tape.gradient(loss, V)

    return run


TRANSFORMS: dict[str, Callable[[Any], Callable[[Any, Any], Any]]] = {
    "value": lambda f: f,
    "grad of both": lambda f: ak.grad(f, (0, 1)),
    "grad of a variable": of_variable,
    "jvp": lambda f: lambda x, w: ak.jvp(f, (x, w), (2.0 * x, w)),
    "hvp": lambda f: lambda x, w: ak.hvp(f, (x, w), (2.0 * x, w)),
    "hessian": lambda f: lambda x, w: ak.hessian(lambda w: f(x, w))(w),
    "grad of a gradient": lambda f: lambda x, w: ak.grad(lambda x: ak.sum(ak.grad(f, 1)(x, w) ** 2))(x),
    "grad of a jvp": lambda f: lambda x, w: ak.grad(lambda w: ak.jvp(lambda x: f(x, w), (x,), (x,))[1])(w),
    "third": lambda f: lambda x, w: ak.grad(lambda w: ak.sum(ak.hvp(lambda w: f(x, w), w, W)))(w),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS.keys())
def test_the_body_runs_once_for_derivatives_of_any_order(transform: Any) -> None:
    assert check(transform(everything), X, W) == 1


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["value", "grad of both", "grad of a variable", "jvp", "hvp", "grad of a gradient"])
def test_checkpoints_change_no_derivative(name: str, reverse: bool) -> None:
    def f(x: Any, w: Any, every: int | None = None) -> Any:
        def body(carry: Any, x: Any) -> Any:
            RUNS.put(1)
            return (ak.tanh(carry[0] * w + x * V), carry[1] + 1), (ak.sum(carry[0]), carry[1], None)

        carry, ys = ak.scan(body, (w * 2.0, 0), x, reverse=reverse, checkpoint_every=every)
        return ak.sum(carry[0]) + ak.sum(ak.sin(ys[0]) * np.arange(11)) + ak.sum(ys[0] * ys[1])

    expected = flatten(TRANSFORMS[name](f)(X, W))
    for every in (1, 4, 11, 20):
        transformed = TRANSFORMS[name](lambda x, w, every=every: f(x, w, every))
        for a, b in zip(flatten(transformed(X, W)), expected, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-12)
        if every == 4:
            assert check(transformed, X, W) == 2  # a whole segment, and the last one, which is shorter


def hidden_markov(w: Any) -> Any:
    step = lambda a, x: (ak.logsumexp(a[:, None] + w, axis=0) + x, None)  # noqa: E731
    return ak.logsumexp(ak.scan(step, np.zeros(3), X)[0])


def inner_descent(w: Any) -> Any:
    """A gradient inside the body."""
    loss = lambda c: ak.sum(ak.sin(c * w))  # noqa: E731
    return ak.sum(ak.scan(lambda c, x: (c - 0.1 * x * ak.grad(loss)(c), None), np.ones(3), X)[0])


def loop_in_loop(w: Any) -> Any:
    def inner(c: Any, x: Any) -> Any:
        return ak.sin(c * w[0] + x), c * x

    def outer(c: Any, row: Any) -> Any:
        a, b = ak.scan(inner, c, row)
        return a * w[1] + ak.sum(b), a

    c, ys = ak.scan(outer, 0.3, X)
    return c + ak.sum(ys * ys)


def condition_in_loop(w: Any) -> Any:
    def body(c: Any, x: Any) -> Any:
        return ak.cond(ak.sum(c) > 1.0, lambda c, x, w: c * w + x, lambda c, x, w: c - x * w, c, x, w), None

    return ak.sum(ak.scan(body, w, X)[0])


def loop_in_condition(w: Any) -> Any:
    loop = lambda w: ak.sum(ak.scan(lambda c, x: (c * w + x, None), w, X)[0])  # noqa: E731
    return ak.cond(ak.sum(w) > 0.0, loop, lambda w: ak.sum(w**3), w)


def vmap_in_loop(w: Any) -> Any:
    return ak.sum(ak.scan(lambda c, x: (ak.vmap(lambda a: ak.sin(a) * w[0])(c) + x, None), np.ones(3), X)[0])


@ak.custom_gradient
def tripled_slope(z: Any) -> Any:
    return z * z, lambda g: g * z * 6.0


def own_gradient(w: Any) -> Any:
    return ak.sum(ak.scan(lambda c, x: (tripled_slope(c) * 0.3 + x * w, None), 0.1 * w, X)[0])


def carry_replaced(w: Any) -> Any:
    """The next carry and the result do not depend on the step."""
    carry, ys = ak.scan(lambda c, x: (w, (c, w, 2.0)), w * 2.0, X)
    return ak.sum(carry * carry) + sum(ak.sum(y * y) for y in ys)


def number_as_carry(w: Any) -> Any:
    carry, ys = ak.scan(lambda c, _: (c * w[0] + 1, c), 1.0, length=4)
    return carry + ak.sum(ys)


def one_step(w: Any) -> Any:
    return ak.sum(ak.scan(lambda c, x: (c * w + x, None), w, X[:1])[0])


def no_step(w: Any) -> Any:
    return ak.sum(ak.scan(lambda c, x: (c * w + x, None), w, X[:0])[0])


def single_precision(w: Any) -> Any:
    w, x = ak.cast(w, "float32"), ak.cast(X, "float32")
    carry, ys = ak.scan(lambda c, x: ((ak.tanh(c[0] * w + x), c[1] + 1.0), ak.sum(c[0]) * c[1]), (w, 0.5), x)
    return ak.sum(ak.cast(carry[0], "float64")) + ak.sum(ys)


PROGRAMS = [
    hidden_markov, inner_descent, loop_in_loop, condition_in_loop, loop_in_condition, vmap_in_loop, own_gradient,
    carry_replaced, number_as_carry, one_step, no_step, single_precision,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f: Any) -> None:
    w = ak.constant(np.random.default_rng(1).normal(size=(3, 3))) if f is hidden_markov else W
    rtol = 1e-6 if f is single_precision else 1e-11
    check(f, w, rtol=rtol)
    check(ak.grad(f), w, rtol=rtol)
    check(ak.grad(lambda w: ak.sum(ak.grad(f)(w) ** 2)), w, rtol=1e-4 if f is single_precision else 1e-10)


def test_random_programs() -> None:
    operations: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a * b, lambda a, b: ak.tanh(a) + b, lambda a, b: ak.sin(a - b), lambda a, b: ak.where(a > b, a, b),
        lambda a, b: a / (b * b + 1.5), lambda a, b: ak.softplus(a) * 0.5, lambda a, b: ak.cumsum(a) * 0.2 + b,
        lambda a, b: ak.logsumexp(a) - b, lambda a, b: a[::-1] + ak.max(b), lambda a, b: ak.outer(a, b) @ a * 0.1,
    ]  # fmt: skip
    for seed in range(20):
        r = np.random.default_rng(seed)
        script = [(operations[k], *r.integers(0, 100, 2)) for k in r.integers(0, len(operations), 4)]
        count, reverse, w = int(r.integers(1, 6)), bool(r.integers(2)), ak.constant(r.normal(size=3))
        every = None if r.random() < 0.7 else 2

        def f(w: Any, x: Any, script: Any = script, reverse: bool = reverse, every: Any = every) -> Any:
            def body(carry: Any, x: Any) -> Any:
                values = [*carry, x, w]
                for operation, i, j in script:
                    values.append(operation(values[i % len(values)], values[j % len(values)]))
                return (values[-1], 0.5 * values[-2]), (values[-3], ak.sum(values[-1]))

            carry, ys = ak.scan(body, (w, ak.sin(w)), x, reverse=reverse, checkpoint_every=every)
            return sum(ak.sum(ak.sin(y)) for y in (*carry, *ys))

        x = ak.constant(r.normal(size=(count, 3)))
        check(f, w, x, rtol=1e-10)
        check(ak.grad(f, (0, 1)), w, x, rtol=1e-10)


def test_finite_differences() -> None:
    h = 1e-6
    for f in (loop_in_loop, condition_in_loop, inner_descent):
        value, slope = ak.compile(f), ak.compile(ak.grad(f))(W)
        for k, unit in enumerate(np.eye(3)):
            change = value(ak.constant(W.numpy() + h * unit)) - value(ak.constant(W.numpy() - h * unit))
            assert float(change) / (2 * h) == pytest.approx(float(slope[k]), rel=1e-6)


def test_kernels_give_the_same() -> None:
    check(ak.value_and_grad(everything, 1), X, W, kernels=True)
    check(ak.grad(loop_in_loop), W, kernels=True)


def oscillator(carry: Any, x: Any, w: Any) -> Any:
    a, b = carry[0] + 0.1 * carry[1], carry[1] - 0.1 * ak.sin(carry[0]) * w[0] + 0.1 * x[0]
    return (b, a), (a, b, carry[1], x[1], a * b, 2.0)


def forward_algorithm(carry: Any, x: Any, w: Any) -> Any:
    new = ak.logsumexp(carry[0][:, None] + ak.outer(w, x), axis=0)
    return (new + x, carry[1] + x), (new, new, carry[0], x, new[1:], ak.sum(new) * x, np.arange(3.0), w)


def recurrent(carry: Any, x: Any, w: Any) -> Any:
    h = ak.tanh(carry[0] @ ak.outer(w, w) + x)
    return (h, ak.sum(h)), (h, ak.sum(h * h), carry[1])


def narrow(carry: Any, x: Any, w: Any) -> Any:
    c = ak.cast(carry[1], "float32")
    return (carry[0] + x, ak.cast(ak.sin(c * 0.5), "float64")), (c, c > 0.2, carry[0] > x)


def swapped(carry: Any, x: Any, w: Any) -> Any:
    return (carry[1], carry[0] * w + x), carry[0]


def cut(carry: Any, x: Any, w: Any) -> Any:
    return (ak.tanh(carry[0] * w[0]), carry[0][1:]), x * carry[1]


NATIVE: dict[str, tuple[Any, Any, Any, bool]] = {  # body, first carry, entries, whether no step needs Python
    "numbers": (oscillator, (0.3, 1.0), (X[:, 0], X[:, 1]), True),
    "arrays": (forward_algorithm, (W * 2.0, np.zeros(3)), X, True),
    "products": (recurrent, (np.ones((2, 3)), 0.5), X[:, None, :] * np.ones((2, 1)), True),
    "single precision": (narrow, (np.zeros(3), np.ones(3)), X, True),
    "a carry that becomes another": (swapped, (np.ones(3), np.zeros(3)), X, True),
    "a part of a carry that becomes another": (cut, (np.ones(4), np.zeros(3)), X, False),
}


@pytest.mark.parametrize(("body", "start", "xs", "native"), NATIVE.values(), ids=NATIVE.keys())
@pytest.mark.parametrize("reverse", [False, True])
def test_loops_in_native_code(body: Any, start: Any, xs: Any, native: bool, reverse: bool) -> None:
    def loop(w: Any, *parts: Any) -> Any:
        def step(carry: Any, x: Any) -> Any:
            return body(carry, x, w)

        return ak.scan(step, start, parts if isinstance(xs, tuple) else parts[0], reverse=reverse)

    given = W, *(xs if isinstance(xs, tuple) else (xs,))
    compiled = ak.compile(loop)
    compiled(*given)
    build_kernels_now(compiled)
    assert [steps.loop.run_native is not None for steps in compiled.plan.loops] == [native]
    first = compiled(*given)
    for w in (W, 2.0 * W):
        for a, b in zip(flatten(compiled(w, *given[1:])), flatten(loop(w, *given[1:])), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6 if body is narrow else 1e-11, atol=1e-12)
    for a, b in zip(flatten(first), flatten(loop(*given)), strict=True):  # later calls write elsewhere
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6 if body is narrow else 1e-11, atol=1e-12)
    check(ak.grad(lambda *given: sum(ak.sum(ak.sin(ak.cast(y, "float64"))) for y in flatten(loop(*given)))), *given,
          kernels=True, rtol=1e-5 if body is narrow else 1e-10)  # fmt: skip


def test_a_long_loop_has_the_plan_of_a_short_one() -> None:
    def loss(x: Any) -> Any:
        return ak.sum(ak.scan(lambda c, x: (ak.tanh(c + x), c), np.zeros(3), x)[0])

    sizes = []
    for count in (10, 1000):
        compiled = ak.compile(ak.grad(loss))
        compiled(ak.constant(np.ones((count, 3))))
        sizes.append((len(compiled.plan.nodes), [len(steps.nodes) for steps in compiled.plan.loops]))
    assert sizes[0] == sizes[1]


def test_a_watched_variable_that_is_not_trainable() -> None:
    def slope(x: Any) -> Any:
        with ak.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(FIXED)
            loss = ak.sum(ak.scan(lambda c, x: (ak.tanh(c * FIXED + x * V), None), np.zeros(3), x)[0])
        return tape.gradient(loss, [FIXED, V])

    check(slope, X)


def test_a_training_step() -> None:
    w = ak.Variable([0.1, 0.2, 0.3])
    optimizer = ak.optim.SGD(0.1)

    def train(x: Any) -> Any:
        with ak.GradientTape() as tape:
            loss = ak.sum(ak.scan(lambda c, x: (ak.tanh(c * w + x), None), np.zeros(3), x)[0])
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    compiled, start = ak.compile(train), w.numpy().copy()
    found = [float(compiled(X)) for _ in range(3)]
    after = w.numpy().copy()
    w.assign(start)
    assert found == pytest.approx([float(train(X)) for _ in range(3)], rel=1e-12)
    np.testing.assert_allclose(after, w.numpy(), rtol=1e-12)


BATCH = ak.constant(np.stack([X.numpy(), 1.1 * X.numpy()]))
OVER_EXAMPLES = ak.vmap(everything, (0, None))
IN_VMAPS: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
    "value": (OVER_EXAMPLES, 1),
    "grad": (ak.grad(lambda x, w: ak.sum(OVER_EXAMPLES(x, w)), (0, 1)), 1),
    "grad of a variable": (of_variable(lambda x, w: ak.sum(OVER_EXAMPLES(x, w))), 1),
    "jvp": (lambda x, w: ak.jvp(lambda w: OVER_EXAMPLES(x, w), (w,), (w,)), 1),
    "hvp": (lambda x, w: ak.hvp(lambda w: ak.sum(OVER_EXAMPLES(x, w)), w, w), 1),
    "of a gradient": (ak.vmap(ak.grad(everything, (0, 1)), (0, None)), len(X)),  # each step, as in Python
    "of a jvp": (ak.vmap(lambda x, w: ak.jvp(lambda x: everything(x, w), (x,), (x,))[1], (0, None)), len(X)),
}


@pytest.mark.parametrize(("f", "runs"), IN_VMAPS.values(), ids=IN_VMAPS.keys())
def test_in_vmaps(f: Any, runs: int) -> None:
    assert check(f, BATCH, W) == runs


def test_vmaps_around_vmaps_and_loops() -> None:
    def loop(a: Any, x: Any) -> Any:
        carry, ys = ak.scan(lambda c, x: ((c[0] * a + x, c[1] + x), (c[0], a, x, c[1])), (np.ones(3), np.ones(3)), x)
        return ak.sum(carry[0]) + sum(ak.sum(y * y) for y in ys)

    def twice(a: Any, x: Any) -> Any:
        return ak.sum(ak.vmap(lambda a: ak.vmap(lambda x: loop(a, x))(x))(a))

    def in_body(a: Any, x: Any) -> Any:
        """A vmap of a loop in the body of a loop; only the tape outside follows ``a``."""

        def inner(b: Any, x: Any) -> Any:
            return ak.scan(lambda d, z: (ak.sin(d * a[0, 0] + z), None), b, x)[0]

        return ak.scan(lambda c, x: (c + ak.sum(ak.vmap(inner, (0, None))(a[1], x)), None), 0.0, x)[0]

    a = ak.stack([W, 2.0 * W])
    check(twice, a, BATCH)
    check(ak.grad(twice, (0, 1)), a, BATCH)
    check(ak.grad(in_body), a, X.T)
    check(lambda a, x: ak.hvp(lambda a: in_body(a, x), a, a), a, X.T)


def test_a_vmap_of_a_derivative() -> None:
    def jacobian(w: Any) -> Any:
        return ak.vmap(ak.vjp(lambda w: ak.scan(lambda c, x: (ak.tanh(c * w + x), None), w, X)[0], w)[1])(np.eye(3))

    check(jacobian, W)


def test_gradients_of_each_example() -> None:
    def gradients(x: Any, w: Any) -> Any:
        def losses(rows: Any) -> Any:
            steps = ak.moveaxis(rows, 1, 0)
            return ak.sum(ak.scan(lambda c, x: (ak.tanh(c * w + x), None), np.zeros((2, 3)), steps)[0], axis=1)

        return ak.per_example_gradients(losses, w, x)

    check(gradients, BATCH, W)


def draws(x: Any, generator: Any) -> Any:
    def body(c: Any, x: Any) -> Any:
        y = ak.nn.dropout(x, 0.5, seed=generator)
        return c + y, y

    carry, ys = ak.scan(body, np.zeros(3), x)
    return ak.sum(carry), ys


def draws_in_a_loop(x: Any, generator: Any) -> Any:
    def body(c: Any, _: Any) -> Any:
        value, ys = draws(x, generator)
        return c + value, ys

    return ak.scan(body, 0.0, length=3)


@pytest.mark.parametrize("f", [draws, draws_in_a_loop])
def test_the_reverse_pass_does_not_draw_again(f: Any) -> None:
    generator = np.random.default_rng(3)
    compiled = ak.compile(ak.grad(lambda x: f(x, generator), has_aux=True))
    drawn = []
    for _ in range(3):
        slope, ys = compiled(X)
        drawn.append(ys.numpy())
        np.testing.assert_allclose(slope.numpy() * X.numpy(), drawn[-1].reshape(-1, *X.shape).sum(0), rtol=1e-12)
    assert not np.array_equal(drawn[1], drawn[2])


@pytest.mark.parametrize("reduce", [ak.max, ak.logsumexp])
def test_the_reverse_pass_takes_sums_and_maxima_of_the_first(reduce: Any) -> None:
    def score(x: Any, moves: Any) -> Any:
        return ak.sum(ak.scan(lambda c, z: (reduce(c[:, None] + moves, 0) + z, None), W, x)[0])

    gradient, moves = ak.grad(score, argnums=(0, 1)), ak.constant(np.random.default_rng(2).normal(size=(3, 3)))
    check(gradient, X, moves, kernels=True)
    check(ak.hvp, lambda m: score(X, m), moves, ak.sin(moves))
    first, back = (loop.graph for loop in loops_of(gradient, X, moves))
    assert any(n.op == "max" for n in first.nodes)
    assert not any(n.op == "max" for n in back.nodes)
    assert sum(n.op == "exp" for n in back.nodes) == (reduce is ak.logsumexp)


def loops_of(f: Any, *args: Any) -> list[Any]:
    return [n.params.function for n in trace_function(f, args, {}).graph.nodes if n.op == "call"]


def test_large_sums_and_numbers_are_not_kept() -> None:
    def total(x: Any) -> Any:
        def body(c: Any, _: Any) -> tuple[Any, None]:
            m = (np.ones((3, 9, 2)) * ak.sum(c)).sum(axis=-1)  # larger than the carry
            return c * ak.tanh(ak.sum(m) * ak.sum(c)), None

        return ak.sum(ak.scan(body, x, length=4)[0])

    assert [shape for shape, _ in loops_of(ak.grad(total), X[0])[0].specs] == [(3,), (4, 3)]  # carries alone
    check(ak.grad(total), X[0])


CLOSURES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "an opaque operation": lambda c, x, v: v[[0, 0, 1]] * x,
    "gradient": lambda c, x, v: ak.grad(lambda q: ak.sum(q**3) * c[0])(v),
    "pullback": lambda c, x, v: ak.vjp(lambda q: q**3 * x, v[0])[1](v[1]),
    "tangent": lambda c, x, v: sum(ak.jvp(lambda q: ak.sin(q) * x, (v[0],), (v[1],))),
    "Hessian": lambda c, x, v: ak.hvp(lambda q: ak.sum(q**3) * c[0], v[0], v[1]),
    "gradient for each example": lambda c, x, v: ak.vmap(ak.grad(lambda q: ak.sum(q**3) * c[0]))(v),
    "tangent for each example": lambda c, x, v: ak.vmap(lambda q: ak.jvp(lambda z: ak.sin(z) * q, (x,), (q,))[1])(v),
    "branch for each example": lambda c, x, v: ak.vmap(
        lambda q: ak.cond(ak.sum(q) > 0.0, lambda a, b: a * b[0], lambda a, b: a - b, q, x)
    )(v),
    "loop": lambda c, x, v: ak.scan(lambda d, z: (d * z + v[0], d), c, v)[1],
    "branch": lambda c, x, v: ak.cond(ak.sum(v) > 0.0, lambda q, w: q * w[0], lambda q, w: q - w[1], x, v),
}


@pytest.mark.parametrize("use", CLOSURES.values(), ids=CLOSURES.keys())
@pytest.mark.parametrize("made", ["by an operation", "by a gradient"])
def test_values_from_outside_keep_their_path(use: Any, made: str) -> None:
    """A tape outside follows a value that the body's own derivatives, calls and branches use."""

    def loss(x: Any, w: Any) -> Any:
        v = ak.tanh(x) if made == "by an operation" else ak.grad(lambda q: ak.sum(q**3))(x)
        carry, ys = ak.scan(lambda c, x: (ak.tanh(c + x), use(c, x, v)), w, x)
        return ak.sum(ak.sin(carry)) + ak.sum(ak.sin(ys))

    check(ak.grad(loss, (0, 1)), X, W)


def test_two_tapes_that_cannot_share_a_value_are_refused() -> None:
    def slope(v: Any, c: Any) -> Any:
        with ak.GradientTape() as tape:
            tape.watch(v)
            y = ak.sum(v**3 * c)
        return tape.gradient(y, v)

    def loss(x: Any) -> Any:
        v = ak.tanh(x)
        return ak.sum(ak.scan(lambda c, x: (c + x, slope(v, c)), W, x)[1])

    ak.compile(loss)(X)  # no tape outside
    with pytest.raises(ConcretizationError, match=r"Use ak\.grad or ak\.jvp"):
        ak.compile(ak.grad(loss))(X)


def test_what_a_body_must_not_do() -> None:
    state, optimizer, kept = ak.Variable(0.0), ak.optim.SGD(0.1), []

    def assigns(c: Any, x: Any) -> Any:
        state.assign(c)
        return c + x, None

    def steps(c: Any, x: Any) -> Any:
        optimizer.apply_gradients([(c, state)])
        return c + x, None

    def leaks(c: Any, x: Any) -> Any:
        kept.append(c)
        return c + x, None

    for body, message in (
        (assigns, "part of the carry"),
        (steps, "a step of an optimizer"),
        (lambda c, x: (c if c > 0 else x, None), "needs numbers"),
        (lambda c, x: (c + np.random.random(), None), "random numbers"),  # noqa: NPY002 - the user's call
    ):
        with pytest.raises(ConcretizationError, match=message):
            ak.compile(lambda x, body=body: ak.scan(body, 0.0, x)[0])(X[:, 0])
    with pytest.raises(ConcretizationError, match="trace of ak.compile that has ended"):
        ak.compile(lambda x: (ak.scan(leaks, 0.0, x), kept[-1] * 2.0)[1])(X[:, 0])


def test_an_error_in_the_body_shows_its_line() -> None:
    def body(c: Any, x: Any) -> Any:
        return ak.matmul(c, x), None  # the line in question

    with pytest.raises(ShapeError, match="matmul") as caught:
        ak.compile(ak.grad(lambda x: ak.sum(ak.scan(body, np.ones((2, 2)), x)[0])))(X)
    assert any("the line in question" in (frame.line or "") for frame in traceback.extract_tb(caught.tb))
