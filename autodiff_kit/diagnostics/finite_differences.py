"""Slopes by finite differences, with an error of their own, and what is odd about a point.

Along a line through a point, a function is looked at with steps that shrink. Where it is smooth, central differences
approach the slope with an error in even powers of the step, so that a few of them extrapolate to many digits; how far
neighbours in the table differ, and the rounding of the values, give the error. Where it is not, the way in which
something grows tells what stands there. With steps of h:

=====================  ====================================================
smooth                 the slopes of both sides differ by something like h
kink                   they stay apart
vertical slope         the quotient grows, but less than 1/h
jump                   the quotient grows like 1/h
pole                   it grows faster
=====================  ====================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Ladder", "Slope", "rounding_of", "slopes"]

Line = Callable[[float], Any]
Array = np.ndarray[Any, Any]

CLEAR = 10.0
"""How many times the rounding of the values something must be to mean anything."""


@dataclass(frozen=True)
class Ladder:
    """Steps that shrink, largest first; the precision of the numbers, and their size."""

    steps: Array
    factor: float
    eps: float
    size: float

    @classmethod
    def of(cls, dtype: Any, first: float | None, size: float) -> Ladder:
        """Steps suited to a dtype and to numbers of a size, or beginning with a given one."""
        eps, wide = float(np.finfo(dtype).eps), max(size, 1.0)
        last = eps**0.7 * wide
        first = first if first is not None else max(eps**0.2 * wide**0.5, 64 * last)
        return cls._between(first, last, eps, size)

    @classmethod
    def _between(cls, first: float, last: float, eps: float, size: float) -> Ladder:
        factor = 4.0 if eps < 1e-12 else 2.0
        count = max(5, int(np.log(first / last) / np.log(factor)) + 1)
        return cls(first / factor ** np.arange(min(count, 12)), factor, eps, size)

    def finer(self) -> Ladder | None:
        """Steps for a point that is nearer to zero than the first of these; None where that says nothing."""
        if not 0 < self.size < self.steps[0]:
            return None
        return self._between(self.size / 16, self.size * self.eps**0.7, self.eps, self.size)


@dataclass(frozen=True)
class Slope:
    """What was found along a line.

    ``kind`` is "" where the function is smooth as far as the first step, else what is odd, at ``place`` (0: at the
    point itself). ``low`` and ``high`` bound the slopes of the two sides.
    """

    value: float
    error: float
    kind: str = ""
    place: float = 0.0
    low: float = np.nan
    high: float = np.nan


def rounding_of(line: Line, eps: float, size: float) -> Array:
    """How far a value may be off by rounding, from the third differences of closely neighbouring ones on each side.

    A smooth function leaves nothing there; a jump at the point itself is between the two sides.
    """
    step = 64 * eps * max(size, 1.0)
    sides = [np.array([line(way * step * k) for k in range(1, 9)]) for way in (1.0, -1.0)]
    with np.errstate(invalid="ignore"):
        third = np.concatenate([np.diff(side, 3, axis=0) for side in sides])
        third = np.where(np.isfinite(third), np.abs(third), 0.0)
        size_of = np.max(np.where(np.isfinite(sides), np.abs(sides), 0.0), axis=(0, 1))
    return np.asarray(np.maximum(np.median(third, axis=0), 4 * eps * size_of))


def slopes(line: Line, ladder: Ladder, rounding: Array) -> list[Slope]:
    """The slope of each entry of ``line(t)`` at ``t = 0``."""
    with np.errstate(all="ignore"):
        found = _sampled(line, ladder, rounding)
        again = ladder.finer()
        if again is not None and any(slope.kind or slope.error > 1e-8 * abs(slope.value) for slope, _ in found):
            closer = _sampled(line, again, rounding)
            found = [(far if near.kind else near, True) for (near, _), (far, _) in zip(closer, found, strict=True)]
        return [
            _nearby(_entry(line, j), ladder, float(rounding[j]), slope) if uneven and not slope.kind else slope
            for j, (slope, uneven) in enumerate(found)
        ]


def _sampled(line: Line, ladder: Ladder, rounding: Array) -> list[tuple[Slope, bool]]:
    """What the steps of a ladder tell, and whether a closer look is worth it."""
    h = ladder.steps[:, None]
    middle = np.asarray(line(0.0), float)
    ahead, behind = (np.array([line(way * t) for t in ladder.steps], float) for way in (1.0, -1.0))
    central = (ahead - behind) / (2 * h)
    reach = np.fmax(np.fmax(np.abs(ahead), np.abs(behind)), np.abs(middle))
    rough = (
        np.fmax(rounding, 4 * ladder.eps * reach) + ladder.eps * ladder.size * np.abs(np.nan_to_num(central)) + 1e-300
    )
    value, error = _extrapolated(central, ladder.factor**2, rough / h)
    found = []
    for j in range(middle.size):
        samples = _Samples(ladder, middle[j], ahead[:, j], behind[:, j], rough[:, j])
        odd = samples.odd()
        found.append((odd, True) if odd is not None else (Slope(float(value[j]), float(error[j])), samples.uneven()))
    return found


def _entry(line: Line, j: int) -> Line:
    return lambda t: float(line(t)[j])


def _extrapolated(table: Array, ratio: float, rounding: Array) -> tuple[Array, Array]:
    """Richardson's extrapolation of differences whose error falls in powers of ``ratio``: best value, and its error."""
    best, error = table[-1], np.full(table.shape[1:], np.inf)
    near = np.abs(table[-1] - table[-2]) + 4 * rounding[-1]  # large steps may agree with each other on something else
    before, order = table, 1
    while len(before) > 1:
        after = before[1:] + (before[1:] - before[:-1]) / (ratio**order - 1)
        doubt = np.maximum(np.abs(after - before[1:]), np.abs(after - before[:-1])) + 2 * rounding[order:]
        doubt = np.where(np.isnan(doubt) | (np.abs(after - table[-1]) > doubt + near), np.inf, doubt)
        for row, e in zip(after, doubt, strict=True):
            best, error = np.where(e < error, row, best), np.minimum(e, error)
        before, order = after, order + 1
    return best, error


