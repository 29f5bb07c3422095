"""grow-3: What runs when equal things run once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from autodiff_kit.exercises.diagnosis import Attempt
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    import numpy as np

    from autodiff_kit.exercises.protocol import Script

__all__ = ["QUESTION"]


def check(a: Attempt, rng: np.random.Generator) -> Script:
    for e in ("x", ("+", 2, 3), *(misconceptions.expression(rng) for _ in range(4))):
        reply = yield Call("distinct", (e,))
        if a.warned(reply):
            continue
        whole = misconceptions.occurrences(e)
        mistaken = {
            "order-blind": partial(misconceptions.distinct, e, commute=("+", "*", "-")),
            "counts-occurrences": whole,
            "misses-commuted": partial(misconceptions.distinct, e, commute=()),
            "constant-is-a-node": partial(misconceptions.distinct, e, fold=False),
        }
        a.case(reply.value, solution.distinct(e), mistaken, tol=1e-12, facts={"n": whole})


QUESTION = Question(
    id="grow-3",
    points=2,
    title="What runs when equal things run once",
    text="""An expression is a name such as `"x"`, a number, or a tuple `(op, part, ...)`; ops are `+`, `-`, `*` with two parts and `sin` with one. `("*", ("+", "x", "y"), ("sin", ("+", "y", "x")))` is (x + y)·sin(y + x).
A compiler runs equal parts once. How many operations are left? Sums and products are equal whichever way round their parts stand, differences are not. A part that holds numbers only is worked out beforehand: it is a number, and no
operation; `("*", ("+", 1, 2), "x")` and `("*", "x", 3)` are equal.""",
    writes=("distinct",),
    starter='''def distinct(expression):
    """How many operations run, when equal parts run once."""
    ...
''',
    check=check,
    messages={
        "order-blind": "x − y is not y − x: for a difference the order counts.",
        "counts-occurrences": "{n} places hold an operation, but equal ones run once.",
        "misses-commuted": "x + y and y + x are one operation.",
        "constant-is-a-node": "A part that holds numbers only is a number before the program runs.",
    },
    hints=(
        "A key for each part, so that equal parts have equal keys.",
        "The key of an operation is made of its op and the *keys* of its parts, and not of their text.",
        "Go depth first and keep a dictionary from `(op, *keys)` to a number; sort the keys where the op commutes (`key=repr`); give back a number where all keys are numbers. The answer is `len` of the dictionary.",
    ),
    example=lambda rng: {"expression": misconceptions.expression(rng)},
)
