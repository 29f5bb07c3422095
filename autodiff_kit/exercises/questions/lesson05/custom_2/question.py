"""custom-2: Clip and reverse a gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

TOL = 1e-10


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        x, g = rng.normal(size=8) * 3, rng.normal(size=8) * 3
        lam, cap = float(rng.choice([rng.uniform(0.2, 0.8), rng.uniform(1.3, 2)])), float(rng.uniform(0.4, 1))
        reply = yield Call("clip_and_reverse", (x, lam, cap))
        if a.warned(reply):
            continue
        value, pull = unpack_tuple(reply, "clip_and_reverse", ("value", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError(
                translate(
                    "The second value that clip_and_reverse returns must be a function of the incoming gradient g.",
                    "lesson05",
                )
            )
        done = [one for one in misconceptions.rule_applied_to_value(x, lam, cap) if values_close(value, one, TOL)]
        changed = {"changes-the-forward": done[0] if done else None}
        if a.case(value, x, changed, tol=TOL, of=translate("The value of clip_and_reverse", "lesson05")):
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
        "forgets-to-clip": -lam * g,
        "clips-the-length": -lam * g * min(1.0, cap / float(np.linalg.norm(g))),
    }
    back = require_real_array(got, "pull")
    k = int(np.argmax(np.abs(back - right))) if back.shape == right.shape else 0
    facts = {"g": float(g[k]), "a": float(late[k]), "b": float(right[k])}
    a.case(got, right, mistaken, tol=TOL, of="pull(g)", facts=facts)


QUESTION = Question(
    id="custom-2",
    points=2,
    title="Clip and reverse a gradient",
    text="""Write a function that changes only the gradient, in the form that `@ak.custom_gradient` asks for, but without the decorator. `clip_and_reverse(x, lam, cap)` returns the value, which is x unchanged, and a function `pull`. For a
gradient g, `pull(g)` first clips every entry of g to the range from −cap to cap, and then multiplies by −lam. `x` and `g` are arrays; lam and cap are positive numbers. (Such a *gradient reversal* trains one part
of a network against another.)""",
    writes=("clip_and_reverse",),
    starter='''def clip_and_reverse(x, lam, cap):
    """Identity; the gradient is clipped to -cap...cap, then multiplied by -lam: return (value, pull)."""
    ...
''',
    check=check,
    messages={
        "changes-the-forward": "Your value is not x. Only the gradient is to be changed.",
        "clips-after-scaling": "Clip first, then multiply: for g = {g} the result is {b}; the other order gives {a}.",
        "clips-x-not-g": "Your pull clips x. It is the gradient g that is to be clipped.",
        "gate-not-clip": "Your pull sets entries beyond the cap to 0. Clipping moves them to the cap.",
        "forgets-to-turn": "Your pull multiplies by lam. The factor is −lam.",
        "forgets-to-clip": "For g = {g} you returned −lam · g. Clip g to the range from −cap to cap first.",
        "clips-the-length": "Your pull scales all of g to a length of at most cap. Each entry is to be clipped by itself.",
    },
    hints=(
        "Two things are returned: x, and a function.",
        "Which of x and g does this function use? Two steps, in the order of the text.",
        "`return x, lambda g: -lam * np.clip(g, -cap, cap)`",
    ),
    example=lambda rng: {
        "x": rng.normal(size=4).round(2),
        "g": (3 * rng.normal(size=4)).round(2),
        "lam": round(float(rng.uniform(0.2, 2)), 2),
        "cap": 0.7,
    },
)
