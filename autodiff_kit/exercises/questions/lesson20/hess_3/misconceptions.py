"""A gradient that records the points at which it is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.exercises.protocol import Callback

from ..shared import Bowl

Array = np.ndarray[Any, Any]


@dataclass
class Places:
    """A gradient whose calls are noted by their places."""

    bowl: Bowl
    asked: list[Array] = field(default_factory=list)

    def gradient(self, z: Any) -> Array:
        """A z + z³, as NumPy has it."""
        array = np.array(z, float)
        if array.shape != (len(self.bowl.a),):
            raise ValueError(f"grad takes an array of {len(self.bowl.a)} numbers; got shape {array.shape}.")
        self.asked.append(array)
        return self.at(array)

    def at(self, z: Array) -> Array:
        """The same, without a note."""
        return np.asarray(self.bowl.a @ z + z**3)

    @property
    def handle(self) -> Callback:
        """What is handed to the learner's function."""
        return Callback(self.gradient, "grad")
