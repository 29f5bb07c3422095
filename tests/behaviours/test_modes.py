"""Rows B15 to B28, as far as the tests of tests/core do not cover them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.transforms import batched_forward


@pytest.mark.parametrize(("n", "m", "cheaper"), [(3, 20, "forward"), (20, 3, "reverse"), (1, 1, "reverse")])
def test_b16_the_cheaper_mode_is_chosen(n: int, m: int, cheaper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """B16: forward mode for few sources, reverse mode for few targets; the other mode, chosen explicitly, agrees."""
    pushes: list[str] = []
    inner = batched_forward.batched_output_tangent
    name = "batched_output_tangent"
    monkeypatch.setattr(batched_forward, name, lambda node, *rest: pushes.append(node.op.name) or inner(node, *rest))
    matrix = np.linspace(-1.0, 1.0, m * n).reshape(m, n)
    x = ak.constant(np.linspace(0.1, 1.0, n))
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = ak.tanh(ak.constant(matrix) @ x)
    found = tape.jacobian(y, x)
    assert bool(pushes) == (cheaper == "forward")
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(tape.jacobian(y, x, mode=mode).numpy(), found.numpy(), rtol=1e-13)


def test_b20_all_signs_give_the_norms_exactly() -> None:
    """B20: H = [[2, 1], [1, 3]]; over all four sign vectors the mean of v·Hv is 5 and the root mean square of |Hv| is
    3.8730; gradients at the perturbed points x ± 1e-3 v give the same.
    """
    matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    points: list[Any] = []

    def f(x: Any) -> Any:
        points.append(np.asarray(x).tolist())
        return 0.5 * ak.sum(x * (ak.constant(matrix) @ x))

    x = np.array([0.5, -1.0])
    signs = [np.array(s) for s in itertools.product((-1.0, 1.0), repeat=2)]
    exact = [ak.hvp(f, x, v).numpy() for v in signs]
    points.clear()
    moved = [(ak.grad(f)(x + 1e-3 * v).numpy() - ak.grad(f)(x - 1e-3 * v).numpy()) / 2e-3 for v in signs]
    assert [p != x.tolist() for p in points] == [True] * 8
    for products in (exact, moved):
        assert np.mean([v @ h for v, h in zip(signs, products, strict=True)]) == pytest.approx(5.0, abs=1e-9)
        assert np.sqrt(np.mean([h @ h for h in products])) == pytest.approx(3.872983, abs=1e-6)
    np.testing.assert_allclose(ak.hessian(f)(x).numpy(), matrix, atol=1e-12)
    told = ak.hessian_norm(f, x, probes=400, seed=1)
    assert abs(told.frobenius - np.linalg.norm(matrix)) <= 4 * told.frobenius_error
    assert abs(told.trace - 5.0) <= 4 * told.trace_error


def test_b21_the_network_of_lesson_18() -> None:
    """B21: dense 4-8-8-2 on ten rows, products only: 2,240 operations forward and 3,840 backward."""
    x, w = np.ones((10, 4)), [ak.Variable(np.ones(shape)) for shape in ((4, 8), (8, 8), (8, 2))]
    with ak.GradientTape() as tape:
        h: Any = x
        for k in range(3):
            h = h @ w[k]
    told = tape.cost()
    assert (told.forward, told.backward) == (2240, 3840)
    assert told.backward / told.forward == pytest.approx(1.714286, abs=1e-6)


def test_b22_nan_from_where_and_its_two_remedies() -> None:
    """B22: [nan nan .25] by composition, [0 0 .25] with an inner where, or inside ``zero_absorbs``."""
    x = ak.Variable([-1.0, 0.0, 4.0])

    def slopes(f: Any) -> Any:
        with np.errstate(all="ignore"):
            with ak.GradientTape() as tape:
                y = f(x)
            return tape.gradient(y, x).numpy()

    def naive(x: Any) -> Any:
        return ak.where(x > 0, ak.sqrt(x), 0.0)

    np.testing.assert_array_equal(slopes(naive), [np.nan, np.nan, 0.25])
    inner = slopes(lambda x: ak.where(x > 0, ak.sqrt(ak.where(x > 0, x, 1.0)), 0.0))
    np.testing.assert_array_equal(inner, [0.0, 0.0, 0.25])
    with ak.zero_absorbs():
        np.testing.assert_array_equal(slopes(naive), [0.0, 0.0, 0.25])
    np.testing.assert_array_equal(slopes(naive), [np.nan, np.nan, 0.25])


def test_b24_entrywise_assignments_are_explained() -> None:
    """B24: entries assigned to a variable one by one: None, and the line of the assignment."""
    box, out = ak.Variable([[4.0, 5.0], [5.0, 6.0], [5.0, 7.0]]), ak.Variable(np.zeros(2), name="out")
    with ak.GradientTape() as tape:
        columns = ak.prod(box, axis=0)
        for j in range(2):
            out.assign_add(ak.stack([1.0 - 60.0 / columns[j] if k == j else ak.constant(0.0) for k in range(2)]))
        y = out.read_value()
    np.testing.assert_allclose(y.numpy(), [0.4, 0.714286], atol=1e-6)
    assert tape.gradient(y, box) is None
    why = tape.explain(y, box)
    assert (why.cause, why.kind) == (4, "state")
    assert "out.assign_add" in why.code


def test_b25_masked_training_changes_only_unmasked_entries() -> None:
    """B25: `M*W + stop_gradient((1-M)*W)` has W's value everywhere and a gradient where M is 1; both modes agree."""
    w, mask = ak.Variable([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])

    def used(w: Any) -> Any:
        return mask * w + ak.stop_gradient((1 - mask) * w)

    optimizer = ak.optim.SGD(0.25)
    assert used(w).tolist() == w.tolist()
    for _ in range(3):
        optimizer.minimize(lambda: ak.sum(used(w) ** 2), [w])
    assert w.tolist() == [[0.125, 2.0], [3.0, 0.5]]
    _, tangent = ak.jvp(used, (w,), (np.ones((2, 2)),))
    assert tangent.tolist() == mask.tolist()


