"""The type of gradients that hold few rows of a large table; the engine adds such gradients and passes them on."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["SparseGradient"]


class SparseGradient:
    """A gradient that holds few rows of a large table; see :class:`autodiff_kit.RowGradient`."""

    def numpy(self) -> np.ndarray[Any, Any]:
        """The gradient of the whole table."""
        raise NotImplementedError
