"""adam-4: How far zeros move a weight."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def slots_after_training(rng: np.random.Generator, given: dict[str, Any]) -> shared.Slots:
    """Slots of three weights after a few steps with gradients."""
    w, slots = np.zeros(3), shared.initial_slots(3)
    for _ in range(int(rng.integers(2, 6))):
        w, slots = shared.adam_with_mistake(w, rng.normal(size=3) + 1.5, slots, **given)
    return slots


def cases(rng: np.random.Generator) -> Iterator[tuple[shared.Slots, int, dict[str, Any]]]:
    for n in (1, 5, int(rng.integers(20, 40))):
        given = shared.random_constants(rng)
        yield slots_after_training(rng, given), n, given


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    switches: dict[str, dict[str, bool]] = {
        "v-does-not-change": {"v_decays": False},
        "t-does-not-count": {"t_counts": False},
        "m-decays-too-late": {"m_late": True},
        "no-bias-correction": {"corrected": False},
        "m-does-not-decay": {"m_decays": False},
        "t-starts-again": {"t_again": True},
        "eps-inside-the-root": {"inside": True},
    }
    for slots, n, given in cases(rng):
        reply = yield Call("drift", (slots, n), given)
        if a.warned(reply):
            continue
        mistaken = {
            "zero-gradient-means-still": np.zeros(3),
            "all-steps-like-the-first": partial(misconceptions.n_times_the_first_step, slots, n, **given),
            "one-step-too-late": partial(misconceptions.drift_shifted, slots, n, -1, **given),
            "t-is-one-behind": partial(misconceptions.drift_with_old_t, slots, n, **given),
            "one-step-more": partial(solution.drift, slots, n + 1, **given),
            "one-step-fewer": partial(solution.drift, slots, n - 1, **given),
            "only-m-changes": partial(misconceptions.geometric_series, slots, n, **given),
            "the-last-step-only": partial(misconceptions.last_step, slots, n, **given) if n > 1 else None,
            **{
                name: partial(misconceptions.drift_with_mistake, slots, n, **given, **switch)
                for name, switch in switches.items()
            },
        }
        want = solution.drift(slots, n, **given)
        mistaken["wrong-sign"] = -want
        facts = {"n": n, "d": float(want[0]), "t": slots["t"]}
        a.case(reply.value, want, mistaken, tol=1e-10, facts=facts)


QUESTION = Question(
    id="adam-4",
    points=3,
    title="How far zeros move a weight",
    text="""Adam was trained and has the slots `m`, `v` (arrays) and `t` (the number of steps so far). Now come `n` steps in
which every gradient is 0. Give the change of `w` over these `n` steps, an array like `m`. A negative entry means that
`w` becomes smaller. `eps` is added to the root, not under it.""",
    writes=("drift",),
    without=("ak.optim.Adam",),
    starter='''def drift(slots, n, lr, b1, b2, eps):
    """The change of w over n steps with gradient 0; slots = {"m": ..., "v": ..., "t": ...}."""
    ...
''',
    check=check,
    messages={
        "zero-gradient-means-still": "You found 0, but m is not 0 when the zeros begin; n = {n} steps with gradient 0 move the first weight by {d}.",
        "all-steps-like-the-first": "You counted the first step {n} times. m is smaller at each of the steps.",
        "v-does-not-change": "m becomes smaller in your steps, v does not. Which factor does a gradient of 0 leave of v?",
        "t-does-not-count": "Your corrections use t = {t} throughout. A step with gradient 0 is a step.",
        "m-does-not-decay": "m is the same in all your steps. Which factor does a gradient of 0 leave of m?",
        "t-starts-again": "Your corrections begin with t = 1. m and v hold {t} steps already, and t goes on from {t}.",
        "one-step-too-late": "Your first step uses m, v and t as they are. A step changes them first, also when its gradient is 0, and then moves w.",
        "t-is-one-behind": "Your first step is corrected with t = {t}, that of the step before. t grows first.",
        "one-step-more": "You made one step more than n = {n}.",
        "one-step-fewer": "You made one step fewer than n = {n}.",
        "only-m-changes": "That is a geometric series: m falls by b1 at each step, and all else stays. But v falls as well, and the corrections change with t.",
        "the-last-step-only": "That is the last of the n = {n} steps. The change of w is the sum of all of them.",
        "eps-inside-the-root": "eps is under the root in your step; add it to the root.",
        "wrong-sign": "The sign is reversed. A positive m makes w smaller: the step is subtracted.",
        "m-decays-too-late": "Your first step uses the m of the step before. The update rule changes m first, then moves w.",
        "no-bias-correction": "m and v are used without the bias correction. After {t} steps it still matters.",
    },
    hints=(
        "What are m, v and t after one step whose gradient is 0?",
        "Repeat the update rule n times with g = 0 and add the moves.",
        "In each step: `m = b1*m; v = b2*v; t = t + 1`, then `moved -= lr*(m/(1-b1**t))/(sqrt(v/(1-b2**t))+eps)`.",
    ),
    example=lambda rng: {
        "slots": {"m": rng.normal(size=3).round(2), "v": rng.random(3).round(2), "t": 4},
        "n": 5,
        **shared.random_constants(rng),
    },
)
