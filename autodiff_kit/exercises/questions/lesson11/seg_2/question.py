"""seg-2: Attention within each segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.counterexample import counterexample_by, shorter
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, format_call
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions, solution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
SEGMENTS = 5


def weights_by_lift() -> dict[str, str]:
    """What the weights are called in messages, by what was done to the scores."""
    return {
        "none": translate("The weights", "lesson11"),
        "all": translate("The weights, all scores raised by 10000", "lesson11"),
        "one": translate("The weights, segment 0 raised by 3000", "lesson11"),
        "low": translate("The weights, segment 0 lowered by 10¹²", "lesson11"),
        "wide": translate("The weights, one score of segment 0 raised by 3000", "lesson11"),
    }


def drawn(rng: np.random.Generator) -> tuple[Array, Array]:
    """Nine scores in the segments 0, 2 and 4 of five."""
    ids = rng.permutation(np.r_[0, 0, 0, 2, 2, 4, 2 * rng.integers(0, 2, 3)])
    return rng.normal(size=9), ids


def smaller(s: Array, ids: Array, c: int) -> Iterator[tuple[Array, Array, int]]:
    """Fewer scores, then rounded ones."""
    yield from ((s[rows], ids[rows], c) for rows in shorter(range(len(s))) if rows)
    if (s.round(1) != s).any():
        yield s.round(1), ids, c


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for lift, words in weights_by_lift().items():
        s, ids = drawn(rng)
        if lift == "all":
            s += 1e4
        elif lift == "wide":
            s[np.argmax(ids == 0)] += 3000
        elif lift != "none":
            s[ids == 0] += 3000 if lift == "one" else -1e12
        reply = yield Call("segment_softmax", (s, ids, SEGMENTS))
        facts = {"s": float(s.max()), "k": 0 if lift == "low" else 2}
        # Low scores become 0/0 for each of three levels: the two others failed a case before this one.
        levels = {"maxima-start-from-zero", *(a.common_misconceptions & {"overflows", "one-maximum-for-all"})}
        if reply.warning:
            if lift == "low":
                names = levels
            elif lift == "none":
                names = set()
            else:
                names = {"overflows" if "overflow" in reply.warning else "one-maximum-for-all"}
            a.fail(names, f"{format_call(a.last)}: {reply.warning} ({reply.place}).", **facts)
            continue
        with np.errstate(all="ignore"):
            mistaken = {
                "softmax-over-everything": misconceptions.segment_softmax(s, 0 * ids, 1),
                "overflows": misconceptions.segment_softmax(s, ids, SEGMENTS, 0.0),
                "one-maximum-for-all": misconceptions.segment_softmax(s, ids, SEGMENTS, s.max()),
                "not-yet-divided": np.exp(s - s.max()),
            }
            if lift == "low":
                level = np.maximum(misconceptions.own_maximum(s, ids, SEGMENTS), 0.0)
                mistaken["maxima-start-from-zero"] = misconceptions.segment_softmax(s, ids, SEGMENTS, level)
                alike = {"overflows", "one-maximum-for-all"} - levels
                mistaken = {name: model for name, model in mistaken.items() if name not in alike}
        told = lambda got, ids=ids, facts=facts: facts | {"sum": _sum_of(got, ids)}  # noqa: E731
        want = misconceptions.segment_softmax(s, ids, SEGMENTS)
        tol = 1e-3 if lift == "low" else 1e-10  # exp(s - logsumexp(s)) is right, too, and rounds s near -10¹² by 1e-4
        a.case(reply.value, want, mistaken, tol=tol, of=words, facts=told)


def _sum_of(got: Array, ids: Array) -> float:
    return float(got[ids == 0].sum()) if got.shape == ids.shape else float("nan")


QUESTION = Question(
    id="seg-2",
    points=3,
    title="Attention within each segment",
    text="""In a readout by attention each node has a score, and the weights of a graph's nodes sum to 1. Score i belongs to segment `ids[i]` of `c`; give the weight of each, an array like `s`:
the softmax within its segment. Ids are in any order, and some segments have none. Scores may be large; those of one segment may lie thousands above those of another, or 10¹² below 0. With NumPy; a floating-point warning counts as a failure.""",
    writes=("segment_softmax",),
    starter='''def segment_softmax(s, ids, c):
    """The softmax of the scores s within each of c segments."""
    ...
''',
    check=check,
    counterexample=counterexample_by(smaller, solution.segment_softmax, 1e-10),
    messages={
        "softmax-over-everything": "The weights of segment 0 sum to {sum}, and 1 is expected: each segment has a softmax of its own.",
        "overflows": "exp overflows: the largest score is {s}. Subtract a maximum before you take the exponential.",
        "one-maximum-for-all": "The maximum of all scores was subtracted, and all exponentials of segment {k} became 0. Each segment needs its own maximum.",
        "maxima-start-from-zero": "A segment of low scores got no weights, or 0/0: its maximum was taken to be at least 0, or at least the number that the maxima began with. Every score may lie below any number; begin with −inf.",
        "not-yet-divided": "The weights of segment 0 sum to {sum}, and 1 is expected: divide by the sum of the segment.",
    },
    hints=(
        "As in lesson 09, in groups: subtract a maximum, take exp, divide by a sum.",
        "Maximum and sum belong to the segment. `np.maximum.at(m, ids, s)` finds the one, `np.bincount(ids, e, c)` the other.",
        "Start with `m = np.full(c, -np.inf)`. Then `e = np.exp(s - m[ids])`, and divide by `z[ids]`, where z holds the sums.",
    ),
    example=lambda rng: {
        "s": rng.normal(size=6).round(2),
        "ids": rng.permutation(np.array([0, 0, 2, 2, 2, 4])),
        "c": 5,
    },
)
