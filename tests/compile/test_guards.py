"""Guards: whatever a function depends on may change, and the result is never a stale one."""

from __future__ import annotations

import array as arrays
import collections
import contextvars
import ctypes
import functools
import importlib
import os
import sys
import types
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ConcretizationError, StructureError

from .python_kernels import build

SCALE = 2.0
TABLE = {"a": 1.0, "deep": [1.0, {"b": 3.0}]}


def helper(x: Any) -> Any:
    return x * SCALE


def calls_helper(x: Any) -> Any:
    return helper(x) + TABLE["deep"][1]["b"]


def ask(compiled: Any, *args: Any) -> Any:
    """The result of three calls: traced, as NumPy calls, in kernels; all equal."""
    first = np.asarray(compiled(*args))
    again = np.asarray(compiled(*args))
    build(compiled)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(np.asarray(compiled(*args)), first, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(compiled(*args)), first, rtol=1e-12)
    return first


X = ak.constant(np.linspace(0.1, 1.0, 7))


def test_globals_of_functions_that_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ak.compile(calls_helper)
    np.testing.assert_allclose(ask(compiled, X), 2.0 * X.numpy() + 3.0)
    monkeypatch.setattr(f"{__name__}.SCALE", 5.0)
    np.testing.assert_allclose(ask(compiled, X), 5.0 * X.numpy() + 3.0)
    monkeypatch.setitem(TABLE["deep"][1], "b", 4.0)  # type: ignore[index,arg-type]
    np.testing.assert_allclose(ask(compiled, X), 5.0 * X.numpy() + 4.0)
    monkeypatch.setattr(f"{__name__}.helper", lambda x: x)
    np.testing.assert_allclose(ask(compiled, X), X.numpy() + 4.0)
    assert compiled.trace_count == 4


def test_a_value_that_returns_needs_no_new_trace() -> None:
    box = SimpleNamespace(power=2)
    compiled = ak.compile(lambda x: x**box.power)
    for power in (2, 3, 2, 3):
        box.power = power
        np.testing.assert_allclose(ask(compiled, X), X.numpy() ** power)
    assert compiled.trace_count == 2


@pytest.mark.parametrize("wrap", [lambda f: f, ak.grad, lambda f: lambda x: ak.jvp(f, (x,), (x,))[1]])
def test_closures_under_transforms(wrap: Any) -> None:
    factor = 2.0

    def f(x: Any) -> Any:
        return ak.sum(x * x * factor)

    compiled = ak.compile(wrap(f))
    two = ask(compiled, X)
    factor = 6.0
    np.testing.assert_allclose(ask(compiled, X), 3.0 * two)


def test_arrays_that_are_written_to() -> None:
    table = np.ones(7)
    compiled = ak.compile(lambda x: x + table)
    ask(compiled, X)
    table[3] = 10.0
    np.testing.assert_allclose(ask(compiled, X), X.numpy() + table)
    view = table[:]
    compiled = ak.compile(lambda x: x * ak.constant(view))
    ask(compiled, X)
    table[0] = -4.0  # written through its base array
    np.testing.assert_allclose(ask(compiled, X), X.numpy() * table)


def test_attributes_lists_defaults_partials_methods_and_classes() -> None:
    class Model:
        bias = 1.0

        def __init__(self) -> None:
            self.layers = [2.0, 3.0]

        def __call__(self, x: Any, shift: float = 0.5) -> Any:
            for factor in self.layers:
                x = x * factor
            return x + self.bias + shift

    model = Model()
    for compiled in (ak.compile(model), ak.compile(functools.partial(model, shift=0.5)), ak.compile(model.__call__)):
        model.layers, Model.bias = [2.0, 3.0], 1.0
        np.testing.assert_allclose(ask(compiled, X), 6.0 * X.numpy() + 1.5)
        model.layers.append(2.0)
        np.testing.assert_allclose(ask(compiled, X), 12.0 * X.numpy() + 1.5)
        model.layers[0] = 1.0
        np.testing.assert_allclose(ask(compiled, X), 6.0 * X.numpy() + 1.5)
        Model.bias = 2.0
        np.testing.assert_allclose(ask(compiled, X), 6.0 * X.numpy() + 2.5)


