"""Places for values in one piece of memory, none in that of another while both live."""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heappop, heappush

__all__ = ["LINE", "by_size", "by_time", "packed"]

LINE = 64  # bytes

MANY = 1000
"""Values beyond which packing them tightly would take too long."""


def packed(sizes: list[int], lives: list[tuple[int, int]]) -> list[int]:
    """Offsets that take little more than what is in use at once."""
    if len(sizes) > MANY:
        return by_time(sizes, lives)
    longest = sorted(range(len(sizes)), key=lambda k: (lives[k][0] - lives[k][1], -sizes[k]))
    tries = (by_size(sizes, lives), in_turn(sizes, lives, longest))
    return min(
        tries, key=lambda places: max((place + size for place, size in zip(places, sizes, strict=True)), default=0)
    )


def by_size(sizes: list[int], lives: list[tuple[int, int]]) -> list[int]:
    """Offsets, the largest value first."""
    return in_turn(sizes, lives, sorted(range(len(sizes)), key=lambda k: (-sizes[k], lives[k][0])))


def in_turn(sizes: list[int], lives: list[tuple[int, int]], order: list[int]) -> list[int]:
    """Offsets, each at the lowest place that is free while the value lives. Quadratic, and tight."""
    found = [0] * len(sizes)
    placed: list[tuple[int, int, int, int]] = []  # offset, end, first, last
    for k in order:
        low, high = lives[k]
        at = 0
        for offset, end, first, last in placed:
            if first <= high and low <= last:
                if at + sizes[k] <= offset:
                    break
                at = max(at, end)
        found[k] = at
        insort(placed, (at, at + sizes[k], low, high))
    return found


def by_time(sizes: list[int], lives: list[tuple[int, int]]) -> list[int]:
    """Offsets in the order in which values begin, each in the smallest gap that fits: for long programs."""
    found = [0] * len(sizes)
    gaps: list[tuple[int, int]] = []  # offset, end
    ending: list[tuple[int, int]] = []  # last, number
    top = 0
    for k in sorted(range(len(sizes)), key=lambda k: lives[k]):
        while ending and ending[0][0] < lives[k][0]:
            done = heappop(ending)[1]
            _free(gaps, found[done], found[done] + sizes[done])
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
        heappush(ending, (lives[k][1], k))
    return found


def _free(gaps: list[tuple[int, int]], offset: int, end: int) -> None:
    """Add a gap, joined to those beside it."""
    g = bisect_left(gaps, (offset, end))
    if g < len(gaps) and gaps[g][0] == end:
        end = gaps.pop(g)[1]
    if g and gaps[g - 1][1] == offset:
        offset = gaps.pop(g - 1)[0]
        g -= 1
    gaps.insert(g, (offset, end))
