"""Lesson 22: a message from one node of a ring and of two triangles, round by round."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin

import numpy as np

from autodiff_kit.nn.segment import sparse_matmul

from .animated_svg import AnimatedFigure

_RING = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0))
_TRIANGLES = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3))
_ROUNDS, _PAUSE = 3, 2.3
Point = tuple[float, float]


def _reached(edges: tuple[tuple[int, int], ...]) -> list[list[bool]]:
    """Which nodes have heard of node 0 after each round."""
    rows, columns = np.array([*edges, *((j, i) for i, j in edges)]).T
    heard = np.eye(6)[0]
    rounds = [heard]
    for _ in range(_ROUNDS):
        heard = heard + sparse_matmul((rows, columns, (6, 6)), heard).numpy()
        rounds.append(heard)
    return [[bool(value) for value in one] for one in rounds]


def draw() -> AnimatedFigure:
    """Draw both graphs; node 0 has a message, and every round it reaches the neighbours of who has it."""
    figure = AnimatedFigure(
        "lesson22",
        "In each round, every node tells its neighbours what it knows. News spreads by one edge a round.",
        "On the left a ring of six nodes, on the right two triangles. One node of each is filled. In every round its "
        "news moves along the edges to the neighbours. After three rounds the whole ring is filled, but only one "
        "of the two triangles.",
        height=236,
        seconds=9,
    )
    ring = [(120 + 72 * sin(pi * k / 3), 108 - 72 * cos(pi * k / 3)) for k in range(6)]
    triangles = [(x + 44 * sin(2 * pi * k / 3), 116 - 44 * cos(2 * pi * k / 3)) for x in (300, 416) for k in range(3)]
    _graph(figure, ring, _RING)
    _graph(figure, triangles, _TRIANGLES)
    figure.text((120, 220), "ring", anchor="middle", size=15)
    figure.text((358, 220), "two triangles", anchor="middle", size=15)
    for number in range(1, _ROUNDS + 1):
        shown = figure.text((246, 24), f"round {number}", "forward", 15, "middle", bold=True)
        shown.appears(0.5 + (number - 1) * _PAUSE, None if number == _ROUNDS else 0.5 + number * _PAUSE)
    return figure


def _graph(figure: AnimatedFigure, places: list[Point], edges: tuple[tuple[int, int], ...]) -> None:
    """Draw edges and nodes, and fill the nodes in the round in which the news arrives."""
    for i, j in edges:
        figure.line(places[i], places[j], "line", 1.6)
    rounds = _reached(edges)
    for number, (before, after) in enumerate(pairwise(rounds)):
        start = 0.6 + number * _PAUSE
        for i, j in (*edges, *((j, i) for i, j in edges)):
            if before[i] and after[j] and not before[j]:
                news = figure.line(places[i], places[j], "forward", 4)
                news.draws(start, start + 1)
    for i, place in enumerate(places):
        figure.circle(place, 15, "ink", filled=False)
        first = next((number for number, one in enumerate(rounds) if one[i]), None)
        if first is not None:
            dot = figure.circle(place, 12, "forward")
            if first:
                dot.appears(0.6 + (first - 1) * _PAUSE + 1.2)
