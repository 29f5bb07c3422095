"""Matrices at which formulas break: singular, equal eigenvalues, empty axes, bad input; and NumPy's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError, DtypeError, ShapeError, StructureError
from autodiff_kit.ops import factorizations

from .harness import difference, gradients, recorded

RNG = np.random.default_rng(5)
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])
RANK_ONE = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0])
SQUARE = RNG.normal(size=(3, 3))


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (SINGULAR, [[4.0, -2.0], [-2.0, 1.0]]),
        (RANK_ONE, np.zeros((3, 3))),
        (np.zeros((2, 2)), np.zeros((2, 2))),
        ([[5.0]], [[1.0]]),
        ([[0.0]], [[1.0]]),
        (np.diag([2.0, 0.0, 3.0]), np.diag([0.0, 6.0, 0.0])),
        (np.full((2, 2), np.nan), np.full((2, 2), np.nan)),
    ],
    ids=["rank n-1", "rank n-2", "zero", "1", "0", "a zero on the diagonal", "nan"],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered in det")
def test_the_gradient_of_a_determinant_is_its_cofactors(matrix: Any, expected: Any) -> None:
    np.testing.assert_allclose(ak.grad(ak.det)(np.asarray(matrix)).numpy(), expected, atol=1e-13)


@pytest.mark.parametrize("matrix", [SQUARE, RANK_ONE, np.zeros((3, 3)), np.diag([2.0, 0.0, 3.0]), SINGULAR, np.eye(4)])
def test_the_second_derivative_of_a_determinant(matrix: Any) -> None:
    """Singular or not: determinants are polynomials, and so are the cofactors of the expected value."""
    n = len(matrix)
    expected = np.zeros((n, n, n, n))
    for i, j, k, m in np.ndindex(expected.shape):
        if i != k and j != m:
            rows, columns = [r for r in range(n) if r not in (i, k)], [c for c in range(n) if c not in (j, m)]
            sign = (-1.0) ** (i + j + k + m + (k > i) + (m > j))
            expected[i, j, k, m] = sign * np.linalg.det(matrix[np.ix_(rows, columns)])
    np.testing.assert_allclose(ak.hessian(ak.det)(matrix).numpy(), expected, atol=1e-12)


def test_the_third_derivative_of_a_determinant() -> None:
    """For a 3x3 matrix along one direction it is 6 times the determinant of the direction."""
    along = RNG.normal(size=(3, 3))
    line = lambda s: ak.det(SQUARE + s * along)  # noqa: E731
    assert float(ak.grad(ak.grad(ak.grad(line)))(0.3)) == pytest.approx(6 * np.linalg.det(along), rel=1e-9)


def test_the_logarithm_of_a_determinant_does_not_overflow() -> None:
    tape, (x,), y = recorded(lambda x: ak.slogdet(x).logabsdet, [1e200 * np.eye(4)])
    assert float(y) == pytest.approx(4 * 200 * np.log(10))
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 1e-200 * np.eye(4), rtol=1e-12)


def test_the_logdet_of_a_singular_matrix_does_not_affect_others() -> None:
    stack = np.stack([SINGULAR, np.eye(2)])
    tape, (x,), y = recorded(lambda x: ak.slogdet(x).logabsdet, [stack])
    g = tape.gradient(y, x).numpy()
    assert y.numpy()[0] < -30.0 or np.isneginf(y.numpy()[0])
    np.testing.assert_array_equal(g[1], np.eye(2))
    tape, (x,), y = recorded(lambda x: ak.slogdet(x).logabsdet, [np.zeros((2, 2))])
    assert np.isneginf(float(y))
    assert np.isnan(tape.gradient(y, x).numpy()).all()
    tape, (x,), y = recorded(lambda x: ak.slogdet(x).sign, [SQUARE])
    assert tape.gradient(y, x) is None


def test_values_with_equal_eigenvalues_have_a_gradient_and_vectors_have_none() -> None:
    weights = np.array([[1.0, 2.0], [3.0, 4.0]])
    for values, parts in ((ak.eigvalsh, ak.eigh), (ak.svdvals, ak.svd)):
        tape, (x,), y = recorded(lambda x, f=values: f(x).sum(), [2.0 * np.eye(2)])
        np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.eye(2), atol=1e-15)
        assert ak.jvp(values, (2.0 * np.eye(2),), (np.eye(2),))[1].tolist() == pytest.approx([1.0, 1.0])
        k = 1 if parts is ak.eigh else 0
        tape, (x,), y = recorded(lambda x, f=parts, k=k: (f(x)[k] * weights).sum(), [2.0 * np.eye(2)])
        with pytest.raises(StructureError, match="coincide"):
            tape.gradient(y, x)
        with pytest.raises(StructureError, match="coincide"):
            ak.hessian(lambda x, f=values: (f(x) ** 2).sum())(2.0 * np.eye(2))


def test_a_singular_value_of_0_has_the_smallest_of_its_slopes() -> None:
    tape, (x,), y = recorded(lambda x: ak.svdvals(x).sum(), [np.zeros((3, 2))])
    assert not tape.gradient(y, x).numpy().any()
    tape, (x,), y = recorded(lambda x: ak.svd(x).U.sum(), [np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])])
    with pytest.raises(StructureError, match="singular value is 0"):
        tape.gradient(y, x)


def test_columns_that_depend_on_each_other_have_no_derivative_of_q() -> None:
    tape, (x,), y = recorded(lambda x: ak.qr(x).Q.sum(), [np.ones((3, 2))])
    with pytest.raises(StructureError, match="not unique"):
        tape.gradient(y, x)


def test_norms_of_matrices_at_their_kinks() -> None:
    for order, expected in (("fro", 0.0), ("nuc", 0.0), (2, 0.0), (1, 0.0), (np.inf, 0.0)):
        assert not ak.grad(lambda x, o=order: ak.matrix_norm(x, o))(np.zeros((2, 2))).numpy().any(), expected
    np.testing.assert_allclose(ak.grad(lambda x: ak.matrix_norm(x, 2))(np.eye(2)).numpy(), np.eye(2) / 2, atol=1e-15)
    assert ak.matrix_norm(np.ones((2, 3, 4)), "nuc", keepdims=True).shape == (2, 1, 1)


def test_the_rank_of_a_pseudo_inverse_is_constant() -> None:
    """Along matrices of one rank the rule equals differences; small singular values count as 0."""
    a, b = RNG.normal(size=(4, 2)), RNG.normal(size=(2, 3))
    f = lambda a, b: ak.pinv(a @ b)  # noqa: E731
    along = [RNG.normal(size=a.shape), RNG.normal(size=b.shape)]
    _, pushed = ak.jvp(f, (a, b), tuple(along))
    expected = difference(lambda a, b: np.linalg.pinv(a @ b, 1e-10), (a, b), along)
    np.testing.assert_allclose(pushed.numpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("lower", [False, True])
def test_a_triangular_system_does_not_read_the_other_triangle(lower: bool) -> None:
    triangle = (np.tril if lower else np.triu)(SQUARE)
    a = np.where(triangle == 0, np.nan, triangle)
    expected = scipy.linalg.solve_triangular(triangle, SQUARE[0], lower=lower)
    tape, (x, b), y = recorded(lambda a, b: ak.solve_triangular(a, b, lower=lower), [a, SQUARE[0]])
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-13)
    slope = tape.gradient(y, x).numpy()
    assert np.isfinite(slope).all()
    assert not slope[triangle == 0].any()
    np.fill_diagonal(a, np.nan)
    found = ak.solve_triangular(a, b, lower=lower, unit_diagonal=True)
    expected = scipy.linalg.solve_triangular(triangle, SQUARE[0], lower=lower, unit_diagonal=True)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-13)


@pytest.mark.parametrize("n", [64, 65, 150])
def test_triangular_systems_larger_than_a_block(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(2, n, n)) + 4 * np.sqrt(n) * np.eye(n), rng.normal(size=(n, 2))
    for lower, transpose in ((False, False), (True, False), (False, True), (True, True)):
        found = ak.solve_triangular(a, b, lower=lower, transpose=transpose).numpy()
        for x, matrix in zip(found, a, strict=True):
            expected = scipy.linalg.solve_triangular(matrix, b, trans=int(transpose), lower=lower)
            np.testing.assert_allclose(x, expected, rtol=1e-11, atol=1e-14)


def test_a_cholesky_factor_solves_the_system_of_its_matrix() -> None:
    """Also through the factor: the gradient of the whole is that of solve, in its symmetric part."""
    a, b = SQUARE @ SQUARE.T + np.eye(3), RNG.normal(size=(3, 2))
    found = ak.cholesky_solve(ak.cholesky(a), b)
    np.testing.assert_allclose(found.numpy(), scipy.linalg.cho_solve((np.linalg.cholesky(a), True), b), rtol=1e-11)
    g = ak.grad(lambda a: ak.cholesky_solve(ak.cholesky(a), b)[0, 1])(a).numpy()
    plain = ak.grad(lambda a: ak.solve(a, b)[0, 1])(a).numpy()
    np.testing.assert_allclose(g, (plain + plain.T) / 2, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shape", [(5, 3), (3, 3), (3, 5)])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_least_squares_as_numpy(shape: tuple[int, int], columns: tuple[int, ...]) -> None:
    """All four results, by either name; NumPy's takes no stacks."""
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=shape), rng.normal(size=(shape[0], *columns))
    expected = np.linalg.lstsq(a, b)
    for found in (ak.lstsq(a, b), np.linalg.lstsq(ak.constant(a), b, rcond=None)):
        assert found[2] == expected[2]
        for k in (0, 1, 3):
            assert found[k].shape == expected[k].shape
            np.testing.assert_allclose(found[k].numpy(), expected[k], rtol=1e-10, atol=1e-12)


