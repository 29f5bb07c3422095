"""mask-6: Attention that does not depend on its padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import first_mismatch, require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for garbage in (0.0, 1e3, np.nan):
        lengths = rng.integers(1, 7, 4)
        lengths[:2] = 3, 0
        keep = np.arange(6)[None] < lengths[:, None]
        q, k, v = rng.normal(size=(4, 6, 3)), rng.normal(size=(4, 6, 3)), rng.normal(size=(4, 6, 2))
        k[~keep], v[~keep] = garbage, garbage
        reply = yield Call("attention", (q, k, v, keep), quiet=True, wrt=(0, 1, 2), seed=rng.normal(size=(4, 6, 2)))
        if a.warned(reply):
            return
        good = output_6(a, reply, (q, k, v, keep, lengths), garbage) and gradients_6(a, reply, keep, lengths)
        if not good:
            return  # from easy to hard: the first case that fails says it best


def output_6(a: AttemptEvaluation, reply: CallResult, given: tuple[Array, ...], garbage: float) -> bool:
    """Judge the output: each sentence alone, unpadded, is the judge."""
    q, k, v, keep, lengths = given
    want = misconceptions.attention_per_sentence(q, k, v, lengths)
    got = require_real_array(reply.value, "attention")
    if values_close(got, want, 1e-10):
        return True
    live = lengths > 0
    if got.shape != want.shape:
        names = set()
    elif not np.isfinite(got).all():
        if np.isfinite(got[live]).all():
            names = {"empty-sentence-0/0" if np.isfinite(garbage) else "empty-sentence-attends"}
        else:
            names = set() if np.isfinite(garbage) else {"zero-times-nan"}
    elif values_close(got[live], want[live], 1e-10):
        names = {"empty-sentence-attends"}
    else:
        with np.errstate(all="ignore"):
            ways = {
                "no-scale": misconceptions.attention_per_sentence(q, k, v, lengths, scaled=False),
                "masks-the-queries": misconceptions.attention_with_wrong_mask(q, k, v, keep, masks_queries=True),
                "zeroes-padded-queries": want * keep[:, :, None],
                "not-renormalised": misconceptions.attention_with_wrong_mask(q, k, v, keep),
            }
        names = {name for name, model in ways.items() if values_close(got, model, 1e-10)}
    a.fail(names, _words_6(got, want, garbage), **_facts_6(q, k, keep, names))
    return False


def _words_6(got: Array, want: Array, garbage: float) -> str:
    if got.shape != want.shape:
        return translate("attention returned shape {got}; {wanted} is expected.", "lesson09").format(
            got=got.shape, wanted=want.shape
        )
    entry = first_mismatch(got, want, 1e-10)
    return translate(
        "Sentence {off} of the batch: output {entry} is {got}; its real keys alone give {want}. The padding holds {garbage:g}.",
        "lesson09",
    ).format(off=entry[0], garbage=garbage, entry=entry, got=f"{got[entry]:.9g}", want=f"{want[entry]:.9g}")


def _facts_6(q: Array, k: Array, keep: Array, names: set[str]) -> dict[str, object]:
    scores = q[0] @ k[0].T / q.shape[-1] ** 0.5
    kept = float((shared.softmax(scores) * keep[0])[0].sum())
    return {"b": 1 if "empty-sentence-attends" in names else 0, "s": kept}


def gradients_6(a: AttemptEvaluation, reply: CallResult, keep: Array, lengths: Array) -> bool:
    """Judge the gradients: finite into q, exactly 0 into padded k and v."""
    if any(gradient is None for gradient in reply.gradients):
        a.fail(
            set(),
            translate(
                "A gradient with respect to q, k or v is None. Use the kit's operations from them to the result.",
                "lesson09",
            ),
        )
        return False
    dq, dk, dv = (
        require_real_array(gradient, translate("The gradient of attention", "lesson09")) for gradient in reply.gradients
    )
    if not np.isfinite(dq).all():
        a.fail({"garbage-reaches-the-query"}, translate("The gradient of q has NaN in it.", "lesson09"))
        return False
    into = [bool(np.any(d[~keep] != 0)) for d in (dk, dv)]
    only_empty = not any(np.any(d[lengths > 0][~keep[lengths > 0]] != 0) for d in (dk, dv))
    if any(into):
        a.fail(
            {"empty-sentence-attends"} if only_empty else set(),
            translate("Padded k or v gets a gradient.", "lesson09"),
            b=1,
        )
    return not any(into)


QUESTION = Question(
    id="mask-6",
    points=3,
    title="Attention that does not depend on its padding",
    text="""Write attention for a padded batch, in the kit's operations. `q` and `k` have the shape (B, L, d), `v` has (B, L, e), and `keep` (B, L) says
which *keys* are real. The scores are q·k/√d.

- Each sentence must give the same output as alone and without padding, whatever padded k and v hold (0, 1000, NaN). A sentence without keys gives 0.
- The gradients with respect to padded k and v must be exactly 0, and the gradient with respect to q must be finite.""",
    writes=("attention",),
    without=("ak.nn.attention",),
    starter='''def attention(q, k, v, keep):
    """softmax(q k^T / sqrt(d)) v over the kept keys, in kit ops; keep is a NumPy array of booleans."""
    ...
''',
    check=check,
    messages={
        "zero-times-nan": "The output has NaN in it: a weight of 0 was multiplied by a NaN in v. Set v to 0 where keep is False.",
        "garbage-reaches-the-query": "The output is right, but the gradient with respect to q is NaN. It is a product with k, and padded k holds NaN. Set k to 0 there as well.",
        "empty-sentence-0/0": "Sentence 1 is empty, and its output is nan: all its scores are −inf, or the sum of its weights is 0. Find empty sentences with the mask, and give 0 for them.",
        "zeroes-padded-queries": "The outputs of padded queries were set to 0. `keep` masks keys only: every query gets an output.",
        "empty-sentence-attends": "Sentence {b} is empty, and its output is a mean over the padding. It must be 0, whatever the padding holds.",
        "masks-the-queries": "The mask was applied to the queries. It belongs to the keys, the axis over which the weights sum to 1.",
        "not-renormalised": "The weights of sentence {b} sum to {s}, not 1: they were set to 0 after the softmax and not renormalised.",
        "no-scale": "The scores were not divided by √d.",
    },
    hints=(
        "Compute one sentence alone first, and compare with its row of the batch.",
        "Set padded k and v to 0 before any product.",
        "`e = exp(s - max(s)) * keep`, with `s` from where; then divide by `maximum(sum(e), tiny)`.",
    ),
    example=lambda rng: {
        "q": rng.normal(size=(1, 3, 2)).round(2),
        "k": rng.normal(size=(1, 3, 2)).round(2),
        "v": rng.normal(size=(1, 3, 2)).round(2),
        "keep": np.array([[True, True, False]]),
    },
)
