"""Values of a program and the cotangents of its backward pass, equation by equation: :class:`Evaluation`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.extend.core as jex
import numpy as np

from autodiff_kit.diagnostics.recorded_program import Contribution
from autodiff_kit.recorders.jax.equations import Equation, Program, is_float

__all__ = ["BackwardPass", "Evaluation", "as_numpy", "is_bad", "is_zero"]

_ACTS = ("debug_callback", "debug_print", "io_callback", "outside_call")  # acts on the world: not done a second time


def as_numpy(value: Any) -> Any:
    """A value for a reader; None for a key of random numbers, which NumPy does not know."""
    try:
        return np.asarray(value)
    except TypeError:
        return None


def is_bad(value: Any) -> bool:
    """Whether a nan or an infinity is among the entries."""
    return _kind(value) in "fc" and not bool(np.isfinite(_plain(value)).all())


def is_zero(value: Any) -> bool:
    """Whether all entries are zero."""
    return not np.any(_plain(value))


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind == "V" else array  # bfloat16 and its like


def _kind(value: Any) -> str:
    try:
        return str(_plain(value).dtype.kind)
    except (TypeError, ValueError):
        return "O"


class Evaluation:
    """The values of a program for given inputs, computed when they are first asked for.

    Parameters
    ----------
    program : Program
    given : sequence of arrays
    """

    def __init__(self, program: Program, given: Sequence[Any]) -> None:
        self.program, self.given = program, list(given)
        self._values: list[Any] | None = None
        self._functions: dict[int, tuple[Any, list[int], list[int]]] = {}

    @property
    def values(self) -> list[Any]:
        """The value of each number; None for what only an effect would give."""
        if self._values is None:
            with jax.debug_nans(False):
                self._values = self._run()
        return self._values

    def _run(self) -> list[Any]:
        found: list[Any] = [value.known for value in self.program.values]
        for number, value in zip(self.program.inputs, self.given, strict=True):
            found[number] = value
        for k, equation in enumerate(self.program.equations):
            if equation.name in _ACTS or any(found[n] is None for n in equation.inputs):
                continue
            function, inputs, outputs = self._function(k)
            for n, result in zip(outputs, function(*(found[n] for n in inputs)), strict=True):
                found[n] = result
        return found

    def _function(self, k: int) -> tuple[Any, list[int], list[int]]:
        """An equation as a function of its distinct inputs, with their numbers and those of its results."""
        if k not in self._functions:
            self._functions[k] = _as_function(self.program, self.program.equations[k])
        return self._functions[k]

    def pull_back(self, k: int, cotangents: dict[int, Any]) -> dict[int, Any]:
        """The parts of the cotangents of an equation's inputs, by number."""
        values = self.values
        function, inputs, outputs = self._function(k)
        varied = [n for n in inputs if is_float(self.program.values[n].aval)]
        results = [j for j, n in enumerate(outputs) if is_float(self.program.values[n].aval)]

        def of_floats(*floats: Any) -> list[Any]:
            known = dict(zip(varied, floats, strict=True))
            found = function(*(known.get(n, values[n]) for n in inputs))
            return [found[j] for j in results]

        with jax.debug_nans(False):
            primal, pull = jax.vjp(of_floats, *(values[n] for n in varied))
            given = [
                cotangents.get(outputs[j], np.zeros(p.shape, p.dtype)) for j, p in zip(results, primal, strict=True)
            ]
            parts = pull([jax.numpy.asarray(c, p.dtype) for c, p in zip(given, primal, strict=True)])
        return dict(zip(varied, parts, strict=True))


def _as_function(program: Program, equation: Equation) -> tuple[Any, list[int], list[int]]:
    eqn = equation.eqn
    variables, inputs, known = [], [], set()
    for atom, n in zip(eqn.invars, equation.inputs, strict=True):
        if not isinstance(atom, jex.Literal) and atom not in known:
            known.add(atom)
            variables.append(atom)
            inputs.append(n)
    named = [j for j, v in enumerate(eqn.outvars) if type(v).__name__ != "DropVar"]
    jaxpr = jex.Jaxpr(
        constvars=[], invars=variables, outvars=[eqn.outvars[j] for j in named], eqns=[eqn], effects=eqn.effects,
        debug_info=_no_debug_info(len(variables), len(named)),
    )  # fmt: skip
    return jex.jaxpr_as_fun(jex.ClosedJaxpr(jaxpr, [])), inputs, [equation.outputs[j] for j in named]


def _no_debug_info(inputs: int, outputs: int) -> Any:
    made = jax.make_jaxpr(lambda *xs: [0.0] * outputs)(*[0.0] * inputs)
    return made.jaxpr.debug_info


class BackwardPass:
    """The cotangents of all values from seeds, in reverse order of execution.

    Attributes
    ----------
    cotangents : dict of int to array
        By number of value.
    parts : dict of int to dict
        What each equation handed to its inputs.
    contributions : list of (int or None, int, array)
        In the order of the pass, with numbers of values.
    errors : dict of int to Exception
        Equations whose rule raised.
    """

    def __init__(self, evaluation: Evaluation, seeds: dict[int, Any], needed: set[int]) -> None:
        program = evaluation.program
        self.cotangents: dict[int, Any] = dict(seeds)
        self.parts: dict[int, dict[int, Any]] = {}
        self.errors: dict[int, Exception] = {}
        self.contributions = [Contribution(None, n, np.asarray(seed)) for n, seed in seeds.items()]
        for k in range(len(program.equations) - 1, -1, -1):
            equation = program.equations[k]
            received = {n: self.cotangents[n] for n in equation.outputs if n in self.cotangents}
            if not received or k not in needed:
                continue
            try:
                parts = evaluation.pull_back(k, received)
            except Exception as error:  # noqa: BLE001 - a rule of the user's, or a loop that has none
                self.errors[k] = error
                continue
            self.parts[k] = parts
            for n, part in parts.items():
                before = self.cotangents.get(n)
                self.cotangents[n] = part if before is None else before + part
                self.contributions.append(Contribution(k, n, np.asarray(part)))
