"""Cases of NumPy's functions on arrays: joining, scans, norms, statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autodiff_kit as ak
from autodiff_kit.ops import cumulative

from .case import Array, Case, one, shaped, two

_NAN = np.array([[False, True, False], [False, False, False]])


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
    yield shaped("delete", "", (4,), lambda x: ak.delete(x, [0, 2]), lambda x: np.delete(x, [0, 2]))
    yield _same("partition", 5, kth=4)
    yield shaped("sort", "falling", (2, 3), lambda x: ak.sort(x, descending=True), lambda x: -np.sort(-x))
    yield shaped("sort", "axis=None", (2, 3), lambda x: ak.sort(x, None), lambda x: np.sort(x, None))
    yield shaped("topk", "", (2, 4), lambda x: ak.topk(x, 2)[0], lambda x: -np.sort(-x)[:, :2])
    along = np.array([[1, 0]])
    yield shaped("take_along_axis", "broadcast", (2, 3), lambda x: ak.take_along_axis(x, along, 1),
                 lambda x: np.take_along_axis(x, along, 1))  # fmt: skip


def _log_of_sums(x: Array, axis: int) -> Array:
    return np.log(np.cumsum(np.exp(x), axis))


def _scans() -> Iterator[Case]:
    for name, key in (("cumprod", "Cumprod"), ("cumsum", "Cumsum")):
        for axis in (0, -1, None):
            yield shaped(key, f"axis={axis}", (3, 4), lambda x, f=name, k=axis: getattr(ak, f)(x, k),
                         lambda x, f=name, k=axis: getattr(np, f)(x, k))  # fmt: skip
    yield shaped("Cumprod", "0-d", (), ak.cumprod, np.cumprod)
    for axis in (0, 1):
        yield shaped("Cumlogsumexp", f"axis={axis}", (3, 4), lambda x, k=axis: ak.cumlogsumexp(x, k),
                     lambda x, k=axis: _log_of_sums(x, k))  # fmt: skip
        yield shaped("cummax", f"axis={axis}", (3, 4), lambda x, k=axis: ak.cummax(x, k),
                     lambda x, k=axis: np.maximum.accumulate(x, k))  # fmt: skip
    yield shaped("cummin", "", (5,), ak.cummin, np.minimum.accumulate)
    for axis in (0, 1):
        yield Case("Recurrence", f"axis={axis}", two((3, 2), (3, 2)),
                   lambda b, a, k=axis: cumulative._recurrence(b, a, k - 2),
                   lambda b, a, k=axis: _run_along(b, a, k))  # fmt: skip
    yield shaped("cumulative_sum", "", (3,), lambda x: ak.cumulative_sum(x, include_initial=True),
                 lambda x: np.concatenate([[0.0], np.cumsum(x)]))  # fmt: skip
    for n in (0, 2, 3):
        yield _same("diff", 3, 2, n=n, axis=0)
    yield Case(
        "diff", "prepend", two((3,), (1,)), lambda x, p: ak.diff(x, prepend=p), lambda x, p: np.diff(x, prepend=p)
    )
    yield Case("trapezoid", "x", two((3, 4), (4,)), lambda y, x: ak.trapezoid(y, x), lambda y, x: np.trapezoid(y, x))
    yield _same("trapezoid", 3, 2, axis=0, dx=0.5)


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


def _without(f: Callable[..., Any]) -> Callable[..., Any]:
    """Arrays with nan at some positions."""
    return lambda x: f(ak.where(_NAN, np.nan, x) if isinstance(x, ak.Tensor) else np.where(_NAN, np.nan, x))


def _statistics() -> Iterator[Case]:
    for axis in (None, 0, (0, 1)):
        for name in ("median", "ptp"):
            yield _same(name, 2, 3, axis=axis)
        yield _same("quantile", 2, 3, axis=axis, q=0.3)
    for method in ("lower", "higher", "nearest", "midpoint"):
        yield _same("quantile", 4, q=0.4, method=method)
    yield _same("percentile", 2, 4, q=[10.0, 75.0], axis=1, keepdims=True)
    for name in ("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd", "nanmedian"):
        for axis in (None, 1):
            yield shaped(name, f"axis={axis}", (2, 3), _without(lambda x, n=name, k=axis: getattr(ak, n)(x, axis=k)),
                         _without(lambda x, n=name, k=axis: getattr(np, n)(x, axis=k)))  # fmt: skip
    yield shaped("nancumsum", "", (2, 3), _without(ak.nancumsum), _without(np.nancumsum))
    yield shaped("nanquantile", "", (2, 3), _without(lambda x: ak.nanquantile(x, 0.3, 1)),
                 _without(lambda x: np.nanquantile(x, 0.3, 1)))  # fmt: skip
    weights = lambda rng: (rng.uniform(-1, 1, (2, 3)), rng.uniform(0.5, 1.5, 3))  # noqa: E731
    yield Case("average", "", weights, lambda x, w: ak.average(x, 1, w), lambda x, w: (x * w).sum(1) / w.sum())


def _signals() -> Iterator[Case]:
    places, values = np.array([-1.5, -0.7, 0.3, 1.4]), (4,)
    yield Case("interp", "", two((2, 3), values), lambda x, f: ak.interp(x, places.astype(f.dtype), f),
               lambda x, f: np.interp(x, places, f))  # fmt: skip
    yield shaped("interp", "places", (4,), lambda p: ak.interp(np.asarray([0.1, 0.9], p.dtype), p * 0.01 + _line(p), p),
                 lambda p: np.interp([0.1, 0.9], p * 0.01 + np.arange(4) / 3, p))  # fmt: skip
    for axis in (0, 1):
        yield shaped("gradient", f"axis={axis}", (3, 4), lambda x, k=axis: ak.slopes(x, 0.5, k),
                     lambda x, k=axis: np.gradient(x, 0.5, axis=k))  # fmt: skip
    for mode in ("full", "same", "valid"):
        for sizes in (((5,), (3,)), ((2,), (4,))):
            yield Case("convolve", f"{mode} {sizes}", two(*sizes), lambda a, b, m=mode: ak.convolve(a, b, m),
                       lambda a, b, m=mode: np.convolve(a, b, m))  # fmt: skip
    yield Case("correlate", "", two((5,), (3,)), ak.correlate, np.correlate)
    yield Case("polyval", "", two((4,), (2, 2)), ak.polyval, np.polyval)
    yield shaped("cov", "", (2, 4), ak.cov, np.cov)
    yield shaped("cov", "columns", (4, 2), lambda x: ak.cov(x, rowvar=False), lambda x: np.cov(x, rowvar=False))
    yield shaped("corrcoef", "", (2, 4), ak.corrcoef, np.corrcoef)


def _line(p: Any) -> Any:
    return (np.arange(4) / 3).astype(p.dtype)


def _pairs() -> Iterator[Case]:
    yield Case("fmax", "", two((2, 3), (3,)), ak.fmax, np.fmax)
    yield Case("fmin", "", two((2, 3), (3,)), ak.fmin, np.fmin)
    yield Case("divide_no_nan", "", two((2, 3), (3,)), ak.divide_no_nan, np.divide)
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
    *_joining(), *_turning(), *_scans(), *_norms(), *_statistics(), *_signals(), *_pairs(),
]  # fmt: skip
