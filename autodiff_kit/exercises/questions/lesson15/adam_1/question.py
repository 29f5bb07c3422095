"""adam-1: One step of Adam."""

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
from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def path(a: AttemptEvaluation, w: np.ndarray, gradients: list[Any], given: dict[str, Any]) -> CheckScript:
    """All the values that w takes; nothing if a warning ended it."""
    slots, seen = shared.initial_slots(3), []
    for g in gradients:
        reply = yield Call("adam_step", (w, g, slots), given)
        if a.warned(reply, "clock-starts-at-zero" if "divi" in reply.warning else ""):
            return None
        w, slots = unpack_tuple(reply, "adam_step", ("w", "slots"))  # type: ignore[assignment]
        if type(w) is not np.ndarray or w.shape != (3,):
            text = translate(
                "adam_step must return w as an array of the shape that it was given with, (3,).", "lesson15"
            )
            raise LearnerCodeError(text)
        seen.append(w)
    return np.array(seen)


def played(run: Any, step: Any) -> Any:
    """The path of a step of our own."""
    return run_script_with(run(), adam_step=step)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    switches: dict[str, dict[str, Any]] = {
        "no-bias-correction": {"bias": False},
        "eps-inside-the-root": {"inside": True},
        "v-without-the-square": {"square": False},
        "zero-taken-for-None": {"zero_skips": True},
        "zero-gradient-means-still": {"zero_stays": True},
        "t-not-returned": {"t_kept": True},
        "stores-the-corrected-mean": {"stores_corrected": True},
        "corrects-with-the-old-t": {"late_t": True},
        "steps-by-the-old-m": {"old_m": True},
        "one-mean-not-corrected": {"half": "m"},
        "other-mean-not-corrected": {"half": "v"},
    }
    only_none: dict[str, dict[str, Any]] = {
        "None-taken-for-zero": {"none_is_zero": True},
        "clock-runs-on-None": {"clock_runs": True},
    }
    for case in ("plain", "zeros", "none"):
        given, w = shared.random_constants(rng), rng.normal(size=3)
        gradients: list[Any] = [rng.normal(size=3) for _ in range(6)]
        for i in {"plain": (), "zeros": (2, 4), "none": (1, 3)}[case]:
            gradients[i] = None if case == "none" else np.zeros(3)
        run = partial(path, a, w, gradients, given)
        got = yield from run()
        if got is None:
            continue
        possible = {**switches, **only_none} if case == "none" else switches
        mistaken = {
            name: partial(played, run, partial(shared.adam_with_mistake, **switch)) for name, switch in possible.items()
        }
        right = played(run, solution.adam_step)
        zero = next((i for i, g in enumerate(gradients) if g is not None and not g.any()), 1)
        moved = float(np.abs(right[zero] - right[zero - 1]).max())
        facts = {"z": moved, "x": float(np.abs(got[0] - w)[0] / given["lr"]), "d": float(np.abs(got[1] - got[0]).max())}
        words = {
            "plain": translate("w after steps", "lesson15"),
            "zeros": translate("w after steps, two of them with the gradient 0", "lesson15"),
            "none": translate("w after steps, two of them with None", "lesson15"),
        }[case]
        a.case(got, right, mistaken, tol=1e-11, of=words, facts=facts, by_call=True)


QUESTION = Question(
    id="adam-1",
    points=2,
    title="One step of Adam",
    text="""Write one step of Adam. `slots` is a dictionary with the running means `m` and `v` and the number of steps so far, `t`.
Return the new `w` and new slots, and leave the old slots as they were. If `g` is `None`, nothing changes: not `w`, not
`m` or `v`, not `t`. `eps` is added to the root.""",
    writes=("adam_step",),
    without=("ak.optim.Adam",),
    starter='''def adam_step(w, g, slots, lr, b1, b2, eps):
    """One step: return (w, slots) with slots = {"m": ..., "v": ..., "t": ...}; g may be None."""
    ...
''',
    check=check,
    messages={
        "no-bias-correction": "Your first step is {x} times lr. m and v start at 0; divided by 1 − b1ᵗ and 1 − b2ᵗ, the first step is lr (but for eps).",
        "eps-inside-the-root": "eps is under the root here; add it to the root.",
        "zero-taken-for-None": "At a gradient of 0 nothing changed in your slots. A 0 is a gradient like any other: m and v decay, t counts, and w moves by up to {z}.",
        "zero-gradient-means-still": "Your w stays where g is 0. The step is made from m, and m is not 0 there: w moves by up to {z}.",
        "t-not-returned": "The t in your new slots is the old one, so each step is corrected as if it were the first.",
        "stores-the-corrected-mean": "The corrected mean m̂ went into the new slots, and is corrected once more in the next step. Store m; m̂ is for this step only.",
        "corrects-with-the-old-t": "The corrections use the t of the step before. t grows first: in the first step it is 1, in the second 2.",
        "steps-by-the-old-m": "The step uses the old m. First m takes in g, then it moves w.",
        "one-mean-not-corrected": "m is corrected and v is not. Both start at 0; v is divided by 1 − b2ᵗ.",
        "other-mean-not-corrected": "v is corrected and m is not. Both start at 0; m is divided by 1 − b1ᵗ.",
        "None-taken-for-zero": "At a None the slots changed, and w moved by up to {d}. None is no step.",
        "clock-runs-on-None": "t counts the steps that were made. A None is no step.",
        "clock-starts-at-zero": "This divides by 1 − b1⁰, which is 0. In the first step t is 1.",
        "writes-into-the-old-slots": "The slots that were passed in have changed. Return new ones.",
        "v-without-the-square": "v is the running mean of g², not of |g|.",
    },
    hints=(
        "In which order do t, m, v and w change?",
        "t first; then m and v from the old ones; then both corrected with the new t; then w.",
        "`w - lr*(m/(1-b1**t))/(sqrt(v/(1-b2**t))+eps)`",
    ),
    example=lambda rng: {
        "w": rng.normal(size=3).round(2),
        "g": rng.normal(size=3).round(2),
        "slots": shared.initial_slots(3),
        **shared.random_constants(rng),
    },
    spoils={2: "writes-into-the-old-slots"},
)
