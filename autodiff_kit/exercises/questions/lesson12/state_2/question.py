"""state-2: A table without boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

if TYPE_CHECKING:
    from typing import Any

    from autodiff_kit.exercises.protocol import CheckScript

    Array = np.ndarray[Any, Any]

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for rows, inner, columns in ((3, 3, 2), (2, 4, 3), (1, 2, 1)):
        P, B = (
            rng.integers(1, 7, (rows, inner)).astype(float),
            rng.integers(3, 8, (inner, columns)).astype(float),
        )
        u = rng.normal(size=(rows, columns))
        reply = yield Call("ratios", (P, B), wrt=(0, 1), seed=u)
        if a.warned(reply):
            continue
        want = 1 - P.prod(1)[:, None] / B.prod(0)
        sums = 1 - P.sum(1)[:, None] / B.sum(0)
        if a.case(reply.value, want, {"sum-for-product": sums}, tol=1e-10, of="The value of ratios(P, B)"):
            way_back_2(a, reply.gradients, P, B, u)


def way_back_2(a: AttemptEvaluation, gradients: tuple[object, ...], P: Array, B: Array, u: Array) -> None:
    """Judge the gradients to both tables."""
    p, b = P.prod(1)[:, None], B.prod(0)
    wanted = {"P": -(u / b).sum(1)[:, None] * p / P, "B": (u * p).sum(0) / b / B}
    lost = [name for name, gradient in zip(wanted, gradients, strict=True) if gradient is None]
    if lost:
        a.fail({"assign-breaks-the-path" if len(lost) == 2 else "one-path-is-cut"}, k=" and ".join(lost))
        return
    for (name, want), gradient in zip(wanted.items(), gradients, strict=True):
        # Of (b − p)/b the b above, the b below, or both have lost their path.
        ways = [np.zeros(want.shape), *([u.sum(0) / B, (u * p / b - u).sum(0) / B] if name == "B" else [])]
        mistaken = {"one-path-is-cut": next((way for way in ways if values_close(gradient, way, 1e-10)), None)}
        a.case(gradient, want, mistaken, tol=1e-10, of=f"The gradient to {name}", facts={"k": name})


QUESTION = Question(
    id="state-2",
    points=2,
    title="A table without boxes",
    text="""This table comes from an old program. `P` has a row of numbers for each item, `B` a column for each box.

```python
out = np.zeros((len(P), B.shape[1]))
for i in range(len(P)):
    for j in range(B.shape[1]):
        p, b = ak.Variable(1.0), ak.Variable(1.0)
        for k in range(P.shape[1]):
            p.assign(p * P[i, k])
            b.assign(b * B[k, j])
        out[i, j] = 1 - p / b
```

Its numbers are right, and nothing leads back from them. Write it so that a gradient reaches every entry of `P` and of `B`, both of which come in as tensors on a tape. No loop is needed.""",
    writes=("ratios",),
    starter='''def ratios(P, B):
    """The same table, on the record: a tensor of shape (rows of P, columns of B)."""
    ...
''',
    check=check,
    messages={
        "assign-breaks-the-path": "The numbers are right, and nothing leads back: on the way they became numbers without a history.",
        "one-path-is-cut": "A part of what leads back to {k} is missing. Does each place where it stands read it from the record?",
        "sum-for-product": "Products along the axis, not sums.",
    },
    hints=(
        "What do p and b hold when k has run through? A product along an axis.",
        "Products of rows make a column, products of columns a row: broadcast one against the other.",
        "`ak.prod(P, axis=1)` has a value for each row; `[:, None]` makes a column of it, and the rest is one line.",
    ),
    example=lambda rng: {
        "P": rng.integers(1, 7, (3, 3)).astype(float),
        "B": rng.integers(3, 8, (3, 2)).astype(float),
    },
)
