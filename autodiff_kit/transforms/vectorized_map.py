"""``ak.vmap``: a function of one example as a function of a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.record import Record, open_records
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import as_own
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.ops.argument_binding import lists_as_arrays
from autodiff_kit.ops.axis_order import moveaxis
from autodiff_kit.ops.broadcasting import broadcast_to
from autodiff_kit.pytree import flatten, unflatten_like
from autodiff_kit.transforms.arguments import check_callable
from autodiff_kit.transforms.batch import Batch
from autodiff_kit.transforms.batched_array import BatchedArray

__all__ = ["vmap"]


def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Turn a function of one example into a function of a batch, in which each operation runs once for all examples.

    Parameters
    ----------
    f : callable
        Ordinary code on the tensors of one example. It may call transforms, such as ``ak.grad``, or ``ak.vmap`` again.
    in_axes : int, None, or pytree of them, optional
        Along which axis of each argument the examples lie; None for an argument that all examples share. One number for
        all arguments, or one entry for each: a number for all its arrays, or a pytree in its structure.
    out_axes : int, None, or pytree of them, optional
        The same for what ``f`` returns. None is for a result that does not depend on the example.

    Returns
    -------
    callable
        It takes the arguments of ``f``, each with one more axis, along which the examples lie. In keyword arguments it
        is the first axis.

    Raises
    ------
    ShapeError
        If arguments have different numbers of examples, an axis is out of range, or a result depends on the example
        although ``out_axes`` says that it does not.
    StructureError
        If the axes do not fit the structure of the arguments, or no argument has an axis for the examples.
    ConcretizationError
        If ``f`` needs the numbers of one example (``if``, ``float()``, ``.numpy()``), or assigns a value that differs
        between the examples to a variable from outside.

    See Also
    --------
    per_example_gradients : gradients of each example's loss with respect to variables, in one reverse pass.

    Notes
    -----
    **Shapes.** Inside ``f`` a value has the shape of one example.
    **Gradient.** Like that of a loop over the examples that stacks the results, in both modes and to any order, whether
    the tape is outside or inside ``f``.
    **Cost.** One operation for the batch in place of one for each example. Operations without a rule for a batch (with
    a custom gradient, some decompositions, indices that differ between examples) run for each example. Inside
    ``ak.compile`` it is traced like any other code.

    **Side effects**, such as ``w.assign_add(1.0)`` or an entry of a list, happen once, not for each example.

    **Random numbers** are drawn once and are the same for all examples. Where each example needs its own, draw them
    for the whole batch outside, and pass them as an argument.

    Examples
    --------
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> ak.vmap(lambda row: ak.sum(row**2))(x).numpy()
    array([ 5., 25., 61.])
    >>> ak.vmap(ak.grad(lambda row: ak.sum(row**3)))(x).numpy()
    array([[  3.,  12.],
           [ 27.,  48.],
           [ 75., 108.]])
    >>> ak.vmap(ak.vdot, in_axes=(0, None))(x, [1.0, 10.0]).numpy()
    array([21., 43., 65.])

    Results may be a pytree, each with an axis of its own for the examples:

    >>> both = ak.vmap(lambda row: {"sum": ak.sum(row), "double": 2.0 * row}, out_axes={"sum": 0, "double": 1})(x)
    >>> both["sum"].shape, both["double"].shape
    ((3,), (2, 3))
    """
    check_callable(f, "vmap")

    @wraps(f)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tuple(map(lists_as_arrays, args)), lists_as_arrays(kwargs)
        per_argument = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        if len(per_argument) != len(args):
            raise StructureError(f"vmap: in_axes has {len(per_argument)} entries for {len(args)} arguments")
        axes = _axes_of_leaves((args, kwargs), (tuple(per_argument), 0), "in_axes")
        leaves = flatten((args, kwargs))
        batch = Batch(_count_examples(leaves, axes))
        inside = [_batched(batch, x, axis) for x, axis in zip(leaves, axes, strict=True)]
        own_args, own_kwargs = unflatten_like((args, kwargs), inside)
        result = _call_inside(batch, f, own_args, own_kwargs)
        after = _axes_of_leaves(result, out_axes, "out_axes")
        found = [_unbatched(batch, x, axis) for x, axis in zip(flatten(result), after, strict=True)]
        return unflatten_like(result, found)

    return mapped


