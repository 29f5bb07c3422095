"""Gradient optimizers: steps, slots, frozen elements, constraints. Rows B39 to B43 of behaviours.md."""

from __future__ import annotations

import array
import copy
import json
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.errors import AutodiffError, DtypeError, RangeError, ShapeError, StructureError, UnknownGradientError

MAKERS: dict[str, Callable[[], ak.optim.Optimizer]] = {
    "SGD": lambda: ak.optim.SGD(0.1),
    "momentum": lambda: ak.optim.SGD(0.1, momentum=0.9),
    "nesterov": lambda: ak.optim.SGD(0.1, momentum=0.9, nesterov=True),
    "Adagrad": lambda: ak.optim.Adagrad(0.1),
    "Adadelta": lambda: ak.optim.Adadelta(),
    "RMSProp": lambda: ak.optim.RMSProp(0.1, momentum=0.5),
    "Adam": lambda: ak.optim.Adam(0.1),
    "lazy Adam": lambda: ak.optim.Adam(0.1, lazy=True),
    "AdamW": lambda: ak.optim.AdamW(0.1, weight_decay=0.1),
}
every_optimizer = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def run(opt: Any, w: Any, gradients: Any) -> list[Any]:
    seen = []
    for g in gradients:
        opt.apply_gradients([(g, w)])
        seen.append(w.numpy().copy())
    return seen


