"""Small animated drawings: an SVG whose parts move by CSS, without JavaScript, a kernel or a network.

A figure starts by itself, repeats, and has a button that pauses it. Where motion is not wanted (a setting of the
system, a printed page) it stands still and shows its last moment. Readers of the screen get the description.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import count, pairwise
from math import dist
from typing import Literal

__all__ = ["AnimatedFigure", "Moment", "Part", "Plot"]

Role = Literal["ink", "muted", "line", "forward", "reverse", "nan", "paper"]

WIDTH = 480
"""Width of every figure in drawing units; heights are chosen per figure."""

# JupyterLab, VS Code, and the book, each of which says in its own way that it is dark.
_DARK_PLACES = '[data-jp-theme-light="false"] .ak-figure,.vscode-dark .ak-figure,[data-theme="dark"] .ak-figure'
_DARK_COLOURS = (
    "--ink:#e4e4e4;--muted:#a8a8a8;--line:#8a8a8a;--forward:#56b4e9;--reverse:#f28e4a;--nan:#ff7ad9;"
    "--paper:var(--jp-layout-color1,var(--color-background-primary,#121212))"
)
_STYLE = """
.ak-figure{--ink:#212121;--muted:#616161;--line:#9e9e9e;
--paper:var(--jp-layout-color1,var(--color-background-primary,#fff));--forward:#0072b2;
--reverse:#c25400;--nan:#b0148f;max-width:640px;margin:4px 0 12px;color:var(--ink);position:relative;
font:14px/1.45 var(--jp-ui-font-family,system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif)}
PLACES{COLOURS}
@media (prefers-color-scheme:dark){body[data-theme="auto"] .ak-figure{COLOURS}}
.ak-figure svg{display:block;width:100%;height:auto;overflow:visible;font:14px/1 inherit}
.ak-figure text{font-variant-numeric:tabular-nums;fill:var(--ink);stroke:none}
.ak-figure figcaption{font-size:15px;margin-top:6px;color:var(--ink)}
.ak-figure label{float:right;margin:6px 0 0 12px;padding:1px 8px;border:1px solid var(--line);border-radius:4px;
font-size:13px;cursor:pointer;color:var(--ink)}
.ak-figure label:focus-within{outline:2px solid var(--forward);outline-offset:2px}
.ak-figure label input{margin:0 5px 0 0;vertical-align:-1px;accent-color:var(--forward)}
.ak-figure:has(input:checked) .ak-moves{animation-play-state:paused!important}
.ak-figure .ak-moves{transform-box:fill-box}
@media (prefers-reduced-motion:reduce){.ak-figure .ak-moves{animation:none!important}.ak-figure label{display:none}}
@media print{.ak-figure .ak-moves{animation:none!important}.ak-figure label{display:none}}
""".replace("PLACES", _DARK_PLACES).replace("COLOURS", _DARK_COLOURS)


@dataclass(frozen=True)
class Moment:
    """What a moving part looks like at one time of the animation.

    Parameters
    ----------
    time : float
        Seconds from the start.
    x, y : float
        By how much it is moved from where it was drawn.
    scale_x, scale_y : float
        Its size, as a multiple of what was drawn.
    rotate : float
        Degrees, clockwise, around ``origin`` of the part.
    opacity : float
        0 is invisible.
    dash : float
        For lines: which share of the line is not drawn yet, from 1 (nothing is seen) to 0 (all of it).
    """

    time: float
    x: float = 0.0
    y: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 1.0
    rotate: float = 0.0
    opacity: float = 1.0
    dash: float = 0.0


@dataclass
class Part:
    """One shape of a figure. Its methods say how it moves, and return the part itself.

    Parameters
    ----------
    tag : str
        The SVG element.
    attributes : dict
        Its attributes.
    content : str
        Its text, already escaped.
    """

    tag: str
    attributes: dict[str, str]
    content: str = ""
    origin: str = "center"
    timing: str = "ease-in-out"
    points: tuple[tuple[float, float], ...] = ()
    moments: list[Moment] = field(default_factory=list)

    def moves(self, *moments: Moment, steady: bool = False) -> Part:
        """Set the moments between which the part moves, at an even speed if ``steady``; the last one is kept."""
        self.timing = "linear" if steady else "ease-in-out"
        self.moments = sorted(moments, key=lambda moment: moment.time)
        return self

    def follows(self, points: Sequence[tuple[float, float]], start: float, end: float) -> Part:
        """Move from where the part was drawn, ``points[0]``, along points, at even intervals from start to end."""
        x0, y0 = points[0]
        times = [start + (end - start) * index / (len(points) - 1) for index in range(len(points))]
        moments = (Moment(t, x - x0, y - y0) for t, (x, y) in zip(times, points, strict=True))
        return self.moves(*moments, steady=True)

    def appears(self, at: float, until: float | None = None, fade: float = 0.3) -> Part:
        """Be invisible before a time, and again from ``until`` on."""
        shown = [Moment(max(at - fade, 0.0), opacity=0.0), Moment(at)]
        gone = [] if until is None else [Moment(until - fade), Moment(until, opacity=0.0)]
        return self.moves(*shown, *gone)

    def draws(self, start: float, end: float) -> Part:
        """Draw a line from its first point to its last; a part that ``follows`` the same points leads it."""
        self.attributes["pathLength"] = "1"
        lengths = [0.0]
        for one, other in pairwise(self.points):
            lengths.append(lengths[-1] + dist(one, other))
        times = [start + (end - start) * index / (len(lengths) - 1) for index in range(len(lengths))]
        moments = (Moment(t, dash=1 - done / lengths[-1]) for t, done in zip(times, lengths, strict=True))
        return self.moves(*moments, steady=True)

    def grows(self, start: float, end: float, origin: str = "bottom", axis: Literal["x", "y"] = "y") -> Part:
        """Grow from nothing to its drawn size, away from one side."""
        self.origin = origin
        small = Moment(start, scale_x=0.0) if axis == "x" else Moment(start, scale_y=0.0)
        return self.moves(small, Moment(end))

    def turns_around(self, origin: str) -> Part:
        """Name the point that stays in place when the part is scaled or rotated, such as ``"left"``."""
        self.origin = origin
        return self


@dataclass(frozen=True)
class Plot:
    """A pair of axes inside a figure: where the numbers of a curve lie in the drawing."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where (x, y) lies in the drawing; values outside the ranges are moved to the border."""
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        x, y = min(max(x, x0), x1), min(max(y, y0), y1)
        return (
            self.left + self.width * (x - x0) / (x1 - x0),
            self.top + self.height * (y1 - y) / (y1 - y0),
        )

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
        """Return the places of many points."""
        return [self.point(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]


class AnimatedFigure:
    """A drawing with moving parts, its caption and its description.

    Parameters
    ----------
    name : str
        Unique among the figures of a page, such as ``"lesson15"``.
    caption : str
        The sentence that the figure shows to be true; it stands below it.
    description : str
        What is seen, for those who do not see it.
    height : float
        In drawing units; the width is 480.
    seconds : float
        How long one run takes; the last second should be still.

    Notes
    -----
    The text form is caption and description. Nothing is random: the same numbers give the same drawing.
    """

    def __init__(self, name: str, caption: str, description: str, height: float = 180, seconds: float = 8.0) -> None:
        self.name, self.caption, self.description = name, caption, description
        self.height, self.seconds = height, seconds
        self.parts: list[Part] = []
        self._patterns = 0

    # ------------------------------------------------------------------------------------------------ shapes
    def _add(self, tag: str, content: str = "", **attributes: object) -> Part:
        written = {key.replace("_", "-"): _written(value) for key, value in attributes.items()}
        part = Part(tag, written, content)
        self.parts.append(part)
        return part

    def line(
        self, start: tuple[float, float], end: tuple[float, float], role: Role = "ink", width: float = 2, dash: str = ""
    ) -> Part:
        """Draw a straight line."""
        return self.path([start, end], role, width, dash)

    def path(self, points: Sequence[tuple[float, float]], role: Role = "ink", width: float = 2, dash: str = "") -> Part:
        """Draw a line through points."""
        text = "M" + " L".join(f"{_written(x)} {_written(y)}" for x, y in points)
        extra = {"stroke_dasharray": dash} if dash else {}
        part = self._add("path", d=text, fill="none", style=f"stroke:var(--{role})", stroke_width=width, **extra)
        part.points = tuple(points)
        return part

    def arrow(self, start: tuple[float, float], end: tuple[float, float], role: Role = "ink", width: float = 2) -> Part:
        """Draw a straight arrow; the head is at ``end``."""
        (x0, y0), (x1, y1) = start, end
        length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        head = min(4 * width, length)
        bx, by = x1 - head * ux, y1 - head * uy
        side = 0.45 * head
        text = (
            f"M{_written(x0)} {_written(y0)} L{_written(bx)} {_written(by)} "
            f"M{_written(bx - side * uy)} {_written(by + side * ux)} L{_written(x1)} {_written(y1)} "
            f"L{_written(bx + side * uy)} {_written(by - side * ux)} Z"
        )
        return self._add("path", d=text, style=f"stroke:var(--{role});fill:var(--{role})", stroke_width=width)

    def circle(self, center: tuple[float, float], radius: float, role: Role = "ink", filled: bool = True) -> Part:
        """Draw a disc, or a ring that hides what lies behind it."""
        fill = f"var(--{role if filled else 'paper'})"
        style = f"stroke:var(--{role});fill:{fill}"
        return self._add("circle", cx=center[0], cy=center[1], r=radius, style=style, stroke_width=1.6)

    def rect(
        self,
        corner: tuple[float, float],
        width: float,
        height: float,
        role: Role = "ink",
        fill: Literal["solid", "none", "hatched", "paper"] = "solid",
    ) -> Part:
        """Draw a rectangle from its upper left corner; cotangents are hatched, tangents solid."""
        inside = {"solid": f"var(--{role})", "none": "none", "paper": "var(--paper)"}.get(fill)
        if inside is None:
            inside = f"url(#{self._hatch(role)})"
        style = f"stroke:var(--{'paper' if fill == 'solid' else role});fill:{inside}"
        return self._add("rect", x=corner[0], y=corner[1], width=width, height=height, style=style, stroke_width=1.4)

    def text(
        self,
        place: tuple[float, float],
        words: str,
        role: Role = "ink",
        size: float = 14,
        anchor: Literal["start", "middle", "end"] = "start",
        bold: bool = False,
    ) -> Part:
        """Write one line; ``place`` is its base line's start, middle or end."""
        style = f"fill:var(--{role});font-size:{_written(size)}px" + (";font-weight:700" if bold else "")
        return self._add("text", escape(words), x=place[0], y=place[1], text_anchor=anchor, style=style)

    def plot(
        self,
        corner: tuple[float, float],
        width: float,
        height: float,
        x_range: tuple[float, float],
        y_range: tuple[float, float],
        x_label: str = "",
        y_label: str = "",
    ) -> Plot:
        """Draw two axes with labels, and return where numbers lie between them."""
        plot = Plot(*corner, width, height, x_range, y_range)
        left, top = corner
        self.line((left, top), (left, top + height), "line", 1.2)
        self.line((left, top + height), (left + width, top + height), "line", 1.2)
        if x_label:
            self.text((left + width, top + height + 16), x_label, "muted", 13, "end")
        if y_label:
            self.text((left + 6, top + 4), y_label, "muted", 13)
        return plot

    def curve(self, plot: Plot, function: Callable[[float], float], role: Role = "ink", steps: int = 80) -> Part:
        """Draw a function of one number over the whole horizontal range of a plot."""
        x0, x1 = plot.x_range
        xs = [x0 + (x1 - x0) * index / steps for index in range(steps + 1)]
        return self.path(plot.points(xs, [float(function(x)) for x in xs]), role)

    def _hatch(self, role: Role) -> str:
        name = f"ak-{self.name}-hatch-{role}"
        lines = f'<path d="M0 6L6 0" style="stroke:var(--{role})" stroke-width="1.4"/>'
        pattern = Part("pattern", {"id": name, "width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}, lines)
        if all(part.attributes.get("id") != name for part in self.parts):
            self.parts.insert(0, pattern)
        return name

    # ------------------------------------------------------------------------------------------------ output
    def __str__(self) -> str:
        return f"{self.caption} {self.description}"

    __repr__ = __str__

    def svg(self) -> str:
        """Return the drawing alone, with its animations.

        Returns
        -------
        str
            An SVG element; colours come from the style of the figure around it.
        """
        rules, shapes, numbers = [], [], count()
        for part in self.parts:
            attributes = dict(part.attributes)
            if part.moments:
                name = f"ak-{self.name}-{next(numbers)}"
                rules.append(self._keyframes(name, part))
                attributes["class"] = "ak-moves"
                attributes["style"] = attributes.get("style", "") + self._still(name, part)
            written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
            shapes.append(f"<{part.tag}{written}>{part.content}</{part.tag}>")
        head = f'<svg viewBox="0 0 {WIDTH} {_written(self.height)}" role="img" xmlns="http://www.w3.org/2000/svg">'
        about = f"<title>{escape(self.caption)}</title><desc>{escape(self.description)}</desc>"
        return f"{head}{about}<style>{''.join(rules)}</style>{''.join(shapes)}</svg>"

    def _repr_html_(self) -> str:
        pause = '<label><input type="checkbox">Pause</label>'
        caption = f"<figcaption>{escape(self.caption)}</figcaption>"
        return f'<figure class="ak-figure"><style>{_STYLE}</style>{self.svg()}{pause}{caption}</figure>'

    def _keyframes(self, name: str, part: Part) -> str:
        first, last = part.moments[0], part.moments[-1]
        stops = [(0.0, first), *((100 * m.time / self.seconds, m) for m in part.moments), (100.0, last)]
        return f"@keyframes {name}{{" + "".join(f"{_written(at)}%{{{_css(m, part)}}}" for at, m in stops) + "}"

    def _still(self, name: str, part: Part) -> str:
        """The style of a moving part: its last moment, which is what is seen where nothing moves."""
        dash = ";stroke-dasharray:1" if any(moment.dash for moment in part.moments) else ""
        last = _css(part.moments[-1], part)
        motion = f"animation:{name} {_written(self.seconds)}s {part.timing} infinite"
        return f";transform-origin:{part.origin}{dash};{last};{motion}"


def _css(moment: Moment, part: Part) -> str:
    said = []
    if any(m.x or m.y or m.rotate or m.scale_x != 1 or m.scale_y != 1 for m in part.moments):
        scale = f" scale({_written(moment.scale_x)},{_written(moment.scale_y)})"
        turn = f" rotate({_written(moment.rotate)}deg)" if any(m.rotate for m in part.moments) else ""
        said.append(f"transform:translate({_written(moment.x)}px,{_written(moment.y)}px){turn}{scale}")
    if any(m.opacity != 1 for m in part.moments):
        said.append(f"opacity:{_written(moment.opacity)}")
    if any(m.dash for m in part.moments):
        said.append(f"stroke-dashoffset:{_written(moment.dash)}")
    return ";".join(said)


def _written(value: object) -> str:
    """A number with at most two decimals, the same on every machine; a string as it is."""
    if isinstance(value, int | float):
        rounded = round(float(value), 2) + 0.0
        return f"{rounded:g}" if abs(rounded) < 1e5 else str(int(rounded))
    return str(value)
