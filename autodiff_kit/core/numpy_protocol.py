"""What values have in common: the one form in which numbers are kept, and operators and NumPy's protocols."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autodiff_kit.core.record import open_records
from autodiff_kit.errors import AutodiffError, DtypeError, ShapeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff_kit.core.tensor import Tensor, Variable

__all__ = ["Standin", "Value", "array", "later", "may_change", "method", "normal", "plain"]


class Standin:
    """What stands where an array would, and has no numbers: a compiled function computes with it while it is recorded.

    The engine and the rules know no more of it than this: it passes through them as an array does.
    """

    __slots__ = ()

    def strong(self) -> Any:
        """The same where a Python number becomes a value of the kit's, with a dtype of its own."""
        return self

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """The same in another dtype."""
        raise NotImplementedError

    def later(self, function: Callable[..., Any], *args: Any) -> Any:
        """What a function says of the numbers, once there are some."""
        raise NotImplementedError


def array(value: Any, dtype: Any = None) -> Any:
    """``np.asarray``, for rules: what stands in for an array stays that."""
    if isinstance(value, Standin):
        return value if dtype is None else value.astype(dtype, copy=False)
    return np.asarray(value, dtype)


def later(function: Callable[..., Any], value: Any, *args: Any, anew: bool = False) -> Any:
    """``function(value, *args)``, at each call anew where the value is a stand-in: checks of numbers.

    With ``anew`` also where it is none, while a function is recorded: for what differs from call to call.
    """
    if isinstance(value, Standin):
        return value.later(function, *args)
    if anew and open_records.recorder is not None:
        return open_records.recorder.call(function, (value, *args), {})
    return function(value, *args)


def normal(value: Any) -> Any:
    """The one form in which the kit keeps a value: float for a float64 scalar, else an array or a NumPy scalar."""
    kind = type(value)
    if kind is float:
        return value
    if kind is np.ndarray:
        return value if value.ndim or value.dtype != np.float64 else float(value)
    if kind is np.float64:
        return float(value)
    if isinstance(value, np.generic):
        return value
    if isinstance(value, Standin):
        return value
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise DtypeError(f"these values do not make an array: {error}") from error
    if array.dtype.kind not in "biufc":
        said = {list: "a list with something else than numbers in it", int: "a whole number of more than 64 bits"}
        raise DtypeError(
            f"{said.get(kind, f'a value of type {kind.__name__}')} is not a number or an array of numbers. "
            "Give numbers, arrays, or nested lists of equal lengths."
        )
    return float(array) if array.ndim == 0 and array.dtype == np.float64 else array


def plain(value: Any) -> Any:
    """The number or array inside a tensor or variable; anything else as it is."""
    return value._value if isinstance(value, Value) else value


def may_change(given: np.ndarray[Any, Any]) -> bool:
    """Whether somebody may still write to an array: to itself, or to what it is a view of."""
    base: Any = given
    while isinstance(base, np.ndarray):
        if base.flags.writeable:
            return True
        base = base.base
    return base is not None


_DOUBLE = np.dtype(np.float64)


