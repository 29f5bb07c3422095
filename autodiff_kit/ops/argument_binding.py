"""Operations with parameters or a list of inputs: argument binding and its errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autodiff_kit.core.dispatch import apply_op, compute, explain_failure, record_op
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import highest_tracer
from autodiff_kit.errors import ArgumentError, AutodiffError, ConcretizationError, ShapeError
from autodiff_kit.pytree import flatten

if TYPE_CHECKING:
    from autodiff_kit.core.operation import Op

__all__ = ["describe_structure", "lists_as_arrays", "parameter_function", "sequence_function"]

Function = Callable[..., Any]
_OF_ARGUMENTS = (TypeError, ValueError, IndexError, OverflowError)


def parameter_function(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
    """A function of an operation with parameters: the public one, or the one for rules."""
    binder = _ArgumentBinder(op, parameters, arrays, prepare)
    if not public:
        return _function_for_rules(op, arrays, binder)
    needed, most, prepare = binder.needed, len(binder.names), binder.prepare
    bound: set[Any] = set()  # how it was called before: so many arguments by position, and these by name

    def on_several(*args: Any, **params: Any) -> Tensor:
        if params or not needed <= len(args) <= most:
            args, params = binder.bind(args, params)
        operands = tuple([as_tensor(x) for x in args[:arrays]])
        return apply_op(op, operands, binder.prepare_parameters(operands, args[arrays:], params))

    def on_one(*args: Any, **params: Any) -> Tensor:  # the same with `apply_op` written in line
        if (params or not needed <= len(args) <= most) and (way := (len(args), *params)) not in bound:
            args, params = binder.bind(args, params)
            if way[0]:  # then they stay as they are
                bound.add(way)
        x = args[0] if type(args[0]) is Tensor else as_tensor(args[0])
        try:
            params = prepare(x, *args[1:], **params)
        except Exception as error:  # noqa: BLE001 - an unknown exception is raised again
            binder.explain(error)
        z = x._value
        try:
            y = op.value(z, **params)
        except Exception as error:  # noqa: BLE001 - an unknown exception is raised again
            y = explain_failure(error, op, (z,), params)
        if type(y) is not np.ndarray or not y.ndim or not y.dtype.isnative:
            y = canonical(y)
        node = x if x.record is not None else x._node
        return wrap(y) if node is None else record_op(op, y, (z,), (node,), params, 2)

    return on_one if arrays == 1 else on_several


def _function_for_rules(op: Op, arrays: int, binder: _ArgumentBinder) -> Function:
    """A function of an operation with parameters that takes plain values as well, and checks no parameters."""
    value, rest, defaults = op.value, binder.names[arrays:], binder.defaults

    def on_values(*args: Any, **params: Any) -> Any:
        if type(args[0]) is np.ndarray and (arrays == 1 or (arrays == 2 and type(args[1]) is np.ndarray)):
            try:
                return value(*args, **params)  # the common case inside rules
            except ConcretizationError as error:  # numbers at a symbolic index: the call is recorded
                return explain_failure(error, op, args, params)
        operands, params = args[:arrays], {**defaults, **dict(zip(rest, args[arrays:], strict=False)), **params}
        if any(type(x) is Tensor for x in operands):
            return apply_op(op, tuple([as_tensor(x) for x in operands]), params)
        tracer = highest_tracer(operands)
        return compute(op, operands, params) if tracer is None else tracer.apply(op, operands, params)

    return on_values


def sequence_function(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
    """A function of an operation on a list of arrays, such as concat: the public one, or the one for rules."""
    binder = _ArgumentBinder(op, parameters, 1, prepare)
    rest, defaults, most = binder.names[1:], binder.defaults, len(parameters)

    def call(*args: Any, **params: Any) -> Any:
        if public and (params or not 1 <= len(args) <= most):
            args, params = binder.bind(args, params)
        arrays = args[0]
        if public:
            tensors = binder.as_tensors(arrays)
            params = binder.prepare_parameters((tensors,), args[1:], params)
        else:
            params = {**defaults, **dict(zip(rest, args[1:], strict=False)), **params}
            if not any(type(x) is Tensor for x in arrays):
                tracer = highest_tracer(arrays)
                return compute(op, (arrays,), params) if tracer is None else tracer.apply(op, (arrays,), params)
            tensors = binder.as_tensors(arrays)
        values = tuple(t._value for t in tensors)
        y = canonical(compute(op, (values,), params))
        return record_op(op, y, values, tuple(t.node for t in tensors), params)

    return call


def lists_as_arrays(tree: Any) -> Any:
    """A pytree in which a list of numbers, or of lists of numbers, is one array, as for every operation."""
    if type(tree) is list and tree and all(type(x) in (float, int, bool) for x in flatten(tree)):
        return as_tensor(tree)
    if type(tree) is list or type(tree) is tuple:
        return type(tree)(map(lists_as_arrays, tree))
    return {key: lists_as_arrays(x) for key, x in tree.items()} if type(tree) is dict else tree


class _ArgumentBinder:
    """Bind the arguments of an operation to its inputs and parameters; an error lists the arguments that it takes."""

    def __init__(self, op: Op, parameters: Any, arrays: int, prepare: Function | None) -> None:
        self.op = op
        self.names = tuple(parameters)
        self.defaults = {n: d for n, d in parameters.items() if d is not inspect.Parameter.empty}
        self.needed = len(self.names) - len(self.defaults)
        self.arrays = arrays
        self.prepare = prepare or self._take

    def bind(self, args: tuple[Any, ...], params: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arrays by position and the other arguments as given; raises if they do not fit the operation."""
        names, binder = self.names, self.names[: len(args)]
        if len(args) > len(names):
            raise self.error(f"got {len(args)} arguments")
        for name in params:
            if name not in names or name in binder:
                raise self.error(f"{name!r} was given twice" if name in binder else f"it has no argument {name!r}")
        for name in names[len(args) : self.needed]:
            if name not in params:
                raise self.error(f"{name!r} is missing")
        extra = tuple([params[name] for name in names[len(args) : self.arrays]])
        return args + extra, {k: value for k, value in params.items() if k not in names[: self.arrays]}

    def _take(self, *args: Any, **params: Any) -> dict[str, Any]:
        """The parameters as they are given, and the defaults of the others."""
        given = args[self.arrays :]
        return self.defaults | (dict(zip(self.names[self.arrays :], given, strict=False)) if given else {}) | params

    def prepare_parameters(
        self, operands: tuple[Any, ...], args: tuple[Any, ...], params: dict[str, Any]
    ) -> dict[str, Any]:
        """The parameters in the form in which the operation saves them, from those by position and by name."""
        try:
            return self.prepare(*operands, *args, **params)
        except Exception as error:  # noqa: BLE001 - an unknown exception is raised again
            self.explain(error)

    def explain(self, error: Exception) -> NoReturn:
        """Raise the error of a function that prepares parameters, with the arguments that the operation takes."""
        if not isinstance(error, AutodiffError) and isinstance(error, _OF_ARGUMENTS):
            raise self.error(str(error)) from error
        raise error

    def as_tensors(self, arrays: Any) -> tuple[Tensor, ...]:
        """The members of a list of arrays, as tensors."""
        try:
            tensors = tuple([as_tensor(x) for x in arrays])
        except AutodiffError:
            raise
        except TypeError as error:
            raise self.error(f"expected a list of arrays, got {type(arrays).__name__}") from error
        if not tensors:
            raise ShapeError(f"{self.op.name} needs at least one array")
        return tensors

    def error(self, trouble: str) -> ArgumentError:
        """The error, with the arguments that the operation takes."""
        said = [n if n not in self.defaults else f"{n}={self.defaults[n]!r}" for n in self.names]
        return ArgumentError(f"{self.op.name}: {trouble}. It takes ({', '.join(said)}).")


def describe_structure(result: Any, leaves: list[Any]) -> str:
    """A pytree with its leaves, for error messages."""
    return f"a {type(result).__name__} of {len(leaves)}" if isinstance(result, (list, tuple, dict)) else "one value"