def test_b39_slots_persist_between_steps() -> None:
    """B39: lr .1, momentum .9 on [1, -2]."""
    w, opt = ak.Variable([1.0, -2.0]), ak.optim.SGD(0.1, momentum=0.9)
    seen = run(opt, w, [[1.0, 2.0], [0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(seen, [[0.9, -2.2], [0.81, -2.48], [0.729, -2.732]], rtol=1e-15)
    assert opt.slot_names() == ("momentum",)
    np.testing.assert_allclose(opt.get_slot(w, "momentum"), [0.81, 2.52])


def test_b40_the_step_is_not_the_gradient() -> None:
    """B40: with an initial accumulator of 1; the last step can be read."""
    w = ak.Variable(np.ones(3))
    opt = ak.optim.RMSProp(0.1, decay=0.9, momentum=0.5, epsilon=1e-10, initial_accumulator=1.0)
    seen = run(opt, w, [[0.5, -1.0, 2.0], [0.25, 1.0, 0.0]])
    np.testing.assert_allclose(seen[0], [0.948012, 1.1, 0.824588], atol=1e-6)
    np.testing.assert_allclose(seen[1], [0.894721, 1.05, 0.736883], atol=1e-6)
    np.testing.assert_allclose(opt.last_update(w), seen[1] - seen[0], atol=1e-15)
    assert opt.slot_names() == ("rms", "momentum")


@pytest.mark.parametrize("wrap", [lambda f: f, ak.compile], ids=["eager", "compiled"])
@pytest.mark.parametrize("start", [0.0, 0.3])
def test_adagrad_by_its_formula(start: float, wrap: Any) -> None:
    """As torch.optim.Adagrad: sum += g * g; w -= lr * g / (sqrt(sum) + eps)."""
    rng = np.random.default_rng(5)
    w, opt = ak.Variable(rng.normal(size=6)), ak.optim.Adagrad(0.2, initial_accumulator=start, epsilon=1e-3)
    step = wrap(lambda g: opt.apply_gradients([(g, w)]))
    by_hand, total = w.numpy().copy(), np.full(6, start)
    for g in rng.normal(size=(8, 6)) * 10.0 ** np.arange(-3, 3):
        step(g)
        total = total + g * g
        by_hand = by_hand - 0.2 * g / (np.sqrt(total) + 1e-3)
        np.testing.assert_allclose(w.numpy(), by_hand, rtol=1e-12)
        np.testing.assert_allclose(opt.get_slot(w, "accumulator"), total, rtol=1e-12)


@pytest.mark.parametrize("wrap", [lambda f: f, ak.compile], ids=["eager", "compiled"])
def test_adadelta_by_its_formula(wrap: Any) -> None:
    """As torch.optim.Adadelta, whose ``rho`` is ``decay``: the mean of updates is that before the step."""
    rng = np.random.default_rng(6)
    w, opt = ak.Variable(rng.normal(size=6)), ak.optim.Adadelta(0.5, decay=0.8, epsilon=1e-4)
    step = wrap(lambda g: opt.apply_gradients([(g, w)]))
    by_hand, squares, updates = w.numpy().copy(), np.zeros(6), np.zeros(6)
    for g in rng.normal(size=(8, 6)) * 10.0 ** np.arange(-3, 3):
        step(g)
        squares = 0.8 * squares + 0.2 * g * g
        update = np.sqrt(updates + 1e-4) / np.sqrt(squares + 1e-4) * g
        updates = 0.8 * updates + 0.2 * update * update
        by_hand = by_hand - 0.5 * update
        np.testing.assert_allclose(w.numpy(), by_hand, rtol=1e-12)
        np.testing.assert_allclose(opt.get_slot(w, "square_avg"), squares, rtol=1e-12)
        np.testing.assert_allclose(opt.get_slot(w, "acc_delta"), updates, rtol=1e-12)


def test_b41_adam_moves_elements_with_zero_gradient() -> None:
    """B41: at step 2, elements 1 and 2 move with gradient zero."""
    w = ak.Variable(np.zeros(4))
    opt = ak.optim.Adam(0.1)
    run(opt, w, [[0.0, 1.0, -2.0, 0.0], [3.0, 0.0, 0.0, 0.5]])
    np.testing.assert_allclose(w.numpy(), [-0.074413, -0.167006, 0.167006, -0.074413], atol=1e-6)
    assert opt.get_slot(w, "t").tolist() == 2


G1, G2 = np.array([0.0, 1.0, -2.0, 0.0]), np.array([3.0, 0.0, 0.0, 0.5])


def _second_step(remedy: str) -> Any:
    """The second step of elements 1 and 2, which must not move, and of 0 and 3, which must move as before."""
    w, opt = ak.Variable(np.zeros(4)), ak.optim.Adam(0.1)
    opt.apply_gradients([(G1, w)])
    before = w.numpy().copy()
    keep = np.array([False, True, True, False])
    if remedy == "zero the slots":
        for name in ("m", "v"):
            opt.set_slot(w, name, np.where(keep, 0.0, opt.get_slot(w, name)))
        opt.apply_gradients([(G2, w)])
    elif remedy == "save and restore":
        saved = {name: opt.get_slot(w, name) for name in opt.slot_names()}
        opt.apply_gradients([(G2, w)])
        w.assign(np.where(keep, before, w.numpy()))
        for name in ("m", "v"):
            opt.set_slot(w, name, np.where(keep, saved[name], opt.get_slot(w, name)))
    else:
        with opt.frozen({w: keep}):
            opt.apply_gradients([(G2, w)])
    return before, w.numpy(), opt


@pytest.mark.parametrize("remedy", ["zero the slots", "save and restore", "freeze"])
def test_b41_remedies_on_elements(remedy: str) -> None:
    """B41: the frozen elements stay the same bit for bit, the others move as without freezing."""
    before, now, opt = _second_step(remedy)
    assert now[1:3].tobytes() == before[1:3].tobytes()
    np.testing.assert_allclose(now[[0, 3]], [-0.074413, -0.074413], atol=1e-6)
    assert len(opt.slot_names()) == 3


def test_b41_the_remedy_of_a_subset_of_variables() -> None:
    """B41: a variable that is not passed, or whose gradient is None, does not move; its slots and step count stay."""
    a, b = ak.Variable(0.0), ak.Variable(0.0)
    opt = ak.optim.Adam(0.1)
    opt.apply_gradients([(1.0, a), (1.0, b)])
    slots = {n: opt.get_slot(a, n).tobytes() for n in opt.slot_names()}
    here = float(a)
    opt.apply_gradients([(1.0, b)])
    opt.apply_gradients([(None, a), (1.0, b)])
    assert float(a) == here
    assert {n: opt.get_slot(a, n).tobytes() for n in opt.slot_names()} == slots
    assert (opt.get_slot(a, "t").tolist(), opt.get_slot(b, "t").tolist()) == (1, 3)


@every_optimizer
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_b41_frozen_elements_stay_bit_for_bit(make: Any, dtype: str) -> None:
    """B41: value and slots of the masked elements; the others move exactly as they would alone."""
    rng = np.random.default_rng(1)
    start, mask = rng.normal(size=5), np.array([True, False, True, False, False])
    w, twin, opt, twin_opt = ak.Variable(start, dtype=dtype), ak.Variable(start, dtype=dtype), make(), make()
    for g in rng.normal(size=(3, 5)):
        opt.apply_gradients([(g, w)])
        twin_opt.apply_gradients([(g, twin)])
    before = {n: opt.get_slot(w, n) for n in opt.slot_names() if n != "t"} | {"w": w.numpy().copy()}
    with opt.frozen({w: mask}):
        for g in rng.normal(size=(4, 5)):
            opt.apply_gradients([(g, w)])
            twin_opt.apply_gradients([(g, twin)])
    now = {n: opt.get_slot(w, n) for n in opt.slot_names() if n != "t"} | {"w": w.numpy()}
    alone = {n: twin_opt.get_slot(twin, n) for n in opt.slot_names() if n != "t"} | {"w": twin.numpy()}
    for name, value in now.items():
        assert value[mask].tobytes() == before[name][mask].tobytes(), name
        assert value[~mask].tobytes() == alone[name][~mask].tobytes(), name
    assert opt.last_update(w)[mask].tolist() == [0.0, 0.0]
    opt.apply_gradients([(np.ones(5), w)])
    assert (w.numpy() != now["w"]).all()


def test_a_completely_frozen_variable_keeps_its_step_count() -> None:
    w, opt = ak.Variable([1.0, 2.0]), ak.optim.Adam(0.1)
    opt.apply_gradients([([1.0, 1.0], w)])
    with opt.frozen({w: True}):
        opt.apply_gradients([([1.0, 1.0], w)])
    assert opt.get_slot(w, "t").tolist() == 1
    with opt.frozen({w: [True, False]}):
        opt.apply_gradients([([1.0, 1.0], w)])
    assert opt.get_slot(w, "t").tolist() == 2


def test_freezing_nests_and_ends_with_an_exception() -> None:
    w, opt = ak.Variable([1.0, 2.0]), ak.optim.SGD(1.0)
    with pytest.raises(ZeroDivisionError), opt.frozen({w: [True, False]}):
        with opt.frozen({w: [False, True]}):
            opt.apply_gradients([([1.0, 1.0], w)])
        assert w.tolist() == [0.0, 2.0]
        opt.apply_gradients([([1.0, 1.0], w)])
        assert w.tolist() == [0.0, 1.0]
        raise ZeroDivisionError
    opt.apply_gradients([([1.0, 1.0], w)])
    assert w.tolist() == [-1.0, 0.0]


def test_freezing_before_the_first_step() -> None:
    w, opt = ak.Variable([1.0, 2.0]), ak.optim.Adam(0.1)
    with opt.frozen({w: [True, False]}):
        opt.apply_gradients([([1.0, 1.0], w)])
    assert opt.get_slot(w, "m").tolist() == [0.0, pytest.approx(0.1)]


def test_rows_are_added_up_and_the_others_stay() -> None:
    w, opt = ak.Variable(np.ones((4, 2))), ak.optim.Adam(0.1, lazy=True)
    opt.apply_gradients([(ak.RowGradient([3, 1, 3], [[1.0, 1.0], [0.0, 2.0], [1.0, -1.0]], (4, 2)), w)])
    assert (w.numpy()[[0, 2]] == 1.0).all()
    assert opt.get_slot(w, "m").tolist() == [
        [0.0, 0.0],
        [0.0, pytest.approx(0.2)],
        [0.0, 0.0],
        [pytest.approx(0.2), 0.0],
    ]
    dense = np.asarray(ak.RowGradient([3, 1, 3], [[1.0], [5.0], [2.0]], (4, 1)))
    assert dense.ravel().tolist() == [0.0, 5.0, 0.0, 3.0]
    with pytest.raises(RangeError, match="id 4 at position 1"):
        ak.RowGradient([0, 4], np.ones((2, 1)), (4, 1))
    with pytest.raises(ShapeError, match=r"need rows \(2, 1\)"):
        ak.RowGradient([0, 1], np.ones((3, 1)), (4, 1))
    with pytest.raises(ShapeError, match="table"):
        opt.apply_gradients([(ak.RowGradient([0], np.ones((1, 2)), (5, 2)), w)])


@every_optimizer
def test_rows_of_all_equal_a_dense_gradient(make: Any) -> None:
    """A RowGradient that names every row equals the dense gradient, for every optimizer, lazy or not."""
    rng = np.random.default_rng(4)
    a, b = ak.Variable(np.ones((3, 2))), ak.Variable(np.ones((3, 2)))
    first, second = make(), make()
    for g in rng.normal(size=(3, 3, 2)):
        first.apply_gradients([(g, a)])
        second.apply_gradients([(ak.RowGradient([0, 1, 2], g, (3, 2)), b)])
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-15)


def test_b42_gradients_changed_before_they_are_applied() -> None:
    """B42: clipped, scaled, masked; None is skipped; all None is a ValueError."""
    w, idle = ak.Variable([3.0, -4.0]), ak.Variable(1.0)
    opt = ak.optim.SGD(1.0)
    pairs = opt.compute_gradients(lambda: (w * w).sum(), [w, idle])
    assert [(None if g is None else g.tolist(), v is x) for (g, v), x in zip(pairs, (w, idle), strict=True)] == [
        ([6.0, -8.0], True),
        (None, True),
    ]
    opt.apply_gradients([(None if g is None else ak.clip(g, -1.0, 1.0) * np.array([1.0, 0.0]), v) for g, v in pairs])
    assert (w.tolist(), float(idle)) == ([2.0, -4.0], 1.0)
    with pytest.raises(StructureError, match="every gradient is None") as caught:
        opt.apply_gradients([(None, w), (None, idle)])
    assert isinstance(caught.value, ValueError)


def test_minimize_gives_the_loss_before_the_step() -> None:
    w = ak.Variable(3.0)
    opt = ak.optim.SGD(0.25)
    losses = [float(opt.minimize(lambda: (w - 1.0) ** 2, [w])) for _ in range(3)]
    assert losses == [4.0, 1.0, 0.25]


@pytest.mark.parametrize(
    ("pair", "error", "words"),
    [
        (lambda w: (w, np.ones(2)), DtypeError, r"\(gradient, variable\), in this order"),
        (lambda w: (np.ones(3), w), ShapeError, r"shape \(3,\), but variable w has \(2,\)"),
    ],
)
def test_pairs_that_do_not_fit(pair: Any, error: Any, words: str) -> None:
    """All pairs are checked before the first step."""
    first, w = ak.Variable([1.0]), ak.Variable([1.0, 2.0], name="w")
    with pytest.raises(error, match=words):
        ak.optim.SGD(0.1).apply_gradients([(np.ones(1), first), pair(w)])
    assert first.tolist() == [1.0]


def test_other_errors() -> None:
    w, opt = ak.Variable([1.0, 2.0]), ak.optim.Adam(0.1)
    with pytest.raises(StructureError, match="twice"):
        opt.apply_gradients([([1.0, 1.0], w), ([1.0, 1.0], w)])
    with pytest.raises(UnknownGradientError, match="keeps no slot 'momentum'; it keeps m, v, t"):
        opt.get_slot(w, "momentum")
    with pytest.raises(ShapeError, match=r"slot 'm' has shape \(2,\), the new value \(3,\)"):
        opt.set_slot(w, "m", np.ones(3))
    with pytest.raises(DtypeError, match="float64"), opt.frozen({w: [1.0, 0.0]}):
        pass
    with pytest.raises(ShapeError, match=r"mask of shape \(3,\)"), opt.frozen({w: [True, False, True]}):
        pass
    with pytest.raises(StructureError, match="learning_rate must be a number of 0 or more"):
        ak.optim.SGD(-0.1)
    with pytest.raises(StructureError, match="beta1"):
        ak.optim.Adam(beta1=float("nan"))
    with pytest.raises(StructureError, match="state of Adam, not of SGD"):
        ak.optim.SGD(0.1).load_state_dict(opt.state_dict())


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled loops are at work, as after some hundred operations."""
    pytest.importorskip("numba")
    from autodiff_kit.kernels.eager_loops import LOOPS

    monkeypatch.setattr(kernels, "_loops", dict(LOOPS))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_plain_steps_are_numpys_to_the_bit(loops: None, dtype: Any) -> None:
    """Also the last update, after the owner of the gradient has written into it, and in a copy of the optimizer."""
    rng = np.random.default_rng(1)
    w, g = rng.normal(size=(2, 40, 30)).astype(dtype)
    variable, kept, opt = ak.Variable(w), w.copy(), ak.optim.SGD(0.3)
    step = (np.float32(-0.3) * g.astype(np.float32)).astype(dtype) if dtype == np.float16 else dtype(-0.3) * g
    before = variable.numpy()
    opt.apply_gradients([(g, variable)])
    g[...] = 7
    np.testing.assert_array_equal(variable.numpy(), w + step)
    np.testing.assert_array_equal(before, kept)
    for made, of in ((opt, variable), copy.deepcopy((opt, variable))):
        np.testing.assert_array_equal(made.last_update(of), step)


@pytest.mark.parametrize(
    "given",
    [np.asarray, lambda x: array.array("d", x), memoryview, lambda x: x.view(np.recarray)],
    ids=lambda f: f.__name__,
)
def test_the_last_update_is_no_view_of_the_callers_gradient(loops: None, given: Callable[[Any], Any]) -> None:
    g, w, opt = given(np.full(300, 2.0)), ak.Variable(np.zeros(300)), ak.optim.SGD(1.0)
    opt.apply_gradients([(g, w)])
    g[0] = 99.0
    assert opt.last_update(w).tolist() == [-2.0] * 300


@pytest.mark.parametrize("kind", [ak.optim.SGD, ak.optim.Adam])
def test_an_own_update_is_used_with_the_compiled_loops_too(loops: None, kind: Any) -> None:
    class Sign(kind):  # type: ignore[misc]
        def _update(self, w: Any, g: Any, slots: Any) -> Any:
            return -self.learning_rate * np.sign(g)

    w = ak.Variable(np.zeros(300))
    Sign(0.5).apply_gradients([(np.full(300, 3.0), w)])
    assert w.tolist() == [-0.5] * 300


def test_the_last_update_keeps_no_larger_array(loops: None) -> None:
    """The gradient of a part is a view of the whole gradient."""
    w, opt = ak.Variable(np.ones(300)), ak.optim.SGD(1.0)
    opt.minimize(lambda: (ak.concat([w, np.ones(3000)]) ** 2).sum(), [w])
    gradient, _ = opt._last[id(w)].args
    assert gradient.base is None or gradient.base.size == 300


def test_eager_steps_after_compiled_assignments_of_views(loops: None) -> None:
    """Two variables, and the result, that show parts of one array."""
    p, q = ak.Variable(np.zeros(4)), ak.Variable(np.zeros(4))

    @ak.compile
    def f(x: Any) -> Any:
        y = x * 2.0
        p.assign(y[:4])
        q.assign(y[2:])
        return y

    for _ in range(2):  # traced, then run
        y = f(ak.constant(np.arange(6.0)))
    for opt in (ak.optim.SGD(1.0), ak.optim.Adam(1.0)):
        before = q.tolist()
        opt.apply_gradients([(np.ones(4), p)])
        assert (y.tolist(), q.tolist()) == ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], before)


def test_a_shallow_copy_of_an_optimizer_has_slots_of_its_own() -> None:
    class Noted(ak.optim.SGD):
        note: Any = None

    w, opt = ak.Variable(np.ones(3)), Noted(0.1, momentum=0.9)
    opt.note = note = ["mine"]
    opt.apply_gradients([([1.0, 2.0, 3.0], w)])
    with opt.frozen({w: [True] * 3}):
        twin, before = copy.copy(opt), opt.get_slot(w, "momentum").tolist()
    twin.apply_gradients([([1.0, 2.0, 3.0], w)])
    assert opt.get_slot(w, "momentum").tolist() == before != twin.get_slot(w, "momentum").tolist()
    assert twin.note is note


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["deepcopy", "pickle"])
def test_an_optimizer_that_is_copied_without_its_variables(copied: Any) -> None:
    """Its slots belong to variables that nobody has, and would begin again without a word for all others."""
    w, g = ak.Variable(np.ones(3)), [1.0, 2.0, 3.0]
    for opt in (ak.optim.Adam(0.1), ak.optim.SGD(0.1, momentum=0.9)):
        fresh = copied(opt)
        fresh.apply_gradients([(g, copied(w))])  # before the first step there is nothing to lose
        opt.apply_gradients([(g, w)])
        alone, (twin, own) = copied(opt), copied((opt, w))
        for step in (alone.apply_gradients, ak.compile(lambda pairs, alone=alone: alone.apply_gradients(pairs))):
            with pytest.raises(StructureError, match=r"copy.deepcopy\(\(model, optimizer\)\)"):
                step([(g, w)])
        twin.apply_gradients([(g, own), (g, ak.Variable(np.ones(3)))])
        opt.apply_gradients([(g, w)])
        assert own.tolist() == w.tolist()
        copy.copy(opt).apply_gradients([(g, ak.Variable(np.ones(3)))])
    plain = ak.optim.SGD(0.1)
    plain.apply_gradients([(g, w)])
    copied(plain).apply_gradients([(g, w)])  # without slots all variables are alike


@pytest.mark.parametrize("make", [lambda: ak.optim.SGD(0.5, momentum=0.5), lambda: ak.optim.Adam(0.5)])
def test_threads_that_share_an_optimizer_take_turns(make: Any) -> None:
    """Each step reads the value and the slots and writes both; without turns steps were lost."""
    size, steps, g = 200_000, 40, np.ones(200_000)
    opt, w = make(), ak.Variable(np.zeros(size))
    threads = [threading.Thread(target=lambda: [opt.apply_gradients([(g, w)]) for _ in range(steps)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone, by_one = make(), ak.Variable(np.zeros(size))
    for _ in range(2 * steps):
        alone.apply_gradients([(g, by_one)])
    np.testing.assert_array_equal(w.numpy(), by_one.numpy())


def test_a_step_while_another_thread_traces_one_with_the_same_optimizer() -> None:
    """While a step is traced the learning rate is symbolic: a step of another thread left a value without numbers."""
    opt, w, other = ak.optim.SGD(0.5), ak.Variable([1.0, 2.0]), ak.Variable([0.0])
    beside = threading.Thread(target=lambda: opt.apply_gradients([([1.0], other)]))

    def begin() -> None:
        if opt._state and not beside.ident:
            beside.start()
            beside.join(0.2)  # it waits for the end of the trace

    def step() -> Any:
        loss = opt.minimize(lambda: ak.sum(w * w), [w])
        begin()
        return loss

    ak.compile(step)()
    beside.join()
    assert (w.tolist(), other.tolist()) == ([0.0, 0.0], [-0.5])


def test_a_constraint_may_keep_the_array_that_it_returns() -> None:
    buffer, opt = np.zeros(2), ak.optim.SGD(1.0)
    a, b = (ak.Variable(x, constraint=lambda v: np.clip(v, 0.0, 1.0, out=buffer)) for x in ([0.25, 0.5], [0.75, 1.0]))
    opt.apply_gradients([([0.0, 0.0], a), ([0.0, 0.0], b)])
    assert (a.tolist(), b.tolist(), opt.last_update(a).tolist()) == ([0.25, 0.5], [0.75, 1.0], [0.0, 0.0])


def test_masks_and_loaded_slots_are_copied() -> None:
    w, opt, mask = ak.Variable([1.0, 2.0], name="w"), ak.optim.SGD(1.0, momentum=0.5), np.array([True, True])
    with opt.frozen({w: mask}):
        mask[:] = False
        opt.apply_gradients([([1.0, 1.0], w)])
    assert w.tolist() == [1.0, 2.0]
    opt.apply_gradients([([1.0, 1.0], w)])
    state, other = opt.state_dict(), ak.optim.SGD(1.0, momentum=0.5)
    other.load_state_dict(state)
    state["slots"]["w"]["momentum"][:] = 99.0
    assert other.get_slot(w, "momentum").tolist() == [1.0, 1.0]


@pytest.mark.parametrize("make", [lambda: ak.optim.SGD(1.0), lambda: ak.optim.RMSProp(0.1)], ids=["SGD", "RMSProp"])
def test_a_value_that_is_a_view_is_copied_before_it_moves(loops: None, make: Any) -> None:
    whole, w = np.zeros(600), ak.Variable(np.zeros(300))
    w._value = whole[:300]
    make().apply_gradients([(np.ones(300), w)])
    assert not whole.any()
    assert w.numpy().all()


def test_b43_a_projection_after_the_step() -> None:
    """B43: SGD lr 1 on [1, -2, 3] with [2, 1, 1], not below 0: [0, 0, 2]; the stored update is the actual one."""
    w = ak.Variable([1.0, -2.0, 3.0], constraint=lambda value: np.maximum(value, 0.0))
    opt = ak.optim.SGD(1.0)
    opt.apply_gradients([([2.0, 1.0, 1.0], w)])
    assert w.tolist() == [0.0, 0.0, 2.0]
    assert opt.last_update(w).tolist() == [-1.0, 2.0, -1.0]
    scalar = ak.Variable(1.0, constraint=lambda value: max(value, 0.5))
    opt.apply_gradients([(10.0, scalar)])
    assert float(scalar) == 0.5


def test_a_constraint_that_gives_a_tensor() -> None:
    w = ak.Variable([3.0, 4.0], constraint=lambda value: ak.constant(value) / ak.norm(value))
    ak.optim.SGD(1.0).apply_gradients([([0.0, 0.0], w)])
    np.testing.assert_allclose(w.numpy(), [0.6, 0.8])


@every_optimizer
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_saved_state_resumes_bit_for_bit(make: Any, named: bool, dtype: str) -> None:
    """Save, create everything again, load before or after the first step: the same bits as without interruption."""
    rng = np.random.default_rng(2)
    steps = [(rng.normal(size=(2, 3)), rng.normal()) for _ in range(6)]

    def fresh(values: Any) -> Any:
        names = ("w", "b") if named else (None, None)
        return [ak.Variable(v, name=n, dtype=dtype) for v, n in zip(values, names, strict=True)], make()

    (w, b), opt = fresh([np.ones((2, 3)), 0.5])
    for gw, gb in steps[:3]:
        opt.apply_gradients([(gw, w), (gb, b)])
    state, values = opt.state_dict(), [w.numpy().copy(), b.numpy().copy()]
    (w2, b2), again = fresh(values)
    again.load_state_dict(state)
    for gw, gb in steps[3:]:
        opt.apply_gradients([(gw, w), (gb, b)])
        again.apply_gradients([(gw, w2), (gb, b2)])
    for x, y in ((w, w2), (b, b2)):
        assert x.numpy().tobytes() == y.numpy().tobytes()
        assert {n: opt.get_slot(x, n).tobytes() for n in opt.slot_names()} == {
            n: again.get_slot(y, n).tobytes() for n in again.slot_names()
        }


def test_a_state_is_plain_and_a_copy() -> None:
    w, opt = ak.Variable([1.0, 2.0], name="w"), ak.optim.Adam(0.1)
    opt.apply_gradients([([1.0, 1.0], w)])
    state = opt.state_dict()
    text = json.dumps({k: {n: a.tolist() for n, a in s.items()} for k, s in state["slots"].items()})
    assert json.loads(text)["w"]["t"] == 1
    state["slots"]["w"]["m"][...] = 99.0
    assert opt.get_slot(w, "m").tolist() == [pytest.approx(0.1)] * 2
    slot = opt.get_slot(w, "v")
    slot[...] = 99.0
    assert opt.get_slot(w, "v").tolist() == [pytest.approx(0.001)] * 2
    before = opt.state_dict()
    opt.apply_gradients([([1.0, 1.0], w)])
    assert before["slots"]["w"]["t"] == 1


def test_loading_during_a_run_restores_the_saved_state() -> None:
    w, opt = ak.Variable(0.0), ak.optim.Adam(0.1)
    opt.apply_gradients([(1.0, w)])
    state, value = opt.state_dict(), float(w)
    opt.apply_gradients([(1.0, w)])
    there = float(w)
    opt.load_state_dict(state)
    w.assign(value)
    opt.apply_gradients([(1.0, w)])
    assert float(w) == there


@every_optimizer
def test_single_precision_stays_single(make: Any) -> None:
    w, opt = ak.Variable(np.ones(4), dtype="float32"), make()
    for g in (np.ones(4), np.float32([1, 2, 3, 4]), ak.constant(np.ones(4), "float16")):
        opt.apply_gradients([(g, w)])
    assert w.dtype == np.float32
    assert {opt.get_slot(w, n).dtype for n in opt.slot_names() if n != "t"} <= {np.dtype(np.float32)}
    double = ak.Variable(np.ones(4))
    twin = make()
    for g in (np.ones(4), np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4)):
        twin.apply_gradients([(g, double)])
    np.testing.assert_allclose(w.numpy(), double.numpy(), rtol=1e-5)


@every_optimizer
@pytest.mark.parametrize("wrap", [lambda f: f, ak.compile], ids=["eager", "compiled"])
def test_half_precision_steps_as_single_precision(make: Any, wrap: Any) -> None:
    """Gradients of 0, gradients whose squares float16 rounds to 0 and beyond its range; vectors and numbers.

    The same steps from the same values in float32, rounded to float16 after each.
    """
    for columns in (np.s_[:], 1):
        sizes = np.array([0.0, 1e-3, 6e-8, 1.0, 3e4, 0.0])[columns]
        half, opt = ak.Variable(np.ones_like(sizes), dtype="float16"), make()
        single, twin = ak.Variable(np.ones_like(sizes), dtype="float32"), make()
        step = wrap(lambda g, w=half, opt=opt: opt.apply_gradients([(g, w)]))
        for k in range(6):
            g = (sizes * (-1.0) ** k * (k != 3)).astype("float16")
            before = half.numpy().copy()
            step(ak.constant(g))
            single.assign(before)
            twin.apply_gradients([(g.astype("float32"), single)])
            np.testing.assert_allclose(half.numpy(), single.numpy(), rtol=1.5e-3, atol=1e-7)
            np.testing.assert_allclose(opt.last_update(half), half.numpy() - before, rtol=5e-3, atol=1e-3)
            for name in set(opt.slot_names()) - {"t"}:
                np.testing.assert_allclose(opt.get_slot(half, name), twin.get_slot(single, name), rtol=1e-5)
                assert opt.get_slot(half, name).dtype == np.float32
        assert (half.dtype, opt.last_update(half).dtype) == (np.float16, np.float16)


@every_optimizer
def test_each_optimizer_reaches_a_minimum(make: Any) -> None:
    w = ak.Variable([2.0, -3.0])
    opt = make()
    opt.learning_rate = {"Adagrad": 0.5, "Adadelta": 1.0}.get(type(opt).__name__, 0.02)
    for _ in range(800):
        opt.minimize(lambda: ((w - np.array([1.0, -1.0])) ** 2 * np.array([1.0, 4.0])).sum(), [w])
    np.testing.assert_allclose(w.numpy(), [1.0, -1.0], atol=0.12)


def test_two_variables_of_equal_value_have_separate_slots() -> None:
    opt = ak.optim.Adam(0.1)
    variables = [ak.Variable(0.0) for _ in range(3)]
    for k, v in enumerate(variables):
        for _ in range(k + 1):
            opt.apply_gradients([(1.0, v)])
    assert [opt.get_slot(v, "t").tolist() for v in variables] == [1, 2, 3]


def test_b43_three_ways_to_stay_above_zero() -> None:
    """A projection is feasible at each step and exact at the bound; a penalty is neither; reparametrization is both."""
    goal = np.array([1.0, -2.0, 3.0])

    def trained(make: Any, penalty: float = 0.0, constraint: Any = None) -> tuple[Any, float]:
        w, opt, least = ak.Variable([1.0, 1.0, 1.0], constraint=constraint), ak.optim.SGD(0.05), np.inf
        for _ in range(600):
            opt.minimize(lambda: ((make(w) - goal) ** 2).sum() + penalty * (ak.minimum(make(w), 0.0) ** 2).sum(), [w])
            least = min(least, float(np.asarray(make(w)).min()))
        return np.asarray(make(w)), least

    projected, lowest = trained(lambda w: w, constraint=lambda v: np.maximum(v, 0.0))
    np.testing.assert_allclose(projected, [1.0, 0.0, 3.0], atol=1e-12)
    assert lowest == projected[1] == 0.0
    punished, lowest = trained(lambda w: w, penalty=9.0)
    assert punished[1] == lowest == pytest.approx(-0.2)  # where 2(w + 2) + 18 w = 0
    squared, lowest = trained(lambda w: w * w)
    np.testing.assert_allclose(squared, [1.0, 0.0, 3.0], atol=1e-9)
    assert lowest >= 0.0


def test_b41_four_remedies_side_by_side() -> None:
    """Elements 1 and 2 stay at their value after step 1; 0 and 3 take Adam's step 2, to the last bit, in all four."""
    whole, opt = ak.Variable(np.zeros(4)), ak.optim.Adam(0.1)
    run(opt, whole, [G1, G2])
    found = {remedy: _second_step(remedy)[1] for remedy in ("zero the slots", "save and restore", "freeze")}
    parts, apart = [ak.Variable(np.zeros(2)), ak.Variable(np.zeros(2))], ak.optim.Adam(0.1)
    apart.apply_gradients([(G1[[0, 3]], parts[0]), (G1[[1, 2]], parts[1])])
    stays = parts[1].numpy().copy()
    apart.apply_gradients([(G2[[0, 3]], parts[0])])
    found["a subset"] = np.array([parts[0].numpy()[0], *parts[1].numpy(), parts[0].numpy()[1]])
    assert stays.tobytes() == parts[1].numpy().tobytes()
    expected = np.where(
        [True, False, False, True], whole.numpy(), run(ak.optim.Adam(0.1), ak.Variable(np.zeros(4)), [G1])[0]
    )
    for remedy, value in found.items():
        assert value.tobytes() == expected.tobytes(), remedy


@every_optimizer
def test_steps_do_not_change_values_with_other_references(make: Any) -> None:
    """Steps write in place, but never into an array that a tensor, an array, a view or a tape still refers to."""
    w, opt = ak.Variable(np.ones((3, 2))), make()
    pair = [(np.full((3, 2), 0.5), w)]
    opt.apply_gradients(pair)
    with ak.GradientTape(persistent=True) as tape:
        loss = (w * w).sum()
    read, array, view = w.read_value(), w.numpy(), w.numpy()[1:, 0]
    slots = {name: opt.get_slot(w, name) for name in opt.slot_names()}
    state, update = opt.state_dict(), opt.last_update(w)
    kept = [x.copy() for x in (read.numpy(), array, view, *slots.values(), update)]
    for _ in range(3):
        opt.apply_gradients(pair)
    assert (w.numpy() != array).all()
    for before, now in zip(kept, (read.numpy(), array, view, *slots.values(), update), strict=True):
        assert before.tobytes() == now.tobytes()
    assert tape.gradient(loss, w).tolist() == (2.0 * array).tolist()
    assert all(state["slots"]["variable 0"][name].tobytes() == x.tobytes() for name, x in slots.items())


@every_optimizer
def test_a_value_without_other_references_is_updated_in_place(make: Any) -> None:
    w, opt, g = ak.Variable(np.ones(7)), make(), ak.constant(np.arange(7.0))
    opt.apply_gradients([(g, w)])
    place = w._value.ctypes.data
    opt.apply_gradients([(g, w)])
    assert w._value.ctypes.data == place
    held = w.numpy()
    opt.apply_gradients([(g, w)])
    assert (held[1:] != w.numpy()[1:]).all()


def test_an_update_may_be_a_tensor() -> None:
    class Plain(ak.optim.Optimizer):
        def _initial_slots(self, like: Any) -> Any:
            return {}

        def _update(self, w: Any, g: Any, slots: Any) -> Any:
            return ak.constant(g) * -self.learning_rate

    w, opt = ak.Variable([1.0, 2.0]), Plain(0.5)
    for _ in range(2):
        opt.apply_gradients([(ak.constant([1.0, 2.0]), w)])
    held = w.numpy()
    opt.apply_gradients([(ak.constant([1.0, 2.0]), w)])
    assert (held.tolist(), w.numpy().tolist()) == ([0.0, 0.0], [-0.5, -1.0])


@every_optimizer
def test_a_gradient_is_never_written_to(make: Any) -> None:
    g = np.full((3, 2), 0.5)
    w, opt = ak.Variable(np.ones((3, 2))), make()
    closed = g.copy()
    closed.flags.writeable = False
    for given in (g, closed, g[::-1], np.asfortranarray(g), ak.constant(g)):
        opt.apply_gradients([(given, w)])
    assert (g == 0.5).all()
    assert (closed == 0.5).all()
    opt.apply_gradients([(w, w)])  # its own value as gradient
    assert np.isfinite(w.numpy()).all()


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
@every_optimizer
def test_slots_do_not_decay_to_subnormal_numbers(
    make: Any, dtype: str, loops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3,000 steps at zero gradients: means and momenta become 0 instead of subnormal."""
    if loops:
        pytest.importorskip("numba")
        from autodiff_kit.kernels.eager_loops import LOOPS
    monkeypatch.setattr(kernels, "_loops", LOOPS if loops else {})
    tiny, opt = np.finfo(dtype).tiny, make()
    w = ak.Variable(np.ones((2, 50)), dtype=dtype)
    start = np.logspace(-44 if dtype == "float32" else -300, 2, 100).reshape(2, 50).astype(dtype)
    denormal = 0
    with np.errstate(all="ignore"):
        for step in range(3000):
            opt.apply_gradients([(start if step == 0 else np.zeros_like(start), w)])
            for name in opt.slot_names():
                slot = np.abs(opt.get_slot(w, name)) if name != "t" and step % 50 == 0 else np.zeros(1)
                denormal += int(np.sum((slot > 0) & (slot < tiny)))
    assert denormal == 0
    for name in set(opt.slot_names()) & {"m", "momentum"}:
        assert (opt.get_slot(w, name) < np.abs(start) + tiny).all()


def test_weight_decay_may_change_under_way() -> None:
    found = []
    for decays in ((0.0, 0.1), (0.1, 0.0)):
        w, opt = ak.Variable(np.ones(4)), ak.optim.AdamW(0.1, weight_decay=decays[0])
        opt.apply_gradients([(np.zeros(4), w)])
        opt.weight_decay = decays[1]
        opt.apply_gradients([(np.zeros(4), w)])
        found.append(w.numpy()[0])
    np.testing.assert_allclose(found, [0.99, 0.99], rtol=1e-15)


def test_constraints_that_do_not_fit() -> None:
    def in_place(value: Any) -> Any:
        return np.maximum(value, 0.0, out=value)

    def broken(_: Any) -> Any:
        raise ZeroDivisionError

    for constraint, error, words in (
        (broken, ZeroDivisionError, "^$"),
        (lambda v: v[:1], ShapeError, r"returned shape \(1,\) for a variable of shape \(2,\)"),
        (lambda v: "x", DtypeError, "the result of a constraint must hold real numbers"),
        (in_place, ValueError, "read-only"),
    ):
        w = ak.Variable([1.0, 2.0], constraint=constraint)
        with pytest.raises(error, match=words):
            ak.optim.Adam(0.1).apply_gradients([([1.0, 1.0], w)])


@every_optimizer
@pytest.mark.parametrize("loops", [False, True])
def test_the_update_of_a_projected_step(make: Any, loops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The complete update, from the value before to the value on the bound; also for rows and for numbers."""
    if loops:
        pytest.importorskip("numba")
        from autodiff_kit.kernels.eager_loops import LOOPS
    monkeypatch.setattr(kernels, "_loops", LOOPS if loops else {})
    opt, rng = make(), np.random.default_rng(0)
    w, b = (ak.Variable(v, constraint=lambda x: np.maximum(x, 0.5)) for v in (rng.uniform(0.4, 1, (6, 2)), 0.6))
    for _ in range(5):
        g, rows = rng.normal(size=(6, 2)), ak.RowGradient([1, 4], rng.normal(size=(2, 2)), (6, 2))
        for given in (g, rows):
            before = w.numpy().copy(), float(b)
            opt.apply_gradients([(given, w), (g[0, 0], b)])
            np.testing.assert_allclose(opt.last_update(w), w.numpy() - before[0], atol=1e-15)
            np.testing.assert_allclose(opt.last_update(b), float(b) - before[1], atol=1e-15)
    assert w.numpy().min() == 0.5


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("gradient", [-np.inf, -3e4, 3.0])
def test_the_update_of_a_step_far_beyond_the_bound(dtype: str, gradient: float) -> None:
    """Its digits are not lost beside the long step, which was added and taken away again."""
    for make in (lambda: ak.optim.SGD(1.0), lambda: ak.optim.SGD(1.0, momentum=0.5)):
        w, opt = ak.Variable([0.3, 0.1], dtype=dtype, constraint=lambda x: np.clip(x, -0.5, 0.5)), make()
        before = w.numpy().copy()
        opt.apply_gradients([(np.array([gradient, 1e-4], dtype), w)])
        np.testing.assert_array_equal(opt.last_update(w)[:1], (w.numpy() - before)[:1])
        np.testing.assert_array_equal(opt.last_update(w)[1:], np.array([-1e-4], dtype))


ODD: list[Any] = [
    None,
    3,
    "text",
    [],
    [1, 2],
    {},
    object(),
    np.ones(2),
    [[1, [2]]],
    ak.constant(1.0),
    1j,
    np.array("a"),
]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_only_errors_of_the_kit_are_raised(odd: Any) -> None:
    w, opt = ak.Variable([1.0, 2.0, 3.0]), ak.optim.Adam(0.1)
    calls: list[Callable[[], Any]] = [
        lambda: opt.apply_gradients(odd),
        lambda: opt.apply_gradients([(odd, w)]),
        lambda: opt.apply_gradients([(1.0, odd)]),
        lambda: opt.minimize(lambda: (w * w).sum(), odd),
        lambda: opt.minimize(lambda: odd, [w]),
        lambda: opt.set_slot(w, "m", odd),
        lambda: opt.get_slot(odd, "m"),
        lambda: opt.frozen(odd).__enter__(),
        lambda: opt.frozen({w: odd}).__enter__(),
        lambda: opt.load_state_dict(odd),
        lambda: ak.optim.Adam(odd),
        lambda: ak.optim.SGD(0.1, momentum=odd),
        lambda: ak.optim.RMSProp(decay=odd, learning_rate=0.1),
    ]
    for call in calls:
        try:
            call()
        except AutodiffError:
            continue
    assert w.tolist() == [1.0, 2.0, 3.0]
    opt.apply_gradients([(np.ones(3), w)])
