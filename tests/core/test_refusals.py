"""What the kit refuses, because going on would give wrong numbers without a word; and what copies and pickles keep."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.errors import DtypeError
from autodiff_kit.nn.functional import log_softmax, softmax

IMAGINARY = np.array([1j])


def hooked() -> Any:
    """A gradient through a hook that returns a complex number."""
    x = ak.constant(2.0)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        y.register_hook(lambda g: g * 1j)
        z = y * 3.0
    return tape.gradient(z, x)


COMPLEX: dict[str, Callable[[], Any]] = {
    "constant": lambda: ak.constant(1j),
    "constant of complex64": lambda: ak.constant(1.0, dtype="complex64"),
    "variable": lambda: ak.Variable(IMAGINARY),
    "assign": lambda: ak.Variable(1.0).assign(1j),
    "assign_add": lambda: ak.Variable([1.0]).assign_add(IMAGINARY),
    "full": lambda: ak.full((2,), 1j),
    "zeros": lambda: ak.zeros((2,), dtype=complex),
    "operand on the right": lambda: ak.constant(2.0) * 1j,
    "operand on the left": lambda: IMAGINARY * ak.constant([2.0]),
    "operand of NumPy's function": lambda: np.multiply(ak.constant(1.0), 1j),
    "argument of an operation": lambda: ak.sin(np.complex64(1)),
    "item of a list": lambda: ak.stack([ak.constant(1.0), 1j]),
    "operand of einsum": lambda: ak.einsum("i,i", ak.constant([1.0]), IMAGINARY),
    "argument of grad": lambda: ak.grad(ak.sum)(IMAGINARY),
    "inside grad": lambda: ak.grad(lambda x: ak.abs(x * 1j))(2.0),
    "inside jvp": lambda: ak.jvp(lambda x: ak.abs(x * 1j), (2.0,), (1.0,)),
    "tangent": lambda: ak.jvp(ak.sin, (1.0,), (1j,)),
    "cotangent": lambda: ak.vjp(lambda x: x * 2.0, 3.0)[1](1j),
    "hook": hooked,
    "rule of custom_gradient": lambda: ak.grad(ak.custom_gradient(lambda x: (x * 1.0, lambda g: g * 1j)))(1.0),
    "value of custom_gradient": lambda: ak.grad(ak.custom_gradient(lambda x: (1j, lambda g: g)))(1.0),
    "gradient of an optimizer": lambda: ak.optim.SGD(0.1).apply_gradients([(IMAGINARY, ak.Variable([1.0]))]),
    "compiled: argument": lambda: ak.compile(lambda x: x)(IMAGINARY),
    "compiled: constant": lambda: ak.compile(lambda x: ak.abs(x * 1j))(2.0),
    "compiled: closure": lambda: ak.compile(lambda x: ak.sum(x * IMAGINARY))(np.ones(1)),
}


@pytest.mark.parametrize("call", COMPLEX.values(), ids=COMPLEX.keys())
def test_complex_numbers_are_refused_at_the_first_one(call: Callable[[], Any]) -> None:
    with pytest.raises(DtypeError, match="real numbers|float"):
        call()


def test_a_function_is_found_by_what_it_is_and_not_by_its_name() -> None:
    """A ufunc of the user's may be called square, and np.emath.sqrt is not np.sqrt."""
    square = np.frompyfunc(lambda a: 3 * a, 1, 1)
    assert square.__name__ != np.square.__name__  # NumPy names these itself; other makers of ufuncs take the function's
    with pytest.raises(DtypeError, match="no derivative in the kit"):
        square(ak.constant(2.0))
    with pytest.raises(DtypeError, match=r"scimath\.sqrt has no derivative"):
        np.emath.sqrt(ak.constant(-4.0))
    assert float(np.concat([ak.constant([1.0]), ak.constant([2.0])])[1]) == float(np.linalg.norm(ak.constant([2.0])))


