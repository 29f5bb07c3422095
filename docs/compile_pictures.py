"""The pictures and figures of *Inside the engine: ak.compile*, read from what the compiler makes of one function.

What is asked of the compiler's inner parts is asked by :class:`Compiled` alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import autodiff_kit as ak
from autodiff_kit.compile.passes.fusion import FusionGroup
from autodiff_kit.compile.run.execution_plan import COMPILE_AFTER_CALLS
from autodiff_kit.compile.run.kernel_plan import KernelPlan
from autodiff_kit.compile.topological_order import live_nodes

ROWS, COLUMNS = 64, 32
WIDTH = 340
"""Of every picture: as wide as a telephone's page, so that no letter becomes smaller there."""


def attend(q, k, v):
    """Attention without a mask."""
    s = q @ k.T
    top = ak.stop_gradient(s.max(axis=-1, keepdims=True))
    p = ak.exp(s - top) / ak.exp(s - top).sum(axis=-1, keepdims=True)
    return p @ v


def arguments() -> list[Any]:
    """Queries, keys and values."""
    rng = np.random.default_rng(0)
    return [ak.constant(rng.standard_normal((ROWS, COLUMNS)).astype(np.float32)) for _ in range(3)]


# --------------------------------------------------------------------------------------------- what the compiler made
class Block(NamedTuple):
    """A place in the plan's memory: the values that lie there one after the other, and for how long."""

    values: list[tuple[str, int]]  # names, and the units that write them
    offset: int
    size: int
    last: int  # the last unit that reads it

    @property
    def first(self) -> int:
        """The unit that writes it first."""
        return self.values[0][1]

    @property
    def names(self) -> list[str]:
        """The values' names."""
        return [name for name, _ in self.values]


class Compiled:
    """A function after tracing and all passes; its kernels are written, and not compiled.

    Attributes
    ----------
    nodes : list of GraphNode
        What a call computes, in order; views among them, inputs and constants not.
    units : list
        What runs one after the other: kernels, and operations that stand alone.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        fast = ak.compile(function)
        fast(*arguments())
        self.written: list[str] = []
        self.plan = KernelPlan(fast.plan.trace, self._compiler, numbers=False)
        self.memory = self.plan.memory_plan
        self.units = self.memory.units
        self.inputs = [node for _, node in self.plan.trace.inputs]
        self.nodes = [n for n in live_nodes(self.plan.trace.outputs) if n.op not in ("input", "const")]

    def _compiler(self, source: str) -> int:
        self.written.append(source)
        return 0  # an address that nobody calls

    @property
    def kernels(self) -> list[FusionGroup]:
        """The units of more than one operation."""
        return [u for u in self.units if isinstance(u, FusionGroup)]

    def computed_by(self, node: Any) -> Any:
        """The node whose memory a view shows; other nodes unchanged."""
        inside = {n for u in self.units for n in u.nodes}
        while node not in inside and node.args:
            node = node.args[0]
        return node

    def read_by(self, unit: Any) -> list[Any]:
        """The inputs and the results of other units that a unit reads."""
        return list(dict.fromkeys(self.computed_by(n) for n in unit.inputs if n.op != "const"))

    def blocks(self) -> list[Block]:
        """The places of the arena."""
        values: dict[Any, list[Any]] = {}
        for node in self.memory.lifetimes:
            values.setdefault(self.memory.memory_owner(node), []).append(node)
        found = []
        for owner, nodes in values.items():
            where, offset = self.memory.locations[owner]
            if where == "arena":
                nodes.sort(key=lambda n: n.number)
                written = [(n.op, self.memory.lifetimes[n][0]) for n in nodes]
                found.append(Block(written, offset, byte_count(owner), self.memory.lifetimes[owner][1]))
        return sorted(found, key=lambda b: b.offset)

    @property
    def outputs(self) -> list[Any]:
        """The arrays that a call returns."""
        return [n for n in self.plan.trace.returned_nodes if n.size > 1]

    def kernel(self, number: int) -> str:
        """The source of a kernel."""
        return self.plan.generator.kernel_texts()[number]

    def call(self) -> str:
        """The function that runs at each call, without addresses; lines wider than the page are cut."""
        lines = re.sub(r"\b\d{9,}(\.0)?\b", "address", self.plan.source).rstrip().splitlines()
        return "\n".join(line if len(line) <= 88 else f"{line[:84]}  # …" for line in lines)


def byte_count(node: Any) -> int:
    """The bytes of a node's array."""
    return int(node.size * node.dtype.itemsize)


@cache
def forward() -> Compiled:
    """The function."""
    return Compiled(attend)


