"""Adam with its slots, and constants to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.exercises.compare import require_real_array
from autodiff_kit.exercises.protocol import LearnerCodeError
from autodiff_kit.lessons.translation import translate

Slots = dict[str, Any]


def initial_slots(shape: tuple[int, ...] | int = ()) -> Slots:
    """Slots before the first step."""
    return {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0}


def random_constants(rng: np.random.Generator, eps: float | None = None) -> dict[str, Any]:
    """Constants of a draw; eps is large where its place in the formula must show."""
    drawn = {"lr": (0.05, 0.1, 0.2), "b1": (0.8, 0.9, 0.95), "b2": (0.99, 0.999), "eps": (1e-3, 1e-2)}
    found = {name: float(rng.choice(values)) for name, values in drawn.items()}
    return found if eps is None else {**found, "eps": eps}


def require_slot(slots: Any, name: str, call: str) -> Any:
    """One slot of the learner's optimizer; a LearnerCodeError if it is missing."""
    if type(slots) is not dict or name not in slots:
        text = translate("{call} must return slots as a dictionary with m, v and t; {name} is missing.", "lesson15")
        raise LearnerCodeError(text.format(call=call, name=name))
    require_real_array(slots[name], translate("The slot {name} of {call}", "lesson15").format(name=name, call=call))
    return slots[name]


def adam_with_mistake(
    w: Any, g: Any, slots: Slots, lr: float, b1: float, b2: float, eps: float, *,
    bias: bool = True, inside: bool = False, none_is_zero: bool = False, clock_runs: bool = False,
    square: bool = True, from_zero: bool = False, zero_skips: bool = False, zero_stays: bool = False,
    t_kept: bool = False, stores_corrected: bool = False, old_m: bool = False, half: str = "", late_t: bool = False,
) -> tuple[Any, Slots]:  # fmt: skip
    """One step of Adam; every switch is one misunderstanding."""
    if g is None and not none_is_zero:
        return w, {**slots, "t": slots["t"] + 1} if clock_runs else slots
    g = np.zeros_like(w) if g is None else g
    if zero_skips and not np.any(g):
        return w, slots
    t = slots["t"] + 1
    k = t - 1 if from_zero else max(t - 1, 1) if late_t else t
    m = b1 * slots["m"] + (1 - b1) * g
    v = b2 * slots["v"] + (1 - b2) * (g * g if square else np.abs(g))
    mean, spread = (m / (1 - b1**k), v / (1 - b2**k)) if bias else (m, v)
    mean, spread = m if half == "v" else mean, v if half == "m" else spread  # only the other one is corrected
    mean = slots["m"] / (1 - b1**k) if old_m else mean
    root = np.sqrt(spread + eps) if inside else np.sqrt(spread) + eps
    step = np.where(g == 0, 0.0, lr * mean / root) if zero_stays else lr * mean / root
    return w - step, {"m": mean if stores_corrected else m, "v": v, "t": slots["t"] if t_kept else t}
