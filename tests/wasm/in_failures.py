"""What the kit says of computations that fail. It runs in the engine and on the desktop, to be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff_kit as ak


def forward() -> Any:
    x = ak.Variable([1.0, 0.0])
    with np.errstate(all="ignore"), ak.detect_anomalies(), ak.GradientTape():
        return ak.log(x)


def backward() -> Any:
    x = ak.Variable([4.0, 0.0])
    with np.errstate(all="ignore"), ak.detect_anomalies():
        with ak.GradientTape() as tape:
            y = ak.sqrt(x)
        return tape.gradient(y, x)


def overflow() -> Any:
    with np.errstate(all="ignore"), ak.detect_anomalies(), ak.GradientTape():
        return ak.exp(ak.Variable([[1.0, 800.0]]))


FAILURES: dict[str, Callable[[], Any]] = {
    "anomaly in the forward pass": forward,
    "anomaly in the backward pass": backward,
    "overflow": overflow,
    "solve": lambda: ak.solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0]),
    "solve, one of a stack": lambda: ak.solve(np.stack([np.eye(2), np.zeros((2, 2))]), np.ones((2, 2, 1))),
    "solve with nan": lambda: ak.solve([[1.0, np.nan], [0.0, 1.0]], [1.0, 1.0]).tolist(),
    "inv": lambda: ak.inv(np.zeros((3, 3))),
    "cholesky": lambda: ak.cholesky([[1.0, 2.0], [2.0, 1.0]]),
    "svd of nan": lambda: ak.svd([[1.0, np.nan], [0.0, 1.0]]),
    "eigh of nan": lambda: ak.eigh([[1.0, np.nan], [0.0, 1.0]]),
    "pinv of nan": lambda: ak.pinv([[1.0, np.nan], [0.0, 1.0]]),
    "det": lambda: ak.det([[1.0, 2.0], [2.0, 4.0]]).tolist(),
}


def main() -> dict[str, str]:
    found = {}
    for name, call in FAILURES.items():
        try:
            found[name] = repr(call())
        except ak.AutodiffError as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found
