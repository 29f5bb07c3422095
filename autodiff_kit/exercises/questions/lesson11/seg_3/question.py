"""seg-3: Means of classes that persist over batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
CLASSES = 4
# Classes are absent in turn, and the last one always; sizes differ, so that batches and rows weigh differently.
BATCHES = ([0, 0, 0, 0, 1], [1, 2, 2], [0, 2], [1, 0, 0])
FORWARD = (
    "absent-class-reset",
    "weights-batches-equally",
    "forgets-the-past",
    "starts-anew",
    "repeated-ids-counted-once",
)


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(2):
        names = rng.permutation(CLASSES)  # which class is which, the one that never comes among them
        reply = yield Call("class_means", (CLASSES,))
        if a.warned(reply):
            continue
        update, pull = functions_3(reply)
        right, wrong = (
            misconceptions.RunningSegmentMeans(CLASSES),
            {name: misconceptions.RunningSegmentMeans(CLASSES, name) for name in FORWARD},
        )
        slip = misconceptions.RunningSegmentMeans(CLASSES, "gradient-of-the-batch-mean")
        for k, classes in enumerate(BATCHES):
            ids = names[rng.permutation(classes)]
            h, g = rng.normal(size=(len(ids), 2)), rng.normal(size=(CLASSES, 2))
            want, mistaken = right.update(h, ids), {name: model.update(h, ids) for name, model in wrong.items()}
            slip.update(h, ids)
            reply = yield Call(update, (h, ids))
            missing = np.flatnonzero(shared.segment_counts(ids, CLASSES) == 0).tolist()
            if a.warned(reply, "class-never-seen-0/0", k=int(names[-1])):
                break
            words = translate("The result of update for batch {k}", "lesson11").format(k=k + 1)
            if not a.case(reply.value, want, mistaken, tol=1e-10, of=words, facts={"k": _lost(missing, right)}):
                break
            reply = yield Call(pull, (g,))
            if a.warned(reply, "class-never-seen-0/0", k=int(names[-1])):
                break
            late = {"gradient-of-the-batch-mean": slip.pull(g, ids), "pull-forgets-the-count": g[ids]}
            facts = {"n": int(right.seen[ids[0]])}
            got = require_real_array(reply.value, "pull")
            if not a.case(
                got,
                right.pull(g, ids),
                late,
                tol=1e-10,
                of=translate("The result of pull for batch {k}", "lesson11").format(k=k + 1),
                facts=facts,
            ):
                break


def functions_3(reply: CallResult) -> tuple[ReturnedFunction, ReturnedFunction]:
    """The two functions that were given back."""
    found = unpack_tuple(reply, "class_means", ("update", "pull"))
    if not all(isinstance(one, ReturnedFunction) for one in found):
        raise LearnerCodeError(translate("class_means must return two functions, (update, pull).", "lesson11"))
    update, pull = (ReturnedFunction(one.number, name) for one, name in zip(found, ("update", "pull"), strict=True))  # type: ignore[attr-defined]
    return update, pull


def _lost(missing: list[int], means: misconceptions.RunningSegmentMeans) -> int:
    """A class that is absent from the batch and had a mean."""
    return next((k for k in missing if means.seen[k]), missing[0] if missing else 0)


QUESTION = Question(
    id="seg-3",
    points=2,
    title="Means of classes that persist",
    text="""The mean of a class over *all* rows seen so far, batch after batch. `class_means(c)` begins with nothing and gives back two functions, `(update, pull)`. `update(h, ids)` takes a batch, rows h of shape (n, k)
with their classes, and gives all c means, shape (c, k), after it; a class that was never seen has the mean 0. `pull(g)` gives dh for the rows of the *last* batch, for a cotangent g like the means; earlier batches
count as constants. Every row counts alike, whichever batch it came in. With NumPy; a floating-point warning counts as a failure.""",
    writes=("class_means",),
    without=("ak.segment.class_means", "ak.segment.ClassMeans"),
    starter='''def class_means(c):
    """Means of c classes over batches: give back (update, pull)."""
    ...
''',
    check=check,
    messages={
        "absent-class-reset": "Class {k} was not in this batch, and its mean changed. It keeps the mean that it had.",
        "weights-batches-equally": "Each batch counted once, however many rows it has. Every row counts the same.",
        "forgets-the-past": "A class in the batch got the mean of the last batch only. The mean runs over all rows of the class seen so far.",
        "starts-anew": "These are the means of the last batch alone, with 0 for classes that are not in it. Nothing was kept from the batches before. What must survive between two calls of update?",
        "repeated-ids-counted-once": "The sums are right, but a class that occurs several times in a batch was counted once: `counts[ids] += 1` adds 1 for each id, however often it occurs. `np.add.at` or `np.bincount` counts every row.",
        "class-never-seen-0/0": "Class {k} was never seen, so its sum 0 was divided by its count 0. Its mean is to be 0. To replace a nan afterwards is too late: the division has already warned.",
        "gradient-of-the-batch-mean": "pull divided by the rows of the last batch. The mean runs over {n} rows of this class, so a row moved it by 1/{n}.",
        "pull-forgets-the-count": "pull gave each row the whole cotangent. The mean runs over {n} rows of this class, so a row moved it by 1/{n}.",
    },
    hints=(
        "Which numbers must be kept from one call of update to the next?",
        "Keep the sum and the count of every class since the start. A count of 0 needs care, and pull divides by the same counts.",
        "`update` adds to sums and counts, keeps `ids`, and returns `sums / np.maximum(counts, 1)`; `pull(g)` is `(g / counts)[ids]`. Inner functions need `nonlocal`, or a dictionary.",
    ),
    example=lambda rng: {"h": rng.normal(size=(3, 2)).round(2), "ids": np.array([1, 0, 1]), "c": 3},
)
