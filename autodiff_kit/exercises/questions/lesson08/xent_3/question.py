"""xent-3: Label smoothing, and rows to leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for rows, classes in ((6, 4), (7, 3)):
        z, y = rng.normal(size=(rows, classes)), rng.integers(0, classes, rows)
        left_out, also, counts = rng.choice(rows, 3, replace=False)
        y[[left_out, also]], y[counts] = -1, 0  # 0 is a class like the others
        alpha = float(rng.uniform(0.05, 0.3))
        reply = yield Call("softened", (z, y, alpha))
        if a.warned(reply):
            continue
        loss, gradient = unpack_tuple(reply, "softened", ("loss", "gradient"))
        if value_3(a, loss, z, y, alpha):
            gradient_3(a, gradient, z, y, alpha)


def value_3(a: AttemptEvaluation, loss: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any], alpha: float) -> bool:
    """Judge the loss; what counts is how many rows it was divided by, and what they were."""
    want, kept = solution.softened(z, y, alpha)[0], int((y >= 0).sum())
    mistaken = {
        "divides-by-all": want * kept / len(y),
        "minus-one-is-the-last-class": misconceptions.smoothed(z, y, alpha, last=True)[0],
        "smooths-only-the-others": misconceptions.smoothed(z, y, alpha, others_only=True)[0],
        "no-smoothing": misconceptions.smoothed(z, y, 0.0)[0],
        "true-class-without-its-share": misconceptions.smoothed(z, y, alpha, overwritten=True)[0],
    }
    facts = {"kept": kept, "last": z.shape[1] - 1}
    return a.case(loss, want, mistaken, tol=1e-10, of=translate("The loss", "lesson08"), facts=facts)


def gradient_3(
    a: AttemptEvaluation, gradient: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any], alpha: float
) -> None:
    """Judge the gradient."""
    want, left_out = solution.softened(z, y, alpha)[1], (y < 0)[:, None]
    kept = int((y >= 0).sum())
    mistaken = {
        "ignored-rows-get-a-gradient": want + left_out * shared.softmax(z) / kept,
        "minus-one-is-the-last-class": misconceptions.smoothed(z, y, alpha, last=True)[1],
        "divides-by-all": want * kept / len(y),
        "no-smoothing": misconceptions.smoothed(z, y, 0.0)[1],
        "true-class-without-its-share": misconceptions.smoothed(z, y, alpha, overwritten=True)[1],
        "smooths-only-the-others": misconceptions.smoothed(z, y, alpha, others_only=True)[1],
        "drops-the-ignored-rows": want[y >= 0],
    }
    facts = {"i": int(np.flatnonzero(y < 0)[0]), "last": z.shape[1] - 1, "kept": kept, "all": len(y)}
    a.case(gradient, want, mistaken, tol=1e-10, of=translate("The gradient", "lesson08"), facts=facts)


QUESTION = Question(
    id="xent-3",
    points=3,
    title="Label smoothing, and rows to leave out",
    text="""Two options that libraries offer. *Label smoothing*: the target of a row is alpha/C for each of the C classes, and the true class gets
1 − alpha in addition. *Ignored rows*: a row with the label −1 does not count in the loss, in the gradient or in the number of rows. Return
`(loss, gradient)`. The loss is the mean of −Σ target · log softmax over the rows that count; there is at least one. The gradient is with
respect to the logits.""",
    writes=("softened",),
    starter='''def softened(logits, labels, alpha):
    """The mean over the rows that count, with smoothed targets: return (loss, gradient)."""
    ...
''',
    check=check,
    messages={
        "divides-by-all": "You divided by the number of all rows. The mean is over the {kept} rows that count.",
        "minus-one-is-the-last-class": "The label −1 was used as an index and selected class {last}. Here it means that the row is left out.",
        "smooths-only-the-others": "You shared alpha among the other classes only. All C classes get alpha/C, the true one included.",
        "true-class-without-its-share": "Your target at the true class is 1 − alpha. It gets alpha/C in addition, so that the targets of a row sum to 1.",
        "drops-the-ignored-rows": "Your gradient has {kept} rows, and the logits have {all}. The rows that do not count stay in it, as zeros.",
        "no-smoothing": "Your target is 1 at the true class and 0 elsewhere: alpha is not used.",
        "ignored-rows-get-a-gradient": "Row {i} does not count, but your gradient there is not 0.",
    },
    hints=(
        "Write the targets as a table, a row for each example: what are its entries, and what do they sum to?",
        "Make a mask of the rows that count. In which three places is it needed?",
        "`t = np.full(z.shape, alpha/C); t[rows, labels] += 1 - alpha; gradient = keep*(p - t)/n`.",
    ),
    example=lambda rng: {
        "logits": rng.normal(size=(3, 3)).round(2),
        "labels": np.array([int(rng.integers(3)), -1, int(rng.integers(3))]),
        "alpha": 0.1,
    },
)
