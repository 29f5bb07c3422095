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
    """Draw probes, and watch their means come near trace and norm, each with its error bar.

    Parameters
    ----------
    function : {"two", "diagonal", "twelve", "waves"}, optional
        Whose Hessian it is: the lesson's own quadratic, a diagonal one, one of 12 numbers, one that is no quadratic.
    kind : {"signs", "normal"}, optional
        What probes by chance are made of: 1 and -1, or normal numbers.
    way : {"product", "moving"}, optional
        Exact Hessian-vector products, or the difference of the gradients at ``x + h v`` and ``x - h v``.
    h : float, optional
        How far "moving" moves.
    probes : list of lists of floats, optional
        The probes so far; an empty list stands for one by chance, which ``seed`` and its place decide.
    next_signs : list of floats, optional
        The learner's next probe: a sign for each entry.
    seed : int, optional
        Another one draws other probes.

    Notes
    -----
    All products come from one push through the gradient, or from two gradients at all the moved points; each row is
    its own evaluation of the function.
    """

    _front_end = "lesson20.js"

    function = Input(traitlets.Enum(("two", "diagonal", "twelve", "waves"), default_value="two"))
    kind = Input(traitlets.Enum(("signs", "normal"), default_value="signs"))
    way = Input(traitlets.Enum(("product", "moving"), default_value="product"))
    h = Input(traitlets.Float(1e-3, min=LEAST_STEP, max=LONGEST_STEP))
    probes: Any = Input(traitlets.List(traitlets.List(traitlets.Float())))
    next_signs: Any = Input(traitlets.List(traitlets.Float()))
    seed = Input(traitlets.Int(0, min=0))

    about = Output()
    rows = Output()
    ahead = Output()
    found = Output()

    @traitlets.validate("probes")
    def _few_and_finite(self, proposal: Any) -> Any:
        probes = proposal["value"]
        if len(probes) > MOST or not all(math.isfinite(x) and abs(x) <= 10 for one in probes for x in one):
            raise traitlets.TraitError(f"probes holds at most {MOST} lists of numbers, none beyond 10")
        return probes

    def compute_outputs(self) -> dict[str, Any]:
        """Every probe's product, and the estimates after each of them."""
        it = function_named(self.function)
        H, trace, norm = exact_hessian(self.function)
        signs = np.resize(np.array(self.next_signs or [1.0]), it.size)
        drawn = self._drawn(it.size)
        given = [drawn[k] if not one else np.resize(np.array(one), it.size) for k, one in enumerate(self.probes)]
        V = np.array([*given, signs])
        with np.errstate(all="ignore"):
            moved = self._products(it, V)
        quadratics, squares = np.sum(V * moved, axis=1), np.sum(moved * moved, axis=1)
        samples = list(zip(V, moved, quadratics, squares, strict=True))
        return {
            "about": {"words": it.words, "size": it.size, "hessian": H, "trace": trace, "norm": norm, "most": MOST},
            "rows": [probe_row(one) for one in samples[:-1]],
            "ahead": probe_row(samples[-1]),
            "found": _estimates(quadratics[:-1], squares[:-1]),
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
        """Each probe, and the estimates after it; in the end the probe that comes next, and the truth."""
        rows: list[tuple[Any, ...]] = [
            (f"{k}", row["quadratic"], row["square"], now["trace"], now["trace_error"], now["norm"], now["norm_error"])
            for k, (row, now) in enumerate(zip(self.rows, self.found, strict=True), 1)
        ]
        rows.append(("next", self.ahead["quadratic"], self.ahead["square"], *["–"] * 4))
        rows.append(("whole H", "–", "–", self.about["trace"], "–", self.about["norm"], "–"))
        columns = ("probes", "v·Hv", "|Hv|²", "trace", "±", "norm", "±")
        return Table(f"{self.about['words']}: probes and estimates", columns, rows, digits=4)

    def static_figure(self) -> Any:
        """The estimate of the trace with its error bars, as a still figure; the truth alone before there are probes."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.2, 2.4))
        axes = figure.subplots()
        count = np.arange(1, len(self.rows) + 1)
        means = [one["trace"] for one in self.found]
        bars = [one["trace_error"] or 0.0 for one in self.found]
        axes.errorbar(count, means, bars, color="black", ecolor="0.6")
        axes.plot(count, [row["quadratic"] for row in self.rows], "o", color="black", mfc="none", ms=4)
        axes.axhline(self.about["trace"], color="black", ls="--", lw=1)
        axes.set(xlabel="probes", ylabel="trace", xlim=(0, max(10, len(self.rows)) + 0.5))
        if not self.rows:
            middle, above = (5, self.about["trace"]), (0, 6)
            axes.annotate("no probe yet", middle, xytext=above, textcoords="offset points", ha="center")
        return figure


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
