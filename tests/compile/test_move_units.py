"""Operations that move entries in compiled plans: native units that copy blocks, also inside loops."""

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
    "a computed number joined": lambda u: ak.concat([u[1:], ak.reshape(ak.sum(u) * 0.1, (1,))]),
    "reversed": lambda u: u[::-1] + ak.flip(ak.reshape(u, (3, 4)), (0, 1)).reshape(12)[::-1],
    "one axis reversed": lambda u: ak.flip(ak.reshape(u, (3, 4)), 1).reshape(12),
    "permuted": lambda u: u[np.arange(12) * 5 % 12],
    "repeated and negative indices": lambda u: u[np.array([0, 0, -1, 3, 3, 3, -12, 5, 6, 7, 8, 9])],
    "rows and columns": lambda u: ak.tile(ak.reshape(u, (3, 4))[[2, 0], 1:3].reshape(4), 3),
    "masked": lambda u: ak.concat([u[np.arange(12) % 3 == 1], u[np.arange(12) % 3 != 1]]),
    "entries replaced": lambda u: u.at[1:-1].set(0.5 * (u[2:] + u[:-2])),
    "entries replaced by a number": lambda u: u.at[np.array([0, -1])].set(1.5) + u.at[0].set(0),
    "entries added": lambda u: u.at[np.array([1, 1, 4])].add(2.0 * u[:3]),
    "bordered by 0": lambda u: ak.pad(u, 1)[2:] + ak.pad(u, 1)[:-2],
    "bordered by a number": lambda u: ak.pad(u, 1, constant_values=0.25)[2:],
    "bordered by the edge": lambda u: np.pad(u, 1, mode="edge")[2:] - u,
    "bordered by all edges": lambda u: np.pad(ak.reshape(u, (3, 4)), 1, mode="wrap")[2:, 2:].reshape(12),
    "diagonals": lambda u: ak.concat([ak.diagonal(ak.reshape(u, (3, 4)), 1), ak.diag(u[:3]).reshape(9)]),
    "summed in groups": lambda u: ak.segment.segment_sum(u, np.array([0, 1, 0, 2] * 3), 12),
    "averaged rows": lambda u: ak.tile(
        ak.segment.segment_mean(ak.reshape(u, (6, 2)), np.array([0, 1, 0, 2, 2, 2]), 3), 2).reshape(12),
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
@pytest.mark.parametrize("name", [name for name in SHIFTS if "computed" not in name])
def test_a_loop_that_moves_entries_runs_in_native_code(name: str, dtype: Any) -> None:
    """In float32 as well: the reverse steps multiply by the numbers 0.1, which must not make float64 of it."""
    compiled = in_kernels(ak.value_and_grad(steps(SHIFTS[name])), np.arange(12, dtype=dtype))
    assert compiled.plan.loops
    assert all(step.loop.run_native is not None for step in compiled.plan.loops)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.bool_])
def test_large_arrays_move_in_equal_blocks_and_keep_their_bits(dtype: Any) -> None:
    """Infinities, nan and the sign of 0 are entries like others."""
    x = np.random.default_rng(1).integers(0, 2, (40, 30)).astype(dtype)
    if x.dtype.kind == "f":
        x[:4] = np.array([-0.0, np.nan, np.inf, -np.inf], dtype)[:, None]
    order = np.random.default_rng(2).permutation(40)

    def moved(x: Any, y: Any) -> Any:
        z = y + ak.cast(x, y.dtype)  # a kernel, so that there is a plan of kernels
        parts = (
            x[::-1, ::-1],
            x[order],
            x[:, order % 30],
            x.T[order % 30],
            ak.pad(x, 1),
            ak.constant(x).at[order[:7], 3:9].set(x[:7, :6]),
        )
        return *parts, ak.concat([x.T, x.T[:, ::-1]]), z

    y = np.linspace(0.0, 1.0, 30)
    compiled = in_kernels(moved, x, y)
    for _ in range(2):
        for found, expected in zip(compiled(x, y), moved(ak.constant(x), ak.constant(y)), strict=True):
            assert found.dtype == expected.dtype
            assert np.asarray(found).tobytes() == np.asarray(expected).tobytes()


def test_a_number_among_the_entries_is_no_place() -> None:
    """A border of 0.3 or of -0.0 is not taken for zeros, nor one of 2.0 ** 40 for an operand."""
    for fill in (0.3, -0.0, 1.0, 2.0**40, 2.0**41 + 8, np.inf, np.nan):

        def bordered(x: Any, fill: float = fill) -> Any:
            return ak.pad(x * 2.0, 1, constant_values=fill), ak.constant(x)[::-1].at[1].set(fill)

        x = np.linspace(1.0, 2.0, 6)
        for found, expected in zip(in_kernels(bordered, x)(x), bordered(ak.constant(x)), strict=True):
            assert found.numpy().tobytes() == expected.numpy().tobytes(), fill
