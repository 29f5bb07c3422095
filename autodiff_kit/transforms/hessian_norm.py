"""How strongly a function bends: the size and the trace of its Hessian, which is never built."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.pytree import flatten, pack_like
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import lift, plain
from autodiff_kit.core.validation import word
from autodiff_kit.errors import StructureError
from autodiff_kit.transforms.derivatives import called, fresh, generator, grad

__all__ = ["HessianNorm", "hessian_norm"]

Function = Callable[..., Any]

TOGETHER = 1 << 18
"""So many entries of directions go through the record at a time."""


class HessianNorm(NamedTuple):
    """Estimates by random probes, each with its standard error.

    Attributes
    ----------
    frobenius, frobenius_error : float
        The root of the sum of all squared entries.
    trace, trace_error : float
        The sum of the diagonal.
    """

    frobenius: float
    frobenius_error: float
    trace: float
    trace_error: float


def hessian_norm(
    f: Function, x: Any, probes: int = 64, seed: int = 0, method: str = "product", step: float | None = None
) -> HessianNorm:
    """Frobenius norm and trace of the Hessian of ``f`` at ``x``, by random probes.

    Parameters
    ----------
    f : callable
        With one number as its answer.
    x : array_like or nest
        Where; floating values.
    probes : int, optional
        Number of random directions, two at the least. The error falls like one over its root.
    seed : int, optional
        The same seed draws the same directions.
    method : {"product", "perturbation"}
        "product" takes exact Hessian-vector products. "perturbation" runs ``f`` again at ``x + δ`` and at ``x - δ``
        and takes the difference of the two gradients.
    step : float, optional
        Length of each entry of δ, for "perturbation"; by default the third root of the dtype's precision, times the
        largest entry of ``x`` where that is above 1.

    Returns
    -------
    HessianNorm
        ``(frobenius, frobenius_error, trace, trace_error)``.

    Raises
    ------
    StructureError
        If an argument is outside its range.

    Notes
    -----
    A probe z has entries of 1 and -1 by chance. Then ``z·Hz`` is the trace on average, and ``|Hz|²`` the square of the
    norm. The errors are standard errors over the probes: about 19 of 20 estimates lie within two of them, somewhat
    fewer where probes are few or one direction bends much more than all others. What "perturbation" adds by its finite
    step, of the order of step², is not in them. Of a diagonal Hessian the probes give trace and norm without error.

    **Cost.** A Hessian-vector product for each probe, many in one sweep; or two gradients. The Hessian is never built.

    References
    ----------
    .. [1] Hutchinson, "A stochastic estimator of the trace of the influence matrix", Communications in Statistics 19,
       1990.

    Examples
    --------
    >>> found = ak.hessian_norm(lambda x: x[0] ** 2 + 3.0 * x[1] ** 2, [1.0, 1.0], probes=4)
    >>> round(found.trace, 6), round(found.frobenius, 6)
    (8.0, 6.324555)
    """
    called(f, "hessian_norm")
    count = _count(probes)
    rng = generator(seed, "hessian_norm")
    here = fresh(x)
    product = _products(f, here, method, step)
    leaves = flatten(here)
    together = max(1, TOGETHER // max(1, sum(t.size for t in leaves)))
    squares, quadratics = np.zeros(count), np.zeros(count)
    for start in range(0, count, together):
        part = slice(start, min(start + together, count))
        signs = [rng.choice([-1.0, 1.0], size=(part.stop - start, *t.shape)).astype(t.dtype) for t in leaves]
        for moved, sign in zip(product(signs), signs, strict=True):
            squares[part] += _rows(moved * moved)
            quadratics[part] += _rows(moved * sign)
    square, square_error = _mean(squares)
    size = float(np.sqrt(square))
    return HessianNorm(size, square_error / (2 * size) if size else 0.0, *_mean(quadratics))


def _rows(x: Any) -> Any:
    """The sum of each row."""
    return x.reshape(len(x), -1).sum(axis=1) if x.size else np.zeros(len(x))


def _count(probes: Any) -> int:
    try:
        count = operator.index(probes)
    except TypeError:
        count = 0
    if count < 2:
        raise StructureError(f"hessian_norm: probes is a whole number from 2 upwards, not {probes!r}")
    return count


def _products(f: Function, here: Any, method: str, step: float | None) -> Function:
    """A function from directions, a list with an array ``(probes, ...)`` for each leaf, to what the Hessian makes."""
    if word("hessian_norm: method", method, "product", "perturbation") == "product":
        return _pulled(f, here)
    slope, length = grad(f), _step(here, step)

    def moved(signs: list[Any]) -> list[Any]:
        each = [_difference(slope, here, [s[k] for s in signs], length) for k in range(len(signs[0]))] if signs else []
        return [np.stack(parts) for parts in zip(*each, strict=True)]

    return moved


def _pulled(f: Function, here: Any) -> Function:
    """The gradient is recorded once, and all directions are pulled back through it together; H is symmetric."""
    leaves = flatten(here)
    with GradientTape(persistent=True) as tape:
        tape.watch(leaves)
        slopes = flatten(grad(f)(here))

    def moved(signs: list[Any]) -> list[Any]:
        found = tape._pull(slopes, signs, leaves, lead=1)
        return [
            np.zeros(s.shape) if p is None else np.asarray(plain(p), float) for p, s in zip(found, signs, strict=True)
        ]

    return moved


def _step(here: Any, step: Any) -> float:
    if step is not None:
        if not isinstance(step, (int, float)) or not 0 < step < np.inf:
            raise StructureError(f"hessian_norm: step is a number above 0, not {step!r}")
        return float(step)
    parts = [np.asarray(plain(t)) for t in flatten(here)]
    precision = max((float(np.finfo(p.dtype).eps) for p in parts), default=1.0)
    return float(precision ** (1 / 3)) * max([1.0, *(float(np.max(np.abs(p))) for p in parts if p.size)])


def _difference(slope: Function, here: Any, signs: list[Any], length: float) -> list[Any]:
    """What the gradient changes by from ``x - δ`` to ``x + δ``, for a step of length 1."""
    ahead, behind = (
        flatten(slope(pack_like(here, [_moved(p, s, way * length) for p, s in zip(flatten(here), signs, strict=True)])))
        for way in (1.0, -1.0)
    )
    return [(np.asarray(a, float) - np.asarray(b, float)) / (2 * length) for a, b in zip(ahead, behind, strict=True)]


def _moved(place: Any, sign: Any, length: float) -> Any:
    return lift((np.asarray(plain(place)) + length * sign).astype(place.dtype))


def _mean(samples: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Mean and standard error; equal samples still carry the rounding of their numbers."""
    error = np.std(samples, ddof=1) / np.sqrt(samples.size)
    rounding = np.finfo(float).eps * np.mean(np.abs(samples))
    return float(np.mean(samples)), float(np.hypot(error, rounding))
