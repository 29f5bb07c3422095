"""jvp-3: Push with pulls only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, m in ((4, 7), (7, 4), (5, 5), (40, 3)):
        waves, x, v = shared.QuadraticPlusSines.draw(rng, n, m), rng.normal(size=n), rng.normal(size=n)
        kit, f, J = shared.CountedTransforms(), Callback(waves, "f", raw=True), waves.jacobian(x)
        reply = yield Call("jvp_by_pulls", (kit.callback, f, x, v))
        if a.warned(reply):
            continue
        want = J @ v
        got = require_real_array(reply.value, "jvp_by_pulls")
        estimate = values_close(got, want, 1e-2) and not values_close(got, want, 1e-10)
        if f.calls > 2 or estimate:
            err = float(np.abs(got - want).max()) if got.shape == want.shape else float("nan")
            a.fail({"finite-difference"}, f"jvp_by_pulls called f {f.calls} times.", err=err)
            continue
        u = np.zeros(m)
        u[: min(n, m)] = v[: min(n, m)]
        mistaken = {"pulled-not-pushed": u @ J, "column-sums-times-v": np.full(m, J.sum(0) @ v)}
        facts: dict[str, Any] = {"m": m, "k": kit.pulls}
        if a.case(reply.value, want, mistaken, tol=1e-10, facts=facts, of=f"jvp_by_pulls for n = {n}, m = {m}"):
            a.behave(kit.pushes == 0, "used-a-push", "A push was used.")
            a.behave(kit.pulls <= 2, "jacobian-first", f"{kit.pulls} pulls were used.", **facts)


QUESTION = Question(
    id="jvp-3",
    points=3,
    title="Push with pulls only",
    text="""Compute J·v without forward mode and without differences of f: only `y, pull = kit.vjp(f, x)` is allowed, at most two pulls, whatever the
number of outputs. (`kit.vjp` takes any function, a pull among them. To try it by hand, pass `ak` for the kit.)""",
    writes=("jvp_by_pulls",),
    starter='''def jvp_by_pulls(kit, f, x, v):
    """J v, by kit.vjp alone and in two pulls."""
    ...
''',
    check=check,
    messages={
        "jacobian-first": "Right, with {k} pulls. u ↦ u·J is linear: pull through it once.",
        "finite-difference": "Close ({err}), but it is a difference. No step size is needed here.",
        "pulled-not-pushed": "You computed v·J. For n ≠ m the shapes would have told you; where m = n, or with zeros filled in, nothing does.",
        "column-sums-times-v": "(1·J)·v is the sum of what you want: all {m} components fell into one number.",
        "used-a-push": "Correct, but the point is to do without forward mode.",
    },
    hints=(
        "What sort of function is u ↦ u·J?",
        "Its own pull at v is J·v.",
        "`_, pull = kit.vjp(f, x); _, again = kit.vjp(pull, zeros_like(y)); return again(v)`: the zeros do not matter, why?",
    ),
    example=lambda rng: {
        "f": shared.QuadraticPlusSines.draw(rng, 3, 2),
        "x": rng.normal(size=3).round(2),
        "v": rng.normal(size=3).round(2),
    },
)
