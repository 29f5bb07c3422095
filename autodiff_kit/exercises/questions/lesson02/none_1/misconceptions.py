"""Short programs that lose a gradient or keep it, run and explained by the kit, and wrong diagnoses of them."""

from __future__ import annotations

import linecache
from itertools import count
from typing import Any

import numpy as np

from . import solution

Line = tuple[str, str, tuple[str, ...]]


Program = list[Line]


Answer = tuple[int, int | None]


# One program a row: `name op inputs`, by role. X is the variable that is asked for, W another one, S one that is
# assigned to, Y the target; `?` stands for an operation of one input and `&` for one of two.
HEAD = "X variable / W variable / S variable"


TEMPLATES = (
    "tape / A ? X / B sub A A / Y & B W",
    "tape / X & X W / A ? X / Y & A W",
    "tape / A ? X / P numpy A / B & P W / Y & B A",
    "X ? X / tape / A & X W / Y ? A",
    "X & X W / X ? X / tape / Y & X W",
    "tape / A ? X / P numpy A / Y & P W",
    "tape / A & X W / P numpy A / B ? P / Y & B W",
    "tape / A stop_gradient X / B ? A / Y & B W",
    *(f"tape / A & X W / B {rounding} A / C ? B / Y & C W" for rounding in ("floor", "round", "sign")),
    "tape / A ? X / B greater A W / Y & B W",
    "tape / A ? X / S assign A / Y & S W",
    "tape / A & X W / S assign_add A / B ? S / Y & B W",
    "tape / A ? X / Y ? W",
    "tape / Y & W W / A & X Y",
    "tape / A & X W / B ? X / Y & B W",
)


OTHER_SOURCE = {len(TEMPLATES) - 1: "A"}


DRAWN = {"?": ("sin", "square", "exp"), "&": ("add", "mul")}


SIGNS = {"add": "+", "sub": "-", "mul": "*"}


_files = count()


def random_programs(rng: np.random.Generator) -> list[tuple[Program, str, str]]:
    """The programs with names and operations drawn: (program, target, source)."""
    return [_program(rng, text, OTHER_SOURCE.get(k, "X")) for k, text in enumerate(TEMPLATES)]


def _program(rng: np.random.Generator, text: str, source: str) -> tuple[Program, str, str]:
    letters = rng.permutation(list("abcdefghkmnpqrstuvwxyz"))
    names = dict(zip("XWSABCPY", letters.tolist(), strict=False))
    lines = []
    head = [line for line in HEAD.split(" / ") if line[:1] in text.split()]  # only the variables that the program uses
    for line in [*head, *text.split(" / ")]:
        name, op, *inputs = line.split() if line != "tape" else ("", "tape")
        op = str(rng.choice(DRAWN[op])) if op in DRAWN else op
        lines.append((names.get(name, ""), op, tuple(names[i] for i in inputs)))
    return lines, names["Y"], names[source]


def program_source(program: Program) -> str:
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


def explanation_by_tape(program: Program, target: str, source: str) -> Answer:
    """What the kit's own tape says, after running the program: cause and line, counted from 0."""
    import autodiff_kit

    text = f"{program_source(program)}\nwhy = tape.explain({target}, {source})\n"
    file, scope = f"<program {next(_files)}>", {"ak": autodiff_kit}
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # cause 1 is read from the source
    try:
        exec(compile(text, file, "exec"), scope)  # the text is written above, from nothing of a learner's
    finally:
        del linecache.cache[file]
    why: Any = scope["why"]
    return why.cause, (why.line - 1 if why.cause in (1, 2, 3, 4) else None)


def diagnosis_with_zero_as_unconnected(program: Program, target: str, source: str) -> Answer:
    """A difference of equals counts as no path."""
    changed = [("", "none", ()) if op == "sub" and len(set(i)) == 1 else (n, op, i) for n, op, i in program]
    return _right_diagnosis(changed, target, source)


def diagnosis_with_assignment_as_path(program: Program, target: str, source: str) -> Answer:
    """An assignment counts as a path."""
    changed = [(n, "sin", i) if op in ("assign", "assign_add") else (n, op, i) for n, op, i in program]
    return _right_diagnosis(changed, target, source)


def diagnosis_with_rounding_as_path(program: Program, target: str, source: str) -> Answer:
    """An operation without a derivative counts as a path."""
    rough = ("floor", "round", "sign", "greater")
    return _right_diagnosis([(n, "sin" if op in rough else op, i) for n, op, i in program], target, source)


def diagnosis_of_first_assignment(program: Program, target: str, source: str) -> Answer:
    """For cause 1 the first line that gave the source's name to a tensor, in place of the last."""
    cause, line = _right_diagnosis(program, target, source)
    kept = ("variable", "assign", "assign_add")
    first = next((k for k, (n, op, _) in enumerate(program) if n == source and op not in kept), line)
    return cause, first if cause == 1 else line


def diagnosis_with_tensor_as_variable(program: Program, target: str, source: str) -> Answer:
    """A tensor under the source's name counts as a variable that the tape watches."""
    last = max(k for k, (n, op, _) in enumerate(program) if n == source and op not in ("assign", "assign_add"))
    changed = [(n, "variable", ()) if k == last else (n, op, i) for k, (n, op, i) in enumerate(program)]
    return _right_diagnosis(changed, target, source)


def diagnosis_with_lines_from_1(program: Program, target: str, source: str) -> Answer:
    """The right line, counted from 1."""
    cause, line = _right_diagnosis(program, target, source)
    return cause, None if line is None else line + 1


def diagnosis_of_next_operation(program: Program, target: str, source: str) -> Answer:
    """The first line that uses what is lost, in place of the line that lost it."""
    cause, line = _right_diagnosis(program, target, source)
    if line is None:
        return cause, line
    lost = program[line][0]
    return cause, next((k for k, (_, _, inputs) in enumerate(program) if k > line and lost in inputs), line)


def _right_diagnosis(program: Program, target: str, source: str) -> Answer:
    found: Answer = solution.diagnose(program, target, source)
    return found
