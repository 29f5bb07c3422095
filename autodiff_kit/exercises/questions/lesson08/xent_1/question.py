"""xent-1: A loss from logits, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
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
    for kind in misconceptions.KINDS:
        z, y = misconceptions.random_logits_and_labels(rng, kind)
        reply = yield Call("xent", (z, y))
        idea = "log-of-an-underflown-softmax" if "log" in reply.warning else "overflows"
        if kind == "apart":
            idea = "one-maximum-for-all-rows"
        if a.warned(reply, idea, z=float(z.max())):
            return
        loss, gradient = unpack_tuple(reply, "xent", ("loss", "gradient"))
        if not value_1(a, loss, gradient, z, y, kind):
            return
        gradient_1(a, gradient, z, y)


def value_1(
    a: AttemptEvaluation, loss: object, gradient: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any], kind: str
) -> bool:
    """Judge the loss; its message also says what is wrong with the gradient, where that can be told."""
    want = misconceptions.mean_cross_entropy(z, y)
    got = require_real_array(loss, translate("The loss of xent", "lesson08"))
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
    added = misconceptions.added_before_log(loss, z, y)
    if added is not None:
        mistaken["adds-a-small-number"] = added
    mistaken["forgets-the-minus"] = -want
    mistaken["counts-labels-from-one"] = misconceptions.mean_cross_entropy(z, y - 1)
    if kind == "apart" and not np.isfinite(got).any():
        mistaken["one-maximum-for-all-rows"] = got
    facts = {"b": nearest, "w": want, "n": len(y), "z": float(z.max()), "too": gradient_too(gradient, z, y)}
    return a.case(loss, want, mistaken, tol=1e-10, of=translate("The loss", "lesson08"), facts=facts)


def gradient_1(a: AttemptEvaluation, gradient: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> None:
    """Judge the gradient."""
    want = solution.xent(z, y)[1]
    mistaken = gradients_1(gradient, z, y)
    a.case(gradient, want, mistaken, tol=1e-10, of=translate("The gradient", "lesson08"), facts={"n": len(y)})


def gradients_1(gradient: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """What the mistakes in the gradient give."""
    want, p = solution.xent(z, y)[1], shared.softmax(z)
    whole = require_real_array(gradient, translate("The gradient of xent", "lesson08"))
    plain = p if whole.shape == p.shape and np.allclose(whole, p) else p / len(y)
    return {"forgets-to-subtract-one": plain, "forgets-the-mean": want * len(y), "target-minus-probability": -want}


def gradient_too(gradient: object, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> str:
    """A second sentence for an answer whose loss and gradient are both wrong."""
    sentences = {
        "forgets-to-subtract-one": translate(
            "The gradient is wrong as well: it has the probabilities only.", "lesson08"
        ),
        "forgets-the-mean": translate(
            "The gradient is wrong as well: it is that of the sum over the rows, not of the mean.", "lesson08"
        ),
        "target-minus-probability": translate("The gradient is wrong as well: its sign is reversed.", "lesson08"),
    }
    names = [name for name, wrong in gradients_1(gradient, z, y).items() if values_close(gradient, wrong, 1e-10)]
    return f" {sentences[names[0]]}" if names else ""


QUESTION = Question(
    id="xent-1",
    points=2,
    title="A loss from logits, and its gradient",
    text="""`logits` has one row per example and one column per class; `labels` has the true class of each row, an integer counted from 0. Return
`(loss, gradient)`: the mean over the rows of −log softmax(row)[label], and its gradient with respect to the logits, of the same shape. Some
logits are near 10 000, and in some rows a wrong class is 2000 ahead of the true one. The loss is finite there, too, and a floating-point
warning counts as a failure. Use NumPy.""",
    writes=("xent",),
    without=("ak.nn.sparse_softmax_cross_entropy", "ak.nn.softmax_cross_entropy", "ak.nn.log_softmax"),
    starter='''def xent(logits, labels):
    """The mean cross-entropy of sparse labels: return (loss, gradient)."""
    ...
''',
    check=check,
    messages={
        "sum-of-binary-terms": "Your loss is {b}, the sum of one binary loss per class; {w} is expected. The label names one class of several.{too}",
        "softmax-twice": "Your loss takes the softmax of a softmax. The arguments are logits: one softmax is enough.{too}",
        "log-of-an-underflown-softmax": "A probability underflowed to 0, and its logarithm is −inf. Simplify log(softmax) on paper first, so that no probability is needed.",
        "adds-a-small-number": "A small number keeps your probability away from 0, and so limits the loss: a true class that is 2000 behind has the loss 2000. Simplify log(softmax) on paper instead.",
        "forgets-the-minus": "Your loss has the wrong sign: it is the mean of −log softmax.{too}",
        "target-minus-probability": "Your gradient has the wrong sign: a step against it would lower the true logit.",
        "counts-labels-from-one": "Your loss is that of the labels minus 1. Here classes are counted from 0, as NumPy counts columns.{too}",
        "one-maximum-for-all-rows": "One row is 10 000 above the others, and your result is not finite, or needs log(0) or 0/0. Subtract from each row its own maximum, not that of the whole array.",
        "overflows": "exp({z}) is too large for a float. Adding a constant to a row does not change its loss: which constant makes every exponent at most 0?",
        "forgets-to-subtract-one": "Your gradient has the probabilities only. A constant added to a row changes nothing, so the entries of a row must sum to 0.",
        "sum-not-mean": "Your loss is {n} times too large: it is the sum over the rows, and the mean is asked for.{too}",
        "forgets-the-mean": "Your gradient is {n} times too large: the loss is a mean over {n} rows, so each row has the weight 1/{n}.",
    },
    hints=(
        "Write log softmax(z)[y] as a difference. Is a softmax needed for the loss?",
        "Which constant can be added to a row so that no exponential overflows? The loss stays the same.",
        "`gradient = p.copy(); gradient[np.arange(n), labels] -= 1; gradient /= n`.",
    ),
    example=lambda rng: {"logits": rng.normal(size=(2, 3)).round(2), "labels": rng.integers(0, 3, 2)},
)
