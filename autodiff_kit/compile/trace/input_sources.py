"""Input sources of a trace: where its inputs are read at each call, and where assignments are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.variable import Variable

__all__ = ["ArgumentSource", "AttributeSource", "OptimizerSlotSource"]


@dataclass(frozen=True)
class ArgumentSource:
    """The argument number ``place`` among all numeric leaves of the arguments."""

    place: int

    def read(self, given: list[Any]) -> Any:
        """The current value, in the list of argument leaves."""
        return given[self.place]


@dataclass(frozen=True, eq=False)
class AttributeSource:
    """An attribute of an object: the value of a variable, or the learning rate of an optimizer."""

    owner: Any
    name: str

    @property
    def key(self) -> Any:
        """Equal for sources of the same attribute."""
        return id(self.owner), self.name

    def read(self, _: list[Any] | None = None) -> Any:
        """The current value."""
        return getattr(self.owner, self.name)

    def write(self, value: Any, node: GraphNode) -> None:
        """Assign the value of a node."""
        setattr(self.owner, self.name, canonical(np.asarray(value, node.dtype)))


@dataclass(frozen=True, eq=False)
class OptimizerSlotSource:
    """A slot that an optimizer keeps for a variable, such as a moment estimate."""

    optimizer: Any
    variable: Variable
    name: str

    @property
    def key(self) -> Any:
        """Equal for sources of the same slot."""
        return id(self.optimizer), id(self.variable), self.name

    def read(self, _: list[Any] | None = None) -> Any:
        """The current value."""
        return self.optimizer._slots_of(self.variable)[self.name]

    def write(self, value: Any, node: GraphNode) -> None:
        """Assign the value of a node, in a new dict of slots: a plan may have bound the present one."""
        slots = {**self.optimizer._slots_of(self.variable), self.name: int(value) if node.weak else canonical(value)}
        self.optimizer._state[id(self.variable)] = (self.variable, slots)
