"""Pulls, pushes and vector spaces of nests, over the kit's tapes."""

import numpy as np

import autodiff_kit as ak
from autodiff_kit.pytree import flatten, flatten_like
from autodiff_kit.pytree import unflatten_like
from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.tensor import wrap

from .tracer import primitive, primitive_vjps

__all__ = ["make_jvp", "make_vjp", "primitive", "primitive_vjps", "vspace"]


def on_record(value):
    """Whether an open tape or accumulator follows a value."""
    return isinstance(value, ak.Tensor) and any(
        r.sink is not None for r in records_of(getattr(value.node, "record", None))
    )


def clean(nest):
    """Tensors that nobody follows as plain numbers and arrays."""

    def leaf(value):
        if not isinstance(value, ak.Tensor) or on_record(value):
            return value
        return value.numpy() if value.ndim else value.dtype.type(value.item())

    return unflatten_like(nest, [leaf(value) for value in flatten(nest)])


def fresh(value):
    """A tensor of its own, with a path to whoever follows the original."""
    if isinstance(value, ak.Tensor):
        return ak.identity(value) if on_record(value) else wrap(value._value)
    array = np.asarray(value)
    if array.dtype.kind == "c":
        raise TypeError("complex numbers are not the kit's")
    return ak.constant(array.astype(float) if array.dtype.kind in "iub" else array)


def make_vjp(f, x):
    starts = [fresh(leaf) for leaf in flatten(x)]
    tape = ak.GradientTape(persistent=True)
    with tape:
        tape.watch(starts)
        y = f(unflatten_like(x, starts))
    ends = flatten(y)
    followed = [k for k, end in enumerate(ends) if isinstance(end, ak.Tensor)]

    def vjp(g):
        given = flatten_like(y, g)
        targets = [ends[k] for k in followed]
        seeds = [
            ak.constant(np.broadcast_to(given[k], ends[k].shape)) if not isinstance(given[k], ak.Tensor) else given[k]
            for k in followed
        ]
        if not targets:
            return clean(unflatten_like(x, [ak.constant(np.zeros(s.shape)) for s in starts]))
        found = tape.gradient(targets, starts, seeds, unconnected_gradients="zero")
        return clean(unflatten_like(x, found))

    return vjp, clean(y)


def make_jvp(f, x):
    def jvp(v):
        starts = [fresh(leaf) for leaf in flatten(x)]
        given = flatten_like(x, v)
        tangents = [
            t if isinstance(t, ak.Tensor) else np.broadcast_to(np.asarray(t, s.dtype), s.shape)
            for t, s in zip(given, starts, strict=True)
        ]
        with ak.ForwardAccumulator(starts, tangents) as acc:
            y = f(unflatten_like(x, starts))
            ends = flatten(y)
        pushed = [acc.jvp(end, "zero") if isinstance(end, ak.Tensor) else np.zeros(np.shape(end)) for end in ends]
        return clean(y), clean(unflatten_like(y, pushed))

    return jvp


class vspace:  # noqa: N801 - the name that the tests ask for
    """The vector space of a nest of arrays."""

    def __init__(self, value):
        self.like = unflatten_like(value, [np.zeros(np.shape(leaf)) for leaf in flatten(value)])
        for leaf in flatten(value):
            kind = leaf.dtype.kind if hasattr(leaf, "dtype") else np.asarray(leaf).dtype.kind
            if kind not in "fiub":
                raise TypeError(f"values of dtype kind {kind!r} are not the kit's")
        self.shapes = [leaf.shape for leaf in flatten(self.like)]
        self.size = sum(int(np.prod(shape)) for shape in self.shapes)

    def __eq__(self, other):
        return str(unflatten_like(self.like, [str(s) for s in self.shapes])) == str(
            unflatten_like(other.like, [str(s) for s in other.shapes])
        )

    __hash__ = None

    def _map(self, f, *nests):
        leaves = [f(*leaf) for leaf in zip(*(flatten(nest) for nest in nests), strict=True)]
        return unflatten_like(self.like, leaves)

    def zeros(self):
        return self._map(lambda z: float(z) if z.shape == () else z.copy(), self.like)

    def ones(self):
        return self._map(lambda z: z + 1.0, self.like)

    def randn(self):
        return self._map(lambda z: np.random.randn(*z.shape), self.like)

    def add(self, x, y):
        return self._map(lambda a, b: a + b, x, y)

    def scalar_mul(self, x, a):
        return self._map(lambda leaf: leaf * a, x)

    def inner_prod(self, x, y):
        return sum(
            ak.sum(a * b) if isinstance(a, ak.Tensor) or isinstance(b, ak.Tensor) else np.sum(a * b)
            for a, b in zip(flatten(x), flatten(y), strict=True)
        )

    def covector(self, x):
        return x

    def standard_basis(self):
        for k, shape in enumerate(self.shapes):
            for place in np.ndindex(shape):
                leaves = [np.zeros(s) for s in self.shapes]
                leaves[k][place] = 1.0
                yield unflatten_like(self.like, leaves)