def test_least_squares_is_accurate_where_the_normal_equations_are_not() -> None:
    a, x = np.vander(np.linspace(0.0, 1.0, 12), 9), np.ones(9)
    normal = np.linalg.solve(a.T @ a, a.T @ (a @ x))
    found = ak.lstsq(a, a @ x).x.numpy()
    assert np.abs(found - x).max() < 1e-8 < np.abs(normal - x).max()


def test_least_squares_with_equal_singular_values_has_all_derivatives() -> None:
    b = np.array([1.0, 2.0, 3.0])
    f = lambda a: (ak.lstsq(a, b).x ** 2).sum()  # noqa: E731
    g = lambda a: ((ak.pinv(a) @ b) ** 2).sum()  # noqa: E731
    a, along = np.eye(3, 2), RNG.normal(size=(3, 2))
    np.testing.assert_allclose(ak.hessian(f)(a).numpy(), ak.hessian(g)(a).numpy(), atol=1e-12)
    np.testing.assert_allclose(ak.hvp(f, a, along).numpy(), ak.hvp(g, a, along).numpy(), atol=1e-12)


def test_singular_values_of_least_squares_are_constants_and_rcond_is_their_limit() -> None:
    a = np.diag([1.0, 1e-6])
    tape, (x,), y = recorded(lambda a: ak.lstsq(a, [1.0, 1.0]).s, [a])
    assert tape.gradient(y, x) is None
    with pytest.raises(StructureError, match="has rank 1"):
        ak.lstsq(a, [1.0, 1.0], rcond=1e-5)


