"""grow-2: A chain with checkpoints."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

RTOL = 1e-10
SIZES = ((9, 2), (12, 12), (37, 6), (100, 10))


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for n, k in SIZES:
        chain = misconceptions.InstrumentedLayerChain(rng, n, k)
        fs, slopes, store = chain.callbacks()
        reply = yield Call("checkpointed", (fs, slopes, chain.x, k, store))
        if a.warned(reply):
            continue
        y = chain.along()
        want = np.prod([chain.slope(i, y[i]) for i in range(n)])
        mistaken = {
            "slope-at-the-output": np.prod([chain.slope(i, y[i + 1]) for i in range(n)]),
            "slope-at-the-checkpoint": np.prod([chain.slope(i, y[i - i % k]) for i in range(n)]),
            "slope-at-x": np.prod([chain.slope(i, chain.x) for i in range(n)]),
        }
        got = require_real_array(reply.value, "checkpointed")
        same = {name: got for name, model in mistaken.items() if np.allclose(got, model, rtol=RTOL, atol=0)}
        tol = float(RTOL * abs(want) / (1 + abs(want)))  # relative: the derivative of a long chain is tiny
        if a.case(got, want, same, tol=tol, of=translate("The derivative of {n} layers", "lesson13").format(n=n)):
            judge_2(a, chain, n, k)


def judge_2(a: AttemptEvaluation, chain: misconceptions.InstrumentedLayerChain, n: int, k: int) -> None:
    """Judge what was held and how often layers ran, where the value is right."""
    room = -(-n // k) + k
    words = translate(
        "n = {n}, k = {k}: {calls} calls, and the store held {peak} values at most ({room} are allowed).", "lesson13"
    ).format(n=n, k=k, calls=chain.calls, peak=chain.peak, room=room)
    if chain.strange:
        name, ok = "held-elsewhere", False
    elif any(later > earlier for earlier, later in pairwise(chain.order)):
        name, ok = "forward-order", False
    elif chain.calls > 2 * n:
        name, ok = "restarts-for-each-layer", False
        if max(chain.calls_of) > k + 1 or any("recomputes-from-the-start" in case.names for case in a.failed_cases):
            name = "recomputes-from-the-start"  # where n = k both make the same calls
    else:
        name, ok = "keeps-every-value" if chain.calls <= n and n > k else "never-drops", chain.peak <= room
    a.behave(ok, name, words, c=chain.calls, p=chain.peak, double=2 * n, room=room, where=chain.strange, n=n, k=k)


def example_2(rng: np.random.Generator) -> dict[str, object]:
    chain = misconceptions.InstrumentedLayerChain(rng, 6)
    return {"c": chain.c.round(2), "x": round(chain.x, 2), "k": 2}


QUESTION = Question(
    id="grow-2",
    points=3,
    title="A chain with checkpoints",
    text="""In a chain of n layers, `fs[i](y)` is the value of layer i at y, and `slopes[i](y)` is its derivative there. Write `checkpointed`: the derivative of
the whole chain at `x`, with checkpoints and a backward pass.

- The result is the product of the derivatives of all layers, each at *its own input*.
- Values are held in a store with `store.put(i, y)`, `store.get(i)` and `store.drop(i)`. Outside it, hold only the last value that a layer or the store gave you. The check sees every value that a layer or a derivative gets.
- Forward pass: store the input of layers 0, k, 2k, … (the checkpoints).
- Backward pass: take the blocks from last to first. Compute the inputs of a block's layers again from its checkpoint. Then call `slopes` from the block's last layer to its first, and drop each input after use. In all, `slopes` is called in the order n − 1, n − 2, …, 0.
- Layers may be called at most 2n times in all, and the store may hold at most n/k (rounded up) + k values at once.

To try it, use layers sin(c[i]·y) + 0.3·y and a dictionary as the store:

```python
fs = [lambda y, c=c: np.sin(c * y) + 0.3 * y for c in q2.example.c]
slopes = [lambda y, c=c: c * np.cos(c * y) + 0.3 for c in q2.example.c]
kept = {}
store = SimpleNamespace(put=kept.__setitem__, get=kept.__getitem__, drop=kept.pop)  # from types import SimpleNamespace
checkpointed(fs, slopes, q2.example.x, q2.example.k, store)
```""",
    writes=("checkpointed",),
    starter='''def checkpointed(fs, slopes, x, k, store):
    """The derivative of fs[-1](... fs[0](x)) at x, with a checkpoint every k layers."""
    ...
''',
    check=check,
    messages={
        "keeps-every-value": "The derivative is right, but the store held {p} values at once (n = {n}, k = {k}); at most {room} are allowed. On the forward pass, store only the input of every k-th layer.",
        "recomputes-from-the-start": "The derivative is right, but layers were called {c} times (n = {n}, k = {k}); at most {double} calls are allowed. Start each block from its own checkpoint, not from x.",
        "never-drops": "The derivative is right, but the store held {p} values at once (n = {n}, k = {k}); at most {room} are allowed. Drop each input after its derivative was used.",
        "slope-at-the-output": "The derivative of layer i was taken at the output of layer i. It belongs at the input of layer i.",
        "restarts-for-each-layer": "The derivative is right, but layers were called {c} times (n = {n}, k = {k}); at most {double} calls are allowed. Each input was computed again from the checkpoint. Run each block once, and store the inputs as they come.",
        "slope-at-the-checkpoint": "The derivatives of a block were all taken at its checkpoint. Layer i gets the output of layer i − 1, so its derivative belongs there.",
        "slope-at-x": "All derivatives were taken at x. Layer i gets the output of layer i − 1, so its derivative belongs there.",
        "forward-order": "The derivative is right, but `slopes` was called from the first layer on. That is forward mode, which needs no stored values. A backward pass takes the layers from last to first. With many inputs and one output this order needs one pass, and forward mode one for each input; so it is asked for here.",
        "held-elsewhere": "The derivative is right, but {where} got a value that was held outside the store. Hold values in the store, where they are counted.",
    },
    hints=(
        "On the forward pass, how many layers have a number that is a multiple of k?",
        "Begin with the last block: its checkpoint is in the store, and the other inputs of the block are at most k − 1 calls away.",
        "`for lo in reversed(range(0, n, k))`: refill `store` from `lo`, then for i from the block's last to `lo`: multiply by `slopes[i](store.get(i))`, and `store.drop(i)`.",
    ),
    example=example_2,
)
