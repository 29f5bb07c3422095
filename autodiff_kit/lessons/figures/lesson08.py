"""Lesson 08: gradient descent on the cross-entropy moves three logits and their probabilities."""

from __future__ import annotations

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.nn import softmax, sparse_softmax_cross_entropy

from .animated_svg import AnimatedFigure, Moment

_LABEL, _STEPS, _EVERY, _RATE = 1, 24, 2, 0.5
_BASE, _LOGIT, _SHARE = 160, 34, 120
_START, _END = 0.8, 7.6


def _descent() -> tuple[list[list[float]], list[list[float]]]:
    """The logits and the probabilities at every second step of gradient descent."""
    z = Variable([0.5, 1.0, 2.0])
    logits, shares = [], []
    for step in range(_STEPS + 1):
        if step % _EVERY == 0:
            logits.append(z.numpy().tolist())
            shares.append(softmax(z).numpy().tolist())
        with GradientTape() as tape:
            loss = sparse_softmax_cross_entropy(_LABEL, z)
        z.assign_sub(_RATE * tape.gradient(loss, z))
    return logits, shares


def draw() -> AnimatedFigure:
    """Draw three logits on the left and their probabilities on the right."""
    figure = AnimatedFigure(
        "lesson08",
        "Each step of gradient descent on this loss raises the logit of the true class and lowers the others.",
        "Three logits and their probabilities as bars. At first class 2 has the highest bars. Step by step the bars of "
        "the true class, class 1, grow, and the others shrink.",
        height=222,
        seconds=9,
    )
    logits, shares = _descent()
    for left, words, values, unit in ((40, "logits", logits, _LOGIT), (270, "probabilities", shares, _SHARE)):
        figure.text((left, 16), words, "ink", 14, bold=True)
        figure.line((left - 14, _BASE), (left + 184, _BASE), "line", 1.2)
        for index in range(3):
            _bar(figure, left + 62 * index, unit, [one[index] for one in values])
            figure.text((left + 62 * index + 21, 210), f"class {index}", "muted", 13, "middle")
        figure.text((left + 83, 194), "true", "forward", 13, "middle", bold=True)
    top = _BASE - _SHARE
    figure.line((256, top), (454, top), "line", 1.2, "3 4")
    figure.text((460, top + 5), "1", "muted", 13)
    return figure


def _bar(figure: AnimatedFigure, left: float, unit: float, values: list[float]) -> None:
    """A bar whose height follows the values; a negative one hangs below the line."""
    times = [_START + (_END - _START) * index / (len(values) - 1) for index in range(len(values))]
    bar = figure.rect((left, _BASE - unit), 42, unit, "forward").turns_around("bottom")
    bar.moves(*(Moment(time, scale_y=value) for time, value in zip(times, values, strict=True)), steady=True)
