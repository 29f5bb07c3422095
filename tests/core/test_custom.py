"""User-defined gradients: custom, registered, overridden, stopped, observed by hooks. Rows B22 to B28."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS
from autodiff_kit.errors import (
    ArgumentError,
    DuplicateNameError,
    ShapeError,
    StructureError,
    TapeError,
    UnknownGradientError,
)


def test_b22_where_gives_each_side_its_gradient() -> None:
    """B22: zero where a side was not chosen, None for the condition."""
    a, b, c = ak.constant([1.0, 2.0]), ak.constant([3.0, 4.0]), ak.constant([1.0, -1.0])
    with ak.GradientTape() as tape:
        tape.watch([a, b, c])
        y = ak.where(c > 0, a * a, b * b)
    da, db, dc = tape.gradient(y, [a, b, c])
    assert (da.tolist(), db.tolist(), dc) == ([2.0, 0.0], [0.0, 8.0], None)


def test_b23_cond_gives_none_to_the_other_branch() -> None:
    """B23: None, not zero; only the chosen function runs."""
    a, b = ak.Variable(2.0), ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = ak.cond(a < b, lambda: a * 2.0, lambda: b / 0.0)
    da, db = tape.gradient(y, [a, b])
    assert (float(da), db) == (2.0, None)


def test_b24_loops_with_assignments_have_no_gradient() -> None:
    """B24: 1 - P_i/B_j in one expression has a gradient; the version with assignments gives None."""
    prod, box = (
        ak.constant([[3.0, 4.0, 5.0], [4.0, 5.0, 6.0], [1.0, 3.0, 3.0]]),
        ak.Variable([[4.0, 5.0], [5.0, 6.0], [5.0, 7.0]]),
    )
    with ak.GradientTape() as tape:
        y = 1.0 - ak.prod(prod, axis=1)[:, None] / ak.prod(box, axis=0)[None, :]
    np.testing.assert_allclose(y.numpy(), [[0.4, 0.714286], [-0.2, 0.428571], [0.91, 0.957143]], atol=1e-6)
    expected = [[0.4725, 0.18], [0.378, 0.15], [0.378, 0.128571]]
    np.testing.assert_allclose(tape.gradient(y, box).numpy(), expected, atol=1e-6)
    out = ak.Variable(np.zeros((3, 2)))
    with ak.GradientTape() as tape:
        p, b = ak.prod(prod, axis=1), ak.prod(box, axis=0)
        for i in range(3):
            for j in range(2):
                new = out.numpy().copy()
                new[i, j] = 1.0 - p[i] / b[j]
                out.assign(new)
        y = out.read_value()
    np.testing.assert_allclose(y.numpy()[2], [0.91, 0.957143], atol=1e-6)
    assert tape.gradient(y, box) is None


def test_b25_stop_gradient_and_its_masked_form() -> None:
    """B25."""
    w, mask = ak.Variable([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 1.0])
    with ak.GradientTape(persistent=True) as tape:
        y = (w * ak.stop_gradient(w)).sum()
        z = (mask * w + ak.stop_gradient((1 - mask) * w)) ** 2
    assert tape.gradient(y, w).tolist() == [1.0, 2.0, 3.0]
    assert z.tolist() == [1.0, 4.0, 9.0]
    assert tape.gradient(z, w).tolist() == [2.0, 0.0, 6.0]


def test_b26_the_variance_with_and_without_a_stopped_mean() -> None:
    """B26: equal gradients, because the deviations sum to zero."""
    x = ak.Variable(np.random.default_rng(5).normal(size=(6, 3)))
    with ak.GradientTape(persistent=True) as tape:
        mean = ak.mean(x, 0, keepdims=True)
        whole = ak.mean((x - mean) ** 2, 0)
        stopped = ak.mean((x - ak.stop_gradient(mean)) ** 2, 0)
        _, given = ak.nn.moments(x, 0)
    a, b, c = (tape.gradient(y, x, output_gradients=[1.0, 2.0, 3.0]) for y in (whole, stopped, given))
    np.testing.assert_allclose(a.numpy(), b.numpy(), atol=1e-15)
    np.testing.assert_allclose(a.numpy(), c.numpy(), atol=1e-15)
    with ak.GradientTape() as tape:
        mean = ak.mean(x, 0, keepdims=True)
        path = ak.sum(ak.stop_gradient(x - mean) * mean)
    np.testing.assert_allclose(tape.gradient(path, x).numpy(), 0.0, atol=1e-15)


def test_b27_an_override_changes_gradients_only_inside_its_block() -> None:
    """B27: floor of [1.7, 2.3] gives [1, 2] with gradient [1, 1]; before and after it is None."""
    x = ak.Variable([1.7, 2.3])
    with ak.GradientTape(persistent=True) as tape:
        before = ak.floor(x)
        with ak.gradient_override_map({"Floor": "Identity"}):
            inside = ak.floor(x)
            number = ak.floor(x[0])
        after = ak.floor(x)
    assert inside.tolist() == [1.0, 2.0]
    assert tape.gradient(inside, x).tolist() == [1.0, 1.0]
    assert tape.gradient(number, x).tolist() == [1.0, 0.0]
    assert tape.gradient([before, after], x) is None
    with ak.gradient_override_map({"Floor": "Identity"}):
        assert ak.jvp(ak.floor, (1.5,), (3.0,))[1].tolist() == 3.0


def test_b27_a_registered_gradient() -> None:
    """B27: 5 g on Identity gives [5, 5], for arrays, numbers, and second derivatives."""

    @ak.register_gradient("FiveTimes")
    def five(g: Any, ans: Any, x: Any) -> Any:
        return 5.0 * g

    @ak.register_gradient("SlopeOfCube")
    def slope(g: Any, ans: Any, x: Any) -> Any:
        return g * 3.0 * x**2

    x = ak.Variable([1.7, 2.3])
    with ak.GradientTape() as tape, ak.gradient_override_map({"Identity": "FiveTimes"}):
        y = ak.identity(x)
    assert tape.gradient(y, x).tolist() == [5.0, 5.0]
    with ak.gradient_override_map({"Square": "SlopeOfCube"}):
        assert float(ak.grad(ak.square)(2.0)) == 12.0
        assert float(ak.grad(ak.grad(ak.square))(2.0)) == 12.0
    assert float(ak.grad(ak.square)(2.0)) == 4.0


def test_a_registered_gradient_gets_output_inputs_and_parameters() -> None:
    seen: dict[str, Any] = {}

    @ak.register_gradient("Curious")
    def curious(g: Any, ans: Any, x: Any, *, axis: Any, keepdims: bool) -> Any:
        seen.update(g=g.tolist(), ans=ans.tolist(), x=x.tolist(), axis=axis, keepdims=keepdims)
        return g * x

    x = ak.Variable([3.0, 4.0])
    with ak.GradientTape() as tape, ak.gradient_override_map({"Sum": "Curious"}):
        y = ak.sum(x)
    assert tape.gradient(y, x).tolist() == [3.0, 4.0]
    assert seen == {"g": 1.0, "ans": 7.0, "x": [3.0, 4.0], "axis": (-1,), "keepdims": False}


def test_overrides_nest_and_end_with_an_exception() -> None:
    x = ak.Variable([1.7])

    def slope_of_floor() -> Any:
        with ak.GradientTape() as tape:
            y = ak.floor(x)
        return tape.gradient(y, x)

    with pytest.raises(KeyboardInterrupt), ak.gradient_override_map({"Floor": "Identity"}):
        with ak.gradient_override_map({"Floor": "Negative"}):
            assert slope_of_floor().tolist() == [-1.0]
        assert slope_of_floor().tolist() == [1.0]
        raise KeyboardInterrupt
    assert slope_of_floor() is None


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"Flor": "Identity"}, "no operation is named 'Flor'.*nearest name is 'Floor'"),
        ({"Floor": "Identty"}, "no gradient is registered as 'Identty'.*nearest name is 'Identity'"),
        ({"Identity": "Round"}, "no gradient is registered as 'Round'"),
    ],
)
def test_b27_names_that_do_not_exist(mapping: dict[str, str], words: str) -> None:
    """B27: a LookupError with the nearest name."""
    with pytest.raises(UnknownGradientError, match=words) as caught, ak.gradient_override_map(mapping):
        pass
    assert isinstance(caught.value, LookupError)


def test_b27_a_name_registered_twice_is_an_error() -> None:
    """B27: a KeyError that says where the first one is defined."""

    @ak.register_gradient("Twice")
    def first(g: Any, ans: Any, x: Any) -> Any:
        return g

    with pytest.raises(DuplicateNameError, match=r"'Twice' is registered already, at .*test_custom\.py:\d+") as caught:
        ak.register_gradient("Twice")(first)
    assert isinstance(caught.value, KeyError)


def test_the_name_of_an_operation_stands_for_its_own_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """One without a gradient may be given one: the error of an override says so."""
    monkeypatch.setattr("autodiff_kit.ops.gradient_override._RULES", {})
    with pytest.raises(DuplicateNameError, match="'Identity' is an operation"):
        ak.register_gradient("Identity")(lambda g, ans, x: 5.0 * g)

    @ak.register_gradient("Ceil")
    def twice(g: Any, ans: Any, x: Any) -> Any:
        return 2.0 * g

    x = ak.Variable(1.5)
    with ak.GradientTape() as tape, ak.gradient_override_map({"Floor": "Ceil"}):
        y = ak.floor(x)
    assert float(tape.gradient(y, x)) == 2.0


def test_a_notebooks_cell_may_be_run_again() -> None:
    """A function that a notebook defines again under its name replaces the old one; another function does not."""
    cell = "@ak.register_gradient('Cell')\ndef cell(g, answer, x):\n    return {} * g"
    notebook = {"ak": ak, "__name__": "__main__"}
    x = ak.Variable(1.0)
    for factor in (2.0, 3.0):
        exec(cell.format(factor), notebook)
        with ak.GradientTape() as tape, ak.gradient_override_map({"Floor": "Cell"}):
            y = ak.floor(x)
        assert float(tape.gradient(y, x)) == factor
    with pytest.raises(DuplicateNameError, match="'Cell' is registered already"):
        exec(cell.format(4.0).replace("def cell", "def other"), notebook)


@ak.custom_gradient
def log1pexp(x: Any) -> Any:
    e = ak.exp(x)
    return ak.log(1.0 + e), lambda g: g * (1.0 - 1.0 / (1.0 + e))


def test_b27_a_custom_gradient() -> None:
    """B27: log1pexp has derivative 1 at 1000, where composition gives nan; its rule can be differentiated."""
    with np.errstate(all="ignore"):
        assert np.isnan(float(ak.grad(lambda x: ak.log(1.0 + ak.exp(x)))(1000.0)))
        assert float(ak.grad(log1pexp)(1000.0)) == 1.0
    assert float(ak.grad(ak.grad(log1pexp))(0.0)) == pytest.approx(0.25, rel=1e-13)
    np.testing.assert_allclose(ak.grad(lambda x: log1pexp(x).sum())([0.0, 1.0]).numpy(), 1 / (1 + np.exp([0.0, -1.0])))


@ak.custom_gradient
def weighted(x: Any, w: Any = 2.0) -> Any:
    return (x * w).sum(), lambda g: (g * w * 10.0, g * (x * 10.0).sum())


def test_a_custom_gradient_binds_keywords_and_derives_its_jvp() -> None:
    """Keyword and default arguments are bound to their positions; without a jvp, the tangent comes from the vjp."""
    x = ak.Variable([1.0, 2.0])
    w = ak.Variable(3.0)
    with ak.GradientTape() as tape:
        y = weighted(w=w, x=x)
    dx, dw = tape.gradient(y, [x, w])
    assert (float(y), dx.tolist(), float(dw)) == (9.0, [30.0, 30.0], 30.0)
    assert ak.jvp(weighted, ([1.0, 2.0],), ([1.0, 1.0],))[1].tolist() == 40.0
    assert ak.jvp(log1pexp, ([0.0, 1.0],), ([1.0, 2.0],))[1].numpy() == pytest.approx([0.5, 2 / (1 + np.exp(-1))])


def test_a_custom_gradient_with_both_rules() -> None:
    calls: list[str] = []

    @ak.custom_gradient
    def double(x: Any) -> Any:
        def push(t: Any) -> Any:
            calls.append("push")
            return 3.0 * t

        return x * 2.0, lambda g: 4.0 * g, push

    assert float(ak.grad(double)(1.0)) == 4.0
    assert calls == []
    assert float(ak.jvp(double, (1.0,), (1.0,))[1]) == 3.0
    assert calls == ["push"]


@pytest.mark.parametrize(
    "mode",
    ["forward", "reverse"],
)
def test_whole_jacobians_through_a_custom_gradient(mode: str) -> None:
    """A user's rule does not support leading axes: its sums must not run over the rows of the Jacobian."""

    @ak.custom_gradient
    def scaled(x: Any, s: Any) -> Any:
        return x * s, lambda g: (g * s, (g * x).sum())

    x, s = ak.constant([1.0, 2.0, 3.0]), ak.constant(4.0)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch([x, s])
        y = scaled(x, s)
    dx, ds = tape.jacobian(y, [x, s], mode=mode)
    assert dx.tolist() == (4.0 * np.eye(3)).tolist()
    assert ds.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: x, "must return"),
        (lambda x: (x, 3.0), "must return"),
        (lambda x: (x, lambda g: (g, g)), "returned 2 values for 1 inputs"),
        (lambda x: (x, lambda g: np.ones(7)), r"shape \(7,\), but its input has shape \(2,\)"),
    ],
)
def test_wrong_custom_gradients_are_errors(answer: Any, words: str) -> None:
    x = ak.Variable([1.0, 2.0])
    with pytest.raises((StructureError, ShapeError), match=words) as caught, ak.GradientTape() as tape:
        y = ak.custom_gradient(answer)(x)
        tape.gradient(y, x)
    assert isinstance(caught.value, ValueError)