class Value:
    """What tensors and variables share: shape, dtype, operators, and NumPy's protocols.

    The operators and methods are filled in by the operations when they load (see :func:`method`), so that the engine
    names no operation.
    """

    __slots__ = ()
    _value: Any

    # The seam through which NumPy's functions find the kit's operations: name -> function.
    _numpy: ClassVar[dict[str, Callable[..., Any]]] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        value = self._value
        return () if type(value) is float else value.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype of the entries."""
        return _DOUBLE if type(self._value) is float else self._value.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        value = self._value
        return 1 if type(value) is float else int(value.size)

    def _leave(self, kind: str = "left", variable: Variable | None = None) -> None:
        """Note on open records that what follows no longer sees this value."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """The values as a read-only array; it is off the record."""
        self._leave()
        array = np.asarray(self._value)
        array.flags.writeable = False
        return array

    def item(self) -> Any:
        """The one entry, as a Python number."""
        return self._as(lambda only: only if type(only) is float else only.item())

    def tolist(self) -> Any:
        """The entries as nested lists of Python numbers."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.numpy()
        if copy:
            return np.array(array, dtype=dtype)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, how: str, *inputs: Any, **options: Any) -> Any:
        function = self._numpy.get(ufunc.__name__)
        if how != "__call__" or function is None or options:
            name = ufunc.__name__ if how == "__call__" else f"{ufunc.__name__}.{how}"
            raise DtypeError(
                f"np.{name}{' with ' + ', '.join(options) if options else ''} has no derivative in the kit. "
                "Use a function of autodiff_kit, or leave the record on purpose with np.asarray(t)."
            )
        return function(*inputs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # np.linalg has functions of its own under names that np has too: norm, trace, diagonal.
        name = f"{'linalg.' if func.__module__ == 'numpy.linalg' else ''}{func.__name__}"
        function = self._numpy.get(name)
        if function is None:
            raise DtypeError(
                f"np.{name} has no derivative in the kit. "
                "Use a function of autodiff_kit, or leave the record on purpose with np.asarray(t)."
            )
        return function(*args, **kwargs)

    def __len__(self) -> int:
        if not self.shape:
            raise DtypeError("a value without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ShapeError(
                f"the truth of shape {self.shape} is ambiguous: which entry decides? Index one, or use ak.where."
            )
        return self._as(bool, "decided")  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._as(float)  # type: ignore[no-any-return]

    def __int__(self) -> int:
        return self._as(int)  # type: ignore[no-any-return]

    def _as(self, kind: Callable[[Any], Any], leaving: str = "left") -> Any:
        """The one entry as a Python number; it leaves the record."""
        self._leave(leaving)
        value = self._value
        if self.size != 1:
            raise ShapeError(f"one number was asked of shape {self.shape}, which has {self.size}; index one of them")
        try:
            return kind(value.reshape(()) if type(value) is np.ndarray else value)
        except AutodiffError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise DtypeError(f"{value} of dtype {self.dtype} is not that kind of number: {error}") from error

    def __index__(self) -> int:
        if not np.issubdtype(self.dtype, np.integer) or self.shape:
            raise DtypeError(f"only a whole number can be an index, not {self.dtype} of shape {self.shape}")
        return int(self._value)

    def __format__(self, spec: str) -> str:
        return format(np.asarray(self._value), spec)

    __hash__ = object.__hash__

    if TYPE_CHECKING:
        # Filled in by the operations; written here for readers and type checkers.
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]

        T: Tensor
        sum: Callable[..., Tensor]
        mean: Callable[..., Tensor]
        prod: Callable[..., Tensor]
        max: Callable[..., Tensor]
        min: Callable[..., Tensor]
        var: Callable[..., Tensor]
        std: Callable[..., Tensor]
        cumsum: Callable[..., Tensor]
        cumprod: Callable[..., Tensor]
        argmax: Callable[..., Tensor]
        argmin: Callable[..., Tensor]
        argsort: Callable[..., Tensor]
        astype: Callable[..., Tensor]
        round: Callable[..., Tensor]
        abs: Callable[..., Tensor]
        clip: Callable[..., Tensor]
        dot: Callable[..., Tensor]
        reshape: Callable[..., Tensor]
        transpose: Callable[..., Tensor]
        permute_dims: Callable[..., Tensor]
        ravel: Callable[..., Tensor]
        flatten: Callable[..., Tensor]
        squeeze: Callable[..., Tensor]
        swapaxes: Callable[..., Tensor]
        take: Callable[..., Tensor]


def method(name: str, function: Callable[..., Any] | property) -> None:
    """Make ``function`` a method of tensors and variables: the seam that operations fill."""
    setattr(Value, name, function)
