"""Tensors, variables and NumPy's protocols: row B14, and later writes that must not change a gradient."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.pytree import flatten, unflatten_like

A = np.array([[0.5, -1.5], [2.0, 0.25]])

NUMPY: list[tuple[str, Any, Any]] = [
    ("np.sin", np.sin, np.cos(A)),
    ("np.mean axis", lambda t: np.mean(t, axis=0), np.full((2, 2), 0.5)),
    ("np.sum keepdims", lambda t: np.sum(t, axis=1, keepdims=True), np.ones((2, 2))),
    ("t @ array", lambda t: t @ np.array([1.0, 2.0]), np.array([[1.0, 2.0], [1.0, 2.0]])),
    ("array @ t", lambda t: np.array([1.0, 2.0]) @ t, np.array([[1.0, 1.0], [2.0, 2.0]])),
    ("array * t", lambda t: A * t, A),
    ("t * array", lambda t: t * A, A),
    ("array - t", lambda t: A - t, -np.ones((2, 2))),
    ("array / t", lambda t: A / t, -1 / A),
    ("2 ** t", lambda t: 2.0**t, np.log(2) * 2**A),
    ("np.add", lambda t: np.add(A, t), np.ones((2, 2))),
    ("np.float64 * t", lambda t: np.float64(3.0) * t, np.full((2, 2), 3.0)),
    ("np.exp(np.tanh)", lambda t: np.exp(np.tanh(t)), np.exp(np.tanh(A)) * (1 - np.tanh(A) ** 2)),
    ("np.where", lambda t: np.where(A > 0, t, 0.0), (A > 0) * 1.0),
    ("np.concatenate", lambda t: np.concatenate([t, A, t]), np.full((2, 2), 2.0)),
    ("np.stack", lambda t: np.stack([t, t], axis=1), np.full((2, 2), 2.0)),
    ("np.clip", lambda t: np.clip(t, -1.0, 1.0), (np.abs(A) < 1) * 1.0),
    ("np.transpose", lambda t: np.transpose(t)[0], np.array([[1.0, 0.0], [1.0, 0.0]])),
    ("np.reshape", lambda t: np.reshape(t, (4,))[1:], np.array([[0.0, 1.0], [1.0, 1.0]])),
    ("np.prod", np.prod, np.prod(A) / A),
    ("np.max", lambda t: np.max(t, axis=1), np.array([[1.0, 0.0], [1.0, 0.0]])),
    ("np.arctan", np.arctan, 1 / (1 + A * A)),
    ("np.absolute", np.absolute, np.sign(A)),
    ("np.einsum's cousin tensordot", lambda t: np.tensordot(t, A, axes=1), np.tile(A.sum(1), (2, 1))),
    ("np.cumsum", lambda t: np.cumsum(t, axis=0), np.array([[2.0, 2.0], [1.0, 1.0]])),
    ("methods", lambda t: t.T.sum(axis=0).clip(-9, 9).reshape(2, 1).squeeze().mean(), np.full((2, 2), 0.5)),
    ("-abs(+t)", lambda t: -abs(+t), -np.sign(A)),
    ("iteration", lambda t: next(iter(t)) * 2.0, np.array([[2.0, 2.0], [0.0, 0.0]])),
    ("t % 1", lambda t: t % 1.0, np.ones((2, 2))),
]


@pytest.mark.parametrize(("f", "expected"), [n[1:] for n in NUMPY], ids=[n[0] for n in NUMPY])
@pytest.mark.parametrize("make", [ak.Variable, ak.constant], ids=["variable", "tensor"])
def test_b14_numpys_functions_record_themselves(make: Any, f: Any, expected: Any) -> None:
    """B14: the result is a tensor on the record, with NumPy's value."""
    t = make(A)
    with ak.GradientTape() as tape:
        tape.watch(t)
        y = f(t)
    assert isinstance(y, ak.Tensor)
    np.testing.assert_allclose(y.numpy(), f(A), rtol=1e-15)
    np.testing.assert_allclose(tape.gradient(y, t).numpy(), expected, rtol=1e-14, atol=1e-15)


