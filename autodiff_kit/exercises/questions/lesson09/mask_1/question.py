"""mask-1: Three designs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def scores_of(rng: np.random.Generator, shape: tuple[int, ...], mode: str, keep: Array) -> Array:
    """Scores that are ordinary, far from 0, or large where they are padded."""
    scores: Array = rng.normal(size=shape) * 2
    if mode == "offset":
        scores = scores + 1e4
    return np.where(keep, scores, scores + 2e3) if mode == "huge padding" else scores


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for shape in ((4,), (3, 5), (2, 3, 6)):
        for mode in ("plain", "offset", "huge padding"):
            keep = shared.random_masks(rng, shape)
            scores = scores_of(rng, shape, mode, keep)
            for name in ("zero_after", "renormalised", "masked_before"):
                reply = yield Call(name, (scores, keep))
                scale = "padding-sets-the-scale" if mode == "huge padding" else ""
                over = "overflow" in reply.warning
                if not a.warned(reply, "overflows" if over else scale, s=float(scores.max())):
                    weighed(a, name, reply, scores, keep)


def weighed(a: AttemptEvaluation, name: str, reply: CallResult, scores: Array, keep: Array) -> None:
    """Judge one design's weights."""
    zeroed = shared.softmax(scores) * keep
    if name == "zero_after":
        mistaken = {"wrong-axis": misconceptions.softmax_over_first_axis(scores) * keep}
    else:
        mistaken = {
            "not-renormalised": zeroed,
            "zeroes-the-scores": shared.softmax(np.where(keep, scores, 0)),
        }
    want = getattr(solution, name)(scores, keep)
    kept = float(zeroed.reshape(-1, zeroed.shape[-1])[0].sum())
    a.case(reply.value, want, mistaken, tol=1e-10, facts={"sum": kept})


QUESTION = Question(
    id="mask-1",
    points=2,
    title="Three designs",
    text="""Write the three designs of the lesson, over the last axis and with any leading axes: `zero_after` (softmax of all scores, then
zeros where `keep` is false; nothing is renormalised), `renormalised` (the kept weights divided by their sum) and `masked_before` (−inf before the
softmax). Every row keeps at least one. Scores may be large: no overflow, no warning.""",
    writes=("zero_after", "renormalised", "masked_before"),
    starter='''def zero_after(scores, keep):
    """Softmax over the last axis, then 0 where keep is False."""
    ...


def renormalised(scores, keep):
    """As zero_after, with the kept weights of a row summing to 1."""
    ...


def masked_before(scores, keep):
    """Softmax of scores that are -inf where keep is False."""
    ...
''',
    check=check,
    messages={
        "not-renormalised": "The kept weights sum to {sum}, not 1.",
        "zeroes-the-scores": "A score of 0 is a vote of e⁰ = 1, not no vote.",
        "overflows": "exp({s}) overflowed: subtract the row's largest score first; the weights do not change.",
        "padding-sets-the-scale": "The largest score was a padded one, and after subtracting it the kept ones vanished. Take the maximum over the kept.",
        "wrong-axis": "Columns sum to 1. Which axis holds one query's keys?",
    },
    hints=(
        "Softmax forgives adding a constant to a row.",
        "Which maximum?",
        "`exp(min(s - max_kept, 0)) * keep`",
    ),
    example=lambda rng: {"scores": rng.normal(size=(2, 4)).round(2), "keep": shared.random_masks(rng, (2, 4))},
)
