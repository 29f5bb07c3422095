"""none-2: Connected or not, from the record alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.counterexample import counterexample_by
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, LearnerCodeError
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

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
        answered = told_2(reply, len(sources))
        way = partial(misconceptions.connected_with_mistake, nodes, target, sources)
        mistaken = {
            "walks-through-a-cut": partial(way, through_cuts=True),
            "zero-taken-for-None": partial(way, zero_cuts=True),
            "target-is-not-its-own-source": partial(way, not_itself=True),
            "earlier-means-connected": [s <= target for s in sources],
            "direct-inputs-only": misconceptions.direct_inputs(nodes, target, sources, answered.tolist()),
        }
        models_of = {name: (lambda m=m: np.array(m() if callable(m) else m)) for name, m in mistaken.items()}
        want = np.array(solution.connected(nodes, target, sources))
        cut = next(op for op, *_ in nodes if op in misconceptions.CUTS)
        a.case(answered, want, models_of, facts={"op": cut})


def told_2(reply: CallResult, n: int) -> np.ndarray:
    """The list that was given back, as an array."""
    value = reply.value.tolist() if isinstance(reply.value, np.ndarray) else reply.value
    entries = value if isinstance(value, list | tuple) else []
    found = [one.tolist() if isinstance(one, np.ndarray) else one for one in entries]
    if len(found) != n or not all(type(one) is bool for one in found):
        text = translate(
            "connected must return a list of {n} booleans, True or False, one for each source.", "lesson02"
        )
        raise LearnerCodeError(text.format(n=n))
    return np.array(found)


def example_2(rng: np.random.Generator) -> dict[str, object]:
    nodes, target, sources = misconceptions.random_graph(rng)
    return {"nodes": nodes, "target": target, "sources": sources}


QUESTION = Question(
    id="none-2",
    points=3,
    title="Connected or not, from the record alone",
    text="""A record is a list of nodes `(op, *inputs)`, such as `("mul", 0, 4)`. The inputs are indices of earlier nodes; `("input",)` has none. Four operations pass no
gradient: `"floor"`, `"cast"` (to an integer), `"greater"` and `"convert"` (to a plain number). `target` and each of `sources` are indices. For each source, say whether the gradient of the target with respect to it
is a number (True) or None (False), as a list. No values are given, and none are needed.""",
    writes=("connected",),
    starter='''def connected(nodes, target, sources):
    """For each source True if the gradient of the target is a number, False if it is None."""
    ...
''',
    check=check,
    counterexample=counterexample_by(misconceptions.smaller_graphs, solution.connected),
    messages={
        "walks-through-a-cut": "A path through {op} was counted. {op} passes no gradient, so its inputs are not reached through it.",
        "zero-taken-for-None": "The inputs of x − x were called unconnected. Their gradient is 0, a sum over two paths, and so they are connected.",
        "target-is-not-its-own-source": "The target as its own source was called unconnected. The derivative of the target with respect to itself is 1.",
        "direct-inputs-only": "Only the inputs of the target itself were called connected. A path may lead through several nodes: the inputs of an input count too.",
        "earlier-means-connected": "Every earlier node was called connected. An earlier node is connected only if the target was computed from it.",
    },
    hints=(
        "From which node does a sweep start, and where does it go from each node?",
        "An operation that passes no gradient is itself reached, but its inputs are not.",
        "A set of what was found and a list of what waits; `if op not in CUTS: waiting.extend(inputs)`.",
    ),
    example=example_2,
)
