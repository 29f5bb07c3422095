"""flop-1: The cost of a chain of layers."""

from __future__ import annotations

from itertools import pairwise
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
        first, last = 2 * batch * dims[0] * dims[1], 2 * batch * dims[-2] * dims[-1]
        # With x_grad, this count is also that of somebody who never counts the input: only the case before it tells.
        free = not x_grad or "first-layer-is-free" in a.common_misconceptions
        mistaken = {
            "multiplications-only": (ahead / 2, back / 2),
            "forgets-the-batch": (ahead / batch, back / batch),
            "backward-equals-forward": (ahead, ahead),
            "always-twice": None if x_grad else (ahead, 2 * ahead),
            "input-gradient-never": (ahead, 2 * ahead - first) if x_grad else None,
            "first-layer-is-free": (ahead, 2 * ahead - (1 if x_grad else 2) * first) if free else None,
            "last-layer-spared": None if x_grad else (ahead, 2 * ahead - last),
            "hidden-inputs-forgotten": (ahead, ahead + (first if x_grad else 0)),
            "swapped": (back, ahead),
            "backward-with-forward": (ahead, ahead + back),
            "one-addition-fewer": _with_one_addition_fewer(dims, batch, x_grad),
            "one-addition-fewer-twice": _twice_with_one_addition_fewer(dims, batch, x_grad),
        }
        models = {name: None if model is None else np.array(model, float) for name, model in mistaken.items()}
        a.case(numbers_of(got), np.array([ahead, back], float), models, tol=0.0, facts={"B": batch})


def _exact(m: int, k: int, n: int) -> int:
    """Operations of a product whose sums start with their first term."""
    return m * n * (2 * k - 1)


def _with_one_addition_fewer(dims: list[int], batch: int, x_grad: bool) -> tuple[int, int]:
    """Every product, forward and backward, with k - 1 additions for each entry."""
    pairs = list(pairwise(dims))
    inputs = [_exact(batch, q, p) for p, q in pairs]
    to_weights = sum(_exact(p, batch, q) for p, q in pairs)
    return sum(_exact(batch, p, q) for p, q in pairs), to_weights + sum(inputs if x_grad else inputs[1:])


def _twice_with_one_addition_fewer(dims: list[int], batch: int, x_grad: bool) -> tuple[int, int]:
    """The forward products with k - 1 additions for each entry, and twice these counts backward."""
    products = [_exact(batch, p, q) for p, q in pairwise(dims)]
    return sum(products), 2 * sum(products) - (0 if x_grad else products[0])


def numbers_of(pairs: np.ndarray) -> object:
    """Two numbers as an array of floats; anything else as it is."""
    if all(type(one) in (int, float) or (type(one) is np.ndarray and one.shape == ()) for one in pairs):
        return np.array([float(one) for one in pairs])
    return tuple(pairs)


QUESTION = Question(
    id="flop-1",
    points=2,
    title="The cost of a chain of layers",
    text="""A batch of `batch` rows goes through dense layers with the sizes `dims`, such as [4, 8, 8, 2]: one product for each pair of neighbouring sizes, no bias
and no activation. Write `cost`, which returns `(forward, backward)`: the numbers of floating-point operations, counted as `tape.cost()` counts them. A product of
the shapes (m, k) and (k, n) takes 2mkn. The backward pass computes the gradients of all weights, and also the gradient of the input if `x_grad` is True.""",
    writes=("cost",),
    without=("ak.GradientTape",),
    starter='''def cost(dims, batch, x_grad):
    """(forward, backward): operations of all products, both ways."""
    ...
''',
    check=check,
    messages={
        "always-twice": "The backward count includes the gradient of the input, but `x_grad` is False. Which product can be left out?",
        "multiplications-only": "Both counts are half of what is expected: the additions are missing. A product takes mkn multiplications and mkn additions.",
        "forgets-the-batch": "That is the cost of one row. The batch has {B} rows.",
        "backward-equals-forward": "The backward count equals the forward count. Which gradients does one layer need, and with how many products?",
        "hidden-inputs-forgotten": "Your backward pass has one product for each layer: the gradient of its weights. The gradient of a layer's input takes another; all but the first layer need it, or the layers before get none.",
        "input-gradient-never": "With `x_grad` True, the gradient of the input takes a product too.",
        "first-layer-is-free": "The first layer has no product backward in your count. The gradient of its weights takes one.",
        "last-layer-spared": "The last layer has one product backward in your count. It is the first layer that can leave one out.",
        "backward-with-forward": "The second number counts both passes. The forward operations are in the first number already.",
        "one-addition-fewer": "Each product was counted with k − 1 additions for each entry. Here a sum starts at 0, so k multiplications come with k additions: 2mkn.",
        "one-addition-fewer-twice": "The products were counted with k − 1 additions for each entry. Here a sum starts at 0, so k multiplications come with k additions: 2mkn.",
        "swapped": "The two numbers are in the other order: (forward, backward) is expected.",
    },
    hints=(
        "The cotangent of a layer's output enters two products. What does each of them compute?",
        "One product for the weights' gradient, one for the input's; the first layer's input is data.",
        "`forward = sum(2 * batch * p * q for p, q in pairwise(dims))`, and backward is twice that, minus the first layer's product if `x_grad` is False.",
    ),
    example=lambda rng: {"dims": [int(one) for one in rng.integers(2, 9, size=4)], "batch": 10, "x_grad": False},
)
