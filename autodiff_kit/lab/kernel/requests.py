"""An answer to each request of the tape inspector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Value
from autodiff_kit.diagnostics.tape_cost import cost
from autodiff_kit.lab.kernel.diff import align, apart
from autodiff_kit.lab.kernel.errors import Refusal, asked_int
from autodiff_kit.lab.kernel.explain import End, explained, handle, jacobian
from autodiff_kit.lab.kernel.history import Entry
from autodiff_kit.lab.kernel.serialize import CHUNK
from autodiff_kit.lab.kernel.stepping import Reverse, Sweep
from autodiff_kit.lab.kernel.tape_view import WHATS, Desk, View
from autodiff_kit.lab.kernel.value_summary import HIDDEN, entries, number, summary

__all__ = ["ANSWERS"]

Message = dict[str, Any]


def _list(desk: Desk, _: Message) -> Message:
    tapes = []
    for entry in desk.ring.entries():
        tape = entry.ref()
        if tape is not None and tape._entered:
            about = desk.notice(entry)
            held = entry.bytes or tape.nbytes
            tapes.append(about | {"bytes": held, "pinned": entry.pinned, "released": _released(entry, tape)})
    return {"type": "list", "tapes": tapes}


def _released(entry: Entry, tape: GradientTape) -> bool:
    record = tape._record
    return record.released and record.arrays and entry.kept is None


def _head(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    entry, sheet = view.entry, view.sheet
    about = desk.notice(entry) | {"bad": view.bad}
    return {
        "type": "tape",
        **about,
        "persistent": view.tape._persistent,
        "released": not sheet.complete,
        "pinned": entry.pinned,
        **view.facts.head(desk.namespace()),
        **_asked_of(view),
        "columns": view.facts.part(0, min(view.n, CHUNK)),
    }


def _asked(desk: Desk, message: Message) -> Message:
    """What changed when derivatives were asked for: the record is as it was."""
    view = desk.view(message)
    again = {"tape": view.entry.id, "at": round(view.entry.at, 3), "n": view.n, "released": not view.sheet.complete}
    return {"type": "asked", **again, "bad": view.bad, **_asked_of(view)}


def _asked_of(view: View) -> Message:
    """Of what derivatives were asked how many times, and where; hooks on the way."""
    sheet, facts = view.sheet, view.facts
    asked = [row for source in view.sources if (row := sheet.find(source)) is not None]
    followed = [row for row, flags in sheet.flags.items() if flags == "s"]
    return {
        "asked": view.asked,
        "target": facts.targets[0] if facts.targets else None,
        "sources": list(dict.fromkeys([*asked, *followed])),
        "hooks": _hooks(view),
    }


def _hooks(view: View) -> Message:
    """Hooks by row; before and after where a sweep has been there."""
    sweep = view.sweeps["reverse"][1] if "reverse" in view.sweeps else None
    found = {}
    for node, hooks in view.sheet.record.hooks.items():
        row = view.sheet.row.get(node)
        if row is not None:
            seen = sweep.hook(row) if isinstance(sweep, Reverse) else None
            label = ", ".join(str(getattr(hook, "__name__", type(hook).__name__)) for hook in hooks)
            found[str(row)] = seen or {"label": label, "before": None, "after": None}
    return found


def _columns(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    return {"type": "columns", **view.facts.part(*view.span(message, CHUNK))}


def _costs(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    return {"type": "costs", **view.facts.cost(*view.span(message, CHUNK))}


def _kinds(desk: Desk, message: Message) -> Message:
    """Letters of rows, newest first, for as long as a slice of time lasts; the rest is '?' until asked again."""
    view = desk.view(message)
    a, b = view.span(message, 1 << 40)
    late = view.slice()
    reverse, forward = _if_there(view.reverse, message), view.forward(message)
    for sweep, row in ((reverse, a), (forward, b - 1)):
        if sweep is not None and not late() and a < b:
            sweep.reach(row, late)
    for row in range(b - 1, a - 1, -1):
        view.scan(row)
        if late():
            break
    return {
        "type": "kinds",
        "a": a,
        "b": b,
        "value": view.kinds[a:b].decode(),
        "tangent": None if forward is None else forward.kinds[a:b].decode(),
        "cotangent": None if reverse is None else _cotangents(view, reverse, a, b),
        "bad": view.bad,
    }


def _cotangents(view: View, sweep: Reverse, a: int, b: int) -> str:
    """The letters of a sweep; a variable that is not trained is frozen, whatever came to it."""
    letters = sweep.kinds[a:b]
    for row in view.frozen:
        if a <= row < b:
            letters[row - a] = ord("f")
    return letters.decode()


def _if_there(make: Callable[[Message], Any], message: Message) -> Any:
    """A sweep, or None where the tape let go of what it needs, or the target has no derivative."""
    try:
        return make(message)
    except Refusal:
        if message.get("target") is not None:
            raise
        return None


def _values(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    a, b = view.span(message, CHUNK)
    whats = message.get("what", ["value"])
    if not isinstance(whats, list) or not whats or any(what not in WHATS for what in whats):
        raise Refusal("argument", f"what is a list of {', '.join(WHATS)}, not {whats!r}.")
    _gone(view, a, b)
    if "cotangent" in whats and _if_there(view.reverse, message) is None:
        whats = [what if what != "cotangent" else "" for what in whats]
    if "tangent" in whats:
        view.forward(message)
    late = view.go_on(whats, a, b)
    rows = [[summary(view.so_far(what, row)) if what else None for what in whats] for row in range(a, b)]
    return {"type": "values", "a": a, "b": b, "rows": rows, "late": late}


def _gone(view: View, a: int, b: int) -> None:
    """Refuse where no value of the rows that were computed is held, nor can be found from what is."""
    sheet = view.sheet
    if not sheet.complete and all(sheet.value(row) is HIDDEN for row in range(a, b) if sheet.inputs[row]):
        sheet.ready()


def _array(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    row = view.row(message, "node")
    what = message.get("what", "value")
    if what not in WHATS:
        raise Refusal("argument", f"what is one of {', '.join(WHATS)}, not {what!r}.")
    if what == "cotangent":
        view.reverse(message)
    if what == "tangent":
        view.forward(message)
    value = view.of(what, row)
    if value is HIDDEN:
        raise Refusal("released", f"The value of row {row} is not held any more.", "Run the cell again.")
    if value is None:
        raise Refusal("none", f"Row {row} has no {what}: it is None.", "Ask tape.explain why.")
    limit = asked_int(message, "limit", 0, 1_000_000, 1000)
    return {"type": "array", "node": row, "what": what, **entries(value, limit)}


def _sweep(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    direction = message.get("direction", "reverse")
    if direction not in ("forward", "reverse"):
        raise Refusal("argument", f"direction is forward or reverse, not {direction!r}.")
    sweep: Sweep | None = view.reverse(message) if direction == "reverse" else view.forward(message)
    if sweep is None:
        what = "source" if direction == "forward" else "target"
        raise Refusal("node", f"A {direction} sweep starts at a {what}, which was not named.", f"Name a row as {what}.")
    first = asked_int(message, "from", 0, view.n - 1, sweep.begin)
    steps = asked_int(message, "steps", 1, 10_000, 64)
    return {"type": "sweep", "direction": direction, **sweep.shown(first, steps)}


def _explain(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    space = desk.namespace()
    target, source = (_end(view, message, name, space) for name in ("target", "source"))
    told = explained(view.entry, view.tape, view.sheet, (target, source), view.facts.names(space), space, desk.cells)
    return {"type": "explain", **told}


def _end(view: View, message: Message, name: str, space: dict[str, Any]) -> End:
    """A row that is named by its number, or a value by what the notebook calls it, which may be on no row."""
    given = message.get(name)
    if isinstance(given, str):
        value = space.get(given)
        row = view.sheet.find(value) if isinstance(value, Value) else None
        row = row if row is not None else next((k for k, n in view.facts.names(space).items() if n == given), None)
        if row is None and not isinstance(value, Value):
            raise Refusal(
                "node", f"Neither the tape nor the notebook has a value {given!r}.", "Name a row by its number."
            )
        return row, value if row is None else handle(view.sheet, row)
    otherwise = view.facts.targets[0] if name == "target" and view.facts.targets else None
    row = view.row(message, name, otherwise)
    return row, handle(view.sheet, row)


def _jacobian(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    space = desk.namespace()
    (target, _), (source, _) = (_end(view, message, name, space) for name in ("target", "source"))
    if target is None or source is None:
        raise Refusal(
            "node", "A Jacobian lies between two rows, and one of these is not on the tape.", "Ask tape.explain."
        )
    limit = asked_int(message, "limit", 0, 10_000, 36)
    view.sheet.ready()
    return {"type": "jacobian", "target": target, "source": source, **jacobian(view.sheet, target, source, limit)}


def _cost(desk: Desk, message: Message) -> Message:
    view = desk.view(message)
    top = asked_int(message, "top", 0, 100_000, 5)
    goal = view.row(message, "target", view.facts.targets[0] if view.facts.targets else None) if view.n else None
    target = None if goal is None or view.sheet.nodes[goal] is None else handle(view.sheet, goal)
    found = cost(view.tape, by=message.get("by", "line"), top=top, target=target)

    def row(r: Any) -> Message:
        figures = {name: getattr(r, name) for name in ("op", "code", "nodes", "flops", "flops_back", "bytes")}
        return {"cell": desk.cells.key(r.cell) if r.cell else None, "line": r.line or None, **figures}

    return {
        "type": "cost",
        "forward": found.forward,
        "backward": found.backward,
        "rows": [row(r) for r in found.rows],
        "rest": row(found.rest),
    }


def _diff(desk: Desk, message: Message) -> Message:
    """Two tapes, row beside row: by operation, shape and function, leaves by their names too."""
    first, second = desk.view(message, "a"), desk.view(message, "b")
    what = message.get("what", "value")
    if what not in WHATS:
        raise Refusal("argument", f"what is one of {', '.join(WHATS)}, not {what!r}.")
    pairs = align(*(_keys(view, desk.namespace()) for view in (first, second)))
    changed, distances = [], []
    for k, (i, j) in enumerate(pairs):
        if i is not None and j is not None:
            distance = apart(first.of(what, i), second.of(what, j))
            if distance is not None and distance > 1e-9:
                changed.append(k)
                distances.append(number(distance))
    return {"type": "diff", "pairs": [list(p) for p in pairs], "changed": changed, "apart": distances}


def _keys(view: View, namespace: dict[str, Any]) -> list[Any]:
    sheet, names = view.sheet, view.facts.names(namespace)
    leaf = {row: names.get(row, "") for row in range(view.n) if not sheet.inputs[row]}
    return [(sheet.ops[k], sheet.likes[k].shape, sheet.modules[k], leaf.get(k, "")) for k in range(view.n)]


def _pin(desk: Desk, message: Message) -> Message:
    entry, tape = desk.ring.find(message.get("tape"))
    on = message.get("on") is not False
    desk.ring.pin(entry, tape, on)
    return {"type": "pin", "tape": entry.id, "pinned": on}


ANSWERS: dict[str, Callable[[Desk, Message], Message]] = {
    "tape.list": _list,
    "tape.head": _head,
    "tape.asked": _asked,
    "tape.columns": _columns,
    "tape.costs": _costs,
    "tape.kinds": _kinds,
    "tape.values": _values,
    "tape.array": _array,
    "tape.sweep": _sweep,
    "tape.explain": _explain,
    "tape.jacobian": _jacobian,
    "tape.cost": _cost,
    "tape.diff": _diff,
    "tape.pin": _pin,
}
