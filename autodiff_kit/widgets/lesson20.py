"""Lesson 20 widget: Hutchinson estimates of a Hessian's trace and norm from random probes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["HessianProbes"]

MOST = 60
LEAST_STEP, LONGEST_STEP = 1e-12, 1.0
Vector = np.ndarray[Any, np.dtype[np.float64]]
PLAIN = np.array([[2.0, 1.0], [1.0, 3.0]])


@dataclass(frozen=True)
class ProbedFunction:
    """A function of each row of a matrix, and the row at which its Hessian is asked for."""

    words: str
    f: Callable[[Any], Any]
    at: Vector

    @property
    def size(self) -> int:
        return int(self.at.size)


def _quadratic(H: Vector) -> Callable[[Any], Any]:
    """Half of x·Hx, for each row."""
    return lambda X: 0.5 * ak.sum(ak.matmul(X, H) * X, axis=-1)


def _waves(X: Any) -> Any:
    """Neighbours multiplied and put through a sine: third and higher derivatives are not 0."""
    return ak.sum(ak.sin(2.0 * X[..., 1:] * X[..., :-1]), axis=-1) + 0.5 * ak.sum(X**4, axis=-1)


@cache
def function_named(name: str) -> ProbedFunction:
    """The function of that name."""
    if name == "two":
        return ProbedFunction("x₀² + x₀x₁ + 1.5 x₁² at (1, 2)", _quadratic(PLAIN), np.array([1.0, 2.0]))
    if name == "diagonal":
        return ProbedFunction("½ Σ k·x_k² of 6 numbers", _quadratic(np.diag(np.arange(1.0, 7.0))), np.ones(6))
    if name == "twelve":
        half = np.random.default_rng(7).integers(-2, 3, size=(12, 12)).astype(float)
        return ProbedFunction("a quadratic of 12 numbers", _quadratic(half + half.T), np.ones(12))
    return ProbedFunction("sines and fourth powers of 6 numbers", _waves, np.array([1.0, -0.5, 0.8, 0.3, -1.0, 0.6]))


@cache
def exact_hessian(name: str) -> tuple[list[list[float]], float, float]:
    """The whole Hessian, its trace and its norm: what the probes are to come near."""
    it = function_named(name)
    H = np.asarray(ak.hessian(it.f)(it.at))
    return H.tolist(), float(np.trace(H)), float(np.linalg.norm(H))


def row_gradients(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The gradient of each row, in one pull: rows do not know of one another."""
    return ak.grad(lambda X: ak.sum(f(X)))