def test_b28_a_hook_sees_and_replaces_the_gradient() -> None:
    """B28: on any intermediate value; several hooks in order; None keeps the gradient."""
    x = ak.Variable([1.0, 2.0])
    seen: list[Any] = []
    with ak.GradientTape() as tape:
        y = x * 3.0
        y.register_hook(lambda g: seen.append(g.tolist()))
        y.register_hook(lambda g: ak.clip(g, -1.0, 1.0))
        y.register_hook(lambda g: g * 10.0)
        z = (y * y).sum()
    assert tape.gradient(z, x).tolist() == [30.0, 30.0]
    assert seen == [[6.0, 12.0]]


def test_a_hook_on_a_number_and_on_a_source() -> None:
    x = ak.constant(2.0)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 3.0
        y.register_hook(lambda g: g * 0.5)
        z = y * y
    assert float(tape.gradient(z, x)) == 18.0
    assert float(tape.gradient(z, y)) == 6.0
    with pytest.raises(TapeError, match="no tape follows"):
        ak.constant(1.0).register_hook(lambda g: g)


def test_a_hook_of_the_wrong_shape_is_an_error() -> None:
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = x * 3.0
        y.register_hook(lambda g: np.ones(5))
        z = y.sum()
    with pytest.raises(ValueError, match="shape|broadcast"):
        tape.gradient(z, x)
    with ak.GradientTape() as tape:
        z = (x * 3.0).sum()
    assert tape.gradient(z, x).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("found", [(4, 2), (1, 2), (2, 2), (2, 1)])
