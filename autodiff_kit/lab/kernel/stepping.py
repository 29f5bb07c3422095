"""Forward and reverse sweeps over a recorded tape one row at a time, with each edge's contribution.

They are slower than the engine's own sweeps, which do not depend on them. Here cotangents are in a dict and not on
the nodes, so that a stepped sweep and a gradient never interfere. Hooks and user-defined gradients are called once
more for each stepped sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR
from autodiff_kit.core.backward import input_cotangents
from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.record import Node
from autodiff_kit.core.tensor import wrap
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.lab.kernel.errors import InspectorError, error_text
from autodiff_kit.lab.kernel.table_model import TapeTable
from autodiff_kit.lab.kernel.value_summary import UNAVAILABLE, kind_letter, summarize
from autodiff_kit.ops.row_gradient import RowGradient
from autodiff_kit.transforms.node_tangent import output_tangent

__all__ = ["ForwardSweep", "ReverseSweep", "SteppedSweep", "seed_for"]


def seed_for(table: TapeTable, row: int, seed: Any) -> Any:
    """The seed of a sweep: the given numbers in the row's shape, one number for all entries, or ones."""
    shape, dtype = table.likes[row]
    if dtype.kind not in "fc":
        raise InspectorError("argument", f"row {row} has dtype {dtype}, which has no derivative.")
    if seed is None:
        return canonical(np.ones(shape, dtype))
    try:
        given = np.asarray(unwrap(seed), dtype)
        return canonical(np.full(shape, given.reshape(())) if given.size == 1 else given.reshape(shape).copy())
    except (TypeError, ValueError):
        size = int(np.prod(shape, dtype=int))
        text = f"the seed of row {row} must have {size} numbers, in shape {shape}, or a single one."
        raise InspectorError("argument", text) from None


