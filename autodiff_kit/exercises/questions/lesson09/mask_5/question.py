"""mask-5: A masked mean with a finite gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import format_value, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, describe_difference
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for padding in (1.0, 0.0, -3.0, np.nan):
        keep, x, u = (
            shared.random_masks(rng, (4, 5), empty=True),
            np.exp(rng.normal(size=(4, 5))),
            rng.normal(size=4),
        )
        keep[1] = np.arange(5) == rng.integers(5)  # a row that keeps a single number
        count = np.maximum(keep.sum(-1), 1)
        want = np.where(keep, np.log(x), 0).sum(-1) / count
        slope = np.where(keep, 1 / x, 0) * (u / count)[:, None]
        x[~keep] = padding
        reply = yield Call("masked_mean_log", (x, keep), quiet=True, wrt=(0,), seed=u)
        if not a.warned(reply, "empty-row") and mean_5(a, reply, keep, want, padding):
            gradient_5(a, reply.gradients[0], slope)
        if a.failed_cases:
            return  # from easy to hard: the first case that fails tells most about it


def mean_5(a: AttemptEvaluation, reply: CallResult, keep: Array, want: Array, padding: float) -> bool:
    """Judge the means; the first row is empty."""
    got = require_real_array(reply.value, "masked_mean_log")
    words = translate("masked_mean_log is {got}, expected {wanted}; the padding holds {padding:g}.", "lesson09").format(
        got=format_value(got), wanted=format_value(want), padding=padding
    )
    rows = keep.any(-1)
    if got.shape != want.shape:
        a.fail(
            set(),
            translate(
                "masked_mean_log returned shape {got}; one number for each row is asked for, {wanted}.", "lesson09"
            ).format(got=got.shape, wanted=want.shape),
        )
        return False
    if not values_close(got, want, 1e-12) and format_value(got) == format_value(want):
        words = describe_difference("masked_mean_log", got, want, 1e-12)
    if not values_close(got[rows], want[rows], 1e-12):
        short_rows = want * keep.sum(-1) / keep.shape[-1]
        lengths = {"divides-by-the-length"} if values_close(got[rows], short_rows[rows], 1e-12) else set()
        names = lengths if np.isfinite(got[rows]).all() else {"zero-times-nan"}
        a.fail(names, words, v="nan" if not padding >= 0 else "-inf", n=keep.shape[-1])
        return False
    if not values_close(got, want, 1e-12):
        a.fail({"empty-row"}, words)
        return False
    return True


def gradient_5(a: AttemptEvaluation, gradient: object, slope: Array) -> None:
    """Judge the gradient of x."""
    if gradient is None:
        a.fail(
            set(),
            translate(
                "The gradient of masked_mean_log with respect to x is None. Use the kit's operations from x to the result.",
                "lesson09",
            ),
        )
        return
    broken = not np.isfinite(
        require_real_array(gradient, translate("The gradient of masked_mean_log", "lesson09"))
    ).all()
    mistaken = {"where-only-outside": gradient} if broken else {}
    if broken and not values_close(gradient, slope, 1e-12):
        a.fail(set(mistaken), translate("The value is right, and the gradient has NaN or infinity in it.", "lesson09"))
        return
    a.case(gradient, slope, tol=1e-12, of=translate("The gradient of masked_mean_log", "lesson09"))


QUESTION = Question(
    id="mask-5",
    points=3,
    title="A masked mean with a finite gradient",
    text="""For each row of `x`, compute the mean of log x over the kept entries, and 0 for a row in which nothing is kept. The padding may hold any
number: 1, 0, −3, NaN. Use the kit's operations (`ak.log`, `ak.where`, `ak.sum`, …), because the check asks for the gradient with respect to `x`. It must
be right, finite, and exactly 0 at the padding. `keep` is a NumPy array of booleans.""",
    writes=("masked_mean_log",),
    starter='''def masked_mean_log(x, keep):
    """The mean of log(x) over the kept entries of each row, in kit ops."""
    ...
''',
    check=check,
    messages={
        "divides-by-the-length": "The sum was divided by {n}, the length of the row with its padding. Divide by the number of kept entries.",
        "zero-times-nan": "log of the padding is {v}, and 0 times {v} is nan. Choose with where instead of multiplying by the mask.",
        "where-only-outside": "The value is right, but the gradient is not finite. In the pull, the side that where did not choose computes 0·inf = nan. Replace its input as well (lesson 03).",
        "empty-row": "In a row without kept entries, 0 was divided by 0; the mean of such a row is to be 0.",
    },
    hints=(
        "Which numbers does log get at the padding?",
        "Use where twice: once on the result of log, and once on its input.",
        "`where(keep, log(where(keep, x, 1)), 0)`",
    ),
    example=lambda rng: {"x": np.exp(rng.normal(size=(2, 4))).round(2), "keep": shared.random_masks(rng, (2, 4))},
)
