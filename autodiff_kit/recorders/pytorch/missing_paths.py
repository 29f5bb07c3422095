"""Gradients that are None: the operation, event or line at which the path from source to target is broken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation
from autodiff_kit.recorders import source_search as text
from autodiff_kit.recorders.finding import Finding
from autodiff_kit.recorders.pytorch.recording import Operation
from autodiff_kit.recorders.pytorch.value_paths import PathEnd, ValuePaths

if TYPE_CHECKING:
    from autodiff_kit.recorders.pytorch.diagnosis import Diagnosis

__all__ = ["missing_path", "not_a_leaf", "place_of_end", "plain_value", "words_of_end"]

_OFF = ("no_grad", "inference_mode", "set_grad_enabled")


def plain_value(diagnosis: Diagnosis, value: Any, name: str, role: str) -> Finding:
    """A target or source that is a number or an array."""
    known = diagnosis.recording.plain.get(id(value))
    place, node = UNKNOWN_LOCATION, None
    if known is not None and known[0] is value:
        node, place = known[1], diagnosis.recording.operations[known[1]].place
    else:
        lines = text.binding_lines(diagnosis.file, diagnosis.line, name)
        leaving = [k for k, op in enumerate(diagnosis.recording.operations) if op.left is not None and not op.decides]
        if leaving and (isinstance(value, (int, float, np.ndarray, np.generic))):
            node = leaving[-1]
            place = diagnosis.recording.operations[node].place
        elif lines:
            place = SourceLocation(lines[-1][0], lines[-1][1], "")
    kind = type(value).__name__
    return Finding("left", place, f"{name} ({role}) is a {kind}: PyTorch follows tensors only.", node=node)


# ------------------------------------------------------------------------------------------------ sources that are no leaf
def not_a_leaf(diagnosis: Diagnosis, source: Any, name: str) -> Finding | None:
    """A source that is the result of an operation, where a parameter was meant: its .grad stays None."""
    if source.is_leaf or source.retains_grad:
        return None
    recording = diagnosis.recording
    asked = any(any(s is source for s in done.asked) for done in recording.passes)
    looked = any(e.kind == "read_grad" and e.what is source for e in recording.events)
    unnamed = not _has_named_leaf(diagnosis, source)
    went_back = any(done.accumulates for done in recording.passes)
    if asked or not (looked or unnamed or went_back):
        return None
    return _made_by_operation(diagnosis, source, name)


def _made_by_operation(diagnosis: Diagnosis, source: Any, name: str) -> Finding:
    place, node, operation = _creation(diagnosis, source, name)
    did = f"On this line {operation.name.strip('_.')} computed it" if operation is not None else "It was computed"
    rebinds = place.line and any(
        reads and line <= place.line <= text.statement_lines(file, line)[1]
        for file, line, reads in text.binding_lines(
            place.cell, place.line, name.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]
        )
    )
    if rebinds:
        return Finding(
            "replaced",
            place,
            f"This line computes a new tensor from {name} and gives it the same name; the leaf is gone.",
            node=node,
        )
    return Finding("not_leaf", place, f"{did} from other tensors.", node=node)


def _creation(diagnosis: Diagnosis, source: Any, name: str) -> tuple[SourceLocation, int | None, Operation | None]:
    """The line that made a tensor: an operation of the block, or else the assignment to its name."""
    recording = diagnosis.recording
    numbers = recording.numbers_of(source)
    made = [recording.values[n].operation for n in numbers if recording.values[n].operation >= 0]
    if made:
        return recording.operations[made[0]].place, made[0], recording.operations[made[0]]
    parts = re.split(r"[.\[]", name)
    before = list(text.binding_lines(diagnosis.file, diagnosis.line, parts[0])) if len(parts) == 1 else []
    if before:
        return SourceLocation(before[-1][0], before[-1][1], ""), None, None
    return UNKNOWN_LOCATION, None, None


def _has_named_leaf(diagnosis: Diagnosis, source: Any) -> bool:
    """Whether a leaf that the source was computed from is one that the user holds."""
    from autodiff_kit.recorders.pytorch.backward_pass import graph_nodes

    leaves = [fn.variable for fn in graph_nodes([source.grad_fn]) if hasattr(fn, "variable")]
    return any(diagnosis.name(leaf, "") for leaf in leaves)


# ------------------------------------------------------------------------------------------------ no path by gradient
def missing_path(diagnosis: Diagnosis, source: Any, name: str) -> Finding:
    """Why no gradient leads from the target to the source."""
    numbers = diagnosis.recording.numbers_of(source)
    ends = diagnosis.paths.ends(numbers) if diagnosis.paths is not None and numbers else []
    also = tuple(dict.fromkeys(end.kind for end in ends))
    if not source.requires_grad and source.is_leaf and not _was_written_in_no_grad(diagnosis, source):
        found = _frozen(diagnosis, source, name)
        return found._replace(also=tuple(k for k in also if k != found.kind))
    reached = diagnosis.paths is not None and not set(numbers).isdisjoint(diagnosis.paths.needed_values)
    if ends and (source.is_leaf or reached):
        found = end_finding(diagnosis, ends[-1], ends, name)
        return found._replace(also=tuple(k for k in also if k != found.kind))
    replaced = _replaced(diagnosis, source, name)
    if replaced is not None:
        return replaced
    if not source.is_leaf:
        return _made_by_operation(diagnosis, source, name)
    return _unused(diagnosis, source, name)


def _was_written_in_no_grad(diagnosis: Diagnosis, source: Any) -> bool:
    """Whether an operation under no_grad made the source out of something that required a gradient."""
    values = diagnosis.recording.values
    for number in diagnosis.recording.numbers_of(source):
        k = values[number].operation
        if k >= 0 and any(values[n].required_grad for n in diagnosis.recording.operations[k].inputs):
            return True
    return False


def _frozen(diagnosis: Diagnosis, source: Any, name: str) -> Finding:
    recording = diagnosis.recording
    event = next(
        (e for e in reversed(recording.events) if e.kind == "requires_grad" and e.what is source and not e.detail), None
    )
    if event is not None:
        return Finding("frozen", event.place, f"This line sets requires_grad of {name} to False.")
    if not source.is_floating_point() and not source.is_complex():
        place, node, _ = _creation(diagnosis, source, name)
        return Finding(
            "no_slope",
            place,
            f"{name} holds {str(source.dtype).removeprefix('torch.')} values, which do not change continuously.",
            op="An integer tensor",
            node=node,
        )
    place, node, _ = _creation(diagnosis, source, name)
    if place.line:
        return Finding("frozen", place, f"{name} was made without requires_grad=True.", node=node)
    parts = [part.strip("]'\"") for part in re.split(r"[.\[]", name)]
    line = text.freezing_line(diagnosis.file, parts, diagnosis.line)
    place = SourceLocation(diagnosis.file, line, "") if line else UNKNOWN_LOCATION
    return Finding("frozen", place, f"requires_grad of {name} is False, so PyTorch does not follow it.")


def end_finding(diagnosis: Diagnosis, end: PathEnd, ends: list[PathEnd], name: str) -> Finding:
    """The finding for an operation at which the gradient is lost."""
    loop = _loop_state(diagnosis, end, ends)
    if loop is not None:
        return loop
    place = place_of_end(diagnosis, end)
    op, detail = words_of_end(diagnosis, end, name, place)
    return Finding(end.kind, place, detail, op=op, node=end.operation)


def _loop_state(diagnosis: Diagnosis, end: PathEnd, ends: list[PathEnd]) -> Finding | None:
    """A detach that each turn of a loop applies to the state that it carries along."""
    if end.kind != "detached" or diagnosis.paths is None:
        return None
    paths, operations = diagnosis.paths, diagnosis.recording.operations
    here = operations[end.operation]
    turns = [
        k
        for k, op in enumerate(operations)
        if k in paths.needed and (op.code, op.lasti, op.name) == (here.code, here.lasti, here.name)
    ]
    if len(turns) < 2:
        return None
    _, later = paths.reached_from(list(operations[turns[0]].outputs))
    if turns[1] not in later:
        return None
    detail = f"The loop detaches what it carries along in each of its {len(turns)} turns, so nothing flows from one turn to the next."
    return Finding("loop_state", here.place, detail, node=end.operation, gradient="None", also=("detached",))


def place_of_end(diagnosis: Diagnosis, end: PathEnd) -> SourceLocation:
    """The line at which the cause stands: of the operation, or of what turned gradients off for it."""
    operation = diagnosis.recording.operations[end.operation]
    place = operation.place
    if end.kind == "no_grad":
        return _where_gradients_went_off(diagnosis, operation, end.operation) or place
    return place


def _where_gradients_went_off(diagnosis: Diagnosis, operation: Operation, k: int) -> SourceLocation | None:
    file, line, code = operation.place
    for found in (text.with_line(file, line, _OFF), text.decorator_line(file, line, _OFF)):
        if found:
            return SourceLocation(file, found, code)
    events = [e for e in diagnosis.recording.events if e.kind == "grad_mode" and e.at <= k]
    if events and not events[-1].what:
        event = events[-1]
        if event.detail is not None:  # a decorated function
            inner = event.detail
            found = text.decorator_line(inner.co_filename, inner.co_firstlineno, _OFF) or text.decorator_line(
                inner.co_filename, inner.co_firstlineno + 1, _OFF
            )
            return SourceLocation(inner.co_filename, found or inner.co_firstlineno, inner.co_name)
        return event.place
    for caller in diagnosis.tape.callers:  # gradients were off before the block began, or inference_mode in a caller
        for find in (text.with_line, text.decorator_line):
            found = find(caller.cell, caller.line, _OFF)
            if found:
                return SourceLocation(caller.cell, found, caller.code)
    return _only_guard_of_the_file(operation)


def _only_guard_of_the_file(operation: Operation) -> SourceLocation | None:
    """A decorated or guarded function of the file, where the operation ran in one that it calls."""
    tree_lines = text.guarded_lines(operation.code.co_filename, _OFF)
    return SourceLocation(operation.code.co_filename, tree_lines[0], "") if len(tree_lines) == 1 else None


def words_of_end(diagnosis: Diagnosis, end: PathEnd, name: str, place: SourceLocation) -> tuple[str, str]:
    """The operation, and what it did to the path."""
    operation = diagnosis.recording.operations[end.operation]
    op = operation.name.strip("_.")
    on = f"line {operation.place.line}"
    target = diagnosis.target_name
    if end.kind == "left":
        kind = type(operation.left).__name__ if operation.left is not None else "new tensor without history"
        return (
            op,
            f"{op} turned a value that depends on {name} into a {kind}; for PyTorch {target} starts from constants there.",
        )
    if end.kind == "detached" and operation.name == "grad":
        return (
            op,
            f"torch.autograd.grad gave plain numbers, because create_graph=True was not passed; {target} is computed from them.",
        )
    if end.kind == "detached":
        return op, f"{op} cut off the history of a value that depends on {name}."
    if end.kind == "no_grad":
        mode = "inference_mode" if operation.inference else "no_grad"
        where = "" if place.line == operation.place.line else f" ({op}, {on})"
        return op, f"What leads from {name} to {target} was computed under {mode}{where}, so it has no history."
    if end.kind == "custom":
        return (
            op,
            f"A custom function uses {name} inside of its forward, but not as one of its arguments, or marked its result as not differentiable.",
        )
    return (
        op,
        f"The results of {op} are integers, truth values or random draws: they do not change continuously with {name}.",
    )


# ------------------------------------------------------------------------------------------------ replaced and unused
def _replaced(diagnosis: Diagnosis, source: Any, name: str) -> Finding | None:
    """Whether the target was computed from what the source's name held before, or from a layer that took its place."""
    recording, paths = diagnosis.recording, diagnosis.paths
    numbers = recording.numbers_of(source)
    made = next((recording.values[n].operation for n in numbers if recording.values[n].operation >= 0), None)
    if made is not None and paths is not None:
        operation = recording.operations[made]
        before = {n for n in operation.inputs if n in paths.needed_values}
        if before:
            detail = (
                f"The target was computed from the tensor that {name} was before this line; the line made a new one."
            )
            return Finding("replaced", operation.place, detail, node=made)
    parts = [part.strip("]'\"") for part in re.split(r"[.\[]", name)]
    path = parts if len(parts) > 1 else text.bound_path(diagnosis.file, diagnosis.line, name)
    line = (
        text.attribute_assignment(diagnosis.file, path, after=text.first_binding(diagnosis.file, diagnosis.line, name))
        if len(path) > 1
        else 0
    )
    if line and len(parts) == 1:
        return Finding(
            "replaced",
            SourceLocation(diagnosis.file, line, ""),
            f"This line puts another layer in the place of the one that {name} belongs to.",
        )
    return None


