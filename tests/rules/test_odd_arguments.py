"""Operations with arguments that few programs give: dtypes, orders, exponents and axes at their edges."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import sparse, special

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, DtypeError, ShapeError, StructureError


@pytest.mark.parametrize("order", [np.int64(-1), np.int64(-2), np.float32(-2.0)])
def test_a_matrix_norm_takes_a_negative_order_of_any_type(order: Any) -> None:
    a = np.array([[1.0, 2.0], [3.0, 5.0]])
    np.testing.assert_allclose(ak.matrix_norm(a, order).numpy(), np.linalg.norm(a, order))


def test_a_custom_gradient_passes_keyword_only_arguments_on() -> None:
    @ak.custom_gradient
    def scaled(x: Any, *, by: float = 2.0) -> Any:
        return x * by, lambda g: g * by

    assert float(scaled(3.0, by=5.0)) == 15.0
    assert float(ak.grad(lambda x: scaled(x, by=5.0))(3.0)) == 5.0
    assert float(scaled(3.0)) == 6.0


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("as_arrays", [False, True])
def test_the_hessian_of_a_power_has_both_mixed_derivatives(exponent: float, as_arrays: bool) -> None:
    def power(z: Any) -> Any:
        return ak.sum(z[:1] ** z[1:]) if as_arrays else z[0] ** z[1]

    hessian = ak.hessian(power)(np.array([2.0, exponent])).numpy()
    mixed = 2.0 ** (exponent - 1.0) * (1.0 + exponent * np.log(2.0))
    np.testing.assert_allclose([hessian[0, 1], hessian[1, 0]], [mixed, mixed])
    np.testing.assert_allclose(hessian[0, 0], exponent * (exponent - 1.0) * 2.0 ** (exponent - 2.0), atol=1e-15)


def test_second_derivatives_of_powers_exist_at_0() -> None:
    exponents = np.array([0.0, 1.0, 2.0, 3.0])
    with np.errstate(all="ignore"):
        hessian = ak.hessian(lambda x: ak.sum(x**exponents))(np.zeros(4)).numpy()
    np.testing.assert_array_equal(hessian.diagonal(), [0.0, 0.0, 2.0, 0.0])


@pytest.mark.parametrize("labels", ["ii", "ij->i", "ij->", "ij->ji"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8])
def test_einsum_of_one_array_keeps_its_dtype(labels: str, dtype: Any) -> None:
    a = np.array([[100, 100], [0, 4]]).astype(dtype)
    found, wanted = ak.einsum(labels, a).numpy(), np.einsum(labels, a)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def test_long_rows_of_float16_have_a_finite_log_softmax() -> None:
    x = np.zeros((1, 70_000), np.float16)
    found = ak.nn.log_softmax(x).numpy()
    assert found.dtype == np.float16
    np.testing.assert_allclose(found[0, 0], -np.log(70_000.0), rtol=1e-3)
    loss = ak.nn.sparse_softmax_cross_entropy([3], x).numpy()
    assert loss.dtype == np.float16
    np.testing.assert_allclose(loss, [np.log(70_000.0)], rtol=1e-3)


def test_gelu_has_a_gradient_where_the_square_overflows() -> None:
    with np.errstate(over="ignore"):
        slope = ak.grad(lambda x: ak.sum(ak.nn.gelu(x)))(np.array([300.0, -300.0], np.float16)).numpy()
    np.testing.assert_array_equal(slope, [1.0, 0.0])


@pytest.mark.parametrize("stop", [1.0, np.float32(1.0)])
def test_linspace_has_the_same_dtype_on_a_tape(stop: Any) -> None:
    start = ak.Variable(np.float32(0.0))
    outside = ak.linspace(start.numpy(), stop, 3).dtype
    with ak.GradientTape() as tape:
        y = ak.linspace(start, stop, 3)
    assert y.dtype == outside == np.float32
    gradient = tape.gradient(y, start)
    assert gradient.dtype == np.float32
    assert float(gradient) == 1.5


@pytest.mark.parametrize("name", ["maximum", "minimum", "mod", "floor_divide", "logaddexp", "fmax", "fmin", "copysign"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_number_beside_an_array_takes_its_dtype(name: str, dtype: Any) -> None:
    x = np.array([1.5, 2.0], dtype)
    function = getattr(ak, name)
    for other in (x, ak.constant(x)):
        for number in (3, 0.5):
            assert function(number, other).dtype == dtype
            assert function(other, number).dtype == dtype


def test_flip_refuses_an_axis_that_is_named_twice() -> None:
    with pytest.raises(ak.errors.ShapeError, match="twice"):
        ak.flip(np.ones((2, 2)), (0, -2))


def test_the_mean_of_many_float16_has_a_gradient() -> None:
    found = ak.grad(ak.mean)(np.zeros(100_000, np.float16)).numpy()
    np.testing.assert_allclose(found[:2], [1e-5, 1e-5], rtol=1e-2)


def test_nan_to_num_of_numpy_has_its_copy_argument_in_second_place() -> None:
    x = ak.constant([np.nan, 2.0, np.inf])
    assert np.nan_to_num(x, True, 7.0, 8.0).tolist() == [7.0, 2.0, 8.0]
    assert np.nan_to_num(x, True, posinf=8.0).tolist() == [0.0, 2.0, 8.0]
    assert np.nan_to_num(x, nan=7.0, posinf=8.0).tolist() == [7.0, 2.0, 8.0]


def test_gradient_of_numpy_takes_a_distance_for_each_axis() -> None:
    x = np.arange(12.0).reshape(3, 4) ** 2
    for spacing in ((), (2,), (2, 1)):
        found = np.gradient(ak.constant(x), *spacing)
        for part, wanted in zip(found, np.gradient(x, *spacing), strict=True):
            np.testing.assert_allclose(part.numpy(), wanted)
    np.testing.assert_allclose(np.gradient(ak.constant(x), 2, axis=1).numpy(), np.gradient(x, 2, axis=1))
    with pytest.raises(ak.errors.ArgumentError, match="distances"):
        np.gradient(ak.constant(x), 1, 2, 3)


@pytest.mark.parametrize("order", ["C", "F"])
def test_reshape_of_numpy_reads_in_the_given_order(order: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    t = ak.constant(x)
    wanted = np.reshape(x, (3, -1), order=order)
    for found in (np.reshape(t, (3, -1), order=order), np.reshape(t, (3, -1), order)):
        np.testing.assert_array_equal(found.numpy(), wanted)
    for found in (np.ravel(t, order=order), np.ravel(t, order)):
        np.testing.assert_array_equal(found.numpy(), np.ravel(x, order))
    with pytest.raises(ak.AutodiffError, match="order"):
        np.ravel(t, order="K")


def test_axis_none_of_numpy_flattens() -> None:
    x = np.array([[3.0, 1.0], [2.0, 0.0]])
    t = ak.constant(x)
    np.testing.assert_array_equal(np.sort(t, axis=None).numpy(), np.sort(x, axis=None))
    np.testing.assert_array_equal(np.argsort(t, axis=None).numpy(), np.argsort(x, axis=None))
    np.testing.assert_array_equal(np.concatenate([t, t], axis=None).numpy(), np.concatenate([x, x], axis=None))
    assert float(np.sum(t, axis=None)) == 6.0


def test_lstsq_takes_a_negative_rcond_as_machine_precision() -> None:
    with pytest.raises(ak.errors.StructureError, match="rank 1"):
        ak.lstsq(np.ones((3, 2)), [1.0, 2.0, 3.0], rcond=-1)
    assert ak.lstsq(np.eye(3)[:, :2], [1.0, 2.0, 3.0], rcond=-1).x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("exponent", [0, 0.0, np.float32(0), np.zeros(5, np.float32)])
def test_a_power_with_exponent_0_is_constant_everywhere(exponent: Any) -> None:
    x = ak.constant(np.float32([np.inf, -np.inf, np.nan, 0, -2]))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ak.grad(lambda x: ak.sum(x**exponent))(x).numpy(), 0.0)


NAMES_OF_REDUCTIONS = [
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "logsumexp",
    "all",
    "any",
    "count_nonzero",
    "argmax",
    "argmin",
]


@pytest.mark.parametrize("name", [*NAMES_OF_REDUCTIONS, "norm"])
def test_an_axis_that_does_not_exist_is_told_with_the_name_of_the_function(name: str) -> None:
    with pytest.raises(ShapeError, match=f"^{name}: axis 2 is out of range for a value with 1 axes"):
        getattr(ak, name)([1.0, 2.0], axis=2)
    with pytest.raises(ArgumentError, match=f"^{name}"):
        getattr(ak, name)([1.0, 2.0], axis="rows")


def test_too_short_an_axis_is_told_by_slopes() -> None:
    with pytest.raises(ShapeError, match="^slopes: axis -1 "):
        ak.slopes([1.0])


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((None,), ArgumentError, "the start must be a number, got None"),
        ((0, 3, None), ArgumentError, "the step must be a number, got None"),
        ((0, 3, 0), ArgumentError, "the step must not be 0"),
        ((0.0, 3.0, 0.0), ArgumentError, "the step must not be 0"),
        ((3, None, 1, "float33"), DtypeError, "arange: 'float33' is not a dtype"),
    ],
)
def test_arange_says_what_it_cannot_use(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ak.arange(*arguments)


@pytest.mark.parametrize("entry", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("function", [ak.svdvals, ak.svd, ak.pinv])
def test_there_are_no_singular_values_of_an_entry_that_is_not_finite(function: Any, entry: float) -> None:
    """Of some infinities LAPACK makes nan, and pinv made 0 of them."""
    for a in ([[entry]], [[1.0, entry], [2.0, 3.0]]):
        with pytest.raises(StructureError, match=r"find them with ak\.isfinite"):
            function(a)


def test_the_reciprocal_of_integers_is_floating() -> None:
    assert ak.reciprocal(np.array([2, 4])).tolist() == [0.5, 0.25]


def test_a_dtype_without_a_loop_is_told_how_to_change_it() -> None:
    with pytest.raises(DtypeError, match=r"sign of dtypes bool: .*ak\.cast"):
        ak.sign(True)


@pytest.mark.parametrize("shape", [-2, (2, -3), (-2, -1)])
def test_a_negative_length_other_than_minus_one_is_refused(shape: Any) -> None:
    """NumPy takes each of them for -1."""
    x = np.ones((2, 6))
    words = r"reshape: each length must be 0 or more, or -1 for the one that follows from the others; got \("
    for f in (lambda v: ak.reshape(v, shape), lambda v: np.reshape(ak.constant(v), shape), ak.constant(x).reshape):
        calls: list[Any] = [(f, x), (ak.compile(f), x), (ak.vmap(f), x)] if f.__name__ == "<lambda>" else [(f, shape)]
        for call, argument in calls:
            with pytest.raises(ShapeError, match=words):
                call(argument)


@pytest.mark.parametrize(
    "value", [np.nan, np.float64(np.nan), np.float32(np.inf), np.array([1.0, -np.inf]), ak.constant(np.nan)]
)
def test_an_integer_dtype_is_not_filled_with_nan(value: Any) -> None:
    for f in (
        lambda: ak.full(2, value, "int64"), lambda: ak.full_like(np.zeros(2, "uint8"), value),
        ak.compile(lambda: ak.full(2, value, "int64")),
    ):  # fmt: skip
        with pytest.raises(DtypeError, match=r"full: (nan|-?inf) does not fit dtype u?int\d+, which holds"):
            f()


@pytest.mark.parametrize(
    ("value", "dtype", "shown"),
    [
        (1e30, "int64", "1e+30"), (2.0**63, "int64", "9.22"), (256.0, "uint8", "256.0"), (-1.0, "uint8", "-1.0"),
        (np.float32(3e9), "int32", "3000000000.0"), (np.array([1.0, -129.0]), "int8", "-129.0"),
    ],
)  # fmt: skip
def test_an_integer_dtype_is_not_filled_with_floats_out_of_its_range(value: Any, dtype: str, shown: str) -> None:
    """NumPy casts them to numbers that depend on the processor."""
    with pytest.raises(DtypeError, match=rf"full: {re.escape(shown)}\S* does not fit dtype {dtype}, which holds"):
        ak.full(2, value, dtype)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (-(2.0**63), "int64", -(2**63)), (255.9, "uint8", 255), (-0.5, "uint8", 0), (np.float16(70), "int64", 70),
        (np.float16(70), "uint16", 70),
    ],
)  # fmt: skip
def test_floats_at_the_ends_of_the_range_fill_an_integer_dtype(value: Any, dtype: str, expected: int) -> None:
    assert ak.full((), value, dtype).numpy() == expected


def test_nested_lists_of_unequal_lengths_fill_nothing() -> None:
    with pytest.raises(DtypeError, match="converted to an array"):
        ak.full(2, [[1.0, 2.0], [3.0]], "int64")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64])
def test_the_exact_gelu_has_the_values_of_the_normal_distribution(dtype: Any) -> None:
    x = np.array([-9, -3, -1, 0, 1, 3, 30], dtype)
    found = ak.nn.gelu(x, approximate=False).numpy()
    expected = np.array([-9, -3, -1, 0, 1, 3, 30]) * special.ndtr(np.array([-9, -3, -1, 0, 1, 3, 30.0]))
    assert found.dtype == (np.float64 if dtype == np.int64 else dtype)
    np.testing.assert_allclose(
        found, expected, rtol=64 * np.finfo(found.dtype).eps, atol=1e-7 if dtype == np.float16 else 0
    )
    compiled = ak.compile(lambda x: ak.nn.gelu(x, approximate=False))
    np.testing.assert_array_equal(compiled(x).numpy(), found)
    assert np.abs(found - ak.nn.gelu(x).numpy()).max() > 1e-5, "not the approximation"


@pytest.mark.parametrize("word", ["tanh", "none", 2, None])
def test_how_gelu_is_computed_is_true_or_false(word: Any) -> None:
    with pytest.raises(ArgumentError, match="gelu: approximate .*'tanh', False .*'none'\\) must be True or"):
        ak.nn.gelu([1.0], approximate=word)


def test_a_transpose_says_which_axes_it_needs() -> None:
    for transpose in (ak.transpose, np.transpose):
        with pytest.raises(ShapeError, match=r"transpose.*axes \(1,\) are not a permutation of 2 axes.*\(1, 0\)"):
            transpose(ak.constant(np.ones((2, 3))), 1)
    assert ak.transpose([1.0, 2.0], 0).tolist() == np.transpose([1.0, 2.0], 0).tolist()  # type: ignore[arg-type]


def test_a_ragged_list_says_what_holds_several_arrays() -> None:
    with pytest.raises(DtypeError, match="tuple or a dict"):
        ak.grad(lambda x: x)([[2.0], 3.0])


def test_a_sparse_matrix_beside_a_tensor_says_what_multiplies() -> None:
    matrix = sparse.eye_array(3).tocsr()
    with pytest.raises(DtypeError, match=r"ak\.segment\.sparse_matmul"):
        ak.constant(np.ones((2, 3))) @ matrix


@pytest.mark.parametrize("shift", [2**48, -(2**70) - 1, (2**60 + 1, -3), np.int64(2**62)])
def test_a_roll_by_any_distance_is_a_roll_by_its_remainder(shift: Any) -> None:
    x = np.arange(15.0).reshape(3, 5)
    axes = (0, 1) if type(shift) is tuple else None
    rest = tuple(s % 15 for s in shift) if type(shift) is tuple else int(shift) % 15
    np.testing.assert_array_equal(ak.roll(x, shift, axes).numpy(), np.roll(x, rest, axes))


def test_rounding_and_formatting_work_while_a_function_is_traced() -> None:
    said: list[str] = []

    def f(x: Any) -> Any:
        said.append(f"{x[0]:.3f}")
        return round(x[0], 1) + round(x[1])

    found = ak.compile(f)(np.array([1.25, 2.75]))
    assert (float(found), said) == (1.2 + 3.0, ["traced"])
