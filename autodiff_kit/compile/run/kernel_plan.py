"""A plan of compiled kernels: runs the compiler passes and generates the function that runs the kernels.

Variables and slots are updated in place; see :mod:`autodiff_kit.compile.run.buffer_binding`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autodiff_kit.compile.graph import ComputationGraph
from autodiff_kit.compile.node import GraphNode, is_scalar
from autodiff_kit.compile.passes.fusion import Schedule, fuse_nodes, order_units
from autodiff_kit.compile.passes.memory_plan import MemoryPlan, insert_copies
from autodiff_kit.compile.passes.vector_loop_partition import assign_loops
from autodiff_kit.compile.run.buffer_binding import BufferBinder, OutputBuffers
from autodiff_kit.compile.run.numpy_codegen import generate_numpy_function
from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator
from autodiff_kit.compile.run.scalar_program import ScalarProgram
from autodiff_kit.compile.topological_order import live_nodes, view_base
from autodiff_kit.compile.trace.input_sources import ArgumentSource, OptimizerSlotSource
from autodiff_kit.compile.trace.tracer import OutputLeaf, Trace
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

    def __init__(self, trace: Trace, compiler: Callable[[str], int], numbers: bool) -> None:
        self.trace = trace
        updates = [(optimizer, variable, _update_of_step(trace.graph, n)) for optimizer, variable, n in trace.updates]
        assigned = [node for _, node in trace.assignments]
        available = set(live_nodes([*trace.returned_nodes, *assigned]))
        recipes = [_recipe_from_assigned(node, assigned, available) for _, _, node in updates]
        computed_updates = [node for (_, _, node), recipe in zip(updates, recipes, strict=True) if recipe is None]
        outputs = [*trace.returned_nodes, *assigned, *computed_updates]
        nodes = live_nodes(outputs)
        self.live = set(nodes)
        self.state_inputs = {s.key: node for s, node in trace.inputs if not isinstance(s, ArgumentSource)}
        self.states: dict[GraphNode, GraphNode] = {}
        self.locations: dict[GraphNode, tuple[str, Any]] = {}
        self.generator: Any = ScalarProgram(nodes, outputs) if numbers else self._run_passes(nodes, outputs, compiler)
        self._generate_function(updates, recipes)

    def _run_passes(
        self, nodes: list[GraphNode], outputs: list[GraphNode], compiler: Callable[[str], int]
    ) -> PlanCodeGenerator:
        """Run the compiler passes in order."""
        self.copies = insert_copies(nodes)
        self.units, unit = fuse_nodes(nodes, outputs)
        self.states = self._find_in_place_updates(nodes, unit)
        self.units = order_units(self.units, unit, _reads_before_writes(self.units, unit, self.states))
        self.memory_plan = MemoryPlan(self.units, unit, outputs, self.states, assign_loops)
        self.locations = self.memory_plan.locations
        inputs = [(node, f"arg{s.place}") for s, node in self.trace.inputs if isinstance(s, ArgumentSource)]
        return PlanCodeGenerator(self.memory_plan, inputs, compiler)

    def __str__(self) -> str:
        return "\n".join([*self.generator.header_lines(), self.source, *self.generator.kernel_texts()])

    def _find_in_place_updates(self, nodes: list[GraphNode], unit: dict[GraphNode, Any]) -> dict[GraphNode, GraphNode]:
        """Map new values to the inputs that they may be written over."""
        found: dict[GraphNode, GraphNode] = {}
        available = set(nodes)
        for source, new in self.trace.assignments:
            old = self.state_inputs.get(source.key)
            fits = old in available and new in unit and new not in found and not is_scalar(new)
            if fits and old is not None and old.shape == new.shape and old.dtype == new.dtype and new.dtype != object:
                found[new] = old
        return found

    # ----------------------------------------------------------------------------------------------------- the function
    def _generate_function(self, updates: list[Any], recipes: list[Any]) -> None:
        trace, generator = self.trace, self.generator
        self.env = generator.env
        self.env |= {"normal": canonical, "make": wrap, "fixed_outputs": [leaf.fixed for leaf in trace.leaves]}
        self.buffers = BufferBinder(self.env, generator.views_of_buffer, generator.pointer_rows)
        self.output_buffers = OutputBuffers(self.env, self.buffers.bind_output)
        self.argument_lines: dict[int, Callable[[str], list[str]]] = {}  # writers of the lines that read an argument
        head = self._input_lines()
        tail = [*self._assignment_lines(), *self._update_lines(updates, recipes)]
        outs = self._assigned_output_lines()
        positions = iter(range(len(trace.returned_nodes)))
        leaf_expressions = [
            f"fixed_outputs[{k}]"
            if leaf.node is None
            else self._output_expression(leaf, leaf.node, next(positions), outs, tail)
            for k, leaf in enumerate(trace.leaves)
        ]
        self.lines = [
            *head,
            *generator.view_lines,
            *outs,
            *generator.lines,
            *tail,
            f"return {self.return_expression(leaf_expressions)}",
        ]
        self.output_buffers.allocate()
        first = [line for place in self.argument_lines for line in self.argument_input_lines(place, f"given[{place}]")]
        self.source = "def run(given):\n" + "".join(f"    {line}\n" for line in [*first, *self.lines])
        exec(compile(self.source, "<autodiff_kit plan>", "exec"), self.env)
        self.run: Callable[[list[Any]], Any] = self.env["run"]

    def return_expression(self, leaf_expressions: list[str]) -> str:
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
                self.argument_lines[source.place] = self._argument_line_writer(node, source.place)
            elif is_scalar(node):
                more, text = self.buffers.scalar_code(node, source)
                lines += [*more, self.generator.scalar_input_line(node, text)]
            elif isinstance(source, OptimizerSlotSource):
                lines += self.buffers.slot_array_lines(node, source)
            else:
                lines.append(self.buffers.variable_check_line(node, source.owner, node in written))
        return lines

    def argument_input_lines(self, place: int, text: str) -> list[str]:
        """The lines that read argument number ``place`` from an expression."""
        return self.argument_lines[place](text) if place in self.argument_lines else []

    def _argument_line_writer(self, node: GraphNode, place: int) -> Callable[[str], list[str]]:
        name = f"arg{place}"
        if is_scalar(node):
            return lambda text: [self.generator.scalar_input_line(node, text)]
        shown = self.buffers.argument_binding_line(place, node)
        if not node.shape:  # it may be a NumPy scalar
            return lambda text: [f"{name} = np.array({text})", shown]
        settled = f"if {name}.flags.num & 0x101 != 0x101: {name} = np.array({name}, order='C')"
        return lambda text: [f"{name} = {text}", settled, shown]

    # ---------------------------------------------------------------------------------------------------------- outputs
    def _output_expression(self, leaf: OutputLeaf, node: GraphNode, k: int, outs: list[str], tail: list[str]) -> str:
        """The expression for a returned value; lines that it needs are added to ``outs`` and ``tail``."""
        tensor = leaf.kind == "tensor"
        if self.locations.get(view_base(node)) == ("out", k):
            line, text = self.output_buffers.array_output_code(k, node, tensor)
            outs.append(line)
            return text
        if tensor and is_scalar(node) and node.shape == ():
            lines, text = self.output_buffers.scalar_code(k, self.generator.python_scalar(node))
            tail += lines
            return text
        text = self.generator.value_expression(node)
        return f"make({text})" if tensor else text

    def _assigned_output_lines(self) -> list[str]:
        """Check lines of assigned values and updates that have output buffers."""
        leaves = len(self.trace.returned_nodes)
        locations = [(home[1], node) for node, home in self.locations.items() if home[0] == "out"]
        return [self.output_buffers.array_output_code(k, node, False)[0] for k, node in locations if k >= leaves]

    def _assignment_lines(self) -> list[str]:
        """The lines that assign variables and slots that were not updated in place."""
        lines = []
        for number, (source, node) in enumerate(self.trace.assignments):
            if node in self.states and self.states[node] is self.state_inputs.get(source.key):
                continue
            text = self.generator.value_expression(node)
            if isinstance(source, OptimizerSlotSource):
                name, _ = self.buffers.slots_name_and_lines(source)
                lines.append(f"{name}[{source.name!r}] = {text if node.weak else f'normal({text})'}")
                lines += [] if node.weak else [f"bind_slots({name.removeprefix('slots')})"]
            else:
                self.env[f"assigned_owner{number}"] = source.owner
                lines.append(f"assigned_owner{number}.{source.name} = normal({text})")
        return lines

    def _update_lines(self, updates: list[Any], recipes: list[Any]) -> list[str]:
        """The lines that store the update of each optimizer step, or a function that computes it on demand."""
        lines = []
        latest: dict[tuple[GraphNode, ...], list[Any]] = {}  # the scalar inputs of updates computed on demand
        for number, ((optimizer, variable, node), recipe) in enumerate(zip(updates, recipes, strict=True)):
            self.env |= {f"step_optimizer{number}": optimizer, f"step_variable_id{number}": id(variable)}
            if recipe is None:
                text = f"normal({self.generator.value_expression(node)})"
            else:
                run, positions, numbers = recipe
                given = latest.setdefault(tuple(numbers), [])
                self.env[f"lazy_update{number}"] = partial(self._compute_update, run, positions, given)
                text = f"lazy_update{number}"
            lines.append(f"step_optimizer{number}._last[step_variable_id{number}] = {text}")
        for number, (numbers, given) in enumerate(latest.items()):
            self.env[f"update_scalars{number}"] = given
            lines.append(f"update_scalars{number}[:] = [{', '.join(map(self.generator.scalar_expression, numbers))}]")
        return lines

    def _compute_update(self, run: Callable[..., Any], positions: list[int], numbers: list[Any]) -> Any:
        """Compute the last update of a step from the assigned values."""
        return canonical(run(*[self.trace.assignments[k][0].read() for k in positions], *numbers)[0])


def _update_of_step(graph: ComputationGraph, node: GraphNode) -> GraphNode:
    """The update of a step: for ``(w + d) - w`` this is ``d``."""
    if node.op == "subtract" and node.args[0].op in ("add", "subtract"):
        after, before = node.args
        if after.op == "add" and before in after.args:
            return after.args[0] if after.args[1] is before else after.args[1]
        if after.op == "subtract" and after.args[0] is before:
            return graph.elementwise("negative", after.args[1])
    return node


def _recipe_from_assigned(
    node: GraphNode, assigned: list[GraphNode], available: set[GraphNode]
) -> tuple[Callable[..., Any], list[int], list[GraphNode]] | None:
    """How to compute a node from assigned values and single numbers; None if it needs more.

    Returns a function, the positions of the assigned values, and the numbers, in the order of its parameters.
    """
    positions = {n: k for k, n in enumerate(assigned)}
    todo, seen, numbers = [node], set(), []
    while todo:
        n = todo.pop()
        if n in positions or n in seen or n.op == "const":
            continue
        if is_scalar(n) and n in available:
            numbers.append(n)
            seen.add(n)
            continue
        if n.op == "input":
            return None
        seen.add(n)
        todo.extend(n.args)
    if node in positions or is_scalar(node):
        return None
    numbers = list(dict.fromkeys(numbers))
    used = [n for n in positions if any(n in m.args for m in seen if m not in numbers)]
    run, _ = generate_numpy_function([*used, *numbers], [node], {*used, *numbers})
    return run, [positions[n] for n in used], numbers


def _reads_before_writes(
    units: Schedule, unit: dict[GraphNode, Any], states: dict[GraphNode, GraphNode]
) -> list[tuple[Any, Any]]:
    """Pairs of units: each reader of an old value, and the unit that overwrites it."""
    writers = {old: unit[new] for new, old in states.items()}
    return [(u, w) for u in units for a in u.inputs if (w := writers.get(view_base(a))) is not None and w is not u]
