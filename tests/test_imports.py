"""What importing the kit loads, and in which direction its modules import each other."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import autodiff_kit

HOME = Path(autodiff_kit.__file__).parent
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

LAYERS = (
    ("errors",),
    ("kernels", "archive"),
    ("core",),
    ("ops",),
    (
        "transforms", "check", "differences", "nn", "optim", "relax", "explain", "reasons", "compile", "cost",
        "segment", "module", "layers", "per_example", "per_example_rules", "curvature", "table",
    ),
)  # fmt: skip
"""The core, from below; a module imports from its own line and from those above it in this table."""


def fresh(script: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_a_first_gradient_loads_nothing_heavy() -> None:
    """In a process of its own, with warnings as errors."""
    loaded = set(fresh(FIRST_GRADIENT, "-W", "error").split())
    assert "numpy" in loaded
    assert loaded.isdisjoint(HEAVY), sorted(loaded & set(HEAVY))


def test_importing_starts_no_thread_and_writes_nothing(tmp_path: Path) -> None:
    script = f"""
import os, threading
os.chdir({str(tmp_path)!r})
import autodiff_kit
print(threading.active_count(), os.listdir())
"""
    assert fresh(script).split("\n")[0] == "1 []"


def _imports(path: Path) -> set[str]:
    """Modules of the kit that a file imports, as they are named below ``autodiff_kit``; lazy imports too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("autodiff_kit"):
            rest = node.module.split(".")[1:]
            found |= {rest[0]} if rest else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("autodiff_kit.")}
    return found


@pytest.mark.parametrize("layer", range(len(LAYERS)), ids=lambda k: LAYERS[k][0])
def test_imports_run_one_way(layer: int) -> None:
    allowed = {name for names in LAYERS[: layer + 1] for name in names}
    for name in LAYERS[layer]:
        files = [HOME / f"{name}.py", *(HOME / name).glob("**/*.py")]
        for path in filter(Path.exists, files):
            upwards = _imports(path) - allowed
            assert not upwards, f"{path.relative_to(HOME)} imports {sorted(upwards)}"


def test_kernels_stand_alone() -> None:
    for path in (HOME / "kernels").glob("*.py"):
        assert _imports(path) <= {"kernels"}


def test_the_engine_names_no_heavy_package() -> None:
    for folder in ("core", "ops", "nn", "optim"):
        for path in (HOME / folder).glob("**/*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
            names |= {(n.module or "").split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
            assert names.isdisjoint(HEAVY), path
