"""Gradients that are zero or not finite: the equation of the backward pass behind which they first are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autodiff_kit.core.source_location import SourceLocation
from autodiff_kit.recorders.finding import Finding
from autodiff_kit.recorders.jax.equations import Program
from autodiff_kit.recorders.jax.evaluation import BackwardPass, Evaluation, is_bad, is_zero
from autodiff_kit.recorders.jax.paths import needed_equations, reached
from autodiff_kit.recorders.jax.program_text import rule_place

__all__ = ["Pass"]

_CUSTOM = ("custom_vjp_call", "custom_vjp_call_jaxpr", "custom_jvp_call")
_SAYS_WHERE = ("where", "select", "piecewise", "cond")


class Pass:
    """A backward pass through a program from seeds, and what is wrong on the way to a source.

    Parameters
    ----------
    program : Program
    evaluation : Evaluation
    seeds : dict of int to array
    around : SourceLocation, optional
        The line of equations without one: that of the loop in which they stand.
    """

    def __init__(
        self, program: Program, evaluation: Evaluation, seeds: dict[int, Any], around: SourceLocation | None = None
    ) -> None:
        self.program, self.evaluation, self.seeds = program, evaluation, seeds
        self.around = around
        self.needed = needed_equations(program, seeds)
        self.backward = BackwardPass(evaluation, seeds, self.needed)

    def place(self, k: int) -> SourceLocation:
        """The user's line of an equation."""
        own = self.program.equations[k].place
        return own if own.line or self.around is None else self.around

    def first_bad_value(self) -> Finding | None:
        """The first equation that makes a nan or an infinity that its inputs have not, if the target is not finite."""
        values = self.evaluation.values
        if not any(is_bad(values[n]) for n in self.seeds):
            return None
        made = [k for k in sorted(self.needed) if self._makes_bad(k)]
        nans = [k for k in made if any(_has_nan(values[n]) for n in self.program.equations[k].outputs)]
        if not made:
            reader = next(
                (k for k in sorted(self.needed) if any(is_bad(values[n]) for n in self.program.equations[k].inputs)),
                None,
            )
            place = SourceLocation("", 0, "") if reader is None else self.place(reader)
            return Finding(
                "nan",
                place,
                "A nan or an infinity is among the data that this line reads.",
                op="the data",
                node=reader,
            )
        return self._bad_in_equation((nans or made)[0])

    def _makes_bad(self, k: int) -> bool:
        values, equation = self.evaluation.values, self.program.equations[k]
        if not any(is_bad(values[n]) for n in equation.outputs):
            return False
        if not any(is_bad(values[n]) for n in equation.inputs):
            return True
        # an infinity that only now becomes a nan, as in 0 * inf
        return any(_has_nan(values[n]) for n in equation.outputs) and not any(
            _has_nan(values[n]) for n in equation.inputs
        )

    def _bad_in_equation(self, k: int) -> Finding:
        equation, values = self.program.equations[k], self.evaluation.values
        inner = self._opened(k, {n: j for j, n in enumerate(equation.outputs)})
        found = inner.first_bad_value() if inner is not None else None
        if found is not None:
            return found._replace(node=k)
        what = "nan" if any(_has_nan(values[n]) for n in equation.outputs) else "an infinity"
        detail = f"Its inputs are finite, and its result has {what}: every gradient that passes it is lost."
        return Finding("nan", self.place(k), detail, op=equation.name, node=k)

    # ------------------------------------------------------------------------------------------------------- cotangents
    def wrong(self, sources: Iterable[int]) -> Finding | None:
        """What is wrong with the cotangents of sources, which are one value of the user's."""
        sources = list(sources)
        got = [self.backward.cotangents[n] for n in sources if n in self.backward.cotangents]
        if any(map(is_bad, got)):
            return self._first_bad_cotangent(sources)
        if all(map(is_zero, got)):
            return self._first_zero(sources)
        return None

    def _path(self, sources: Iterable[int]) -> tuple[list[int], set[int]]:
        """The equations on the way from the target to sources, in the order of the backward pass; and what varies."""
        varied = reached(self.program, sources, True)
        on_way = [
            k for k in sorted(self.needed, reverse=True) if not varied.isdisjoint(self.program.equations[k].outputs)
        ]
        return [k for k in on_way if not varied.isdisjoint(self.program.equations[k].inputs)], varied

    def _first_bad_cotangent(self, sources: list[int]) -> Finding:
        path, varied = self._path(sources)
        cotangents = self.backward.cotangents
        for k in path:
            equation = self.program.equations[k]
            parts = self.backward.parts.get(k, {})
            came_bad = any(is_bad(cotangents[n]) for n in equation.outputs if n in cotangents)
            if not came_bad and any(is_bad(part) for n, part in parts.items() if n in varied):
                return self._bad_at(k, path, [n for n in equation.inputs if n in varied])
        return Finding(
            "nan", self.place(path[0]) if path else SourceLocation("", 0, ""), "The gradient overflows.", op="this line"
        )

    def _bad_at(self, k: int, path: list[int], varied: list[int]) -> Finding:
        equation = self.program.equations[k]
        inner = self._opened(k)
        if inner is not None:
            entries = [inner.program.inputs[j] for j, n in enumerate(equation.inputs) if n in varied]
            found = inner.wrong(entries)
            if found is not None:
                return found._replace(node=k)
        hidden = self._where_behind(k, path)
        detail = "What reaches it is finite, and what it hands on is not: its slope is infinite or undefined here."
        if hidden is None:
            return Finding("nan", self.place(k), detail, op=equation.name, node=k)
        return Finding(
            "where", self.place(hidden),
            f"It leaves out entries of {equation.name} ({self.place(k)}), whose slope is infinite or undefined there: "
            "zero times that slope is nan.",
            op=equation.name, node=hidden, also=("nan",), gradient="nan",
        )  # fmt: skip

    def _where_behind(self, k: int, path: list[int]) -> int | None:
        """The where between an equation and the target that leaves the bad entries out."""
        cotangents, equation = self.backward.cotangents, self.program.equations[k]
        if not any(n in cotangents and _has_zero(cotangents[n]) for n in equation.outputs):
            return None
        behind = reached(self.program, equation.outputs, True)
        for j in sorted(path):
            later = self.program.equations[j]
            chooses = j > k and later.name == "select_n" and not behind.isdisjoint(later.inputs)
            if chooses and any(word in self.place(j).text for word in _SAYS_WHERE):
                return j
        return None

    def _first_zero(self, sources: list[int]) -> Finding:
        path, varied = self._path(sources)
        cotangents = self.backward.cotangents
        for k in path:
            if k in self.backward.errors:
                return self._rule_raises(k)
            equation = self.program.equations[k]
            came = any(not is_zero(cotangents[n]) for n in equation.outputs if n in cotangents and n in varied)
            parts = [part for n, part in self.backward.parts.get(k, {}).items() if n in varied]
            if came and all(map(is_zero, parts)):
                return self._zero_at(k, [n for n in equation.inputs if n in varied])
        place = self.place(path[-1]) if path else SourceLocation("", 0, "")
        return Finding(
            "zero_slope",
            place,
            "What reaches the source along several ways adds up to zero.",
            op="this line",
            node=path[-1] if path else None,
        )

    def _zero_at(self, k: int, varied: list[int]) -> Finding:
        equation = self.program.equations[k]
        if equation.name in _CUSTOM:
            place = rule_place(equation)
            if place is not None:
                return Finding(
                    "custom_vjp", place, f"The function is called at {self.place(k)}.", op="this function", node=k
                )
        inner = self._opened(k)
        if inner is not None:
            found = inner.wrong([inner.program.inputs[j] for j, n in enumerate(equation.inputs) if n in varied])
            if found is not None:
                return found._replace(node=k)
        detail = f"A cotangent that is not zero reaches it, and {equation.name} hands on zeros at these values."
        also = ("where",) if equation.name == "select_n" else ()
        return Finding("zero_slope", self.place(k), detail, op=equation.name, node=k, also=also)

    def _rule_raises(self, k: int) -> Finding:
        equation, error = self.program.equations[k], self.backward.errors[k]
        place = rule_place(equation) if equation.name in _CUSTOM else None
        message = str(error).split("\n")[0][:200]
        return Finding(
            "custom_vjp",
            place or self.place(k),
            f"Its rule raises {type(error).__name__}: {message}",
            op=equation.name,
            node=k,
            gradient="",
        )

    def _opened(self, k: int, seeds: dict[int, int] | None = None) -> Pass | None:
        """A pass through the body of an equation."""
        equation, values = self.program.equations[k], self.evaluation.values
        given = [values[n] for n in equation.inputs]
        inner = self.program.inside(k, given)
        if inner is None:
            return None
        if seeds is None:
            cotangents = self.backward.cotangents
            wanted = {inner.outputs[j]: cotangents[n] for j, n in enumerate(equation.outputs) if n in cotangents}
        else:
            wanted = {inner.outputs[j]: _ones(values[n]) for n, j in seeds.items() if hasattr(values[n], "dtype")}
        return Pass(inner, Evaluation(inner, given), wanted, self.place(k))


def _ones(value: Any) -> Any:
    import jax.numpy as jnp

    return jnp.ones_like(value)


def _has_nan(value: Any) -> bool:
    return is_bad(value) and bool((value != value).any())  # a nan differs from itself, whatever its library


def _has_zero(value: Any) -> bool:
    return not bool((value != 0).all())