def test_b14_only_an_explicit_conversion_leaves_the_record() -> None:
    """B14: a function that the kit does not have raises an error that says how to convert the tensor."""
    t = ak.constant([3.0, 1.0])
    for call in (lambda: np.i0(t), lambda: np.fft.fft(t), lambda: np.add.reduce(t), lambda: np.sin(t, out=np.zeros(2))):
        with pytest.raises(DtypeError, match=r"np\.asarray\(t\)"):
            call()
    assert type(np.asarray(t)) is np.ndarray
    assert np.asarray(t, dtype=np.float32).dtype == np.float32
    copy = np.array(t)
    copy[0] = 9.0
    assert t.tolist() == [3.0, 1.0]


def test_values_are_read_only() -> None:
    t, v = ak.constant([1.0, 2.0]), ak.Variable([1.0, 2.0])
    for value in (t, v, t * 2.0, ak.constant(1.0)):
        array = value.numpy()
        assert isinstance(array, np.ndarray)
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7.0
    with pytest.raises(TypeError):
        t[0] = 5.0  # type: ignore[index]


def test_writes_to_a_users_array_change_no_gradient() -> None:
    """A computed value does not change, whether the user's array was an operand, a constant or a variable."""
    a, b, c, index = np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0]), np.array([0, 1])
    w = ak.Variable(c)
    t = ak.constant(b)
    with ak.GradientTape(persistent=True) as tape:
        y = w * a * t
        z = w[index]
        s = ak.where(a > 0, w, 0.0)
    for array in (a, b, c):
        array[...] = 1000.0
    index[...] = 0
    assert tape.gradient(y, w).tolist() == [3.0, 8.0]
    assert tape.gradient(z, w).tolist() == [1.0, 1.0]
    assert tape.gradient(s, w).tolist() == [1.0, 1.0]
    assert (w.tolist(), t.tolist()) == ([5.0, 6.0], [3.0, 4.0])


def test_constants_and_variables_are_in_c_order() -> None:
    """A compiled function would copy an array in another order at each call."""
    turned = np.arange(6.0).reshape(2, 3).T
    for value in (ak.constant(turned), ak.Variable(turned), ak.Variable(np.zeros((3, 2))).assign(turned)):
        assert value._value.flags.c_contiguous
        np.testing.assert_array_equal(value.numpy(), turned)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("number", [0, 0.0, -0.0, 1, -3, 0.1, 1e-40, 1e40, 10**20, float("inf"), float("nan")], ids=str)
def test_a_number_beside_an_array_is_rounded_as_numpy_does(number: float, dtype: str) -> None:
    """Its dtype is the array's. Twice, since some numbers are kept; signs of 0 and the gradient count, too."""
    x = np.array([[-2.0, 0.5], [0.0, 3.0]], dtype)
    for _ in range(2):
        for f in (lambda x: x * number, lambda x: number - x, lambda x: x + number):
            with np.errstate(all="ignore"):
                found, expected = f(ak.constant(x)).numpy(), f(x)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
        with np.errstate(all="ignore"):
            slope, one = ak.grad(lambda x: (x * number).sum())(x).numpy(), np.ones_like(x) * number
        np.testing.assert_array_equal(slope, one)
        np.testing.assert_array_equal(np.signbit(slope), np.signbit(one))


def test_writes_to_masks_labels_and_ids_change_no_gradient() -> None:
    """The same for arrays that are not operands."""
    x = ak.Variable([[1.0, 2.0], [3.0, 4.0]])
    mask, labels, ids = np.array([[True, False], [True, True]]), np.array([0, 1]), np.array([1, 1])

    def losses() -> list[Any]:
        return [
            ak.nn.masked_softmax(x, mask)[1, 0], ak.nn.sparse_softmax_cross_entropy(labels, x).sum(),
            ak.nn.embedding(x, ids).sum(), ak.take(x, ids, 0)[0].sum(), x[mask].sum(),
        ]  # fmt: skip

    def gradients(spoil: bool) -> list[Any]:
        with ak.GradientTape(persistent=True) as tape:
            ys = losses()
        if spoil:
            mask[...], labels[...], ids[...] = False, 0, 0
        return [tape.gradient(y, x).tolist() for y in ys]

    clean = gradients(spoil=False)
    assert gradients(spoil=True) == clean