def test_attributes_that_no_code_names_may_change() -> None:
    class Data:
        def __init__(self) -> None:
            self.factor, self.table, self.seen = 2.0, np.ones(7), 0

        def scaled(self, x: Any) -> Any:
            return x * self.factor

    data = Data()

    def matched(x: Any) -> Any:
        match data:
            case Data(table=t):
                return x + t
        return x

    named, by_pattern = ak.compile(lambda x: data.scaled(x)), ak.compile(matched)
    by_all = ak.compile(lambda x: x * sum(v for v in vars(data).values() if type(v) is float))
    for factor, seen in ((2.0, 0), (2.0, 1), (3.0, 2)):
        data.factor, data.seen = factor, seen
        data.table[2] = factor
        np.testing.assert_allclose(ask(named, X), factor * X.numpy())
        np.testing.assert_allclose(ask(by_pattern, X), X.numpy() + data.table)
        np.testing.assert_allclose(ask(by_all, X), factor * X.numpy())
    assert named.trace_count == 2


def test_arguments() -> None:
    compiled = ak.compile(lambda x, times=1, name="a": ak.sum(x) * times + len(name))
    assert float(compiled(X)) == pytest.approx(X.numpy().sum() + 1)
    assert float(compiled(X, 3)) == pytest.approx(3 * X.numpy().sum() + 1)
    assert float(compiled(X, times=3, name="abc")) == pytest.approx(3 * X.numpy().sum() + 3)
    assert compiled.trace_count == 3
    for value in (ak.constant(np.ones((2, 3))), ak.constant(np.ones(7, np.float32)), np.ones(7), 2.0, np.float32(2)):
        expected = compiled.function(value)
        assert compiled(value).dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(compiled(value)), np.asarray(expected))
    assert compiled.trace_count == 8


def test_the_same_tensor_twice_is_one() -> None:
    def f(a: Any, b: Any) -> Any:
        with ak.GradientTape() as tape:
            tape.watch([a, b])
            y = ak.sum(a * b)
        return tape.gradient(y, a)

    compiled, other = ak.compile(f), ak.constant(3.0 * X.numpy())
    np.testing.assert_allclose(ask(compiled, X, X), 2.0 * X.numpy())
    np.testing.assert_allclose(ask(compiled, X, other), 3.0 * X.numpy())
    np.testing.assert_allclose(ask(compiled, X, X), 2.0 * X.numpy())


def test_variables_may_be_assigned_and_frozen() -> None:
    w = ak.Variable(np.ones(7))
    compiled = ak.compile(ak.grad(lambda x: ak.sum(x * w * w)))
    np.testing.assert_allclose(ask(compiled, X), 1.0)
    w.assign(2.0 * np.ones(7))
    np.testing.assert_allclose(ask(compiled, X), 4.0)
    assert compiled.trace_count == 1

    def slope(x: Any) -> Any:
        with ak.GradientTape() as tape:
            y = ak.sum(x * w)
        found = tape.gradient(y, w)
        return x * 0.0 if found is None else found

    compiled = ak.compile(slope)
    np.testing.assert_allclose(ask(compiled, X), X.numpy())
    w.trainable = False
    np.testing.assert_allclose(ask(compiled, X), 0.0)


def test_inside_a_tape_a_recording_and_an_override_it_just_runs() -> None:
    compiled = ak.compile(lambda x: ak.sum(ak.floor(x) * x))
    ask(compiled, X)
    with ak.GradientTape() as tape:
        tape.watch(X)
        y = compiled(X * 3.0)
    np.testing.assert_allclose(tape.gradient(y, X).numpy(), 3.0 * np.floor(3.0 * X.numpy()))
    outer = ak.compile(lambda x: compiled(x * 3.0) * 2.0)
    assert float(ask(outer, X)) == pytest.approx(2.0 * float(y))
    slope = ak.compile(ak.grad(compiled))
    plain = ask(slope, X)
    with ak.gradient_override_map({"Floor": "Identity"}):
        assert not np.allclose(slope(X).numpy(), plain)
    np.testing.assert_allclose(ask(slope, X), plain)


