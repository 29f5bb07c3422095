"""Gradient checking: derivatives in reverse and forward mode, to second order, compared with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, canonical
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.validation import check_integer
from autodiff_kit.core.variable import Variable
from autodiff_kit.diagnostics.finite_differences import (
    FiniteDifferenceSteps,
    SlopeEstimate,
    estimate_rounding,
    estimate_slopes,
)
from autodiff_kit.errors import DtypeError, GradientCheckError, StructureError
from autodiff_kit.pytree import flatten, unflatten_like
from autodiff_kit.transforms.arguments import check_callable, random_generator, watchable_copy
from autodiff_kit.transforms.forward_mode import jvp
from autodiff_kit.transforms.reverse_mode import grad, vjp

__all__ = ["GradientCheckReport", "check_gradients"]

MAX_SINGLE_ENTRIES = 64
"""Arguments of up to this many entries are perturbed entry by entry, larger ones along random directions."""

RANDOM_DIRECTIONS = 16
MAX_SINGLE_OUTPUTS = 32
"""Up to this many outputs are compared one by one, more of them in random linear combinations."""

RANDOM_COMBINATIONS = 8
CANCELLATION = 4.0
"""A gradient may be off by so many roundings of the function's value, divided by the size of the argument."""

TOLERANCES = {"float64": 1e-6, "float32": 1e-3, "float16": 3e-2}


@dataclass(frozen=True)
class GradientCheckReport:
    """The result of :func:`check_gradients`.

    Attributes
    ----------
    ok : bool
        Whether all derivatives agree with the finite differences.
    worst : float
        The largest error ``|gradient - difference|`` above its tolerance; if there is none, the error that is
        closest to its tolerance.
    where : str
        Mode, argument and index of the worst error.
    gradient, difference : float
        The two values that were compared there.
    kinks : tuple of str
        Points where the function has a jump, a kink or the edge of its domain, so that central differences are
        unreliable.
    method : str
        How the finite differences were computed.
    """

    ok: bool
    worst: float
    where: str
    gradient: float
    difference: float
    kinks: tuple[str, ...]
    method: str

    def raise_if_failed(self) -> None:
        """Raise :class:`GradientCheckError` unless everything agreed."""
        if not self.ok:
            raise GradientCheckError(str(self))

    def __str__(self) -> str:
        summary = "gradients agree"
        if not self.ok:
            summary = (
                f"gradients differ by {self.worst:.6g} at {self.where} "
                f"(gradient {self.gradient:.6g}, difference {self.difference:.6g})"
            )
        return "; ".join([summary, *self.kinks])


