"""inv-2: Learn it, and know where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
COUNT = 200
CLOSE = 0.05
INNER = np.linspace(-0.95, 0.95, 41)
OUTSIDE, INSIDE = (3.0, -2.0), (-0.5, 0.0, 0.5)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    box = shared.IncreasingCubic.draw(rng)
    x = rng.permutation(np.r_[-1.0, 1.0, rng.uniform(-1.0, 1.0, size=COUNT - 2)])  # the ends are not left to luck
    y = box(x)
    reply = yield Call("train", (y, x))
    if a.warned(reply):
        return
    learned, trusted = functions_2(unpack_tuple(reply, "train", ("M", "trusted")))
    if not (yield from fits_2(a, box, learned)):
        return
    for at in OUTSIDE:
        where = float(box(at))
        said = yield from one_2(learned, where)
        believed = yield from one_2(trusted, where)
        facts = {"y": where, "v": said, "lo": float(y.min()), "hi": float(y.max())}
        if not a.behave(not believed, "M-knows-everywhere", f"trusted({where:.4g}) is True.", half=False, **facts):
            return
    for at in INSIDE:
        believed = yield from one_2(trusted, float(box(at)))
        a.behave(bool(believed), "trusts-nothing", f"trusted({float(box(at)):.4g}) is False.", half=False)


def fits_2(a: AttemptEvaluation, box: shared.IncreasingCubic, learned: ReturnedFunction) -> CheckScript:
    """Whether M gives every inner x back."""
    errors = np.zeros(INNER.size)
    for i, x in enumerate(INNER):
        errors[i] = abs((yield from one_2(learned, float(box(x)))) - x)
    worst = int(np.argmax(errors))  # the first NaN, if there is one
    e, at = float(errors[worst]), float(INNER[worst])
    words = f"M(F({at:.3g})) is off by {e:.3g}; {CLOSE:g} is allowed."
    return a.behave(e <= CLOSE, "does-not-fit", words, half=False, e=e, x=at)


def functions_2(parts: tuple[object, ...]) -> tuple[ReturnedFunction, ReturnedFunction]:
    """The two functions that came back, by their names."""
    if not all(isinstance(part, ReturnedFunction) for part in parts):
        raise LearnerCodeError(
            "train is to give back two functions, (M, trusted). A function is given back by its name, without brackets."
        )
    learned, trusted = (ReturnedFunction(part.number, name) for part, name in zip(parts, ("M", "trusted"), strict=True))  # type: ignore[attr-defined]
    return learned, trusted


def one_2(function: ReturnedFunction, y: float) -> CheckScript:
    """What M or trusted says of one number."""
    reply = yield Call(function, (y,), quiet=True)
    found = require_real_array(reply.value, function.name)
    if found.size != 1:
        raise LearnerCodeError(
            f"{function.name} is to give back one number for one y; it gave back shape {found.shape}."
        )
    return float(found.ravel()[0])


QUESTION = Question(
    id="inv-2",
    points=3,
    title="Learn it, and know where",
    text="""`x` holds 200 numbers from −1 to 1, in no order, and `y` the values F(x) of an increasing box that you cannot ask any more. Return two functions of one number: `M(y)`, which
gives x with an error of at most 0.05, for x from −0.95 to 0.95; and `trusted(y)`, True inside the range of the given y and False outside of it.""",
    writes=("train",),
    starter='''def train(y, x):
    """From pairs (y, x): give back (M, trusted), two functions of one y."""
    ...
''',
    check=check,
    messages={
        "M-knows-everywhere": "trusted({y}) is True, and M gives {v} there. The pairs have y from {lo} to {hi} only.",
        "trusts-nothing": "trusted is False inside the range of the pairs, where M is right.",
        "does-not-fit": "M has an error of {e} at x = {x}, and 0.05 is allowed. Try a model that fits the pairs more closely.",
    },
    hints=(
        "y goes into M, and x comes out.",
        "Any model that fits will do: a network, a polynomial, lines between neighbours. Which y has it seen?",
        "`order = np.argsort(y)`; `M = lambda q: np.interp(q, y[order], x[order])`; trusted: `y.min() <= q <= y.max()`.",
    ),
    example=lambda rng: _example_2(rng.uniform(-1, 1, 12).round(2)),
)


def _example_2(x: Array) -> dict[str, object]:
    return {"y": shared.IncreasingCubic(1.0, 1.0)(x).round(3), "x": x}
