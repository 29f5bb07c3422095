"""Native units for the calls of LAPACK in a plan: factors of one matrix, and systems by them.

A unit works in the memory of the result, into which the matrix is copied first. LAPACK's matrices lie in columns and a
plan's in rows: so a symmetric matrix stays the same, the upper triangle takes the place of the lower one, and a system
is solved from the other side. A routine that fails says so in a number, and the line after it makes the call from
Python, which raises the error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.compile.node import GraphNode, is_scalar
from autodiff_kit.compile.trace.opaque_call import NodePlaceholder
from autodiff_kit.kernels.native_calls import COPY
from autodiff_kit.ops import factorizations
from autodiff_kit.ops.lapack import call_lapack

if TYPE_CHECKING:
    from autodiff_kit.compile.run.plan_codegen import PlanCodeGenerator

__all__ = ["emit_lapack_units", "have_one_float_dtype"]


def emit_lapack_units(generator: PlanCodeGenerator, n: GraphNode) -> bool:
    """Add the units of a call, if it is one of LAPACK's for single matrices that lie in rows or in columns."""
    call, nodes = n.params, (*n.args, n)
    if getattr(call.function, "opaque", None) is not call_lapack or call.args[2] not in _EMITTERS:
        return False
    count, emit = _EMITTERS[call.args[2]]
    operands = tuple(map(NodePlaceholder, range(count)))  # a constant operand is no node
    if len(n.args) != count or call.args[3 : 3 + count] != operands:
        return False
    if not have_one_float_dtype(nodes) or any(x.ndim != 2 for x in nodes):
        return False
    if generator.memory_plan.locations.get(n, ("",))[0] == "state":
        return False  # a variable keeps its value where a routine fails
    if factorizations.scipy_linalg() is None:
        return False
    units = _Units(generator, n)
    if not units.native.has_plain_integers() or not emit(units, *call.args[3 + count :]):
        return False
    # After the units: where a routine failed, Python makes the call.
    generator.env[f"lapack{n.number}"] = units.kept
    generator.emit_after_failure(n, units.failed)
    return True


def have_one_float_dtype(nodes: tuple[GraphNode, ...]) -> bool:
    """Whether nodes are arrays of one floating-point dtype, as native units take them."""
    return nodes[0].dtype.char in "fd" and all(x.dtype == nodes[0].dtype and not is_scalar(x) for x in nodes)


class _Units:
    """The units of one call."""

    def __init__(self, generator: PlanCodeGenerator, n: GraphNode) -> None:
        from autodiff_kit.kernels import native_lapack  # imported here, because it compiles its units

        self.generator, self.n, self.native = generator, n, native_lapack
        self.views: list[Any] = [generator.memory_plan.array_of(x) for x in (*n.args, n)]
        self.places = [generator.locate(x)[:2] for x in (*n.args, n)]
        self.out, self.size = self.places[-1], n.dtype.itemsize
        self.failed = np.zeros(1, np.intc)
        self.kept: list[Any] = [self.failed]  # what the tables hold the addresses of

    def copy(self, source: int) -> None:
        """Copy an operand, which lies in rows or in columns, into the result."""
        if self.views[source].flags.c_contiguous:
            self.generator.add_unit(COPY, "copy", [1, self.places[source], self.out, self.views[source].nbytes])
        else:
            self.transpose(self.places[source], self.out, self.views[source].T.shape)

    def transpose(self, source: Any, target: Any, shape: tuple[int, int]) -> None:
        """Copy a matrix transposed."""
        self.generator.add_unit(self.native.TRANSPOSE[self.size], "transpose", [source, target, *shape])

    def call(self, name: str, *arguments: Any) -> None:
        """Call a routine. Letters and numbers are constants, pairs are places in memory."""
        entries: list[Any] = [self.native.lapack_address(name, self.n.dtype)]
        for x in arguments:
            if type(x) is not tuple:
                own = x if isinstance(x, np.ndarray) else self._constant(x)
                self.kept.append(own)
                entries.append(own.ctypes.data)
            else:
                entries.append(x)
        self.generator.add_unit(self.native.CALL[len(arguments)], name, entries)

    def _constant(self, x: Any) -> Any:
        """A letter, a count or a factor in memory, in the type that a routine reads."""
        if type(x) is str:
            return np.array([ord(x)], np.uint8)
        return np.array([x], np.intc if type(x) is int else self.n.dtype)


def _cholesky(units: _Units) -> bool:
    if not units.views[0].flags.c_contiguous:
        return False
    n = units.n.shape[0]
    units.copy(0)
    units.call("potrf", "U", n, units.out, n, units.failed)
    units.generator.add_unit(units.native.CLEAR_UPPER[units.size], "clear", [units.out, n])
    return True


def _solve_triangular(units: _Units, lower: bool, unit_diagonal: bool) -> bool:
    a, b, out = units.views
    n, columns = out.shape
    if b.shape != out.shape or not all(x.flags.c_contiguous or x.flags.f_contiguous for x in (a, b)):
        return False
    if columns >= factorizations.COLUMNS and n > factorizations.BLOCK:
        return False  # products of blocks are faster
    units.copy(1)
    if not unit_diagonal:
        zero = units.native.ZERO_ON_DIAGONAL[units.size]
        units.generator.add_unit(zero, "diagonal", [units.places[0], n, units.failed.ctypes.data])
    rows = a.flags.c_contiguous  # LAPACK sees what lies in rows transposed: x aᵀ = b
    triangle, how, diagonal = "UL"[lower != rows], "NT"[not rows], "NU"[unit_diagonal]
    units.call("trsm", "R", triangle, how, diagonal, columns, n, 1.0, units.places[0], n, units.out, columns)
    return True


def _lu_factors(units: _Units) -> bool:
    n = units.n.shape[1]
    if not units.views[0].flags.c_contiguous or units.n.shape[0] != n + 1:
        return False
    units.copy(0)
    buffer, offset = units.out
    units.call("getrf", n, n, units.out, n, (buffer, offset + n * n * units.size), units.failed)
    return True


def _lu_solve(units: _Units, transpose: bool) -> bool:
    factors, b, out = units.views
    n, columns = out.shape
    in_rows = b.flags.c_contiguous
    if not factors.flags.c_contiguous or b.shape != out.shape or len(factors) != n + 1:
        return False
    if not in_rows and not b.flags.f_contiguous:
        return False
    buffer, offset = units.places[0]
    work = units.generator.scratch(units.n.dtype, out.size) if columns > 1 else units.out
    if in_rows:
        units.transpose(units.places[1], work, (n, columns))
    else:
        units.generator.add_unit(COPY, "copy", [1, units.places[1], work, b.nbytes])
    how = "NT"[not transpose]
    pivots = (buffer, offset + n * n * units.size)
    units.call("getrs", how, n, columns, units.places[0], n, pivots, work, n, units.failed)
    if columns > 1:
        units.transpose(work, units.out, (columns, n))
    return True


_EMITTERS: dict[Any, tuple[int, Any]] = {
    factorizations.cholesky_factor: (1, _cholesky),
    factorizations.solve_triangular: (2, _solve_triangular),
    factorizations.lu_factors: (1, _lu_factors),
    factorizations.lu_solve: (2, _lu_solve),
}
"""For each function of a call: how many matrices it takes, and what adds its units."""
