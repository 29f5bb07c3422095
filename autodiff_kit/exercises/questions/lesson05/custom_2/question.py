"""custom-2: A valve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

TOL = 1e-10


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        x, g = rng.normal(size=8) * 3, rng.normal(size=8) * 3
        lam, cap = float(rng.choice([rng.uniform(0.2, 0.8), rng.uniform(1.3, 2)])), float(rng.uniform(0.4, 1))
        reply = yield Call("valve", (x, lam, cap))
        if a.warned(reply):
            continue
        value, pull = unpack_tuple(reply, "valve", ("value", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError("The second thing that valve gives back is a function of the incoming gradient g.")
        done = [one for one in misconceptions.rule_applied_to_value(x, lam, cap) if values_close(value, one, TOL)]
        changed = {"changes-the-forward": done[0] if done else None}
        if a.case(value, x, changed, tol=TOL, of="The value of valve"):
            back = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
            if not a.warned(back):
                pulled(a, back.value, x, g, lam, cap)


def pulled(a: AttemptEvaluation, got: object, x: np.ndarray, g: np.ndarray, lam: float, cap: float) -> None:
    """Judge what came back for a cotangent."""
    right, late = -lam * np.clip(g, -cap, cap), np.clip(-lam * g, -cap, cap)
    mistaken = {
        "clips-after-scaling": late,
        "clips-x-not-g": -lam * np.clip(x, -cap, cap),
        "gate-not-clip": -lam * g * (np.abs(g) <= cap),
        "forgets-to-turn": -right,
    }
    back = require_real_array(got, "pull")
    k = int(np.argmax(np.abs(back - right))) if back.shape == right.shape else 0
    facts = {"g": float(g[k]), "a": float(late[k]), "b": float(right[k])}
    a.case(got, right, mistaken, tol=TOL, of="pull(g)", facts=facts)


QUESTION = Question(
    id="custom-2",
    points=2,
    title="A valve",
    text="""Between two parts of a network stands a valve: forwards everything passes untouched, backwards the gradient is first clipped, entry by entry, to −cap … cap, and then
multiplied by −lam. (Turned round in this manner, it makes the first part work *against* the second.) Write the rule that `@ak.custom_gradient` wants: `valve(x, lam, cap)` gives back
`(value, pull)`. `x` and `g` are arrays, lam and cap are positive numbers.""",
    writes=("valve",),
    starter='''def valve(x, lam, cap):
    """Identity; backwards clip to -cap...cap, then times -lam: give back (value, pull)."""
    ...
''',
    check=check,
    messages={
        "changes-the-forward": "The value passes untouched: only the gradient is worked on.",
        "clips-after-scaling": "Clip, then scale: for g = {g} it is {b}, and the other way round {a}.",
        "clips-x-not-g": "It is the gradient that is clipped; x has nothing to do with it.",
        "gate-not-clip": "An entry beyond the cap is brought back to the cap, not dropped.",
        "forgets-to-turn": "Times −lam: what comes back is turned round.",
    },
    hints=(
        "Two things are given back: x, and a function.",
        "The function looks at g only.",
        "`return x, lambda g: -lam * np.clip(g, -cap, cap)`",
    ),
    example=lambda rng: {
        "x": rng.normal(size=4).round(2),
        "g": (3 * rng.normal(size=4)).round(2),
        "lam": round(float(rng.uniform(0.2, 2)), 2),
        "cap": 0.7,
    },
)
