"""Lesson 15: optimizers with one thing misunderstood."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from ..compare import number
from ..protocol import Slip
from ..question import worked

Slots = dict[str, Any]


def fresh(shape: tuple[int, ...] | int = ()) -> Slots:
    """Slots before the first step."""
    return {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0}


def constants(rng: np.random.Generator, eps: float | None = None) -> dict[str, Any]:
    """Constants of a draw; eps is large where its place in the formula must show."""
    drawn = {"lr": (0.05, 0.1, 0.2), "b1": (0.8, 0.9, 0.95), "b2": (0.99, 0.999), "eps": (1e-3, 1e-2)}
    found = {name: float(rng.choice(values)) for name, values in drawn.items()}
    return found if eps is None else {**found, "eps": eps}


def slot(slots: Any, name: str, call: str) -> Any:
    """One slot of the learner's, or a slip."""
    if type(slots) is not dict or name not in slots:
        raise Slip(f"{call} is to give back slots as a dictionary with m, v and t; {name} is missing.")
    number(slots[name], f"{call}, as the slot {name},")
    return slots[name]


def adam(
    w: Any, g: Any, slots: Slots, lr: float, b1: float, b2: float, eps: float, *,
    bias: bool = True, inside: bool = False, none_is_zero: bool = False, clock_runs: bool = False,
    square: bool = True, from_zero: bool = False,
) -> tuple[Any, Slots]:  # fmt: skip
    """One step of Adam; every switch is one misunderstanding."""
    if g is None and not none_is_zero:
        return w, {**slots, "t": slots["t"] + 1} if clock_runs else slots
    g = np.zeros_like(w) if g is None else g
    t = slots["t"] + 1
    k = t - 1 if from_zero else t
    m = b1 * slots["m"] + (1 - b1) * g
    v = b2 * slots["v"] + (1 - b2) * (g * g if square else np.abs(g))
    mean, spread = (m / (1 - b1**k), v / (1 - b2**k)) if bias else (m, v)
    root = np.sqrt(spread + eps) if inside else np.sqrt(spread) + eps
    return w - lr * mean / root, {"m": m, "v": v, "t": t}


def motion(
    gradients: Any, kind: str, *, zero_is_none: bool = False, none_is_zero: bool = False, **constants: Any
) -> Any:
    """Real and ghost motion with zeros skipped, or None taken for zero."""
    if none_is_zero:
        gradients = [0.0 if g is None else g for g in gradients]
    if zero_is_none:
        gradients = [None if g == 0 else g for g in gradients]
    return worked("adam-2").motion(gradients, kind, **constants)


def freeze_zeroing(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Zero the frozen gradients and hope."""
    return adam(w, np.where(mask, 0, g), slots, **constants)


def freeze_step(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Keep w, and let the slots decay."""
    moved, new = adam(w, np.where(mask, 0, g), slots, **constants)
    return np.where(mask, w, moved), new


def freeze_value(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Put w back, and let the slots learn."""
    moved, new = adam(w, g, slots, **constants)
    return np.where(mask, w, moved), new


def freeze_forgetting(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Freeze w and throw the frozen slots away."""
    moved, new = worked("adam-3").frozen_step(w, g, slots, mask, **constants)
    return moved, {**new, "m": np.where(mask, 0, new["m"]), "v": np.where(mask, 0, new["v"])}


def freeze_others(w: Any, g: Any, slots: Slots, mask: Any, **constants: Any) -> Any:
    """Freeze where the mask is false."""
    return worked("adam-3").frozen_step(w, g, slots, ~mask, **constants)


def rows_dense(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """Every row takes a step, with a gradient of zero where it was not seen."""
    summed = np.zeros_like(table)
    np.add.at(summed, ids, grads)
    return adam(table, summed, slots, **constants)


def rows_last(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """Of repeated ids the last gradient wins."""
    last = {int(i): g for i, g in zip(ids, grads, strict=True)}
    return worked("adam-4").lazy_adam(table, np.array(list(last)), np.array(list(last.values())), slots, **constants)


def rows_serial(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """A repeated id takes a step for each time, all by one tick of the clock."""
    table, m, v, t = table.copy(), slots["m"].copy(), slots["v"].copy(), slots["t"]
    for i, g in zip(ids, grads, strict=True):
        table[i], new = adam(table[i], g, {"m": m[i], "v": v[i], "t": t}, **constants)
        m[i], v[i] = new["m"], new["v"]
    return table, {"m": m, "v": v, "t": t + 1}


def rows_own_clock(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """Each row counts its own steps."""
    table, m, v = table.copy(), slots["m"].copy(), slots["v"].copy()
    clock = slots.get("clock", np.zeros(len(table), int)).copy()
    summed = np.zeros_like(table)
    np.add.at(summed, ids, grads)
    for i in np.unique(ids):
        table[i], new = adam(table[i], summed[i], {"m": m[i], "v": v[i], "t": clock[i]}, **constants)
        m[i], v[i], clock[i] = new["m"], new["v"], new["t"]
    return table, {"m": m, "v": v, "t": slots["t"] + 1, "clock": clock}


def move_by_position(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """The first slots for the first variable, and so on."""
    found = list(old.values())
    return {name: deepcopy(found[i]) if i < len(found) else fresh(s) for i, (name, s) in enumerate(shapes.items())}


def move_nothing(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """A new optimizer with empty slots."""
    return {name: fresh(shape) for name, shape in shapes.items()}


def move_without_clock(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Carry m and v over, and begin counting anew."""
    return {name: {**slots, "t": 0} for name, slots in worked("adam-6").migrate(old, shapes).items()}


def move_with_one_clock(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Give newcomers the old clock too."""
    t = max(slots["t"] for slots in old.values())
    return {name: {**slots, "t": t} for name, slots in worked("adam-6").migrate(old, shapes).items()}
