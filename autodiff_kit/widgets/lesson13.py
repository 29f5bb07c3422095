"""Lesson 13 widget: memory of a tape over training steps, and checkpointing of a chain of layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
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
    "float": "one tape around all, total += float(loss)",
    "list": "a tape for each step, kept in a list",
    "step": "a tape for each step",
}
CALL, MARK, AGAIN, SLOPE = range(4)


class TapeMemory(KernelWidget):
    """Choose where the tape stands in a loop of training, or how many layers lie between two marks.

    Parameters
    ----------
    place : {"around", "float", "list", "step"}, optional
        Where the tape stands, and what is done with the loss.
    n : int, optional
        Steps of training, 10 to 200.
    k : int, optional
        Layers from one checkpoint to the next, of a chain of 100.
    view : {"steps", "layers"}, optional
    at : int, optional
        How far the run is shown.

    Notes
    -----
    Every run is real. The loss of step i is the mean of (w·i − 2)², five operations with the sum; the layers, y +
    0.05 sin y, run as often as it takes, and their slope is compared with the one from a tape that keeps everything.
    """

    _front_end = "lesson13.js"

    place = Input(traitlets.Enum(tuple(PLACES), default_value="around"))
    n = Input(traitlets.Int(100, min=10, max=200))
    k = Input(traitlets.Int(10, min=1, max=LAYERS))
    view = ViewState(traitlets.Enum(("steps", "layers"), default_value="steps"))
    at = ViewState(traitlets.Int(0, min=0))

    growth = Output()
    marks = Output()
    by_k = Output()

    def compute_outputs(self) -> dict[str, Any]:
        """What the tape's place makes of the record, and what marks every k layers cost."""
        return {
            "growth": {"place": self.place, "n": self.n, **tape_growth(self.place, self.n)},
            "marks": checkpointed_run(self.k),
            "by_k": [list(checkpoint_costs(k)) for k in range(1, LAYERS + 1)],
        }

    def as_table(self) -> Table:
        """The end of each run."""
        if self.view == "layers":
            names = ("checkpoint every", "calls of a layer", "values held at most")
            shown = sorted({1, 2, 5, 10, 20, 50, LAYERS, self.k})
            return Table(f"{LAYERS} layers", names, [(f"{k}", *checkpoint_costs(k)) for k in shown], digits=0)
        ends = {place: tape_growth(place, self.n) for place in PLACES}
        rows = [(PLACES[place], one["nodes"][-1], one["bytes"]) for place, one in ends.items()]
        return Table(f"After {self.n} steps", ("the tape", "nodes alive", "bytes held"), rows, digits=0)

    def static_figure(self) -> Any:
        """The record over the run."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 2.2))
        axes = figure.subplots()
        heights = self.growth["nodes"] if self.view == "steps" else self.marks["held"]
        axes.plot(heights, color="black")
        axes.set_xlabel("step" if self.view == "steps" else "calls and derivatives")
        axes.set_ylabel("nodes" if self.view == "steps" else "values held")
        axes.set_ylim(bottom=0)
        return figure


# ---------------------------------------------------------------------------------------------------- steps of training
@lru_cache(maxsize=256)
def tape_growth(place: str, n: int) -> dict[str, Any]:
    """Nodes that live after each step, and the bytes that their records hold in the end."""
    run = one_tape_around if place in ("around", "float") else tape_for_each_step
    nodes, tapes, total = run(place, n)
    return {"nodes": nodes, "bytes": sum(tape.nbytes for tape in tapes), "total": float(total)}


GrowthRun = tuple[list[int], list[ak.GradientTape], Any]


def one_tape_around(place: str, n: int) -> GrowthRun:
    """One tape; the loss is added as it is, or as a number."""
    nodes, w, total = [0], ak.Variable(1.0), ak.constant(0.0)
    with ak.GradientTape() as tape:
        for i in range(n):
            loss = loss_of_step(w, i)
            total = total + (loss if place == "around" else float(loss))
            nodes.append(len(tape._record.nodes))
    return nodes, [tape], total


def tape_for_each_step(place: str, n: int) -> GrowthRun:
    """A tape for each step; the last one lives, or all of them."""
    nodes, w, total = [0], ak.Variable(1.0), ak.constant(0.0)
    tapes: list[ak.GradientTape] = []
    for i in range(n):
        with ak.GradientTape() as tape:
            total = total + loss_of_step(w, i)
        if place == "step":
            tapes.clear()
        tapes.append(tape)
        nodes.append(len(tape._record.nodes) + (nodes[-1] if place == "list" else 0))
    return nodes, tapes, total


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
    """A run on real numbers: its events, what was held at each, and its slope beside the tape's."""
    events: list[list[int]] = []
    held = [0]

    def note(event: int, layer: int, count: int) -> None:
        events.append([event, layer])
        held.append(count)

    found, peak = run_with_checkpoints(k, _layer, lambda y: 1.0 + SMALL * ak.cos(y), note)
    calls = sum(event != SLOPE for event, _ in events)
    return {
        "events": events,
        "held": held,
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
