"""A plan of compiled kernels: runs the compiler passes and generates the function that runs the kernels.

Variables and slots are updated in place; see :mod:`autodiff_kit.compile.run.buffer_binding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from graphlib import CycleError
from typing import Any

from autodiff_kit.compile.node import GraphNode, is_scalar
from autodiff_kit.compile.passes.fusion import fuse_nodes, order_units
from autodiff_kit.compile.passes.memory_plan import MemoryPlan, insert_copies
from autodiff_kit.compile.row_steps import dense_update
from autodiff_kit.compile.run.buffer_binding import BufferBinder
from autodiff_kit.compile.run.numpy_codegen import generate_numpy_function
from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator
from autodiff_kit.compile.run.scalar_program import ScalarProgram
from autodiff_kit.compile.topological_order import live_nodes, view_base
from autodiff_kit.compile.trace.input_sources import ArgumentSource, OptimizerSlotSource
from autodiff_kit.compile.trace.loop_call import LoopCall
from autodiff_kit.compile.trace.trace import StepUpdate, Trace
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.tensor import wrap

__all__ = ["KernelPlan", "can_use_kernels"]


def can_use_kernels(nodes: list[GraphNode]) -> bool:
    """Whether kernels can run a graph: no empty arrays, and at least one floating-point array."""
    return all(n.size and n.dtype.kind in "fiubO" for n in nodes) and any(
        n.size > 1 and n.dtype.char in "fd" for n in nodes
    )


class KernelPlan:
    """A trace compiled to kernels, or to a program of single numbers.

    Attributes
    ----------
    run : callable
        ``run(given)``: the return value for a list of the numeric leaves of the arguments.
    """

    def __init__(self, trace: Trace, compiler: Callable[[str], int], numbers: bool, of_step: bool = False) -> None:
        self.trace, self.of_step = trace, of_step
        assigned = [node for _, node in trace.assignments]
        available = [n for n in live_nodes([*trace.returned_nodes, *assigned]) if is_scalar(n) and n.op != "const"]
        lazy = [
            None if step.ids else _lazy_update(step.node, available, _own_slots(trace, step)) for step in trace.updates
        ]
        computed = [n for step, later in zip(trace.updates, lazy, strict=True) if later is None for n in step.nodes]
        outputs = [*trace.returned_nodes, *assigned, *computed]
        nodes = live_nodes(outputs)
        self.live = {n for n in nodes if n.op == "input"}
        self.state_inputs = {s.key: node for s, node in trace.inputs if not isinstance(s, ArgumentSource)}
        self.states: dict[GraphNode, GraphNode] = {}
        self.locations: dict[GraphNode, tuple[str, Any]] = {}
        self.generator: Any = ScalarProgram(nodes, compiler) if numbers else self._run_passes(nodes, outputs, compiler)
        self._generate_function(outputs, lazy)

    def _run_passes(
        self, nodes: list[GraphNode], outputs: list[GraphNode], compiler: Callable[[str], int]
    ) -> PlanCodeGenerator:
        """Run the compiler passes in order."""
        loops = [n for n in nodes if n.op == "call" and isinstance(n.params.function, LoopCall)]
        self.copies = insert_copies(nodes, {a for n in loops for a in n.args})  # native steps read contiguous memory
        dependencies, unit = fuse_nodes(nodes, outputs)
        self.states = self._find_in_place_updates(unit, {view_base(o) for o in outputs})
        self.states = _without_what_calls_need(self.states, nodes)
        try:
            self.units = order_units(dependencies, _pairs_before_writes(dependencies, unit, self.states))
        except CycleError:  # an old value is read together with what follows from the new one: both are kept
            self.states = {}
            self.units = order_units(dependencies, [])
        self.memory_plan = MemoryPlan(self.units, unit, outputs, self.states)
        self.locations = self.memory_plan.locations
        inputs = [(node, f"arg{s.place}") for s, node in self.trace.inputs if isinstance(s, ArgumentSource)]
        return PlanCodeGenerator(self.memory_plan, inputs, compiler, self.of_step)

    def __str__(self) -> str:
        return "\n".join([*self.generator.header_lines(), self.source, *self.generator.kernel_texts()])

    def _find_in_place_updates(self, unit: dict[GraphNode, Any], kept: set[GraphNode]) -> dict[GraphNode, GraphNode]:
        """Map new values to the inputs that they may be written over: those that are not ``kept`` as outputs."""
        found: dict[GraphNode, GraphNode] = {}
        for source, new in self.trace.assignments:
            old = self.state_inputs.get(source.key)
            if old is None or old not in self.live or old in kept or new not in unit or new in found or is_scalar(new):
                continue
            if old.shape == new.shape and old.dtype == new.dtype:
                found[new] = old
        return found

    # ----------------------------------------------------------------------------------------------------- the function
    def _generate_function(self, outputs: list[GraphNode], lazy: list[_LazyUpdate | None]) -> None:
        trace, generator = self.trace, self.generator
        self.env = generator.env
        self.env |= {"normal": canonical, "make": wrap, "fixed_outputs": [leaf.fixed for leaf in trace.leaves]}
        self.buffers = BufferBinder(self.env, generator.views_of_buffer, generator.pointer_rows)
        head = self._input_lines()
        own = [(home[1], node) for node, home in self.locations.items() if home[0] == "out"]
        outs = [line for k, node in own for line in self.buffers.output_lines(k, node)]
        expressions = (partial(self._output_expression, k, node) for k, node in enumerate(outputs))
        leaf_expressions = [
            f"fixed_outputs[{k}]" if leaf.node is None else next(expressions)(leaf.kind)
            for k, leaf in enumerate(trace.leaves)
        ]
        tail = [*self._assignment_lines(expressions), *self._update_lines(expressions, lazy)]
        result = f"return {self._return_expression(leaf_expressions)}"
        lines = [*head, *outs, *generator.view_lines, *generator.lines, *tail, result]
        self.source = "def run(given):\n" + "".join(f"    {line}\n" for line in lines)
        exec(compile(self.source, "<autodiff_kit plan>", "exec"), self.env)
        self.run: Callable[[list[Any]], Any] = self.env["run"]

    def _return_expression(self, leaf_expressions: list[str]) -> str:
        """The expression that builds the return value."""
        parts = iter(leaf_expressions)

        def written(nest: Any) -> str:
            kind = type(nest)
            if kind in (tuple, list) and nest:
                inside = ", ".join(written(x) for x in nest)
                return f"({inside},)" if kind is tuple else f"[{inside}]"
            if kind is dict and all(type(k) in (str, int) for k in nest):
                return "{" + ", ".join(f"{k!r}: {written(x)}" for k, x in nest.items()) + "}"
            if isinstance(nest, (tuple, list, dict)):
                raise TypeError
            return next(parts)

        try:
            return written(self.trace.structure)
        except TypeError:
            self.env["pack_outputs"] = self.trace.pack
            return f"pack_outputs([{', '.join(leaf_expressions)}])"

    def _input_lines(self) -> list[str]:
        """The lines that read the inputs and check that bound memory is still there."""
        lines: list[str] = []
        written = set(self.states.values())
        for source, node in self.trace.inputs:
            if node not in self.live and node not in written:
                continue
            if isinstance(source, ArgumentSource):
                lines += self._argument_lines(node, source.place)
            elif is_scalar(node):
                more, text = self.buffers.scalar_code(node, source)
                lines += [*more, self.generator.scalar_input_line(node, text)]
            elif isinstance(source, OptimizerSlotSource):
                lines += self.buffers.slot_array_lines(node, source)
            else:
                lines.append(self.buffers.variable_check_line(node, source.owner, node in written))
        return lines

    def _argument_lines(self, node: GraphNode, place: int) -> list[str]:
        """The lines that read an argument, given its place."""
        name, given = f"arg{place}", f"given[{place}]"
        if is_scalar(node):
            return [self.generator.scalar_input_line(node, given)]
        addresses = self.buffers.address_lines(("input", node), name)
        if not node.shape:  # it may be a NumPy scalar
            return [f"{name} = np.array({given})", *addresses]
        settled = f"if {name}.flags.num & 0x101 != 0x101: {name} = np.array({name}, order='C')"
        return [f"{name} = {given}", settled, *addresses]

    # ---------------------------------------------------------------------------------------------------------- outputs
    def _output_expression(self, k: int, node: GraphNode, kind: str = "array") -> str:
        """The expression for output ``k``; an array has memory of its own, or is copied."""
        base = view_base(node)
        if self.locations.get(base) == ("out", k):
            text = f"out{k}" if node.shape == base.shape else f"out{k}.reshape({node.shape})"
        elif kind == "tensor" and is_scalar(node) and node.shape == ():
            text = self.generator.python_scalar(node)
        else:
            text = self.generator.value_expression(node)
        return f"make({text})" if kind == "tensor" else text

    def _assignment_lines(self, expressions: Iterator[Callable[[], str]]) -> list[str]:
        """The lines that assign variables and slots that were not updated in place."""
        lines = []
        for number, ((source, node), expression) in enumerate(zip(self.trace.assignments, expressions, strict=False)):
            if node in self.states and self.states[node] is self.state_inputs.get(source.key):
                continue
            if isinstance(source, OptimizerSlotSource):
                k, bound = self.buffers.slots_number_and_lines(source)  # no slot may have been read before
                lines += bound
                lines.append(f"slots{k}[{source.name!r}] = {expression() if node.weak else f'normal({expression()})'}")
                lines += [] if node.weak else [f"bind_slots({k})"]
            else:
                self.env[f"assigned_owner{number}"] = source.owner
                lines.append(f"assigned_owner{number}.{source.name} = normal({expression()})")
        return lines

    def _update_lines(self, expressions: Iterator[Callable[[], str]], lazy: list[_LazyUpdate | None]) -> list[str]:
        """The lines that store the update of each optimizer step, or what computes it on demand."""
        lines = []
        for number, (step, later) in enumerate(zip(self.trace.updates, lazy, strict=True)):
            self.env |= {f"step_optimizer{number}": step.optimizer, f"step_variable_id{number}": id(step.variable)}
            if step.ids is not None:
                self.env[f"dense_update{number}"] = partial(partial, dense_update, step.variable.shape)
                rows, ids = next(expressions)(), next(expressions)()
                text = f"dense_update{number}({ids}, {rows})"
            elif later is None:
                text = f"normal({next(expressions)()})"
            else:
                self.env[f"lazy_update{number}"] = later
                numbers = "".join(f"{self.generator.scalar_expression(n)}, " for n in later.scalars)
                lines.append(f"lazy_update{number}.numbers = ({numbers})")
                text = f"lazy_update{number}"
            lines.append(f"step_optimizer{number}._last[step_variable_id{number}] = {text}")
        return lines


class _LazyUpdate:
    """An optimizer's last update, computed on demand from what the step assigned and from single numbers."""

    def __init__(self, run: Callable[..., Any], sources: list[Any], scalars: list[GraphNode]) -> None:
        self.run, self.sources, self.scalars = run, sources, scalars
        self.numbers: tuple[Any, ...] = ()  # the values of ``scalars`` at the last step

    def __call__(self) -> Any:
        """The last update."""
        return canonical(self.run(*self.numbers, *[source.read() for source in self.sources])[0])


