"""jvp-5: Which pulls are wrong?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback, LearnerCodeError
from autodiff_kit.exercises.protocol import SeededGenerator as Random
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

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
    for _ in range(8):  # a gap without its sign taken off is found by luck in a few
        ops, lying = misconceptions.random_operations(rng)
        reply = yield Call("wrong_pulls", (handed(ops), Random(int(rng.integers(2**32)))))
        if a.warned(reply):
            continue
        accused = named_5(reply)
        missed, wronged = lying - accused, accused - lying
        if missed or wronged:
            names = _names_5(missed, wronged, ops) if accused else set()
            a.fail(names, _words_5(missed, wronged), **gap(rng, ops, wronged or missed))


def named_5(reply: CallResult) -> set[str]:
    """The names that were given back."""
    value = reply.value
    if type(value) is not set or not all(type(name) is str for name in value):
        raise LearnerCodeError(
            translate(
                "wrong_pulls must return a set of names, such as {'sin', 'roll'}; set() makes an empty one.", "lesson01"
            )
        )
    return value


def _names_5(missed: set[str], wronged: set[str], ops: dict[str, tuple[Any, Any, Array]]) -> set[str]:
    """The misconceptions that explain which operations were missed and which were named without reason."""
    if wronged == {"square"} and not missed:
        return {"asks-the-identity-for-truth"}
    if not missed and any(ops[name][2].dtype == np.float64 for name in wronged - {"scale"}):
        return {"asks-for-equality"}
    if missed <= {"tiny"}:
        return {"tolerance-without-scale"}
    if wronged:
        return set()
    return {"probe-of-ones"} if "roll" in missed else {"tolerance-too-loose"} if "sin" in missed else set()


def _words_5(missed: set[str], wronged: set[str]) -> str:
    parts = [translate("The set is not right.", "lesson01")]
    if missed:
        text = translate("Not found, although the pull is wrong: {names}.", "lesson01")
        parts.append(text.format(names=", ".join(sorted(missed))))
    if wronged:
        text = translate("Named, although the pull is right: {names}.", "lesson01")
        parts.append(text.format(names=", ".join(sorted(wronged))))
    return " ".join(parts)


def gap(rng: np.random.Generator, ops: dict[str, tuple[Any, Any, Array]], names: set[str]) -> dict[str, object]:
    """Of the operations judged wrongly, the one whose two numbers are furthest apart, and how large they are."""
    found = []
    for name in sorted(names):
        push, pull, x = ops[name]
        v, u = rng.normal(size=(2, misconceptions.N)).astype(x.dtype)
        moved, back = np.asarray(push(x, v), float), np.asarray(pull(x, u), float)
        size = float(np.abs(u) @ np.abs(moved) + np.abs(back) @ np.abs(v))
        found.append((float(abs(u @ moved - back @ v)), size, name))
    return dict(zip(("gap", "size", "op"), max(found), strict=True)) if found else {}


QUESTION = Question(
    id="jvp-5",
    points=3,
    title="Which pulls are wrong?",
    text="""`ops` is a dictionary: for each operation's name it holds `(push, pull, x, m)`. `push(x, v)` gives J·v, with v like x; `pull(x, u)` should give u·J, with u of length m. Some pulls
multiply by another matrix than their push. Return the set of their names. f itself is not given, so finite differences are not possible. A wrong pull may differ from the right one by as little as one part in a thousand. Rounding is not an error: some operations have
numbers near 1e12 or near 1e-9, and some compute in float32 (the dtype of x). `rng` is a NumPy generator for random u and v.""",
    writes=("wrong_pulls",),
    starter='''def wrong_pulls(ops, rng):
    """The set of names of the operations whose pull and push multiply by different matrices."""
    ...
''',
    check=check,
    messages={
        "probe-of-ones": "The wrong pull of roll was not found. With u = v = (1, …, 1) a roll and its opposite give the same number. Use random u and v.",
        "tolerance-without-scale": "For {op} the two inner products differ by {gap}, and the sizes of their terms sum to {size}. One fixed limit cannot fit all scales: compare the difference with that size, times eps of the dtype.",
        "asks-for-equality": "For {op} the two inner products differ by {gap}, a rounding of their terms, and it was named. Two floats that are computed in different ways are rarely equal: allow what rounding can do.",
        "tolerance-too-loose": "The wrong pull of sin was not found. It is off by a factor of 1.001 only, and the limit lets it pass.",
        "asks-the-identity-for-truth": "square was named, but its push and its pull agree: both lack the factor 2 of the true derivative. The adjoint test compares the two rules with each other, not with f.",
    },
    hints=(
        "Which two numbers are equal if push and pull belong to the same J?",
        "A random pair u, v can miss an error by chance; use three. How large can rounding be for terms of a given size?",
        "Compare with `50*eps(dtype)*(|u|·|Jv| + |uJ|·|v|)`.",
    ),
    example=lambda rng: {
        "ops": {name: (*op, misconceptions.N) for name, op in misconceptions.random_operations(rng)[0].items()},
        "rng": rng,
    },
)
