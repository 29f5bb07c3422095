"""The backward pass of a recorded program, one contribution after the other (``tape.stepper``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.diagnostics.recorded_program import RecordedProgram
from autodiff_kit.diagnostics.stepping import CotangentStep
from autodiff_kit.diagnostics.table_format import Columns, html_table, text_table
from autodiff_kit.diagnostics.tape_table import summarize_value

__all__ = ["TapeStepper"]

_MAX_STEPS_SHOWN = 60


class TapeStepper:
    """The steps of a backward pass; prints as text, and as a table in a notebook.

    Parameters
    ----------
    program : RecordedProgram
    target : object
        What is differentiated.
    seed : array_like, optional
        The cotangent of the target; ones by default.

    Attributes
    ----------
    steps : tuple of CotangentStep
        Each contribution to a cotangent, the seed first; rows are the ids of the program's nodes and leaves.
    """

    def __init__(self, program: RecordedProgram, target: Any, seed: Any = None) -> None:
        self.program = program
        self._nodes = {node.id: node for node in (*program.nodes, *program.leaves)}
        self._totals: dict[int, Any] = {}
        self.steps = tuple(self._step(*found) for found in program.contributions(target, seed))

    def _step(self, node: int | None, to: int, part: Any) -> CotangentStep:
        before = self._totals.get(to)
        total = self._totals[to] = np.asarray(part if before is None else before + part)
        text = summarize_value(part)
        if node is None:
            note = f"seed: the cotangent of {self.title(to)} is {text}"
        elif before is None:
            note = f"{self.title(node)} hands {text} to {self.title(to)}"
        else:
            note = f"{self.title(node)} adds {text} to the {summarize_value(before)} of {self.title(to)}"
        return CotangentStep(node, to, np.asarray(part), total, note)

    def title(self, node_id: int) -> str:
        """What a row is called: its name, or the operation and its id."""
        return self.program.name(node_id) or f"{self._nodes[node_id].op} {node_id}".replace("-", "−")

    def cotangent(self, value: Any) -> Any:
        """The cotangent of a value, of a row's id, or None if none reached it."""
        node_id = value if type(value) is int else self.program.id_of(value)
        return None if node_id is None else self._totals.get(node_id)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return "\n".join(text_table(self._columns))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._columns)

    @property
    def _columns(self) -> Columns:
        shown = self.steps[:_MAX_STEPS_SHOWN]
        places = [self._nodes[step.to if step.row is None else step.row] for step in shown]
        more = [f"… {len(self.steps) - len(shown):,} more …"] if len(shown) < len(self.steps) else []
        blank = [""] * len(more)
        return {
            "step": [*(step.note for step in shown), *more],
            "cotangent": [*(summarize_value(step.total) for step in shown), *blank],
            "line": [*(f"line {node.line}" if node.line else "" for node in places), *blank],
        }