def _own_slots(trace: Trace, step: StepUpdate) -> dict[GraphNode, Any]:
    """The slots that a step has assigned: nothing else changes them before the next step."""
    own = (id(step.optimizer), id(step.variable))
    return {node: source for source, node in reversed(trace.assignments) if source.key[:-1] == own}


def _lazy_update(node: GraphNode, numbers: list[GraphNode], slots: dict[GraphNode, Any]) -> _LazyUpdate | None:
    """How to compute a node from slots, given with their sources, and numbers; None if it needs more."""
    sources = dict.fromkeys(numbers) | slots
    inside = live_nodes([node], set(sources))
    if node in sources or is_scalar(node) or any(n.op == "input" for n in inside):
        return None
    operands = {a for n in inside for a in n.args}
    used = sorted((n for n in sources if n in operands), key=lambda n: sources[n] is not None)
    run, _ = generate_numpy_function(used, [node])
    return _LazyUpdate(run, [sources[n] for n in used if sources[n]], [n for n in used if not sources[n]])


def _without_what_calls_need(states: dict[GraphNode, GraphNode], nodes: list[GraphNode]) -> dict[GraphNode, GraphNode]:
    """The in-place updates that no call depends on: a call may raise, and must run before anything is written."""
    needed = set(live_nodes([a for n in nodes if n.op == "call" and n not in states for a in n.args]))
    return {new: old for new, old in states.items() if new not in needed}


def _pairs_before_writes(
    units: Iterable[Any], unit: dict[GraphNode, Any], states: dict[GraphNode, GraphNode]
) -> list[tuple[Any, Any]]:
    """Pairs of units: each reader of an old value, and the unit that overwrites it; each call, which may raise, and all
    units that overwrite: after an exception nothing may be changed.
    """
    writers = {old: unit[new] for new, old in states.items()}
    own = set(writers.values())
    calls = [u for u in units if u not in own and any(n.op == "call" for n in u.nodes)]
    reads = [(u, w) for u in units for a in u.inputs if (w := writers.get(view_base(a))) is not None and w is not u]
    return reads + [(u, w) for u in calls for w in own]