def test_b26_when_a_stopped_mean_is_right() -> None:
    """B26: x = [1, 2, 3, 4]: the variance has [-.75 -.25 .25 .75] either way; the first output of (x - μ)/σ has
    [.2683 -.3578 -.0894 .1789], and stopping both μ and σ gives [.8944 0 0 0].
    """
    x = ak.Variable([1.0, 2.0, 3.0, 4.0])

    def stop(value: Any, on: bool) -> Any:
        return ak.stop_gradient(value) if on else value

    def slopes(f: Any) -> Any:
        with ak.GradientTape() as tape:
            y = f()
        return tape.gradient(y, x).numpy()

    def variance(inside: bool) -> Any:
        return ak.mean((x - stop(ak.mean(x), inside)) ** 2)

    for inside in (True, False):
        np.testing.assert_allclose(slopes(lambda i=inside: variance(i)), [-0.75, -0.25, 0.25, 0.75], atol=1e-15)

    def first(inside: bool = False, mean: bool = False, whole: bool = False) -> Any:
        return ((x - stop(ak.mean(x), mean)) / ak.sqrt(stop(variance(inside), whole)))[0]

    full = [0.2683, -0.3578, -0.0894, 0.1789]
    np.testing.assert_allclose(slopes(first), full, atol=5e-5)
    np.testing.assert_allclose(slopes(lambda: first(inside=True)), full, atol=5e-5)
    np.testing.assert_allclose(slopes(lambda: first(mean=True, whole=True)), [0.8944, 0, 0, 0], atol=5e-5)
    np.testing.assert_allclose(slopes(lambda: first(whole=True)), [0.6708, -0.2236, -0.2236, -0.2236], atol=5e-5)


def test_b27_an_override_changes_gradients_and_not_values() -> None:
    """B27: floor of [1.7, 2.3] with the gradient of the identity, and 5 g for Identity, in both modes."""

    @ak.register_gradient("Quintuple")
    def quintuple(g: Any, ans: Any, x: Any) -> Any:
        return 5.0 * g

    x = ak.Variable([1.7, 2.3])
    overridden = ak.gradient_override_map({"Floor": "Identity", "Identity": "Quintuple"})
    with overridden, ak.GradientTape(persistent=True) as tape:
        low, same = ak.floor(x), ak.identity(x)
    assert (low.tolist(), same.tolist()) == ([1.0, 2.0], [1.7, 2.3])
    assert tape.gradient(low, x).tolist() == [1.0, 1.0]
    assert tape.gradient(same, x).tolist() == [5.0, 5.0]
    assert tape.jacobian(same, x).tolist() == [[5.0, 0.0], [0.0, 5.0]]
    with ak.GradientTape() as tape:
        after = ak.floor(x)
    assert tape.gradient(after, x) is None


@pytest.mark.parametrize("mode", ["gradient", "jacobian"])
def test_b28_a_hook_replaces_the_gradient_of_an_intermediate_value(mode: str) -> None:
    """B28: of three intermediate values, the hook of the second sees 6 and returns -1; later values are unaffected."""
    x = ak.Variable(1.0)
    seen: list[float] = []
    with ak.GradientTape(persistent=True) as tape:
        a = x * 2.0
        b = a * 3.0
        c = b**2
        b.register_hook(lambda g: (seen.append(float(np.asarray(g).sum())), g * 0.0 - 1.0)[1])
    assert float(getattr(tape, mode)(c, x)) == -6.0
    assert seen == [12.0]