@pytest.mark.parametrize("size", [1e-8, 1e-2, 0.2, 0.8, 2.0, 5.0, 6.0, 40.0, 300.0])
def test_exponentials_of_every_norm(size: float) -> None:
    """Each order of the approximant, and up to six squarings."""
    a, direction = np.random.default_rng(6).normal(size=(2, 4, 4))
    a *= size / np.abs(a).sum(0).max()
    expected = scipy.linalg.expm(a)
    assert np.abs(ak.expm(a).numpy() - expected).max() <= 1e-13 * max(size, 1.0) * np.abs(expected).max()
    _, derivative = scipy.linalg.expm_frechet(a.T, direction)
    for weight in (1.0, 1e12, 1e-12):  # its norm does not matter
        _, pull = ak.vjp(ak.expm, a)
        found = pull(weight * direction).numpy() / weight
        assert np.abs(found - derivative).max() <= 1e-12 * max(size, 1.0) * np.abs(derivative).max()


@pytest.mark.parametrize("shape", [(3, 9, 5), (3, 2, 5), (2, 70, 80)])  # copied, too few rows, too large a matrix
def test_products_with_transposed_stacks(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    a, b, g = rng.normal(size=shape), rng.normal(size=shape), rng.normal(size=(*shape[:-1], shape[-2]))
    f = lambda a, b: ak.sum(g * (a @ ak.swapaxes(b, -1, -2)))  # noqa: E731
    np.testing.assert_allclose(ak.matmul(a, b.swapaxes(-1, -2)).numpy(), np.einsum("bij,bkj->bik", a, b), atol=1e-12)
    for found, expected in zip(ak.grad(f, (0, 1))(a, b), (g @ b, g.swapaxes(-1, -2) @ a), strict=True):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-11, atol=1e-12)
    # A stack of one matrix is not written out.
    shared = np.broadcast_to(b[:1], b.shape).swapaxes(-1, -2)
    np.testing.assert_allclose(ak.matmul(a, shared).numpy(), a @ b[0].T, rtol=1e-11, atol=1e-12)


