"""Running a trace: NumPy calls first, compiled kernels later; and the memory that is bound to them."""
