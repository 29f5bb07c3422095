"""Lesson 10: gradients of a normalised value with one path or another shut, and stops that may be free."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
EPSILON = 1e-5


def normalised(x: Array) -> Array:
    """Each row minus its mean, over the root of its variance plus epsilon."""
    away = x - x.mean(-1, keepdims=True)
    return np.asarray(away / np.sqrt((away**2).mean(-1, keepdims=True) + EPSILON))


def way_back(x: Array, c: Array, mean: bool = True, variance: bool = True) -> Array:
    """What comes back to x for the cotangent c, where the paths through mean and variance are open or shut."""
    away = x - x.mean(-1, keepdims=True)
    rate = 1 / np.sqrt((away**2).mean(-1, keepdims=True) + EPSILON)
    found = c * rate
    if mean:
        found = found - (c * rate).mean(-1, keepdims=True)
    if variance:
        found = found - away * rate**3 * (c * away).mean(-1, keepdims=True)
    return np.asarray(found)


class Stop(NamedTuple):
    """A function, the same with a stop in it, and whether the stop changes no gradient anywhere."""

    of: str
    whole: Callable[[Any], Any]
    stopped: Callable[[Any], Any]
    free: bool


def _stops() -> tuple[Stop, ...]:
    import autodiff_kit as ak

    stop, mean = ak.stop_gradient, ak.mean

    def log_sum_exp(shift: Any, back: Any) -> Any:
        return lambda x: back(ak.max(x)) + ak.log(ak.sum(ak.exp(x - shift(ak.max(x)))))

    def covariance(wrap: Any) -> Any:
        return lambda x: mean((x - mean(x)) * (x**3 - wrap(mean(x**3))))

    def moment(power: int, of_x: Any, of_mean: Any) -> Any:
        return lambda x: mean((of_x(x) - of_mean(mean(x))) ** power)

    open_ = ak.identity
    return (
        Stop("the variance, its mean stopped", moment(2, open_, open_), moment(2, open_, stop), True),
        Stop("the variance, its x stopped", moment(2, open_, open_), moment(2, stop, open_), False),
        Stop(FOURTH, moment(4, open_, open_), moment(4, open_, stop), False),
        Stop("the covariance of x and x³, one mean stopped", covariance(open_), covariance(stop), True),
        Stop("log-sum-exp, its shift stopped everywhere", log_sum_exp(open_, open_), log_sum_exp(stop, stop), True),
        Stop("log-sum-exp, its shift stopped in one place", log_sum_exp(open_, open_), log_sum_exp(stop, open_), False),
    )


FOURTH = "the fourth moment, its mean stopped"


def stops(rng: np.random.Generator) -> dict[str, Stop]:
    """The six of them under letters, in an order that is drawn."""
    six = _stops()
    return dict(zip("ABCDEF", (six[i] for i in rng.permutation(6)), strict=True))


def gap(stop: Stop, points: list[Array]) -> float:
    """The largest difference of the two gradients at some points."""
    from autodiff_kit.transforms.reverse_mode import grad

    pairs = ((grad(stop.whole)(x).numpy(), grad(stop.stopped)(x).numpy()) for x in points)
    return max(float(np.abs(a - b).max()) for a, b in pairs)
