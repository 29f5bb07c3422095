"""stop-3: Which stops are free."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call, Callback, LearnerCodeError
from autodiff_kit.exercises.protocol import SeededGenerator as Random
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(2):
        six = misconceptions.random_stopped_functions(rng)
        pairs = {
            name: (Callback(stop.whole, f"{name}'s f", raw=True), Callback(stop.stopped, f"{name}'s g", raw=True))
            for name, stop in six.items()
        }
        reply = yield Call("free", (pairs, Random(int(rng.integers(2**32)))))
        if a.warned(reply):
            continue
        got, want = named_3(reply), {name for name, stop in six.items() if stop.free}
        if got == want:
            a.behave(True)
            continue
        wrong = sorted(want - got) or sorted(got - want & set(six))
        points = [rng.normal(size=6) for _ in range(3)]
        about = (
            {
                "name": f"{wrong[0]}, {six[wrong[0]].of}",
                "e": misconceptions.largest_gradient_difference(six[wrong[0]], points),
            }
            if wrong
            else {}
        )
        a.fail(_names_3(got, want, six), _words_3(got, want), **about)


def named_3(reply: CallResult) -> set[str]:
    """The names that were given back."""
    value = reply.value
    if type(value) is not set or not all(type(name) is str for name in value):
        raise LearnerCodeError("free is to give back a set of names, such as {'A', 'C'}; set() makes an empty one.")
    return value


def _names_3(got: set[str], want: set[str], six: dict[str, misconceptions.StoppedFunction]) -> set[str]:
    fourth = next(name for name, stop in six.items() if stop.of == misconceptions.FOURTH_MOMENT)
    kinds = {"all-stops-matter": set(), "none-matter": set(six), "one-point-is-proof": want | {fourth}}
    return {name for name, answer in kinds.items() if got == answer}


def _words_3(got: set[str], want: set[str]) -> str:
    parts = [f"{', '.join(sorted(want - got))} {'is' if len(want - got) == 1 else 'are'} free"] if want - got else []
    parts += [f"{', '.join(sorted(got - want))} changed a gradient somewhere"] if got - want else []
    return f"Not all of it is right: {'; '.join(parts)}."


def _example_3(rng: np.random.Generator) -> dict[str, object]:
    stop = misconceptions.random_stopped_functions(rng)["A"]
    return {"f": stop.whole, "g": stop.stopped, "x": rng.normal(size=6).round(2)}


QUESTION = Question(
    id="stop-3",
    points=2,
    title="Which stops are free",
    text="""`pairs` holds six pairs under the letters A to F, in an order that is drawn anew: `f, g = pairs["A"]`. Both functions take a tensor with 6 entries and give one number;
g is f with a `stop_gradient` somewhere inside. Their values are equal. Give the set of letters for which their gradients are equal too, at *any* x. Ask with `ak.grad(f)(x)`;
differences below 10⁻⁹ are rounding. `rng` is a NumPy generator for the points.""",
    writes=("free",),
    starter='''def free(pairs, rng):
    """The set of names of the pairs whose stop changes no gradient."""
    ...
''',
    check=check,
    messages={
        "all-stops-matter": "{name}: largest difference {e}. Some stops cost nothing.",
        "none-matter": "{name}: largest difference {e}.",
        "one-point-is-proof": "{name}: free at a symmetric x only, since its path carries Σ(x − μ)³. Elsewhere the difference is {e}.",
    },
    hints=(
        "Compare the two gradients of a pair.",
        "At random points: at a special one a path may carry 0 by chance.",
        "Three times `x = rng.normal(size=6)`, and `np.allclose(ak.grad(f)(x).numpy(), ak.grad(g)(x).numpy(), atol=1e-9)` at all of them.",
    ),
    example=_example_3,
)
