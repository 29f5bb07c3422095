"""Levenberg-Marquardt: NIST's certified values, hard classic problems, and errors. Row B44 of behaviours.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.data import problem, problems
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.optim import least_squares
from autodiff_kit.optim.least_squares import COMPILE_AFTER_EVALUATIONS, LeastSquaresProblem

from .nist_models import CLASSICS, FORMS, MODELS, PUBLISHED


def digits(found: Any, certified: Any) -> float:
    """Correct digits of the worst parameter; certified values have 11 digits."""
    with np.errstate(divide="ignore"):
        return float(np.minimum(-np.log10(np.abs(np.asarray(found) / certified - 1.0)), 11.0).min())


def fit(model: Any, x: Any, y: Any, start: Any, dtype: Any = None, **options: Any) -> tuple[Any, Any]:
    b = ak.Variable(start, dtype=dtype)
    return b, ak.optim.LevenbergMarquardt().minimize(lambda: model(b, x) - y, [b], **options)


@pytest.mark.parametrize("start", [0, 1], ids=["start 1", "start 2"])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_b44_nist(name: str, start: int) -> None:
    """From both starts, with default settings, to 10 digits in every parameter."""
    data = problem(name)
    b, result = fit(MODELS[name], data.x, data.y, data.starts[start])
    print(f"{name} start {start + 1}: {result.iterations}, {digits(b, data.certified):.1f}, {result.message}")
    assert digits(b, data.certified) > 9.5
    assert result.converged
    assert 2 * result.cost == pytest.approx(data.residual_sum, rel=1e-9)


def test_every_problem_that_travels_with_the_kit_is_tried() -> None:
    assert set(problems()) == set(MODELS)


@pytest.mark.parametrize("case", PUBLISHED, ids=lambda c: f"{c.name} {c.number}")
def test_more_published_problems(case: Any) -> None:
    """Problems of the same collection whose data are known from the literature."""
    b, result = fit(case.model, case.x, case.y, case.start, max_iterations=case.iterations)
    assert digits(b, case.best) > 9.0, result
    assert result.converged


@pytest.mark.parametrize("case", FORMS, ids=lambda c: f"{c.name} {c.number}")
def test_other_forms_of_the_collection(case: Any) -> None:
    """Each start finds the minimum near the parameters from which the data were drawn."""
    _, result = fit(case.model, case.x, case.y, case.start)
    _, beside = fit(case.model, case.x, case.y, case.best)
    assert result.converged
    assert result.cost == pytest.approx(beside.cost, rel=1e-9)


@pytest.mark.parametrize("case", CLASSICS, ids=lambda c: f"{c.name} {c.number}")
def test_hard_classics(case: Any) -> None:
    b, result = fit(case.model, case.x, case.y, case.start, max_iterations=case.iterations)
    np.testing.assert_allclose(b.numpy(), case.best, rtol=1e-6, atol=1e-6)
    assert result.converged


def line(w: Any, x: Any) -> Any:
    return w[0] + w[1] * x


X = np.arange(6.0)
Y = 1.0 + 2.0 * X + np.array([0.1, -0.1, 0.2, 0.0, -0.2, 0.0])


def test_a_straight_line_agrees_with_lstsq() -> None:
    w, result = fit(line, X, Y, [0.0, 0.0])
    (a, b), (rest,), *_ = np.linalg.lstsq(np.stack([np.ones(6), X], 1), Y)
    np.testing.assert_allclose(w.numpy(), [a, b], rtol=1e-12)
    assert result.cost == pytest.approx(0.5 * rest, rel=1e-12)
    assert result.history[0] == pytest.approx(0.5 * np.sum(Y**2))
    assert result.history[-1] == result.cost
    assert len(result.history) == result.iterations + 1 == result.jacobian_evaluations
    assert all(np.diff(result.history) <= 1e-12)


def test_several_variables_of_several_shapes() -> None:
    """The method sees them as one vector; they keep their shapes."""
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    kernel, bias, idle = ak.Variable(np.zeros((3, 2)), name="kernel"), ak.Variable(0.0), ak.Variable([5.0])
    result = ak.optim.LevenbergMarquardt().minimize(lambda: ak.ravel(a @ kernel + bias - c), [kernel, bias, idle])
    wide = np.kron(a, np.eye(2))
    best = np.linalg.lstsq(np.column_stack([wide, np.ones(40)]), c.ravel())[0]
    np.testing.assert_allclose(np.append(kernel.numpy().ravel(), float(bias)), best, rtol=1e-10)
    assert (result.converged, kernel.shape, bias.shape, idle.tolist()) == (True, (3, 2), (), [5.0])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_single_precision_stays_and_ends(dtype: str) -> None:
    w, result = fit(
        lambda b, x: b[0] * ak.exp(-b[1] * x), X.astype(dtype), np.exp(-0.5 * X).astype(dtype), [2.0, 0.1], dtype
    )
    assert w.dtype == np.dtype(dtype)
    assert result.converged
    assert result.iterations < 40
    np.testing.assert_allclose(w.numpy(), [1.0, 0.5], rtol=100 * np.finfo(dtype).eps)


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e9])
def test_the_scale_of_a_variable_does_not_matter(factor: float) -> None:
    x, y = X, 3.0 * np.exp(-0.7 * X) + 0.01 * np.sin(5 * X)
    plain, first = fit(lambda b, x: b[0] * ak.exp(-b[1] * x), x, y, [1.0, 0.1])
    other, second = fit(lambda b, x: b[0] * factor * ak.exp(-b[1] * x), x, y, [1.0 / factor, 0.1])
    np.testing.assert_allclose(other.numpy() * [factor, 1.0], plain.numpy(), rtol=1e-10)
    assert abs(first.iterations - second.iterations) <= 1


def test_columns_that_depend_on_one_another() -> None:
    w, result = fit(lambda b, x: (b[0] + b[1]) * x + 0.0 * b[2], X, 2.0 * X + 1.0, [0.0, 0.0, 7.0])
    assert result.converged
    assert float(w[0] + w[1]) == pytest.approx(np.sum(X * (2.0 * X + 1.0)) / np.sum(X * X), rel=1e-12)
    assert float(w[2]) == 7.0


def test_fewer_residuals_than_variables() -> None:
    w, result = fit(lambda b, x: b[:1] * b[1:], 0.0, np.array([6.0]), [1.0, 2.0])
    assert result.cost < 1e-20
    assert float(w[0] * w[1]) == pytest.approx(6.0)


def test_points_that_overflow_are_stepped_back_from() -> None:
    """The first step leads to an overflow of exp; no warning, and the fit continues from the point before."""
    w, result = fit(lambda b, x: ak.exp(b[0] * x), X, np.exp(2.0 * X), [-3.0])
    assert float(w[0]) == pytest.approx(2.0, rel=1e-10)
    assert result.converged
    for start in (0.5, 50.0):
        w, result = fit(lambda b, x: ak.log(b[0]) + 0.0 * x, X, np.full(6, -2.0), [start])
        assert float(w[0]) == pytest.approx(np.exp(-2.0), rel=1e-10)


@pytest.mark.parametrize(
    ("options", "settings", "words", "converged"),
    [
        ({}, {"cost_limit": 1e-2}, "not above the limit 0.01", True),
        ({"tolerance": 1e-3}, {}, "moved the variables by less than 1e-03", True),
        ({"max_iterations": 2}, {}, "the limit of 2 iterations", False),
        ({"max_iterations": 0}, {}, "the limit of 0 iterations", False),
    ],
)
def test_the_message_says_which_limit_was_met(options: Any, settings: Any, words: str, converged: bool) -> None:
    b = ak.Variable([1.0, 0.1])
    y = 3.0 * np.exp(-0.7 * X)
    result = ak.optim.LevenbergMarquardt(**settings).minimize(lambda: b[0] * ak.exp(-b[1] * X) - y, [b], **options)
    assert words in result.message
    assert result.converged is converged


def test_a_start_at_the_minimum_needs_no_step() -> None:
    _, result = fit(line, X, 1.0 + 2.0 * X, [1.0, 2.0])
    assert (result.iterations, result.cost, result.converged) == (0, 0.0, True)
    assert "the cost 0" in result.message
    _, result = fit(lambda b, x: b * b - 1.0, 0.0, np.zeros(1), [0.0])
    assert not result.converged
    assert "the Jacobian is 0" in result.message


def test_a_wrong_gradient_is_named_in_the_message() -> None:
    @ak.custom_gradient
    def wrong(x: Any) -> Any:
        return ak.constant(2.0 * np.asarray(x)), lambda g: -g

    w = ak.Variable([1.0])
    result = ak.optim.LevenbergMarquardt().minimize(lambda: wrong(w) - 10.0, [w])
    assert not result.converged
    assert "check the Jacobian of the residuals" in result.message
    assert w.tolist() == [1.0]


def test_the_best_point_stays_when_the_residuals_raise() -> None:
    w, calls = ak.Variable([0.0, 0.0]), []

    def residuals() -> Any:
        calls.append(w.numpy().copy())
        if len(calls) == 5:
            raise ZeroDivisionError
        return w[0] * ak.exp(w[1] * X) - Y

    with pytest.raises(ZeroDivisionError):
        ak.optim.LevenbergMarquardt().minimize(residuals, [w])
    costs = [np.sum((c[0] * np.exp(c[1] * X) - Y) ** 2) for c in calls]
    now = np.sum((w.numpy()[0] * np.exp(w.numpy()[1] * X) - Y) ** 2)
    assert now == min(costs[0], now)
    assert any(w.numpy().tobytes() == c.tobytes() for c in calls[:-1])


def test_a_step_for_each_mini_batch() -> None:
    """The damping is kept between steps; a step never increases its batch's cost."""
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 4, 400)
    y = 3.0 * np.exp(-0.7 * x) + 1e-3 * rng.normal(size=400)
    b, opt = ak.Variable([1.0, 0.1]), ak.optim.LevenbergMarquardt(damping=1.0)
    costs = []
    for k in range(0, 400, 40):
        batch = slice(k, k + 40)
        before = opt.step(lambda batch=batch: b[0] * ak.exp(-b[1] * x[batch]) - y[batch], [b])
        r = b.numpy()[0] * np.exp(-b.numpy()[1] * x[batch]) - y[batch]
        costs.append(before)
        assert 0.5 * r @ r <= before
    assert costs[-1] < 1e-4 * costs[0]
    np.testing.assert_allclose(b.numpy(), [3.0, 0.7], rtol=5e-3)