@pytest.mark.parametrize("around", [lambda f: f, ak.compile, ak.vmap], ids=["eager", "compiled", "vmap"])
def test_a_gradient_of_more_entries_than_its_input_is_not_summed(found: tuple[int, ...], around: Any) -> None:
    @ak.custom_gradient
    def doubled(x: Any) -> Any:
        return 2.0 * x, lambda g: g * np.ones(found)

    x = np.ones((3, 2)) if around is ak.vmap else np.ones(2)
    with pytest.raises(ShapeError, match=r"'doubled' has shape .* its input has shape \(2,\).*ak.sum\(g, axis=0\)"):
        around(ak.grad(lambda x: ak.sum(doubled(x))))(x)


@pytest.mark.parametrize("with_none", [True, False])
def test_arguments_that_are_no_arrays_are_passed_on(with_none: bool) -> None:
    @ak.custom_gradient
    def scaled(x: Any, mode: str = "twice", weight: Any = None, then: Any = ak.identity) -> Any:
        factor = 2.0 if mode == "twice" else 3.0
        if weight is not None:
            return then(factor * weight * x), lambda g: (factor * weight * g, None, factor * x * g, None)
        return then(factor * x), lambda g: (factor * g, None, None, None) if with_none else factor * g

    x = np.arange(3.0)
    assert ak.grad(lambda x: ak.sum(scaled(x)))(x).tolist() == [2.0] * 3
    assert ak.compile(ak.grad(lambda x: ak.sum(scaled(x, "thrice"))))(x).tolist() == [3.0] * 3
    assert ak.vmap(ak.grad(lambda x: scaled(x, "thrice")))(x).tolist() == [3.0] * 3
    assert ak.grad(lambda x: ak.sum(ak.vmap(scaled)(x)))(x).tolist() == [2.0] * 3
    assert ak.jvp(lambda x: scaled(x, mode="thrice"), (x,), (x,))[1].tolist() == [0.0, 3.0, 6.0]
    by_x, by_weight = ak.grad(lambda x, w: scaled(x, weight=w), (0, 1))(3.0, 5.0)
    assert (float(by_x), float(by_weight)) == (10.0, 6.0)


