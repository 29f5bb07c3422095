"""Cases of NumPy's functions on arrays: joining, scans, norms, statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import autodiff_kit as ak
from autodiff_kit.ops import cumulative

from .case import Array, Case, one, shaped, two


def _same(name: str, *shape: int, label: str = "", **params: Any) -> Case:
    """The NumPy function of the same name."""
    return shaped(
        name, f"{label or shape} {params or ''}".strip(), shape,
        lambda x: getattr(ak, name)(x, **params), lambda x: getattr(np, name)(x, **params),
    )  # fmt: skip


def _joining() -> Iterator[Case]:
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        for shapes in (((3,), (3,)), ((2, 3), (2, 3))):
            yield Case(name, str(shapes), two(*shapes), lambda a, b, n=name: getattr(ak, n)([a, b]),
                       lambda a, b, n=name: getattr(np, n)([a, b]))  # fmt: skip
    yield Case("append", "", two((2,), (3, 1)), ak.append, np.append)
    yield Case("concat", "axis=None", two((2, 2), (3,)), lambda a, b: ak.concat([a, b], None),
               lambda a, b: np.concatenate([a, b], None))  # fmt: skip
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        yield shaped("pad", mode, (3, 2), lambda x, m=mode: ak.pad(x, ((1, 2), (0, 3)), mode=m),
                     lambda x, m=mode: np.pad(x, ((1, 2), (0, 3)), mode=m))  # fmt: skip
    yield shaped("Frame", "pairs", (3, 2), lambda x: ak.pad(x, ((1, 2), (0, 1)), constant_values=(5.0, 7.0)),
                 lambda x: np.pad(x, ((1, 2), (0, 1)), constant_values=(5.0, 7.0)))  # fmt: skip
    for times in (3, (2, 1), (2, 1, 2)):
        yield shaped("tile", str(times), (2, 3), lambda x, t=times: ak.tile(x, t), lambda x, t=times: np.tile(x, t))
    for repeats, axis in ((2, None), (3, 1), ([2, 0], 0)):
        yield _same("repeat", 2, 3, repeats=repeats, axis=axis)
    yield shaped("unstack", "", (3, 2), lambda x: ak.unstack(x)[0] * ak.unstack(x)[2], lambda x: x[0] * x[2])
    yield shaped("array_split", "", (5,), lambda x: ak.array_split(x, 3)[1], lambda x: x[2:4])
    yield shaped("hsplit", "", (2, 4), lambda x: ak.hsplit(x, 2)[1], lambda x: x[:, 2:])
    yield shaped("vsplit", "", (4, 2), lambda x: ak.vsplit(x, [1])[1], lambda x: x[1:])


def _turning() -> Iterator[Case]:
    for k in (1, 2, -1):
        yield _same("rot90", 2, 3, k=k)
    yield _same("rot90", 2, 3, 2, axes=(2, 0))
    yield _same("fliplr", 2, 3)
    yield _same("flipud", 2, 3)
    yield _same("moveaxis", 2, 3, 4, source=(0, 1), destination=(-1, 0))
    yield _same("rollaxis", 2, 3, 4, axis=2, start=1)
    yield shaped("Roll", "flattened", (2, 3), lambda x: ak.roll(x, 2), lambda x: np.roll(x, 2))
    for n in (1, 2, 3):
        yield _same(f"atleast_{n}d", 3)
    yield Case("meshgrid", "", two((2,), (3,)), lambda a, b: ak.meshgrid(a, b)[0] * ak.meshgrid(a, b)[1],
               lambda a, b: np.multiply(*np.meshgrid(a, b)))  # fmt: skip
    yield _same("partition", 5, kth=4)
    yield shaped("sort", "falling", (2, 3), lambda x: ak.sort(x, descending=True), lambda x: -np.sort(-x))
    yield shaped("sort", "axis=None", (2, 3), lambda x: ak.sort(x, None), lambda x: np.sort(x, None))
    yield shaped("topk", "", (2, 4), lambda x: ak.topk(x, 2)[0], lambda x: -np.sort(-x)[:, :2])
    along = np.array([[1, 0]])
    yield shaped("take_along_axis", "broadcast", (2, 3), lambda x: ak.take_along_axis(x, along, 1),
                 lambda x: np.take_along_axis(x, along, 1))  # fmt: skip


def _scans() -> Iterator[Case]:
    for name, key in (("cumprod", "Cumprod"), ("cumsum", "Cumsum")):
        for axis in (0, -1, None):
            yield shaped(key, f"axis={axis}", (3, 4), lambda x, f=name, k=axis: getattr(ak, f)(x, k),
                         lambda x, f=name, k=axis: getattr(np, f)(x, k))  # fmt: skip
    yield shaped("Cumprod", "0-d", (), ak.cumprod, np.cumprod)
    for axis in (0, 1):
        yield Case("Recurrence", f"axis={axis}", two((3, 2), (3, 2)),
                   lambda b, a, k=axis: cumulative._recurrence(b, a, k - 2),
                   lambda b, a, k=axis: _run_along(b, a, k))  # fmt: skip
    for n in (0, 2, 3):
        yield _same("diff", 3, 2, n=n, axis=0)
    yield Case(
        "diff", "prepend", two((3,), (1,)), lambda x, p: ak.diff(x, prepend=p), lambda x, p: np.diff(x, prepend=p)
    )
    for axis in (0, 1):
        yield shaped("gradient", f"axis={axis}", (3, 4), lambda x, k=axis: ak.slopes(x, 0.5, k),
                     lambda x, k=axis: np.gradient(x, 0.5, axis=k))  # fmt: skip


def _run_along(b: Array, a: Array, axis: int) -> Array:
    out = np.array(b)
    rows, by = np.moveaxis(out, axis, 0), np.moveaxis(a, axis, 0)
    for k in range(1, len(rows)):
        rows[k] += by[k] * rows[k - 1]
    return out


def _norms() -> Iterator[Case]:
    for p in (3, 1.5, 0.5, -np.inf, -1):
        yield shaped("Normp" if np.isfinite(p) else "norm", f"{p}", (2, 3), lambda x, p=p: ak.norm(x, p, axis=1),
                     lambda x, p=p: np.linalg.norm(x, p, axis=1))  # fmt: skip
    for ord in ("fro", 1, -1, np.inf, -np.inf):
        yield shaped(
            "norm", f"matrix {ord}", (2, 3), lambda x, p=ord: ak.norm(x, p), lambda x, p=ord: np.linalg.norm(x, p)
        )
    yield shaped("vector_norm", "", (2, 3), lambda x: ak.vector_norm(x, ord=3), lambda x: np.linalg.norm(x.ravel(), 3))


def _pairs() -> Iterator[Case]:
    yield Case("fmax", "", two((2, 3), (3,)), ak.fmax, np.fmax)
    yield Case("fmin", "", two((2, 3), (3,)), ak.fmin, np.fmin)
    yield shaped("Copysign", "", (2, 3), lambda x: ak.copysign(x, np.array([1.0, -1.0, -0.0], x.dtype)),
                 lambda x: np.copysign(x, x.dtype.type([1.0, -1.0, -0.0])))  # fmt: skip
    yield shaped("Copysign", "of an integer beyond 64 bits", (3,), lambda x: ak.copysign(x, -(2**70)),
                 lambda x: -np.abs(x))  # fmt: skip
    yield shaped("NanToNum", "", (3,), ak.nan_to_num, lambda x: x)
    yield shaped("positive", "", (3,), ak.positive, lambda x: x)
    yield shaped("fabs", "", (3,), ak.fabs, np.fabs)
    yield Case("linspace", "", two((), ()), lambda a, b: ak.linspace(a, b, 5).astype(a.dtype),
               lambda a, b: np.linspace(a, b, 5))  # fmt: skip
    yield Case("full", "", one(), lambda a: ak.full((2, 2), a), lambda a: np.full((2, 2), a))
    yield Case("np.select", "", two((3,), (3,)),
               lambda a, b: np.select([np.array([True, False, False]), np.array([True, True, False])], [a, b], 5.0)
               if isinstance(a, np.ndarray) else _select(a, b), lambda a, b: np.array([a[0], b[1], 5.0]))  # fmt: skip


def _select(a: Any, b: Any) -> Any:
    where = [np.array([True, False, False]), np.array([True, True, False])]
    return np.select(where, [a, b], ak.constant(5.0, a.dtype))


CASES: list[Case] = [
    *_joining(), *_turning(), *_scans(), *_norms(), *_pairs(),
]  # fmt: skip
