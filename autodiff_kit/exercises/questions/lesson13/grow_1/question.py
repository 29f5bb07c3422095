"""grow-1: A hundred losses with few nodes alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions

if TYPE_CHECKING:
    import numpy as np

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

MOST = 12
MOST_BYTES = 1000


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    w, n = float(rng.uniform(0.5, 2)), int(rng.integers(50, 120))
    xs = rng.normal(size=(n, 3))
    reply = yield Call("track", (w, xs), tapes=True)
    if a.warned(reply):
        return
    right = True
    for name, got, each in zip(
        ("total", "gradient"),
        unpack_tuple(reply, "track", ("total", "gradient")),
        (misconceptions.row_losses, shared.row_loss_derivatives),
        strict=True,
    ):
        words = translate("The total", "lesson13") if name == "total" else translate("The gradient", "lesson13")
        require_real_array(got, words)
        found = each(w, xs)
        last = "last-tape-only" if name == "gradient" and right else "keeps-only-the-last"
        right &= a.case(got, found.sum(), {last: found[-1]}, tol=1e-10, of=words)
    if right:
        opened, _ = reply.tapes
        no_tape = translate(
            "The values are right, but no tape was opened. Compute the gradient with `ak.GradientTape`.", "lesson13"
        )
        a.behave(opened > 0, "", no_tape, of=translate("The tape", "lesson13"))
        name = "sum-carries-the-record" if opened == 1 else "list-holds-the-nodes"
        few = a.behave(
            reply.nodes <= MOST, name, of=translate("The number of nodes alive", "lesson13"), n=reply.nodes, most=MOST
        )
        if few:  # otherwise the same fault would be told twice
            facts: dict[str, Any] = {"bytes": reply.record, "room": MOST_BYTES, "rows": n}
            words = translate("The bytes of a record", "lesson13")
            a.behave(reply.record <= MOST_BYTES, "all-rows-in-one-array", of=words, **facts)


QUESTION = Question(
    id="grow-1",
    points=2,
    title="A hundred losses with few nodes alive",
    text="""The loss of a row x of `xs` is the mean of (w·x − 2)². Write `track`, which returns `(total, gradient)`: the sum of the losses of all rows, and its
derivative with respect to w, computed with tapes of the kit. At no time may more than 12 nodes be alive in all records together, however many rows there
are, and no record may hold more than 1000 bytes of values when its tape closes. The check counts both while your function runs; watched variables count too. `w` is a number, and `ak.Variable(w)` makes a variable of it.""",
    writes=("track",),
    starter='''def track(w, xs):
    """The sum of the losses of all rows, and its gradient with respect to w."""
    ...
''',
    check=check,
    messages={
        "sum-carries-the-record": "The values are right, but {n} nodes were alive; at most {most} are allowed. One tape was open for all rows, so its record holds every operation of every row. What could each row have of its own?",
        "all-rows-in-one-array": "The values are right, and the nodes are few, but one record held {bytes} bytes; at most {room} are allowed. All {rows} rows went through it as one array, so its values grow with the rows. What could each row have of its own?",
        "list-holds-the-nodes": "The values are right, but {n} nodes were alive; at most {most} are allowed. Something still refers to the losses or the tapes of earlier rows, such as a list or a sum of tensors. Without its tape a loss still holds a node, though no arrays. Keep numbers only.",
        "last-tape-only": "The total is right, but the gradient is that of the last row only. For a new tape, the total of the rows before is a plain number: it did not record them. What does each row's tape give for its own loss?",
        "keeps-only-the-last": "That is the value of the last row only; the sum over all rows is asked for.",
    },
    hints=(
        "Which objects refer to the nodes of the first row when the last row is computed?",
        "The gradient of a sum is the sum of the gradients: each row can have a tape of its own.",
        "In the loop: `total += float(loss)` and `slope += float(tape.gradient(loss, v))`. A float refers to no node.",
    ),
    example=lambda rng: {"w": round(float(rng.uniform(0.5, 2)), 2), "xs": rng.normal(size=(4, 3)).round(1)},
)