def test_exponentials_of_a_stack_do_not_affect_each_other() -> None:
    nilpotent = np.array([[0.0, 1.0], [0.0, 0.0]])
    turn = np.array([[0.0, -100.0], [100.0, 0.0]])
    y = ak.expm(np.stack([nilpotent, turn, np.full((2, 2), np.nan), np.zeros((2, 2))])).numpy()
    np.testing.assert_array_equal(y[0], np.eye(2) + nilpotent)
    np.testing.assert_allclose(y[1], [[np.cos(100), -np.sin(100)], [np.sin(100), np.cos(100)]], atol=1e-12)
    assert np.isnan(y[2]).all()
    np.testing.assert_array_equal(y[3], np.eye(2))


EMPTY: list[tuple[str, Any, tuple[tuple[int, ...], ...]]] = [
    ("solve", ak.solve, ((0, 0), (0,))),
    ("solve columns", ak.solve, ((2, 2), (2, 0))),
    ("solve stack", ak.solve, ((0, 2, 2), (2, 1))),
    ("solve_triangular", ak.solve_triangular, ((0, 0), (0,))),
    ("solve_triangular stack", ak.solve_triangular, ((0, 2, 2), (2, 1))),
    ("cholesky_solve", ak.cholesky_solve, ((2, 2), (2, 0))),
    ("lstsq no columns", lambda a, b: ak.lstsq(a, b).x, ((3, 0), (3,))),
    ("lstsq no rows", lambda a, b: ak.lstsq(a, b).x, ((0, 3), (0,))),
    ("lstsq stack", lambda a, b: ak.lstsq(a, b).residuals, ((0, 3, 2), (3, 1))),
    ("expm", ak.expm, ((0, 0),)),
    ("expm stack", ak.expm, ((0, 2, 2),)),
    ("inv", ak.inv, ((0, 0),)),
    ("inv stack", ak.inv, ((0, 2, 2),)),
    ("det", ak.det, ((0, 0),)),
    ("det stack", ak.det, ((2, 0, 0),)),
    ("slogdet", lambda x: ak.slogdet(x).logabsdet, ((0, 0),)),
    ("cholesky", ak.cholesky, ((0, 0),)),
    ("pinv", ak.pinv, ((0, 3),)),
    ("eigvalsh", ak.eigvalsh, ((0, 0),)),
    ("eigenvectors", lambda x: ak.eigh(x).eigenvectors, ((0, 0),)),
    ("svd", lambda x: ak.svd(x).U, ((3, 0),)),
    ("svd stack", lambda x: ak.svd(x).Vh, ((0, 2, 3),)),
    ("qr", lambda x: ak.qr(x).R, ((0, 3),)),
    ("qr tall", lambda x: ak.qr(x).Q, ((3, 0),)),
    ("trace", ak.trace, ((0, 3),)),
    ("diagonal far out", lambda x: ak.diagonal(x, 7), ((2, 3),)),
    ("diag", ak.diag, ((0,),)),
    ("tril", ak.tril, ((0, 2),)),
    ("kron", ak.kron, ((2, 0), (2, 2))),
    ("inner", ak.inner, ((2, 0), (3, 0))),
    ("outer", ak.outer, ((0,), (3,))),
    ("cross", ak.cross, ((0, 3), (3,))),
    ("matmul", ak.matmul, ((2, 0), (0, 3))),
    ("matvec", ak.matmul, ((2, 0), (0,))),
    ("vdot", ak.vdot, ((2, 0), (0,))),
    ("tensordot", lambda a, b: ak.tensordot(a, b, 1), ((2, 0), (0, 3))),
    ("einsum", lambda a, b: ak.einsum("ij,jk->ik", a, b), ((2, 0), (0, 3))),
    ("einsum rows", lambda a, b: ak.einsum("ij,kj->k", a, b), ((0, 2), (3, 2))),
    ("frobenius", ak.matrix_norm, ((0, 2),)),
    ("nuclear", lambda x: ak.matrix_norm(x, "nuc"), ((0, 2),)),
]


@pytest.mark.parametrize(("f", "shapes"), [e[1:] for e in EMPTY], ids=[e[0] for e in EMPTY])
def test_empty_axes(f: Any, shapes: Any) -> None:
    """Value, gradient, second order and tangent of shapes with a 0; entries that exist get zeros."""
    arrays = [np.ones(s) * 2 + np.eye(*s[-2:]) if len(s) > 1 else np.ones(s) for s in shapes]
    tape, xs, y = recorded(f, arrays)
    for x, g in zip(xs, tape.gradient(y, xs, unconnected_gradients="zero"), strict=True):
        assert g.shape == x.shape
        assert not g.numpy().any()
    with ak.ForwardAccumulator(xs, [np.ones(x.shape) for x in xs]) as acc:
        y = f(*xs)
    assert not acc.jvp(y, "zero").numpy().any()
    slopes = gradients(lambda *xs: (f(*xs) ** 2).sum(), xs)
    assert [g.shape for g in slopes] == [x.shape for x in xs]


