"""jvp-2: A row, a column, and what a vector target gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, m in ((3, 5), (5, 3), (4, 4)):
        f, x = shared.QuadraticPlusSines.draw(rng, n, m), rng.normal(size=n)
        J, i = f.jacobian(x), int(rng.integers(m))
        j = (i + 1) % n if n == m else int(rng.integers(n))
        whole = {"gives-the-jacobian": J}
        asked: tuple[tuple[str, tuple[int, ...], Array, dict[str, Array]], ...] = (
            ("row", (i,), J[i], {"row-is-column": J[:, min(i, n - 1)], **whole}),
            ("column", (j,), J[:, j], {"row-is-column": J[min(j, m - 1)], **whole}),
            ("gradient", (), J.sum(0), {"sums-the-rows": J.sum(1), "mean-not-sum": J.mean(0), **whole}),
        )
        for name, place, want, mistaken in asked:
            kit = shared.CountedTransforms()
            reply = yield Call(name, (kit.callback, Callback(f, "f", raw=True), x, *place))
            if not a.warned(reply) and a.case(reply.value, want, mistaken, tol=1e-10, facts={"n": n, "m": m}):
                sweeps = kit.pulls + kit.pushes
                a.behave(sweeps <= 1, "jacobian-first", f"{name} took {sweeps} sweeps.", k=sweeps)


QUESTION = Question(
    id="jvp-2",
    points=2,
    title="A row, a column, and what a vector target gives",
    text="""J is the Jacobian of f at x. Write `row` (row i of J), `column` (column j of J) and `gradient` (what a tape answers when it is asked for the
gradient of the whole vector f(x)), each with a single sweep. You are given `kit` with `y, pull = kit.vjp(f, x)` and `y, dy = kit.jvp(f, x, v)`; every pull and every push is counted.
To try your functions by hand, pass `ak` for the kit: `row(ak, q2.example.f, q2.example.x, 0)`.""",
    writes=("row", "column", "gradient"),
    starter='''def row(kit, f, x, i):
    """Row i of the Jacobian of f at x."""
    ...


def column(kit, f, x, j):
    """Column j of the Jacobian of f at x."""
    ...


def gradient(kit, f, x):
    """What a tape gives as the gradient of the vector f(x)."""
    ...
''',
    check=check,
    messages={
        "gives-the-jacobian": "That is all of J. The tape seeds every output with 1 and gives the sum of the rows, shape ({n},).",
        "sums-the-rows": "You pushed ones through the inputs. The tape pulls ones back from the outputs.",
        "row-is-column": "Row i answers for output i: it comes back from a pull. Yours is a column (and your column a row, or the other way round).",
        "jacobian-first": "Right, but you built {k} rows or columns to use one. One seed is enough.",
        "mean-not-sum": "A vector target means the sum; dividing by {m} is a choice the loss must make itself.",
    },
    hints=(
        "A pull gives u·J. Which u picks row i?",
        "A push gives J·v. Which v picks column j?",
        "`gradient` is the pull of `ones_like(y)`.",
    ),
    example=lambda rng: {
        "f": shared.QuadraticPlusSines.draw(rng, 3, 2),
        "x": rng.normal(size=3).round(2),
        "i": int(rng.integers(2)),
        "j": int(rng.integers(3)),
    },
)
