"""The comparison with other libraries, without these and without timing: every workload runs, and results agree."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from benchmarks.library_comparison import harness, report, speed_targets, tape_length
from benchmarks.library_comparison.eager_calls import calls_alone
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import (
    COMPILED,
    EAGER,
    HAND,
    JAX,
    TORCH,
    TORCH_COMPILE,
    TRACED,
    System,
    arrays,
)
from benchmarks.library_comparison.workloads import ALWAYS_DOUBLE, TITLES, WORKLOADS, chosen

TINY = {dtype: Setting(dtype=dtype, tiny=True) for dtype in ("float32", "float64")}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("key", WORKLOADS)
def test_kit_eager_compiled_and_numpy_agree(key: str, dtype: str) -> None:
    if dtype == "float32" and key in ALWAYS_DOUBLE:
        dtype = "float64"
    systems = WORKLOADS[key](TINY[dtype])
    assert {EAGER, COMPILED} <= set(systems)
    for name, system in systems.items():
        assert system.numbers == (not name.startswith("limit"))
        system.run()  # limits too
    differs = harness.agreed(key, dtype, systems)
    assert set(differs) == {name for name, system in systems.items() if system.numbers}
    kinds = {a.dtype.name for a in arrays(systems[EAGER].run())}
    assert kinds == {dtype}


@pytest.mark.parametrize("key", ["c_small", "h", "cnn", "solve_50", "newton"])
def test_training_can_begin_again(key: str) -> None:
    for system in WORKLOADS[key](TINY["float64"]).values():
        if system.numbers:
            first, second = harness._calls(system), harness._calls(system)
            for one, other in zip(first, second, strict=True):
                assert all(map(np.array_equal, one, other))
            assert not all(map(np.array_equal, *first)), "a step moves something"


@pytest.mark.parametrize("wrong", [1.001, np.nan])
def test_a_system_that_differs_is_not_timed(wrong: float) -> None:
    systems = {"one": System(lambda: np.float64(1.0)), HAND: System(lambda: np.float64(wrong))}
    with pytest.raises(harness.DisagreeError, match=r"one is .* away from NumPy by hand"):
        harness.agreed("x", "float64", systems)


def test_a_system_that_fails_is_named_and_left_out() -> None:
    def fails() -> Any:
        raise MemoryError("no room")

    systems = {"one": System(lambda: 1.0), "two": System(fails)}
    assert harness.started(systems) == {"two": "MemoryError: no room"}
    assert list(systems) == ["one"]


def test_keys_and_titles() -> None:
    assert list(TITLES) == list(WORKLOADS)
    assert chosen("c,j_big") == ["c_small", "c_big", "j_big"]
    assert chosen(None) == list(WORKLOADS)


def a_result(**times: list[float]) -> harness.Result:
    names = {"kit": COMPILED, "torch": TORCH, "limit": "limit: one copy"}
    return harness.Result("b_cheap_1e7", "float32", times={names[name]: spent for name, spent in times.items()})


def test_a_ratio_is_that_of_one_run_and_the_middle_one_counts() -> None:
    rows = speed_targets.rows([a_result(kit=[1.0, 2.0, 1.0], torch=[150.0, 200.0, 130.0], limit=[1.0, 0.5, 0.5])])
    of = {row.against: row for row in rows}
    peer, limit = of[TORCH], of["limit: one copy"]
    assert of[JAX].met is None
    assert (peer.against, peer.measured, peer.least, peer.largest) == (TORCH, 130.0, 100.0, 150.0)
    assert peer.bound == 120
    assert peer.met is True
    assert (limit.measured, limit.least, limit.largest, limit.met) == (2.0, 1.0, 4.0, False)


def test_missing_systems_leave_empty_cells() -> None:
    rows = speed_targets.rows([a_result(kit=[1.0])])
    assert {row.against for row in rows} == {TORCH, TRACED, TORCH_COMPILE, JAX, "limit: one copy"}
    assert {(row.measured, row.met) for row in rows} == {(None, None)}
    assert "None" not in report.table([report._cells(speed_targets.as_dict(row)) for row in rows], report.HEAD)


def test_repeated_workloads_in_float64_have_no_target() -> None:
    result = a_result(kit=[1.0], torch=[2.0])
    result.main, result.dtype = False, "float64"
    row = speed_targets.rows([result])[0]
    assert row.workload.endswith("float64")
    assert row.measured == 2.0
    assert row.met is None


def test_every_target_names_existing_systems() -> None:
    tiny = {key: set(build(TINY["float64"])) for key, build in WORKLOADS.items()}
    for floor in speed_targets.FLOORS:
        assert floor.key in {*WORKLOADS, speed_targets.COLD}
        if floor.key in WORKLOADS:
            assert floor.system in tiny[floor.key]
            assert floor.against in tiny[floor.key] or floor.against.startswith(("PyTorch", "JAX", "torch"))


def test_small_plans_are_not_judged_by_their_memory() -> None:
    large, small = a_result(kit=[1.0]), a_result(kit=[1.0])
    large.memory, small.memory = {"peak": 11_000, "need": 10_000}, {"peak": 3_000, "need": 1_000}
    (row,) = speed_targets.memory([large, small])
    assert row.measured == pytest.approx(1.1)
    assert row.met is False


def test_the_slope_of_a_straight_line_is_one() -> None:
    assert tape_length.slopes({n: 3e-6 * n for n in (1000, 10_000, 100_000)}) == pytest.approx(1.0)
    assert tape_length.slopes({100: 1.0, 1000: 1e-3, 10_000: 1e-1}) == pytest.approx(2.0)  # 100 is not used
    assert np.isnan(tape_length.slopes({1000: 1.0}))


def test_growth_measures_every_stage_and_stops_at_slow_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_NUMBA", "0")  # compiling takes seconds
    monkeypatch.setattr(tape_length, "build_kernels_now", lambda compiled: None)
    monkeypatch.setattr(
        tape_length, "PROGRAMS", {"layers": tape_length.PROGRAMS["layers"]}
    )  # "one number" starts numba
    monkeypatch.setattr(tape_length.gc, "collect", lambda: 0)  # slow with all the objects of a test run
    found = tape_length.growth([20, 40], 60.0)
    assert set(found) == set(tape_length.PROGRAMS)
    for stages in found.values():
        assert all(set(times) == {20, 40} and min(times.values()) > 0 for times in stages.values())
    assert all(set(times) <= {20} for stages in tape_length.growth([20, 40], 0.0).values() for times in stages.values())


def test_the_cost_of_the_garbage_collector_is_measured() -> None:
    assert {what: set(times) for what, times in tape_length.collected([20, 40]).items()} == {
        "record": {20, 40}, "drop": {20, 40}, tape_length.LEAST_TAPE: {20, 40},
    }  # fmt: skip


def test_report() -> None:
    result = a_result(kit=[1e-6, 2e-6], torch=[1.5e-4, 2e-4])
    result.errors = {"autograd": "MemoryError: no room"}
    slow = a_result(kit=[4e-4, 4e-4], torch=[2e-4, 2e-4])
    facts = {
        "processor": "P", "cores": 2, "threads": 1, "load at the start": 0.1, "system": "S", "python": "3", "blas": "B",
        "versions": {"numpy": "2"},
    }  # fmt: skip
    data = {
        "facts": facts, "quick": True, "runs": 2, "results": [asdict(result)], "lengths": [100],
        "rows": [speed_targets.as_dict(row) for row in speed_targets.rows([result])],
        "growth": {"one number": {"record": {"100": 1e-3}}}, "tensorflow": {"b_cheap_1e7": [9.0]}, "notes": ["a note"],
        "sizes": [asdict(replace(result, key="b mix | 10 entries")), asdict(replace(slow, key="b mix | 20 entries"))],
        "threads": [{"key": "d", "system": COMPILED, "one": [2e-6], "two": [1e-6]}],
    }  # fmt: skip
    text = report.text(data)
    for part in (
        "QUICK",
        "125×",
        "100 .. 150",
        "≥ 120×",
        "met",
        "MemoryError",
        "a note",
        "1,000",
        "9.00×",
        "2.00×",
        "0.50×",
        "b mix: PyTorch is ahead at 20 entries",
    ):
        assert part in text
    assert "1 of 1 targets are met" in text
    page = report.page(data)
    assert page.count("\n| --- |") == 6


def test_the_calls_of_an_eager_step_run_again_without_a_tape() -> None:
    """Slices, rows of a table, sums of parts and updates are among them."""
    table, w = ak.Variable(np.ones((8192, 16))), ak.Variable(np.ones(16))
    optimizer, ids = ak.optim.SGD(0.1), np.array([1, 2, 2, 5])

    def step() -> Any:
        def loss() -> Any:
            return ak.sum(table[ids] * w) + ak.sum(table[ids + 1] * 2.0) + ak.sum(w[1:]) + ak.sum(w * w)

        return optimizer.minimize(loss, [table, w])

    (alone,) = calls_alone(System(step)).values()
    alone.run()
    assert not alone.numbers