@pytest.mark.parametrize(
    "ask_for",
    [
        bool, float, int, lambda x: x.numpy(), np.asarray, lambda x: x.item(), lambda x: x.tolist(), list,
        lambda x: [1, 2][x], lambda x: np.nonzero(x), lambda x: x[x > 0], lambda x: ak.constant(1.0) if x > 0 else x,
    ],
)  # fmt: skip
def test_using_concrete_values_is_an_error_with_advice(ask_for: Any) -> None:
    compiled = ak.compile(lambda x: (ask_for(ak.sum(x)), x)[1])
    with pytest.raises((ConcretizationError, ak.AutodiffError), match="ak.where|without axes|index"):
        compiled(X)
    assert float(ak.sum(X)) > 0  # and no state is left behind


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (ak.relax.soft_step, "temperature"), (lambda x, n: ak.relax.filtered_floor(x, n * n), "width"),
        (lambda x, n: ak.relax.fake_quant(x, n, 9.0), "min and max"),
        (lambda x, n: ak.nn.huber(x, X, n), "huber: delta"), (ak.nn.dropout, "dropout: rate"),
        (lambda x, n: ak.optim.clip_by_global_norm([x], n)[1], "max_norm"),
    ],
)  # fmt: skip
def test_a_parameter_that_has_no_number_yet_is_named(f: Any, name: str) -> None:
    """It is no fault of what was given: 0.5 is a number, only not while the function is traced."""
    with pytest.raises(ConcretizationError, match=f"^{name} must be a number already.*from outside"):
        ak.compile(f)(X, 0.5)


def test_steps_of_a_staircase_are_asked_for() -> None:
    with pytest.raises(ConcretizationError, match=r"Give steps=\(first, last\)"):
        ak.compile(lambda x: ak.relax.soft_floor(x, 0.1))(X)
    stairs = ak.compile(lambda x: ak.relax.soft_floor(x, 0.1, steps=(-4, 4)))
    np.testing.assert_allclose(stairs(X).numpy(), ak.relax.soft_floor(X, 0.1, steps=(-4, 4)).numpy())


def test_a_symbolic_value_that_was_kept_is_an_error() -> None:
    kept = []
    compiled = ak.compile(lambda x: (kept.append(x * 2.0), x)[1])
    compiled(X)
    with pytest.raises(ConcretizationError):
        kept[0].numpy()
    with pytest.raises(ConcretizationError, match="ended"):
        kept[0] + 1.0


def test_an_error_leaves_everything_as_it_was() -> None:
    w, optimizer = ak.Variable(np.ones(3)), ak.optim.Adam(0.1)

    def step(fail: bool) -> Any:
        loss = optimizer.minimize(lambda: ak.sum(w * w), [w])
        if fail:
            raise KeyError("mine")
        return loss

    compiled = ak.compile(step)
    with pytest.raises(KeyError, match="mine"):
        compiled(True)
    np.testing.assert_array_equal(w.numpy(), 1.0)
    assert float(compiled(False)) == 3.0
    assert int(optimizer.get_slot(w, "t")) == 1


