"""Einstein summation: multiply arrays and sum over the labels that are missing in the result.

The first steps concern one operand alone: a label that occurs in it twice (its diagonal), an axis of length 1 that is
broadcast, a label that neither another operand nor the result has (its sum). After them each label occurs in the
result or in two operands. Then the operands are multiplied two at a time: the VJP of such a product is the same
operation with the cotangent in place of one operand, and intermediate products are computed once.
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
from autodiff_kit.ops.axis_order import permute_dims
from autodiff_kit.ops.diagonals import diagonal
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.families import bilinear
from autodiff_kit.ops.reductions import sum
from autodiff_kit.ops.shape_manipulation import squeeze

Labels = tuple[int, ...]


# -------------------------------------------------------------------------------- the operation on numbered labels
def _flops(_y: Any, a: Any, b: Any, *, labels: tuple[Labels, Labels]) -> int:
    """For each choice of all labels a product and a sum, as with matrices."""
    lengths: dict[int, int] = {}
    for x, own in zip((a, b), labels, strict=True):
        lengths.update(zip(own, np.shape(x), strict=True))
    return 2 * math.prod(lengths.values())


@bilinear(
    lambda g, _y, _a, b, *, labels, out: v.einsum(g, b, labels=(out, labels[1]), out=labels[0]),
    lambda g, _y, a, _b, *, labels, out: v.einsum(g, a, labels=(out, labels[0]), out=labels[1]),
    flops=_flops,
)
def _einsum(a: Any, b: Any, labels: tuple[Labels, Labels], out: Labels) -> Any:
    """The einsum of two arrays whose axes are labelled by integers; further axes in front are leading axes."""
    a, b = as_array(a), as_array(b)
    dtype = np.result_type(a.dtype, b.dtype)
    if dtype == np.float16:
        a, b = a.astype(np.float32), b.astype(np.float32)
    if a.ndim == len(labels[0]) and b.ndim == len(labels[1]):
        return _matrix_product(a, b, *labels, out).astype(dtype, copy=False)
    lead = np.broadcast_shapes(*(x.shape[: x.ndim - len(own)] for x, own in zip((a, b), labels, strict=True)))
    (a, left), (b, right) = map(_label_leading_axes, (a, b), labels)
    ahead = sorted({n for n in left + right if n < 0})
    y = _matrix_product(a, b, left, right, (*ahead, *out))
    return y.reshape(lead + y.shape[len(ahead) :]).astype(dtype, copy=False)


def _label_leading_axes(x: Any, own: Labels) -> tuple[Any, Labels]:
    """An array whose leading axes are labelled by their distance from its own ones; those of length 1 are dropped."""
    count = x.ndim - len(own)
    longer = [k for k in range(count) if x.shape[k] != 1]
    return x.reshape([*(x.shape[k] for k in longer), *x.shape[count:]]), (*(k - count for k in longer), *own)


def _matrix_product(a: Any, b: Any, left: Labels, right: Labels, out: Labels) -> Any:
    """Two labelled arrays as one stack of matrix products, which BLAS computes."""
    turned, order_a, order_b, batch, rows, inner, back = _pair_layout(left, right, out)
    a, b = (b, a) if turned else (a, b)
    a, b = a.transpose(order_a), b.transpose(order_b)
    ahead, upper, lower = a.shape[:batch], a.shape[batch : batch + rows], b.shape[batch + inner :]
    common = math.prod(b.shape[batch : batch + inner])
    a = a.reshape((*ahead, math.prod(upper), common))
    b = b.reshape((*ahead, common, math.prod(lower)))
    y = np.matmul(a, b) if inner else a * b
    return y.reshape(ahead + upper + lower).transpose(back)


@lru_cache(maxsize=1024)
def _pair_layout(
    left: Labels, right: Labels, out: Labels
) -> tuple[bool, list[int], list[int], int, int, int, list[int]]:
    """Whether the arrays change places, their axis orders and the result's, and the number of axes of each kind.

    They change places where the result begins with axes of the second, so that it lies in order in memory.
    """
    begins = next((n for n in out if n not in left or n not in right), None)
    turned = begins is not None and begins not in left
    left, right = (right, left) if turned else (left, right)
    batch = [n for n in left if n in right and n in out]
    inner = [n for n in left if n in right and n not in out]
    rows, columns = [n for n in left if n not in right], [n for n in right if n not in left]
    first, second = ([own.index(n) for n in names] for own, names in (
        (left, batch + rows + inner), (right, batch + inner + columns)))  # fmt: skip
    found = batch + rows + columns
    return turned, first, second, len(batch), len(rows), len(inner), [found.index(n) for n in out]


# -------------------------------------------------------------------------------- products of many operands
def _multiply(tensors: list[Tensor], named: list[Labels], out: Labels) -> Tensor:
    """The einsum of two operands or more, as products of two; derivatives use the same intermediate products."""
    if len(tensors) == 2:
        found: Tensor = _einsum(*tensors, (named[0], named[1]), out)
        return found
    dtype = np.result_type(*(t.dtype for t in tensors))
    wide = np.dtype(np.float32) if dtype == np.float16 else dtype
    tensors = [t if t.dtype == wide else cast(t, wide) for t in tensors]
    for first, second, labels, wanted in _contraction_path(tuple(named), out, tuple([t.shape for t in tensors])):
        pair = tensors[first], tensors[second]
        tensors = [*(t for k, t in enumerate(tensors) if k not in (first, second)), _einsum(*pair, labels, wanted)]
    return tensors[0] if wide == dtype else cast(tensors[0], dtype)


_MOST_LABELS = 52
"""NumPy's search for a path takes no more."""


