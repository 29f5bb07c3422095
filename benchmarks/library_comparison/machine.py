"""Pin the process to one core and one thread before any library starts its own; facts about the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NPROC",
          "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "VECLIB_MAXIMUM_THREADS")  # fmt: skip
LIBRARIES = ("numpy", "numba", "llvmlite", "torch", "jax", "jaxlib", "tensorflow-cpu", "tensorflow", "autograd",
             "mygrad", "matplotlib")  # fmt: skip


def hold(threads: int) -> None:
    """Limit this process to a number of threads and cores; must be called before NumPy is imported."""
    for name in LIMITS:
        os.environ[name] = str(threads)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    if threads == 1:
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    if hasattr(os, "sched_setaffinity"):
        # A child process with two threads must find all cores, not only the core of this process.
        cores = os.environ.setdefault("BENCH_CORES", " ".join(map(str, sorted(os.sched_getaffinity(0)))))
        os.sched_setaffinity(0, list(map(int, cores.split()))[-threads:])


def facts(threads: int) -> dict[str, Any]:
    """The facts that a reader needs about the machine and the versions."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": threads,
        "load at the start": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: found for name in LIBRARIES if (found := _version(name))},
        "blas": _blas(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _blas() -> str:
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{blas.get('name', '?')} {blas.get('version', '')}".strip()
