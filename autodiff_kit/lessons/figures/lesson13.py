"""Lesson 13: a chain of layers holds all its values, or every fourth and computes the others again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from .animated_svg import AnimatedFigure, Moment

_LAYERS, _EVERY = 16, 4
_LEFT, _CELL, _ROW = 62, 25, 160
_START, _END = 0.8, 8.2
Kind = Literal["forward", "again", "pull"]


def _events(every: int) -> Iterator[tuple[Kind, int, set[int]]]:
    """What runs, on which layer, and the layers whose inputs are held then."""
    held: set[int] = set()
    for layer in range(_LAYERS):
        if layer % every == 0:
            held.add(layer)
        yield "forward", layer, set(held)
    for low in reversed(range(0, _LAYERS, every)):
        for layer in range(low, low + every - 1):
            held.add(layer + 1)
            yield "again", layer, set(held)
        for layer in reversed(range(low, low + every)):
            yield "pull", layer, set(held)
            held.remove(layer)


def draw() -> AnimatedFigure:
    """Draw the numbers of values held over the run, and below them the chain of layers at work."""
    figure = AnimatedFigure(
        "lesson13",
        "With every fourth value kept and the others computed again, a chain of layers holds fewer values at once.",
        "Above, two curves of the values held during a run: the grey one, with all values kept, rises to the top and "
        "falls again; the blue one, with every fourth value kept, stays low. Below, a row of layers. On the forward "
        "pass every fourth cell is filled. On the backward pass each block is filled again and then emptied, and its "
        "cells become hatched.",
        height=212,
        seconds=9.5,
    )
    runs = {every: list(_events(every)) for every in (1, _EVERY)}
    steps = len(runs[_EVERY])
    pace = (_END - _START) / steps
    plot = figure.plot((_LEFT, 14), _LAYERS * _CELL, 104, (0, steps + 1), (0, _LAYERS), "time", "values held")
    for every, run in runs.items():
        points = plot.points(range(len(run) + 2), [0, *(len(held) for _, _, held in run), 0])
        role: Literal["muted", "forward"] = "muted" if every == 1 else "forward"
        figure.path(points, role, 2.5).draws(_START, _START + pace * len(run))
    figure.text(plot.point(21.5, 12.5), "all are kept", "muted", 14)
    figure.text(plot.point(steps, 9), "every fourth is kept", "forward", 14, "end", bold=True)
    _add_chain(figure, runs[_EVERY], pace)
    return figure


def _add_chain(figure: AnimatedFigure, run: list[tuple[Kind, int, set[int]]], pace: float) -> None:
    """Add the layers: filled while the input is held, hatched once the layer has been differentiated."""
    figure.text((_LEFT - 8, _ROW + 15), "layers", "ink", 14, "end")
    ends = [_START + pace * (index + 1) for index in range(len(run))]
    for layer in range(_LAYERS):
        corner = (_LEFT + layer * _CELL + 1.5, _ROW)
        figure.rect(corner, _CELL - 3, 22, "line", "none")
        pulled = next(end for end, (kind, at, _) in zip(ends, run, strict=True) if kind == "pull" and at == layer)
        started = next(end for end, (_, _, held) in zip(ends, run, strict=True) if layer in held)
        figure.rect(corner, _CELL - 3, 22, "forward").appears(started, pulled, fade=0.08)
        figure.rect(corner, _CELL - 3, 22, "reverse", "hatched").appears(pulled, fade=0.08)
    at_work = figure.circle((_LEFT + _CELL / 2, _ROW + 36), 5, "ink")
    places = [layer * _CELL for _, layer, _ in run]
    moments = [Moment(end, x=place) for end, place in zip(ends, places, strict=True)]
    at_work.moves(Moment(_START, x=0.0), *moments, steady=True)
    figure.text((_LEFT - 8, _ROW + 41), "at work", "muted", 14, "end")
