"""Values inside ``ak.vmap``: one value stands for a whole batch.

A :class:`BatchedArray` replaces the numbers of a tensor. It looks like the value of one example, and holds the tensor
of all examples, with their axis in front. Functions of NumPy on it treat all examples at once where that needs no more
than another axis; others are called for each example.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.core.tracer import SymbolicValue
from autodiff_kit.errors import ConcretizationError, DtypeError

__all__ = ["BatchedArray", "plain"]


def plain(value: Any) -> Any:
    """A number for functions that need NumPy's: Python's has no shape."""
    return np.float64(value) if type(value) is float else value


class _OnNumbers:
    """A function of NumPy on numbers and arrays, which no tape follows."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*_without_tensors(args), **_without_tensors(kwargs))


def _without_tensors(nest: Any) -> Any:
    if type(nest) in (tuple, list):
        return type(nest)(map(_without_tensors, nest))
    if type(nest) is dict:
        return {key: _without_tensors(x) for key, x in nest.items()}
    return plain(unwrap(nest))


class BatchedArray(NDArrayOperatorsMixin, SymbolicValue):
    """The value of one example, for all examples of a batch at once.

    Attributes
    ----------
    tracer : Batch
        See :mod:`autodiff_kit.transforms.batch`.
    tensor : Tensor
        The values of all examples, along its first axis.
    """

    __slots__ = ("tensor", "tracer")
    level = 2  # it may hold symbolic arrays

    def __init__(self, batch: Any, tensor: Tensor) -> None:
        self.tracer, self.tensor = batch, tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes of one example."""
        return self.tensor.shape[1:]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the entries."""
        return self.tensor.dtype

    @property
    def ndim(self) -> int:
        """Number of axes of one example."""
        return self.tensor.ndim - 1

    @property
    def size(self) -> int:
        """Number of entries of one example."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Bytes of all examples."""
        return self.tensor.size * self.dtype.itemsize

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return self.transpose()

    def __len__(self) -> int:
        if not self.shape:
            raise DtypeError("a value without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def as_value(self) -> Any:
        """The array itself."""
        return self

    def alias(self) -> Any:
        """The same examples as another object, whose tensor may be recorded by another operation."""
        value = self.tensor._value
        value = value.alias() if isinstance(value, SymbolicValue) else value
        return BatchedArray(self.tracer, wrap(value, self.tensor.node))

    def check_assignment(self, variable: Any) -> None:
        """Raise an error for a variable with one value for all examples."""
        held = variable._value
        if not (isinstance(held, BatchedArray) and held.tracer.depth >= self.tracer.depth):
            name = variable.name or "w"
            raise ConcretizationError(
                f"the new value of {variable._label()} differs between the {self.tracer.size} examples of ak.vmap, "
                "but a variable from outside has one value for all of them. Return the value or the gradient from the "
                f"function, and assign or step outside: {name}.assign(ak.mean(values, 0)). A variable made in the "
                "function needs a first value that differs between the examples too, such as ak.Variable(0.0 * x)."
            )

    def take_hook(self, hook: Callable[[Any], Any], records: tuple[Any, ...]) -> tuple[Any, ...]:
        """Register a hook with the tapes outside the vmap, for all examples; return the other records."""
        return self.tracer.take_hook(hook, self, records)  # type: ignore[no-any-return]

    def apply(self, op: Any, values: Sequence[Any], params: dict[str, Any]) -> Any:
        """The output of an operation for all examples."""
        return self.tracer.call(op, values, params)

    # -------------------------------------------------------------------------------------------- NumPy's protocols
    def __array_ufunc__(self, ufunc: np.ufunc, how: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(x, Value) for x in inputs):
            return NotImplemented
        if how != "__call__" or options or ufunc.nout != 1 or ufunc.signature is not None:
            if how == "reduce" and ufunc in _REDUCTIONS and options.get("out") is None:
                more = {name: x for name, x in options.items() if x is not None and x is not np._NoValue}
                return _over_axes(_REDUCTIONS[ufunc])(inputs[0], **{"axis": 0} | options | more)
            if how == "accumulate":
                return self._each_example(ufunc.accumulate, inputs, options)
            self._needs_operation(f"np.{ufunc.__name__}")
        return _entrywise(ufunc, inputs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(t, Value) for t in types):
            return NotImplemented
        known = _FUNCTIONS.get(func)
        return self._each_example(func, args, kwargs) if known is None else known(*args, **kwargs)

    def _each_example(self, function: Any, args: Any, kwargs: Any) -> Any:
        """What a function of NumPy gives for each example, unless an operation does the same with its derivative."""
        if getattr(function, "__module__", "") == "numpy.linalg":  # operations treat whole stacks
            self._needs_operation(f"np.linalg.{function.__name__}")
        return self.tracer.call(_OnNumbers(function), args, kwargs)

    def _needs_operation(self, what: str) -> NoReturn:
        """Raise the error upon which the operation that needs more than this runs for each example, or by its rule."""
        error = ConcretizationError(
            f"{what} needs numbers, but inside ak.vmap this value stands for those of {self.tracer.size} examples "
            f"(each of shape {self.shape}). Use ak.where in place of if, return the value and use it outside, or write "
            "a loop over the examples in place of ak.vmap."
        )
        error.trace = self.tracer
        raise error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._needs_operation("np.asarray() or .numpy()")

    __hash__ = object.__hash__

    def __getitem__(self, index: Any) -> Any:
        parts = index if type(index) is tuple else (index,)
        if all(part is None or part is Ellipsis or isinstance(part, (int, slice)) for part in parts):
            return self.tracer.array(_numbers(self.tensor)[(slice(None), *parts)])
        return self.tracer.call(operator.getitem, (self, index), {})

    def astype(self, dtype: Any, copy: bool = True) -> Any:  # noqa: ARG002 - as NumPy has it
        """The array converted to another dtype."""
        return self.tracer.array(_numbers(self.tensor).astype(dtype))

    def reshape(self, *shape: Any) -> Any:
        """The array in another shape."""
        wanted = shape[0] if len(shape) == 1 and np.ndim(shape[0]) else shape
        full = np.broadcast_to(False, self.shape).reshape(wanted).shape
        return self.tracer.array(_numbers(self.tensor).reshape((self.tensor.shape[0], *full)))

    def transpose(self, *axes: Any) -> Any:
        """The array with permuted axes."""
        order = axes[0] if len(axes) == 1 and (axes[0] is None or np.ndim(axes[0])) else axes
        order = tuple(order or range(self.ndim)[::-1])
        return self.tracer.array(_numbers(self.tensor).transpose((0, *(a % self.ndim + 1 for a in order))))

    def copy(self) -> Any:
        """The array itself, since it is immutable."""
        return self

    def ravel(self) -> Any:
        """The array flattened to one axis."""
        return self.reshape(-1)

    flatten = ravel


def _refusing_method(what: str) -> Callable[..., NoReturn]:
    return lambda self: self._needs_operation(what)


for _name, _what in {
    "__bool__": "bool(), as in `if` and `while`,", "__float__": "float()", "__int__": "int()",
    "__index__": "an index or a length", "__complex__": "complex()", "item": ".item()", "tolist": ".tolist()",
}.items():  # fmt: skip
    setattr(BatchedArray, _name, _refusing_method(_what))


# ---------------------------------------------------------------------------------------- functions of NumPy
def _entrywise(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """A function of NumPy that acts entry by entry, on values of which some are batched arrays."""
    batch = max((x.tracer for x in inputs if isinstance(x, BatchedArray)), key=lambda one: one.depth)
    rank = max(np.ndim(x) for x in inputs)
    wide = [batch.with_rank(x, rank - np.ndim(x)) for x in inputs]
    wide = [wrap(x) if isinstance(x, BatchedArray) else x for x in wide]  # of a vmap further out
    return batch.array(function(*map(_numbers, wide)))


def _numbers(x: Any) -> Any:
    """The array of a tensor; a tensor, off the tapes, where it holds none, as inside another vmap."""
    value = unwrap(x)
    return wrap(value) if isinstance(value, SymbolicValue) else value


def _over_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy with an argument ``axis``, of which None means all."""

    def call(x: BatchedArray, axis: Any = None, **more: Any) -> Any:
        axes = range(x.ndim) if axis is None else (axis,) if np.ndim(axis) == 0 else axis
        last = tuple(a % x.ndim - x.ndim for a in axes)
        own = _numbers(x.tensor)
        if isinstance(own, Tensor):
            more.pop("initial", None)  # which only counts where there are no entries
        return x.tracer.array(function(own, axis=last[0] if axis is not None and np.ndim(axis) == 0 else last, **more))

    return call


def _broadcast_to(x: Any, shape: Any, subok: bool = False) -> Any:
    full = np.broadcast_to(np.broadcast_to(False, x.shape), shape).shape
    rows = x.tracer.with_rank(x, len(full) - x.ndim)
    return x.tracer.array(v.broadcast_to(rows, shape=(rows.shape[0], *full)))


def _full_like(number: int) -> Callable[..., Any]:
    def function(x: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, **_: Any) -> Any:
        return np.full(x.shape if shape is None else shape, number, dtype or x.dtype)

    return function


def _where(condition: Any, a: Any, b: Any) -> Any:
    return _entrywise(_select, (condition, a, b))


def _select(condition: Any, a: Any, b: Any) -> Any:
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return v.select(a, b, condition=unwrap(condition))
    return np.where(condition, a, b)


def _reshape(x: Any, shape: Any = None, order: str = "C", **more: Any) -> Any:
    if order != "C" or more:
        x._needs_operation("np.reshape")
    return x.reshape(shape)


def _swapaxes(x: Any, first: int, second: int) -> Any:
    order = list(range(x.ndim))
    order[first], order[second] = order[second], order[first]
    return x.transpose(order)


_REDUCTIONS: dict[Any, Any] = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
                               np.logical_and: np.all, np.logical_or: np.any}  # fmt: skip
_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x: x.size,
    np.result_type: lambda *values: np.result_type(*(x.dtype if isinstance(x, BatchedArray) else x for x in values)),
    np.zeros_like: _full_like(0),
    np.ones_like: _full_like(1),
    np.empty_like: _full_like(0),
    np.where: _where,
    np.clip: lambda x, lo, hi: _entrywise(np.clip, (x, lo, hi)),
    np.copy: lambda x: x,
    np.swapaxes: _swapaxes,
    np.broadcast_to: _broadcast_to,
    np.reshape: _reshape,
    np.transpose: lambda x, axes=None: x.transpose(axes),
    np.ravel: lambda x: x.ravel(),
    **{
        function: _over_axes(function)
        for function in (np.sum, np.mean, np.prod, np.max, np.min, np.all, np.any, np.squeeze)
    },
}


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: self.__array_function__(getattr(np, name), (), (self, *args), kwargs)


_METHODS = [
    "sum", "mean", "max", "min", "prod", "any", "all", "cumsum", "cumprod", "argmax", "argmin", "argsort", "squeeze",
    "swapaxes", "take", "clip", "round", "dot", "repeat", "var", "std", "diagonal", "trace",
]  # fmt: skip
for _name in _METHODS:
    setattr(BatchedArray, _name, _method(_name))
