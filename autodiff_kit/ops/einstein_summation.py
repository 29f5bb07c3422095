"""Einstein summation: products of arrays, summed over the labels that the result lacks.

The first steps concern one operand alone: a label that occurs in it twice (its diagonal), an axis of length 1 that is
broadcast, a label that neither another operand nor the result has (its sum). After them each label occurs in the
result or in two operands, and the VJP is the same operation with the cotangent in place of one operand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.ops.diagonals import diagonal
from autodiff_kit.ops.families import general
from autodiff_kit.ops.reductions import sum
from autodiff_kit.ops.shape_manipulation import permute_dims, squeeze

Labels = tuple[int, ...]


# -------------------------------------------------------------------------------- the operation on numbered labels
def _einsum_vjp(g: Any, _y: Any, *arrays: Any, labels: tuple[Labels, ...], out: Labels) -> list[Any]:
    """For each operand, the einsum of the cotangent with the other operands."""
    return [
        v.einsum([g, *arrays[:k], *arrays[k + 1 :]], labels=(out, *labels[:k], *labels[k + 1 :]), out=own)
        for k, own in enumerate(labels)
    ]


def _einsum_jvp(tangents: Any, _y: Any, *arrays: Any, labels: tuple[Labels, ...], out: Labels) -> Any:
    """The sum of the results in which one operand is replaced by its tangent."""
    parts = [
        v.einsum([*arrays[:k], t, *arrays[k + 1 :]], labels=labels, out=out)
        for k, t in enumerate(tangents)
        if t is not None
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _flops(_y: Any, *arrays: Any, labels: tuple[Labels, ...]) -> int:
    """For each choice of all labels a product of the operands, and a sum: as with matrices, two for two of them."""
    lengths: dict[int, int] = {}
    for x, own in zip(arrays, labels, strict=True):
        lengths.update(zip(own, np.shape(x), strict=True))
    return len(arrays) * math.prod(lengths.values())


def _flops_back(_y: Any, *arrays: Any, asked: Sequence[int], labels: tuple[Labels, ...]) -> int:
    """The same again for each operand, whether its gradient is needed or not."""
    return len(arrays) * _flops(_y, *arrays, labels=labels)


@general(_einsum_vjp, jvp=_einsum_jvp, vjps=None, vjp_all=_einsum_vjp, flops=_flops, flops_back=_flops_back)
def _einsum(arrays: Any, labels: tuple[Labels, ...], out: Labels) -> Any:
    """The einsum of arrays whose axes are labelled by integers; further axes in front are leading axes."""
    arrays = [as_array(x) for x in arrays]
    dtype = np.result_type(*(x.dtype for x in arrays))
    if dtype == np.float16:
        arrays = [x.astype(np.float32) for x in arrays]
    leading = [tuple(range(len(own) - x.ndim, 0)) for x, own in zip(arrays, labels, strict=True)]
    named = [ahead + own for ahead, own in zip(leading, labels, strict=True)]
    wanted = max(leading, key=len) + out
    contract = _contract_pair if len(arrays) == 2 else _contract_many
    y = contract(arrays, named, wanted)
    return y.astype(dtype, copy=False)


def _contract_pair(arrays: list[Any], named: list[Labels], out: Labels) -> Any:
    """Two arrays as one stack of matrix products, which BLAS computes."""
    order_a, order_b, batch, rows, inner, back = _pair_layout(*named, out)
    a, b = arrays[0].transpose(order_a), arrays[1].transpose(order_b)
    ahead, upper, lower = a.shape[:batch], a.shape[batch : batch + rows], b.shape[batch + inner :]
    common = math.prod(b.shape[batch : batch + inner])
    left = a.reshape((*ahead, math.prod(upper), common))
    right = b.reshape((*ahead, common, math.prod(lower)))
    y = np.matmul(left, right) if inner else left * right
    return y.reshape(ahead + upper + lower).transpose(back)


@lru_cache(maxsize=1024)
def _pair_layout(left: Labels, right: Labels, out: Labels) -> tuple[list[int], list[int], int, int, int, list[int]]:
    """The axis orders of both arrays and of the result, and the number of axes of each kind."""
    batch = [n for n in left if n in right and n in out]
    inner = [n for n in left if n in right and n not in out]
    rows, columns = [n for n in left if n not in right], [n for n in right if n not in left]
    first, second = ([own.index(n) for n in names] for own, names in (
        (left, batch + rows + inner), (right, batch + inner + columns)))  # fmt: skip
    found = batch + rows + columns
    return first, second, len(batch), len(rows), len(inner), [found.index(n) for n in out]


def _contract_many(arrays: list[Any], named: list[Labels], out: Labels) -> Any:
    """Any number of arrays, in an order of products that NumPy chooses."""
    number = {n: k for k, n in enumerate(sorted({n for own in named for n in own}))}
    terms = [part for x, own in zip(arrays, named, strict=True) for part in (x, [number[n] for n in own])]
    return np.einsum(*terms, [number[n] for n in out], optimize=len(arrays) > 2)


# -------------------------------------------------------------------------------- parsing of the notation
def einsum(*operands: Any, optimize: Any = True) -> Tensor:
    """Einstein summation: products of arrays, summed over the labels that the result lacks.

    Parameters
    ----------
    *operands
        The labels as a string, then the arrays: ``"ij,jk->ik", a, b``. Without an arrow the result has the labels that
        occur once, in alphabetical order. ``...`` stands for axes without labels, which broadcast. NumPy's other form
        works as well, each array followed by a list of integers: ``a, [0, 1], b, [1, 2], [0, 2]``.
    optimize : object, optional
        For NumPy's signature; without effect, because the order of the products is always optimized.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If the labels cannot be parsed, or their number differs from that of the arrays.
    ShapeError
        If the labels do not fit an array's axes, or two axes of one label differ in length.

    Notes
    -----
    **Shapes.** A label twice on one array takes its diagonal; an axis of length 1 is broadcast.
    **Gradient.** An einsum again, from the result's labels to those of the array.
    **Cost.** At most 2 for each combination of label values.

    Examples
    --------
    >>> ak.einsum("ij,j->i", [[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.])
    >>> float(ak.einsum("ii", [[1.0, 2.0], [3.0, 4.0]]))
    5.0
    """
    if not operands:
        raise StructureError('einsum takes labels and arrays, such as ak.einsum("ij,jk->ik", a, b)')
    terms, out, arrays = _parse_subscripts(*operands) if isinstance(operands[0], str) else _parse_label_lists(operands)
    if len(terms) != len(arrays) or not arrays:
        raise StructureError(
            f"einsum: got labels for {len(terms)} arrays and {len(arrays)} arrays; give one term for each array"
        )
    tensors = [as_tensor(x) for x in arrays]
    named, wanted, simple = _number_labels(terms, out, tuple([t.shape for t in tensors]))
    y: Tensor = _einsum(tensors, named, wanted) if simple else _contract(tensors, [*named], wanted)
    return y


@lru_cache(maxsize=1024)
def _number_labels(
    terms: tuple[Term, ...], out: Term | None, shapes: tuple[tuple[int, ...], ...]
) -> tuple[tuple[Labels, ...], Labels, bool]:
    """Labels as integers, and whether the operation can use the arrays unchanged."""
    named = [_expand_ellipsis(own, len(shape)) for own, shape in zip(terms, shapes, strict=True)]
    wanted = _result_labels(out, terms, named)
    numbers = {n: k for k, n in enumerate(sorted({n for own in named for n in own}, key=_sort_key))}
    found = tuple(tuple(numbers[n] for n in own) for own in named)
    result = tuple(numbers[n] for n in wanted)
    return found, result, len(shapes) > 1 and _is_plain_contraction(found, result, shapes)


def _is_plain_contraction(named: tuple[Labels, ...], out: Labels, shapes: tuple[tuple[int, ...], ...]) -> bool:
    """Whether no step concerns one operand alone."""
    length: dict[int, int] = {}
    axes = [axis for own, shape in zip(named, shapes, strict=True) for axis in zip(own, shape, strict=True)]
    fits = all(length.setdefault(label, n) == n for label, n in axes)
    counts = Counter([*out, *(n for own in named for n in own)])
    return fits and min(counts.values(), default=2) > 1 and all(len(set(own)) == len(own) for own in named)


Term = tuple[Any, ...]
"""Labels as the user wrote them; Ellipsis stands for axes without labels."""


def _parse_subscripts(text: str, *arrays: Any) -> tuple[tuple[Term, ...], Term | None, tuple[Any, ...]]:
    """Labels of the operands and of the result, from a string such as "ij,jk->ik"."""
    return *_split_subscripts(text), arrays


@lru_cache(maxsize=1024)
def _split_subscripts(text: str) -> tuple[tuple[Term, ...], Term | None]:
    left, arrow, right = text.replace(" ", "").partition("->")
    return tuple(_parse_term(part, text) for part in left.split(",")), _parse_term(right, text) if arrow else None


def _parse_term(part: str, text: str) -> Term:
    before, dots, after = part.partition("...")
    strange = [c for c in before + after if not (c.isascii() and c.isalpha())]
    if strange:
        raise StructureError(
            f"einsum {text!r}: {strange[0]!r} is not a label; use letters, and '...' at most once in a term"
        )
    return (*before, *((Ellipsis,) if dots else ()), *after)


def _parse_label_lists(operands: Sequence[Any]) -> tuple[tuple[Term, ...], Term | None, tuple[Any, ...]]:
    """Labels of the operands and of the result, from lists of integers."""
    odd = len(operands) % 2
    pairs, out = operands[: len(operands) - odd], operands[-1] if odd else None
    terms = [*pairs[1::2], *([out] if odd else [])]
    for term in terms:
        whole = isinstance(term, (list, tuple)) and all(
            n is Ellipsis or (isinstance(n, (int, np.integer)) and n >= 0) for n in term
        )
        if not whole or list(term).count(Ellipsis) > 1:
            raise StructureError("einsum: labels must be a string such as 'ij,jk', or a list of integers after each "
                                 f"array; got {type(term).__name__}")  # fmt: skip
    return tuple(tuple(t) for t in pairs[1::2]), tuple(out) if out is not None else None, tuple(pairs[::2])


def _sort_key(label: Any) -> tuple[int, Any]:
    """Axes without labels first, then labels by alphabet or number."""
    return (0, label[0]) if type(label) is tuple else (1, label)


def _expand_ellipsis(term: Term, ndim: int) -> list[Any]:
    """One label for each axis; the axes of an Ellipsis are labelled by their distance from its end."""
    free = ndim - len(term) + (Ellipsis in term)
    if free < 0 or (free and Ellipsis not in term):
        text = "".join("..." if n is Ellipsis else str(n) for n in term)
        raise ShapeError(f"einsum: the labels {text!r} do not fit an array with {ndim} axes; '...' covers any number")
    return [label for n in term for label in ([(k,) for k in range(-free, 0)] if n is Ellipsis else [n])]


def _result_labels(out: Term | None, terms: tuple[Term, ...], named: list[list[Any]]) -> list[Any]:
    """The labels of the result."""
    counts = Counter(n for own in named for n in own)
    free = sorted((n for n in counts if type(n) is tuple), key=_sort_key)
    if out is None:
        return free + sorted(n for n, count in counts.items() if count == 1 and type(n) is not tuple)
    wanted = [label for n in out for label in (free if n is Ellipsis else [n])]
    missing = [n for n in wanted if n not in counts]
    if missing:
        raise StructureError(f"einsum: the label {missing[0]!r} of the result occurs in no array")
    if len(set(wanted)) < len(wanted):
        raise StructureError("einsum: a label occurs twice in the result; use ak.diag to put a vector on a diagonal")
    if free and Ellipsis not in out:
        raise StructureError(
            "einsum: the result must contain '...' if an operand does; to sum over these axes, give them labels"
        )
    return wanted


# -------------------------------------------------------------------------------- steps that concern one operand alone
def _contract(tensors: list[Tensor], named: list[Labels], out: Labels) -> Tensor:
    """The einsum of tensors: first the steps for one operand alone, then the product."""
    for k, own in enumerate(named):
        tensors[k], named[k] = _take_diagonals(tensors[k], own)
    length = _label_lengths(tensors, named)
    for k in range(len(named)):
        tensors[k], named[k] = _drop_broadcast_axes(tensors[k], named[k], length)
    for k, own in enumerate(named):
        kept = {*out, *(n for j, other in enumerate(named) if j != k for n in other)}
        tensors[k], named[k] = _sum_single_labels(tensors[k], own, kept)
    if len(tensors) == 1:
        order = [named[0].index(n) for n in out]
        return permute_dims(tensors[0], order) if order != sorted(order) else tensors[0]
    return _einsum(tensors, tuple(named), out)


def _take_diagonals(t: Tensor, own: Labels) -> tuple[Tensor, Labels]:
    """A label that occurs twice in one operand: the diagonal of its two axes."""
    while len(set(own)) < len(own):
        twin = next(n for n in own if own.count(n) > 1)
        first = own.index(twin)
        second = own.index(twin, first + 1)
        rows, columns = t.shape[first], t.shape[second]
        if rows != columns:
            raise ShapeError(f"einsum: axes {first} and {second} of shape {t.shape} share a label and differ in length")
        t = diagonal(t, 0, first, second)
        own = (*(n for k, n in enumerate(own) if k not in (first, second)), twin)
    return t, own


def _label_lengths(tensors: list[Tensor], named: list[Labels]) -> dict[int, int]:
    """The length of each label; an axis of length 1 fits any length."""
    length: dict[int, int] = {}
    for t, own in zip(tensors, named, strict=True):
        for label, n in zip(own, t.shape, strict=True):
            known = length.get(label, 1)
            if 1 not in (n, known) and n != known:
                shapes = " and ".join(str(other.shape) for other in tensors)
                raise ShapeError(f"einsum of shapes {shapes}: one label has the lengths {known} and {n}")
            length[label] = n if known == 1 else known
    return length


def _drop_broadcast_axes(t: Tensor, own: Labels, length: dict[int, int]) -> tuple[Tensor, Labels]:
    """Drop axes of length 1 whose label is longer elsewhere: the product does not need them."""
    short = [k for k, n in enumerate(own) if t.shape[k] == 1 != length[n]]
    kept = tuple(n for k, n in enumerate(own) if k not in short)
    return (squeeze(t, tuple(short)), kept) if short else (t, own)


def _sum_single_labels(t: Tensor, own: Labels, kept: set[int]) -> tuple[Tensor, Labels]:
    """Sum over labels that occur neither in another operand nor in the result."""
    alone = [k for k, n in enumerate(own) if n not in kept]
    return (sum(t, tuple(alone)), tuple(n for n in own if n in kept)) if alone else (t, own)
