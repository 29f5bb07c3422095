"""A gradient that records the points at which it is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.exercises.protocol import Callback

from ..shared import QuarticGradient

Array = np.ndarray[Any, Any]


@dataclass
class RecordedGradient:
    """A gradient that records the points at which it is called."""

    bowl: QuarticGradient
    asked: list[Array] = field(default_factory=list)

    def gradient(self, z: Any) -> Array:
        """A z + z³ at a recorded point."""
        array = np.array(z, float)
        if array.shape != (len(self.bowl.a),):
            raise ValueError(f"grad takes an array of {len(self.bowl.a)} numbers; got shape {array.shape}.")
        self.asked.append(array)
        return self.at(array)

    def at(self, z: Array) -> Array:
        """A z + z³, without recording."""
        return np.asarray(self.bowl.a @ z + z**3)

    @property
    def callback(self) -> Callback:
        """The argument ``grad`` of the learner's function."""
        return Callback(self.gradient, "grad")
