"""None in nested gradients replaced by zeros of the wrong kind."""

from __future__ import annotations

from typing import Any

import numpy as np


# ------------------------------------------------------------------------------------------------------------- none-3
def fill_none(grads: Any, sources: Any, zero: Any = np.zeros_like, kept: Any = lambda g: g) -> Any:
    """The nest with ``zero(source)`` where there is None, and ``kept(gradient)`` elsewhere."""
    if isinstance(sources, dict):
        return {name: fill_none(grads[name], sources[name], zero, kept) for name in sources}
    if isinstance(sources, list | tuple):
        return type(sources)(fill_none(g, s, zero, kept) for g, s in zip(grads, sources, strict=True))
    return zero(sources) if grads is None else kept(grads)
