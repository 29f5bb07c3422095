"""Functions of operations for use inside rules: arrays give arrays; tensors and tracers are dispatched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.fast_dispatch import FLOAT_ERRORS
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.operation import Op
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import Tracer, highest_tracer

__all__ = ["binary_on_values", "unary_on_values"]

Function = Callable[..., Any]


def unary_on_values(op: Op, public: Function) -> Function:
    """The function for rules of an operation on one value: arrays give arrays."""
    value, scalar = op.value, op.scalar

    def call(x: Any) -> Any:
        if type(x) is float and scalar is not None:
            try:
                return scalar(x)
            except FLOAT_ERRORS:
                return canonical(value(np.float64(x)))
        if type(x) is np.ndarray:
            return value(x)
        if type(x) is Tensor:
            return public(x)
        return x.apply(op, (x,), {}) if isinstance(x, Tracer) else value(x)

    return call


def binary_on_values(op: Op, public: Function) -> Function:
    """The function for rules of an operation on two values."""
    value = op.value

    def call(a: Any, b: Any) -> Any:
        if type(a) is np.ndarray and type(b) is np.ndarray:
            return value(a, b)  # the common case inside rules
        if type(a) is Tensor or type(b) is Tensor:
            return public(a, b)
        if isinstance(a, Tracer) or isinstance(b, Tracer):
            return highest_tracer((a, b)).apply(op, (a, b), {})  # type: ignore[union-attr]
        return value(a, b)

    return call
