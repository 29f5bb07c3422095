"""Lesson 00: values go forward through a small graph, and one sweep brings a derivative to every one of them."""

from __future__ import annotations

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable

from .animated_svg import AnimatedFigure, Moment

_PLACES = {"a": (70.0, 60.0), "b": (70.0, 160.0), "y": (220.0, 130.0), "z": (380.0, 92.0)}
_EDGES = (("a", "y"), ("b", "y"), ("y", "z"), ("a", "z"))
_RADIUS = 19


def _numbers() -> tuple[dict[str, float], dict[str, float]]:
    """The values of z = a·b + a, and the derivative of z with respect to each of them."""
    a, b = Variable(4.0), Variable(5.0)
    with GradientTape(persistent=True) as tape:
        y = a * b
        z = y + a
    named = {"a": a, "b": b, "y": y, "z": z}
    gradients = tape.gradient(z, named)
    return {k: float(v.numpy()) for k, v in named.items()}, {k: float(g.numpy()) for k, g in gradients.items()}


def draw() -> AnimatedFigure:
    """Draw the graph of z = a·b + a: first the values, then the sweep."""
    figure = AnimatedFigure(
        "lesson00",
        "One sweep back through the record reaches every number, the intermediate value y included.",
        "A graph of y = a·b and z = y + a. Values appear from left to right: a, b, y, z. Then dots run back along the "
        "arrows from z, and beside each number appears the derivative of z with respect to it; at a two of them add.",
        height=212,
        seconds=10,
    )
    values, gradients = _numbers()
    starts = {"a": 0.0, "b": 0.0, "y": 1.4, "z": 2.8}
    arrives = {"z": 4.0, "y": 5.6, "a": 7.6, "b": 7.6}
    for source, end in _EDGES:
        figure.arrow(_toward(source, end, _RADIUS + 2), _toward(end, source, _RADIUS + 3), "line", 1.6)
    for source, end in _EDGES:
        _contribution(figure, end, source, arrives[end] + 0.2, arrives[end] + 1.4)
    for name, (x, y) in _PLACES.items():
        figure.circle((x, y), _RADIUS, "forward", filled=False)
        figure.text((x, y + 5), f"{values[name]:g}", "forward", 16, "middle", bold=True).appears(starts[name] + 0.3)
        figure.text((x, y - 27), {"y": "y = a·b", "z": "z = y + a"}.get(name, name), "ink", 14, "middle")
        figure.text((x, y + 39), f"dz/d{name} = {gradients[name]:g}", "reverse", 14, "middle", bold=True).appears(
            arrives[name]
        )
    return figure


def _toward(start: str, end: str, distance: float) -> tuple[float, float]:
    """The point at a distance from one node on the way to another."""
    (x0, y0), (x1, y1) = _PLACES[start], _PLACES[end]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    return x0 + (x1 - x0) * distance / length, y0 + (y1 - y0) * distance / length


def _contribution(figure: AnimatedFigure, start: str, end: str, leaves: float, arrives: float) -> None:
    """A dot that runs from a number back to one of its inputs."""
    x0, y0 = _toward(start, end, _RADIUS + 3)
    x1, y1 = _toward(end, start, _RADIUS + 2)
    figure.circle((x0, y0), 6, "reverse").moves(
        Moment(leaves - 0.1, opacity=0),
        Moment(leaves),
        Moment(arrives, x=x1 - x0, y=y1 - y0),
        Moment(arrives + 0.2, x=x1 - x0, y=y1 - y0, opacity=0),
    )
