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


MASKED = np.ma.array([1.0, 1e6], mask=[False, True])


def hook_that_returns(value: Any) -> Any:
    """The gradient through a hook, of a value of two entries."""
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = x * 2
        y.register_hook(lambda _: value)
        z = y * 1.0
    return tape.gradient(z, x)


NO_NUMBERS: dict[str, tuple[Callable[[], Any], str]] = {
    "None in an assignment": (lambda: ak.Variable(1.0).assign(None), "NoneType is not a number"),
    "text in an assignment": (lambda: ak.Variable([1.0, 2.0]).assign(["3", "4"]), "entries that are not numbers"),
    "None with a dtype": (lambda: ak.constant(None, "float32"), "NoneType"),
    "text with a dtype": (lambda: ak.constant(["1"], float), "not numbers"),
    "masked constant": (lambda: ak.constant(MASKED), "masked arrays"),
    "masked operand": (lambda: ak.sum(MASKED), "masked arrays"),
    "masked gradient": (lambda: ak.optim.SGD(0.1).apply_gradients([(MASKED, ak.Variable([1.0, 2.0]))]), "masked"),
    "dates from a hook": (lambda: hook_that_returns(np.array(["2020-01-01", "2020-01-02"], "M8[D]")), "datetime64"),
    "text from a hook": (lambda: hook_that_returns(["1", "2"]), "not numbers"),
    "dates from a custom gradient": (
        lambda: ak.grad(ak.custom_gradient(lambda x: (x * 1.0, lambda g: np.datetime64("2020-01-01"))))(1.0),
        "datetime64",
    ),
    "learning rate": (lambda: ak.optim.SGD(np.complex128(0.5 + 2j)), "learning_rate must be a number"),
    "epsilon": (lambda: ak.nn.layer_norm([1.0, 2.0], epsilon=np.complex128(1j)), "epsilon must be a number"),
    "rcond": (lambda: ak.pinv(np.eye(2), np.complex128(1j)), "rcond must be a number"),
    "complex condition": (lambda: ak.where(np.array([0, 1j]), 1.0, 2.0), "real numbers"),
    "condition of text": (lambda: ak.where("no", 1.0, 2.0), "the condition"),
    "complex argument": (lambda: ak.compile(lambda a: a * 2)(1j), "real numbers"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NO_NUMBERS)
def test_what_is_no_real_number_is_refused(name: str) -> None:
    call, said = NO_NUMBERS[name]
    with pytest.raises(ak.errors.AutodiffError, match=said):
        call()


@pytest.mark.parametrize("value", [(np.ones(2), np.ones(2)), np.ones((4, 2)), np.ones(3)], ids=["two", "more", "other"])
def test_a_hook_returns_a_gradient_of_the_same_shape(value: Any) -> None:
    with pytest.raises(ak.errors.ShapeError, match="a hook returned shape"):
        hook_that_returns(value)
    assert hook_that_returns(3.0).numpy().tolist() == [6.0, 6.0]  # one number for all entries


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_tapes_are_not_copied(copied: Callable[[Any], Any]) -> None:
    """A copy would have no path to the values of the original: its gradients would be None."""
    x = ak.Variable([1.0, 2.0])
    with ak.GradientTape(persistent=True) as tape, ak.ForwardAccumulator(x, [1.0, 0.0]) as accumulator:
        y = x * 2
    for recording in (tape, accumulator):
        with pytest.raises(ak.errors.TapeError, match="cannot be copied or pickled"):
            copied(recording)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda u: u.at[0].set(300),
        lambda u: u.at[0].set(-1),
        lambda u: ak.where([True], u, 300),
        lambda _: ak.full(1, 300, dtype="uint8"),
        lambda u: np.full_like(u, -1),
        lambda _: ak.full(1, np.nan, dtype=int),
        lambda _: ak.constant(300, dtype="uint8"),
        lambda _: ak.Variable([300, -1], dtype="int8"),
        lambda _: ak.where(True, 10**400, ak.constant(np.ones(1, "float32"))),
        lambda _: ak.Variable(np.array([100], "int8")).assign_add(300),
    ],
)
def test_an_integer_that_does_not_fit_its_dtype(call: Callable[[Any], Any]) -> None:
    with pytest.raises(DtypeError, match="does not fit|out of bounds|cannot hold|too large"):
        call(ak.constant(np.zeros(1, "uint8")))


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_dropout_seed_of_another_kind_of_array() -> None:
    """NumPy recurses endlessly over np.matrix."""
    kept = [ak.nn.dropout(np.ones(50), 0.5, seed=s).numpy() for s in (np.matrix([[3, 4]]), np.array([[3, 4]]))]
    assert kept[0].tolist() == kept[1].tolist()


def test_floating_dtypes_take_integers_of_any_size() -> None:
    assert float(ak.Variable(1.0).assign(10**30)) == float(ak.constant(10**30, dtype="float64")) == 1e30
