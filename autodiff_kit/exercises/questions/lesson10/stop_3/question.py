"""stop-3: Which stops are free."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        raise LearnerCodeError(
            translate("free must return a set of names, such as {'A', 'C'}; set() makes an empty one.", "lesson10")
        )
    return value


def _names_3(got: set[str], want: set[str], six: dict[str, misconceptions.StoppedFunction]) -> set[str]:
    letter = {stop.of: name for name, stop in six.items()}
    fourth, without_x = letter[misconceptions.fourth_moment()], letter[misconceptions.variance_of_stopped_x()]
    kinds = {"all-stops-matter": set(), "none-matter": set(six), "one-point-is-proof": want | {fourth}}
    kinds |= {"compares-sums": want | {without_x}, "equal-entries": want | {fourth, without_x}}
    return {name for name, answer in kinds.items() if got == answer}


def _words_3(got: set[str], want: set[str]) -> str:
    parts = [translate("Your set is not right.", "lesson10")]
    if want - got:
        parts.append(translate("Free, and not named: {names}.", "lesson10").format(names=", ".join(sorted(want - got))))
    if got - want:
        parts.append(translate("Named, and not free: {names}.", "lesson10").format(names=", ".join(sorted(got - want))))
    return " ".join(parts)


def _example_3(rng: np.random.Generator) -> dict[str, object]:
    stop = misconceptions.random_stopped_functions(rng)["A"]
    return {"f": stop.whole, "g": stop.stopped, "x": rng.normal(size=6).round(2)}


QUESTION = Question(
    id="stop-3",
    points=2,
    title="Which stops are free",
    text="""`pairs` is a dictionary with six pairs of functions under the letters A to F, in a new order each time: `f, g = pairs["A"]`. Both take
a tensor with 6 entries and return one number; g is f with a `stop_gradient` inside. Their values are equal. Return the set of letters for
which their gradients are equal as well, at *every* x. Use `ak.grad(f)(x)`, and treat differences below 10⁻⁹ as rounding. `rng` is a NumPy
generator for the points.""",
    writes=("free",),
    starter='''def free(pairs, rng):
    """The set of names of the pairs whose stop changes no gradient."""
    ...
''',
    check=check,
    messages={
        "all-stops-matter": "You named no pair. For {name}, the largest difference of the gradients is {e}: this stop is free.",
        "none-matter": "You named all six. For {name}, the gradients differ by {e}, although the values are equal.",
        "compares-sums": "For {name}, the gradients have equal sums, and an entry differs by {e}. Compare the gradients entry by entry.",
        "equal-entries": "For {name}, the gradients agree where all entries of x are equal, since every deviation is 0 there. At other points they differ by {e}.",
        "one-point-is-proof": "For {name}, the gradients agree only where the entries of x lie symmetrically around their mean. At other points they differ by {e}.",
    },
    hints=(
        "Compare the two gradients of each pair. What about their values?",
        "At which points? At a special one a path may carry 0 by chance.",
        "Three times `x = rng.normal(size=6)`, and `np.allclose(ak.grad(f)(x).numpy(), ak.grad(g)(x).numpy(), atol=1e-9)` at all of them.",
    ),
    example=_example_3,
)
