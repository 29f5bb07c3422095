"""Lesson 09, attention masking: where the mask goes, what an empty row is, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..closeness import close, number, short
from ..marking import Attempt
from ..models import lesson09 as models
from ..protocol import Call
from ..spec import Lesson, Question, worked

if TYPE_CHECKING:
    from ..protocol import Reply, Script

__all__ = ["LESSON"]

Rng = np.random.Generator
Array = np.ndarray[Any, Any]


# ---------------------------------------------------------------- mask-1
def scores_of(rng: Rng, shape: tuple[int, ...], mode: str, keep: Array) -> Array:
    """Scores that are ordinary, far from 0, or large where they are padded."""
    scores: Array = rng.normal(size=shape) * 2
    if mode == "offset":
        scores = scores + 1e4
    return np.where(keep, scores, scores + 2e3) if mode == "huge padding" else scores


def check_1(a: Attempt, rng: Rng) -> Script:
    for shape in ((4,), (3, 5), (2, 3, 6)):
        for mode in ("plain", "offset", "huge padding"):
            keep = models.masks(rng, shape)
            scores = scores_of(rng, shape, mode, keep)
            for name in ("zero_after", "renormalised", "masked_before"):
                reply = yield Call(name, (scores, keep))
                scale = "padding-sets-the-scale" if mode == "huge padding" else ""
                over = "overflow" in reply.warning
                if not a.warned(reply, "overflows" if over else scale, s=float(scores.max())):
                    weighed(a, name, reply, scores, keep)


def weighed(a: Attempt, name: str, reply: Reply, scores: Array, keep: Array) -> None:
    """Judge one design's weights."""
    zeroed = models.softmax(scores) * keep
    if name == "zero_after":
        mistaken = {"wrong-axis": models.over_first_axis(scores) * keep}
    else:
        mistaken = {"not-renormalised": zeroed, "zeroes-the-scores": models.softmax(np.where(keep, scores, 0))}
    want = getattr(worked("mask-1"), name)(scores, keep)
    kept = float(zeroed.reshape(-1, zeroed.shape[-1])[0].sum())
    a.case(reply.value, want, mistaken, tol=1e-10, facts={"sum": kept})


MASK_1 = Question(
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
    check=check_1,
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
    example=lambda rng: {"scores": rng.normal(size=(2, 4)).round(2), "keep": models.masks(rng, (2, 4))},
)


# ---------------------------------------------------------------- mask-2
CASES_2 = ("plain", "empty row", "nan kept", "nan padded", "inf padded")


def scores_2(rng: Rng, case: str, dtype: type) -> tuple[Array, Array]:
    """Scores and mask of a case; in "nan kept" it is row 1 that is broken."""
    keep = models.masks(rng, (4, 6), empty=case == "empty row")
    scores = (rng.normal(size=(4, 6)) * 2).astype(dtype)
    if case == "nan kept":
        scores[1, np.argmax(keep[1])] = np.nan
    if case.endswith("padded"):
        scores[~keep] = np.nan if case.startswith("nan") else np.inf
    return scores, keep


def check_2(a: Attempt, rng: Rng) -> Script:
    for dtype, tol in ((np.float64, 1e-8), (np.float32, 1e-5), (np.float16, 4e-3)):
        for case in CASES_2:
            scores, keep = scores_2(rng, case, dtype)
            for empty in ("zero", "nan"):
                reply = yield Call("masked_softmax", (scores, keep, empty))
                leaks = "padding-leaks-nan" if case.endswith("padded") else ""
                small = "eps-vanishes-in-float16" if case == "empty row" and dtype is np.float16 else ""
                pad = {"nan": case.split()[0]}
                if not a.warned(reply, leaks or small, **pad):
                    rows_2(a, reply, (scores, keep, empty, case), tol)


