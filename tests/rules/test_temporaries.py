"""Operations that work in place on their own temporaries: the memory that they take at most, in arrays of the input."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.operation import OPS

X = np.random.default_rng(4).normal(size=(200, 500))
LOWER = np.tril(np.ones(X.shape, np.bool_))
LABELS = np.arange(200)
MASKED = {"mask": LOWER, "empty": "zero"}


def value(name: str, **params: Any) -> Callable[[], Any]:
    return lambda: OPS[name].value(X, **params)


def pull(name: str, y: Any, g: Any = X, **params: Any) -> Callable[[], Any]:
    return lambda: OPS[name].vjps[0](g, y, X, **params)


@pytest.mark.parametrize(
    ("run", "arrays"),
    [
        (value("Sigmoid"), 2),
        (value("Softplus"), 2),
        (value("LogSigmoid"), 3),
        (value("Softmax", axis=-2), 1),
        (value("MaskedSoftmax", **MASKED), 1),
        (pull("MaskedSoftmax", ak.nn.masked_softmax(X, LOWER).numpy(), **MASKED), 2),
        (value("SparseCrossEntropy", labels=LABELS), 1),
        (pull("SparseCrossEntropy", None, np.ones(200), labels=LABELS), 2),
    ],
    ids=[
        "sigmoid",
        "softplus",
        "log_sigmoid",
        "softmax",
        "masked",
        "masked back",
        "cross-entropy",
        "cross-entropy back",
    ],
)
def test_at_most_so_many_arrays_at_once(run: Callable[[], Any], arrays: int) -> None:
    run()
    tracemalloc.start()
    try:
        run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < (arrays + 0.3) * X.nbytes  # masks take an eighth


def test_what_the_user_holds_is_not_written() -> None:
    x, g = X.copy(), np.ones_like(X)
    masked, over_rows = (lambda t: ak.nn.masked_softmax(t, LOWER)), (lambda t: ak.nn.softmax(t, 0))
    for f in (ak.sigmoid, ak.softplus, ak.log_sigmoid, over_rows, masked):
        t = ak.constant(x)
        with ak.GradientTape() as tape:
            tape.watch(t)
            y = f(t)
        before = y.numpy().copy()
        tape.gradient(y, t, g)
        assert np.array_equal(y.numpy(), before)
    assert np.array_equal(t.numpy(), X)
    assert np.all(g == 1.0)
