"""jvp-1: Both columns of the table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

OPS = ("add", "mul", "square", "sin", "sub")


def program_of(rng: np.random.Generator) -> tuple[int, misconceptions.Program, list[int]]:
    """Number of inputs, lines and outputs: with fan-out, mul(a, a), an input as an output, one output twice."""
    n = int(rng.integers(2, 5))
    program: misconceptions.Program = [("mul", 0, 1), ("square", n), ("mul", n, n + 1), ("sin", 0), ("mul", 1, 1)]
    for _ in range(int(rng.integers(2, 6))):
        op = OPS[rng.integers(5)]
        ins = rng.integers(0, n + len(program), 1 if op in ("square", "sin") else 2)
        program.append((op, *ins.tolist()))
    return n, program, [n + 2, n + 3, 0, n + len(program) - 1, n + 2, n + 4]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(4):
        n, program, outputs = program_of(rng)
        x, v, u = rng.uniform(0.4, 1.6, n), rng.uniform(0.3, 1.2, n), rng.normal(size=len(outputs))
        reply = yield Call("push", (program, outputs, x, v))
        if not a.warned(reply):
            y, dy = unpack_tuple(reply, "push", ("y", "dy"))
            right, moved = solution.push(program, outputs, x, v)
            rules = {
                "product-of-tangents": misconceptions.product_of_tangents,
                "slope-at-the-tangent": misconceptions.slope_at_the_tangent,
                "finite-step": misconceptions.finite_step,
            }
            mistaken = {
                name: partial(misconceptions.jvp_with_rule, rule, program, outputs, x, v)
                for name, rule in rules.items()
            }
            a.case(y, right, of="y from push")
            a.case(dy, moved, mistaken, of="dy from push")
        reply = yield Call("pull", (program, outputs, x, u))
        if not a.warned(reply):
            back = partial(misconceptions.vjp_with_mistake, program, outputs, x, u)
            mistaken = {
                "overwrites-at-fan-out": partial(back, overwrite=True),
                "runs-downwards": partial(back, downwards=True),
                "repeated-output-lost": partial(back, seed_once=True),
            }
            facts = {"k": busiest(program), "out": n + 2}
            a.case(reply.value, solution.pull(program, outputs, x, u), mistaken, of="dx from pull", facts=facts)


def busiest(program: misconceptions.Program) -> int:
    """The first value that feeds two lines."""
    fed = [{i for i in ins if isinstance(i, int)} for _, *ins in program]
    return next(i for i in range(len(program)) if sum(i in line for line in fed) > 1)


def example_1(rng: np.random.Generator) -> dict[str, object]:
    n, program, outputs = program_of(rng)
    x, v, u = (
        rng.uniform(0.4, 1.6, n).round(2),
        rng.uniform(0.3, 1.2, n).round(2),
        rng.normal(size=len(outputs)).round(2),
    )
    return {"program": program, "outputs": outputs, "x": x, "v": v, "u": u}


QUESTION = Question(
    id="jvp-1",
    points=3,
    title="Both columns of the table",
    text="""A program is a list of lines such as `("mul", 0, 1)`: an op and the numbers of the values that it reads. Values 0 … n−1 are the inputs x,
and each line adds one. The ops are `add`, `sub`, `mul` (two inputs), `square`, `sin` (one). `outputs` lists the values that are the result; an input
may be among them, and a value may be listed twice.

`push` gives the outputs and how they move when x moves along v. `pull` gives what the weights u on the outputs send back to x.""",
    writes=("push", "pull"),
    starter='''def push(program, outputs, x, v):
    """Values and tangents of the outputs: two arrays (y, dy)."""
    ...


def pull(program, outputs, x, u):
    """The cotangent of x, an array, for cotangents u of the outputs."""
    ...
''',
    check=check,
    messages={
        "product-of-tangents": "You multiplied the two tangents. Wiggle only a: how much does a·b move?",
        "slope-at-the-tangent": "The slope belongs to the point, the tangent only multiplies it: 2a·da.",
        "finite-step": "You moved by all of v. A tangent is the straight-line part only, however long v is.",
        "overwrites-at-fan-out": "Value {k} feeds two lines, and one of its cotangents was lost. Contributions add.",
        "runs-downwards": "A cotangent was used before all its contributions had come in. Which line is finished first?",
        "repeated-output-lost": "Output {out} is listed twice; its two weights add.",
    },
    hints=(
        "One line at a time: keep a list of values and a list of tangents.",
        "For the way back, start with zeros, add the weights of the outputs, walk the lines from last to first.",
        "`for k, (op, *ins) in reversed(list(enumerate(program, n))): for i, s in zip(ins, slopes): bar[i] += bar[k]*s`",
    ),
    example=example_1,
)
