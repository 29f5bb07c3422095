"""xent-1: A loss from logits, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for kind in misconceptions.KINDS:
        z, y = misconceptions.random_logits_and_labels(rng, kind)
        reply = yield Call("xent", (z, y))
        idea = "log-of-an-underflown-softmax" if "log" in reply.warning else "overflows"
        if a.warned(reply, idea, z=float(z.max())):
            return
        loss, gradient = unpack_tuple(reply, "xent", ("loss", "gradient"))
        if not value_1(a, loss, z, y):
            return
        gradient_1(a, gradient, z, y)


def value_1(a: AttemptEvaluation, loss: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> bool:
    """Judge the loss."""
    want = misconceptions.mean_cross_entropy(z, y)
    got = require_real_array(loss, "The loss of xent")
    binary = [misconceptions.binary_cross_entropy(z, y, of_softmax=of) for of in (False, True)]
    nearest = min(binary, key=lambda one: abs(one - float(got))) if got.shape == () else binary[0]
    two_steps, unshifted = (misconceptions.naive_cross_entropy(z, y, shifted=shifted) for shifted in (True, False))
    mistaken: dict[str, object] = {
        "sum-of-binary-terms": nearest if np.isfinite(nearest) else None,
        "softmax-twice": lambda: misconceptions.mean_cross_entropy(shared.softmax(z), y),
        "sum-not-mean": want * len(y),
        "log-of-an-underflown-softmax": two_steps if np.isinf(two_steps) else None,
        "overflows": unshifted if np.isnan(unshifted) else None,
    }
    facts = {"b": nearest, "w": want, "n": len(y), "z": float(z.max())}
    return a.case(loss, want, mistaken, tol=1e-10, of="The loss", facts=facts)


def gradient_1(a: AttemptEvaluation, gradient: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> None:
    """Judge the gradient."""
    want = solution.xent(z, y)[1]
    p = shared.softmax(z)
    whole = require_real_array(gradient, "The gradient of xent")
    plain = p if whole.shape == p.shape and np.allclose(whole, p) else p / len(y)
    mistaken = {"forgets-to-subtract-one": plain, "forgets-the-mean": want * len(y)}
    a.case(gradient, want, mistaken, tol=1e-10, of="The gradient", facts={"n": len(y)})


QUESTION = Question(
    id="xent-1",
    points=2,
    title="A loss from logits, and its gradient",
    text="""`logits` has a row for each example and a column for each class; `labels` has the true class of each row, a whole number. Give back `(loss, gradient)`: the mean over the rows of
−log softmax(row)[label], and its gradient by the logits, of their shape. Some rows are 10 000 higher than others, and in some a wrong class is 2000 ahead: the
loss is finite all the same, and a floating-point warning counts as a failure. With NumPy.""",
    writes=("xent",),
    starter='''def xent(logits, labels):
    """The mean cross-entropy of sparse labels: give back (loss, gradient)."""
    ...
''',
    check=check,
    messages={
        "sum-of-binary-terms": "One class of C, not C questions of yes or no: {b} in place of {w}.",
        "softmax-twice": "These are logits, and your softmax was taken of a softmax.",
        "log-of-an-underflown-softmax": "The probability is 0 there, and its log −inf. log p = z − logsumexp(z) never is.",
        "overflows": "exp({z}) is too large for a float. Only differences count: subtract each row's maximum first.",
        "forgets-to-subtract-one": "The gradient has the probabilities only. When every logit of a row rises by the same, nothing changes: its entries must sum to 0.",
        "sum-not-mean": "The value is {n} times too large: the mean over the rows is asked for.",
        "forgets-the-mean": "The loss is a mean over {n} rows, and so is its gradient.",
    },
    hints=(
        "log softmax(z)[y] = z[y] − logsumexp(z): no softmax is needed for the loss.",
        "Subtract each row's maximum before exp; the loss does not notice.",
        "`gradient = p.copy(); gradient[np.arange(n), labels] -= 1; gradient /= n`.",
    ),
    example=lambda rng: {"logits": rng.normal(size=(2, 3)).round(2), "labels": rng.integers(0, 3, 2)},
)
