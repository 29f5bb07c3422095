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
from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator
from autodiff_kit.compile.run.scalar_program import ScalarProgram
from autodiff_kit.compile.trace.loop_call import LoopCall

__all__ = ["native_loop"]


def native_loop(loop: LoopCall, generator: PlanCodeGenerator | ScalarProgram) -> Callable[..., Any] | None:
    """A function of the given values and the stacks that runs the loop; None if a step needs Python."""
    nodes = [*loop.inputs, *loop.outputs]
    if not generator.is_native() or any(is_scalar(n) and n.dtype != np.float64 for n in nodes):
        return None
    places = [generator.place_of(n) for n in loop.outputs]
    carried = [("input", n) for n in loop.inputs[: loop.carries]]
    if None in places or any(p is not None and p[0] in carried for p in places):
        return None
    return _NativeLoop(loop, generator, places)


class _NativeLoop:
    """The native form of a loop: tables of units and addresses that each call binds to its arrays."""

    def __init__(self, loop: LoopCall, generator: PlanCodeGenerator | ScalarProgram, places: list[Any]) -> None:
        from autodiff_kit.kernels import native_calls

        self.native_calls, self.loop, self.memory = native_calls, loop, [generator.env["memory"]]
        self.generator: Any = generator
        self.rows = {buffer: list(rows) for buffer, rows in generator.moved.items()}
        self.fixed = dict(generator.fixed)
        steps: dict[Any, int] = {}  # buffer -> bytes from one step to the next
        self.cells: list[Any] = []  # where the step reads each input, if it is a number
        for node in loop.inputs:
            place = generator.place_of(node) if is_scalar(node) else None
            self.cells.append(place and np.ndarray(node.shape, float, self.fixed[place[0]], place[1]))
        sign = -1 if loop.order.step < 0 else 1
        self.current = [np.zeros(n.shape, n.dtype) for n in loop.inputs[: loop.carries]]
        self.fresh = [np.zeros(n.shape, n.dtype) for n in loop.outputs[: loop.carries]]
        before: list[Any] = []
        after: list[Any] = []
        for k, node in enumerate(loop.inputs[: loop.carries + loop.entries]):
            source: Any = ("input", node)
            if k < loop.carries:
                self.fixed["carry", k] = self.current[k]
                source = ("carry", k)
            else:
                steps[source] = sign * _size(node)
            if self.cells[k] is not None:
                self.fixed["cell", k] = self.cells[k]
                before.append(((source, 0), (("cell", k), 0), _size(node)))
        for k, j in loop.kept:
            node = loop.inputs[j]
            before.append(((("carry", j), 0), (("kept", k), 0), _size(node)))
            steps["kept", k] = sign * _size(node)
        for k, (node, place) in enumerate(zip(loop.outputs, places, strict=True)):
            target: Any = ("out", k)
            if k < loop.carries:
                target = ("carry", k)
            else:
                steps["out", k] = sign * _size(node)
            if place != (target, 0):
                after.append((place, (target, 0), _size(node)))
        units = [*self._copies(before), *generator.units.tolist(), *self._copies(after)]
        advance = [(place, step) for buffer, step in steps.items() for place, _ in self.rows.get(buffer, ())]
        self.units, self.advance = _words(units), _words(advance)
        self.bindings = {buffer: _ends(self._keep(_words(rows))) for buffer, rows in self.rows.items()}
        self.ends = (*_ends(self.units), *_ends(self.advance))

    def _keep(self, words: Any) -> Any:
        self.memory.append(words)
        return words

    def _copies(self, copies: list[Any]) -> list[tuple[int, int]]:
        """The unit that copies between pairs of a buffer and an offset."""
        if not copies:
            return []
        table = self._keep(np.array([len(copies), *(0 for _ in range(3 * len(copies)))], np.int64))
        for k, (source, target, size) in enumerate(copies):
            for place, (buffer, offset) in enumerate((source, target), 1 + 3 * k):
                if buffer[0] == "const" and buffer not in self.fixed:
                    self.fixed[buffer] = self.generator.memory_plan.buffer_array(buffer)
                if buffer in self.fixed:
                    table[place] = self.fixed[buffer].ctypes.data + offset
                else:
                    self.rows.setdefault(buffer, []).append((table.ctypes.data + 8 * place, offset))
            table[3 + 3 * k] = size
        return [(self.native_calls.COPY, table.ctypes.data)]

    def __call__(self, values: tuple[Any, ...], stacks: list[Any]) -> list[Any]:
        """Run all steps; fills the stacks, and returns the last carry."""
        loop, bound, backward = self.loop, [], self.loop.order.step < 0
        for k, (node, value) in enumerate(zip(loop.inputs, values, strict=True)):
            if k < loop.carries:
                self.current[k][...] = value
                bound.append((("input", node), self.current[k]))
            elif k >= loop.carries + loop.entries and self.cells[k] is not None:
                self.cells[k][...] = value
            elif ("input", node) in self.bindings:
                array = value
                if type(array) is not np.ndarray or array.flags.num & 0x101 != 0x101:
                    array = np.array(array, order="C")
                entry = k < loop.carries + loop.entries
                bound.append((("input", node), array[::-1] if backward and entry else array))
        bound += [(("out", k), fresh) for k, fresh in enumerate(self.fresh)]
        computed = [(("out", loop.carries + j), stacks[k]) for j, k in enumerate(loop.computed)]
        kept = [(("kept", k), stacks[k]) for k, _ in loop.kept]
        bound += [(buffer, stack[::-1] if backward else stack) for buffer, stack in computed + kept]
        for buffer, array in bound:
            if buffer in self.bindings:
                self.native_calls.write_addresses(*self.bindings[buffer], id(array))
        self.native_calls.run_steps(float(len(loop.order)), *self.ends)
        return [
            x.item() if node.weak else x.copy()[()] if node.shape == () else x.copy()
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
