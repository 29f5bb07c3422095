"""Lesson 02 widget: five programs whose gradient is None, with the line that breaks the path and its replacements."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.json_encoding import encode
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["UnconnectedPaths"]

NOT_YET, NO_LINE = -1, 0
_files = count()


@dataclass(frozen=True)
class ShortProgram:
    """A program as it is shown, the lines that may stand in place of others, and what ``explain`` is asked."""

    title: str
    text: str
    mends: tuple[tuple[int, str], ...]
    source: str = "x"

    def lines(self, mend: int) -> list[str]:
        """The lines with one of the mends in place; 0 leaves them as they were written."""
        lines = self.text.splitlines()
        if mend:
            at, new = self.mends[mend - 1]
            lines[at - 1] = new
        return lines


PROGRAMS = (
    ShortProgram(
        "a number on the way",
        """\
x = ak.Variable(3.0)
w = ak.Variable(2.0)
with ak.GradientTape() as tape:
    a = x * x
    p = a.numpy()
    b = p + 1.0
    y = b * w
g = tape.gradient(y, x)""",
        (
            (5, "    p = ak.constant(a.numpy())"),
            (5, "    p = np.sqrt(a)"),
            (5, "    p = a"),
        ),
    ),
    ShortProgram(
        "a running total",
        """\
x = ak.Variable(3.0)
total = ak.Variable(0.0)
with ak.GradientTape() as tape:
    total.assign_add(x)
    y = total * total
g = tape.gradient(y, x)""",
        (
            (4, "    total.assign(total + x)"),
            (4, "    total = total + x"),
        ),
    ),
    ShortProgram(
        "a shift",
        """\
x = ak.Variable(3.0)
x = x + 1.0
with ak.GradientTape() as tape:
    y = x * x
g = tape.gradient(y, x)""",
        (
            (2, "x = ak.constant(x + 1.0)"),
            (2, "x.assign_add(1.0)"),
            (4, "    tape.watch(x); y = x * x"),
        ),
    ),
    ShortProgram(
        "whole squares",
        """\
x = ak.Variable(3.0)
with ak.GradientTape() as tape:
    a = x * x
    b = ak.floor(a)
    y = 2.0 * b
g = tape.gradient(y, x)""",
        (
            (4, "    b = ak.round(a)"),
            (4, "    b = a - (a - ak.floor(a))"),
            (4, "    b = ak.relax.straight_through(ak.floor(a), a)"),
        ),
    ),
    ShortProgram(
        "two inputs",
        """\
x0 = ak.Variable(3.0)
x1 = ak.Variable(1.0)
with ak.GradientTape() as tape:
    y = x0 * x0
