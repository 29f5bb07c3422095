"""where-1: A where without nan in its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
TINY = 1e-18  # so small that no usual lower limit is below it; its square is still a float32
EXACT = (("float64", 1e-12), ("float32", 1e-5))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for name in misconceptions.CHOSEN:
        # The tiny entry has a call of its own: 1/x is so large there that a mistake beside it would be rounding.
        entries: tuple[Array, ...] = (np.array([-1.0, TINY]), np.r_[rng.normal(size=4), 0.0, -1.0, 4.0])
        for dtype, tol in EXACT:
            for drawn in entries:
                x, u = drawn.astype(dtype), rng.uniform(0.5, 2.0, size=drawn.size).astype(dtype)
                reply = yield Call("safe", (name, x), quiet=True, wrt=(1,), seed=u)
                value_1(a, reply, name, x, tol)
                gradient_1(a, reply, name, x, u, tol)


def value_1(a: AttemptEvaluation, reply: CallResult, name: str, x: Array, tol: float) -> None:
    """Judge the values; a constant that was added is worked out from the smallest positive entry."""
    want = misconceptions.chosen_branch(name, x)
    got = require_real_array(reply.value, "safe")
    zero = misconceptions.at_zero_too(misconceptions.value_as_written(name, x), x)
    mistaken: dict[str, object] = {
        "value-already-nan": misconceptions.branch_times_mask(name, x),
        "chooses-only-the-input": misconceptions.only_the_input(name, x, got),
        "zero-included": zero,
    }
    facts: dict[str, object] = {"f": name}
    if got.shape == x.shape:
        facts |= {"other": float(got[np.argmin(x)])}
    if got.shape == x.shape and np.isfinite(got).all():
        at = misconceptions.smallest_positive(x)
        mistaken |= {"adds-eps": misconceptions.closest_shift(name, x, got)}
        facts |= {"x": float(x[at]), "e": float(abs(got[at] - want[at]))}
    words = translate("The value of {call}", "lesson03").format(call=f'safe("{name}", x)')
    a.case(
        reply.value,
        want,
        mistaken,
        tol=tol,
        of=words,
        facts=facts,
        dtype=x.dtype.type,
        leaves="constant-of-another-dtype",
    )


def gradient_1(a: AttemptEvaluation, reply: CallResult, name: str, x: Array, u: Array, tol: float) -> None:
    """Judge the gradient of x; beside a wrong value only a nan that does not follow from that value is judged."""
    words = translate("The gradient of {call}", "lesson03").format(call=f'safe("{name}", x)')
    gradient = reply.gradients[0]
    value = require_real_array(reply.value, "safe")
    right_value = values_close(value, misconceptions.chosen_branch(name, x), tol)
    if gradient is None:
        if right_value:
            a.behave(False, "cuts-the-gradient", half=False, of=words)
        else:
            a.count_uncompared(words)
        return
    found = require_real_array(gradient, translate("The gradient of {call}", "lesson03").format(call="safe"))
    spoilt = np.flatnonzero(np.isnan(found) & (x <= 0)) if found.shape == x.shape else np.array([], int)
    if spoilt.size and np.isfinite(value).all():
        at = float(x[spoilt[0]])
        text = translate("{what} is nan at x = {x}, where f is not chosen.", "lesson03")
        a.behave(
            False,
            "where-only-outside",
            text.format(what=words, x=format_value(at)),
            half=False,
            of=words,
            f=name,
            at=at,
        )
    elif right_value:
        slope = misconceptions.derivative_as_written(name, x)
        with np.errstate(all="ignore"):
            want = np.where(x > 0, slope * u, 0.0)
        mistaken = {
            "cuts-the-gradient": np.zeros(x.shape),
            "zero-included": misconceptions.at_zero_too(slope, x, u),
            "adds-eps": misconceptions.too_small_at_the_smallest(x, found, want, tol),
        }
        at = misconceptions.smallest_positive(x)
        facts = {"f": name, "x": float(x[at]), "e": float(abs(value[at] - misconceptions.chosen_branch(name, x)[at]))}
        a.case(gradient, want, mistaken, tol=tol, of=words, facts=facts)
    else:
        a.count_uncompared(words)


QUESTION = Question(
    id="where-1",
    points=2,
    title="A where without nan in its gradient",
    text="""Write `safe(name, x)`: f(x) where x > 0, and 0 elsewhere. `name` is `"log"`, `"sqrt"` or `"reciprocal"` (1/x), and
`getattr(ak, name)` is f. `x` is a tensor with entries of any sign, 0 and very small ones such as 1e-18 among them. Use the kit's operations, so that a tape
can differentiate the result. The gradient must be f's slope where x > 0 and exactly 0 elsewhere. The check uses float64 and float32, and the result must have the dtype of x.""",
    writes=("safe",),
    starter='''def safe(name, x):
    """f(x) where x > 0, else 0, in kit ops; name is "log", "sqrt" or "reciprocal"."""
    ...
''',
    check=check,
    messages={
        "where-only-outside": "The gradient of {f} is nan at x = {at}, where f is not chosen. "
        "f is still computed there, and 0 is multiplied by its slope. Change what f gets at such entries.",
        "value-already-nan": "The value is nan where f was not chosen: f(x) · 0 is nan if f(x) is infinite or nan. Choose between the two values instead.",
        "adds-eps": "The value at x = {x} is off by {e}. A constant or a lower limit in the input of f also changes entries where x > 0.",
        "chooses-only-the-input": "The input of {f} is chosen, but the value is {other} where x is not positive; 0 is expected. The result needs a choice as well.",
        "zero-included": "At x = 0 your condition chooses {f}, whose value or slope is infinite there. f is asked for where x > 0, and 0 at x = 0.",
        "constant-of-another-dtype": "The values are right, but their dtype is float64 where x is float32. Often a constant is the cause: numbers such as 1.0 and 0 keep the dtype of x, but a float64 array from NumPy, such as np.zeros(3), makes the result float64.",
        "cuts-the-gradient": "The values are right, but no gradient reaches x. Compute the result from x with the kit's operations only.",
    },
    hints=(
        "What is the slope of f at x = 0? Which operation multiplies by it, although f was not chosen there?",
        "Choose the input of f as well as its output.",
        "`f(ak.where(x > 0, x, 1.0))` inside the `where` that you have.",
    ),
    example=lambda rng: {"name": "sqrt", "x": np.r_[rng.normal(size=2).round(2), 0.0, -1.0, 4.0]},
)
