"""Which values depend on which, by value and by gradient; a gradient that is cut off is a path by value only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autodiff_kit.recorders.jax.equations import Program, is_float

__all__ = ["ends_of_gradient", "needed_equations", "reached"]


def reached(program: Program, sources: Iterable[int], by_gradient: bool) -> set[int]:
    """The numbers of the values that depend on sources."""
    found = {n for n in sources if not by_gradient or is_float(program.values[n].aval)}
    for k in range(len(program.equations)):
        alive = {j for j, n in enumerate(program.equations[k].inputs) if n in found}
        if alive:
            outputs = program.equations[k].outputs
            found.update(outputs[j] for j in _alive_outputs(program, k, alive, by_gradient))
    return found


def _alive_outputs(program: Program, k: int, alive: set[int], by_gradient: bool) -> set[int]:
    equation = program.equations[k]
    bodies = program.bodies(k)
    floats = {j for j, n in enumerate(equation.outputs) if is_float(program.values[n].aval)}
    everything = floats if by_gradient else set(range(len(equation.outputs)))
    if not bodies:
        if by_gradient and equation.name == "stop_gradient":
            return set()
        return everything if not by_gradient or any(_can_vary(program, k, j) for j in alive) else set()
    if equation.name == "cond" and 0 in alive and not by_gradient:
        return everything
    found: set[int] = set()
    for closed, positions in bodies:
        found |= _through(
            equation, program.body(closed), {positions.index(j) for j in alive if j in positions}, by_gradient
        )
    return found & everything


def _can_vary(program: Program, k: int, position: int) -> bool:
    return is_float(program.values[program.equations[k].inputs[position]].aval)


def _through(equation: Any, body: Program, alive: set[int], by_gradient: bool) -> set[int]:
    """The outputs of a body that depend on inputs; what a scan carries comes in again."""
    alive = set(alive)
    while True:
        hit = reached(body, {body.inputs[j] for j in alive}, by_gradient)
        outputs = {j for j, n in enumerate(body.outputs) if n in hit}
        if equation.name != "scan":
            return outputs
        carried, first = equation.eqn.params["num_carry"], equation.eqn.params["num_consts"]
        again = {first + j for j in outputs if j < carried}
        if again <= alive:
            return outputs
        alive |= again


def needed_equations(program: Program, targets: Iterable[int]) -> set[int]:
    """The equations that targets depend on."""
    numbers, found = set(targets), set()
    for k in range(len(program.equations) - 1, -1, -1):
        equation = program.equations[k]
        if not numbers.isdisjoint(equation.outputs):
            found.add(k)
            numbers.update(equation.inputs)
    return found


def ends_of_gradient(program: Program, sources: Iterable[int], targets: Iterable[int]) -> list[tuple[Program, int]]:
    """The equations through which sources reach targets by value and not by gradient, those in bodies included."""
    sources, targets = list(sources), list(targets)
    varied, valued = reached(program, sources, True), reached(program, sources, False)
    found: list[tuple[Program, int]] = []
    for k in sorted(needed_equations(program, targets)):
        equation = program.equations[k]
        alive = [j for j, n in enumerate(equation.inputs) if n in varied]
        lost = [n for n in equation.outputs if n in valued and n not in varied]
        if alive and lost:
            found += _inside(program, k, alive) or [(program, k)]
    return found


def _inside(program: Program, k: int, alive: list[int]) -> list[tuple[Program, int]]:
    found = []
    for closed, positions in program.bodies(k):
        body = program.body(closed)
        entries = [body.inputs[positions.index(j)] for j in alive if j in positions]
        found += ends_of_gradient(body, entries, body.outputs)
    return found
