"""Symbolic arrays and scalars: the values that a function computes with while it is traced.

A :class:`SymbolicArray` implements NumPy's protocols, operators and array methods by adding nodes to the graph.
Code that needs concrete values raises :class:`ConcretizationError` with advice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import getitem
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.core.fast_dispatch import PYTHON_NUMBERS
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.tracer import SymbolicValue, Tracer
from autodiff_kit.errors import ConcretizationError

__all__ = ["TRACED_FUNCTIONS", "SymbolicArray", "SymbolicScalar", "symbolic_value", "tracer_of"]

TRACED_FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""Tracing rules of NumPy functions, filled in by :mod:`autodiff_kit.compile.trace.numpy_functions`.

Functions without a rule, and calls for which a rule returns NotImplemented, are recorded as opaque calls.
"""
_WRITING_FUNCTIONS = ("put_along_axis", "copyto", "putmask", "place", "fill_diagonal")


class SymbolicArray(NDArrayOperatorsMixin, SymbolicValue):
    """An array while a function is traced: shape and dtype are known, the values are those of a node."""

    __slots__ = ("node", "tracer")

    def __init__(self, tracer: Any, node: GraphNode) -> None:
        self.tracer, self.node = tracer, node

    # -------------------------------------------------------------------------------------------------- shape and dtype
    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self.node.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the entries."""
        return self.node.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.node.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.node.size

    @property
    def nbytes(self) -> int:
        """Bytes that the values will take."""
        return self.node.size * self.node.dtype.itemsize

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return self.transpose()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a value without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def alias(self) -> SymbolicArray:
        """The value itself."""
        return self

    def as_value(self) -> Any:
        """The array itself; see :class:`SymbolicScalar`."""
        return self

    # -------------------------------------------------------------------------------------------------- concrete values
    def _refuse_value(self, what: str) -> NoReturn:
        """Raise the error for an operation that needs concrete values."""
        error = ConcretizationError(
            f"{what} needs numbers, but ak.compile is tracing this function and there are no numbers yet "
            f"(a value of shape {self.shape}). Use ak.where or ak.cond in place of if, ak.stack in place of "
            "writing into an array of NumPy, return the value and use it outside, pass the value that decides the "
            "branch as an int, bool or str argument, or do not compile this function."
        )
        error.trace = self.tracer
        raise error

    def __format__(self, _spec: str) -> str:
        return "traced"  # as tensors are printed

    def __round__(self, digits: int | None = None) -> Any:
        return self.round(digits or 0)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"array(traced, shape={self.shape}, dtype={self.dtype})"

    # ------------------------------------------------------------------------------------------------ NumPy's protocols
    def __array_ufunc__(self, ufunc: np.ufunc, how: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(x, Value) or (isinstance(x, Tracer) and x.level > self.level) for x in inputs):
            return NotImplemented
        tracer = tracer_of(*inputs)
        if options.get("out") is not None:
            self._refuse_value("writing into an existing array")
        if options.get("dtype", ufunc) is None:  # it was given as None, which is its default
            del options["dtype"]
        if how != "__call__":
            return self._record(getattr(ufunc, how), inputs, {"axis": 0} | options if how == "reduce" else options)
        numpys = getattr(np, ufunc.__name__, None) is ufunc  # others are recorded as opaque calls
        if numpys and not options and ufunc.nout == 1 and ufunc.signature is None:
            return symbolic_value(tracer, tracer.graph.elementwise(ufunc.__name__, *map(tracer.node, inputs)))
        return self._record(ufunc, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(t, Value) or (issubclass(t, Tracer) and t.level > self.level) for t in types):
            return NotImplemented
        if kwargs.get("out") is not None or func.__name__ in _WRITING_FUNCTIONS:
            self._refuse_value("writing into an existing array")
        return self._record(func, args, kwargs)

    def _record(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Record a function of NumPy by its tracing rule, or as an opaque call."""
        rule = TRACED_FUNCTIONS.get(function)
        found = NotImplemented if rule is None else rule(*args, **kwargs)
        return self.tracer.call(function, args, kwargs) if found is NotImplemented else found

    __hash__ = object.__hash__

    # ---------------------------------------------------------------------------------------------------------- methods
    def __getitem__(self, index: Any) -> Any:
        return TRACED_FUNCTIONS[getitem](self, index)

    def __setitem__(self, _index: Any, _value: Any) -> NoReturn:
        raise ConcretizationError(
            "x[...] = value changes an array for good, but ak.compile traces the function once. Make a new tensor, "
            "x = ak.asarray(x).at[...].set(value)."
        )

    def astype(self, dtype: Any, copy: bool = True) -> Any:  # noqa: ARG002 - as NumPy has it
        """The array converted to another dtype."""
        return symbolic_value(self.tracer, self.tracer.graph.cast(self.node, dtype))

    def reshape(self, *shape: Any) -> Any:
        """The array in another shape."""
        return TRACED_FUNCTIONS[np.reshape](self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """The array with permuted axes."""
        return TRACED_FUNCTIONS[np.transpose](self, (axes[0] if len(axes) == 1 and np.ndim(axes[0]) else axes) or None)


def _refusing_method(what: str) -> Callable[..., NoReturn]:
    return lambda self, *_, **__: self._refuse_value(what)


_CONCRETE_VALUE_METHODS = {
    "__bool__": "bool(), as in `if` and `while`,", "__float__": "float()", "__int__": "int()",
    "__index__": "an index or a length", "__complex__": "complex()", "item": ".item()", "tolist": ".tolist()",
    "__array__": "np.asarray() or .numpy()",
}  # fmt: skip
for _name, _what in _CONCRETE_VALUE_METHODS.items():
    setattr(SymbolicArray, _name, _refusing_method(_what))


def _method(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: self.__array_function__(getattr(np, name), (), (self, *args), kwargs)


_METHODS = [
    "sum", "mean", "max", "min", "prod", "any", "all", "cumsum", "cumprod", "argmax", "argmin", "argsort", "squeeze",
    "swapaxes", "take", "clip", "round", "dot", "repeat", "var", "std", "diagonal", "trace", "copy", "ravel",
]  # fmt: skip
for _name, _function in [*zip(_METHODS, _METHODS, strict=True), ("flatten", "ravel")]:
    setattr(SymbolicArray, _name, _method(_function))


class SymbolicScalar(SymbolicArray):
    """A Python number while a function is traced: weakly typed, it takes its dtype from the other operand."""

    __slots__ = ()

    def as_value(self) -> Any:
        """The number as a float64 array, as tensors hold it."""
        node = self.node
        made = self.tracer.graph.node("strong", (node,), None, (), node.dtype)
        return SymbolicArray(self.tracer, made)


PYTHON_NUMBERS.add(SymbolicScalar)


def tracer_of(*values: Any) -> Any:
    """The trace that records an operation on values: the innermost, where a loop is traced."""
    return max((x.tracer for x in values if isinstance(x, SymbolicArray)), key=lambda tracer: tracer.depth)


def symbolic_value(tracer: Any, node: GraphNode) -> Any:
    """The symbolic array or scalar of a node."""
    return (SymbolicScalar if node.weak else SymbolicArray)(tracer, node)
