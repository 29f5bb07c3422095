"""Targets, weights and results of a gradient: checks before the backward pass, and the form of the results."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.numpy_protocol import Value, canonical, unwrap
from autodiff_kit.core.sparse_gradient import SparseGradient
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import DtypeError, StructureError
from autodiff_kit.pytree import flatten_like

__all__ = ["as_result", "check_output_gradients", "check_target", "fill_unconnected", "initial_cotangent", "zeros_like"]


def check_target(value: Any) -> Tensor:
    """Return the target if it is a tensor; otherwise raise an error."""
    if isinstance(value, Tensor):
        return value
    raise DtypeError(
        f"a target must be a tensor, got a {type(value).__name__}, which is not on any record. Compute the target "
        "inside the tape's block and do not convert it to a plain number or array."
    )


def check_output_gradients(nest: Any, targets: list[Any], given: Any) -> list[Any]:
    """``output_gradients`` as one weight for each target; None stands for ones."""
    if given is None:
        return [None] * len(targets)
    try:
        flat = flatten_like(nest, given)
    except StructureError as error:
        raise StructureError(f"output_gradients must have the same structure as the targets: {error}") from None
    flat = [w if w is None or isinstance(w, Value) else canonical(w) for w in flat]
    if any(w is not None and np.dtype(getattr(w, "dtype", float)).kind not in "biuf" for w in flat):
        raise DtypeError("output_gradients must hold real numbers, or None for ones")
    for k, (target, weight) in enumerate(zip(targets, flat, strict=True)):
        if weight is not None and np.shape(unwrap(weight)) != target.shape:
            raise StructureError(
                f"the cotangent of target {k} has shape {np.shape(unwrap(weight))}, but the target has {target.shape}. "
                "Give one number for each entry, in output_gradients or to pull."
            )
    return flat


def initial_cotangent(target: Any, weight: Any, lead: int, graph: bool) -> Any:
    """The cotangent of a target before the backward pass: its weights, or ones."""
    value = target._value
    if weight is not None:
        spec = None if type(value) is float else ArraySpec(target.shape, target.dtype)
        seed = unbroadcast(as_tensor(weight) if graph else unwrap(weight), spec, lead)
    elif type(value) is float:
        seed = 1.0
    else:
        seed = np.ones(value.shape, value.dtype) if value.ndim else value.dtype.type(1)
    return as_tensor(seed) if graph and type(seed) is not Tensor else seed


def zeros_like(value: Any, shape: tuple[int, ...] | None = None) -> Tensor:
    """Zeros with a value's dtype, and its shape or another one."""
    return wrap(canonical(np.zeros(value.shape if shape is None else shape, value.dtype)))


def fill_unconnected(
    found: list[Tensor | None], sources: list[Any], policy: str, shapes: list[tuple[int, ...]] | None = None
) -> list[Tensor | None]:
    """The gradients, with zeros in place of None if ``unconnected_gradients`` is "zero"."""
    if policy == "none" or all(g is not None for g in found):
        return found
    wanted = shapes or [s.shape for s in sources]
    return [zeros_like(s, shape) if g is None else g for g, s, shape in zip(found, sources, wanted, strict=True)]


def as_result(g: Any, source: Any) -> Any:
    """A cotangent in the form that the caller gets: a tensor; a sparse gradient only for a variable."""
    if type(g) is np.ndarray or type(g) is float:
        return wrap(g)
    if isinstance(g, SparseGradient):
        return g if isinstance(source, Variable) else wrap(g.numpy())
    return g if g is None or type(g) is Tensor else wrap(g)
