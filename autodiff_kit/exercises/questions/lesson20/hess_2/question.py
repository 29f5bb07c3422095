"""hess-2: Trace and norm from a handful of probes, with an error bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions.lesson01.shared import matrix_product_callback

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

PARTS = ("trace", "norm", "error")
WRONG = ("mean-of-norms", "norm-from-the-quadratic-form", "spread-not-error", "divides-by-n")


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
        mistaken = {name: misconceptions.hutchinson_estimates(H, V, name) for name in WRONG}
        exact = np.r_[np.trace(H), np.linalg.norm(H), found[2]]
        facts: dict[str, Any] = {"n": count, "k": product.calls}
        of = f"Trace, norm and error from {count} probes"
        if a.case(found, want, {**mistaken, "builds-the-hessian": exact}, tol=1e-9, of=of, facts=facts):
            words = f"{product.calls} products were asked for, and there are {count} probes."
            a.behave(product.calls == count, "", words)


def _example(rng: np.random.Generator) -> dict[str, object]:
    half = rng.integers(-3, 4, (3, 3)).astype(float)
    H = half + half.T
    return {"hvp": lambda v: H @ np.asarray(v), "V": rng.choice([-1.0, 1.0], size=(5, 3)), "H": H}


QUESTION = Question(
    id="hess-2",
    points=3,
    title="Trace and norm from a handful of probes, with an error bar",
    text="""`hvp(v)` gives H v for a Hessian of 12 × 12 that nobody has built; the rows of `V` are probes, vectors of 1 and −1 by chance. Give back
three numbers: the estimate of H's trace, the estimate of its Frobenius norm (the root of the sum of all squared entries), and the standard error of the trace. One product for each probe.""",
    writes=("probes",),
    starter='''def probes(hvp, V):
    """Estimates from the probes in the rows of V: give back (trace, norm, standard error of the trace)."""
    ...
''',
    check=check,
    messages={
        "mean-of-norms": "The root comes after the mean.",
        "norm-from-the-quadratic-form": "v·Hv squared is not the squared length of Hv.",
        "spread-not-error": "That is the spread of single probes; the mean of n of them is surer: ÷ √n.",
        "divides-by-n": "With {n} probes the spread divides by n − 1: their own mean has used up one.",
        "builds-the-hessian": "{k} products for {n} probes: this is the exact trace and norm, at the price of the Hessian.",
    },
    hints=(
        "Two numbers from each probe: v·Hv, and the squared length of Hv.",
        "Means of both; the norm is the root of the second mean.",
        "`quadratics.std(ddof=1) / np.sqrt(len(V))` is the standard error.",
    ),
    example=_example,
)
