"""Operations that are told more than their arrays, and those on a list of arrays: what they take, and what they say."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.dispatch import applied, computed, record
from autodiff_kit.core.dual import Dual, carried
from autodiff_kit.core.tensor import Tensor, lift, normal
from autodiff_kit.errors import ArgumentError, AutodiffError, ShapeError

if TYPE_CHECKING:
    from autodiff_kit.core.operation import Op

__all__ = ["many", "with_params"]

Function = Callable[..., Any]


def with_params(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
    """Either face of an operation that is told more than its arrays."""
    names = tuple(parameters)
    known = _Accepted(op, parameters, arrays, prepare)
    rest, defaults, needed = names[arrays:], known.defaults, known.needed
    value = op.value

    def told(args: tuple[Any, ...], params: dict[str, Any]) -> dict[str, Any]:
        if len(args) == len(names):
            return dict(zip(rest, args[arrays:], strict=True))
        return {**defaults, **dict(zip(rest, args[arrays:], strict=False)), **params}

    def on_any(*args: Any, **params: Any) -> Tensor:
        if params or not needed <= len(args) <= len(names):
            args, params = known.sorted(args, params)
        operands = (lift(args[0]),) if arrays == 1 else tuple([lift(x) for x in args[:arrays]])
        params = told(args, params) if params or len(args) > arrays else defaults
        return applied(op, operands, known.prepared(operands, params))

    def on_values(*args: Any, **params: Any) -> Any:
        if type(args[0]) is np.ndarray and arrays == 1:
            return value(*args, **params)  # nearly all that rules ask for
        operands, params = args[:arrays], told(args, params)
        if any(type(x) is Dual for x in operands):
            return carried(op, operands, params)
        if not any(type(x) is Tensor for x in operands):
            return computed(op, operands, params)
        return applied(op, tuple([lift(x) for x in operands]), params)

    return on_any if public else on_values


def many(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
    """An operation on a list of arrays, such as concat."""
    known = _Accepted(op, parameters, 1, prepare)
    rest, defaults, most = tuple(parameters)[1:], known.defaults, len(parameters)

    def call(*args: Any, **params: Any) -> Any:
        if public and (params or not 1 <= len(args) <= most):
            args, params = known.sorted(args, params)
        arrays = args[0]
        params = {**defaults, **dict(zip(rest, args[1:], strict=False)), **params}
        if not public and any(type(x) is Dual for x in arrays):
            return carried(op, tuple(arrays), params, together=True)
        if not public and not any(type(x) is Tensor for x in arrays):
            return computed(op, (arrays,), params)
        tensors = known.several(arrays)
        if public:
            params = known.prepared((tensors,), params)
        values = tuple(t._value for t in tensors)
        y = normal(computed(op, (values,), params))
        return record(op, y, values, tuple(t.node for t in tensors), params)

    return call


class _Accepted:
    """What an operation may be given, and the error that says so."""

    def __init__(self, op: Op, parameters: Any, arrays: int, prepare: Function | None) -> None:
        self.op = op
        self.names = tuple(parameters)
        self.defaults = {n: p.default for n, p in parameters.items() if p.default is not inspect.Parameter.empty}
        self.needed = len(self.names) - len(self.defaults)
        self.arrays = arrays
        self.prepare = prepare

    def sorted(self, args: tuple[Any, ...], params: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arrays by place and the rest as given, if these are arguments of the operation."""
        names, known = self.names, self.names[: len(args)]
        if len(args) > len(names):
            raise self.error(f"{len(args)} arguments were given")
        for name in params:
            if name not in names or name in known:
                raise self.error(f"{name!r} was given twice" if name in known else f"it has no argument {name!r}")
        for name in names[len(args) : self.needed]:
            if name not in params:
                raise self.error(f"{name!r} is missing")
        extra = tuple([params[name] for name in names[len(args) : self.arrays]])
        return args + extra, {k: value for k, value in params.items() if k not in names[: self.arrays]}

    def prepared(self, operands: tuple[Any, ...], params: dict[str, Any]) -> dict[str, Any]:
        """The parameters in the form in which the operation keeps them."""
        if self.prepare is None:
            return params
        try:
            prepared: dict[str, Any] = self.prepare(*operands, **params)
        except AutodiffError:
            raise
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            raise self.error(str(error)) from error
        return prepared

    def several(self, arrays: Any) -> tuple[Tensor, ...]:
        """The members of a list of arrays, as tensors."""
        try:
            tensors = tuple([lift(x) for x in arrays])
        except AutodiffError:
            raise
        except TypeError as error:
            raise self.error(f"a list of arrays is needed, got {type(arrays).__name__}") from error
        if not tensors:
            raise ShapeError(f"{self.op.name} needs at least one array")
        return tensors

    def error(self, trouble: str) -> ArgumentError:
        """The error, with the arguments that would do."""
        said = [n if n not in self.defaults else f"{n}={self.defaults[n]!r}" for n in self.names]
        return ArgumentError(f"{self.op.name}: {trouble}. It takes ({', '.join(said)}).")