def _changing() -> Any:
    sizes = iter([3, 3, 4, 4, 4])
    return lambda w: w[0] * np.ones(next(sizes)) - 2.0


@pytest.mark.parametrize(
    ("residuals", "error", "words"),
    [
        (lambda w: np.ones(3), DtypeError, "must return a Tensor of residuals, got ndarray"),
        (lambda w: w.sum(), ShapeError, r"vector \(m,\), got shape \(\)"),
        (lambda w: w[:, None] * np.ones((2, 3)), ShapeError, r"got shape \(2, 3\)"),
        (_changing(), ShapeError, "returned 3 residuals, then 4"),
        (lambda w: ak.constant([1.0, 2.0]), StructureError, "no residual depends on a variable"),
        (lambda w: ak.log(w - 5.0), StructureError, "at the start the cost is nan"),
        (lambda w: ak.sqrt(w - 1.0), StructureError, "not finite"),
        (lambda w: w * 1e200, StructureError, "the cost is inf"),
    ],
)
def test_residuals_that_do_not_fit(residuals: Any, error: Any, words: str) -> None:
    w = ak.Variable([1.0, 1.0])
    with pytest.raises(error, match=words):
        ak.optim.LevenbergMarquardt().minimize(lambda: residuals(w), [w])
    assert w.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("variables", "error", "words"),
    [
        (lambda w: [ak.constant([1.0])], DtypeError, "floating dtype, got Tensor"),
        (lambda w: [ak.Variable([1, 2])], DtypeError, "floating dtype, got int64"),
        (lambda w: [w, w], StructureError, "given twice"),
        (lambda w: [], StructureError, "nothing to fit"),
        (lambda w: w, DtypeError, "list of variables"),
        (lambda w: 3.0, DtypeError, "list of variables"),
        (lambda w: [ak.Variable([1.0], name="v", constraint=abs)], StructureError, "variable v has a constraint"),
    ],
)
def test_variables_that_do_not_fit(variables: Any, error: Any, words: str) -> None:
    w = ak.Variable([1.0, 1.0])
    with pytest.raises(error, match=words):
        ak.optim.LevenbergMarquardt().minimize(lambda: w - 1.0, variables(w))


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "much", None])
def test_invalid_settings(value: Any) -> None:
    for name in ("damping", "cost_limit"):
        with pytest.raises(StructureError, match=f"{name} must be a number of 0 or more"):
            ak.optim.LevenbergMarquardt(**{name: value})
    w = ak.Variable(1.0)
    for name in ("tolerance", "max_iterations"):
        with pytest.raises(StructureError, match=f"{name} must be"):
            ak.optim.LevenbergMarquardt().minimize(lambda: ak.reshape(w, (1,)), [w], **{name: value})


