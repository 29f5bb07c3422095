"""The setting of a workload: libraries, dtype and sizes."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

PEERS = ("torch", "jax", "autograd", "mygrad", "tensorflow")
EXTRAS = ("torch.compile",)
"""Slow to start: only on request."""


def found(name: str, threads: int = 1) -> Any:
    """A library, ready for use; None if it is not installed."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    if name == "torch":
        module.set_num_threads(threads)
    elif name == "jax":
        module.config.update("jax_enable_x64", True)
    elif name == "tensorflow":
        module.config.threading.set_intra_op_parallelism_threads(threads)
        module.config.threading.set_inter_op_parallelism_threads(threads)
    elif name == "autograd":
        importlib.import_module("autograd.numpy")
        importlib.import_module("autograd.scipy.special")
    return module


@dataclass(frozen=True)
class Setting:
    """The libraries of a run, the dtype and the sizes.

    Attributes
    ----------
    peers : dict
        Modules by name; libraries that do not take part are missing.
    dtype : str
        "float32" or "float64"; some workloads have a fixed dtype.
    tiny : bool
        Whether sizes are tiny, to test only the benchmark itself.
    extras : frozenset
        The requested slow variants.
    """

    peers: dict[str, Any] = field(default_factory=dict)
    dtype: str = "float32"
    tiny: bool = False
    extras: frozenset[str] = frozenset()

    def __getattr__(self, name: str) -> Any:
        """``s.torch`` and similar; None for libraries that do not take part."""
        if name in PEERS:
            return self.peers.get(name)
        raise AttributeError(name)

    def sized(self, full: Any, tiny: Any) -> Any:
        """One of two sizes."""
        return tiny if self.tiny else full

    def normal(self, rng: np.random.Generator, *shape: int, scale: float = 1.0) -> Any:
        """Random numbers of the dtype."""
        return (rng.standard_normal(shape) * scale).astype(self.dtype)
