"""A jaxpr as a flat list of equations: :class:`Program`. Bodies of jitted functions stand in the place of their calls.

``scan``, ``cond``, ``while`` and functions with a rule of their own stay one equation; :meth:`Program.inside` opens one
of them with values that are known, a scan turn by turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.extend.core as jex
import numpy as np

from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation
from autodiff_kit.recorders.user_lines import is_users_file

__all__ = ["Equation", "Program", "Value", "file_of_function", "is_float"]

_CALLS = frozenset(["pjit", "jit", "closed_call", "core_call", "core_closed_call", "checkpoint", "remat", "remat2"])
_MAX_OPENED = 5_000  # equations of a scan that is looked into


class Value(NamedTuple):
    """A value of the program: its type, the equation that computes it (-1: none), and what it is if that is known."""

    aval: Any
    equation: int
    known: Any = None


class Equation(NamedTuple):
    """An equation with the numbers of its values; an input that a literal gives has a number as well."""

    name: str
    eqn: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    place: SourceLocation


def is_float(aval: Any) -> bool:
    """Whether a value of this type can have a gradient."""
    return bool(jax.dtypes.issubdtype(aval.dtype, np.inexact)) if hasattr(aval, "dtype") else False


def users_place(eqn: Any) -> SourceLocation:
    """The innermost line of the user's at which an equation was traced."""
    traceback = eqn.source_info.traceback
    for frame in traceback.frames if traceback is not None else ():
        if is_users_file(frame.file_name):
            return SourceLocation(frame.file_name, frame.line_num, frame.function_name.rpartition(".")[2])
    return UNKNOWN_LOCATION


def file_of_function(jaxpr: Any) -> str:
    """The file of the function that a jaxpr was traced from; empty if it is not known."""
    told = getattr(jaxpr.debug_info, "func_src_info", None) or ""
    found = re.fullmatch(r".* at (.+):\d+", told)
    return found[1] if found else ""


@dataclass
class Program:
    """Equations in execution order.

    Attributes
    ----------
    values : list of Value
    equations : list of Equation
    inputs, outputs : list of int
        Numbers of values.
    """

    values: list[Value]
    equations: list[Equation]
    inputs: list[int]
    outputs: list[int]
    _opened: dict[int, Program] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, closed: Any) -> Program:
        """The program of a closed jaxpr."""
        found = cls([], [], [], [])
        found.inputs = [found.add(v.aval) for v in closed.jaxpr.invars]
        found.outputs = found._append(closed.jaxpr, closed.consts, found.inputs, UNKNOWN_LOCATION)
        return found

    def add(self, aval: Any, equation: int = -1, known: Any = None) -> int:
        """Give a value a number."""
        self.values.append(Value(aval, equation, known))
        return len(self.values) - 1

    def _append(self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[int], outer: SourceLocation) -> list[int]:
        """Append the equations of a jaxpr; ``outer`` is their line if they belong to a library's function."""
        number = dict(zip(jaxpr.invars, inputs, strict=True))
        for var, const in zip(jaxpr.constvars, consts, strict=True):
            number[var] = self.add(var.aval, known=const)

        def read(atom: Any) -> int:
            return self.add(atom.aval, known=atom.val) if isinstance(atom, jex.Literal) else number[atom]

        for eqn in jaxpr.eqns:
            place = outer if outer.line else users_place(eqn)
            given = tuple(map(read, eqn.invars))
            body = eqn.params.get("jaxpr") if eqn.primitive.name in _CALLS else None
            if body is None:
                k = len(self.equations)
                results = [self.add(v.aval, k) for v in eqn.outvars]
                self.equations.append(Equation(eqn.primitive.name, eqn, given, tuple(results), place))
            else:
                inner = getattr(body, "jaxpr", body)
                # A library's function may have been traced before, from another line: that of this call is right.
                users = not outer.line and is_users_file(file_of_function(inner) or "<frozen")
                results = self._append(inner, getattr(body, "consts", ()), given, UNKNOWN_LOCATION if users else place)
            number.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    # --------------------------------------------------------------------------------------------------- what is inside
    def bodies(self, k: int) -> list[tuple[Any, list[int]]]:
        """The closed jaxprs in an equation, and of each the positions of the equation's inputs that it gets."""
        eqn = self.equations[k].eqn
        everything = list(range(len(eqn.invars)))
        if eqn.primitive.name == "cond":
            return [(branch, everything[1:]) for branch in eqn.params["branches"]]
        if eqn.primitive.name == "scan":
            return [(eqn.params["jaxpr"], everything)]
        return []

    def body(self, closed: Any) -> Program:
        """The program of one of the :meth:`bodies`."""
        if id(closed) not in self._opened:  # an equation of this program keeps it alive
            self._opened[id(closed)] = Program.of(closed)
        return self._opened[id(closed)]

    def inside(self, k: int, given: Sequence[Any]) -> Program | None:
        """The equations in a ``cond`` or ``scan`` whose inputs are known; None for any other or one that is too long.

        Inputs and outputs of the result are those of the equation.
        """
        equation = self.equations[k]
        if equation.name == "cond":
            branches = equation.eqn.params["branches"]
            chosen = branches[int(np.clip(int(given[0]), 0, len(branches) - 1))]
            found = Program([], [], [], [])
            found.inputs = [found.add(v.aval) for v in equation.eqn.invars]
            found.outputs = found._append(chosen.jaxpr, chosen.consts, found.inputs[1:], self._place_inside(k, chosen))
            return found
        if equation.name == "scan":
            params = equation.eqn.params
            if params["length"] * len(params["jaxpr"].jaxpr.eqns) <= _MAX_OPENED and params["length"]:
                return self._turns(k)
        return None

    def _place_inside(self, k: int, closed: Any) -> SourceLocation:
        file = file_of_function(closed.jaxpr)
        return self.equations[k].place if file and not is_users_file(file) else UNKNOWN_LOCATION

    def _turns(self, k: int) -> Program:
        """A scan turn by turn: slices of what it runs over, and its results stacked."""
        eqn = self.equations[k].eqn
        params = eqn.params
        body, length, consts, carried = params["jaxpr"], params["length"], params["num_consts"], params["num_carry"]
        found = Program([], [], [], [])
        found.inputs = [found.add(v.aval) for v in eqn.invars]
        fixed, carry = found.inputs[:consts], found.inputs[consts : consts + carried]
        over = found.inputs[consts + carried :]
        stacked: list[list[int]] = [[] for _ in eqn.outvars[carried:]]
        place = self._place_inside(k, body)
        turns = range(length - 1, -1, -1) if params["reverse"] else range(length)
        for turn in turns:
            rows = [found._helper(_row(turn), [x]) for x in over]
            results = found._append(body.jaxpr, body.consts, [*fixed, *carry, *rows], place)
            carry = results[:carried]
            for entries, result in zip(stacked, results[carried:], strict=True):
                entries.append(result)
        if params["reverse"]:
            stacked = [entries[::-1] for entries in stacked]
        found.outputs = [*carry, *(found._helper(_stack, entries) for entries in stacked)]
        return found

    def _helper(self, function: Any, inputs: list[int]) -> int:
        """An equation of no line: what a scan does between its turns."""
        closed = jax.make_jaxpr(function)(*(self.values[n].aval for n in inputs))
        return self._append(closed.jaxpr, closed.consts, inputs, UNKNOWN_LOCATION)[0]


def _row(turn: int) -> Any:
    return lambda x: jax.lax.index_in_dim(x, turn, keepdims=False)


def _stack(*entries: Any) -> Any:
    return jax.lax.concatenate([jax.lax.expand_dims(x, (0,)) for x in entries], 0)
