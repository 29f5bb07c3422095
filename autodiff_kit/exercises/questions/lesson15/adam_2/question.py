"""adam-2: Real motion, ghost motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.counterexample import counterexample_by, shorter
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

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
    tiny = float(rng.uniform(1, 9)) * 1e-12  # a gradient all the same: only exactly 0 is ghost motion
    return [float(rng.normal()) + 1.5, *middle, tiny, 0.0, 0.0, None, tiny, 0.0]


def smaller_strips(gradients: list[float | None], kind: str) -> Iterator[tuple[list[float | None], str]]:
    """Fewer gradients after the first, then rounded ones."""
    first, *others = gradients
    yield from (([first, *some], kind) for some in shorter(others))
    rounded = [None if g is None else round(g, 1) for g in gradients]
    if rounded != gradients and rounded.count(0.0) == gradients.count(0.0):
        yield rounded, kind


def _real(part: object) -> float:
    if type(part) in (int, float) or (type(part) is np.ndarray and part.shape == () and part.dtype.kind in "fi"):
        return float(part)  # type: ignore[arg-type]
    raise LearnerCodeError(translate("motion must return two numbers, (real, ghost).", "lesson15"))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    other = {"momentum": "rmsprop", "rmsprop": "momentum"}
    for _ in range(3):
        gradients, given = strip(rng), shared.random_constants(rng, 1e-8)
        for kind in KINDS:
            reply = yield Call("motion", (gradients, kind), given)
            if a.warned(reply):
                continue
            got = np.array([_real(part) for part in unpack_tuple(reply, "motion", ("real", "ghost"))])
            real, ghost = solution.motion(gradients, kind, **given)
            ways: dict[str, Callable[[], Any]] = {
                "zero-gradient-means-still": partial(
                    misconceptions.movement_with_mistake, gradients, kind, zero_is_none=True, **given
                ),
                "None-taken-for-zero": partial(
                    misconceptions.movement_with_mistake, gradients, kind, none_is_zero=True, **given
                ),
                "blames-the-adaptivity": partial(solution.motion, gradients, other.get(kind, kind), **given),
                "no-bias-correction": partial(
                    misconceptions.movement_without_bias_correction, gradients, kind, **given
                ),
                "real-and-ghost-swapped": partial(np.array, (ghost, real)),
                "b2-for-rmsprop": partial(
                    solution.motion, gradients, kind, **{**given, "b1": given["b2"]} if kind == "rmsprop" else given
                ),
                "all-motion-is-real": partial(np.array, (real + ghost, 0.0)),
                "ghost-is-zero": partial(np.array, (real, 0.0)),
                "small-is-zero": partial(misconceptions.movement_by_size, gradients, kind, **given),
                "None-counts-as-a-step": partial(misconceptions.movement_counting_none, gradients, kind, **given),
            }
            mistaken = {name: (lambda way=way: np.array(way())) for name, way in ways.items()}
            facts = {"n": gradients.count(None), "ghost": ghost, "kind": kind}
            a.case(
                got,
                np.array((real, ghost)),
                mistaken,
                tol=1e-10,
                of=translate('(real, ghost) for kind "{kind}"', "lesson15").format(kind=kind),
                facts=facts,
            )


QUESTION = Question(
    id="adam-2",
    points=3,
    title="Real motion and ghost motion",
    text="""One weight gets a list of gradients: numbers, zeros and `None`. Add up its moves in two sums. *real* is what `w` moved
in steps whose gradient was not 0, *ghost* what it moved in steps whose gradient was exactly 0. A `None` is no step: `w`
and the slots stay. All slots start at 0. The argument `kind` is one of

- `"sgd"`: step −lr·g;
- `"momentum"`: m = b1·m + g, step −lr·m;
- `"rmsprop"`: v = b1·v + (1−b1)·g², step −lr·g/(√v + eps). Note that v decays by `b1` here;
- `"adam"`: the update rule of the lesson, with `b1` for m and `b2` for v.""",
    writes=("motion",),
    without=("ak.optim.SGD", "ak.optim.RMSProp", "ak.optim.Adam"),
    starter='''def motion(gradients, kind, lr, b1, b2, eps):
    """How far w moves for a list of gradients: give back (real, ghost), two signed numbers."""
    ...
''',
    check=check,
    counterexample=counterexample_by(smaller_strips, solution.motion, 1e-10),
    messages={
        "zero-gradient-means-still": 'For kind "{kind}" the zeros were skipped. A gradient of 0 is a step: the slots change, and w moves by what is in m.',
        "ghost-is-zero": 'For kind "{kind}" your ghost is 0, and {ghost} is expected. Is m 0 when a gradient of 0 comes?',
        "blames-the-adaptivity": "momentum and rmsprop seem to be exchanged. Which of their slots moves w when g is 0?",
        "no-bias-correction": 'For kind "{kind}", m and v were used as they are. The update rule divides them by 1 − b1ᵗ and 1 − b2ᵗ first.',
        "real-and-ghost-swapped": "The two sums are exchanged: real comes first, then ghost, which belongs to gradients of 0.",
        "b2-for-rmsprop": 'For kind "{kind}", v decays by b2 in your code. In this question it decays by b1.',
        "small-is-zero": 'For kind "{kind}" a gradient of about 1e-12 was counted as 0. Ghost motion belongs to gradients that are exactly 0.',
        "None-counts-as-a-step": "The {n} None made t larger. A None is no step: t counts the steps that were made.",
        "None-taken-for-zero": "The {n} None were taken for zeros. After a None, m, v and t are what they were before.",
        "all-motion-is-real": 'For kind "{kind}" the total is right, the two parts are not: {ghost} comes from steps whose gradient is 0.',
    },
    hints=(
        "Add each step's move to one of two sums. Which?",
        "Treat None and 0 differently: one is skipped, the other is a step.",
        "`if g is None: continue`; compute the step as always; `if g == 0: ghost += move` and otherwise `real += move`.",
    ),
    example=lambda rng: {
        "gradients": [1.0, 0.0, None, round(float(rng.normal()), 2), 0.0],
        **shared.random_constants(rng, 1e-8),
    },
)
