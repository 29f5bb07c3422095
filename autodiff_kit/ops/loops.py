"""Loops with a carry: scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_kit.core.record import open_records
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_callable, check_flag, check_integer, describe
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.argument_binding import describe_structure, lists_as_arrays
from autodiff_kit.ops.joining import concat, stack
from autodiff_kit.ops.recomputation import recomputed
from autodiff_kit.ops.shape_manipulation import reshape
from autodiff_kit.ops.splitting import unstack
from autodiff_kit.pytree import flatten, unflatten_like

Body = Callable[..., Any]


def scan(
    f: Body,
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    checkpoint_every: int | None = None,
) -> tuple[Any, Any]:
    """A loop that carries a value from step to step, and stacks what each step gives.

    Parameters
    ----------
    f : callable
        ``f(carry, x)`` gives ``(carry, y)``: what the next step gets, and the result of this one.
    init : Tensor, array_like, or pytree
        The first carry. A list is a structure here, whose entries are carries; numbers become tensors.
    xs : Tensor, array_like, or pytree, optional
        Arrays with one entry for each step along their first axis; ``x`` has their structure. A list of numbers is an
        array here. Without ``xs``, ``x`` is None.
    length : int, optional
        The number of steps, 0 or more; needed where ``xs`` has no arrays.
    reverse : bool, optional
        Whether to go from the last entry to the first; ``ys[i]`` still belongs to ``xs[i]``.
    checkpoint_every : int, optional
        Keep only each k-th carry for the gradient, and compute the steps between them again (gradient checkpointing).
        The least memory is needed near the square root of the number of steps. None keeps everything.

    Returns
    -------
    carry : pytree
        What the last step gave; with 0 steps ``init``.
    ys : pytree of Tensor
        The results of all steps, stacked along a new first axis. None where ``f`` gives None.

    Raises
    ------
    ShapeError
        If the arrays differ in their lengths, or a carry has another shape than the one before.
    StructureError
        If ``f`` gives no pair, if the structure of the carry or of the results changes, without a length, if the length
        is negative, or ``checkpoint_every`` below 1.
    DtypeError
        If the dtype of a carry changes.
    ArgumentError
        If ``length`` or ``checkpoint_every`` is not an integer.
    TapeError
        With ``checkpoint_every``, if ``f`` gives other values when it runs again, as after a random draw.
    ConcretizationError
        Under :func:`compile`, if ``f`` assigns to a variable or needs numbers, as ``if`` does.

    Notes
    -----
    **Gradient.** In both modes and to any order, also to values that ``f`` refers to.
    **Cost.** That of the loop in Python. Every step is recorded, so memory grows with the number of operations in all
    steps; with ``checkpoint_every=k`` with the number of carries divided by k, plus the operations of k steps, and
    ``f`` runs once more for the gradient. Forward mode keeps nothing.

    Under :func:`compile` ``f`` runs once, whatever the number of steps and the order of the derivatives, and the loop
    takes as long to compile as one step. At each call a step takes some microseconds besides its operations; a short
    loop on small arrays runs faster if it is written with ``for``, which traces all steps. For the gradient the
    carries are kept, and small sums, maxima and minima; the rest of each step is computed again, with the random
    numbers that it drew before: dropout keeps its mask. What does not depend on the step is computed once, before the
    loop.

    Inside :func:`vmap` (under :func:`compile`) ``f`` is traced once for all examples. All steps are traced only where a
    tape or a forward mode inside the ``vmap`` follows values of single examples, as in ``vmap(grad(f))``; ``grad`` of
    the ``vmap`` traces one.

    The arguments are those of ``jax.lax.scan``. With 0 steps, though, the shapes of the results are not known, and
    ``ys`` is None.

    Examples
    --------
    The carry is a running total; each step gives the total and the entry's share of it.

    >>> total, (sums, shares) = ak.scan(lambda t, x: (t + x, (t + x, x / (t + x))), 0.0, [1.0, 3.0, 4.0])
    >>> float(total), sums.tolist(), shares.tolist()
    (8.0, [1.0, 4.0, 8.0], [1.0, 0.75, 0.5])

    Two steps without ``xs``, and the derivative of the last carry with respect to the first:

    >>> float(ak.grad(lambda x: ak.scan(lambda c, _: (c * c, None), x, length=2)[0])(3.0))  # of x⁴
    108.0
    """
    check_callable("scan: f", f)
    check_flag("reverse", reverse)
    xs = lists_as_arrays(xs)
    arrays = [_entries(x) for x in flatten(xs)] if xs is not None else []
    init = unflatten_like(init, [None if x is None else as_tensor(x) for x in flatten(init)])
    count = _step_count([len(x) for x in arrays], length)
    every = count if checkpoint_every is None else check_integer("scan: checkpoint_every", checkpoint_every, 1)
    if 0 < every < count:
        return _scan_in_segments(f, init, xs, arrays, count, reverse, every)
    if count and open_records.trace is not None:
        found = _traced_scan(open_records.trace, f, init, xs, arrays, count, reverse)
        if found is not NotImplemented:
            return found  # type: ignore[no-any-return]
    leaves = list(map(unstack, arrays))
    carry, results = init, []
    for k in range(count)[:: -1 if reverse else 1]:
        carry, y = _step(f, carry, None if xs is None else unflatten_like(xs, [rows[k] for rows in leaves]))
        results.append(y)
    return carry, _stack_results(results[::-1] if reverse else results)


def _scan_in_segments(
    f: Body, init: Any, xs: Any, arrays: list[Tensor], count: int, reverse: bool, size: int
) -> tuple[Any, Any]:
    """A loop over segments of steps: each is a loop of its own, of which only the inputs are kept.

    The segment that is shorter than the others comes last.
    """

    def segment(carry: Any, entries: Any, steps: int) -> Any:
        return scan(f, carry, entries, steps, reverse)

    whole, rest = count - count % size, count % size
    first = rest if reverse else 0
    parts = [reshape(x[first : first + whole], (whole // size, size, *x.shape[1:])) for x in arrays]
    entries = None if xs is None else unflatten_like(xs, parts)
    if open_records.trace is not None:
        carry, ys = scan(lambda c, x: segment(c, x, size), init, entries, whole // size, reverse)
    else:
        carry, ys = scan(lambda c, x: _recomputed_segment(segment, c, x, size), init, entries, whole // size, reverse)
    found = [None if y is None else reshape(y, (whole, *y.shape[2:])) for y in flatten(ys)]
    if not rest:
        return carry, unflatten_like(ys, found)
    last = slice(0, rest) if reverse else slice(whole, count)
    tail = None if xs is None else unflatten_like(xs, [x[last] for x in arrays])
    carry, more = segment(carry, tail, rest)
    pairs = zip(found, flatten(more), strict=True)
    return carry, unflatten_like(ys, [None if a is None else concat((b, a) if reverse else (a, b)) for a, b in pairs])


def _recomputed_segment(segment: Body, carry: Any, entries: Any, size: int) -> tuple[Any, Any]:
    """A segment as one operation, which runs its steps again for the gradient."""
    split = len(flatten(carry))
    form: list[Any] = []  # the structure of the results; with the results it would keep the record of all steps

    def program(inputs: list[Tensor]) -> list[Any]:
        x = None if entries is None else unflatten_like(entries, inputs[split:])
        new, ys = segment(unflatten_like(carry, inputs[:split]), x, size)
        form[:] = [unflatten_like(ys, [y is None for y in flatten(ys)])]
        return [*flatten(new), *(y for y in flatten(ys) if y is not None)]

    inputs = [*flatten(carry), *(() if entries is None else flatten(entries))]
    found = recomputed("scan", program, list(map(as_tensor, inputs)))
    rest = iter(found[split:])
    ys = unflatten_like(form[0], [None if is_none else next(rest) for is_none in flatten(form[0])])
    return unflatten_like(carry, found[:split]), ys


def _step(f: Body, carry: Any, x: Any) -> tuple[Any, Any]:
    """The next carry and the result of one step."""
    result = f(carry, x)
    if not isinstance(result, tuple) or len(result) != 2:
        raise StructureError(f"scan: f must return (carry, y), got {describe(result)}")
    _check_same_form(carry, result[0])
    return result


def _traced_scan(trace: Any, f: Body, init: Any, xs: Any, arrays: list[Tensor], count: int, reverse: bool) -> Any:
    """The loop while a function is traced, whose body is traced once; NotImplemented where the trace cannot do that."""
    forms: list[Any] = []

    def body(carry: list[Tensor], entries: list[Tensor]) -> tuple[list[Any], list[Any]]:
        new, y = _step(f, unflatten_like(init, carry), None if xs is None else unflatten_like(xs, entries))
        forms.append(y)
        return flatten(new), [leaf for leaf in flatten(y) if leaf is not None]

    outputs = trace.scan(body, list(map(as_tensor, flatten(init))), arrays, count, reverse)
    if outputs is NotImplemented:
        return outputs
    carry, stacks = outputs
    found = iter(stacks)
    ys = unflatten_like(forms[0], [None if leaf is None else next(found) for leaf in flatten(forms[0])])
    return unflatten_like(init, carry), ys


def _entries(x: Any) -> Tensor:
    t = as_tensor(x)
    if not t.ndim:
        raise ShapeError("scan: xs holds a single number, which has no entry for each step; refer to it in f instead")
    return t


def _step_count(lengths: list[int], length: int | None) -> int:
    given = lengths if length is None else [*lengths, check_integer("scan: length", length, 0)]
    if not given:
        raise StructureError("scan: give the number of steps, length=, where xs holds no arrays")
    if len(set(given)) > 1:
        said = f"xs has arrays of {', '.join(map(str, lengths))} entries"
        raise ShapeError(f"scan: {said}{'' if length is None else f', and length is {length}'}; they must agree")
    return given[0]


def _check_same_form(before: Any, after: Any) -> None:
    """Raise if a carry has another structure, shape or dtype than the one before."""
    if type(before) is type(after) is Tensor and before.shape == after.shape and before.dtype == after.dtype:
        return  # the usual carry
    old, new = flatten(before), flatten(after)
    if unflatten_like(before, [None] * len(old)) != unflatten_like(after, [None] * len(new)):
        raise StructureError(
            f"scan: f must return a carry of the structure that it gets, {describe_structure(before, old)}; "
            f"got {describe_structure(after, new)}"
        )
    for x, y in zip(old, new, strict=True):
        a, b = as_tensor(x), as_tensor(y)
        if a.shape != b.shape:
            raise ShapeError(f"scan: a carry of shape {a.shape} became one of shape {b.shape}; it must keep its shape")
        if a.dtype != b.dtype:
            raise DtypeError(
                f"scan: a carry of dtype {a.dtype} became one of dtype {b.dtype}; ak.cast(init, {str(b.dtype)!r}) "
                "makes the first one fit"
            )


def _stack_results(found: list[Any]) -> Any:
    """The results of all steps, each leaf stacked; None where the steps give None."""
    if all(result is None for result in found):
        return None
    steps = [flatten(result) for result in found]
    forms = [unflatten_like(result, [x is None for x in leaves]) for result, leaves in zip(found, steps, strict=True)]
    if any(form != forms[0] for form in forms):
        raise StructureError("scan: every step must return a result y of the same structure")
    return unflatten_like(found[0], [None if each[0] is None else stack(each) for each in zip(*steps, strict=True)])
