"""jvp-2: A row, a column, and what a vector target gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, m in ((3, 5), (5, 3), (4, 4)):
        f, x = shared.QuadraticPlusSines.draw(rng, n, m), rng.normal(size=n)
        J, first = f.jacobian(x), m % 2  # place 0, and half of an even length, are the same counted from the end
        i = int(rng.integers(first, m))
        j = (i + 1) % n if n == m else int(rng.integers(first, n))
        whole = {"gives-the-jacobian": J}
        of_value = np.asarray(f(x)) @ J
        asked: tuple[tuple[str, tuple[int, ...], Array, dict[str, Array]], ...] = (
            ("row", (i,), J[i], {"row-is-column": J[:, min(i, n - 1)], **whole}),
            ("column", (j,), J[:, j], {"row-is-column": J[min(j, m - 1)], **whole}),
            (
                "gradient",
                (),
                J.sum(0),
                {"sums-the-rows": J.sum(1), "mean-not-sum": J.mean(0), "pulls-the-value": of_value, **whole},
            ),
        )
        for name, place, want, mistaken in asked:
            kit, counted = shared.CountedTransforms(), shared.CountedFunction(f)
            errors = ("IndexError",) if place and place[0] >= min(n, m) else ()
            reply = yield Call(name, (kit.callback, Callback(counted, "f", raw=True), x, *place), errors=errors)
            if reply.error:
                words = translate("{call}: there is no place {place} in a vector of {length}.", "lesson01")
                told = {"call": f"{name}(kit, f, x, {place[0]})", "place": place[0], "length": min(n, m)}
                a.fail({"row-is-column"}, words.format(**told))
            elif not a.warned(reply) and a.case(reply.value, want, mistaken, tol=1e-10, facts={"n": n, "m": m}):
                sweeps = max(kit.pulls + kit.pushes, counted.pulls + counted.pushes)
                a.behave(
                    sweeps <= 1,
                    "jacobian-first",
                    translate("{name} took {sweeps} sweeps.", "lesson01").format(name=name, sweeps=sweeps),
                    k=sweeps,
                )


QUESTION = Question(
    id="jvp-2",
    points=2,
    title="A row, a column, and what a vector target gives",
    text="""J is the Jacobian of f at x. Write `row` (row i of J), `column` (column j of J) and `gradient` (what `tape.gradient(y, x)` returns for the
whole vector y = f(x)), each with a single sweep. `kit` has `y, pull = kit.vjp(f, x)` and `y, dy = kit.jvp(f, x, v)`; every sweep through f is counted.
To try a pull yourself, pass `ak` as the kit: `row(ak, q2.example.f, q2.example.x, 0)`. (`ak.jvp` takes tuples, `ak.jvp(f, (x,), (v,))`.)""",
    writes=("row", "column", "gradient"),
    starter='''def row(kit, f, x, i):
    """Row i of the Jacobian of f at x."""
    ...


def column(kit, f, x, j):
    """Column j of the Jacobian of f at x."""
    ...


def gradient(kit, f, x):
    """What tape.gradient(y, x) returns for the vector y = f(x)."""
    ...
''',
    check=check,
    messages={
        "gives-the-jacobian": "The result is all of J. A tape returns an array of shape ({n},): it pulls a cotangent of ones, which adds the rows of J.",
        "sums-the-rows": "The result is J·1, a push of ones. A tape pulls ones: it adds the rows of J, and this is the sum over each row.",
        "row-is-column": "`row` gives a column, or `column` a row. Row i belongs to output i, column j to input j: which sweep takes a vector with one entry per output?",
        "jacobian-first": "The value is right, and it took {k} sweeps. One is enough: choose the vector so that only the entry you need is 1.",
        "pulls-the-value": "The result is y·J: y itself was pulled. A cotangent weights the outputs; which weights does a sum over all outputs have?",
        "mean-not-sum": "The result is 1/{m} of what a tape gives. A vector target counts as the sum of its entries, not as their mean.",
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
