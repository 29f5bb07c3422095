"""One table of cases for all operations: inputs, the call, and the result of NumPy or SciPy.

Elementwise operations and operations without a gradient get their cases from ``generated.py``, unless they take
parameters. Those that do, and functions composed of several operations, have lines here or in ``cases_<family>.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS
from autodiff_kit.ops import elementary_functions, indexing, matrix_products

from .case import Array, Case, draw_inputs, one, shaped, two
from .generated import INTEGER_INPUTS, elementwise_cases, elementwise_operations, expected_value

_MASK = np.array([[True, False, True], [False, False, True]])
_KEEP = np.array([[True, True, False, True], [False, False, False, False], [False, True, False, False]])
_TWICE = np.array([0, 2, 0, 1, 0])


def _scattered(index: Any, shape: tuple[int, ...]) -> Callable[[Array], Array]:
    def reference(x: Array) -> Array:
        out = np.zeros(shape, x.dtype)
        np.add.at(out, index, x)
        return out

    return reference


def _softmax(x: Array, axis: int = -1) -> Array:
    return special.softmax(x, axis=axis)  # type: ignore[no-any-return]


def _masked_softmax(x: Array) -> Array:
    e = np.where(_KEEP, np.exp(x), 0)
    total = e.sum(-1, keepdims=True)
    return np.where(total > 0, e / np.where(total > 0, total, 1), 0).astype(x.dtype)


def _cross_entropy(x: Array) -> Array:
    return -np.log(_softmax(x))[np.arange(4), [0, 2, 2, 1]]


def _reductions() -> Iterator[Case]:
    kinds: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        "Sum": (ak.sum, np.sum), "Mean": (ak.mean, np.mean), "Prod": (ak.prod, np.prod), "Max": (ak.max, np.max),
        "Min": (ak.min, np.min),
        "Logsumexp": (ak.logsumexp, lambda x, axis, keepdims: np.asarray(
            special.logsumexp(x.astype(np.float64), axis=axis, keepdims=keepdims)).astype(x.dtype)),
        "Norm2": (ak.norm, lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))),
        "var": (ak.var, np.var), "std": (ak.std, np.std),
    }  # fmt: skip
    where = (((3,), None, False), ((2, 3), 0, False), ((2, 3), -1, True), ((2, 3, 2), (0, 2), False),
             ((2, 3), None, True), ((2, 3), (-1, 0), False))  # fmt: skip
    for key, (call, reference) in kinds.items():
        for shape, axis, keep in where:
            yield Case(
                key, f"{shape} axis={axis} keepdims={keep}", one(*shape),
                lambda x, f=call, a=axis, k=keep: f(x, axis=a, keepdims=k),
                lambda x, f=reference, a=axis, k=keep: f(x, axis=a, keepdims=k),
            )  # fmt: skip
        if key not in ("var", "std"):
            yield Case(key, "0-d", one(), call, lambda x, f=reference: f(x, axis=None, keepdims=False))
            yield Case(
                key, "no axis", one(2, 2), lambda x, f=call: f(x, axis=()),
                _no_axis.get(key, lambda x, f=reference: f(x, axis=(), keepdims=False)),
            )  # fmt: skip


_no_axis = {"Norm2": np.abs, "Logsumexp": lambda x: x}


def _indexing() -> Iterator[Case]:
    indices: tuple[Any, ...] = (
        1, -1, slice(None, None, -2), (slice(None), 1), (Ellipsis, None, 0), (None, 1, None), _TWICE,
        (np.array([0, 0, 2]), np.array([1, 1, 0])), (slice(None), np.array([1, 0, 1])), (slice(1, 1), 0), (),
        (np.array([[0, 1], [1, 0]]), slice(None, None, -1)), np.array([], dtype=int), [True, False, True],
        (0, slice(None), None), np.int64(2),
    )  # fmt: skip
    for index in indices:
        yield Case(
            "Getitem",
            repr(index).replace("\n", ""),
            one(3, 2),
            lambda x, i=index: x[i],
            lambda x, i=index: x[i],
        )
    yield Case("Getitem", "mask", one(2, 3), lambda x: x[_MASK], lambda x: x[_MASK])
    yield Case("Scatter", "rows twice", one(5, 2),
               lambda x: indexing._scatter(x, index=(_TWICE,), shape=(3, 2), ndim=2),
               _scattered((_TWICE,), (3, 2)))  # fmt: skip
    yield Case("Scatter", "slice", one(2), lambda x: indexing._scatter(x, index=(slice(1, 3),), shape=(4,), ndim=1),
               _scattered((slice(1, 3),), (4,)))  # fmt: skip


def _shapes() -> Iterator[Case]:
    yield shaped("Reshape", "(6,)->(2,3)", (6,), lambda x: ak.reshape(x, (2, 3)), lambda x: x.reshape(2, 3))
    yield shaped("Reshape", "-1", (2, 3), lambda x: x.reshape(3, -1), lambda x: x.reshape(3, -1))
    yield shaped("Reshape", "0-d", (), lambda x: ak.reshape(x, (1, 1)), lambda x: x.reshape(1, 1))
    yield shaped("PermuteDims", "reversed", (2, 3, 4), ak.permute_dims, np.transpose)
    yield shaped("PermuteDims", "negative axes", (2, 3, 4), lambda x: ak.transpose(x, (-1, 0, -2)),
                  lambda x: np.transpose(x, (-1, 0, -2)))  # fmt: skip
    yield shaped("PermuteDims", "a cycle", (2, 3, 4), lambda x: x.transpose(1, 2, 0), lambda x: x.transpose(1, 2, 0))
    yield shaped("ExpandDims", "0", (3,), lambda x: ak.expand_dims(x, 0), lambda x: x[None])
    yield shaped("ExpandDims", "several", (3, 2), lambda x: ak.expand_dims(x, (0, -1)),
                  lambda x: np.expand_dims(x, (0, -1)))  # fmt: skip
    yield shaped("Squeeze", "all", (1, 3, 1), ak.squeeze, np.squeeze)
    yield shaped("Squeeze", "one", (1, 3, 1), lambda x: ak.squeeze(x, 0), lambda x: np.squeeze(x, 0))
    yield shaped(
        "BroadcastTo",
        "rows",
        (3,),
        lambda x: ak.broadcast_to(x, (2, 3)),
        lambda x: np.broadcast_to(x, (2, 3)),
    )
    yield shaped("BroadcastTo", "columns", (2, 1), lambda x: ak.broadcast_to(x, (4, 2, 3)),
                  lambda x: np.broadcast_to(x, (4, 2, 3)))  # fmt: skip
    yield shaped("Roll", "1", (4,), lambda x: ak.roll(x, 1), lambda x: np.roll(x, 1))
    yield shaped("Roll", "tuples", (3, 4), lambda x: ak.roll(x, (1, -2), (0, 1)), lambda x: np.roll(x, (1, -2), (0, 1)))
    for axis in (0, -1):
        yield Case("Concat", f"axis={axis}", two((2, 2), (2, 2)), lambda a, b, k=axis: ak.concat([a, b, a], axis=k),
                   lambda a, b, k=axis: np.concatenate([a, b, a], k))  # fmt: skip
        yield Case("Stack", f"axis={axis}", two((3,), (3,)), lambda a, b, k=axis: ak.stack([a, b], axis=k),
                   lambda a, b, k=axis: np.stack([a, b], k))  # fmt: skip
    yield Case("Concat", "lengths differ", two((1, 2), (3, 2)), lambda a, b: ak.concat([a, b]),
               lambda a, b: np.concatenate([a, b]))  # fmt: skip
    for axis in (0, 1, -1):
        yield shaped(
            "Cumsum",
            f"axis={axis}",
            (3, 2),
            lambda x, k=axis: ak.cumsum(x, k),
            lambda x, k=axis: np.cumsum(x, k),
        )
    yield shaped("ToFloat", "float32", (3,), lambda x: ak.cast(x * 1.0, x.dtype), lambda x: x)


def _products() -> Iterator[Case]:
    for a, b in (((2, 3), (3, 4)), ((5, 2, 3), (3, 2)), ((2, 1, 2, 3), (4, 3, 2)), ((1, 1), (1, 1))):
        yield Case("Matmul", f"{a}@{b}", two(a, b), ak.matmul, np.matmul)
    for a, b in (((2, 3), (3,)), ((4, 2, 3), (3,)), ((3,), (3, 2)), ((3,), (4, 3, 2))):
        yield Case("Matvec", f"{a}@{b}", two(a, b), ak.matmul, np.matmul)
    yield Case("Vecdot", "(3,)@(3,)", two((3,), (3,)), ak.matmul, np.matmul)
    yield Case("Vecdot", "stacks", two((4, 3), (1, 3)), matrix_products._vecdot, lambda a, b: np.sum(a * b, -1))
    yield Case("tensordot", "2", two((2, 3, 2), (3, 2, 4)), ak.tensordot, np.tensordot)
    yield Case("tensordot", "pairs", two((2, 3), (4, 2)), lambda a, b: ak.tensordot(a, b, axes=((0,), (1,))),
               lambda a, b: np.tensordot(a, b, axes=((0,), (1,))))  # fmt: skip
    yield Case("outer", "", two((2,), (3,)), ak.outer, np.outer)
    for a, b in (((3,), (3,)), ((2, 3), (3, 2)), ((), (3,)), ((2, 3), (4, 3, 2))):
        yield Case("dot", f"{a},{b}", two(a, b), ak.dot, np.dot)


def _selection() -> Iterator[Case]:
    yield Case(
        "Select",
        "where",
        two((2, 3), (3,)),
        lambda a, b: ak.where(_MASK, a, b),
        lambda a, b: np.where(_MASK, a, b),
    )
    yield Case("Select", "one condition", two((2,), (2,)), lambda a, b: ak.where(True, a, b), lambda a, b: a + 0 * b)
    yield shaped("Clip", "both", (2, 3), lambda x: ak.clip(x, -1.013, 1.017), lambda x: np.clip(x, -1.013, 1.017))
    yield shaped("Clip", "below", (5,), lambda x: ak.clip(x, lo=0.11), lambda x: np.maximum(x, x.dtype.type(0.11)))
    yield Case("clip", "tensor bound", two((4,), (4,)), lambda x, lo: ak.clip(x, lo, 3.0), np.maximum)
    yield shaped("Identity", "", (3,), ak.identity, lambda x: x)
    yield shaped("LeakyRelu", "", (2, 3), ak.nn.leaky_relu, lambda x: np.where(x > 0, x, x.dtype.type(0.2) * x))
    yield shaped("LeakyRelu", "slope", (4,), lambda x: ak.nn.leaky_relu(x, slope=0.01),
                  lambda x: np.where(x > 0, x, x.dtype.type(0.01) * x))  # fmt: skip


def _neural() -> Iterator[Case]:
    for axis in (-1, 0):
        yield shaped(
            "Softmax",
            f"axis={axis}",
            (3, 4),
            lambda x, k=axis: ak.nn.softmax(x, k),
            lambda x, k=axis: _softmax(x, k),
        )
        yield shaped("LogSoftmax", f"axis={axis}", (3, 4), lambda x, k=axis: ak.nn.log_softmax(x, k),
                      lambda x, k=axis: special.log_softmax(x, axis=k))  # fmt: skip
    yield shaped("Softmax", "1-d", (3,), ak.nn.softmax, _softmax)
    yield shaped("MaskedSoftmax", "empty row", (3, 4), lambda x: ak.nn.masked_softmax(x, _KEEP), _masked_softmax)
    yield shaped("MaskedSoftmax", "stack", (2, 3, 4), lambda x: ak.nn.masked_softmax(x, _KEEP), _masked_softmax)
    yield shaped("SparseCrossEntropy", "rows", (4, 3),
                  lambda x: ak.nn.sparse_softmax_cross_entropy([0, 2, 2, 1], x), _cross_entropy)  # fmt: skip
    yield shaped("SparseCrossEntropy", "one", (3,), lambda x: ak.nn.sparse_softmax_cross_entropy(1, x),
                  lambda x: -np.log(_softmax(x))[1])  # fmt: skip
    yield shaped("embedding", "", (3, 2), lambda x: ak.nn.embedding(x, [[0, 2], [2, 2]]), lambda x: x[[[0, 2], [2, 2]]])


def _composed() -> Iterator[Case]:
    yield shaped("norm", "1", (4,), lambda x: ak.norm(x, 1), lambda x: np.abs(x).sum())
    yield shaped("norm", "inf", (2, 3), lambda x: ak.norm(x, np.inf, axis=1), lambda x: np.abs(x).max(1))
    for axis in (0, -1):
        yield shaped(
            "cumprod",
            f"axis={axis}",
            (3, 2),
            lambda x, k=axis: ak.cumprod(x, k),
            lambda x, k=axis: np.cumprod(x, k),
        )
        yield shaped("sort", f"axis={axis}", (3, 2), lambda x, k=axis: ak.sort(x, k), lambda x, k=axis: np.sort(x, k))
        yield shaped(
            "diff",
            f"axis={axis}",
            (3, 2),
            lambda x, k=axis: ak.diff(x, axis=k),
            lambda x, k=axis: np.diff(x, axis=k),
        )
        yield shaped("flip", f"axis={axis}", (3, 2), lambda x, k=axis: ak.flip(x, k), lambda x, k=axis: np.flip(x, k))
    yield shaped("var", "ddof", (4,), lambda x: ak.var(x, ddof=1), lambda x: np.var(x, ddof=1))
    yield shaped("std", "ddof", (2, 4), lambda x: ak.std(x, axis=1, ddof=1), lambda x: np.std(x, axis=1, ddof=1))
    yield shaped("swapaxes", "", (2, 3, 4), lambda x: ak.swapaxes(x, 0, -1), lambda x: x.swapaxes(0, -1))
    yield shaped("moveaxis", "", (2, 3, 4), lambda x: ak.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1))
    yield shaped("take", "flat", (2, 3), lambda x: ak.take(x, [5, 0, 0]), lambda x: np.take(x, [5, 0, 0]))
    yield shaped(
        "take",
        "axis",
        (2, 3),
        lambda x: ak.take(x, [[1, 1], [0, 2]], 1),
        lambda x: np.take(x, [[1, 1], [0, 2]], 1),
    )
    along = np.array([[0, 0], [2, 1]])
    yield shaped("take_along_axis", "", (2, 3), lambda x: ak.take_along_axis(x, along, 1),
                  lambda x: np.take_along_axis(x, along, 1))  # fmt: skip
    yield shaped("split", "", (4, 2), lambda x: ak.split(x, 2)[1] * ak.split(x, [1, 3])[1], lambda x: x[2:] * x[1:3])
    yield Case("moments", "", one(4, 3), lambda x: ak.concat(ak.nn.moments(x, 0)),
               lambda x: np.concatenate([x.mean(0), x.var(0)]))  # fmt: skip


def _special_functions() -> Iterator[Case]:
    for order in (0, 1, 2, 5):
        for shape in ((), (2, 3)):
            yield Case("Polygamma", f"{order} {shape}", lambda rng, s=shape: draw_inputs(rng, "positive", s),
                       lambda x, n=order: ak.polygamma(n, x), lambda x, n=order: special.polygamma(n, x))  # fmt: skip
    for order in (1, 2, 5):
        yield Case("SincDerivative", f"{order}", one(2, 3),
                   lambda x, n=order: elementary_functions._sinc_derivative(x, n),
                   lambda x, n=order: _derivative_of_sinc(x, n))  # fmt: skip


def _derivative_of_sinc(x: Array, n: int) -> Array:
    """By ``f⁽ⁿ⁾(z) = ∫ tⁿ cos(z t + n π / 2) dt`` over t from 0 to 1, for sin(z) / z at z = π x."""
    t, share = np.polynomial.legendre.leggauss(60)
    t, z = (t + 1.0) / 2.0, np.pi * np.asarray(x, float)[..., None]
    return np.pi**n * np.sum(share / 2.0 * t**n * np.cos(z * t + n * np.pi / 2.0), -1)


_FAMILIES = [
    importlib.import_module(f".{path.stem}", __package__) for path in sorted(Path(__file__).parent.glob("cases_*.py"))
]

CASES: list[Case] = [
    *(case for key in elementwise_operations() for case in elementwise_cases(OPS[key])),
    *_reductions(), *_indexing(), *_shapes(), *_products(), *_selection(), *_neural(), *_composed(),
    *_special_functions(),
    *(case for family in _FAMILIES for case in family.CASES),
]  # fmt: skip

# Operations without a gradient: a call, and NumPy's result. Generated if they take no parameters.
WITHOUT_GRADIENT: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    key: (op.function, expected_value(op))  # type: ignore[misc]
    for key, op in OPS.items()
    if op.family == "nondifferentiable" and key not in INTEGER_INPUTS | {case.key for case in CASES}
} | {
    "RoundTo": (lambda x: ak.round(x, 1), lambda x: np.round(x, 1)),
    "ToInt": (lambda x: ak.cast(x, "int64"), lambda x: x.astype(np.int64)),
    "IsClose": (lambda x: ak.isclose(x, x + 1e-9), lambda x: np.isclose(x, x + 1e-9)),
    "Searchsorted": (lambda x: ak.searchsorted([0.5], x), lambda x: np.searchsorted([0.5], x)),
}
