"""jvp-5: Find the liars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback, LearnerCodeError
from autodiff_kit.exercises.protocol import SeededGenerator as Random
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]


def handed(ops: dict[str, tuple[Any, Any, Array]]) -> dict[str, tuple[object, ...]]:
    """The ops as a learner is given them: (push, pull, x, m)."""
    return {
        name: (Callback(push, f"{name}'s push"), Callback(pull, f"{name}'s pull"), x, misconceptions.N)
        for name, (push, pull, x) in ops.items()
    }


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        ops, lying = misconceptions.random_operations(rng)
        reply = yield Call("liars", (handed(ops), Random(int(rng.integers(2**32)))))
        if a.warned(reply):
            continue
        accused = named_5(reply)
        missed, wronged = lying - accused, accused - lying
        if missed or wronged:
            a.fail(_names_5(missed, wronged), _words_5(missed, wronged), **gap(rng, ops, wronged))


def named_5(reply: CallResult) -> set[str]:
    """The names that were given back."""
    value = reply.value
    if type(value) is not set or not all(type(name) is str for name in value):
        raise LearnerCodeError(
            "liars is to give back a set of names, such as {'sin', 'roll'}; set() makes an empty one."
        )
    return value


def _names_5(missed: set[str], wronged: set[str]) -> set[str]:
    if wronged and not missed:
        return {"asks-the-identity-for-truth"} if wronged == {"square"} else {"tolerance-without-scale"}
    if wronged:
        return set()
    return {"probe-of-ones"} if "roll" in missed else {"tolerance-too-loose"} if "sin" in missed else set()


def _words_5(missed: set[str], wronged: set[str]) -> str:
    parts = [f"{', '.join(sorted(missed))} went free"] if missed else []
    parts += [f"{', '.join(sorted(wronged))} told the truth"] if wronged else []
    return f"Not all of it is right: {'; '.join(parts)}."


def gap(rng: np.random.Generator, ops: dict[str, tuple[Any, Any, Array]], wronged: set[str]) -> dict[str, object]:
    """Of the honest ops that were accused, the one whose two numbers are furthest apart, and how large they are."""
    found = []
    for name in sorted(wronged):
        push, pull, x = ops[name]
        v, u = rng.normal(size=(2, misconceptions.N)).astype(x.dtype)
        moved, back = np.asarray(push(x, v), float), np.asarray(pull(x, u), float)
        size = float(np.abs(u) @ np.abs(moved) + np.abs(back) @ np.abs(v))
        found.append((float(abs(u @ moved - back @ v)), size, name))
    return dict(zip(("gap", "size", "op"), max(found), strict=True)) if found else {}


QUESTION = Question(
    id="jvp-5",
    points=3,
    title="Find the liars",
    text="""`ops` holds, by name, `(push, pull, x, m)`: `push(x, v)` gives J·v, with v like x, and `pull(x, u)` is meant to give u·J, with u of length m. Some pulls are not the
transpose of their push. Give the set of their names. f itself is not given, so there is nothing to difference. Some ops are large, and some compute in float32 (x tells the
dtype): rounding is no lie. `rng` is a NumPy generator for your probes.""",
    writes=("liars",),
    starter='''def liars(ops, rng):
    """The set of names of the ops whose pull is not the transpose of their push."""
    ...
''',
    check=check,
    messages={
        "probe-of-ones": "roll went free. With u = v = 1 a roll and its opposite look alike. Ask with random directions.",
        "tolerance-without-scale": "{op} differs by {gap} out of {size}: that is rounding. Measure the gap against the sum of |u||Jv| and against eps.",
        "tolerance-too-loose": "One op is off by a thousandth, and your limit lets it through.",
        "asks-the-identity-for-truth": "Both rules of square are wrong in the same way, and the identity holds. It tests that two rules fit each other, not that they fit f.",
    },
    hints=(
        "u·(Jv) and (uJ)·v are one number.",
        "One random probe can be lucky; use three.",
        "Compare with `50*eps(dtype)*(|u|·|Jv| + |uJ|·|v|)`.",
    ),
    example=lambda rng: {
        "ops": {name: (*op, misconceptions.N) for name, op in misconceptions.random_operations(rng)[0].items()},
        "rng": rng,
    },
)
