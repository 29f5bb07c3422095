"""The dtypes of what each operation returns, for inputs of several kinds. It runs in the engine and on the desktop."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from typing import Any
from unittest.mock import MagicMock

import numpy as np

KINDS = ("float64", "float32", "int64", "int32", "int8", "bool")


def main(rules: str) -> dict[str, str]:
    """The dtypes by case and kind of input; for a call that fails, the name of its exception.

    ``rules`` is the package of the operations' cases, whose formulas by SciPy are not called here.
    """
    if importlib.util.find_spec("scipy") is None:  # where it is, the operations use it
        sys.modules["scipy"] = MagicMock()
    cases = importlib.import_module(f"{rules}.cases")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(dtypes_of_cases(cases.CASES)) | dict(dtypes_without_gradient(cases.WITHOUT_GRADIENT))


def dtypes_of_cases(cases: Any) -> Any:
    for place, case in enumerate(cases):  # a label may hold an array, which is not written alike everywhere
        arrays = case.inputs(np.random.default_rng(1))
        for kind in KINDS:
            yield f"{place} {case.key}: {kind}", dtypes(case.call, [one.round().astype(kind) for one in arrays])
        yield (
            f"{place} {case.key}: numbers",
            dtypes(case.call, [one.round().astype("int64").tolist() for one in arrays]),
        )


def dtypes_without_gradient(calls: Any) -> Any:
    for key, (call, _) in calls.items():
        for kind in KINDS:
            one, two = np.array([[1, 0, 2], [3, 3, 1]], kind), np.array([2, 1, 1], kind)
            yield f"{key}, one input: {kind}", dtypes(call, [one])
            yield f"{key}, two inputs: {kind}", dtypes(call, [one, two])
        yield f"{key}, one input: numbers", dtypes(call, [[1, 0, 2]])
        yield f"{key}, two inputs: numbers", dtypes(call, [[1, 0, 2], 2])


def dtypes(call: Any, inputs: list[Any]) -> str:
    try:
        found = call(*inputs)
    except Exception as error:  # noqa: BLE001 - the same one is expected on both
        return type(error).__name__
    return ", ".join(
        str(getattr(one, "dtype", type(one).__name__))
        for one in (found if isinstance(found, tuple | list) else [found])
    )
