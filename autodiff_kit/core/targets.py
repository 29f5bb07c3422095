"""What a gradient is asked with and how it is handed over: targets, weights, seeds, and what a missing path gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.backward import fit
from autodiff_kit.core.indexed_slices import RowGradient
from autodiff_kit.core.pytree import flatten_like
from autodiff_kit.core.record import Like
from autodiff_kit.core.tensor import Tensor, Value, Variable, lift, make, normal, plain
from autodiff_kit.core.validation import word
from autodiff_kit.errors import DtypeError, StructureError

__all__ = ["check_unconnected", "filled", "handed", "seed_like", "target_of", "weights_of", "zeros_like"]


def target_of(value: Any) -> Tensor:
    """A value that can be differentiated: a tensor."""
    if isinstance(value, Tensor):
        return value
    raise DtypeError(
        f"the target is a {type(value).__name__}, which is not on any record. Compute it inside the tape's block, and "
        "do not convert it to a plain number or array before."
    )


def weights_of(nest: Any, targets: list[Any], given: Any) -> list[Any]:
    """A weight for each target, None where ones are meant."""
    if given is None:
        return [None] * len(targets)
    try:
        flat = flatten_like(nest, given)
    except StructureError as error:
        raise StructureError(f"output_gradients must have the structure of the targets: {error}") from None
    flat = [w if w is None or isinstance(w, Value) else normal(w) for w in flat]
    if any(w is not None and np.dtype(getattr(w, "dtype", float)).kind not in "biuf" for w in flat):
        raise DtypeError("output_gradients holds real numbers, or None for ones")
    for k, (target, weight) in enumerate(zip(targets, flat, strict=True)):
        if weight is not None and np.shape(plain(weight)) != target.shape:
            raise StructureError(
                f"output_gradients of target {k} has shape {np.shape(plain(weight))}, the target {target.shape}"
            )
    return flat


def seed_like(target: Any, weight: Any, lead: int, graph: bool) -> Any:
    """The cotangent that a target starts from: its weights, or ones."""
    value = target._value
    if weight is not None:
        like = None if type(value) is float else Like(target.shape, target.dtype)
        seed = fit(weight if graph else plain(weight), like, lead)
    elif type(value) is float:
        seed = 1.0
    else:
        seed = np.ones(value.shape, value.dtype) if value.ndim else value.dtype.type(1)
    return lift(seed) if graph and type(seed) is not Tensor else seed


def zeros_like(value: Any, shape: tuple[int, ...] | None = None) -> Tensor:
    """Zeros in a value's shape, or another, and its dtype."""
    zeros = np.zeros(value.shape if shape is None else shape, value.dtype)
    return make(0.0 if zeros.ndim == 0 and zeros.dtype == np.float64 else zeros)


def filled(
    found: list[Tensor | None], sources: list[Any], policy: str, shapes: list[tuple[int, ...]] | None = None
) -> list[Tensor | None]:
    """Gradients, with zeros in place of None if that is the policy."""
    if policy == "none" or all(g is not None for g in found):
        return found
    wanted = shapes or [s.shape for s in sources]
    return [zeros_like(s, shape) if g is None else g for g, s, shape in zip(found, sources, wanted, strict=True)]


def check_unconnected(policy: str) -> None:
    """Whether the policy is one of the two."""
    word("unconnected_gradients", policy, "none", "zero")


def handed(g: Any, source: Any) -> Any:
    """A cotangent as the caller gets it: a tensor, or the rows of a variable of which few were read."""
    if type(g) is np.ndarray or type(g) is float:
        return make(g)
    if type(g) is RowGradient:
        return g if isinstance(source, Variable) else make(g.numpy())
    return g if g is None or type(g) is Tensor else make(g)
