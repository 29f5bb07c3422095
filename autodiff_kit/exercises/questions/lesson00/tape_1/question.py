"""tape-1: Three slopes of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

PARTS = ("dz/dy", "dz/da", "dz/db")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    whole = rng.integers(1, 5, 2).tolist()
    for first in (float(whole[0]), float(-whole[1]), 0.0, float(rng.uniform(1, 3))):
        b, p = float(rng.integers(2, 6)), int(rng.integers(2, 5))
        reply = yield Call("slopes", (first, b, p))
        if a.warned(reply):
            continue
        got = [
            require_real_array(part, f"slopes, as {name},")
            for part, name in zip(unpack_tuple(reply, "slopes", PARTS), PARTS, strict=True)
        ]
        right = np.array(solution.slopes(first, b, p))
        outer = right[0]
        mistaken = {
            "stops-at-the-middle": np.array([outer, outer, outer]),
            "forgets-the-outer-slope": np.array([outer, b, first]),
            "from-the-wrong-end": np.array([outer * b, outer * b, outer * first]),
        }
        shapes = {part.shape for part in got}
        joined = np.array(got) if len(shapes) == 1 else np.array([np.nan] * 3)
        a.case(joined, right, mistaken, tol=1e-10, of="(dz/dy, dz/da, dz/db)")


QUESTION = Question(
    id="tape-1",
    points=1,
    title="Three slopes of one line",
    text="""For y = a·b and z = yᵖ with a whole number p ≥ 2, give the three slopes (dz/dy, dz/da, dz/db). Plain arithmetic, no tape: this is what the
tape does. a may be negative or 0.""",
    writes=("slopes",),
    starter='''def slopes(a, b, p):
    """The slopes (dz/dy, dz/da, dz/db) of z = y**p with y = a*b."""
    ...
''',
    check=check,
    messages={
        "stops-at-the-middle": "dz/da is not dz/dy: a moves y by b; multiply on.",
        "forgets-the-outer-slope": "b is dy/da, the slope of the first line. How far does z move, when y does?",
        "from-the-wrong-end": "For dz/dy, y itself is moved and not a: the factor b does not belong to it.",
    },
    hints=(
        "dz/dy first: a and b do not matter for it, only y does.",
        "Then times dy/da, and times dy/db.",
        "`d = p * (a*b)**(p - 1)`; then `d`, `d*b`, `d*a`.",
    ),
    example=lambda rng: {"a": float(rng.integers(1, 5)), "b": float(rng.integers(2, 6)), "p": int(rng.integers(2, 5))},
)
