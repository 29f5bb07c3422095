"""jvp-4: The whole Jacobian in the fewest sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, m in ((3, 7), (7, 3), (64, 2), (2, 64), (5, 5), (1, 6), (6, 1)):
        for dtype, tol in ((np.float64, 1e-10), (np.float32, 1e-4)):
            J = (rng.normal(size=(m, 8)) @ rng.normal(size=(8, n))).astype(dtype)
            push, pull = shared.matrix_product_callback("push", J), shared.matrix_product_callback("pull", J.T.copy())
            reply = yield Call("jacobian", (n, m, push, pull))
            if a.warned(reply) or not a.case(reply.value, J, {"transposed": J.T}, tol=tol, dtype=dtype):
                continue
            used, fewest = push.calls + pull.calls, min(n, m)
            one_way = "always-reverse" if pull.calls == m and not push.calls else "always-forward"
            name = "too-many-sweeps" if push.calls and pull.calls else one_way
            known = name == "too-many-sweeps" or used == max(n, m)
            facts: dict[str, Any] = {"k": used, "min": fewest, "n": n, "m": m}
            words = translate(
                "{k} sweeps where {min} were enough: n = {n} inputs, m = {m} outputs.", "lesson01"
            ).format(**facts)
            a.behave(used <= fewest, name if known else "", words, **facts)


QUESTION = Question(
    id="jvp-4",
    points=2,
    title="The whole Jacobian in the fewest sweeps",
    text="""f has n inputs and m outputs; `push(v)` gives J·v and `pull(u)` gives u·J. Return the whole Jacobian, of shape (m, n) and of the dtype that the
sweeps give, in the fewest sweeps. A sweep is one call of `push` or `pull`.""",
    writes=("jacobian",),
    starter='''def jacobian(n, m, push, pull):
    """The (m, n) Jacobian in min(n, m) sweeps."""
    ...
''',
    check=check,
    messages={
        "always-reverse": "The values are right, but it took {k} pulls, one for each row; {min} pushes are enough for n = {n} inputs and m = {m} outputs.",
        "always-forward": "The values are right, but it took {k} pushes, one for each column; {min} pulls are enough for n = {n} inputs and m = {m} outputs.",
        "transposed": "The result is the transpose of J. Each push gives a column and each pull a row: along which axis are they stacked?",
        "too-many-sweeps": "The values are right, but it took {k} sweeps: both pushes and pulls were called. Choose one direction first.",
    },
    hints=(
        "What does one push give, and what one pull?",
        "Compare n with m before the first sweep.",
        "`stack([push(e) for e in eye(n)], axis=1) if n <= m else stack([pull(e) for e in eye(m)])`",
    ),
    example=lambda rng: _example_4(rng.integers(-3, 4, (2, 3)).astype(float)),
)


def _example_4(J: Array) -> dict[str, object]:
    return {"n": 3, "m": 2, "push": lambda v: J @ np.asarray(v), "pull": lambda u: np.asarray(u) @ J, "J": J}
