"""adam-2: Real motion, ghost motion."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.in_process import run_script_with
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

KINDS = ("sgd", "momentum", "rmsprop", "adam")


def strip(rng: np.random.Generator) -> list[float | None]:
    """Gradients of one number: first a real one, then values, zeros and None."""
    middle = [
        None if r < 0.2 else 0.0 if r < 0.7 else float(rng.normal()) for r in rng.random(int(rng.integers(15, 40)))
    ]
    return [float(rng.normal()) + 1.5, *middle, 0.0, 0.0, None, 0.0]


def table_2(a: AttemptEvaluation, gradients: list[float | None], given: dict[str, Any]) -> CheckScript:
    """(real, ghost) of the four kinds, one row each."""
    table = []
    for kind in KINDS:
        reply = yield Call("motion", (gradients, kind), given)
        if a.warned(reply):
            return None
        table.append([_real(part) for part in unpack_tuple(reply, "motion", ("real", "ghost"))])
    return np.array(table)


def _real(part: object) -> float:
    if type(part) in (int, float) or (type(part) is np.ndarray and part.shape == () and part.dtype.kind in "fi"):
        return float(part)  # type: ignore[arg-type]
    raise LearnerCodeError("motion is to give back two numbers, (real, ghost).")


def played(run: Any, motion: Any) -> Any:
    """The table of a function of our own."""
    return run_script_with(run(), motion=motion)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        gradients, given = strip(rng), shared.random_constants(rng, 1e-8)
        run = partial(table_2, a, gradients, given)
        got = yield from run()
        if got is None:
            continue
        want = played(run, solution.motion)
        mistaken = {
            "zero-gradient-means-still": partial(
                played, run, partial(misconceptions.movement_with_mistake, zero_is_none=True)
            ),
            "None-taken-for-zero": partial(
                played, run, partial(misconceptions.movement_with_mistake, none_is_zero=True)
            ),
            "blames-the-adaptivity": want[[0, 2, 1, 3]],
            "all-motion-is-real": np.stack([want.sum(1), 0 * want[:, 1]], axis=1),
        }
        facts = {"n": gradients.count(None), "ghost": float(want[3, 1])}
        words = "The table of (real, ghost) for sgd, momentum, rmsprop, adam"
        a.case(got, want, mistaken, tol=1e-10, of=words, facts=facts)


QUESTION = Question(
    id="adam-2",
    points=3,
    title="Real motion, ghost motion",
    text="""One parameter sees a list of gradients: numbers, zeros and `None`. Split what `w` moves into two sums: *real* is what it
moved in steps whose gradient was not 0, *ghost* what it moved in steps whose gradient was exactly 0. A `None` moves
nothing, and nothing decays. `kind` is `"sgd"`, `"momentum"` (m = β₁m + g, step −lr·m), `"rmsprop"` (v = β₁v + (1−β₁)g²,
step −lr·g/(√v+eps)) or `"adam"`.""",
    writes=("motion",),
    starter='''def motion(gradients, kind, lr, b1, b2, eps):
    """How far w moves for a list of gradients: give back (real, ghost), two signed numbers."""
    ...
''',
    check=check,
    messages={
        "zero-gradient-means-still": "You skipped the zeros. Adam still moves by m, and m was not empty.",
        "blames-the-adaptivity": "RMSProp has v and stops; momentum has m and drifts. Which slot carries motion?",
        "None-taken-for-zero": "{n} None were treated as zeros; each let the slots decay.",
        "all-motion-is-real": "The total is right; the split is not: {ghost} of Adam's came from steps without a gradient.",
    },
    hints=(
        "Add each step's move to one of two sums.",
        "0 and None take different roads.",
        "With m ≠ 0 a zero gradient still gives −lr·m̂/√v̂.",
    ),
    example=lambda rng: {
        "gradients": [1.0, 0.0, None, round(float(rng.normal()), 2), 0.0],
        **shared.random_constants(rng, 1e-8),
    },
)
