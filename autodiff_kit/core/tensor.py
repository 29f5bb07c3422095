"""Values: immutable tensors, and variables that an optimizer moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autodiff_kit.core.record import ArrayNode, Like, Node, Reading, Record, join, leaf, members, open_records
from autodiff_kit.errors import DtypeError, ShapeError, TapeError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Tensor",
    "Value",
    "Variable",
    "constant",
    "follow_variable",
    "lift",
    "make",
    "method",
    "normal",
    "plain",
]


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
    array = np.asarray(value)
    if array.dtype == object:
        raise DtypeError(
            f"a value of type {kind.__name__} is not a number or an array of numbers. "
            "Give numbers, arrays, or nested lists of equal lengths."
        )
    return float(array) if array.ndim == 0 and array.dtype == np.float64 else array


def plain(value: Any) -> Any:
    """The number or array inside a tensor or variable; anything else as it is."""
    return value._value if isinstance(value, Value) else value


def make(value: Any, node: Node | None = None) -> Tensor:
    """A tensor around a value that is in the kit's own form already."""
    if type(node) is Tensor:
        return node  # a scalar's node is its tensor
    tensor = Tensor()
    tensor._value = value
    tensor._node = node
    tensor.record = None
    return tensor


def lift(value: Any) -> Tensor:
    """A tensor for whatever stands as an operand: a tensor, a variable, an array, a list or a number."""
    if type(value) is Tensor:
        return value
    if isinstance(value, Variable):
        return value.read_value()
    own = normal(value)
    # An array of the user's may be written to later, and the record must not notice.
    return make(own.copy() if type(own) is np.ndarray and own.flags.writeable else own)


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
        return np.shape(self._value)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype of the entries."""
        return np.dtype(np.float64) if type(self._value) is float else self._value.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return np.ndim(self._value)

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.size(self._value))

    def numpy(self) -> np.ndarray[Any, Any]:
        """The values as a read-only array; it is off the record."""
        array = np.asarray(self._value)
        array.flags.writeable = False
        return array

    def item(self) -> Any:
        """The one entry, as a Python number."""
        return self.numpy().item()

    def tolist(self) -> Any:
        """The entries as nested lists of Python numbers."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy:
            return np.array(self._value, dtype=dtype)
        array = self.numpy()
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
        function = self._numpy.get(func.__name__)
        if function is None:
            raise DtypeError(
                f"np.{func.__name__} has no derivative in the kit. "
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
        return bool(self._value)

    def __float__(self) -> float:
        return float(self._value)

    def __int__(self) -> int:
        return int(self._value)

    def __index__(self) -> int:
        if not np.issubdtype(self.dtype, np.integer) or self.shape:
            raise DtypeError(f"only a whole number can be an index, not {self.dtype} of shape {self.shape}")
        return int(self._value)

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec)

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


class Tensor(Value, Node):
    """An immutable array that a tape can follow.

    Made by :func:`constant` and by every operation. A float64 scalar is kept as a Python float, which is several times
    faster than an array without axes; :meth:`numpy` gives an array either way.

    Notes
    -----
    **Dtypes.** NumPy's: a Python float becomes float64, integers stay integers.
    """

    __slots__ = ("_node", "_value")  # no weak references: they would cost each operation 3 %
    _node: Node | None  # of an array; a scalar is its own

    @property
    def node(self) -> Node | None:
        """The entry of this value on a record; None where no tape follows it."""
        return self if self.record is not None else self._node

    def follow(self, record: Record) -> Node:
        """Put this value on a record: as a leaf, or as one value on several records."""
        node = self.node
        if node is not None:
            node.record = join(node.record, record) or record
        elif type(self._value) is float:
            node = leaf(self, record)
        else:
            own = ArrayNode()
            own.like = Like(self._value.shape, self._value.dtype)
            node = self._node = leaf(own, record)
        return node

    @property
    def name(self) -> str | None:
        """The name that was given, or None."""
        name: str | None = self.get("name")
        return name

    def register_hook(self, function: Callable[[Tensor], Any]) -> None:
        """See, and if wanted replace, the gradient that passes this value on its way back.

        Parameters
        ----------
        function : callable
            Gets the gradient as a Tensor; what it returns takes the gradient's place, None leaves it.

        Raises
        ------
        TapeError
            If no tape has this value on its record.
        """
        node = self.node
        if node is None:
            raise TapeError("no tape follows this value: watch a source first, then register the hook")
        for record in members(node.record):
            record.hooks.setdefault(node, []).append(function)

    def __repr__(self) -> str:
        text = np.array2string(np.asarray(self._value), separator=", ", threshold=50)
        named = f", name={self.name!r}" if self.name else ""
        return f"Tensor({text}, shape={self.shape}, dtype={self.dtype}{named})"


