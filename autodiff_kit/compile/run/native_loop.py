"""Run all steps of a loop in native code, where the units of its step compute everything.

Before each step a unit copies the numbers of the carry to the cells where the step reads them, and what the loop keeps
of the carry; after it, another unit copies the new carry over the old one. Kernels read entries from the given arrays
and write results to the stacks: after each step, the addresses of those move on by one entry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.node import GraphNode, is_scalar
from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator, filled_table
from autodiff_kit.compile.run.scalar_program import ScalarProgram
from autodiff_kit.compile.run.work import LARGE, MOST_AT_ONCE
from autodiff_kit.compile.trace.loop_call import LoopCall
from autodiff_kit.kernels.native_calls import COPY, KEEP_FAILURE, run_large_steps, run_steps, write_addresses

__all__ = ["native_loop"]


def native_loop(loop: LoopCall, generator: PlanCodeGenerator | ScalarProgram) -> Callable[..., Any] | None:
    """A function of the given values and the stacks that runs the loop; None if a step needs Python."""
    nodes, carries = [*loop.inputs, *loop.outputs], loop.inputs[: loop.carries]
    if generator.needs_python or any(is_scalar(n) and n.dtype != np.float64 for n in nodes):
        return None
    places: list[Any] = [
        (("carry", carries.index(n)), 0) if n in carries else generator.place_of(n) for n in loop.outputs
    ]
    if None in places or any(buffer in [("input", n) for n in carries] for buffer, _ in places):
        return None
    return _NativeLoop(loop, generator, places)


class _NativeLoop:
    """The native form of a loop: tables of units and addresses that each call binds to its arrays."""

    def __init__(self, loop: LoopCall, generator: PlanCodeGenerator | ScalarProgram, places: list[Any]) -> None:
        self.loop = loop
        self.memory: list[Any] = [generator.env]  # kept alive
        self.backward = loop.order.step < 0
        self.rows = {buffer: list(rows) for buffer, rows in generator.moved.items()}
        self.fixed = dict(generator.fixed)
        self.steps: dict[Any, int] = {}  # buffer -> bytes from one step to the next
        self.may_fail, self.failed = bool(generator.failures), np.zeros(1, np.intc)
        self.current, self.fresh = (
            [np.zeros(n.shape, n.dtype) for n in part[: loop.carries]] for part in (loop.inputs, loop.outputs)
        )
        self.fixed |= {("carry", k): array for k, array in enumerate(self.current)}
        cells = [generator.place_of(n) if is_scalar(n) else None for n in loop.inputs]
        self.cells: list[Any] = [  # where the step reads each input that is a number
            c and np.ndarray(n.shape, float, self.fixed[c[0]], c[1]) for n, c in zip(loop.inputs, cells, strict=True)
        ]
        before, after = self._copies(self._copied_before(cells)), self._copies(self._copied_after(places))
        failures = [self._keep(np.array([x.ctypes.data, self.failed.ctypes.data])) for x in generator.failures]
        kept = [(KEEP_FAILURE, table.ctypes.data) for table in failures]
        self.units = _words([*before, *generator.units.tolist(), *after, *kept])
        self.advance = _words([(row[0], step) for buffer, step in self.steps.items() for row in self.rows[buffer]])
        self.bindings = {buffer: _ends(self._keep(_words(rows))) for buffer, rows in self.rows.items()}
        self.ends = (*_ends(self.units), *_ends(self.advance))
        self.is_large = generator.work * len(loop.order) > LARGE
        self.steps_at_once = max(1, MOST_AT_ONCE // max(1, generator.work))

    def _copied_before(self, cells: list[Any]) -> list[Any]:
        """What is copied before a step: source, target and size."""
        loop = self.loop
        found: list[Any] = []
        for k, (node, cell) in enumerate(zip(loop.inputs[: loop.carries + loop.entries], cells, strict=False)):
            source = ("carry", k) if k < loop.carries else self._stepping(("input", node), node)
            if cell is not None:
                found += [(source, 0), cell, _size(node)]
        for k, j in loop.kept:
            node = loop.inputs[j]
            found += [(("carry", j), 0), (self._stepping(("kept", k), node), 0), _size(node)]
        return found

    def _copied_after(self, places: list[Any]) -> list[Any]:
        """What is copied after a step: source, target and size."""
        first, found = list[Any](), list[Any]()
        for k, (node, place) in enumerate(zip(self.loop.outputs, places, strict=True)):
            target = ("carry", k) if k < self.loop.carries else self._stepping(("out", k), node)
            if place == (target, 0):
                continue
            if place[0][0] == "carry":  # another part of the old carry, which may be written over
                first += [place, (("out", k), 0), _size(node)]
                place = (("out", k), 0)
            found += [place, (target, 0), _size(node)]
        return first + found

    def _stepping(self, buffer: Any, node: GraphNode) -> Any:
        """The buffer, noted as one that has an entry for each step."""
        self.steps[buffer] = -_size(node) if self.backward else _size(node)
        self.rows.setdefault(buffer, [])
        return buffer

    def _keep(self, words: Any) -> Any:
        self.memory.append(words)
        return words

    def _copies(self, copies: list[Any]) -> list[tuple[int, int]]:
        """The unit that copies, given the source, target and size of each copy one after the other."""
        if not copies:
            return []
        table = self._keep(filled_table([len(copies) // 3, *copies], self.fixed, self.rows))
        return [(COPY, table.ctypes.data)]

    def copies_and_rows(self, places: list[Any], stacks: list[Any]) -> tuple[list[Any], list[Any]]:
        """What a plan that has the loop as a unit copies before it, and which addresses the unit stores first.

        Copies are source, target and size, addresses their place and value. ``places`` are buffers and offsets of the
        given values, as in a table of the plan.
        """
        loop, copies, rows = self.loop, list[Any](), list[Any]()
        self.memory.append(stacks)
        for k, (node, (buffer, offset)) in enumerate(zip(loop.inputs, places, strict=True)):
            cell = self.current[k] if k < loop.carries else self.cells[k]
            each_step = loop.carries <= k < loop.carries + loop.entries
            if cell is not None and not each_step:
                copies += [(buffer, offset), cell.ctypes.data, _size(node)]
            else:
                last = (len(loop.order) - 1) * _size(node) if self.backward and each_step else 0
                for place, inside in self.rows.get(("input", node), ()):
                    rows += [place, (buffer, offset + last + inside)]
        for key, array in self._own_arrays(stacks):
            for place, inside in self.rows.get(key, ()):
                rows += [place, array.ctypes.data + inside]
        return copies, rows

    def _own_arrays(self, stacks: list[Any]) -> list[Any]:
        """The buffers of the step with their arrays: of its carry, and of what all steps leave, in their order.

        They are bound anew at each call, since the plan of the step may have run by itself in between.
        """
        loop = self.loop
        found: list[Any] = [(("input", node), x) for node, x in zip(loop.inputs, self.current, strict=False)]
        found += [(("out", k), x) for k, x in enumerate(self.fresh)]
        of_steps = [(("out", loop.carries + j), stacks[k]) for j, k in enumerate(loop.computed)]
        of_steps += [(("kept", k), stacks[k]) for k, _ in loop.kept]
        return found + [(key, stack[::-1] if self.backward else stack) for key, stack in of_steps]

    def run_in_python(self, stacks: list[Any], *values: Any) -> None:
        """Run the steps again one by one: the failing one raises its error; if none does, store the results."""
        self.failed[0] = 0
        last = self.loop.run_steps(values, stacks)
        for array, value in zip(self.current, last, strict=False):
            array[...] = value

    def _run_steps(self, count: int) -> None:
        """Run the units of all steps. A large loop lets other threads run, and Python look at signals."""
        if not self.is_large:
            run_steps(float(count), *self.ends)
            return
        self.failed[0] = 0  # a call may have been stopped
        for first in range(0, count, self.steps_at_once):
            run_large_steps(min(self.steps_at_once, count - first), *self.ends)

    def __call__(self, values: tuple[Any, ...], stacks: list[Any]) -> list[Any] | None:
        """Run all steps; fills the stacks, and returns the last carry, or None if a step failed."""
        loop, backward = self.loop, self.backward
        bound: list[tuple[Any, Any]] = []
        for k, (node, value) in enumerate(zip(loop.inputs, values, strict=True)):
            if k < loop.carries:
                self.current[k][...] = value
            elif k >= loop.carries + loop.entries and self.cells[k] is not None:
                self.cells[k][...] = value
            elif ("input", node) in self.bindings:
                array = value
                if type(array) is not np.ndarray or array.flags.num & 0x101 != 0x101:
                    array = np.array(array, order="C")
                entry = k < loop.carries + loop.entries
                bound.append((("input", node), array[::-1] if backward and entry else array))
        for buffer, array in [*bound, *self._own_arrays(stacks)]:
            if buffer in self.bindings:
                write_addresses(*self.bindings[buffer], id(array))
        self._run_steps(len(loop.order))
        if self.failed[0]:
            self.failed[0] = 0
            return None
        return [
            x.item() if node.weak else x.copy()[()]  # a number where the shape is ()
            for x, node in zip(self.current, loop.inputs, strict=False)
        ]


def _size(node: GraphNode) -> int:
    """Bytes of a value."""
    return node.size * node.dtype.itemsize


def _words(rows: Any) -> Any:
    return np.array(rows, np.int64).reshape(-1, 2)


def _ends(rows: Any) -> tuple[float, float]:
    """The addresses of the first row and after the last one."""
    return float(rows.ctypes.data), float(rows.ctypes.data + rows.nbytes)
