"""adam-5: A gradient that stops the weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    given, w, slots = shared.random_constants(rng, 1e-8), rng.normal(size=3), shared.initial_slots(3)
    g = rng.normal(size=3) + 0.5
    for _ in range(int(rng.integers(2, 7))):
        g = rng.normal(size=3) + 0.5
        w, slots = shared.adam_with_mistake(w, g, slots, **given)
    reply = yield Call("brake", (slots, g, given["b1"]))
    if a.warned(reply):
        return
    if reply.value is None:
        a.fail({"None-is-only-a-pause"}, translate("brake returned None.", "lesson15"))
        return
    b1, m = given["b1"], slots["m"]
    mistaken = {
        "zero-gradient-means-still": np.zeros(3),
        "opposite-of-the-last-gradient": -g,
        "opposite-of-m": -m,
        "forgets-the-1-b1": -b1 * m,
        "last-gradient-for-m": -b1 * g,
        "forgets-the-decay-of-m": -m / (1 - b1),
        "corrected-m": -b1 * m / (1 - b1 ** slots["t"]) / (1 - b1),
        "wrong-sign": b1 * m / (1 - b1),
    }
    drift = shared.adam_with_mistake(w, np.zeros(3), slots, **given)[0] - w
    facts = {"d": float(drift[0]), "x": float((b1 * m - (1 - b1) * g)[0]), "rest": 1 - b1, "b1": b1}
    got = require_real_array(reply.value, "brake")
    if got.shape != (3,):
        a.fail(set(), translate("brake returned shape {shape}; w has shape (3,).", "lesson15").format(shape=got.shape))
        return
    x, now = shared.adam_with_mistake(w, got, slots, **given)
    y, _ = shared.adam_with_mistake(x, np.zeros(3), now, **given)
    if not (values_close(x, w, 1e-12) and values_close(y, w, 1e-12)):
        hit = {name for name, model in mistaken.items() if values_close(got, model, 1e-12)}
        words = translate(
            "With your gradient w moves by {now}, and by {then} in the zero step after it.", "lesson15"
        ).format(now=format_value(float(np.abs(x - w).max())), then=format_value(float(np.abs(y - x).max())))
        a.fail(hit, words, **facts)


QUESTION = Question(
    id="adam-5",
    points=2,
    title="A gradient that stops the weight",
    text="""Adam has made several steps, and now `w` is to stop. Give the next gradient such that `w` moves neither in this step nor
in any later step whose gradient is 0. `last_gradient` is the gradient of the step before; you may not need it.""",
    writes=("brake",),
    starter='''def brake(slots, last_gradient, b1):
    """The gradient that stops w for good; slots = {"m": ..., "v": ..., "t": ...}."""
    ...
''',
    check=check,
    messages={
        "zero-gradient-means-still": "With a gradient of 0 the first weight moves by {d}. m is not 0 after that step.",
        "opposite-of-the-last-gradient": "With −g, m becomes {x} for the first weight, and w moves on. m holds more than the last gradient.",
        "last-gradient-for-m": "−b1·g is right after a single gradient only. m holds all gradients so far, not the last one alone.",
        "opposite-of-m": "The new gradient enters m with weight {rest} only; what must it be so that m is 0?",
        "forgets-the-1-b1": "The new gradient enters m with weight {rest} only; what must it be so that m is 0?",
        "forgets-the-decay-of-m": "Your gradient takes away all of the old m. The rule multiplies the old m by b1 = {b1} first; only this part is left to take away.",
        "corrected-m": "You used m̂, the corrected mean. The rule for the slot, m = b1·m + (1−b1)·g, contains m itself.",
        "wrong-sign": "The sign is reversed: with your gradient m grows. It must take away what is left of m.",
        "None-is-only-a-pause": "None is no step: w stays now, but m is the same at the next step.",
    },
    hints=(
        "Which slot must be 0 after the step?",
        "Write down the rule for that slot with an unknown gradient, and set the result to 0.",
        "`-b1 * m / (1 - b1)`",
    ),
    example=lambda rng: {
        "slots": {"m": rng.normal(size=3).round(2), "v": rng.random(3).round(2), "t": 4},
        "last_gradient": rng.normal(size=3).round(2),
        "b1": shared.random_constants(rng)["b1"],
    },
)