def constant(value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor with the given values.

    Parameters
    ----------
    value : array_like
        Numbers, nested lists, an array, or a tensor. Arrays are copied.
    dtype : dtype, optional
        By default NumPy's: float64 for Python floats, int64 for Python integers.
    name : str, optional
        Shown in tables and errors.

    Returns
    -------
    Tensor

    Raises
    ------
    DtypeError
        If the value is not numbers (a ragged list, text, an object).

    Notes
    -----
    **Gradient.** A constant is followed only after ``tape.watch``.

    Examples
    --------
    >>> ak.constant([1.0, 2.0])
    Tensor([1., 2.], shape=(2,), dtype=float64)
    """
    tensor = make(_owned(value, dtype))
    if name is not None:
        tensor.put("name", name)
    return tensor


def _owned(value: Any, dtype: Any) -> Any:
    try:
        array = np.array(plain(value), dtype=dtype)
    except ValueError as error:
        raise DtypeError(f"these values do not make an array: {error}") from error
    if array.dtype.kind not in "biufc":
        raise DtypeError(f"a tensor holds numbers, got dtype {array.dtype}")
    return normal(array)


class Variable(Value):
    """A value that can be assigned, and that tapes follow by themselves.

    Parameters
    ----------
    value : array_like
        The first value; it is copied.
    trainable : bool, optional
        Whether tapes watch it on access.
    name : str, optional
        Shown in tables and errors.
    dtype : dtype, optional
        By default NumPy's.
    constraint : callable, optional
        Applied to the new value after each step of an optimizer.

    Notes
    -----
    **Gradient.** Assignment writes a number, not a history: what was assigned has no path back to where it came from.

    Examples
    --------
    >>> w = ak.Variable([1.0, 2.0], name="w")
    >>> w.assign_add([0.5, 0.5]).numpy()
    array([1.5, 2.5])
    """

    __slots__ = ("__weakref__", "_name", "_value", "constraint", "trainable")

    def __init__(
        self,
        value: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        constraint: Callable[[Any], Any] | None = None,
    ) -> None:
        self._value = _owned(value, dtype)
        self._name = name
        self.trainable = trainable
        self.constraint = constraint

    @property
    def name(self) -> str | None:
        """The name that was given, or None."""
        return self._name

    @property
    def like(self) -> Like | None:
        """Shape and dtype, or None for a float64 scalar."""
        return None if type(self._value) is float else Like(self._value.shape, self._value.dtype)

    def assign(self, value: Any) -> Variable:
        """Put a new value in place of the old one; shape and dtype stay."""
        if type(value) is float and type(self._value) is float:
            self._value = value
            return self
        new = _owned(value, self.dtype)
        if np.shape(new) != self.shape:
            raise ShapeError(
                f"variable {self.name or ''} has shape {self.shape}, the new value {np.shape(new)}. "
                "A variable keeps its shape; make a new one for another shape."
            )
        self._value = new
        return self

    def assign_add(self, value: Any) -> Variable:
        """Add to the value in place."""
        return self.assign(self._value + plain(value))

    def assign_sub(self, value: Any) -> Variable:
        """Subtract from the value in place."""
        return self.assign(self._value - plain(value))

    def read_value(self) -> Tensor:
        """The present value as a tensor, on the record of every open tape that watches this variable."""
        records = open_records.records
        if not records:
            return make(self._value)
        hit = records[-1].leaves.get(id(self))
        if hit is not None and hit.latest._value is self._value:
            tensor: Tensor = hit.latest
            return tensor
        return _read(self, records)

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        return f"Variable({np.array2string(np.asarray(self._value), separator=', ', threshold=50)}{named})"


def _read(variable: Variable, records: list[Record]) -> Tensor:
    """Read a variable whose tensor on the innermost record is missing or out of date."""
    record = records[-1]
    if len(records) == 1 and id(variable) not in record.leaves:  # the first reading inside the only tape
        first = make(variable._value)
        if record.automatic and variable.trainable and record.page is not None:
            first.follow(record)
        if record.page is not None:
            record.leaves[id(variable)] = Reading(variable, first, first)
        return first
    known = [r for r in records if _watches(r, variable)]
    wanting = [r for r in records if r in known or (r.automatic and variable.trainable and r.page is not None)]
    latest: Tensor = known[0].leaves[id(variable)].latest if known else make(variable._value)
    if latest._value is not variable._value:  # assigned since; gradients of all readings meet at the first
        from autodiff_kit.core.rules import reread

        latest = reread(known[0].leaves[id(variable)].first, variable._value)
    for record in wanting:
        if record.page is not None and record not in known:
            latest.follow(record)
    innermost = [records[-1]] if records[-1].page is not None and records[-1] not in wanting else []
    for record in [*wanting, *innermost]:  # one that pauses will want to watch the next reading itself
        first = record.leaves[id(variable)].first if record in known else latest
        record.leaves[id(variable)] = Reading(variable, first, latest)
    return latest


def follow_variable(variable: Variable, record: Record) -> Node:
    """Put a variable on a record that does not watch variables by itself."""
    tensor = variable.read_value()
    node = tensor.follow(record)
    for known in open_records.records:
        if known is record or id(variable) in known.leaves:
            first = known.leaves[id(variable)].first if _watches(known, variable) else tensor
            known.leaves[id(variable)] = Reading(variable, first, tensor)
    return node


def _watches(record: Record, variable: Variable) -> bool:
    hit = record.leaves.get(id(variable))
    node = hit.first.node if hit is not None else None
    return node is not None and record in members(node.record)
