"""Cold start: a fresh process that imports the library and computes a first gradient."""

from __future__ import annotations

import compileall
import subprocess
import sys
import time
from importlib import resources

from benchmarks.library_comparison.harness import Result
from benchmarks.library_comparison.speed_targets import COLD
from benchmarks.library_comparison.systems import AUTOGRAD, EAGER, JAX, MYGRAD, TENSORFLOW, TORCH

CODES = {
    EAGER: "import autodiff_kit as ak; x = ak.Variable(3.0)\n"
    "with ak.GradientTape() as t: y = x * x\nassert t.gradient(y, x) == 6",
    "Python alone": "pass",
    "NumPy alone": "import numpy",
    TORCH: "import torch; x = torch.tensor(3.0, requires_grad=True); (x * x).backward(); assert x.grad == 6",
    JAX: "import jax; assert jax.jit(jax.grad(lambda x: x * x))(3.0) == 6",
    AUTOGRAD: "import autograd; assert autograd.grad(lambda x: x * x)(3.0) == 6",
    MYGRAD: "import mygrad as mg; x = mg.tensor(3.0); (x * x).backward(); assert x.grad == 6",
    TENSORFLOW: "import tensorflow as tf; x = tf.Variable(3.0)\n"
    "with tf.GradientTape() as t: y = x * x\nassert t.gradient(y, x) == 6",
}
LIBRARY = {TORCH: "torch", JAX: "jax", AUTOGRAD: "autograd", MYGRAD: "mygrad", TENSORFLOW: "tensorflow"}


def cold(peers: set[str], runs: int) -> Result:
    """Seconds of whole processes; the first round fills the system's file cache and is not counted."""
    # Installed libraries are bytecode; the kit in a checkout would be compiled again in each process.
    compileall.compile_dir(str(resources.files("autodiff_kit")), quiet=2)
    codes = {name: code for name, code in CODES.items() if LIBRARY.get(name) in {None, *peers}}
    result = Result(COLD, "float64", times={name: [] for name in codes})
    for k in range(runs + 1):
        for name, code in codes.items():
            best = min(_seconds(code) for _ in range(2 if k else 1))
            if k:
                result.times[name].append(best)
    return result


def _seconds(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start
