"""jvp-1: Push and pull through a list of steps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.withheld import DERIVATIVES
from autodiff_kit.lessons.translation import translate

from . import counterexample, misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

OPS = ("add", "mul", "square", "sin", "sub")


def program_of(rng: np.random.Generator) -> tuple[int, misconceptions.Program, list[int]]:
    """Number of inputs, lines and outputs: each operation, fan-out, mul(a, a), an input as an output, one output twice."""
    n = int(rng.integers(2, 5))
    program: misconceptions.Program = [("mul", 0, 1), ("square", n), ("mul", n, n + 1), ("sin", 0), ("mul", 1, 1)]
    program += [("sub", n + 3, 1), ("add", n + 5, 0)]
    for _ in range(int(rng.integers(2, 6))):
        op = OPS[rng.integers(5)]
        ins = rng.integers(0, n + len(program), 1 if op in ("square", "sin") else 2)
        program.append((op, *ins.tolist()))
    return n, program, [n + 2, n + 3, 0, n + len(program) - 1, n + 2, n + 4, n + 5, n + 6]


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
            sweep = partial(misconceptions.jvp_with_rule, program=program, outputs=outputs, x=x, v=v)
            mistaken: dict[str, object] = {name: partial(sweep, rule) for name, rule in rules.items()}
            mistaken |= misconceptions.with_wrong_slopes(lambda s: sweep(misconceptions.rule_with_slopes(s)), dy)  # noqa: B023
            a.case(y, right, of=translate("y from push", "lesson01"))
            a.case(dy, moved, mistaken, of=translate("dy from push", "lesson01"))
        reply = yield Call("pull", (program, outputs, x, u))
        if not a.warned(reply):
            back = partial(misconceptions.vjp_with_mistake, program, outputs, x, u)
            mistaken = {
                "overwrites-at-fan-out": partial(back, overwrite=True),
                "runs-downwards": partial(back, downwards=True),
                "repeated-output-lost": partial(back, seed_once=True),
                **misconceptions.with_wrong_slopes(lambda s: back(slopes=s), reply.value),  # noqa: B023
            }
            facts = {"k": busiest(program), "out": n + 2}
            want = solution.pull(program, outputs, x, u)
            a.case(reply.value, want, mistaken, of=translate("dx from pull", "lesson01"), facts=facts)
    if not a.failed_cases:
        yield from check_direction(a, rng)


def check_direction(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    """Whether pull multiplies the slopes from the outputs on: x1·(x0·(x0·x2)) has slopes whose order shows.

    From x2 on, the first two slopes are 1e-200 and their product is 0; from the output on, every product is a float.
    Entries of dx differ by 400 powers of ten, and x·dx does not: so x·dx is compared.
    """
    program: misconceptions.Program = [("mul", 0, 2), ("mul", 0, 3), ("mul", 1, 4)]
    outputs, x, u = [5], rng.uniform(0.5, 1.5, 3) * (1e-200, 1e200, 1e200), rng.uniform(0.5, 1.5, 1)
    reply = yield Call("pull", (program, outputs, x, u))
    want = solution.pull(program, outputs, x, u)
    if a.warned(reply) or not a.case(reply.value, want, of=translate("dx from pull", "lesson01")):
        return
    found = require_real_array(reply.value, "pull")
    pushed = values_close(found * x, misconceptions.pull_of_pushes(program, outputs, x, u) * x, 1e-9)
    right = values_close(found * x, want * x, 1e-9)
    a.behave(
        right,
        "pull-of-pushes" if pushed else "",
        half=pushed,
        of=translate("pull goes back from the outputs", "lesson01"),
    )


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
    title="Push and pull through a list of steps",
    text="""A program is a list of lines such as `("mul", 0, 1)`: an operation, and the numbers of the values that it reads. Values 0 … n−1 are the inputs x,
and each line computes one more value. The operations are `add`, `sub`, `mul` (two inputs), `square` and `sin` (one input). `outputs` lists the numbers of the values
that are the result. It may contain an input, and it may contain a value twice.

`push` returns the outputs y and their tangents dy = J·v. `pull` returns u·J, the gradient with respect to x of the sum of the outputs weighted by u.
Each is one sweep over the lines, however many inputs there are: `push` follows the lines, and `pull` goes back from the outputs.""",
    writes=("push", "pull"),
    without=DERIVATIVES,
    starter='''def push(program, outputs, x, v):
    """Values and tangents of the outputs: two arrays (y, dy)."""
    ...


def pull(program, outputs, x, u):
    """The cotangent of x, an array, for cotangents u of the outputs."""
    ...
''',
    check=check,
    counterexample=counterexample.smallest_counterexample,
    messages={
        "product-of-tangents": "For `mul`, dy from push has the product of the two tangents. If only a moves, how much does a·b move?",
        "slope-at-the-tangent": "The slope of `square` or `sin` was computed at the tangent. It belongs to the value; the tangent then multiplies it.",
        "finite-step": "dy from push is f(x + v) − f(x). A tangent is a rate: the linear part only, however long v is.",
        "sub-taken-for-add": "The slopes of `sub` have a wrong sign. If only b grows by 1, how does a − b change?",
        "slope-of-sin": "The values are right, but the slope of `sin` is not. Compare your slope at 0 and at π/2 with the curve of sin.",
        "slope-of-square": "The values are right, but the slope of `square` is not. How does a·a change when a grows by a small d?",
        "slope-of-mul": "The slopes of `mul` are exchanged. If only a moves, how much does a·b move?",
        "overwrites-at-fan-out": "Two lines read value {k}, and one of its two contributions was overwritten. Contributions to a cotangent are added.",
        "runs-downwards": "A cotangent was used before all its contributions were added. Which line's cotangent is complete first?",
        "repeated-output-lost": "Value {out} is listed twice in `outputs`, and only one of its two weights was used.",
        "pull-of-pushes": "The values are right, but `pull` multiplies the slopes from the inputs on, as pushes do: one sweep for each input. "
        "Start at the outputs, with u: one sweep back gives all of dx, and a million inputs cost no more sweeps than three. "
        "(How it showed: from the input on, two slopes of 1e-200 come first, and their product is 0.)",
    },
    hints=(
        "One line at a time: keep a list of values and a list of tangents.",
        "For the pull, start with a list of zeros, add the weights of the outputs, and go through the lines from last to first.",
        "`for k, (op, *ins) in reversed(list(enumerate(program, n))): for i, s in zip(ins, slopes): bar[i] += bar[k]*s`",
    ),
    example=example_1,
)