def test_convergence_needs_a_short_undamped_step() -> None:
    """Next to a large constant residual, the others seem converged long before the variable is."""
    b = ak.Variable(3.0 + 1e-6)
    rest = ak.constant([1.0])
    result = ak.optim.LevenbergMarquardt().minimize(lambda: ak.concat([1e-7 * (b - 3.0).reshape((1,)), rest]), [b])
    assert result.converged
    assert float(b) == pytest.approx(3.0, rel=1e-9)


def logistic(b: Any, x: Any) -> Any:
    return b[0] / (1 + ak.exp(-(x - b[1]) * b[2]))


@pytest.mark.parametrize(("shift", "start"), [(0, (1.0, 0.5, 0.5)), (1, (2.0, 2.0, 1.0)), (3, (2.0, 2.0, 4.0))])
def test_single_precision_ends_at_the_minimum_of_large_residuals(shift: int, start: Any) -> None:
    """A decrease by a thousandth of the cost was taken for rounding: these fits ended 18 to 50 percent above it."""
    x, y = X - 2.0, np.cos(shift + 2.0 * X) + X / 3.0
    w, result = fit(logistic, x.astype(np.float32), y.astype(np.float32), start, "float32")
    _, beside = fit(logistic, x, y, w.numpy().astype(np.float64))
    assert result.converged
    assert result.cost == pytest.approx(beside.cost, rel=1e-3)


