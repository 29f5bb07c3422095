"""Common code of tensors and variables: the canonical form of numbers, operators, and NumPy's protocols."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.tracer import SymbolicValue
from autodiff_kit.errors import AutodiffError, DtypeError, ShapeError
from autodiff_kit.platform import in_int64

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff_kit.core.tensor import Tensor

__all__ = ["Value", "add_method", "as_text", "canonical", "check_real_numbers", "is_writable", "unwrap"]


def canonical(value: Any) -> Any:
    """The canonical form of a value: float for a float64 scalar, otherwise an array or a NumPy scalar."""
    kind = type(value)
    if kind is float or kind is np.float64:
        return float(value)
    if kind is np.ndarray:
        value = value if value.dtype.isnative else value.astype(value.dtype.newbyteorder("="))
        return value if value.ndim or value.dtype != np.float64 else float(value)
    if isinstance(value, (np.generic, SymbolicValue)):
        return value
    if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray):
        raise DtypeError("the kit takes no masked arrays; fill the masked entries with a number first: m.filled(0.0)")
    try:
        array = in_int64(np.asarray(value))
    except ValueError as error:
        raise DtypeError(f"these values cannot be converted to an array: {error}") from error
    said = {list: "a list with entries that are not numbers", int: "an integer of more than 64 bits"}
    check_real_numbers(array.dtype, said.get(kind, f"a value of type {kind.__name__}"))
    return float(array) if array.ndim == 0 and array.dtype == np.float64 else array


def check_real_numbers(dtype: np.dtype[Any], described: str = "") -> None:
    """Raise an error where the entries of a value are not real numbers.

    Complex numbers would need derivatives of their own (a gradient is then a convention, not one number); computing on
    with their real parts would give wrong gradients without a word.
    """
    if dtype.kind not in "biuf":
        complex_numbers = (
            f"the kit computes with real numbers only, got {dtype}. Keep the real and the imaginary part in two real "
            "arrays (z.real and z.imag of a NumPy array z) and write the formula with these."
        )
        given = described or f"a value of dtype {dtype}"
        others = f"{given} is not a number or an array of numbers. Give numbers or lists of equal lengths."
        raise DtypeError(complex_numbers if dtype.kind == "c" else others)


def unwrap(value: Any) -> Any:
    """The number or array inside a tensor or variable; other objects unchanged."""
    return value._value if isinstance(value, Value) else value


def is_writable(given: np.ndarray[Any, Any]) -> bool:
    """Whether an array may still change: it is writable, or it is a view of a writable one."""
    base: Any = given
    while isinstance(base, np.ndarray) and not base.flags.writeable:
        base = base.base
    return base is not None


_DOUBLE = np.dtype(np.float64)


def as_text(x: Any) -> str:
    """The numbers as a text for people; a value that a function is traced with has none yet."""
    return "traced" if isinstance(x, SymbolicValue) else np.array2string(np.asarray(x), separator=", ", threshold=50)


class Value:
    """Base class of tensors and variables: shape, dtype, operators, and NumPy's protocols.

    The operations add the operators and methods when they are imported (see :func:`add_method`), so the engine names no
    operation.
    """

    __slots__ = ()
    _value: Any

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
        value = self._value
        return 0 if type(value) is float else value.ndim

    @property
    def size(self) -> int:
        """Number of entries."""
        return 1 if type(self._value) is float else int(self._value.size)

    def _as_tensor(self) -> Tensor:
        """The value as a tensor, on the record of the tapes that follow it."""
        raise NotImplementedError

    def _mark_exit(self, kind: str = "left", variable: Value | None = None) -> None:
        """Note on the open records that the value leaves them here."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """The values as a read-only array, which no tape follows."""
        self._mark_exit()
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
        return self.numpy().astype(self.dtype if dtype is None else dtype, copy=bool(copy))

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
        """The one entry as a Python number, which no tape follows."""
        self._mark_exit(leaving)
        value = self._value
        if self.size != 1:
            raise ShapeError(f"shape {self.shape} has {self.size} entries, not one number; index one of them")
        try:
            return kind(value.reshape(()) if type(value) is np.ndarray else value)
        except AutodiffError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise DtypeError(f"{value} of dtype {self.dtype} cannot be converted: {error}") from error

    def __index__(self) -> int:
        if not np.issubdtype(self.dtype, np.integer) or self.shape:
            raise DtypeError(f"an index must be a single integer, got dtype {self.dtype} and shape {self.shape}")
        return int(self._as(int))

    def __format__(self, spec: str) -> str:
        return as_text(self._value) if isinstance(self._value, SymbolicValue) else format(self.numpy(), spec)

    __hash__ = object.__hash__

    if TYPE_CHECKING:
        # Set by the operations when they are imported; declared here for readers and type checkers.
        def _unary(self) -> Tensor: ...
        def _binary(self, other: Any) -> Tensor: ...
        def _method(self, *args: Any, **params: Any) -> Tensor: ...

        __neg__ = __pos__ = __abs__ = _unary
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _binary
        __floordiv__ = __mod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __getitem__ = _binary
        __lt__ = __le__ = __gt__ = __ge__ = _binary
        __eq__ = __ne__ = _binary  # type: ignore[assignment]

        T: Tensor
        sum = mean = prod = max = min = var = std = cumsum = cumprod = argmax = argmin = argsort = _method
        astype = round = abs = clip = dot = reshape = transpose = permute_dims = ravel = flatten = _method
        squeeze = swapaxes = take = _method


def add_method(name: str, function: Callable[..., Any] | property) -> None:
    """Make ``function`` a method of tensors and variables."""
    setattr(Value, name, function)
