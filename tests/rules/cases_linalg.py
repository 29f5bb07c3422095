"""Cases of linear algebra: products by labels, systems, determinants, decompositions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import linalg

import autodiff_kit as ak
from autodiff_kit.ops import decompositions, determinants, lapack

from .case import Array, Case, one, shaped, spaced, two


def good(*shapes: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Array, ...]]:
    """Matrices far from singular, with well separated eigenvalues and singular values."""

    def draw_inputs(rng: np.random.Generator) -> tuple[Array, ...]:
        return tuple(
            0.25 * a + np.eye(*s[-2:]) * np.arange(2.0, 2.0 + s[-1])
            for a, s in zip(spaced(rng, *shapes), shapes, strict=True)
        )

    return draw_inputs


def system(a: tuple[int, ...], b: tuple[int, ...]) -> Callable[[np.random.Generator], tuple[Array, ...]]:
    return lambda rng: (*good(a)(rng), *spaced(rng, b))


def _sym(x: Array) -> Array:
    return (x + x.swapaxes(-1, -2)) / 2


EINSUM = (
    ("ij,jk->ik", (2, 3), (3, 2)), ("ij,jk", (2, 3), (3, 2)), ("bi,bo->bio", (2, 3), (2, 2)), ("i,j->ji", (2,), (3,)),
    ("...ij,...j->...i", (2, 2, 3), (2, 3)), ("...i,i...", (2, 3), (3, 2)), ("ij,kj->i", (2, 3), (2, 3)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("ii,i", (3, 3), (3,)), ("ij,jk->ik", (2, 1), (3, 2)),
    ("ij,ij", (2, 3), (1, 3)), (",ij->j", (), (2, 3)), ("ijk,lk->jl", (2, 3, 2), (2, 2)), ("i,i->i", (3,), (3,)),
)  # fmt: skip
MANY = (
    ("ij,jk,k->i", (2, 3), (3, 2), (2,)), ("i,i,i->i", (3,), (3,), (3,)), (",i,ij->j", (), (2,), (2, 3)),
    ("...ij,jk,...k->...i", (2, 2, 3), (3, 2), (2, 2)), ("ij,ik,jk->", (2, 3), (2, 2), (3, 2)),
    ("ia,ib,abc,bd->id", (2, 2), (2, 3), (2, 3, 1), (3, 2)),
)  # fmt: skip
ALONE = (
    ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ij->j", (2, 3)), ("ba", (2, 3)), ("...->...", (2, 3)),
    ("iji->j", (2, 3, 2)), ("iii->i", (2, 2, 2)), ("i...->...", (2, 3)), ("ij->", (2, 3)),
)  # fmt: skip


def _einsum() -> Iterator[Case]:
    for text, a, b in EINSUM:
        yield Case("Einsum", f"{text} {a} {b}", two(a, b), lambda *x, t=text: ak.einsum(t, *x),
                   lambda *x, t=text: np.einsum(t, *x))  # fmt: skip
    for text, a in ALONE:
        yield shaped("einsum", f"{text} {a}", a, lambda x, t=text: ak.einsum(t, x), lambda x, t=text: np.einsum(t, x))
    for text, *shapes in MANY:
        yield Case("Einsum", text, lambda rng, s=shapes: spaced(rng, *s), lambda *x, t=text: ak.einsum(t, *x),
                   lambda *x, t=text: np.einsum(t, *x))  # fmt: skip
    yield Case("Einsum", "lists", two((2, 3), (3, 2)), lambda a, b: ak.einsum(a, [0, 1], b, [1, 2], [2, 0]),
               lambda a, b: (a @ b).T)  # fmt: skip


def _diagonals() -> Iterator[Case]:
    for k, shape in ((0, (3, 3)), (1, (2, 3)), (-1, (3, 2)), (5, (2, 2))):
        yield shaped(
            "Diagonal", f"{k} {shape}", shape, lambda x, k=k: ak.diagonal(x, k), lambda x, k=k: np.diagonal(x, k)
        )
        yield shaped("diag", f"{k} {shape}", shape, lambda x, k=k: ak.diag(x, k), lambda x, k=k: np.diag(x, k))
    for k in (0, 1, -2):
        yield shaped("OnDiagonal", f"{k}", (3,), lambda x, k=k: ak.diag(x, k), lambda x, k=k: np.diag(x, k))
        yield shaped("Tril", f"{k}", (2, 3, 3), lambda x, k=k: ak.tril(x, k), lambda x, k=k: np.tril(x, k))
        yield shaped("Triu", f"{k}", (3, 2), lambda x, k=k: ak.triu(x, k), lambda x, k=k: np.triu(x, k))
    yield shaped("Triu", "vector", (3,), ak.triu, np.triu)
    yield shaped("Diagonal", "axes", (2, 3, 2), lambda x: ak.diagonal(x, 0, -1, 0), lambda x: np.diagonal(x, 0, -1, 0))
    yield shaped("trace", "", (3, 3), ak.trace, np.trace)
    yield shaped("trace", "axes", (2, 3, 3), lambda x: ak.trace(x, 1, 1, 2), lambda x: np.trace(x, 1, 1, 2))


def _products() -> Iterator[Case]:
    for a, b in (((3,), (3,)), ((2, 3), (4, 3)), ((), (3,)), ((2, 3), (2, 2, 3))):
        yield Case("inner", f"{a},{b}", two(a, b), ak.inner, np.inner)
    for a, b in (((2,), (3,)), ((2, 2), (3, 1)), ((2,), (2, 2)), ((), (2, 2)), ((1, 2, 2), (2,))):
        yield Case("kron", f"{a},{b}", two(a, b), ak.kron, np.kron)
    for a, b in (((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3))):
        yield Case("Cross", f"{a},{b}", two(a, b), ak.cross, np.cross)
    yield Case("Cross", "axes", two((3, 2), (2, 3)), lambda a, b: ak.cross(a, b, 0, 1, 0),
               lambda a, b: np.cross(a, b, 0, 1, 0))  # fmt: skip
    for a, b in (((3,), (3,)), ((2, 3), (3, 2)), ((), (1,))):
        yield Case("vdot", f"{a},{b}", two(a, b), ak.vdot, np.vdot)
    for axes in (0, 1, ((0, -1), (1, 0)), ((-1,), (0,)), (1, 0)):
        yield Case("tensordot", f"{axes}", two((2, 3), (3, 2)), lambda a, b, k=axes: ak.tensordot(a, b, k),
                   lambda a, b, k=axes: np.tensordot(a, b, k))  # fmt: skip


def _cofactors_along(x: Any, t: Any) -> Any:
    """The derivative of the cofactors in the direction ``t``, by the inverse."""
    w = np.linalg.inv(x).swapaxes(-1, -2)
    part = np.sum(w * t, (-2, -1), keepdims=True) * w - w @ t.swapaxes(-1, -2) @ w
    return np.linalg.det(x)[..., None, None] * part


def _systems() -> Iterator[Case]:
    for a, b in (((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((3, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 1))):
        yield Case("Solve", f"{a},{b}", system(a, b), ak.solve, np.linalg.solve)
    yield Case("LuFactors", "", good((3, 3)), lambda x: ak.solve(x, x[0]), lambda x: np.linalg.solve(x, x[0]))
    for shape in ((3, 3), (2, 2, 2), (1, 1)):
        yield Case("Inv", f"{shape}", good(shape), ak.inv, np.linalg.inv)
        yield Case("Det", f"{shape}", good(shape), ak.det, np.linalg.det)
        yield Case("LogAbsDet", f"{shape}", good(shape), lambda x: ak.slogdet(x).logabsdet,
                   lambda x: np.linalg.slogdet(x)[1])  # fmt: skip
        yield Case(
            "SignOfDet", f"{shape}", good(shape), lambda x: ak.slogdet(x).sign, lambda x: np.linalg.slogdet(x)[0]
        )
        yield Case("Cofactors", f"{shape}", good(shape), inside(determinants._cofactors),
                   lambda x: np.linalg.det(x)[..., None, None] * np.linalg.inv(x).swapaxes(-1, -2))  # fmt: skip
        yield Case("CofactorsDerivative", f"{shape}", lambda rng, s=shape: (*good(s)(rng), rng.normal(size=s)),
                   inside(determinants._cofactors_derivative), _cofactors_along)  # fmt: skip
        yield Case("Cholesky", f"{shape}", good(shape), ak.cholesky, lambda x: np.linalg.cholesky(_sym(x)))
    yield Case("SymmetricPart", "", one(2, 3, 3), inside(decompositions._symmetric_part), _sym)
    for shape in ((3, 2), (2, 3), (2, 2, 2)):
        yield Case("Pinv", f"{shape}", good(shape), ak.pinv, np.linalg.pinv)


def _triangular() -> Iterator[Case]:
    for a, b in (((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 1, 2, 2), (3, 2, 1))):
        for lower, transpose, unit in itertools.product((False, True), repeat=3):
            yield Case(
                "SolveTriangular", f"{a},{b} lower={lower} transpose={transpose} unit_diagonal={unit}", system(a, b),
                partial(ak.solve_triangular, lower=lower, transpose=transpose, unit_diagonal=unit),
                partial(_with_whole_matrix, lower=lower, transpose=transpose, unit=unit),
            )  # fmt: skip
        yield Case("cholesky_solve", f"{a},{b}", system(a, b), ak.cholesky_solve,
                   lambda a, b: np.linalg.solve(np.tril(a) @ np.tril(a).swapaxes(-1, -2), b))  # fmt: skip


def _with_whole_matrix(a: Array, b: Array, lower: bool, transpose: bool, unit: bool) -> Any:
    triangle = np.tril(a) if lower else np.triu(a)
    if unit:
        triangle = np.where(np.eye(a.shape[-1], dtype=bool), 1.0, triangle)
    return np.linalg.solve(triangle.swapaxes(-1, -2) if transpose else triangle, b)


def _least_squares() -> Iterator[Case]:
    for a, b in (
        ((3, 2), (3,)),
        ((4, 2), (4, 2)),
        ((2, 2), (2,)),
        ((2, 3), (2,)),
        ((2, 3, 2), (3, 2)),
        ((2, 4), (2, 2)),
    ):
        yield Case("lstsq", f"{a},{b}", system(a, b), lambda a, b: ak.lstsq(a, b).x,
                   lambda a, b: np.linalg.pinv(a) @ b)  # fmt: skip
    for b in ((4,), (4, 2)):
        yield Case("lstsq", f"residuals {b}", system((4, 2), b), lambda a, b: ak.lstsq(a, b).residuals,
                   lambda a, b: np.sum((a @ np.linalg.pinv(a) @ b - b) ** 2, axis=0).reshape(-1))  # fmt: skip


def _exponentials() -> Iterator[Case]:
    for shape in ((1, 1), (3, 3), (2, 2, 2)):
        for size in (1e-3, 0.05, 0.2, 1.0):  # of the norm, and with it the order of the approximant
            yield Case("Expm", f"{shape} {size}", lambda rng, s=shape, c=size: (c * spaced(rng, s)[0],), ak.expm,
                       linalg.expm)  # fmt: skip


def _factors() -> Iterator[Case]:
    for shape in ((3, 3), (3, 2), (2, 3), (2, 2, 2)):
        for k, key in enumerate(("Orthogonal", "qr")):
            yield Case(key, f"{shape} {'QR'[k]}", good(shape), lambda x, k=k: ak.qr(x)[k],
                       lambda x, k=k: np.linalg.qr(x)[k])  # fmt: skip
        for k, part in enumerate(("U", "S", "Vh")):
            yield Case("SvdPart", f"{shape} {part}", good(shape), lambda x, k=k: ak.svd(x)[k],
                       lambda x, k=k: np.linalg.svd(x, full_matrices=False)[k])  # fmt: skip
    for shape in ((3, 3), (2, 2, 2), (1, 1)):
        for k, part in enumerate(("values", "vectors")):
            yield Case("EighPart", f"{shape} {part}", good(shape), lambda x, k=k: ak.eigh(x)[k],
                       lambda x, k=k: np.linalg.eigh(_sym(x))[k])  # fmt: skip
    yield Case("Eigh", "", good((3, 3)), ak.eigvalsh, lambda x: np.linalg.eigvalsh(_sym(x)))
    yield Case("Svd", "", good((3, 2)), ak.svdvals, np.linalg.svdvals)
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        yield Case("matrix_norm", f"{order}", good((3, 2)), lambda x, o=order: ak.matrix_norm(x, o),
                   lambda x, o=order: np.linalg.norm(x, o))  # fmt: skip


def inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """An internal operation, in the dtype in which it runs."""

    def call(*given: Any) -> Any:
        arrays, back = lapack.to_lapack_dtype("a test", *given)
        return back(function(*arrays))

    return call


CASES: list[Case] = [
    *_einsum(),
    *_diagonals(),
    *_products(),
    *_systems(),
    *_triangular(),
    *_least_squares(),
    *_exponentials(),
    *_factors(),
]