def _one_sided(values: Array, steps: Array, factor: float, rounding: Array) -> tuple[float, float]:
    """The slope of one side, without the value at the point itself."""
    quotients = -np.diff(values) / (steps[:-1] - steps[1:])
    found, error = _extrapolated(quotients[:, None], factor, (4 * rounding[1:] / steps[1:])[:, None])
    return float(found[0]), float(error[0])


@dataclass(frozen=True)
class _Samples:
    """One entry of a line, at the point and on both sides of it."""

    ladder: Ladder
    middle: float
    ahead: Array
    behind: Array
    rounding: Array

    def growth(self, spread: Array) -> float:
        """The power of 1/h with which ``spread / h`` grows, at the smallest steps where it still means something."""
        h = self.ladder.steps
        clear = np.flatnonzero(np.isfinite(spread) & (np.abs(spread) > CLEAR * self.rounding))[-4:]
        if len(clear) < 3 or clear[-1] - clear[0] != len(clear) - 1:
            return -np.inf
        first, last = clear[0], clear[-1]
        quotients = np.abs(spread[[first, last]]) / h[[first, last]]
        return float(np.log(quotients[1] / quotients[0]) / np.log(h[first] / h[last]))

    def odd(self) -> Slope | None:
        """What is odd at the point itself, None where nothing is."""
        right, left = np.isfinite(self.ahead[-1]), np.isfinite(self.behind[-1])
        if not np.isfinite(self.middle) or not (right or left):
            return Slope(np.nan, 0.0, "no finite value")
        if not (right and left):
            return self._edge(self.ahead if right else self.behind, 1.0 if right else -1.0)
        bend = self.growth(self.ahead - 2 * self.middle + self.behind)
        rise = self.growth(self.ahead - self.behind)
        if bend < -0.25 and rise < 0.25:
            return None
        power = max(bend, rise)
        kind = _kind(power)
        (low, _), (high, _) = sorted((self._side(self.behind, -1.0, kind), self._side(self.ahead, 1.0, kind)))
        central = float(self.ahead[0] - self.behind[0]) / (2 * float(self.ladder.steps[0]))
        error = max(self._side(side, way, kind)[1] for side, way in ((self.behind, -1.0), (self.ahead, 1.0)))
        return Slope(central, error, kind, 0.0, low, high)

    def _side(self, values: Array, way: float, kind: str) -> tuple[float, float]:
        if kind == "vertical slope" and self.growth(values - self.middle) > 0.25:
            return way * float(np.sign(values[-1] - self.middle)) * np.inf, 0.0
        slope, error = _one_sided(values, self.ladder.steps, self.ladder.factor, self.rounding)
        return way * slope, error

    def _edge(self, values: Array, way: float) -> Slope:
        """The function ends here: one side has no finite values."""
        if self.growth(values - self.middle) > 0.25:
            steep = way * float(np.sign(values[-1] - self.middle)) * np.inf
            return Slope(steep, 0.0, "vertical slope", 0.0, steep, steep)
        slope, error = _one_sided(values, self.ladder.steps, self.ladder.factor, self.rounding)
        return Slope(way * slope, error, "edge", 0.0, way * slope, way * slope)

    def uneven(self) -> bool:
        """Whether central differences settle otherwise than a smooth function's: worth a closer look."""
        h = self.ladder.steps
        central = (self.ahead - self.behind) / (2 * h)
        if not np.all(np.isfinite(central)):
            return True
        moves, doubt = np.abs(np.diff(central)), 2 * CLEAR * self.rounding[1:] / h[1:]
        expected = moves[:-1] / self.ladder.factor**2
        more = (moves[1:] > 2.5 * expected) & (moves[1:] > doubt[1:])
        less = (moves[1:] < 0.4 * expected) & (expected > doubt[1:])
        return bool(np.any((more | less) & (moves[:-1] > doubt[:-1])))


