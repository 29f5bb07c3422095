"""where-1: A where without nan in its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
TINY = 1e-6
EXACT = (("float64", 1e-12), ("float32", 1e-5))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for name in misconceptions.CHOSEN:
        drawn: Array = np.r_[rng.normal(size=4), 0.0, -1.0, TINY, 4.0]
        seed = rng.uniform(0.5, 2.0, size=8)
        for dtype, tol in EXACT:
            x, u = drawn.astype(dtype), seed.astype(dtype)
            reply = yield Call("safe", (name, x), quiet=True, wrt=(1,), seed=u)
            value_1(a, reply, name, x, tol)
            gradient_1(a, reply, name, x, u, tol)


def value_1(a: AttemptEvaluation, reply: CallResult, name: str, x: Array, tol: float) -> None:
    """Judge the values; a constant that was added is worked out from the smallest positive entry."""
    want = misconceptions.chosen_branch(name, x)
    got = require_real_array(reply.value, "safe")
    mistaken = {"value-already-nan": misconceptions.branch_times_mask(name, x)}
    facts: dict[str, object] = {}
    if got.shape == x.shape and np.isfinite(got).all():
        mistaken |= {"adds-eps": misconceptions.closest_shift(name, x, got, at=-2)}
        facts = {"e": float(abs(got[-2] - want[-2]))}
    words = f'The value of safe("{name}", x)'
    a.case(reply.value, want, mistaken, tol=tol, of=words, facts=facts, dtype=x.dtype.type)


def gradient_1(a: AttemptEvaluation, reply: CallResult, name: str, x: Array, u: Array, tol: float) -> None:
    """Judge the gradient of x; beside a wrong value only a nan that does not follow from that value is judged."""
    gradient = reply.gradients[0]
    value = require_real_array(reply.value, "safe")
    right_value = values_close(value, misconceptions.chosen_branch(name, x), tol)
    if gradient is None:
        if right_value:
            a.fail({"cuts-the-gradient"})
        return
    found = require_real_array(gradient, "The gradient of safe")
    spoilt = np.flatnonzero(np.isnan(found) & (x <= 0)) if found.shape == x.shape else np.array([], int)
    if spoilt.size and np.isfinite(value).all():
        at = float(x[spoilt[0]])
        nan = f'The gradient of safe("{name}", x) is nan at x = {format_value(at)}, where f is not chosen.'
        a.fail({"where-only-outside"} if right_value else set(), nan, name=name, at=at)
    elif right_value:
        want = np.where(x > 0, misconceptions.derivative_as_written(name, x) * u, 0.0)
        mistaken = {"cuts-the-gradient": np.zeros(x.shape)}
        a.case(gradient, want, mistaken, tol=tol, of=f'The gradient of safe("{name}", x)')


QUESTION = Question(
    id="where-1",
    points=2,
    title="A where without nan in its gradient",
    text="""Write `safe(name, x)`: f(x) where x > 0, and 0 elsewhere. `name` is `"log"`, `"sqrt"` or `"reciprocal"` (1/x), and
`getattr(ak, name)` is f. `x` is a tensor with entries of any sign, 0 and very small ones such as 0.000001 among them. Use the kit's operations, so that a tape
can differentiate the result. The gradient must be f's slope where x > 0 and exactly 0 elsewhere. The check uses float64 and float32, and the result must have the dtype of x.""",
    writes=("safe",),
    starter='''def safe(name, x):
    """f(x) where x > 0, else 0, in kit ops; name is "log", "sqrt" or "reciprocal"."""
    ...
''',
    check=check,
    messages={
        "where-only-outside": "The values are right, but the gradient of {name} is nan at x = {at}, where f is not chosen. "
        "f is still computed there, and 0 is multiplied by its slope. Change what f gets at such entries.",
        "value-already-nan": "The value is nan where f was not chosen: f(x) · 0 is nan if f(x) is infinite or nan. Choose between the two values instead.",
        "adds-eps": "The value at x = 0.000001 is off by {e}. A constant or a lower limit in the input of f also changes entries where x > 0.",
        "cuts-the-gradient": "The values are right, but no gradient reaches x. Compute the result from x with the kit's operations only.",
    },
    hints=(
        "What is the slope of f at x = 0? Which operation multiplies by it, although f was not chosen there?",
        "Choose the input of f as well as its output.",
        "`f(ak.where(x > 0, x, 1.0))` inside the `where` that you have.",
    ),
    example=lambda rng: {"name": "sqrt", "x": np.r_[rng.normal(size=2).round(2), 0.0, -1.0, 4.0]},
)