WHOLE: list[tuple[Any, Any]] = [
    (ak.inv, np.linalg.inv), (ak.det, np.linalg.det), (ak.cholesky, np.linalg.cholesky), (ak.pinv, np.linalg.pinv),
    (ak.svdvals, np.linalg.svdvals), (ak.eigvalsh, np.linalg.eigvalsh), (lambda x: ak.solve(x, x), np.linalg.inv),
    (ak.expm, scipy.linalg.expm), (lambda x: ak.lstsq(x, x[0]).x, lambda x: np.linalg.solve(x, x[0])),
    (lambda x: ak.solve_triangular(x, x[0]), lambda x: scipy.linalg.solve_triangular(x, x[0])),
    (ak.matrix_norm, np.linalg.norm), (lambda x: ak.qr(x).R, lambda x: np.linalg.qr(x)[1]),
]  # fmt: skip


@pytest.mark.parametrize(("f", "reference"), WHOLE)
def test_integers_are_converted_to_float64(f: Any, reference: Any) -> None:
    x = np.array([[4, 1], [1, 3]])
    expected = np.eye(2) if reference is np.linalg.inv and f is not ak.inv else reference(x)
    assert f(x).dtype == np.float64
    np.testing.assert_allclose(f(x).numpy(), expected, atol=1e-14)


def test_products_of_integers_are_integers() -> None:
    a = np.array([[1, 2], [3, 4]])
    for f, g in (
        (lambda x: ak.einsum("ij,jk", x, x), lambda x: x @ x),
        (ak.trace, np.trace),
        (lambda x: ak.kron(x, x), lambda x: np.kron(x, x)),
    ):
        assert f(a).dtype == g(a).dtype
        np.testing.assert_array_equal(f(a).numpy(), g(a))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ak.cholesky(x @ x.T),
        lambda x: ak.qr(x).Q,
        lambda x: ak.solve_triangular(x, np.ones((100, 2)), lower=True),
        lambda x: ak.lstsq(x, np.ones(100)).x,
    ],
    ids=["cholesky", "qr", "solve_triangular", "lstsq"],
)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_triangular_systems_are_substituted(monkeypatch: pytest.MonkeyPatch, f: Any, mode: str) -> None:
    """No elimination of a large matrix: what LAPACK solves are blocks of it."""
    monkeypatch.setattr(factorizations, "scipy_linalg", lambda: None)
    sizes = []
    eliminate = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda a, b: [sizes.append(a.shape[-1]), eliminate(a, b)][1])
    along = np.random.default_rng(3).normal(size=(100, 100))
    x = along + 20 * np.eye(100)
    if mode == "reverse":
        ak.grad(lambda x: ak.sum(f(x) ** 2))(x)
    else:
        ak.jvp(f, (x,), (along,))
    assert sizes
    assert max(sizes) < 50


@pytest.mark.parametrize("solve", [ak.solve, ak.solve_triangular])
def test_the_gradients_of_both_sides_come_from_one_solution(monkeypatch: pytest.MonkeyPatch, solve: Any) -> None:
    monkeypatch.setattr(factorizations, "scipy_linalg", lambda: None)
    a = np.triu(SQUARE)
    tape, sources, y = recorded(solve, [a, SQUARE])
    alone = [recorded(lambda x: solve(x, SQUARE), [a]), recorded(lambda x: solve(a, x), [SQUARE])]
    expected = [one.gradient(value, x).numpy() for one, (x,), value in alone]
    calls = []
    eliminate = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda a, b: [calls.append(a), eliminate(a, b)][1])
    found = [g.numpy() for g in tape.gradient(y, sources)]
    assert len(calls) == 1
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_long_einsum_is_products_of_two_in_a_cheap_order() -> None:
    """The vector first: 3 products with a vector and no product of matrices, and the gradient only reverses them."""
    matrices, x = [RNG.normal(size=(50, 50)) for _ in range(3)], RNG.normal(size=50)
    tape, _, y = recorded(lambda *own: ak.einsum("ij,jk,kl,l->i", *own), [*matrices, x])
    assert [row.flops for row in tape.cost(by="op").rows] == [3 * 2 * 50 * 50]
    a, b, c = matrices
    np.testing.assert_allclose(y.numpy(), a @ (b @ (c @ x)), rtol=1e-12)


