"""step-1: Steps of three optimizers."""

from __future__ import annotations

from functools import partial
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


def fitting(got: object, *models: np.ndarray) -> np.ndarray | None:
    """The model that gives the learner's value; None if none does."""
    return next((model for model in models if values_close(got, model, 1e-10)), None)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    right = solution.steps
    for kind in misconceptions.KINDS:
        lr, b = float(rng.choice([0.1, 0.2])), float(rng.choice([0.8, 0.9]))
        gradients = np.sign(rng.normal(size=7)) * rng.uniform(0.3, 2, size=7)
        gradients[rng.integers(2, 4)] = gradients[5] = 0.0  # the slot goes on; the first is never 0
        reply = yield Call("steps", (gradients, kind, lr, b))
        if a.warned(reply):
            continue
        want = right(gradients, kind, lr, b)
        mistaken: dict[str, Any] = {
            "step-is-the-gradient": -lr * gradients,
            "positions-not-steps": np.cumsum(want),
            "averages-instead-of-adding": partial(
                fitting, reply.value, *misconceptions.averaged_steps(gradients, kind, lr, b)
            ),
            "no-step-at-zero": np.where(gradients == 0, 0.0, want),
            "zeros-left-out": partial(
                fitting, reply.value, *misconceptions.steps_without_zeros(gradients, kind, lr, b)
            ),
            "uphill": -want,
            "nesterov-is-momentum": right(gradients, "momentum", lr, b) if kind == "nesterov" else None,
        }
        facts = {"d": float(-lr * (1 + b + b * b)), "lr": lr, "b": b}
        a.case(reply.value, want, mistaken, tol=1e-10, of=f'steps(gradients, "{kind}", …)', facts=facts)


QUESTION = Question(
    id="step-1",
    points=2,
    title="Steps of three optimizers",
    text="""A step is what an optimizer adds to w. Give the steps for a sequence of `gradients` of one weight: an array with one
number per gradient. All slots start at 0. The first gradient is not 0; later ones may be.

- `"momentum"`: u becomes b·u + g, and the step is −lr·u.
- `"nesterov"`: u becomes b·u + g as well, and the step is −lr·(g + b·u) with the new u.
- `"rmsprop"`: r becomes b·r + (1 − b)·g², and the step is −lr·g/√r with the new r. There is no eps.""",
    writes=("steps",),
    without=("ak.optim.SGD", "ak.optim.RMSProp"),
    starter='''def steps(gradients, kind, lr, b):
    """The steps, one for each gradient, as an array; kind is "momentum", "nesterov" or "rmsprop"."""
    ...
''',
    check=check,
    messages={
        "step-is-the-gradient": "−lr·g is the step of plain SGD. The slot, with the earlier gradients, is missing.",
        "averages-instead-of-adding": "Your slot takes (1 − b)·g; here it takes g. With lr = {lr} and b = {b}, the third of three gradients of 1 makes the step {d}.",
        "no-step-at-zero": "Where the gradient is 0, your step is 0. The rule holds there too: with g = 0 the slot u becomes {b}·u, and it still moves w.",
        "zeros-left-out": "Your slot stays as it is where the gradient is 0. A gradient of 0 counts like any other: the slot is multiplied by {b}.",
        "uphill": "The sign is wrong: if all gradients are positive, w becomes smaller.",
        "nesterov-is-momentum": "These are the steps of plain momentum. Nesterov's step uses g + b·u with the new u.",
        "positions-not-steps": "These are positions, that is sums of steps. A step is the difference of two positions.",
    },
    hints=(
        "Which number must be kept from one gradient to the next?",
        "Start with a slot of 0. For each gradient compute the new slot first, then the step from it.",
        "`u = b*u + g`, and the step is `-lr*u`, or `-lr*(g + b*u)` for nesterov; `r = b*r + (1-b)*g*g`, and the step is `-lr*g/np.sqrt(r)`.",
    ),
    example=lambda rng: {"gradients": rng.normal(size=4).round(2), "kind": "momentum", "lr": 0.1, "b": 0.9},
)