def test_a_dict_among_the_arguments_is_refused() -> None:
    @ak.custom_gradient
    def scaled(x: Any, settings: Any) -> Any:
        return x * settings["by"], lambda g: (g * settings["by"], None)

    with pytest.raises(ArgumentError, match=r"got a dict.*def f\(x, \*, settings\)"):
        scaled(1.0, {"by": 2.0})


def test_a_jacobian_with_a_hook_goes_backward() -> None:
    """A tall Jacobian is computed forward, where a hook would have no effect."""

    def tall(mode: str) -> Any:
        x = ak.constant([1.0, 2.0])
        with ak.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
            y.register_hook(lambda g: 10.0 * g)
            z = ak.concat([y, y * 3.0], 0)
        return tape.jacobian(z, x, mode=mode).tolist()

    assert tall("auto") == tall("reverse") == [[20.0, 0.0], [0.0, 20.0], [60.0, 0.0], [0.0, 60.0]]
    with pytest.raises(StructureError, match="would leave it out"):
        tall("forward")


@pytest.mark.parametrize(
    "hook", [lambda g: np.array([1.0, 2.0, 3.0]), lambda g: g[::-1], lambda g: g / ak.sum(g * g + 1.0), lambda g: 2.0]
)
@pytest.mark.parametrize("mapped", [False, True])
def test_a_hook_gets_one_row_of_a_jacobian_at_a_time(hook: Any, mapped: bool) -> None:
    def f(a: Any) -> Any:
        b = a * 1.0
        b.register_hook(hook)
        return b * b

    x = np.array([1.0, 2.0, 3.0])
    if mapped:
        found = ak.jacobian(lambda x: ak.vmap(f)(x), mode="reverse")(x[None]).numpy()[0, :, 0]
    else:
        found = ak.jacobian(f, mode="reverse")(x).numpy()
    each = [ak.grad(lambda a, k=k: f(a)[k])(x).numpy() for k in range(3)]
    np.testing.assert_allclose(found, each)


