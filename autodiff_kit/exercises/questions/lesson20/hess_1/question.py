"""hess-1: A Hessian-vector product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions.lesson01.shared import CountedFunction, CountedTransforms
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n in (3, 5, 30):
        bowl, x, v = shared.QuarticGradient.draw(rng, n), rng.normal(size=n), rng.normal(size=n)
        kit, counted, gradient = CountedTransforms(), CountedFunction(bowl), np.asarray(bowl(x))
        reply = yield Call("hvp", (kit.callback, Callback(counted, "grad", raw=True), x, v))
        if a.warned(reply):
            continue
        mistaken = {"gradient-itself": gradient, "gradient-by-entries": gradient * v}
        used = max(kit.pushes + kit.pulls, counted.pushes + counted.pulls)
        of = translate("H v for n = {n}", "lesson20").format(n=n)
        if require_real_array(reply.value, "hvp").shape == ():
            numbers = {"gradient-times-v": gradient @ v, "multiplied-by-v-again": v @ bowl.hessian(x) @ v}
            names = {name for name, number in numbers.items() if values_close(reply.value, number, 1e-6)}
            a.fail(
                names,
                translate("{of} is a number; an array of shape ({n},) is expected.", "lesson20").format(of=of, n=n),
            )
        elif not used and values_close(reply.value, bowl.hessian(x) @ v, 1e-6):
            a.fail({"differences"}, translate("{of} is close, but no sweep was used.", "lesson20").format(of=of))
        elif a.case(reply.value, bowl.hessian(x) @ v, mistaken, tol=1e-10, of=of):
            facts: dict[str, Any] = {"k": used}
            name = "hessian-first" if used >= n else "differences" if used == 0 else ""
            words = translate("{used} sweeps were used for n = {n}; one is asked for.", "lesson20").format(
                used=used, n=n
            )
            a.behave(used == 1, name, words, half=used > 0, **facts)


QUESTION = Question(
    id="hess-1",
    points=2,
    title="A Hessian-vector product",
    text="""`grad` is the gradient of some f: a function of x, written with the kit's operations. Return H v, where H is the Hessian of f at `x`, in
exactly one sweep of the kit: with `kit.jvp(function, x, v)`, which returns (value, tangent), or with `kit.vjp(function, x)`, which returns (value, pull). Sweeps are counted;
differences of gradients are not accepted here. (To try it yourself, note that `ak.jvp` takes `(x,), (v,)` in place of `x, v`.)""",
    writes=("hvp",),
    starter='''def hvp(kit, grad, x, v):
    """H v, with H the derivative of grad at x: one sweep."""
    ...
''',
    check=check,
    messages={
        "gradient-times-v": "The result is a number, and Hv has the shape of x. The gradient times v is the derivative of f along v, which is one derivative too few.",
        "multiplied-by-v-again": "The result is v·Hv, which is one number. Hv has the shape of x: leave out the product with v at the end.",
        "gradient-itself": "The result is the gradient at x, not its derivative along v. `kit.jvp` returns two things: which of them is the derivative?",
        "gradient-by-entries": "The result is the gradient times v, entry by entry. Hv is the derivative of the gradient along v.",
        "differences": "The result was computed without a sweep, such as by a difference of gradients. Use the kit's jvp or vjp on `grad`: no step size is needed.",
        "hessian-first": "The value is right, but it took {k} sweeps: H was built column by column. A single sweep can multiply H by v.",
    },
    hints=(
        "What is the Hessian the Jacobian of?",
        "`grad` is a function with a Jacobian of its own. Which product with this Jacobian do you need?",
        "`_, tangent = kit.jvp(grad, x, v)`, and the tangent is H v.",
    ),
    example=lambda rng: {
        "grad": shared.QuarticGradient.draw(rng, 3),
        "x": rng.normal(size=3).round(2),
        "v": rng.normal(size=3).round(2),
    },
)
