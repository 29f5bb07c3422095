"""Generate the Python function of a plan: kernel calls, NumPy calls and scalar arithmetic in straight-line code.

Consecutive kernels and matrix products are one line: native code executes a table of their functions and arguments
(:mod:`autodiff_kit.kernels.native_calls`). The table holds the addresses of arrays, and is updated when an array moves.
Numbers are passed through cells in memory; lines that only compute numbers are delayed, so that more kernels run in
one call.

Array arguments and outputs are local names, so that the plan holds no reference to them. All other arrays are views
bound once as globals of the function: parts of the arena, constants and variables.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np

from autodiff_kit.compile.node import COMPARISON_OPS, NON_UFUNC_OPS, REDUCTIONS, VIEW_OPS, GraphNode, is_scalar
from autodiff_kit.compile.passes.fusion import FusionGroup, UnfusedNode
from autodiff_kit.compile.passes.kernel_source import KernelSource, kernel_key, memory_span
from autodiff_kit.compile.passes.memory_plan import MemoryPlan
from autodiff_kit.compile.row_steps import set_rows
from autodiff_kit.compile.run.kernel_loader import kernel_module_source
from autodiff_kit.compile.run.lapack_units import emit_lapack_units, have_one_float_dtype
from autodiff_kit.compile.run.loop_units import emit_loop, emit_loop_result
from autodiff_kit.compile.run.move_units import emit_lookups, emit_moves, emit_rows, emit_sums
from autodiff_kit.compile.run.numpy_codegen import NUMPY_NAMES, numpy_expression
from autodiff_kit.compile.run.product_units import emit_product, emit_window_loop
from autodiff_kit.compile.run.scalar_program import computes_number, instruction, interpreter_source
from autodiff_kit.compile.run.ufunc_units import emit_argmax, emit_running, emit_ufunc
from autodiff_kit.compile.run.work import LARGE, MOST_AT_ONCE, work_of
from autodiff_kit.compile.topological_order import view_base
from autodiff_kit.kernels import native_calls

__all__ = ["PlanCodeGenerator", "filled_table"]

_WORD_BYTES = 8
_CELL_WORDS = 2


class PlanCodeGenerator:
    """Generates the body of a plan's function.

    Attributes
    ----------
    env : dict
        Globals of the function.
    kernels : list of tuple
        Group and :class:`KernelSource` of each kernel; equal kernels share the latter.
    views_of_buffer : dict
        For each buffer that may move: name, shape, dtype, offset and strides of its views.
    pointer_rows : dict
        For each buffer that may move: begin and end of its rows for ``write_addresses``.
    of_step : bool
        Whether it is the plan of a loop's step, which should need no Python.
    work : int
        About how many operations on entries the plan is.
    needs_python : bool
        Whether lines of Python run between the units, such as NumPy calls. The question whether a unit failed does not
        count: loops ask it after all steps.
    failures : list of array
        The numbers that are not 0 where a call of LAPACK failed or a row number was out of range.
    units, fixed, moved : array, dict, dict
        Rows of function and table; the memory of each buffer that stays; the rows of each that may move.
    """

    def __init__(
        self,
        memory_plan: MemoryPlan,
        inputs: list[tuple[GraphNode, str]],
        compiler: Callable[[str], int],
        of_step: bool = False,
    ) -> None:
        self.memory_plan, self.compiler, self.of_step = memory_plan, compiler, of_step
        self.argument_names = dict(inputs)  # node -> local name of the argument
        self.env: dict[str, Any] = {**NUMPY_NAMES, "ndarray": np.ndarray,
                                    "dot": np.dot, "matmul": np.matmul, "copyto": np.copyto,
                                    "run_units": native_calls.run_units,
                                    "run_large_units": native_calls.run_large_units}  # fmt: skip
        self.lines: list[str] = []
        self.view_lines: list[str] = []  # bind views of arguments and outputs
        self.kernels: list[tuple[FusionGroup, KernelSource]] = []
        self._compiled: dict[Any, tuple[list[GraphNode], KernelSource, int]] = {}  # by key: nodes, source, address
        self.views_of_buffer: dict[Any, list[tuple[str, tuple[int, ...], Any, int, tuple[int, ...]]]] = {}
        self.pointer_rows: dict[Any, tuple[float, float]] = {}
        self.fixed: dict[Any, Any] = {("arena", None): memory_plan.arena}
        self.moved: dict[Any, list[tuple[int, int]]] = {}
        self._names: dict[Any, str] = {}
        self._units: list[tuple[int, int, str]] = []  # function, start of its table entries, text for the printed plan
        self._emitted_units = 0  # number of units that have been emitted
        self.work, self._pending_work = 0, 0
        self._writes_state = False  # from there on a plan must run to its end
        self._table: list[Any] = []  # numbers, and pairs of buffer and byte offset
        self._scalar_cells: dict[Any, int] = {}
        self._pending_scalars: set[GraphNode] = set()  # numbers that no line has used so far
        self._unit_of_number: dict[GraphNode, int] = {}  # numbers -> index of the unit that computes them
        self._instructions: list[tuple[int, ...]] = []  # of the interpreter, for the next unit
        self._initial_numbers: dict[int, float] = {}  # by cell
        self._scratch_sizes: dict[tuple[str, str], int] = {}  # entries for each dtype
        self.zero_bytes = 0
        self.loop_results: dict[tuple[GraphNode, int], Any] = {}  # of loops that run as units: their arrays
        self.needs_python, self.failures = False, list[Any]()
        for u in memory_plan.units:
            self._emit_unit(u)
        self._emit_pending_units()
        self._allocate_tables()
        self._compiled.clear()

    def header_lines(self) -> list[str]:
        """Comment lines before the function in the printed plan."""
        plan = self.memory_plan
        memory = f"# shared memory: {plan.arena_bytes} bytes, {plan.peak_live_bytes} in use at once"
        kernels = (f"# kernel{k}: {g.domain}, {len(g.nodes)} operations" for k, (g, _) in enumerate(self.kernels))
        return [memory, *kernels]

    def kernel_texts(self) -> list[str]:
        """Sources of the kernels after the function in the printed plan."""
        return list(dict.fromkeys(kernel.source for _, kernel in self.kernels))

    # --------------------------------------------------------------------------------------------------------- operands
    def view_name(self, node: GraphNode) -> str:
        """The name of a view of a node's memory."""
        buffer, offset, view = self.locate(node)
        key = (buffer, offset, view.shape, view.strides, view.dtype.char)
        if key not in self._names:
            self._names[key] = self._bind_view(buffer, (view.shape, view.dtype, offset, view.strides))
        return self._names[key]

    def locate(self, node: GraphNode) -> tuple[Any, int, Any]:
        """The buffer of a node, the byte offset in it, and the node's array."""
        view: Any = self.memory_plan.array_of(node)
        buffer = self.memory_plan.buffer_of(node)
        whole: Any = self.memory_plan.buffer_array(buffer)
        if buffer[0] == "const":
            self.fixed[buffer] = whole
        return buffer, memory_span(view)[0] - whole.__array_interface__["data"][0], view

    def _bind_view(self, buffer: Any, layout: tuple[Any, ...]) -> str:
        """Name a view and bind it: at once, when the buffer is bound, or at each call for arguments."""
        name = f"view{len(self._names)}"
        shape, dtype, offset, strides = layout
        if buffer[0] == "out" or (buffer[0] == "input" and buffer[1] in self.argument_names):
            self.env[f"dtype_{name}"] = dtype
            local = f"out{buffer[1]}" if buffer[0] == "out" else self.argument_names[buffer[1]]
            like = self.memory_plan.buffer_array(buffer)
            whole = offset == 0 and shape == like.shape and strides == like.strides
            text = local if whole else f"ndarray({shape}, dtype_{name}, {local}, {offset}, {strides})"
            self.view_lines.append(f"{name} = {text}")
        elif buffer[0] in ("arena", "const"):
            self.env[name] = np.ndarray(shape, dtype, self.memory_plan.buffer_array(buffer), offset, strides)
        else:
            self.views_of_buffer.setdefault(buffer, []).append((name, *layout))
        return name

    # ---------------------------------------------------------------------------------------------------------- numbers
    def scalar_expression(self, node: GraphNode) -> str:
        """The expression for a single number; its computation is emitted on first use."""
        if node.op == "const":
            if node.weak and np.isfinite(node.value):
                return repr(node.value)
            name = f"const{node.number}"
            self.env[name] = node.value if node.weak else np.reshape(node.value, ())[()]
            return name
        if node.op in VIEW_OPS:
            return self.scalar_expression(node.args[0])
        if node in self._pending_scalars:
            self._pending_scalars.remove(node)
            if self._unit_of_number.get(node, -1) >= self._emitted_units:
                self._emit_pending_units()
            computed = self._stored_number if node in self._unit_of_number else self._scalar_computation
            self.lines.append(f"n{node.number} = {computed(node)}")
        return f"n{node.number}"

    def scalar_input_line(self, node: GraphNode, text: str) -> str:
        """The line that reads an input number."""
        if not node.weak:
            text = f"np.{node.dtype}({text}{'' if node.shape == () else '.item()'})"
        return f"n{node.number} = {text}"

    def python_scalar(self, node: GraphNode) -> str:
        """The expression for a number in the form that tensors hold."""
        return f"float({self.scalar_expression(node)})" if node.dtype == np.float64 else self.scalar_expression(node)

    def value_expression(self, node: GraphNode) -> str:
        """The expression for a value that is returned to the caller."""
        if not is_scalar(node):
            return f"np.array({self.view_name(node)})"
        text = self.scalar_expression(node)
        return text if node.weak or node.shape == () else f"np.full({node.shape}, {text}, '{node.dtype}')"

    def _scalar_computation(self, n: GraphNode) -> str:
        """The expression that computes a number from its operands."""
        names = {
            a: self.scalar_expression(a) if is_scalar(a) else f"np.{a.dtype}({self.view_name(a)}.item())"
            for a in n.args
        }
        if n.op in REDUCTIONS:
            whole = n.args[0]
            more = "" if whole.dtype == n.dtype else f", dtype='{n.dtype.str}'"
            return names[whole] if is_scalar(whole) else f"np.{n.op}({self.view_name(whole)}, axis=None{more})"
        return numpy_expression(n, names, self.env)

    def _stored_number(self, n: GraphNode) -> str:
        """The expression that reads a number that a unit has stored, in float64 or behind it in float32."""
        word = _CELL_WORDS * self._scalar_cells[n]
        if n.dtype.kind == "b":
            return f"np.bool(scalars_f64[{word}])"
        return f"scalars_f32[{2 * word + 2}]" if n.dtype == np.float32 else f"scalars_f64[{word}]"

    def cell_address(self, n: GraphNode) -> tuple[Any, int]:
        """The buffer and offset of the cell through which units read a number or the one entry of an array."""
        self._cell(n)
        return self._cell_of(view_base(n) if is_scalar(n) else n)

    def _cell(self, n: GraphNode) -> int:
        """The cell through which units read a number or the one entry of an array; it is filled on first use."""
        n = view_base(n) if is_scalar(n) else n
        if n in self._scalar_cells:
            return self._scalar_cells[n]
        text = self.scalar_expression(n) if is_scalar(n) and n.op != "const" else None
        cell = self._scalar_cells[n] = len(self._scalar_cells)
        if text is not None:
            self.lines.append(f"scalars[{_CELL_WORDS * cell}] = {text}")
        elif n.op == "const":
            self._initial_numbers[cell] = float(np.reshape(n.value, ()))
        else:
            place, cell_place = self.locate(n)[:2], self._cell_of(n)
            if n.dtype == np.int64:
                self.add_unit(native_calls.CONVERT, "entry", [place, cell_place])
            else:
                self.add_unit(native_calls.COPY, "entry", [1, place, cell_place, _WORD_BYTES])
        return cell

    def _cell_of(self, n: GraphNode) -> tuple[Any, int]:
        """The buffer and offset of the cell of a number that has one."""
        return ("scalars", None), _CELL_WORDS * _WORD_BYTES * self._scalar_cells[n]

    def place_of(self, node: GraphNode) -> tuple[Any, int] | None:
        """The buffer and the offset at which the units read or leave a value; None if it is in no single place."""
        if is_scalar(node):
            number = view_base(node)
            return self._cell_of(number) if number in self._scalar_cells else None
        buffer, offset, view = self.locate(node)
        return (buffer, offset) if view.flags.c_contiguous else None

    # ------------------------------------------------------------------------------------------------------------ units
    def _emit_unit(self, u: FusionGroup | UnfusedNode) -> None:
        """Emit a unit of the schedule."""
        work = work_of(u)
        if self._pending_work and self._pending_work + work > MOST_AT_ONCE and not self._writes_state:
            self._emit_pending_units()
        self._pending_work += work
        self.work += work
        self._writes_state |= any(self.memory_plan.locations.get(o, ("",))[0] == "state" for o in u.outputs)
        if isinstance(u, FusionGroup):
            self._emit_kernel(u)
        elif not is_scalar(u.node):
            self._emit_numpy_call(u.node)
        elif computes_number(u.node) and not u.node.weak and _are_exact_numbers(u.node):
            self._emit_instruction(u.node)
        else:
            self.needs_python = True
            self._pending_scalars.add(u.node)
            if not all(map(is_scalar, u.node.args)):  # its array operands may be overwritten later
                self._emit_pending_units()
                self.scalar_expression(u.node)

    def _emit_instruction(self, n: GraphNode) -> None:
        """Add an operation on single numbers to the program that the next unit runs."""
        operands = [_CELL_WORDS * self._cell(a) for a in n.args]
        self._pending_scalars.add(n)
        self._unit_of_number[n], self._scalar_cells[n] = len(self._units), len(self._scalar_cells)
        self._instructions.append(instruction(n, _CELL_WORDS * self._scalar_cells[n], operands))

    def _end_program(self) -> None:
        """Add the instructions so far as a unit."""
        if not self._instructions:
            return
        program, count = np.array(self._instructions, np.int64), len(self._instructions)
        self._instructions.clear()
        self.env[f"program{len(self._units)}"] = program  # kept alive
        cells = [(("scalars", None), 0), _CELL_WORDS * len(self._scalar_cells)]
        entries = [program.ctypes.data, program.size, *cells]
        self.add_unit(self.compiler(interpreter_source()), f"{count} operations on numbers", entries)

    def add_unit(self, function: int, said: str, entries: list[Any]) -> None:
        """Add a native function with its table entries to the units of the next run."""
        self._end_program()
        self._units.append((function, len(self._table), said))
        self._table += entries

    def _emit_pending_units(self) -> None:
        """Emit the line that runs the units added since the last one."""
        self._end_program()
        last = len(self._units)
        if self._emitted_units < last:
            comment = "; ".join(said for *_, said in self._units[self._emitted_units :])
            how = "run_large_units" if self._pending_work > LARGE else "run_units"
            self.lines.append(f"{how}(unit{self._emitted_units}, unit{last})  # {comment}")
            self._emitted_units, self._pending_work = last, 0

    def _emit_line(self, text: str, always: bool = True) -> None:
        """Emit a line after the pending units."""
        self.needs_python |= always
        self._emit_pending_units()
        self.lines.append(text)

    def _emit_kernel(self, g: FusionGroup) -> None:
        """Generate and compile a kernel, unless an equal one is there, and add it."""
        # A kernel that updates a variable is written for any length, so that all variables share it.
        any_size = any(self.memory_plan.locations.get(o, ("",))[0] == "state" for o in g.outputs)
        nodes, array_of = [*g.inputs, *g.nodes], self.memory_plan.array_of
        key = kernel_key(g, nodes, array_of, any_size)
        if key not in self._compiled:
            kernel = KernelSource(g, array_of, any_size)
            self._compiled[key] = nodes, kernel, self.compiler(kernel_module_source(kernel))
        like, kernel, address = self._compiled[key]
        own = dict(zip(like, nodes, strict=True))
        totals = [own[n] for n in kernel.totals]
        numbers = [self.cell_address(own[n]) for n in kernel.scalar_inputs]
        self._end_program()
        for n in totals:
            self._pending_scalars.add(n)
            self._unit_of_number[n], self._scalar_cells[n] = len(self._units), len(self._scalar_cells)
        entries: list[Any] = []  # the arguments of the kernel
        for n in kernel.arrays:
            buffer, offset, view = self.locate(own[n])
            entries += [(buffer, offset), memory_span(view)[1]]
        entries += numbers
        entries += self.scratch_entries(kernel.dtype, kernel.scratch)
        entries += map(self._cell_of, totals)
        self.add_unit(address, f"kernel{len(self.kernels)}", entries)
        self.kernels.append((g, kernel))

    def scratch_entries(self, dtype: Any, sizes: list[int]) -> list[Any]:
        """The table's entries for arrays that a unit may write over."""
        places = zip(accumulate(sizes, initial=0), sizes, strict=False)
        return [x for k, n in places for x in ((self.scratch(dtype, sum(sizes))[0], k * dtype.itemsize), n)]

    def scratch(self, dtype: Any, size: int) -> tuple[Any, int]:
        """A place for ``size`` numbers, which every unit may write over."""
        room = ("scratch", dtype.char)
        self._scratch_sizes[room] = max(self._scratch_sizes.get(room, 0), size)
        return room, 0

    def _allocate_tables(self) -> None:
        """Allocate the tables and fill in the addresses of memory that does not move."""
        numbers = np.zeros(max(len(self._scalar_cells), 1) * _CELL_WORDS)
        for cell, value in self._initial_numbers.items():
            numbers[_CELL_WORDS * cell] = value
        self.fixed[("scalars", None)] = numbers
        self.fixed[("zeros", None)] = np.zeros(self.zero_bytes, np.uint8)
        self.fixed |= {room: np.empty(size, room[1]) for room, size in self._scratch_sizes.items()}
        table = filled_table(self._table, self.fixed, self.moved)
        self.units = units = np.zeros((len(self._units), 2), np.int64)
        for k, (function, start, _) in enumerate(self._units):
            units[k] = function, table.ctypes.data + _WORD_BYTES * start
        for k in range(len(units) + 1):
            self.env[f"unit{k}"] = float(units.ctypes.data + 2 * _WORD_BYTES * k)
        pointers = np.array([row for rows in self.moved.values() for row in rows], np.int64)
        start = pointers.ctypes.data
        for buffer, rows in self.moved.items():
            self.pointer_rows[buffer] = (float(start), float(start := start + 2 * _WORD_BYTES * len(rows)))
        self.env |= {"scalars": numbers.data, "scalars_f64": numbers, "scalars_f32": numbers.view(np.float32)}
        self.env |= {"memory": (self.fixed, table, units, pointers)}

    def _operand(self, a: GraphNode) -> str:
        """The expression for an operand of a NumPy call."""
        if a.dtype == object:
            return f"n{a.number}"
        if not is_scalar(a):
            return self.view_name(a)
        text = self.scalar_expression(a)
        return text if a.shape == () or a.weak else f"np.reshape({text}, {a.shape})"

    def _emit_numpy_call(self, n: GraphNode) -> None:
        """Emit a node that no kernel computes, as native units or as a line; most results are copied to their place."""
        if n.op == "call":
            emitters = [emit_loop, emit_rows, emit_moves, emit_sums, emit_lookups, emit_running, emit_lapack_units]
            emitters += [emit_window_loop, emit_argmax]
        else:
            emitters = [emit_loop_result, emit_moves, emit_product, emit_ufunc]
        if any(emit(self, n) for emit in emitters):
            return
        if n.op == "call" and n.params.function is set_rows:
            self._emit_set_rows(n)
            return
        if n.dtype == object:
            self._emit_line(f"n{n.number} = {self._numpy_text(n)}")
            return
        operands = [self._operand(a) for a in n.args]
        given, out = ", ".join(operands), self.view_name(n)
        if n.op == "matmul":  # with strides that BLAS does not accept; np.dot copies such operands
            flat = all(x.ndim == 2 and x.dtype == n.dtype for x in (n, *n.args)) and n.dtype.char in "fd"
            self._emit_line(f"{'dot' if flat else 'matmul'}({given}, {out})")
        elif n.op == "call" and (writing := n.params.expression(operands, self.env, f"fn{n.number}", out)):
            self._emit_line(writing)
        elif n.op == "call":  # it cannot write to its location
            self._emit_call_line(n)
        elif n.op == "concat":
            self._emit_line(f"np.concatenate([{given}], {n.params}, out={out})")
        elif n.op in NON_UFUNC_OPS or n.weak:
            self._emit_line(f"copyto({out}, {self._numpy_text(n)})")
        else:
            self._emit_line(f"np.{n.op}({given}, out={out})")

    def _numpy_text(self, n: GraphNode) -> str:
        """The expression that computes a node from arrays in their locations."""
        return numpy_expression(n, {a: self._operand(a) for a in n.args}, self.env)

    def emit_after_failure(self, n: GraphNode, failed: Any, again: Callable[..., None] | None = None) -> None:
        """Emit the call of a node from Python where its unit has set a number: the call raises the error.

        ``again``, for loops, makes the call and stores its results itself.
        """
        self.env[f"failed{n.number}"] = failed.data
        self.failures.append(failed)
        condition = f"if failed{n.number}[0]: "
        if again is None:
            self._emit_call_line(n, condition)
            return
        self.env[f"again{n.number}"] = again
        self._emit_line(f"{condition}again{n.number}({', '.join(map(self._operand, n.args))})", always=False)

    def _emit_call_line(self, n: GraphNode, condition: str = "") -> None:
        """Emit an opaque call, whose result is copied to its location."""
        checked = f"check_form({self._numpy_text(n)}, {n.shape}, {n.dtype.str!r}, {n.params.name!r})"
        self._emit_line(f"{condition}copyto({self.view_name(n)}, {checked})", always=not condition)

    def _emit_set_rows(self, n: GraphNode) -> None:
        """Emit the replacement of rows; in a table that the plan owns, nothing else is touched."""
        table, ids, rows = n.args
        if self.memory_plan.locations.get(n) != ("state", table):
            self._emit_line(f"copyto({self.view_name(n)}, {self.view_name(table)})")
        self._emit_line(f"{self.view_name(n)}[{self._operand(ids)}] = {self._operand(rows)}")

    def are_plain(self, nodes: tuple[GraphNode, ...]) -> bool:
        """Whether nodes are arrays of one floating-point dtype that lie in rows without gaps."""
        return have_one_float_dtype(nodes) and all(self.memory_plan.array_of(x).flags.c_contiguous for x in nodes)