def check_gradients(
    f: Callable[..., Any],
    args: Sequence[Any],
    modes: Sequence[str] = ("reverse", "forward"),
    order: int = 1,
    step: float | None = None,
    tolerance: float | None = None,
    seed: int = 0,
) -> GradientCheckReport:
    """Compare derivatives with finite differences, and name jumps and kinks of the function.

    Parameters
    ----------
    f : callable
        Takes tensors and returns a tensor or a pytree of them.
    args : sequence of array_like or pytree
        The point: one floating value for each argument of ``f``. Instead of a variable pass its value, and let ``f``
        take it as an argument.
    modes : sequence of {"reverse", "forward"}, optional
    order : {1, 2}, optional
        2 also checks the gradient of the gradient.
    step : float, optional
        The first and largest step; by default the fifth root of the precision, times the size of the argument.
    tolerance : float, optional
        Allowed error relative to the gradient; by default 1e-6, 1e-3 and 3e-2 for float64, float32 and float16.
    seed : int, optional
        Seed of the random directions and combinations.

    Returns
    -------
    GradientCheckReport

    Raises
    ------
    StructureError, DtypeError, ArgumentError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Central differences with shrinking steps are extrapolated (Richardson), which gives about ten digits in float64 and
    an estimate of the remaining error; that error is allowed on top of the tolerance. The kit has no complex tensors,
    so there is no complex step. Arguments of float32 and float16 are differenced in float64, unless the values of
    ``f`` in float64 differ by more than rounding; ``report.method`` names the dtype.
    A few roundings of the value, divided by the size of the argument, are allowed too, and so is what is too small for
    the dtype of the argument.

    Differences do not converge at a jump, a kink, a vertical slope or the edge of the domain of ``f``. Their growth as
    the step shrinks tells which of these it is, and the report names it with its position, also if it is not at the
    point but within the first step. At a kink every slope between the two one-sided slopes counts as right; at a jump
    either one-sided slope; otherwise the gradient is compared with the central difference of the first step.

    **Cost.** About 24 evaluations for each entry of an argument up to 64 entries, beyond that for each of 16 random
    directions. Up to 32 outputs are compared one by one, more in 8 random combinations.

    References
    ----------
    .. [1] Ridders, "Accurate computation of F'(x) and F'(x)F''(x)", Advances in Engineering Software 4, 1982.

    Examples
    --------
    >>> print(ak.check_gradients(ak.sin, [[0.1, 0.2]]))
    gradients agree
    >>> print(ak.check_gradients(ak.abs, [[0.0, 1.0]]))
    gradients agree; a kink at x[0]=0
    >>> report = ak.check_gradients(lambda x: ak.relax.straight_through(ak.floor(x), x), [[1.0, 2.5]], step=1e-3)
    >>> round(report.worst, 6), report.kinks
    (499.0, ('a jump at x[0]=1',))
    """
    check_callable(f, "check_gradients")
    chosen = _checked_modes(modes, order, step, tolerance)
    rng = random_generator(seed, "check_gradients")
    function = _FlatFunction(f, *_arguments(args))
    mismatch = function.repeat_mismatch()
    comparisons = _compare_derivatives(function, chosen, step, tolerance, rng)
    if mismatch:
        where = "two calls at the same point"
        comparisons = [_Comparison(where, np.inf, mismatch, 0.0, np.nan, np.nan, _NOT_DETERMINISTIC)]
    if order == 2 and not mismatch:
        gradient = _gradient_function(function, rng)
        second = _compare_derivatives(gradient, chosen, step, tolerance, rng)
        comparisons += [c.prefixed("second order, ") for c in second]
    failed = [c for c in comparisons if c.ratio > 1.0]
    nothing = _Comparison("nowhere", 0.0, 0.0, np.inf, 0.0, 0.0, "")
    worst = max(failed, key=lambda c: c.error) if failed else max(comparisons, key=lambda c: c.ratio, default=nothing)
    kinks = tuple(dict.fromkeys(c.kink for c in comparisons if c.kink))
    return GradientCheckReport(
        not failed, worst.error, worst.where, worst.gradient, worst.difference, kinks,
        f"central differences in {function.dtype}, Richardson-extrapolated",
    )  # fmt: skip


_NOT_DETERMINISTIC = "f is not deterministic: two calls at the same point gave different values"


def _checked_modes(modes: Any, order: Any, step: Any, tolerance: Any) -> tuple[str, ...]:
    """The modes as a tuple, if all options are in range; otherwise an error."""
    names = (modes,) if isinstance(modes, str) else modes
    chosen = tuple(names) if isinstance(names, (tuple, list, set)) else ()
    if not chosen or not all(isinstance(m, str) and m in ("reverse", "forward") for m in chosen):
        raise StructureError(f'check_gradients: modes must be "reverse" or "forward" or both, got {modes!r}')
    if check_integer("check_gradients: order", order) not in (1, 2):
        raise StructureError(f"check_gradients: order must be 1 or 2, got {order!r}")
    for name, value in (("step", step), ("tolerance", tolerance)):
        if value is not None and not (isinstance(value, (int, float, np.integer, np.floating)) and 0 < value < np.inf):
            raise StructureError(f"check_gradients: {name} must be a number above 0, got {value!r}")
    return chosen


def _arguments(args: Any) -> tuple[list[Any], list[Any], list[str]]:
    """The arguments as pytrees of tensors, the arrays of all their leaves, and a name for each array."""
    if not isinstance(args, (tuple, list)):
        raise StructureError(f"args must be a list with one entry for each argument of f, got {type(args).__name__}")
    for value in flatten(list(args)):
        if isinstance(value, Variable):
            raise StructureError(
                "args contains a variable; pass its value, w.numpy(), and let f take it as an argument"
            )
    nests = [watchable_copy(a) for a in args]
    names = [name for k, nest in enumerate(nests) for name in _leaf_names(nest, "x" if k == 0 else f"argument {k}")]
    return nests, [np.asarray(as_tensor(leaf)._value) for leaf in flatten(nests)], names


