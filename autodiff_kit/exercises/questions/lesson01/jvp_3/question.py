"""jvp-3: A push from two pulls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array, values_close
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from .. import shared

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, m in ((5, 5), (4, 7), (7, 4), (40, 3)):
        waves, x, v = shared.QuadraticPlusSines.draw(rng, n, m), rng.normal(size=n), rng.normal(size=n)
        kit, counted, J = shared.CountedTransforms(), shared.CountedFunction(waves), waves.jacobian(x)
        f = Callback(counted, "f", raw=True)
        reply = yield Call("jvp_by_pulls", (kit.callback, f, x, v))
        if a.warned(reply):
            continue
        want = J @ v
        got = require_real_array(reply.value, "jvp_by_pulls")
        estimate = values_close(got, want, 1e-2) and not values_close(got, want, 1e-10)
        if f.calls > 2 or estimate:
            err = float(np.abs(got - want).max()) if got.shape == want.shape else float("nan")
            a.fail(
                {"finite-difference"},
                translate("jvp_by_pulls called f {n} times.", "lesson01").format(n=f.calls),
                err=err,
            )
            continue
        u = np.zeros(m)
        u[: min(n, m)] = v[: min(n, m)]
        pulled = u @ J
        twice = pulled @ J if n == m else pulled
        got_twice = values_close(got, twice, 1e-10)
        mistaken = {
            "pulled-not-pushed": twice if got_twice else pulled,
            "column-sums-times-v": np.full(m, J.sum(0) @ v),
        }
        mistaken["value-of-the-first-pull"] = np.zeros(n)
        pulls, pushes = max(kit.pulls, counted.pulls), max(kit.pushes, counted.pushes)
        facts: dict[str, Any] = {"m": m, "k": pulls}
        if a.case(
            reply.value,
            want,
            mistaken,
            tol=1e-10,
            facts=facts,
            of=translate("jvp_by_pulls for n = {n}, m = {m}", "lesson01").format(n=n, m=m),
        ):
            a.behave(pushes == 0, "used-a-push", translate("A push was used.", "lesson01"))
            a.behave(
                pulls <= 2,
                "jacobian-first",
                translate("{k} pulls were used.", "lesson01").format(k=pulls),
                **facts,
            )
        elif n == m:
            return  # where n and m differ, a pull of v stops with an error: v is no cotangent of y


QUESTION = Question(
    id="jvp-3",
    points=3,
    title="A push from two pulls",
    text="""Compute J·v without forward mode and without differences of f. Use only `y, pull = kit.vjp(f, x)` and at most two pulls, for any
number of outputs. `kit.vjp` takes any function, also a pull. To try it yourself, pass `ak` as the kit.""",
    writes=("jvp_by_pulls",),
    starter='''def jvp_by_pulls(kit, f, x, v):
    """J v, by kit.vjp alone and in two pulls."""
    ...
''',
    check=check,
    messages={
        "jacobian-first": "The value is right, and it took {k} pulls. `pull` is itself a function of u: pull v through it.",
        "finite-difference": "The result is off by up to {err}: this looks like a difference of values of f. No step size is needed here.",
        "pulled-not-pushed": "v was pulled through f; the result is v·J, or v·J·J. v belongs to the inputs and is not a cotangent of y: they have the same length here, but not in general. Which function has y's cotangents as inputs?",
        "column-sums-times-v": "Each entry is (1·J)·v, which is the sum of all {m} entries of J·v. Summing the outputs first loses the single ones.",
        "value-of-the-first-pull": "All entries are 0: this is the value of the first pull at u = 0. J·v is what the second pull gives for v.",
        "used-a-push": "The value is right, but `kit.jvp` is forward mode. Use `kit.vjp` only.",
    },
    hints=(
        "Look at `pull` as a function of u. Which space do its inputs come from, and which its outputs?",
        "This function is linear, and its Jacobian is the transpose of J. Use `kit.vjp` on it.",
        "`_, pull = kit.vjp(f, x); _, again = kit.vjp(pull, zeros_like(y)); return again(v)`: the zeros do not matter, because `pull` is linear.",
    ),
    example=lambda rng: {
        "f": shared.QuadraticPlusSines.draw(rng, 3, 2),
        "x": rng.normal(size=3).round(2),
        "v": rng.normal(size=3).round(2),
    },
)
