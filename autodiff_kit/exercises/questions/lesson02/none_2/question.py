"""none-2: Connected or not, from the record alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question

from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(5):
        nodes, target, sources = misconceptions.random_graph(rng)
        reply = yield Call("connected", (nodes, target, sources))
        if a.warned(reply):
            continue
        way = partial(misconceptions.connected_with_mistake, nodes, target, sources)
        mistaken = {
            "walks-through-a-cut": partial(way, through_cuts=True),
            "zero-taken-for-None": partial(way, zero_cuts=True),
            "target-is-not-its-own-source": partial(way, not_itself=True),
            "earlier-means-connected": [s <= target for s in sources],
        }
        models_of = {name: (lambda m=m: np.array(m() if callable(m) else m)) for name, m in mistaken.items()}
        want = np.array(solution.connected(nodes, target, sources))
        cut = next(op for op, *_ in nodes if op in misconceptions.CUTS)
        a.case(told_2(reply, len(sources)), want, models_of, facts={"op": cut})


def told_2(reply: CallResult, n: int) -> np.ndarray:
    """The list that was given back, as an array."""
    value = reply.value
    if type(value) is not list or len(value) != n or not all(type(one) is bool for one in value):
        raise LearnerCodeError(f"connected is to give back a list of {n} times True or False, one for each source.")
    return np.array(value)


def example_2(rng: np.random.Generator) -> dict[str, object]:
    nodes, target, sources = misconceptions.random_graph(rng)
    return {"nodes": nodes, "target": target, "sources": sources}


QUESTION = Question(
    id="none-2",
    points=3,
    title="Connected or not, from the record alone",
    text="""A record is a list of nodes `(op, *inputs)`, such as `("mul", 0, 4)`; inputs are places in the list, and stand before their node. `("input",)` has none. Four ops pass no
gradient: `"floor"`, `"cast"`, `"greater"` and `"convert"` (to a plain number). For each source, a place in the list, say whether the gradient of the target with respect to it is a number: a list of True and
False. The numbers themselves are not needed, and there are none.""",
    writes=("connected",),
    starter='''def connected(nodes, target, sources):
    """For each source True if a gradient flows to it from the target, False if it is None."""
    ...
''',
    check=check,
    messages={
        "walks-through-a-cut": "{op} passes no gradient: what stands before it is not reached that way.",
        "zero-taken-for-None": "x − x has slope 0 and is connected: 0 is an answer, None is its absence.",
        "target-is-not-its-own-source": "The derivative of the target with respect to itself is 1.",
        "earlier-means-connected": "Being earlier is not being used.",
    },
    hints=(
        "A walk from the target, against the arrows.",
        "Stop at cuts: the node itself is reached, its inputs are not.",
        "A set of what was found and a list of what waits; `if op not in CUTS: waiting.extend(inputs)`.",
    ),
    example=example_2,
)
