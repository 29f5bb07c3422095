"""xent-2: Many classes in little memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

CLASSES = 20_000
ROWS = (24, 31)  # 4 to 5 MB: half of it, which a table of ones takes too much, is seen from outside of the process
ROOM = 2.5  # times the logits: the answer, and one row or a comparison on the way


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    rows = int(rng.integers(*ROWS))
    z, y = rng.normal(size=(rows, CLASSES)), rng.integers(0, CLASSES, rows)
    reply = yield Call("lean", (z, y), memory=True)
    if a.warned(reply):
        return
    loss, gradient = unpack_tuple(reply, "lean", ("loss", "gradient"))
    right = solution.lean(z, y)
    if not a.case(loss, right[0], tol=1e-10, of=translate("The loss", "lesson08")):
        return
    if not a.case(gradient, right[1], tol=1e-12, of=translate("The gradient", "lesson08")):
        return
    needed, given = reply.peak / 2**20, z.nbytes / 2**20
    words = translate(
        "The values are right. At its peak lean used {needed:.1f} MB, and {allowed:.1f} MB are allowed.", "lesson08"
    ).format(needed=needed, allowed=ROOM * given)
    fits, sizes = reply.peak <= ROOM * z.nbytes, (f"{needed:.1f}", f"{given:.1f}")
    if a.behave(fits, "builds-the-one-hot", words, n=rows, peak=sizes[0], mb=sizes[1]):
        few = slice(3)  # whether a label is a class needs no memory
        for place, label in ((2, -1), (0, CLASSES)):
            yield from refuses(a, z[few], y[few], place, label)


def refuses(
    a: AttemptEvaluation, z: np.ndarray[Any, Any], y: np.ndarray[Any, Any], place: int, label: int
) -> CheckScript:
    """A label that is no class."""
    wrong = y.copy()
    wrong[place] = label
    reply = yield Call("lean", (z, wrong), errors=("ValueError", "IndexError"), quiet=True)
    words = translate(
        "The label {label} is not one of the {classes} classes, so lean must raise a ValueError.", "lesson08"
    ).format(label=label, classes=CLASSES)
    if reply.error == "IndexError":
        words += " " + translate("It raised an IndexError.", "lesson08")
    fitting = reply.error == "ValueError"
    a.behave(fitting, "label-wraps-around" if label < 0 and not reply.error else "", words, half=False)


QUESTION = Question(
    id="xent-2",
    points=2,
    title="Many classes in little memory",
    text=f"""Compute the same loss and gradient for {CLASSES} classes. At its peak your function may allocate at most {ROOM} times the memory of the
logits. This is enough for the gradient and one more array of that shape, but not for a one-hot table and a copy at each step. The logits must
not be changed. For labels that are no class, negative ones too, raise a ValueError.""",
    writes=("lean",),
    without=("ak.nn.sparse_softmax_cross_entropy", "ak.nn.softmax_cross_entropy", "ak.nn.log_softmax"),
    starter='''def lean(logits, labels):
    """The mean cross-entropy with little memory besides the logits: return (loss, gradient)."""
    ...
''',
    check=check,
    messages={
        "builds-the-one-hot": "At its peak lean used {peak} MB, for logits of {mb} MB. A one-hot table for {n} ones, or a new array at each step, takes this. Which entries are needed, and which steps can work in place?",
        "label-wraps-around": "The label −1 was used as an index from the end, so the last class was taken. It must raise a ValueError.",
    },
    hints=(
        "Only one entry of each row depends on the label. Select it by its index instead of multiplying by a table.",
        "Make one new array, and let each later step overwrite it: NumPy functions take `out=`, and `/=` works in place.",
        "`np.exp(work, out=work)`, `work /= sums`, then `work[np.arange(n), labels] -= 1` and `work /= n`.",
    ),
    example=lambda rng: {"logits": rng.normal(size=(2, 5)).round(2), "labels": rng.integers(0, 5, 2)},
)