@ak.custom_gradient
def cubed(x: Any) -> Any:
    """Without a rule for tangents; that is derived."""
    return x**3, lambda g: g * 3 * x**2


def slope(f: Any) -> Any:
    """The tangent of a function of one number for the tangent 1."""
    return lambda x: ak.jvp(f, (x,), (1.0,))[1]


def tangent_of(f: Any) -> Any:
    """The sum of the tangent of a function of an array for ones."""
    return lambda x: ak.sum(ak.jvp(f, (x,), (np.ones_like(x),))[1])


@pytest.mark.parametrize("derivative", [ak.grad, tangent_of])
def test_a_derived_jvp_is_differentiated_again(derivative: Any) -> None:
    x = np.array([1.0, 2.0])
    found, expected = (derivative(tangent_of(f))(x) for f in (cubed, lambda x: x**3))
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-12)


def test_a_derived_jvp_inside_other_transforms() -> None:
    assert float(slope(slope(slope(cubed)))(2.0)) == 6.0
    assert float(ak.grad(lambda t: ak.jvp(cubed, (2.0,), (t,))[1])(1.0)) == 12.0
    assert ak.vmap(slope(cubed))([1.0, 2.0]).numpy().tolist() == [3.0, 12.0]
    compiled = ak.compile(ak.grad(slope(cubed)))
    assert [float(compiled(2.0)) for _ in range(2)] == [12.0, 12.0]
    assert ak.jvp(cubed, (np.zeros((0, 2)),), (np.zeros((0, 2)),))[1].shape == (0, 2)