def rows_2(a: Attempt, reply: Reply, given: tuple[Array, Array, str, str], tol: float) -> None:
    """Judge the rows of one answer."""
    scores, keep, empty, case = given
    want = np.array(worked("mask-2").masked_softmax(scores, keep, empty))
    got = number(reply.value, "masked_softmax")
    if case == "nan kept" and got.shape == want.shape:
        want[1] = np.nan
        got[1] = np.nan if np.isnan(got[1]).any() else got[1]
    if close(got, want, tol):
        came = np.asarray(reply.value).dtype
        a.behave(came == scores.dtype, text=f"Right values as {came}; {scores.dtype} went in, and is to come out.")
        return
    facts = {"nan": case.split()[0], "policy": repr(empty), "weights": got[0] if got.ndim == 2 else got}
    a.fail(_names_2(got, want, given, tol), f'masked_softmax(scores, keep, "{empty}") is not right; the case is: {case}.', **facts)


def _names_2(got: Array, want: Array, given: tuple[Array, Array, str, str], tol: float) -> set[str]:
    scores, keep, _, case = given
    if got.shape != want.shape:
        return set()
    if case == "nan kept":
        return {"hides-a-real-nan"} if np.isfinite(got[1]).all() else set()
    if case.endswith("padded"):
        return set() if np.isfinite(got).all() else {"padding-leaks-nan"}
    if case != "empty row":
        return set()
    if abs(got[0].sum() - 1) < 5e-3:
        return {"minus-1e9-is-not-minus-infinity"}
    either = [worked("mask-2").masked_softmax(scores, keep, policy) for policy in ("zero", "nan")]
    return {"ignores-the-policy"} if any(close(got, one, tol) for one in either) else set()


MASK_2 = Question(
    id="mask-2",
    points=3,
    title="One function for every row, the empty one too",
    text="""Write a masked softmax that holds for three kinds of row. An ordinary row: weights over the kept keys, whatever stands in the
padding, NaN and infinities too. An empty row (nothing kept): all 0 with `empty="zero"`, all NaN with `empty="nan"`. A broken row (a kept score is
NaN): the row must show it, the others must not. The dtype of the scores (float64, float32, float16) is the dtype of the weights. No warnings.""",
    writes=("masked_softmax",),
    starter='''def masked_softmax(scores, keep, empty="zero"):
    """Softmax over the kept scores of the last axis; an empty row is all 0, or all NaN."""
    ...
''',
    check=check_2,
    messages={
        "minus-1e9-is-not-minus-infinity": "A row with nothing to attend to attends anyway: {weights}. In float32 all scores round to −1e9 and become equal, in float64 they keep their order.",
        "eps-vanishes-in-float16": "1e-9 is 0 in float16, so 0/0 is back. Decide the empty row by the mask, not by the sum.",
        "hides-a-real-nan": "A kept score was NaN and your answer looks healthy. nan_to_num hides the next bug too.",
        "padding-leaks-nan": "Padding held {nan} and reached the row: 0·nan is nan. Choose with where, before exp.",
        "ignores-the-policy": "empty={policy} was asked for.",
    },
    hints=(
        "Three kinds of row: ordinary, empty, broken.",
        "where before exp, and a stand-in for the maximum of an empty row.",
        "`none = ~keep.any(-1, keepdims=True); out = e / where(none, 1, z)`",
    ),
    example=lambda rng: {"scores": rng.normal(size=(3, 4)).round(2), "keep": models.masks(rng, (3, 4), empty=True)},
)


# ---------------------------------------------------------------- mask-3
def check_3(a: Attempt, rng: Rng) -> Script:
    for bad in (None, 1e6, np.nan, np.inf):
        for dtype, tol in ((np.float64, 1e-12), (np.float32, 2e-5)):
            keep = models.masks(rng, (4, 6), empty=True)
            w = worked("mask-2").masked_softmax(rng.normal(size=(4, 6)), keep).astype(dtype)
            g = rng.normal(size=(4, 6)).astype(dtype)
            clean = np.where(keep, g, 0).astype(dtype)
            g[~keep] = g[~keep] if bad is None else bad
            reply = yield Call("masked_softmax_pull", (w, keep, g))
            leak = "" if bad is None else "padding-leaks-nan"
            if a.warned(reply, leak, nan=bad):
                continue
            pulled_3(a, reply.value, (w, keep, clean), bad, tol)


