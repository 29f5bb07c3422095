"""Lesson 15 widget: optimizer slots of two weights whose gradient becomes zero or None."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["AdamSlots"]

COUNT = 100
RATE = 0.1
OPENS_AT = 7  # the motion under zeros has begun, and where it ends is still to be seen
Gradient = float | None

OPTIMIZERS: dict[str, Callable[[bool], ak.optim.Optimizer]] = {
    "sgd": lambda lazy: ak.optim.SGD(RATE),
    "momentum": lambda lazy: ak.optim.SGD(RATE, momentum=0.9),
    "rmsprop": lambda lazy: ak.optim.RMSProp(RATE),
    "adam": lambda lazy: ak.optim.Adam(RATE, lazy=lazy),
    "adamw": lambda lazy: ak.optim.AdamW(RATE, lazy=lazy),
}
# The optimizer slots that each row of the figure shows.
SLOT_SERIES = {"m": ("m", "momentum"), "v": ("v", "rms"), "t": ("t",)}


def gradient_sequence(*parts: tuple[Gradient, int]) -> list[Gradient]:
    """A strip of gradients from ``(value, how often)`` pairs."""
    return [value for value, times in parts for _ in range(times)]


_ONE_THEN_ZEROS = gradient_sequence((1.0, 1), (0.0, COUNT - 1))
_SEEN_TWICE = gradient_sequence((1.0, 1), (0.0, 49), (1.0, 1), (0.0, 49))

PRESETS: dict[str, dict[str, Any]] = {
    "one, then 0 | None": {"grads": [_ONE_THEN_ZEROS, gradient_sequence((1.0, 1), (None, COUNT - 1))]},
    "row seen at 1 and 51: dense | lazy": {
        "grads": [_SEEN_TWICE, _SEEN_TWICE],
        "lazy": [False, True],
        "names": ["dense row", "lazy row"],
    },
    "AdamW: decay alone": {
        "optimizer": "adamw",
        "grads": [gradient_sequence((0.0, COUNT)), gradient_sequence((None, COUNT))],
        "start": 1.0,
    },
    "freeze after 50: by 0 | by None": {
        "grads": [gradient_sequence((1.0, 50), (0.0, 50)), gradient_sequence((1.0, 50), (None, 50))],
    },
    "loss × 1000": {
        "grads": [gradient_sequence((1.0, 3), (None, 97)), gradient_sequence((0.5, 3), (None, 97))],
        "scale": 1000.0,
    },
}
# The starting points that each lesson offers; every one can be set from code.
LESSON_PRESETS = {
    15: ["one, then 0 | None", "freeze after 50: by 0 | by None"],
    23: ["row seen at 1 and 51: dense | lazy", "AdamW: decay alone", "loss × 1000"],
}
PLAIN: dict[str, Any] = {
    "optimizer": "adam",
    "start": 0.0,
    "scale": 1.0,
    "actions": [],
    "lazy": [False, False],
    "names": ["a", "b"],
}


@dataclass
class WeightState:
    """A weight, its optimizer slots, the saved slots and whether it is frozen, after a step."""

    w: Any
    slots: dict[str, Any]
    saved: dict[str, Any] | None = None
    held: bool = False


@dataclass
class WeightTrajectory:
    """The states of one weight over its gradients, cached: a step that is as it was is not run again."""

    key: Any = None
    steps: list[Any] = field(default_factory=list)
    states: list[WeightState] = field(default_factory=list)


class OptimizedWeight:
    """A variable with its optimizer; for a lazy row, a table of two rows of which the first is shown."""

    def __init__(self, optimizer: str, start: float, scale: float, lazy: bool) -> None:
        self.optimizer = OPTIMIZERS[optimizer](lazy)
        self.lazy = lazy
        self.scale = scale
        self.variable = ak.Variable([start, 0.0] if lazy else start)

    def state(self, before: WeightState | None = None) -> WeightState:
        """What stands in the variable and its slots now."""
        names = self.optimizer.slot_names()
        slots = {name: self.optimizer.get_slot(self.variable, name) for name in names}
        old = before or WeightState(0.0, {})
        return WeightState(self.variable.numpy(), slots, old.saved, old.held)

    def put(self, state: WeightState) -> None:
        """Go back to a state."""
        self.variable.assign(state.w)
        self.fill(state.slots)

    def fill(self, slots: dict[str, Any]) -> None:
        for name, value in slots.items():
            self.optimizer.set_slot(self.variable, name, value)

    def act(self, state: WeightState, act: str) -> None:
        """One of the buttons of the picture, before a step."""
        if act == "zero":
            self.fill({name: np.zeros_like(value) for name, value in state.slots.items()})
        elif act == "save":
            state.saved = self.state().slots
        elif act == "restore" and state.saved is not None:
            self.fill(state.saved)
        elif act in ("freeze", "thaw"):
            state.held = act == "freeze"

    def step(self, g: Gradient, held: bool) -> None:
        """Record the loss ``g · w · scale``, take its gradient, apply it; None: the weight is no part of the loss."""
        if g is None:
            return
        with ak.GradientTape() as tape:
            loss = (self.variable[0] if self.lazy else self.variable) * (g * self.scale)
        pair = (self._gradient(tape.gradient(loss, self.variable), g), self.variable)
        if held:
            with self.optimizer.frozen({self.variable: True}):
                self.optimizer.apply_gradients([pair])
        else:
            self.optimizer.apply_gradients([pair])

    def _gradient(self, gradient: Any, g: float) -> Any:
        if not self.lazy:
            return gradient
        # A gradient of 0 stands for a batch in which only the other row was seen.
        seen = 0 if g else 1
        return ak.RowGradient([seen], [float(gradient.numpy()[0]) if g else 1.0], (2,))


class AdamSlots(KernelWidget):
    """Paint gradients (a value, 0, or None) and watch weights that move on after their gradient is gone.

    Parameters
    ----------
    optimizer : {"sgd", "momentum", "rmsprop", "adam", "adamw"}, optional
    grads : list of two lists of 100, optional
        Each entry a number or None.
    start, scale : float, optional
        Where both weights begin; what the loss is multiplied by.
    actions : list of dict, optional
        ``{"which": 0 or 1, "step": int, "act": "zero", "save", "restore", "freeze" or "thaw"}``, before that step.
    lazy : list of two bools, optional
        Whether a weight is a row that only steps when it was seen.
    preset : str, optional
        A starting point, one of ``PRESETS``; setting it sets the inputs above.
    lesson : {15, 23}, optional
        The lesson whose optimizers and starting points are offered.

    Notes
    -----
    Every value is the kit's own optimizer stepping a variable against a gradient of a recorded tape. After a change the
    run begins again at the first step that differs.
    """

    _front_end = "lesson15.js"

    optimizer = Input(traitlets.Enum(tuple(OPTIMIZERS), default_value="adam"))
    grads: Any = Input(traitlets.List())
    start = Input(traitlets.Float(0.0))
    scale = Input(traitlets.Float(1.0))
    actions: Any = Input(traitlets.List())
    lazy: Any = Input(traitlets.List([False, False]))
    preset = Input(traitlets.Unicode(""))
    lesson = ViewState(traitlets.Enum(tuple(LESSON_PRESETS), default_value=15))
    presets: Any = ViewState(traitlets.List())
    names: Any = ViewState(traitlets.List(["a", "b"]))
    at = ViewState(traitlets.Int(OPENS_AT, min=0, max=COUNT - 1))

    slots = Output()

    def __init__(self, **kwargs: Any) -> None:
        self._runs = [WeightTrajectory(), WeightTrajectory()]
        self._applied_preset = ""
        presets = LESSON_PRESETS.get(kwargs.get("lesson", 15), [])
        kwargs.setdefault("presets", presets)
        if presets and "grads" not in kwargs:
            kwargs.setdefault("preset", presets[0])
        super().__init__(**kwargs)

    @traitlets.validate("grads")
    def _two_strips(self, proposal: Any) -> Any:
        strips = proposal["value"]
        if len(strips) != 2 or any(len(strip) != COUNT for strip in strips):
            raise traitlets.TraitError(
                f"grads are two strips of {COUNT} numbers or None; got {[len(s) for s in strips]}"
            )
        if any(g is not None and not isinstance(g, (int, float)) for strip in strips for g in strip):
            raise traitlets.TraitError("a gradient is a number or None")
        return [[None if g is None else float(g) for g in strip] for strip in strips]

    @traitlets.validate("preset")
    def _known_preset(self, proposal: Any) -> Any:
        if proposal["value"] and proposal["value"] not in PRESETS:
            raise traitlets.TraitError(f"no preset is called {proposal['value']!r}; there are {list(PRESETS)}")
        return proposal["value"]

    def settle_inputs(self) -> None:
        """Set the inputs that a newly chosen preset stands for."""
        if self.preset and self.preset != self._applied_preset:
            for name, value in (PLAIN | PRESETS[self.preset]).items():
                setattr(self, name, value)
        self._applied_preset = self.preset

    def compute_outputs(self) -> dict[str, Any]:
        """Both weights' traces, from the first step that changed."""
        return {"slots": [self._trace(which) for which in (0, 1)]}

    def _trace(self, which: int) -> dict[str, Any]:
        states = self._states(which)
        shown = [first_entry(s.w) for s in states]
        moved = [kind_of_move(a, b, g) for a, b, g in zip(shown, shown[1:], self.grads[which], strict=False)]
        moves = np.diff(shown)
        got = [None if g is None else g * self.scale for g in self.grads[which]]
        lanes = {lane: slot_series(states, names) for lane, names in SLOT_SERIES.items()}
        so_far = {kind: running_sum(moves, [one == kind for one in moved]) for kind in ("real", "ghost")}
        return {**lanes, "w": shown, "moved": moved, "moves": moves.tolist(), "got": got, **so_far}

    def _states(self, which: int) -> list[WeightState]:
        """A state before each step and one after the last."""
        run = self._runs[which]
        key = (self.optimizer, self.start, self.scale, bool(self.lazy[which]))
        steps = [(g, self._acts(which, k)) for k, g in enumerate(self.grads[which])]
        weight = OptimizedWeight(*key)
        if run.key != key:
            run.key, run.steps, run.states = key, [], [weight.state()]
        same = next((k for k, (a, b) in enumerate(zip(run.steps, steps, strict=False)) if a != b), len(run.steps))
        run.states = run.states[: same + 1]
        if same < len(steps):
            weight.put(run.states[same])
        for g, acts in steps[same:]:
            state = replace(run.states[-1])
            for act in acts:
                weight.act(state, act)
            weight.step(g, state.held)
            run.states.append(weight.state(state))
        run.steps = steps
        return run.states

    def _acts(self, which: int, step: int) -> tuple[str, ...]:
        return tuple(a["act"] for a in self.actions if a["which"] == which and a["step"] == step)

    def as_table(self) -> Table:
        """Both weights over the steps."""
        columns = ["step", *(f"{what} {name}" for name in self.names for what in ("gradient of", "weight"))]
        rows = [
            (str(k + 1), *(v for i in (0, 1) for v in (self.grads[i][k], self.slots[i]["w"][k + 1])))
            for k in (0, 1, 2, 5, 10, 25, 50, 75, 99)
        ]
        return Table(f"{self.optimizer}: two weights over {COUNT} steps", columns, rows, digits=6)

    def static_figure(self) -> Any:
        """Both weights over the steps as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 2.6))
        axes = figure.subplots()
        for slot, name, style in zip(self.slots, self.names, ("-", "--"), strict=True):
            axes.plot(slot["w"], style, color="black", label=name)
        axes.set_xlabel("steps")
        axes.set_ylabel("weight")
        axes.legend(frameon=False)
        return figure


def kind_of_move(before: float, after: float, g: Gradient) -> str:
    return "still" if after == before else "real" if g else "ghost"


def running_sum(moves: Any, counted: list[bool]) -> list[float]:
    """How far the counted moves went, before the first step and after each."""
    return [0.0, *np.cumsum(np.where(counted, moves, 0.0)).tolist()]


def slot_series(states: list[WeightState], names: tuple[str, ...]) -> list[float] | None:
    """One slot over the steps; None where the optimizer keeps none."""
    name = next((n for n in names if n in states[-1].slots), None)
    if name is None:
        return None
    return [first_entry(s.slots[name]) for s in states]


def first_entry(value: Any) -> float:
    """The entry that is shown: the first row of a table, or the number itself."""
    return float(value.flat[0])
