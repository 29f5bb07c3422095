"""An elementwise operation is tested as soon as its block exists, without another line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from autodiff_kit.core.operation import OPS, v
from autodiff_kit.ops.families import elementwise, nondifferentiable

from . import test_rules
from .case import Case
from .generated import elementwise_cases, elementwise_operations, expected_value, is_elementwise


@pytest.fixture(autouse=True)
def _table_as_before() -> Iterator[None]:
    operations, values = dict(OPS), dict(vars(v))
    yield
    for table, before in ((OPS, operations), (vars(v), values)):
        table.clear()
        table.update(before)


def failed_properties(cases: list[Case]) -> set[str]:
    return {property for case in cases for property in test_rules.failures(case)}


def test_the_block_of_an_operation_with_one_input_is_enough() -> None:
    @elementwise(lambda g, _y, x: g / ((1.0 + v.abs(x)) * (1.0 + v.abs(x))))
    def softsign_of_a_test(x: Any) -> Any:
        return np.divide(x, 1.0 + np.abs(x)).astype(np.result_type(x, np.float16), copy=False)

    assert "SoftsignOfATest" in elementwise_operations()
    cases = list(elementwise_cases(OPS["SoftsignOfATest"]))
    assert len(cases) == 4
    assert failed_properties(cases) == set()


def test_the_block_of_an_operation_with_two_inputs_is_enough() -> None:
    @elementwise(lambda g, _y, _a, b: g * b, lambda g, _y, a, _b: g * a)
    def product_of_a_test(a: Any, b: Any) -> Any:
        return np.multiply(a, b)

    cases = list(elementwise_cases(OPS["ProductOfATest"]))
    assert len(cases) == 6
    assert failed_properties(cases) == set()


def test_a_wrong_derivative_is_found() -> None:
    @elementwise(lambda g, _y, x: g * v.sin(x))
    def sine_of_a_test(x: Any) -> Any:
        return np.sin(x)

    failed = failed_properties(list(elementwise_cases(OPS["SineOfATest"])))
    assert {"vjp_against_differences", "jvp_against_differences"} <= failed


def test_an_operation_with_parameters_needs_a_case() -> None:
    """Its cases are not generated, so the list of operations without a case names it."""

    @elementwise(lambda g, _y, _x, *, factor: g * factor)
    def scaled_of_a_test(x: Any, factor: float = 2.0) -> Any:
        return np.multiply(x, factor)

    assert not is_elementwise(OPS["ScaledOfATest"])
    with pytest.raises(AssertionError, match=r"a line in tests/rules/cases\.py: \['ScaledOfATest'\]"):
        test_rules.test_every_operation_has_a_case()


def test_the_expected_value_is_numpys_where_numpy_has_the_function() -> None:
    @nondifferentiable()
    def i0(x: Any) -> Any:
        return x

    assert expected_value(OPS["I0"]) is np.i0
    assert expected_value(OPS["Tanh"]) is np.tanh
