"""Inputs of different floating dtypes, single numbers among them: each derivative has the digits of its own dtype.

Beside an array NumPy takes a Python number for one of the array's dtype. The kit holds a float64 number as one of
Python, so a rule could lose half of its digits without a word: its result is still of dtype float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

from .case import Array, Case
from .cases import CASES, WITHOUT_GRADIENT
from .harness import directions, drawn, recorded, total, weights

NARROW = (np.float32, np.float16)
STAGED = {
    "LayerNorm", "layer_norm", "instance_norm", "class_means", "softmax_cross_entropy", "sigmoid_cross_entropy"
}  # fmt: skip
"""Here a function of one input alone comes first, in the dtype of that input, as in NumPy."""
SEVERAL = [c for c in CASES if c.key not in {*WITHOUT_GRADIENT, *STAGED} and len(drawn(c)) > 1]


def mixed(case: Case, wide: int, narrow: Any) -> tuple[list[Array], list[Array]]:
    """The inputs of a case and a direction of each, all but one in a smaller dtype."""
    arrays = drawn(case)
    return tuple(  # type: ignore[return-value]
        [x if k == wide else x.astype(narrow) for k, x in enumerate(given)]
        for given in (arrays, directions(case, arrays))
    )


def derivatives(case: Case, arrays: list[Array], along: list[Array]) -> list[tuple[str, Any]]:
    """Gradients, the tangent, and the product with the Hessian in two ways."""
    tape, xs, y = recorded(case.call, arrays)
    seed = weights(case, y.shape, y.dtype)
    gradients = tape.gradient(y, xs, seed, unconnected_gradients="zero")
    tangent = ak.jvp(case.call, tuple(arrays), tuple(along))[1]
    f = total(case, seed)
    found = [(f"gradient {k}", g) for k, g in enumerate(gradients)] + [("tangent", tangent)]
    found += [(f"hvp {k}", h) for k, h in enumerate(ak.hvp(f, tuple(arrays), tuple(along)))]
    slopes = ak.jvp(ak.grad(f, tuple(range(len(arrays)))), tuple(arrays), tuple(along))[1]
    return found + [(f"jvp of gradient {k}", h) for k, h in enumerate(slopes)]


def digits_lost(case: Case, wide: int, narrow: Any) -> list[str]:
    """What differs from the same computation in float64 by more than the rounding of its dtype."""
    arrays, along = mixed(case, wide, narrow)
    if case.call(*map(ak.constant, arrays)).dtype != np.float64:
        return []
    exact = derivatives(case, [x.astype(float) for x in arrays], [t.astype(float) for t in along])
    lost = []
    for (name, found), (_, expected) in zip(derivatives(case, arrays, along), exact, strict=True):
        scale = max(1.0, float(np.max(np.abs(expected.numpy()), initial=0.0)))
        error = np.max(np.abs(found.numpy() - expected.numpy()), initial=0.0) / scale
        if not error <= 40 * np.finfo(found.dtype).eps:
            lost.append(f"{name}, {found.dtype}: {error:.1e}")
    return lost


@pytest.mark.parametrize("case", SEVERAL, ids=lambda case: case.name)
def test_derivatives_beside_smaller_dtypes(case: Case) -> None:
    arities = range(len(drawn(case)))
    found = {(k, kind.__name__): digits_lost(case, k, kind) for k in arities for kind in NARROW}
    assert {key: lost for key, lost in found.items() if lost} == {}
