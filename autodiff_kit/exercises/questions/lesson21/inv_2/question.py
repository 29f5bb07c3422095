"""inv-2: Learn it, and know where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
COUNT = 200
CLOSE = 0.05
INNER = np.linspace(-0.95, 0.95, 41)
OUTSIDE, INSIDE = (3.0, 1.05, -1.05, -2.0), (-0.99, -0.9, -0.5, 0.0, 0.5, 0.9, 0.99)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    # So steep that the range of y is much wider than that of x.
    p, q = rng.uniform(1.0, 2.0, size=2)
    box = shared.IncreasingCubic(float(p), float(q))
    # The ends are not left to luck, and between them and their neighbours lies a number that is asked, ±0.99. The first
    # and the last in the order given are far from the ends.
    middle = rng.permutation(np.r_[-1.0, 1.0, rng.uniform(-0.98, 0.98, size=COUNT - 4)])
    x = np.r_[rng.uniform(-0.5, 0.5), middle, rng.uniform(-0.5, 0.5)]
    y = box(x)
    reply = yield Call("train", (y, x))
    if a.warned(reply):
        return
    learned, trusted = functions_2(unpack_tuple(reply, "train", ("M", "trusted")))
    if not (yield from fits_2(a, box, learned, y, x)):
        return
    wrong: list[float] = []
    believed: list[tuple[float, bool]] = []
    for at in OUTSIDE + INSIDE:
        where = float(box(at))
        said = yield from one_2(trusted, where)
        believed.append((where, bool(said)))
        if said != (at in INSIDE):
            wrong.append(where)
    if not wrong:
        a.behave(True)
        return
    said = yield from one_2(learned, wrong[0])
    facts = {"y": wrong[0], "v": said, "lo": float(y.min()), "hi": float(y.max())}
    verdict = dict(believed)[wrong[0]]
    words = translate("trusted({y:.4g}) is {verdict}. The given y go from {lo:.4g} to {hi:.4g}.", "lesson21").format(
        verdict=verdict, **facts
    )
    a.behave(False, idea_of_trust(believed), words, half=False, **facts)


def idea_of_trust(believed: list[tuple[float, bool]]) -> str:
    """The idea behind a wrong ``trusted``, from its answers at some y; empty if none fits."""
    verdicts = [said for _, said in believed]
    if all(verdicts):
        return "M-knows-everywhere"
    if not any(verdicts):
        return "trusts-nothing"
    return "trusts-the-range-of-x" if verdicts == [abs(y) <= 1 for y, _ in believed] else ""


def fits_2(
    a: AttemptEvaluation, box: shared.IncreasingCubic, learned: ReturnedFunction, y: Array, x: Array
) -> CheckScript:
    """Whether M gives every inner x back."""
    found = np.zeros(INNER.size)
    for i, one in enumerate(INNER):
        found[i] = yield from one_2(learned, float(box(one)))
    errors = np.abs(found - INNER)
    worst = int(np.argmax(errors))  # the first NaN, if there is one
    e, at = float(errors[worst]), float(INNER[worst])
    words = translate("M(F({x:.3g})) is off by {e:.3g}; {close:g} is allowed.", "lesson21").format(
        x=at, e=e, close=CLOSE
    )
    return a.behave(e <= CLOSE, idea_of_fit(box, found, y, x), words, half=False, e=e, x=at)


def idea_of_fit(box: shared.IncreasingCubic, found: Array, y: Array, x: Array) -> str:
    """The idea behind an M that does not fit, from what it gives at the inner y."""
    asked = np.asarray(box(INNER))
    for increasing in (y, np.sort(y)):  # one number a call, as M is called
        if np.array_equal(found, [np.interp(one, increasing, x) for one in asked]):
            return "pairs-out-of-order"
    shared_range = np.abs(asked) <= INNER[-1]  # where a model of F was fitted, too
    forward = np.asarray(box(asked[shared_range]))
    way_off = np.abs(found[shared_range] - forward).max()
    return "goes-from-x-to-y" if way_off < 0.25 * np.abs(forward).max() else "does-not-fit"


def functions_2(parts: tuple[object, ...]) -> tuple[ReturnedFunction, ReturnedFunction]:
    """The two functions that came back, by their names."""
    if not all(isinstance(part, ReturnedFunction) for part in parts):
        raise LearnerCodeError(
            translate(
                "train is to give back two functions, (M, trusted). A function is given back by its name, without brackets.",
                "lesson21",
            )
        )
    learned, trusted = (ReturnedFunction(part.number, name) for part, name in zip(parts, ("M", "trusted"), strict=True))  # type: ignore[attr-defined]
    return learned, trusted


def one_2(function: ReturnedFunction, y: float) -> CheckScript:
    """What M or trusted says of one number."""
    reply = yield Call(function, (y,), quiet=True)
    found = require_real_array(reply.value, function.name)
    if found.size != 1:
        raise LearnerCodeError(
            translate("{name} is to give back one number for one y; it gave back shape {shape}.", "lesson21").format(
                name=function.name, shape=found.shape
            )
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
        "trusts-the-range-of-x": "trusted compares y with the range of x. M takes a y: compare it with the given y, which go from {lo} to {hi}.",
        "goes-from-x-to-y": "M is a model of F, fitted from x to y. It is to take a y and give the x: exchange the columns.",
        "pairs-out-of-order": "np.interp needs increasing y, each beside its own x. Order both columns alike, by y.",
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
