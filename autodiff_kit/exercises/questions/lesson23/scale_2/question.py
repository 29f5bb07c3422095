"""scale-2: Weight decay or a penalty."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.in_process import run_script_with
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def path(a: AttemptEvaluation, w: np.ndarray, gradients: list[np.ndarray], given: dict[str, Any]) -> CheckScript:
    """All the values that w takes; nothing if a warning ended it."""
    slots: Any = shared.initial_slots(3)
    seen = []
    for g in gradients:
        reply = yield Call("decayed_step", (w, g, slots), given)
        if a.warned(reply):
            return None
        w, slots = unpack_tuple(reply, "decayed_step", ("w", "slots"))  # type: ignore[assignment]
        if type(w) is not np.ndarray or w.shape != (3,):
            raise LearnerCodeError(
                translate("decayed_step is to return w as an array of the shape that it came with, (3,).", "lesson23")
            )
        slots = {part: shared.require_slot(slots, part, "decayed_step") for part in ("m", "v", "t")}
        seen.append(w)
    return np.array(seen)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    ways = {
        "decay-as-a-penalty": misconceptions.always(decoupled=False),
        "penalty-beside-the-step": misconceptions.always(decoupled=True),
        "decay-without-lr": misconceptions.without_the_learning_rate,
        "decays-the-moved-weight": misconceptions.after_the_step,
        "half-the-penalty": misconceptions.half_the_penalty,
        "penalty-as-a-gradient": misconceptions.penalty_as_a_gradient,
        "twice-the-penalty": misconceptions.twice_the_penalty,
    }
    for decoupled in (True, False):
        given = {**shared.random_constants(rng), "decay": float(rng.choice((0.1, 0.3))), "decoupled": decoupled}
        w, gradients = rng.normal(size=3) + 2.0, [rng.normal(size=3) for _ in range(4)]
        run = partial(path, a, w, gradients, given)
        got = yield from run()
        if got is None:
            continue
        want = run_script_with(run(), decayed_step=solution.decayed_step)
        facts = {"lr": given["lr"], "decay": given["decay"]}
        words = translate("w after steps with decoupled={decoupled}", "lesson23").format(decoupled=decoupled)
        mistaken = shared.replayed(run, "decayed_step", ways)
        a.case(got, want, mistaken, tol=1e-11, of=words, facts=facts, by_call=True)


QUESTION = Question(
    id="scale-2",
    points=3,
    title="Weight decay or a penalty",
    text="""Write one step that makes `w` smaller in one of two ways. `decay` is the number λ.

- `decoupled=True` is AdamW: the ordinary step of Adam for `g`, and lr·λ·w is subtracted as well. Here w is the weight
  *before* the step.
- `decoupled=False` is Adam with the penalty λ/2·w² in the loss.

Return the new `w` and new slots. `eps` is added to the root.""",
    writes=("decayed_step",),
    without=("ak.optim.Adam", "ak.optim.AdamW"),
    starter='''def decayed_step(w, g, slots, lr, b1, b2, eps, decay, decoupled):
    """One step: return (w, slots); slots = {"m": ..., "v": ..., "t": ...}, g is the gradient of the loss alone."""
    ...
''',
    check=check,
    messages={
        "decay-as-a-penalty": "With decoupled=True the decay went through m and v. AdamW leaves both to g alone.",
        "penalty-beside-the-step": "With decoupled=False the penalty did not enter m and v. It is a part of the loss: what is its gradient?",
        "decay-without-lr": "AdamW subtracts lr·λ·w, here {lr}·{decay}·w; the learning rate is missing.",
        "decays-the-moved-weight": "The decay was taken of the moved weight; it belongs to w before the step.",
        "half-the-penalty": "You added λ/2·w to the gradient. The derivative of w² is 2·w, so the gradient of λ/2·w² is twice as large.",
        "penalty-as-a-gradient": "You added λ/2·w², the penalty itself, to the gradient. Add its derivative with respect to w.",
        "twice-the-penalty": "The gradient of λ/2·w² is λ·w. Yours is twice as large.",
    },
    hints=(
        "Which of the two ways changes the gradient, and which changes w?",
        "If not decoupled, add the penalty's gradient to g before anything else.",
        "`g = g + decay*w` if not decoupled; `w = w - lr*decay*w - step` if decoupled, and `w - step` if not.",
    ),
    example=lambda rng: {
        "w": rng.normal(size=3).round(2) + 2,
        "g": rng.normal(size=3).round(2),
        "slots": shared.initial_slots(3),
        **shared.random_constants(rng),
        "decay": 0.1,
        "decoupled": True,
    },
)
