"""step-2: The last step, read from the slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for kind in misconceptions.OPTIMIZERS_WITH_SLOTS:
        given = misconceptions.random_constants(rng)
        shape = int(rng.integers(2, 6)), 3
        gradients = np.sign(rng.normal(size=shape)) * rng.uniform(0.3, 2, size=shape)
        slots = misconceptions.slots_after(kind, gradients, **given)
        reply = yield Call("last_step", (slots, gradients[-1], kind), given)
        if a.warned(reply):
            continue
        a.case(
            reply.value,
            solution.last_step(slots, gradients[-1], kind, **given),
            mistaken(slots, gradients[-1], kind, given, reply.value),
            tol=1e-9,
            of=f'last_step(slots, gradient, "{kind}", …)',
            facts={"t": slots.get("t", 0)},
        )


def mistaken(slots: dict[str, Any], gradient: Any, kind: str, given: dict[str, float], got: object) -> dict[str, Any]:
    """What each misconception would give."""
    last = solution.last_step
    want = last(slots, gradient, kind, **given)
    lr, eps = given["lr"], given["eps"]
    if kind == "momentum":
        scaled = -lr * gradient
    elif kind == "rmsprop":
        scaled = -lr * gradient / (np.sqrt(slots["rms"]) + eps)
    else:
        scaled = -lr * gradient / (np.sqrt(slots["v"] / (1 - given["b2"] ** slots["t"])) + eps)
    again = [
        last(new, gradient, kind, **given) for new in misconceptions.slots_after_one_more(slots, gradient, kind, given)
    ]
    return {
        "one-step-too-many": next((step for step in again if values_close(got, step, 1e-9)), None),
        "uses-the-gradient": -lr * gradient,
        "gradient-in-place-of-the-slot": scaled,
        "no-bias-correction": -lr * slots["m"] / (np.sqrt(slots["v"]) + eps) if kind == "adam" else None,
        "sign": -want,
        "t-is-one-ahead": last({**slots, "t": slots["t"] + 1}, gradient, kind, **given) if kind == "adam" else None,
        "rate-twice": given["lr"] * want if kind == "rmsprop" else None,
    }


QUESTION = Question(
    id="step-2",
    points=2,
    title="The last step, without the old weights",
    text="""A training run has stopped. You have the optimizer's slots after the last step, the last gradient and the constants, but
no copy of the weights before that step. Give the last step: what was added to w. The slots are those of the kit:

- `"momentum"`: `slots["momentum"]` became u = b1·u + g, and w moved by −lr·u.
- `"rmsprop"`: `slots["rms"]` became r = b2·r + (1 − b2)·g², and `slots["momentum"]` became u = b1·u + lr·g/(√r + eps). Then
  w moved by −u.
- `"adam"`: `slots["m"]`, `slots["v"]`, and `slots["t"]`, the number of steps made. w moved by −lr·m̂/(√v̂ + eps), where
  m̂ = m/(1 − b1ᵗ) and v̂ = v/(1 − b2ᵗ).""",
    writes=("last_step",),
    starter='''def last_step(slots, gradient, kind, lr, b1, b2, eps):
    """What the last step added to w; kind is "momentum", "rmsprop" or "adam"."""
    ...
''',
    check=check,
    messages={
        "uses-the-gradient": "You computed −lr·g, the step of plain SGD. What was added to w comes from the slots, which also hold earlier gradients.",
        "gradient-in-place-of-the-slot": "The last gradient stands where a slot belongs. The step comes from the slot, which holds all gradients so far, not only the last one.",
        "one-step-too-many": "You applied the last gradient to the slots once more, so this is a further step. The slots are those after the last step: they contain its gradient already.",
        "t-is-one-ahead": "t is {t} after the last step already. That step used t = {t}, not one more.",
        "sign": "The sign is wrong: a positive slot makes w smaller.",
        "rate-twice": "RMSProp's momentum slot contains the learning rate already.",
        "no-bias-correction": "Adam's m and v are used without the bias correction by 1 − b1ᵗ and 1 − b2ᵗ.",
    },
    hints=(
        "What was subtracted from w, and which slots does it come from?",
        "Have those slots changed since the last step?",
        'They have not, so the same formulas hold. `-lr * slots["momentum"]` for momentum, `-slots["momentum"]` for rmsprop.',
    ),
    example=lambda rng: {
        "gradient": rng.normal(size=3).round(2),
        "slots": {"momentum": rng.normal(size=3).round(2)},
        "kind": "momentum",
        **misconceptions.random_constants(rng),
    },
)
