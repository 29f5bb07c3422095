"""Projection of a variable onto its constraint after an optimizer step."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import ShapeError
from autodiff_kit.optim.validation import real_array, spoken_name

__all__ = ["apply_constraint"]


def apply_constraint(variable: Variable, before: Any, delta: Any) -> Any:
    """Replace the value of a variable, which has just moved by ``delta``, by its projection onto the constraint.

    Returns the whole update, or a function that computes it.
    """
    if variable.constraint is None:
        return delta
    value = variable._value
    if type(value) is np.ndarray:
        value.flags.writeable = False  # so that the update can be computed later from the values
    after = real_array("the result of a constraint", variable.constraint(value))
    if after.shape != variable.shape:
        raise ShapeError(
            f"the constraint of {spoken_name(variable)} returned shape {after.shape} for a variable of shape "
            f"{variable.shape}"
        )
    # A copy, unless it is the value itself: the constraint may hold its array, and write into it later.
    variable._value = canonical(after if after is value else np.array(after, variable.dtype))
    return partial(_total_update, delta, before, value, variable._value)


def _total_update(delta: Any, before: Any, moved: Any, after: Any) -> Any:
    """The step where the projection left it alone; elsewhere without it, since a long one would swallow the digits."""
    return np.where(after == moved, delta() if callable(delta) else np.asarray(delta), after - before)
