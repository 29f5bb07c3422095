"""Every operation of the kit, compiled: values, gradients and tangents are those of the eager run."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

from .python_kernels import build

sys.path.insert(0, str(Path(__file__).parents[1]))
_cases = importlib.import_module("rules.cases")
_harness = importlib.import_module("rules.harness")
sys.path.pop(0)


def assert_same(found: Any, expected: Any, dtype: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    eps = float(np.finfo(dtype).eps)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=64 * eps, atol=64 * eps * scale)


@pytest.mark.parametrize("case", _cases.CASES, ids=lambda case: case.name)
def test_value_gradient_and_tangent(case: Any, every_case: bool) -> None:
    has_gradient = case.key not in _cases.WITHOUT_GRADIENT
    if every_case or not has_gradient:  # a function that gives the gradient gives the value too
        assert_the_value_is_that_of_the_eager_run(case, every_case)
    if has_gradient:
        assert_gradient_and_tangent_are_those_of_the_eager_run(case, every_case)


def assert_the_value_is_that_of_the_eager_run(case: Any, every_case: bool) -> None:
    for dtype in ("float64", "float32", "float16")[: 3 if every_case else 1]:
        arrays = _harness.drawn(case, dtype)
        compiled = ak.compile(case.call)
        expected = case.call(*map(ak.constant, arrays))
        assert_same(compiled(*map(ak.constant, arrays)), expected, dtype)
        build(compiled)
        for _ in range(2):
            assert_same(compiled(*map(ak.constant, arrays)), expected, dtype)
        assert compiled.trace_count == 1


def assert_gradient_and_tangent_are_those_of_the_eager_run(case: Any, every_case: bool) -> None:
    for dtype in ("float64", "float32")[: 2 if every_case else 1]:
        arrays = _harness.drawn(case, dtype)
        given = list(map(ak.constant, [*arrays, *_harness.directions(case, arrays)]))
        both = value_gradients_and_tangent(case, dtype)
        compiled = ak.compile(both)
        value2, tangent2, *slopes2 = both(*given)
        for _ in range(2):
            value, tangent, *slopes = compiled(*given)
            assert_same(value, value2, dtype)
            assert_same(tangent, tangent2, dtype)
            for a, b in zip(slopes, slopes2, strict=True):
                assert_same(a, b, dtype)
            build(compiled)


def value_gradients_and_tangent(case: Any, dtype: str) -> Any:
    """A function of the inputs of a case and of a direction of each."""
    arrays = _harness.drawn(case, dtype)
    w = _harness.weights(case, np.shape(case.call(*map(ak.constant, arrays))), dtype)

    def loss(*xs: Any) -> Any:
        return (case.call(*xs) * w).sum()

    def both(*given: Any) -> Any:
        xs, ts = list(given[: len(arrays)]), list(given[len(arrays) :])
        value, slopes = ak.value_and_grad(loss, tuple(range(len(xs))))(*xs)
        return value, ak.jvp(case.call, xs, ts)[1], *slopes

    return both
