"""Values without numbers: arrays and Python numbers of a function that is being recorded.

A :class:`Symbol` answers NumPy's protocols, operators and array methods by writing a node. Whoever wants its numbers is
told what to do instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autodiff_kit.compile.node import Node
from autodiff_kit.core.dispatch import LITERALS
from autodiff_kit.core.tensor import Standin, Value
from autodiff_kit.errors import NumbersAskedError

if TYPE_CHECKING:
    from autodiff_kit.compile.trace.tracer import Recorder

__all__ = ["FUNCTIONS", "Number", "Symbol", "getitem", "wrap"]

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""What is recorded in smaller parts, filled in by :mod:`autodiff_kit.compile.trace.numpy_functions`.

Any other function of NumPy's is recorded as one call of it.
"""


class Symbol(NDArrayOperatorsMixin, Standin):
    """An array while a function is recorded: shape and dtype, and the node that will give its numbers."""

    __slots__ = ("node", "recorder")

    def __init__(self, recorder: Recorder, node: Node) -> None:
        self.recorder, self.node = recorder, node

    # ----------------------------------------------------------------------------------------- what is known beforehand
    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self.node.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the entries."""
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
        """Bytes that the numbers will take."""
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

    def strong(self) -> Any:
        """Itself; see :class:`Number`."""
        return self

    def later(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a function says of the numbers, at each call."""
        return self.recorder.call(function, (self, *args), {})

    # -------------------------------------------------------------------------------------------- asked for its numbers
    def _asked(self, what: str) -> NoReturn:
        error = NumbersAskedError(
            f"{what} asks for numbers, but ak.compile is recording this function and there are none yet "
            f"(a value of shape {self.shape}). Use ak.where in place of if, return the value and look at it outside, "
            "give what decides the way as an int, bool or str argument, or leave this function uncompiled."
        )
        error.recorder = self.recorder
        raise error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._asked("np.asarray() or .numpy()")

    # ------------------------------------------------------------------------------------------------ NumPy's protocols
    def __array_ufunc__(self, ufunc: np.ufunc, how: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(x, Value) for x in inputs):
            return NotImplemented
        if options.get("out") is not None:
            self._asked("writing into an array that stands already")
        dtype = options.pop("dtype", None)
        if how == "__call__" and not options and ufunc is np.matmul:
            return FUNCTIONS[np.matmul](self.recorder, *inputs)
        if how == "__call__" and not options and ufunc.nout == 1 and ufunc.signature is None and dtype is None:
            rec = self.recorder
            return wrap(rec, rec.graph.entries(ufunc.__name__, *map(rec.node, inputs)))
        if how == "reduce" and ufunc in FUNCTIONS and ufunc is not np.matmul:
            return FUNCTIONS[ufunc](inputs[0], dtype=dtype, **{"axis": 0} | options)
        options |= {} if dtype is None else {"dtype": dtype}
        return self.recorder.call(getattr(ufunc, how), inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if any(issubclass(t, Value) for t in types):
            return NotImplemented
        known = FUNCTIONS.get(func)
        if known is not None:
            found = known(*args, **kwargs)
            if found is not NotImplemented:
                return found
        if "out" in kwargs or func.__name__ in ("put_along_axis", "copyto", "putmask", "place", "fill_diagonal"):
            self._asked("writing into an array that stands already")
        return self.recorder.call(func, args, kwargs)

    __hash__ = object.__hash__

    # ---------------------------------------------------------------------------------------------------------- methods
    def __getitem__(self, index: Any) -> Any:
        return FUNCTIONS[getitem](self, index)

    def astype(self, dtype: Any, copy: bool = True) -> Any:  # noqa: ARG002 - as NumPy has it
        """The same in another dtype."""
        return wrap(self.recorder, self.recorder.graph.cast(self.node, dtype))

    def reshape(self, *shape: Any) -> Any:
        """The same entries in another shape."""
        return FUNCTIONS[np.reshape](self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """Axes in another order."""
        return FUNCTIONS[np.transpose](self, (axes[0] if len(axes) == 1 and np.ndim(axes[0]) else axes) or None)

    def copy(self) -> Any:
        """Itself: nothing writes to it."""
        return self

    def ravel(self) -> Any:
        """All entries along one axis."""
        return FUNCTIONS[np.reshape](self, (-1,))

    flatten = ravel


def _asking(what: str) -> Callable[..., NoReturn]:
    return lambda self: self._asked(what)


_ASKING = {
    "__bool__": "bool(), as in `if` and `while`,", "__float__": "float()", "__int__": "int()",
    "__index__": "an index or a length", "__complex__": "complex()", "item": ".item()", "tolist": ".tolist()",
}  # fmt: skip
for _name, _what in _ASKING.items():
    setattr(Symbol, _name, _asking(_what))


def _method(name: str) -> Callable[..., Any]:
    def method(self: Symbol, *args: Any, **kwargs: Any) -> Any:
        return self.__array_function__(getattr(np, name), (), (self, *args), kwargs)

    method.__name__ = name
    return method


_METHODS = [
    "sum", "mean", "max", "min", "prod", "any", "all", "cumsum", "cumprod", "argmax", "argmin", "argsort", "squeeze",
    "swapaxes", "take", "clip", "round", "dot", "repeat", "var", "std", "diagonal", "trace",
]  # fmt: skip
for _name in _METHODS:
    setattr(Symbol, _name, _method(_name))


class Number(Symbol):
    """A Python number while a function is recorded: it takes its dtype from what stands beside it."""

    __slots__ = ()

    def strong(self) -> Any:
        """A float64, as the kit keeps a number that becomes a value."""
        node = self.node
        made = self.recorder.graph.node("strong", (node,), None, (), node.dtype)
        return Symbol(self.recorder, made)


LITERALS.add(Number)


def wrap(recorder: Recorder, node: Node) -> Any:
    """A node as a value."""
    return (Number if node.weak else Symbol)(recorder, node)


def getitem(x: Any, index: Any) -> Any:
    """``x[index]``, as a function."""
    return x[index]
