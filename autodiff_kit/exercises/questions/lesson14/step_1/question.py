"""step-1: What each optimizer really adds to w."""

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
    right = solution.steps
    for kind in misconceptions.KINDS:
        lr, b = float(rng.choice([0.1, 0.2])), float(rng.choice([0.8, 0.9]))
        gradients = np.sign(rng.normal(size=6)) * rng.uniform(0.3, 2, size=6)
        reply = yield Call("steps", (gradients, kind, lr, b))
        if a.warned(reply):
            continue
        want = right(gradients, kind, lr, b)
        mistaken: dict[str, Any] = {
            "step-is-the-gradient": -lr * gradients,
            "positions-not-steps": np.cumsum(want),
            "averages-instead-of-adding": misconceptions.averaged_momentum_steps(gradients, lr, b)
            if kind == "momentum"
            else None,
            "nesterov-is-momentum": right(gradients, "momentum", lr, b) if kind == "nesterov" else None,
        }
        facts = {"d": float(-lr * (1 + b + b * b)), "lr": lr, "b": b}
        a.case(reply.value, want, mistaken, tol=1e-10, of=f'steps(gradients, "{kind}", …)', facts=facts)


QUESTION = Question(
    id="step-1",
    points=2,
    title="What is really added",
    text="""A step is what an optimizer adds to w. Give the steps for a row of `gradients`, one number each, all slots starting at 0.

- `"momentum"`: the slot v becomes b·v − lr·g, and the step is the slot.
- `"nesterov"`: the same slot, but the step uses it as it *would* be one more time: b·v − lr·g with the new v.
- `"rmsprop"`: the slot s becomes b·s + (1 − b)·g², and the step is −lr·g/√s.""",
    writes=("steps",),
    starter='''def steps(gradients, kind, lr, b):
    """The steps, one for each gradient, as an array; kind is "momentum", "nesterov" or "rmsprop"."""
    ...
''',
    check=check,
    messages={
        "step-is-the-gradient": "lr·g is the step of plain SGD only: what the slot remembers is missing.",
        "averages-instead-of-adding": "Here the slot adds: with lr {lr} and b {b} the third of three gradients of 1 makes a step of {d}.",
        "nesterov-is-momentum": "Nesterov applies the new slot once more: b·v − lr·g, with the v that was just made.",
        "positions-not-steps": "These are positions: sums of steps. A step is a difference of two of them.",
    },
    hints=(
        "What must be remembered from one gradient to the next? It is one number.",
        "Begin with a slot of 0; for each gradient, first the new slot, then the step from it.",
        "`v = b*v - lr*g`, and the step is `v`, or for nesterov `b*v - lr*g` with this new v; `s = b*s + (1-b)*g*g`, and the step is `-lr*g/np.sqrt(s)`.",
    ),
    example=lambda rng: {"gradients": rng.normal(size=4).round(2), "kind": "momentum", "lr": 0.1, "b": 0.9},
)
