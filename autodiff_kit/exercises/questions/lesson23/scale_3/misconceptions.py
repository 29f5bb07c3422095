"""Lazy Adam on rows of a table, as each misconception counts steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import Slots, adam_with_mistake
from . import solution


def dense_step(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """Every row takes a step, with a gradient of zero where it was not seen."""
    summed = np.zeros_like(table)
    np.add.at(summed, ids, grads)
    return adam_with_mistake(table, summed, slots, **constants)


def last_duplicate_step(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """Of repeated ids the last gradient wins."""
    last = {int(i): g for i, g in zip(ids, grads, strict=True)}
    return solution.lazy_adam(table, np.array(list(last)), np.array(list(last.values())), slots, **constants)


def one_step_per_duplicate(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """A repeated id takes a step for each time, all by one tick of the clock."""
    table, m, v, t = table.copy(), slots["m"].copy(), slots["v"].copy(), slots["t"]
    for i, g in zip(ids, grads, strict=True):
        table[i], new = adam_with_mistake(table[i], g, {"m": m[i], "v": v[i], "t": t}, **constants)
        m[i], v[i] = new["m"], new["v"]
    return table, {"m": m, "v": v, "t": t + 1}


def step_with_row_clock(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """Each row counts its own steps."""
    table, m, v = table.copy(), slots["m"].copy(), slots["v"].copy()
    clock = slots.get("clock", np.zeros(len(table), int)).copy()
    summed = np.zeros_like(table)
    np.add.at(summed, ids, grads)
    for i in np.unique(ids):
        table[i], new = adam_with_mistake(table[i], summed[i], {"m": m[i], "v": v[i], "t": clock[i]}, **constants)
        m[i], v[i], clock[i] = new["m"], new["v"], new["t"]
    return table, {"m": m, "v": v, "t": slots["t"] + 1, "clock": clock}


def skip_zero_rows(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """A row of the batch whose gradient is 0 is left out."""
    summed = np.zeros_like(table)
    np.add.at(summed, ids, grads)
    rows = np.flatnonzero(summed.any(axis=1))
    return solution.lazy_adam(table, rows, summed[rows], slots, **constants)


def dense_slots(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """The slots of all rows change, and only the rows of the batch move."""
    moved, new = dense_step(table, ids, grads, slots, **constants)
    rows = np.isin(np.arange(len(table)), ids)[:, None]
    return np.where(rows, moved, table), new


def rows_counted(table: Any, ids: Any, grads: Any, slots: Slots, *, once: bool, **constants: Any) -> Any:
    """The common t grows by the number of rows, each counted once or as often as it is in ids."""
    more = len(np.unique(ids) if once else ids) - 1
    return solution.lazy_adam(table, ids, grads, {**slots, "t": slots["t"] + more}, **constants)


def mean_of_duplicates_step(table: Any, ids: Any, grads: Any, slots: Slots, **constants: Any) -> Any:
    """Of repeated ids the mean gradient is used."""
    times = np.array([np.sum(ids == i) for i in ids])
    return solution.lazy_adam(table, ids, grads / times[:, None], slots, **constants)