def test_in_noise_the_cost_rises_by_no_more_than_its_rounding_error() -> None:
    y = (np.cos(2.0 + 2.0 * X) + X / 3.0).astype(np.float32)
    _, result = fit(logistic, (X - 2.0).astype(np.float32), y, (2.0, 2.0, 4.0), "float32")
    history = np.array(result.history)
    assert (np.diff(history) < 5e-4 * history[:-1]).all()


@pytest.mark.parametrize("seed", [14, 20, 53])
def test_a_saddle_point_is_not_taken_for_a_minimum(seed: int) -> None:
    """Near b0 = b1 = 0 a large damping makes every step short, while the residuals lean on a column of the Jacobian."""
    rng = np.random.default_rng(seed)
    start, y = rng.uniform(-2.0, 2.0, 3).round(1), (3.0 * rng.normal(size=6)).round(1)
    _, result = fit(lambda b, x: b[0] * b[1] * x + b[2], X, y, start)
    least = 0.5 * np.linalg.lstsq(np.stack([X, np.ones(6)], 1), y)[1][0]
    assert result.converged is bool(result.cost < 1.001 * least)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("start", [1.0, 0.3, -1.0])
def test_an_exact_fit_whose_variable_ends_at_zero_has_converged(dtype: Any, start: float) -> None:
    """The step is never short beside a variable near 0; the message was to check the Jacobian."""
    ones = np.ones(3, dtype)
    w, result = fit(lambda b, x: ak.exp(b[0]) * ones, X, ones, [start], dtype)
    assert result.converged, result
    assert abs(float(w[0])) < 1000 * np.finfo(dtype).eps


VALLEY = problem("MGH17")


def valley(b: Any) -> Any:
    return MODELS["MGH17"](b, VALLEY.x) - VALLEY.y


def runs_of(residuals: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[int]]:
    """The result of a long fit, and how many evaluations were compiled: residuals, Jacobians."""
    compiled = [0, 0]
    run = LeastSquaresProblem._run_compiled

    def counted(self: Any, which: int) -> Any:
        found = run(self, which)
        compiled[which] += found is not None
        return found

    monkeypatch.setattr(LeastSquaresProblem, "_run_compiled", counted)
    b = ak.Variable(VALLEY.starts[0])
    result = ak.optim.LevenbergMarquardt().minimize(lambda: residuals(b), [b])
    return (b.numpy(), result), compiled