@pytest.mark.parametrize("text", ["ij,jk->ik", "ij,jk->ki", "bij,bjk->bki", "ij,kj->ki", "i,j->ji", "rij,ri->rj"])
def test_the_result_of_an_einsum_lies_in_order(text: str) -> None:
    """Also where it begins with axes of the second array: what follows, and the gradient, needs no copy of it."""
    shapes = [tuple("rijkb".index(n) + 2 for n in own) for own in text.partition("->")[0].split(",")]
    a, b = (RNG.normal(size=shape) for shape in shapes)
    found = ak.einsum(text, a, b)
    assert found._value.flags.c_contiguous
    np.testing.assert_allclose(found.numpy(), np.einsum(text, a, b), rtol=1e-12, atol=1e-12)


def test_an_einsum_of_sixty_matrices() -> None:
    """NumPy's letters do not suffice for the labels."""
    matrices = list(RNG.normal(size=(60, 2, 2)))
    operands = [part for k, matrix in enumerate(matrices) for part in (matrix, [k, k + 1])]
    np.testing.assert_allclose(ak.einsum(*operands, [0, 60]).numpy(), np.linalg.multi_dot(matrices), rtol=1e-9)


def test_float16_is_summed_in_float32() -> None:
    """4,000 products of 1: in float16 a running sum would stop at 2048."""
    ones = np.ones((2, 4000), np.float16)
    assert ak.einsum("ij,ij->i", ones, ones).tolist() == [4000.0, 4000.0]
    large, small = np.full(1, 300, np.float16), np.full(1, 2.0**-7, np.float16)
    assert ak.einsum("i,i,i->i", large, large, small).tolist() == [703.0]  # 90,000 is no float16
    tape, (x,), y = recorded(lambda x: ak.einsum("i,ij->", x, ones), [np.ones(2, np.float16)])
    assert tape.gradient(y, x).tolist() == [4000.0, 4000.0]