class HessianProbes(KernelWidget):
    """Draw probes, and watch what lies off the diagonal cancel until the trace is left.

    Parameters
    ----------
    function : {"two", "diagonal", "twelve", "waves"}, optional
        Whose Hessian it is: the lesson's own quadratic, a diagonal one, one of 12 numbers, one that is no quadratic.
    estimate : {"trace", "norm"}, optional
        What is estimated: the trace of H, or its Frobenius norm, the root of the trace of HᵀH.
    kind : {"signs", "normal"}, optional
        What probes by chance are made of: 1 and -1, or normal numbers.
    way : {"product", "moving"}, optional
        Exact Hessian-vector products, or the difference of the gradients at ``x + h v`` and ``x - h v``.
    h : float, optional
        How far "moving" moves.
    probes : list of lists of floats, optional
        The probes so far, at least one and at most 60; an empty list among them stands for one by chance, which
        ``seed`` and its place decide.
    seed : int, optional
        Another one draws other probes.

    Notes
    -----
    All products come from one push through the gradient, or from two gradients at all the moved points; each row is
    its own evaluation of the function. The squares of the picture are entries of the exact Hessian, so that with moved
    gradients their sum shows by how much the products are off.
    """

    _front_end = "lesson20.js"

    function = Input(traitlets.Enum(("two", "diagonal", "twelve", "waves"), default_value="two"))
    estimate = Input(traitlets.Enum(("trace", "norm"), default_value="trace"))
    kind = Input(traitlets.Enum(("signs", "normal"), default_value="signs"))
    way = Input(traitlets.Enum(("product", "moving"), default_value="product"))
    h = Input(traitlets.Float(1e-3, min=LEAST_STEP, max=LONGEST_STEP))
    probes: Any = Input(traitlets.List(traitlets.List(traitlets.Float()), default_value=[[]]))
    seed = Input(traitlets.Int(0, min=0))

    about = Output()
    rows = Output()
    found = Output()
    cells = Output()

    @traitlets.validate("probes")
    def _few_and_finite(self, proposal: Any) -> Any:
        probes = proposal["value"]
        finite = all(math.isfinite(x) and abs(x) <= 10 for one in probes for x in one)
        if not 1 <= len(probes) <= MOST or not finite:
            raise traitlets.TraitError(f"probes holds 1 to {MOST} lists of numbers, none beyond 10")
        return probes

    def compute_outputs(self) -> dict[str, Any]:
        """Every probe's product, the estimates after each of them, and the entries that add up to them."""
        it = function_named(self.function)
        H, trace, norm = exact_hessian(self.function)
        drawn = self._drawn(it.size)
        V = np.array([drawn[k] if not one else np.resize(np.array(one), it.size) for k, one in enumerate(self.probes)])
        with np.errstate(all="ignore"):
            moved = self._products(it, V)
        quadratics, squares = np.sum(V * moved, axis=1), np.sum(moved * moved, axis=1)
        whole = np.array(H) if self.estimate == "trace" else np.array(H).T @ np.array(H)
        return {
            "about": {
                "words": it.words,
                "size": it.size,
                "hessian": H,
                "trace": trace,
                "norm": norm,
                "most": MOST,
                "spread": spread_of_one(np.array(H), self.kind),
            },
            "rows": [probe_row(one) for one in zip(V, moved, quadratics, squares, strict=True)],
            "found": _estimates(quadratics, squares),
            "cells": signed_entries(whole, V, quadratics if self.estimate == "trace" else squares),
        }

    def _drawn(self, size: int) -> Vector:
        """Every probe that chance has in store for this seed."""
        rng = np.random.default_rng(self.seed)
        return rng.choice([-1.0, 1.0], (MOST, size)) if self.kind == "signs" else rng.normal(size=(MOST, size))

    def _products(self, it: ProbedFunction, V: Vector) -> Vector:
        """H v for each row v of V."""
        gradient, X = row_gradients(it.f), np.tile(it.at, (len(V), 1))
        if self.way == "product":
            return np.asarray(ak.jvp(gradient, (ak.constant(X),), (V,))[1])
        ahead, behind = (np.asarray(gradient(ak.constant(X + way * self.h * V))) for way in (1.0, -1.0))
        return np.asarray((ahead - behind) / (2 * self.h))

    def as_table(self) -> Table:
        """Each probe, and the estimates after it; in the end the truth."""
        estimates = [["–" if x is None else x for x in now.values()] for now in self.found]
        rows: list[tuple[Any, ...]] = [
            (f"{k}", row["quadratic"], row["square"], *now)
            for k, (row, now) in enumerate(zip(self.rows, estimates, strict=True), 1)
        ]
        rows.append(("whole H", "–", "–", self.about["trace"], "–", self.about["norm"], "–"))
        columns = ("probes", "v·Hv", "|Hv|²", "trace", "±", "norm", "±")
        return Table(f"{self.about['words']}: probes and estimates", columns, rows, digits=4)

    def static_figure(self) -> Any:
        """The last probe's entries, their mean over all probes, and the estimates, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.2, 2.6), layout="constrained")
        one, mean, plot = figure.subplots(1, 3, width_ratios=(1, 1, 1.6))
        scale = float(np.abs(self.cells["whole"]).max())
        _squares(one, np.array(self.cells["probe"]) / scale, f"probe {len(self.rows)}")
        _squares(mean, np.array(self.cells["mean"]) / scale, f"mean of {len(self.rows)}")
        count = np.arange(1, len(self.rows) + 1)
        name = self.estimate
        samples = [row["quadratic"] if name == "trace" else math.sqrt(row["square"]) for row in self.rows]
        bars = [now[f"{name}_error"] or 0.0 for now in self.found]
        plot.errorbar(count, [now[name] for now in self.found], bars, color="black", ecolor="0.6")
        plot.plot(count, samples, "o", color="black", mfc="none", ms=4)
        plot.axhline(self.about[name], color="black", ls="--", lw=1)
        plot.set(xlabel="probes", title=name, xlim=(0, max(10, len(self.rows)) + 0.5))
        return figure


def _squares(axes: Any, cells: Vector, title: str) -> None:
    """A matrix as squares of the area of its entries, filled where they are positive."""
    from matplotlib.patches import Rectangle

    for (i, j), value in np.ndenumerate(cells):
        side = 0.9 * min(1.0, math.sqrt(abs(value)))
        corner = (j - side / 2, i - side / 2)
        axes.add_patch(Rectangle(corner, side, side, fc="black" if value > 0 else "white", ec="black", lw=0.8))
    size = len(cells)
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), aspect="equal", xticks=[], yticks=[], title=title)


def signed_entries(whole: Vector, V: Vector, sums: Vector) -> dict[str, Any]:
    """A matrix's entries times both entries of a probe: for the last probe, and their mean over all.

    ``added`` holds what the entries of both add up to, ``given`` what the products gave instead.
    """
    probe, mean = np.outer(V[-1], V[-1]) * whole, V.T @ V / len(V) * whole
    return {
        "whole": whole,
        "probe": probe,
        "mean": mean,
        "added": {"probe": float(probe.sum()), "mean": float(mean.sum())},
        "given": {"probe": _plain(sums[-1]), "mean": _plain(sums.mean())},
    }


def spread_of_one(H: Vector, kind: str) -> dict[str, float]:
    """The standard deviation of one probe's v·Hv, and of its part in the norm, by the formulas of the lesson."""
    deviations = []
    for matrix in (H, H.T @ H):
        counted = matrix if kind == "normal" else matrix - np.diag(np.diag(matrix))
        deviations.append(float(np.sqrt(2 * np.sum(counted**2))))
    return {"trace": deviations[0], "norm": deviations[1] / (2 * float(np.linalg.norm(H)))}