def _leaf_names(nest: Any, name: str) -> Iterator[str]:
    """A name for each leaf of a pytree, such as ``x[0]['w']``."""
    if isinstance(nest, dict):
        for key, value in nest.items():
            yield from _leaf_names(value, f"{name}[{key!r}]")
    elif isinstance(nest, (list, tuple)):
        for k, value in enumerate(nest):
            yield from _leaf_names(value, f"{name}[{k}]")
    else:
        yield name


class _FlatFunction:
    """A function of several arrays whose floating outputs are joined into one vector."""

    def __init__(self, f: Callable[..., Any], nests: list[Any], arrays: list[Any], names: list[str]) -> None:
        self.f, self.nests, self.arrays, self.names = f, nests, arrays, names
        with np.errstate(all="ignore"):
            self.value = self.vector(arrays)
            wide = [a.astype(float) for a in arrays]
            small = [a.dtype for a in arrays if a.dtype != np.float64]
            eps = max((float(np.finfo(d).eps) for d in small), default=0.0)
            far = abs(self.vector(wide) - self.value) > 64 * eps * (1.0 + np.max(np.abs(self.value), initial=0.0))
        self.wide = not (small and np.any(far))
        self.dtype = np.dtype(float) if self.wide else min(small, key=lambda d: d.itemsize)
        self.points = wide if self.wide else arrays
        finest = [np.finfo(a.dtype) for a in arrays] or [np.finfo(float)]
        self.eps = max(float(info.eps) for info in finest)
        self.smallest = max(float(info.smallest_subnormal) for info in finest)
        self.tolerance = max((TOLERANCES.get(str(d), 0.0) for d in small), default=0.0) or TOLERANCES["float64"]

    def outputs(self, *tensors: Any) -> tuple[Tensor, ...]:
        """The floating outputs of the function; other outputs have no derivative."""
        found = flatten(self.f(*unflatten_like(self.nests, list(tensors))))
        for value in found:
            if not isinstance(value, Value):
                raise DtypeError(f"f returned a {type(value).__name__}, not a tensor, so nothing can be differentiated")
        floating = tuple(as_tensor(value) for value in found if value.dtype.kind == "f")
        if not floating:
            raise DtypeError("f returned no floating value, so nothing can be differentiated")
        return floating

    def vector(self, arrays: list[Any]) -> Any:
        """All outputs at some arrays, joined into one vector."""
        parts = self.outputs(*(wrap(canonical(np.array(a))) for a in arrays))
        return np.concatenate([np.asarray(p._value, float).ravel() for p in parts])

    def perturbed(self, k: int, direction: Any, t: float) -> Any:
        """The outputs with array ``k`` moved by ``t`` times a direction."""
        points = list(self.points)
        points[k] = (points[k] + t * direction).astype(points[k].dtype)
        return self.vector(points)

    def rounding_of_gradient(self, k: int, direction: Any, combinations: Any) -> Any:
        """What a right gradient may be off in each combination, where its terms cancel or are too small for the dtype.

        As for ``1 - y * y`` near 1: the terms have the size of the value, divided by that of the argument.
        """
        size = np.where(combinations == 0, 0.0, np.abs(combinations * self.value)).sum(axis=1)
        extent = np.max(np.abs(self.arrays[k]), initial=1.0, where=(direction != 0) & np.isfinite(self.arrays[k]))
        cancelled = np.where(np.isfinite(size), self.eps * size / float(extent), 0.0)
        return CANCELLATION * (cancelled + self.smallest * float(extent))

    def repeat_mismatch(self) -> float:
        """The largest difference between two calls at the same point."""
        with np.errstate(all="ignore"):
            gap = np.abs(self.vector(self.arrays) - self.value)
        return float(np.max(np.nan_to_num(gap), initial=0.0))


def _gradient_function(function: _FlatFunction, rng: Any) -> _FlatFunction:
    """The gradient of a random linear combination of the outputs, as a function to be checked itself."""
    weights = rng.uniform(0.5, 1.5, function.value.size)

    def combined(*tensors: Any) -> Tensor:
        total, start = as_tensor(0.0), 0
        for part in function.outputs(*tensors):
            share = weights[start : start + part.size].reshape(part.shape).astype(part.dtype)
            total, start = total + (part * share).sum(), start + part.size
        return total

    gradient = grad(combined, tuple(range(len(function.arrays))))
    return _FlatFunction(gradient, list(function.arrays), function.arrays, function.names)