@cache
def gradient() -> Compiled:
    """The gradient of the sum of squares of its result."""
    return Compiled(ak.grad(lambda q, k, v: (attend(q, k, v) ** 2).sum(), (0, 1, 2)))


@cache
def operations() -> list[tuple[str, int]]:
    """What a tape records of the function: each operation, and the first one that is equal to it."""
    given = arguments()
    with ak.GradientTape() as tape:
        for x in given:
            tape.watch(x)
        attend(*given)
    numbers: dict[Any, Any] = {}  # of each record entry: the first equal one
    seen: dict[tuple[Any, ...], int] = {}
    found = []
    for place, node in enumerate(tape._record.nodes):
        key = (node.op.name, *(numbers.get(id(a), id(a)) for a in node.inputs))
        numbers[id(node)] = seen.setdefault(key, place)
        found.append((node.op.name, numbers[id(node)]))
    return found


@cache
def figures() -> dict[str, str]:
    """The numbers in the page's text, by their names there."""
    f, g = forward(), gradient()
    first = dict(zip(dict.fromkeys(place for _, place in operations()), f.nodes, strict=True))
    made, kernel = [first[place] for _, place in operations()], f.kernels[0]
    numbers = {
        "rows": ROWS, "columns": COLUMNS, "operations": len(made), "nodes": len(f.nodes),
        "units": len(f.units), "fused": len(kernel.nodes),
        "loops": len(re.findall(r"for j in", f.kernel(0))),
        "eager_bytes": sum(byte_count(n) for n in made if f.computed_by(n) is n),
        "arena": f.memory.arena_bytes, "row_bytes": kernel.domain[-1] * kernel.dtype.itemsize,
        "output": sum(map(byte_count, f.outputs)), "calls": COMPILE_AFTER_CALLS,
        "gradient_nodes": len(g.nodes), "gradient_units": len(g.units), "gradient_kernels": len(g.kernels),
        "gradient_blocks": len(g.blocks()), "gradient_values": sum(len(b.names) for b in g.blocks()),
        "gradient_arena": g.memory.arena_bytes,
        "gradient_sum": sum(b.size * len(b.names) for b in g.blocks()),
    }  # fmt: skip
    return {name: f"{number:,}" for name, number in numbers.items()}


# -------------------------------------------------------------------------------------------------------------- drawing
class Drawing:
    """An SVG picture that takes the colours of the page it stands in (see ``static/book.css``)."""

    def __init__(self, height: int, told: str) -> None:
        self.height, self.told = height, told
        self.parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, kind: str = "box") -> None:
        """A rectangle."""
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"/>')

    def text(self, x: float, y: float, said: str, kind: str = "", anchor: str = "start") -> None:
        """A line of text; y is its baseline."""
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(said)}</text>')

    def line(self, path: str, kind: str = "line", arrow: bool = True) -> None:
        """A path, with an arrowhead at its end."""
        end = ' marker-end="url(#arrow)"' if arrow else ""
        self.parts.append(f'<path class="{kind}" d="{path}"{end}/>')

    def __str__(self) -> str:
        head = (
            f'<svg class="inside-picture" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'role="img" aria-label="{escape(self.told)}">'
        )
        marker = (
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>'
        )
        return "\n".join([head, marker, *self.parts, "</svg>"]) + "\n"


def shape_of(node: Any) -> str:
    """A shape as one writes it."""
    return " × ".join(map(str, node.shape))


def listed(words: Iterable[str]) -> str:
    """Words with commas."""
    return ", ".join(words)


def draw_nodes() -> Drawing:
    """The operations as they were written, and the nodes of the graph: equal ones meet in one."""
    step, top, many = 30, 34, operations()
    node_at = dict(zip(dict.fromkeys(place for _, place in many), forward().nodes, strict=True))
    told = f"Left the {len(many)} operations of the function in order: {listed(name for name, _ in many)}. Right the "
    told += f"{len(node_at)} nodes of the graph. " + " ".join(
        f"Operation {k + 1}, {name}, leads to the same node as operation {place + 1}."
        for k, (name, place) in enumerate(many)
        if place != k
    )
    picture = Drawing(top + step * len(many) + 4, told)
    picture.text(8, 18, "operations, as written", "muted")
    picture.text(WIDTH - 8, 18, "nodes of the graph", "muted", "end")
    for k, (name, place) in enumerate(many):
        y, again = top + step * k, place != k
        picture.text(8, y + 17, f"{k + 1}", "muted code")
        picture.text(30, y + 17, name, "code again" if again else "code")
        end = top + step * place + 13
        picture.line(f"M122 {y + 13} C152 {y + 13} 152 {end} 184 {end}", "line again" if again else "line")
        if not again:
            node = node_at[place]
            picture.box(188, y, WIDTH - 192, 26)
            picture.text(196, y + 17, node.op, "code")
            picture.text(WIDTH - 12, y + 17, shape_of(node), "code muted", "end")
    return picture


