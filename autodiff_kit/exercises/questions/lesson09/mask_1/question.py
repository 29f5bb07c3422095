"""mask-1: Three designs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def scores_of(rng: np.random.Generator, shape: tuple[int, ...], mode: str, keep: Array) -> Array:
    """Scores that are ordinary, far above or below 0, or very large where they are padded."""
    scores: Array = rng.normal(size=shape) * 2
    scores = scores + {"offset": 1e4, "low": -1e7, "far": -1e12}.get(mode, 0.0)
    return np.where(keep, scores, scores + 1e12) if mode == "huge padding" else scores


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for name in ("zero_after", "renormalised", "masked_before"):
        for shape in ((4,), (3, 5), (2, 3, 6)):
            for mode in ("plain", "offset", "low", "far", "huge padding"):
                keep = shared.random_masks(rng, shape)
                scores = scores_of(rng, shape, mode, keep)
                reply = yield Call(name, (scores, keep))
                facts: dict[str, Any] = {"function": name, "s": float(scores.max()), "c": words_of(None)}
                if reply.warning and mode == "huge padding" and "overflow" not in reply.warning:
                    a.behave(False, "padding-sets-the-scale", **facts)  # half: the formula is right, its range is not
                elif not a.warned(reply, warned_name(a, reply, mode), **facts):
                    weighed(a, name, reply, scores, keep, mode)
        if a.failed_cases:
            return  # each function has faults of its own: those of the first one are named, then those of the next


def warned_name(a: AttemptEvaluation, reply: CallResult, mode: str) -> str:
    """The misconception behind a warning; far below 0 it is a number in place of −inf, unless exp overflowed before."""
    if "overflow" in reply.warning or any("overflows" in case.names for case in a.failed_cases):
        return "overflows"
    return "not-small-enough" if mode in ("low", "far") else ""


def weighed(a: AttemptEvaluation, name: str, reply: CallResult, scores: Array, keep: Array, mode: str) -> None:
    """Judge one design's weights; where scores are far apart, other mistakes look like two of these."""
    telling = mode in ("plain", "offset")
    # exp(s - logsumexp(s)) is right, too: near -10⁷ it rounds s by about 1e-9, and near -10¹² by 1e-4.
    tol = 1e-3 if mode == "far" else 1e-8
    zeroed, by_zeros = shared.softmax(scores) * keep, shared.softmax(np.where(keep, scores, 0))
    c: float | None = None
    mistaken: dict[str, Array | None]
    if name == "zero_after":
        mistaken = {
            "wrong-axis": misconceptions.softmax_over_first_axis(scores) * keep,
            "masks-before-instead": solution.masked_before(scores, keep),
            "mask-inverted": shared.softmax(scores) * ~keep,
            "zeroes-the-scores": by_zeros if telling or a.failed_cases else None,
            "zeroed-scores-stay": by_zeros * keep if telling or a.failed_cases else None,
        }
    else:
        lowered, c = misconceptions.finite_number_for_minus_inf(scores, keep, reply.value, tol)
        mistaken = {
            "not-renormalised": zeroed,
            "not-small-enough": lowered,
        }
        if telling or a.failed_cases:
            mistaken["zeroes-the-scores"] = by_zeros
            mistaken["mask-inverted"] = solution.masked_before(scores, ~keep)
    want = getattr(solution, name)(scores, keep)
    kept = float(zeroed.reshape(-1, zeroed.shape[-1])[0].sum())
    a.case(reply.value, want, mistaken, tol=tol, facts={"sum": kept, "function": name, "c": words_of(c)})


def words_of(c: float | None) -> str:
    """The number that padded scores were lowered by, as a message names it."""
    return translate("A finite number", "lesson09") if c is None else f"{c:g}"


QUESTION = Question(
    id="mask-1",
    points=2,
    title="Three designs",
    text="""Write the three designs of the lesson. The softmax is taken over the last axis; there may be any number of leading axes.

- `zero_after`: the softmax of all scores, then 0 where `keep` is False. Nothing is renormalised.
- `renormalised`: what the kept weights of `zero_after` would be, divided by their sum.
- `masked_before`: scores set to −inf where `keep` is False, then the softmax.

`keep` is True at the real positions, and every row has at least one. Scores may lie
far from 0 (10⁴, −10⁷ or −10¹²), and padded ones may be as large as 10¹²: there must be no overflow and no warning, and the padding must get no weight. Beside
such a padded score all kept weights of `zero_after` are rounded to 0. So `renormalised` needs a formula that does not divide them; dividing them is worth half of the points.""",
    writes=("zero_after", "renormalised", "masked_before"),
    without=("ak.nn.softmax", "ak.nn.masked_softmax"),
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
        "not-renormalised": "`{function}`: the kept weights of the first row sum to {sum}, not 1. Divide them by their sum.",
        "zeroes-the-scores": "`{function}`: padded scores were set to 0, and e⁰ = 1, so the padding still gets weight. Which score gives e^s = 0?",
        "zeroed-scores-stay": "`{function}`: the scores were multiplied by the mask before the softmax. A score of 0 still takes part: e⁰ = 1 was added to Z in place of e^s.",
        "not-small-enough": "`{function}`: the padding got weight. {c} was added to its scores, or took their place, and this is not small enough beside the other scores. Which number gives e^s = 0 beside all of them?",
        "overflows": "`{function}`: exp({s}) is too large for a float, or 0. Subtract the row's largest score before exp; the weights stay the same.",
        "padding-sets-the-scale": "`{function}`: the largest score was a padded one. After it was subtracted, exp of every kept score was 0. Take the maximum over the kept scores.",
        "wrong-axis": "`{function}`: the softmax was taken over the first axis. The scores of one sentence lie along the last one.",
        "masks-before-instead": "`{function}`: the kept weights sum to 1, so the padding was taken out before the division by Z. Here all scores take part in the softmax, and the weights are set to 0 afterwards.",
        "mask-inverted": "`{function}`: the kept positions got no weight and the padding got it all. `keep` is True at the real positions.",
    },
    hints=(
        "Adding one number to all scores of a row does not change its softmax.",
        "Of which scores do you subtract the maximum: of all in the row, or of the kept ones?",
        "`exp(min(s - max_kept, 0)) * keep`",
    ),
    example=lambda rng: {"scores": rng.normal(size=(2, 4)).round(2), "keep": shared.random_masks(rng, (2, 4))},
)
