"""tape-2: The reverse sweep."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import values_close
from autodiff_kit.exercises.counterexample import counterexample_by
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared
from . import misconceptions, solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

DEEP = 20_000


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        nodes, target = misconceptions.random_graph(rng), 11
        first = yield Call("sweep", (nodes, target))
        again = yield Call("sweep", (nodes, target))
        if a.warned(first) or a.warned(again):
            return
        right = np.array(solution.sweep(nodes, target))
        one, two = shared.list_as_array(first.value), shared.list_as_array(again.value)
        if isinstance(one, np.ndarray) and isinstance(two, np.ndarray) and not values_close(two, one, 1e-9):
            a.fail(
                {"second-pull-adds-to-the-first"},
                translate("The same call was made twice, and the two answers differ.", "lesson00"),
            )
            return
        mistaken = {
            "overwrites-at-fan-out": partial(misconceptions.reverse_sweep, nodes, target, overwrite=True),
            "starts-at-the-last-node": partial(misconceptions.reverse_sweep, nodes, len(nodes) - 1),
            "starts-every-node-at-1": partial(misconceptions.reverse_sweep, nodes, target, ones=True),
            "runs-downwards": partial(misconceptions.reverse_sweep, nodes, target, downwards=True),
        }
        if not a.case(
            one,
            right,
            mistaken,
            of=translate("The list of cotangents", "lesson00"),
            facts={"i": max(j for j, _ in nodes[target])},
        ):
            return
    yield from deep(a)


def deep(a: AttemptEvaluation) -> CheckScript:
    """A chain that is deeper than Python's stack."""
    chain: misconceptions.Graph = [[], *([(i, 1.0)] for i in range(DEEP))]
    reply = yield Call("sweep", (chain, DEEP), errors=("RecursionError",))
    if reply.error:
        a.behave(False, "recursion", translate("A chain of nodes was too deep.", "lesson00"), half=False, n=len(chain))
    elif not a.warned(reply):
        a.case(
            shared.list_as_array(reply.value),
            np.ones(len(chain)),
            of=translate("The list of cotangents of a long chain", "lesson00"),
        )


QUESTION = Question(
    id="tape-2",
    points=3,
    title="The reverse sweep",
    text="""A record is a list of nodes, each a list of pairs `(input, slope)`: the number of an earlier node, and the derivative of this node with respect to that one. A node without pairs
is a source. Write the sweep: for every node the derivative of node `target` with respect to it, as a list (or an array) as long as `nodes`. Several nodes may read the same node, the
target need not be the last node, and a record may have 20 000 nodes. Nodes on which the target does not depend get 0.""",
    writes=("sweep",),
    starter='''def sweep(nodes, target):
    """For every node, the derivative of node `target` with respect to it."""
    ...
''',
    check=check,
    counterexample=counterexample_by(misconceptions.smaller_graphs, solution.sweep),
    messages={
        "overwrites-at-fan-out": "Where two nodes read the same node, one of the two contributions was overwritten. Contributions to a cotangent are added.",
        "runs-downwards": "The cotangent of node {i} was used before it was complete. Which node's cotangent is complete first?",
        "starts-at-the-last-node": "The sweep began at the last node. It begins at the target, whose derivative with respect to itself is 1.",
        "starts-every-node-at-1": "Every cotangent began at 1. Only that of the target does; the others begin at 0, since nothing has reached them yet.",
        "second-pull-adds-to-the-first": "The same call gave another answer the second time: it started from what the first call left. Each call starts from zeros.",
        "recursion": "A record of {n} nodes ended in a RecursionError. The list is already in the order of computing, so a loop is enough.",
    },
    hints=(
        "Which value does each node start with, and which node starts with another one?",
        "Go through the nodes from last to first. Then every node that reads a node is visited before it.",
        "`for i in range(target, -1, -1): for j, s in nodes[i]: bar[j] += bar[i]*s`",
    ),
    example=lambda rng: {"nodes": misconceptions.random_graph(rng), "target": 11},
)
