"""adam-3: Freezing some entries."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.in_process import run_script_with
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def path_3(
    a: AttemptEvaluation,
    w: np.ndarray,
    slots: Any,
    gradients: list[np.ndarray],
    mask: np.ndarray,
    given: dict[str, Any],
) -> CheckScript:
    """w, m and v after all steps."""
    x: Any = w
    for g in gradients:
        reply = yield Call("frozen_step", (x, g, slots, mask), given)
        if a.warned(reply):
            return None
        x, slots = unpack_tuple(reply, "frozen_step", ("w", "slots"))
    if np.ndim(shared.require_slot(slots, "t", "frozen_step")):
        raise LearnerCodeError(
            translate("frozen_step must return t as one number for all entries, not as an array.", "lesson15")
        )
    rows = [x, shared.require_slot(slots, "m", "frozen_step"), shared.require_slot(slots, "v", "frozen_step")]
    if any(type(row) is not np.ndarray or row.shape != w.shape for row in rows):
        text = translate(
            "frozen_step must return w, m and v as arrays of the shape that they were given with, {shape}.", "lesson15"
        )
        raise LearnerCodeError(text.format(shape=w.shape))
    return np.stack(rows)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    given, w, slots = shared.random_constants(rng), rng.normal(size=6), shared.initial_slots(6)
    for _ in range(5):
        w, slots = shared.adam_with_mistake(w, rng.normal(size=6), slots, **given)
    mask = rng.permutation(np.array([True, False] * 3))
    gradients = [rng.normal(size=6) for _ in range(4)]
    gradients[-1][mask] = np.nan  # a frozen entry is chosen, not weighted: 0 times nan is nan
    run = partial(path_3, a, w, slots, gradients, mask, given)
    got = yield from run()
    if got is None:
        return
    ways = {
        "zero-gradient-means-still": misconceptions.freeze_zeroing,
        "slots-go-on-decaying": misconceptions.freeze_step,
        "slots-learn-while-frozen": misconceptions.freeze_value,
        "slots-thrown-away": misconceptions.freeze_forgetting,
        "mask-the-wrong-way-round": misconceptions.freeze_others,
        "t-does-not-count": misconceptions.freeze_without_counting,
        "weighs-instead-of-choosing": misconceptions.freeze_by_weights,
    }
    mistaken = {name: (lambda way=way: run_script_with(run(), frozen_step=way)) for name, way in ways.items()}
    first = int(np.argmax(mask))
    facts = {"i": first, "d": float(got[0, first] - w[first])}
    want = run_script_with(run(), frozen_step=solution.frozen_step)
    if a.case(
        got,
        want,
        mistaken,
        tol=1e-12,
        of=translate("w, m and v (one row each) after four steps", "lesson15"),
        facts=facts,
    ):
        same = np.array_equal(got[:, mask], np.stack([w, slots["m"], slots["v"]])[:, mask])
        a.behave(
            same,
            text=translate("Frozen entries are right to many digits, but not bit for bit what they were.", "lesson15"),
        )
    if not a.failed_cases:
        yield from check_clock(a, w, slots, gradients[0], given)


def check_clock(a: AttemptEvaluation, w: np.ndarray, slots: Any, g: np.ndarray, given: dict[str, Any]) -> CheckScript:
    """A step counts whether all entries are frozen or none."""
    for frozen in (True, False):
        reply = yield Call("frozen_step", (w, g, slots, np.full(6, frozen)), given)
        if a.warned(reply):
            return
        _, new = unpack_tuple(reply, "frozen_step", ("w", "slots"))
        a.case(
            shared.require_slot(new, "t", "frozen_step"),
            slots["t"] + 1,
            {"t-depends-on-the-mask": slots["t"]},
            of=translate("t after a step in which all entries are frozen", "lesson15")
            if frozen
            else translate("t after a step in which no entry is frozen", "lesson15"),
        )


QUESTION = Question(
    id="adam-3",
    points=3,
    title="Freezing some entries",
    text="""Write one step of Adam in which some entries are frozen. Where `mask` is True, `w`, `m` and `v` must come out bit for bit
as they went in, whatever `g` holds there (it may be NaN). All other entries make an ordinary step. `t` is one number for all entries, and it counts this step.""",
    writes=("frozen_step",),
    without=("ak.optim.Adam",),
    starter='''def frozen_step(w, g, slots, mask, lr, b1, b2, eps):
    """One step of Adam that leaves w, m and v alone where mask is True: give back (w, slots)."""
    ...
''',
    check=check,
    messages={
        "zero-gradient-means-still": "A gradient of 0 does not freeze: entry {i} moved by {d}.",
        "slots-go-on-decaying": "w is frozen, but its m and v decayed. Without the mask, entry {i} would go on from other slots.",
        "slots-learn-while-frozen": "w is frozen, but its m and v took in the gradients of these steps.",
        "slots-thrown-away": "The slots of frozen entries are 0 now. Freezing leaves them as they were.",
        "t-does-not-count": "The frozen entries are right. But t is the old one in your new slots, so the others are corrected with a wrong t from the second step on.",
        "weighs-instead-of-choosing": "g was NaN at a frozen entry, and w is NaN there now. The mask was used as a factor, and 0·nan is nan. Choose with where, or with the mask as an index.",
        "t-depends-on-the-mask": "t was not counted in a step in which all entries, or none, are frozen. It counts every step.",
        "mask-the-wrong-way-round": "The other entries are frozen. Here True means frozen.",
    },
    hints=(
        "Which three arrays must not change where mask is True?",
        "Make the step for all entries, then choose old or new for each entry.",
        "`np.where(mask, old, new)` for w, m and v.",
    ),
    example=lambda rng: {
        "w": rng.normal(size=4).round(2),
        "g": rng.normal(size=4).round(2),
        "mask": rng.permutation([True, True, False, False]),
        "slots": {"m": rng.normal(size=4).round(2), "v": rng.random(4).round(2), "t": 5},
        **shared.random_constants(rng),
    },
)