def pulled_3(a: Attempt, value: object, given: tuple[Array, Array, Array], bad: float | None, tol: float) -> None:
    """Judge a gradient of the scores."""
    w, keep, clean = given
    got = number(value, "masked_softmax_pull")
    if bad is not None and not np.isfinite(got).all():
        a.fail({"padding-leaks-nan"}, f"NaN or infinity came out where g was {bad} at the padding.", nan=bad)
        return
    mistaken = {
        "diagonal-only": w * (1 - w) * clean,
        "weights-times-g": w * clean,
        "centred-over-length": w * (clean - clean.mean(-1, keepdims=True)),
    }
    row = float((w * (1 - w) * clean)[1].sum())
    want = worked("mask-3").masked_softmax_pull(w, keep, clean)
    if a.case(value, want, mistaken, tol=tol, facts={"s": row}, dtype=w.dtype.type):
        a.behave(bool(np.all(got[~keep] == 0)), text="Into the padding and into empty rows exactly 0 is asked for.", half=False)


MASK_3 = Question(
    id="mask-3",
    points=3,
    title="The way back",
    text="""Write the pull of the masked softmax, from its weights alone: the gradient of the scores for an incoming gradient `g`. Exactly 0
goes into the padding and into empty rows, whatever `g` holds there (it may be NaN). The matrix diag(w) − w wᵀ is not to be built.""",
    writes=("masked_softmax_pull",),
    starter='''def masked_softmax_pull(w, keep, g):
    """The gradient of the scores; w are the weights that the masked softmax gave, g is their gradient."""
    ...
''',
    check=check_3,
    messages={
        "diagonal-only": "Raising one weight lowers the others; that part is missing. Your row sums to {s}; adding a constant to all scores changes nothing, so it must be 0.",
        "weights-times-g": "Close: subtract what the row has in common, Σ w g.",
        "centred-over-length": "You subtracted the plain mean of g; it is the mean by weight.",
        "padding-leaks-nan": "g was {nan} at a place whose weight is 0, and 0·nan is nan. Clear g there first.",
    },
    hints=(
        "J = diag(w) − w wᵀ.",
        "Never build it: two products are enough.",
        "`w * (g - (w*g).sum(-1, keepdims=True))`, after where.",
    ),
    example=lambda rng: {
        "w": np.array([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]]), "keep": np.array([[True, True, False], [False, False, False]]),
        "g": rng.normal(size=(2, 3)).round(2),
    },  # fmt: skip
)


# ---------------------------------------------------------------- mask-4
def check_4(a: Attempt, rng: Rng) -> Script:
    for _ in range(4):
        n = int(rng.integers(3, 9))
        keep, scores, values = models.masks(rng, (n,)), rng.normal(size=n), rng.normal(size=n) * 10
        reply = yield Call("leak", (scores, keep, values))
        if a.warned(reply):
            continue
        p, pad = models.softmax(scores), ~keep
        want = worked("mask-4").leak(scores, keep, values)
        mistaken = {
            "zeroed-so-nothing-flows": np.zeros(n),
            "forgets-the-mask": pad * p * (values - p @ values),
            "sign": -want,
            "divides-by-the-kept-sum": want / (p * keep).sum(),
            "own-value": pad * p * (1 - p) * values,
        }
        a.case(reply.value, want, mistaken, tol=1e-10, facts={"v": float(values[np.argmax(pad)])})


MASK_4 = Question(
    id="mask-4",
    points=2,
    title="How much leaks",
    text="""With zeroing after the softmax, the output is Σ kept p·v. Write its gradient with respect to each *padded* score, and 0 at the kept
ones. (In the lesson's case the padded score gets −5.6.)""",
    writes=("leak",),
    starter='''def leak(scores, keep, values):
    """The gradient of the zero-after output with respect to the padded scores; 0 at the kept ones."""
    ...
''',
    check=check_4,
    messages={
        "zeroed-so-nothing-flows": "The padded weight is gone, but its score still stands in the sum that divides all the others.",
        "forgets-the-mask": "That is the slope if the padding were kept. Its value never reaches the output.",
        "own-value": "Its own value {v} plays no part: it was multiplied by 0.",
        "sign": "More score for the padding means less for the rest.",
        "divides-by-the-kept-sum": "You renormalised first; then the leak is exactly 0.",
    },
    hints=(
        "Which factors of the output contain s_pad?",
        "Only the denominator.",
        "−p_pad · Σ kept p v.",
    ),
    example=lambda rng: {
        "scores": rng.normal(size=4).round(2), "keep": np.array([True, True, True, False]), "values": (rng.normal(size=4) * 10).round(0),
    },  # fmt: skip
)


