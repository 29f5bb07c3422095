"""The recording of a function of JAX as a program that can be asked: :class:`JaxTape`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import jax

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation, GradientExplanations
from autodiff_kit.diagnostics.recorded_program import Contribution
from autodiff_kit.diagnostics.tape_nodes import TapeNode
from autodiff_kit.diagnostics.tape_stepper import TapeStepper
from autodiff_kit.errors import TapeError
from autodiff_kit.recorders.finding import add_notes
from autodiff_kit.recorders.gradient_report import GradientReport, GradientReportRow, size_word
from autodiff_kit.recorders.jax.arguments import Leaf, as_path, known_argnums
from autodiff_kit.recorders.jax.bad_gradients import Pass
from autodiff_kit.recorders.jax.diagnosis import Diagnosis
from autodiff_kit.recorders.jax.equations import is_float
from autodiff_kit.recorders.jax.evaluation import Evaluation, as_numpy
from autodiff_kit.recorders.jax.flops import equation_flops
from autodiff_kit.recorders.jax.paths import needed_equations
from autodiff_kit.recorders.jax.program_text import has_aux_in_text, users_function
from autodiff_kit.recorders.jax.tracing import Traced, explain_tracer_error, function_name, trace
from autodiff_kit.recorders.recorded_tape import RecordedTape
from autodiff_kit.recorders.user_lines import calling_frame

__all__ = ["JaxTape", "record"]


def record(
    function: Callable[..., Any], args: tuple[Any, ...], argnums: Any, has_aux: bool | None, max_equations: int
) -> JaxTape:
    """Trace a function; an error of a tracer is raised as it was, with notes that name line and remedy."""
    frame = calling_frame(1)
    call = SourceLocation(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
    positions = known_argnums(argnums, len(args))
    try:
        traced = trace(function, args, positions)
    except Exception as error:
        told = explain_tracer_error(error, function)
        if told is not None:
            error.explanation = told  # type: ignore[attr-defined]
            add_notes(error, told)
        raise
    return JaxTape(function, traced, positions, has_aux, max_equations, frame, call)


class JaxTape(RecordedTape):
    """What JAX traced of a function; made by :func:`autodiff_kit.record_jax`.

    Attributes
    ----------
    program : Program
        The equations, those of jitted functions in the place of their calls.
    loss : int or None
        The value that is differentiated.
    outputs : list of int
        All values that the function returns.
    error : GradientExplanation or None
        The explanation of what jax.grad would raise for this call.
    """

    library = "jax"

    def __init__(
        self, function: Any, traced: Traced, argnums: tuple[int, ...], has_aux: bool | None, max_equations: int,
        frame: Any, call: SourceLocation,
    ) -> None:  # fmt: skip
        self.function, self.argnums = function, argnums
        self.program, self.arguments, result = traced
        self.max_equations, self.frame, self.call = max_equations, frame, call
        self.outputs = self.program.outputs
        parts = result if isinstance(result, (tuple, list)) else None
        if has_aux is None:
            user = users_function(function)
            has_aux = user is not None and has_aux_in_text(call, user.__name__)
        self.needs_aux = not has_aux and len(jax.tree_util.tree_leaves(result)) > 1
        first = jax.tree_util.tree_leaves(parts[0] if has_aux and parts else result)
        self.loss = self.outputs[0] if first else None
        self._diagnosis = Diagnosis(self)

    @cached_property
    def evaluation(self) -> Evaluation:
        """The values, computed when they are first asked for."""
        return Evaluation(self.program, self.arguments.traced)

    @property
    def target_name(self) -> str:
        """The name of what is differentiated."""
        return f"{function_name(self.function)}(…)"

    def path_name(self, path: tuple[Any, ...]) -> str:
        """A path in words."""
        names = [leaf.name for leaf in self.arguments.leaves if leaf.path == path]
        return names[0] if names else "".join(f"[{entry!r}]" for entry in path)

    @property
    def differentiated(self) -> list[Leaf]:
        """The leaves of the arguments that argnums names."""
        return [leaf for leaf in self.arguments.leaves if leaf.path[0] in self.argnums]

    @property
    def error(self) -> GradientExplanation | None:
        """The explanation of what jax.grad would raise for this call; None if it would run."""
        found = map(self._diagnosis.explain, self.differentiated)
        return next((one for one in found if not one.gradient), None)

    def __repr__(self) -> str:
        count = len(self.program.equations)
        return f"<JaxTape of {self.target_name}: {count:,} equation{'' if count == 1 else 's'}>"

    # -------------------------------------------------------------------------------------------------------- diagnosis
    def explain(self, path: Any = ()) -> GradientExplanation | GradientExplanations:  # type: ignore[override]
        """Explain what gradient a leaf of the arguments gets, at which line that is decided, and what to do.

        Parameters
        ----------
        path : tuple, optional
            Into the arguments: the number of an argument, then keys, indices and names of fields, such as ``(0, "w")``.
            One that leads to several leaves stands for all of them; by default, all that argnums names.

        Returns
        -------
        GradientExplanation, or GradientExplanations
            One explanation for a single leaf, a tuple of them for several.
        """
        asked = as_path(path)
        if not asked:
            return GradientExplanations(map(self._diagnosis.explain, self.differentiated))
        leaves = self.arguments.under(asked)
        if not leaves and self.arguments.at(asked) is None:
            return self._diagnosis.missing(asked)
        found = GradientExplanations(map(self._diagnosis.explain, leaves))
        return found[0] if len(leaves) == 1 and leaves[0].path == asked else found

    def explain_sources(self, target: Any, sources: Sequence[Any], frame: Any) -> list[GradientExplanation]:  # noqa: ARG002
        """An explanation for each source, which are paths; the target is the function's result."""
        found = []
        for source in sources:
            told = self.explain(source)
            found += [told] if isinstance(told, GradientExplanation) else [*told]
        return found

    def report(self) -> GradientReport:
        """What gradient each differentiated leaf gets, and what is wrong with it.

        Returns
        -------
        GradientReport
            A row for each leaf; prints as text, and as a table in a notebook.
        """
        rows = []
        for leaf in self.differentiated:
            told = self._diagnosis.explain(leaf)
            size = self._diagnosis.largest_gradient(leaf)
            rows.append(GradientReportRow(leaf.name, _state(told, size), size, told))
        return GradientReport(self.target_name, tuple(rows))

    # --------------------------------------------------------------------------------------------- the recorded program
    @cached_property
    def _leaf_numbers(self) -> list[int]:
        captured = [n for n, v in enumerate(self.program.values) if v.known is not None and v.aval.shape]
        return [*self.program.inputs, *captured]

    @cached_property
    def _ids(self) -> dict[int, int]:
        found = {n: -1 - k for k, n in enumerate(self._leaf_numbers)}
        for k, equation in enumerate(self.program.equations):
            found.update(dict.fromkeys(equation.outputs, k))
        return found

    @property
    def nodes(self) -> Sequence[TapeNode]:
        """The equations in execution order; of several results, shape and dtype are those of the first."""
        found = []
        for k, equation in enumerate(self.program.equations):
            inputs = tuple(self._ids[n] for n in equation.inputs if n in self._ids)
            shape, dtype = self._type(equation.outputs[0]) if equation.outputs else ((), "")
            found.append(TapeNode(k, equation.name, inputs, shape, dtype, *equation.place))
        return found

    @property
    def leaves(self) -> Sequence[TapeNode]:
        """The arguments' leaves, and arrays that the function captured."""
        given = len(self.program.inputs)
        return [
            TapeNode(-1 - k, "input" if k < given else "constant", (), *self._type(n), "", 0, "")
            for k, n in enumerate(self._leaf_numbers)
        ]

    def _type(self, number: int) -> tuple[tuple[int, ...], str]:
        aval = self.program.values[number].aval
        return tuple(aval.shape), str(aval.dtype)

    def _number(self, node_id: int) -> int | None:
        if node_id < 0:
            return self._leaf_numbers[-1 - node_id]
        outputs = self.program.equations[node_id].outputs
        return outputs[0] if outputs else None

    def id_of(self, value: Any) -> int | None:
        """The id of the leaf at a path; of None, that of the function's result."""
        if value is None:
            return None if self.loss is None else self._ids.get(self.loss)
        found = [leaf for leaf in self.arguments.leaves if leaf.path == as_path(value) and leaf.traced >= 0]
        return self._ids[self.program.inputs[found[0].traced]] if found else None

    def name(self, node_id: int) -> str:
        """The name of an argument's leaf."""
        number = self._number(node_id) if node_id < 0 else None
        return next(
            (
                one.name
                for one in self.arguments.leaves
                if one.traced >= 0 and self.program.inputs[one.traced] == number
            ),
            "",
        )

    def value(self, node_id: int) -> Any:
        """A value, computed again equation by equation."""
        number = self._number(node_id)
        found = None if number is None else self.evaluation.values[number]
        return None if found is None else as_numpy(found)

    def held_bytes(self, node_id: int) -> int:
        """Bytes of the float inputs of an equation, which a backward pass may keep; each counts at its first reader."""
        if node_id < 0:
            return 0
        earlier = {n for equation in self.program.equations[:node_id] for n in equation.inputs}
        own = set(self.program.equations[node_id].inputs) - earlier
        kept = [self.program.values[n].aval for n in own if n in self._ids and is_float(self.program.values[n].aval)]
        return sum(math.prod(aval.shape) * aval.dtype.itemsize for aval in kept)

    def flops(self, target: Any = None) -> Sequence[tuple[int, int]]:
        """Operations of each equation: exact for products and convolutions, one for each entry otherwise."""
        needed = needed_equations(self.program, self.outputs if target is None or self.loss is None else [self.loss])
        return [equation_flops(equation.eqn, k in needed) for k, equation in enumerate(self.program.equations)]

    def stepper(self, target: Any = None, seed: Any = None) -> TapeStepper:
        """The backward pass from the function's result, one contribution after the other.

        Parameters
        ----------
        target : None, optional
            The result of the function, which is all that is differentiated.
        seed : array_like, optional
            The cotangent of the result; ones by default.

        Returns
        -------
        TapeStepper
        """
        return super().stepper(target, seed)

    def contributions(self, target: Any = None, seed: Any = None) -> Sequence[Contribution]:  # noqa: ARG002
        """The parts of all cotangents; of an equation with several results those of the first."""
        if self.loss is None or not self._diagnosis.can_evaluate:
            raise TapeError(
                "this program has no backward pass that can be evaluated: see tape.explain(); it must return a float, "
                f"have no while loop on the way, and at most max_equations={self.max_equations:,} equations"
            )
        done = self._diagnosis.backward
        if seed is not None:
            aval = self.program.values[self.loss].aval
            full = jax.numpy.broadcast_to(jax.numpy.asarray(seed, aval.dtype), aval.shape)
            done = Pass(self.program, self.evaluation, {self.loss: full})
        firsts = {equation.outputs[0] for equation in self.program.equations if equation.outputs}
        shown = firsts.union(self._leaf_numbers)
        return [Contribution(c.node, self._ids[c.to], c.part) for c in done.backward.contributions if c.to in shown]


def _state(told: GradientExplanation, size: float | None) -> str:
    if told.gradient != "flows":
        return told.gradient or "error"
    if told.kind != "connected":
        return f"flows, but {told.kind}"
    return size_word(size)