class SteppedSweep:
    """A sweep that advances row by row; base of both directions.

    Attributes
    ----------
    next_row : int
        The next row.
    events : list
        The event at each row that received a contribution.
    """

    direction: int

    def __init__(self, table: TapeTable, seeds: dict[int, Any], hooks: dict[Node, list[Callable[[Any], Any]]]) -> None:
        table.require_values()
        self.table = table
        self.results: dict[int, Any] = dict(seeds)
        self.hooks = hooks
        self.events: list[dict[str, Any]] = []
        self._event_of: dict[int, int] = {}
        self.next_row = max(seeds) if self.direction < 0 else min(seeds)
        self.first_row = self.next_row
        n = len(table)
        outside = slice(self.first_row + 1, n) if self.direction < 0 else slice(0, self.first_row)
        self.kinds = bytearray(b"?" * n)
        self.kinds[outside] = b"n" * len(self.kinds[outside])

    @property
    def done(self) -> bool:
        """Whether no rows are left."""
        return not 0 <= self.next_row < len(self.table)

    def is_final(self, row: int) -> bool:
        """Whether a row's result is final."""
        return self.done or (row - self.next_row) * self.direction < 0 or (row - self.first_row) * self.direction < 0

    def result(self, row: int) -> Any:
        """A row's tangent or cotangent: None if nothing reached it, UNAVAILABLE while contributions may follow."""
        return self.results.get(row) if self.is_final(row) else UNAVAILABLE

    def advance_to(self, row: int, until: Callable[[], bool] = lambda: False) -> None:
        """Advance until a row is final or ``until`` returns true; by at least one row."""
        with np.errstate(all="ignore"):
            while not self.done and not self.is_final(row):
                event = self._visit(self.next_row)
                if event is not None:
                    self._event_of[self.next_row] = len(self.events)
                    self.events.append(event)
                self.kinds[self.next_row] = ord(kind_letter(self.results.get(self.next_row)))
                self.next_row += self.direction
                if until():
                    return

    def _visit(self, row: int) -> dict[str, Any] | None:
        raise NotImplementedError

    def _step_message(self, event: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def steps_message(self, first: int, steps: int) -> dict[str, Any]:
        """The reply with at most ``steps`` events from a row on, and the next row."""
        found: list[dict[str, Any]] = []
        row = first
        while 0 <= row < len(self.table) and len(found) < steps:
            if not self.is_final(row):
                self.advance_to(row)
            place = self._event_of.get(row)
            if place is not None:
                found.append(self._step_message(self.events[place]))
            row += self.direction
        more = 0 <= row < len(self.table)
        return {"events": found, "next": row if more else None, "done": not more}


class ReverseSweep(SteppedSweep):
    """A reverse sweep: cotangents from the target to the inputs."""

    direction = -1

    def _visit(self, row: int) -> dict[str, Any] | None:
        if row not in self.results:
            return None
        table = self.table
        node = table.nodes[row]
        event: dict[str, Any] = {"node": row, "sends": []}
        if node is not None and node in self.hooks:
            before = self.results[row]
            self.results[row] = event["after"] = _apply_hooks(self.hooks[node], before, node, event)
            event["before"] = before
        event["g"] = self.results[row]
        if node is None or table.parts[row] is None:  # a leaf, which an outer tape may have computed
            return event
        try:
            parts = input_cotangents(table.evaluable_node(row), event["g"])
        except Exception as error:  # noqa: BLE001 - rules may be the user's; the rest of the sweep is worth seeing
            event["trouble"] = error_text(error)
            return event
        for n, part in parts:
            part = part.numpy() if type(part) is RowGradient else part
            to = table.row[n]
            before = self.results.get(to)
            self.results[to] = part if before is None else before + part
            event["sends"].append((to, part, self.results[to]))
        return event

    def _step_message(self, event: dict[str, Any]) -> dict[str, Any]:
        sends = [{"to": to, "part": summarize(part), "sum": summarize(total)} for to, part, total in event["sends"]]
        steps_message = {"node": event["node"], "g": summarize(event["g"]), "sends": sends}
        if "label" in event:
            steps_message["hook"] = hook_message(event)
        if "trouble" in event:
            steps_message["trouble"] = event["trouble"]
        return steps_message

    def hook_effect(self, row: int) -> dict[str, Any] | None:
        """A row's cotangent before and after its hooks; None without hooks, or if the sweep has not reached the row."""
        place = self._event_of.get(row)
        event = self.events[place] if place is not None else {}
        return hook_message(event) if "label" in event else None


class ForwardSweep(SteppedSweep):
    """A forward sweep: tangents from a source to the outputs."""

    direction = 1

    def _visit(self, row: int) -> dict[str, Any] | None:
        """Visit a row: use its seed, or push its inputs' tangents forward."""
        if row in self.results:
            return {"node": row, "g": self.results[row], "from": []}
        came = [i for i in self.table.inputs[row] if i in self.results]
        event = self._push(row, came) if came else None
        return event if event is not None and (event["g"] is not None or "trouble" in event) else None

    def _push(self, row: int, came: list[int]) -> dict[str, Any]:
        node = self.table.evaluable_node(row)
        incoming = tuple(None if n is None else self.results.get(self.table.row[n]) for n in node.inputs)
        event: dict[str, Any] = {"node": row, "g": None, "from": sorted(set(came))}
        try:
            event["g"] = output_tangent(node, incoming)
        except Exception as error:  # noqa: BLE001 - as above
            event["trouble"] = error_text(error)
        if event["g"] is not None:
            self.results[row] = event["g"]
        return event

    def _step_message(self, event: dict[str, Any]) -> dict[str, Any]:
        trouble = {"trouble": event["trouble"]} if "trouble" in event else {}
        return {"node": event["node"], "g": summarize(event["g"]), "from": event["from"], "sends": []} | trouble


def _apply_hooks(hooks: list[Callable[[Any], Any]], g: Any, node: Node, event: dict[str, Any]) -> Any:
    """A cotangent after its hooks; a hook that raises is skipped and recorded in the event."""
    event["label"] = ", ".join(str(getattr(hook, "__name__", type(hook).__name__)) for hook in hooks)
    for hook in hooks:
        try:
            new = hook(wrap(canonical(g)))
            g = g if new is None else unbroadcast(unwrap(new), node.spec or SCALAR)
        except Exception as error:  # noqa: BLE001 - it is the user's
            event["trouble"] = error_text(error)
    return g


def hook_message(event: dict[str, Any]) -> dict[str, Any]:
    """A hook as in a message."""
    return {"label": event["label"], "before": summarize(event["before"]), "after": summarize(event["after"])}