# ---------------------------------------------------------------- mask-5
def check_5(a: Attempt, rng: Rng) -> Script:
    for padding in (1.0, 0.0, -3.0, np.nan):
        keep, x, u = models.masks(rng, (4, 5), empty=True), np.exp(rng.normal(size=(4, 5))), rng.normal(size=4)
        count = np.maximum(keep.sum(-1), 1)
        want = np.where(keep, np.log(x), 0).sum(-1) / count
        slope = np.where(keep, 1 / x, 0) * (u / count)[:, None]
        x[~keep] = padding
        reply = yield Call("masked_mean_log", (x, keep), quiet=True, wrt=(0,), seed=u)
        if not a.warned(reply, "empty-row") and mean_5(a, reply, keep, want, padding):
            way_back_5(a, reply.gradients[0], slope)


def mean_5(a: Attempt, reply: Reply, keep: Array, want: Array, padding: float) -> bool:
    """Judge the means; the first row is empty."""
    got = number(reply.value, "masked_mean_log")
    words = f"masked_mean_log is {short(got)}, expected {short(want)}; the padding holds {padding:g}."
    rows = keep.any(-1)
    if got.shape != want.shape:
        a.fail(set(), f"masked_mean_log gave back shape {got.shape}; one number for each row is asked for, {want.shape}.")
        return False
    if not close(got[rows], want[rows], 1e-12):
        short_rows = want * keep.sum(-1) / keep.shape[-1]
        lengths = {"divides-by-the-length"} if close(got[rows], short_rows[rows], 1e-12) else set()
        names = lengths if np.isfinite(got[rows]).all() else {"zero-times-nan"}
        a.fail(names, words, v="nan" if not padding >= 0 else "-inf", n=keep.shape[-1])
        return False
    if not close(got, want, 1e-12):
        a.fail({"empty-row"}, words)
        return False
    return True


def way_back_5(a: Attempt, gradient: object, slope: Array) -> None:
    """Judge the gradient of x."""
    if gradient is None:
        a.fail(set(), "No gradient comes back from masked_mean_log to x. Stay with the kit's ops from x to the answer.")
        return
    broken = not np.isfinite(number(gradient, "The gradient of masked_mean_log")).all()
    mistaken = {"where-only-outside": gradient} if broken else {}
    if broken and not close(gradient, slope, 1e-12):
        a.fail(set(mistaken), "The value is right, and the gradient has NaN or infinity in it.")
        return
    a.case(gradient, slope, tol=1e-12, of="The gradient of masked_mean_log")


MASK_5 = Question(
    id="mask-5",
    points=3,
    title="A masked mean that survives its padding",
    text="""For each row of `x`, give the mean of log x over the kept entries, and 0 for a row that keeps nothing. The padding may hold anything: 1,
0, −3, NaN. Use the kit's ops (`ak.log`, `ak.where`, `ak.sum`, …): the check pulls a gradient back to `x`, which must be right, finite, and exactly 0 at the padding.
`keep` is a NumPy array of booleans.""",
    writes=("masked_mean_log",),
    starter='''def masked_mean_log(x, keep):
    """The mean of log(x) over the kept entries of each row, in kit ops."""
    ...
''',
    check=check_5,
    messages={
        "divides-by-the-length": "You divided by {n}, the padded length (in the lesson's example: by 4, where 3 are kept).",
        "zero-times-nan": "log of the padding is {v}, and 0 times that is nan.",
        "where-only-outside": "The value is right. On the way back the unchosen side still meets 0·inf: make its *input* harmless too (lesson 03).",
        "empty-row": "A row with no kept entries divides 0 by 0.",
    },
    hints=(
        "What does log see at the padding?",
        "Two wheres: one inside.",
        "`where(keep, log(where(keep, x, 1)), 0)`",
    ),
    example=lambda rng: {"x": np.exp(rng.normal(size=(2, 4))).round(2), "keep": models.masks(rng, (2, 4))},
)


