"""grow-2: Forget, and compute again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

SIZES = ((9, 2), (12, 12), (37, 6), (100, 10))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, k in SIZES:
        chain = misconceptions.InstrumentedLayerChain(rng, n)
        fs, slopes, store = chain.callbacks()
        reply = yield Call("checkpointed", (fs, slopes, chain.x, k, store))
        if a.warned(reply):
            continue
        y = chain.along()
        want = np.prod([chain.slope(i, y[i]) for i in range(n)])
        late = np.prod([chain.slope(i, y[i + 1]) for i in range(n)])
        if a.case(reply.value, want, {"slope-at-the-output": late}, tol=1e-12, of=f"The slope of {n} layers"):
            judge_2(a, chain, n, k)


def judge_2(a: AttemptEvaluation, chain: misconceptions.InstrumentedLayerChain, n: int, k: int) -> None:
    """Judge what was held and how often layers ran, where the value is right."""
    room = -(-n // k) + k
    words = (
        f"n = {n}, k = {k}: {chain.calls} calls, and the store held {chain.peak} values at most ({room} are allowed)."
    )
    if chain.strange:
        words, name, ok = f"{words} {chain.strange} was given a value from elsewhere.", "held-elsewhere", False
    elif chain.calls > 2 * n:
        name, ok = "recomputes-from-the-start", False
    else:
        name, ok = "keeps-every-value" if chain.calls <= n and n > k else "never-drops", chain.peak <= room
    a.behave(ok, name, words, c=chain.calls, p=chain.peak, double=2 * n, room=room)


def example_2(rng: np.random.Generator) -> dict[str, object]:
    chain = misconceptions.InstrumentedLayerChain(rng, 6)
    return {"c": chain.c.round(2), "x": round(chain.x, 2), "k": 2}


QUESTION = Question(
    id="grow-2",
    points=3,
    title="Forget, and compute again",
    text="""A chain of n layers: `fs[i](y)` gives the value of layer i at y, and `slopes[i](y)` its slope there. Give the slope of the whole chain at `x`: the product of the slopes of all layers, each at *its own input*.

Values are kept in a store: `store.put(i, y)`, `store.get(i)`, `store.drop(i)`. Beside it you may hold the last value that a layer or the store gave you, and nothing else; a layer or a slope that is given another value is seen.
On the way out keep a mark, the input, of every k-th layer. Then go back block by block: compute its values again from the mark, use them from last to first, and drop them. Layers may be called 2n times in all, and the store
may hold n/k (rounded up) + k values at once.

To try it by hand, layer i is sin(c[i]·y) + 0.3·y, and a dictionary can be the store:

```python
fs = [lambda y, c=c: np.sin(c * y) + 0.3 * y for c in q2.example.c]
slopes = [lambda y, c=c: c * np.cos(c * y) + 0.3 for c in q2.example.c]
kept = {}
store = SimpleNamespace(put=kept.__setitem__, get=kept.__getitem__, drop=kept.pop)  # from types import SimpleNamespace
checkpointed(fs, slopes, q2.example.x, q2.example.k, store)
```""",
    writes=("checkpointed",),
    starter='''def checkpointed(fs, slopes, x, k, store):
    """The slope of fs[-1](... fs[0](x)) at x, with marks every k layers."""
    ...
''',
    check=check,
    messages={
        "keeps-every-value": "Right, with {p} values in the store at once; marks every k layers and one block need {room}.",
        "recomputes-from-the-start": "Right, with {c} calls of layers. From the nearest mark it would be less than {double}.",
        "never-drops": "Right, with {p} values in the store at once: a value that has been used can go.",
        "slope-at-the-output": "Slope i belongs to the input of layer i, and not to what it gives.",
        "held-elsewhere": "Right, but values were held outside of the store, where nobody counts them.",
    },
    hints=(
        "On the way out: `store.put(i, y)` where i is a multiple of k. How many are that?",
        "From the last block to the first: its mark is there, and the values after it are at most k − 1 calls away.",
        "`for lo in reversed(range(0, n, k))`: refill `store` from `lo`, then for i from the block's last to `lo`: multiply by `slopes[i](store.get(i))`, and `store.drop(i)`.",
    ),
    example=example_2,
)