@dataclass(frozen=True)
class _Comparison:
    """A derivative with its finite difference; ``ratio`` is the error divided by the allowed error."""

    where: str
    ratio: float
    error: float
    allowed: float
    gradient: float
    difference: float
    kink: str

    def prefixed(self, prefix: str) -> _Comparison:
        """The same comparison with a prefix to its name and its kink."""
        kink = f"{prefix}{self.kink}" if self.kink else ""
        return replace(self, where=prefix + self.where, kink=kink)


def _compare_derivatives(
    function: _FlatFunction, modes: tuple[str, ...], step: float | None, tolerance: float | None, rng: Any
) -> list[_Comparison]:
    """Comparisons of all first derivatives with their finite differences."""
    size = function.value.size
    combinations = np.eye(size) if size <= MAX_SINGLE_OUTPUTS else rng.standard_normal((RANDOM_COMBINATIONS, size))
    tol = tolerance if tolerance is not None else function.tolerance
    with np.errstate(all="ignore"):
        gradients = _reverse_gradients(function, combinations) if "reverse" in modes else None
        lines = []
        for k, name in enumerate(function.names):
            found = _difference_estimates(function, k, combinations, step, rng)
            usual = max((abs(s.value) for _, _, each in found for s in each if np.isfinite(s.value)), default=0.0)
            for label, direction, each in found:
                exact = {}
                if gradients is not None:
                    exact["reverse"] = [
                        float(np.where(direction == 0, 0, row[k] * direction).sum()) for row in gradients
                    ]
                if "forward" in modes:
                    exact["forward"] = list(_forward_products(function, k, direction, combinations))
                rounding = function.rounding_of_gradient(k, direction, combinations)
                lines.append(_Line(name + label, function.arrays[k], direction, each, exact, rounding, usual))
        known = {j for line in lines for j, s in enumerate(line.each) if s.kind == _NOT_FINITE and not line.is_apart(j)}
        return [c for line in lines for c in line.comparisons(tol, known)]


_NOT_FINITE = "no finite value"


@dataclass(frozen=True)
class _Line:
    """One direction of one array: the finite differences and the derivatives of each mode, for each combination."""

    name: str
    array: Any
    direction: Any
    each: list[SlopeEstimate]
    exact: dict[str, list[float]]
    rounding: Any
    usual: float

    def is_apart(self, j: int) -> bool:
        """Whether a combination is not finite anywhere on the line, and has a derivative of zero along it."""
        return self.each[j].constant and any(values[j] == 0 for values in self.exact.values())

    def comparisons(self, tol: float, known: set[int]) -> Iterator[_Comparison]:
        """The comparisons of all modes; ``known`` are combinations that have no finite value for reasons elsewhere."""
        apart = [j in known and self.is_apart(j) for j in range(len(self.each))]
        slopes = [replace(s, constant=other) for s, other in zip(self.each, apart, strict=True)]
        kink = _describe_singularity(self.name, self.array, self.direction, [s for s in slopes if not s.constant])
        for mode, values in self.exact.items():
            for exact, slope, rounding in zip(values, slopes, self.rounding, strict=True):
                tolerated = tol * max(_size(exact, slope), 1e-3 * self.usual) + rounding
                yield _compare(f"{mode}, {self.name}", exact, slope, tolerated, kink)


def _reverse_gradients(function: _FlatFunction, combinations: Any) -> list[list[Any]]:
    """For each linear combination of the outputs, its gradient with respect to every array (reverse mode)."""
    value, pullback = vjp(function.outputs, *map(wrap, map(canonical, function.arrays)))
    cuts = np.cumsum([part.size for part in value])[:-1]
    found = []
    for row in combinations:
        pieces = zip(np.split(row, cuts), value, strict=True)
        weights = [as_tensor(c.reshape(p.shape).astype(p.dtype)) for c, p in pieces]
        cotangents = pullback(tuple(weights))
        found.append([np.asarray(g, float) for g in ((cotangents,) if len(function.arrays) == 1 else cotangents)])
    return found


def _forward_products(function: _FlatFunction, k: int, direction: Any, combinations: Any) -> Any:
    """The Jacobian-vector product for a direction of array ``k``, in each linear combination (forward mode)."""
    tangents = [np.zeros(a.shape, a.dtype) for a in function.arrays]
    tangents[k] = direction.astype(function.arrays[k].dtype)
    tensors = tuple(wrap(canonical(np.array(a))) for a in function.arrays)
    _, products = jvp(function.outputs, tensors, tuple(tangents))
    flat = np.concatenate([np.asarray(p._value, float).ravel() for p in products])
    return [float(np.sum(np.where(row == 0, 0.0, row * flat))) for row in combinations]


