"""NumPy itself. Only what makes arrays out of lists needs help: NumPy asks no protocol there."""

import sys
import types

import numpy as _np

import autodiff_kit as _ak

from ..core import clean as _clean

_SELF = sys.modules[__name__]


def _holds_tensor(value):
    if isinstance(value, (list, tuple)):
        return any(_holds_tensor(part) for part in value)
    return isinstance(value, _ak.Tensor)


def array(value, *args, **options):
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _ak.stack([array(part) for part in value])
    return value if isinstance(value, _ak.Tensor) else _np.array(value, *args, **options)


def asarray(value, *args, **options):
    return array(value, *args, **options)


def _forwarded(function):
    def run(*args, **options):
        joins = getattr(function, "__name__", "") in _OF_LISTS
        args = [array(a) if isinstance(a, (list, tuple)) and _holds_tensor(a) and not joins else a for a in args]
        return _clean(function(*args, **options))

    run.__name__ = getattr(function, "__name__", "function")
    run.fun = function
    return run


_OF_LISTS = {
    "concatenate", "stack", "vstack", "row_stack", "hstack", "dstack", "column_stack", "block", "select",
    "array_split", "einsum",
}  # fmt: skip


def _module(name, real):
    module = types.ModuleType(name)
    for attribute in dir(real):
        if not attribute.startswith("_") and attribute != "test":
            found = getattr(real, attribute)
            plain = isinstance(found, (type, types.ModuleType)) or not callable(found)
            setattr(module, attribute, found if plain else _forwarded(found))
    sys.modules[name] = module
    return module


linalg = _module(f"{__name__}.linalg", _np.linalg)
fft = _module(f"{__name__}.fft", _np.fft)
random = sys.modules[f"{__name__}.random"] = _np.random


def __getattr__(name):
    found = getattr(_np, name)
    if isinstance(found, (type, types.ModuleType)) or not callable(found):
        return found
    wrapped = _forwarded(found)
    setattr(_SELF, name, wrapped)
    return wrapped
