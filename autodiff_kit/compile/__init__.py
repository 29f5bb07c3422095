"""``ak.compile``: trace a function once, compile the trace, and run the compiled plan at each call.

The pipeline, in the order of its modules:

- ``api``: the public ``compile``; looks up the plan for the arguments of a call.
- ``trace``: ``tracer`` runs the function on ``symbolic_array`` values, which write a ``graph`` of ``node`` objects
  (``numpy_functions`` and ``opaque_call`` say how NumPy's functions are recorded); ``guards`` checks later that
  nothing that the function read has changed.
- ``passes``: ``fusion`` groups nodes into kernels, ``memory_plan`` and ``arena_offsets`` place values in memory,
  ``vector_loop_partition`` and ``kernel_source`` write the source of each kernel.
- ``run``: ``execution_plan`` runs a trace, first as NumPy calls (``numpy_codegen``), later as a ``kernel_plan``, whose
  function ``plan_codegen`` writes (``scalar_program`` for graphs of single numbers). ``native_loop`` runs all steps of
  a scan in native code, ``lapack_units`` calls LAPACK. ``kernel_loader`` gives kernels to LLVM, ``buffer_binding``
  tracks memory that belongs to others.
"""

from __future__ import annotations

from autodiff_kit.compile.api import Compiled, compile

__all__ = ["Compiled", "compile"]