def test_variables_of_one_optimizer_may_have_made_different_numbers_of_steps() -> None:
    def trained(compiles: bool) -> list[Any]:
        a, b, optimizer = ak.Variable(np.ones(3)), ak.Variable(np.full(3, 2.0)), ak.optim.Adam(0.1)

        def step() -> Any:
            return optimizer.minimize(lambda: ak.sum(a * a * b * b), [a, b])

        run = ak.compile(step) if compiles else step
        run()
        optimizer.apply_gradients([(np.ones(3), a)])  # of one variable alone, between two compiled steps
        run()
        if compiles:
            build(run)
            assert run.trace_count == 2
        run()
        return [a.numpy(), b.numpy(), optimizer.get_slot(a, "t"), optimizer.get_slot(b, "t")]

    for found, expected in zip(trained(True), trained(False), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_shapes_that_do_not_fit() -> None:
    compiled = ak.compile(lambda a, b: a + b)
    with pytest.raises(ak.errors.ShapeError):
        compiled(ak.constant(np.ones(3)), np.ones(4))
    with pytest.raises(ak.errors.DtypeError):
        ak.compile(3)  # type: ignore[arg-type]


def test_arrays_that_hold_no_numbers() -> None:
    """Refused before anything is traced, also where a plan for another dtype exists."""
    compiled = ak.compile(lambda x: x * 2.0)
    compiled(np.ones(2))
    for array in (np.array([1.0, None]), np.array(["a", "b"])):
        with pytest.raises(ak.errors.DtypeError, match="not a number or an array of numbers"):
            compiled(array)


def test_labels_are_checked_at_each_call() -> None:
    compiled = ak.compile(lambda logits, labels: ak.nn.sparse_softmax_cross_entropy(labels, logits))
    logits = ak.constant(np.random.default_rng(0).standard_normal((4, 3)))
    for labels in (np.array([0, 1, 2, 0]), np.array([2, 2, 1, 1])):
        np.testing.assert_allclose(
            np.asarray(compiled(logits, labels)), np.asarray(compiled.function(logits, labels)), rtol=1e-12
        )
        build(compiled)
    with pytest.raises(ak.errors.LabelError):
        compiled(logits, np.array([0, 1, 3, 0]))
    assert compiled.trace_count == 1


def test_too_many_objects_to_guard() -> None:
    many = [[k] for k in range(30_000)]
    with pytest.raises(StructureError, match="refers to more"):
        ak.compile(lambda x: x * len(many))(X)


def test_a_cell_that_was_emptied_is_a_change() -> None:
    factor = 2.0

    def scaled(x: Any) -> Any:
        return factor * x  # noqa: F821 - deleted below

    compiled = ak.compile(scaled)
    assert float(compiled(3.0)) == 6.0
    build(compiled)
    assert [float(compiled(3.0)) for _ in range(2)] == [6.0, 6.0]
    del factor
    with pytest.raises(NameError, match="factor"):
        compiled(3.0)


class _Numbers(list[float]):
    factor = 1.0


class _Table(dict[str, float]):
    factor = 1.0


class _Node:
    value = 2.0


HELD: contextvars.ContextVar[float] = contextvars.ContextVar("HELD")


def _attribute_of_a_function() -> tuple[Any, Any]:
    def f(x: Any) -> Any:
        return x * f.k  # type: ignore[attr-defined]

    f.k = 2.0  # type: ignore[attr-defined]
    return f, lambda: setattr(f, "k", 5.0)


def _deque() -> tuple[Any, Any]:
    q = collections.deque([2.0, 3.0])
    return lambda x: x * q[0] + len(q), lambda: q.appendleft(5.0)


def _entry_of_a_deque() -> tuple[Any, Any]:
    q = collections.deque([2.0, [3.0]])
    return lambda x: x * q[1][0], lambda: q[1].__setitem__(0, 4.0)


def _array() -> tuple[Any, Any]:
    a = arrays.array("d", [2.0, 3.0])
    return lambda x: x * a[0], lambda: a.__setitem__(0, 5.0)


def _bytearray() -> tuple[Any, Any]:
    b = bytearray(b"\x02")
    return lambda x: x * b[0], lambda: b.__setitem__(0, 5)


def _memoryview() -> tuple[Any, Any]:
    b = bytearray(b"\x02")
    shown = memoryview(b)
    return lambda x: x * shown[0], lambda: b.__setitem__(0, 5)


def _ctypes() -> tuple[Any, Any]:
    c = ctypes.c_double(2.0)
    return lambda x: x * c.value, lambda: setattr(c, "value", 5.0)


def _context_variable() -> tuple[Any, Any]:
    HELD.set(2.0)
    return lambda x: x * HELD.get(), lambda: HELD.set(5.0)


def _order_of_a_dict() -> tuple[Any, Any]:
    weights = {"a": 2.0, "b": 3.0}

    def f(x: Any) -> Any:
        for w in weights.values():
            x = x * w + 1.0
        return x

    return f, lambda: weights.update(a=weights.pop("a"))


def _view_of_a_dict() -> tuple[Any, Any]:
    weights = {"a": 2.0}
    values = weights.values()
    return lambda x: x * sum(values), lambda: weights.update(a=5.0)


def _mapping_proxy() -> tuple[Any, Any]:
    weights = {"a": 2.0}
    proxy = types.MappingProxyType(weights)
    return lambda x: x * proxy["a"], lambda: weights.update(a=5.0)


def _weak_reference() -> tuple[Any, Any]:
    node = _Node()
    ref = weakref.ref(node)
    return lambda x: x * ref().value, lambda: setattr(node, "value", 5.0)


def _attribute_of_a_list() -> tuple[Any, Any]:
    numbers = _Numbers([1.0])
    return lambda x: x * numbers.factor + numbers[0], lambda: setattr(numbers, "factor", 5.0)


def _attribute_of_a_dict() -> tuple[Any, Any]:
    table = _Table(a=1.0)
    return lambda x: x * table.factor + table["a"], lambda: setattr(table, "factor", 5.0)


def _list_in_an_array() -> tuple[Any, Any]:
    cells = np.array([[2.0], None], object)
    cells[1] = inner = [3.0]
    return lambda x: x * cells[1][0], lambda: inner.__setitem__(0, 5.0)


def _environment() -> tuple[Any, Any]:
    os.environ["AUTODIFF_KIT_TEST_SCALE"] = "2.0"
    return (
        lambda x: x * float(os.environ["AUTODIFF_KIT_TEST_SCALE"]),
        lambda: os.environ.update(AUTODIFF_KIT_TEST_SCALE="5.0"),
    )


CHANGES = [
    _attribute_of_a_function, _deque, _entry_of_a_deque, _array, _bytearray, _memoryview, _ctypes, _context_variable,
    _order_of_a_dict, _view_of_a_dict, _mapping_proxy, _weak_reference, _attribute_of_a_list, _attribute_of_a_dict,
    _list_in_an_array, _environment,
]  # fmt: skip


@pytest.mark.parametrize("make", CHANGES, ids=lambda make: make.__name__)
def test_a_change_of_state_is_noticed(make: Any) -> None:
    f, change = make()
    compiled = ak.compile(f)
    for _ in range(2):
        assert float(compiled(3.0)) == float(f(3.0))
    assert compiled.trace_count == 1
    before = float(f(3.0))
    change()
    assert float(compiled(3.0)) == float(f(3.0)) != before
    assert compiled.trace_count == 2


IMPORTS = {
    "import m": "import {m}\n    return x * {m}.k",
    "from m import": "from {m} import k\n    return x * k",
    "a module in a package": "import {m}.inner\n    return x * {m}.inner.k",
    "from a package": "from {m}.inner import k\n    return x * k",
}


@pytest.mark.parametrize("loaded", [True, False])
@pytest.mark.parametrize("how", IMPORTS)
def test_a_module_that_the_function_imports_is_compared(
    how: str, loaded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"guarded_{list(IMPORTS).index(how)}_{loaded}"
    (tmp_path / name).mkdir()
    for file in ("__init__", "inner"):
        (tmp_path / name / f"{file}.py").write_text("k = 2.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    inner = f"{name}.inner" if "inner" in IMPORTS[how] else name
    if loaded:
        importlib.import_module(inner)
    space: dict[str, Any] = {}
    exec(f"def f(x):\n    {IMPORTS[how].format(m=name)}\n", space)
    compiled = ak.compile(space["f"])
    assert float(compiled(3.0)) == float(compiled(3.0)) == 6.0
    monkeypatch.setattr(sys.modules[inner], "k", 5.0)
    assert float(compiled(3.0)) == 15.0
    assert compiled.trace_count == 2