BAD: list[tuple[str, Any, type[Exception], str]] = [
    ("solve of a singular matrix", lambda: ak.solve(SINGULAR, [1.0, 1.0]), StructureError, "ak.pinv"),
    ("inv of a singular matrix", lambda: ak.inv(np.zeros((2, 2))), StructureError, "singular"),
    ("not positive definite", lambda: ak.cholesky(-np.eye(2)), StructureError, "eigenvalues must be above 0"),
    ("not square", lambda: ak.inv(np.ones((2, 3))), ShapeError, "as many rows as columns"),
    ("not a matrix", lambda: ak.det([1.0, 2.0]), ShapeError, "last two axes"),
    ("a triangle with a 0", lambda: ak.solve_triangular(np.diag([1.0, 0.0]), [1.0, 1.0]), StructureError, "has a 0"),
    ("a factor with a 0", lambda: ak.cholesky_solve(np.diag([1.0, 0.0]), [1.0, 1.0]), StructureError, "has a 0"),
    ("lower by name", lambda: ak.solve_triangular(np.eye(2), [1.0, 1.0], "lower"), ArgumentError, "True or False"),
    ("rows of a triangle", lambda: ak.solve_triangular(np.eye(2), np.ones(3)), ShapeError, "one row for each row"),
    ("columns that depend", lambda: ak.lstsq(np.ones((3, 2)), np.ones(3)), StructureError, "has rank 1.*ak.pinv"),
    ("rows that depend", lambda: ak.lstsq(np.ones((2, 3)), np.ones(2)), StructureError, "has rank 1"),
    ("lstsq of rows", lambda: ak.lstsq(np.ones((3, 2)), np.ones(2)), ShapeError, "lstsq of shapes"),
    ("rcond by name", lambda: ak.lstsq(np.eye(2), np.ones(2), "warn"), ArgumentError, "rcond must be a number"),
    ("expm of a rectangle", lambda: ak.expm(np.ones((2, 3))), ShapeError, "as many rows as columns"),
    ("rows differ", lambda: ak.solve(np.eye(2), [1.0, 1.0, 1.0]), ShapeError, "solve of shapes"),
    ("stacks differ", lambda: ak.solve(np.ones((2, 1, 1)), np.ones((3, 1, 1))), ShapeError, "solve of shapes"),
    ("a number", lambda: ak.solve(np.eye(2), 1.0), ShapeError, "solve of shapes"),
    ("complex", lambda: ak.inv(np.eye(2) * 1j), DtypeError, "real numbers"),
    ("svd of nan", lambda: ak.svd([[np.nan]]), StructureError, "nan or infinite"),
    ("full matrices", lambda: ak.svd(np.ones((2, 3)), full_matrices=True), StructureError, "full_matrices=False"),
    ("qr mode", lambda: ak.qr(np.eye(2), "complete"), StructureError, "reduced"),
    ("ord", lambda: ak.matrix_norm(np.eye(2), 3), StructureError, "ord must be"),
    ("diag of a stack", lambda: ak.diag(np.ones((2, 2, 2))), ShapeError, "ak.diagonal"),
    ("diagonal of one axis", lambda: ak.diagonal(np.eye(2), 0, 1, -1), ShapeError, "two different axes"),
    ("half a diagonal", lambda: ak.tril(np.eye(2), 0.5), ArgumentError, "offset of a diagonal must be an integer"),
    ("tril of a number", lambda: ak.tril(1.0), ShapeError, "number"),
    ("cross of four", lambda: ak.cross(np.ones(4), np.ones(4)), ShapeError, "three"),
    ("matmul of a number", lambda: ak.matmul(1.0, [1.0]), ShapeError, "a single number has no inner axis"),
    ("vdot of sizes", lambda: ak.vdot(np.ones((2, 2)), np.ones(3)), ShapeError, "4 and 3 entries"),
    ("tensordot twice", lambda: ak.tensordot(np.eye(2), np.eye(2), ((0, -2), (0, 1))), ShapeError, "each axis once"),
    ("tensordot too many", lambda: ak.tensordot(np.eye(2), np.eye(2), 3), ShapeError, "out of range"),
    ("tensordot unpaired", lambda: ak.tensordot(np.eye(2), np.eye(2), ((0,), (0, 1))), ShapeError, "equally many axes"),
    ("tensordot no axes", lambda: ak.tensordot(np.eye(2), np.eye(2), "ab"), ShapeError, "axes"),
    ("a diagonal by name", lambda: ak.trace(np.eye(2), 0, "rows"), ArgumentError, "integer"),
    ("norm by a list", lambda: ak.matrix_norm(np.eye(2), [1]), ArgumentError, "ord must be"),
    ("keepdims by an array", lambda: ak.matrix_norm(np.eye(2), 1, np.eye(2)), ArgumentError, "True or False"),
    ("full_matrices by an array", lambda: ak.svd(np.eye(2), np.eye(2)), ArgumentError, "True or False"),
    ("mode by an array", lambda: ak.qr(np.eye(2), np.eye(2)), StructureError, "reduced"),
    ("tensordot of ages", lambda: ak.tensordot(np.eye(2), np.eye(2), 10**30), ShapeError, "out of range"),
    ("einsum of nothing", lambda: ak.einsum(), StructureError, "labels and arrays"),
    ("einsum without arrays", lambda: ak.einsum("i"), StructureError, "0 arrays"),
    ("einsum terms", lambda: ak.einsum("i,j", [1.0]), StructureError, "labels for 2"),
    ("einsum letters", lambda: ak.einsum("i1", [[1.0]]), StructureError, "not a label"),
    ("einsum dots", lambda: ak.einsum("..i", [1.0]), StructureError, "not a label"),
    ("einsum twice in the result", lambda: ak.einsum("i->ii", [1.0]), StructureError, "twice"),
    ("einsum new in the result", lambda: ak.einsum("i->j", [1.0]), StructureError, "no array"),
    ("einsum axes", lambda: ak.einsum("ij", [1.0]), ShapeError, "do not fit"),
    ("einsum lengths", lambda: ak.einsum("i,i", [1.0, 2.0], [1.0, 2.0, 3.0]), ShapeError, "lengths 2 and 3"),
    ("einsum diagonal", lambda: ak.einsum("ii", np.ones((2, 3))), ShapeError, "share a label"),
    ("einsum lost dots", lambda: ak.einsum("...i->i", np.ones((2, 3))), StructureError, "must contain '...'"),
    ("einsum lists", lambda: ak.einsum([1.0], "i"), StructureError, "integers"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_errors(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


AS_NUMPY: dict[str, Any] = {
    "einsum": lambda x: np.einsum("ij,jk->ki", x, x),
    "trace": lambda x: np.trace(x, 1),
    "diagonal": lambda x: np.diagonal(x, -1),
    "diag": np.diag,
    "tril": np.tril,
    "triu": lambda x: np.triu(x, k=1),
    "kron": lambda x: np.kron(x, x[0]),
    "inner": lambda x: np.inner(x, x),
    "cross": lambda x: np.cross(x, x[::-1]),
    "tensordot": lambda x: np.tensordot(x, x, axes=((0, 1), (1, 0))),
    "solve": lambda x: np.linalg.solve(x, x[0]),
    "inv": np.linalg.inv,
    "det": np.linalg.det,
    "slogdet": lambda x: np.linalg.slogdet(x).logabsdet,
    "cholesky": np.linalg.cholesky,
    "pinv": np.linalg.pinv,
    "eigh": lambda x: np.linalg.eigh(x).eigenvectors,
    "eigvalsh": np.linalg.eigvalsh,
    "svd": lambda x: np.linalg.svd(x).S,
    "svd values": lambda x: np.linalg.svd(x, compute_uv=False),
    "qr": lambda x: np.linalg.qr(x).R,
    "norm": np.linalg.norm,
    "norm 2 of a matrix": lambda x: np.linalg.norm(x, 2),
    "norm 1 of a matrix": lambda x: np.linalg.norm(x, 1),
    "norm nuc": lambda x: np.linalg.norm(x[None], "nuc", axis=(0, 2), keepdims=True),
    "norm of rows": lambda x: np.linalg.norm(x, axis=1),
    "norm of a vector": lambda x: np.linalg.norm(x[0], np.inf),
    "matrix_norm": lambda x: np.linalg.matrix_norm(x, ord=-1),
    "vector_norm": np.linalg.vector_norm,
    "linalg.trace": lambda x: np.linalg.trace(x[:, None, :] + x[None]),
    "linalg.diagonal": lambda x: np.linalg.diagonal(x[:, None, :] + x[None], offset=1),
    "matrix_transpose": np.linalg.matrix_transpose,
}


@pytest.mark.parametrize("name", AS_NUMPY)
def test_numpys_functions_take_tensors(name: str) -> None:
    """NumPy's value for the array, and a gradient; np.linalg.trace differs from np.trace."""
    matrix = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]])
    tape, (x,), y = recorded(AS_NUMPY[name], [matrix])
    np.testing.assert_allclose(y.numpy(), AS_NUMPY[name](matrix), rtol=1e-12, atol=1e-12)
    assert tape.gradient(y, x).shape == (3, 3)


