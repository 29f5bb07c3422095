"""flop-1: The bill of a chain of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation, format_call, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for x_grad in (False, True, False, True):
        dims = [int(size) for size in rng.integers(2, 40, size=int(rng.integers(3, 6)))]
        batch = int(rng.integers(2, 30))
        reply = yield Call("cost", (dims, batch, x_grad))
        if a.warned(reply):
            continue
        got = np.array(unpack_tuple(reply, format_call(a.last), ("forward", "backward")), dtype=object)
        ahead, back = solution.cost(dims, batch, x_grad)
        first = 2 * batch * dims[0] * dims[1]
        mistaken = {
            "multiplications-only": (ahead / 2, back / 2),
            "forgets-the-batch": (ahead / batch, back / batch),
            "backward-equals-forward": (ahead, ahead),
            "always-twice": None if x_grad else (ahead, 2 * ahead),
            "input-gradient-never": (ahead, 2 * ahead - first) if x_grad else None,
        }
        models = {name: None if model is None else np.array(model, float) for name, model in mistaken.items()}
        a.case(numbers_of(got), np.array([ahead, back], float), models, tol=0.0, facts={"B": batch})


def numbers_of(pairs: np.ndarray) -> object:
    """Two numbers as an array of floats; anything else as it is."""
    if all(type(one) in (int, float) or (type(one) is np.ndarray and one.shape == ()) for one in pairs):
        return np.array([float(one) for one in pairs])
    return tuple(pairs)


QUESTION = Question(
    id="flop-1",
    points=2,
    title="The bill of a chain of layers",
    text="""A batch of `batch` rows goes through dense layers of sizes `dims`, such as [4, 8, 8, 2]: one product for each pair of neighbours, no bias, no activation. Count floating-point operations, as `tape.cost()` does: a
product of (m, k) and (k, n) takes 2mkn. Give `(forward, backward)`, where backward gives the gradients of all weights, and that of the input too if `x_grad` is True.""",
    writes=("cost",),
    starter='''def cost(dims, batch, x_grad):
    """(forward, backward): operations of all products, both ways."""
    ...
''',
    check=check,
    messages={
        "always-twice": "Nobody asked for the input's gradient here: the first layer does one product less.",
        "multiplications-only": "A product of (m, k, n) is 2mkn operations: mkn multiplications, and as many additions.",
        "forgets-the-batch": "Each of the {B} rows costs this much.",
        "backward-equals-forward": "Backward has two products for each one forward, the first layer excepted.",
        "input-gradient-never": "Here the gradient to the input was asked for, and it takes a product too.",
    },
    hints=(
        "What comes back into a layer's output is multiplied with two things. With which, and what for?",
        "One product for the weights' gradient, one for the input's; the first layer's input is data.",
        "`forward = sum(2 * batch * p * q for p, q in pairwise(dims))`, and backward is twice that, less one product.",
    ),
    example=lambda rng: {"dims": [int(one) for one in rng.integers(2, 9, size=4)], "batch": 10, "x_grad": False},
)
