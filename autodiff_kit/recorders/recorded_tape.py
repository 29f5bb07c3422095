"""What a user asks of a recorded program of another library: the methods that a tape of the kit has too."""

from __future__ import annotations

import sys
from typing import Any

from autodiff_kit.core.source_location import user_frame
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation, GradientExplanations
from autodiff_kit.diagnostics.recorded_program import RecordedProgram
from autodiff_kit.diagnostics.tape_cost import TapeCost, cost_of
from autodiff_kit.diagnostics.tape_stepper import TapeStepper
from autodiff_kit.diagnostics.tape_table import TapeTable, table_of
from autodiff_kit.pytree import flatten

__all__ = ["RecordedTape"]


class RecordedTape(RecordedProgram):
    """A recorded program with the methods of a tape; base of those of PyTorch, JAX and TensorFlow."""

    def explain(self, target: Any, sources: Any) -> GradientExplanation | GradientExplanations:
        """Explain what gradient a target has with respect to sources, at which line that is decided, and what to do.

        Parameters
        ----------
        target : object
            What is differentiated, such as the loss.
        sources : object, or pytree
            With respect to what.

        Returns
        -------
        GradientExplanation, or GradientExplanations
            One explanation for a single source, a tuple of them for several.
        """
        flat = flatten(sources)
        found = GradientExplanations(self.explain_sources(target, flat, user_frame(sys._getframe(1))))
        return found[0] if len(found) == 1 and flat[0] is sources else found

    def table(self) -> TapeTable:
        """The operations in execution order, as a table."""
        return table_of(self)

    def cost(self, by: str = "line", top: int = 5, target: Any = None) -> TapeCost:
        """Count the floating-point operations of the forward and of the backward pass.

        Parameters
        ----------
        by : {"line", "op", "node"}, optional
            Whether a row of the result is a line of code, all operations of one name, or a single operation.
        top : int, optional
            Number of rows that are listed; the others are added up in ``rest``.
        target : object, optional
            What would be differentiated; by default every output that no other operation uses.

        Returns
        -------
        TapeCost
        """
        return cost_of(self, by, top, target)

    def stepper(self, target: Any, seed: Any = None) -> TapeStepper:
        """The backward pass from a target, one contribution after the other.

        Parameters
        ----------
        target : object
            What is differentiated.
        seed : array_like, optional
            The cotangent of the target; ones by default.

        Returns
        -------
        TapeStepper
        """
        return TapeStepper(self, target, seed)
