"""hess-1: The Hessian times a vector, and no Hessian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions.lesson01.shared import CountedTransforms

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n in (3, 5, 30):
        bowl, x, v = shared.QuarticGradient.draw(rng, n), rng.normal(size=n), rng.normal(size=n)
        kit = CountedTransforms()
        reply = yield Call("hvp", (kit.callback, Callback(bowl, "grad", raw=True), x, v))
        if a.warned(reply):
            continue
        used, of = kit.pushes + kit.pulls, f"H v for n = {n}"
        if require_real_array(reply.value, "hvp").shape == ():
            a.fail({"gradient-times-v"}, f"{of} is a number; an array of shape ({n},) is expected.")
        elif a.case(reply.value, bowl.hessian(x) @ v, tol=1e-10, of=of):
            facts: dict[str, Any] = {"k": used}
            name = "hessian-first" if used >= n else ""
            a.behave(used == 1, name, f"{used} sweeps were used for n = {n}; one is asked for.", **facts)


QUESTION = Question(
    id="hess-1",
    points=2,
    title="The Hessian times a vector, and no Hessian",
    text="""`grad` is the gradient of some f, a function of x like any other, in the kit's ops. Give H v, where H is f's Hessian at `x`, in
one sweep: with `kit.jvp(function, x, v)`, which gives (value, tangent), or `kit.vjp(function, x)`, which gives (value, pull). The check counts both;
H itself has n² entries and is not to be built. (To try it by hand: `ak.jvp` takes `(x,), (v,)` in place of `x, v`.)""",
    writes=("hvp",),
    starter='''def hvp(kit, grad, x, v):
    """H v, with H the derivative of grad at x: one sweep."""
    ...
''',
    check=check,
    messages={
        "gradient-times-v": "A number; Hv has x's shape. The gradient times v is the slope of f along v: one derivative too few.",
        "hessian-first": "{k} sweeps. That builds H column by column; you need it only times v.",
    },
    hints=(
        "What is the Hessian the Jacobian of?",
        "The gradient is a function: push v through it.",
        "`_, tangent = kit.jvp(grad, x, v)`, and the tangent is H v.",
    ),
    example=lambda rng: {
        "grad": shared.QuarticGradient.draw(rng, 3),
        "x": rng.normal(size=3).round(2),
        "v": rng.normal(size=3).round(2),
    },
)
