"""What the diagnostics ask of a recorded computation, whichever library computed it: :class:`RecordedProgram`.

The kit's tape answers by :class:`~autodiff_kit.diagnostics.tape_program.TapeProgram`; programs of other libraries by
subclasses of :class:`~autodiff_kit.recorders.recorded_tape.RecordedTape`. Table, cost and stepper know this interface
only.

A program is a list of operations in the order in which they ran, and the leaves that they read. Each is a
:class:`~autodiff_kit.diagnostics.tape_nodes.TapeNode` with an id: operations count from 0, leaves from -1 downwards.
Whoever adds a library implements the abstract methods below. Each may be asked at any time after recording, in any
order, and changes nothing. A quantity that is not known is None, never a guess.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autodiff_kit.diagnostics.tape_nodes import TapeNode

if TYPE_CHECKING:
    from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation

__all__ = ["Contribution", "RecordedProgram"]


class Contribution(NamedTuple):
    """What the operation ``node`` adds to the cotangent of ``to``; of the seed, ``node`` is None."""

    node: int | None
    to: int
    part: np.ndarray[Any, Any]


class RecordedProgram(ABC):
    """A recorded computation: its operations, values, costs and cotangents, and why a gradient is what it is.

    Attributes
    ----------
    library : str
        The name of the library, as it is imported.
    """

    library: str

    @property
    @abstractmethod
    def nodes(self) -> Sequence[TapeNode]:
        """The operations in execution order; the position of each is its id."""

    @property
    @abstractmethod
    def leaves(self) -> Sequence[TapeNode]:
        """What operations read and no operation computed: the one of id -1 first, then -2, …"""

    @abstractmethod
    def id_of(self, value: Any) -> int | None:
        """The id of a value of the user's, such as a tensor or a variable; None for one that was not recorded."""

    @abstractmethod
    def name(self, node_id: int) -> str:
        """The name that the user gave to a value; empty if it has none."""

    @abstractmethod
    def value(self, node_id: int) -> Any:
        """A value as a NumPy array or a number, as it was when it was computed; None if it is not held any more."""

    @abstractmethod
    def held_bytes(self, node_id: int) -> int:
        """Bytes that an operation keeps for the backward pass and that no earlier one keeps."""

    @abstractmethod
    def flops(self, target: Any = None) -> Sequence[tuple[int, int]]:
        """Floating-point operations of each operation: forward, and in the backward pass from the target.

        Without a target: from every output that no other operation reads.
        """

    @abstractmethod
    def contributions(self, target: Any, seed: Any = None) -> Sequence[Contribution]:
        """The parts of all cotangents in the order of the backward pass, the seed first; by default ones.

        Parameters
        ----------
        target : object
            A value of the user's that is on the program.
        seed : array_like, optional
        """

    @abstractmethod
    def explain_sources(self, target: Any, sources: Sequence[Any], frame: Any) -> list[GradientExplanation]:
        """An explanation for each source.

        Parameters
        ----------
        target : object
            As the user gave it.
        sources : sequence
            Leaves of what the user gave.
        frame : frame
            The user's frame, for names of variables.
        """
