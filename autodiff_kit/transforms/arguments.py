"""Arguments and results of transformed functions: argument numbers, watchable copies, tangents, checks.

The transforms call their function on copies of its arguments, so that watching them leaves the caller's tensors alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, canonical
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import as_array, as_own
from autodiff_kit.errors import AutodiffError, DtypeError, StructureError
from autodiff_kit.pytree import flatten, flatten_like, unflatten_like

__all__ = [
    "Function",
    "check_callable",
    "cotangents_like",
    "pack_by_argnums",
    "primals_and_tangents",
    "random_generator",
    "scalar_output",
    "split_arguments",
    "split_aux",
    "tensor_outputs",
    "watchable_copy",
]

Function = Callable[..., Any]


def check_callable(f: Any, what: str) -> Function:
    """Return ``f`` if it is callable, otherwise raise DtypeError; ``what`` is the name of the transform."""
    if not callable(f):
        raise DtypeError(f"ak.{what} needs a function, got {type(f).__name__}; write ak.{what}(f), not ak.{what}(f(x))")
    return f  # type: ignore[no-any-return]


def random_generator(seed: Any, what: str) -> np.random.Generator:
    """A NumPy generator made from a seed; ``what`` names the caller in the error."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise StructureError(f"{what}: seed must be an integer of 0 or more, got {seed!r}") from error


def watchable_copy(nest: Any) -> Any:
    """An argument, or a pytree of them, copied into tensors that may be watched; a list of numbers is one array."""
    if type(nest) is Tensor or type(nest) is np.ndarray or _is_array_as_list(nest):
        return _watchable_tensor(nest)
    return unflatten_like(nest, [_watchable_tensor(x) for x in flatten(nest)])


def _watchable_tensor(value: Any) -> Any:
    """A new floating tensor with the value of an argument: watching it does not mark the caller's tensor."""
    tensor = value if type(value) is Tensor else _to_tensor(value, "an argument")
    if tensor.dtype.kind != "f":
        raise DtypeError(f"derivatives need floating values, got {tensor.dtype}; write 5.0 instead of 5")
    if tensor.node is None:
        return wrap(tensor._value) if tensor is value else tensor
    return v.identity(as_own(tensor))  # keeps the path to the original for tapes that watch it


def _to_tensor(value: Any, what: str) -> Tensor:
    try:
        return as_tensor(value)
    except AutodiffError:
        raise
    except (TypeError, ValueError) as error:
        raise DtypeError(
            f"{what} must be a number, an array or a tensor, got a {type(value).__name__}: {error}"
        ) from error


def _is_array_as_list(nest: Any) -> bool:
    """Whether a list holds plain numbers only, and so stands for one array rather than for a pytree."""
    return isinstance(nest, list) and bool(nest) and all(isinstance(x, (int, float)) for x in flatten(nest))


def split_arguments(args: tuple[Any, ...], argnums: int | tuple[int, ...]) -> tuple[list[Any], list[Any]]:
    """All arguments, with watchable copies of those that ``argnums`` names, and the list of these copies."""
    indices = _argument_indices(argnums, len(args))
    arguments = list(args)
    for k in indices:
        arguments[k] = watchable_copy(args[k])
    return arguments, [arguments[k] for k in indices]


def _argument_indices(argnums: Any, count: int) -> tuple[int, ...]:
    many = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    try:
        wanted = [operator.index(k) for k in many]
    except TypeError as error:
        raise StructureError(f"argnums must be an integer or a tuple of integers, got {argnums!r}") from error
    for k in wanted:
        if not -count <= k < count:
            raise StructureError(f"argnums names argument {k}, but {count} were given")
    return tuple([k % count for k in wanted])


def pack_by_argnums(results: Any, argnums: Any) -> Any:
    """The single result if ``argnums`` is one number, otherwise a tuple of results."""
    return tuple(results) if isinstance(argnums, (tuple, list)) else results[0]


def split_aux(output: Any, has_aux: bool, what: str) -> tuple[Any, Any]:
    """The value of a function and, with ``has_aux``, what it returned beside; otherwise None."""
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        got = f"a tuple of {len(output)}" if isinstance(output, tuple) else f"a {type(output).__name__}"
        raise StructureError(f"{what} with has_aux=True needs a function that returns a pair (value, aux), got {got}")
    return output


def scalar_output(value: Any) -> Tensor:
    """The output of a function if it is a scalar tensor; otherwise an error."""
    if not isinstance(value, Value):
        raise DtypeError(
            f"the function returned a {type(value).__name__}, not a tensor, so nothing can be differentiated"
        )
    if value.shape != ():
        raise StructureError(
            f"grad needs a function that returns one number; this one returned shape {value.shape}. "
            "Sum it, or use ak.vjp or ak.jacobian."
        )
    return as_tensor(value)


def tensor_outputs(value: Any) -> Any:
    """Return the output of a function unchanged if every leaf is a tensor, otherwise raise DtypeError."""
    for leaf in flatten(value):
        if not isinstance(leaf, Value):
            raise DtypeError(
                f"the function returned a {type(leaf).__name__}, not a tensor, so nothing can be differentiated"
            )
    return value


def cotangents_like(value: Any, cotangent: Any) -> Any:
    """Cotangents as tensors in the pytree structure of ``value``; a list of numbers is one array."""
    leaves = flatten_like(value, cotangent)
    return unflatten_like(value, [None if c is None else _real_tensor(c) for c in leaves])


def primals_and_tangents(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
    """Watchable copies of the primals, and a tangent of the same structure and dtype for each."""
    several = isinstance(primals, (tuple, list)) and not _is_array_as_list(primals)
    arguments = [watchable_copy(p) for p in (primals if several else (primals,))]
    if several and not isinstance(tangents, (tuple, list)):
        raise StructureError(
            f"{len(arguments)} primals need a tuple of as many tangents, got a {type(tangents).__name__}"
        )
    directions = list(tangents) if several else [tangents]
    if len(arguments) != len(directions):
        raise StructureError(
            f"{len(arguments)} primals and {len(directions)} tangents; give one tangent for each primal"
        )
    return arguments, [_tangent_like(a, t) for a, t in zip(arguments, directions, strict=True)]


def _tangent_like(argument: Any, tangent: Any) -> Any:
    """A tangent as tensors in the structure of its primal; plain numbers and arrays take the primal's dtype."""
    if not isinstance(argument, Value):
        leaves = flatten_like(argument, tangent)
        return unflatten_like(argument, [_tangent_like(a, t) for a, t in zip(flatten(argument), leaves, strict=True)])
    given = _real_tensor(tangent)
    return given if isinstance(tangent, Value) else wrap(canonical(as_array(given._value, argument.dtype)))


def _real_tensor(value: Any) -> Tensor:
    tensor = _to_tensor(value, "a tangent or cotangent")
    if tensor.dtype.kind not in "biuf":
        raise DtypeError(f"a tangent or cotangent must hold real numbers, got {tensor.dtype}")
    return tensor
