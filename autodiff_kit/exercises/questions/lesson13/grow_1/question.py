"""grow-1: A sum of a hundred losses, and twelve nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from .. import shared
from . import misconceptions

if TYPE_CHECKING:
    import numpy as np

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

MOST = 12


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
        require_real_array(got, f"track, as {name},")
        found = each(w, xs)
        right &= a.case(got, found.sum(), {"keeps-only-the-last": found[-1]}, tol=1e-10, of=f"The {name}")
    if right:
        opened, _ = reply.tapes
        a.behave(opened > 0, "", "The values are right, but no tape was opened: the point is to ask one.")
        name = "sum-carries-the-record" if opened == 1 else "list-holds-the-nodes"
        a.behave(reply.nodes <= MOST, name, n=reply.nodes)


QUESTION = Question(
    id="grow-1",
    points=2,
    title="A sum of a hundred losses, and twelve nodes",
    text="""The loss of a row x of `xs` is the mean of (w·x − 2)². Give the sum of the losses of all rows and its gradient with respect to w, `(total, gradient)`, with tapes of the kit. At no time may more than
twelve nodes of records be alive, sources among them, however many rows there are: the nodes are counted where your function runs. `w` is a number; `ak.Variable(w)` makes a variable of it.""",
    writes=("track",),
    starter='''def track(w, xs):
    """The sum of the losses of all rows, and its gradient with respect to w."""
    ...
''',
    check=check,
    messages={
        "sum-carries-the-record": "{n} nodes were alive: one tape holds every step, and total = total + loss remembers how it was made. Ask each step on its own, and add numbers.",
        "list-holds-the-nodes": "{n} nodes were alive: a list of losses, or of tapes, keeps every record alive, as the sum did.",
        "keeps-only-the-last": "That is the last row's, not the sum.",
    },
    hints=(
        "What does total refer to, and what does that refer to?",
        "The gradient of a sum is the sum of the gradients: each row can have a tape of its own.",
        "In the loop: `total += float(loss)` and `slope += float(tape.gradient(loss, v))`. A number has no parents.",
    ),
    example=lambda rng: {"w": round(float(rng.uniform(0.5, 2)), 2), "xs": rng.normal(size=(4, 3)).round(1)},
)
