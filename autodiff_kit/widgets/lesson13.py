"""Lesson 13 widget: what tapes keep alive over training steps, and checkpointing of a chain of layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["TapeMemory"]

LAYERS = 100
SMALL = 0.05  # how far a layer moves: y + 0.05 sin y
START = 0.5
PLACES = {
    "around": "one tape around all steps",
    "float": "one tape around all steps, total + float(loss)",
    "list": "a tape for each step, all kept in a list",
    "step": "a tape for each step",
}
CALL, MARK, AGAIN, SLOPE = range(4)


class TapeMemory(KernelWidget):
    """See which nodes of a training loop are alive, or which inputs a chain of layers holds, at every moment of a run.

    Parameters
    ----------
    n : int, optional
        Steps of training, 10 to 200.
    k : int, optional
        Layers from one checkpoint to the next, of a chain of 100.
    view : {"steps", "layers"}, optional
    place : {"around", "float", "list", "step"}, optional
        Which of the four loops is explained: where its tape stands, and what is done with the loss.
    at : int, optional
        The moment at the cursor: steps of training, or calls and derivatives of a layer.

    Notes
    -----
    Every run is real. The loss of step i is the mean of (w·i − 2)², five operations with the sum; the layers, y +
    0.05 sin y, run as often as it takes, and their slope is compared with the one from a tape that keeps everything.
    """

    _front_end = "lesson13.js"

    n = Input(traitlets.Int(100, min=10, max=200))
    k = Input(traitlets.Int(10, min=1, max=LAYERS))
    view = ViewState(traitlets.Enum(("steps", "layers"), default_value="steps"))
    place = ViewState(traitlets.Enum(tuple(PLACES), default_value="around"))
    at = ViewState(traitlets.Int(24, min=0))

    growth = Output()
    marks = Output()
    by_k = Output()

    def compute_outputs(self) -> dict[str, Any]:
        """What each place of the tape makes of the record, and what marks every k layers cost."""
        return {
            "growth": {place: tape_growth(place, self.n) for place in PLACES},
            "marks": checkpointed_run(self.k),
            "by_k": [list(checkpoint_costs(k)) for k in range(1, LAYERS + 1)],
        }

    def as_table(self) -> Table:
        """The cursor and the end of each run."""
        if self.view == "layers":
            names = ("checkpoint every", "calls of a layer", "values held at most")
            shown = sorted({1, 2, 5, 10, 20, 50, LAYERS, self.k})
            return Table(f"{LAYERS} layers", names, [(f"{k}", *checkpoint_costs(k)) for k in shown], digits=0)
        now = min(self.at, self.n)
        columns = ("the tape", f"nodes alive after {now} steps", f"after {self.n}", "bytes then")
        rows = [
            (PLACES[place], one["nodes"][now], one["nodes"][-1], one["bytes"]) for place, one in self.growth.items()
        ]
        return Table(f"Where the tape stands, {self.n} steps", columns, rows, digits=0)

    def static_figure(self) -> Any:
        """The picture as it stands: lanes of nodes, or layers against time."""
        return self._lanes() if self.view == "steps" else self._layers()

    def _lanes(self) -> Any:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 3.6), layout="constrained")
        now = min(self.at, self.n)
        rows = max(max(one["made"]) for one in self.growth.values())
        for axes, (place, one) in zip(figure.subplots(len(PLACES), sharex=True), self.growth.items(), strict=True):
            made, oldest = one["made"][:now], one["oldest"][now]
            alive = [count if step >= oldest else 0 for step, count in enumerate(made, 1)]
            axes.bar(range(1, now + 1), made, width=1.0, color="0.85")
            axes.bar(range(1, now + 1), alive, width=1.0, color="black")
            axes.set_title(f"{PLACES[place]}: {one['nodes'][now]} nodes", loc="left", fontsize=9)
            axes.set(xlim=(0.5, self.n + 0.5), ylim=(0, rows), yticks=[])
        axes.set_xlabel("step")
        return figure

    def _layers(self) -> Any:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 4), layout="constrained")
        upper, lower = figure.subplots(2, sharex=True, height_ratios=(3, 1))
        held = self.marks["held"]
        now = min(self.at, len(held) - 1)
        for layer, start, end in self.marks["kept"]:
            upper.plot([start, end], [layer, layer], color="black" if start < now <= end else "0.8", linewidth=1.2)
        upper.set_ylabel("layer")
        lower.plot(held, color="black")
        lower.set(ylabel="values held", ylim=(0, LAYERS), xlabel="calls and derivatives")
        for axes in (upper, lower):
            axes.axvline(now, color="0.4", linewidth=1.0)
        return figure


# ---------------------------------------------------------------------------------------------------- steps of training
@lru_cache(maxsize=256)
def tape_growth(place: str, n: int) -> dict[str, Any]:
    """What a run of n steps records and holds.

    Nodes alive before the first step and after each; how many each step recorded; after each step, the oldest step
    whose nodes are alive; and the bytes that the records hold in the end.
    """
    run = one_tape_around if place in ("around", "float") else tape_for_each_step
    nodes, made, oldest, tapes, total = run(place, n)
    held = sum(tape.nbytes for tape in tapes)
    return {"nodes": nodes, "made": made, "oldest": oldest, "bytes": held, "total": float(total)}


GrowthRun = tuple[list[int], list[int], list[int], list[ak.GradientTape], Any]


def one_tape_around(place: str, n: int) -> GrowthRun:
    """One tape; the loss is added as it is, or as a number."""
    nodes, w, total = [0], ak.Variable(1.0), ak.constant(0.0)
    with ak.GradientTape() as tape:
        for i in range(n):
            loss = loss_of_step(w, i)
            total = total + (loss if place == "around" else float(loss))
            nodes.append(len(tape._record.nodes))
    made = [after - before for before, after in pairwise(nodes)]
    return nodes, made, [1] * (n + 1), [tape], total


def tape_for_each_step(place: str, n: int) -> GrowthRun:
    """A tape for each step; the last one lives, or all of them."""
    w, total = ak.Variable(1.0), ak.constant(0.0)
    nodes, made, oldest = [0], [], [1]
    tapes: list[ak.GradientTape] = []
    for i in range(n):
        with ak.GradientTape() as tape:
            total = total + loss_of_step(w, i)
        if place == "step":
            tapes.clear()
        tapes.append(tape)
        made.append(len(tape._record.nodes))
        oldest.append(i + 2 - len(tapes))
        nodes.append(sum(made[oldest[-1] - 1 :]))
    return nodes, made, oldest, tapes, total


def loss_of_step(w: Any, i: int) -> Any:
    return ak.mean(ak.square(w * float(i) - 2.0))


# --------------------------------------------------------------------------------------------------- marks in a chain
class ActivationStore:
    """Saved layer inputs by layer, and the largest number of them at one time."""

    def __init__(self) -> None:
        self.kept: dict[int, Any] = {}
        self.peak = 0

    def put(self, i: int, y: Any) -> None:
        self.kept[i] = y
        self.peak = max(self.peak, len(self.kept))


def run_with_checkpoints(
    k: int, layer: Callable[[Any], Any], slope: Callable[[Any], Any], note: Callable[[int, int, int], None]
) -> Any:
    """The derivative of the chain with a checkpoint every k layers; ``note(event, layer, held)`` gets each step."""
    store, y, found = ActivationStore(), START, 1.0
    for i in range(LAYERS):
        if i % k == 0:
            store.put(i, y)
        y = layer(y)
        note(MARK if i % k == 0 else CALL, i, len(store.kept))
    for low in reversed(range(0, LAYERS, k)):
        high = min(LAYERS, low + k)
        for i in range(low, high - 1):
            store.put(i + 1, layer(store.kept[i]))
            note(AGAIN, i, len(store.kept))
        for i in reversed(range(low, high)):
            note(SLOPE, i, len(store.kept))
            found = found * slope(store.kept.pop(i))
    return found, store.peak


@lru_cache(maxsize=LAYERS)
def checkpointed_run(k: int) -> dict[str, Any]:
    """A run on real numbers: its events, what was held from when to when, and its slope beside the tape's."""
    events: list[list[int]] = []
    held = [0]
    since: dict[int, int] = {}  # layer -> when its input was stored
    kept: list[list[int]] = []  # layer, when its input was stored, and when it was dropped

    def note(event: int, layer: int, count: int) -> None:
        if event in (MARK, AGAIN):
            since[layer + (event == AGAIN)] = len(events)
        events.append([event, layer])
        held.append(count)
        if event == SLOPE:
            kept.append([layer, since.pop(layer), len(events)])

    found, peak = run_with_checkpoints(k, _layer, lambda y: 1.0 + SMALL * ak.cos(y), note)
    calls = sum(event != SLOPE for event, _ in events)
    return {
        "events": events,
        "held": held,
        "kept": kept,
        "calls": calls,
        "peak": peak,
        "slope": float(found),
        "whole": slope_without_checkpoints(),
    }


@lru_cache(maxsize=LAYERS)
def checkpoint_costs(k: int) -> tuple[int, int]:
    """Calls of a layer, and the most values held, with checkpoints every k layers."""
    calls = []
    _, peak = run_with_checkpoints(k, lambda y: y, lambda _: 1.0, lambda event, *_: calls.append(event != SLOPE))
    return sum(calls), peak


def _layer(y: Any) -> Any:
    return y + SMALL * ak.sin(y)


@lru_cache(maxsize=1)
def slope_without_checkpoints() -> float:
    """The slope from a tape that keeps every value."""
    x = ak.Variable(START)
    with ak.GradientTape() as tape:
        y = x * 1.0
        for _ in range(LAYERS):
            y = _layer(y)
    return float(tape.gradient(y, x))