def draw_units() -> Drawing:
    """The units one after the other, what is inside them, and what passes between them."""
    f, names = forward(), dict(zip(forward().inputs, inspect.signature(attend).parameters, strict=True))
    said = []
    picture = Drawing(0, "")
    y = 8
    for unit in f.units:
        fused = isinstance(unit, FusionGroup)
        height = 34 + 26 * len(unit.nodes) if fused else 34
        given = [names[n] for n in f.read_by(unit) if n in names]
        picture.box(8, y, 216, height, "kernel" if fused else "box")
        if fused:
            picture.text(20, y + 21, "one kernel, row by row", "strong")
            for k, node in enumerate(unit.nodes):
                at = y + 32 + 26 * k
                picture.box(20, at, 192, 22, "row" if node.shape[-1] == 1 else "box")
                picture.text(28, at + 15, node.op, "code")
                picture.text(204, at + 15, shape_of(node), "code muted", "end")
            said.append(f"one kernel that computes {listed(n.op for n in unit.nodes)}")
        else:
            (node,) = unit.nodes
            picture.text(20, y + 22, node.op, "code")
            picture.text(212, y + 22, shape_of(node), "code muted", "end")
            said.append(node.op)
        if given:
            picture.line(f"M262 {y + 17} H228")
            picture.text(268, y + 21, listed(given), "code")
            said[-1] += f" of {listed(given)}" if said[-1] == node.op else ""
        passed = unit.outputs[-1]
        picture.line(f"M60 {y + height} v30")
        picture.text(72, y + height + 21, f"{shape_of(passed)}, {byte_count(passed):,} bytes", "muted")
        y += height + 34
    picture.text(60, y + 12, "the result", "strong", "middle")
    picture.height, picture.told = y + 22, "From top to bottom: " + "; then ".join(said) + "; then the result."
    return picture


def draw_memory() -> Drawing:
    """The memory of the gradient: across when, downwards where."""
    g, left, top, tall = gradient(), 8, 44, 300
    blocks, units, scale = g.blocks(), g.units, tall / g.memory.arena_bytes
    column = (WIDTH - 2 * left) / len(units)
    picture = Drawing(top + tall + 52, "")
    number = 0
    for k, unit in enumerate(units):
        number += isinstance(unit, FusionGroup)
        middle = left + column * (k + 0.5)
        picture.text(middle, 18, str(k + 1), "muted", "middle")
        picture.text(middle, 35, f"k{number}" if isinstance(unit, FusionGroup) else "@", "code", "middle")
        if k:
            picture.line(f"M{left + column * k:g} {top} v{tall}", "grid", arrow=False)
    picture.box(left, top, WIDTH - 2 * left, tall, "frame")
    said = []
    for block in blocks:
        last = min(block.last, len(units) - 1)
        x, y = left + column * block.first, top + block.offset * scale
        width, height = column * (last - block.first + 1), max(block.size * scale, 3)
        picture.box(x + 1, y + 1, width - 2, height - 2 if height > 4 else height, "value")
        for _, unit in block.values[1:]:
            dash = max(height - 44, 6)  # below the words
            picture.line(f"M{left + column * unit:g} {y + height - 1:g} v{-dash:g}", "line over", arrow=False)
        label, size = " → ".join(block.names), f"{block.size:,} bytes"
        if height > 34:
            picture.text(x + 8, y + 20, label, "code")
            picture.text(x + 8, y + 36, size, "muted")
        elif height > 16:
            picture.text(x + 8, y + 14, label, "code")
        else:
            picture.text(x + 8, y + height + 15, f"{label}, {size}", "code")
        said.append(f"{' then '.join(block.names)}: {size} from unit {block.first + 1} to unit {last + 1}")
    picture.text(left, top + tall + 44, f"{g.memory.arena_bytes:,} bytes in all", "strong")
    picture.told = f"Memory of the gradient over its {len(units)} units. " + "; ".join(said) + "."
    return picture


def write(folder: Path) -> None:
    """Write the pictures, and the source that the page shows."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"nodes.svg": draw_nodes(), "units.svg": draw_units(), "memory.svg": draw_memory(),
             "kernel.py": forward().kernel(0) + "\n", "call.py": forward().call() + "\n"}  # fmt: skip
    for name, content in files.items():
        (folder / name).write_text(str(content), encoding="utf-8")
