"""Random-probe (Hutchinson) estimates of the Frobenius norm and the trace of a Hessian that is never built."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import as_tensor
from autodiff_kit.core.validation import check_choice
from autodiff_kit.errors import StructureError
from autodiff_kit.pytree import flatten, unflatten_like
from autodiff_kit.transforms.arguments import Function, check_callable, random_generator, watchable_copy
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients
from autodiff_kit.transforms.reverse_mode import grad

__all__ = ["HessianNorm", "hessian_norm"]

MAX_ENTRIES_PER_PASS = 1 << 18
"""Entries of probe directions that go through the tape in one reverse pass, at most."""


class HessianNorm(NamedTuple):
    """Estimates by random probes, each with its standard error.

    Attributes
    ----------
    frobenius, frobenius_error : float
        The Frobenius norm: the root of the sum of all squared entries.
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
        Returns one number (a scalar tensor).
    x : array_like or pytree
        The point; floating values.
    probes : int, optional
        Number of random directions, at least two. The error falls like ``1 / sqrt(probes)``.
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
    A probe z has random entries 1 and -1 (Rademacher). The expectation of ``z·Hz`` is the trace, and that of ``|Hz|²``
    the square of the Frobenius norm. The errors are standard errors over the probes: about 19 of 20 estimates lie
    within two of them, somewhat fewer if there are few probes or if one eigenvalue dominates. They do not include the
    error of the finite step of "perturbation", which is of the order of step². For a diagonal Hessian both estimates
    are exact.

    **Cost.** A Hessian-vector product for each probe, many of them in one reverse pass; or two gradients for each
    probe.

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
    check_callable(f, "hessian_norm")
    count = _probe_count(probes)
    rng = random_generator(seed, "hessian_norm")
    point = watchable_copy(x)
    product = _hessian_product(f, point, method, step)
    leaves = flatten(point)
    probes_per_pass = max(1, MAX_ENTRIES_PER_PASS // max(1, sum(t.size for t in leaves)))
    squares, quadratics = np.zeros(count), np.zeros(count)
    for start in range(0, count, probes_per_pass):
        part = slice(start, min(start + probes_per_pass, count))
        signs = [rng.choice([-1.0, 1.0], size=(part.stop - start, *t.shape)).astype(t.dtype) for t in leaves]
        for image, sign in zip(product(signs), signs, strict=True):
            squares[part] += _row_sums(image * image)
            quadratics[part] += _row_sums(image * sign)
    square, square_error = _mean_and_error(squares)
    size = float(np.sqrt(square))
    return HessianNorm(size, square_error / (2 * size) if size else 0.0, *_mean_and_error(quadratics))


def _row_sums(x: Any) -> Any:
    """The sum of each row."""
    return x.reshape(len(x), -1).sum(axis=1) if x.size else np.zeros(len(x))


def _probe_count(probes: Any) -> int:
    try:
        count = operator.index(probes)
    except TypeError:
        count = 0
    if count < 2:
        raise StructureError(f"hessian_norm: probes must be an integer of 2 or more, got {probes!r}")
    return count


def _hessian_product(f: Function, point: Any, method: str, step: float | None) -> Function:
    """A function that multiplies directions by the Hessian: one array ``(probes, ...)`` in and out for each leaf."""
    if check_choice("hessian_norm: method", method, "product", "perturbation") == "product":
        return _exact_product(f, point)
    gradient, length = grad(f), _step_length(point, step)

    def product(signs: list[Any]) -> list[Any]:
        each = (
            [_gradient_difference(gradient, point, [s[k] for s in signs], length) for k in range(len(signs[0]))]
            if signs
            else []
        )
        return [np.stack(parts) for parts in zip(*each, strict=True)]

    return product


def _exact_product(f: Function, point: Any) -> Function:
    """Hessian-vector products from one recorded gradient: its VJP with each direction, since H is symmetric."""
    leaves = flatten(point)
    with GradientTape(persistent=True) as tape:
        tape.watch(leaves)
        gradients = flatten(grad(f)(point))
    warn_of_lost_gradients(tape._record, leaves, gradients)

    def product(signs: list[Any]) -> list[Any]:
        found = tape._cotangents(gradients, signs, leaves, list(map(tape._node_of, leaves)), lead=1)
        return [
            np.zeros(s.shape) if p is None else np.asarray(unwrap(p), float) for p, s in zip(found, signs, strict=True)
        ]

    return product


def _step_length(point: Any, step: Any) -> float:
    """Length of each entry of the perturbation; by default it fits the dtype and the size of the point."""
    if step is not None:
        if not isinstance(step, (int, float)) or not 0 < step < np.inf:
            raise StructureError(f"hessian_norm: step must be a number above 0, got {step!r}")
        return float(step)
    parts = [np.asarray(unwrap(t)) for t in flatten(point)]
    precision = max((float(np.finfo(p.dtype).eps) for p in parts), default=1.0)
    return float(precision ** (1 / 3)) * max([1.0, *(float(np.max(np.abs(p))) for p in parts if p.size)])


def _gradient_difference(gradient: Function, point: Any, signs: list[Any], length: float) -> list[Any]:
    """Central difference of the gradient along a direction, from ``x - δ`` to ``x + δ``."""
    ahead, behind = (flatten(gradient(_perturbed(point, signs, side * length))) for side in (1.0, -1.0))
    return [(np.asarray(a, float) - np.asarray(b, float)) / (2 * length) for a, b in zip(ahead, behind, strict=True)]


def _perturbed(point: Any, signs: list[Any], length: float) -> Any:
    """The point plus ``length`` times a direction, in its own dtype."""
    leaves = zip(flatten(point), signs, strict=True)
    return unflatten_like(point, [as_tensor((np.asarray(unwrap(p)) + length * s).astype(p.dtype)) for p, s in leaves])


def _mean_and_error(samples: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Mean and standard error; the error is at least the rounding of the samples."""
    error = np.std(samples, ddof=1) / np.sqrt(samples.size)
    rounding = np.finfo(float).eps * np.mean(np.abs(samples))
    return float(np.mean(samples)), float(np.hypot(error, rounding))
