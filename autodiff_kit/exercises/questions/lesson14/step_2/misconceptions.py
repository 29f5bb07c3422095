"""Slots of an optimizer after some steps, and constants to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


OPTIMIZERS_WITH_SLOTS = ("momentum", "rmsprop", "adam")


def random_constants(rng: np.random.Generator) -> dict[str, float]:
    """Constants of a draw; with betas this far from 1 a clock that is one off shows in the first digits."""
    drawn = {"lr": (0.05, 0.1, 0.2), "b1": (0.8, 0.9), "b2": (0.99, 0.999), "eps": (1e-3, 1e-2)}
    return {name: float(rng.choice(values)) for name, values in drawn.items()}


def slots_after_one_more(slots: dict[str, Any], gradient: Array, kind: str, constants: dict[str, float]) -> Any:
    """The slots after the last gradient was applied again, with t one ahead and with t as it was."""
    lr, b1, b2, eps = (constants[name] for name in ("lr", "b1", "b2", "eps"))
    if kind == "momentum":
        return ({"momentum": b1 * slots["momentum"] + gradient},)
    if kind == "rmsprop":
        again = b2 * slots["rms"] + (1 - b2) * gradient**2
        return tuple(
            {"momentum": b1 * slots["momentum"] + lr * gradient / (np.sqrt(rms) + eps)} for rms in (again, slots["rms"])
        )
    m, v = b1 * slots["m"] + (1 - b1) * gradient, b2 * slots["v"] + (1 - b2) * gradient**2
    return tuple({"m": m, "v": v, "t": slots["t"] + ahead} for ahead in (1, 0))


def slots_after(kind: str, gradients: Array, lr: float, b1: float, b2: float, eps: float) -> dict[str, Any]:
    """The slots of an optimizer of the kit after some steps."""
    first = second = np.zeros(gradients.shape[1:])
    for g in gradients:
        if kind == "momentum":
            first = b1 * first + g
        elif kind == "rmsprop":
            second = b2 * second + (1 - b2) * g * g
            first = b1 * first + lr * g / (np.sqrt(second) + eps)
        else:
            first, second = b1 * first + (1 - b1) * g, b2 * second + (1 - b2) * g * g
    if kind == "momentum":
        return {"momentum": first}
    return {"rms": second, "momentum": first} if kind == "rmsprop" else {"m": first, "v": second, "t": len(gradients)}
