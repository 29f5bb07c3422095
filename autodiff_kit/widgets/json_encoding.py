"""JSON encoding of widget state: arrays as lists, nan and infinities as the words "nan", "inf" and "-inf"."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value

__all__ = ["encode"]

_WORDS = {math.inf: "inf", -math.inf: "-inf"}


def encode(value: Any) -> Any:
    """A value in the form in which it travels.

    Parameters
    ----------
    value : number, str, None, ndarray, Tensor, or lists, tuples and dicts of them

    Returns
    -------
    object
        Of JSON's types; nan, inf and -inf are the words ``"nan"``, ``"inf"`` and ``"-inf"``.

    Examples
    --------
    >>> encode({"w": np.array([1.0, np.nan]), "t": None})
    {'w': [1.0, 'nan'], 't': None}
    """
    if type(value) is float:  # by far the most
        return value if math.isfinite(value) else _word(value)
    if isinstance(value, dict):
        return {str(key): encode(entry) for key, entry in value.items()}
    if isinstance(value, (np.ndarray, np.generic, Value)):
        array = np.asarray(value)
        finite = array.dtype.kind == "f" and np.isfinite(array).all()
        return array.tolist() if finite else encode(array.tolist())
    if isinstance(value, (list, tuple)):
        return [encode(entry) for entry in value]
    return _word(value) if isinstance(value, float) else value


def _word(value: float) -> Any:
    return "nan" if math.isnan(value) else _WORDS.get(value, value)
