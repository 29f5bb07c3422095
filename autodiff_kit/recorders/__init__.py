"""Recorders of other libraries' programs: why a gradient of PyTorch, JAX or TensorFlow is None, zero, nan or doubled.

Each gives a :class:`~autodiff_kit.diagnostics.recorded_program.RecordedProgram`, whose `explain`, `table`, `cost` and
`stepper` are those of the kit's own tape. A library is imported when its recorder is called, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodiff_kit.lazy import lazy_names

if TYPE_CHECKING:
    from autodiff_kit.recorders.record import record_jax, record_torch
else:
    __getattr__ = lazy_names(
        __name__, {"record_jax": "record", "record_torch": "record", "load_ipython_extension": "notebook"}
    )

__all__ = ["record_jax", "record_torch"]
