"""Every operation knows what it costs; products exactly, the others by their family's count."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.rules import OPS


@pytest.mark.parametrize("key", sorted(OPS))
def test_every_operation_has_a_cost(key: str) -> None:
    x = np.ones((3, 4))
    inputs = (x, np.ones((4, 3))) if OPS[key].family == "bilinear" else (x,)
    cost = OPS[key].cost(x, *inputs)
    assert isinstance(cost, int)
    assert cost >= 0
    assert cost > 0 or OPS[key].value.__module__.endswith("shaping")


def test_products_and_sums_are_counted_from_shapes() -> None:
    """B21: 2mkn for a product of (m, k) and (k, n); nothing for a view."""
    a, b = np.ones((2, 3)), np.ones((3, 5))
    assert ak.matmul(a, b).shape == (2, 5)
    assert OPS["Matmul"].cost(a @ b, a, b) == 2 * 2 * 3 * 5
    assert OPS["Add"].cost(a, a, a) == 6
    assert OPS["Sum"].cost(np.float64(6.0), a) == 6
    assert OPS["Reshape"].cost(a.ravel(), a) == 0
