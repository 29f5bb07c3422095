"""state-3: A record that cannot be overwritten behind its back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation, unpack_tuple
from autodiff_kit.exercises.protocol import Call, LearnerCodeError, ReturnedFunction
from autodiff_kit.exercises.question import Question

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CallResult, CheckScript

__all__ = ["QUESTION"]

Array = np.ndarray[Any, Any]
KINDS = ("untouched", "overwritten with the same values", "overwritten")


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for kind in KINDS:
        x, g = rng.normal(size=5) + 3, rng.normal(size=5)
        first = yield Call("square", (x,))
        if a.warned(first):
            return
        value, pull = unpack_tuple(first, "square", ("y", "pull"))
        if not isinstance(pull, ReturnedFunction):
            raise LearnerCodeError("square is to give back (y, pull), where pull is a function: pull(g) gives dx.")
        if not a.case(value, x**2, tol=1e-12, of="The value y"):
            return
        later = {KINDS[0]: (), KINDS[1]: (x,), KINDS[2]: (np.full(5, 10.0),)}[kind]
        errors = () if kind == KINDS[0] else ("Exception",)
        reply = yield Call(ReturnedFunction(pull.number, "pull"), (g,), overwrite=later, errors=errors)
        if reply.error:
            a.behave(True)
        elif not a.warned(reply):
            way_back_3(a, reply, x, g, kind)


def way_back_3(a: AttemptEvaluation, reply: CallResult, x: Array, g: Array, kind: str) -> None:
    """Judge a pull that answered; after an overwriting, an error would have been right too."""
    got = require_real_array(reply.value, "pull")
    want = 2 * x * g
    mistaken: dict[str, object] = {}
    if kind == KINDS[2]:
        mistaken = {"held-by-reference": 20 * g, "silent": np.full(5, np.nan) if np.isnan(got).all() else 0 * g}
    words = f"What pull(g) gives for x {kind}"
    facts = {"was": float(x[0]), "got": float(got.flat[0]) if got.size else 0.0, "want": float(want[0])}
    a.case(got, want, mistaken, tol=1e-12, of=words, facts=facts)


QUESTION = Question(
    id="state-3",
    points=3,
    title="A record that cannot be overwritten behind its back",
    text="""`square(x)` gives y = x² and a pull: `pull(g)` gives dx. x is a NumPy array, and it belongs to somebody else, who may write into it between the two calls:

```python
y, pull = square(x)
x[...] = 10.0
dx = pull(g)
```

Then `pull` must answer for the x that was squared, or raise an error that says what happened; a wrong number is the one thing that it must not give. It must answer where x was left alone. NumPy only.""",
    writes=("square",),
    starter='''def square(x):
    """x**2, and its pull: right or loud, whatever happens to x afterwards."""
    ...
''',
    check=check,
    messages={
        "held-by-reference": "x[0] was {was} and became 10: you answered {got} for {want}. What is kept must not change with x.",
        "silent": "You noticed the change and answered anyway. Keep a copy, or raise an error.",
    },
    hints=(
        "What does pull need, and who else can write there?",
        "Copy it, lock it, or find out that it has changed. Which of them is cheapest?",
        "`held = x.copy()`; or `stamp = x.tobytes()`, and in pull `if x.tobytes() != stamp: raise RuntimeError(...)`.",
    ),
    example=lambda rng: {"x": rng.integers(1, 6, 5).astype(float), "g": rng.integers(1, 4, 5).astype(float)},
)
