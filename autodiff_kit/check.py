"""Is this gradient right? Finite differences, in both modes and to second order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, lift, plain
from autodiff_kit.errors import GradientCheckError, StructureError
from autodiff_kit.transforms import grad, jvp, vjp

__all__ = ["CheckReport", "check_gradients"]


@dataclass(frozen=True)
class CheckReport:
    """What :func:`check_gradients` found.

    Attributes
    ----------
    ok : bool
    worst : float
        The largest error, relative to the size of the numbers compared.
    where : str
        Mode, argument and place of the worst error.
    kinks : tuple of str
        Places where the function jumps or bends, so that no difference can be trusted.
    """

    ok: bool
    worst: float
    where: str
    kinks: tuple[str, ...]

    def raise_if_failed(self) -> None:
        """Raise :class:`GradientCheckError` unless everything agreed."""
        if not self.ok:
            kinks = f" The function has {'; '.join(self.kinks)}." if self.kinks else ""
            raise GradientCheckError(
                f"gradient and finite difference differ by {self.worst:.3g} at {self.where}.{kinks}"
            )

    def __str__(self) -> str:
        verdict = "gradients agree" if self.ok else f"gradients differ by {self.worst:.3g} at {self.where}"
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
    """Compare derivatives with central differences.

    Parameters
    ----------
    f : callable
        Of tensors, giving one tensor.
    args : sequence of array_like
        Where; floating values.
    modes : sequence of {"reverse", "forward"}, optional
    order : {1, 2}, optional
        2 checks the gradient of the gradient as well.
    step, tolerance : float, optional
        By default suited to the dtype.
    seed : int, optional
        For the random weights of a target that is not a scalar, and the directions of large inputs.

    Returns
    -------
    CheckReport

    Notes
    -----
    **Cost.** Two evaluations for each input element up to 64, beyond that for 16 random directions an argument.
    Where one-sided differences disagree by more than rounding explains, the function jumps or bends there: that is
    reported as such.

    Examples
    --------
    >>> print(ak.check_gradients(ak.sin, [[0.1, 0.2]]))
    gradients agree
    >>> print(ak.check_gradients(lambda x: ak.relax.straight_through(ak.floor(x), x), [[1.0, 2.5]]).kinks[0])
    a jump at x[0]=1
    """
    if order not in (1, 2):
        raise StructureError(f"order is 1 or 2, not {order}")
    rng = np.random.default_rng(seed)
    tensors = [lift(a) for a in args]
    single = any(t.dtype != np.float64 for t in tensors)
    h = step or (1e-2 if single else 1e-5)
    tol = tolerance or (2e-2 if single else 1e-6)
    y = lift(f(*tensors))
    weights = rng.standard_normal(y.shape).astype(y.dtype) if y.ndim else np.asarray(1.0, y.dtype)

    def scalar(*xs: Any) -> Tensor:
        return (lift(f(*xs)) * weights).sum()

    found = _compare(f, scalar, tensors, weights, modes, h, rng)
    if order == 2:
        for k in range(len(tensors)):
            slope = grad(scalar, k)
            found += [(e, f"second order, {w}", kink) for e, w, kink in _compare_order2(slope, tensors, h, rng, modes)]
    worst = max(found, key=lambda item: item[0], default=(0.0, "nowhere", ""))
    kinks = tuple(dict.fromkeys(kink for _, _, kink in found if kink))
    return CheckReport(worst[0] <= tol, worst[0], worst[1], kinks)


Finding = tuple[float, str, str]


def _compare(
    f: Any, scalar: Any, tensors: list[Tensor], weights: Any, modes: Sequence[str], h: float, rng: Any
) -> list[Finding]:
    _, pullback = vjp(f, *tensors)
    pulled = pullback(lift(weights)) if "reverse" in modes else None
    slopes = (pulled,) if len(tensors) == 1 else pulled
    found = []
    for k, x in enumerate(tensors):
        for name, direction in _directions(x, k, rng):
            measured, kink = _difference(scalar, tensors, k, direction, h, name)
            if slopes is not None:
                exact = float(np.sum(np.asarray(slopes[k]) * direction))
                found.append((_gap(exact, measured), f"reverse, {name}", kink))
            if "forward" in modes:
                tangents = [direction if j == k else np.zeros(t.shape, t.dtype) for j, t in enumerate(tensors)]
                pushed = np.asarray(jvp(f, tuple(tensors), tuple(tangents))[1])
                found.append((_gap(float(np.sum(pushed * weights)), measured), f"forward, {name}", kink))
    return found


def _compare_order2(slope: Any, tensors: list[Tensor], h: float, rng: Any, modes: Sequence[str]) -> list[Finding]:
    g = np.asarray(slope(*tensors))
    weights = rng.standard_normal(g.shape)
    return _compare(slope, lambda *xs: (slope(*xs) * weights).sum(), tensors, weights, modes, h, rng)


def _directions(x: Tensor, k: int, rng: Any) -> list[tuple[str, Any]]:
    """Each element by itself while they are few, else random directions."""
    name = "x" if k == 0 else f"argument {k}"
    if x.size > 64:
        return [(f"{name}, random direction {j}", rng.standard_normal(x.shape).astype(x.dtype)) for j in range(16)]
    found = []
    for place in np.ndindex(x.shape):
        direction = np.zeros(x.shape, x.dtype)
        direction[place] = 1
        found.append((f"{name}[{','.join(map(str, place))}]" if place else name, direction))
    return found


def _difference(scalar: Any, tensors: list[Tensor], k: int, direction: Any, h: float, name: str) -> tuple[float, str]:
    """The central difference, and what is odd about it."""
    x = np.asarray(plain(tensors[k]))

    def at(d: float) -> float:
        moved = [lift((x + d * direction).astype(x.dtype)) if j == k else t for j, t in enumerate(tensors)]
        return float(scalar(*moved))

    left, middle, right = at(-h), at(0.0), at(h)
    central = (right - left) / (2 * h)
    if not np.isfinite(central):
        return central, ""
    half = (at(h / 2) - at(-h / 2)) / h
    size = 1.0 + abs(central)
    value = f"{name}={float(x[np.nonzero(direction)][0]):g}" if np.count_nonzero(direction) == 1 else name
    if abs(half) > 1.5 * abs(central) and abs(half - central) > 0.2 * size and abs(right - left) > 20 * h:
        return central, f"a jump at {value}"
    bend = abs((right - middle) - (middle - left)) / h
    return central, f"a kink at {value}" if bend > 0.05 * size + 1e3 * h else ""


def _gap(exact: float, measured: float) -> float:
    if np.isnan(exact) and np.isnan(measured):
        return 0.0
    return abs(exact - measured) / (1.0 + abs(measured))
