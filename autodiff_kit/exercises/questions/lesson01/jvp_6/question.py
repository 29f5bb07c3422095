"""jvp-6: A banded Jacobian in a few pushes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, k in ((100, 1), (17, 2), (2, 1), (9, 3), (4, 3), (6, 0)):
        J = np.triu(np.tril(rng.normal(size=(n, n)), k), -k)
        push, far = shared.matrix_product_callback("push", J), 2 * k + 1
        reply = yield Call("band_jacobian", (push, n, k))
        if a.warned(reply):
            continue
        mistaken: dict[str, object] = {"transposed": J.T}
        if k:
            mistaken["neighbours-share-a-push"] = misconceptions.band_from_groups(
                J.__matmul__, n, k, misconceptions.adjacent_columns(n, k)
            )
            mistaken["stride-too-short"] = misconceptions.band_from_groups(
                J.__matmul__, n, k, misconceptions.strided_columns(n, k + 1)
            )
        facts: dict[str, Any] = {"n": n, "far": far, "j": 0, "next": 1}
        if a.case(reply.value, J, mistaken, tol=1e-12, facts=facts, of=f"band_jacobian(push, {n}, {k})"):
            words = translate("{calls} pushes were used for n = {n}, k = {k}; {enough} are enough.", "lesson01").format(
                calls=push.calls, n=n, k=k, enough=min(n, far)
            )
            a.behave(push.calls <= min(n, far), "a-push-per-column" if push.calls == n else "", words, **facts)


QUESTION = Question(
    id="jvp-6",
    points=3,
    title="A banded Jacobian in a few pushes",
    text="""Output i depends on the inputs x[i−k … i+k] only, so the n × n Jacobian J is zero outside a band of 2k+1 diagonals. Compute J from `push(v)` = J·v, in at most 2k+1 pushes
(n pushes where n is less than 2k+1).""",
    writes=("band_jacobian",),
    starter='''def band_jacobian(push, n, k):
    """The (n, n) Jacobian with entries on 2k+1 diagonals only, in min(n, 2k+1) pushes."""
    ...
''',
    check=check,
    messages={
        "a-push-per-column": "The values are right, and it took {n} pushes. Columns {j} and {far} have no row in common: one push can serve both.",
        "neighbours-share-a-push": "Columns {j} and {next} were pushed together. They have rows in common, and there the push gives only their sum.",
        "stride-too-short": "Columns k+1 apart were pushed together. They still have a row in common: how far apart must two columns be?",
        "transposed": "The result is the transpose of J. Each push gives entries of columns, and they were stored as rows.",
    },
    hints=(
        "Draw the band for n = 7, k = 1. Which columns have no row in common?",
        "Column j is zero except in rows j−k … j+k.",
        "Seeds `v[s::2*k+1] = 1`; entry (i, j) is read from the answer at i.",
    ),
    example=lambda rng: _example_6(np.triu(np.tril(rng.integers(1, 9, (5, 5)).astype(float), 1), -1)),
)


def _example_6(J: Array) -> dict[str, object]:
    return {"n": 5, "k": 1, "push": lambda v: J @ np.asarray(v), "J": J}
