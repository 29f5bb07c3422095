"""Directional derivatives by finite differences (Richardson extrapolation), with error estimates and singularities.

A function is sampled along a line through a point, with steps h that shrink. If it is smooth, the error of a central
difference is a series in even powers of h, so that a few differences extrapolate to many digits. The error estimate
comes from the differences between neighbours in the Richardson table and from the rounding of the values. If it is not
smooth, the growth of difference quotients as h shrinks tells the kind of singularity:

=====================  ====================================================
smooth                 the one-sided slopes differ by about h
kink                   the one-sided slopes keep their difference
vertical slope         the quotient grows, but less than 1/h
jump                   the quotient grows like 1/h
pole                   the quotient grows faster than 1/h
=====================  ====================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["FiniteDifferenceSteps", "SlopeEstimate", "estimate_rounding", "estimate_slopes"]

LineFunction = Callable[[float], Any]
"""``t`` to the values of a function at ``point + t * direction``."""
Array = np.ndarray[Any, Any]

SIGNIFICANCE = 10.0
"""Differences below this multiple of the rounding error of the values are treated as noise."""


@dataclass(frozen=True)
class FiniteDifferenceSteps:
    """Shrinking step sizes, largest first, with the precision of the dtype and the size of the point."""

    sizes: Array
    factor: float
    eps: float
    size: float

    @classmethod
    def for_dtype(cls, dtype: Any, first: float | None, size: float) -> FiniteDifferenceSteps:
        """Step sizes that suit a dtype and the size of the point, or that start from a given first step."""
        eps, wide = float(np.finfo(dtype).eps), max(size, 1.0)
        last = eps**0.7 * wide
        first = first if first is not None else max(eps**0.2 * wide**0.5, 64 * last)
        return cls._between(first, last, eps, size)

    @classmethod
    def _between(cls, first: float, last: float, eps: float, size: float) -> FiniteDifferenceSteps:
        factor = 4.0 if eps < 1e-12 else 2.0
        count = max(5, int(np.log(first / last) / np.log(factor)) + 1)
        return cls(first / factor ** np.arange(min(count, 12)), factor, eps, size)

    def finer(self) -> FiniteDifferenceSteps | None:
        """Smaller steps, for a point that is closer to zero than the first step; None if they would not help."""
        if not 0 < self.size < self.sizes[0]:
            return None
        return self._between(self.size / 16, self.size * self.eps**0.7, self.eps, self.size)


@dataclass(frozen=True)
class SlopeEstimate:
    """The derivative along a line, estimated by finite differences.

    ``kind`` is "" if the function is smooth within the first step, else the kind of singularity, at the distance
    ``place`` (0: at the point itself). ``low`` and ``high`` are the smaller and the larger of the one-sided slopes.
    ``constant`` says that the function has the same value all along the line, which is not finite.
    """

    value: float
    error: float
    kind: str = ""
    place: float = 0.0
    low: float = np.nan
    high: float = np.nan
    constant: bool = False


def estimate_rounding(line: LineFunction, eps: float, size: float, smallest: float) -> Array:
    """The rounding error of the values, estimated from third differences of close neighbours on each side.

    The third differences of a smooth function vanish up to rounding. A jump at the point itself lies between the two
    sides and does not count. Where large terms cancel, the function is a staircase, and close neighbours lie on the
    same stair; so the larger one of two distances counts. The second stays small beside the smallest entry that is not
    zero, since there may be a pole at zero.
    """
    wide = max(size, 1.0)
    far = max(64 * eps * wide, min(eps**0.6 * wide, smallest / 256))
    return np.maximum(
        _third_differences(line, 64 * eps * wide, eps, _EVEN), _third_differences(line, far, eps, _UNEVEN)
    )


_EVEN = np.arange(1.0, 9.0)
_UNEVEN = _EVEN + 0.3 * np.modf(_EVEN * 0.618)[0]  # evenly spaced points may all lie at the same place of their stair


def _third_differences(line: LineFunction, step: float, eps: float, places: Array) -> Array:
    """The median of third differences on both sides, at multiples of a step; at least the rounding of the values."""
    sides = [np.array([line(side * step * k) for k in places]) for side in (1.0, -1.0)]
    with np.errstate(invalid="ignore"):
        third = np.concatenate([_third_divided(side, places) for side in sides])
        third = np.where(np.isfinite(third), np.abs(third), 0.0)
        size_of = np.max(np.where(np.isfinite(sides), np.abs(sides), 0.0), axis=(0, 1))
    return np.asarray(np.maximum(np.median(third, axis=0), 4 * eps * size_of))


def _third_divided(values: Array, places: Array) -> Array:
    """Third differences; of points that are not evenly spaced, those of a cubic with the same third derivative."""
    for order in (1, 2, 3):
        values = order * np.diff(values, axis=0) / (places[order:] - places[:-order])[:, None]
    return values


def estimate_slopes(line: LineFunction, steps: FiniteDifferenceSteps, rounding: Array) -> list[SlopeEstimate]:
    """The derivative of each entry of ``line(t)`` at ``t = 0``."""
    with np.errstate(all="ignore"):
        found = _estimate_with_steps(line, steps, rounding)
        finer = steps.finer()
        if finer is not None and any(slope.kind or slope.error > 1e-8 * abs(slope.value) for slope, _ in found):
            refined = _estimate_with_steps(line, finer, rounding)
            found = [(far if near.kind else near, True) for (near, _), (far, _) in zip(refined, found, strict=True)]
        estimates = [slope for slope, _ in found]
        for j, (slope, irregular) in enumerate(found):
            if irregular and not slope.kind:
                estimates[j] = _search_first_step(_output_entry(line, j), steps, float(rounding[j]), slope)
        return estimates


def _estimate_with_steps(
    line: LineFunction, steps: FiniteDifferenceSteps, rounding: Array
) -> list[tuple[SlopeEstimate, bool]]:
    """Estimates from one set of step sizes, each with whether the first step should be searched for a singularity."""
    h = steps.sizes[:, None]
    middle = np.asarray(line(0.0), float)
    ahead, behind = (np.array([line(side * t) for t in steps.sizes], float) for side in (1.0, -1.0))
    central = (ahead - behind) / (2 * h)
    reach = np.fmax(np.fmax(np.abs(ahead), np.abs(behind)), np.abs(middle))
    rough = np.fmax(rounding, 4 * steps.eps * reach) + steps.eps * steps.size * np.abs(np.nan_to_num(central)) + 1e-300
    value, error = _richardson(central, steps.factor**2, rough / h)
    found = []
    for j in range(middle.size):
        samples = _LineSamples(steps, middle[j], ahead[:, j], behind[:, j], rough[:, j])
        singular = samples.singularity()
        if singular is not None:
            found.append((singular, True))
        else:
            found.append((SlopeEstimate(float(value[j]), float(error[j])), samples.converges_irregularly()))
    return found


def _output_entry(line: LineFunction, j: int) -> LineFunction:
    return lambda t: float(line(t)[j])


def _richardson(table: Array, ratio: float, rounding: Array) -> tuple[Array, Array]:
    """Richardson extrapolation of differences whose error falls in powers of ``ratio``: best value and its error."""
    best, error = table[-1], np.full(table.shape[1:], np.inf)
    near = np.abs(table[-1] - table[-2]) + 4 * rounding[-1]  # large steps may agree with each other on a wrong value
    before, order = table, 1
    while len(before) > 1:
        after = before[1:] + (before[1:] - before[:-1]) / (ratio**order - 1)
        doubt = np.maximum(np.abs(after - before[1:]), np.abs(after - before[:-1])) + 2 * rounding[order:]
        doubt = np.where(np.isnan(doubt) | (np.abs(after - table[-1]) > doubt + near), np.inf, doubt)
        for row, e in zip(after, doubt, strict=True):
            best, error = np.where(e < error, row, best), np.minimum(e, error)
        before, order = after, order + 1
    return best, error


def _one_sided_slope(values: Array, steps: Array, factor: float, rounding: Array) -> tuple[float, float]:
    """One-sided slope and its error, without the value at the point itself."""
    quotients = -np.diff(values) / (steps[:-1] - steps[1:])
    found, error = _richardson(quotients[:, None], factor, (4 * rounding[1:] / steps[1:])[:, None])
    return float(found[0]), float(error[0])


@dataclass(frozen=True)
class _LineSamples:
    """Samples of one output along a line: at the point, and on both sides of it."""

    steps: FiniteDifferenceSteps
    middle: float
    ahead: Array
    behind: Array
    rounding: Array

    def growth_power(self, spread: Array) -> float:
        """The power of 1/h with which ``spread / h`` grows, at the smallest steps that are above the noise."""
        h = self.steps.sizes
        clear = np.flatnonzero(np.isfinite(spread) & (np.abs(spread) > SIGNIFICANCE * self.rounding))[-4:]
        if len(clear) < 3 or clear[-1] - clear[0] != len(clear) - 1:
            return -np.inf
        first, last = clear[0], clear[-1]
        quotients = np.abs(spread[[first, last]]) / h[[first, last]]
        return float(np.log(quotients[1] / quotients[0]) / np.log(h[first] / h[last]))

    def singularity(self) -> SlopeEstimate | None:
        """The singularity at the point itself, or None if the function is smooth there."""
        right, left = np.isfinite(self.ahead[-1]), np.isfinite(self.behind[-1])
        if not np.isfinite(self.middle) or not (right or left):
            constant = np.array_equal(np.full(len(self.ahead), self.middle), self.ahead, equal_nan=True)
            constant = constant and np.array_equal(self.ahead, self.behind, equal_nan=True)
            return SlopeEstimate(np.nan, 0.0, "no finite value", constant=constant)
        if not (right and left):
            return self._domain_edge(self.ahead if right else self.behind, 1.0 if right else -1.0)
        curvature = self.growth_power(self.ahead - 2 * self.middle + self.behind)
        rise = self.growth_power(self.ahead - self.behind)
        if curvature < -0.25 and rise < 0.25:
            return None
        power = max(curvature, rise)
        kind = _singularity_kind(power)
        (low, _), (high, _) = sorted(
            (self._side_slope(self.behind, -1.0, kind), self._side_slope(self.ahead, 1.0, kind))
        )
        central = float(self.ahead[0] - self.behind[0]) / (2 * float(self.steps.sizes[0]))
        error = max(
            self._side_slope(values, side, kind)[1] for values, side in ((self.behind, -1.0), (self.ahead, 1.0))
        )
        return SlopeEstimate(central, error, kind, 0.0, low, high)

    def _side_slope(self, values: Array, side: float, kind: str) -> tuple[float, float]:
        if kind == "vertical slope" and self.growth_power(values - self.middle) > 0.25:
            return side * float(np.sign(values[-1] - self.middle)) * np.inf, 0.0
        slope, error = _one_sided_slope(values, self.steps.sizes, self.steps.factor, self.rounding)
        return side * slope, error

    def _domain_edge(self, values: Array, side: float) -> SlopeEstimate:
        """The estimate at the edge of the domain, where one side has no finite values."""
        if self.growth_power(values - self.middle) > 0.25:
            steep = side * float(np.sign(values[-1] - self.middle)) * np.inf
            return SlopeEstimate(steep, 0.0, "vertical slope", 0.0, steep, steep)
        slope, error = _one_sided_slope(values, self.steps.sizes, self.steps.factor, self.rounding)
        return SlopeEstimate(side * slope, error, "edge", 0.0, side * slope, side * slope)

    def converges_irregularly(self) -> bool:
        """Whether central differences converge in another way than those of a smooth function."""
        h = self.steps.sizes
        central = (self.ahead - self.behind) / (2 * h)
        if not np.all(np.isfinite(central)):
            return True
        moves, doubt = np.abs(np.diff(central)), 2 * SIGNIFICANCE * self.rounding[1:] / h[1:]
        expected = moves[:-1] / self.steps.factor**2
        more = (moves[1:] > 2.5 * expected) & (moves[1:] > doubt[1:])
        less = (moves[1:] < 0.4 * expected) & (expected > doubt[1:])
        return bool(np.any((more | less) & (moves[:-1] > doubt[:-1])))


def _singularity_kind(power: float) -> str:
    """The kind of singularity whose difference quotients grow with this power of 1/h."""
    return "kink" if power < 0.25 else "vertical slope" if power < 0.75 else "jump" if power < 1.25 else "pole"


def _search_first_step(
    line: LineFunction, steps: FiniteDifferenceSteps, rounding: float, smooth: SlopeEstimate
) -> SlopeEstimate:
    """Search for a singularity within the first step: bisect towards the largest second difference."""
    width = float(steps.sizes[0]) / 2
    centre = 0.0
    values = [line(centre + k * width) for k in range(-2, 3)]
    curvatures: list[float] = []
    for _ in range(48):
        curvature = np.abs(np.diff(values, 2))
        if not np.all(np.isfinite(curvature)):
            return _find_domain_edge(line, steps, smooth)
        k = int(np.argmax(curvature))
        steepest = np.max(np.abs(np.diff(values))) / width
        moved = steps.eps * (steps.size + steps.sizes[0]) * steepest  # positions are rounded too
        if curvature[k] <= SIGNIFICANCE * max(rounding, 4 * steps.eps * np.max(np.abs(values)), moved):
            break
        curvatures.append(float(np.sum(curvature)) / width)
        centre, width = centre + (k - 1) * width, width / 2
        left, here, right = values[k : k + 3]
        values = [left, line(centre - width), here, line(centre + width), right]
    return _classify_bisection(curvatures, centre, smooth)


def _classify_bisection(curvatures: list[float], centre: float, smooth: SlopeEstimate) -> SlopeEstimate:
    """The kind of singularity from the growth of second differences while bisecting.

    At a jump they may be off by a factor of 2, since the jump may lie at an end of the interval.
    """
    powers = np.log2(np.array(curvatures[1:]) / np.array(curvatures[:-1]))[-12:]
    power = float(np.mean(powers)) if len(powers) > 5 else -1.0
    if power < -0.25 or np.ptp(powers) > (0.5 if power < 0.25 else 2.1):
        return smooth
    return SlopeEstimate(smooth.value, smooth.error, _singularity_kind(power), centre)


def _find_domain_edge(line: LineFunction, steps: FiniteDifferenceSteps, smooth: SlopeEstimate) -> SlopeEstimate:
    """The edge of the domain within the first step, found by bisection between a finite value and one that is not."""
    for side in (1.0, -1.0):
        good, bad = 0.0, side * float(steps.sizes[0])
        if np.isfinite(line(bad)):
            continue
        for _ in range(40):
            half = (good + bad) / 2
            good, bad = (half, bad) if np.isfinite(line(half)) else (good, half)
        return SlopeEstimate(smooth.value, smooth.error, "edge", good)
    return smooth
