"""Lesson 02: short programs that lose a path or keep it, graphs with cuts, and what is misunderstood about both."""

from __future__ import annotations

import linecache
from itertools import count
from typing import Any

import numpy as np

from ..question import worked

Line = tuple[str, str, tuple[str, ...]]
Program = list[Line]
Answer = tuple[int, int | None]
Graph = list[tuple[Any, ...]]

# One program a row: `name op inputs`, by role. X is the variable that is asked for, W another one, S one that is
# assigned to, Y the target; `?` stands for an operation of one input, `&` for one of two, `!` for a rounding.
HEAD = "X variable / W variable / S variable / "
TEMPLATES = (
    "tape / A ? X / B sub A A / Y & B W",
    "tape / X & X W / A ? X / Y & A W",
    "tape / A ? X / P numpy A / B & P W / Y & B A",
    "X ? X / tape / A & X W / Y ? A",
    "X & X W / X ? X / tape / Y & X W",
    "tape / A ? X / P numpy A / Y & P W",
    "tape / A & X W / P numpy A / B ? P / Y & B W",
    "tape / A stop_gradient X / B ? A / Y & B W",
    "tape / A & X W / B ! A / C ? B / Y & C W",
    "tape / A ? X / B greater A W / Y & B W",
    "tape / A ? X / S assign A / Y & S W",
    "tape / A & X W / S assign_add A / B ? S / Y & B W",
    "tape / A ? X / Y ? W",
    "tape / Y & W W / A & X Y",
    "tape / A & X W / B ? X / Y & B W",
)
OTHER_SOURCE = {len(TEMPLATES) - 1: "A"}
DRAWN = {"?": ("sin", "square", "exp"), "&": ("add", "mul"), "!": ("floor", "round", "sign")}
SIGNS = {"add": "+", "sub": "-", "mul": "*"}
_files = count()


def programs(rng: np.random.Generator) -> list[tuple[Program, str, str]]:
    """The fifteen programs with names and operations drawn: (program, target, source)."""
    return [_program(rng, text, OTHER_SOURCE.get(k, "X")) for k, text in enumerate(TEMPLATES)]


def _program(rng: np.random.Generator, text: str, source: str) -> tuple[Program, str, str]:
    letters = rng.permutation(list("abcdefghkmnpqrstuvwxyz"))
    names = dict(zip("XWSABCPY", letters.tolist(), strict=False))
    lines = []
    for line in (HEAD + text).split(" / "):
        name, op, *inputs = line.split() if line != "tape" else ("", "tape")
        op = str(rng.choice(DRAWN[op])) if op in DRAWN else op
        lines.append((names.get(name, ""), op, tuple(names[i] for i in inputs)))
    return lines, names["Y"], names[source]


def code_of(program: Program) -> str:
    """A program as Python; its line k + 1 is the program's line k."""
    lines, inside = [], ""
    for k, (name, op, inputs) in enumerate(program):
        lines.append(inside + _python(name, op, inputs, 0.5 + k))
        inside = "    " if op == "tape" else inside
    return "\n".join(lines)


def _python(name: str, op: str, inputs: tuple[str, ...], value: float) -> str:
    if op == "tape":
        return "with ak.GradientTape() as tape:"
    if op in ("assign", "assign_add"):
        return f"{name}.{op}({inputs[0]})"
    if op in SIGNS:
        return f"{name} = {inputs[0]} {SIGNS[op]} {inputs[1]}"
    made = {"variable": f"ak.Variable({value})", "numpy": f"{''.join(inputs)}.numpy()"}
    return f"{name} = " + made.get(op, f"ak.{op}({', '.join(inputs)})")


def explained(program: Program, target: str, source: str) -> Answer:
    """What the kit's own tape says, after running the program: cause and line, counted from 0."""
    import autodiff_kit

    text = f"{code_of(program)}\nwhy = tape.explain({target}, {source})\n"
    file, scope = f"<program {next(_files)}>", {"ak": autodiff_kit}
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # cause 1 is read from the source
    try:
        exec(compile(text, file, "exec"), scope)  # the text is written above, from nothing of a learner's
    finally:
        del linecache.cache[file]
    why: Any = scope["why"]
    return why.cause, (why.line - 1 if why.cause in (1, 2, 3, 4) else None)


