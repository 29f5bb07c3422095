"""lm-1: The Jacobian of residuals, and the sweeps of a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions.lesson01.shared import matrix_product_callback
from autodiff_kit.lessons.translation import translate

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for m, p in ((20, 2), (3, 8), (5, 5)):
        J, iterations = rng.normal(size=(m, p)), max(m, p) + int(rng.integers(1, 6))  # neither m nor p by chance
        push, pull = matrix_product_callback("push", J), matrix_product_callback("pull", J.T.copy())
        reply = yield Call("residual_jacobian", (push, pull, m, p, iterations))
        if a.warned(reply):
            continue
        found, told = unpack_tuple(reply, "residual_jacobian", ("J", "sweeps"))
        facts: dict[str, Any] = {"m": m, "p": p, "k": push.calls + pull.calls}
        if require_real_array(found, "J").shape == (p,):
            words = translate(
                "For {m} residuals of {p} parameters J has shape ({p},); ({m}, {p}) is expected.", "lesson19"
            ).format(m=m, p=p)
            a.fail({"gradient-of-the-cost"}, words, **facts)
            continue
        of = translate("J of {m} residuals of {p} parameters", "lesson19").format(m=m, p=p)
        if not a.case(found, J, {"transposed": J.T}, tol=1e-10, of=of):
            continue
        idea = "always-reverse" if m > p and pull.calls == m else ""
        idea = "always-forward" if p > m and push.calls == p else idea
        words = translate("{k} sweeps for a Jacobian of {m} rows and {p} columns.", "lesson19").format(**facts)
        a.behave(facts["k"] <= min(m, p), idea, words, **facts)
        of = translate(
            "The number of sweeps of {iterations} iterations, {m} residuals, {p} parameters", "lesson19"
        ).format(iterations=iterations, m=m, p=p)
        right = float(iterations * min(m, p))
        facts["iterations"] = iterations
        mistaken: dict[str, object] = {
            "always-reverse": float(iterations * m),
            "always-forward": float(iterations * p),
            "sweeps-of-one-jacobian": float(min(m, p)),
            "iterations-only": float(iterations),
            "a-sweep-for-each-entry": float(m * p * iterations),
        }
        a.case(told, right, mistaken, tol=1e-12, of=of, facts=facts)


QUESTION = Question(
    id="lm-1",
    points=2,
    title="The Jacobian of residuals, and the sweeps of a fit",
    text="""m residuals depend on p parameters; `push(v)` gives J·v and `pull(u)` gives u·J. Each call is one sweep. Return two things: J, of shape (m, p), in the
fewest sweeps; and the number of sweeps of a whole fit, which needs one such J in each of its `iterations`.""",
    writes=("residual_jacobian",),
    starter='''def residual_jacobian(push, pull, m, p, iterations):
    """The (m, p) Jacobian in the fewest sweeps, and the sweeps of a fit: return (J, sweeps)."""
    ...
''',
    check=check,
    messages={
        "always-reverse": "{m} sweeps were counted for a J of {m} rows and {p} columns. A push gives a whole column.",
        "always-forward": "{p} sweeps were counted for a J of {m} rows and {p} columns. A pull gives a whole row, so here pulls are fewer.",
        "transposed": "This is the transpose of J. A push gives a column of J, and a pull gives a row: stack them along the right axis.",
        "sweeps-of-one-jacobian": "These are the sweeps of one Jacobian. The fit needs one in each of its {iterations} iterations.",
        "iterations-only": "This is the number of iterations. Each of them needs a whole Jacobian, which takes several sweeps.",
        "a-sweep-for-each-entry": "A sweep was counted for each of the {m} × {p} entries. One sweep gives a whole row or column.",
        "gradient-of-the-cost": "{p} numbers were returned, and J has {m} × {p}. One pull adds up the rows of J, and they cannot be recovered from the sum.",
    },
    hints=(
        "What does one push give of J, and what does one pull?",
        "There are p columns and m rows: compare before you start.",
        "`np.stack([push(e) for e in np.eye(p)], axis=1)` where p ≤ m, else `np.stack([pull(e) for e in np.eye(m)])`; the fit takes `iterations * min(m, p)`.",
    ),
    example=lambda rng: _example(rng.integers(-3, 4, (4, 2)).astype(float)),
)


def _example(J: np.ndarray[Any, Any]) -> dict[str, object]:
    return {
        "push": lambda v: J @ np.asarray(v),
        "pull": lambda u: np.asarray(u) @ J,
        "m": 4,
        "p": 2,
        "iterations": 3,
        "J": J,
    }