def filled_table(entries: list[Any], fixed: dict[Any, Any], moved: dict[Any, Any]) -> Any:
    """A table of numbers and places, which are given as a buffer and an offset in bytes.

    A place in ``fixed`` memory is written as its address. For all others, the row that will write it is added to
    ``moved``.
    """
    table = np.zeros(len(entries), np.int64)
    for k, entry in enumerate(entries):
        if type(entry) is not tuple:
            table[k] = entry
            continue
        buffer, offset = entry
        if buffer in fixed:
            table[k] = fixed[buffer].ctypes.data + offset
        else:
            moved.setdefault(buffer, []).append((table.ctypes.data + _WORD_BYTES * k, offset))
    return table


def _are_exact_numbers(n: GraphNode) -> bool:
    """Whether the interpreter can compute a node in float64: its operands are numbers, or arrays of one entry.

    NumPy converts integers as well, except where it compares integers with each other; then one must be small.
    """
    if not all(is_scalar(a) or (a.size == 1 and a.dtype in (np.float64, np.int64)) for a in n.args):
        return False
    if n.op not in COMPARISON_OPS or any(a.dtype.kind == "f" for a in n.args):
        return True
    return any(a.op == "const" and abs(int(np.reshape(a.value, ()))) < 1 << 53 for a in n.args)
