"""tape-3: Three answers from one record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

PARTS = ("dz/dx", "dz/dy", "dy/dx")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for x in (
        np.array(float(rng.integers(1, 6))),
        rng.uniform(-2, 2, 3),
        np.array([0.0, -1.0, float(rng.uniform(1, 3))]),
    ):
        reply = yield Call("three", (x,), errors=("TapeError",), tapes=True)
        if reply.error:
            a.behave(False, "not-persistent", translate("The tape had given its one answer.", "lesson00"), half=False)
        elif not a.warned(reply):
            judge(a, reply, x)


def judge(a: AttemptEvaluation, reply: CallResult, x: np.ndarray) -> None:
    """Judge the three values, then the tapes that were opened and what is left of them."""
    right = True
    for name, part, want in zip(PARTS, unpack_tuple(reply, "three", PARTS), (4 * x**3, 2 * x**2, 2 * x), strict=True):
        if part is None and name == "dz/dy":
            right = a.behave(
                False, "source-computed-again", translate("dz/dy is None.", "lesson00"), half=False, of=name
            )
            continue
        got = require_real_array(part, translate("three, as {name},", "lesson00").format(name=name))
        mistaken = {"targets-are-added": misconceptions.gradient_of_a_sum(name, x, got)}
        right &= a.case(part, want, mistaken, tol=1e-10, of=name)
    if right:
        opened, left = reply.tapes
        no_tape = translate("The values are right, but no tape was opened: the point is to ask one.", "lesson00")
        number = translate("The number of tapes", "lesson00")
        a.behave(opened > 0, "", no_tape, of=number)
        a.behave(opened <= 1, "one-tape-for-each", of=number, n=opened)
        a.behave(left == 0, "tape-kept", of=translate("Memory after the return", "lesson00"), n=left)


QUESTION = Question(
    id="tape-3",
    points=2,
    title="Three answers from one record",
    text="""For y = x² and z = y², return (dz/dx, dz/dy, dy/dx) from one tape of the kit. x is an array of any shape; `ak.Variable(x)` makes a variable of it. Record
once, and keep the tape nowhere outside your function: after the return, no tape may hold any memory. (Python releases a tape that only a local variable of your function refers to.) The tapes, and the bytes that they hold, are counted.""",
    writes=("three",),
    starter='''def three(x):
    """The gradients (dz/dx, dz/dy, dy/dx) for y = x**2, z = y**2, from one tape."""
    ...
''',
    check=check,
    messages={
        "one-tape-for-each": "The values are right, and {n} tapes were opened. One record can give all three.",
        "not-persistent": "The tape was asked again after its answer, and an ordinary tape answers one call of gradient. Which argument makes it keep its record?",
        "source-computed-again": "dz/dy is None: the source of that call is not the number from which z was computed. Writing `x**2` again makes a new number. Pass the y that z was computed from.",
        "targets-are-added": "One call got a list of targets, and its answer is the gradient of their sum. Ask once for each target.",
        "tape-kept": "The values are right, but a tape still holds {n} bytes after your function has returned. Store it nowhere outside the function.",
    },
    hints=(
        "Write both lines into one `with` block. Which pairs of target and source do you need?",
        "A persistent tape can be asked several times after its block, also about intermediate values.",
        "`tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)`.",
    ),
    example=lambda rng: {"x": rng.integers(1, 5, 3).astype(float)},
)