@pytest.mark.parametrize("shape", [(), (2,)], ids=["one number", "an array"])
def test_new_numbers_in_a_parameter_change_no_gradient(shape: tuple[int, ...]) -> None:
    """A parameter that is a variable or an array is read when the operation runs."""
    x, slope, bound = ak.Variable([-1.0, 2.0]), ak.Variable(np.full(shape, 0.5)), np.full(shape, 1.5)
    array = np.full(shape, 0.25)
    with ak.GradientTape(persistent=True) as tape:
        ys = [ak.nn.leaky_relu(x, slope), ak.nn.leaky_relu(x, array), ak.clip(x, None, bound)]
    slope.assign(np.full(shape, 0.125))
    array[...], bound[...] = 0.125, 3.0
    assert [tape.gradient(y, x).tolist() for y in ys] == [[0.5, 1.0], [0.25, 1.0], [1.0, 0.0]]


def test_a_variable_read_in_a_pause_is_watched_afterwards() -> None:
    w = ak.Variable(2.0)
    with ak.GradientTape() as tape:
        with tape.stop_recording():
            w * 2.0
        y = w * 3.0
    assert tape.gradient(y, w).tolist() == 3.0


def test_assigning_a_variable_changes_no_earlier_gradient() -> None:
    w = ak.Variable([1.0, 2.0])
    with ak.GradientTape() as tape:
        y = w * w
        w.assign([10.0, 20.0])
        z = w * 3.0
    assert tape.gradient([y, z], w).tolist() == [5.0, 7.0]


def test_tensors() -> None:
    t = ak.constant([[1, 2, 3], [4, 5, 6]], dtype="float32", name="t")
    assert (t.shape, t.dtype, t.ndim, t.size, t.T.shape, t.name, len(t)) == ((2, 3), np.float32, 2, 6, (3, 2), "t", 2)
    assert "shape=(2, 3), dtype=float32, name='t'" in repr(t)
    assert ak.constant(t).tolist() == t.tolist()
    assert ak.constant(2.5).item() == 2.5
    assert f"{ak.constant(2.5):.3f}" == "2.500"
    assert (float(ak.constant(2.5)), int(ak.constant(2.5)), bool(ak.constant(0.0))) == (2.5, 2, False)
    assert [10, 20, 30][ak.constant(1)] == 20
    assert {t: 1}[t] == 1
    with pytest.raises(DtypeError, match="no length"):
        len(ak.constant(1.0))
    with pytest.raises(DtypeError, match="integer"):
        [1, 2][ak.constant(1.0)]
    with pytest.raises(ValueError, match="ambiguous"):
        bool(t)


def test_comparisons_are_tensors() -> None:
    t = ak.constant([1.0, 2.0])
    found = [
        (t < 2).tolist(),
        (t <= 2).tolist(),
        (t > 1.5).tolist(),
        (t >= 2.0).tolist(),
        (t == 1).tolist(),
        (t != 1).tolist(),
    ]
    assert found == [[True, False], [True, True], [False, True], [False, True], [True, False], [False, True]]
    assert (~(t > 1) | (t < 0)).tolist() == [True, False]
    assert ((t > 0) & (t > 1)).tolist() == [False, True]


def test_variables() -> None:
    v = ak.Variable([1.0, 2.0], name="v", dtype="float32")
    assert (v.shape, v.dtype, v.trainable, v.name) == ((2,), np.float32, True, "v")
    assert v.assign([3.0, 4.0]) is v
    assert v.assign_add([1.0, 1.0]).assign_sub(ak.constant([0.5, 0.5])).tolist() == [3.5, 4.5]
    assert v.dtype == np.float32
    assert repr(v) == "Variable([3.5, 4.5], name='v')"
    before = v.read_value()
    v.assign([0.0, 0.0])
    assert before.tolist() == [3.5, 4.5]
    with pytest.raises(ShapeError, match=r"v has shape \(2,\), the new value \(3,\)"):
        v.assign([1.0, 2.0, 3.0])
    scalar = ak.Variable(1.0)
    scalar.assign_add(2)
    assert float(scalar) == 3.0


def test_operands_add_no_nodes() -> None:
    """A literal or an array as an operand adds no further node to the record."""
    w = ak.Variable(1.0)
    with ak.GradientTape() as tape:
        2.0 * w + np.ones(2)
    assert [(n.op, len(n.inputs)) for n in tape.nodes] == [("multiply", 1), ("add", 1)]


class WithAttributes(dict[str, Any]):
    """A dict whose entries are attributes, too."""

    def __init__(self, *args: Any, **entries: Any) -> None:
        super().__init__(*args, **entries)
        self.__dict__ = self