def test_options_that_the_kit_does_not_take() -> None:
    x = ak.constant(np.eye(2))
    with pytest.raises(ArgumentError, match="UPLO"):
        np.linalg.eigh(x, UPLO="U")
    with pytest.raises(DtypeError, match=r"np\.linalg\.cond"):
        np.linalg.cond(x)
    with pytest.raises(ShapeError, match="one axis or two"):
        np.linalg.norm(ak.constant(np.ones((2, 2, 2))), 2)
    with pytest.raises(StructureError, match="full_matrices"):
        np.linalg.svd(ak.constant(np.ones((2, 3))))


def test_costs() -> None:
    from autodiff_kit.core.operation import OPS
    from autodiff_kit.diagnostics.operation_cost import forward_flops

    a, b = np.ones((6, 6)), np.ones((6, 2))
    assert forward_flops(OPS["LuFactors"], a, a) == 2 * 6**3 // 3
    assert forward_flops(OPS["Solve"], b, a, a, b) == 2 * 6**2 * 2
    assert forward_flops(OPS["Inv"], a, a) == 2 * 6**3
    assert forward_flops(OPS["Det"], np.ones(()), a) == 2 * 6**3 // 3
    assert forward_flops(OPS["Cholesky"], a, a) == 6**3 // 3


@pytest.mark.parametrize("t", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("far", [1.0, 1e3, 1e6, 1e15, 1e100])
def test_a_large_entry_beside_the_diagonal_costs_the_exponential_no_digits(t: float, far: float) -> None:
    """expm([[t, c], [0, -t]]) has exp(t) and exp(-t) on the diagonal and c sinh(t) / t beside it."""
    a = lambda s: ak.stack([ak.stack([s, ak.constant(far)]), ak.stack([0.0 * s, -s])])  # noqa: E731
    beside, slope = far * np.sinh(t) / t, far * (np.cosh(t) / t - np.sinh(t) / t**2)
    expected = [[np.exp(t), beside], [0.0, np.exp(-t)]]
    np.testing.assert_allclose(ak.expm(a(ak.constant(t))).numpy(), expected, rtol=1e-14)
    found = ak.grad(lambda s: ak.expm(a(s))[0, 1])(t)
    np.testing.assert_allclose(float(found), slope, rtol=1e-13 if far < 1e20 else 1e-8)
    stack = np.stack([a(ak.constant(t)).numpy(), np.zeros((2, 2)), np.eye(2) * 50.0])
    wanted = [expected, np.eye(2), np.eye(2) * np.exp(50.0)]
    np.testing.assert_allclose(ak.expm(stack).numpy(), wanted, rtol=1e-13)
    if far < 1e30:
        narrow = ak.expm(stack.astype(np.float32)).numpy()
        np.testing.assert_allclose(narrow, np.array(wanted), rtol=1e-5)
