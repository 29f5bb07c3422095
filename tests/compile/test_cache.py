"""The folder of generated kernels: shared, damaged, not writable, or writable by others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run import kernel_loader
from autodiff_kit.kernels import code_cache

from .python_kernels import build, plans

SCRIPT = """
import numpy as np, autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now
f = ak.compile(ak.value_and_grad(lambda x: ak.sum(ak.sin(x) * x)))
x = np.linspace(0, 1, 500)
f(x); build_kernels_now(f)
y, g = f(x)
assert f.plan.ready and np.allclose(g.numpy(), np.sin(x) + x * np.cos(x))
"""


def run(folder: Path, **more: str) -> None:
    environment = {**os.environ, "AUTODIFF_KIT_CACHE": str(folder), "PYTHONPATH": "", **more}
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, env=environment, cwd=folder.parent)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("autodiff_kit_*.o"))


@pytest.mark.slow
def test_processes_share_a_folder_and_repair_it(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    environment = {**os.environ, "AUTODIFF_KIT_CACHE": str(folder), "PYTHONPATH": ""}
    both = [subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, cwd=tmp_path) for _ in range(2)]
    assert [p.wait(120) for p in both] == [0, 0]
    names = files(folder)
    assert len(names) == 3  # the kernel, what runs units, and units of other kinds
    assert not list(folder.glob("*.part"))
    whole = [path.read_bytes() for path in names]
    for path, code in zip(names, whole, strict=True):  # damaged
        path.write_bytes(code[:-1] if path != names[0] else b"nonsense")
    run(folder)
    assert [path.read_bytes() for path in names] == whole
    assert files(folder) == names


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.name != "posix":
        pytest.skip("permissions are posix's")
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("AUTODIFF_KIT_CACHE", str(folder))
    with pytest.warns(RuntimeWarning, match="chmod 700"):
        assert code_cache.cache_folder() is None
    assert code_cache.cache_folder() is None  # said once
    folder.chmod(0o700)
    assert code_cache.cache_folder() == folder
    inside = tmp_path / "file"
    inside.write_text("no folder")
    monkeypatch.setenv("AUTODIFF_KIT_CACHE", str(inside))
    assert code_cache.cache_folder() is None


def test_names_follow_from_the_content(tmp_path: Path) -> None:
    def texts() -> list[str]:
        compiled = ak.compile(ak.value_and_grad(lambda x: ak.sum(ak.exp(x) * x + ak.cos(x))))
        compiled(np.ones(64, np.float32))
        found: list[str] = []
        build(compiled, lambda text: (found.append(text), kernel_loader.load_kernel(text))[1])
        return found

    assert texts() == texts()


def test_kernels_that_are_alike_are_compiled_once() -> None:
    ws = [ak.Variable(np.ones((4, 4), np.float32)) for _ in range(5)]
    optimizer = ak.optim.Adam(0.1)
    compiled = ak.compile(lambda: optimizer.minimize(lambda: sum((w * w).sum() for w in ws), ws))
    compiled()
    build(compiled)
    kernels = [kernel.source for _, kernel in plans(compiled)[0].kernel_plan.generator.kernels]
    assert len(kernels) >= 5
    assert len(set(kernels)) <= 3


def test_kernels_are_compiled_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ak.compile(ak.grad(lambda x: ak.sum(ak.tanh(x) * x)))
    x = np.linspace(-1.0, 1.0, 300)
    expected = np.tanh(x) + x / np.cosh(x) ** 2
    for _ in range(3):
        np.testing.assert_allclose(compiled(x).numpy(), expected)
    from autodiff_kit.compile.run import execution_plan

    thread: Any = execution_plan._background_compiler._thread
    for _ in range(600):
        if compiled.plan is not None and compiled.plan.ready:
            break
        thread.join(0.1)
    assert compiled.plan is not None
    assert compiled.plan.ready
    np.testing.assert_allclose(compiled(x).numpy(), expected)
    assert compiled.trace_count == 1
    assert "def kernel" in str(compiled.plan)


def test_without_numba_it_replays_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_NUMBA", "0")
    compiled = ak.compile(ak.grad(lambda x: ak.sum(ak.tanh(x) * x)))
    for _ in range(10):
        compiled(np.ones(30))
    assert compiled.plan is not None
    assert not compiled.plan.ready


@pytest.mark.slow
def test_decaying_state_does_not_slow_down_a_step() -> None:
    """First moments of dead units decay towards 0; subnormal numbers would be ten times as slow."""
    import time

    w = ak.Variable(np.ones(20_000, np.float32))
    mask = ak.constant((np.arange(20_000) < 200).astype(np.float32))
    optimizer = ak.optim.Adam(1e-3)
    compiled = ak.compile(lambda m: optimizer.minimize(lambda: ak.sum(w * w * m), [w]))
    compiled(ak.constant(np.ones(20_000, np.float32)))
    build(compiled, kernel_loader.load_kernel)

    def least(steps: int) -> float:
        best = float("inf")
        for _ in range(steps):
            start = time.perf_counter()
            compiled(mask)
            best = min(best, time.perf_counter() - start)
        return best

    early = least(200)
    for _ in range(3000):
        compiled(mask)
    m = optimizer.get_slot(w, "m")
    assert not ((np.abs(m) > 0) & (np.abs(m) < np.finfo(np.float32).tiny)).any()
    assert least(200) < 2.0 * early


def test_an_option_of_llvm_is_set_while_numba_waits_and_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    numbas_lock = pytest.importorskip("numba.core.compiler_lock").global_compiler_lock
    seen: list[tuple[str, bool]] = []
    monkeypatch.setattr(code_cache.binding, "set_option", lambda _, text: seen.append((text, numbas_lock.is_locked())))
    with pytest.raises(RuntimeError), code_cache._few_unrolled_turns():
        raise RuntimeError
    assert seen == [("-unroll-full-max-count=4", True), (f"-unroll-full-max-count={2**32 - 1}", True)]
    assert not numbas_lock.is_locked()
