"""Is this gradient right? It is compared with finite differences, in both modes and to second order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.pytree import flatten, pack_like
from autodiff_kit.core.tensor import Tensor, Value, Variable, lift, make, normal
from autodiff_kit.core.validation import whole
from autodiff_kit.diagnostics.finite_differences import Ladder, Slope, rounding_of, slopes
from autodiff_kit.errors import DtypeError, GradientCheckError, StructureError
from autodiff_kit.transforms.arguments import check_callable, random_generator, watchable_copy
from autodiff_kit.transforms.forward_mode import jvp
from autodiff_kit.transforms.reverse_mode import grad, vjp

__all__ = ["CheckReport", "check_gradients"]

FEW = 64
"""Up to so many entries of an argument are moved one by one; beyond, along random directions."""

DIRECTIONS = 16
OUTPUTS = 32
"""Up to so many outputs are compared one by one; beyond, in random combinations."""

COMBINATIONS = 8
TOLERANCE = {"float64": 1e-6, "float32": 1e-3, "float16": 3e-2}


@dataclass(frozen=True)
class CheckReport:
    """What :func:`check_gradients` found.

    Attributes
    ----------
    ok : bool
    worst : float
        ``|gradient - difference|`` where that is largest beyond what is allowed; if nothing is, where it comes nearest.
    where : str
        Mode, argument and place of the worst error.
    gradient, difference : float
        What was compared there.
    kinks : tuple of str
        Places where the function jumps, bends or ends, so that no central difference can be trusted.
    method : str
        How the differences were taken.
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
        verdict = "gradients agree"
        if not self.ok:
            verdict = (
                f"gradients differ by {self.worst:.6g} at {self.where} "
                f"(gradient {self.gradient:.6g}, difference {self.difference:.6g})"
            )
        return "; ".join([verdict, *self.kinks])


