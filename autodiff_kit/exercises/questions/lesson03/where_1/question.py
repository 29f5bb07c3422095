"""where-1: A choice whose other side is poison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
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
            if value_1(a, reply, name, x, tol):
                way_back_1(a, reply.gradients[0], name, x, u, tol)


def value_1(a: AttemptEvaluation, reply: CallResult, name: str, x: Array, tol: float) -> bool:
    """Judge the values; a constant that was added is worked out from the smallest positive entry."""
    want = misconceptions.chosen_branch(name, x)
    got = require_real_array(reply.value, "safe")
    mistaken = {"value-already-nan": misconceptions.branch_times_mask(name, x)}
    facts: dict[str, object] = {}
    if got.shape == x.shape and np.isfinite(got).all():
        mistaken |= {"adds-eps": misconceptions.closest_shift(name, x, got, at=-2)}
        facts = {"e": float(abs(got[-2] - want[-2]))}
    words = f'The value of safe("{name}", x)'
    return a.case(reply.value, want, mistaken, tol=tol, of=words, facts=facts, dtype=x.dtype.type)


def way_back_1(a: AttemptEvaluation, gradient: object, name: str, x: Array, u: Array, tol: float) -> None:
    """Judge the gradient of x."""
    if gradient is None:
        a.fail({"cuts-the-gradient"})
        return
    slope = misconceptions.derivative_as_written(name, x)
    mistaken = {"where-only-outside": slope * (u * (x > 0)), "cuts-the-gradient": np.zeros(x.shape)}
    want = np.where(x > 0, slope * u, 0.0)
    a.case(gradient, want, mistaken, tol=tol, of=f'The gradient of safe("{name}", x)')


QUESTION = Question(
    id="where-1",
    points=2,
    title="A choice whose other side is poison",
    text="""Give f(x) where x > 0, and 0 elsewhere. `name` is `"log"`, `"sqrt"` or `"reciprocal"` (1/x), and `getattr(ak, name)` is f. `x` is a
tensor and may hold anything: −1, 0, 0.000001. Use the kit's ops, since the check pulls a gradient back to `x`: it must be f's slope where x > 0 and exactly 0 elsewhere, in float64 and in float32.""",
    writes=("safe",),
    starter='''def safe(name, x):
    """f(x) where x > 0, else 0, in kit ops; name is "log", "sqrt" or "reciprocal"."""
    ...
''',
    check=check,
    messages={
        "where-only-outside": "Value right, gradient NaN: the side not chosen gets 0·inf. Make its input harmless.",
        "value-already-nan": "0 times inf is nan: a product does not leave anything out.",
        "adds-eps": "Off by {e} at 0.000001: what is added to x changes the values that were asked for.",
        "cuts-the-gradient": "Nothing flows back: stay with the kit's ops from x to the answer.",
    },
    hints=(
        "Look at f's slope at 0. Who asks for it, though f was not chosen there?",
        "A second where, around what f is given.",
        "`f(where(x > 0, x, 1.0))` inside the where that you have.",
    ),
    example=lambda rng: {"name": "sqrt", "x": np.r_[rng.normal(size=2).round(2), 0.0, -1.0, 4.0]},
)
