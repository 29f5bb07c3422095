"""Arrays joined, shifted and padded in compiled plans: native units that copy blocks, also inside loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now

END = np.full(1, 2.0)

SHIFTS: dict[str, Any] = {
    "roll": lambda u: ak.roll(u, 1) + ak.roll(u, -3),
    "roll of two axes": lambda u: ak.ravel(ak.roll(ak.reshape(u, (3, 4)), (1, -1), (0, 1))),
    "roll by the length": lambda u: ak.roll(u, 12) + ak.roll(ak.reshape(u, (3, 4)), 0, 0).reshape(12),
    "roll over all entries": lambda u: ak.ravel(ak.roll(ak.reshape(u, (3, 4)), 5)),
    "joined": lambda u: ak.concat([u[4:], u[:4]]),
    "constants at the ends": lambda u: ak.concat(
        [END.astype(u.dtype), u[2:] - 2.0 * u[1:-1] + u[:-2], END.astype(u.dtype)]),
    "a computed number at the end": lambda u: ak.concat([u[2:] - 2.0 * u[1:-1], 0.5 * u[:1], u[:1]]),
    "columns": lambda u: ak.concat([ak.reshape(u, (4, 3))[:, 1:], ak.reshape(u, (4, 3))[:, :1]], 1).reshape(12),
    "columns of every second row": lambda u: ak.ravel(
        ak.concat([ak.reshape(u, (6, 2))[::2], ak.reshape(u, (6, 2))[1::2]], 1)),
    "transposed": lambda u: ak.concat([ak.reshape(u, (3, 4)).T[:2], ak.reshape(u, (3, 4)).T[2:] * 2.0]).reshape(12),
    "many short rows": lambda u: ak.concat([ak.reshape(ak.tile(u, 40), (240, 2))] * 2, 1).reshape(-1)[:12],
}  # fmt: skip


def in_kernels(f: Any, *args: Any) -> Any:
    compiled = ak.compile(f)
    compiled(*args)
    build_kernels_now(compiled)
    return compiled


def steps(shift: Any) -> Any:
    """The loss after some steps of a field that its neighbours move."""

    def loss(u: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            place, speed = carry
            speed = speed + 0.1 * shift(place)
            return (place + 0.1 * speed, speed), speed

        (place, _), speeds = ak.scan(step, (u, u * 0.0), length=5)
        return ak.sum(place * place) + ak.sum(speeds)

    return loss


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", list(SHIFTS))
def test_values_and_gradients_are_those_of_eager_operations(name: str, dtype: Any) -> None:
    u = np.random.default_rng(0).normal(size=12).astype(dtype)
    tolerance = 1e-5 if dtype is np.float32 else 1e-12
    for loss in (lambda u: ak.sum(ak.sin(SHIFTS[name](u)) * u), steps(SHIFTS[name])):
        f = ak.value_and_grad(loss)
        compiled = in_kernels(f, u)
        for _ in range(2):  # zeros around an array must be written again
            for found, expected in zip(compiled(u), f(u), strict=True):
                assert found.dtype == expected.dtype
                np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["roll", "joined", "constants at the ends"])
def test_a_loop_whose_arrays_are_shifted_runs_in_native_code(name: str, dtype: Any) -> None:
    """In float32 as well: the reverse steps multiply by the numbers 0.1, which must not make float64 of it."""
    compiled = in_kernels(ak.value_and_grad(steps(SHIFTS[name])), np.arange(12, dtype=dtype))
    assert compiled.plan.loops
    assert all(step.loop.run_native is not None for step in compiled.plan.loops)
