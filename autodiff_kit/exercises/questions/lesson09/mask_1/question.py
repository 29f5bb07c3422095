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
    scores = scores + {"offset": 1e4, "low": -1e7}.get(mode, 0.0)
    return np.where(keep, scores, scores + 1e12) if mode == "huge padding" else scores


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for name in ("zero_after", "renormalised", "masked_before"):
        for shape in ((4,), (3, 5), (2, 3, 6)):
            for mode in ("plain", "offset", "low", "huge padding"):
                keep = shared.random_masks(rng, shape)
                scores = scores_of(rng, shape, mode, keep)
                reply = yield Call(name, (scores, keep))
                scale = "padding-sets-the-scale" if mode == "huge padding" else ""
                over = "overflow" in reply.warning or mode == "low"
                if not a.warned(reply, "overflows" if over else scale, s=float(scores.max()), function=name):
                    weighed(a, name, reply, scores, keep, telling=mode in ("plain", "offset"))
        if a.failed_cases:
            return  # each function has faults of its own: those of the first one are named, then those of the next


def weighed(a: AttemptEvaluation, name: str, reply: CallResult, scores: Array, keep: Array, *, telling: bool) -> None:
    """Judge one design's weights; where scores are far apart (not ``telling``), other mistakes look like two of these."""
    zeroed = shared.softmax(scores) * keep
    c: float | None = None
    mistaken: dict[str, Array | None]
    if name == "zero_after":
        mistaken = {
            "wrong-axis": misconceptions.softmax_over_first_axis(scores) * keep,
            "masks-before-instead": solution.masked_before(scores, keep),
            "mask-inverted": shared.softmax(scores) * ~keep,
        }
    else:
        lowered, c = misconceptions.finite_number_for_minus_inf(scores, keep, reply.value)
        mistaken = {
            "not-renormalised": zeroed,
            "not-small-enough": lowered,
        }
        if telling or a.failed_cases:
            mistaken["zeroes-the-scores"] = shared.softmax(np.where(keep, scores, 0))
            mistaken["mask-inverted"] = solution.masked_before(scores, ~keep)
    want = getattr(solution, name)(scores, keep)
    kept = float(zeroed.reshape(-1, zeroed.shape[-1])[0].sum())
    # exp(s - logsumexp(s)) is right, too: near -10⁷ it rounds s by about 1e-9.
    a.case(reply.value, want, mistaken, tol=1e-8, facts={"sum": kept, "function": name, "c": words_of(c)})


def words_of(c: float | None) -> str:
    """The number that padded scores were lowered by, as a message names it."""
    return translate("A finite number", "lesson09") if c is None else f"{c:g}"


QUESTION = Question(
    id="mask-1",
    points=2,
    title="Three designs",
    text="""Write the three designs of the lesson. The softmax is taken over the last axis; there may be any number of leading axes.

- `zero_after`: the softmax of all scores, then 0 where `keep` is False. Nothing is renormalised.
- `renormalised`: the kept weights of `zero_after`, divided by their sum.
- `masked_before`: scores set to −inf where `keep` is False, then the softmax.

`keep` is True at the real positions, and every row has at least one. Scores may lie
far from 0 (10⁴ or −10⁷), and padded ones may be as large as 10¹²: there must be no overflow and no warning, and the padding must get no weight.""",
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
