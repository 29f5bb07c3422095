"""The smallest program on which a learner's push or pull fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.compare import as_real_array, values_close
from autodiff_kit.exercises.counterexample import probe, renumbering, shrink
from autodiff_kit.exercises.diagnosis import describe_difference, format_call
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.lessons.translation import translate

from . import solution

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from autodiff_kit.exercises.protocol import CallResult

    from .misconceptions import Array, Program

__all__ = ["smallest_counterexample"]

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Sweep:
    """One call of push or pull; ``seed`` has the tangents of the inputs or the cotangents of the outputs."""

    name: str
    program: Program
    outputs: list[int]
    x: Array
    seed: Array

    @property
    def arguments(self) -> tuple[object, ...]:
        """The arguments of the call."""
        return self.program, self.outputs, self.x, self.seed

    def smaller(self) -> Iterator[Sweep]:
        """Sweeps with fewer outputs, lines or inputs, and last with rounded numbers."""
        count, n = len(self.outputs), len(self.x)
        if count > 1:
            yield from (self.with_outputs([k]) for k in range(count))
            yield from (self.with_outputs([*range(k), *range(k + 1, count)]) for k in range(count))
        for k in reversed(range(len(self.program))):
            yield from (self.without_line(k, stand_in) for stand_in in dict.fromkeys(self.program[k][1:]))
        read = {i for _, *ins in self.program for i in ins} | set(self.outputs)
        yield from (self.without_input(j) for j in range(n) if n > 1 and j not in read)
        rounded = replace(self, x=self.x.round(1), seed=self.seed.round(1))
        if (rounded.x != self.x).any() or (rounded.seed != self.seed).any():
            yield rounded

    def with_outputs(self, places: list[int]) -> Sweep:
        """Only the outputs at these places of the list."""
        seed = self.seed if self.name == "push" else self.seed[places]
        return replace(self, outputs=[self.outputs[k] for k in places], seed=seed)

    def without_line(self, k: int, stand_in: int) -> Sweep:
        """Line k left out; whatever read its value reads the value ``stand_in`` in its place."""
        number = renumbering(len(self.x) + k, stand_in)
        return self.renumbered(number, [*self.program[:k], *self.program[k + 1 :]])

    def without_input(self, j: int) -> Sweep:
        """Input j left out, which nothing reads."""
        seed = np.delete(self.seed, j) if self.name == "push" else self.seed
        return replace(
            self.renumbered(lambda i: i - (i > j), self.program),
            x=np.delete(self.x, j), seed=seed,
        )  # fmt: skip

    def renumbered(self, number: Callable[[int], int], program: Program) -> Sweep:
        """Other lines, and the new numbers of values in them and in the outputs."""
        lines = [(op, *map(number, ins)) for op, *ins in program]
        return replace(self, program=lines, outputs=[number(i) for i in self.outputs])


def failure(sweep: Sweep) -> Generator[Call, CallResult, str]:
    """How the learner's result differs from the right one; empty if it does not."""
    reply = yield probe(sweep.name, *sweep.arguments)
    pulled = sweep.name == "pull"
    found: Any = (reply.value,) if pulled else reply.value
    right = (solution.pull(*sweep.arguments),) if pulled else solution.push(*sweep.arguments)
    pull_names = (translate("dx from pull", "lesson01"),)
    told = pull_names if pulled else (translate("y from push", "lesson01"), translate("dy from push", "lesson01"))
    if reply.error or type(found) not in (tuple, list) or len(found) != len(right):
        return ""
    for value, want, what in zip(found, right, told, strict=True):
        got = as_real_array(value)
        if got is not None and not values_close(got, want, TOLERANCE):
            return describe_difference(what, got, want, TOLERANCE)
    return ""


def smallest_counterexample(call: Call) -> Generator[Call, CallResult, str]:
    """The message with the smallest program found on which a call of push or pull still fails.

    Parameters
    ----------
    call : Call
        A call with a wrong result.

    Returns
    -------
    str
        The message; empty if the call does not fail again.
    """
    start: Any = call.args
    sweep, text = yield from shrink(Sweep(call.name, *start), Sweep.smaller, failure)
    if not text:
        return ""
    ops = [op for op, *_ in sweep.program]
    if not ops:
        head = translate("It fails without any operation:", "lesson01")
    elif len(ops) == 1:
        head = translate("One operation is enough to fail, `{op}`:", "lesson01").format(op=ops[0])
    else:
        head = translate("The shortest program found that fails has {count} lines:", "lesson01").format(count=len(ops))
    return f"{head} `{format_call(Call(sweep.name, sweep.arguments))}`\n{text}"
