"""none-3: Zeros in place of None."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.diagnosis import AttemptEvaluation
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.translation import translate

from . import misconceptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff_kit.exercises.protocol import CheckScript

__all__ = ["QUESTION"]

Nest = Any


def nest(rng: np.random.Generator) -> tuple[Nest, Nest]:
    """Gradients and sources; among them a nan, a zero, a scalar and an array without entries."""
    k, single = int(rng.integers(2, 5)), np.float32

    def array(shape: tuple[int, ...], dtype: type = np.float64) -> np.ndarray:
        return np.asarray(rng.normal(size=shape), dtype)

    sources = {
        "dense": {"kernel": array((k, 2)), "bias": array((2,), single)},
        "pair": (array(()), array((0, 3)), array((k,), single)),
        "more": [array((), single), {"scale": (array((2, k)),)}],
    }
    hurt = array((k,), single)
    hurt[int(rng.integers(k))] = np.nan
    grads = {
        "dense": {"kernel": None, "bias": None},
        "pair": (None, None, hurt),
        "more": [np.zeros((), single), {"scale": (None if rng.random() < 0.5 else array((2, k)),)}],
    }
    return grads, sources


def leaves(want: Nest, got: Nest, grads: Nest) -> Iterator[tuple[Any, Any, Any] | None]:
    """Triples of leaves (wanted, came, gradient); None where what came is built differently."""
    if isinstance(want, np.ndarray):
        yield want, got, grads
    elif type(got) is not type(want) or len(got) != len(want) or (type(want) is dict and set(got) != set(want)):
        yield None
    else:
        for place in want if type(want) is dict else range(len(want)):
            yield from leaves(want[place], got[place], grads[place])


def check(a: AttemptEvaluation, rng: np.random.Generator) -> CheckScript:
    for _ in range(3):
        grads, sources = nest(rng)
        reply = yield Call("fill", (grads, sources))
        if a.warned(reply):
            continue
        for leaf in leaves(misconceptions.fill_none(grads, sources), reply.value, grads):
            if leaf is None:
                text = translate(
                    "The result has another structure than grads: keep dictionaries, lists and tuples as they are.",
                    "lesson02",
                )
                a.fail(misconceptions.structure_mistakes(reply.value, sources), text)
                break
            leaf_3(a, *leaf)


def leaf_3(a: AttemptEvaluation, want: np.ndarray, got: object, gradient: np.ndarray | None) -> None:
    """Look at one entry of the nest."""
    of = translate("Zeros where there was None" if gradient is None else "Gradients that were there", "lesson02")
    if got is None:
        name = "leaves-none" if gradient is None else ""
        words = translate("A None is still there." if gradient is None else "A gradient became None.", "lesson02")
        a.behave(False, name, words, half=False, of=of, s=want.shape)
        return
    mistaken = {
        "one-zero-for-all": np.zeros(()) if gradient is None else None,
        "zeros-for-all": np.zeros(want.shape) if gradient is not None else None,
        "hides-nan": np.nan_to_num(want) if gradient is not None else None,
    }
    leaves = "everything-float64" if gradient is None else "converts-the-gradients"
    a.case(got, want, mistaken, tol=0.0, of=of, facts={"s": want.shape}, dtype=want.dtype.type, leaves=leaves)


def example_3(rng: np.random.Generator) -> dict[str, object]:
    grads, sources = nest(rng)
    return {"grads": grads, "sources": sources}


QUESTION = Question(
    id="none-3",
    points=2,
    title="Zeros in place of None",
    text="""`grads` is what a tape returned for `sources`: the same nested dictionaries, lists and tuples, with an array or None in place of each source. Return the same structure with every None replaced by zeros of
its source's shape and dtype, as `unconnected_gradients="zero"` does. All other gradients stay exactly as they are.""",
    writes=("fill",),
    starter='''def fill(grads, sources):
    """The gradients, in the same structure, with zeros in place of None."""
    ...
''',
    check=check,
    messages={
        "one-zero-for-all": "A None became a single 0; zeros of the shape of its source, {s}, are expected.",
        "everything-float64": "The values are right, but the zeros have another dtype than their source. Which dtype does your function for zeros use?",
        "converts-the-gradients": "The values are right, but a gradient that was there came back with another dtype. Return a gradient that is not None unchanged.",
        "leaves-none": "A None is still there. Zeros of the shape of its source, {s}, are expected in its place.",
        "zeros-for-all": "Gradients that were there became zeros. Only a None is replaced.",
        "tuples-become-lists": "A tuple became a list. Build each result with the type of what was read: a dictionary, a list or a tuple.",
        "flattens-the-nest": "The result is one flat sequence of all gradients. Keep the nesting: each dictionary, list or tuple has one of the same kind in its place.",
        "hides-nan": "A nan in a gradient was replaced by a number. Only None is to be replaced; a nan stays, since it shows that something is wrong.",
    },
    hints=(
        "Which NumPy function makes zeros of the shape and dtype of another array?",
        "Use recursion: a dictionary, list or tuple is handled entry by entry, everything else is a gradient.",
        "At a leaf: `np.zeros_like(source) if gradient is None else gradient`. `gradient or …` asks something else.",
    ),
    example=example_3,
)