# ---------------------------------------------------------------- mask-6
def check_6(a: Attempt, rng: Rng) -> Script:
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


def output_6(a: Attempt, reply: Reply, given: tuple[Array, ...], garbage: float) -> bool:
    """Judge the output: each sentence alone, unpadded, is the judge."""
    q, k, v, keep, lengths = given
    want = models.attention_alone(q, k, v, lengths)
    got = number(reply.value, "attention")
    if close(got, want, 1e-10):
        return True
    live = lengths > 0
    if got.shape != want.shape:
        names = set()
    elif not np.isfinite(got).all():
        names = {"zero-times-nan"}
    elif close(got[live], want[live], 1e-10):
        names = {"empty-sentence-attends"}
    else:
        with np.errstate(all="ignore"):
            ways = {
                "no-scale": models.attention_alone(q, k, v, lengths, scaled=False),
                "masks-the-queries": models.attention_on(q, k, v, keep, masks_queries=True),
                "not-renormalised": models.attention_on(q, k, v, keep),
            }
        names = {name for name, model in ways.items() if close(got, model, 1e-10)}
    a.fail(names, _words_6(got, want, garbage), **_facts_6(q, k, keep, names))
    return False


def _words_6(got: Array, want: Array, garbage: float) -> str:
    if got.shape != want.shape:
        return f"attention gave back shape {got.shape}; {want.shape} is expected."
    off = int(np.argmax(~(np.abs(got - want) <= 1e-10).all((1, 2))))
    return f"Sentence {off} of the batch differs from the same sentence alone; the padding holds {garbage:g}."


def _facts_6(q: Array, k: Array, keep: Array, names: set[str]) -> dict[str, object]:
    scores = q[0] @ k[0].T / q.shape[-1] ** 0.5
    kept = float((models.softmax(scores) * keep[0])[0].sum())
    return {"b": 1 if "empty-sentence-attends" in names else 0, "s": kept}


def way_back_6(a: Attempt, reply: Reply, keep: Array, lengths: Array) -> bool:
    """Judge the gradients: finite into q, exactly 0 into padded k and v."""
    if any(gradient is None for gradient in reply.gradients):
        a.fail(set(), "No gradient comes back from attention to q, k and v. Stay with the kit's ops on the way.")
        return False
    dq, dk, dv = (number(gradient, "The gradient of attention") for gradient in reply.gradients)
    if not np.isfinite(dq).all():
        a.fail({"garbage-reaches-the-query"}, "The gradient of q has NaN in it.")
        return False
    into = [bool(np.any(d[~keep] != 0)) for d in (dk, dv)]
    only_empty = not any(np.any(d[lengths > 0][~keep[lengths > 0]] != 0) for d in (dk, dv))
    if any(into):
        a.fail({"empty-sentence-attends"} if only_empty else set(), "Padded k or v gets a gradient.", b=1)
    return not any(into)


MASK_6 = Question(
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
    check=check_6,
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
        "q": rng.normal(size=(1, 3, 2)).round(2), "k": rng.normal(size=(1, 3, 2)).round(2), "v": rng.normal(size=(1, 3, 2)).round(2),
        "keep": np.array([[True, True, False]]),
    },  # fmt: skip
)

LESSON = Lesson(
    no="09",
    slug="09_attention_masking",
    title="Attention masking: exercises",
    goal="Write a softmax, a mean and an attention that padding cannot reach, forwards or backwards.",
    minutes=60,
    reminders=(
        "The inner `where` (lesson 03): `where(keep, f(x), 0)` has NaN for a gradient wherever f's slope at the *unchosen* x is infinite, since 0·inf is nan. "
        "Make the input harmless as well: `where(keep, f(where(keep, x, 1)), 0)`.",
        "An exact 0 and `None` differ (lesson 02): 0 says that a path leads there and nothing flows, `None` that no path was recorded.",
    ),
    questions=(MASK_1, MASK_2, MASK_3, MASK_4, MASK_5, MASK_6),
    keywords=("attention", "masking", "padding", "softmax", "NaN"),
)
