"""Assign offsets in one memory arena so that values with overlapping lifetimes do not overlap."""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heappop, heappush

__all__ = ["CACHE_LINE", "arena_size", "offsets_by_size", "offsets_by_start", "pack_offsets"]

CACHE_LINE = 64  # bytes

MAX_BEST_FIT_VALUES = 1000
"""With more values, quadratic packing takes too long."""


def pack_offsets(sizes: list[int], lifetimes: list[tuple[int, int]]) -> list[int]:
    """Offsets for values of the given sizes and lifetimes that keep the arena small."""
    if len(sizes) > MAX_BEST_FIT_VALUES:
        return offsets_by_start(sizes, lifetimes)
    longest = sorted(range(len(sizes)), key=lambda k: (lifetimes[k][0] - lifetimes[k][1], -sizes[k]))
    tries = (offsets_by_size(sizes, lifetimes), place_in_order(sizes, lifetimes, longest))
    return min(tries, key=lambda places: arena_size(sizes, places))


def arena_size(sizes: list[int], places: list[int]) -> int:
    """The end of the last value."""
    return max((place + size for place, size in zip(places, sizes, strict=True)), default=0)


def offsets_by_size(sizes: list[int], lifetimes: list[tuple[int, int]]) -> list[int]:
    """Offsets assigned greedily, the largest value first."""
    return place_in_order(sizes, lifetimes, sorted(range(len(sizes)), key=lambda k: (-sizes[k], lifetimes[k][0])))


def place_in_order(sizes: list[int], lifetimes: list[tuple[int, int]], order: list[int]) -> list[int]:
    """Offsets assigned in the given order, each the lowest one that is free: tight packing in quadratic time."""
    found = [0] * len(sizes)
    placed: list[tuple[int, int, int, int]] = []  # offset, end, first, last
    for k in order:
        low, high = lifetimes[k]
        at = 0
        for offset, end, first, last in placed:
            if first <= high and low <= last:
                if at + sizes[k] <= offset:
                    break
                at = max(at, end)
        found[k] = at
        insort(placed, (at, at + sizes[k], low, high))
    return found


def offsets_by_start(sizes: list[int], lifetimes: list[tuple[int, int]]) -> list[int]:
    """Best-fit offsets in the order in which lifetimes begin. Nearly linear time, for long programs."""
    found = [0] * len(sizes)
    gaps: list[tuple[int, int]] = []  # offset, end
    ending: list[tuple[int, int]] = []  # last, number
    top = 0
    for k in sorted(range(len(sizes)), key=lambda k: lifetimes[k]):
        while ending and ending[0][0] < lifetimes[k][0]:
            done = heappop(ending)[1]
            _add_gap(gaps, found[done], found[done] + sizes[done])
        fits = [(end - offset, g) for g, (offset, end) in enumerate(gaps) if end - offset >= sizes[k]]
        if fits:
            g = min(fits)[1]
            offset, end = gaps.pop(g)
            if offset + sizes[k] < end:
                gaps.insert(g, (offset + sizes[k], end))
        else:
            offset = gaps.pop()[0] if gaps and gaps[-1][1] == top else top
            top = offset + sizes[k]
        found[k] = offset
        heappush(ending, (lifetimes[k][1], k))
    return found


def _add_gap(gaps: list[tuple[int, int]], offset: int, end: int) -> None:
    """Insert a free gap and merge it with its neighbours."""
    g = bisect_left(gaps, (offset, end))
    if g < len(gaps) and gaps[g][0] == end:
        end = gaps.pop(g)[1]
    if g and gaps[g - 1][1] == offset:
        offset = gaps.pop(g - 1)[0]
        g -= 1
    gaps.insert(g, (offset, end))
