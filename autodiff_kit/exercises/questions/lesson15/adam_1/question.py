"""adam-1: One step, None included."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.in_process import run_script_with
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question

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
            raise LearnerCodeError("adam_step is to give back w as an array of the shape that it came with, (3,).")
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
        facts = {"x": float(np.abs(got[0] - w)[0] / given["lr"]), "d": float(np.abs(got[1] - got[0]).max())}
        words = f"w after steps with {case} gradients" if case != "none" else "w after steps, two of them None,"
        a.case(got, right, mistaken, tol=1e-11, of=words, facts=facts)


QUESTION = Question(
    id="adam-1",
    points=2,
    title="One step, None included",
    text="""Write one step of Adam. `slots` is a dictionary with the running means `m` and `v` and the clock `t`; give back the
new `w` and new slots, and leave the old ones as they were. A gradient `g` that is `None` means *no news*: nothing
moves, nothing decays, no time passes. `eps` stands beside the root.""",
    writes=("adam_step",),
    starter='''def adam_step(w, g, slots, lr, b1, b2, eps):
    """One step: give back (w, slots) with slots = {"m": ..., "v": ..., "t": ...}; g may be None."""
    ...
''',
    check=check,
    messages={
        "no-bias-correction": "Your first step is {x}·lr; with zeros as a start m and v must be divided by 1−βᵗ, and then it is lr exactly (but for eps).",
        "eps-inside-the-root": "eps stands beside the root, not under it.",
        "None-taken-for-zero": "None means: no news. You let the slots decay, and w moved by {d}.",
        "clock-runs-on-None": "t counts the steps taken, and a None is not one.",
        "clock-starts-at-zero": "That divides by 1−β⁰, which is 0. At the first step t is 1.",
        "writes-into-the-old-slots": "The slots handed in were changed; a saved copy would be changed with them.",
        "v-without-the-square": "v averages g², so that its root has g's unit.",
    },
    hints=(
        "Three lines, then a division each.",
        "t + 1 comes first.",
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