g = tape.gradient(y, [x0, x1])""",
        (
            (5, 'g = tape.gradient(y, [x0, x1], unconnected_gradients="zero")'),
            (4, "    y = x0 * x0 + 0.0 * x1"),
            (4, "    y = x0 * x0 * x1"),
        ),
        source="x1",
    ),
)
LETTERS = "ABCDE"


class UnconnectedPaths(KernelWidget):
    """Point at the line that breaks the path, and put another in its place.

    Parameters
    ----------
    at : int, optional
        The program that is shown, 0 to 4.
    said : list of 5 ints, optional
        For each program the line that the learner points at; 0 for no line, -1 where nothing was said yet.
    mends : list of 5 ints, optional
        For each program the line that stands in place: 0 for the one that was written, or which of its mends.

    Notes
    -----
    Each program is run as it stands, on a tape of its own; gradients and reasons are the tape's.
    """

    _front_end = "lesson02.js"

    at = ViewState(traitlets.Int(0, min=0, max=len(PROGRAMS) - 1))
    said: Any = Input(traitlets.List([NOT_YET] * len(PROGRAMS)))
    mends: Any = Input(traitlets.List([0] * len(PROGRAMS)))

    paths = Output()

    @traitlets.validate("said")
    def _lines_that_are_there(self, proposal: Any) -> Any:
        return check_within(proposal["value"], "said", [(NOT_YET, len(one.lines(0))) for one in PROGRAMS])

    @traitlets.validate("mends")
    def _mends_that_are_there(self, proposal: Any) -> Any:
        return check_within(proposal["value"], "mends", [(0, len(one.mends)) for one in PROGRAMS])

    def compute_outputs(self) -> dict[str, Any]:
        """All five programs, run."""
        return {"paths": [run_program(one, mend) for one, mend in zip(PROGRAMS, self.mends, strict=True)]}

    def as_table(self) -> Table:
        """The five programs: what the tape gives, and for those that were judged, why."""
        rows = [table_row(letter, *one) for letter, *one in zip(LETTERS, self.paths, self.said, strict=True)]
        return Table("Five programs, as they stand", ("program", "gradient", "why", "line"), rows)

    def static_figure(self) -> Any:
        """The program that is looked at, line by line; arcs lead to what a line reads."""
        from matplotlib.figure import Figure

        lines, told = self.paths[self.at]["lines"], self.said[self.at] != NOT_YET
        figure = Figure(figsize=(7, 0.3 * len(lines) + 0.2))
        axes = figure.subplots()
        axes.set(xlim=(-1.2, 10), ylim=(len(lines) + 0.5, 0.3))
        axes.axis("off")
        for k, line in enumerate(lines, start=1):
            axes.text(0, k, f"{k}  {line['text']}", family="monospace", va="center")
            axes.text(10, k, as_text(line["value"]) if "value" in line else "", ha="right", va="center")
            for read in line["reads"]:
                passes = told and None not in (line.get("gradient"), lines[read - 1].get("gradient"))
                draw_arc(axes, k, read, passes)
        return figure


def draw_arc(axes: Any, low: int, high: int, passes: bool) -> None:
    """An arc from a line to one above that it reads."""
    look = {"color": "#d55e00", "ls": "--"} if passes else {"color": "0.7"}
    turned = np.linspace(0.0, np.pi, 30)
    deep = 0.2 + 0.15 * (low - high)
    axes.plot(-0.2 - deep * np.sin(turned), (low + high) / 2 + (low - high) / 2 * np.cos(turned), **look)


def check_within(value: Any, name: str, bounds: list[tuple[int, int]]) -> Any:
    fits = len(value) == len(bounds) and all(
        type(one) is int and low <= one <= high for one, (low, high) in zip(value, bounds, strict=True)
    )
    if not fits:
        raise traitlets.TraitError(f"{name} holds an integer for each program, within {bounds}; got {value}")
    return value


def table_row(letter: str, path: dict[str, Any], said: int) -> tuple[str, ...]:
    why, line = (path["headline"], str(path["line"] or "–")) if said != NOT_YET else ("?", "?")
    return letter, as_text(path["gradient"]), why, line


def as_text(gradient: Any) -> str:
    if isinstance(gradient, list):
        return f"[{', '.join(map(as_text, gradient))}]"
    return "None" if gradient is None else f"{gradient:g}"


def run_program(program: ShortProgram, mend: int) -> dict[str, Any]:
    """What a program's tape says: the gradient, the reason, and for each line its value and gradient."""
    lines = program.lines(mend)
    seen, scope = execute_lines(lines, program.source)
    why, gradient = scope["why"], scope["g"]
    given = dict(zip((id(scope[n]) for n in _sources(lines[-1])), as_list(gradient), strict=True))
    rows = [
        {
            "text": text,
            "reads": reads,
            **(value_and_gradient_of(seen[k], scope["tape"], scope["y"], given) if k in seen else {}),
        }
        for k, (text, reads) in enumerate(zip(lines, _reads(lines), strict=True), start=1)
    ]
    return {
        "title": program.title,
        "lines": rows,
        "mends": [{"line": 0, "text": "as it was written"}]
        + [{"line": at, "text": text.strip()} for at, text in program.mends],
        "gradient": encode(gradient),
        "target": "y",
        "source": program.source,
        **{name: getattr(why, name) for name in ("connected", "cause", "line", "headline", "because", "fix")},
    }


def execute_lines(lines: list[str], source: str) -> tuple[dict[int, Any], dict[str, Any]]:
    """Run the lines; give what each has made, by its number, and the names."""
    seen: dict[int, Any] = {}

    def note(k: int, value: Any) -> None:
        seen[k] = value, float(unwrap(value))

    file, scope = f"<broken path {next(_files)}>", {"ak": ak, "np": np, "note": note}
    text = "\n".join(
        [with_note(k, line) for k, line in enumerate(lines, start=1)] + [f"why = tape.explain(y, {source})"]
    )
    # The tape answers for every line, where the program as it is shown asks once; a cause may be read from the source.
    text = text.replace("GradientTape()", "GradientTape(persistent=True)")
    linecache.cache[file] = (0, None, [f"{line}\n" for line in lines], file)
    try:
        exec(compile(text, file, "exec"), scope)
    finally:
        del linecache.cache[file]
    return seen, scope


def with_note(k: int, line: str) -> str:
    """A line that makes a value, and notes it."""
    name = assigned_name(line)
    return f"{line}; note({k}, {name})" if name else line


def assigned_name(line: str) -> str:
    """The name that stands for what a line makes; empty for the tape's own lines."""
    name = line.strip().rsplit("; ", 1)[-1].split(" ", 1)[0].split(".", 1)[0]
    return "" if name in ("with", "g") else name


def _reads(lines: list[str]) -> list[list[int]]:
    """For each line those lines, counted from 1, that made what it reads."""
    made: dict[str, int] = {}
    found = []
    for k, line in enumerate(lines, start=1):
        name = assigned_name(line)
        tree = ast.parse(line.strip()) if name else ast.Module([], [])
        names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        found.append(sorted({made[one] for one in names if one in made}))
        made[name] = k
    return found


def _sources(line: str) -> list[str]:
    """The names that a call of ``tape.gradient`` asks for."""
    asked = line.split("(y, ", 1)[1].rstrip(")").split(", unconnected", 1)[0]
    return asked.strip("[]").split(", ")


def value_and_gradient_of(noted: tuple[Any, float], tape: Any, y: Any, given: dict[int, Any]) -> dict[str, Any]:
    """What a line made: its value, and the gradient that comes to it; a plain number can have none."""
    thing, value = noted
    if not isinstance(thing, Value):
        return {"value": value, "plain": True}
    gradient = given[id(thing)] if id(thing) in given else tape.gradient(y, thing)
    return {"value": value, "gradient": encode(gradient)}


def as_list(gradient: Any) -> list[Any]:
    return gradient if isinstance(gradient, list) else [gradient]
