"""Stand-ins for functions without a slope: relaxations of floor, ceil, round, sign and step; fake quantisation.

Every relaxation of ``floor`` has a relative for the others, which differ by a shift: ``ceil(x) = floor(x) + 1`` between
whole numbers, ``round(x) = floor(x + ½)``, ``sign(x) = 2 step(x) - 1``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.custom_gradient import custom_gradient
from autodiff_kit.core.tensor import Tensor, Value, lift, plain
from autodiff_kit.core.validation import flag, number, said, whole, word
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.arithmetic import square
from autodiff_kit.ops.elementary_functions import sigmoid, sin
from autodiff_kit.ops.selection import clip, stop_gradient, where
from autodiff_kit.ops.shape_manipulation import expand_dims

__all__ = [
    "fake_quant", "filtered_ceil", "filtered_floor", "filtered_round", "filtered_sign", "filtered_step",
    "piecewise_linear_ceil", "piecewise_linear_floor", "piecewise_linear_round", "piecewise_linear_sign",
    "piecewise_linear_step", "soft_ceil", "soft_floor", "soft_round", "soft_sign", "soft_step", "straight_through",
]  # fmt: skip

_REACH = 750.0  # a sigmoid so many temperatures away is 0 or 1 in a float64, and so is its slope
_NEAR = 40.0  # and so many, to the last bit of a value
_WIDEST = 1 << 20  # steps that a caller may ask for
_MOST = 4096  # steps summed at most where no range was given


def _steps(x: Tensor, steps: tuple[int, int] | None, reach: float) -> tuple[np.ndarray[Any, Any], float]:
    """Where the steps stand, and how many steps below them count as done."""
    if steps is not None:
        try:
            first, last = (operator.index(k) for k in steps)
        except (TypeError, ValueError) as error:
            raise StructureError(f"steps are two whole numbers (first, last), not {said(steps)}") from error
        if last < first or last - first > _WIDEST:
            raise StructureError(f"steps are (first, last) with first <= last, and not too many, not {steps}")
        return np.arange(first, last + 1, dtype=x.dtype), 0.0
    finite = np.asarray(x._value)[np.isfinite(np.asarray(x._value))]
    ends = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    low, high = np.floor(ends[0] - reach), np.ceil(ends[1] + reach)
    if high - low > _MOST:
        raise StructureError(
            f"the values reach from {ends[0]:g} to {ends[1]:g}: {high - low:g} steps would be summed. "
            "Give steps=(first, last), or bring the values nearer to each other."
        )
    return np.arange(low + 1, high + 1, dtype=x.dtype), float(low)


class _Step(NamedTuple):
    """What one step at 0 looks like, in units of its own width.

    ``under_way`` gives it between the edges, for a distance from which a shift is still to be taken; from the edges on
    it is 0 or 1, and flat.
    """

    under_way: Callable[[Tensor, float], Tensor]
    edge: float
    corners: bool = True

    def at(self, z: Tensor) -> Tensor:
        """The step at any distance."""
        return self.under_way(clip(z, -self.edge, self.edge) if self.corners else z, 0.0)


def _staircase(x: Any, one: _Step, width: float, steps: tuple[int, int] | None) -> Tensor:
    """The sum of one step at each whole number."""
    x, rate = _real(x), 1.0 / width
    places, below = _steps(x, steps, one.edge * width)
    if not (type(x._value) is float and math.isfinite(x._value)):
        total = one.at((expand_dims(x, -1) - places) * rate).sum(-1)
        return total + below if below else total
    # One number needs no arrays, and one product for all steps: the others lie whole numbers away from the first.
    near, done = _near(x._value, places.tolist(), rate, one.edge)
    done += below
    if not near:
        level: Tensor = x * 0.0 + done
        return level
    scaled = (x - near[0]) * rate
    total = one.under_way(scaled, 0.0)
    for k in near[1:]:
        total = total + one.under_way(scaled, (k - near[0]) * rate)
    return total + done if done else total


def _near(here: float, places: list[float], rate: float, edge: float) -> tuple[list[float], float]:
    """The steps that are under way, and how many are done; decided as ``clip`` would."""
    away = [(here - k) * rate for k in places]
    near = [k for k, z in zip(places, away, strict=True) if -edge < z < edge]
    return near, float(sum(z >= edge for z in away))


def _moved(z: Tensor, shift: float) -> Tensor:
    return z - shift if shift else z


def _smooth(z: Tensor, shift: float) -> Tensor:
    return sigmoid(z - shift if shift else z)


def _ramp(z: Tensor, shift: float) -> Tensor:
    return z + (0.5 - shift)


def _triangle(z: Tensor, shift: float) -> Tensor:
    """The integral of a triangle; for one number, the one of its two parabolas that it is on."""
    if type(z._value) is float:
        if -1.0 < z._value - shift < 0.0:
            return 0.5 * square(z + (1.0 - shift))
        if 0.0 < z._value - shift < 1.0:
            return 1.0 - 0.5 * square(z - (1.0 + shift))
    z = _moved(z, shift)
    return 0.5 + z - 0.5 * z * z.abs()


def _box(z: Tensor, shift: float) -> Tensor:
    return 0.5 + 0.5 * _moved(z, shift)


def _cosine(z: Tensor, shift: float) -> Tensor:
    z = _moved(z, shift)
    return 0.5 + 0.5 * z + sin(np.pi * z) / (2 * np.pi)


_SIGMOID, _SHORT_SIGMOID = _Step(_smooth, _REACH, corners=False), _Step(_smooth, _NEAR, corners=False)
_RAMP = _Step(_ramp, 0.5)
_KERNELS = {"triangle": _Step(_triangle, 1.0), "box": _Step(_box, 1.0), "cosine": _Step(_cosine, 1.0)}


def _kernel(name: str) -> _Step:
    return _KERNELS[word("kernel", name, *_KERNELS)]


def _checked(name: str, value: Any) -> float:
    width = number(name, value)
    if not width > 0 or math.isinf(1.0 / width):
        raise StructureError(f"{name} must be above 0, got {value}")
    return width


def _real(x: Any) -> Tensor:
    """What has a floor: real numbers."""
    t = lift(x)
    if t.dtype.kind == "c":
        raise DtypeError(f"complex numbers have no floor and no sign; got {t.dtype}")
    return t.astype(np.float64) if t.dtype.kind == "b" else t


def soft_step(x: Any, temperature: float) -> Tensor:
    """A step at 0 as a sigmoid: ``sigmoid(x / temperature)``."""
    return sigmoid(lift(x) * (1.0 / _checked("temperature", temperature)))


def soft_floor(x: Any, temperature: float, steps: tuple[int, int] | None = None) -> Tensor:
    """floor as a sum of sigmoids, one at each whole number.

    Parameters
    ----------
    x : Tensor or array_like
    temperature : float
        Above 0; the inverse of a *sharpness* s: each step is ``sigmoid(s (x - k))``.
    steps : (int, int), optional
        First and last step, both included; by default all steps near the values.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The sum of the steps' slopes: one bump of area 1 at each whole number, as high as ``s/4``.
    On a whole number the value never becomes floor's: that step is half done at every temperature.
    **Cost.** A sigmoid for each entry and step.

    Examples
    --------
    >>> ak.relax.soft_floor([2.0, 2.5], 1 / 50, steps=(1, 5)).numpy().round(4)
    array([1.5, 2. ])
    """
    return _staircase(x, _SIGMOID if steps is not None else _SHORT_SIGMOID, _checked("temperature", temperature), steps)


def piecewise_linear_step(x: Any, width: float) -> Tensor:
    """A step at 0 as a ramp of the given width: steep, not vertical."""
    return _RAMP.at(lift(x) * (1.0 / _checked("width", width)))


def piecewise_linear_floor(x: Any, width: float, steps: tuple[int, int] | None = None) -> Tensor:
    """floor with each jump replaced by a ramp of the given width, centred on the whole number.

    Parameters
    ----------
    x : Tensor or array_like
    width : float
        Above 0.
    steps : (int, int), optional
        First and last step; by default all near the values.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** ``1 / width`` on a ramp, 0 on the flats between them.

    Examples
    --------
    >>> ak.relax.piecewise_linear_floor([1.5, 2.0, 2.1], 0.4).numpy()
    array([1.  , 1.5 , 1.75])
    """
    return _staircase(x, _RAMP, _checked("width", width), steps)


def filtered_step(x: Any, width: float, kernel: str = "triangle") -> Tensor:
    """A step at 0 after a smoothing filter that reaches ``width / 2`` to either side.

    Parameters
    ----------
    x : Tensor or array_like
    width : float
        How far the kernel reaches in all.
    kernel : {"triangle", "box", "cosine"}

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The kernel at ``x``: its area is 1, and beyond ``width / 2`` it is 0.

    Examples
    --------
    >>> ak.relax.filtered_step([-1.0, 0.0, 0.5], width=2.0).numpy()
    array([0.   , 0.5  , 0.875])
    """
    return _kernel(kernel).at(lift(x) * (2.0 / _checked("width", width)))


def filtered_floor(x: Any, width: float, kernel: str = "triangle", steps: tuple[int, int] | None = None) -> Tensor:
    """floor after a smoothing filter: its convolution with a kernel of the given width.

    Parameters
    ----------
    x : Tensor or array_like
    width : float
        How far the kernel reaches in all.
    kernel : {"triangle", "box", "cosine"}
    steps : (int, int), optional
        First and last step; by default all near the values.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The kernel itself, once at each whole number.

    Examples
    --------
    >>> ak.relax.filtered_floor([1.5, 2.0, 2.25], 1.0).numpy()
    array([1.   , 1.5  , 1.875])
    """
    return _staircase(x, _kernel(kernel), _checked("width", width) / 2.0, steps)


def straight_through(hard: Any, soft: Any) -> Tensor:
    """The value of one, the gradient of the other: ``hard`` on the way out, ``soft`` on the way back.

    Parameters
    ----------
    hard, soft : Tensor or array_like
        Of one shape; ``straight_through(ak.floor(x), x)`` is floor with the gradient of the identity.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** That of ``soft``; ``hard`` gets none.

    Examples
    --------
    >>> x = ak.Variable(1.7)
    >>> with ak.GradientTape() as tape:
    ...     y = ak.relax.straight_through(ak.floor(x), x)
    >>> float(y), float(tape.gradient(y, x))
    (1.0, 1.0)
    """
    value = stop_gradient(hard)._value
    return custom_gradient(_Hard(value))(soft)


class _Hard:
    """The forward half of :func:`straight_through`: whatever comes in, this value; gradients pass unchanged."""

    __name__ = "straight_through"

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, soft: Tensor) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]:
        if np.shape(self.value) != soft.shape:
            raise StructureError(f"hard has shape {np.shape(self.value)} and soft {soft.shape}; they must agree")
        return self.value, lambda g: g, lambda t: t


# -------------------------------------------------------------------------------- ceil, round, sign: relatives
def _shifted(floor: Callable[..., Tensor], before: float, after: float, name: str) -> Callable[..., Tensor]:
    def relative(x: Any, *args: Any, **kwargs: Any) -> Tensor:
        y = floor(lift(x) + before if before else x, *args, **kwargs)
        return y + after if after else y

    relative.__name__ = name
    relative.__doc__ = f"{name.rsplit('_', maxsplit=1)[-1]} as a relative of :func:`{floor.__name__}`; same parameters."
    return relative


def _signed(step: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    def relative(x: Any, *args: Any, **kwargs: Any) -> Tensor:
        return 2.0 * step(x, *args, **kwargs) - 1.0

    relative.__name__ = name
    relative.__doc__ = f"sign as a relative of :func:`{step.__name__}`; same parameters."
    return relative


soft_ceil = _shifted(soft_floor, 0.0, 1.0, "soft_ceil")
soft_round = _shifted(soft_floor, 0.5, 0.0, "soft_round")
soft_sign = _signed(soft_step, "soft_sign")
piecewise_linear_ceil = _shifted(piecewise_linear_floor, 0.0, 1.0, "piecewise_linear_ceil")
piecewise_linear_round = _shifted(piecewise_linear_floor, 0.5, 0.0, "piecewise_linear_round")
piecewise_linear_sign = _signed(piecewise_linear_step, "piecewise_linear_sign")
filtered_ceil = _shifted(filtered_floor, 0.0, 1.0, "filtered_ceil")
filtered_round = _shifted(filtered_floor, 0.5, 0.0, "filtered_round")
filtered_sign = _signed(filtered_step, "filtered_sign")


# -------------------------------------------------------------------------------- fake quantisation
def _nudged(lo: Any, hi: Any, levels: int, narrow: int) -> tuple[Any, Any, Any]:
    """Scale and ends moved so that 0 is exactly on the grid; in the input's dtype, where halves may round otherwise."""
    kind = np.result_type(lo, hi).type
    scale = kind((hi - lo) / kind(levels))
    zero = kind(narrow) - lo / scale
    place = kind(np.clip(np.floor(zero + kind(0.5)), narrow, narrow + levels))
    return scale, (kind(narrow) - place) * scale, (kind(narrow + levels) - place) * scale


