"""Differentiable approximations of floor, ceil, round, sign and step: soft, piecewise linear, filtered.

The approximations of the other functions are derived from those of ``floor`` and ``step``: ``ceil(x) = floor(x) + 1``
between integers, ``round(x) = floor(x + ½)``, ``sign(x) = 2 step(x) - 1``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.nn.relax.staircase import RAMP, SIGMOID, TRUNCATED_SIGMOID, filter_shape, staircase
from autodiff_kit.nn.relax.validation import positive_number
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.elementary_functions import sigmoid
from autodiff_kit.ops.number_parameters import parameter_beside

__all__ = [
    "filtered_ceil", "filtered_floor", "filtered_round", "filtered_sign", "filtered_step", "piecewise_linear_ceil",
    "piecewise_linear_floor", "piecewise_linear_round", "piecewise_linear_sign", "piecewise_linear_step", "soft_ceil",
    "soft_floor", "soft_round", "soft_sign", "soft_step",
]  # fmt: skip


def _scaled(x: Any, factor: float, width: Any) -> Tensor:
    """``x * factor / width``; the width does not change the dtype."""
    t = as_tensor(x)
    scaled: Tensor = t * (factor / parameter_beside(t.dtype, width))
    return scaled


def soft_step(x: Any, temperature: Any) -> Tensor:
    """The unit step approximated by a sigmoid: ``sigmoid(x / temperature)``.

    Parameters
    ----------
    x : Tensor or array_like
    temperature : float or Tensor
        Above 0.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If the temperature is not above 0.

    Notes
    -----
    **Gradient.** A bump of area 1 at 0, there ``1 / (4 temperature)`` high.

    Examples
    --------
    >>> float(ak.relax.soft_step(0.0, 0.1))
    0.5
    """
    return sigmoid(_scaled(x, 1.0, positive_number("temperature", temperature)))


def soft_floor(x: Any, temperature: Any, steps: tuple[int, int] | None = None) -> Tensor:
    """A differentiable approximation of floor: a sum of sigmoids, one at each integer.

    Parameters
    ----------
    x : Tensor or array_like
    temperature : float or Tensor
        Above 0; the inverse of the *sharpness* s: each step is ``sigmoid(s (x - k))``.
    steps : (int, int), optional
        First and last step, both included; by default all steps near the values.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The sum of the slopes of all steps: a bump of area 1 and height ``s/4`` at each integer.
    At an integer the value differs from floor at every temperature: that step is half complete. At an infinity the
    value is that infinity, without ``steps``, and the gradient 0.
    **Cost.** One sigmoid for each entry and step.

    Examples
    --------
    >>> ak.relax.soft_floor([2.0, 2.5], 1 / 50, steps=(1, 5)).numpy().round(4)
    array([1.5, 2. ])
    """
    return staircase(
        x, SIGMOID if steps is not None else TRUNCATED_SIGMOID, positive_number("temperature", temperature), steps
    )


def piecewise_linear_step(x: Any, width: Any) -> Tensor:
    """The unit step approximated by a linear ramp.

    Parameters
    ----------
    x : Tensor or array_like
    width : float or Tensor
        Above 0; the ramp lies around 0.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If the width is not above 0.

    Notes
    -----
    **Gradient.** ``1 / width`` on the ramp, elsewhere 0.

    Examples
    --------
    >>> float(ak.relax.piecewise_linear_step(0.25, 1.0))
    0.75
    """
    return RAMP.at(_scaled(x, 1.0, positive_number("width", width)))


def piecewise_linear_floor(x: Any, width: Any, steps: tuple[int, int] | None = None) -> Tensor:
    """A piecewise linear approximation of floor: each jump is replaced by a ramp of the given width.

    Parameters
    ----------
    x : Tensor or array_like
    width : float or Tensor
        Above 0.
    steps : (int, int), optional
        First and last step; by default all near the values.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** ``1 / width`` on a ramp, 0 between ramps.

    Examples
    --------
    >>> ak.relax.piecewise_linear_floor([1.5, 2.0, 2.1], 0.4).numpy()
    array([1.  , 1.5 , 1.75])
    """
    return staircase(x, RAMP, positive_number("width", width), steps)


def filtered_step(x: Any, width: Any, kernel: str = "triangle") -> Tensor:
    """The unit step convolved with a smoothing kernel of the given width.

    Parameters
    ----------
    x : Tensor or array_like
    width : float or Tensor
        Total width of the kernel.
    kernel : {"triangle", "box", "cosine"}

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The kernel at ``x``: its area is 1, and it is 0 beyond ``width / 2``.

    Examples
    --------
    >>> ak.relax.filtered_step([-1.0, 0.0, 0.5], width=2.0).numpy()
    array([0.   , 0.5  , 0.875])
    """
    return filter_shape(kernel).at(_scaled(x, 2.0, positive_number("width", width)))


def filtered_floor(x: Any, width: Any, kernel: str = "triangle", steps: tuple[int, int] | None = None) -> Tensor:
    """floor convolved with a smoothing kernel of the given width.

    Parameters
    ----------
    x : Tensor or array_like
    width : float or Tensor
        Total width of the kernel.
    kernel : {"triangle", "box", "cosine"}
    steps : (int, int), optional
        First and last step; by default all near the values.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The sum of one kernel at each integer.

    Examples
    --------
    >>> ak.relax.filtered_floor([1.5, 2.0, 2.25], 1.0).numpy()
    array([1.   , 1.5  , 1.875])
    """
    return staircase(x, filter_shape(kernel), positive_number("width", width) / 2.0, steps)


# -------------------------------------------------------------------------------- ceil, round, sign
def _shifted_version(floor: Callable[..., Tensor], before: float, after: float, name: str) -> Callable[..., Tensor]:
    def derived(x: Any, *args: Any, **kwargs: Any) -> Tensor:
        y = floor(as_tensor(x) + before if before else x, *args, **kwargs)
        return y + after if after else y

    argument, rest = (f"{x} + {shift:g}" if shift else x for x, shift in (("x", before), ("", after)))
    return _described(derived, name, floor, f"{floor.__name__}({argument}, ...){rest}")


def _sign_version(step: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    def derived(x: Any, *args: Any, **kwargs: Any) -> Tensor:
        return 2.0 * step(x, *args, **kwargs) - 1.0

    return _described(derived, name, step, f"2 {step.__name__}(x, ...) - 1")


def _described(
    function: Callable[..., Tensor], name: str, source: Callable[..., Tensor], formula: str
) -> Callable[..., Tensor]:
    """The function with its name, and with the signature and the parameters of the one from which it is derived."""
    function.__name__ = function.__qualname__ = name
    function.__signature__ = inspect.signature(source)  # type: ignore[attr-defined]
    function.__doc__ = f"""{name.rsplit("_", maxsplit=1)[-1]}, derived from :func:`{source.__name__}`: ``{formula}``.

    See Also
    --------
    {source.__name__} : the gradient follows from its own by the same formula.

    Examples
    --------
    >>> ak.relax.{name}([-1.25, 0.0, 2.0], 0.5).shape
    (3,)
    """
    return sections_of(source, "Parameters", "Returns", "Raises")(function)


soft_ceil = _shifted_version(soft_floor, 0.0, 1.0, "soft_ceil")
soft_round = _shifted_version(soft_floor, 0.5, 0.0, "soft_round")
soft_sign = _sign_version(soft_step, "soft_sign")
piecewise_linear_ceil = _shifted_version(piecewise_linear_floor, 0.0, 1.0, "piecewise_linear_ceil")
piecewise_linear_round = _shifted_version(piecewise_linear_floor, 0.5, 0.0, "piecewise_linear_round")
piecewise_linear_sign = _sign_version(piecewise_linear_step, "piecewise_linear_sign")
filtered_ceil = _shifted_version(filtered_floor, 0.0, 1.0, "filtered_ceil")
filtered_round = _shifted_version(filtered_floor, 0.5, 0.0, "filtered_round")
filtered_sign = _sign_version(filtered_step, "filtered_sign")
