"""How a function of JAX is recorded, and what is told where tracing it fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.recorders.finding import Finding, explanation
from autodiff_kit.recorders.jax.arguments import Arguments, is_array
from autodiff_kit.recorders.jax.equations import Program
from autodiff_kit.recorders.jax.program_text import users_function
from autodiff_kit.recorders.user_lines import is_users_file

__all__ = ["Traced", "explain_tracer_error", "function_name", "trace"]

_ERRORS = (
    jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError, jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError, jax.errors.NonConcreteBooleanIndexError, jax.errors.UnexpectedTracerError,
)  # fmt: skip
_WORDS = {
    "TracerBoolConversionError": (
        "This line asks for the truth of a value that is only known by its type while JAX traces the function.",
        "Use jnp.where or jax.lax.cond in place of the Python branch.",
    ),
    "TracerArrayConversionError": (
        "This line hands a traced value to NumPy, which needs its numbers.",
        "Call the function of jax.numpy in place of NumPy's.",
    ),
    "TracerIntegerConversionError": (
        "This line uses a traced value as a Python integer, such as an index or a length.",
        "Index with jnp.take or x[i] on an array of JAX, or pass the number as an argument that is not traced.",
    ),
    "NonConcreteBooleanIndexError": (
        "This line indexes with a mask: the shape of the result would depend on values.",
        "Use jnp.where(mask, x, 0), which keeps the shape.",
    ),
    "UnexpectedTracerError": (
        "This line uses a value that was stored while another function was traced.",
        "Return the value from that function in place of storing it in a list, a global or an attribute.",
    ),
    "ConcretizationTypeError": (
        "This line needs the number of a traced value, as float(), int(), item() or a shape do.",
        "Compute with the array itself, without float(), int() or item(); jax.debug.print prints it.",
    ),
}


class Traced(NamedTuple):
    """A program, the arguments it was traced from, and the structure of the result."""

    program: Program
    arguments: Arguments
    result: Any


def function_name(function: Any) -> str:
    """The user's name of a function."""
    user = users_function(function)
    name = getattr(user, "__name__", "") or getattr(function, "__name__", "")
    return "the function" if name in ("", "<lambda>", "__call__") else name


def trace(function: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...]) -> Traced:
    """Trace a function: first with all arrays unknown, so that each operation on data has its line.

    Where the function needs the numbers of its data, only what is differentiated is unknown, as for jax.grad.
    """
    names = _parameter_names(function, len(args))
    wide = Arguments(args, names, lambda path, value: path[0] in argnums or is_array(value))
    narrow = Arguments(args, names, lambda path, value: path[0] in argnums)
    if len(wide.traced) > len(narrow.traced):
        try:
            return _trace(function, wide)
        except Exception:  # noqa: BLE001 - raised again below, unless only the data was asked for
            pass
    return _trace(function, narrow)


def _trace(function: Callable[..., Any], arguments: Arguments) -> Traced:
    def of_leaves(*leaves: Any) -> Any:
        return arguments.call(function, leaves)

    closed, result = jax.make_jaxpr(of_leaves, return_shape=True)(*arguments.traced)
    program = Program.of(closed)
    check_for_leaks(program)
    return Traced(program, arguments, result)


def _parameter_names(function: Any, count: int) -> list[str]:
    try:
        named = [
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        named = []
    return [*named, *(f"argument {k}" for k in range(len(named), count))][:count]


class LeakedTracer(jax.errors.UnexpectedTracerError):  # type: ignore[misc]
    """A traced value of another function was used; the equation that reads it has its line."""

    def __init__(self, place: SourceLocation) -> None:
        super().__init__(f"a value that was traced in another function is used at {place}")
        self.place = place


def check_for_leaks(program: Program) -> None:
    """Raise an error if an equation reads a traced value of another function."""
    for equation in program.equations:
        if any(isinstance(program.values[n].known, jax.core.Tracer) for n in equation.inputs):
            raise LeakedTracer(equation.place)


def explain_tracer_error(error: BaseException, function: Any) -> GradientExplanation | None:
    """The explanation of an error that tracing raised; None if it is about something else."""
    if not isinstance(error, _ERRORS):
        return None
    place = error.place if isinstance(error, LeakedTracer) else _users_line(error)
    kind = next((t.__name__ for t in type(error).__mro__ if t.__name__ in _WORDS), "ConcretizationTypeError")
    detail, remedy = _WORDS[kind]
    finding = Finding("tracer_error", place, detail, remedy=remedy)
    return explanation(finding, f"{function_name(function)}(…)", "its arguments")


def _users_line(error: BaseException) -> SourceLocation:
    traceback, found = error.__traceback__, UNKNOWN_LOCATION
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_users_file(code.co_filename):
            found = SourceLocation(code.co_filename, traceback.tb_lineno, code.co_name)
        traceback = traceback.tb_next
    return found
