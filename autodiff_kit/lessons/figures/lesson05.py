"""Lesson 05: one operation with three rules; each turns the gradient of its result into that of its input."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.ops.custom_gradient import custom_gradient

from .animated_svg import AnimatedFigure, Moment

_X = 3.0
_UNIT, _BASE = 17.0, 148.0  # height of a gradient of 1, and the line of 0
_LEFT, _RULE, _RIGHT = 92.0, 240.0, 392.0
_RULES = (("g · 2x", lambda g: g * (2.0 * _X)), ("g", lambda g: g), ("−g", lambda g: -g))


def _gradient(rule: Any) -> float:
    """The gradient of x for y = x², under a rule."""

    @custom_gradient
    def square(x: Any) -> Any:
        return x * x, rule

    x = Variable(_X)
    with GradientTape() as tape:
        y = square(x)
    return float(tape.gradient(y, x).numpy())


def draw() -> AnimatedFigure:
    """Draw the gradient of y as a bar on the right, and what each rule makes of it on the left."""
    figure = AnimatedFigure(
        "lesson05",
        "A rule turns the gradient of the result into the gradient of the input. You can replace it.",
        "On the right a bar of height 1, the gradient g of y = x². It moves left through a box with a rule and leaves "
        "a bar, the gradient of x = 3: of height 6 for the rule g times 2x, of height 1 for the rule g, and of height "
        "1 downwards for the rule minus g.",
        height=214,
        seconds=11,
    )
    for x, words in ((_LEFT, "gradient of x = 3"), (_RIGHT, "g, gradient of y = x²")):
        figure.text((x, 20), words, "reverse", 14, "middle", bold=True)
    figure.line((_LEFT - 60, _BASE), (_RIGHT + 60, _BASE), "line", 1.2)
    figure.rect((_RULE - 46, _BASE - 62), 92, 86, "ink", "paper")
    figure.text((_RULE, _BASE - 40), "rule", "muted", 13, "middle")
    figure.rect((_RIGHT - 16, _BASE - _UNIT), 32, _UNIT, "reverse", "hatched")
    figure.text((_RIGHT + 24, _BASE - 4), "1", "reverse", 15, bold=True)
    for index, (words, rule) in enumerate(_RULES):
        _run(figure, 0.3 + 3.3 * index, words, _gradient(rule), last=index == len(_RULES) - 1)
    return figure


def _run(figure: AnimatedFigure, start: float, words: str, gradient: float, last: bool) -> None:
    """One rule: its text in the box, g on its way to the left, and the gradient of x."""
    end = None if last else start + 3.2
    figure.text((_RULE, _BASE - 8), words, "ink", 17, "middle", bold=True).appears(start + 0.2, end)
    token = figure.rect((_RIGHT - 8, _BASE - 14), 16, 14, "reverse", "hatched")
    inside, out = _RULE + 46 - _RIGHT, _LEFT + 24 - _RIGHT
    token.moves(
        Moment(start, opacity=0),
        Moment(start + 0.2),
        Moment(start + 1.0, x=inside),
        Moment(start + 1.1, x=inside - 20, opacity=0),
        Moment(start + 1.3, x=inside - 76, opacity=0),
        Moment(start + 1.4, x=inside - 96),
        Moment(start + 2.0, x=out),
        Moment(start + 2.1, x=out, opacity=0),
    )
    height = abs(gradient) * _UNIT
    top = _BASE - height if gradient > 0 else _BASE
    bar = figure.rect((_LEFT - 16, top), 32, height, "reverse", "hatched").turns_around(
        "bottom" if gradient > 0 else "top"
    )
    grows = [Moment(start + 1.9, scale_y=0), Moment(start + 2.3)]
    bar.moves(*grows, *([] if end is None else [Moment(end - 0.1), Moment(end, opacity=0)]))
    label = f"{gradient:g}".replace("-", "−")
    place = (_LEFT - 24, top + (14 if gradient > 0 else height + 2))
    figure.text(place, label, "reverse", 15, "end", bold=True).appears(start + 2.3, end)
