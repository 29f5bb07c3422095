"""step-2: The last step, read from the slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
            mistaken(slots, gradients[-1], kind, given),
            tol=1e-9,
            of=f'last_step(slots, gradient, "{kind}", …)',
            facts={"t": slots.get("t", 0)},
        )


def mistaken(slots: dict[str, Any], gradient: Any, kind: str, given: dict[str, float]) -> dict[str, Any]:
    """What each misconception would give."""
    last = solution.last_step
    want = last(slots, gradient, kind, **given)
    return {
        "uses-the-gradient": -given["lr"] * gradient,
        "sign": -want,
        "t-is-one-ahead": last({**slots, "t": slots["t"] + 1}, gradient, kind, **given) if kind == "adam" else None,
        "rate-twice": given["lr"] * want if kind == "rmsprop" else None,
    }


QUESTION = Question(
    id="step-2",
    points=2,
    title="The last step, without the old weights",
    text="""A training run has stopped. You have the optimizer's slots, the last gradient, and the constants, but no copy of the weights before the last
step. Give that step: what was added to w. The kinds and their slots are those of the kit:

- `"momentum"`: `slots["momentum"]` became b1·u + g, and w moved by −lr·u.
- `"rmsprop"`: `slots["rms"]`, and `slots["momentum"]`, which became b1·u + lr·g/(√rms + eps); w moved by −u.
- `"adam"`: `slots["m"]`, `slots["v"]` and `slots["t"]`, the number of steps taken; w moved by −lr·m̂/(√v̂ + eps), where m̂ = m/(1 − b1ᵗ) and v̂ = v/(1 − b2ᵗ).""",
    writes=("last_step",),
    starter='''def last_step(slots, gradient, kind, lr, b1, b2, eps):
    """What the last step added to w; kind is "momentum", "rmsprop" or "adam"."""
    ...
''',
    check=check,
    messages={
        "uses-the-gradient": "lr·g is not the step: the slots, not the last gradient, say what was added.",
        "t-is-one-ahead": "t counts the steps already taken: it is {t} for the step that you are asked for.",
        "sign": "A positive slot moves w down.",
        "rate-twice": "RMSProp's momentum slot has the learning rate in it already.",
    },
    hints=(
        "What was subtracted from w?",
        "From which slots was it made, and have they changed since?",
        'They have not: the same formulas, with the slots as they are now. `-lr * slots["momentum"]` for momentum.',
    ),
    example=lambda rng: {
        "gradient": rng.normal(size=3).round(2),
        "slots": {"momentum": rng.normal(size=3).round(2)},
        "kind": "momentum",
        **misconceptions.random_constants(rng),
    },
)