def check_gradients(
    f: Callable[..., Any],
    args: Sequence[Any],
    modes: Sequence[str] = ("reverse", "forward"),
    order: int = 1,
    step: float | None = None,
    tolerance: float | None = None,
    seed: int = 0,
) -> CheckReport:
    """Compare derivatives with finite differences, and say where the function jumps or bends.

    Parameters
    ----------
    f : callable
        Of tensors, giving a tensor or a nest of them.
    args : sequence of array_like or nest
        Where; floating values. A variable is given by its value, and ``f`` takes it as an argument.
    modes : sequence of {"reverse", "forward"}, optional
    order : {1, 2}, optional
        2 checks the gradient of the gradient as well.
    step : float, optional
        The first and largest step; by default the fifth root of the precision, times the size of the argument.
    tolerance : float, optional
        Allowed error relative to the gradient; by default 1e-6, 1e-3 and 3e-2 for float64, float32 and float16.
    seed : int, optional
        For random directions and combinations.

    Returns
    -------
    CheckReport

    Raises
    ------
    StructureError, DtypeError
        If an argument is not what it should be.

    Notes
    -----
    Central differences with steps that shrink are extrapolated (Richardson), which gives some ten digits in float64,
    and an estimate of what is still wrong with them; that much is allowed on top of the tolerance. The kit has no
    complex tensors, so there is no complex step. Arguments of float32 and float16 are differenced in float64, unless
    the values of ``f`` differ there by more than rounding; the report says which.

    Differences do not settle at a jump, a kink or a vertical slope, nor at the edge of where ``f`` has values: how
    they grow while the step shrinks tells which it is, and the report names it with its place, also if it lies not at
    the point but within the first step. At a kink every slope between those of its two sides is right; at a jump the
    slope of either side; else the error is that of the central difference with the first step.

    **Cost.** Some 24 evaluations for each entry of an argument up to 64 entries, beyond that for each of 16 random
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
    chosen = _options(modes, order, step, tolerance)
    rng = random_generator(seed, "check_gradients")
    problem = _Problem(f, *_leaves(args))
    differing = problem.noise()
    verdicts = _compared(problem, chosen, step, tolerance, rng)
    if differing:
        verdicts = [_Verdict("two calls at the same point", np.inf, differing, 0.0, np.nan, np.nan, _RANDOM)]
    if order == 2 and not differing:
        again = _second(problem, rng)
        verdicts += [v.within("second order, ") for v in _compared(again, chosen, step, tolerance, rng)]
    failed = [v for v in verdicts if v.ratio > 1.0]
    nothing = _Verdict("nowhere", 0.0, 0.0, np.inf, 0.0, 0.0, "")
    worst = max(failed, key=lambda v: v.error) if failed else max(verdicts, key=lambda v: v.ratio, default=nothing)
    kinks = tuple(dict.fromkeys(v.kink for v in verdicts if v.kink))
    return CheckReport(
        not failed, worst.error, worst.where, worst.gradient, worst.difference, kinks,
        f"central differences in {problem.dtype}, Richardson-extrapolated",
    )  # fmt: skip


_RANDOM = "f is not deterministic: it gives two values at one point"


def _options(modes: Any, order: Any, step: Any, tolerance: Any) -> tuple[str, ...]:
    names = (modes,) if isinstance(modes, str) else modes
    chosen = tuple(names) if isinstance(names, (tuple, list, set)) else ()
    if not chosen or not all(isinstance(m, str) and m in ("reverse", "forward") for m in chosen):
        raise StructureError(f'check_gradients: modes are "reverse" and "forward", not {modes!r}')
    if whole("check_gradients: order", order) not in (1, 2):
        raise StructureError(f"check_gradients: order is 1 or 2, not {order!r}")
    for name, value in (("step", step), ("tolerance", tolerance)):
        if value is not None and not (isinstance(value, (int, float)) and 0 < value < np.inf):
            raise StructureError(f"check_gradients: {name} is a number above 0, not {value!r}")
    return chosen


def _leaves(args: Any) -> tuple[list[Any], list[Any], list[str]]:
    """The arguments, all their arrays, and how each is called in the report."""
    if not isinstance(args, (tuple, list)):
        raise StructureError(f"args is a list with one entry for each argument of f, not {type(args).__name__}")
    for value in flatten(list(args)):
        if isinstance(value, Variable):
            raise StructureError("args holds a variable: give its value, w.numpy(), and let f take it as an argument")
    nests = [watchable_copy(a) for a in args]
    places = [place for k, nest in enumerate(nests) for place in _named(nest, "x" if k == 0 else f"argument {k}")]
    return nests, [np.asarray(lift(leaf)._value) for leaf in flatten(nests)], places


def _named(nest: Any, name: str) -> Iterator[str]:
    if isinstance(nest, dict):
        for key, value in nest.items():
            yield from _named(value, f"{name}[{key!r}]")
    elif isinstance(nest, (list, tuple)):
        for k, value in enumerate(nest):
            yield from _named(value, f"{name}[{k}]")
    else:
        yield name


class _Problem:
    """A function of several arrays, giving several; and its values as one vector."""

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
        self.tolerance = max((TOLERANCE[str(d)] for d in small), default=TOLERANCE["float64"])

    def outputs(self, *tensors: Any) -> tuple[Tensor, ...]:
        """What f gives, as far as it can have derivatives."""
        found = flatten(self.f(*pack_like(self.nests, list(tensors))))
        for value in found:
            if not isinstance(value, Value):
                raise DtypeError(f"f returned a {type(value).__name__}, not a tensor: nothing can be differentiated")
        floating = tuple(lift(value) for value in found if value.dtype.kind == "f")
        if not floating:
            raise DtypeError("f returned no floating value: nothing can be differentiated")
        return floating

    def vector(self, arrays: list[Any]) -> Any:
        """All outputs one after the other."""
        parts = self.outputs(*(make(normal(np.array(a))) for a in arrays))
        return np.concatenate([np.asarray(p._value, float).ravel() for p in parts])

    def moved(self, k: int, direction: Any, t: float) -> Any:
        """The outputs with argument k moved along a direction."""
        points = list(self.points)
        points[k] = (points[k] + t * direction).astype(points[k].dtype)
        return self.vector(points)

    def noise(self) -> float:
        """By how much two calls at one point differ."""
        with np.errstate(all="ignore"):
            gap = np.abs(self.vector(self.arrays) - self.value)
        return float(np.max(np.nan_to_num(gap), initial=0.0))


def _second(problem: _Problem, rng: Any) -> _Problem:
    """The gradient of a random combination of the outputs, as a function to be checked itself."""
    weights = rng.uniform(0.5, 1.5, problem.value.size)

    def combined(*tensors: Any) -> Tensor:
        total, start = lift(0.0), 0
        for part in problem.outputs(*tensors):
            share = weights[start : start + part.size].reshape(part.shape).astype(part.dtype)
            total, start = total + (part * share).sum(), start + part.size
        return total

    slope = grad(combined, tuple(range(len(problem.arrays))))
    return _Problem(slope, list(problem.arrays), problem.arrays, problem.names)


@dataclass(frozen=True)
class _Verdict:
    """One comparison: its error, and the error beside what is allowed."""

    where: str
    ratio: float
    error: float
    allowed: float
    gradient: float
    difference: float
    kink: str

    def within(self, prefix: str) -> _Verdict:
        """The same, of another order."""
        kink = f"{prefix}{self.kink}" if self.kink else ""
        return _Verdict(prefix + self.where, self.ratio, self.error, self.allowed, self.gradient, self.difference, kink)


def _compared(
    problem: _Problem, modes: tuple[str, ...], step: float | None, tolerance: float | None, rng: Any
) -> list[_Verdict]:
    """All verdicts on first derivatives."""
    size = problem.value.size
    rows = np.eye(size) if size <= OUTPUTS else rng.standard_normal((COMBINATIONS, size))
    tol = tolerance if tolerance is not None else problem.tolerance
    with np.errstate(all="ignore"):
        pulled = _pulled(problem, rows) if "reverse" in modes else None
        verdicts = []
        for k, name in enumerate(problem.names):
            found = _measured(problem, k, rows, step, rng)
            usual = max((abs(s.value) for _, _, each in found for s in each if np.isfinite(s.value)), default=0.0)
            for label, direction, each in found:
                exact = {}
                if pulled is not None:
                    exact["reverse"] = [float(np.sum(row[k] * direction)) for row in pulled]
                if "forward" in modes:
                    exact["forward"] = list(_pushed(problem, k, direction, rows))
                kink = _described(name + label, problem.arrays[k], direction, each)
                verdicts += [
                    _judged(f"{mode}, {name}{label}", g, s, tol, usual, kink)
                    for mode, values in exact.items()
                    for g, s in zip(values, each, strict=True)
                ]
    return verdicts


def _pulled(problem: _Problem, rows: Any) -> list[list[Any]]:
    """For each row, the gradient of every argument."""
    value, pullback = vjp(problem.outputs, *map(make, map(normal, problem.arrays)))
    cuts = np.cumsum([part.size for part in value])[:-1]
    found = []
    for row in rows:
        weights = [lift(c.reshape(p.shape).astype(p.dtype)) for c, p in zip(np.split(row, cuts), value, strict=True)]
        slopes_of = pullback(tuple(weights))
        found.append([np.asarray(g, float) for g in ((slopes_of,) if len(problem.arrays) == 1 else slopes_of)])
    return found


def _pushed(problem: _Problem, k: int, direction: Any, rows: Any) -> Any:
    tangents = [np.zeros(a.shape, a.dtype) for a in problem.arrays]
    tangents[k] = direction.astype(problem.arrays[k].dtype)
    tensors = tuple(make(normal(np.array(a))) for a in problem.arrays)
    _, pushed = jvp(problem.outputs, tensors, tuple(tangents))
    flat = np.concatenate([np.asarray(p._value, float).ravel() for p in pushed])
    return [float(np.sum(np.where(row == 0, 0.0, row * flat))) for row in rows]


def _measured(problem: _Problem, k: int, rows: Any, step: float | None, rng: Any) -> list[tuple[str, Any, list[Slope]]]:
    """Slopes along each direction of one argument."""
    x = problem.points[k]
    eps = float(np.finfo(problem.dtype).eps)
    found = []

    def along(direction: Any) -> Callable[[float], Any]:
        return lambda t: np.where(rows == 0, 0.0, rows * problem.moved(k, direction, t)).sum(axis=1)

    signs = rng.choice([-1.0, 1.0], x.shape)
    extent = float(np.max(np.abs(x), initial=0.0, where=np.isfinite(x)))
    rounding = rounding_of(along(signs), eps, extent) if x.size else np.zeros(len(rows))
    for label, direction in _directions(x, rng):
        size = float(np.max(np.abs(np.where(direction != 0, x, 0.0)), initial=0.0))
        ladder = Ladder.of(problem.dtype, step, size if np.isfinite(size) else 1.0)
        found.append((label, direction, slopes(along(direction), ladder, rounding)))
    return found


def _directions(x: Any, rng: Any) -> Iterator[tuple[str, Any]]:
    """Each element by itself while they are few, else random directions."""
    if x.size > FEW:
        for j in range(DIRECTIONS):
            direction = rng.standard_normal(x.shape)
            yield f", random direction {j}", (direction / np.max(np.abs(direction))).astype(x.dtype)
        return
    for place in np.ndindex(x.shape):
        direction = np.zeros(x.shape, x.dtype)
        direction[place] = 1
        yield f"[{','.join(map(str, place))}]" if place else "", direction


def _described(name: str, x: Any, direction: Any, each: list[Slope]) -> str:
    """The first thing that is odd along a direction."""
    odd = next((s for s in each if s.kind), None)
    if odd is None:
        return ""
    alone = np.count_nonzero(direction) == 1
    at = f"{name}={_sum(float(x[direction != 0][0]), odd.place):.6g}" if alone else name
    what = {"no finite value": "no finite value", "edge": "the edge of where f is finite"}.get(
        odd.kind, f"a {odd.kind}"
    )
    return f"{what} at {at}" + (f", {abs(odd.place):.2g} away" if odd.place else "")


def _sum(x: float, place: float) -> float:
    """A place that was found by halving is 0 where nothing but rounding is left of it."""
    return 0.0 if abs(x + place) < 1e-5 * abs(place) else x + place


def _judged(where: str, exact: float, slope: Slope, tol: float, usual: float, kink: str) -> _Verdict:
    size = max(abs(exact), abs(slope.value)) if np.isfinite([exact, slope.value]).all() else 0.0
    allowed = tol * max(size, 1e-3 * usual) + 4 * slope.error + 1e-300
    error = _gap(exact, slope, allowed)
    return _Verdict(where, error / allowed if error else 0.0, error, allowed, exact, slope.value, kink)


def _gap(exact: float, slope: Slope, allowed: float) -> float:
    """How far a gradient is from what would be right."""
    if slope.kind == "no finite value" or (slope.kind == "pole" and not slope.place):
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