def _axes_of_leaves(tree: Any, axes: Any, name: str) -> list[Any]:
    """The axis of each leaf, from axes in the structure of the tree or of its upper part."""
    if axes is None or isinstance(axes, (int, np.integer)):
        return [axes] * len(flatten(tree))
    if isinstance(axes, dict) and isinstance(tree, dict) and set(axes) == set(tree):
        return [axis for key, part in tree.items() for axis in _axes_of_leaves(part, axes[key], name)]
    same = isinstance(axes, (tuple, list)) and isinstance(tree, (tuple, list)) and len(axes) == len(tree)
    if not same:
        raise StructureError(
            f"vmap: {name} must be an int, None, or in the structure of the values; got {axes!r} for "
            f"{type(tree).__name__} with {len(tree) if isinstance(tree, (tuple, list, dict)) else 'no'} parts"
        )
    return [axis for part, own in zip(tree, axes, strict=True) for axis in _axes_of_leaves(part, own, name)]


def _count_examples(leaves: list[Any], axes: list[Any]) -> int:
    counts = {}
    for k, (x, axis) in enumerate(zip(leaves, axes, strict=True)):
        if axis is not None and x is not None:
            shape = as_tensor(x).shape
            if not -len(shape) <= axis < len(shape):
                raise ShapeError(
                    f"vmap: argument {k} of shape {shape} has no axis {axis} for the examples. Say in_axes=None for "
                    "an argument that all examples share."
                )
            counts[k] = shape[axis]
    if not counts:
        raise StructureError("vmap: no argument has an axis for the examples; in_axes is None for each")
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{count} in argument {k}" for k, count in counts.items())
        raise ShapeError(f"vmap: all arguments must have the same number of examples, got {said}")
    return int(next(iter(counts.values())))


def _batched(batch: Batch, x: Any, axis: int | None) -> Any:
    if axis is None or x is None:
        return x
    t = as_own(as_tensor(x))
    return batch.enter(t if axis == 0 else moveaxis(t, axis, 0))


def _records_around() -> list[Record]:
    """The records that are open outside, those around the body of a loop that is traced among them."""
    around = () if open_records.trace is None else open_records.trace.outside
    return [*around, *open_records.records]


def _call_inside(batch: Batch, f: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call the function while the tapes outside record for all examples, and compiled functions run as they are."""
    return batch.call_inside(f, args, kwargs, _records_around())


def _unbatched(batch: Batch, x: Any, axis: int | None) -> Any:
    """A result with the examples along an axis of it."""
    value = x._value if isinstance(x, Value) else x
    if not isinstance(value, BatchedArray) or value.tracer is not batch:
        if axis is None or x is None:  # None stays None, as what scan returns for no outputs
            return x
        t = as_tensor(x)
        whole = broadcast_to(t, (batch.size, *t.shape))
    elif axis is None:
        raise ShapeError("vmap: out_axes is None for a result that differs between the examples; say along which axis")
    else:  # where the gradient was stopped in front of the result, no tape follows it
        own = records_of(x.node.record) if type(x) is Tensor and x.node is not None else ()
        stopped = type(x) is Tensor and not any(record in own for record in _records_around())
        whole = wrap(value.tensor._value) if stopped else value.tensor
    if axis and not -whole.ndim <= axis < whole.ndim:
        raise ShapeError(f"vmap: a result of shape {whole.shape[1:]} for each example has no place for axis {axis}")
    return moveaxis(whole, 0, axis) if axis else whole
