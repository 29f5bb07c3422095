"""Lesson 11: rows leave one array for the groups that their ids name; one group gets none."""

from __future__ import annotations

import numpy as np

from autodiff_kit.nn.segment import segment_sum

from .animated_svg import AnimatedFigure, Moment

_IDS = (1, 0, 1, 2, 0, 1, 2)
_GROUPS = 4
_LEFT, _STEP = 84, 52
_BOX, _FLOOR = 84, 192


def draw() -> AnimatedFigure:
    """Draw the rows in their array, then each of them in the box of its group."""
    figure = AnimatedFigure(
        "lesson11",
        "Each row goes to the group that its id names. What is the mean of a group that gets no row?",
        "Seven rows stand in one array, each with the id of its group: 1 0 1 2 0 1 2. One after the other they move "
        "down into four boxes, the groups 0 to 3. Group 3 stays empty, and its mean is a question mark.",
        height=226,
        seconds=10,
    )
    counts = segment_sum(np.ones(len(_IDS)), np.array(_IDS), _GROUPS).numpy()
    for group in range(_GROUPS):
        left = 70 + 100 * group
        figure.rect((left, _FLOOR - 96), _BOX, 96, "ink", "none")
        name = f"group {group}"
        figure.text((left + _BOX / 2, _FLOOR + 18), name, anchor="middle", size=14)
        if counts[group] == 0:
            figure.text((left + _BOX / 2, _FLOOR - 36), "?", "nan", 40, "middle", bold=True).appears(8.4)
    figure.text((70, 34), "rows", "forward", 14, "end", bold=True)
    figure.text((70, 66), "ids", "ink", 14, "end")
    for index, group in enumerate(_IDS):
        _row(figure, index, group, _IDS[:index].count(group))
    return figure


def _row(figure: AnimatedFigure, index: int, group: int, before: int) -> None:
    """Move a row into the box of its group, above those that are there."""
    x, y = _LEFT + _STEP * index + 10, 29
    figure.text((x, 66), str(group), anchor="middle", size=14)
    figure.circle((x, y), 11, "line", filled=False)
    to_x, to_y = 70 + 100 * group + _BOX / 2, _FLOOR - 16 - 28 * before
    start = 0.4 + index
    figure.circle((x, y), 12, "forward").moves(Moment(start), Moment(start + 1, x=to_x - x, y=to_y - y))
