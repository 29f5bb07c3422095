"""What others hold never changes: constants, results, gradients, slots and last updates, before and after kernels."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.errors import ConcretizationError, StructureError
from autodiff_kit.optim import least_squares

Made = Callable[..., Any]


@pytest.fixture(params=[False, True], ids=["numpy", "kernels"])
def compiled(request: pytest.FixtureRequest) -> Made:
    """Compile a function and call it once, with kernels or before there are any."""
    if request.param:
        pytest.importorskip("numba")

    def make(function: Any, *args: Any) -> Any:
        f = ak.compile(function)
        f(*args)
        if request.param:
            build_kernels_now(f)
        return f

    return make


def test_the_last_update_of_a_broadcast_gradient_has_the_variables_shape(compiled: Made) -> None:
    w, opt = ak.Variable(np.ones(3)), ak.optim.SGD(0.1)
    f = compiled(lambda: opt.minimize(lambda: ak.sum(w), [w]))
    f()
    assert opt.last_update(w).tolist() == [-0.1] * 3


def test_the_last_update_is_exact_beside_a_large_value(compiled: Made) -> None:
    w, opt, g = ak.Variable(np.full(3, 1e20, "f4")), ak.optim.SGD(0.5), ak.constant(np.ones(3, "f4"))
    compiled(lambda g: opt.apply_gradients([(g, w)]), g)(g)
    assert opt.last_update(w).tolist() == [-0.5] * 3


def test_a_frozen_variable_does_not_move_from_infinity(compiled: Made) -> None:
    w, opt, g = ak.Variable([np.inf, 1.0]), ak.optim.SGD(0.5), ak.constant([1.0, 1.0])
    with opt.frozen({w: [True, True]}):
        compiled(lambda g: opt.apply_gradients([(g, w)]), g)(g)
    assert (w.tolist(), opt.last_update(w).tolist()) == ([np.inf, 1.0], [0.0, 0.0])


@pytest.mark.parametrize("settings", [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}], ids=str)
def test_another_variable_does_not_change_the_last_update(compiled: Made, settings: Any) -> None:
    held, w, opt = ak.Variable(np.zeros(3)), ak.Variable(np.ones(3)), ak.optim.SGD(0.5, **settings)

    def step(g: Any) -> None:
        held.assign(g)
        opt.apply_gradients([(g, w)])

    g = ak.constant([1.0, 2.0, 3.0])
    compiled(step, g)(g)
    update = opt.last_update(w).tolist()
    held.assign([0.0, 0.0, 0.0])
    assert opt.last_update(w).tolist() == update


def test_eager_steps_follow_compiled_ones_that_keep_the_old_value(compiled: Made) -> None:
    """The slots are then new arrays, which the loop of eager steps has to find."""
    (w, opt), (other, eager) = ((ak.Variable(np.ones(300)), ak.optim.Adam(0.1)) for _ in range(2))
    kernels.compile_all_loops()

    def step(g: Any) -> Any:
        before = w.read_value()
        opt.apply_gradients([(g, w)])
        return before * ak.sum(w)

    g = ak.constant(np.linspace(1.0, 2.0, 300))
    f = compiled(step, g)
    eager.apply_gradients([(g, other)])
    for _ in range(3):
        opt.apply_gradients([(g, w)])
        f(g)
        eager.apply_gradients([(g, other)])
        eager.apply_gradients([(g, other)])
    np.testing.assert_allclose(w.numpy(), other.numpy(), rtol=1e-12)
    for name in opt.slot_names():
        np.testing.assert_allclose(opt.get_slot(w, name), eager.get_slot(other, name), rtol=1e-12)


@pytest.mark.parametrize("first", [False, True])
def test_an_exception_leaves_no_half_of_a_step(compiled: Made, first: bool) -> None:
    w, opt, one = ak.Variable(np.ones(3)), ak.optim.Adam(0.1), ak.constant(np.eye(2))

    def step(x: Any, matrix: Any) -> Any:
        if first:
            opt.apply_gradients([(x * w, w)])
        root = ak.cholesky(matrix * ak.sum(ak.sin(x) * 0 + 0.25) * (ak.sum(w) ** 2 if first else 1.0))
        if not first:
            opt.apply_gradients([(x * w, w)])
        return root

    x = ak.constant([1.0, 2.0, 3.0])
    f = compiled(step, x, one)
    f(x, one)
    before = [w.tolist(), opt.last_update(w).tolist(), *(opt.get_slot(w, n).tolist() for n in opt.slot_names())]
    with pytest.raises(StructureError, match="positive definite"):
        f(x, -one)
    assert before == [w.tolist(), opt.last_update(w).tolist(), *(opt.get_slot(w, n).tolist() for n in opt.slot_names())]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_a_number_in_an_array_is_copied(compiled: Made, dtype: Any) -> None:
    w, x = ak.Variable(dtype(0)), np.array(1, dtype)
    made = compiled(lambda x: (w.assign(x), ak.asarray(x))[1], x)(x)
    x[()] = 9
    assert (float(made), float(w)) == (1.0, 1.0)


@pytest.mark.parametrize(
    "view", [np.flip, np.real, np.atleast_1d, np.rollaxis, lambda x: np.broadcast_arrays(x, x)[0], lambda x: x[::-1]],
    ids=["flip", "real", "atleast_1d", "rollaxis", "broadcast_arrays", "slice"],
)  # fmt: skip
def test_a_view_of_an_argument_is_copied(compiled: Made, view: Any) -> None:
    w, x = ak.Variable(np.zeros(3)), np.arange(3.0)
    axes = (0,) if view is np.rollaxis else ()
    made = compiled(lambda x: (w.assign(view(x, *axes)), ak.asarray(view(x, *axes)))[1], x)(x)
    expected = view(np.arange(3.0), *axes).tolist()
    x[:] = 9.0
    assert (made.tolist(), w.tolist()) == (expected, expected)


def test_results_and_assigned_values_share_no_memory(compiled: Made) -> None:
    w, x = ak.Variable(np.zeros(3)), np.arange(3.0)

    def f(x: Any) -> Any:
        y = x * 2.0
        w.assign(y[::-1])
        return y, y[1:], ak.asarray(y)

    whole, part, tensor = compiled(f, x)(x)
    whole[:], part[:] = 8.0, 9.0
    assert (w.tolist(), tensor.tolist(), whole.tolist()) == ([4.0, 2.0, 0.0], [0.0, 2.0, 4.0], [8.0] * 3)


def test_an_array_that_the_function_makes_is_new_at_each_call(compiled: Made) -> None:
    def f(x: Any) -> Any:
        k = np.arange(3.0)
        return k, x * k

    x = np.ones(3)
    f = compiled(f, x)
    made, _ = f(x)
    made[:] = 5.0
    assert [part.tolist() for part in f(x)] == [[0.0, 1.0, 2.0]] * 2


def test_an_array_of_the_closure_counts_as_it_was_traced() -> None:
    """It changes before kernels are built, and changes back."""
    pytest.importorskip("numba")
    k = np.arange(6.0).reshape(2, 3).T
    before, x = k.copy(), np.ones(3)
    f = ak.compile(lambda x: x @ k)
    f(x)
    k[:] *= 10.0
    f(x)
    build_kernels_now(f)
    k[:] = before
    assert f(x).tolist() == [3.0, 12.0]


def test_a_buffer_that_is_filled_again_gives_each_of_its_contents(compiled: Made) -> None:
    def f(x: Any) -> Any:
        buffer = np.ones(3)
        y = x * buffer
        buffer[:] = [1.0, 2.0, 3.0]
        return y + x * buffer

    x = np.ones(3)
    assert compiled(f, x)(x).tolist() == [2.0, 3.0, 4.0]


def test_variables_and_optimizers_with_slots_are_made_outside() -> None:
    def counts(x: Any) -> Any:
        v = ak.Variable(np.zeros(3))
        v.assign_add(x)
        return v.read_value()

    w = ak.Variable(np.ones(3))

    def steps(x: Any) -> None:
        ak.optim.SGD(0.1, momentum=0.9).apply_gradients([(x, w)])

    x = ak.constant(np.ones(3))
    with pytest.raises(ConcretizationError, match="makes the variable and assigns to it"):
        ak.compile(counts)(x)
    with pytest.raises(ConcretizationError, match=r"makes its optimizer \(SGD\)"):
        ak.compile(steps)(x)
    with pytest.raises(ConcretizationError, match="makes a Variable and returns it"):
        ak.compile(lambda x: (ak.Variable(np.zeros(3)), x * x))(x)
    assert w.tolist() == [1.0] * 3
    read_only = ak.compile(lambda x: x * ak.Variable([1.0, 2.0, 3.0]))
    assert [read_only(x).tolist() for _ in range(2)] == [[1.0, 2.0, 3.0]] * 2


@pytest.mark.parametrize("outside", [False, True])
def test_levenberg_marquardt_does_not_compile_residuals_that_count(
    outside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each evaluation adds one to a variable, of the function or of its surroundings."""
    t = np.linspace(0.0, 1.0, 8)
    y, total = 2.0 * np.exp(-1.5 * t), ak.Variable(0.0)

    def fit(compile_after: int) -> list[Any]:
        monkeypatch.setattr(least_squares, "COMPILE_AFTER_EVALUATIONS", compile_after)
        total.assign(0.0)
        p = ak.Variable([1.0, 0.0])

        def residuals() -> Any:
            c = total if outside else ak.Variable(0.0)
            c.assign_add(1.0)
            return (p[0] * ak.exp(p[1] * t) - y) * (1.0 if outside else c)

        found = ak.optim.LevenbergMarquardt().minimize(residuals, [p])
        return [p.tolist(), found.converged, float(total)]

    assert fit(3) == fit(10**9)


