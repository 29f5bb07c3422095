"""The modules that importing the kit and a first gradient load. `make check` checks the directions of imports."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "numba",
    "llvmlite",
    "ipywidgets",
    "anywidget",
    "IPython",
    "matplotlib",
    "scipy",
    "pandas",
    "nbformat",
    "sqlite3",
    "zipfile",
    "jupyterlab",
    "torch",
)

FIRST_GRADIENT = """
import sys
import autodiff_kit as ak
x = ak.Variable([1.0, 2.0])
opt = ak.optim.Adam(0.1)
with ak.GradientTape() as tape:
    y = ak.sum(ak.nn.softmax(x) * ak.tanh(x))
opt.apply_gradients([(tape.gradient(y, x), x)])
ak.jvp(ak.sin, (1.0,), (1.0,))
ak.check_gradients(ak.sin, [[1.0]])
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def fresh(script: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


MAPPED = """
import ctypes
import numpy as np
{before}
block = np.empty(16 << 20, np.uint8)
print(bool(ctypes.c_size_t.from_address(block.ctypes.data - 8).value & 2))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have other rules")
@pytest.mark.parametrize(("before", "mapped"), [("", "True"), ("import autodiff_kit", "False")])
def test_freed_memory_is_kept_for_the_next_arrays(before: str, mapped: str) -> None:
    """A block that the allocator maps goes back to the system when it is freed; a bit in front of it says so."""
    assert fresh(MAPPED.format(before=before)).strip() == mapped


def test_a_first_gradient_loads_nothing_heavy() -> None:
    """In a separate process, with warnings as errors."""
    loaded = set(fresh(FIRST_GRADIENT, "-W", "error").split())
    assert "numpy" in loaded
    assert loaded.isdisjoint(HEAVY), sorted(loaded & set(HEAVY))


def test_a_notebook_of_exercises_loads_no_widgets() -> None:
    script = "import sys; from autodiff_kit.learn import exercise; exercise('01'); print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in fresh(script).split()}
    assert loaded.isdisjoint({"IPython", "anywidget", "ipywidgets", "matplotlib", "numba"})


def test_layers_optimizers_and_the_tracer_wait_until_they_are_asked_for() -> None:
    names = (
        "nn",
        "optim",
        "compile.trace",
        "diagnostics.tape_cost",
        "transforms.reverse_mode",
        "transforms.tape_jacobian",
    )
    script = "import sys, autodiff_kit as ak; print(*sys.modules); ak.nn, ak.optim, ak.layers, ak.Module"
    loaded = set(fresh(script).split())
    assert loaded.isdisjoint({f"autodiff_kit.{name}" for name in names})


def test_one_module_knows_the_platform() -> None:
    """Only `platform` looks whether it runs on WebAssembly; grading looks whether it runs on Linux."""
    package = Path(__file__).resolve().parents[1] / "autodiff_kit"
    sources = [path for path in package.rglob("*.py") if "node_modules" not in path.parts]
    asking = [path for path in sources if re.search(r"\bsys\.platform\b|emscripten", path.read_text())]
    assert sorted(path.relative_to(package).as_posix() for path in asking) == [
        "grade/batch.py",
        "grade/sandbox.py",
        "platform.py",
    ]


def test_a_method_of_tapes_is_imported_when_it_is_asked_for() -> None:
    """By the class, as help does, or by a tape; properties as well as functions."""
    script = """
import sys, autodiff_kit as ak
with ak.GradientTape(persistent=True) as tape:
    tape.watch(x := ak.constant(3.0))
    y = x * x
print(len(tape.nodes), "Parameters" in ak.GradientTape.jacobian.__doc__, float(tape.jacobian(y, x)))
print("autodiff_kit.diagnostics.tape_cost" in sys.modules, tape.cost() is not None, hasattr(tape, "missing"))
"""
    assert fresh(script).split("\n")[:2] == ["1 True 6.0", "False True False"]


def test_importing_starts_no_thread_and_writes_nothing(tmp_path: Path) -> None:
    script = f"""
import os, threading
os.chdir({str(tmp_path)!r})
import autodiff_kit
print(threading.active_count(), os.listdir())
"""
    assert fresh(script).split("\n")[0] == "1 []"
