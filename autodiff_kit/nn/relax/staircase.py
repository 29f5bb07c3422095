"""Staircases: a smooth step at each integer, summed; the common part of all approximations of floor.

Steps are described by a :class:`SmoothStep`; :func:`staircase` evaluates their sum.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import check_choice, describe
from autodiff_kit.errors import ConcretizationError, StructureError
from autodiff_kit.nn.relax.validation import real_tensor
from autodiff_kit.ops.arithmetic import square
from autodiff_kit.ops.elementary_functions import sigmoid, sin
from autodiff_kit.ops.number_parameters import parameter_beside
from autodiff_kit.ops.selection import clip, select, stop_gradient
from autodiff_kit.ops.shape_manipulation import expand_dims

__all__ = ["RAMP", "SIGMOID", "TRUNCATED_SIGMOID", "SmoothStep", "filter_shape", "staircase"]

_SATURATION_DISTANCE = 750.0  # in temperatures: beyond it a sigmoid is 0 or 1 in float64, and its slope 0
_TRUNCATION_DISTANCE = 40.0  # beyond it a sigmoid is 0 or 1 up to rounding of the sum
_MAX_REQUESTED_STEPS = 1 << 20  # by the caller
_MAX_AUTOMATIC_STEPS = 4096  # if no range was given


def _step_positions(x: Tensor, steps: tuple[int, int] | None, reach: float) -> tuple[np.ndarray[Any, Any], float]:
    """Positions of the steps to be summed, and the number of steps below them, which count as complete."""
    if steps is not None:
        try:
            first, last = (operator.index(k) for k in steps)
        except (TypeError, ValueError) as error:
            raise StructureError(f"steps must be two integers (first, last), got {describe(steps)}") from error
        if last < first or last - first > _MAX_REQUESTED_STEPS:
            raise StructureError(f"steps must be (first, last) with first <= last, and not too many steps, got {steps}")
        return np.arange(first, last + 1, dtype=x.dtype), 0.0
    try:
        values = np.asarray(x._value)
    except ConcretizationError as error:
        raise ConcretizationError(
            "without steps they are found from the values, which are not known inside ak.compile or ak.vmap. Give "
            "steps=(first, last), the integers that the values may reach."
        ) from error
    finite = values[np.isfinite(values)]
    ends = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    low, high = np.floor(ends[0] - reach), np.ceil(ends[1] + reach)
    if high - low > _MAX_AUTOMATIC_STEPS:
        raise StructureError(
            f"the values range from {ends[0]:g} to {ends[1]:g}, which needs a sum of {high - low:g} steps. "
            "Give steps=(first, last), or use values that are closer together."
        )
    return np.arange(low + 1, high + 1, dtype=x.dtype), float(low)


class SmoothStep(NamedTuple):
    """The shape of one step from 0 to 1 at the origin, in units of its own width.

    ``transition`` gives the value between the edges, at the distance ``z - shift``. Beyond the edges the step is
    constant, 0 or 1; with ``corners``, :meth:`at` clips its argument to the edges.
    """

    transition: Callable[[Tensor, float], Tensor]
    edge: float
    corners: bool = True

    def at(self, z: Tensor) -> Tensor:
        """The value of the step at any distance ``z``."""
        return self.transition(clip(z, -self.edge, self.edge) if self.corners else z, 0.0)


def staircase(x: Any, shape: SmoothStep, width: Any, steps: tuple[int, int] | None) -> Tensor:
    """The sum of one step at each integer: an approximation of floor."""
    x = real_tensor(x)
    width = parameter_beside(x.dtype, width)
    rate = 1.0 / width
    places, below = _step_positions(x, steps, shape.edge * unwrap(width))
    if not (type(x._value) is type(width) is float and math.isfinite(x._value)):
        total = shape.at((expand_dims(x, -1) - places) * rate).sum(-1)
        total = total + below if below else total
        infinite = np.isinf(unwrap(x))
        if steps is None and infinite.any():  # all steps lie below infinity, not only those that were summed
            total = select(stop_gradient(x), total, infinite)
        return total
    # A single number needs no arrays, and one product for all steps: their distances differ by integers.
    active, complete = _active_steps(x._value, places.tolist(), rate, shape.edge)
    complete += below
    if not active:
        level: Tensor = x * 0.0 + complete
        return level
    scaled = (x - active[0]) * rate
    total = shape.transition(scaled, 0.0)
    for k in active[1:]:
        total = total + shape.transition(scaled, (k - active[0]) * rate)
    return total + complete if complete else total


def _active_steps(here: float, places: list[float], rate: float, edge: float) -> tuple[list[float], float]:
    """The steps whose transition contains a point, and the number of complete ones; edges as in ``clip``."""
    away = [(here - k) * rate for k in places]
    active = [k for k, z in zip(places, away, strict=True) if -edge < z < edge]
    return active, float(sum(z >= edge for z in away))


def _shift(z: Tensor, shift: float) -> Tensor:
    return z - shift if shift else z


def _sigmoid_step(z: Tensor, shift: float) -> Tensor:
    return sigmoid(z - shift if shift else z)


def _ramp_step(z: Tensor, shift: float) -> Tensor:
    return z + (0.5 - shift)


def _triangle_step(z: Tensor, shift: float) -> Tensor:
    """The integral of a triangle; for a single number, only the parabola that it is on."""
    if type(z._value) is float:
        if -1.0 < z._value - shift < 0.0:
            return 0.5 * square(z + (1.0 - shift))
        if 0.0 < z._value - shift < 1.0:
            return 1.0 - 0.5 * square(z - (1.0 + shift))
    z = _shift(z, shift)
    return 0.5 + z - 0.5 * z * z.abs()


def _box_step(z: Tensor, shift: float) -> Tensor:
    return 0.5 + 0.5 * _shift(z, shift)


def _cosine_step(z: Tensor, shift: float) -> Tensor:
    z = _shift(z, shift)
    return 0.5 + 0.5 * z + sin(np.pi * z) / (2 * np.pi)


SIGMOID, TRUNCATED_SIGMOID = (
    SmoothStep(_sigmoid_step, _SATURATION_DISTANCE, corners=False),
    SmoothStep(_sigmoid_step, _TRUNCATION_DISTANCE, corners=False),
)
RAMP = SmoothStep(_ramp_step, 0.5)
_FILTER_SHAPES = {
    "triangle": SmoothStep(_triangle_step, 1.0),
    "box": SmoothStep(_box_step, 1.0),
    "cosine": SmoothStep(_cosine_step, 1.0),
}


def filter_shape(name: str) -> SmoothStep:
    """The step that results from filtering with a kernel of this name."""
    return _FILTER_SHAPES[check_choice("kernel", name, *_FILTER_SHAPES)]