def _difference_estimates(
    function: _FlatFunction, k: int, combinations: Any, step: float | None, rng: Any
) -> list[tuple[str, Any, list[SlopeEstimate]]]:
    """Finite-difference estimates along each direction of one array."""
    x = function.points[k]
    eps = float(np.finfo(function.dtype).eps)
    found = []

    def along(direction: Any) -> Callable[[float], Any]:
        return lambda t: np.where(combinations == 0, 0.0, combinations * function.perturbed(k, direction, t)).sum(
            axis=1
        )

    signs = rng.choice([-1.0, 1.0], x.shape)
    extent = float(np.max(np.abs(x), initial=0.0, where=np.isfinite(x)))
    smallest = float(np.min(np.abs(x), initial=np.inf, where=x != 0))
    rounding = estimate_rounding(along(signs), eps, extent, smallest) if x.size else np.zeros(len(combinations))
    for label, direction in _directions(x, rng):
        size = float(np.max(np.abs(np.where(direction != 0, x, 0.0)), initial=0.0))
        steps = FiniteDifferenceSteps.for_dtype(function.dtype, step, size if np.isfinite(size) else 1.0)
        found.append((label, direction, estimate_slopes(along(direction), steps, rounding)))
    return found


def _directions(x: Any, rng: Any) -> Iterator[tuple[str, Any]]:
    """The coordinate directions of a small array, random directions of a large one, each with a label."""
    if x.size > MAX_SINGLE_ENTRIES:
        for j in range(RANDOM_DIRECTIONS):
            direction = rng.standard_normal(x.shape)
            yield f", random direction {j}", (direction / np.max(np.abs(direction))).astype(x.dtype)
        return
    for place in np.ndindex(x.shape):
        direction = np.zeros(x.shape, x.dtype)
        direction[place] = 1
        yield f"[{','.join(map(str, place))}]" if place else "", direction


def _describe_singularity(name: str, x: Any, direction: Any, each: list[SlopeEstimate]) -> str:
    """The first singularity found along a direction, in words; empty if there is none."""
    singular = next((s for s in each if s.kind), None)
    if singular is None:
        return ""
    alone = np.count_nonzero(direction) == 1
    at = f"{name}={_rounded_position(float(x[direction != 0][0]), singular.place):.6g}" if alone else name
    what = {"no finite value": "no finite value", "edge": "the edge of the domain where f is finite"}.get(
        singular.kind, f"a {singular.kind}"
    )
    return f"{what} at {at}" + (f", {abs(singular.place):.2g} away" if singular.place else "")


def _rounded_position(x: float, place: float) -> float:
    """``x + place``, or 0 if the result is only the rounding of the bisection."""
    return 0.0 if abs(x + place) < 1e-5 * abs(place) else x + place


def _size(exact: float, slope: SlopeEstimate) -> float:
    return max(abs(exact), abs(slope.value)) if np.isfinite([exact, slope.value]).all() else 0.0


def _compare(where: str, exact: float, slope: SlopeEstimate, tolerated: float, kink: str) -> _Comparison:
    allowed = tolerated + 4 * slope.error + 1e-300
    error = _error_of(exact, slope, allowed)
    return _Comparison(where, error / allowed if error else 0.0, error, allowed, exact, slope.value, kink)


def _error_of(exact: float, slope: SlopeEstimate, allowed: float) -> float:
    """The error of a gradient; 0 if the gradient is right for the kind of singularity that was found."""
    if slope.constant and exact == 0:
        return 0.0  # an output that is not finite for another reason than this entry
    if slope.kind == _NOT_FINITE or (slope.kind == "pole" and not slope.place):
        return 0.0 if not np.isfinite(exact) else np.inf
    if exact == slope.value:
        return 0.0
    if slope.kind and not slope.place:
        if slope.kind == "jump":
            right = min(abs(exact - slope.low), abs(exact - slope.high)) <= allowed
        else:
            right = slope.low - allowed <= exact <= slope.high + allowed
        if right:
            return 0.0
    error = abs(exact - slope.value)
    return error if np.isfinite(error) else np.inf