@pytest.mark.parametrize(
    "ask",
    [
        lambda opt, w: opt.last_update(w), lambda opt, w: opt.state_dict(), lambda opt, w: opt.get_slot(w, "m"),
        lambda opt, w: opt.set_slot(w, "t", 3), lambda opt, w: copy.copy(opt), lambda opt, w: copy.deepcopy(opt),
    ],
    ids=["last_update", "state_dict", "get_slot", "set_slot", "copy", "deepcopy"],
)  # fmt: skip
def test_the_state_of_an_optimizer_is_not_asked_for_while_traced(ask: Any) -> None:
    w, opt = ak.Variable(np.ones(3)), ak.optim.Adam(0.1)

    def step(x: Any) -> None:
        opt.apply_gradients([(x, w)])
        ask(opt, w)

    with pytest.raises(ConcretizationError, match=r"so Adam\.\w+ .*would not run at each call"):
        ak.compile(step)(ak.constant(np.ones(3)))


def test_only_what_a_call_needs_is_not_written_in_place() -> None:
    """A call may raise, so it runs before anything is written; what it reads cannot be written before."""
    pytest.importorskip("numba")
    w, b, opt = ak.Variable(np.ones((20, 20))), ak.Variable(np.ones(8)), ak.optim.Adam(0.1)

    def step(x: Any, y: Any) -> Any:
        opt.apply_gradients([(x, w), (y, b)])
        return ak.sum(ak.cumsum(b, 0) * y)

    f, given = ak.compile(step), (ak.constant(np.ones((20, 20))), ak.constant(np.ones(8)))
    f(*given)
    build_kernels_now(f)
    assert sorted(new.shape for new in f.plan.kernel_plan.states).count((20, 20)) == 3  # w, m and v


def test_a_new_momentum_does_not_change_the_last_update(compiled: Made) -> None:
    w, opt, g = ak.Variable(np.ones(3)), ak.optim.SGD(0.5, momentum=0.9), ak.constant([1.0, 2.0, 4.0])
    compiled(lambda g: opt.apply_gradients([(g, w)]), g)
    opt.momentum = 0.0
    assert opt.last_update(w).tolist() == [-0.5, -1.0, -2.0]
    opt.momentum = 0.9
    assert opt.last_update(w).tolist() == [-0.5, -1.0, -2.0]
