"""state-2: Rewrite a loop of assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

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
        P *= rng.choice([-1.0, 1.0], P.shape)
        P[0, 0] = -abs(P[0, 0]) * np.sign(P[0, 1:].prod())  # a product below 0
        u = rng.normal(size=(rows, columns))
        # In a browser NumPy gives no floating-point warning about a tensor's values; nan in the result is seen everywhere.
        reply = yield Call("ratios", (P, B), wrt=(0, 1), seed=u, quiet=True)
        if has_nan(reply.value):
            a.fail({"through-logarithms"})
            continue
        want = 1 - P.prod(1)[:, None] / B.prod(0)
        sums = 1 - P.sum(1)[:, None] / B.sum(0)
        swapped = next((one for one in other_axes(P, B) if values_close(reply.value, one, 1e-10)), None)
        mistaken = {"sum-for-product": sums, "axes-swapped": swapped}
        if a.case(reply.value, want, mistaken, tol=1e-10, of=translate("The value of ratios(P, B)", "lesson12")):
            gradients_2(a, reply.gradients, P, B, u)


def has_nan(value: object) -> bool:
    """Whether some entry of an array is nan."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and bool(np.isnan(value).any())


def other_axes(P: Array, B: Array) -> list[Array]:
    """The tables of products along the other axis, of P, of B, or of both."""
    by_rows, by_columns = P.prod(1)[:, None], P.prod(0)[:, None]
    return [1 - by_columns / B.prod(0), 1 - by_rows / B.prod(1), 1 - by_columns / B.prod(1)]


def gradients_2(a: AttemptEvaluation, gradients: tuple[object, ...], P: Array, B: Array, u: Array) -> None:
    """Judge the gradients of both matrices."""
    p, b = P.prod(1)[:, None], B.prod(0)
    wanted = {"P": -(u / b).sum(1)[:, None] * p / P, "B": (u * p).sum(0) / b / B}
    lost = [name for name, gradient in zip(wanted, gradients, strict=True) if gradient is None]
    if lost:
        a.fail(
            {"assign-breaks-the-path" if len(lost) == 2 else "one-path-is-cut"},
            k=translate(" and ", "lesson12").join(lost),
        )
        return
    for (name, want), gradient in zip(wanted.items(), gradients, strict=True):
        # Of (b − p)/b the b above, the b below, or both have lost their path.
        ways = [np.zeros(want.shape), *([u.sum(0) / B, (u * p / b - u).sum(0) / B] if name == "B" else [])]
        last = np.zeros(want.shape)
        at = (slice(None), -1) if name == "P" else (-1, slice(None))
        last[at] = want[at]
        cut = next((way for way in ways if values_close(gradient, way, 1e-10)), None)
        mistaken = {"one-path-is-cut": cut, "only-the-last-factor": last}
        a.case(
            gradient,
            want,
            mistaken,
            tol=1e-10,
            of=translate("The gradient of {name}", "lesson12").format(name=name),
            facts={"k": name},
        )


QUESTION = Question(
    id="state-2",
    points=2,
    title="Rewrite a loop of assignments",
    text="""This table comes from an old program. `P` and `B` are matrices; entries of `P` may be negative.

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

Its numbers are right, but the table has no gradients. Write `ratios(P, B)`: it returns the same table as a tensor, computed so that a tape gives the gradient with respect to every entry of `P` and of `B`. Both are tensors that a tape watches. No loop is needed.""",
    writes=("ratios",),
    starter='''def ratios(P, B):
    """The same table, recorded on the tape: a tensor of shape (rows of P, columns of B)."""
    ...
''',
    check=check,
    messages={
        "assign-breaks-the-path": "The values are right, but P and B get no gradient. Each number that goes through a variable, float() or NumPy leaves the tape.",
        "one-path-is-cut": "The values are right, but the gradient of {k} is missing or incomplete. Somewhere {k} leaves the tape.",
        "only-the-last-factor": "The values are right, but in the gradient of {k} only the last factor of each product counts. The product before it was stored in a variable, which keeps a number.",
        "axes-swapped": "Your products run along the wrong axis. The loops multiply along a row of P and along a column of B.",
        "through-logarithms": "Your table has nan: some entries of P are negative, so their logarithm is nan. The kit has a function that multiplies along an axis without logarithms.",
        "sum-for-product": "Your table is that of sums along the axes. The loops compute products.",
    },
    hints=(
        "What do p and b hold after the loop over k, in terms of a row of P and a column of B?",
        "The kit has a function for a product along an axis. Its results for P and for B have to be broadcast against each other.",
        "`ak.prod(P, axis=1)` has one value per row; `[:, None]` makes a column of it. Divide it by `ak.prod(B, axis=0)`.",
    ),
    example=lambda rng: {
        "P": rng.integers(1, 7, (3, 3)).astype(float),
        "B": rng.integers(3, 8, (3, 2)).astype(float),
    },
)
