"""stop-1: Training a part of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

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
        masked["counts-a-part-twice"] = (1 + mask) * weights
        if not a.case(reply.value, weights, masked, tol=1e-10, of=translate("The value of part(W, M)", "lesson10")):
            continue
        if reply.gradients[0] is None:
            a.fail({"stops-everything"}, translate("The gradient of W is None.", "lesson10"))
            continue
        mistaken = {
            "stops-nothing": c,
            "stops-the-wrong-half": c * (1 - mask),
            "stops-everything": 0.0 * c,
            "gradient-too-large": 2 * c * mask,
        }
        a.case(reply.gradients[0], c * mask, mistaken, tol=1e-10, of=translate("The gradient of W", "lesson10"))


QUESTION = Question(
    id="stop-1",
    points=2,
    title="Training a part of a matrix",
    text="""Some weights of a layer are to stay fixed. Return the value of `W`, with a gradient only where the mask `M` is 1: there it passes
unchanged, and where `M` is 0 it is exactly 0. `W` is a tensor, `M` an array of zeros and ones of the same shape. Use the kit's operations;
`ak.stop_gradient` is one of them.""",
    writes=("part",),
    starter='''def part(W, M):
    """W, with a gradient only where M is 1."""
    ...
''',
    check=check,
    messages={
        "masks-the-value-too": "Your value is 0 where M is 0. The value must be W everywhere; only the gradient depends on M.",
        "masks-the-other-way": "Your value is 0 where M is 1. The value must be W everywhere; only the gradient depends on M.",
        "counts-a-part-twice": "Your value is twice W where M is 1: the stopped part contains these weights, too. Both parts must add up to W.",
        "stops-nothing": "W gets a gradient everywhere, also where M is 0. Which part should be stopped?",
        "stops-the-wrong-half": "W gets a gradient where M is 0, and none where M is 1: the stop is on the wrong part.",
        "stops-everything": "W gets no gradient at all. Where M is 1 it must pass.",
        "gradient-too-large": "Where M is 1 the gradient of W is twice what it should be. It must pass unchanged.",
    },
    hints=(
        "Write W as a sum: the part where M is 1, and the rest.",
        "Both parts belong to the value. Which of them may pass a gradient?",
        "`M * W + ak.stop_gradient((1 - M) * W)`.",
    ),
    example=lambda rng: {"W": rng.normal(size=(2, 3)).round(2), "M": np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])},
)
