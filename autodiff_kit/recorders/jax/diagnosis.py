"""Why the gradient of a function's result with respect to a leaf of its arguments is what it is: :class:`Diagnosis`.

What the arguments alone decide comes first (a None, an integer, argnums), then paths by gradient and by value, and then
the values and cotangents of a pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.recorders.finding import Finding, explanation
from autodiff_kit.recorders.jax import program_text as text
from autodiff_kit.recorders.jax.arguments import Leaf
from autodiff_kit.recorders.jax.bad_gradients import Pass
from autodiff_kit.recorders.jax.equations import Program, is_float
from autodiff_kit.recorders.jax.paths import ends_of_gradient, needed_equations, reached

if TYPE_CHECKING:
    from autodiff_kit.recorders.jax.tape import JaxTape

__all__ = ["Diagnosis"]


class Diagnosis:
    """Explains the gradients of a recorded function.

    Parameters
    ----------
    tape : JaxTape
    """

    def __init__(self, tape: JaxTape) -> None:
        self.tape, self.program = tape, tape.program
        self.function = text.users_function(tape.function)
        self._pass: Pass | None = None

    def missing(self, path: tuple[Any, ...]) -> GradientExplanation:
        """The explanation for a None among the arguments."""
        place = text.place_of_argument(self.tape.frame, self.tape.call, None, path)
        detail = "JAX takes None for an empty pytree, so there is no leaf, and the gradient has None in its place."
        return explanation(Finding("pytree_none", place, detail), self.tape.target_name, self.tape.path_name(path))

    def explain(self, leaf: Leaf) -> GradientExplanation:
        """The explanation for one leaf."""
        return explanation(self._find(leaf), self.tape.target_name, leaf.name)

    def largest_gradient(self, leaf: Leaf) -> float | None:
        """The largest magnitude of a leaf's gradient; None without one."""
        if leaf.traced < 0 or not self.can_evaluate:
            return None
        found = self.backward.backward.cotangents.get(self.program.inputs[leaf.traced])
        return (
            None
            if found is None or not np.size(found)
            else float(np.max(np.abs(np.asarray(found, dtype=np.complex128))))
        )

    @property
    def can_evaluate(self) -> bool:
        """Whether there is a loss, and few enough equations to evaluate them one by one."""
        loss = self.tape.loss
        small = len(self.program.equations) <= self.tape.max_equations
        return small and loss is not None and is_float(self.program.values[loss].aval) and not self.loops_on_path

    @property
    def loops_on_path(self) -> list[int]:
        """The while loops through which a gradient would have to flow."""
        asked = [self.program.inputs[leaf.traced] for leaf in self.tape.differentiated]
        return self._loops(asked)

    def _loops(self, sources: list[int]) -> list[int]:
        varied = reached(self.program, sources, True)
        needed = needed_equations(self.program, [self.tape.loss] if self.tape.loss is not None else [])
        return [k for k in sorted(needed) if self.program.equations[k].name == "while"
                and not varied.isdisjoint(self.program.equations[k].inputs)
                and not varied.isdisjoint(self.program.equations[k].outputs)]  # fmt: skip

    @property
    def backward(self) -> Pass:
        """The backward pass from the loss."""
        if self._pass is None:
            loss = self.tape.loss
            assert loss is not None
            aval = self.program.values[loss].aval
            self._pass = Pass(self.program, self.tape.evaluation, {loss: np.ones(aval.shape, aval.dtype)})
        return self._pass

    # ---------------------------------------------------------------------------------------------- the order of causes
    def _find(self, leaf: Leaf) -> Finding:
        found = self._argument(leaf)
        if found is not None:
            return found
        source, loss = self.program.inputs[leaf.traced], self.tape.loss
        if self.tape.needs_aux:
            return self._forgotten_aux()
        if loss is None:
            return Finding(
                "aux",
                self._returns(),
                f"{self.tape.target_name} returns no array that could be differentiated.",
                gradient="",
            )
        if loss not in reached(self.program, [source], True):
            return self._broken_path(leaf, source, loss)
        loops = self._loops([source])
        if loops:
            return self._loop(loops[-1])
        return (
            self._bad_gradient(source)
            or self._dropped(source)
            or self._broadcast(source)
            or self._connected(source, loss, leaf)
        )

    def _argument(self, leaf: Leaf) -> Finding | None:
        tape = self.tape
        if leaf.path[0] not in tape.argnums:
            asked = ", ".join(map(str, tape.argnums))
            detail = f"argnums is {asked}, and {leaf.name} is in argument {leaf.path[0]}: JAX takes it for a constant."
            return Finding("argnums", tape.call, detail, remedy=f"Pass argnums={(*tape.argnums, leaf.path[0])}.")
        if leaf.dtype is None or not is_float(self.program.values[self.program.inputs[leaf.traced]].aval):
            place = text.place_of_argument(tape.frame, tape.call, leaf.value, leaf.path)
            what = type(leaf.value).__name__ if leaf.dtype is None else str(leaf.dtype)
            return Finding(
                "int_argument",
                place,
                f"{leaf.name} is {what}; jax.grad takes arguments of floating-point or complex dtypes only.",
            )
        return None

    def _forgotten_aux(self) -> Finding:
        detail = f"{self.tape.target_name} returns more than one array, and jax.grad differentiates a single number."
        return Finding("aux", self._returns(), detail, gradient="")

    def _returns(self) -> SourceLocation:
        return text.return_place(self.function) if self.function is not None else self.tape.call

    def _loop(self, k: int) -> Finding:
        detail = "The number of its turns is not known before it runs, so what a backward pass needs cannot be kept."
        return Finding("while_loop", self.program.equations[k].place, detail, node=k)

    def _broken_path(self, leaf: Leaf, source: int, loss: int) -> Finding:
        ends = ends_of_gradient(self.program, [source], [loss])
        if ends:
            return self._end(ends)
        others = [n for n in self.tape.outputs if n != loss]
        if not reached(self.program, [source], False).isdisjoint(others):
            return Finding(
                "aux", self._returns(), f"{leaf.name} reaches only what is returned beside the loss.", gradient="zero"
            )
        return self._dropped(source) or self._captured(leaf) or self._unused(leaf, source)

    def _end(self, ends: list[tuple[Program, int]]) -> Finding:
        findings = [self._end_at(*end) for end in ends]
        kinds = {found.kind for found in findings}
        last = findings[-1]
        return last._replace(also=tuple(sorted(kinds - {last.kind})))

    def _end_at(self, program: Program, k: int) -> Finding:
        equation = program.equations[k]
        node = k if program is self.program else None
        if equation.name == "stop_gradient":
            return Finding(
                "stop_gradient",
                equation.place,
                "stop_gradient has the same numbers and hands no cotangent on.",
                node=node,
            )
        if equation.name == "while":
            return Finding(
                "while_loop",
                equation.place,
                "It depends on the source by the number of turns or by integers.",
                node=node,
            )
        kinds = [str(program.values[n].aval.dtype) for n in equation.outputs]
        detail = f"Its result is {kinds[0]}: it jumps from one value to the next, and between jumps it does not change."
        return Finding("no_slope", equation.place, detail, op=_name(equation), node=node, gradient="zero")

    # --------------------------------------------------------------------------------------- sources that nothing reads
    def _dropped(self, source: int) -> Finding | None:
        """A result of ``x.at[...].set(...)`` that is thrown away."""
        varied = reached(self.program, [source], False)
        needed = needed_equations(self.program, self.tape.outputs)
        for k, equation in enumerate(self.program.equations):
            dead = k not in needed and not varied.isdisjoint(equation.outputs)
            if (
                dead
                and equation.name.startswith(("scatter", "dynamic_update_slice", "select"))
                and text.is_dropped_at(equation.place)
            ):
                flows = self.tape.loss in reached(self.program, [source], True)
                detail = "This statement makes a new array and drops it: arrays of JAX are never changed in place."
                return Finding("at_dropped", equation.place, detail, node=k, gradient="flows" if flows else "zero")
        return None

    def _captured(self, leaf: Leaf) -> Finding | None:
        words = tuple(str(entry) for entry in leaf.path[1:]) if len(leaf.path) > 1 else (leaf.name,)
        found = text.captured_place(self.tape.function, leaf.value, words)
        if found is None:
            return None
        place, name = found
        detail = (
            f"This line reads {name} from outside of the function, where {leaf.name} was meant: that is a constant."
        )
        return Finding("closure_constant", place, detail)

    def _unused(self, leaf: Leaf, source: int) -> Finding:
        varied = reached(self.program, [source], False)
        dead = [k for k, e in enumerate(self.program.equations) if not varied.isdisjoint(e.outputs) and e.place.line]
        words = tuple(str(entry) for entry in leaf.path[1:]) or (leaf.name,)
        if dead:
            detail = f"What this line computes from {leaf.name} is not used for the result."
            return Finding("unused", self.program.equations[dead[-1]].place, detail, node=dead[-1], gradient="zero")
        early = text.returned_early(self.function, words) if self.function is not None else None
        if early is not None:
            return Finding("unused", early, f"The function returns here, before it reads {leaf.name}.", gradient="zero")
        code = getattr(self.function, "__code__", None)
        place = SourceLocation(code.co_filename, _def_line(code), code.co_name) if code is not None else self.tape.call
        return Finding("unused", place, f"The function never computes with {leaf.name}.", gradient="zero")

    # ---------------------------------------------------------------------------------------------- gradients that flow
    def _bad_gradient(self, source: int) -> Finding | None:
        if not self.can_evaluate:
            return None
        return self.backward.first_bad_value() or self.backward.wrong([source])

    def _broadcast(self, source: int) -> Finding | None:
        """A prediction of shape (n, 1) that is compared with data of shape (n,), or the other way round."""
        varied = reached(self.program, [source], True)
        for k in sorted(needed_equations(self.program, [self.tape.loss] if self.tape.loss is not None else [])):
            equation = self.program.equations[k]
            if equation.name != "sub" or not equation.place.line:
                continue
            follows = [n in varied for n in equation.inputs]
            shapes = sorted((self._shape_before(n, equation.place) for n in equation.inputs), key=len)
            n = shapes[0][0] if shapes[0] else 0
            makes = tuple(self.program.values[equation.outputs[0]].aval.shape)
            if follows[0] != follows[1] and _is_pairing(*shapes) and makes == (n, n):
                detail = f"{shapes[0]} and {shapes[1]} make {(n, n)}: each prediction is compared with each target."
                return Finding("broadcast", equation.place, detail, node=k)
        return None

    def _shape_before(self, number: int, place: SourceLocation) -> tuple[int, ...]:
        """The shape of an operand before this line gave it further axes."""
        value = self.program.values[number]
        while value.equation >= 0:
            maker = self.program.equations[value.equation]
            if maker.name not in ("broadcast_in_dim", "reshape", "convert_element_type") or maker.place != place:
                break
            value = self.program.values[maker.inputs[0]]
        return tuple(value.aval.shape)

    def _connected(self, source: int, loss: int, leaf: Leaf) -> Finding:
        varied = reached(self.program, [source], True)
        on_way = [
            k
            for k in needed_equations(self.program, [loss])
            if not varied.isdisjoint(self.program.equations[k].outputs)
        ]
        steps = "1 equation leads" if len(on_way) == 1 else f"{len(on_way):,} equations lead"
        detail = f"{steps} from {leaf.name} to {self.tape.target_name}."
        if len(self.program.equations) > self.tape.max_equations:
            detail += (
                f" Zeros and nans were not looked for: the program has {len(self.program.equations):,} "
                f"equations, more than max_equations={self.tape.max_equations:,}."
            )
        if self.program.values[loss].aval.shape:
            detail += (
                " The result is no single number; jax.grad refuses it, and here its cotangent is one in each entry."
            )
        integers = [one.name for one in self.tape.differentiated if one is not leaf and self._argument(one) is not None]
        if integers:
            detail += f" But jax.grad refuses {', '.join(integers[:3])}, among the same arguments, which is no float."
        return Finding("connected", detail=detail, also=("int_argument",) if integers else ())


def _def_line(code: Any) -> int:
    import linecache

    line = code.co_firstlineno
    while linecache.getline(code.co_filename, line).lstrip().startswith("@"):
        line += 1
    return int(line)


def _is_pairing(short: tuple[int, ...], long: tuple[int, ...]) -> bool:
    return len(short) == 1 and len(long) == 2 and long == (short[0], 1) and short[0] > 1


def _name(equation: Any) -> str:
    if equation.name == "convert_element_type":
        return f"the cast to {equation.eqn.params['new_dtype']}"
    return str(equation.name)
