"""mask-6: Pad more, and nothing may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

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
        good = output_6(a, reply, (q, k, v, keep, lengths), garbage) and way_back_6(a, reply, keep, lengths)
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
        names = {"zero-times-nan"}
    elif values_close(got[live], want[live], 1e-10):
        names = {"empty-sentence-attends"}
    else:
        with np.errstate(all="ignore"):
            ways = {
                "no-scale": misconceptions.attention_per_sentence(q, k, v, lengths, scaled=False),
                "masks-the-queries": misconceptions.attention_with_wrong_mask(q, k, v, keep, masks_queries=True),
                "not-renormalised": misconceptions.attention_with_wrong_mask(q, k, v, keep),
            }
        names = {name for name, model in ways.items() if values_close(got, model, 1e-10)}
    a.fail(names, _words_6(got, want, garbage), **_facts_6(q, k, keep, names))
    return False


def _words_6(got: Array, want: Array, garbage: float) -> str:
    if got.shape != want.shape:
        return f"attention gave back shape {got.shape}; {want.shape} is expected."
    off = int(np.argmax(~(np.abs(got - want) <= 1e-10).all((1, 2))))
    return f"Sentence {off} of the batch differs from the same sentence alone; the padding holds {garbage:g}."


def _facts_6(q: Array, k: Array, keep: Array, names: set[str]) -> dict[str, object]:
    scores = q[0] @ k[0].T / q.shape[-1] ** 0.5
    kept = float((shared.softmax(scores) * keep[0])[0].sum())
    return {"b": 1 if "empty-sentence-attends" in names else 0, "s": kept}


def way_back_6(a: AttemptEvaluation, reply: CallResult, keep: Array, lengths: Array) -> bool:
    """Judge the gradients: finite into q, exactly 0 into padded k and v."""
    if any(gradient is None for gradient in reply.gradients):
        a.fail(set(), "No gradient comes back from attention to q, k and v. Stay with the kit's ops on the way.")
        return False
    dq, dk, dv = (require_real_array(gradient, "The gradient of attention") for gradient in reply.gradients)
    if not np.isfinite(dq).all():
        a.fail({"garbage-reaches-the-query"}, "The gradient of q has NaN in it.")
        return False
    into = [bool(np.any(d[~keep] != 0)) for d in (dk, dv)]
    only_empty = not any(np.any(d[lengths > 0][~keep[lengths > 0]] != 0) for d in (dk, dv))
    if any(into):
        a.fail({"empty-sentence-attends"} if only_empty else set(), "Padded k or v gets a gradient.", b=1)
    return not any(into)


QUESTION = Question(
    id="mask-6",
    points=3,
    title="Pad more, and nothing may change",
    text="""Write attention for a padded batch in kit ops: `q` and `k` have shape (B, L, d), `v` (B, L, e), `keep` (B, L) says which *keys* are real;
scores are q·k/√d. Each sentence must come out as it does alone and unpadded, whatever stands in padded k and v (0, 1000, NaN); a sentence with no keys gives 0. The
gradients into padded k and v must be exactly 0, and the one into q finite.""",
    writes=("attention",),
    starter='''def attention(q, k, v, keep):
    """softmax(q k^T / sqrt(d)) v over the kept keys, in kit ops; keep is a NumPy array of booleans."""
    ...
''',
    check=check,
    messages={
        "zero-times-nan": "A weight of 0 met a NaN value. Clear v where keep is false.",
        "garbage-reaches-the-query": "The output is right, but dq = ds·k met NaN in padded k. Clear k as well.",
        "empty-sentence-attends": "Sentence {b} is empty and still returns an average of padding.",
        "masks-the-queries": "keep belongs to the keys (the axis that is summed).",
        "not-renormalised": "Weights of sentence {b} sum to {s}.",
        "no-scale": "Scores were not divided by √d.",
    },
    hints=(
        "Run one sentence alone first.",
        "Clear k and v before any product.",
        "mask → where → max → exp·mask → divide by max(sum, tiny).",
    ),
    example=lambda rng: {
        "q": rng.normal(size=(1, 3, 2)).round(2),
        "k": rng.normal(size=(1, 3, 2)).round(2),
        "v": rng.normal(size=(1, 3, 2)).round(2),
        "keep": np.array([[True, True, False]]),
    },
)