def _kind(power: float) -> str:
    """What makes a quotient grow like this power of 1/h."""
    return "kink" if power < 0.25 else "vertical slope" if power < 0.75 else "jump" if power < 1.25 else "pole"


def _nearby(line: Line, ladder: Ladder, rounding: float, smooth: Slope) -> Slope:
    """Look for something odd within the first step: halve the interval towards where slopes differ most."""
    width = float(ladder.steps[0]) / 2
    centre = 0.0
    values = [line(centre + k * width) for k in range(-2, 3)]
    bends: list[float] = []
    for _ in range(48):
        bend = np.abs(np.diff(values, 2))
        if not np.all(np.isfinite(bend)):
            return _broken(line, ladder, smooth)
        k = int(np.argmax(bend))
        steepest = np.max(np.abs(np.diff(values))) / width
        moved = ladder.eps * (ladder.size + ladder.steps[0]) * steepest  # places are rounded too
        if bend[k] <= CLEAR * max(rounding, 4 * ladder.eps * np.max(np.abs(values)), moved):
            break
        bends.append(float(np.sum(bend)) / width)
        centre, width = centre + (k - 1) * width, width / 2
        left, here, right = values[k : k + 3]
        values = [left, line(centre - width), here, line(centre + width), right]
    return _judged(bends, centre, smooth)


def _judged(bends: list[float], centre: float, smooth: Slope) -> Slope:
    """What the growth of bends tells; those at a jump may be off by a factor of 2, for it may lie at the very side."""
    powers = np.log2(np.array(bends[1:]) / np.array(bends[:-1]))[-12:]
    power = float(np.mean(powers)) if len(powers) > 5 else -1.0
    if power < -0.25 or np.ptp(powers) > (0.5 if power < 0.25 else 2.1):
        return smooth
    return Slope(smooth.value, smooth.error, _kind(power), centre)


def _broken(line: Line, ladder: Ladder, smooth: Slope) -> Slope:
    """Within the first step the values end: find where, between a step that is finite and one that is not."""
    for way in (1.0, -1.0):
        good, bad = 0.0, way * float(ladder.steps[0])
        if np.isfinite(line(bad)):
            continue
        for _ in range(40):
            half = (good + bad) / 2
            good, bad = (half, bad) if np.isfinite(line(half)) else (good, half)
        return Slope(smooth.value, smooth.error, "edge", good)
    return smooth
