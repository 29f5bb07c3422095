"""Lesson 02: a value passes through ``.numpy()``, and the gradient that comes back does not."""

from __future__ import annotations

from autodiff_kit.core.constant import constant
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable

from .animated_svg import AnimatedFigure, Moment, Role

_PLACES = {"x": (50.0, 78.0), "a": (160.0, 78.0), "p": (300.0, 78.0), "y": (420.0, 110.0), "w": (300.0, 170.0)}
_RADIUS = 19


def _numbers() -> tuple[dict[str, float], dict[str, str]]:
    """The values of a program that calls ``.numpy()`` on the way, and the gradients of y that its tape gives."""
    x, w = Variable(3.0), Variable(2.0)
    with GradientTape(persistent=True) as tape:
        a = x * x
        p = constant(a.numpy())
        y = p * w
    found = {name: tape.gradient(y, one) for name, one in {"x": x, "a": a, "w": w, "y": y}.items()}
    values = {name: float(one.numpy()) for name, one in {"x": x, "a": a, "p": p, "y": y, "w": w}.items()}
    return values, {name: "None" if one is None else f"{float(one.numpy()):g}" for name, one in found.items()}


def draw() -> AnimatedFigure:
    """Draw the program as a graph with a gap; first the values run through it, then the gradient runs back."""
    figure = AnimatedFigure(
        "lesson02",
        "The value passes through .numpy(). The gradient stops there, and x gets None.",
        "A chain x, a = x², p = a.numpy(), y = p·w, with a gap in the record between a and p. A blue dot runs from x "
        "to y. An orange dot runs back from y: it reaches w, and stops at the gap before a and x, which get None.",
        height=222,
        seconds=10,
    )
    values, gradients = _numbers()
    for start, end in (("x", "a"), ("p", "y"), ("w", "y")):
        figure.arrow(_toward(start, end, _RADIUS + 2), _toward(end, start, _RADIUS + 3), "line", 1.6)
    figure.line(_toward("a", "p", _RADIUS + 4), _toward("p", "a", _RADIUS + 4), "line", 1.6, "2 5")
    figure.text((230, 66), ".numpy()", "ink", 14, "middle")
    _run(figure, ["x", "a", "p", "y"], "forward", (0.3, 1.2, 2.4, 3.4))
    _run(figure, ["y", "w"], "reverse", (4.4, 5.6))
    _stop_at_gap(figure)
    names = {"x": "x", "a": "a = x²", "p": "p", "y": "y = p·w", "w": "w"}
    shown = {"x": 0.2, "w": 0.2, "a": 1.2, "p": 2.4, "y": 3.4}
    known = {"y": 4.3, "w": 5.6, "a": 7.6, "x": 7.6}
    for name, (left, top) in _PLACES.items():
        figure.circle((left, top), _RADIUS, "forward", filled=False)
        value = figure.text((left, top + 5), f"{values[name]:g}", "forward", 16, "middle", bold=True)
        value.appears(shown[name])
        figure.text((left, top - 27), names[name], "ink", 14, "middle")
        if name in known:
            words = f"dy/d{name} = {gradients[name]}" if gradients[name] != "None" else "None"
            role: Role = "reverse" if gradients[name] != "None" else "nan"
            figure.text((left, top + 40), words, role, 14, "middle", bold=True).appears(known[name])
    return figure


def _toward(start: str, end: str, distance: float) -> tuple[float, float]:
    """The point at a distance from one node on the way to another."""
    (x0, y0), (x1, y1) = _PLACES[start], _PLACES[end]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    return x0 + (x1 - x0) * distance / length, y0 + (y1 - y0) * distance / length


def _run(figure: AnimatedFigure, way: list[str], role: Role, times: tuple[float, ...]) -> None:
    """A dot that runs along nodes and vanishes in the last one."""
    x0, y0 = _PLACES[way[0]]
    moments = [Moment(t, _PLACES[n][0] - x0, _PLACES[n][1] - y0) for n, t in zip(way, times, strict=True)]
    last = moments[-1]
    gone = Moment(last.time + 0.2, last.x, last.y, opacity=0)
    figure.circle((x0, y0), 7, role).moves(Moment(max(times[0] - 0.1, 0), opacity=0), *moments, gone)


def _stop_at_gap(figure: AnimatedFigure) -> None:
    """A dot that runs from y to p, trembles before the gap and vanishes."""
    (x0, y0), (x1, y1) = _PLACES["y"], _PLACES["p"]
    gap = _toward("p", "a", _RADIUS + 10)[0]
    figure.circle((x0, y0), 7, "reverse").moves(
        Moment(4.3, opacity=0),
        Moment(4.4),
        Moment(5.6, x1 - x0, y1 - y0),
        Moment(6.2, gap - x0, y1 - y0),
        Moment(6.5, gap + 7 - x0, y1 - y0),
        Moment(6.8, gap - x0, y1 - y0),
        Moment(7.4, gap - x0, y1 - y0, opacity=0),
    )
