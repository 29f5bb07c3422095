"""stop-1: A part of a matrix learns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for shape in ((3, 4), (2, 5), (3, 4)):
        weights, mask = rng.normal(size=shape), (rng.random(shape) < 0.5) * 1.0
        mask[0, :2] = 1.0, 0.0
        c = rng.uniform(0.5, 2.0, size=shape) * rng.choice([-1.0, 1.0], size=shape)
        reply = yield Call("part", (weights, mask), wrt=(0,), seed=c)
        if a.warned(reply):
            continue
        masked = {"masks-the-value-too": mask * weights, "masks-the-other-way": (1 - mask) * weights}
        if not a.case(reply.value, weights, masked, tol=1e-10, of="The value of part(W, M)"):
            continue
        if reply.gradients[0] is None:
            a.fail({"stops-everything"}, "The gradient of W is None.")
            continue
        mistaken = {"stops-nothing": c, "stops-the-wrong-half": c * (1 - mask), "stops-everything": 0.0 * c}
        a.case(reply.gradients[0], c * mask, mistaken, tol=1e-10, of="The gradient of W")


QUESTION = Question(
    id="stop-1",
    points=2,
    title="A part of a matrix learns",
    text="""Some weights of a layer are to stay as they are. Give W itself, with a path back to `W` only where the mask `M` is 1: there the gradient comes through
unchanged, and where `M` is 0 it is exactly 0. `W` is a tensor, `M` an array of zeros and ones of the same shape. Use the kit's ops; `ak.stop_gradient` is one of them.""",
    writes=("part",),
    starter='''def part(W, M):
    """W, with a gradient only where M is 1."""
    ...
''',
    check=check,
    messages={
        "masks-the-value-too": "The value must stay W: you left out the places that M leaves out.",
        "masks-the-other-way": "The value must stay W: only the places where M is 0 are left.",
        "stops-nothing": "W gets the whole gradient, masked places too.",
        "stops-the-wrong-half": "The places with M = 1 got 0 and the others what came in.",
        "stops-everything": "No path is left: nothing comes back to W.",
    },
    hints=(
        "W is a sum of two summands: what M keeps, and the rest.",
        "Both belong to the value; only one may pass a gradient on. Stop the other.",
        "`M * W + ak.stop_gradient((1 - M) * W)`.",
    ),
    example=lambda rng: {"W": rng.normal(size=(2, 3)).round(2), "M": np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])},
)