def test_long_fits_are_compiled_and_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    (values, result), compiled = runs_of(valley, monkeypatch)
    assert result.iterations > 100
    assert compiled[1] >= result.jacobian_evaluations - COMPILE_AFTER_EVALUATIONS
    assert compiled[0] > compiled[1]
    monkeypatch.setattr(least_squares, "COMPILE_AFTER_EVALUATIONS", 10**9)
    (ordinary, expected), compiled = runs_of(valley, monkeypatch)
    assert compiled == [0, 0]
    np.testing.assert_allclose(values, ordinary, rtol=1e-9)
    assert result.converged is expected.converged is True


SEEN: list[Any] = []
STATE = {"calls": 0}
DRAWS = np.random.default_rng(0)


class Counter:
    calls = 0

    def __call__(self, r: Any) -> Any:
        self.calls += 1
        return r


COUNTER = Counter()


def prints(b: Any) -> Any:
    print("residuals")
    return valley(b)


def appends(b: Any) -> Any:
    SEEN.append(1)
    return valley(b)


def writes_to_a_dict(b: Any) -> Any:
    STATE["calls"] += 1
    return valley(b)


def counts_in_an_object(b: Any) -> Any:
    return COUNTER(valley(b))


def draws(b: Any) -> Any:
    return valley(b) + 1e-18 * DRAWS.normal()


def draws_globally(b: Any) -> Any:
    return valley(b) + 1e-18 * np.random.normal()  # noqa: NPY002 - what a learner may write


def decides_by_value(b: Any) -> Any:
    r = valley(b)
    return r * 1.0 if float(b[0]) > -1e9 else r


@pytest.mark.parametrize(
    "residuals",
    [prints, appends, writes_to_a_dict, counts_in_an_object, draws, draws_globally, decides_by_value],
)
def test_residuals_that_do_more_than_compute_are_never_compiled(
    residuals: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed, counted and drawn stays the same, to the number of times."""
    found = []
    for limit in (COMPILE_AFTER_EVALUATIONS, 10**9):
        monkeypatch.setattr(least_squares, "COMPILE_AFTER_EVALUATIONS", limit)
        SEEN.clear()
        STATE["calls"] = COUNTER.calls = 0
        DRAWS.bit_generator.state = np.random.default_rng(0).bit_generator.state
        np.random.seed(0)  # noqa: NPY002
        (values, result), compiled = runs_of(residuals, monkeypatch)
        assert compiled == [0, 0]
        counts = capsys.readouterr().out.count("residuals"), len(SEEN), STATE["calls"], COUNTER.calls
        states = DRAWS.bit_generator.state["state"]["state"], np.random.get_state()[2]  # noqa: NPY002
        found.append((values.tobytes(), result, counts, states))
    assert found[0] == found[1]


def test_a_global_that_changes_during_a_compiled_fit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    _, compiled = runs_of(lambda b: valley(b) * SCALES[0], monkeypatch)
    assert compiled[1]
    b = ak.Variable(VALLEY.starts[0])
    fit = LeastSquaresProblem(lambda: valley(b) * SCALES[0], [b])
    for _ in range(COMPILE_AFTER_EVALUATIONS + 1):
        before = fit.evaluate()
    assert before.tape is None
    monkeypatch.setitem(SCALES, 0, 2.0)
    np.testing.assert_allclose(fit.evaluate().residuals, 2.0 * before.residuals)


SCALES = {0: 1.0}


@pytest.mark.parametrize("start", [(0.5, 0.1), (1.0, 0.0), (0.05, 0.0)])
def test_a_variable_whose_column_shrinks_to_zero_does_not_stop_the_others(start: tuple[float, float]) -> None:
    """The best slope that is a square is 0 here; the damping that it needs held the offset far from its best value."""
    x = np.linspace(0.0, 2.0, 12)
    y = -0.5 * x + 0.3 + 0.1 * np.sin(37.0 * x)
    b, _ = fit(lambda b, x: b[0] ** 2 * x + b[1], x, y, start)
    np.testing.assert_allclose(b.numpy(), [0.0, y.mean()], atol=1e-7)
