"""Lesson 03: where computes both sides; in the backward pass one of them gets a gradient, and the other gets 0."""

from __future__ import annotations

import numpy as np

from autodiff_kit.core.constant import constant
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.ops import sqrt, where

from .animated_svg import AnimatedFigure, Moment

_X = (9.0, -2.0)
_LANES = (62.0, 172.0)
_HALF = 22.0  # from the middle of a lane to each of its two tracks
_ROOT, _WHERE, _Y = 196.0, 332.0, 428.0  # the middles of the boxes, and where y is written


def draw() -> AnimatedFigure:
    """Draw two entries: values run to the right, gradients to the left."""
    figure = AnimatedFigure(
        "lesson03",
        "where computes both sides. In the backward pass, the side that it did not choose multiplies 0 by its slope.",
        "Two entries of y = where(x > 0, root of x, 0). For x = 9 the root is chosen, for x = −2 the 0. Values go from "
        "left to right through both sides; then a gradient of 1 comes back from each y, and where passes it to the "
        "chosen side, and 0 to the other. Each root multiplies what it gets by its slope.",
        height=222,
        seconds=10,
    )
    roots, ys, into_roots, into_zeros = _run()
    figure.text((_ROOT, 16), "sides", "muted", 13, "middle")
    for index, middle in enumerate(_LANES):
        chosen = _X[index] > 0
        _tracks(figure, middle, chosen)
        _boxes(figure, middle, index)
        _values(figure, middle, chosen, roots[index], ys[index])
        _gradients(figure, middle, into_roots[index], into_zeros[index])
    return figure


def _run() -> list[list[float]]:
    """Values of the root and of y, and the gradients that the root and the 0 get."""
    x, zeros = constant(list(_X)), constant([0.0, 0.0])
    with np.errstate(invalid="ignore"), GradientTape() as tape:
        tape.watch(x)
        tape.watch(zeros)
        root = sqrt(x)
        y = where(x > 0, root, zeros)
    into_root, into_zeros = tape.gradient(y, [root, zeros])
    return [one.numpy().tolist() for one in (root, y, into_root, into_zeros)]


def _said(value: float) -> str:
    return "nan" if np.isnan(value) else f"{value:g}".replace("-", "−")


def _tracks(figure: AnimatedFigure, middle: float, chosen: bool) -> None:
    """Lines that the values take; the side that is not chosen ends at where."""
    up, low = middle - _HALF, middle + _HALF
    figure.line((68, up), (_WHERE - 34, up), "forward", 2, "" if chosen else "4 4")
    figure.line((_ROOT + 30, low), (_WHERE - 34, low), "forward", 2, "4 4" if chosen else "")
    figure.line((_WHERE + 34, middle), (_Y - 10, middle), "forward")


def _boxes(figure: AnimatedFigure, middle: float, index: int) -> None:
    up, low = middle - _HALF, middle + _HALF
    figure.text((60, up + 5), f"x = {_said(_X[index])}", "forward", 15, "end", bold=True)
    for y, words in ((up, "√x"), (low, "0")):
        figure.rect((_ROOT - 30, y - 15), 60, 30, "ink", "paper")
        figure.text((_ROOT, y + 5), words, "ink", 15, "middle")
    figure.rect((_WHERE - 34, middle - 38), 68, 76, "ink", "paper")
    figure.text((_WHERE, middle + 5), "where", "ink", 15, "middle")


def _values(figure: AnimatedFigure, middle: float, chosen: bool, root: float, y: float) -> None:
    """From 0.5 s to 4 s both sides run to where, and one of them on to y."""
    up, low = middle - _HALF, middle + _HALF
    for start, track, shown, value in ((70.0, up, chosen, root), (_ROOT + 30, low, not chosen, 0.0)):
        dot = figure.circle((start, track), 6, "forward")
        reach = _WHERE - 40 - start
        end = Moment(2.8, x=reach, opacity=1 if shown else 0.25)
        dot.moves(Moment(0.5), end, Moment(3.2, x=reach, opacity=0))
        figure.text((_WHERE - 54, track - 8), _said(value), "forward", 15, "middle", bold=True).appears(2.4)
    out = figure.circle((_WHERE + 34, middle), 6, "forward")
    out.moves(Moment(2.9, opacity=0), Moment(3.0), Moment(3.9, x=46), Moment(4.2, x=46, opacity=0))
    figure.text((_Y, middle + 5), f"y = {_said(y)}", "forward", 15, bold=True).appears(3.9)


def _gradients(figure: AnimatedFigure, middle: float, into_root: float, into_zero: float) -> None:
    """From 5 s to 8.5 s a gradient of 1 comes back from y, and where divides it between its sides."""
    came = figure.rect((_Y - 16, middle - 7), 14, 14, "reverse", "hatched")
    came.moves(Moment(4.7, opacity=0), Moment(5), Moment(5.9, x=-46), Moment(6.2, x=-54, opacity=0))
    figure.text((_Y - 28, middle + 24), "1", "reverse", 15, "middle", bold=True).appears(5)
    for track, gradient in ((middle - _HALF, into_root), (middle + _HALF, into_zero)):
        part = figure.rect((_WHERE - 48, track - 7), 14, 14, "reverse", "hatched")
        part.moves(Moment(6.2, opacity=0), Moment(6.4), Moment(8, x=-56), Moment(9, x=-56))
        figure.text((_ROOT + 39, track + 21), _said(gradient), "reverse", 15, "middle", bold=True).appears(7.4)
    slope = f"{_said(into_root)} × slope"
    figure.text((117, middle - _HALF + 21), slope, "reverse", 15, "middle", bold=True).appears(8.6)
