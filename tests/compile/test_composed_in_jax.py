"""The composed programs beside JAX, in the environment that ``make bench`` makes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PEERS = Path(os.environ.get("AUTODIFF_KIT_PEERS", ROOT / ".venv-bench"))
PYTHON = PEERS / "bin" / "python"


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON.exists(), reason="JAX is not installed: make bench installs it")
@pytest.mark.parametrize("start", range(0, 120, 40))
def test_values_and_gradients_are_those_of_jax(start: int) -> None:
    """JAX compiles each program, which takes a second or two; hence so few."""
    words = [PYTHON, "-m", "tests.compile.composed_in_jax", str(start), str(start + 40)]
    done = subprocess.run(
        words, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=900,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "40 programs, 0 differ" in done.stdout
