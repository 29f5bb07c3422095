"""Cases of rows in groups; the references are loops over the groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autodiff_kit as ak
from autodiff_kit.ops import segment_reductions

from .case import Array, Case, shaped, two

_IDS = {
    "sorted": np.array([0, 0, 1, 1, 1]),
    "unsorted, gaps": np.array([4, 0, 4, 2, 4]),
    "alone": np.array([3, 1, 0, 4, 2]),
    "together": np.zeros(5, int),
}
_KINDS: dict[str, tuple[Callable[..., Any], Callable[..., Any], int]] = {
    "Sum": (ak.segment.segment_sum, np.sum, 0), "Mean": (ak.segment.segment_mean, np.mean, 0),
    "Max": (ak.segment.segment_max, np.max, 0), "Min": (ak.segment.segment_min, np.min, 0),
    "Prod": (ak.segment.segment_prod, np.prod, 1),
}  # fmt: skip


def grouped(reduce: Any, x: Array, ids: Any, count: int, empty: int) -> Array:
    """Each group by itself."""
    ids = np.asarray(ids)
    groups = [x[ids == k] for k in range(count)]
    rows = [reduce(g, axis=0) if len(g) else np.full(x.shape[ids.ndim :], empty, x.dtype) for g in groups]
    return np.stack(rows) if rows else np.zeros((0, *x.shape[ids.ndim :]), x.dtype)


def _groups() -> Iterator[Case]:
    for kind, (call, reduce, empty) in _KINDS.items():
        for label, ids in _IDS.items():
            for shape in ((5,), (5, 2), (5, 1, 3)):
                yield shaped(
                    f"Segment{kind}", f"{shape} {label}", shape,
                    lambda x, f=call, i=ids: f(x, i, 6),
                    lambda x, f=reduce, i=ids, e=empty: grouped(f, x, i, 6, e),
                )  # fmt: skip
        yield shaped(
            f"Segment{kind}", "ids of two axes", (2, 3, 2),
            lambda x, f=call: f(x, [[0, 2, 0], [2, 2, 0]]),
            lambda x, f=reduce, e=empty: grouped(f, x, [[0, 2, 0], [2, 2, 0]], 3, e),
        )  # fmt: skip
        yield shaped(
            f"Segment{kind}", "nothing", (0, 2), lambda x, f=call: f(x, [], 2),
            lambda x, e=empty: np.full((2, 2), e, x.dtype),
        )  # fmt: skip


_TO, _FROM = np.array([0, 2, 0, 1, 2, 2]), np.array([1, 3, 1, 0, 0, 2])


def _dense(values: Array, x: Array) -> Array:
    matrix = np.zeros((3, 4), values.dtype)
    np.add.at(matrix, (_TO, _FROM), values)
    return matrix @ x  # type: ignore[no-any-return]


def _last(x: Array, y: Array) -> Array:
    return np.stack([y[1], x[1], np.zeros_like(x[0]), x[2], y[0]])


def _weighted_parts(x: Any) -> Any:
    parts = ak.segment.dynamic_partition(x, [1, 0, 1, 3, 0], 4)
    return ak.concat([float(k) * part for k, part in enumerate(parts, start=1)])


def _others() -> Iterator[Case]:
    places = (_TO, _FROM, (3, 4))
    for shape in ((4,), (4, 2)):
        yield Case("SparseProduct", str(shape), two((6,), shape),
                   lambda a, x: ak.segment.sparse_matmul(places, x, a), _dense)  # fmt: skip
        yield shaped("SparseProduct", f"{shape} ones", shape, lambda x: ak.segment.sparse_matmul(places, x),
                     lambda x: _dense(np.ones(6), x))  # fmt: skip
    yield shaped("GatherRows", "middle axis", (2, 3, 2),
                 lambda x: segment_reductions.gather_rows(x, ids=np.array([2, 0, 2, 2]), ndim=2),
                 lambda x: x[:, [2, 0, 2, 2]])  # fmt: skip
    yield shaped("dynamic_partition", "", (5, 2), _weighted_parts,
                 lambda x: np.concatenate([1 * x[[1, 4]], 2 * x[[0, 2]], 4 * x[[3]]]))  # fmt: skip
    yield Case("dynamic_stitch", "gap, replaced", two((3, 2), (2, 2)),
               lambda x, y: ak.segment.dynamic_stitch([[0, 1, 3], [4, 0]], [x, y]), _last)  # fmt: skip
    yield Case("dynamic_stitch", "full", two((2,), ()), lambda x, y: ak.segment.dynamic_stitch([[2, 0], 1], [x, y]),
               lambda x, y: np.stack([x[1], y, x[0]]))  # fmt: skip
    yield Case(
        "class_means", "previous", two((5, 2), (4, 2)),
        lambda x, m: ak.segment.class_means(x, _IDS["sorted"], previous=m, rate=0.25),
        lambda x, m: np.stack([0.75 * m[0] + 0.25 * x[:2].mean(0), 0.75 * m[1] + 0.25 * x[2:].mean(0), m[2], m[3]]),
    )  # fmt: skip


CASES: list[Case] = [*_groups(), *_others()]