@lru_cache(maxsize=1024)
def _contraction_path(
    named: tuple[Labels, ...], out: Labels, shapes: tuple[tuple[int, ...], ...]
) -> list[tuple[int, int, tuple[Labels, Labels], Labels]]:
    """The places of both operands of each product, their labels and those of the result, which goes to the end."""
    left = [*named]
    path = []
    for step in _search_path(named, out, shapes):
        places = sorted(step)
        while len(places) > 1:
            first, second = places[:2]
            a, b = left[first], left[second]
            if out and out[0] in b and out[0] not in a:  # a batch stays the first axis
                (first, a), (second, b) = (second, b), (first, a)
            left = [own for k, own in enumerate(left) if k not in (first, second)]
            wanted = _kept_labels(a, b, {*out, *(n for own in left for n in own)}) if left else out
            left.append(wanted)
            path.append((first, second, (a, b), wanted))
            places = [*(k - 2 for k in places[2:]), len(left) - 1]
    return path


def _search_path(named: tuple[Labels, ...], out: Labels, shapes: tuple[tuple[int, ...], ...]) -> list[tuple[int, ...]]:
    """The places of the operands that are multiplied in each step; a step with more than two has no best order."""
    if max((n for own in named for n in own), default=0) >= _MOST_LABELS:
        return [tuple(range(len(named)))]
    arrays = [np.broadcast_to(0.0, shape) for shape in shapes]
    terms = [part for pair in zip(arrays, named, strict=True) for part in pair]
    search = "optimal" if len(named) < 5 else "greedy"  # the time of the former grows with the factorial
    found: list[tuple[int, ...]] = np.einsum_path(*terms, out, optimize=search)[0][1:]
    return found


def _kept_labels(a: Labels, b: Labels, needed: set[int]) -> Labels:
    """The labels of a product that are needed later, in the order in which it is computed."""
    both, only_a, only_b = [n for n in a if n in b], [n for n in a if n not in b], [n for n in b if n not in a]
    return tuple(n for n in both + only_a + only_b if n in needed)


# -------------------------------------------------------------------------------- parsing of the notation
def einsum(*operands: Any, optimize: Any = True) -> Tensor:
    """Einstein summation: multiply arrays and sum over the labels that are missing in the result.

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
    **Cost.** For two arrays, 2 operations for each combination of label values. More arrays are multiplied two at a
    time, in an order that is chosen once for their shapes; the gradient uses the same intermediate products.

    Examples
    --------
    >>> ak.einsum("ij,j->i", [[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.])
    >>> float(ak.einsum("ii", [[1.0, 2.0], [3.0, 4.0]]))  # the trace of a matrix
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
    return _multiply(tensors, [*named], wanted) if simple else _contract(tensors, [*named], wanted)


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
    dtype = np.result_type(*(t.dtype for t in tensors))
    for k, own in enumerate(named):
        tensors[k], named[k] = _take_diagonals(tensors[k], own)
    length = _label_lengths(tensors, named)
    for k in range(len(named)):
        tensors[k], named[k] = _drop_broadcast_axes(tensors[k], named[k], length)
    for k, own in enumerate(named):
        kept = {*out, *(n for j, other in enumerate(named) if j != k for n in other)}
        tensors[k], named[k] = _sum_single_labels(tensors[k], own, kept, dtype)
    if len(tensors) == 1:
        order = [named[0].index(n) for n in out]
        found = permute_dims(tensors[0], order) if order != sorted(order) else tensors[0]
    else:
        found = _multiply(tensors, named, out)
    return found if found.dtype == dtype else cast(found, dtype)  # as in NumPy, small integers stay small


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


def _sum_single_labels(t: Tensor, own: Labels, kept: set[int], dtype: Any) -> tuple[Tensor, Labels]:
    """Sum, in the dtype of the result, over labels that occur neither in another operand nor in the result."""
    alone = [k for k, n in enumerate(own) if n not in kept]
    if not alone:
        return t, own
    t = cast(t, dtype) if t.dtype != dtype and t.dtype.kind == "f" else t
    return sum(t, tuple(alone)), tuple(n for n in own if n in kept)
