"""Where the inputs of a recording come from at each call, and where what it assigns goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.compile.node import Node
from autodiff_kit.core.tensor import Variable, normal

__all__ = ["Argument", "Field", "Slot"]


@dataclass(frozen=True)
class Argument:
    """What the caller gives: number ``place`` among all numbers and arrays of the arguments."""

    place: int

    def read(self, given: list[Any]) -> Any:
        """The present value, for a list of what the caller gives."""
        return given[self.place]


@dataclass(frozen=True, eq=False)
class Field:
    """What a thing holds: the value of a variable, the learning rate of an optimizer."""

    owner: Any
    name: str

    @property
    def key(self) -> Any:
        """The same for all that mean the same place."""
        return id(self.owner), self.name

    def read(self, _: list[Any] | None = None) -> Any:
        """The present value."""
        return getattr(self.owner, self.name)

    def write(self, value: Any, node: Node) -> None:
        """Put a node's value there."""
        setattr(self.owner, self.name, normal(np.asarray(value, node.dtype)))


@dataclass(frozen=True, eq=False)
class Slot:
    """What an optimizer keeps for a variable."""

    optimizer: Any
    variable: Variable
    name: str

    @property
    def key(self) -> Any:
        """The same for all that mean the same place."""
        return id(self.optimizer), id(self.variable), self.name

    def read(self, _: list[Any] | None = None) -> Any:
        """The present value."""
        return self.optimizer._slots_of(self.variable)[self.name]

    def write(self, value: Any, node: Node) -> None:
        """Put a node's value there, in a new set of slots: this one may be shown to a plan."""
        slots = {**self.optimizer._slots_of(self.variable), self.name: int(value) if node.weak else normal(value)}
        self.optimizer._state[id(self.variable)] = (self.variable, slots)
