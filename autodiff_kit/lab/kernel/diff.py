"""Align the rows of two tapes, and measure how much aligned values differ."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from autodiff_kit.lab.kernel.value_summary import is_unavailable

__all__ = ["align_rows", "max_difference", "rounding_of"]

Alignment = list[tuple[int | None, int | None]]

_MAX_EDITS = 400  # largest number of added and removed rows for which the shortest edit script is computed
_LOOKAHEAD = 200  # otherwise, the largest distance of the next common run
_COMMON_RUN = 3  # number of consecutive rows that make a common run


def align_rows(a: Sequence[Hashable], b: Sequence[Hashable]) -> Alignment:
    """Pairs of matching positions, in order; None if one side has no counterpart.

    Parameters
    ----------
    a, b : sequence
        Keys of the rows.

    Notes
    -----
    **Cost.** Linear, and quadratic in the number of differences as long as these are few. Two tapes with little in
    common are walked in parallel with a short look-ahead, so that the cost is always moderate.

    References
    ----------
    .. [1] Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986).

    Examples
    --------
    >>> from autodiff_kit.lab.kernel.diff import align_rows
    >>> align_rows("abcd", "axcd")
    [(0, 0), (1, None), (None, 1), (2, 2), (3, 3)]
    """
    ids: dict[Hashable, int] = {}
    p = [ids.setdefault(key, len(ids)) for key in a]
    q = [ids.setdefault(key, len(ids)) for key in b]
    start = 0
    while start < min(len(p), len(q)) and p[start] == q[start]:
        start += 1
    end = 0
    while end < min(len(p), len(q)) - start and p[-1 - end] == q[-1 - end]:
        end += 1
    middle_p, middle_q = p[start : len(p) - end], q[start : len(q) - end]
    matches = _myers_matches(middle_p, middle_q)
    if matches is None:
        matches = _lookahead_matches(middle_p, middle_q)
    same = [(k, k) for k in range(start)]
    same += [(i + start, j + start) for i, j in matches]
    same += [(len(p) - end + k, len(q) - end + k) for k in range(end)]
    return _with_gaps(same, len(p), len(q))


def _with_gaps(same: list[tuple[int, int]], n: int, m: int) -> Alignment:
    """The matches, with the unmatched positions between them."""
    pairs: Alignment = []
    i = j = 0
    for x, y in [*same, (n, m)]:
        pairs += [(k, None) for k in range(i, x)]
        pairs += [(None, k) for k in range(j, y)]
        if x < n or y < m:
            pairs.append((x, y))
        i, j = x + 1, y + 1
    return pairs


def _myers_matches(p: list[int], q: list[int]) -> list[tuple[int, int]] | None:
    """Matches of the shortest edit script (Myers); None if it has too many edits."""
    n, m = len(p), len(q)
    if not n or not m:
        return []
    far = {1: 0}
    trace: list[dict[int, int]] = []
    for d in range(min(n + m, _MAX_EDITS) + 1):
        trace.append(dict(far))
        for k in range(-d, d + 1, 2):
            down = k == -d or (k != d and far.get(k - 1, -1) < far.get(k + 1, -1))
            x = far.get(k + 1, 0) if down else far.get(k - 1, 0) + 1
            y = x - k
            while x < n and y < m and p[x] == q[y]:
                x, y = x + 1, y + 1
            far[k] = x
            if x >= n and y >= m:
                return _backtrack(trace, n, m)
    return None


def _backtrack(trace: list[dict[int, int]], n: int, m: int) -> list[tuple[int, int]]:
    """The matches along the edit path that was found, traced from its end."""
    matches: list[tuple[int, int]] = []
    x, y = n, m
    for d in range(len(trace) - 1, -1, -1):
        far, k = trace[d], x - y
        down = k == -d or (k != d and far.get(k - 1, -1) < far.get(k + 1, -1))
        before = k + 1 if down else k - 1
        u = far.get(before, 0)
        w = u - before
        while x > u and y > w:
            x, y = x - 1, y - 1
            matches.append((x, y))
        x, y = u, w
    return matches[::-1]


def _lookahead_matches(p: list[int], q: list[int]) -> list[tuple[int, int]]:
    """Matches found by walking both sides: after a difference, continue at the nearest common run."""
    matches: list[tuple[int, int]] = []
    i = j = 0
    while i < len(p) and j < len(q):
        if p[i] == q[j]:
            matches.append((i, j))
            i, j = i + 1, j + 1
        else:
            i, j = _next_common_run(p, q, i, j)
    return matches


def _next_common_run(p: list[int], q: list[int], i: int, j: int) -> tuple[int, int]:
    runs: dict[tuple[int, ...], int] = {}
    for y in range(j, min(j + _LOOKAHEAD, len(q) - _COMMON_RUN + 1)):
        runs.setdefault(tuple(q[y : y + _COMMON_RUN]), y)
    best: tuple[int, int, int] | None = None
    for x in range(i, min(i + _LOOKAHEAD, len(p) - _COMMON_RUN + 1)):
        if best is not None and x - i >= best[0]:
            break
        hit = runs.get(tuple(p[x : x + _COMMON_RUN]))
        if hit is not None and (best is None or x - i + hit - j < best[0]):
            best = (x - i + hit - j, x, hit)
    return (i + 1, j + 1) if best is None else best[1:]


def max_difference(a: Any, b: Any) -> float | None:
    """Largest absolute difference of two arrays: inf if only one is nan or None, None if one is unavailable."""
    if is_unavailable(a) or is_unavailable(b):
        return None
    if a is b or (type(a) is float and a == b):
        return 0.0
    if a is None or b is None:
        return 0.0 if a is b else np.inf
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape:
        return np.inf
    if np.array_equal(x, y):
        return 0.0
    with np.errstate(all="ignore"):
        distance = (
            np.abs(x.astype(np.complex128) - y) if "c" in x.dtype.kind + y.dtype.kind else _absolute_difference(x, y)
        )
    distance = np.where(np.isnan(distance), np.where(_equal_or_both_nan(x, y), 0.0, np.inf), distance)
    return float(distance.max())


def rounding_of(a: Any, b: Any) -> float:
    """A difference of two arrays that rounding alone may make: 1e-9 of their largest finite entry."""
    finite = [np.abs(x[np.isfinite(x)]) for x in (np.asarray(a), np.asarray(b)) if x.dtype.kind in "fciub"]
    return 1e-9 * max((float(x.max()) for x in finite if x.size), default=0.0)


def _absolute_difference(x: Any, y: Any) -> Any:
    return np.where(x == y, 0.0, np.abs(x.astype(np.float64) - y.astype(np.float64)))


def _equal_or_both_nan(x: Any, y: Any) -> Any:
    return (x == y) | (np.isnan(x.astype(np.float64)) & np.isnan(y.astype(np.float64)))
