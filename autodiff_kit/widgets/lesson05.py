"""Lesson 05 widget: custom backward rules of one operation, and gradient hooks on its input and output."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["CustomGradientRule"]

Function = Callable[[Any], Any]
POINTS = 241
LIMIT = 3.0  # of the gradient of y, in both directions


class CustomGradientExample(NamedTuple):
    """A function of the widget: plain, with a custom gradient, and the range in which it is drawn."""

    plain: Function
    kept: Function
    code: str
    kept_code: str
    low: float
    high: float
    start: float
    breaks: tuple[float, ...] = ()  # where a value or a rule's slope may jump
    name: str = ""


FUNCTIONS = {
    "floor": CustomGradientExample(
        ak.floor, ak.floor, "ak.floor(x)", "ak.floor(x)", -2.0, 4.0, 1.7, tuple(range(-1, 4)), "Floor"
    ),
    "sign": CustomGradientExample(
        ak.sign, ak.sign, "ak.sign(x)", "ak.sign(x)", -3.0, 3.0, 0.4, (-1.0, 0.0, 1.0), "Sign"
    ),
    "log1pexp": CustomGradientExample(
        lambda x: ak.log(1.0 + ak.exp(x)),
        ak.softplus,
        "ak.log(1.0 + ak.exp(x))",
        "ak.softplus(x)",
        600.0,
        1000.0,
        1000.0,
    ),
}
# What a rule makes of g, at x; the word and the code are the same.
RULES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "through": (lambda g, x: g, "g"),
    "five": (lambda g, x: 5.0 * g, "5.0 * g"),
    "window": (lambda g, x: g * ak.cast(ak.abs(x) <= 1.0, "float64"), 'g * ak.cast(ak.abs(x) <= 1.0, "float64")'),
    "sigmoid": (lambda g, x: g * ak.sigmoid(x), "g * ak.sigmoid(x)"),
    "reverse": (lambda g, x: -g, "-g"),
}
HOOKS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "look": (lambda g: None, "None"),
    "halve": (lambda g: 0.5 * g, "0.5 * g"),
    "clip": (lambda g: ak.clip(g, -1.0, 1.0), "ak.clip(g, -1.0, 1.0)"),
    "turn": (lambda g: -g, "-g"),
    "stop": (lambda g: 0.0 * g, "0.0 * g"),
}


def with_backward_rule(f: str, rule: str) -> Function:
    """The function with the chosen rule, as the code of the widget says."""
    op = FUNCTIONS[f]
    if rule == "own":
        return op.plain
    if rule == "through" and op.name:
        return lambda x: with_identity_gradient(op, x)
    made = RULES[rule][0]
    return ak.custom_gradient(lambda x: (op.kept(x), lambda g: made(g, x)))


def with_identity_gradient(op: CustomGradientExample, x: Any) -> Any:
    with ak.gradient_override_map({op.name: "Identity"}):
        return op.plain(x)


def source_code(f: str, rule: str) -> str:
    """The lines that make y of x."""
    op = FUNCTIONS[f]
    if rule == "own":
        return f"y = {op.code}"
    if rule == "through" and op.name:
        return f'with ak.gradient_override_map({{"{op.name}": "Identity"}}):\n    y = {op.code}'
    lines = f"def f(x):\n    return {op.kept_code}, lambda g: {RULES[rule][1]}"
    return f"@ak.custom_gradient\n{lines}\n\ny = f(x)"


def sample(f: str, rule: str, x: Any) -> tuple[Any, Any]:
    """Values, and the slopes that the rule claims for them; None where it gives no gradient."""
    x = ak.constant(x)
    with np.errstate(all="ignore"), ak.GradientTape() as tape:
        tape.watch(x)
        y = with_backward_rule(f, rule)(x)
        slope = tape.gradient(y, x)
    return y.numpy(), None if slope is None else slope.numpy() + 0.0


@cache
def curve(f: str, rule: str) -> dict[str, Any]:
    """Value and slope over the range that is shown, in pieces between the breaks; and the ends of the value's jumps."""
    op = FUNCTIONS[f]
    pieces: list[dict[str, Any]] = []
    bounds = (op.low, *op.breaks, op.high)
    for low, high in pairwise(bounds):
        x = np.linspace(np.nextafter(low, high), np.nextafter(high, low), POINTS // (len(bounds) - 1))
        value, slope = sample(f, rule, x)
        pieces.append({"x": x.tolist(), "value": value.tolist(), "slope": None if slope is None else slope.tolist()})
    ends = []
    for place in op.breaks:
        left, here, right = sample(f, rule, np.nextafter(place, [-np.inf, place, np.inf]))[0].tolist()
        if left != right:
            ends += [(place, y, y != here) for y in sorted({left, here, right})]
    return {"pieces": pieces, "ends": ends}


class CustomGradientRule(KernelWidget):
    """Choose an operation and its rule, and follow a gradient through two hooks and the rule.

    Parameters
    ----------
    f : {"floor", "sign", "log1pexp"}, optional
        What makes y of x. The last is log(1 + exp(x)) as it stands; with any rule but its own, ``softplus`` gives its
        value.
    rule : {"own", "through", "five", "window", "sigmoid", "reverse"}, optional
        The gradient of x for a gradient g of y: that of the operations' own rules; g; 5·g; g where
        abs(x) <= 1, else 0; g·sigmoid(x); -g.
    x : float, optional
        Taken back to a start of the function's own where it is outside the picture.
    g : float, optional
        The gradient of y, from -3 to 3.
    hook : {"look", "halve", "clip", "turn", "stop"}, optional
        What the hook on y returns.
    step : int, optional
        How far the backward pass is shown, 0 to 4.

    Notes
    -----
    Every number is from a recorded tape: what the hooks saw when they were called, and the gradient of x. A hook that
    was not called saw nothing.
    """

    _front_end = "lesson05.js"

    f = Input(traitlets.Enum(tuple(FUNCTIONS), default_value="floor"))
    rule = Input(traitlets.Enum(("own", *RULES), default_value="own"))
    x = Input(traitlets.Float(1.7))
    g = Input(traitlets.Float(2.0))
    hook = Input(traitlets.Enum(tuple(HOOKS), default_value="look"))
    step = ViewState(traitlets.Int(0, min=0, max=4))

    value = Output()
    seen = Output()
    into_x = Output()
    slope = Output()
    curve = Output()
    code = Output()
    hook_code = Output()

    @traitlets.validate("x")
    def _a_number(self, proposal: Any) -> Any:
        if not math.isfinite(proposal["value"]):
            raise traitlets.TraitError(f"x is a number; got {proposal['value']}")
        return proposal["value"]

    @traitlets.validate("g")
    def _a_gradient(self, proposal: Any) -> Any:
        if not abs(proposal["value"]) <= LIMIT:
            raise traitlets.TraitError(f"g is a number from -{LIMIT:g} to {LIMIT:g}; got {proposal['value']}")
        return proposal["value"]

    def settle_inputs(self) -> None:
        """Take x back to the function's start where it is outside of the plot."""
        op = FUNCTIONS[self.f]
        if not op.low <= self.x <= op.high:
            self.x = op.start

    def compute_outputs(self) -> dict[str, Any]:
        """Record y, register the hooks, and pull g back."""
        f, seen = with_backward_rule(self.f, self.rule), {}
        x = ak.constant(self.x)
        with np.errstate(all="ignore"):
            with ak.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = f(x)
            slope = tape.gradient(y, x)
            for name, hook in (("comes", None), ("leaves", HOOKS[self.hook][0])):
                if hook is not None:
                    y.register_hook(hook)
                y.register_hook(lambda g, name=name: seen.update({name: _float(g)}))
            x.register_hook(lambda g: seen.update(arrives=_float(g)))
            into_x = tape.gradient(y, x, output_gradients=ak.constant(self.g))
        return {
            "value": _float(y),
            "seen": {name: seen.get(name) for name in ("comes", "leaves", "arrives")},
            "into_x": _float(into_x),
            "slope": _float(slope),
            "curve": curve(self.f, self.rule),
            "code": source_code(self.f, self.rule),
            "hook_code": f"y.register_hook(lambda g: {HOOKS[self.hook][1]})",
        }

    def as_table(self) -> Table:
        """What passed where."""
        names = (("comes", "gradient of y"), ("leaves", "after the hook on y"), ("arrives", "gradient of x"))
        rows = [(words, self.seen[name]) for name, words in names]
        claimed = "None" if self.slope is None else number(self.slope, 4)
        caption = (
            f"{self.f} at {self.x:g} is {number(self.value, 4)}; its rule ({self.rule}) claims the slope {claimed}"
        )
        return Table(caption, ("place", "gradient"), rows, digits=4)

    def static_figure(self) -> Any:
        """The function and the slope that its rule claims, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.5, 3.6), layout="constrained")
        upper, lower = figure.subplots(2, sharex=True)
        for piece in self.curve["pieces"]:
            upper.plot(piece["x"], piece["value"], color="black")
            if piece["slope"] is not None:
                lower.plot(piece["x"], piece["slope"], color="#d55e00")
        upper.set_ylabel(self.f)
        lower.set(ylabel=f"slope by the rule: {self.rule}", xlabel="x")
        return figure


def _float(value: Any) -> float | None:
    """A number without a sign on its zero; None stays None."""
    return None if value is None else float(value) + 0.0
