"""state-3: A gradient that survives overwriting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.withheld import DERIVATIVES
from autodiff_kit.lessons.translation import translate

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
KINDS = ("untouched", "overwritten with the same values", "overwritten", "with two entries exchanged", "negated")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for kind in KINDS:
        # Eighths are added without rounding: the sum stays the same to the last bit when two of them are exchanged.
        # Their number is odd, so that no choice of signs adds up to 0, where x and −x would have the same sum.
        eighths = rng.choice(np.arange(8, 41), size=5, replace=False)
        eighths[0] += 1 - eighths.sum() % 2
        x, g = eighths / 8 * [1, -1, 1, *rng.choice([-1, 1], 2)], rng.normal(size=5)
        first = yield Call("square", (x,))
        if a.warned(first):
            return
        value, pull = unpack_tuple(first, "square", ("y", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError(
                translate("square must return (y, pull); pull is a function of g that returns dx.", "lesson12")
            )
        if not a.case(value, x**2, tol=1e-12, of=translate("The value y", "lesson12")):
            return
        later = {KINDS[2]: np.full(5, 10.0), KINDS[3]: x[[0, 2, 1, 3, 4]], KINDS[4]: -x}.get(kind, x)
        errors = () if kind == KINDS[0] else ("Exception",)
        written = () if kind == KINDS[0] else (later,)
        reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,), overwrite=written, errors=errors)
        if reply.error:
            a.behave(True)
        elif not a.warned(reply):
            gradient_3(a, reply, x, later, g, kind)


def gradient_3(a: AttemptEvaluation, reply: CallResult, x: Array, later: Array, g: Array, kind: str) -> None:
    """Judge a pull that answered; after an overwriting, an error would have been right too."""
    got = require_real_array(reply.value, "pull")
    want = 2 * x * g
    mistaken: dict[str, object] = {"ignores-g": 2 * x, "root-of-the-square": 2 * np.abs(x) * g}
    if kind in KINDS[2:]:
        # A pull that noticed the first change, and not the exchange of two entries, has compared too little.
        blind = {KINDS[3]: "blind-check", KINDS[4]: "compares-the-squares"}
        name = "held-by-reference" if a.failed_cases else blind.get(kind, "held-by-reference")
        mistaken |= {name: 2 * later * g, "silent": np.full(5, np.nan) if np.isnan(got).all() else 0 * g}
    words = {
        KINDS[0]: translate("The result of pull(g) for an x that nobody changed", "lesson12"),
        KINDS[1]: translate("The result of pull(g) for an x overwritten with the same values", "lesson12"),
        KINDS[2]: translate("The result of pull(g) for an overwritten x", "lesson12"),
        KINDS[3]: translate("The result of pull(g) for an x with two entries exchanged", "lesson12"),
        KINDS[4]: translate("The result of pull(g) for an x replaced by −x", "lesson12"),
    }[kind]
    facts = {"was": float(x[0]), "now": float(later[0]), "want": float(want[0])}
    facts["got"] = float(got.flat[0]) if got.size else 0.0
    a.case(got, want, mistaken, tol=1e-12, of=words, facts=facts)


QUESTION = Question(
    id="state-3",
    points=3,
    title="A gradient that survives overwriting",
    text="""Write `square(x)` with NumPy. It returns y = x² and a function `pull`; `pull(g)` returns the gradient of x. The array x belongs to the caller, who may write into it between the two calls:

```python
y, pull = square(x)
x[...] = 10.0
dx = pull(g)
```

Then `pull` must either return the gradient for the x that was squared, or raise an error. It must not return anything else. If x was not changed, it must return the gradient.""",
    writes=("square",),
    without=DERIVATIVES,
    starter='''def square(x):
    """x**2 and its pull; after a change of x the pull is still right, or raises an error."""
    ...
''',
    check=check,
    messages={
        "held-by-reference": "x[0] was {was} when it was squared and is {now} now. Your pull returned {got}; expected {want}. It read the array that was overwritten.",
        "blind-check": "Two entries of x were exchanged, and your pull took x for unchanged. Compare every entry, and not a sum or a few of them.",
        "compares-the-squares": "x was replaced by −x, and your pull did not notice, because the squares are the same. Compare x itself.",
        "ignores-g": "Your pull returns 2x. Multiply it by g, the gradient that comes into y.",
        "root-of-the-square": "Your gradient has the right size, but for negative x the wrong sign. The root of x² is |x|.",
        "silent": "Your pull returned zeros or nan after the change of x. Return the right gradient, or raise an error.",
    },
    hints=(
        "Which numbers does pull need, and who else can write to the array that holds them?",
        "Keep the numbers where nobody else can write, or notice in pull that they have changed.",
        "`held = x.copy()`; or `before = x.tobytes()`, and in pull `if x.tobytes() != before: raise RuntimeError(...)`.",
    ),
    example=lambda rng: {"x": rng.integers(1, 6, 5).astype(float), "g": rng.integers(1, 4, 5).astype(float)},
)
