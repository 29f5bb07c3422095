"""The operations of custom-3 and their right and wrong vjp rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


# Operations without a slope, and rules that they can be given: the function of that name, and its slope.
OPS: dict[str, Callable[[Array], Array]] = {"Floor": np.floor, "Ceil": np.ceil, "Round": np.round, "Sign": np.sign}


RULES: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "Identity": (np.asarray, np.ones_like),
    "Sin": (np.sin, np.cos),
    "Square": (np.square, lambda x: 2 * x),
    "Negative": (np.negative, lambda x: -np.ones_like(x)),
}