def probe_row(sample: tuple[Vector, Vector, float, float]) -> dict[str, Any]:
    v, moved, quadratic, square = sample
    return {"v": v, "moved": moved, "quadratic": _plain(quadratic), "square": _plain(square)}


def _estimates(quadratics: Vector, squares: Vector) -> list[dict[str, float | None]]:
    """After each probe the means with their standard errors; one probe has none."""
    trace, trace_error = running_means(quadratics)
    square, square_error = running_means(squares)
    norm = np.sqrt(square)
    norm_error = square_error / (2 * np.where(norm > 0, norm, 1.0))
    columns = zip(trace.tolist(), trace_error.tolist(), norm.tolist(), norm_error.tolist(), strict=True)
    names = ("trace", "trace_error", "norm", "norm_error")
    return [{name: None if math.isnan(x) else x + 0.0 for name, x in zip(names, one, strict=True)} for one in columns]


def running_means(samples: Vector) -> tuple[Vector, Vector]:
    """Means of the first one, two, three ... samples, and their standard errors; nan for one alone."""
    count = np.arange(1, len(samples) + 1)
    means = np.cumsum(samples) / count
    apart = np.tril(samples[None, :] - means[:, None])
    with np.errstate(all="ignore"):
        return means, np.sqrt(np.sum(apart**2, axis=1) / (count - 1) / count)


def _plain(value: Any) -> float:
    """A number without a sign on its zero."""
    return float(value) + 0.0
