"""Handlers of the tape inspector's requests, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.diagnostics.tape_cost import cost
from autodiff_kit.lab.kernel.diff import align_rows, max_difference, rounding_of
from autodiff_kit.lab.kernel.errors import InspectorError, int_argument
from autodiff_kit.lab.kernel.explain import ExplainedValue, explain_message, jacobian_message, value_of_row
from autodiff_kit.lab.kernel.history import TapeEntry
from autodiff_kit.lab.kernel.serialize import CHUNK_ROWS
from autodiff_kit.lab.kernel.stepping import ReverseSweep, SteppedSweep
from autodiff_kit.lab.kernel.tape_view import QUANTITIES, InspectorContext, TapeView
from autodiff_kit.lab.kernel.value_summary import UNAVAILABLE, array_entries, is_unavailable, json_number, summarize

__all__ = ["REQUEST_HANDLERS"]

Message = dict[str, Any]


def _list_tapes(context: InspectorContext, _: Message) -> Message:
    tapes = []
    for entry in context.history.entries():
        tape = entry.ref()
        if tape is not None and tape._entered:
            about = context.notice(entry)
            held = entry.bytes or tape.nbytes
            tapes.append(about | {"bytes": held, "pinned": entry.pinned, "released": _is_released(entry, tape)})
    return {"type": "list", "tapes": tapes}


def _is_released(entry: TapeEntry, tape: GradientTape) -> bool:
    record = tape._record
    return record.released and record.has_arrays and entry.saved_parts is None


def _tape_header(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    entry = view.entry
    about = context.notice(entry) | {"bad": view.bad}
    return {
        "type": "tape",
        **about,
        "persistent": view.tape._persistent,
        **_released_fields(view),
        "pinned": entry.pinned,
        **view.serializer.header(context.namespace()),
        **_gradient_fields(view),
        "columns": view.serializer.columns_chunk(0, min(view.n, CHUNK_ROWS)),
    }


def _gradient_update(context: InspectorContext, message: Message) -> Message:
    """Reply to tape.asked: the fields that change when a gradient of a recorded tape is requested."""
    view = context.view(message)
    again = {"tape": view.entry.id, "at": round(view.entry.at, 3), "n": view.n, **_released_fields(view)}
    return {"type": "asked", **again, "bad": view.bad, **_gradient_fields(view)}


def _released_fields(view: TapeView) -> Message:
    """Whether the tape released values that the inspector did not save, and why it saved none."""
    released = not view.table.complete
    return {"released": released, "released_because": view.entry.released_because if released else ""}


def _gradient_fields(view: TapeView) -> Message:
    """Fields about the last gradient request: its count, target, sources, and the hooks on the path."""
    table, serializer = view.table, view.serializer
    asked = [row for source in view.sources if (row := table.row_of(source)) is not None]
    followed = [row for row, flags in table.flags.items() if flags == "s"]
    return {
        "asked": view.asked,
        "target": serializer.targets[0] if serializer.targets else None,
        "sources": list(dict.fromkeys([*asked, *followed])),
        "hooks": _hook_effects(view),
    }


def _hook_effects(view: TapeView) -> Message:
    """Hooks by row, with the cotangent before and after if a sweep has visited the row."""
    sweep = view.sweeps["reverse"][1] if "reverse" in view.sweeps else None
    found = {}
    for node, hooks in view.table.record.hooks.items():
        row = view.table.row.get(node)
        if row is not None:
            seen = sweep.hook_effect(row) if isinstance(sweep, ReverseSweep) else None
            label = ", ".join(str(getattr(hook, "__name__", type(hook).__name__)) for hook in hooks)
            found[str(row)] = seen or {"label": label, "before": None, "after": None}
    return found


def _columns_chunk(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    return {"type": "columns", **view.serializer.columns_chunk(*view.row_range(message, CHUNK_ROWS))}


def _costs_chunk(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    return {"type": "costs", **view.serializer.costs_chunk(*view.row_range(message, CHUNK_ROWS))}


def _value_kinds(context: InspectorContext, message: Message) -> Message:
    """Kinds of the rows' values, newest first, within one time slice; '?' for rows that are not finished."""
    view = context.view(message)
    a, b = view.row_range(message, 1 << 40)
    late = view.time_slice()
    reverse, forward = _sweep_or_none(view.reverse_sweep, message), view.forward_sweep(message)
    for sweep, row in ((reverse, a), (forward, b - 1)):
        if sweep is not None and not late() and a < b:
            sweep.advance_to(row, late)
    for row in range(b - 1, a - 1, -1):
        view.classify_value(row)
        if late():
            break
    return {
        "type": "kinds",
        "a": a,
        "b": b,
        "value": view.kinds[a:b].decode(),
        "tangent": None if forward is None else forward.kinds[a:b].decode(),
        "cotangent": _cotangent_kinds(view, reverse, a, b),
        "bad": view.bad,
    }


