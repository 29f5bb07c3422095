"""Lesson 12: an assignment copies a number from one variable into another."""

from __future__ import annotations

from autodiff_kit.core.variable import Variable

from .animated_svg import AnimatedFigure, Moment

_X0, _X1, _TOP, _WIDTH, _HEIGHT = 70.0, 310.0, 82.0, 100.0, 64.0
_NEW = 5.0


def _values() -> list[tuple[float, float]]:
    """What both variables hold: at first, after the assignment to x1, and after the one to x0."""
    x0, x1 = Variable(3.0), Variable(0.0)
    found = [(float(x0.numpy()), float(x1.numpy()))]
    x1.assign_add(x0)
    found.append((float(x0.numpy()), float(x1.numpy())))
    x0.assign(_NEW)
    found.append((float(x0.numpy()), float(x1.numpy())))
    return found


def draw() -> AnimatedFigure:
    """Draw both variables as cells, and the numbers that move."""
    figure = AnimatedFigure(
        "lesson12",
        "After x1.assign_add(x0), x1 holds 3. It does not follow a later change of x0.",
        "Two cells, x0 with 3 and x1 with 0. The line x1.assign_add(x0) runs: a copy of the 3 moves from x0 to x1, and "
        "x1 holds 3. Then x0.assign(5) runs: x0 holds 5, and x1 still holds 3.",
        height=176,
        seconds=8,
    )
    (first, empty), (_, sum_), (later, _) = _values()
    for left, name in ((_X0, "x0"), (_X1, "x1")):
        figure.rect((left, _TOP), _WIDTH, _HEIGHT, "ink", "none")
        figure.text((left + _WIDTH / 2, _TOP + _HEIGHT + 22), name, "ink", 16, "middle", bold=True)
    figure.text((240, 28), "x1.assign_add(x0)", "ink", 16, "middle", bold=True).appears(0.8, 4.2)
    figure.text((240, 28), f"x0.assign({_NEW:g})", "ink", 16, "middle", bold=True).appears(4.4)
    figure.line((_X0 + _WIDTH, _TOP + _HEIGHT / 2), (_X1, _TOP + _HEIGHT / 2), "line", 1.6, "3 5").appears(1.0, 3.6)
    middle, base = _WIDTH / 2, _TOP + _HEIGHT / 2 + 9
    figure.text((_X0 + middle, base), f"{first:g}", "ink", 26, "middle", bold=True).appears(0.0, 5.6)
    copy = figure.text((_X0 + middle, base), f"{first:g}", "forward", 26, "middle", bold=True)
    gone = Moment(3.3, x=_X1 - _X0, opacity=0)
    copy.moves(Moment(1.1, opacity=0), Moment(1.3), Moment(3.0, x=_X1 - _X0), gone)
    figure.text((_X1 + middle, base), f"{empty:g}", "ink", 26, "middle", bold=True).appears(0.0, 2.8)
    figure.text((_X1 + middle, base), f"{sum_:g}", "ink", 26, "middle", bold=True).appears(3.3)
    figure.text((_X0 + middle, base), f"{later:g}", "forward", 26, "middle", bold=True).appears(6.0)
    return figure
