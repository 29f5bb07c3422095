"""per-3: Lengths of gradients without forming them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import solution

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

# The last case is for memory: a single gradient is 1000 x 1000, so that the grader sees it from outside of the process,
# and what is needed is a few times X and D.
SHAPES = ((6, 4, 3), (5, 2, 5), (4, 1000, 1000))
ROOM = 4


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for count, wide, out in SHAPES:
        X, D = rng.normal(size=(count, wide)), rng.normal(size=(count, out))
        X[0], D[1] = 0.0, 0.0
        reply = yield Call("norms", (X, D), memory=True)
        if a.warned(reply):
            continue
        x, d = np.linalg.norm(X, axis=1), np.linalg.norm(D, axis=1)
        want = solution.norms(X, D)
        batch = np.sqrt(((X.T @ D) ** 2).sum() + (D.sum(axis=0) ** 2).sum())
        mistaken = {
            "forgets-the-bias": x * d,
            "adds-the-norms": x * d + d,
            "bias-from-the-input": np.hypot(x * d, x),
            "bias-counts-one": np.hypot(x * d, 1.0),
            "adds-the-factors": np.hypot(x, d),
            "adds-the-factors-without-root": x**2 + d**2,
            "squared": want**2,
            "norm-of-the-batch-gradient": lambda got, one=batch: np.full(np.shape(got), one),
        }
        if not a.case(reply.value, want, _given(mistaken, reply.value), tol=1e-10):
            continue
        limit = ROOM * (X.nbytes + D.nbytes) + 65536
        words = translate(
            "The lengths are right, but {peak} bytes were in use at once; at most {limit} are allowed.", "lesson17"
        ).format(peak=reply.peak, limit=limit)
        told: dict[str, Any] = {"kb": reply.peak // 1024, "limit": limit // 1024}
        a.behave(wide < 100 or reply.peak <= limit, "forms-the-gradients", words, **told)


def _given(mistaken: dict[str, object], got: object) -> dict[str, object]:
    """Models that take the shape of what came are given it."""
    return {name: model(got) if callable(model) else model for name, model in mistaken.items()}


QUESTION = Question(
    id="per-3",
    points=3,
    title="Lengths of gradients without forming them",
    text="""A dense layer with a kernel and a bias computes `X @ K + c`. Row b of `D`, of shape (B, out), is the gradient of example b's loss with respect to its own
outputs. Write `norms`: for each example, the length of its gradient with respect to kernel *and* bias together, B numbers in all. Do not form any of these
gradients. The check measures the memory: arrays with as many entries as `X` and `D` together are fine, and one gradient of the kernel is not.""",
    writes=("norms",),
    starter='''def norms(X, D):
    """(B,): the length of each example's gradient, kernel and bias together."""
    ...
''',
    check=check,
    messages={
        "forgets-the-bias": "That is the length for the kernel alone. The bias has a gradient too.",
        "adds-the-norms": "The lengths for kernel and bias were added. For the length of both together, add their squares.",
        "bias-from-the-input": "For the bias, the length of the input row was used. The bias is added to each output: which array holds the gradient of the outputs?",
        "bias-counts-one": "For the bias, 1 was used. Its input is 1, but its gradient is not: by how much does the loss of example b change with each output?",
        "adds-the-factors": "The squares of the lengths of the rows of X and D were added. The kernel's gradient is an outer product of these rows: what is its length?",
        "adds-the-factors-without-root": "This is ‖x‖² + ‖d‖² for each row. The kernel's gradient is an outer product of x and d: what is its length?",
        "squared": "That is the square of the length.",
        "norm-of-the-batch-gradient": "All entries are the same: the length of the batch gradient. The examples were summed before the length was taken.",
        "forms-the-gradients": "The lengths are right, but {kb} kB were in use at once; at most {limit} kB are allowed. A gradient was formed.",
    },
    hints=(
        "The kernel's gradient is an outer product x dᵀ. What is the length of an outer product?",
        "What is the bias's gradient? How do the squares of two lengths give the length of both together?",
        "√((‖x‖² + 1)·‖d‖²), for each row.",
    ),
    example=lambda rng: {
        "X": rng.integers(-3, 4, (3, 2)).astype(float),
        "D": rng.integers(-3, 4, (3, 2)).astype(float),
    },
)
