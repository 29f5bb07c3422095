"""Running a trace: NumPy calls first, compiled kernels later; memory binding and the fast path."""