def _cotangent_kinds(view: TapeView, sweep: ReverseSweep | None, a: int, b: int) -> str | None:
    """Kinds of the cotangents; a variable that is not trainable is frozen, whatever cotangent it received.

    None without a sweep, unless it is known that nothing gets a cotangent: the target is not on the tape.
    """
    if sweep is None and not view.off_tape:
        return None
    letters = bytearray(b"n" * (b - a)) if sweep is None else sweep.kinds[a:b]
    for row in view.frozen:
        if a <= row < b:
            letters[row - a] = ord("f")
    return letters.decode()


def _sweep_or_none(make: Callable[[Message], Any], message: Message) -> Any:
    """A sweep, or None if the tape released the values that it needs, or the target has no derivative."""
    try:
        return make(message)
    except InspectorError:
        if message.get("target") is not None:
            raise
        return None


def _value_summaries(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    a, b = view.row_range(message, CHUNK_ROWS)
    whats = message.get("what", ["value"])
    if not isinstance(whats, list) or not whats or any(what not in QUANTITIES for what in whats):
        raise InspectorError("argument", f"what must be a list of {', '.join(QUANTITIES)}, got {whats!r}.")
    _require_any_value(view, a, b)
    if "cotangent" in whats and _sweep_or_none(view.reverse_sweep, message) is None:
        whats = [what if what != "cotangent" else "" for what in whats]
    if "tangent" in whats:
        view.forward_sweep(message)
    late = view.advance_sweeps(whats, a, b)
    rows = [[summarize(view.quantity_so_far(what, row)) if what else None for what in whats] for row in range(a, b)]
    return {"type": "values", "a": a, "b": b, "rows": rows, "late": late}


def _require_any_value(view: TapeView, a: int, b: int) -> None:
    """Raise InspectorError if no computed row of the span still has a value."""
    table = view.table
    if not table.complete and all(table.value(row) is UNAVAILABLE for row in range(a, b) if table.inputs[row]):
        table.require_values()


def _array_entries(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    row = view.row_argument(message, "node")
    what = message.get("what", "value")
    if what not in QUANTITIES:
        raise InspectorError("argument", f"what must be one of {', '.join(QUANTITIES)}, got {what!r}.")
    if what == "cotangent":
        view.reverse_sweep(message)
    if what == "tangent":
        view.forward_sweep(message)
    value = view.quantity(what, row)
    if value is UNAVAILABLE:
        raise InspectorError("released", f"The value of row {row} is no longer available.", "Run the cell again.")
    if is_unavailable(value):
        raise InspectorError("none", f"Inside ak.vmap row {row} has values of many examples.", "Record one example.")
    if value is None:
        raise InspectorError("none", f"Row {row} has no {what}: it is None.", "Request tape.explain for the reason.")
    limit = int_argument(message, "limit", 0, 1_000_000, 1000)
    return {"type": "array", "node": row, "what": what, **array_entries(value, limit)}


def _sweep_steps(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    direction = message.get("direction", "reverse")
    if direction not in ("forward", "reverse"):
        raise InspectorError("argument", f"direction must be forward or reverse, got {direction!r}.")
    sweep: SteppedSweep | None = view.reverse_sweep(message) if direction == "reverse" else view.forward_sweep(message)
    if sweep is None:
        what = "source" if direction == "forward" else "target"
        raise InspectorError("node", f"A {direction} sweep needs a {what}, which is missing.", f"Give a row as {what}.")
    first = int_argument(message, "from", 0, view.n - 1, sweep.first_row)
    steps = int_argument(message, "steps", 1, 10_000, 64)
    return {"type": "sweep", "direction": direction, **sweep.steps_message(first, steps)}


def _explain_gradient(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    space = context.namespace()
    target, source = (_explained_value(view, message, name, space) for name in ("target", "source"))
    told = explain_message(
        view.entry, view.tape, view.table, (target, source), view.serializer.names(space), space, context.cells
    )
    return {"type": "explain", **told}


def _explained_value(view: TapeView, message: Message, name: str, space: dict[str, Any]) -> ExplainedValue:
    """Row and value of an argument: a row number, or a variable of the notebook, whose value may be on no row."""
    given = message.get(name)
    if isinstance(given, str):
        value = space.get(given)
        row = view.table.row_of(value) if isinstance(value, Value) else None
        row = row if row is not None else next((k for k, n in view.serializer.names(space).items() if n == given), None)
        if row is None and not isinstance(value, Value):
            raise InspectorError(
                "node", f"Neither the tape nor the notebook has a value {given!r}.", "Give the number of a row."
            )
        return row, value if row is None else value_of_row(view.table, row)
    otherwise = view.serializer.targets[0] if name == "target" and view.serializer.targets else None
    row = view.row_argument(message, name, otherwise)
    return row, value_of_row(view.table, row)


def _jacobian_of_rows(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    space = context.namespace()
    (target, _), (source, _) = (_explained_value(view, message, name, space) for name in ("target", "source"))
    if target is None or source is None:
        raise InspectorError(
            "node", "A Jacobian needs two rows, but one of them is not on the tape.", "Request tape.explain."
        )
    limit = int_argument(message, "limit", 0, 10_000, 36)
    view.table.require_values()
    return {
        "type": "jacobian",
        "target": target,
        "source": source,
        **jacobian_message(view.table, target, source, limit),
    }


def _cost_table(context: InspectorContext, message: Message) -> Message:
    view = context.view(message)
    top = int_argument(message, "top", 0, 100_000, 5)
    otherwise = view.serializer.targets[0] if view.serializer.targets else None
    named = message.get("target") is not None or otherwise is not None  # without a row, or of one that is on no row
    goal = view.row_argument(message, "target", otherwise) if named else None
    target = None if goal is None or view.table.nodes[goal] is None else value_of_row(view.table, goal)
    found = cost(view.tape, by=message.get("by", "line"), top=top, target=target)

    def row(r: Any) -> Message:
        figures = {name: getattr(r, name) for name in ("op", "code", "nodes", "flops", "flops_back", "bytes")}
        return {"cell": context.cells.cell_key(r.cell) if r.cell else None, "line": r.line or None, **figures}

    return {
        "type": "cost",
        "forward": found.forward,
        "backward": found.backward,
        "rows": [row(r) for r in found.rows],
        "rest": row(found.rest),
    }


def _diff_tapes(context: InspectorContext, message: Message) -> Message:
    """Align two tapes by operation, shape and function, leaves also by name, and list the pairs that differ."""
    first, second = context.view(message, "a"), context.view(message, "b")
    what = message.get("what", "value")
    if what not in QUANTITIES:
        raise InspectorError("argument", f"what must be one of {', '.join(QUANTITIES)}, got {what!r}.")
    pairs = align_rows(*(_alignment_keys(view, context.namespace()) for view in (first, second)))
    changed, distances = [], []
    for k, (i, j) in enumerate(pairs):
        if i is not None and j is not None:
            values = first.quantity(what, i), second.quantity(what, j)
            distance = max_difference(*values)
            if distance is not None and distance > rounding_of(*values):
                changed.append(k)
                distances.append(json_number(distance))
    return {"type": "diff", "pairs": [list(p) for p in pairs], "changed": changed, "apart": distances}


def _alignment_keys(view: TapeView, namespace: dict[str, Any]) -> list[Any]:
    table, names = view.table, view.serializer.names(namespace)
    leaf = {row: names.get(row, "") for row in range(view.n) if not table.inputs[row]}
    return [(table.ops[k], table.likes[k].shape, table.modules[k], leaf.get(k, "")) for k in range(view.n)]


def _pin_tape(context: InspectorContext, message: Message) -> Message:
    entry, tape = context.history.find(message.get("tape"))
    on = message.get("on") is not False
    context.history.pin(entry, tape, on)
    return {"type": "pin", "tape": entry.id, "pinned": on}


REQUEST_HANDLERS: dict[str, Callable[[InspectorContext, Message], Message]] = {
    "tape.list": _list_tapes,
    "tape.head": _tape_header,
    "tape.asked": _gradient_update,
    "tape.columns": _columns_chunk,
    "tape.costs": _costs_chunk,
    "tape.kinds": _value_kinds,
    "tape.values": _value_summaries,
    "tape.array": _array_entries,
    "tape.sweep": _sweep_steps,
    "tape.explain": _explain_gradient,
    "tape.jacobian": _jacobian_of_rows,
    "tape.cost": _cost_table,
    "tape.diff": _diff_tapes,
    "tape.pin": _pin_tape,
}
