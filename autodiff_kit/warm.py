"""Compile every kernel now and keep it in numba's cache: what Binder does while it builds."""

from __future__ import annotations

import sys
import time


def main() -> int:
    """Compile the kernels, say how long it took, and return the exit code."""
    from autodiff_kit import kernels

    begun = time.perf_counter()
    kernels.warm()
    print(f"Kernels compiled in {time.perf_counter() - begun:.1f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