@pytest.mark.parametrize(
    "function", [np.median, np.nansum, np.trapezoid, np.average, np.cov, np.ptp, np.signbit], ids=lambda f: f.__name__
)
def test_a_function_of_numpys_without_an_operation_says_what_to_use_instead(function: Callable[..., Any]) -> None:
    with pytest.raises(DtypeError, match=rf"np\.{function.__name__} has no derivative in the kit.*np\.asarray"):
        function(ak.constant([[1.0, 2.0], [3.0, 5.0]]))


def test_a_ufunc_of_another_library_is_named_by_its_library() -> None:
    numba = pytest.importorskip("numba")

    @numba.vectorize
    def square(a: float) -> float:
        return 3.0 * a

    with pytest.raises(DtypeError, match=r"square has no derivative in the kit"):
        square(ak.constant(2.0))
    assert float(ak.compile(lambda x: square(x) + 1.0)(2.0)) == 7.0  # plain numbers: as NumPy would run it


def test_writing_into_an_array_is_refused() -> None:
    t = ak.constant([1.0, 2.0])
    with pytest.raises(DtypeError, match="in place of y"):
        total = np.zeros(2)
        total += t
    with pytest.raises(DtypeError, match=r"t = t\.at\[...\]\.set\(value\)"):
        t[0] = 5.0


@pytest.mark.parametrize("change", [lambda v: v.assign([1.9, 2.9]), lambda v: v.assign_add([0.5, 0.5])])
def test_an_integer_variable_does_not_truncate(change: Callable[[Any], Any]) -> None:
    v = ak.Variable([1, 2])
    with pytest.raises(DtypeError, match="floating-point numbers"):
        change(v)
    assert v.numpy().tolist() == [1, 2]
    assert v.assign([3.0, 4.0]).numpy().tolist() == [3, 4]  # whole numbers fit


def test_what_is_no_number_is_unlike_every_entry() -> None:
    t = ak.constant([1.0, 2.0])
    for other in (None, "a"):
        assert (t == other).numpy().tolist() == [False, False]
        assert (t != other).numpy().tolist() == [True, True]


def test_round_is_pythons_name_for_ak_round() -> None:
    assert float(round(ak.constant(2.5))) == 2.0
    assert round(ak.constant([1.234, 5.678]), 1).numpy().tolist() == [1.2, 5.7]


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_a_softmax_without_entries_has_none(function: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    assert function(np.zeros(shape)).shape == shape
    assert ak.grad(lambda x: ak.sum(function(x)))(np.zeros(shape)).shape == shape


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_copied_optimizer_knows_its_copied_variable(copied: Callable[[Any], Any], compiled: bool) -> None:
    if compiled and kernels.enabled():
        kernels.compile_all_loops()
    w, still = ak.Variable([1.0, 2.0]), ak.Variable(3.0)
    adam = ak.optim.Adam(0.1)
    adam.apply_gradients([([1.0, -1.0], w), (1.0, still)])
    twin, twin_still, twin_adam = copied((w, still, adam))
    assert twin_adam.last_update(twin).tolist() == adam.last_update(w).tolist()
    for variable, optimizer in ((w, adam), (twin, twin_adam)):
        optimizer.apply_gradients([([1.0, 2.0], variable)])
    assert twin.numpy().tolist() == w.numpy().tolist()
    assert twin_adam.get_slot(twin, "m").tolist() == adam.get_slot(w, "m").tolist()
    assert twin_adam.get_slot(twin_still, "v") == adam.get_slot(still, "v")
    assert twin is not w


def test_a_recorded_tensor_is_copied_as_a_number_and_pickled_without_its_record() -> None:
    x = ak.constant(1.0, name="x")
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(3000):
            y = y * 1.001
    assert copy.copy(y) is copy.deepcopy(y) is y
    again = pickle.loads(pickle.dumps([x, y]))
    assert float(again[1]) == float(y)
    assert again[0].name == "x"
    assert again[1].node is None
    assert float(tape.gradient(y, x)) == pytest.approx(1.001**3000)


def test_a_copied_compiled_function_traces_anew() -> None:
    compiled = ak.compile(lambda x: x * 2.0)
    assert float(compiled(1.0)) == 2.0
    twin = copy.deepcopy(compiled)
    assert (float(twin(4.0)), twin.trace_count, compiled.trace_count) == (8.0, 1, 1)
