"""Lesson 09: padding is appended to three words, and without a mask it takes weight away from them."""

from __future__ import annotations

from autodiff_kit.ops.softmax import softmax

from .animated_svg import AnimatedFigure, Moment

_WORDS = ("the", "cat", "sat")
_SCORES = (0.0, 0.5, 1.0)
_PADDED_SCORE = 0.0
_MOST = 9
_LEFT, _BASE, _TALL, _WIDE, _GAP = 22, 150, 118, 28, 9


def _weights(padding: int) -> list[float]:
    """The softmax of the words' scores and of as many padded ones."""
    scores = [*_SCORES, *[_PADDED_SCORE] * padding]
    return [float(weight) for weight in softmax(scores).numpy()]


def draw() -> AnimatedFigure:
    """Draw a bar for each position; all bars change when another padded position is appended."""
    figure = AnimatedFigure(
        "lesson09",
        "The three words stay the same. Without a mask, every padded position takes weight away from them.",
        "Three bars are the softmax weights of the words the, cat and sat. One after the other, grey bars of "
        "padding appear beside them. Each time, the bars of the words become shorter.",
        height=182,
        seconds=10,
    )
    by_padding = [_weights(padding) for padding in range(_MOST + 1)]
    largest = max(by_padding[0])
    times = [1.2 + 0.75 * padding for padding in range(_MOST + 1)]
    for place in range(len(_WORDS)):
        x, tall = _LEFT + place * (_WIDE + _GAP), _TALL * by_padding[0][place] / largest
        figure.rect((x, _BASE - tall), _WIDE, tall, "forward", "none")
    for place in range(len(_WORDS) + _MOST):
        _add_bar(figure, place, by_padding, times)
    end = _LEFT + (len(_WORDS) + _MOST) * (_WIDE + _GAP) - _GAP
    figure.line((_LEFT - 6, _BASE), (end + 6, _BASE), "line", 1.2)
    figure.text((end, 34), "weight of the three words together", "ink", 14, "end")
    for padding, weights in enumerate(by_padding):
        until = times[padding + 1] if padding < _MOST else None
        shown = figure.text((end, 66), f"{sum(weights[: len(_WORDS)]):.2f}", "forward", 30, "end", bold=True)
        shown.appears(times[padding] if padding else 0.0, until, fade=0.02)
    return figure


def _add_bar(figure: AnimatedFigure, place: int, by_padding: list[list[float]], times: list[float]) -> None:
    """Add one position: its bar gets the height of its weight each time that padding is appended."""
    word = place < len(_WORDS)
    first = 0 if word else place - len(_WORDS) + 1
    x, tall = _LEFT + place * (_WIDE + _GAP), _TALL * by_padding[first][place] / max(by_padding[0])
    bar = figure.rect((x, _BASE - tall), _WIDE, tall, "forward" if word else "line")
    moments = [] if word else [Moment(times[first] - 0.3, scale_y=0.0)]
    for padding in range(first, _MOST + 1):
        share = by_padding[padding][place] / by_padding[first][place]
        moments += [Moment(times[padding], scale_y=share), Moment(times[padding] + 0.35, scale_y=share)]
    bar.turns_around("bottom").moves(*moments)
    words = _WORDS[place] if word else "pad"
    name = figure.text((x + _WIDE / 2, _BASE + 18), words, "ink" if word else "muted", 14, "middle")
    if not word:
        name.appears(times[first])