def zero_is_unconnected(program: Program, target: str, source: str) -> Answer:
    """A difference of equals counts as no path."""
    changed = [("", "none", ()) if op == "sub" and len(set(i)) == 1 else (n, op, i) for n, op, i in program]
    return _worked(changed, target, source)


def state_looks_fine(program: Program, target: str, source: str) -> Answer:
    """An assignment counts as a path."""
    changed = [(n, "sin", i) if op in ("assign", "assign_add") else (n, op, i) for n, op, i in program]
    return _worked(changed, target, source)


def blames_the_op_after(program: Program, target: str, source: str) -> Answer:
    """The first line that uses what is lost, in place of the line that lost it."""
    cause, line = _worked(program, target, source)
    if line is None:
        return cause, line
    lost = program[line][0]
    return cause, next((k for k, (_, _, inputs) in enumerate(program) if k > line and lost in inputs), line)


def _worked(program: Program, target: str, source: str) -> Answer:
    found: Answer = worked("none-1").diagnose(program, target, source)
    return found


# ------------------------------------------------------------------------------------------------------------- none-2
CUTS = ("floor", "cast", "greater", "convert")


def graph(rng: np.random.Generator) -> tuple[Graph, int, list[int]]:
    """Nodes, target and sources: with a cut, a difference of equals, an unused branch, and nodes after the target."""
    nodes: Graph = [("input",)] * 4

    def node(*entry: Any) -> int:
        nodes.append(entry)
        return len(nodes) - 1

    one, two = ("sin", "square", "exp"), ("add", "mul")
    path = [0, 1, node(rng.choice(two), 0, 1)]
    unused = [node(rng.choice(one), 0)]
    for _ in range(int(rng.integers(1, 5))):
        path.append(node(rng.choice(two), path[-1], int(rng.choice(path))))
        unused.append(node(rng.choice(one), int(rng.choice(path + unused))))
    rough = node(rng.choice(one), 2)
    cut = node(rng.choice(CUTS), rough)
    smooth = node(rng.choice(one), 3)
    level = node("sub", smooth, smooth)
    target = node("add", node("mul", path[-1], cut), level)
    node("mul", target, unused[-1])
    node(rng.choice(CUTS), target)
    node(rng.choice(one), 0)
    plain = [i for i, (op, *_) in enumerate(nodes) if op not in CUTS or op == "floor"]
    return [(str(op), *inputs) for op, *inputs in nodes], target, rng.permutation(plain).tolist()


def reached(
    nodes: Graph, target: int, sources: list[int], *,
    through_cuts: bool = False, zero_cuts: bool = False, not_itself: bool = False,
) -> list[bool]:  # fmt: skip
    """Which sources a walk from the target meets; every switch is one misunderstanding."""
    found, waiting = set(), [target]
    while waiting:
        k = waiting.pop()
        op, *inputs = nodes[k]
        found.add(k)
        level = zero_cuts and op == "sub" and len(set(inputs)) == 1
        if (through_cuts or op not in CUTS) and not level:
            waiting += [i for i in inputs if i not in found]
    return [s in found and not (not_itself and s == target) for s in sources]


# ------------------------------------------------------------------------------------------------------------- none-3
def filled(grads: Any, sources: Any, zero: Any = np.zeros_like, kept: Any = lambda g: g) -> Any:
    """The nest with ``zero(source)`` where there is None, and ``kept(gradient)`` elsewhere."""
    if isinstance(sources, dict):
        return {name: filled(grads[name], sources[name], zero, kept) for name in sources}
    if isinstance(sources, list | tuple):
        return type(sources)(filled(g, s, zero, kept) for g, s in zip(grads, sources, strict=True))
    return zero(sources) if grads is None else kept(grads)