@pytest.mark.parametrize("every", [None, 1, 2])
def test_a_loop_with_checkpoints_is_differentiated_like_one_without(every: int | None) -> None:
    """A gradient in the body reads a value from outside, whose cotangent is that of the whole loop."""

    def loop(y: Any) -> Any:
        body = lambda c, _: (ak.grad(lambda a: a * a * y)(c), None)  # noqa: E731
        return ak.scan(body, 0.3, length=3, checkpoint_every=every)[0]

    slope = 0.3 * 8 * 3 * 1.2**2  # of 0.3 (2 y)³
    assert float(ak.grad(loop)(1.2)) == pytest.approx(slope)
    assert float(ak.jvp(loop, (1.2,), (1.0,))[1]) == pytest.approx(slope)
    squares = lambda x: ak.scan(lambda c, _: (c * c, None), x, length=2, checkpoint_every=every)[0]  # noqa: E731
    assert float(ak.grad(lambda x: ak.jacobian(squares, mode="forward")(x))(2.0)) == 48.0


@pytest.mark.parametrize("every", [None, 2])
def test_anomalies_are_looked_for_inside_a_loop_with_checkpoints(every: int | None) -> None:
    w = ak.Variable(3.0)

    def body(c: Any, a: Any) -> Any:
        with ak.detect_anomalies():
            u = c * w
        return u + a, None

    with ak.GradientTape() as tape:
        y, _ = ak.scan(body, 1.0, np.ones(3), checkpoint_every=every)
    assert float(tape.gradient(y, w)) == 34.0


@pytest.mark.parametrize(
    ("key", "name"),
    [("Greater", "Identity"), ("Sum", "Identity"), ("Exp", "Sum"), ("Exp", "Add"), ("Concat", "Cumsum")],
)
def test_a_gradient_of_another_signature_is_refused(key: str, name: str) -> None:
    with (
        pytest.raises(ArgumentError, match=rf"'{key}' takes \(.*\), and the gradient of '{name}' is for \("),
        ak.gradient_override_map({key: name}),
    ):
        pass


def test_every_operation_may_keep_its_own_gradient() -> None:
    with ak.gradient_override_map({key: key for key, op in OPS.items() if op.vjps or op.vjp_all}):
        x = ak.Variable([1.0, 2.0])
        with ak.GradientTape() as tape:
            y = ak.sum(ak.concat([x, x * x]), axis=0)
    assert tape.gradient(y, x).tolist() == [3.0, 5.0]


def test_an_operation_without_a_gradient_lends_none() -> None:
    with (
        pytest.raises(UnknownGradientError, match="registered as 'Floor', and the operation of that name has none"),
        ak.gradient_override_map({"Exp": "Floor"}),
    ):
        pass


def test_the_tangent_of_an_integer_result_is_no_integer() -> None:
    straight = ak.custom_gradient(lambda v: (ak.cast(v, "int64"), lambda g: g))
    tangent = ak.jvp(lambda x: straight(x) * 0.5, ([1.7, 2.3],), ([0.3, 0.7],))[1]
    assert tangent.numpy() == pytest.approx([0.15, 0.35])


def test_a_jacobian_without_rows_calls_no_hook() -> None:
    x = ak.Variable([1.0, 2.0, 3.0])
    with ak.GradientTape() as tape:
        y = x * 2.0
        y.register_hook(lambda g: g * 2.0)
        z = y[0:0]
    assert tape.jacobian(z, x).shape == (0, 3)
