"""What the package's own examples see, and how many examples Hypothesis draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from autodiff_kit.extras import installed

# Recorders of libraries that are not installed here cannot be imported.
collect_ignore_glob = [] if installed("torch") else ["autodiff_kit/recorders/pytorch/*"]
collect_ignore_glob += [] if installed("jax") else ["autodiff_kit/recorders/jax/*"]

_COMMON: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", max_examples=20, derandomize=True, database=None, **_COMMON)
settings.register_profile("full", max_examples=500, stateful_step_count=60, **_COMMON)


def pytest_configure(config: pytest.Config) -> None:
    """Few examples, always the same, unless everything is asked for."""
    settings.load_profile("full" if config.getoption("--all", default=False) else "default")


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Iterator[None]:
    """Gradients that a test or an example registers are forgotten; a tape that it leaves open is an error."""
    from autodiff_kit.core import record
    from autodiff_kit.ops import gradient_override

    before = dict(gradient_override._RULES)
    yield
    gradient_override._RULES.clear()
    gradient_override._RULES.update(before)
    left = len(record.open_records.records)
    record.open_records.records.clear()
    assert not left, f"{left} tapes or accumulators were left open"


@pytest.fixture(autouse=True)
def _names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    import autodiff_kit as ak

    doctest_namespace.update(ak=ak, np=np)
