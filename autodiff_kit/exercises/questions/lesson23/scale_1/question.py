"""scale-1: How long are Adam's steps?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.exercises.comparison_question import Misconception, comparison_question

from . import misconceptions, solution

__all__ = ["QUESTION"]


def inputs(rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    """Gradients of one weight; the first is never 0, the signs change, and later some are 0 and the last ones large."""
    for size, scale in ((3, 1.0), (8, 1.0), (40, 1000.0)):
        gradients = scale * rng.normal(size=size)
        gradients[0] = scale * (1 + rng.random())
        gradients[1] = -0.3 * gradients[0]
        if size > 3:
            gradients[4:6] = 0.0
        if size > 8:  # so many large ones that a step is longer than lr
            gradients[-6:] = 30 * scale * rng.uniform(1, 1.2, size=6)
        yield gradients, float(rng.choice((0.8, 0.9))), float(rng.choice((0.99, 0.999)))


def always_one(gradients: Any, b1: float, b2: float) -> Any:
    """Every step has the size of the learning rate."""
    return np.ones(len(gradients))


def signed_size(gradients: Any, b1: float, b2: float) -> Any:
    """The corrected m over the root, with its sign."""
    slot, signs = 0.0, []
    for g in gradients:
        slot = b1 * slot + (1 - b1) * g
        signs.append(np.sign(slot))
    return np.array(signs) * solution.relative_steps(gradients, b1, b2)


def zeros_left_out(gradients: Any, b1: float, b2: float) -> Any:
    """A gradient of 0 changes no slot, and its step is 0."""
    sizes = np.zeros(len(gradients))
    sizes[gradients != 0] = solution.relative_steps(gradients[gradients != 0], b1, b2)
    return sizes


def relative_to_the_first(gradients: Any, b1: float, b2: float) -> dict[str, object]:
    sizes = solution.relative_steps(gradients, b1, b2)
    return {
        "second": float(sizes[1]),
        "largest": float(np.abs(gradients).max()),
        "b1": b1,
        "longest": float(sizes.max()),
    }


_SIGNED = "Some of your numbers are negative. A size has no sign: take the absolute value of the step."


def slip(name: str, message: str, **switches: bool) -> Misconception:
    """A mistake that is one switch of the update rule."""
    return Misconception(name, partial(misconceptions.sizes_with_mistake, **switches), message)


QUESTION = comparison_question(
    id="scale-1",
    points=2,
    title="How long are Adam's steps?",
    text="""One weight gets a list of gradients, the first of them not 0; later ones may be 0. For each step, give its size divided by the learning rate:
|step| / lr, an array with one number per gradient. The slots start at 0, and `eps` is 0.""",
    without=("ak.optim.Adam",),
    starter='def relative_steps(gradients, b1, b2):\n    """|step| / lr of Adam for each gradient of the list."""\n    ...\n',
    solution=solution.relative_steps,
    inputs=inputs,
    misconceptions=(
        Misconception(
            "always-the-learning-rate",
            always_one,
            "Only the first step must have the size of lr. Here the second gradient has the other sign: its step is {second} of lr.",
        ),
        Misconception(
            "one-where-g-is-not-zero",
            lambda gradients, b1, b2: (gradients != 0).astype(float),
            "You gave 1 where g is not 0, and 0 elsewhere. Only the first step must have the size of lr: the second is {second} of lr here, and where g is 0 the mean m still makes a step.",
        ),
        slip(
            "v-is-not-corrected",
            "m is corrected, v is not, so the first steps are too long. Which division is missing?",
            v_corrected=False,
        ),
        slip(
            "m-is-not-corrected",
            "v is corrected, m is not, so the first steps are too short. Which division is missing?",
            m_corrected=False,
        ),
        slip(
            "no-bias-correction",
            "Neither m nor v is corrected. With both corrections the first entry is 1.",
            m_corrected=False,
            v_corrected=False,
        ),
        slip(
            "mean-of-sizes",
            "m is the mean of the gradients with their signs, not of their sizes. Gradients of different signs cancel in m.",
            of_sizes=True,
        ),
        Misconception(
            "never-longer-than-lr",
            lambda gradients, b1, b2: np.minimum(solution.relative_steps(gradients, b1, b2), 1.0),
            "You cut the sizes at 1. A step of Adam can be longer than lr: after small gradients, several large ones give {longest}.",
        ),
        Misconception(
            "no-step-at-zero",
            lambda gradients, b1, b2: np.where(gradients == 0, 0.0, solution.relative_steps(gradients, b1, b2)),
            "Where the gradient is 0 your size is 0. With g = 0 the mean m becomes {b1}·m, which still makes a step.",
        ),
        Misconception(
            "zeros-left-out",
            zeros_left_out,
            "A gradient of 0 changes nothing in your code. It is a step like any other: m and v become smaller, and t grows by 1.",
        ),
        Misconception(
            "size-of-the-gradient",
            lambda gradients, b1, b2: np.abs(gradients),
            "You gave |g|, the size of SGD's step divided by lr. Adam's step is computed from m and v.",
        ),
        Misconception("with-its-sign", signed_size, _SIGNED),
        Misconception("sign-of-the-step", lambda *arguments: -signed_size(*arguments), _SIGNED),
        slip(
            "divided-by-v",
            "You divided by v itself. Adam divides by the root of v, so that m and the divisor have the same unit.",
            rooted=False,
        ),
        slip(
            "not-divided-by-the-root",
            "Your sizes grow with the gradients (the largest is {largest}). Adam divides m by the root of v.",
            divided=False,
        ),
    ),
    hints=(
        "What is left of the update rule when lr and eps are taken away?",
        "Keep m and v from step to step; correct copies of them in each step, with t = 1, 2, …",
        "`abs(m / (1 - b1**t)) / np.sqrt(v / (1 - b2**t))` after the updates of m and v.",
    ),
    facts=relative_to_the_first,
)