def _unused(diagnosis: Diagnosis, source: Any, name: str) -> Finding:
    recording, paths = diagnosis.recording, diagnosis.paths
    numbers = recording.numbers_of(source)
    target = diagnosis.target_name
    ends: list[int] = []
    if numbers and paths is not None:
        ends = ValuePaths(recording, diagnosis.paths.target).dead_ends(numbers) if diagnosis.paths is not None else []
    if ends:
        operation = recording.operations[ends[-1]]
        what = "decided a branch" if operation.decides else f"was used for {operation.name.strip('_.')}"
        return Finding(
            "unused",
            operation.place,
            f"{name} {what} on this line, and {target} was not computed from that.",
            node=ends[-1],
        )
    attributes = [
        part
        for part in re.split(r"[.\[\]'\"]+", name)[1:]
        if part and not part.isdigit() and part not in ("weight", "bias")
    ]
    for attribute in reversed(attributes):
        line = text.early_return_line(diagnosis.file, attribute) or text.definition_line(diagnosis.file, attribute)
        if line:
            place = SourceLocation(diagnosis.file, line, "")
            return Finding(
                "unused",
                place,
                f"No operation of the block read {name}: forward does not get to it, or does not call it.",
            )
    lines = text.binding_lines(diagnosis.file, diagnosis.line, re.split(r"[.\[]", name)[0])
    place = SourceLocation(lines[-1][0], lines[-1][1], "") if lines and len(attributes) == 0 else UNKNOWN_LOCATION
    other = (
        " If another thread or a compiled function read it, this recording does not know."
        if recording.stopped == ""
        else f" The recording stopped, because {recording.stopped}."
    )
    return Finding("unused", place, f"No operation of the block read {name}.{other}")
