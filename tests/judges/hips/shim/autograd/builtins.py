"""Containers: the kit differentiates Python's own."""

import builtins as _builtins

import numpy as _np

from autodiff_kit import Tensor as _Tensor

list, tuple, dict = _builtins.list, _builtins.tuple, _builtins.dict


def isinstance(value, kind):
    if _builtins.isinstance(value, _Tensor):
        value = value.numpy() if value.ndim else float(value)
    return _builtins.isinstance(value, kind)


def type(value):
    return _np.ndarray if _builtins.isinstance(value, _Tensor) else _builtins.type(value)
