"""The environment variable by which a Jupyter server tells its kernels that its pages have panels."""

from __future__ import annotations

__all__ = ["PANELS_VARIABLE"]

PANELS_VARIABLE = "AUTODIFF_KIT_PANELS"
"""Set: a page may open an inspector at any time, so the last tape keeps its values for it."""
