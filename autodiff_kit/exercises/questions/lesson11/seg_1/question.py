"""seg-1: The mean of each segment, and its pull."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def drawn(rng: np.random.Generator, c: int) -> tuple[Array, Array]:
    """Rows and their ids, in no order: of more than three segments the last but one has one row, 1 and the last none."""
    ids = np.r_[0, 0, 0, rng.integers(0, max(1, c - 1), 6)]
    if c > 3:
        ids = np.r_[ids[(ids != 1) & (ids != c - 2)], c - 2]
    ids = rng.permutation(ids)
    return rng.normal(size=(len(ids), 2)), ids


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for c in (1, 2, 5):
        h, ids = drawn(rng, c)
        reply = yield Call("segment_mean", (h, ids, c))
        empty = np.flatnonzero(shared.segment_counts(ids, c) == 0).tolist()
        if a.warned(reply, "empty-segment-0/0", k=empty[0] if empty else 0):
            continue
        mean, pull = parts_1(reply)
        if mean_1(a, mean, h, ids, c):
            yield from way_back_1(a, pull, ids, c, rng.normal(size=(c, 2)))
    if not a.failed_cases:
        yield from out_of_range_1(a, rng)


def parts_1(reply: CallResult) -> tuple[object, ReturnedFunction]:
    """The mean, and the function that pulls."""
    mean, pull = unpack_tuple(reply, "segment_mean", ("mean", "pull"))
    if not isinstance(pull, ReturnedFunction):
        raise LearnerCodeError(
            translate("segment_mean must return (mean, pull), where pull is a function: pull(g) gives dh.", "lesson11")
        )
    return mean, pull


def mean_1(a: AttemptEvaluation, mean: object, h: Array, ids: Array, c: int) -> bool:
    """Judge the means."""
    empty, rows = np.flatnonzero(shared.segment_counts(ids, c) == 0), shared.segment_counts(ids, c)
    facts = {"k": int(empty[0]) if empty.size else 0, "shown": int(ids.max()) + 1, "n": int(rows[0]), "N": len(ids)}
    want = solution.segment_mean(h, ids, c)[0]
    words = translate("The mean of one segment" if c == 1 else "The means of {c} segments", "lesson11").format(c=c)
    return a.case(mean, want, misconceptions.wrong_means(h, ids, c), tol=1e-10, of=words, facts=facts)


def way_back_1(a: AttemptEvaluation, pull: ReturnedFunction, ids: Array, c: int, g: Array) -> CheckScript:
    """Judge what the pull gives."""
    reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,))
    rows = shared.segment_counts(ids, c)
    if a.warned(reply, "pull-divides-by-none", k=int(np.argmin(rows))):
        return
    want = (g / np.maximum(rows, 1)[:, None])[ids]
    mistaken = {"pull-forgets-the-count": g[ids], "pull-divides-by-all-rows": g[ids] / len(ids)}
    facts = {"n": int(rows[0]), "N": len(ids)}
    a.case(
        require_real_array(reply.value, "pull"),
        want,
        mistaken,
        tol=1e-10,
        of=translate("The result of pull", "lesson11"),
        facts=facts,
    )


def out_of_range_1(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    """An id that names no segment is an error, whichever side it lies on."""
    names = {4: "id-out-of-range-accepted", -1: "negative-id-accepted"}
    for bad, name in names.items():
        h, ids = drawn(rng, 4)
        place = int(rng.integers(len(ids)))
        ids[place] = bad
        reply = yield Call("segment_mean", (h, ids, 4), errors=("IndexError", "ValueError"))
        if reply.error == "ValueError":
            text = translate(
                "segment_mean ended with a ValueError for the id {id} at place {place}, with c = 4.", "lesson11"
            )
            a.behave(False, "another-error", text.format(id=bad, place=place))
        elif not reply.error:
            text = translate("segment_mean accepted the id {id} at place {place}, with c = 4.", "lesson11")
            a.fail({name}, text.format(id=bad, place=place), i=bad, p=place, c=4)
        if a.failed_cases:
            return
        a.behave(True)


QUESTION = Question(
    id="seg-1",
    points=3,
    title="The mean of each segment, and its pull",
    text="""Row i of `h` (shape (N, k), float64) belongs to segment `ids[i]`; the ids are whole numbers in any order. Give the means of the `c` segments, shape (c, k), and their pull: `pull(g)`
gives dh for a cotangent g of shape (c, k). A segment without rows has the mean 0. An id that is not from 0 to c − 1 raises an `IndexError`. With NumPy; a floating-point warning counts as a failure.""",
    writes=("segment_mean",),
    without=("ak.segment.segment_mean",),
    starter='''def segment_mean(h, ids, c):
    """The mean of each of c segments: give back (mean, pull), where pull(g) gives dh."""
    ...
''',
    check=check,
    messages={
        "empty-segment-0/0": "Segment {k} has no rows, so its sum 0 was divided by its count 0. Its mean is to be 0. To replace a nan afterwards is too late: the division has already warned. Change the count before you divide.",
        "loses-the-last-empty-segment": "There are {shown} means, as many as the ids show. c is given: segments without rows at the end count too.",
        "last-row-wins": "`out[ids] = h` keeps one row of each segment, the last. All rows of a segment are to be added.",
        "repeated-ids-added-once": "The counts are right, but each sum holds the last row of its segment only: `out[ids] += h` adds once per id. `np.add.at` adds every row.",
        "sum-not-mean": "These are the sums. Segment 0 has {n} rows, and its sum is not yet divided by {n}.",
        "divides-by-all-rows": "The sums were divided by {N}, the number of all rows. Segment 0 has {n}.",
        "pull-forgets-the-count": "pull gave each row the whole cotangent of its segment. Each of the {n} rows of segment 0 moved its mean by 1/{n}.",
        "pull-divides-by-all-rows": "pull divided by {N}, the number of all rows. A row of segment 0 moved its mean by 1/{n}.",
        "pull-divides-by-none": "pull divides by 0: segment {k} has no rows. Its cotangent goes to no row.",
        "id-out-of-range-accepted": "The id {i} at place {p} was accepted, and ids go from 0 to c − 1, with c = {c}. Raise an IndexError.",
        "another-error": "The means are right. For an id that names no segment an IndexError is expected: look at the ids before you count them.",
        "negative-id-accepted": "The id {i} at place {p} was accepted. NumPy counts it from the end, but no segment has that number. Raise an IndexError.",
    },
    hints=(
        "Two rows with the same id must both be added. Which NumPy function does that?",
        "`np.bincount(ids, minlength=c)` counts. What can a count of 0 be replaced by, if its sum is 0? The pull divides by the same counts.",
        "`np.add.at(out, ids, h)` adds; the pull is `(g / n)[ids]` with n of shape (c, 1). Look at `ids.min()` and `ids.max()` first.",
    ),
    example=lambda rng: {
        "h": rng.normal(size=(5, 2)).round(2),
        "ids": rng.permutation(np.array([0, 0, 2, 2, 2])),
        "c": 4,
    },
)