class Named(dict[str, Any]):
    """A dict whose constructor takes something else."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


def test_structures() -> None:
    nest = {"a": [1, (2, 3)], "b": 4}
    assert flatten(nest) == [1, 2, 3, 4]
    assert unflatten_like(nest, [5, 6, 7, 8]) == {"a": [5, (6, 7)], "b": 8}
    counted, filled = Counter(a=1, b=2), unflatten_like(Counter(a=1, b=2), [5, 6])
    assert (type(filled), filled, counted) == (Counter, Counter(a=5, b=6), Counter(a=1, b=2))
    lists = unflatten_like(defaultdict(list, a=1), [5])
    assert (dict(lists), lists["new"]) == ({"a": 5}, [])
    assert unflatten_like(WithAttributes(w=1, b=2), [5, 6]).w == 5
    weights = Named("layer")
    weights["w"] = 2.0
    slope = ak.grad(lambda p: p["w"] * 3.0)(weights)
    assert (type(slope), slope.name, dict(slope), dict(weights)) == (Named, "layer", {"w": 3.0}, {"w": 2.0})
    with pytest.raises(StructureError, match="fewer"):
        unflatten_like(nest, [1])
    with pytest.raises(StructureError, match="5 leaves were given for a structure of 4"):
        unflatten_like(nest, [1, 2, 3, 4, 5])


def test_integer_arguments_have_no_derivative() -> None:
    with pytest.raises(DtypeError, match=r"5\.0 instead of 5"):
        ak.grad(lambda x: x * x)(3)
    with pytest.raises(StructureError, match=r"shape \(2,\)"):
        ak.grad(lambda x: x * x)([1.0, 2.0])
    with pytest.raises(DtypeError, match="nothing can be differentiated"):
        ak.grad(lambda x: float(x))(3.0)
    with pytest.raises(StructureError, match="argnums names argument 2"):
        ak.grad(lambda x: x, argnums=2)(3.0)


def test_functions_of_nests_and_several_arguments() -> None:
    def f(params: Any, x: Any, scale: float = 1.0) -> Any:
        return ak.sum((params["w"] @ x + params["b"]) ** 2) * scale

    params = {"w": np.array([[1.0, 2.0]]), "b": np.array([0.5])}
    value, (dp, dx) = ak.value_and_grad(f, argnums=(0, 1))(params, np.array([1.0, 1.0]), scale=2.0)
    assert float(value) == 24.5
    assert (dp["w"].tolist(), dp["b"].tolist(), dx.tolist()) == ([[14.0, 14.0]], [14.0], [14.0, 28.0])
    assert ak.grad(f, argnums=-1)(params, np.array([1.0, 1.0])).tolist() == [7.0, 14.0]
    value, pullback = ak.vjp(lambda a, b: {"p": a * b, "q": [a]}, [1.0, 2.0], [3.0, 4.0])
    da, db = pullback({"p": ak.constant([1.0, 0.0]), "q": [ak.constant([0.0, 5.0])]})
    assert (da.tolist(), db.tolist()) == ([3.0, 5.0], [1.0, 0.0])
    assert pullback({"p": ak.constant([1.0, 0.0]), "q": [ak.constant([0.0, 5.0])]})[1].tolist() == [1.0, 0.0]
    assert ak.jacobian(lambda a, b: a * b, argnums=(0, 1))([1.0, 2.0], 3.0)[1].tolist() == [1.0, 2.0]
    ha, hb = ak.hvp(lambda a, b: (a * a * b).sum(), ([1.0, 2.0], 3.0), ([1.0, 0.0], 1.0))
    assert (ha.tolist(), float(hb)) == ([8.0, 4.0], 2.0)


def test_a_function_of_functions_does_not_mark_its_arguments() -> None:
    """grad watches copies: an outer tape sees only what it watches itself."""
    x, w = ak.constant([1.0, 2.0]), ak.Variable(3.0)
    ak.grad(lambda z: (z * z).sum())(x)
    with ak.GradientTape() as tape:
        y = ak.grad(lambda z: (z * z * w).sum())(x).sum()
    assert tape.gradient(y, x) is None
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = ak.grad(lambda z: (z * z * w).sum())(x).sum()
    dx, dw = tape.gradient(y, [x, w])
    assert (dx.tolist(), float(dw)) == ([6.0, 6.0], 6.0)
