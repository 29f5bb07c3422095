"""Functions with and without a stop_gradient, some of which have the same gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.lessons.translation import translate

Array = np.ndarray[Any, Any]


class StoppedFunction(NamedTuple):
    """A function, the same with a stop in it, and whether the stop changes no gradient anywhere."""

    of: str
    whole: Callable[[Any], Any]
    stopped: Callable[[Any], Any]
    free: bool


def _stopped_functions() -> tuple[StoppedFunction, ...]:
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
        StoppedFunction(
            translate("the variance, its mean stopped", "lesson10"),
            moment(2, open_, open_),
            moment(2, open_, stop),
            True,
        ),
        StoppedFunction(variance_of_stopped_x(), moment(2, open_, open_), moment(2, stop, open_), False),
        StoppedFunction(fourth_moment(), moment(4, open_, open_), moment(4, open_, stop), False),
        StoppedFunction(
            translate("the covariance of x and x³, one mean stopped", "lesson10"),
            covariance(open_),
            covariance(stop),
            True,
        ),
        StoppedFunction(
            translate("log-sum-exp, its shift stopped everywhere", "lesson10"),
            log_sum_exp(open_, open_),
            log_sum_exp(stop, stop),
            True,
        ),
        StoppedFunction(
            translate("log-sum-exp, its shift stopped in one place", "lesson10"),
            log_sum_exp(open_, open_),
            log_sum_exp(stop, open_),
            False,
        ),
    )


def variance_of_stopped_x() -> str:
    """Name of the variance in which x is stopped outside of the mean."""
    return translate("the variance, its x stopped", "lesson10")


def fourth_moment() -> str:
    """Name of the fourth moment whose mean is stopped."""
    return translate("the fourth moment, its mean stopped", "lesson10")


def random_stopped_functions(rng: np.random.Generator) -> dict[str, StoppedFunction]:
    """The six of them under letters, in an order that is drawn."""
    six = _stopped_functions()
    return dict(zip("ABCDEF", (six[i] for i in rng.permutation(6)), strict=True))


def largest_gradient_difference(stop: StoppedFunction, points: list[Array]) -> float:
    """The largest difference of the two gradients at some points."""
    from autodiff_kit.transforms.reverse_mode import grad

    pairs = ((grad(stop.whole)(x).numpy(), grad(stop.stopped)(x).numpy()) for x in points)
    return max(float(np.abs(a - b).max()) for a, b in pairs)
