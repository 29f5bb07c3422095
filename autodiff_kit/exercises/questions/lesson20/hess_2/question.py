"""hess-2: Trace and norm from probes, with a standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions.lesson01.shared import matrix_product_callback
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

PARTS = ("trace", "norm", "error")
OF_THE_TRACE = ("absolute-values", "sum-not-mean")
OF_THE_NORM = ("mean-of-norms", "norm-from-the-quadratic-form", "no-root", "mean-over-all-entries")
OF_THE_ERROR = ("spread-not-error", "divides-by-n", "error-over-n", "error-over-the-variables")
MESSAGES = {
    "mean-of-norms": "The norm is the mean of the lengths |Hv|. The squared length has the right mean, so the root comes after the mean.",
    "norm-from-the-quadratic-form": "The norm was computed from the squares of v·Hv. It needs the squared length of Hv, the sum of its squared entries.",
    "spread-not-error": "The error is the standard deviation of single probes. How much smaller is the standard error of a mean of {n} probes?",
    "divides-by-n": "The standard deviation was computed with division by n = {n}. The sample standard deviation divides by n − 1.",
    "absolute-values": "The trace is the mean of |v·Hv|. A single v·Hv may be negative, and it counts with its sign.",
    "sum-not-mean": "The result is a sum over the {n} probes. Each estimate is a mean over the probes.",
    "mean-over-all-entries": "The norm is the root of the mean over all entries of all Hv. The squared length of Hv is the sum of its squared entries; the mean is over the probes only.",
    "error-over-n": "The standard deviation was divided by n = {n}. The standard error of a mean falls like 1/√n.",
    "error-over-the-variables": "The standard deviation was divided by the root of the number of variables, 12. It is the number of probes, {n}, that makes the mean more precise.",
    "no-root": "The norm is the mean of |Hv|², which is the square of the norm. Its root is missing.",
    "builds-the-hessian": "The trace and the norm are exact, from {k} products: the whole Hessian was built. Estimate them from the {n} probes.",
}


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for count in (5, 40):
        half, V = rng.normal(size=(12, 12)), rng.choice([-1.0, 1.0], size=(count, 12))
        H = half + half.T
        product = matrix_product_callback("hvp", H)
        reply = yield Call("probes", (product, V))
        if a.warned(reply):
            continue
        found = np.array([float(require_real_array(part, "probes")) for part in unpack_tuple(reply, "probes", PARTS)])
        want = misconceptions.hutchinson_estimates(H, V)
        names = (*OF_THE_TRACE, *OF_THE_NORM, *OF_THE_ERROR)
        mistaken = {name: misconceptions.hutchinson_estimates(H, V, name) for name in names}
        if values_close(found[1], np.linalg.norm(V @ H), 1e-9):  # a sum was taken for the norm as well
            mistaken["sum-not-mean"][1] = found[1]
        exact = np.r_[np.trace(H), np.linalg.norm(H), found[2]]
        facts: dict[str, Any] = {"n": count, "k": product.calls}
        of = translate("Trace, norm and error from {count} probes", "lesson20").format(count=count)
        two = [
            name
            for place, names in enumerate((OF_THE_TRACE, OF_THE_NORM, OF_THE_ERROR))
            for name in names
            if values_close(found[place], mistaken[name][place], 1e-9)
            and not values_close(found[place], want[place], 1e-9)
        ]
        if len(two) > 1:  # no single misconception explains it, so the plain message says all
            words = translate("{of}: {k} of them are wrong.", "lesson20").format(of=of, k=len(two))
            a.fail(set(), " ".join([words, *(translate(MESSAGES[name], "lesson20").format(**facts) for name in two)]))
            continue
        if a.case(found, want, {**mistaken, "builds-the-hessian": exact}, tol=1e-9, of=of, facts=facts):
            words = translate("{calls} products were asked for, and there are {count} probes.", "lesson20").format(
                calls=product.calls, count=count
            )
            a.behave(product.calls == count, "", words)


def _example(rng: np.random.Generator) -> dict[str, object]:
    half = rng.integers(-3, 4, (3, 3)).astype(float)
    H = half + half.T
    return {"hvp": lambda v: H @ np.asarray(v), "V": rng.choice([-1.0, 1.0], size=(5, 3)), "H": H}


QUESTION = Question(
    id="hess-2",
    points=3,
    title="Trace and norm from probes, with a standard error",
    text="""`hvp(v)` gives H v for a Hessian H with 12 × 12 entries; the rows of `V` are probes, vectors of random 1 and −1. Return
three numbers: the estimate of the trace of H, the estimate of its Frobenius norm (the root of the sum of all squared entries), and the standard error of the trace, with the sample standard deviation (division by n − 1). Call `hvp`
once for each probe.""",
    writes=("probes",),
    starter='''def probes(hvp, V):
    """Estimates from the probes in the rows of V: (trace, norm, standard error of the trace)."""
    ...
''',
    check=check,
    messages=MESSAGES,
    hints=(
        "Two numbers from each probe: v·Hv, and the squared length of Hv.",
        "Take the mean of each of the two. One of them estimates a square.",
        "`quadratics.std(ddof=1) / np.sqrt(len(V))` is the standard error.",
    ),
    example=_example,
)