def fake_quant(x: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False) -> Tensor:
    """Values rounded to one of ``2**num_bits`` levels, and still differentiable: straight through inside the range.

    Parameters
    ----------
    x : Tensor or array_like
    min, max : Tensor or float
        The range, ``min < max``; it is nudged so that 0 is a level.
    num_bits : int
    narrow_range : bool
        Whether the lowest level is left out.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If ``min`` is not below ``max``.

    Notes
    -----
    **Gradient.** To ``x``: 1 inside the nudged range, 0 outside. To ``min`` and ``max``: the sum over what was clamped
    to that end. **Dtypes.** The range is nudged in the dtype of ``x``; at an exact half float32 and float64 may choose
    differently.

    Examples
    --------
    >>> ak.relax.fake_quant([-4.0, -3.5, 0.0, 1.0, 5.0], -4.0, 5.0, num_bits=2).numpy()
    array([-3., -3.,  0.,  0.,  6.])
    """
    x = _real(x)
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    kind = x.dtype.type
    low, high = (end if isinstance(end, Value) else lift(kind(number("min and max", end))) for end in (min, max))
    if low.shape or high.shape:
        raise ShapeError(f"fake_quant: min and max are one number each, got shapes {low.shape} and {high.shape}")
    lo, hi = kind(plain(low)), kind(plain(high))
    if not lo < hi:
        raise StructureError(f"fake_quant: min must be below max, got {lo} and {hi}")
    narrow = int(flag("narrow_range", narrow_range))
    if not 2 <= whole("num_bits", num_bits) <= 16:
        raise StructureError(f"num_bits is from 2 to 16, got {num_bits}")
    levels = 2**num_bits - 1 - narrow
    scale, first, last = _nudged(lo, hi, levels, narrow)

    def quantise(x: Tensor, _low: Tensor, _high: Tensor) -> Any:
        raw = np.asarray(x._value)
        y = np.floor((np.clip(raw, first, last) - first) / scale + kind(0.5)) * scale + first
        below, above = raw < first, raw > last
        inside = ~(below | above)

        def pull(g: Any) -> Any:
            g = lift(g)
            return where(inside, g, 0.0), where(below, g, 0.0).sum(), where(above, g, 0.0).sum()

        return y.astype(raw.dtype), pull

    return custom_gradient(quantise)(x, low, high)
